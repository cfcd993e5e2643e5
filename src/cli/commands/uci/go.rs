//! The command `go`: its limits, and the lines `info` and `bestmove`.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::engine::say;
use ludovec::engine::{Error, Interrupt, Result, SingleGame};
use ludovec::play::player::Player;
use ludovec::play::thinking::{ThinkingLimits, Thought, ThoughtLine};

/// Simulations of a network from the option `NetworkFile`.
pub(super) const SIMULATIONS: u32 = 400;
/// Number of moves among which the remaining time is divided.
const MOVES: u32 = 30;
/// Highest score in centipawns.
const MOST_CENTIPAWNS: f32 = 10_000.0;

/// The limits of a search.
#[derive(Debug, PartialEq)]
pub(super) struct Go {
    limits: ThinkingLimits,
    /// When the move is due.
    due: Due,
    /// The actions to choose from; empty for all.
    allowed: Vec<u32>,
}

/// When the move of a search is due.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Due {
    /// At the end of the search.
    AtEnd,
    /// After `stop`.
    AfterStop,
    /// Not before `ponderhit`, and this long after it at the latest.
    AfterHit(Option<Duration>),
}

/// The resources of a search, from the options of the engine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resources {
    pub(super) threads: usize,
    pub(super) lines: usize,
    /// Bytes of the tree.
    pub(super) memory: usize,
}

/// The time of `ponderhit`, once it has come.
pub(super) type Hit = Arc<OnceLock<Instant>>;

impl Go {
    /// Parses `nodes N`, `depth N` (simulations, too), `movetime MS`, `wtime`, `btime`, `winc`, `binc`, `movestogo`,
    /// `infinite`, `ponder`, `searchmoves MOVE ...`.
    pub(super) fn parse(text: &str, game: &SingleGame, overhead: Duration) -> Result<Self> {
        const KEYS: [&str; 11] = [
            "nodes",
            "depth",
            "movetime",
            "wtime",
            "btime",
            "winc",
            "binc",
            "movestogo",
            "infinite",
            "ponder",
            "mate",
        ];
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |key: &str| -> Result<Option<i64>> {
            let Some(at) = words.iter().position(|word| *word == key) else { return Ok(None) };
            let number = words.get(at + 1).and_then(|word| word.parse().ok());
            number.map(Some).ok_or_else(|| Error::config(format!("go {key}: a number is needed")))
        };
        let simulations = match (number("nodes")?, number("depth")?) {
            (Some(number), _) | (None, Some(number)) => Some(number.clamp(1, i64::from(u32::MAX)) as u32),
            _ => None,
        };
        let [time, increment] =
            if game.current_player() == 0 { ["wtime", "winc"] } else { ["btime", "binc"] };
        let milliseconds = |number: i64| Duration::from_millis(number.max(0) as u64);
        let time = match (number("movetime")?, number(time)?) {
            (Some(time), _) => Some(milliseconds(time).saturating_sub(overhead)),
            (None, Some(left)) => {
                let increment = milliseconds(number(increment)?.unwrap_or(0));
                let moves =
                    number("movestogo")?.map_or(MOVES, |moves| moves.clamp(1, i64::from(MOVES)) as u32);
                let left = milliseconds(left).saturating_sub(overhead);
                Some((left / moves + increment * 3 / 4).min(left / 2))
            }
            (None, None) => None,
        };
        // An engine may never run out of time to think of something.
        let time = time.map(|time| time.max(Duration::from_millis(1)));
        let has = |key: &str| words.contains(&key);
        let mut allowed = Vec::new();
        if let Some(at) = words.iter().position(|word| *word == "searchmoves") {
            for text in words[at + 1..].iter().take_while(|word| !KEYS.contains(word)) {
                allowed.push(game.string_to_action(text)?);
            }
        }
        let limits = ThinkingLimits { simulations, time, ..ThinkingLimits::default() };
        let (limits, due) = match (has("infinite"), has("ponder")) {
            (true, _) => (ThinkingLimits { infinite: true, ..limits }, Due::AfterStop),
            // The clock is stopped until the hit; a number of simulations is not.
            (false, true) => {
                let infinite = time.is_some() && simulations.is_none();
                (ThinkingLimits { infinite, time: None, ..limits }, Due::AfterHit(time))
            }
            (false, false) => (limits, Due::AtEnd),
        };
        Ok(Self { limits, due, allowed })
    }

    /// The flag that ends the search: raised by `stop`, or by the end of the time since `hit`.
    pub(super) fn interrupt(&self, hit: &Hit) -> Interrupt {
        let Due::AfterHit(Some(time)) = self.due else { return Interrupt::default() };
        let hit = Arc::clone(hit);
        Interrupt::watching(move || hit.get().is_some_and(|hit| hit.elapsed() >= time))
    }

    /// Whether the move may not be told yet.
    fn waits(&self, hit: &Hit, stop: &Interrupt) -> bool {
        !stop.is_raised()
            && match self.due {
                Due::AtEnd => false,
                Due::AfterStop => true,
                Due::AfterHit(_) => hit.get().is_none(),
            }
    }
}

/// Thinks, and prints `info` lines and the best move.
pub(super) fn think(
    player: &Player,
    game: &SingleGame,
    go: &Go,
    Resources { threads, lines, memory }: Resources,
    hit: &Hit,
    stop: &Interrupt,
) {
    let limits = ThinkingLimits { threads: Some(threads), memory: Some(memory), ..go.limits };
    let thought = player.think(game, limits, stop, &mut |thought| show(&chosen(thought, go, game), lines));
    // UCI: an infinite search answers `stop` only, and one on the opponent's time `ponderhit`, too.
    while go.waits(hit, stop) {
        std::thread::sleep(Duration::from_millis(5));
    }
    match thought {
        Ok(thought) => {
            let lines = chosen(&thought, go, game).lines;
            match &lines[0].moves[..] {
                [best, reply, ..] => say(&format!("bestmove {best} ponder {reply}")),
                [best] => say(&format!("bestmove {best}")),
                [] => say("bestmove 0000"),
            }
        }
        Err(error) => {
            say(&format!("info string {error}"));
            say("bestmove 0000");
        }
    }
}

/// The lines that begin with an allowed action.
fn chosen(thought: &Thought, go: &Go, game: &SingleGame) -> Thought {
    let mut thought = thought.clone();
    if !go.allowed.is_empty() {
        thought.lines.retain(|line| go.allowed.contains(&line.action));
        if thought.lines.is_empty() {
            // None of them was visited.
            let action = go.allowed[0];
            let moves = vec![game.action_to_string(action).unwrap_or_default()];
            thought.lines.push(ThoughtLine { action, moves, value: None });
        }
    }
    thought
}

/// Prints one line for each of the best lines of play.
fn show(thought: &Thought, lines: usize) {
    let time = thought.elapsed.as_millis();
    let nodes = thought.simulations;
    let speed = (nodes as f64 / thought.elapsed.as_secs_f64().max(1e-6)) as u64;
    for (number, line) in thought.lines.iter().take(lines).enumerate() {
        let depth = line.moves.len();
        let score = line.value.map_or(String::new(), |value| format!(" score cp {}", centipawns(value)));
        let pv = line.moves.join(" ");
        let number = number + 1;
        say(&format!(
            "info depth {depth} multipv {number}{score} nodes {nodes} nps {speed} time {time} pv {pv}"
        ));
    }
}

/// An expected outcome in [-1, 1] in centipawns: Leela Chess Zero's scale, on which a value of 0.5 is 111 centipawns
/// or so.
fn centipawns(value: f32) -> i32 {
    let score = 111.714_64 * (1.562_068_8 * value.clamp(-1.0, 1.0)).tan();
    score.clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludovec::games;

    #[test]
    fn limits_are_read_in_any_order() {
        let Ok(entry) = games::find("chess") else { return };
        let game = entry.make([]).unwrap().single(0);
        let parse = |text: &str| Go::parse(text, &game, Duration::from_millis(30));
        let limits = |text: &str| parse(text).unwrap().limits;
        let milliseconds = |time| Some(Duration::from_millis(time));
        assert_eq!(limits(""), ThinkingLimits::default());
        assert_eq!(limits("nodes 30").simulations, Some(30));
        assert_eq!(limits("depth 7").simulations, Some(7));
        assert_eq!(limits("movetime 1030").time, milliseconds(1000));
        assert_eq!(limits("movetime 0").time, milliseconds(1));
        assert_eq!(limits("btime 5 wtime 60030 winc 400 binc 9").time, milliseconds(2300));
        assert_eq!(limits("wtime 1030 winc 5000").time, milliseconds(500));
        assert_eq!(limits("wtime -20").time, milliseconds(1));
        assert_eq!(limits("wtime 10030 movestogo 2").time, milliseconds(5000));
        assert!(limits("infinite").infinite && limits("ponder wtime 5").infinite);
        for (text, infinite, due) in [
            ("infinite", true, Due::AfterStop),
            ("ponder infinite wtime 5", true, Due::AfterStop),
            ("ponder wtime 60030 winc 400", true, Due::AfterHit(milliseconds(2300))),
            ("ponder nodes 50", false, Due::AfterHit(None)),
            ("ponder nodes 50 movetime 130", false, Due::AfterHit(milliseconds(100))),
            ("ponder", false, Due::AfterHit(None)),
            ("nodes 50", false, Due::AtEnd),
        ] {
            let go = parse(text).unwrap();
            assert_eq!((go.limits.infinite, go.due), (infinite, due), "{text}");
            assert!(go.due == Due::AtEnd || go.limits.time.is_none() || infinite, "{text}");
        }
        let go = parse("searchmoves e2e4 d2d4 nodes 5").unwrap();
        assert_eq!((go.allowed.len(), go.limits.simulations), (2, Some(5)));
        for wrong in ["nodes", "nodes many", "searchmoves e2e5"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn scores_are_finite_odd_and_monotonic() {
        let all: Vec<i32> = (-20..=20).map(|k| centipawns(k as f32 / 20.0)).collect();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(all.iter().zip(all.iter().rev()).all(|(a, b)| *a == -b));
        assert_eq!((centipawns(0.0), centipawns(1.0)), (0, 10_000));
    }
}
