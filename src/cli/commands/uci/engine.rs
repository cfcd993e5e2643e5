//! The state of the engine: its options, the position, the search in progress.

use std::io::{Write, stdout};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::go::{self, Go, Hit, Resources};
use crate::arguments::with;
use crate::failure::Failure;
use ludovec::engine::chance::StreamId;
use ludovec::engine::{
    AnyGame, Entry, Error, Interrupt, OptionValue, Result, SingleGame, Status, Tool, UciVariants,
};
use ludovec::games;
use ludovec::play::levels::{LEVELS, RATED};
use ludovec::play::player::Player;

/// The players that are tried in turn if none is named.
const PLAYERS: [&str; 2] = ["net:champion:400", "search:400"];
/// The most threads and lines that GUIs may ask for.
pub(super) const MOST_THREADS: usize = 512;
pub(super) const MOST_LINES: usize = 500;
/// MiB of the search tree: by default, and at most.
const HASH: usize = 512;
const MOST_HASH: usize = 1 << 20;

/// The Elo of a limited strength that the GUI has not set.
const USUAL_ELO: u32 = 1500;

/// The limits of the strength that a GUI sets.
#[derive(Debug, Clone, Copy)]
struct Weakened {
    is_limited: bool,
    elo: u32,
    /// The level; 0 for none.
    level: usize,
}

impl Weakened {
    const NOT: Self = Self { is_limited: false, elo: USUAL_ELO, level: 0 };

    /// The player with this strength; `None` if it is not limited.
    fn player(self) -> Option<String> {
        match self {
            Self { is_limited: true, elo, .. } => Some(format!("net:champion?elo={elo}")),
            Self { level: 0, .. } => None,
            Self { level, .. } => Some(format!("net:champion?level={level}")),
        }
    }
}

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
    /// The seed of players that draw random numbers. Every game has the next one.
    seed: u64,
    /// The options of the GUI.
    variant: String,
    chess960: bool,
    threads: usize,
    lines: usize,
    /// MiB of the search tree.
    hash: usize,
    overhead: Duration,
    weakened: Weakened,
    /// Whether the variant is the command line's: the GUI has set none.
    is_given: bool,
    game: Arc<dyn AnyGame>,
    /// The same without draws that a player would have to claim.
    unclaimed: Arc<dyn AnyGame>,
    player: Player,
    position: SingleGame,
    search: Option<Search>,
}

/// The search in progress.
struct Search {
    thread: JoinHandle<()>,
    interrupt: Interrupt,
    hit: Hit,
}

impl Engine {
    pub(super) fn new(
        named: Option<String>,
        set: Vec<(String, OptionValue)>,
        time_limit: Option<Duration>,
        seed: u64,
    ) -> std::result::Result<Self, Failure> {
        let of_tool = |tool: &Tool| match tool {
            Tool::Uci(variants) => Some(*variants),
            _ => None,
        };
        let variants = with("game of UCI", None, of_tool)?;
        let is_uci = |entry: &&Entry| entry.tools.iter().any(|tool| of_tool(tool).is_some());
        let entry =
            games::all().into_iter().find(is_uci).ok_or_else(|| Failure::Usage("no game of UCI".into()))?;
        let game = make(entry, &set, &[])?;
        let unclaimed = make(entry, &set, &UNCLAIMED)?;
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
            seed,
            variant: known.variant,
            chess960: known.chess960,
            threads: 1,
            lines: 1,
            hash: HASH,
            overhead: Duration::from_millis(30),
            weakened: Weakened::NOT,
            is_given: true,
            game,
            unclaimed,
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
            "ponderhit" => {
                if let Some(search) = &self.search {
                    // A second hit changes nothing.
                    let _ = search.hit.set(Instant::now());
                }
            }
            // A position is a game of its own, so there is nothing to clear.
            "ucinewgame" => self.seed = self.seed.wrapping_add(1),
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
        if let Some(search) = self.search.take() {
            search.interrupt.raise();
            let _ = search.thread.join();
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
        say(&format!("option name Hash type spin default {HASH} min 1 max {MOST_HASH}"));
        say(&format!("option name MultiPV type spin default 1 min 1 max {MOST_LINES}"));
        say("option name Move Overhead type spin default 30 min 0 max 5000");
        say("option name Ponder type check default false");
        say(&format!("option name UCI_Chess960 type check default {}", self.chess960));
        let names: Vec<String> = (self.variants.names)().iter().map(|name| format!("var {name}")).collect();
        say(&format!("option name UCI_Variant type combo default {} {}", self.variant, names.join(" ")));
        say("option name UCI_LimitStrength type check default false");
        let (least, most) = (RATED.1[0], RATED.1[LEVELS - 1]);
        say(&format!("option name UCI_Elo type spin default {USUAL_ELO} min {least} max {most}"));
        say(&format!("option name Level type spin default 0 min 0 max {LEVELS}"));
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
            "hash" => self.hash = number(1, MOST_HASH)?,
            "multipv" => self.lines = number(1, MOST_LINES)?,
            "move overhead" => self.overhead = Duration::from_millis(number(0, 5000)? as u64),
            "ponder" => {}
            "uci_chess960" | "uci_limitstrength" if !["true", "false"].contains(&value) => {
                return wrong("true or false is allowed");
            }
            "uci_limitstrength" => {
                return self.weaken(Weakened { is_limited: value == "true", ..self.weakened });
            }
            "uci_elo" => {
                let elo = number(RATED.1[0] as usize, RATED.1[LEVELS - 1] as usize)? as u32;
                return self.weaken(Weakened { elo, ..self.weakened });
            }
            "level" => return self.weaken(Weakened { level: number(0, LEVELS)?, ..self.weakened }),
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
                return self.make(self.variant.clone(), self.chess960, named, self.weakened);
            }
            _ => return wrong("there is no such option"),
        }
        Ok(())
    }

    /// Makes the player of a limited strength, or the named one again.
    fn weaken(&mut self, weakened: Weakened) -> Result<()> {
        if weakened.player() != self.weakened.player() {
            self.player = self.player_of(&*self.game, self.named.as_deref(), weakened)?;
        }
        self.weakened = weakened;
        Ok(())
    }

    /// The player of a limited strength, or the named one.
    fn player_of(&self, game: &dyn AnyGame, named: Option<&str>, weakened: Weakened) -> Result<Player> {
        player(game, weakened.player().as_deref().or(named), self.time_limit)
    }

    /// Makes the game of a variant. Where the chosen player does not play it, the last of [`PLAYERS`] does: a GUI goes
    /// on after an error, and would get moves of the variant before.
    fn change_variant(&mut self, variant: String, chess960: bool) -> Result<()> {
        let (named, weakened) = (self.named.clone(), self.weakened);
        match self.make(variant.clone(), chess960, named.clone(), weakened) {
            Err(error) if named.is_some() || weakened.player().is_some() => {
                self.make(variant, chess960, Some(PLAYERS[1].into()), Weakened::NOT)?;
                say(&format!("info string {error}; {} plays", PLAYERS[1]));
                (self.named, self.weakened) = (named, weakened);
                Ok(())
            }
            made => made,
        }
    }

    /// Makes the game and the player; nothing changes after an error.
    fn make(
        &mut self,
        variant: String,
        chess960: bool,
        named: Option<String>,
        weakened: Weakened,
    ) -> Result<()> {
        let is_given = self.is_given && (&variant, chess960) == (&self.variant, self.chess960);
        let mut set = self.set.clone();
        if !is_given {
            set.retain(|(key, _)| !["variant", "fen", "number960"].contains(&key.as_str()));
            let more = (self.variants.options)(&variant, chess960);
            set.extend(more.into_iter().map(|(key, value)| (key.to_string(), value)));
        }
        let (game, unclaimed) = (make(self.entry, &set, &[])?, make(self.entry, &set, &UNCLAIMED)?);
        let player = self.player_of(&*game, named.as_deref(), weakened)?;
        self.position = game.clone().single(0);
        (self.game, self.unclaimed, self.player, self.named) = (game, unclaimed, player, named);
        (self.variant, self.chess960, self.is_given) = (variant, chess960, is_given);
        self.weakened = weakened;
        Ok(())
    }

    /// `position startpos|fen FEN [moves MOVE ...]`. The moves before a wrong one are played. Draws are claimed by the
    /// GUI: where the rules end a game that it plays on, the rules without claims take over.
    fn set_position(&mut self, rest: &str) -> Result<()> {
        let (mut position, mut played) = play(&self.game, rest)?;
        if position.status() != Status::Running {
            (position, played) = play(&self.unclaimed, rest)?;
        }
        self.position = position;
        played
    }

    fn go(&mut self, rest: &str) -> Result<()> {
        let go = Go::parse(rest, &self.position, self.overhead)?;
        let (player, mut position) = (self.player.clone(), self.position.clone());
        position.set_stream(StreamId { seed: self.seed, game: 0, episode: 0 }, 0);
        let resources = Resources { threads: self.threads, lines: self.lines, memory: self.hash << 20 };
        let hit = Hit::default();
        let interrupt = go.interrupt(&hit);
        let (stop, waited) = (interrupt.clone(), hit.clone());
        let work = move || go::think(&player, &position, &go, resources, &waited, &stop);
        let thread = std::thread::Builder::new().name("ludovec search".into()).spawn(work);
        let thread = thread.map_err(|error| Error::config(format!("no thread could be started: {error}")))?;
        self.search = Some(Search { thread, interrupt, hit });
        Ok(())
    }
}

/// Options of a game that a GUI conducts, unless the command line has them: it is as long as it is.
const CONDUCTED: [(&str, i64); 1] = [("max_plies", 10_000)];
/// Options under which a draw that needs a claim ends no game.
const UNCLAIMED: [(&str, &str); 1] = [("draws", "claimed")];

/// A game under the options of the command line and others, as far as the environment has them.
fn make(entry: &Entry, set: &[(String, OptionValue)], others: &[(&str, &str)]) -> Result<Arc<dyn AnyGame>> {
    let mut set = set.to_vec();
    let known = entry.options();
    let others = others.iter().map(|&(name, value)| (name, OptionValue::from(value)));
    for (name, value) in
        CONDUCTED.map(|(name, value)| (name, OptionValue::Int(value))).into_iter().chain(others)
    {
        if known.iter().any(|option| option.name == name) && set.iter().all(|(given, _)| given != name) {
            set.push((name.into(), value));
        }
    }
    entry.make(set)
}

/// The position of a command, and the error in its moves.
fn play(game: &Arc<dyn AnyGame>, rest: &str) -> Result<(SingleGame, Result<()>)> {
    let (start, moves) = match rest.trim().split_once("moves") {
        Some((start, moves)) => (start.trim(), moves),
        None => (rest.trim(), ""),
    };
    let mut position = match start.strip_prefix("fen ") {
        Some(fen) => game.clone().single_from_uci(fen)?,
        None if start == "startpos" => game.clone().single(0),
        None => return Err(Error::config(format!("position {start}: startpos or fen FEN is needed"))),
    };
    for text in moves.split_whitespace() {
        let played = position.string_to_action(text).and_then(|action| position.step(action));
        if played.is_err() {
            return Ok((position, played));
        }
    }
    Ok((position, Ok(())))
}

/// The player with this text, or the first of [`PLAYERS`] that plays the game.
fn player(game: &dyn AnyGame, named: Option<&str>, time_limit: Option<Duration>) -> Result<Player> {
    if let Some(text) = named {
        return Player::parse(game, text, time_limit);
    }
    let [first, second] = PLAYERS;
    Player::parse(game, first, time_limit).or_else(|_| Player::parse(game, second, time_limit))
}
