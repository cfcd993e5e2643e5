//! Replays recorded games of an independent engine, including refused actions.

use std::fmt::Debug;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::rules::state::StateRef;
use crate::{Empires, LARGEST, State};
use ludovec_engine::chance::ScriptedChance;
use ludovec_engine::{ConformReport, Error, MAX_PLAYERS, OptionValue, Options, Result, Rules};

/// A recorded game. Its castle limit is 50 tiles.
#[derive(Deserialize)]
struct Recording {
    width: i64,
    height: i64,
    max_turns: i64,
    castles: Vec<(i64, i64)>,
    turns: Vec<RecordedTurn>,
    final_world: Vec<String>,
    winners: Vec<usize>,
}

#[derive(Deserialize)]
struct RecordedTurn {
    turn: u32,
    order: Vec<usize>,
    actions: Vec<RecordedAction>,
    /// Whether each seat is alive after the turn.
    alive: Vec<bool>,
    /// The world after the turn, in some turns.
    world: Option<Vec<String>>,
}

/// Player, type, position, whether it was accepted, the player's resources afterwards.
#[derive(Deserialize)]
struct RecordedAction(usize, Option<String>, Value, bool, u32);

/// Replays one recording per line and compares acceptance, resources, worlds, living seats, and winners.
pub(crate) fn conform(lines: &mut dyn BufRead) -> Result<ConformReport> {
    let mut report = ConformReport::default();
    for (i, line) in lines.lines().enumerate() {
        let number = i + 1;
        let line = line.map_err(|e| Error::config(format!("line {number}: {e}")))?;
        if line.trim().is_empty() {
            continue;
        }
        let recording: Recording =
            serde_json::from_str(&line).map_err(|e| Error::config(format!("line {number}: {e}")))?;
        let game = recording.game().map_err(|e| Error::config(format!("line {number}: {e}")))?;
        report.games += 1;
        if let Err(difference) = recording.replay(&game, &mut report.positions) {
            report.mismatch(|| format!("game {number}, {difference}"));
        }
    }
    Ok(report)
}

impl Recording {
    fn game(&self) -> Result<Empires<LARGEST>> {
        let castles: Vec<_> = self.castles.iter().map(|(x, y)| format!("{x}:{y}")).collect();
        let given = [
            ("players", OptionValue::Int(self.castles.len() as i64)),
            ("width", self.width.into()),
            ("height", self.height.into()),
            ("max_turns", self.max_turns.into()),
            ("tiles_per_castle", 50i64.into()),
            ("castles", castles.join(",").into()),
        ];
        Empires::new(&Options::parse(&crate::options::list(), given)?)
    }

    /// The first difference, if there is one.
    fn replay(&self, game: &Empires<LARGEST>, positions: &mut u64) -> Result<(), String> {
        let moves = self.moves();
        let draw = |waiting: u16, next: usize| {
            let next = moves.get(next).filter(|_| waiting.count_ones() > 1);
            next.map(|m| (waiting & ((1 << m.seat) - 1)).count_ones())
        };
        let everyone = (1 << self.castles.len()) - 1;
        let mut state =
            scripted(draw(everyone, 0), |chance| game.init(chance)).map_err(|e| format!("start: {e}"))?;

        for (i, RecordedMove { turn, seat }) in moves.iter().enumerate() {
            let turn_ends = moves.get(i + 1).is_none_or(|next| next.turn.turn != turn.turn);
            let waiting = if turn_ends { turn.alive_set() } else { state.ledger.waiting & !(1 << seat) };
            scripted(draw(waiting, i + 1), |chance| turn.play(game, &mut state, *seat, chance))
                .and_then(|compared| compared)
                .map_err(|e| format!("turn {}, player {seat}: {e}", turn.turn))?;
            *positions += 1;
            if turn_ends {
                turn.compare(state.with(&game.rules)).map_err(|e| format!("turn {}: {e}", turn.turn))?;
            }
        }
        self.compare_end(state.with(&game.rules)).map_err(|e| format!("end: {e}"))
    }

    /// The moves in order: each turn's order without eliminated seats.
    fn moves(&self) -> Vec<RecordedMove<'_>> {
        let mut alive = vec![true; self.castles.len()];
        let mut moves = Vec::new();
        for turn in &self.turns {
            let acting = turn.order.iter().filter(|&&seat| alive.get(seat) == Some(&true));
            moves.extend(acting.map(|&seat| RecordedMove { turn, seat }));
            // A damaged recording may list more seats than the game has.
            alive = turn.alive.iter().copied().take(self.castles.len()).collect();
        }
        moves
    }

    fn compare_end(&self, position: StateRef<'_>) -> Result<(), String> {
        if !position.is_over() {
            return Err("recorded as over, ours is in progress".into());
        }
        compare("winners", &self.winners, &position.alive().collect())?;
        compare("world", &self.final_world, &position.world_rows())
    }
}

/// One move of a recording.
struct RecordedMove<'a> {
    turn: &'a RecordedTurn,
    seat: usize,
}

impl RecordedTurn {
    fn alive_set(&self) -> u16 {
        self.alive
            .iter()
            .take(MAX_PLAYERS)
            .enumerate()
            .fold(0, |set, (seat, &alive)| set | u16::from(alive) << seat)
    }

    /// Plays the recorded action of `seat`, or nothing if none is recorded.
    fn play(
        &self,
        game: &Empires<LARGEST>,
        state: &mut State<LARGEST>,
        seat: usize,
        chance: &mut ScriptedChance<'_>,
    ) -> Result<(), String> {
        let position = state.with(&game.rules);
        if !position.is_over() {
            compare("turn", &self.turn, &position.ledger.turn)?;
            compare("player to move", &seat, &position.current())?;
        }
        let recorded = self.actions.iter().find(|a| a.0 == seat);
        let raw = match recorded {
            Some(RecordedAction(_, Some(name), position, ..)) => json!([name, position]),
            _ => Value::Null,
        };
        let outcome = game.submit_raw(state, &raw, chance).map_err(|e| e.to_string())?;
        let Some(RecordedAction(_, Some(_), _, accepted, resources)) = recorded else { return Ok(()) };
        compare("accepted", accepted, &outcome.is_ok()).map_err(|e| format!("{raw}: {e}"))?;
        compare("resources", resources, &state.ledger.resources[seat]).map_err(|e| format!("{raw}: {e}"))
    }

    /// Compares the position after the turn with the record.
    fn compare(&self, position: StateRef<'_>) -> Result<(), String> {
        let alive: Vec<_> = (0..position.rules.players).map(|seat| position.is_alive(seat)).collect();
        compare("alive", &self.alive, &alive)?;
        self.world.as_ref().map_or(Ok(()), |world| compare("world", world, &position.world_rows()))
    }
}

/// Runs `event` with its single expected draw, if any.
fn scripted<T>(draw: Option<u32>, event: impl FnOnce(&mut ScriptedChance<'_>) -> T) -> Result<T, String> {
    let mut chance = ScriptedChance::new(draw.as_slice());
    let result = event(&mut chance);
    chance.finish().map_err(|e| e.to_string())?;
    Ok(result)
}

fn compare<T: PartialEq + Debug>(what: &str, recorded: &T, ours: &T) -> Result<(), String> {
    if recorded == ours { Ok(()) } else { Err(format!("{what}: {recorded:?} recorded, {ours:?} ours")) }
}
