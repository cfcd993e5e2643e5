//! The games of a schedule, side by side.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::Meetings;
use super::config::TournamentConfig;
use super::schedule::ScheduledGame;
use super::sprt::Monitor;
use super::standings::{GameResult, Played, TournamentResult, add_usage, sum_up};
use super::state::{Checkpoint, from_hex, to_hex};
use crate::engine::interruptible::interruptible;
use crate::engine::{
    ActionId, AnyGame, AutoReset, BatchConfig, Error, Interrupt, ObservationFormat, Result, SingleGame,
    VectorEnv,
};
use crate::language_model::Usage;
use crate::player::{Fault, Player, note_moves, step_in_slices};

/// Number of games side by side, unless a player takes larger requests.
const WIDTH: usize = 256;

/// Number of games side by side with a sequential test: games that finish after its decision do not count.
const TESTED_WIDTH: usize = 64;

/// Number of spare games side by side for players with fixed request sizes: with them, enough games wait for a full
/// request until shortly before the end.
const SPARE: usize = 256;

/// Games in progress.
struct GamesInProgress<'a> {
    env: Box<dyn VectorEnv>,
    players: &'a [Player],
    meetings: Meetings<'a>,
    config: &'a TournamentConfig,
    schedule: &'a [ScheduledGame],
    /// The rules.
    game: &'a Arc<dyn AnyGame>,
    /// The game of each slot, as an index in the schedule: slot `i` of `n` plays games `i`, `i + n`, `i + 2n`, ...; past the end of the schedule
    /// it is idle.
    playing: Vec<usize>,
    /// Hash of the decisions so far, by slot.
    decisions: Vec<u64>,
    /// Copies of the games that keep their decisions, by slot; empty without a format for the texts of games.
    logs: Vec<SingleGame>,
    /// Words of its random stream that the chance before the start of the game took, by slot.
    drawn: Vec<u64>,
    /// Number of slots of the whole tournament.
    width: usize,
    /// For each player, a queue of the slots that wait for it.
    waiting: Vec<VecDeque<u32>>,
    /// Fixed request size of each player in slots, if it has one.
    rows: Vec<Option<usize>>,
    /// Requests and tokens of each player: of earlier calls, and at the start of this one.
    used: (Vec<Option<Usage>>, Vec<Option<Usage>>),
}

/// Number of slots for the games of a schedule. The games of a slot follow each other, and slots are independent of
/// each other.
pub(super) fn slots(games: usize, seats: usize, players: &[Player], config: &TournamentConfig) -> usize {
    let usual = if config.sprt.is_some() { TESTED_WIDTH } else { WIDTH };
    let rows: Vec<usize> = players.iter().filter_map(Player::rows).collect();
    let Some(&most) = rows.iter().max() else { return games.min(usual) };
    // Enough for a full request of every player that reads rows.
    let all = rows.iter().fold(0, |all: usize, &rows| all.saturating_add(rows));
    games.min(most.saturating_mul(seats).max(all).saturating_add(SPARE).max(usual))
}

/// The games to play, and the games played before.
pub(super) struct Part<'a> {
    pub(super) meetings: Meetings<'a>,
    pub(super) config: &'a TournamentConfig,
    /// The games to play.
    pub(super) schedule: &'a [ScheduledGame],
    /// Number of slots of the whole tournament.
    pub(super) width: usize,
    /// The slots to play.
    pub(super) slots: Range<usize>,
    /// Results of games that are not in the schedule.
    pub(super) carried: Played,
    /// Games in progress, and results of games in the schedule.
    pub(super) begun: Option<Checkpoint>,
}

/// Plays a part of a tournament until all games are finished, the sequential test has decided, or `interrupt` is
/// raised.
pub(super) fn play_games(
    game: &Arc<dyn AnyGame>,
    players: &[Player],
    part: Part<'_>,
    interrupt: &Interrupt,
    report: &mut dyn FnMut(&Progress<'_>) -> Result<()>,
) -> Result<Played> {
    let Part { meetings, config, schedule, width, slots, carried, begun } = part;
    let num_carried = carried.games.len();
    let to_play: usize = if width == 0 {
        0
    } else {
        slots.clone().map(|slot| schedule.len().saturating_sub(slot).div_ceil(width)).sum()
    };
    let all = num_carried + to_play;
    let mut monitor = config.sprt.map(|sprt| Monitor::new(sprt, game.spec().players));
    if let Some(monitor) = &mut monitor {
        monitor.add(&carried.games);
    }
    let rows: Vec<Option<usize>> = players.iter().map(Player::rows).collect();
    let reads_rows = rows.iter().any(Option::is_some);
    let batch = BatchConfig {
        num_envs: slots.len().max(1),
        first_game: slots.start as u64,
        // Further games must not repeat the random streams of the earlier ones.
        seed: if num_carried == 0 { config.seed } else { mixed(config.seed, num_carried) },
        threads: config.threads,
        // The end of a game is read before the next one begins.
        autoreset: AutoReset::Disabled,
        observation: if reads_rows { ObservationFormat::U8 } else { ObservationFormat::None },
        ..BatchConfig::default()
    };
    let rules = game.clone();
    // Large batches take seconds to set up.
    let mut env = match interruptible("ludovec begin", interrupt, move || rules.vector(batch)) {
        Err(Error::Interrupted(_)) => return Ok(begun.map_or(carried, |begun| begun.played)),
        made => made??,
    };
    env.interrupt_by(interrupt.clone());
    let n = slots.len();
    let mut table = GamesInProgress {
        decisions: vec![0; slots.len()],
        logs: Vec::new(),
        drawn: vec![0; slots.len()],
        playing: slots.collect(),
        width,
        waiting: vec![VecDeque::new(); players.len()],
        rows,
        used: (carried.usage.clone(), players.iter().map(Player::usage).collect()),
        env,
        game,
        players,
        meetings,
        config,
        schedule,
    };
    let Played { games: mut results, mut faults, .. } = match begun {
        Some(begun) => {
            let played = table.go_on(begun, n)?;
            table.used.0.clone_from(&played.usage);
            if let Some(monitor) = &mut monitor {
                monitor.add(&played.games[num_carried..]);
            }
            played
        }
        None => {
            (0..n).try_for_each(|slot| table.start(slot))?;
            carried
        }
    };
    (0..n as u32).for_each(|slot| table.wait(slot));
    let decided = |monitor: &Option<Monitor>| monitor.as_ref().and_then(Monitor::decided);
    let mut between = true;
    while results.len() < all && !interrupt.is_raised() && decided(&monitor).is_none() {
        let progress = Progress {
            table: &table,
            results: &results,
            faults: &faults,
            num_carried,
            all,
            between,
            decided: false,
            last: false,
        };
        report(&progress)?;
        if interrupt.is_raised() {
            break;
        }
        let finished = results.len();
        match table.round(&mut results, &mut faults) {
            Err(Error::Interrupted(_)) => {
                between = false;
                break;
            }
            played => played?,
        }
        if let Some(monitor) = &mut monitor {
            monitor.add(&results[finished..]);
        }
    }
    let shown = Played { games: results, faults, usage: table.usage() };
    let counted = match decided(&monitor) {
        Some(games) => first_games(&shown, games),
        None => shown.clone(),
    };
    let progress = Progress {
        table: &table,
        results: &shown.games,
        faults: &shown.faults,
        num_carried,
        all,
        between,
        decided: decided(&monitor).is_some(),
        last: true,
    };
    report(&progress)?;
    Ok(counted)
}

/// The results of the first games of a schedule.
fn first_games(played: &Played, games: u64) -> Played {
    Played {
        games: played.games.iter().filter(|result| result.game < games).cloned().collect(),
        faults: played.faults.iter().filter(|fault| fault.game < games).cloned().collect(),
        usage: played.usage.clone(),
    }
}

/// The seed of the games after `carried` earlier ones.
fn mixed(seed: u64, carried: usize) -> u64 {
    xxh3_64_with_seed(&(carried as u64).to_le_bytes(), seed)
}

/// Extends the hash of a game's decisions by one decision.
fn hashed(before: u64, action: ActionId) -> u64 {
    xxh3_64_with_seed(&action.to_le_bytes(), before)
}

/// A game in progress.
#[derive(Debug)]
pub struct Running {
    /// Its number in the schedule.
    pub number: usize,
    /// The players' names, by seat.
    pub names: Vec<String>,
    /// The position, without its history.
    pub game: SingleGame,
}

/// The progress of a tournament.
pub struct Progress<'a> {
    table: &'a GamesInProgress<'a>,
    results: &'a [GameResult],
    faults: &'a [Fault],
    num_carried: usize,
    all: usize,
    /// Whether the tournament is between two rounds of decisions.
    between: bool,
    /// Whether the sequential test has decided.
    decided: bool,
    /// Whether this is the last report of the call: all games are finished, or the tournament was interrupted.
    pub(super) last: bool,
}

impl std::fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress")
            .field("done", &self.done())
            .field("all", &self.all())
            .finish_non_exhaustive()
    }
}

impl Progress<'_> {
    /// Number of finished games.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.results.len() as u64
    }

    /// Total number of games.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.all as u64
    }

    /// A checkpoint to resume from; `None` in the middle of a round.
    ///
    /// # Errors
    /// None for a batch in this process.
    pub fn checkpoint(&self) -> Result<Option<Checkpoint>> {
        if !self.between {
            return Ok(None);
        }
        let table = self.table;
        let slots: Vec<u32> = (0..table.playing.len() as u32).collect();
        Ok(Some(Checkpoint {
            played: self.played(),
            carried: self.num_carried,
            playing: table.playing.clone(),
            decisions: table.decisions.clone(),
            samples: table.env.samples()?[..slots.len()].to_vec(),
            games: to_hex(&table.env.save(&slots)?),
        }))
    }

    fn played(&self) -> Played {
        Played { games: self.results.to_vec(), faults: self.faults.to_vec(), usage: self.table.usage() }
    }

    /// The standings of the finished games.
    pub fn standings(&self) -> TournamentResult {
        let table = self.table;
        let names: Vec<&str> = table.players.iter().map(Player::name).collect();
        let partial = self.results.len() < self.all && !self.decided;
        sum_up(table.env.game().spec(), table.meetings, table.config, &names, self.played(), partial)
    }

    /// Games in progress, at most `most`.
    ///
    /// # Errors
    /// None for a batch in this process.
    pub fn games(&self, most: usize) -> Result<Vec<Running>> {
        let table = self.table;
        let running = (0..table.playing.len()).filter(|&slot| table.playing[slot] < table.schedule.len());
        let shown = |slot: usize| {
            let scheduled = &table.schedule[table.playing[slot]];
            let number = scheduled.number as usize;
            let name = |&player: &usize| table.players[player].name().to_string();
            let names: Vec<String> = scheduled.seats.iter().map(name).collect();
            let mut game = table.env.single(slot as u32)?;
            // Names that are too long are omitted from the drawing.
            let _ = game.set_names(&names);
            Ok(Running { number, names, game })
        };
        running.take(most).map(shown).collect()
    }
}

impl GamesInProgress<'_> {
    /// Requests and tokens by player, in this call and the calls that it resumes.
    fn usage(&self) -> Vec<Option<Usage>> {
        let (mut all, before) = self.used.clone();
        let here = |(player, before): (&Player, Option<Usage>)| {
            player.usage().map(|now| now - before.unwrap_or_default())
        };
        let here: Vec<_> = self.players.iter().zip(before).map(here).collect();
        add_usage(&mut all, &here);
        all
    }

    /// Restores every slot from a checkpoint and returns the earlier results.
    fn go_on(&mut self, begun: Checkpoint, slots: usize) -> Result<Played> {
        let Checkpoint { played, playing, decisions, samples, games, .. } = begun;
        let counted = [playing.len(), decisions.len(), samples.len()] == [slots; 3];
        let scheduled = playing
            .iter()
            .zip(&self.playing)
            .all(|(now, first)| now.checked_sub(*first).is_some_and(|played| played % self.width == 0));
        if !counted || !scheduled || !played.fits(self.env.game().spec(), self.players.len()) {
            return Err(Error::state("a checkpoint of a tournament: it has other games"));
        }
        if slots == 0 {
            return Ok(played);
        }
        self.playing = playing;
        (0..slots).try_for_each(|slot| self.start(slot))?;
        let ids: Vec<u32> = (0..slots as u32).collect();
        self.env.restore(&ids, &from_hex(&games)?)?;
        self.env.set_samples(&samples)?;
        self.decisions = decisions;
        Ok(played)
    }

    /// Starts the game of a slot from its opening; the slot is already reset.
    fn start(&mut self, slot: usize) -> Result<()> {
        (self.decisions[slot], self.drawn[slot]) = (0, 0);
        let Some(scheduled) = self.schedule.get(self.playing[slot]) else { return Ok(()) };
        if let Some(start) = self.config.openings.start(self.game, self.config.seed, scheduled.round)? {
            self.env.restore(&[slot as u32], &start.snapshot)?;
            self.decisions[slot] = start.position;
            self.drawn[slot] = self.env.stream(slot as u32)?.1;
        }
        if self.config.games_as.is_some() {
            // Slots start in order; a slot that starts again replaces its log.
            let mut log = self.env.single(slot as u32)?;
            let name = |&player: &usize| self.players[player].name().to_string();
            // Names that are too long are left out.
            let _ = log.set_names(&scheduled.seats.iter().map(name).collect::<Vec<_>>());
            match self.logs.get_mut(slot) {
                Some(kept) => *kept = log,
                None => self.logs.push(log),
            }
        }
        Ok(())
    }

    /// Queues a slot for its current player.
    fn wait(&mut self, slot: u32) {
        if let Some(scheduled) = self.schedule.get(self.playing[slot as usize]) {
            let seat = self.env.columns().current_player[slot as usize] as usize;
            self.waiting[scheduled.seats[seat]].push_back(slot);
        }
    }

    /// Picks the players to ask next, each with its slots in increasing order.
    ///
    /// A player that reads rows is asked only when a full request waits. If no player has enough waiting slots, the one
    /// with the most is asked: for a full request that it pays for anyway, or for the largest power of two, so that no
    /// row is padding and there are few sizes.
    fn next(&mut self) -> Vec<(usize, Vec<u32>)> {
        let enough = |player: &usize| self.waiting[*player].len() >= self.rows[*player].unwrap_or(1);
        let mut asked: Vec<usize> = (0..self.players.len()).filter(enough).collect();
        if asked.is_empty() {
            asked.extend((0..self.players.len()).max_by_key(|&player| self.waiting[player].len()));
        }
        let mut take = |player: usize| {
            let waiting = &mut self.waiting[player];
            let most = match self.rows[player] {
                None => waiting.len(),
                Some(rows) if waiting.len() >= rows || self.players[player].pays_for_all_rows() => {
                    rows.min(waiting.len())
                }
                Some(_) => 1 << waiting.len().max(1).ilog2(),
            };
            let most = most.min(waiting.len());
            let mut ids: Vec<u32> = waiting.drain(..most).collect();
            ids.sort_unstable();
            (player, ids)
        };
        asked.into_iter().map(&mut take).collect()
    }

    /// Asks the picked players, plays their actions, and records the finished games.
    fn round(&mut self, results: &mut Vec<GameResult>, faults: &mut Vec<Fault>) -> Result<()> {
        let mut moves = Vec::new();
        let mut lost = Vec::new();
        for (player, ids) in self.next() {
            let mut actions = vec![0; ids.len()];
            self.players[player].act_in(&mut *self.env, &ids, &mut actions, &mut lost)?;
            moves.extend(ids.into_iter().zip(actions));
        }
        let number = |slot: u64| self.schedule[self.playing[slot as usize]].number;
        faults.extend(lost.into_iter().map(|f| Fault { game: number(f.game), ..f }));
        moves.sort_unstable();
        let (ids, actions): (Vec<u32>, Vec<ActionId>) = moves.into_iter().unzip();
        for (&slot, &action) in ids.iter().zip(&actions) {
            let decisions = &mut self.decisions[slot as usize];
            *decisions = hashed(*decisions, action);
            if let Some(log) = self.logs.get_mut(slot as usize) {
                log.step(action)?;
            }
        }
        note_moves(self.players, &*self.env, Some(&ids), &actions)?;
        step_in_slices(&mut *self.env, &ids, &actions)?;
        for slot in ids {
            if self.env.columns().done[slot as usize] != 0 {
                results.push(self.result(slot as usize)?);
                self.playing[slot as usize] += self.width;
                self.env.reset_games(&[slot], None)?;
                self.start(slot as usize)?;
            }
            self.wait(slot);
        }
        Ok(())
    }

    /// The result of the game just finished in a slot.
    ///
    /// A random stream that the game drew from is part of its identity: chance makes a game an independent sample, also
    /// of players that repeat themselves. The games of a run from one opening share a stream.
    fn result(&self, slot: usize) -> Result<GameResult> {
        let (stream, drawn) = self.env.stream(slot as u32)?;
        let mut decisions = self.decisions[slot];
        if drawn > self.drawn[slot] {
            decisions = xxh3_64_with_seed(bytemuck::bytes_of(&stream), decisions);
        }
        let columns = self.env.columns();
        let seats = columns.widths().rewards;
        let row = slot * seats..(slot + 1) * seats;
        let truncated = columns.truncated[slot] > 0;
        let returns = if truncated { vec![0.0; seats] } else { columns.final_returns[row.clone()].to_vec() };
        let text = self.logs.get(slot).zip(self.config.games_as.as_ref());
        let text = text.map(|(log, format)| format.text(&log.record())).transpose()?;
        Ok(GameResult {
            text,
            scores: columns.final_scores[row].to_vec(),
            length: columns.episode_length[slot] as u64,
            decisions,
            truncated,
            ..GameResult::of(&self.schedule[self.playing[slot]], returns)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::engine::{OptionValue, mask};
    use crate::games::GAMES;
    use crate::outside_bot::OutsideBot;
    use crate::player::DEFAULT_TIME_LIMIT;
    use crate::tournament::{Pairings, play};

    /// Plays the first legal action, in requests of four games; records the sizes of the requests.
    struct InFours(Arc<Mutex<Vec<usize>>>);

    impl OutsideBot for InFours {
        fn choose(&mut self, _: &[&SingleGame], _: &Interrupt) -> Vec<Result<u32, String>> {
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
    fn two_players_that_always_play_alike_repeat_two_games() {
        let game = crate::games::find("chess").unwrap().make([("max_steps", OptionValue::Int(30))]).unwrap();
        let first = |name: &str| Player::outside(name, InFours(Arc::default()));
        let config = TournamentConfig { games: 40, seed: 1, threads: Some(1), ..TournamentConfig::default() };
        let interrupt = Interrupt::default();
        let players = [first("one"), first("other")];
        let table = play(&game, &players, Pairings::RoundRobin, &config, &interrupt, |_, _| ()).unwrap();
        assert_eq!((table.games, table.repeated), (40, 38));
        for standing in &table.standings {
            assert_eq!((standing.games, standing.repeated), (40, 38));
            assert!(standing.margin > 50.0 && standing.win_margin > 0.3, "{standing:?}");
        }
        let random = Player::parse(&*game, "random", DEFAULT_TIME_LIMIT).unwrap();
        let players = [first("one"), random];
        let table = play(&game, &players, Pairings::RoundRobin, &config, &interrupt, |_, _| ()).unwrap();
        assert_eq!(table.repeated, 0);
    }

    #[test]
    fn players_with_fixed_request_sizes_get_full_requests() {
        for entry in GAMES {
            let game = entry.make([("max_steps", OptionValue::Int(30))]).unwrap();
            let asked: [Arc<Mutex<Vec<usize>>>; 2] = Default::default();
            let [one, other] =
                [0, 1].map(|i| Player::outside(["one", "other"][i], InFours(asked[i].clone())));
            let random = Player::parse(&*game, "random", DEFAULT_TIME_LIMIT).unwrap();
            let config =
                TournamentConfig { games: 60, seed: 1, threads: Some(1), ..TournamentConfig::default() };
            for players in [vec![one.clone(), random], vec![one, other]] {
                let interrupt = Interrupt::default();
                let table = play(&game, &players, Pairings::Random, &config, &interrupt, |_, _| ()).unwrap();
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
