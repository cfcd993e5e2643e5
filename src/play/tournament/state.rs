//! The state file of a tournament, from which it resumes: results and games in progress, written periodically.

use std::collections::HashSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::games::Progress;
use super::standings::Played;
use super::{Meetings, TournamentConfig, num_slots};
use crate::engine::file::read_text;
use crate::engine::files::{FileLock, replace};
use crate::engine::interruptible::PendingCall;
use crate::engine::{AnyGame, Error, Interrupt, Named, Result};
use crate::player::Player;

/// Minimum time between two writes, which is also at least `PAUSE_BY_COST` times the duration of the last write.
const PAUSE: Duration = Duration::from_secs(1);
const PAUSE_BY_COST: u32 = 20;

/// Longest state file.
const LONGEST: u64 = 4 << 30;

/// Time that a write gets to finish after an interrupt, so that a slow disk loses nothing.
const GRACE: Duration = Duration::from_secs(2);

/// A tournament between two rounds of decisions: the results and all games in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub(super) played: Played,
    /// Number of the first of these games that an earlier tournament with fewer players or games played.
    pub(super) carried: usize,
    /// Number of the game in each slot.
    pub(super) playing: Vec<usize>,
    /// Hash of the decisions so far, by slot.
    pub(super) decisions: Vec<u64>,
    /// Number of action samples drawn, by slot.
    pub(super) samples: Vec<u64>,
    /// Snapshot of all slots in hexadecimal.
    pub(super) games: String,
}

impl Checkpoint {
    /// The results of an earlier tournament, and the games in progress, if this tournament has begun.
    pub(super) fn split(self) -> (Played, Option<Self>) {
        let first = self.played.games.iter().take(self.carried);
        let carried: Vec<_> = first.cloned().collect();
        let numbers: HashSet<u64> = carried.iter().map(|game| game.game).collect();
        let faults =
            self.played.faults.iter().filter(|fault| numbers.contains(&fault.game)).cloned().collect();
        let carried = Played { games: carried, faults, usage: self.played.usage.clone() };
        let begun = !self.playing.is_empty() || self.carried < self.played.games.len();
        (carried, begun.then_some(self))
    }

    /// The finished games alone, for a tournament with more players or games.
    fn extended(self) -> Self {
        Self {
            carried: self.played.games.len(),
            played: self.played,
            playing: Vec::new(),
            decisions: Vec::new(),
            samples: Vec::new(),
            games: String::new(),
        }
    }
}

/// The state file of a tournament, locked during the lifetime of this object. It has three lines: the configuration, a
/// [`Checkpoint`], and the checksum of both.
#[derive(Debug)]
pub struct StateFile {
    path: PathBuf,
    /// Configuration of the tournament as JSON.
    header: String,
    begun: Option<Checkpoint>,
    rest: Option<Instant>,
    _lock: FileLock,
}

impl StateFile {
    /// Opens or creates the state file of a tournament. The file of a tournament with fewer games, or without the last
    /// of the players, is extended: its finished games count, and only the others are played.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the file cannot be read or written, is in use, is damaged, or belongs to another
    /// tournament: other rules, another seed, other players, a network with other contents. [`Error::Interrupted`] if
    /// `interrupt` is raised before the file system answers.
    pub fn open(
        path: &Path,
        game: &Arc<dyn AnyGame>,
        players: &[Player],
        meetings: Meetings<'_>,
        config: &TournamentConfig,
        interrupt: &Interrupt,
    ) -> Result<Self> {
        let wrong = |what: String| Error::config(format!("state {}: {what}", path.display()));
        let header = header(game, players, meetings, config)?;
        let own = path.to_path_buf();
        let open = move || {
            let lock = FileLock::of(&own)?;
            match read_text(&own, LONGEST) {
                Ok(text) => Ok((lock, Some(text))),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok((lock, None)),
                Err(error) => Err(error),
            }
        };
        let opened = answered(path, interrupt, Duration::ZERO, open)?;
        let (lock, text) = opened.map_err(|error| match error.kind() {
            ErrorKind::WouldBlock => wrong("another process plays this tournament".into()),
            _ => wrong(error.to_string()),
        })?;
        let begun = text.map_or(Ok(None), |text| read(&text, &header)).map_err(wrong)?;
        let file = Self { path: path.into(), header: header.to_string(), begun, rest: None, _lock: lock };
        // Fails before the first game if the path cannot be written.
        if file.begun.is_none() {
            file.write("null", interrupt)?;
        }
        Ok(file)
    }

    /// Takes the checkpoint to resume from; `None` in later calls.
    pub(super) fn take(&mut self) -> Option<Checkpoint> {
        self.begun.take()
    }

    /// Writes the file, unless the last write was too recent. The last report is always written.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the file cannot be written; [`Error::Interrupted`] if the file system does not answer
    /// within [`GRACE`] of an interrupt.
    pub(super) fn note(&mut self, progress: &Progress<'_>, interrupt: &Interrupt) -> Result<()> {
        let start = Instant::now();
        if !progress.last && self.rest.is_some_and(|rest| start < rest) {
            return Ok(());
        }
        let Some(checkpoint) = progress.checkpoint()? else { return Ok(()) };
        self.write(&serde_json::to_string(&checkpoint).expect("plain data becomes JSON"), interrupt)?;
        self.rest = Some(Instant::now() + (start.elapsed() * PAUSE_BY_COST).max(PAUSE));
        Ok(())
    }

    fn write(&self, checkpoint: &str, interrupt: &Interrupt) -> Result<()> {
        let mut text = format!("{}\n{checkpoint}\n", self.header);
        text += &format!("{:016x}\n", xxh3_64(text.as_bytes()));
        let path = self.path.clone();
        answered(&self.path, interrupt, GRACE, move || replace(&path, text.as_bytes()))?
            .map_err(|error| Error::config(format!("state {}: {error}", self.path.display())))
    }
}

/// Runs `work` on the file at `path` in another thread, which is abandoned if its file system does not answer within
/// `grace` of an interrupt.
fn answered<T: Send + 'static>(
    path: &Path,
    interrupt: &Interrupt,
    grace: Duration,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<io::Result<T>> {
    let mut call = PendingCall::spawn("ludovec state", work)?;
    let mut raised = None;
    let gives_up = || interrupt.is_raised() && raised.get_or_insert_with(Instant::now).elapsed() >= grace;
    call.wait(gives_up).ok_or_else(|| {
        Error::interrupted(format!("interrupted: state {}: its file system does not answer", path.display()))
    })
}

/// Parses the checkpoint of a complete file of this tournament; `None` if no game was played yet.
fn read(text: &str, header: &Value) -> Result<Option<Checkpoint>, String> {
    let damaged = || "it is damaged or not the state of a tournament".to_string();
    let lines: Vec<&str> = text.lines().collect();
    let [found, checkpoint, checksum] = lines[..] else { return Err(damaged()) };
    let sum = xxh3_64(&text.as_bytes()[..found.len() + checkpoint.len() + 2]);
    if checksum != format!("{sum:016x}") {
        return Err(damaged());
    }
    let found: Value = serde_json::from_str(found).map_err(|_| damaged())?;
    let is_extended = extends(&found, header);
    for (name, now) in header.as_object().into_iter().flatten() {
        let may_grow = ["games", "players", "pairings", "slots"].contains(&name.as_str());
        if &found[name] != now && !(is_extended && may_grow) {
            let (before, now) = difference(&found[name], now);
            return Err(format!(
                "it belongs to another tournament: {name} was {}, it is {}",
                cut(before),
                cut(now)
            ));
        }
    }
    let checkpoint: Option<Checkpoint> = serde_json::from_str(checkpoint).map_err(|_| damaged())?;
    Ok(if is_extended { checkpoint.map(Checkpoint::extended) } else { checkpoint })
}

/// Whether a tournament has all games of an earlier one and more: further games, or further players after the others.
fn extends(earlier: &Value, now: &Value) -> bool {
    let grows = |name: &str| match (earlier[name].as_array(), now[name].as_array()) {
        (Some(before), Some(after)) => after.starts_with(before),
        _ => earlier[name] == now[name],
    };
    let games = |header: &Value| header["games"].as_u64().unwrap_or(0);
    // With random pairings, more players change every draw.
    let same_players = earlier["players"] == now["players"] || now["pairings"] != "random";
    let changed = ["games", "players", "pairings"].iter().any(|name| earlier[name] != now[name]);
    changed && grows("players") && grows("pairings") && same_players && games(earlier) <= games(now)
}

/// The first entries of two lists that differ, such as a player with its identity; otherwise the values.
fn difference<'a>(before: &'a Value, now: &'a Value) -> (&'a Value, &'a Value) {
    let lists = before.as_array().zip(now.as_array());
    lists.and_then(|(a, b)| a.iter().zip(b).find(|(x, y)| x != y)).unwrap_or((before, now))
}

/// A value as text, cut to 200 characters.
fn cut(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 200 { text.chars().take(200).chain("...".chars()).collect() } else { text }
}

/// The configuration that must match to resume a tournament.
fn header(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    meetings: Meetings<'_>,
    config: &TournamentConfig,
) -> Result<Value> {
    let spec = game.spec();
    let meetings_as_json = match meetings {
        Meetings::Pairings(pairings) => {
            let name = super::Pairings::NAMES.iter().find(|(_, value)| *value == pairings);
            json!(name.map(|(name, _)| name))
        }
        Meetings::Tables(tables) => json!(tables),
    };
    let named = players.iter().map(|player| Ok(json!([player.name(), player.identity()?])));
    Ok(json!({
        "ludovec": env!("CARGO_PKG_VERSION"),
        "env": spec.env,
        "version": spec.version,
        "options": spec.options,
        "seed": config.seed,
        "games": config.games,
        "pairings": meetings_as_json,
        "players": named.collect::<Result<Vec<Value>>>()?,
        "openings": config.openings.identity(),
        "sprt": config.sprt,
        "slots": num_slots(game, players, meetings, config)?,
    }))
}

/// Encodes bytes in hexadecimal.
pub(super) fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Decodes hexadecimal digits.
///
/// # Errors
/// [`Error::InvalidState`] for anything else.
pub(super) fn from_hex(text: &str) -> Result<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        &[high, low] => Some((digit(high)? << 4 | digit(low)?) as u8),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
    bytes.ok_or_else(|| Error::state("games of a tournament: hexadecimal digits are needed"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::engine::{Interrupt, OptionValue};
    use crate::games::GAMES;
    use crate::player::DEFAULT_TIME_LIMIT;
    use crate::tournament::{GameResult, Openings, Pairings, TournamentResult, play, play_from};

    struct Setting {
        game: Arc<dyn AnyGame>,
        players: Vec<Player>,
        config: TournamentConfig,
        path: PathBuf,
    }

    const MEETINGS: Meetings<'static> = Meetings::Pairings(Pairings::RoundRobin);

    impl Setting {
        fn new(entry: &crate::engine::Entry, name: &str) -> Self {
            let game = entry.make([("max_steps", OptionValue::Int(40))]).unwrap();
            let player = |text| Player::parse(&*game, text, DEFAULT_TIME_LIMIT).unwrap();
            let players = ["random", "greedy", "search:3"].map(player).to_vec();
            let config =
                TournamentConfig { games: 12, seed: 3, threads: Some(1), ..TournamentConfig::default() };
            let file = format!("ludovec-state-{name}-{}-{}", entry.id, std::process::id());
            Self { game, players, config, path: std::env::temp_dir().join(file) }
        }

        fn open(&self) -> Result<StateFile> {
            let interrupt = Interrupt::default();
            StateFile::open(&self.path, &self.game, &self.players, MEETINGS, &self.config, &interrupt)
        }

        /// Resumes the tournament and interrupts it after some rounds.
        fn go_on(&self, rounds: usize) -> Result<TournamentResult> {
            let mut file = self.open()?;
            let interrupt = Interrupt::default();
            let mut count = 0;
            play_from(&self.game, &self.players, MEETINGS, &self.config, &mut file, &interrupt, |_| {
                count += 1;
                if count > rounds {
                    interrupt.raise();
                }
                Ok(())
            })
        }
    }

    impl Drop for Setting {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.path);
        }
    }

    #[test]
    fn a_repeatedly_interrupted_tournament_has_the_same_results() {
        for entry in GAMES {
            let setting = Setting::new(entry, "again");
            let (game, players) = (&setting.game, &setting.players);
            let interrupt = Interrupt::default();
            let whole =
                play(game, players, Pairings::RoundRobin, &setting.config, &interrupt, |_, _| ()).unwrap();
            let mut calls = 0;
            let resumed = loop {
                calls += 1;
                let found = setting.go_on(10).unwrap();
                if !found.partial {
                    break found;
                }
            };
            assert!(calls > 1, "{}: it was never interrupted", entry.id);
            assert_eq!(resumed, whole, "{}", entry.id);
            // A finished tournament is not played again.
            assert_eq!(setting.go_on(0).unwrap(), whole);
        }
    }

    #[test]
    fn further_players_and_games_extend_a_tournament() {
        for entry in GAMES {
            let mut setting = Setting::new(entry, "extended");
            let seats = setting.game.spec().players.min(3) as u64;
            let last = setting.players.pop().unwrap();
            setting.config.openings = Openings::random(3).unwrap();
            // The first tournament ends with some of its games.
            assert!(setting.go_on(25).unwrap().partial, "{}", entry.id);
            let file = |setting: &Setting| setting.open().unwrap().take().unwrap();
            let before = file(&setting).played.games;
            setting.players.push(last);
            setting.config.games = 36;
            let mut calls = 0;
            let whole = loop {
                calls += 1;
                let found = setting.go_on(30).unwrap();
                if !found.partial {
                    break found;
                }
            };
            assert!(calls > 1 && whole.games == 36, "{}: {calls} calls, {} games", entry.id, whole.games);
            let after = file(&setting);
            // No game was played again, and the file has every game of the schedule once.
            assert_eq!(after.carried, before.len(), "{}", entry.id);
            for (old, kept) in before.iter().zip(&after.played.games) {
                let content =
                    |game: &GameResult| (game.seats.clone(), game.round, game.decisions, game.length);
                assert_eq!(content(old), content(kept), "{}", entry.id);
            }
            let mut numbers: Vec<u64> = after.played.games.iter().map(|game| game.game).collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..36).collect::<Vec<u64>>(), "{}", entry.id);
            if seats == 2 {
                assert_eq!(whole.pairings.iter().map(|pair| pair.games).collect::<Vec<_>>(), [12; 3]);
            }
            assert_eq!(setting.go_on(0).unwrap(), whole);
            // Fewer games, or players in another order, are another tournament.
            setting.config.games = 35;
            assert!(setting.open().unwrap_err().to_string().contains("games was 36"));
            setting.config.games = 40;
            setting.players.swap(0, 1);
            assert!(setting.open().unwrap_err().to_string().contains("another tournament"));
        }
    }

    #[test]
    fn files_of_other_tournaments_and_damaged_files_are_refused_and_kept() {
        let mut setting = Setting::new(&GAMES[0], "other");
        assert!(setting.go_on(5).unwrap().partial);
        let refused = |setting: &Setting, word: &str| {
            let Err(error) = setting.open() else { panic!("{word}: it was taken") };
            assert!(error.to_string().contains(word), "{word}: {error}");
        };
        let held = setting.open().unwrap();
        refused(&setting, "another process");
        drop(held);
        setting.config.seed += 1;
        refused(&setting, "seed was 3, it is 4");
        setting.config.seed -= 1;
        let last = setting.players.pop().unwrap();
        refused(&setting, "players was");
        setting.players.push(last.clone().named("another name"));
        refused(&setting, "another name");
        setting.players[2] = last.clone().identified("another hash");
        refused(&setting, "another hash");
        setting.players[2] = last;
        assert!(setting.open().is_ok());
        let text = fs::read_to_string(&setting.path).unwrap();
        for damaged in [&text[..text.len() / 2], "", "{}\n", &text.replacen(":3", ":4", 1), "\u{0}\n\n\n"] {
            fs::write(&setting.path, damaged).unwrap();
            refused(&setting, "damaged");
            assert_eq!(fs::read_to_string(&setting.path).unwrap(), damaged);
        }
    }

    #[test]
    fn work_without_an_answer_is_abandoned_after_an_interrupt_and_its_grace() {
        let interrupt = Interrupt::default();
        interrupt.raise();
        let (path, short) = (Path::new("state"), Duration::from_millis(300));
        let (_kept, never) = std::sync::mpsc::channel::<()>();
        let start = Instant::now();
        let found = answered(path, &interrupt, short, move || Ok(never.recv().is_ok()));
        assert!(matches!(&found, Err(Error::Interrupted(what)) if what.contains("state state")), "{found:?}");
        assert!(start.elapsed() >= short);
        // Work that ends during the grace keeps its result.
        let slow = || {
            std::thread::sleep(Duration::from_millis(120));
            Ok(3)
        };
        assert_eq!(answered(path, &interrupt, Duration::from_secs(60), slow).unwrap().unwrap(), 3);
    }

    #[test]
    fn hexadecimal_round_trips() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(from_hex(&to_hex(&bytes)).unwrap(), bytes);
        assert!(from_hex("0").is_err() && from_hex("0g").is_err() && from_hex("é").is_err());
    }

    #[cfg(feature = "networks")]
    #[test]
    fn the_identity_of_a_network_is_a_hash_of_its_content() {
        let file = std::env::temp_dir().join(format!("ludovec-content-{}", std::process::id()));
        let text = format!("net:{}:4", file.display());
        let identity = |content: &str| {
            fs::write(&file, content).unwrap();
            crate::player::identity_of(&text, None).unwrap()
        };
        let (one, other) = (identity("one"), identity("other"));
        assert!(one != other && one == identity("one") && one.ends_with(":4"), "{one} {other}");
        fs::remove_file(&file).unwrap();
        assert!(crate::player::identity_of(&text, None).is_err());
        // The digest of a source has the weights beside an ONNX file, too.
        let source = ludovec_network::Source::of_bytes("any", b"one").unwrap();
        assert_eq!(one, format!("net:{:032x}:4", source.digest()));
        assert_eq!(crate::player::identity_of("net:champion:4", None).unwrap(), "net:champion:4");
    }
}
