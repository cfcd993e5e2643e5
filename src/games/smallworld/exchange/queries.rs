//! Questions about a position that observations do not answer: costs, conquests and incomes of every player.

use serde_json::{Value, json};

use super::json as state_json;
use crate::rules::SmallWorld;
use crate::rules::conquest::DIE_FACES;
use crate::rules::conquest_costs::ConquestOptions;
use crate::rules::roster;
use crate::rules::ruleset::Ruleset;
use crate::rules::state::{ArmyId, MAX_SEATS, State, slot};
use ludovec_engine::Result;

/// The races and powers as the asset files list them, the faces of the reinforcement die, and the turns of each number
/// of players, as JSON.
#[must_use]
pub fn constants() -> Value {
    let parse = |text| serde_json::from_str::<Value>(text).expect("tested with the program");
    let faces = (0u8..).zip(DIE_FACES).flat_map(|(pips, faces)| std::iter::repeat_n(pips, faces as usize));
    json!({
        "races": parse(roster::RACES_JSON),
        "powers": parse(roster::POWERS_JSON),
        "die_faces": faces.collect::<Vec<_>>(),
        "turn_counts": (2..=MAX_SEATS).map(|players| (players, Ruleset::original(players).turns)).collect::<Vec<_>>(),
    })
}

/// Answers about a position as JSON: `base_costs` by region, `pick_coins` (the change of coins by picking each combo),
/// and `players`, each with `conquerable` (regions), `income` and `post_redeploy_phases`.
///
/// # Errors
/// [`ludovec_engine::Error::InvalidState`] if `position` is not one of `game`.
pub fn answers(game: &SmallWorld, position: &Value) -> Result<Value> {
    let state = state_json::state_from_json(&game.rules, position)?;
    let count = state.map.len();
    let players = (0..game.rules.players).map(|seat| {
        let conquering = state_json::conquering(&state, seat);
        let options = ConquestOptions::new(&game.rules, &conquering);
        let [_, power] = state.abilities(ArmyId { seat, slot: slot::ACTIVE });
        json!({
            "conquerable": options.possible(&conquering).iter().map(|r| r.0).collect::<Vec<_>>(),
            "income": on_own_turn(&state, seat).income(seat),
            "post_redeploy_phases": power.after_redeployment.phase().map(|p| p.name()).as_slice(),
        })
    });
    Ok(json!({
        "base_costs": &state.base_cost[..count],
        "pick_coins": (0..usize::from(state.row_len)).map(|i| state.coins_of_pick(i)).collect::<Vec<_>>(),
        "players": players.collect::<Vec<_>>(),
    }))
}

/// The position with the progress of the turn of `seat`: none if another seat has the turn.
fn on_own_turn(state: &State, seat: usize) -> State {
    if usize::from(state.seat) == seat {
        return *state;
    }
    State { battles: 0, first_turn: 0, ..*state }
}
