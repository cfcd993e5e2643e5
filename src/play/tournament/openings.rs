//! Openings: the positions from which the games of a tournament start.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::engine::chance::{SeededChance, StreamId, shuffle};
use crate::engine::{
    AnyGame, BatchConfig, Error, ObservationFormat, Position, Record, Result, SingleGame, Status, VectorEnv,
};
use crate::replay::replay;

/// The first game number of the random streams of openings, above the numbers of all slots.
const STREAMS: u64 = 1 << 40;

/// Number of attempts to play random plies without ending the game.
const ATTEMPTS: u32 = 1000;

/// Most random plies of an opening.
const MOST_PLIES: u32 = 10_000;

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
    pub fn parse(game: &Arc<dyn AnyGame>, text: &str, plies: Option<usize>) -> Result<Self> {
        if !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit()) {
            if plies.is_some() {
                return Err(Error::config("opening plies are a limit for records: openings must be a file"));
            }
            return Self::random(text.parse().unwrap_or(u64::MAX));
        }
        Self::read(game, Path::new(text), plies)
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

    /// Reads a file with one opening per line: a record, a position as JSON or, for chess, a line of EPD or FEN. Empty
    /// lines and lines that begin with `#` are skipped. A file with a single record may span several lines.
    ///
    /// The opening of a record is its position after `plies` steps, or its last position.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the file cannot be read, or names the first line that is no opening of `game`.
    pub fn read(game: &Arc<dyn AnyGame>, file: &Path, plies: Option<usize>) -> Result<Self> {
        let wrong = |what: String| Error::config(format!("openings {}: {what}", file.display()));
        let text = fs::read_to_string(file).map_err(|error| {
            let hint = if file.components().count() == 1 {
                "; a number of random plies is the other choice"
            } else {
                ""
            };
            wrong(format!("{error}{hint}"))
        })?;
        let lines = match serde_json::from_str::<Value>(&text) {
            Ok(whole) => vec![(1, opening_of_json(game, whole, plies))],
            Err(_) => text
                .lines()
                .zip(1..)
                .map(|(line, number)| (number, line.trim()))
                .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
                .map(|(number, line)| (number, opening_of_line(game, line, plies)))
                .collect(),
        };
        let positions: Result<Vec<Value>> = lines
            .into_iter()
            .map(|(number, found)| found.map_err(|error| wrong(format!("line {number}: {error}"))))
            .collect();
        match positions? {
            none if none.is_empty() => Err(wrong("it has no openings".into())),
            positions => Ok(Self::Positions(positions.into())),
        }
    }

    /// Whether games start from openings.
    pub fn is_some(&self) -> bool {
        *self != Self::None
    }

    /// What identifies the openings of a tournament in its state file.
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

/// The opening on a line of a file.
fn opening_of_line(game: &Arc<dyn AnyGame>, line: &str, plies: Option<usize>) -> Result<Value> {
    if line.starts_with('{') {
        let value = serde_json::from_str(line)
            .map_err(|error| Error::state(format!("{error}: a record, a position or a FEN is needed")))?;
        return opening_of_json(game, value, plies);
    }
    if game.spec().env != "chess" {
        return Err(Error::state("a record or a position as JSON is needed"));
    }
    let fen = json!({ "fen": line });
    let epd = epd_to_fen(line).map(|fen| json!({ "fen": fen }));
    // A line of EPD is not a FEN; if neither fits, the error of the FEN is the one that helps.
    let found = playable(game, fen);
    match (found, epd) {
        (Err(error), Some(epd)) => playable(game, epd).map_err(|_| error),
        (found, _) => found,
    }
}

/// The position of a line of EPD as FEN: four fields, then operations such as `hmvc 3; fmvn 12;`.
fn epd_to_fen(line: &str) -> Option<String> {
    let mut fields = line.split_whitespace();
    let position: Vec<&str> = fields.by_ref().take(4).collect();
    let operations: String = fields.collect::<Vec<_>>().join(" ");
    let number = |name: &str, default: u32| {
        let given = operations.split(';').find_map(|one| one.trim().strip_prefix(name)?.trim().parse().ok());
        given.unwrap_or(default)
    };
    (position.len() == 4)
        .then(|| format!("{} {} {}", position.join(" "), number("hmvc ", 0), number("fmvn ", 1)))
}

/// The opening of a record or a position.
fn opening_of_json(game: &Arc<dyn AnyGame>, value: Value, plies: Option<usize>) -> Result<Value> {
    if value.get("actions").is_none() {
        return playable(game, value);
    }
    let record: Record =
        serde_json::from_value(value).map_err(|error| Error::state(format!("record: {error}")))?;
    let spec = game.spec();
    let options = serde_json::to_value(&spec.options).expect("options become JSON");
    if (record.env.as_str(), &record.options) != (spec.env, &options) {
        return Err(Error::state(format!(
            "record: it is a game of {} with {}, {} with {options} is needed",
            record.env, record.options, spec.env
        )));
    }
    let last = plies.unwrap_or(usize::MAX).min(record.actions.len());
    let mut found = None;
    replay(&record, |game, step| {
        if step.map_or(0, |step| step + 1) == last {
            found = Some(game.to_json());
        }
        Ok(())
    })?;
    playable(game, found.unwrap_or_default())
}

/// Checks that a position can be played on.
fn playable(game: &Arc<dyn AnyGame>, position: Value) -> Result<Value> {
    let single: Box<dyn SingleGame> = game.clone().single_from_json(&position, 0)?;
    match single.status() {
        Status::Running if !single.legal_actions().is_empty() => Ok(position),
        _ => Err(Error::state("the game is over in this position: limit the plies of finished records")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::OptionValue;
    use crate::games::GAMES;

    fn made(id: &str) -> Arc<dyn AnyGame> {
        crate::games::find(id).unwrap().make::<&str>([]).unwrap()
    }

    fn file(name: &str, text: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("ludovec-openings-{name}-{}", std::process::id()));
        fs::write(&path, text).unwrap();
        path
    }

    fn read(game: &Arc<dyn AnyGame>, name: &str, text: &str, plies: Option<usize>) -> Result<Openings> {
        let path = file(name, text);
        let found = Openings::read(game, &path, plies);
        fs::remove_file(path).unwrap();
        found
    }

    fn started(game: &Arc<dyn AnyGame>, openings: &Openings, seed: u64, round: u64) -> Box<dyn SingleGame> {
        let start = openings.start(game, seed, round).unwrap().unwrap();
        let config = BatchConfig { num_envs: 1, threads: Some(1), ..BatchConfig::default() };
        let mut env = game.clone().vector(config).unwrap();
        env.restore(&[0], &start.snapshot).unwrap();
        env.single(0).unwrap()
    }

    #[test]
    fn random_openings_depend_on_seed_and_round_and_are_running_games() {
        for entry in GAMES {
            let game = entry.make::<&str>([]).unwrap();
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

    #[cfg(feature = "game-chess")]
    #[test]
    fn files_hold_epd_fen_positions_and_records() {
        let game = made("chess");
        let mut play = game.clone().single(0);
        for label in ["e2e4", "e7e5", "g1f3"] {
            let action = play.string_to_action(label).unwrap();
            play.step(action).unwrap();
        }
        let record = serde_json::to_string(&play.record()).unwrap();
        let position = play.to_json().to_string();
        let text = format!(
            "# openings\n\
             rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n\
             rnbqkbnr/pppppppp/8/8/3P4/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 3; fmvn 7; id \"queen's pawn\";\n\
             rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq -\n\n{position}\n{record}\n"
        );
        // The second line has seven files.
        let bad = read(
            &game,
            "bad",
            &text.replace("PPPP1PPP/RNBQKBNR b KQkq - 0", "PPPP1PP/RNBQKBNR b KQkq - 0"),
            None,
        );
        assert!(bad.unwrap_err().to_string().contains("line 2"));
        let Openings::Positions(found) = read(&game, "good", &text, None).unwrap() else { unreachable!() };
        assert_eq!(found.len(), 5);
        let fens: Vec<&str> = found.iter().map(|position| position["fen"].as_str().unwrap()).collect();
        assert!(fens[1].ends_with("b KQkq - 3 7") && fens[2].ends_with("b KQkq -"), "{fens:?}");
        assert_eq!(found[3], play.to_json());
        assert_eq!(found[4], play.to_json());
        // Every opening is played once before the first one is repeated; two of these five are the same.
        let openings = Openings::Positions(found.clone());
        for seed in 0..3 {
            for pass in 0..3 {
                let rounds = 5 * pass..5 * (pass + 1);
                let position = |round| started(&game, &openings, seed, round).position_bytes();
                let distinct: std::collections::HashSet<Vec<u8>> = rounds.map(position).collect();
                assert_eq!(distinct.len(), 4);
            }
        }
        let Openings::Positions(cut) = read(&game, "cut", &record, Some(1)).unwrap() else { unreachable!() };
        assert!(cut[0]["fen"].as_str().unwrap().starts_with("rnbqkbnr/pppppppp/8/8/4P3"), "{}", cut[0]);
    }

    #[cfg(feature = "game-chess")]
    #[test]
    fn wrong_files_are_refused_in_one_line() {
        let game = made("chess");
        let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        let other = made(GAMES.iter().find(|entry| entry.id != "chess").unwrap().id).single(0).record();
        let other = serde_json::to_string(&other).unwrap();
        for (text, word) in [
            ("", "no openings"),
            ("hello", "line 1"),
            (mate, "line 1"),
            (&other, "it is a game of"),
            ("{\"a\":", "line 1"),
            ("[1]", "line 1"),
        ] {
            let error = read(&game, "wrong", text, None).unwrap_err().to_string();
            assert!(error.contains(word) && !error.contains('\n'), "{text}: {error}");
        }
        assert!(Openings::parse(&game, "nowhere.epd", None).unwrap_err().to_string().contains("nowhere.epd"));
        assert!(Openings::parse(&game, "4", Some(2)).is_err());
    }
}
