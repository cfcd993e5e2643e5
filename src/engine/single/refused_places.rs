//! Reasons why places of a drawing make no legal action.

use serde_json::Value;

use crate::contract::mask;
use crate::single::erased::{ErasedRules, ErasedState};

/// The reason of the most likely intended action among those that refer to all places.
///
/// Actions of a kind that is legal elsewhere come first: a user who clicks a place means what can be done now.
pub(super) fn explain(
    game: &dyn ErasedRules,
    state: &ErasedState,
    legal: &[u64],
    places: &[Vec<(String, Value)>],
) -> String {
    let refers = |object: &Value| {
        places.iter().all(|place| place.iter().any(|(key, value)| object.get(key) == Some(value)))
    };
    let families = &game.spec().actions;
    let is_open =
        |&(first, end): &(u32, u32)| mask::count_below(legal, end) > mask::count_below(legal, first);
    let ranges = families.iter().map(|family| (family.offset, family.offset + family.count));
    let (open, closed): (Vec<_>, Vec<_>) = ranges.partition(is_open);
    let meant = open
        .into_iter()
        .chain(closed)
        .flat_map(|(first, end)| first..end)
        .find(|&action| refers(&game.action_to_json(state, action)));
    match meant {
        Some(action) if mask::contains(legal, action) => "choose the rest of the action".into(),
        Some(action) => game.explain_illegal(state, action).reason,
        None if places.len() > 1 => "no action combines these places".into(),
        None => "no action refers to this place now".into(),
    }
}
