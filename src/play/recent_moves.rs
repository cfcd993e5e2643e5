//! The recent moves of the games of batches. A batch keeps positions only; language models read moves, too.

use std::collections::HashMap;

use crate::engine::{ActionId, Result, SingleGame, Status, VectorEnv};

/// Number of moves after which a game is kept a second time, from then on.
const RENEWED: usize = 128;
/// Number of moves of the second copy after which the first is dropped, so that memory stays bounded.
const ENOUGH: usize = 64;

/// Games of batches with their moves, noted before each step.
#[derive(Default)]
pub struct RecentMoves {
    /// By the address of the batch and the number of the game.
    games: HashMap<(usize, u32), Kept>,
}

impl std::fmt::Debug for RecentMoves {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecentMoves").field("games", &self.games.len()).finish_non_exhaustive()
    }
}

/// A game with its moves since some position, and a copy that begins later.
struct Kept {
    game: SingleGame,
    younger: Option<SingleGame>,
}

impl RecentMoves {
    /// Notes moves that a batch is about to make: `actions[k]` in game `ids[k]`.
    ///
    /// # Errors
    /// As for [`VectorEnv::single`].
    pub fn note(&mut self, env: &dyn VectorEnv, ids: &[u32], actions: &[ActionId]) -> Result<()> {
        for (&id, &action) in ids.iter().zip(actions) {
            let now = env.single(id)?;
            let key = (address(env), id);
            // A finished game restarts in this step.
            let kept = self.games.remove(&key).filter(|_| now.status() == Status::Running);
            let kept = kept.filter(|kept| is_same(&kept.game, &now));
            let kept = kept.unwrap_or_else(|| Kept { game: now.clone(), younger: None });
            if let Some(kept) = kept.after(now, action) {
                self.games.insert(key, kept);
            }
        }
        Ok(())
    }

    /// A game of a batch, with the moves that were noted. Without any, it has no moves.
    ///
    /// # Errors
    /// As for [`VectorEnv::single`].
    pub fn game(&self, env: &dyn VectorEnv, id: u32) -> Result<SingleGame> {
        let now = env.single(id)?;
        let kept = self.games.get(&(address(env), id)).filter(|kept| is_same(&kept.game, &now));
        Ok(kept.map_or(now, |kept| kept.game.clone()))
    }
}

impl Kept {
    /// The game after an action in the position `now`; `None` if it is illegal or ends the game.
    fn after(mut self, now: SingleGame, action: ActionId) -> Option<Self> {
        self.game.step(action).ok()?;
        if self.younger.is_none() && self.game.steps() > RENEWED {
            self.younger = Some(now);
        }
        if let Some(younger) = &mut self.younger {
            younger.step(action).ok()?;
        }
        if let Some(younger) = self.younger.take_if(|younger| younger.steps() >= ENOUGH) {
            self.game = younger;
        }
        (self.game.status() == Status::Running).then_some(self)
    }
}

/// Distinguishes batches.
fn address(env: &dyn VectorEnv) -> usize {
    std::ptr::from_ref(env).cast::<()>().addr()
}

/// Whether two games have the same position and the same future.
fn is_same(one: &SingleGame, other: &SingleGame) -> bool {
    one.stream() == other.stream() && one.position_bytes() == other.position_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::BatchConfig;
    use crate::games::GAMES;

    fn labels(game: &SingleGame) -> Vec<String> {
        game.log().into_iter().map(|entry| entry.label).collect()
    }

    #[test]
    fn games_of_a_batch_have_the_moves_and_dice_of_their_episodes() {
        for entry in GAMES {
            let rules = entry.make([]).unwrap();
            let config = BatchConfig { num_envs: 3, seed: 5, threads: Some(1), ..BatchConfig::default() };
            let mut env = rules.vector(config).unwrap();
            let mut recent = RecentMoves::default();
            let mut played = vec![Vec::new(); 3];
            let ids = [0, 1, 2];
            for step in 0..400 {
                let mut actions = vec![0; 3];
                env.sample_actions(&mut actions).unwrap();
                for id in ids {
                    let game = env.single(id).unwrap();
                    played[id as usize].push(game.action_to_string(actions[id as usize]).unwrap());
                }
                recent.note(&*env, &ids, &actions).unwrap();
                env.step(&actions).unwrap();
                for id in ids {
                    let now = env.single(id).unwrap();
                    let played = &mut played[id as usize];
                    if env.columns().done[id as usize] != 0 {
                        played.clear();
                    }
                    let game = recent.game(&*env, id).unwrap();
                    let shown = labels(&game);
                    assert_eq!(game.position_bytes(), now.position_bytes(), "{} {step}", entry.id);
                    assert!(played.ends_with(&shown), "{} {step}: {played:?} {shown:?}", entry.id);
                    let least = played.len().min(ENOUGH);
                    assert!((least..=RENEWED + ENOUGH).contains(&shown.len()), "{} {step}", entry.id);
                }
            }
        }
    }

    #[test]
    fn moves_of_another_game_are_not_shown() {
        let Some(entry) = crate::games::all().first().copied() else { return };
        let rules = entry.make([]).unwrap();
        let config = BatchConfig { num_envs: 2, threads: Some(1), ..BatchConfig::default() };
        let mut env = rules.vector(config).unwrap();
        let mut recent = RecentMoves::default();
        let mut actions = vec![0; 2];
        env.sample_actions(&mut actions).unwrap();
        recent.note(&*env, &[0, 1], &actions).unwrap();
        env.step(&actions).unwrap();
        assert_eq!(recent.game(&*env, 0).unwrap().steps(), 1);
        // Game 0 moves without a note, game 1 begins again.
        let action = env.single(0).unwrap().legal_actions()[0];
        env.step_games(&[0], &[action]).unwrap();
        env.reset_games(&[1], None).unwrap();
        assert_eq!([0, 1].map(|id| recent.game(&*env, id).unwrap().steps()), [0, 0]);
    }
}
