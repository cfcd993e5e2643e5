//! The original's enumeration: every play of the turned card as one list of sub-actions.

use super::events::{Event, SubAction};
use super::phase::{Next, Phase};
use super::state::State;
use crate::StarWarsRisk;
use ludovec_engine::mask;

/// One way to play the turned card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardPlay {
    /// Its sub-actions, in the original's terms; empty for playing none of the icons.
    pub sub_actions: Vec<SubAction>,
    /// The equivalent decisions. Only the last one can involve chance.
    pub actions: Vec<u32>,
}

impl StarWarsRisk {
    /// Every way to play the turned card from the current point, each once; none while cards are ordered, hits are
    /// assigned or the game is over.
    ///
    /// In the middle of a play the sub-actions are the remaining ones.
    #[must_use]
    pub fn card_plays(&self, state: &State) -> Vec<CardPlay> {
        let mut plays = Vec::new();
        if !matches!(state.phase, Phase::Order | Phase::Hit | Phase::Over) {
            self.extend(state, &mut Vec::new(), &mut Vec::new(), &mut plays);
        }
        plays
    }

    fn extend(&self, state: &State, path: &mut Vec<u32>, seen: &mut Vec<Event>, plays: &mut Vec<CardPlay>) {
        let (steps, events) = (path.len(), seen.len());
        for action in mask::iter(&self.legal_mask(state)) {
            let mut after = *state;
            path.push(action);
            let mut next = self.choose(&mut after, action, seen);
            while next == Next::Decide
                && let Some(forced) = self.forced(&after)
            {
                next = self.choose(&mut after, forced, seen);
            }
            if next == Next::Decide {
                self.extend(&after, path, seen, plays);
            } else {
                let sub = |event: &Event| if let Event::Sub(sub) = event { Some(*sub) } else { None };
                plays.push(CardPlay {
                    sub_actions: seen.iter().filter_map(sub).collect(),
                    actions: path.clone(),
                });
            }
            path.truncate(steps);
            seen.truncate(events);
        }
    }
}
