//! Damaged bytes and JSON of states are rejected or harmless.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::checks::conformance::Verdict;
use crate::contract::chance::{Chance, SeededChance};
use crate::contract::picture::pictures;
use crate::contract::rules::{Status, state_from_bytes};
use crate::contract::show::view::View;
use crate::contract::spec::MAX_PLAYERS;
use crate::contract::{Game, mask};

/// Every state that `validate` accepts can be played, shown and saved without a panic.
fn exercise<G: Game>(game: &G, state: &G::State) -> Verdict {
    let run = || {
        let spec = game.spec();
        let mut state = *state;
        let mut chance = SeededChance::from_seed(7);
        let mut mask = vec![0; spec.mask_words()];
        let mut out = vec![0; spec.observation_len()];
        for _ in 0..12 {
            for seat in 0..spec.players {
                game.observe(&state, seat, &mut out);
                let _ = game.determinize(&state, seat, &mut chance as &mut dyn Chance);
                let _ = game.observation_to_json(&state, seat);
            }
            let mut scores = [0.0; MAX_PLAYERS];
            game.scores(&state, &mut scores[..spec.players]);
            let _ = (game.state_to_json(&state), game.title());
            let _ = pictures(game, &state, View { seat: Some(0), ..View::default() });
            game.legal(&state, &mut mask);
            if game.status(&state) != Status::Running {
                if game.status(&state) == Status::Terminated {
                    game.ranks(&state, &mut [0; MAX_PLAYERS][..spec.players]);
                }
                return Ok(());
            }
            let legal = mask::count(&mask);
            if legal == 0 {
                return Err("a state that validate accepts runs without a legal action".to_string());
            }
            let action = mask::select(&mask, chance.uniform(legal)).expect("the index is below the count");
            let _ = (game.action_to_string(&state, action), game.action_to_json(&state, action));
            game.step(&mut state, action, &mut chance as &mut dyn Chance);
        }
        Ok(())
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("a state that validate accepts panics".into()))
}

/// Randomly damaged bytes of a state are rejected or harmless.
pub(super) fn hostile_bytes<G: Game>(game: &G, bytes: &[u8], chance: &mut SeededChance) -> Verdict {
    for _ in 0..40 {
        let mut damaged = bytes.to_vec();
        for _ in 0..=chance.uniform(3) {
            let at = chance.uniform(damaged.len() as u32) as usize;
            damaged[at] = match chance.uniform(4) {
                0 => 0,
                1 => 0xff,
                2 => damaged[at] ^ 1 << chance.uniform(8),
                _ => chance.uniform(256) as u8,
            };
        }
        let read = catch_unwind(AssertUnwindSafe(|| state_from_bytes(game, &damaged)));
        match read {
            Err(_) => return Err("validate panics on damaged bytes".into()),
            Ok(Ok(state)) => exercise(game, &state).map_err(|e| format!("damaged bytes: {e}"))?,
            Ok(Err(_)) => {}
        }
    }
    Ok(())
}

/// Randomly damaged JSON of a state is rejected or harmless.
pub(super) fn hostile_json<G: Game>(
    game: &G,
    json: &serde_json::Value,
    chance: &mut SeededChance,
) -> Verdict {
    use serde_json::Value;
    fn nodes(value: &Value) -> usize {
        1 + match value {
            Value::Array(items) => items.iter().map(nodes).sum(),
            Value::Object(map) => map.values().map(nodes).sum(),
            _ => 0,
        }
    }
    fn node(value: &mut Value, mut at: usize) -> Result<&mut Value, usize> {
        if at == 0 {
            return Ok(value);
        }
        at -= 1;
        let children: Box<dyn Iterator<Item = &mut Value>> = match value {
            Value::Array(items) => Box::new(items.iter_mut()),
            Value::Object(map) => Box::new(map.values_mut()),
            _ => return Err(at),
        };
        for child in children {
            match node(child, at) {
                Ok(found) => return Ok(found),
                Err(rest) => at = rest,
            }
        }
        Err(at)
    }
    let total = nodes(json);
    for _ in 0..40 {
        let mut damaged = json.clone();
        let Ok(target) = node(&mut damaged, chance.uniform(total as u32) as usize) else { continue };
        *target = match chance.uniform(9) {
            0 => Value::Null,
            1 => Value::from(-1),
            2 => Value::from(u64::MAX),
            3 => Value::from(chance.uniform(300)),
            4 => Value::from(0.5),
            5 => Value::from("no such word"),
            6 => Value::Array(Vec::new()),
            7 => Value::Object(serde_json::Map::new()),
            _ => match &*target {
                Value::Array(items) => Value::Array([items.clone(), items.clone()].concat()),
                Value::Object(map) => {
                    Value::Object(map.iter().skip(1).map(|(k, v)| (k.clone(), v.clone())).collect())
                }
                Value::Number(n) => Value::from(n.as_i64().unwrap_or(0).wrapping_add(1)),
                Value::Bool(b) => Value::from(!b),
                other => Value::Array(vec![other.clone()]),
            },
        };
        match catch_unwind(AssertUnwindSafe(|| game.state_from_json(&damaged))) {
            Err(_) => return Err(format!("state_from_json panics on {damaged}")),
            Ok(Ok(state)) => {
                game.validate(&state)
                    .map_err(|e| format!("JSON gives a state that validate refuses: {e}"))?;
                exercise(game, &state).map_err(|e| format!("damaged JSON: {e}"))?;
            }
            Ok(Err(_)) => {}
        }
    }
    Ok(())
}
