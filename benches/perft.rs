//! Perft: leaves per second for chess and some variants, next to cozy-chess in the same run. The last ply is counted
//! in bulk (bulk counting).
//!
//! `cargo bench --bench perft` runs from the start positions on one thread and reports the best of three runs. Every
//! count is checked against the published one.

use std::time::Instant;

use cozy_chess::Board;
use ludovec::games::chess::perft;

const POSITIONS: [(&str, u32, u64); 4] = [
    ("chess", 6, 119_060_324),
    ("atomic", 6, 118_926_425),
    ("crazyhouse", 6, 120_812_942),
    ("capablanca", 5, 28_741_319),
];

fn cozy_chess_leaves(board: &Board, depth: u32) -> u64 {
    let mut leaves = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            leaves += moves.len() as u64;
            false
        });
    } else {
        board.generate_moves(|moves| {
            for mv in moves {
                let mut next = board.clone();
                next.play_unchecked(mv);
                leaves += cozy_chess_leaves(&next, depth - 1);
            }
            false
        });
    }
    leaves
}

/// Million leaves per second, the best of three runs, each checked to count `leaves`.
fn rate(leaves: u64, mut count: impl FnMut() -> u64) -> f64 {
    let mut run = || {
        let start = Instant::now();
        assert_eq!(count(), leaves);
        leaves as f64 / start.elapsed().as_secs_f64() / 1e6
    };
    (0..3).map(|_| run()).fold(0.0, f64::max)
}

fn main() {
    println!("million leaves a second from the start; in brackets: ratio to cozy-chess just before");
    println!("{:<12}{:>6}{:>14}{:>18}", "variant", "depth", "cozy-chess", "ludovec");
    for (variant, depth, leaves) in POSITIONS {
        let theirs = rate(119_060_324, || cozy_chess_leaves(&Board::default(), 6));
        let ours = rate(leaves, || perft(variant, &[], None, depth, 1).expect("a shipped variant").leaves);
        let ours = format!("{ours:.0} ({:.2})", ours / theirs);
        println!("{variant:<12}{depth:>6}{theirs:>14.0}{ours:>18}");
    }
}
