//! The move generator, and making moves.
//!
//! | file | holds |
//! |---|---|
//! | `legal_moves.rs` | the legal move generator: check mask, pinned pieces, king danger squares |
//! | `pseudo_legal_moves.rs` | the pseudo-legal generator for other rules: every move is made on a copy and tested |
//! | `attacks.rs` | who attacks a square: checks, pins, lines between squares |
//! | `fill.rs` | attacks of all pieces of a side at once, in orthodox chess (Kogge-Stone fill) |
//! | `make_move.rs` | making a move, with all that follows from it |
//! | `sinks.rs` | what generated moves go into: counts, a yes or no, a function |

pub(crate) mod attacks;
pub(crate) mod fill;
pub(crate) mod legal_moves;
pub(crate) mod make_move;
pub(crate) mod pseudo_legal_moves;
pub(crate) mod sinks;
