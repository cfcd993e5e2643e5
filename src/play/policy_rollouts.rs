//! Policy rollouts: actions of a position are compared, and leaves of a tree evaluated, by games that the policy of a
//! network plays on from each.
//!
//! Sequential halving over the likeliest actions, with common random numbers: the k-th rollout of every action has the
//! same determinization, chance outcomes and noise of the policy's choices, so that differences of actions lose the
//! noise that they share.
//!
//! An action's score is its logit plus its advantage in standard errors. A few rollouts of a game that dice decide say
//! little, and the policy keeps its choice; where the rollouts agree, they overrule it.

use std::sync::Arc;

use crate::engine::{
    ActionId, Analysis, AutoReset, BatchConfig, Error, Forecast, Found, Interrupt, LegalActions, Logits,
    Position, Result, RewardMode, SingleGame, TreeSearch, ValueForm, VectorEnv, margins_from_scores,
};
use ludovec_network::{Answers, FittedNetwork};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Most actions that are compared: the likeliest ones.
const CONSIDERED: usize = 8;
/// Most rollouts of an evaluation.
const MOST: u32 = 10_000;
/// The weight of a standard error of advantage against a unit of the policy's logits.
const EVIDENCE: f64 = 1.5;
/// Most standard errors that count: rollouts without any spread have none.
const MOST_ERRORS: f64 = 50.0;

/// How a position is evaluated by rollouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rollouts {
    /// Rollouts of an evaluation.
    count: u32,
    /// Decisions of a rollout, after which the network's value counts; `None` plays to the end.
    plies: Option<u32>,
}

impl Rollouts {
    /// Parses `K` or `K,plies=H`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.parse().ok().filter(|number| (1..=MOST).contains(number));
        match text.split_once(",plies=") {
            None => Some(Self { count: number(text)?, plies: None }),
            Some((count, plies)) => Some(Self { count: number(count)?, plies: Some(number(plies)?) }),
        }
    }
}

/// Rollouts of one position, side by side.
#[derive(Debug)]
struct Games {
    /// Row k has the random stream k.
    games: Box<dyn VectorEnv>,
    /// The rewards of each rollout by seat, those of earlier phases first.
    rewards: Vec<Vec<f64>>,
    /// The scores of each rollout in its position, by seat: determinizations may differ in them.
    scores: Vec<Vec<f32>>,
}

/// An action that is compared with others.
struct Candidate {
    /// Its place among the legal actions.
    place: usize,
    action: ActionId,
    logit: f64,
    games: Games,
}

/// The findings of rollouts in a position.
pub(super) struct Compared {
    /// The best action.
    pub(super) action: ActionId,
    pub(super) legal: Vec<ActionId>,
    /// By legal action: the number of rollouts, and the mean reward of the current player.
    pub(super) rollouts: Vec<u32>,
    pub(super) means: Vec<Option<f32>>,
    /// The mean rewards after the best action, by seat; the network's values if there is one action alone.
    pub(super) values: Vec<f32>,
}

impl Compared {
    /// The shares of the rollouts: no action has a larger one than the best.
    fn shares(&self) -> Vec<f32> {
        let total: u32 = self.rollouts.iter().sum();
        let share = |&rollouts: &u32| rollouts as f32 / total.max(1) as f32;
        match total {
            0 => self.legal.iter().map(|&action| f32::from(action == self.action)).collect(),
            _ => self.rollouts.iter().map(share).collect(),
        }
    }

    /// The action, with the findings.
    pub(super) fn choice(self) -> (ActionId, Found) {
        (self.action, Found { policy: self.shares(), visits: self.rollouts, values: self.values })
    }

    /// The same as an analysis.
    pub(super) fn analysis(self, forecast: Forecast) -> Analysis {
        let shares = self.legal.iter().copied().zip(self.shares()).collect();
        Analysis {
            visits: self.rollouts,
            action_values: self.means,
            ..Analysis::of_policy(self.action, shares, self.values, forecast)
        }
    }
}

/// Compares the actions of a running game by `simulations` evaluations.
///
/// # Errors
/// [`Error::InvalidConfig`] if an output of the network is not finite, [`Error::Interrupted`].
pub(super) fn compare(
    network: &FittedNetwork,
    simulations: u32,
    rollouts: Rollouts,
    game: &SingleGame,
    threads: Option<usize>,
    interrupt: &Interrupt,
) -> Result<Compared> {
    let (seat, legal) = (game.current_player(), game.legal_actions());
    let observation = game.observation(seat)?;
    let question = LegalActions { offsets: vec![0, legal.len() as i64], actions: legal.clone() };
    let answers = network.answer(&observation, Some(&question), threads, interrupt)?;
    let mut places: Vec<usize> = (0..legal.len()).collect();
    // Stable: ties go to the lowest index.
    places.sort_by(|&a, &b| answers.logits[b].total_cmp(&answers.logits[a]));
    places.truncate(CONSIDERED.min(simulations as usize));
    let mut found = Compared {
        action: legal[places[0]],
        rollouts: vec![0; legal.len()],
        means: vec![None; legal.len()],
        values: answers.values,
        legal,
    };
    found.values.rotate_right(seat);
    if places.len() == 1 {
        return Ok(found);
    }
    // Equal positions have equal answers, and hidden information has no influence.
    let seed = xxh3_64(&observation);
    let play = Play { network, rollouts, threads, interrupt };
    let (phases, position) = ((places.len() - 1).ilog2() + 1, game.position());
    let most = visits(simulations, phases, 2) * rollouts.count;
    let candidate = |place: usize| {
        let (action, logit) = (found.legal[place], answers.logits[place].into());
        Ok(Candidate { place, action, logit, games: Games::of(game, most, threads)? })
    };
    let mut candidates = places.into_iter().map(candidate).collect::<Result<Vec<_>>>()?;
    for phase in 0..phases {
        let count = visits(simulations, phases, candidates.len()) * rollouts.count;
        let stream = xxh3_64_with_seed(&phase.to_le_bytes(), seed);
        for Candidate { games, action, .. } in &mut candidates {
            games.begin(&Position::Json(&position), count, Some(seat), stream)?;
            games.take(*action)?;
        }
        let mut games: Vec<&mut Games> =
            candidates.iter_mut().map(|candidate| &mut candidate.games).collect();
        play.on(&mut games, count, stream)?;
        for Candidate { place, games, .. } in &candidates {
            found.rollouts[*place] = games.rewards.len() as u32;
            found.means[*place] = Some(games.mean(seat) as f32);
        }
        let mut ranked: Vec<_> = advantages(&candidates, seat).into_iter().zip(candidates).collect();
        let score = |(errors, candidate): &(f64, Candidate)| candidate.logit + EVIDENCE * errors;
        ranked.sort_by(|a, b| score(b).total_cmp(&score(a)));
        ranked.truncate(ranked.len().div_ceil(2));
        candidates = ranked.into_iter().map(|(_, candidate)| candidate).collect();
    }
    let best = &candidates[0];
    found.action = best.action;
    found.values = (0..found.values.len()).map(|seat| best.games.mean(seat) as f32).collect();
    Ok(found)
}

/// The advantage of each candidate over the mean of all for `seat`, in standard errors. The mean over the candidates is
/// taken off rollout by rollout, which is what their common random numbers are for.
fn advantages(candidates: &[Candidate], seat: usize) -> Vec<f64> {
    let (count, rollouts) = (candidates.len() as f64, candidates[0].games.rewards.len());
    let mean = |row: usize| candidates.iter().map(|one| one.games.rewards[row][seat]).sum::<f64>() / count;
    let means: Vec<f64> = (0..rollouts).map(mean).collect();
    let differences =
        |one: &Candidate| one.games.rewards.iter().zip(&means).map(|(row, mean)| row[seat] - mean).collect();
    let differences: Vec<Vec<f64>> = candidates.iter().map(differences).collect();
    let of = |row: &Vec<f64>| row.iter().sum::<f64>() / rollouts as f64;
    let advantages: Vec<f64> = differences.iter().map(of).collect();
    let squares = differences.iter().zip(&advantages);
    let squares: f64 = squares.flat_map(|(row, mean)| row.iter().map(move |x| (x - mean).powi(2))).sum();
    // One rollout has no spread: its advantage counts as one standard error of the candidates' advantages.
    let variance = match rollouts {
        1 => advantages.iter().map(|advantage| advantage.powi(2)).sum::<f64>() / count,
        _ => squares / (count * (rollouts - 1) as f64) / rollouts as f64,
    };
    let error = variance.sqrt().max(f64::MIN_POSITIVE);
    advantages.iter().map(|advantage| (advantage / error).clamp(-MOST_ERRORS, MOST_ERRORS)).collect()
}

/// Evaluations of each of `actions` in a phase: the phases share the simulations.
fn visits(simulations: u32, phases: u32, actions: usize) -> u32 {
    (simulations / (phases * actions as u32)).max(1)
}

impl Games {
    /// Room for `count` rollouts of positions of a game.
    fn of(game: &SingleGame, count: u32, threads: Option<usize>) -> Result<Self> {
        let num_envs = count as usize;
        let config =
            BatchConfig { num_envs, autoreset: AutoReset::Disabled, threads, ..BatchConfig::default() };
        Ok(Self { games: game.game().vector(config)?, rewards: Vec::new(), scores: Vec::new() })
    }

    /// Sets `count` rollouts to a position, determinized for a player.
    fn begin(
        &mut self,
        position: &Position<'_>,
        count: u32,
        observer: Option<usize>,
        seed: u64,
    ) -> Result<()> {
        let ids: Vec<u32> = (0..count).collect();
        self.games.reset_games(&ids, Some(seed))?;
        self.games.set_position(0, *position)?;
        // Forks that are determinized are written after that.
        self.games.fork(&[0], &ids[1..], observer.is_none())?;
        if observer.is_some() {
            self.games.determinize(&ids, observer, seed)?;
        }
        self.scores = ids.iter().map(|&id| Ok(self.games.single(id)?.scores())).collect::<Result<_>>()?;
        Ok(())
    }

    /// Plays an action in all rollouts.
    fn take(&mut self, action: ActionId) -> Result<()> {
        let ids: Vec<u32> = (0..self.scores.len() as u32).collect();
        self.games.step_games(&ids, &vec![action; ids.len()])
    }

    /// The mean reward of a seat over the rollouts, at least one.
    fn mean(&self, seat: usize) -> f64 {
        self.rewards.iter().map(|row| row[seat]).sum::<f64>() / self.rewards.len() as f64
    }
}

/// The evaluator of a tree search by rollouts: the value of a leaf is the mean reward of games that the policy plays on
/// from it, its priors are the policy.
#[derive(Debug)]
pub struct LeafRollouts {
    network: Arc<FittedNetwork>,
    rollouts: Rollouts,
    threads: Option<usize>,
    /// The rollouts of each row of leaves.
    games: Vec<Games>,
}

impl LeafRollouts {
    /// Plays `count` games from each leaf, to the end or for so many `plies`, after which the network's value counts.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for numbers outside 1 to 10,000.
    pub fn new(
        network: Arc<FittedNetwork>,
        count: u32,
        plies: Option<u32>,
        threads: Option<usize>,
    ) -> Result<Self> {
        for (name, number) in [("rollouts", Some(count)), ("rollout_plies", plies)] {
            if let Some(number) = number.filter(|number| !(1..=MOST).contains(number)) {
                return Err(Error::config(format!("{name}={number}: 1 to {MOST} are allowed")));
            }
        }
        Ok(Self { network, rollouts: Rollouts { count, plies }, threads, games: Vec::new() })
    }

    /// Runs a search to the end.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the search adds up other rewards than the network's or an output of the network is not
    /// finite, [`Error::Interrupted`]: a later call resumes the search.
    pub fn run(&mut self, search: &mut dyn TreeSearch, interrupt: &Interrupt) -> Result<()> {
        loop {
            if interrupt.is_raised() {
                return Err(Error::Interrupted("the search is not finished, run it again to go on".into()));
            }
            match search.select()? {
                0 => return Ok(()),
                rows => self.expand(search, rows, interrupt)?,
            }
        }
    }

    fn expand(&mut self, search: &mut dyn TreeSearch, rows: usize, interrupt: &Interrupt) -> Result<()> {
        let count = self.rollouts.count;
        let (seed, form) = (search.settings().seed.unwrap_or(0), search.settings().value);
        // Padding follows the leaves.
        let leaves = search.leaves().tree.iter().filter(|&&tree| tree >= 0).count();
        for row in 0..leaves {
            let game = search.leaf_game(row)?;
            if self.games.len() == row {
                self.games.push(Games::of(&game, count, self.threads)?);
            }
            self.games[row].begin(&Position::Json(&game.position()), count, None, seed)?;
        }
        let mut games: Vec<&mut Games> = self.games[..leaves].iter_mut().collect();
        let first: Vec<(usize, u32)> = (0..leaves).map(|row| (row, 0)).collect();
        let (observations, legal) = question(&games, &first);
        let logits = self.network.answer(&observations, Some(&legal), self.threads, interrupt)?.logits;
        let play = Play { network: &self.network, rollouts: self.rollouts, threads: self.threads, interrupt };
        play.on(&mut games, count, seed)?;
        let seats = games.first().map_or(0, |games| games.rewards[0].len());
        let width = if form == ValueForm::Seat { 1 } else { seats };
        let mut values = Vec::with_capacity(rows * width);
        for (games, &player) in games.iter_mut().zip(search.leaves().current_player) {
            values.extend((0..width).map(|next| games.mean((player as usize + next) % seats) as f32));
            games.rewards.clear();
        }
        values.resize(rows * width, 0.0);
        search.expand(Logits::Legal(&logits), &values)
    }
}

/// The policy that plays on.
struct Play<'a> {
    network: &'a FittedNetwork,
    rollouts: Rollouts,
    threads: Option<usize>,
    interrupt: &'a Interrupt,
}

impl Play<'_> {
    /// Plays `count` rollouts of each position on, and keeps their rewards.
    fn on(&self, positions: &mut [&mut Games], count: u32, seed: u64) -> Result<()> {
        // The rewards of the rollouts that are not played to their end, in the order of positions and rows.
        let mut cut = Vec::new();
        for ply in 0.. {
            let running = running(positions, count);
            if running.is_empty() {
                break;
            }
            let (observations, legal) = question(positions, &running);
            let answers = self.network.answer(&observations, Some(&legal), self.threads, self.interrupt)?;
            if self.rollouts.plies.is_some_and(|plies| ply >= plies) {
                cut = self.cut(positions, &running, &answers)?;
                break;
            }
            let mut actions = vec![(Vec::new(), Vec::new()); positions.len()];
            for (k, &(number, row)) in running.iter().enumerate() {
                let range = legal.offsets[k] as usize..legal.offsets[k + 1] as usize;
                let noise = xxh3_64_with_seed(&(u64::from(row) << 32 | ply as u64).to_le_bytes(), seed);
                let action = sampled(&legal.actions[range.clone()], &answers.logits[range], noise);
                actions[number].0.push(row);
                actions[number].1.push(action);
            }
            for (position, (ids, actions)) in positions.iter_mut().zip(&actions) {
                position.games.step_games(ids, actions)?;
            }
        }
        let mut cut = cut.into_iter();
        for position in positions {
            let columns = position.games.columns();
            let seats = columns.final_returns.len() / columns.done.len();
            for row in 0..count as usize {
                if columns.done[row] == 0 {
                    position.rewards.extend(cut.next());
                    continue;
                }
                let of_row = row * seats..(row + 1) * seats;
                let mut rewards = match self.reward() {
                    RewardMode::Outcome => columns.final_returns[of_row].to_vec(),
                    _ => columns.final_scores[of_row].to_vec(),
                };
                self.finish(&mut rewards, &position.scores[row]);
                position.rewards.push(rewards.into_iter().map(f64::from).collect());
            }
        }
        Ok(())
    }

    /// The rewards so far and the values of the network, for rollouts that are not played to their end.
    fn cut(
        &self,
        positions: &[&mut Games],
        running: &[(usize, u32)],
        answers: &Answers,
    ) -> Result<Vec<Vec<f64>>> {
        let of = |(k, &(number, row)): (usize, &(usize, u32))| {
            let position = &positions[number];
            let game = position.games.single(row)?;
            let seats = game.game().spec().players;
            let mut rewards = match self.reward() {
                RewardMode::Outcome => vec![0.0; seats],
                _ => game.scores(),
            };
            self.finish(&mut rewards, &position.scores[row as usize]);
            let values = &answers.values[k * seats..(k + 1) * seats];
            // The current player's value comes first.
            let value = |seat: usize| values[(seat + seats - game.current_player()) % seats];
            Ok(rewards.iter().enumerate().map(|(seat, reward)| f64::from(reward + value(seat))).collect())
        };
        running.iter().enumerate().map(of).collect()
    }

    fn reward(&self) -> RewardMode {
        self.network.network().card().reward
    }

    /// Scores as rewards since the root.
    fn finish(&self, rewards: &mut [f32], root: &[f32]) {
        if self.reward() != RewardMode::Outcome {
            rewards.iter_mut().zip(root).for_each(|(reward, before)| *reward -= before);
        }
        if self.reward() == RewardMode::Margin {
            margins_from_scores(rewards);
        }
    }
}

/// The positions and rows of the games that are not over.
fn running(positions: &[&mut Games], count: u32) -> Vec<(usize, u32)> {
    let of = |(number, position): (usize, &&mut Games)| {
        let done = &position.games.columns().done;
        let rows = (0..count).filter(|&row| done[row as usize] == 0);
        rows.map(|row| (number, row)).collect::<Vec<_>>()
    };
    positions.iter().enumerate().flat_map(of).collect()
}

/// Observations and legal actions of some games.
fn question(positions: &[&mut Games], running: &[(usize, u32)]) -> (Vec<u8>, LegalActions) {
    let mut observations = Vec::new();
    let mut legal = LegalActions { offsets: vec![0], actions: Vec::new() };
    for &(number, row) in running {
        let (columns, row) = (positions[number].games.columns(), row as usize);
        let width = columns.widths().observations;
        observations.extend_from_slice(&columns.observations[row * width..(row + 1) * width]);
        legal.actions.extend(columns.legal_actions(row));
        legal.offsets.push(legal.actions.len() as i64);
    }
    (observations, legal)
}

/// An action drawn from the policy: the Gumbel-max trick, with noise that depends on the action and `noise` alone.
fn sampled(actions: &[ActionId], logits: &[f32], noise: u64) -> ActionId {
    let key = |(&action, &logit): (&ActionId, &f32)| f64::from(logit) + gumbel(action, noise);
    let keys = actions.iter().zip(logits).map(|pair| (*pair.0, key(pair)));
    keys.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(action, _)| action)
}

/// The Gumbel noise of an action. `libm` gives the same on every platform.
pub(super) fn gumbel(action: ActionId, noise: u64) -> f64 {
    let bits = xxh3_64_with_seed(&action.to_le_bytes(), noise);
    let uniform = ((bits >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    -libm::log(-libm::log(uniform))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::{AnyGame, SearchResults, SearchSettings, Status};
    use crate::games::GAMES;
    use crate::network::named_network;

    /// A running position after at most so many random moves.
    fn position(game: &Arc<dyn AnyGame>, seed: u64, decisions: usize) -> SingleGame {
        let mut reached = game.clone().single(seed);
        for _ in 0..decisions {
            let mut next = reached.clone();
            next.step(next.bot_action("random").unwrap()).unwrap();
            if next.status() != Status::Running {
                break;
            }
            reached = next;
        }
        reached
    }

    /// Plays rollouts after an action of a position; returns their rewards.
    fn played(
        network: &FittedNetwork,
        rollouts: Rollouts,
        game: &SingleGame,
        action: ActionId,
        seed: u64,
    ) -> Vec<Vec<f64>> {
        let interrupt = Interrupt::default();
        let play = Play { network, rollouts, threads: Some(1), interrupt: &interrupt };
        let mut games = Games::of(game, rollouts.count, Some(1)).unwrap();
        let (position, player) = (game.position(), game.current_player());
        games.begin(&Position::Json(&position), rollouts.count, Some(player), seed).unwrap();
        games.take(action).unwrap();
        play.on(&mut [&mut games], rollouts.count, seed).unwrap();
        games.rewards
    }

    /// The results of a tree search of a position with rollouts at its leaves.
    fn searched(network: &Arc<FittedNetwork>, game: &SingleGame) -> SearchResults {
        let mut env = game.game().vector(BatchConfig { num_envs: 1, ..BatchConfig::default() }).unwrap();
        env.set_position(0, Position::Json(&game.position())).unwrap();
        let settings = SearchSettings {
            simulations: 4,
            value: ValueForm::Seats,
            reward: Some(network.network().card().reward),
            seed: Some(3),
            ..SearchSettings::default()
        };
        let mut search = game.game().tree_search(env.config(), settings).unwrap();
        search.start(&*env, None).unwrap();
        let mut rollouts = LeafRollouts::new(network.clone(), 2, Some(2), Some(1)).unwrap();
        rollouts.run(&mut *search, &Interrupt::default()).unwrap();
        assert!(search.leaf_game(0).is_err(), "no leaf waits");
        search.results().unwrap()
    }

    /// The sums of rewards of six rollouts after an action.
    fn rewards(network: &FittedNetwork, game: &SingleGame, action: ActionId, plies: Option<u32>) -> Vec<f64> {
        let rewards = played(network, Rollouts { count: 6, plies }, game, action, 7);
        assert_eq!(rewards.len(), 6);
        (0..rewards[0].len()).map(|seat| rewards.iter().map(|row| row[seat]).sum()).collect()
    }

    #[test]
    fn rollouts_of_an_action_have_common_random_numbers() {
        for entry in GAMES {
            let game = entry.make([]).unwrap();
            let network = named_network(game.spec(), "champion").unwrap();
            let root = position(&game, 3, 12);
            let action = root.legal_actions()[0];
            let first = rewards(&network, &root, action, Some(4));
            assert_eq!(first, rewards(&network, &root, action, Some(4)), "{}", entry.id);
        }
    }

    #[test]
    fn advantages_are_counted_in_standard_errors_of_paired_differences() {
        let game = crate::games::find("chess").unwrap().make([]).unwrap().single(0);
        let with = |rewards: &[f64]| {
            let rewards = rewards.iter().map(|&reward| vec![reward, -reward]).collect();
            let games = Games { rewards, ..Games::of(&game, 1, Some(1)).unwrap() };
            Candidate { place: 0, action: 0, logit: 0.0, games }
        };
        // What the rollouts of a row share takes no part: the second action is better by 1 in each row.
        let shared = [with(&[10.0, -10.0, 0.5]), with(&[11.0, -9.0, 1.5])];
        assert_eq!(advantages(&shared, 0), [-MOST_ERRORS, MOST_ERRORS]);
        assert_eq!(advantages(&shared, 1), [MOST_ERRORS, -MOST_ERRORS]);
        let luck = [with(&[1.0, -1.0, 1.0]), with(&[-1.0, 1.0, 1.0])];
        assert_eq!(advantages(&luck, 0), [0.0, 0.0]);
        // The advantage is 0.5, its standard error 0.5.
        let little = [with(&[1.0, -1.0, 1.0, 1.0]), with(&[-1.0, 1.0, -1.0, -1.0])];
        let errors = advantages(&little, 0);
        assert!((errors[0] - 1.0).abs() < 1e-9 && (errors[1] + 1.0).abs() < 1e-9, "{errors:?}");
        let one = advantages(&[with(&[1.0]), with(&[-1.0])], 0);
        assert_eq!(one, [1.0, -1.0]);
        assert_eq!(advantages(&[with(&[0.5]), with(&[0.5])], 0), [0.0, 0.0]);
    }

    #[test]
    fn hidden_information_has_no_influence() {
        for entry in GAMES {
            let game = entry.make([]).unwrap();
            let network = Arc::new(named_network(game.spec(), "champion").unwrap());
            let rollouts = Rollouts::parse("2,plies=3").unwrap();
            for decisions in [5, 20, 60] {
                let root = position(&game, 4, decisions);
                let found = |game: &SingleGame| {
                    let found = compare(&network, 8, rollouts, game, Some(1), &Interrupt::default()).unwrap();
                    (found.action, found.rollouts, found.means, found.values)
                };
                let other = root.determinize(root.current_player(), 9).unwrap();
                assert_eq!(found(&root), found(&other), "{} after {decisions}", entry.id);
                assert_eq!(searched(&network, &root), searched(&network, &other), "{}", entry.id);
            }
        }
    }

    #[test]
    fn rollouts_to_the_end_earn_what_the_game_pays() {
        for (id, options) in [("tilewe", vec![("players", 2.into())]), ("chess", vec![])] {
            let game = crate::games::find(id).unwrap().make(options).unwrap();
            let network = named_network(game.spec(), "champion").unwrap();
            // The last position of a random game: each action that ends it ends all rollouts.
            let root = position(&game, 5, 10_000);
            let mut ends = 0;
            for action in root.legal_actions() {
                let mut end = root.clone();
                end.step(action).unwrap();
                if end.status() == Status::Running {
                    continue;
                }
                ends += 1;
                let mut paid = match network.network().card().reward {
                    RewardMode::Outcome => end.returns(),
                    _ => {
                        end.scores().iter().zip(root.scores()).map(|(after, before)| after - before).collect()
                    }
                };
                if network.network().card().reward == RewardMode::Margin {
                    margins_from_scores(&mut paid);
                }
                let paid: Vec<f64> = paid.into_iter().map(|reward| 6.0 * f64::from(reward)).collect();
                assert_eq!(rewards(&network, &root, action, None), paid, "{id}: {action}");
            }
            assert!(ends > 0, "{id}");
        }
    }

    /// `cargo test -p ludovec-play --release -- --ignored --nocapture common_random`: the variance of the difference of two
    /// actions with common random numbers, as a share of the variance with independent ones.
    #[test]
    #[ignore = "a measurement"]
    fn variance_of_differences_with_common_random_numbers() {
        for entry in GAMES {
            let game = entry.make([]).unwrap();
            let network = named_network(game.spec(), "champion").unwrap();
            let (mut common, mut independent, mut positions) = (0.0, 0.0, 0);
            for seed in 0..12 {
                let root = position(&game, seed, 10 + 4 * seed as usize);
                let (seat, legal) = (root.current_player(), root.legal_actions());
                if legal.len() < 2 {
                    continue;
                }
                let rollouts = Rollouts { count: 1, plies: Some(200) };
                let of = |action, seed| played(&network, rollouts, &root, action, seed)[0][seat];
                let rounds: Vec<(f64, f64)> = (0..40).map(|k| (of(legal[0], k), of(legal[1], k))).collect();
                let variance = |values: Vec<f64>| {
                    let mean = values.iter().sum::<f64>() / values.len() as f64;
                    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64
                };
                common += variance(rounds.iter().map(|(a, b)| a - b).collect());
                independent += variance(rounds.iter().map(|pair| pair.0).collect());
                independent += variance(rounds.iter().map(|pair| pair.1).collect());
                positions += 1;
            }
            println!("{}: {:.2} of the variance, {positions} positions", entry.id, common / independent);
        }
    }
}
