//! Reasons why places of a drawing make no legal action.

use serde_json::Value;

use crate::contract::mask;
use crate::single::erased::{ErasedRules, ErasedState};

/// The reason of the most likely intended action among those that refer to all places: an action of a kind that is legal
/// elsewhere, because a user who clicks a place means what can be done now. `None` if the places have no such action.
pub(super) fn explain(
    game: &dyn ErasedRules,
    state: &ErasedState,
    legal: &[u64],
    places: &[Vec<(String, Value)>],
) -> Option<String> {
    let refers = |object: &Value| {
        places.iter().all(|place| place.iter().any(|(key, value)| object.get(key) == Some(value)))
    };
    let families = &game.spec().actions;
    let is_open =
        |&(first, end): &(u32, u32)| mask::count_below(legal, end) > mask::count_below(legal, first);
    let ranges = families.iter().map(|family| (family.offset, family.offset + family.count));
    let is_meant = |&action: &u32| refers(&game.action_to_json(state, action));
    let (open, closed): (Vec<_>, Vec<_>) = ranges.partition(is_open);
    let first =
        |ranges: Vec<(u32, u32)>| ranges.into_iter().flat_map(|(first, end)| first..end).find(is_meant);
    match first(open) {
        Some(action) if mask::contains(legal, action) => Some("choose the rest of the action".into()),
        Some(action) => Some(game.explain_illegal(state, action).reason),
        None if first(closed).is_some() => None,
        None if places.len() > 1 => Some("no action combines these places".into()),
        None => None,
    }
}
