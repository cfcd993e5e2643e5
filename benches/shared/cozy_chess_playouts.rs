//! The reference speed of the benchmarks: random playouts with the crate cozy-chess.

use std::time::{Duration, Instant};

use cozy_chess::{Board, PieceMoves};

/// Random playouts from the start position until mate, stalemate, the fifty-move rule or 300 plies.
pub fn cozy_chess_plies_per_second(time: Duration) -> f64 {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let start_position = Board::default();
    let mut pieces: Vec<PieceMoves> = Vec::with_capacity(32);
    let mut plies = 0u64;
    let start = Instant::now();
    while start.elapsed() < time {
        for _ in 0..20 {
            let mut board = start_position.clone();
            for _ in 0..300 {
                pieces.clear();
                let mut moves = 0;
                board.generate_moves(|piece| {
                    moves += piece.len();
                    pieces.push(piece);
                    false
                });
                if moves == 0 || board.halfmove_clock() >= 100 {
                    break;
                }
                // Moves are grouped by piece: only the group that holds the chosen move is iterated.
                let mut pick = ((u128::from(next()) * moves as u128) >> 64) as usize;
                for &piece in &pieces {
                    if pick < piece.len() {
                        board.play_unchecked(piece.into_iter().nth(pick).expect("the piece has more moves"));
                        break;
                    }
                    pick -= piece.len();
                }
                plies += 1;
            }
        }
    }
    plies as f64 / start.elapsed().as_secs_f64()
}
