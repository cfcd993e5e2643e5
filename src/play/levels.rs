//! Opponents for people: three levels for every game.

use serde::Serialize;

use super::player::listed;
use crate::engine::AnyGame;

/// An opponent for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Level {
    /// The name of the level.
    pub name: &'static str,
    /// The text of its player.
    pub player: &'static str,
    /// One sentence on how it plays.
    pub help: &'static str,
}

/// The levels of a game, the weakest first. They use the shipped network if it supports the game's options, and
/// playouts otherwise.
pub fn levels(game: &dyn AnyGame) -> [Level; 3] {
    let has_champion = listed(game).iter().any(|(name, _)| name.starts_with("net:champion"));
    let level = |name, player, help| Level { name, player, help };
    if !has_champion {
        return [
            level("easy", "greedy", "Takes what pays at once and never looks further."),
            level("medium", "search:50", "Plays the game on 50 times before every move."),
            level("strong", "search:400", "Plays the game on 400 times before every move."),
        ];
    }
    [
        level("easy", "net:champion", "A trained network plays the first move that it likes."),
        level("medium", "net:champion:16", "The same network looks at 16 positions before every move."),
        level("strong", "net:champion:64", "The same network looks at 64 positions before every move."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GAMES;
    use crate::player::{DEFAULT_TIME_LIMIT, Player};

    #[test]
    fn every_level_of_every_game_is_a_player() {
        for entry in GAMES {
            for options in [vec![], vec![("max_steps", 9.into())]] {
                let game = entry.make(options).unwrap();
                let levels = levels(&*game);
                assert_eq!(levels.map(|level| level.name), ["easy", "medium", "strong"]);
                for level in levels {
                    Player::parse(&*game, level.player, DEFAULT_TIME_LIMIT).unwrap();
                }
            }
        }
    }
}
