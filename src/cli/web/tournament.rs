//! A live view of a tournament.
//!
//! The thread that plays the tournament hands over the standings if a viewer has asked since the last time; a
//! viewer gets the standings that were handed over last.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::live::{Live, LiveGame, Scene};
use ludovec::engine::Result;
use ludovec::play::tournament::{Progress, Running, TournamentResult};

/// Number of games in progress to show.
const SHOWN: usize = 12;
/// Minimum time between two hand-overs; it is also at least `PAUSE_BY_COST` times the duration of a hand-over.
const PAUSE: Duration = Duration::from_millis(300);
const PAUSE_BY_COST: u32 = 20;
/// Delay of the tournament's end, so that a viewer can fetch the final standings.
const FAREWELL: Duration = Duration::from_secs(3);

/// A live view of a tournament.
#[derive(Clone, Default)]
pub struct WatchedTournament {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for WatchedTournament {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WatchedTournament").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Shared {
    now: Mutex<Now>,
    /// Whether a viewer has asked since the last hand-over.
    asked: AtomicBool,
    /// Signals that a viewer has seen the end.
    told: Condvar,
}

/// The last state that was handed over.
#[derive(Default)]
struct Now {
    /// The title, and what will be played, before the first results.
    announced: (String, String),
    table: Option<TournamentResult>,
    all: u64,
    games: Vec<Running>,
    ended: bool,
    told: bool,
    /// The time of a viewer's last request, and the end of the pause between hand-overs.
    asked: Option<Instant>,
    rest: Option<Instant>,
}

impl WatchedTournament {
    fn lock(&self) -> MutexGuard<'_, Now> {
        self.shared.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what will be played: a title and a sentence, which viewers get before the first results.
    pub fn announce(&self, title: String, plan: String) {
        self.lock().announced = (title, plan);
    }

    /// Hands over the standings, if a viewer has asked.
    ///
    /// # Errors
    /// Only errors that playing would also have.
    pub fn hand_over(&self, progress: &Progress<'_>) -> Result<()> {
        let start = Instant::now();
        if !self.shared.asked.load(Ordering::Relaxed) || self.lock().rest.is_some_and(|rest| start < rest) {
            return Ok(());
        }
        self.shared.asked.store(false, Ordering::Relaxed);
        let (table, games) = (progress.standings(), progress.games(SHOWN)?);
        let mut now = self.lock();
        (now.table, now.all, now.games) = (Some(table), progress.all(), games);
        now.rest = Some(start + (start.elapsed() * PAUSE_BY_COST).max(PAUSE));
        Ok(())
    }

    /// Hands over the final standings, and waits briefly for viewers to fetch them.
    pub fn end(&self, table: TournamentResult) {
        let mut now = self.lock();
        now.table = Some(table);
        now.ended = true;
        // A viewer without a recent request is not waited for.
        if now.asked.is_some_and(|asked| asked.elapsed() < FAREWELL) {
            let _ = self.shared.told.wait_timeout_while(now, FAREWELL, |now| !now.told);
        }
    }
}

impl Live for WatchedTournament {
    fn scene(&self, first: usize, count: usize) -> Result<Scene> {
        let mut now = self.lock();
        self.shared.asked.store(true, Ordering::Relaxed);
        now.asked = Some(Instant::now());
        let Some(table) = &now.table else {
            let (title, progress) = now.announced.clone();
            return Ok(Scene { title, progress, running: true, ..Scene::default() });
        };
        let board = |Running { number, names, game }: &Running| LiveGame {
            number: *number,
            label: format!("game {number}: {}", names.join(" - ")),
            game: game.clone(),
        };
        let scene = Scene {
            title: format!("Tournament of {}", table.env),
            progress: format!("{} of {} games", table.games, now.all.max(table.games)),
            running: !now.ended,
            table: table.to_rows(),
            total: now.games.len(),
            games: now.games.iter().skip(first).take(count).map(board).collect(),
        };
        if now.ended {
            now.told = true;
            self.shared.told.notify_all();
        }
        Ok(scene)
    }
}
