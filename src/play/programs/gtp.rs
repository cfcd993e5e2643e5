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
        let mut process = Process::start(&self.command).map_err(at_start)?;
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
            match self.start(deadline) {
                Ok(Ok(process)) => self.process = Some(process),
                Ok(Err(what)) => return Ok(Answer::Unable(what)),
                Err(reason) => return Ok(Answer::Unstarted(reason)),
            }
            self.board.clear();
            deadline = Deadline::after(deadline.limit, deadline.cancelled);
        }
        let Some(process) = &mut self.process else { unreachable!("it has just been started") };
        if !self.board.iter().all(|played| position.moves.contains(played)) {
            self.board.clear();
            command(process, "clear_board", deadline)?.map_err(|said| format!("clear_board: {said}"))?;
        }
        for played in in_turns(&position.moves, self.game.colours.len()) {
            if !self.board.contains(&played) {
                play(process, &self.game, &played, deadline)?;
                self.board.push(played);
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

/// Moves in the order of turns: the first of every colour, then the second ones. Engines may insist on it.
fn in_turns(moves: &[(usize, String)], colours: usize) -> Vec<(usize, String)> {
    let of_colour = |colour| moves.iter().filter(move |(other, _)| *other == colour);
    let rounds = (0..colours).map(|colour| of_colour(colour).count()).max().unwrap_or(0);
    let in_round = |round| (0..colours).filter_map(move |colour| of_colour(colour).nth(round));
    (0..rounds).flat_map(in_round).cloned().collect()
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
        if matches!(answer, Answer::Silent(_) | Answer::Unstarted(_) | Answer::Unable(_)) {
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

#[cfg(all(test, unix))]
mod tests {
    use std::path::PathBuf;
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// A conversation with a shell script that logs every command, and the log.
    fn conversation(name: &str, cases: &str) -> (Gtp, PathBuf) {
        let log = std::env::temp_dir().join(format!("ludovec-gtp-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&log);
        let script = format!(
            "while read -r line; do echo \"$line\" >> '{}'; case \"$line\" in {cases} *) printf '= \\n\\n';; esac; done",
            log.display()
        );
        let game = GtpGame { name: "Blokus Duo".into(), colours: vec!["purple", "orange"] };
        (Gtp::new(&["sh".into(), "-c".into(), script], &game), log)
    }

    fn position(moves: &[(usize, &str)], colour: usize) -> Question {
        let moves = moves.iter().map(|&(colour, text)| (colour, text.to_string())).collect();
        Question::Gtp(GtpPosition { moves, colour })
    }

    fn ask(gtp: &mut Gtp, question: Question, milliseconds: u64) -> Answer {
        gtp.answer(question, Deadline::after(Duration::from_millis(milliseconds), &AtomicBool::new(false)))
    }

    #[test]
    fn moves_are_played_on_the_engines_board_and_taken_back_when_it_differs() {
        let cases = "genmove*) printf 'noise\\n= e5,e6\\n\\n';;";
        let (mut gtp, log) = conversation("board", cases);
        let mut answers = Vec::new();
        for (moves, colour) in [
            (&[][..], 0),
            // Its own move was played.
            (&[(0, "e5,e6"), (1, "j9")], 0),
            // Another game, and then the same one with a move more.
            (&[(0, "a1"), (1, "b2")], 0),
            (&[(1, "b2"), (0, "a1"), (0, "e5,e6"), (1, "c3")], 1),
        ] {
            match ask(&mut gtp, position(moves, colour), 60_000) {
                Answer::Move(text) => answers.push(text),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(answers, ["e5,e6"; 4]);
        gtp.end();
        let said = std::fs::read_to_string(&log).unwrap();
        std::fs::remove_file(log).unwrap();
        let expected = [
            "set_game Blokus Duo",
            "genmove purple",
            "play orange j9",
            "genmove purple",
            "clear_board",
            "play purple a1",
            "play orange b2",
            "genmove purple",
            "play orange c3",
            "genmove orange",
            "quit",
        ];
        assert_eq!(said.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn an_engine_that_misbehaves_gives_a_reason() {
        for (name, cases, word, is_silent) in [
            ("unknown", "set_game*) printf '? unknown game\\n\\n';;", "unknown game", false),
            ("pass", "genmove*) printf '= pass\\n\\n';;", "pass, and it can move", false),
            ("resign", "genmove*) printf '= RESIGN\\n\\n';;", "RESIGN", false),
            ("refused", "genmove*) printf '? no\\n more\\n\\n';;", "genmove purple: no more", false),
            ("rules", "play*) printf '? illegal move\\n\\n';;", "play orange b2: illegal move", true),
            ("hang", "genmove*) sleep 60;;", "no answer within", true),
            ("end", "genmove*) exit 4;;", "exit status: 4", true),
            ("half", "genmove*) printf '= e5'; exit 0;;", "it has ended", true),
        ] {
            let (mut gtp, log) = conversation(name, cases);
            let limit = if name == "hang" { 200 } else { 60_000 };
            let answer = ask(&mut gtp, position(&[(1, "b2")], 0), limit);
            let (Answer::NoMove(said) | Answer::Unable(said) | Answer::Silent(said)) = &answer else {
                panic!("{name}: {answer:?}")
            };
            assert!(said.contains(word), "{name}: {said}");
            assert_eq!(matches!(answer, Answer::Silent(_)), is_silent, "{name}");
            assert_eq!(gtp.process.is_none(), is_silent || name == "unknown", "{name}");
            std::fs::remove_file(log).unwrap();
        }
    }
}
