//! Refusals: explanations of illegal actions.

use super::board::{REBEL, Ship, Space, SpaceSet};
use super::cards::Icon;
use super::phase::Phase;
use super::state::State;
use crate::StarWarsRisk;
use crate::actions::{ACTIONS, Action};
use crate::exchange::notation::label;
use ludovec_engine::Refusal;

/// The reason why an illegal action is refused.
pub(crate) fn explain(rules: &StarWarsRisk, state: &State, action: u32) -> Refusal {
    if action >= ACTIONS {
        return Refusal::illegal(format!("action {action}: the indices are 0 to {}", ACTIONS - 1));
    }
    let label = label(rules, state, action);
    let decoded = Action::decode(action);
    if state.phase == Phase::Over {
        Refusal::game_over(format!("{label}: the game has ended"))
    } else if decoded.belongs_to(state.phase) {
        Refusal::illegal(format!("{label}: {}", why_not(rules, state, decoded)))
    } else {
        Refusal::wrong_phase(format!("{label}: the decision now is {:?}", state.phase.name()))
    }
}

/// The reason why an action of the current phase is not possible.
fn why_not(rules: &StarWarsRisk, state: &State, action: Action) -> String {
    let play = &state.play;
    match action {
        Action::Order(_) => "no such card is in hand".into(),
        Action::Icon(icon) => why_not_icon(rules, state, icon).into(),
        Action::From(space) if state.count(play.ship, space) == 0 => {
            format!("no ship of this kind ({}) is there", play.ship.name())
        }
        Action::From(_) => "every space beside it is taken by the opponent or a mothership".into(),
        Action::Spawn if play.ship != Ship::Tie => "the card does not move TIE fighters".into(),
        Action::Spawn => why_not_spawn(rules, state),
        Action::To(space) => {
            // The first step begins where the ships are, the second where they have come to.
            let begin = if state.phase == Phase::To { play.from() } else { play.at() };
            why_not_to(rules, state, begin, space)
        }
        Action::Count(_) => {
            let most = play.from().map_or(0, |from| state.count(play.ship, from));
            format!("{most} of them are there")
        }
        Action::Attack(space) if !state.fleet(1 - state.seat()).contains(space) => {
            "no ship of the opponent is there".into()
        }
        Action::Attack(_) => "it is not beside the ships that moved".into(),
        Action::AttackDeathstar if state.seat() != REBEL => "only the rebellion attacks it".into(),
        Action::AttackDeathstar if !state.shield_is_down() => "its shield is up".into(),
        Action::AttackDeathstar => "it is attacked from the inner ring".into(),
        Action::Fire(_) if state.motherships > 0 => {
            "the Death Star fires at motherships as long as there are any".into()
        }
        Action::Fire(_) => "no rebel ship is there".into(),
        Action::Hit(ship) => match play.target() {
            Some(target) if state.count(ship, target) == 0 => "no such ship is under attack".into(),
            _ => "the die is too low for it".into(),
        },
        Action::Pass | Action::Stop | Action::Hold => "it is not possible now".into(),
    }
}

fn why_not_icon(rules: &StarWarsRisk, state: &State, icon: Icon) -> &'static str {
    let deck = &rules.data.decks[state.seat()];
    let has = state.card().is_some_and(|card| deck.icons[card.index()].contains(icon));
    match icon {
        _ if !has => "the turned card does not have it",
        Icon::Shield => "the shield is down already",
        Icon::Lightsaber | Icon::Lightning => "the duel is over",
        Icon::Hat if !state.throne_room_is_open() => "the duel is over",
        Icon::Hat => "the empire is still too strong in the duel",
        Icon::Stormtroopers => "there is no room for more stormtroopers",
        Icon::FireDeathstar => "there is nothing to fire at",
        _ => "no ship of this kind can move",
    }
}

fn why_not_spawn(rules: &StarWarsRisk, state: &State) -> String {
    let constants = &rules.data.constants;
    if state.with(Ship::Executor).is_empty() {
        return "the Executor is destroyed".into();
    }
    format!(
        "{} TIE fighters are on the board, and {} more would exceed the {} of the game",
        state.in_play(Ship::Tie),
        constants.tie_spawn,
        constants.max_tie
    )
}

fn why_not_to(rules: &StarWarsRisk, state: &State, begin: Option<Space>, space: Space) -> String {
    let beside = begin.is_some_and(|begin| rules.data.neighbours[begin.index()].contains(space));
    let reason = if SpaceSet::MOTHERSHIPS.contains(space) {
        "ships do not enter the spaces of motherships"
    } else if state.fleet(1 - state.seat()).contains(space) {
        "ships of the opponent are there"
    } else if begin == Some(space) {
        "the ships are there"
    } else if !beside {
        "it is not beside the ships"
    } else {
        "it is not possible now"
    };
    reason.into()
}
