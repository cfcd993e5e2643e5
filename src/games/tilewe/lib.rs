//! Tilewe: 1 to 4 players place 21 pieces each on a board of 20 by 20 tiles; also Blokus, in its classic form, as
//! Blokus Duo, and for two players with two colours each.
//!
//! A piece must touch an earlier piece of its colour by a corner and none by a side; the first goes into a corner
//! of the board. A player without a legal placement is skipped; if no player has one, the most tiles win.
//!
//! [`Tilewe`] is the environment. [`Board`] is one game with the original's own methods, for users who work with
//! [`Move`]s.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs` | the options |
//! | `tiles.rs`, `pieces.rs` | tiles and sets of tiles; colours, pieces, their shapes |
//! | `placements.rs` | all placements of a shape on the board, which are the action indices |
//! | `state.rs` | a game in progress |
//! | `ruleset.rs`, `start.rs` | the rules under some options; where the first pieces go |
//! | `rules.rs` | the game as the engine's `Rules` |
//! | `fit.rs` | lookup tables of the shapes that fit at an open corner |
//! | `legal.rs`, `step.rs` | the action mask and reasons for refusals; placing a piece |
//! | `actions.rs`, `moves.rs` | actions as text and objects; moves in the original's notation |
//! | `notation.rs` | moves as text in any notation |
//! | `observe.rs`, `symmetry.rs` | the observation; the symmetries of the board |
//! | `values.rs` | the names of numbers, and the state as columns |
//! | `json.rs`, `validate.rs` | positions as JSON; whether the rules can lead to one |
//! | `words.rs`, `picture.rs`, `guide.rs` | the game in words and in pictures; help for players |
//! | `render.rs`, `ansi.rs`, `svg.rs`, `svg/` | a position as text, in a terminal's colours, and as a drawing |
//! | `bots.rs` | the bots that ship with the game |
//! | `board.rs` | one game as an object with the original's own methods |
//! | `conform.rs` | recorded games of the reference engine and of other Blokus engines |
//! | `sgf.rs`, `dialect.rs` | games in the files of Pentobi; the games as GTP engines know them |

mod actions;
mod ansi;
mod board;
mod bots;
mod conform;
mod dialect;
mod fit;
mod guide;
mod json;
mod legal;
mod moves;
mod notation;
mod observe;
mod options;
mod picture;
mod pieces;
mod placements;
mod render;
mod rules;
mod ruleset;
mod sgf;
mod start;
mod state;
mod step;
mod svg;
mod symmetry;
#[cfg(test)]
mod tests;
mod tiles;
mod validate;
mod values;
mod words;

use std::sync::Arc;

use ludovec_engine::{self as engine, Entry, Tool};
use ruleset::Ruleset;
use state::{SMALL_COLORS, SMALL_SIZE};

pub use self::rules::{SmallTilewe, Tilewe};
pub use board::Board;
pub use moves::Move;
pub use pieces::{Color, PIECES, Piece, Rotation, Shape, shapes};
pub use placements::{PLACEMENTS, Placement, Placements};
pub use state::{SmallState, State};
pub use tiles::{MIN_SIZE, SIZE, TILES, Tile, TileSet, Tiles};

const ID: &str = "tilewe";

/// The registry's entry.
pub const ENTRY: Entry = Entry::new(ID, "Tilewe", options::SUMMARY, options::list, build)
    .with_rules(options::RULES, Some(options::RULES_LINK))
    .with_combinations(options::combinations)
    .with_tools(&[
        Tool::Conform(conform::conform),
        Tool::Export("blksgf", sgf::export),
        Tool::Import("blksgf", sgf::import),
    ])
    .with_champions(ludovec_assets::networks::TILEWE);

fn build(options: &engine::Options) -> engine::Result<Arc<dyn engine::AnyGame>> {
    let rules = Ruleset::compile(options)?;
    if rules.side <= SMALL_SIZE && rules.colors <= SMALL_COLORS {
        return Ok(Arc::new(SmallTilewe::new(options)?));
    }
    Ok(Arc::new(<Tilewe>::new(options)?))
}
