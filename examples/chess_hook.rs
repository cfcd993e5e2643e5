//! A hook: a custom piece and a custom rule for chess that no variant file can express.
//!
//! The piece: a jumper goes one square diagonally down and right (from white's point of view), and becomes a queen
//! when it captures another jumper. The rule: the first king that moves in a game gives its side another turn.
//!
//! ```text
//! cargo run --release --example chess_hook
//! ```

use ludovec::engine::{Status, View};
use ludovec::games::chess::hook::{Hook, Hooked, Move, MoveKind, Position, build_from_text};

/// The variant under the hook: chess with jumpers beside the pawns. Kinds are numbered in the order of the pieces:
/// P N B R Q K, then the jumper J. The file lets it step forward; the hook adds its jump.
const VARIANT: &str = r#"
extends = "nocastle"
board.start = "rnbqkbnr/pppjjppp/8/8/8/8/PPPJJPPP/RNBQKBNR w - - 0 1"
pieces.J = { name = "jumper", moves = "fmW" }
"#;
const QUEEN: u8 = 4;
const KING: u8 = 5;
const JUMPER: u8 = 6;

#[derive(Debug, Clone, Copy, PartialEq)]
struct JumpersAndTirelessKings;

/// The destination of a jumper on `square`, if it is on the board.
fn jump(square: u8) -> Option<u8> {
    (square % 8 < 7 && square >= 8).then(|| square - 8 + 1)
}

impl Hook for JumpersAndTirelessKings {
    fn generate(position: &Position<Hooked<Self>>, add: &mut dyn FnMut(Move)) {
        for from in position.squares_of(JUMPER, position.turn()) {
            if let Some(to) = jump(from) {
                add(Move { from, to, what: MoveKind::Plain });
            }
        }
    }

    fn attacks(position: &Position<Hooked<Self>>, square: u8, side: usize) -> bool {
        position.squares_of(JUMPER, side).any(|from| jump(from) == Some(square))
    }

    fn after_move(position: &mut Position<Hooked<Self>>, before: &Position<Hooked<Self>>, mv: Move) {
        let (mover, taken) = (before.piece_at(mv.from), before.piece_at(mv.to));
        if let (Some((JUMPER, side)), Some((JUMPER, _))) = (mover, taken) {
            position.put(mv.to, QUEEN, side);
        }
        if mover.is_some_and(|(kind, _)| kind == KING) {
            // The first byte of the memory: 0 before any king move, 1 for the first king move.
            let [kings, b, c] = position.memory();
            position.set_memory([(kings + 1).min(2), b, c]);
        }
    }

    fn next_turn(position: &Position<Hooked<Self>>, before: &Position<Hooked<Self>>, _mv: Move) -> usize {
        let first = before.memory()[0] == 0 && position.memory()[0] == 1;
        if first { before.turn() } else { 1 - before.turn() }
    }
}

fn main() -> ludovec::engine::Result<()> {
    let game = build_from_text::<JumpersAndTirelessKings>("jumpers", VARIANT)?;
    let mut play = game.single(7);
    while play.status() == Status::Running {
        let action = play.bot_action("material")?;
        play.step(action)?;
    }
    println!("{}\nscores {:?}", play.to_text(View::default())?, play.scores());
    Ok(())
}
