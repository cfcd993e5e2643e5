//! Policy rollouts: actions of a position are compared by games that the policy of a network plays on from each.
//!
//! Sequential halving over the likeliest actions, with common random numbers: the k-th rollout of every action has the
//! same determinization, chance outcomes and noise of the policy's choices, so that differences of actions lose the
//! noise that they share.
//!
//! An action's score is its logit plus its advantage in standard errors. A few rollouts of a game that dice decide say
//! little, and the policy keeps its choice; where the rollouts agree, they overrule it.

use crate::engine::{
    ActionId, Analysis, AutoReset, BatchConfig, Forecast, Found, Interrupt, LegalActions, Position, Result,
    RewardMode, SingleGame, VectorEnv, margins_from_scores,
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

/// An action that is compared with others.
struct Candidate {
    /// Its place among the legal actions.
    place: usize,
    action: ActionId,
    logit: f64,
    /// Its rollouts: row k has the random stream k.
    games: Box<dyn VectorEnv>,
    /// The rewards of each rollout by seat, those of earlier phases first.
    rewards: Vec<Vec<f64>>,
    /// The scores of each rollout at the root, by seat: determinizations may differ in them.
    scores: Vec<Vec<f32>>,
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
    let most = visits(simulations, phases, 2);
    let config = BatchConfig {
        num_envs: (most * rollouts.count) as usize,
        autoreset: AutoReset::Disabled,
        threads,
        ..BatchConfig::default()
    };
    let candidate = |place: usize| {
        let (action, logit) = (found.legal[place], answers.logits[place].into());
        let games = game.game().vector(config.clone())?;
        Ok(Candidate { place, action, logit, games, rewards: Vec::new(), scores: Vec::new() })
    };
    let mut candidates = places.into_iter().map(candidate).collect::<Result<Vec<_>>>()?;
    for phase in 0..phases {
        let count = visits(simulations, phases, candidates.len()) * rollouts.count;
        let stream = xxh3_64_with_seed(&phase.to_le_bytes(), seed);
        for candidate in &mut candidates {
            candidate.begin(&Position::Json(&position), count, seat, stream)?;
        }
        play.on(&mut candidates, count, stream)?;
        for candidate in &candidates {
            found.rollouts[candidate.place] = candidate.rewards.len() as u32;
            found.means[candidate.place] = Some(candidate.mean(seat) as f32);
        }
        let mut ranked: Vec<_> = advantages(&candidates, seat).into_iter().zip(candidates).collect();
        let score = |(errors, candidate): &(f64, Candidate)| candidate.logit + EVIDENCE * errors;
        ranked.sort_by(|a, b| score(b).total_cmp(&score(a)));
        ranked.truncate(ranked.len().div_ceil(2));
        candidates = ranked.into_iter().map(|(_, candidate)| candidate).collect();
    }
    let best = &candidates[0];
    found.action = best.action;
    found.values = (0..found.values.len()).map(|seat| best.mean(seat) as f32).collect();
    Ok(found)
}

/// The advantage of each candidate over the mean of all for `seat`, in standard errors. The mean over the candidates is
/// taken off rollout by rollout, which is what their common random numbers are for.
fn advantages(candidates: &[Candidate], seat: usize) -> Vec<f64> {
    let (count, rollouts) = (candidates.len() as f64, candidates[0].rewards.len());
    let mean = |row: usize| candidates.iter().map(|one| one.rewards[row][seat]).sum::<f64>() / count;
    let means: Vec<f64> = (0..rollouts).map(mean).collect();
    let differences =
        |one: &Candidate| one.rewards.iter().zip(&means).map(|(row, mean)| row[seat] - mean).collect();
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

impl Candidate {
    /// Starts `count` rollouts after the action.
    fn begin(&mut self, root: &Position<'_>, count: u32, seat: usize, seed: u64) -> Result<()> {
        let ids: Vec<u32> = (0..count).collect();
        self.games.reset_games(&ids, Some(seed))?;
        self.games.set_position(0, *root)?;
        self.games.fork(&[0], &ids[1..], false)?;
        self.games.determinize(&ids, Some(seat), seed)?;
        let scores = |&id: &u32| Ok(self.games.single(id)?.scores());
        self.scores = ids.iter().map(scores).collect::<Result<_>>()?;
        self.games.step_games(&ids, &vec![self.action; ids.len()])
    }

    /// The mean reward of a seat over the rollouts, at least one.
    fn mean(&self, seat: usize) -> f64 {
        self.rewards.iter().map(|row| row[seat]).sum::<f64>() / self.rewards.len() as f64
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
    /// Plays `count` rollouts of each candidate on, and keeps their rewards.
    fn on(&self, candidates: &mut [Candidate], count: u32, seed: u64) -> Result<()> {
        // The rewards of the rollouts that are not played to their end, in the order of candidates and rows.
        let mut cut = Vec::new();
        for ply in 0.. {
            let running = running(candidates, count);
            if running.is_empty() {
                break;
            }
            let (observations, legal) = question(candidates, &running);
            let answers = self.network.answer(&observations, Some(&legal), self.threads, self.interrupt)?;
            if self.rollouts.plies.is_some_and(|plies| ply >= plies) {
                cut = self.cut(candidates, &running, &answers)?;
                break;
            }
            let mut actions = vec![(Vec::new(), Vec::new()); candidates.len()];
            for (k, &(number, row)) in running.iter().enumerate() {
                let range = legal.offsets[k] as usize..legal.offsets[k + 1] as usize;
                let noise = xxh3_64_with_seed(&(u64::from(row) << 32 | ply as u64).to_le_bytes(), seed);
                let action = sampled(&legal.actions[range.clone()], &answers.logits[range], noise);
                actions[number].0.push(row);
                actions[number].1.push(action);
            }
            for (candidate, (ids, actions)) in candidates.iter_mut().zip(&actions) {
                candidate.games.step_games(ids, actions)?;
            }
        }
        let mut cut = cut.into_iter();
        for candidate in candidates {
            let columns = candidate.games.columns();
            let seats = columns.final_returns.len() / columns.done.len();
            for row in 0..count as usize {
                if columns.done[row] == 0 {
                    candidate.rewards.extend(cut.next());
                    continue;
                }
                let of_row = row * seats..(row + 1) * seats;
                let mut rewards = match self.reward() {
                    RewardMode::Outcome => columns.final_returns[of_row].to_vec(),
                    _ => columns.final_scores[of_row].to_vec(),
                };
                self.finish(&mut rewards, &candidate.scores[row]);
                candidate.rewards.push(rewards.into_iter().map(f64::from).collect());
            }
        }
        Ok(())
    }

    /// The rewards so far and the values of the network, for rollouts that are not played to their end.
    fn cut(
        &self,
        candidates: &[Candidate],
        running: &[(usize, u32)],
        answers: &Answers,
    ) -> Result<Vec<Vec<f64>>> {
        let of = |(k, &(number, row)): (usize, &(usize, u32))| {
            let candidate = &candidates[number];
            let game = candidate.games.single(row)?;
            let seats = game.game().spec().players;
            let mut rewards = match self.reward() {
                RewardMode::Outcome => vec![0.0; seats],
                _ => game.scores(),
            };
            self.finish(&mut rewards, &candidate.scores[row as usize]);
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

/// The candidates and rows of the games that are not over.
fn running(candidates: &[Candidate], count: u32) -> Vec<(usize, u32)> {
    let of = |(number, candidate): (usize, &Candidate)| {
        let done = &candidate.games.columns().done;
        let rows = (0..count).filter(|&row| done[row as usize] == 0);
        rows.map(|row| (number, row)).collect::<Vec<_>>()
    };
    candidates.iter().enumerate().flat_map(of).collect()
}

/// Observations and legal actions of some games.
fn question(candidates: &[Candidate], running: &[(usize, u32)]) -> (Vec<u8>, LegalActions) {
    let mut observations = Vec::new();
    let mut legal = LegalActions { offsets: vec![0], actions: Vec::new() };
    for &(number, row) in running {
        let (columns, row) = (candidates[number].games.columns(), row as usize);
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
    use crate::engine::{AnyGame, Status};
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

    fn candidate(game: &SingleGame, action: ActionId) -> Candidate {
        let config = BatchConfig { num_envs: 6, autoreset: AutoReset::Disabled, ..BatchConfig::default() };
        let games = game.game().vector(config).unwrap();
        Candidate { place: 0, action, logit: 0.0, games, rewards: Vec::new(), scores: Vec::new() }
    }

    /// Plays six rollouts after an action; returns the sums of rewards.
    fn rewards(network: &FittedNetwork, game: &SingleGame, action: ActionId, plies: Option<u32>) -> Vec<f64> {
        let interrupt = Interrupt::default();
        let rollouts = Rollouts { count: 6, plies };
        let play = Play { network, rollouts, threads: Some(1), interrupt: &interrupt };
        let mut one = [candidate(game, action)];
        one[0].begin(&Position::Json(&game.position()), 6, game.current_player(), 7).unwrap();
        play.on(&mut one, 6, 7).unwrap();
        let rewards = &one[0].rewards;
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
            Candidate { rewards, ..candidate(&game, 0) }
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
            let network = named_network(game.spec(), "champion").unwrap();
            let rollouts = Rollouts::parse("2,plies=3").unwrap();
            for decisions in [5, 20, 60] {
                let root = position(&game, 4, decisions);
                let found = |game: &SingleGame| {
                    let found = compare(&network, 8, rollouts, game, Some(1), &Interrupt::default()).unwrap();
                    (found.action, found.rollouts, found.means, found.values)
                };
                let other = root.determinize(root.current_player(), 9).unwrap();
                assert_eq!(found(&root), found(&other), "{} after {decisions}", entry.id);
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
                let of = |action, seed| {
                    let interrupt = Interrupt::default();
                    let rollouts = Rollouts { count: 1, plies: Some(200) };
                    let play = Play { network: &network, rollouts, threads: None, interrupt: &interrupt };
                    let mut one = [candidate(&root, action)];
                    one[0].begin(&Position::Json(&root.position()), 1, seat, seed).unwrap();
                    play.on(&mut one, 1, seed).unwrap();
                    one[0].rewards[0][seat]
                };
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
