//! Terminal of Empires: empires grow over a grid of cells, turn by turn, until one empire has castles left.
//!
//! | folder or file | holds |
//! |---|---|
//! | `entry.rs` | the entry of the registry |
//! | `options.rs` | the options |
//! | `actions.rs` | actions, their indices and words |
//! | `observe.rs`, `values.rs` | the observation; the names of numbers, and the state as columns |
//! | `words.rs` | the game in words |
//! | `rules/mod.rs` | the game as the engine's `Rules` |
//! | `rules/`: `ruleset` | the rules derived from the options, and the figures of the rules |
//! | `rules/`: `map`, `state` | cells and sets of cells; a game in progress as sets of cells |
//! | `rules/`: `legal` | the mask of legal actions |
//! | `rules/`: `refusal` | the effect of one action, or the reason for its refusal |
//! | `rules/`: `step` | setting a game up, playing an action, the end of a turn |
//! | `show/`: `picture`, `render`, `svg` | the game in pictures; a position as text and as a drawing |
//! | `exchange/`: `json`, `validate` | positions as JSON; whether play can go on from one |
//! | `exchange/`: `dialect`, `conform` | the protocol of external bots; recorded games of another engine |
//! | `play/`: `bots`, `guide` | the built-in bots; help for players |
//! | `play/`: `estimate` | how far a seat is from its next castle |
//! | `objects/`: `raw_actions`, `raw_game` | raw input of scripted bots; a game between them, with a journal |

mod actions;
#[cfg(not(test))]
mod entry;
mod exchange;
mod objects;
mod observe;
mod options;
mod play;
mod rules;
mod show;
#[cfg(test)]
mod tests;
mod values;
mod words;

pub use actions::Action;
#[cfg(not(test))]
pub use entry::ENTRY;
pub use objects::raw_game::{JournalEntry, RawGame};
pub use rules::Empires;
pub use rules::map::{Cell, Coordinates};
pub use rules::refusal::{Deed, Refusal};
pub use rules::ruleset::{Figures, Structure};
pub use rules::state::{Ledger, State};

const ID: &str = "empires";

/// Words for the planes of the largest game, 64x64 cells with 8 players.
const LARGEST: usize = 716;
