//! Engines that speak the Universal Chess Interface.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::driver::{Answer, Conversation, EngineLine, Question, Wanted};
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
    /// The limits of a search, by their names in the command `go`.
    limits: Vec<(&'static str, u64)>,
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
        let mut limits = Vec::new();
        for name in ["nodes", "depth", "movetime"] {
            if let Some(number) = number(name) {
                limits.push((name, number?));
            }
        }
        if limits.is_empty() {
            limits.push(("movetime", MOVETIME));
        }
        let elo = number("elo").transpose()?.map(|elo| u32::try_from(elo).unwrap_or(u32::MAX));
        if let Some(name) = get("variant") {
            game.variant = name.into();
        }
        let options = settings.iter().filter_map(|(key, value)| Some((key.strip_prefix(OPTION)?, value)));
        let options = options.map(|(name, value)| (name.to_string(), value.clone())).collect();
        Ok(Self { game, elo, limits, options })
    }

    /// The command that starts a search with a multiple of the limits; the logarithm of the multiple deepens a search by
    /// depth.
    fn go(&self, effort: u32) -> String {
        let limit = |&(name, number): &(&str, u64)| {
            let number = match name {
                "depth" => number + u64::from(effort.ilog2()),
                _ => number.saturating_mul(effort.into()),
            };
            format!(" {name} {number}")
        };
        format!("go{}\n", self.limits.iter().map(limit).collect::<String>())
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
    /// Most lines that the engine tells at once; 1 without the option `MultiPV`.
    most_lines: usize,
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
        Self { command: command.into(), settings: settings.clone(), process: None, most_lines: 1 }
    }

    /// Starts the engine and sets its options.
    fn start(&mut self, cancelled: &AtomicBool, limit: Duration) -> Result<Process, Failed> {
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
        let lines = known.get("MultiPV").and_then(|option| usize::try_from(option.max?).ok());
        self.most_lines = lines.unwrap_or(1).max(1);
        let commands = self.settings.commands(&known);
        let commands = commands.map_err(|what| Failed::Unable(format!("{}: {what}", self.command[0])))?;
        process.write(&(commands + "isready\n"), deadline).map_err(at_start)?;
        while process.line(deadline).map_err(at_start)?.trim() != "readyok" {}
        Ok(process)
    }

    /// The answer to a question about a position.
    fn ask(&mut self, question: Question, deadline: Deadline<'_>) -> Result<Answer, Failed> {
        let Question::Uci { start, moves, is_new, wanted } = question else {
            unreachable!("a question of this protocol")
        };
        let (mut deadline, is_first) = (deadline, self.process.is_none());
        if is_first {
            self.process = Some(self.start(deadline.cancelled, deadline.limit)?);
            deadline = Deadline::after(deadline.limit, deadline.cancelled);
        }
        // Lines before `readyok` belong to earlier questions.
        let new = if is_new || is_first { "ucinewgame\n" } else { "" };
        let moves = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
        let position = format!("{new}isready\nposition fen {start}{moves}\n");
        let (count, effort) = match wanted {
            Wanted::Move => (None, 1),
            Wanted::Advice { moves, effort } => (Some(moves.min(self.most_lines)), effort),
        };
        let (best, mut lines) = self.search(&position, effort, deadline)?;
        let Some(count) = count else {
            return Ok(best.map_or_else(without_move, Answer::Move));
        };
        let Some(best) = best else { return Ok(without_move()) };
        lines.retain(|line| line.moves[0] == best);
        if lines.is_empty() {
            return Ok(Answer::NoMove(format!(
                "bestmove {best} without a line `info ... score ... pv {best}`"
            )));
        }
        if count > 1 {
            // The best line has all the effort for itself, and the values of all moves come from a search of their own.
            let several = format!("setoption name MultiPV value {count}\n{position}");
            let (_, others) = self.search(&several, effort, deadline)?;
            let highest = lines[0].value;
            let others = others.into_iter().filter(|line| line.moves[0] != best);
            lines.extend(others.map(|line| EngineLine { value: line.value.min(highest), ..line }));
            self.running().write("setoption name MultiPV value 1\n", deadline)?;
        }
        Ok(Answer::Advice(lines))
    }

    fn running(&mut self) -> &mut Process {
        self.process.as_mut().expect("it has been started")
    }

    /// Searches a position: the text behind `bestmove`, and the last line of play for each rank.
    fn search(
        &mut self,
        position: &str,
        effort: u32,
        deadline: Deadline<'_>,
    ) -> Result<(Option<String>, Vec<EngineLine>), Failed> {
        let go = self.settings.go(effort);
        let process = self.running();
        process.write(&format!("{position}{go}"), deadline)?;
        while process.line(deadline)?.trim() != "readyok" {}
        let mut lines = BTreeMap::new();
        loop {
            let line = process.line(deadline)?;
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("bestmove") => {
                    return Ok((words.next().map(String::from), lines.into_values().collect()));
                }
                Some("info") => lines.extend(read_info(words)),
                _ => {}
            }
        }
    }
}

fn without_move() -> Answer {
    Answer::NoMove("bestmove without a move".into())
}

/// The factor of the logistic function from hundredths of a pawn to expected outcomes.
const STEEPNESS: f32 = 0.003_682;

/// The rank and the line of an `info` with a score and moves; `None` for others, and for bounds.
fn read_info<'a>(words: impl Iterator<Item = &'a str>) -> Option<(u32, EngineLine)> {
    let (mut rank, mut value) = (1, None);
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        match word {
            "multipv" => rank = words.next()?.parse().ok()?,
            "score" => {
                let (unit, number) = (words.next()?, words.next()?);
                let number: f32 = number.parse().ok()?;
                value = match unit {
                    "cp" => Some(2.0 / (1.0 + (-STEEPNESS * number).exp()) - 1.0),
                    // `mate 0` is a player without moves.
                    "mate" => Some(if number > 0.0 { 1.0 } else { -1.0 }),
                    _ => return None,
                };
                if matches!(words.peek(), Some(&("lowerbound" | "upperbound"))) {
                    return None;
                }
            }
            "wdl" => {
                let mut share = || words.next()?.parse::<f32>().ok();
                let (win, draw, loss) = (share()?, share()?, share()?);
                let is_mate = value.is_some_and(|value: f32| value.abs() == 1.0);
                value = value.filter(|_| is_mate).or(Some((win - loss) / (win + draw + loss)));
            }
            "pv" => {
                let moves: Vec<String> = words.map(String::from).collect();
                return (!moves.is_empty()).then_some((rank, EngineLine { moves, value: value? }));
            }
            // The rest is free text.
            "string" => return None,
            _ => {}
        }
    }
    None
}

impl Conversation for Uci {
    fn answer(&mut self, question: Question, deadline: Deadline<'_>) -> Answer {
        match self.ask(question, deadline) {
            Ok(answer) => answer,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_an_engine_become_expected_outcomes() {
        let read = |line: &str| read_info(line.split_ascii_whitespace());
        let (rank, line) =
            read("depth 9 seldepth 12 multipv 2 score cp 0 nodes 9 nps 1 pv e2e4 e7e5").unwrap();
        assert_eq!((rank, line.value, line.moves.join(" ").as_str()), (2, 0.0, "e2e4 e7e5"));
        let value = |line: &str| read(line).unwrap().1.value;
        assert!((value("score cp 100 pv e2e4") - 0.18).abs() < 0.01);
        assert!(value("score cp -100000 pv e2e4") > -1.001);
        assert_eq!([value("score mate 3 pv a"), value("score mate -1 pv a")], [1.0, -1.0]);
        assert_eq!(value("score cp 300 wdl 500 250 250 pv a"), 0.25);
        assert_eq!(value("score mate 2 wdl 900 100 0 pv a"), 1.0);
        for silent in [
            "score cp 12 lowerbound pv a",
            "score cp 12",
            "pv e2e4",
            "score cp x pv a",
            "string score cp 1 pv a",
            "depth 3",
            "score cp 1 pv",
        ] {
            assert_eq!(read(silent), None, "{silent}");
        }
    }
}
