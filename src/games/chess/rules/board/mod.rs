//! The board and its pieces.
//!
//! | file | holds |
//! |---|---|
//! | `bitboard.rs` | bitboards: sets of squares of up to 128 bits, sliding attacks |
//! | `position.rs` | the position: pieces, side to move, castling rights, en passant, counters |
//! | `moves.rs` | a move as data |
//! | `zobrist.rs` | Zobrist keys: random words that combine to the key of a position |

pub(crate) mod bitboard;
pub(crate) mod moves;
pub(crate) mod position;
pub(crate) mod zobrist;
