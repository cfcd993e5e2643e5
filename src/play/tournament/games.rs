//! The games of a schedule, side by side.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::config::TournamentConfig;
use super::standings::{GameResult, Played, TournamentResult, sum_up};
use crate::engine::{
    AnyGame, BatchConfig, Error, Interrupt, ObservationFormat, Result, SingleGame, VectorEnv,
};
use crate::play::player::{Fault, Player, step_in_slices};

/// Games side by side, where no player wants to be asked about more.
const WIDTH: usize = 256;

/// Games under way.
struct Table<'a> {
    env: Box<dyn VectorEnv>,
    players: &'a [Player],
    schedule: &'a [Vec<usize>],
    /// The game that each slot plays: slot `i` of `n` plays games `i`, `i + n`, `i + 2n`, ...; past the schedule's end it
    /// rests.
    playing: Vec<usize>,
    /// Slots of the whole tournament.
    width: usize,
    /// For each player the slots that wait for it, first come first served: one that is asked about so many at a time
    /// gets as many as there are, and the others of its games wait for the next round.
    waiting: Vec<VecDeque<u32>>,
    /// Most slots that each player is asked about at a time.
    most: Vec<usize>,
}

/// How many games of a schedule are side by side: those of a slot follow each other, and no slot knows of another.
pub(super) fn slots(games: usize, seats: usize, players: &[Player]) -> usize {
    let rows = players.iter().filter_map(Player::rows);
    games.min(rows.map(|rows| rows * seats).fold(WIDTH, usize::max))
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
    let mut env = game.clone().vector(BatchConfig {
        num_envs: slots.len(),
        first_game: slots.start as u64,
        seed: config.seed,
        threads: config.threads,
        observation: if reads_rows { ObservationFormat::U8 } else { ObservationFormat::None },
        ..BatchConfig::default()
    })?;
    env.interrupt_by(interrupt.clone());
    let mut table = Table {
        playing: slots.collect(),
        width,
        waiting: vec![VecDeque::new(); players.len()],
        most: rows.into_iter().map(|rows| rows.unwrap_or(usize::MAX)).collect(),
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
pub struct Running {
    /// Its number in the schedule.
    pub number: usize,
    /// What the players are called, by seat.
    pub names: Vec<String>,
    /// How it stands, without its history.
    pub game: Box<dyn SingleGame>,
}

/// How far a tournament is.
pub struct Progress<'a> {
    table: &'a Table<'a>,
    config: TournamentConfig,
    results: &'a [GameResult],
    faults: &'a [Fault],
    all: usize,
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

    /// What the games that have ended come to.
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
            // What is too long for a name stays out of the drawing.
            let _ = game.set_names(&names);
            Ok(Running { number, names, game })
        };
        running.take(most).map(shown).collect()
    }
}

impl Table<'_> {
    /// Lets a slot wait for the player to move in it.
    fn wait(&mut self, slot: u32) {
        if let Some(seating) = self.schedule.get(self.playing[slot as usize]) {
            let seat = self.env.columns().current_player[slot as usize] as usize;
            self.waiting[seating[seat]].push_back(slot);
        }
    }

    /// Asks every player that somebody waits for, plays what they chose, and notes the games that end.
    fn round(&mut self, results: &mut Vec<GameResult>, faults: &mut Vec<Fault>) -> Result<()> {
        let mut moves = Vec::new();
        let mut lost = Vec::new();
        for (player, (waiting, most)) in self.players.iter().zip(self.waiting.iter_mut().zip(&self.most)) {
            let mut ids: Vec<u32> = waiting.drain(..waiting.len().min(*most)).collect();
            if ids.is_empty() {
                continue;
            }
            ids.sort_unstable();
            let mut actions = vec![0; ids.len()];
            player.act_in(&mut *self.env, &ids, &mut actions, &mut lost)?;
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
