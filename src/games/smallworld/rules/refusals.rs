//! Refusals: explanations of illegal actions.

use super::conquest_costs::{ConquestOptions, MAX_PIPS};
use super::map::RegionId;
use super::pieces;
use super::pieces::markers;
use super::ruleset::Ruleset;
use super::state::State;
use crate::actions::{Action, index};
use crate::exchange::action_types::ActionType;
use crate::exchange::notation;
use ludovec_engine::Refusal;

/// The reason why an illegal action is refused.
pub(crate) fn explain(rules: &Ruleset, state: &State, action: u32) -> Refusal {
    if action >= index::COUNT {
        return Refusal::illegal(format!(
            "there is no action {action}; indices go from 0 to {}",
            index::COUNT - 1
        ));
    }
    let decoded = Action::decode(action);
    let action_type = ActionType::of(rules, state, decoded);
    if let Err(refusal) = action_type.check_phase(state) {
        return refusal;
    }
    let reason = match decoded {
        Action::Conquer(region) | Action::Dragon(region) | Action::Sorcerer(region) => {
            why_not(rules, state, decoded, region)
        }
        Action::Pick(place) => {
            format!("only {} places of the row can be paid", {
                state.affordable_combos(usize::from(state.mover)).min(place)
            })
        }
        Action::Ally(offset) if offset < rules.players => "its active race was attacked this turn".into(),
        Action::Ally(_) => format!("there are only {} seats", rules.players),
        Action::Abandon(region) if !state.held(state.acting()).contains(region) => "it is not held".into(),
        Action::Abandon(_) => "regions are abandoned before the first conquest".into(),
        Action::Place(region) | Action::Rest(region) => {
            if state.held(state.acting()).contains(region) {
                format!("pieces are placed by increasing region, and {} is next", state.cursor)
            } else {
                "it is not held".into()
            }
        }
        _ => "it is not possible now".into(),
    };
    Refusal::illegal(format!("{}: {reason}", notation::to_text(rules, state, action)))
}

/// The reason why a region cannot be taken.
fn why_not(rules: &Ruleset, state: &State, action: Action, region: RegionId) -> String {
    let id = state.acting();
    if region.index() >= state.map.len() {
        return format!("the map's regions are 0 to {}", state.map.len() - 1);
    }
    if state.held(id).contains(region) {
        return "it is held already".into();
    }
    if let Some(name) = pieces::names(state.markers[region.index()] & markers::IMMUNE).next() {
        return format!("it is immune, {} is there", name.to_lowercase().replace('_', " "));
    }
    let options = ConquestOptions::new(rules, state);
    let (cost, hand) = (options.cost(state, region), state.army(id).hand);
    match action {
        Action::Dragon(_) if options.dragon.is_empty() => "the dragon cannot be used now".into(),
        Action::Sorcerer(_) => {
            "no lone active token that may be converted is there, next to a region held".into()
        }
        _ if options.price(state, region).is_none() && state.at_peace(id).contains(region) => {
            "its owner is at peace with the army".into()
        }
        _ if options.price(state, region).is_none() => "it is water, and the army does not sail".into(),
        _ if !options.may_attack(region) => "it is out of reach".into(),
        _ => format!("it costs {cost}, {hand} are in hand and the die adds at most {MAX_PIPS}"),
    }
}
