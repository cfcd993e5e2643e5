//! The move generator, and making moves.
//!
//! | file | holds |
//! |---|---|
//! | `generate.rs` | every legal move in any variant: one by one, as a count, or as a test for any move |
//! | `legal_moves.rs` | the legal move generator: check mask, pinned pieces, king danger squares |
//! | `pseudo_legal_moves.rs` | the generator for all other rules: pseudo-legal moves, each made on a copy and tested |
//! | `sinks.rs` | destinations of generated moves: a count, a yes or no, a function |
//! | `reach.rs` | the squares that a piece reaches by its own movement |
//! | `pawns.rs` | double steps and promotion choices |
//! | `castling.rs` | destinations of king and rook, castling rights |
//! | `en_passant.rs` | capture en passant |
//! | `swaps_and_splits.rs` | swaps and splits |
//! | `attacks.rs` | which pieces attack a square, which squares a side attacks |
//! | `checks.rs` | checks, check mask, pinned pieces |
//! | `fill.rs` | attacks of all pieces of a side at once, in orthodox chess (Kogge-Stone fill) |
//! | `make_move.rs` | making a move: changes the board, then hands over the turn |
//! | `move_effects.rs` | changes on the board: captures, explosions, pieces in hand |

pub(crate) mod attacks;
pub(crate) mod castling;
pub(crate) mod checks;
pub(crate) mod en_passant;
pub(crate) mod fill;
pub(crate) mod generate;
pub(crate) mod legal_moves;
pub(crate) mod make_move;
pub(crate) mod move_effects;
pub(crate) mod pawns;
pub(crate) mod pseudo_legal_moves;
pub(crate) mod reach;
pub(crate) mod sinks;
pub(crate) mod swaps_and_splits;
