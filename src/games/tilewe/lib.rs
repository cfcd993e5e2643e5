//! Tilewe: 1 to 4 players place 21 pieces each on a board of 20 by 20 tiles; also Blokus, in its classic form, as
//! Blokus Duo, and for two players with two colours each.
//!
//! A piece must touch an earlier piece of its colour by a corner and none by a side; the first goes into a corner
//! of the board. A player without a legal placement is skipped; if no player has one, the most tiles win.
//!
//! [`Tilewe`] is the environment. [`Board`] is one game with the original's own methods, for users who work with
//! [`Move`]s.
//!
//! | folder or file | holds |
//! |---|---|
//! | `entry.rs` | the registry's entry: the game for any options |
//! | `options.rs` | the options |
//! | `actions.rs` | actions as text and objects |
//! | `observe.rs`, `values.rs` | the observation; the names of numbers, and the state as columns |
//! | `words.rs` | the game in words |
//! | `rules/mod.rs` | the game as the engine's `Rules` |
//! | `rules/`: `ruleset`, `start` | the rules under some options; where the first pieces go |
//! | `rules/`: `state` | a game in progress |
//! | `rules/`: `tiles`, `pieces` | tiles and sets of tiles; colours, pieces, their shapes |
//! | `rules/`: `symmetry` | the symmetries of the board |
//! | `rules/`: `placements` | all placements of a shape, which are the action indices |
//! | `rules/`: `fit` | lookup tables of the shapes that fit at an open corner |
//! | `rules/`: `legal`, `step` | the action mask and reasons for refusals; placing a piece |
//! | `show/`: `picture`, `render`, `ansi`, `svg` | the game in pictures; a position as text, in a terminal's colours, and as a drawing |
//! | `exchange/`: `notation` | moves as text in any notation |
//! | `exchange/`: `json`, `validate` | positions as JSON; whether the rules can lead to one |
//! | `exchange/`: `sgf`, `dialect` | games in the files of Pentobi; the games as GTP engines know them |
//! | `exchange/`: `conform` | recorded games of the reference engine and of other Blokus engines |
//! | `play/`: `bots`, `guide` | the built-in bots; help for players |
//! | `objects/`: `board` | one game as an object with the original's own methods |
//! | `objects/`: `moves` | moves in the original's notation |

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

#[cfg(not(test))]
pub use entry::ENTRY;
pub use objects::board::Board;
pub use objects::moves::Move;
pub use rules::pieces::{Color, PIECES, Piece, Rotation, Shape, shapes};
pub use rules::placements::{PLACEMENTS, Placement, Placements};
pub use rules::state::{SmallState, State};
pub use rules::tiles::{MIN_SIZE, SIZE, TILES, Tile, TileSet, Tiles};
pub use rules::{SmallTilewe, Tilewe};

const ID: &str = "tilewe";
