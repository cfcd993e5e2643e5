//! The games of a schedule, side by side.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::config::TournamentConfig;
use super::standings::{GameResult, Played, TournamentResult, sum_up};
use crate::engine::interruptible::interruptible;
use crate::engine::{
    AnyGame, BatchConfig, Error, Interrupt, ObservationFormat, Result, SingleGame, VectorEnv,
};
use crate::play::player::{Fault, Player, step_in_slices};

/// Games side by side, unless a player is to be asked about more at a time.
const WIDTH: usize = 256;

/// Spare games side by side for players that are asked about a fixed number of games at a time: with them there are
/// enough waiting games for a full request until shortly before the end.
const SPARE: usize = 256;

/// Games under way.
struct GamesInProgress<'a> {
    env: Box<dyn VectorEnv>,
    players: &'a [Player],
    schedule: &'a [Vec<usize>],
    /// The game that each slot plays: slot `i` of `n` plays games `i`, `i + n`, `i + 2n`, ...; past the schedule's end it
    /// rests.
    playing: Vec<usize>,
    /// Slots of the whole tournament.
    width: usize,
    /// For each player the slots that wait for it, first come first served.
    waiting: Vec<VecDeque<u32>>,
    /// How many slots each player is asked about at a time, if that is a fixed number.
    rows: Vec<Option<usize>>,
}

/// How many games of a schedule are side by side: those of a slot follow each other, and no slot knows of another.
pub(super) fn slots(games: usize, seats: usize, players: &[Player]) -> usize {
    let rows = players.iter().filter_map(Player::rows);
    games.min(rows.map(|rows| rows.saturating_mul(seats).saturating_add(SPARE)).fold(WIDTH, usize::max))
}

/// Plays the games of some of the `width` slots of a schedule, or those there is time for before `interrupt` is raised.
#[expect(clippy::too_many_arguments, reason = "a part of a schedule is three of them")]
pub(super) fn play_games(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    schedule: &[Vec<usize>],
    (width, slots): (usize, Range<usize>),
    config: TournamentConfig,
    interrupt: &Interrupt,
    faults: &mut Vec<Fault>,
    report: &mut dyn FnMut(&Progress<'_>) -> Result<()>,
) -> Result<Vec<GameResult>> {
    let all = slots.clone().map(|slot| schedule.len().saturating_sub(slot).div_ceil(width)).sum();
    let rows: Vec<Option<usize>> = players.iter().map(Player::rows).collect();
    let reads_rows = rows.iter().any(Option::is_some);
    let batch = BatchConfig {
        num_envs: slots.len(),
        first_game: slots.start as u64,
        seed: config.seed,
        threads: config.threads,
        observation: if reads_rows { ObservationFormat::U8 } else { ObservationFormat::None },
        ..BatchConfig::default()
    };
    let rules = game.clone();
    // Batches of very many games take seconds to set up.
    let mut env = match interruptible("ludovec begin", interrupt, move || rules.vector(batch)) {
        Err(Error::Interrupted(_)) => return Ok(Vec::new()),
        begun => begun??,
    };
    env.interrupt_by(interrupt.clone());
    let mut table = GamesInProgress {
        playing: slots.collect(),
        width,
        waiting: vec![VecDeque::new(); players.len()],
        rows,
        env,
        players,
        schedule,
    };
    (0..table.playing.len() as u32).for_each(|slot| table.wait(slot));
    let mut results = Vec::new();
    while results.len() < all && !interrupt.is_raised() {
        report(&Progress { table: &table, config, results: &results, faults, all })?;
        match table.round(&mut results, faults) {
            Err(Error::Interrupted(_)) => break,
            played => played?,
        }
    }
    report(&Progress { table: &table, config, results: &results, faults, all })?;
    Ok(results)
}

/// A game in progress.
#[derive(Debug)]
pub struct Running {
    /// Its number in the schedule.
    pub number: usize,
    /// What the players are called, by seat.
    pub names: Vec<String>,
    /// The position, without its history.
    pub game: Box<dyn SingleGame>,
}

/// How far a tournament is.
pub struct Progress<'a> {
    table: &'a GamesInProgress<'a>,
    config: TournamentConfig,
    results: &'a [GameResult],
    faults: &'a [Fault],
    all: usize,
}

impl std::fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress").field("done", &self.done()).field("all", &self.all()).finish_non_exhaustive()
    }
}

impl Progress<'_> {
    /// Games that have ended.
    pub fn done(&self) -> u64 {
        self.results.len() as u64
    }

    /// Games in all.
    pub fn all(&self) -> u64 {
        self.all as u64
    }

    /// The standings of the games that have ended.
    pub fn table(&self) -> TournamentResult {
        let names: Vec<&str> = self.table.players.iter().map(Player::name).collect();
        let played = Played { games: self.results.to_vec(), faults: self.faults.to_vec() };
        sum_up(self.table.env.game().spec(), self.config.seed, &names, played, self.results.len() < self.all)
    }

    /// Games in progress, `most` at most.
    ///
    /// # Errors
    /// None in a batch of this process.
    pub fn games(&self, most: usize) -> Result<Vec<Running>> {
        let table = self.table;
        let running = (0..table.playing.len()).filter(|&slot| table.playing[slot] < table.schedule.len());
        let shown = |slot: usize| {
            let number = table.playing[slot];
            let name = |&player: &usize| table.players[player].name().to_string();
            let names: Vec<String> = table.schedule[number].iter().map(name).collect();
            let mut game = table.env.single(slot as u32)?;
            // Names that are too long are left out of the drawing.
            let _ = game.set_names(&names);
            Ok(Running { number, names, game })
        };
        running.take(most).map(shown).collect()
    }
}

impl GamesInProgress<'_> {
    /// Lets a slot wait for the player to move in it.
    fn wait(&mut self, slot: u32) {
        if let Some(seating) = self.schedule.get(self.playing[slot as usize]) {
            let seat = self.env.columns().current_player[slot as usize] as usize;
            self.waiting[seating[seat]].push_back(slot);
        }
    }

    /// Takes the players whose turn it is, each with the slots that it is asked about, by increasing number.
    ///
    /// A player that is asked about a fixed number of slots at a time pays for a full request, so it is asked only once
    /// that many slots wait. If no player has enough waiting slots, the one with the most is asked about those.
    fn next(&mut self) -> Vec<(usize, Vec<u32>)> {
        let enough = |player: &usize| self.waiting[*player].len() >= self.rows[*player].unwrap_or(1);
        let mut asked: Vec<usize> = (0..self.players.len()).filter(enough).collect();
        if asked.is_empty() {
            asked.extend((0..self.players.len()).max_by_key(|&player| self.waiting[player].len()));
        }
        let mut take = |player: usize| {
            let waiting = &mut self.waiting[player];
            let most = self.rows[player].unwrap_or(usize::MAX).min(waiting.len());
            let mut ids: Vec<u32> = waiting.drain(..most).collect();
            ids.sort_unstable();
            (player, ids)
        };
        asked.into_iter().map(&mut take).collect()
    }

    /// Asks the players whose turn it is, plays what they chose, and notes the games that end.
    fn round(&mut self, results: &mut Vec<GameResult>, faults: &mut Vec<Fault>) -> Result<()> {
        let mut moves = Vec::new();
        let mut lost = Vec::new();
        for (player, ids) in self.next() {
            let mut actions = vec![0; ids.len()];
            self.players[player].act_in(&mut *self.env, &ids, &mut actions, &mut lost)?;
            moves.extend(ids.into_iter().zip(actions));
        }
        faults.extend(lost.into_iter().map(|f| Fault { game: self.playing[f.game as usize] as u64, ..f }));
        moves.sort_unstable();
        let (ids, actions): (Vec<u32>, Vec<i32>) = moves.into_iter().unzip();
        step_in_slices(&mut *self.env, &ids, &actions)?;
        for slot in ids {
            if self.env.columns().done[slot as usize] != 0 {
                results.push(self.result(slot as usize));
                self.playing[slot as usize] += self.width;
            }
            self.wait(slot);
        }
        Ok(())
    }

    /// The result of the game that a slot has just finished.
    fn result(&self, slot: usize) -> GameResult {
        let columns = self.env.columns();
        let seats = columns.widths().rewards;
        let row = slot * seats..(slot + 1) * seats;
        let truncated = columns.truncated[slot] > 0;
        let returns = if truncated { vec![0.0; seats] } else { columns.final_returns[row.clone()].to_vec() };
        GameResult {
            game: self.playing[slot] as u64,
            seats: self.schedule[self.playing[slot]].clone(),
            returns,
            scores: columns.final_scores[row].to_vec(),
            length: columns.episode_length[slot] as u64,
            truncated,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::engine::{OptionValue, mask};
    use crate::games::GAMES;
    use crate::play::outside_bot::OutsideBot;
    use crate::play::player::DEFAULT_TIME_LIMIT;
    use crate::play::tournament::{Pairings, play};

    /// Plays the first legal action, asked about four games at a time; records the sizes of the requests.
    struct InFours(Arc<Mutex<Vec<usize>>>);

    impl OutsideBot for InFours {
        fn choose(&mut self, _: &[&dyn SingleGame], _: &Interrupt) -> Vec<Result<u32, String>> {
            unreachable!("it reads rows")
        }
        fn choose_in(&mut self, env: &dyn VectorEnv, ids: &[u32]) -> Result<Vec<Result<u32, String>>> {
            self.0.lock().unwrap().push(ids.len());
            let width = env.columns().widths().mask_bits;
            let first =
                |&id: &u32| mask::iter(&env.columns().mask_bits[id as usize * width..][..width]).next();
            Ok(ids.iter().map(|id| Ok(first(id).unwrap())).collect())
        }
        fn rows(&self) -> Option<usize> {
            Some(4)
        }
    }

    #[test]
    fn who_is_asked_about_a_fixed_number_is_asked_when_they_are_there() {
        for entry in GAMES {
            let game = entry.make([("max_steps", OptionValue::Int(30))]).unwrap();
            let asked: [Arc<Mutex<Vec<usize>>>; 2] = Default::default();
            let [one, other] =
                [0, 1].map(|i| Player::outside(["one", "other"][i], InFours(asked[i].clone())));
            let random = Player::parse(&*game, "random", DEFAULT_TIME_LIMIT).unwrap();
            let config = TournamentConfig { games: 60, seed: 1, threads: Some(1) };
            for players in [vec![one.clone(), random], vec![one, other]] {
                let interrupt = Interrupt::default();
                let table = play(&game, &players, Pairings::Random, config, &interrupt, |_, _| ()).unwrap();
                assert_eq!((table.games, table.partial, table.faults.len()), (60, false, 0));
                for asked in &asked {
                    let asked = std::mem::take(&mut *asked.lock().unwrap());
                    let rows: usize = asked.iter().sum();
                    assert!(asked.iter().all(|&count| (1..=4).contains(&count)));
                    assert!(10 * rows >= 9 * 4 * asked.len(), "{}: {rows} in {}", entry.id, asked.len());
                }
            }
        }
    }
}
