//! Engines that speak the Universal Chess Interface.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::driver::{Answer, Conversation, Question};
use super::process::{Deadline, Process};
use super::text::OPTION;
use super::uci_options::EngineOptions;
use crate::engine::UciGame;

/// Shortest time limit for the start of an engine, which may load large networks.
const START: Duration = Duration::from_secs(10);
/// Thinking time in milliseconds without any other limit.
const MOVETIME: u64 = 100;

/// The settings of an engine.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    game: UciGame,
    elo: Option<u32>,
    /// The command `go` with its limits.
    go: String,
    /// Options of the engine, by its own names.
    options: Vec<(String, String)>,
}

impl Settings {
    /// # Errors
    /// A sentence with the allowed values.
    pub(super) fn parse(settings: &[(String, String)], mut game: UciGame) -> Result<Self, String> {
        let get = |name: &str| settings.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let number = |name: &str| {
            let number =
                |value: &str| value.parse::<u64>().ok().filter(|number| (1..=1 << 40).contains(number));
            get(name)
                .map(|value| number(value).ok_or(format!("{name}={value}: 1 to {} are allowed", 1u64 << 40)))
        };
        let mut go = String::from("go");
        for name in ["nodes", "depth", "movetime"] {
            if let Some(number) = number(name) {
                go += &format!(" {name} {}", number?);
            }
        }
        if go == "go" {
            go += &format!(" movetime {MOVETIME}");
        }
        let elo = number("elo").transpose()?.map(|elo| u32::try_from(elo).unwrap_or(u32::MAX));
        if let Some(name) = get("variant") {
            game.variant = name.into();
        }
        let options = settings.iter().filter_map(|(key, value)| Some((key.strip_prefix(OPTION)?, value)));
        let options = options.map(|(name, value)| (name.to_string(), value.clone())).collect();
        Ok(Self { game, elo, go: go + "\n", options })
    }

    /// The commands that set the options of an engine.
    ///
    /// # Errors
    /// The missing option or variant, in one sentence.
    fn commands(&self, known: &EngineOptions) -> Result<String, String> {
        let mut commands = String::new();
        let given = |name: &str| self.options.iter().any(|(option, _)| option.eq_ignore_ascii_case(name));
        // A move depends on the position alone: no thinking on the opponent's time, no book, no second thread.
        for (name, value) in [("Ponder", "false"), ("OwnBook", "false"), ("Threads", "1")] {
            if known.get(name).is_some() && !given(name) {
                commands += &known.set(name, value)?;
            }
        }
        let variant = &self.game.variant;
        if known.get("UCI_Variant").is_some() {
            commands += &known.set("UCI_Variant", variant)?;
        } else if variant != "chess" {
            return Err(format!("the engine plays chess only, not {variant}"));
        }
        if known.get("UCI_Chess960").is_some() {
            commands += &known.set("UCI_Chess960", if self.game.chess960 { "true" } else { "false" })?;
        } else if self.game.chess960 {
            return Err("the engine does not play chess960".into());
        }
        if let Some(elo) = self.elo {
            commands += &known.set("UCI_LimitStrength", "true")?;
            commands += &known.set("UCI_Elo", &elo.to_string())?;
        }
        for (name, value) in &self.options {
            commands += &known.set(name, value)?;
        }
        Ok(commands)
    }
}

/// The conversation with an engine.
pub(super) struct Uci {
    command: Vec<String>,
    settings: Settings,
    process: Option<Process>,
}

/// Why there is no process or no answer.
enum Failed {
    Silent(String),
    Unstarted(String),
    Unable(String),
}

impl From<String> for Failed {
    fn from(reason: String) -> Self {
        Self::Silent(reason)
    }
}

impl Uci {
    pub(super) fn new(command: &[String], settings: &Settings) -> Self {
        Self { command: command.into(), settings: settings.clone(), process: None }
    }

    /// Starts the engine and sets its options.
    fn start(&self, cancelled: &AtomicBool, limit: Duration) -> Result<Process, Failed> {
        let deadline = Deadline::after(limit.max(START), cancelled);
        let at_start = |reason| Failed::Unstarted(format!("at its start: {reason}"));
        let mut process = Process::start(&self.command).map_err(at_start)?;
        process.write("uci\n", deadline).map_err(at_start)?;
        let mut known = EngineOptions::default();
        loop {
            let line = process.line(deadline).map_err(at_start)?;
            if line.trim() == "uciok" {
                break;
            }
            known.declare(&line);
        }
        let commands = self.settings.commands(&known);
        let commands = commands.map_err(|what| Failed::Unable(format!("{}: {what}", self.command[0])))?;
        process.write(&(commands + "isready\n"), deadline).map_err(at_start)?;
        while process.line(deadline).map_err(at_start)?.trim() != "readyok" {}
        Ok(process)
    }

    /// The text behind `bestmove`.
    fn best_move(&mut self, question: Question, deadline: Deadline<'_>) -> Result<Option<String>, Failed> {
        let Question::Uci { start, moves, is_new } = question else {
            unreachable!("a question of this protocol")
        };
        let (mut deadline, is_first) = (deadline, self.process.is_none());
        if is_first {
            self.process = Some(self.start(deadline.cancelled, deadline.limit)?);
            deadline = Deadline::after(deadline.limit, deadline.cancelled);
        }
        let Some(process) = &mut self.process else { unreachable!("it has just been started") };
        // Lines before `readyok` belong to earlier questions.
        let new = if is_new || is_first { "ucinewgame\n" } else { "" };
        let moves = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
        let go = &self.settings.go;
        process.write(&format!("{new}isready\nposition fen {start}{moves}\n{go}"), deadline)?;
        while process.line(deadline)?.trim() != "readyok" {}
        loop {
            let line = process.line(deadline)?;
            let mut words = line.split_ascii_whitespace();
            if words.next() == Some("bestmove") {
                return Ok(words.next().map(String::from));
            }
        }
    }
}

impl Conversation for Uci {
    fn answer(&mut self, question: Question, deadline: Deadline<'_>) -> Answer {
        match self.best_move(question, deadline) {
            Ok(Some(text)) => Answer::Move(text),
            Ok(None) => Answer::NoMove("bestmove without a move".into()),
            Err(failed) => {
                self.process = None;
                match failed {
                    Failed::Silent(reason) => Answer::Silent(reason),
                    Failed::Unstarted(reason) => Answer::Unstarted(reason),
                    Failed::Unable(what) => Answer::Unable(what),
                }
            }
        }
    }

    fn end(&mut self) {
        if let Some(process) = self.process.take() {
            process.part("quit\n");
        }
    }
}
