//! Forced wins: lines in which every move of one player leaves the other few replies, as series of checks do in chess.

use crate::engine::{Analysis, Forecast, Result, SingleGame, Status};

/// Maximum number of replies that a forcing move leaves.
const REPLIES: usize = 3;
/// Maximum number of moves of the winner.
const MOVES: usize = 8;
/// Actions that a search for a forced win plays.
const STEPS: u32 = 20_000;

/// A search for a forced win of one player. Actions with chance prove nothing.
struct Attack {
    seat: usize,
    steps: u32,
}

impl Attack {
    /// Plays an action without chance; false if that is impossible or the steps are used up.
    fn play(&mut self, game: &mut SingleGame, action: u32) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0 && game.step_scripted(action, &[]).is_ok()
    }

    /// The winner's first action and the line after it against the longest defence found, in at most `moves` moves.
    fn win(&mut self, game: &mut SingleGame, moves: usize) -> Option<Vec<u32>> {
        for action in game.legal_actions() {
            if !self.play(game, action) {
                continue;
            }
            let line = self.defended(game, moves - 1);
            game.undo();
            if let Some(line) = line {
                return Some([vec![action], line].concat());
            }
        }
        None
    }

    /// The longest defence found in a position after a move of the winner; `None` if there may be one that holds.
    fn defended(&mut self, game: &mut SingleGame, moves: usize) -> Option<Vec<u32>> {
        if game.status() != Status::Running {
            return (game.returns()[self.seat] >= 1.0).then(Vec::new);
        }
        if moves == 0 || game.current_player() == self.seat {
            return None;
        }
        let replies = game.legal_actions();
        if replies.len() > REPLIES {
            return None;
        }
        let mut longest = Vec::new();
        for reply in replies {
            if !self.play(game, reply) {
                return None;
            }
            let line = match game.status() {
                Status::Running if game.current_player() == self.seat => self.win(game, moves),
                Status::Running => None,
                _ => (game.returns()[self.seat] >= 1.0).then(Vec::new),
            };
            game.undo();
            let line = [vec![reply], line?].concat();
            if line.len() > longest.len() {
                longest = line;
            }
        }
        Some(longest)
    }
}

/// The line of a forced win of the current player, the shortest one first; `None` if none is found.
fn forced_win(game: &SingleGame) -> Option<Vec<u32>> {
    let mut play = game.clone();
    let mut attack = Attack { seat: game.current_player(), steps: STEPS };
    (1..=MOVES).find_map(|moves| attack.win(&mut play, moves))
}

/// Puts a forced win into an analysis of a game of two without hidden information, unless the search has found one.
pub(super) fn add_forced_win(game: &SingleGame, found: &mut Analysis) -> Result<()> {
    let (spec, seat) = (game.game().spec().clone(), game.current_player());
    let is_open = found.values.get(seat).is_some_and(|value| *value < 1.0);
    if spec.players != 2 || spec.hidden_information || found.forecast != Forecast::Outcome || !is_open {
        return Ok(());
    }
    let Some(line) = forced_win(game) else { return Ok(()) };
    found.values = vec![-1.0; 2];
    found.values[seat] = 1.0;
    found.action = line[0];
    for (i, (action, share)) in found.shares.iter_mut().enumerate() {
        *share = f32::from(*action == line[0]);
        if let Some(value) = found.action_values.get_mut(i).filter(|_| *action == line[0]) {
            *value = Some(1.0);
        }
    }
    found.line = line;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chess(fen: &str) -> SingleGame {
        crate::games::find("chess").unwrap().make([("fen", fen.into())]).unwrap().single(0)
    }

    #[test]
    fn a_series_of_checks_ends_in_mate() {
        // Reti against Tartakower: three moves; Lasker against Thomas: eight.
        for (fen, first, moves) in [
            ("rnb1kb1r/pp3ppp/2p5/4q3/4n3/3Q4/PPPB1PPP/2KR1BNR w kq - 0 9", "d3d8", 3),
            ("rn3rk1/pbppq1pp/1p2pb2/4N2Q/3PN3/3B4/PPP2PPP/R3K2R w KQ - 7 11", "h5h7", 8),
        ] {
            let game = chess(fen);
            let line = forced_win(&game).unwrap_or_else(|| panic!("{fen}"));
            assert_eq!(game.action_to_string(line[0]).unwrap(), first);
            assert!(line.len() < 2 * moves, "{fen}: {} plies", line.len());
            let mut play = game.clone();
            play.step_all(&line).unwrap();
            assert_eq!(play.returns()[0], 1.0, "{fen}");
        }
        assert_eq!(forced_win(&chess("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")), None);
    }
}
