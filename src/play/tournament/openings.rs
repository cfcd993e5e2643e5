//! Openings: the positions from which the games of a tournament start.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::engine::chance::{SeededChance, StreamId, shuffle};
use crate::engine::file::read_text;
use crate::engine::{
    AnyGame, BatchConfig, Error, ImportedGame, Named, ObservationFormat, OptionValue, Position, ReadGames,
    Record, Result, SingleGame, Status, VectorEnv,
};
use crate::replay::{from_value, lines, replay};

/// The first game number of the random streams of openings, above the numbers of all slots.
const STREAMS: u64 = 1 << 40;

/// Number of attempts to play random plies without ending the game.
const ATTEMPTS: u32 = 1000;

/// Longest file of openings.
const LONGEST: u64 = 1 << 30;

/// Most random plies of an opening.
const MOST_PLIES: u32 = 10_000;

/// The positions of a game and its variations that are openings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpeningNodes {
    /// The last position of the game.
    #[default]
    End,
    /// The last position of the game and of every variation.
    Leaves,
    /// Every position after the first one, of the game and of every variation.
    All,
}

impl Named for OpeningNodes {
    const NAMES: &'static [(&'static str, Self)] =
        &[("end", Self::End), ("leaves", Self::Leaves), ("all", Self::All)];
}

/// A selection of positions of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpeningsOfGames {
    /// Every line is cut after this many plies.
    pub plies: Option<usize>,
    /// The positions of the remaining lines.
    pub nodes: OpeningNodes,
}

/// The start positions of the games.
///
/// All games of a run start from the same opening, with the same random stream afterwards. All tables play the same
/// openings.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Openings {
    /// The environment's own start.
    #[default]
    None,
    /// This number of random legal decisions from the environment's own start.
    Random(u32),
    /// Positions as JSON, in an order drawn from the seed, again and again.
    Positions(Arc<[Value]>),
}

/// A start position of a game.
pub(super) struct Start {
    /// A snapshot of one game.
    pub(super) snapshot: Vec<u8>,
    /// A hash of the position.
    pub(super) position: u64,
}

impl Openings {
    /// Parses the text of an option: a number of random plies, or a file; `plies` limits the length of records.
    ///
    /// # Errors
    /// As for [`Openings::random`] and [`Openings::read`].
    pub fn parse(game: &Arc<dyn AnyGame>, text: &str, of_games: OpeningsOfGames) -> Result<Self> {
        if !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit()) {
            if of_games != OpeningsOfGames::default() {
                return Err(Error::config("opening plies are a limit for records: openings must be a file"));
            }
            return Self::random(text.parse().unwrap_or(u64::MAX));
        }
        Self::read(game, Path::new(text), of_games)
    }

    /// Openings of random plies.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for no plies, or too many.
    pub fn random(plies: u64) -> Result<Self> {
        match u32::try_from(plies) {
            Ok(plies) if (1..=MOST_PLIES).contains(&plies) => Ok(Self::Random(plies)),
            _ => Err(Error::config(format!("openings={plies}: 1 to {MOST_PLIES} random plies, or a file"))),
        }
    }

    /// The openings of a file, as by [`Openings::weighted`].
    ///
    /// # Errors
    /// As for [`Openings::weighted`].
    pub fn read(game: &Arc<dyn AnyGame>, file: &Path, of_games: OpeningsOfGames) -> Result<Self> {
        let found = Self::weighted(game, file, of_games)?;
        Ok(Self::Positions(found.into_iter().map(|(position, _)| position).collect()))
    }

    /// Openings from positions or records as JSON.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the first one that is no opening of `game`.
    pub fn of_positions(game: &Arc<dyn AnyGame>, positions: Vec<Value>) -> Result<Self> {
        let read = |(i, value): (usize, Value)| {
            let found = openings_of_json(game, value, OpeningsOfGames::default());
            found.map_err(|error| Error::config(format!("openings[{i}]: {error}")))
        };
        let found: Vec<Vec<Value>> = positions.into_iter().enumerate().map(read).collect::<Result<_>>()?;
        match found.concat() {
            none if none.is_empty() => Err(Error::config("openings: at least one position is needed")),
            positions => Ok(Self::Positions(positions.into())),
        }
    }

    /// Reads a file: games or positions of other programs by the end of its name (`.pgn`, `.epd`, `.fen`, `.blksgf`), or
    /// one record or position as JSON per line. Empty lines and lines that begin with `#` are skipped. A file with a
    /// single record may span several lines.
    ///
    /// `of_games` selects the positions of games. Leaves and nodes are distinct positions in which the game goes on, each
    /// with the number of lines that have it.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the file cannot be read, or names the first line that is no opening of `game`.
    pub fn weighted(
        game: &Arc<dyn AnyGame>,
        file: &Path,
        of_games: OpeningsOfGames,
    ) -> Result<Vec<(Value, u64)>> {
        let wrong = |what: String| Error::config(format!("openings {}: {what}", file.display()));
        let text = read_text(file, LONGEST).map_err(|error| {
            let hint = if file.components().count() == 1 {
                "; a number of random plies is the other choice"
            } else {
                ""
            };
            wrong(format!("{error}{hint}"))
        })?;
        let found = match importer(game, file) {
            Some(import) => imported(game, import, &text, of_games),
            None => from_json(game, &text, of_games),
        };
        let found = found.map_err(|error| wrong(error.to_string()))?;
        let found = if of_games.nodes == OpeningNodes::End {
            found.into_iter().map(|position| (position, 1)).collect()
        } else {
            counted(found)
        };
        if found.is_empty() { Err(wrong("it has no openings".into())) } else { Ok(found) }
    }

    /// Whether games start from openings.
    #[must_use]
    pub fn is_some(&self) -> bool {
        *self != Self::None
    }

    /// The identity of the openings in the state file of a tournament.
    pub(super) fn identity(&self) -> Value {
        match self {
            Self::None => Value::Null,
            Self::Random(plies) => json!(plies),
            Self::Positions(positions) => {
                let text = serde_json::to_vec(&**positions).expect("values become JSON");
                json!(format!("{:016x}", xxh3_64(&text)))
            }
        }
    }

    /// The start position of a round; `None` for the environment's own start.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if random plies always end the game.
    pub(super) fn start(&self, game: &Arc<dyn AnyGame>, seed: u64, round: u64) -> Result<Option<Start>> {
        if *self == Self::None {
            return Ok(None);
        }
        let mut env = game.clone().vector(BatchConfig {
            num_envs: 1,
            first_game: STREAMS + round,
            seed,
            threads: Some(1),
            observation: ObservationFormat::None,
            ..BatchConfig::default()
        })?;
        match self {
            Self::None => {}
            Self::Random(plies) => play_randomly(&mut *env, *plies)?,
            Self::Positions(positions) => {
                // Every pass over the file has an order of its own.
                let count = positions.len() as u64;
                let mut order: Vec<usize> = (0..positions.len()).collect();
                shuffle(
                    &mut order,
                    &mut SeededChance::new(StreamId { seed, game: u64::MAX - 1, episode: round / count }),
                );
                env.set_position(0, Position::Json(&positions[order[(round % count) as usize]]))?;
            }
        }
        let position = xxh3_64(&env.single(0)?.position_bytes());
        Ok(Some(Start { snapshot: env.save(&[0])?, position }))
    }
}

/// Plays random legal decisions; starts again if the game ends.
fn play_randomly(env: &mut dyn VectorEnv, plies: u32) -> Result<()> {
    'attempts: for _ in 0..ATTEMPTS {
        for _ in 0..plies {
            let mut action = [0];
            env.sample_actions(&mut action)?;
            env.step(&action)?;
            // A finished game has already been reset.
            if env.columns().done[0] != 0 {
                continue 'attempts;
            }
        }
        return Ok(());
    }
    Err(Error::config(format!(
        "openings={plies}: {ATTEMPTS} attempts ended the game within these random plies"
    )))
}

/// The reader of other programs' games that the end of a file's name selects.
fn importer(game: &Arc<dyn AnyGame>, file: &Path) -> Option<ReadGames> {
    let ending = file.extension()?.to_str()?.to_lowercase();
    let format = if ending == "fen" { "epd" } else { &*ending };
    let entry = crate::games::find(game.spec().env).ok()?;
    entry.imports().into_iter().find(|(name, _)| *name == format).map(|(_, read)| read)
}

/// Distinct positions with their counts, in order of their first appearance.
fn counted(positions: Vec<Value>) -> Vec<(Value, u64)> {
    let mut places = HashMap::new();
    let mut found: Vec<(Value, u64)> = Vec::new();
    for position in positions {
        let place = *places.entry(position.to_string()).or_insert(found.len());
        match found.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => found.push((position, 1)),
        }
    }
    found
}

/// The openings of other programs' games.
fn imported(
    game: &Arc<dyn AnyGame>,
    import: ReadGames,
    text: &str,
    of_games: OpeningsOfGames,
) -> Result<Vec<Value>> {
    // The games of a file went on after unclaimed draws; the tournament's own games follow its option.
    let given = game.spec().options.iter().filter(|(name, _)| *name != "draws");
    let given: Vec<(String, OptionValue)> =
        given.map(|(name, value)| (name.to_string(), value.clone())).collect();
    let mut games = Vec::new();
    import(&mut text.as_bytes(), &given, &mut |found| {
        let number = games.len() + 1;
        let openings = found.and_then(ImportedGame::whole).and_then(|found| {
            let openings = openings_of_record(game, &found.record, of_games);
            openings.map_err(|error| Error::state(format!("game {number}: {error}")))
        });
        let go_on = openings.is_ok();
        games.push(openings);
        go_on
    });
    let games: Vec<Vec<Value>> = games.into_iter().collect::<Result<_>>()?;
    Ok(games.concat())
}

/// The openings of a file with a record or a position per line.
fn from_json(game: &Arc<dyn AnyGame>, text: &str, of_games: OpeningsOfGames) -> Result<Vec<Value>> {
    if let Ok(whole) = serde_json::from_str::<Value>(text) {
        return openings_of_json(game, whole, of_games);
    }
    let lines = text.lines().zip(1..).map(|(line, number)| (line.trim(), number));
    let openings = |(line, number): (&str, usize)| {
        let value = serde_json::from_str(line).map_err(|_| Error::state("a record or a position is needed"));
        let openings = value.and_then(|value| openings_of_json(game, value, of_games));
        openings.map_err(|error| Error::state(format!("line {number}: {error}")))
    };
    let lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(openings).collect::<Result<Vec<_>>>()?.concat())
}

/// The openings of a record, or a position: alone, or with environment, version and options beside it, as the Python
/// package writes it.
fn openings_of_json(
    game: &Arc<dyn AnyGame>,
    mut value: Value,
    of_games: OpeningsOfGames,
) -> Result<Vec<Value>> {
    if value.get("actions").is_some() {
        return openings_of_record(game, &from_value(value)?, of_games);
    }
    if value.get("env").is_none() {
        return playable(game, value).map(|position| vec![position]);
    }
    let version = u64::from(game.spec().version);
    if value.get("version").is_some_and(|found| found.as_u64() != Some(version)) {
        return Err(Error::state(format!(
            "version {} wrote it, this is version {version}",
            value["version"]
        )));
    }
    same_rules(game, value["env"].as_str().unwrap_or_default(), &value["options"])?;
    playable(game, value["position"].take()).map(|position| vec![position])
}

/// Options that may differ between a record and the games that start from it: its start, its longest length, and draws
/// that players may claim.
const FREE: [&str; 5] = ["fen", "number960", "max_plies", "max_steps", "draws"];

/// Checks that openings of an environment with these options are openings of `game`.
fn same_rules(game: &Arc<dyn AnyGame>, env: &str, given: &Value) -> Result<()> {
    let spec = game.spec();
    if env != spec.env {
        return Err(Error::state(format!("a game of {} is needed, this one is of {env}", spec.env)));
    }
    let options = serde_json::to_value(&spec.options).expect("options become JSON");
    for (name, value) in options.as_object().into_iter().flatten() {
        let found = given.get(name).unwrap_or(&Value::Null);
        if !FREE.contains(&name.as_str()) && found != value {
            return Err(Error::state(format!("a game with {name}={value} is needed, it was {found}")));
        }
    }
    Ok(())
}

fn openings_of_record(
    game: &Arc<dyn AnyGame>,
    record: &Record,
    of_games: OpeningsOfGames,
) -> Result<Vec<Value>> {
    same_rules(game, &record.env, &record.options)?;
    let mut main = Vec::new();
    let played = replay(record, |game, _| {
        main.push(game.position());
        Ok(())
    })?;
    let most = of_games.plies.unwrap_or(usize::MAX);
    let cut = |line: &[Value]| most.min(line.len() - 1);
    if of_games.nodes == OpeningNodes::End {
        return playable(game, main.swap_remove(cut(&main))).map(|position| vec![position]);
    }
    // Every line as its positions from the first one on.
    let mut all = vec![main];
    for log in lines(record, &played)? {
        let mut play = played.clone();
        let shared = log.iter().zip(&played.log()).take_while(|(a, b)| a == b).count();
        for _ in shared..played.steps() {
            play.undo();
        }
        let mut line = all[0][..=shared].to_vec();
        for step in &log[shared..] {
            play.step_scripted(step.action, &step.chance)?;
            line.push(play.position());
        }
        all.push(line);
    }
    let nodes = all.iter().flat_map(|line| match of_games.nodes {
        OpeningNodes::All => &line[1.min(line.len())..=cut(line)],
        OpeningNodes::Leaves | OpeningNodes::End => &line[cut(line)..=cut(line)],
    });
    // Positions in which the game is over are no openings.
    Ok(nodes.filter_map(|position| playable(game, position.clone()).ok()).collect())
}

/// Checks that a position can be played on.
fn playable(game: &Arc<dyn AnyGame>, position: Value) -> Result<Value> {
    let single: SingleGame = game.clone().single_from_position(&position, 0)?;
    match single.status() {
        Status::Running if !single.legal_actions().is_empty() => Ok(position),
        _ => Err(Error::state("the game is over in this position: limit the plies of finished records")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use std::fs;

    use super::*;
    use crate::games::GAMES;

    fn made(id: &str) -> Arc<dyn AnyGame> {
        crate::games::find(id).unwrap().make([]).unwrap()
    }

    /// Reads a file with this name and content. The folder is new for each call, because tests run side by side.
    fn read(game: &Arc<dyn AnyGame>, name: &str, text: &str, plies: Option<usize>) -> Result<Openings> {
        read_nodes(game, name, text, OpeningsOfGames { plies, ..OpeningsOfGames::default() }, Openings::read)
    }

    fn read_nodes<T>(
        game: &Arc<dyn AnyGame>,
        name: &str,
        text: &str,
        of_games: OpeningsOfGames,
        read: impl Fn(&Arc<dyn AnyGame>, &Path, OpeningsOfGames) -> Result<T>,
    ) -> Result<T> {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("ludovec-openings-{}-{call}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        let found = read(game, &path, of_games);
        fs::remove_dir_all(folder).unwrap();
        found
    }

    fn started(game: &Arc<dyn AnyGame>, openings: &Openings, seed: u64, round: u64) -> SingleGame {
        let start = openings.start(game, seed, round).unwrap().unwrap();
        let config = BatchConfig { num_envs: 1, threads: Some(1), ..BatchConfig::default() };
        let mut env = game.clone().vector(config).unwrap();
        env.restore(&[0], &start.snapshot).unwrap();
        env.single(0).unwrap()
    }

    #[test]
    fn random_openings_depend_on_seed_and_round_and_are_running_games() {
        for entry in GAMES {
            let game = entry.make([]).unwrap();
            let openings = Openings::random(6).unwrap();
            let at = |seed, round| started(&game, &openings, seed, round).position_bytes();
            assert_eq!(at(1, 0), at(1, 0), "{}", entry.id);
            assert!(at(1, 0) != at(1, 1) && at(1, 0) != at(2, 0), "{}", entry.id);
            let found: Vec<_> = (0..20).map(|round| started(&game, &openings, 3, round)).collect();
            assert!(found.iter().all(|game| game.status() == Status::Running), "{}", entry.id);
        }
    }

    #[test]
    fn plies_that_always_end_the_game_are_an_error() {
        let game = GAMES[0].make([("max_steps", OptionValue::Int(5))]).unwrap();
        let Err(error) = Openings::random(8).unwrap().start(&game, 0, 0) else { panic!("it was played") };
        assert!(error.to_string().contains("openings=8"), "{error}");
        assert!(Openings::random(0).is_err() && Openings::random(u64::MAX).is_err());
    }

    fn positions(openings: Openings) -> Arc<[Value]> {
        let Openings::Positions(positions) = openings else { unreachable!() };
        positions
    }

    #[test]
    fn files_hold_games_positions_and_records() {
        let game = made("chess");
        let mut play = game.clone().single(0);
        for label in ["e2e4", "e7e5", "g1f3"] {
            let action = play.string_to_action(label).unwrap();
            play.step(action).unwrap();
        }
        let record = serde_json::to_string(&play.record()).unwrap();
        let position = play.position().to_string();
        let fen = |found: &Value| found["fen"].as_str().unwrap().to_string();
        let epd = "# openings\n\
             rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 3 7\n\
             rnbqkbnr/pppppppp/8/8/3P4/8/PPPP1PPP/RNBQKBNR b KQkq - id \"a queen\";\n\n";
        for name in ["a.epd", "a.fen", "A.EPD"] {
            let found = positions(read(&game, name, epd, None).unwrap());
            assert!(found.len() == 2 && fen(&found[0]).ends_with("b KQkq - 3 7"), "{found:?}");
        }
        let pgn = "[White \"Ada\"]\n\n1. e4 e5 2. Nf3 *\n\n1. d4 d5 *\n";
        let found = positions(read(&game, "a.pgn", pgn, None).unwrap());
        assert_eq!((found.len(), fen(&found[0])), (2, fen(&play.position())));
        let cut = positions(read(&game, "a.pgn", pgn, Some(1)).unwrap());
        assert!(fen(&cut[0]).starts_with("rnbqkbnr/pppppppp/8/8/4P3"), "{}", cut[0]);
        let found =
            positions(read(&game, "a.jsonl", &format!("{position}\n\n# more\n{record}\n"), None).unwrap());
        assert_eq!(*found, [play.position(), play.position()]);
        let cut = positions(read(&game, "a.json", &record, Some(1)).unwrap());
        assert!(fen(&cut[0]).starts_with("rnbqkbnr/pppppppp/8/8/4P3"), "{}", cut[0]);
        // Games that may be longer take the openings of shorter ones; other rules are refused.
        let short = crate::games::find("chess").unwrap().make([("max_steps", OptionValue::Int(50))]).unwrap();
        assert!(read(&short, "a.json", &record, None).is_ok());
        let atomic = crate::games::find("chess").unwrap().make([("variant", "atomic".into())]).unwrap();
        let error = read(&atomic, "a.json", &record, None).unwrap_err().to_string();
        assert!(error.contains("variant=\"atomic\" is needed"), "{error}");
    }

    #[test]
    fn trees_have_leaves_and_nodes_with_weights() {
        let select = |plies, nodes| OpeningsOfGames { plies, nodes };
        let game = made("chess");
        let pgn = "1. e4 e5 (1... c5 2. Nf3 (2. c3) d6) 2. Nf3 Nc6 *\n\n1. e4 e5 2. f4 *\n";
        let count = |plies, nodes| {
            let found = read_nodes(&game, "a.pgn", pgn, select(plies, nodes), Openings::weighted).unwrap();
            (found.len(), found.iter().map(|(_, weight)| weight).sum::<u64>())
        };
        assert_eq!(count(None, OpeningNodes::End), (2, 2));
        assert_eq!(count(None, OpeningNodes::Leaves), (4, 4));
        // After two plies: e5 in both games, c5 in both variations.
        assert_eq!(count(Some(2), OpeningNodes::Leaves), (2, 4));
        assert_eq!(count(Some(1), OpeningNodes::All), (1, 4));
        assert_eq!(count(None, OpeningNodes::All), (9, 14));
        let tilewe = crate::games::find("tilewe").unwrap().make([("mode", "blokus_duo".into())]).unwrap();
        let tree = "(;GM[Blokus Duo];B[e8,d9,e9,f9,e10](;W[i4,h5,i5,j5,i6])(;W[j5](;B[g10])(;B[c8])))";
        let found = |nodes| {
            let found =
                read_nodes(&tilewe, "a.blksgf", tree, select(None, nodes), Openings::weighted).unwrap();
            found.into_iter().map(|(_, weight)| weight).collect::<Vec<_>>()
        };
        assert_eq!(found(OpeningNodes::End), [1]);
        assert_eq!(found(OpeningNodes::Leaves), [1, 1, 1]);
        assert_eq!(found(OpeningNodes::All), [3, 1, 2, 1, 1]);
        // A mate is no opening, and the position before it is one.
        let mate = "1. f3 e5 2. g4 Qh4# 0-1";
        let found =
            read_nodes(&game, "a.pgn", mate, select(None, OpeningNodes::All), Openings::read).unwrap();
        assert_eq!(positions(found).len(), 3);
    }

    #[test]
    fn positions_are_openings() {
        let game = made("chess");
        let start = game.clone().single(0).position();
        let found = positions(Openings::of_positions(&game, vec![start.clone(), start]).unwrap());
        assert_eq!(found.len(), 2);
        let wrong = Openings::of_positions(&game, vec![json!({ "fen": "x" })]).unwrap_err().to_string();
        assert!(wrong.contains("openings[0]"), "{wrong}");
        assert!(Openings::of_positions(&game, Vec::new()).is_err());
    }

    #[test]
    fn every_opening_of_a_file_is_played_before_the_first_one_is_repeated() {
        for entry in GAMES {
            let game = entry.make([]).unwrap();
            let openings = Openings::random(4).unwrap();
            let spec = game.spec();
            let line = |round| {
                let position = started(&game, &openings, 1, round).position();
                // With the environment beside it, or alone.
                let whole = json!({
                    "env": spec.env, "version": spec.version, "options": spec.options, "position": position
                });
                (if round % 2 == 0 { whole } else { position }).to_string() + "\n"
            };
            let text: String = (0..4).map(line).collect();
            let openings = read(&game, &format!("{}.jsonl", entry.id), &text, None).unwrap();
            for seed in 0..2 {
                let position = |round| started(&game, &openings, seed, round).position_bytes();
                for pass in 0..2 {
                    let distinct: std::collections::HashSet<Vec<u8>> =
                        (4 * pass..4 * (pass + 1)).map(position).collect();
                    assert_eq!(distinct.len(), 4, "{}", entry.id);
                }
            }
        }
    }

    #[test]
    fn wrong_files_are_refused_in_one_line() {
        let game = made("chess");
        let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        let other = made(GAMES.iter().find(|entry| entry.id != "chess").unwrap().id).single(0).record();
        let other = serde_json::to_string(&other).unwrap();
        for (name, text, word) in [
            ("a.epd", "", "no openings"),
            ("a.epd", "4k3/8/8 w - -", "line 1"),
            ("a.epd", mate, "game 1"),
            ("a.pgn", "1. e4 e5 2. Ke3 *", "move 3"),
            ("a.pgn", "1. f3 e5 2. g4 Qh4# 0-1", "limit the plies"),
            ("a.json", &other, "a game of chess is needed"),
            ("a.json", "hello", "line 1"),
            ("a.json", "{\"a\":", "line 1"),
            ("a.json", "[1]", "an object"),
            ("a.json", "{\"env\":\"chess\",\"version\":1,\"options\":{}}", "version 1"),
            ("a.json", "{\"env\":\"chess\",\"options\":{\"variant\":\"atomic\"}}", "is needed"),
        ] {
            let error = read(&game, name, text, None).unwrap_err().to_string();
            assert!(error.contains(word) && !error.contains('\n'), "{text}: {error}");
        }
        assert!(
            Openings::parse(&game, "nowhere.epd", OpeningsOfGames::default())
                .unwrap_err()
                .to_string()
                .contains("nowhere.epd")
        );
        assert!(
            Openings::parse(&game, "4", OpeningsOfGames { plies: Some(2), ..Default::default() }).is_err()
        );
    }
}
