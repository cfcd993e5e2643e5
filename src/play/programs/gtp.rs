//! Engines that speak the Go Text Protocol, with the commands of pentobi-gtp: `set_game`, `clear_board`, `play`,
//! `genmove`.

use std::time::Duration;

use super::driver::{Answer, Conversation, Question};
use super::process::{Deadline, Process};
use crate::engine::{GtpGame, GtpPosition};

/// Shortest time limit for the start of an engine.
const START: Duration = Duration::from_secs(10);

/// The conversation with an engine.
pub(super) struct Gtp {
    command: Vec<String>,
    game: GtpGame,
    process: Option<Process>,
    /// The moves on the engine's board.
    board: Vec<(usize, String)>,
}

impl Gtp {
    pub(super) fn new(command: &[String], game: &GtpGame) -> Self {
        Self { command: command.into(), game: game.clone(), process: None, board: Vec::new() }
    }

    fn start(&self, deadline: Deadline<'_>) -> Result<Result<Process, String>, String> {
        let deadline = Deadline::after(deadline.limit.max(START), deadline.cancelled);
        let at_start = |reason| format!("at its start: {reason}");
        let mut process = Process::start(&self.command)?;
        let name = &self.game.name;
        let set = command(&mut process, &format!("set_game {name}"), deadline).map_err(at_start)?;
        if let Err(said) = set {
            return Ok(Err(format!("{}: set_game {name}: {said}", self.command[0])));
        }
        Ok(Ok(process))
    }

    /// The answer; the outer error means that the engine did not answer.
    fn generate(&mut self, position: &GtpPosition, deadline: Deadline<'_>) -> Result<Answer, String> {
        let mut deadline = deadline;
        if self.process.is_none() {
            match self.start(deadline)? {
                Ok(process) => self.process = Some(process),
                Err(what) => return Ok(Answer::Unable(what)),
            }
            self.board.clear();
            deadline = Deadline::after(deadline.limit, deadline.cancelled);
        }
        let Some(process) = &mut self.process else { unreachable!("it has just been started") };
        let is_missing = |played: &&(usize, String)| !self.board.contains(played);
        if self.board.iter().all(|played| position.moves.contains(played)) {
            let missing: Vec<_> = position.moves.iter().filter(is_missing).cloned().collect();
            for played in missing {
                play(process, &self.game, &played, deadline)?;
                self.board.push(played);
            }
        } else {
            self.board.clear();
            command(process, "clear_board", deadline)?.map_err(|said| format!("clear_board: {said}"))?;
            for played in &position.moves {
                play(process, &self.game, played, deadline)?;
                self.board.push(played.clone());
            }
        }
        let generate = format!("genmove {}", self.game.colours[position.colour]);
        match command(process, &generate, deadline)? {
            Err(said) => Ok(Answer::NoMove(format!("{generate}: {said}"))),
            Ok(text) if ["pass", "resign"].contains(&&*text.to_lowercase()) => {
                Ok(Answer::NoMove(format!("{generate}: {text}, and it can move")))
            }
            Ok(text) => {
                self.board.push((position.colour, text.clone()));
                Ok(Answer::Move(text))
            }
        }
    }
}

/// Plays a move on the engine's board.
fn play(
    process: &mut Process,
    game: &GtpGame,
    (colour, text): &(usize, String),
    deadline: Deadline<'_>,
) -> Result<(), String> {
    let play = format!("play {} {text}", game.colours[*colour]);
    command(process, &play, deadline)?.map(drop).map_err(|said| format!("{play}: {said}"))
}

/// Sends a command and reads its response: `= TEXT` or `? TEXT`, up to an empty line. The outer error means that the
/// engine did not answer.
fn command(
    process: &mut Process,
    command: &str,
    deadline: Deadline<'_>,
) -> Result<Result<String, String>, String> {
    process.write(&format!("{command}\n"), deadline)?;
    let first = loop {
        let line = process.line(deadline)?;
        if line.starts_with(['=', '?']) {
            break line;
        }
    };
    let mut text = first[1..].trim().to_string();
    loop {
        let line = process.line(deadline)?;
        if line.trim().is_empty() {
            break;
        }
        text = format!("{text} {}", line.trim());
    }
    Ok(if first.starts_with('=') { Ok(text) } else { Err(text) })
}

impl Conversation for Gtp {
    fn answer(&mut self, question: Question, deadline: Deadline<'_>) -> Answer {
        let Question::Gtp(position) = question else { unreachable!("a question of this protocol") };
        let answer = self.generate(&position, deadline).unwrap_or_else(Answer::Silent);
        if matches!(answer, Answer::Silent(_) | Answer::Unable(_)) {
            self.process = None;
        }
        answer
    }

    fn end(&mut self) {
        if let Some(process) = self.process.take() {
            process.part("quit\n");
        }
    }
}
