//! The moves of a batch's games.
//!
//! A batch keeps positions without their histories, and an engine needs the moves to see repetitions. A player sees
//! each of its games at every own turn, so it finds the moves in between: its own, and the opponent's reply.

use std::collections::HashMap;

use crate::engine::SingleGame;

/// A game in the terms of UCI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GameLine {
    /// The first position that is known, in FEN.
    pub(super) start: String,
    /// The moves from there.
    pub(super) moves: Vec<String>,
    /// Whether the game was not known before.
    pub(super) is_new: bool,
}

/// The games of a batch, by id.
#[derive(Default)]
pub(super) struct GameLines {
    known: HashMap<u32, KnownGame>,
}

struct KnownGame {
    line: GameLine,
    /// The position after these moves.
    at: SingleGame,
}

impl GameLines {
    /// The line of the game `id`, which is now in the position of `game`.
    pub(super) fn follow(&mut self, id: u32, game: &SingleGame) -> GameLine {
        let before = self.known.remove(&id);
        let continued = before.and_then(|KnownGame { line, at }| {
            let between = moves_between(&at, game)?;
            let GameLine { start, mut moves, .. } = line;
            moves.extend(between);
            Some(GameLine { start, moves, is_new: false })
        });
        let line = continued.unwrap_or_else(|| GameLine {
            start: game.uci_position().unwrap_or_default(),
            moves: Vec::new(),
            is_new: true,
        });
        self.known.insert(id, KnownGame { line: line.clone(), at: game.clone() });
        line
    }

    /// Notes a move of the player in the game `id`. Without this, as after a lost move, it is found at the next turn.
    pub(super) fn played(&mut self, id: u32, action: u32) {
        let Some(KnownGame { line, at }) = self.known.get_mut(&id) else { return };
        if let Ok(label) = at.action_to_string(action)
            && at.step(action).is_ok()
        {
            line.moves.push(label);
        }
    }
}

/// The line of a single game with its history.
pub(super) fn whole_line(game: &SingleGame) -> GameLine {
    let mut labels: Vec<String> = game.log().into_iter().map(|entry| entry.label).collect();
    let mut start = game.clone();
    let mut undone = 0;
    while start.undo() {
        undone += 1;
    }
    // A history may begin in the middle of a game.
    let moves = labels.split_off(labels.len() - undone);
    GameLine { start: start.uci_position().unwrap_or_default(), is_new: moves.len() < 2, moves }
}

/// At most two moves that lead from one position to another, or `None` if there are no such moves.
fn moves_between(from: &SingleGame, to: &SingleGame) -> Option<Vec<String>> {
    let target = to.position_bytes();
    if from.position_bytes() == target {
        return Some(Vec::new());
    }
    let mut at = from.clone();
    find(&mut at, &target, 1).or_else(|| find(&mut at, &target, 2))
}

/// Exactly `count` moves from `at` to the target.
fn find(at: &mut SingleGame, target: &[u8], count: usize) -> Option<Vec<String>> {
    for action in at.legal_actions() {
        if at.step(action).is_err() {
            continue;
        }
        let rest = match count {
            1 => (at.position_bytes() == target).then(Vec::new),
            _ => find(at, target, count - 1),
        };
        at.undo();
        if let Some(mut moves) = rest {
            moves.insert(0, at.action_to_string(action).ok()?);
            return Some(moves);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chess(fen: Option<&str>) -> SingleGame {
        let options = fen.map(|fen| ("fen", crate::engine::OptionValue::from(fen)));
        crate::games::find("chess").unwrap().make(options.into_iter().collect::<Vec<_>>()).unwrap().single(0)
    }

    fn forget(game: &SingleGame) -> SingleGame {
        game.game().single_from_position(&game.position(), 0).unwrap()
    }

    #[test]
    fn the_moves_of_a_game_are_found_from_its_positions() {
        let mut lines = GameLines::default();
        let mut game = chess(None);
        let play = |game: &mut SingleGame, text: &str| {
            let action = game.string_to_action(text).unwrap();
            game.step(action).unwrap();
        };
        let first = lines.follow(3, &forget(&game));
        assert!(first.is_new && first.moves.is_empty() && first.start.starts_with("rnbqkbnr/pppppppp/"));
        // The own move is known, then lost, and then another game begins.
        lines.played(3, game.string_to_action("g1f3").unwrap());
        for text in ["g1f3", "g8f6"] {
            play(&mut game, text);
        }
        assert_eq!(lines.follow(3, &forget(&game)).moves, ["g1f3", "g8f6"]);
        for text in ["f3g1", "f6g8"] {
            play(&mut game, text);
        }
        let line = lines.follow(3, &forget(&game));
        assert_eq!((line.moves.len(), line.is_new), (4, false));
        assert_eq!(line, GameLine { is_new: false, ..whole_line(&game) });
        assert!(lines.follow(3, &chess(Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"))).is_new);
        assert!(lines.follow(4, &game).is_new);
    }
}
