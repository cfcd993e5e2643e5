//! Notation of positions, moves and games.
//!
//! | file | holds |
//! |---|---|
//! | `fen.rs` | positions: FEN, X-FEN, Shredder-FEN |
//! | `uci.rs` | moves: `e2e4` |
//! | `san.rs` | moves: `Nbd7`, both ways |
//! | `pgn.rs` | recorded games, written: PGN, FEN and EPD |
//! | `pgn_reader.rs`, `movetext.rs` | games and positions of other programs, read: PGN, EPD, FEN |
//! | `recorded.rs` | moves in the spelling of the tests' recorded games |
//! | `square_names.rs` | squares: `e4` |
//!
//! Moves are written in UCI (`e2e4`, `e7e8q`) and in standard algebraic notation (`e4`, `e8=Q`). Moves beyond the
//! standard game:
//!
//! | move | UCI | SAN |
//! |---|---|---|
//! | a piece from the hand, an own piece that replaces an enemy's, the duck | `N@f3` `P@f6` `D@h5` | the same |
//! | a merger | `b1a1` | `Na1=O` |
//! | two bishops that swap | `c1f1` | `Bc1<>f1` |
//! | a decay up to d5 | `d1d5:split` | `Qd1/d5` |
//! | castling along the file | `e1e3` | `O-O-e3` |
//! | no move | `0000` | `--` |

pub mod fen;
#[cfg(not(test))]
mod movetext;
#[cfg(not(test))]
pub mod pgn;
#[cfg(not(test))]
pub(crate) mod pgn_reader;
pub(crate) mod recorded;
pub(crate) mod san;
pub(crate) mod square_names;
#[cfg(test)]
mod tests;
pub(crate) mod uci;

/// A prefix of a text, short enough for an error message.
fn shortened(text: &str) -> String {
    let text = text.trim();
    let mut short: String = text.chars().take(100).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}
