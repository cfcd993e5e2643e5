//! Live view of the games of a fleet, which other programs play.

use super::live::{Live, LiveGame, Scene};
use ludovec::engine::Result;
use ludovec::shm::Spectator;

/// The games of a fleet.
#[derive(Debug)]
pub struct WatchedFleet {
    name: String,
    spectator: Spectator,
}

impl WatchedFleet {
    /// The fleet `name`.
    ///
    /// # Errors
    /// As for [`Spectator::open`].
    pub fn open(name: &str) -> Result<Self> {
        Ok(Self { name: name.into(), spectator: Spectator::open(name)? })
    }
}

impl Live for WatchedFleet {
    fn scene(&self, first: usize, count: usize) -> Result<Scene> {
        let total = self.spectator.num_games();
        let numbers = first.min(total)..first.saturating_add(count).min(total);
        let ids: Vec<u32> = numbers.clone().map(|number| number as u32).collect();
        let games = self.spectator.games(&ids)?;
        let game = self.spectator.game();
        let shown = numbers.zip(games).map(|(number, game)| LiveGame {
            number,
            label: format!("game {number}"),
            game,
        });
        Ok(Scene {
            title: format!("Fleet {}: {}", self.name, game.spec().env),
            progress: format!("{total} games"),
            running: true,
            total,
            games: shown.collect(),
            ..Scene::default()
        })
    }
}
