//! The state of the engine: its options, the position, the search in progress.

use std::io::{Write, stdout};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use super::go::{self, Go};
use crate::arguments::with;
use crate::failure::Failure;
use ludovec::engine::{AnyGame, Entry, Error, Interrupt, OptionValue, Result, SingleGame, Tool, UciVariants};
use ludovec::games;
use ludovec::play::player::Player;

/// The players that are tried in turn if none is named.
const PLAYERS: [&str; 2] = ["net:champion:400", "search:400"];
/// The most threads and lines that GUIs may ask for.
pub(super) const MOST_THREADS: usize = 512;
pub(super) const MOST_LINES: usize = 500;

/// Prints a line. A GUI that has ended reads no more.
pub(super) fn say(line: &str) {
    let mut out = stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

pub(super) struct Engine {
    entry: &'static Entry,
    variants: UciVariants,
    /// The player and the options of the command line.
    named: Option<String>,
    set: Vec<(String, OptionValue)>,
    time_limit: Option<Duration>,
    /// The options of the GUI.
    variant: String,
    chess960: bool,
    threads: usize,
    lines: usize,
    overhead: Duration,
    /// Whether the variant is the command line's: the GUI has set none.
    is_given: bool,
    game: Arc<dyn AnyGame>,
    player: Player,
    position: Box<dyn SingleGame>,
    search: Option<(JoinHandle<()>, Interrupt)>,
}

impl Engine {
    pub(super) fn new(
        named: Option<String>,
        set: Vec<(String, OptionValue)>,
        time_limit: Option<Duration>,
    ) -> std::result::Result<Self, Failure> {
        let of_tool = |tool: &Tool| match tool {
            Tool::Uci(variants) => Some(*variants),
            _ => None,
        };
        let variants = with("game of UCI", None, of_tool)?;
        let is_uci = |entry: &&Entry| entry.tools.iter().any(|tool| of_tool(tool).is_some());
        let entry =
            games::all().into_iter().find(is_uci).ok_or_else(|| Failure::Usage("no game of UCI".into()))?;
        let game = entry.make(set.clone())?;
        let Some(known) = game.uci() else {
            return Err(Failure::Usage(
                "UCI has no moves and positions for a game with these options".into(),
            ));
        };
        let player = player(&*game, named.as_deref(), time_limit)?;
        let position = game.clone().single(0);
        Ok(Self {
            entry,
            variants,
            named,
            set,
            time_limit,
            variant: known.variant,
            chess960: known.chess960,
            threads: 1,
            lines: 1,
            overhead: Duration::from_millis(30),
            is_given: true,
            game,
            player,
            position,
            search: None,
        })
    }

    /// Carries out a command; false after `quit`. Unknown commands are ignored, as UCI demands.
    pub(super) fn obey(&mut self, line: &str) -> bool {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match command {
            "quit" => return false,
            "uci" => self.introduce(),
            "isready" => say("readyok"),
            "stop" => self.stop(),
            // A position is a game of its own, so there is nothing to clear.
            "setoption" | "position" | "go" => {
                self.stop();
                let done = match command {
                    "setoption" => self.set_option(rest),
                    "position" => self.set_position(rest),
                    _ => self.go(rest),
                };
                if let Err(error) = done {
                    say(&format!("info string {error}"));
                    if command == "go" {
                        say("bestmove 0000");
                    }
                }
            }
            _ => {}
        }
        true
    }

    /// Ends the search, which prints its move.
    fn stop(&mut self) {
        if let Some((thread, interrupt)) = self.search.take() {
            interrupt.raise();
            let _ = thread.join();
        }
    }

    /// Ends everything.
    pub(super) fn end(mut self) {
        self.stop();
    }

    fn introduce(&self) {
        say(&format!("id name Ludovec {} {}", env!("CARGO_PKG_VERSION"), self.player.name()));
        say("id author The Ludovec maintainers");
        say(&format!("option name Threads type spin default 1 min 1 max {MOST_THREADS}"));
        say(&format!("option name MultiPV type spin default 1 min 1 max {MOST_LINES}"));
        say("option name Move Overhead type spin default 30 min 0 max 5000");
        say("option name Ponder type check default false");
        say(&format!("option name UCI_Chess960 type check default {}", self.chess960));
        let names: Vec<String> = (self.variants.names)().iter().map(|name| format!("var {name}")).collect();
        say(&format!("option name UCI_Variant type combo default {} {}", self.variant, names.join(" ")));
        say("option name Player type string default <empty>");
        say("option name NetworkFile type string default <empty>");
        say("uciok");
    }

    /// `setoption name NAME value VALUE`.
    fn set_option(&mut self, rest: &str) -> Result<()> {
        let rest = rest.trim().strip_prefix("name ").unwrap_or(rest.trim());
        let (name, value) = rest.split_once(" value ").unwrap_or((rest, ""));
        let (name, value) = (name.trim(), value.trim());
        let wrong = |allowed: &str| Err(Error::config(format!("option {name}={value}: {allowed}")));
        let number = |least: usize, most: usize| {
            let number = value.parse().ok().filter(|number| (least..=most).contains(number));
            number
                .ok_or_else(|| Error::config(format!("option {name}={value}: {least} to {most} are allowed")))
        };
        match name.to_lowercase().as_str() {
            "threads" => self.threads = number(1, MOST_THREADS)?,
            "multipv" => self.lines = number(1, MOST_LINES)?,
            "move overhead" => self.overhead = Duration::from_millis(number(0, 5000)? as u64),
            "ponder" => {}
            "uci_chess960" if !["true", "false"].contains(&value) => {
                return wrong("true or false is allowed");
            }
            "uci_chess960" => return self.change_variant(self.variant.clone(), value == "true"),
            "uci_variant" if !(self.variants.names)().iter().any(|known| known == value) => {
                return wrong(&format!("{} are allowed", (self.variants.names)().join(", ")));
            }
            "uci_variant" => return self.change_variant(value.into(), self.chess960),
            "player" | "networkfile" => {
                let named = match (name.to_lowercase().as_str(), value) {
                    (_, "" | "<empty>") => None,
                    ("player", text) => Some(text.to_string()),
                    (_, file) => Some(format!("net:{file}:{}", go::SIMULATIONS)),
                };
                return self.make(self.variant.clone(), self.chess960, named);
            }
            _ => return wrong("there is no such option"),
        }
        Ok(())
    }

    /// Makes the game of a variant. Where the named player does not play it, the last of [`PLAYERS`] does: a GUI goes
    /// on after an error, and would get moves of the variant before.
    fn change_variant(&mut self, variant: String, chess960: bool) -> Result<()> {
        let Some(named) = self.named.clone() else { return self.make(variant, chess960, None) };
        let Err(error) = self.make(variant.clone(), chess960, Some(named.clone())) else { return Ok(()) };
        self.make(variant, chess960, Some(PLAYERS[1].into()))?;
        say(&format!("info string {error}; {} plays", PLAYERS[1]));
        self.named = Some(named);
        Ok(())
    }

    /// Makes the game and the player; nothing changes after an error.
    fn make(&mut self, variant: String, chess960: bool, named: Option<String>) -> Result<()> {
        let is_given = self.is_given && (&variant, chess960) == (&self.variant, self.chess960);
        let game = if is_given {
            self.entry.make(self.set.clone())?
        } else {
            let more = (self.variants.options)(&variant, chess960);
            let kept =
                self.set.iter().filter(|(key, _)| !["variant", "fen", "number960"].contains(&key.as_str()));
            let more = more.into_iter().map(|(key, value)| (key.to_string(), value));
            self.entry.make(kept.cloned().chain(more).collect::<Vec<_>>())?
        };
        let player = player(&*game, named.as_deref(), self.time_limit)?;
        self.position = game.clone().single(0);
        (self.game, self.player, self.named) = (game, player, named);
        (self.variant, self.chess960, self.is_given) = (variant, chess960, is_given);
        Ok(())
    }

    /// `position startpos|fen FEN [moves MOVE ...]`. The moves before a wrong one are played.
    fn set_position(&mut self, rest: &str) -> Result<()> {
        let (start, moves) = match rest.trim().split_once("moves") {
            Some((start, moves)) => (start.trim(), moves),
            None => (rest.trim(), ""),
        };
        let mut position = match start.strip_prefix("fen ") {
            Some(fen) => self.game.clone().single_from_uci(fen)?,
            None if start == "startpos" => self.game.clone().single(0),
            None => return Err(Error::config(format!("position {start}: startpos or fen FEN is needed"))),
        };
        let mut played = Ok(());
        for text in moves.split_whitespace() {
            played = position.string_to_action(text).and_then(|action| position.step(action));
            if played.is_err() {
                break;
            }
        }
        self.position = position;
        played
    }

    fn go(&mut self, rest: &str) -> Result<()> {
        let go = Go::parse(rest, &*self.position, self.overhead)?;
        let (player, position) = (self.player.clone(), self.position.clone_box());
        let (threads, lines) = (self.threads, self.lines);
        let interrupt = Interrupt::default();
        let stop = interrupt.clone();
        let work = move || go::think(&player, &*position, &go, threads, lines, &stop);
        let thread = std::thread::Builder::new().name("ludovec search".into()).spawn(work);
        let thread = thread.map_err(|error| Error::config(format!("no thread could be started: {error}")))?;
        self.search = Some((thread, interrupt));
        Ok(())
    }
}

/// The player with this text, or the first of [`PLAYERS`] that plays the game.
fn player(game: &dyn AnyGame, named: Option<&str>, time_limit: Option<Duration>) -> Result<Player> {
    if let Some(text) = named {
        return Player::parse(game, text, time_limit);
    }
    let [first, second] = PLAYERS;
    Player::parse(game, first, time_limit).or_else(|_| Player::parse(game, second, time_limit))
}
