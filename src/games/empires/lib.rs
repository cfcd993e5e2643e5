//! Terminal of Empires: empires grow over a grid of cells, turn by turn, until one empire has castles left.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs`, `ruleset.rs` | the options; the rules derived from them, and the figures of the rules |
//! | `map.rs`, `state.rs` | cells and sets of cells; a game in progress as sets of cells |
//! | `rules.rs` | the game as the engine's `Rules` |
//! | `step.rs` | setting a game up, playing an action, the end of a turn |
//! | `actions.rs`, `legal.rs` | actions, their indices and words; the mask of legal actions |
//! | `refusal.rs` | the effect of one action, or the reason for its refusal |
//! | `observe.rs`, `values.rs` | the observation; the names of numbers, and the state as columns |
//! | `json.rs`, `validate.rs` | positions as JSON; whether play can go on from one |
//! | `words.rs`, `picture.rs`, `guide.rs` | the game in words and in pictures; help for players |
//! | `estimate.rs` | how far a seat is from its next castle |
//! | `render.rs`, `svg.rs`, `svg/` | a position as text and as a drawing |
//! | `bots.rs` | the built-in bots |
//! | `raw_actions.rs`, `referee.rs` | raw input of scripted bots; a game between them, with a journal |
//! | `dialect.rs` | the protocol of external bots |
//! | `conform.rs` | recorded games of another engine |

mod actions;
mod bots;
mod conform;
mod dialect;
mod estimate;
mod guide;
mod json;
mod legal;
mod map;
mod observe;
mod options;
mod picture;
mod raw_actions;
mod referee;
mod refusal;
mod render;
mod rules;
mod ruleset;
mod state;
mod step;
mod svg;
#[cfg(test)]
mod tests;
mod validate;
mod values;
mod words;

use std::sync::Arc;

pub use actions::Action;
pub use map::{Cell, Coordinates};

pub use self::rules::Empires;
pub use referee::{JournalEntry, Referee};
pub use refusal::{Deed, Refusal};
pub use ruleset::{Figures, Structure};
pub use state::{Ledger, State};

use ludovec_engine::{AnyGame, Entry, Options, Result, Tool};
use ruleset::Ruleset;

const ID: &str = "empires";

/// The registry's entry.
pub const ENTRY: Entry = Entry::new(ID, "Empires", options::SUMMARY, options::list, build)
    .with_rules(options::RULES, None)
    .with_tools(&[Tool::Conform(conform::conform)])
    .with_champions(ludovec_assets::networks::EMPIRES);

/// Words for the planes of the largest game, 64x64 cells with 8 players.
const LARGEST: usize = 716;

/// The size classes double, so that no state takes much more than twice the size its game needs; 100 is the class
/// of the default game.
fn build(options: &Options) -> Result<Arc<dyn AnyGame>> {
    let words = Ruleset::compile(options)?.state_words();
    macro_rules! smallest_class {
        ($($n:expr),+) => {{
            $(if words <= $n { return Ok(Arc::new(Empires::<{ $n }>::new(options)?)); })+
            unreachable!("the last class holds the largest game")
        }};
    }
    smallest_class!(48, 100, 200, 400, LARGEST)
}
