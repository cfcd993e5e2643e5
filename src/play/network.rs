//! Players that are networks: the policy alone, or a tree search with the network as leaf evaluator.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::every_action::value_every_action;
use super::levels::Strength;
use super::policy_rollouts::{Compared, Rollouts, compare, gumbel};
use super::thinking::alone;
use crate::engine::chance::StreamId;
use crate::engine::{
    Analysis, BatchConfig, CommonOptions, EXPLORE, Error, Forecast, Found, Interrupt, LegalActions, Logits,
    Result, SearchResults, SearchSettings, SingleGame, Spec, Status, TreeSearch, ValueForm, VectorEnv,
};
use crate::games;
use crate::player::NetworkText;
use ludovec_network::{Answers, FittedNetwork, Network, Precision, Source};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The word for the network shipped with a game.
pub(super) const CHAMPION: &str = "champion";
/// Size of the cache of networks.
const KEPT: usize = 16;

/// The cache of networks by name and a hash of their contents.
static KNOWN: Mutex<Option<KnownNetworks>> = Mutex::new(None);

/// Networks by name and hash of the contents.
type KnownNetworks = HashMap<(String, u128), Arc<Network>>;

/// The positions that a player searched in the current episode of every game of a batch, as snapshots.
#[derive(Default)]
struct Searched(Vec<(Option<StreamId>, Vec<Vec<u8>>)>);

impl Searched {
    /// Adds the positions of the games `ids`.
    fn note(&mut self, env: &dyn VectorEnv, ids: &[u32]) -> Result<()> {
        self.0.resize_with(env.config().num_envs, Default::default);
        for &id in ids {
            let (episode, positions) = &mut self.0[id as usize];
            let current = Some(env.stream(id)?.0);
            if *episode != current {
                *episode = current;
                positions.clear();
            }
            positions.push(env.save(&[id])?);
        }
        Ok(())
    }
}

/// A network as a player.
pub(super) struct NetworkPlayer {
    pub(super) fitted: FittedNetwork,
    /// Number of simulations; 0 for the policy alone.
    pub(super) simulations: u32,
    /// Whether searches have the noise of self-play, and begin afresh at every decision.
    explores: bool,
    /// Rollouts instead of trees.
    pub(super) rollouts: Option<Rollouts>,
    /// The level, for a weaker opponent.
    pub(super) level: Option<Strength>,
    /// Trees of the last batch.
    trees: Mutex<Option<Box<dyn TreeSearch>>>,
    /// The positions that the trees have searched, for [`Player::memory`](crate::player::Player::memory).
    searched: Mutex<Option<Searched>>,
    /// Simulations per second of the last search of a single game.
    pub(super) speed: Mutex<Option<f64>>,
}

impl NetworkPlayer {
    /// Parses `FILE[?precision=NAME][:SIMULATIONS[?explore | ?rollouts=K[,plies=H]]]`, with `champion` instead of the file
    /// for the shipped network, or with the `content` of the file; or `champion[?precision=NAME]?level=N` and `?elo=N`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the text is malformed or the network unsuitable.
    pub(super) fn parse(spec: &Spec, text: &str, content: Option<&[u8]>) -> Result<Self> {
        let NetworkText { file, simulations, precision, option, level } = NetworkText::split(text);
        let level = match level {
            None => None,
            Some(level) if file != CHAMPION || simulations.is_some() => {
                return Err(Error::config(format!(
                    "bot \"net:{text}\": levels have simulations of their own, and are of net:champion alone, as in \
                     \"net:champion?{level}\""
                )));
            }
            Some(level) => {
                Some(Strength::parse(spec, level).map_err(|allowed| {
                    Error::config(format!("bot \"net:{text}\": \"?{level}\": {allowed}"))
                })?)
            }
        };
        let most = SearchSettings::MAX_SIMULATIONS;
        let count = |number: &str| number.parse().ok().filter(|n| (1..=most).contains(n));
        let simulations = match simulations {
            None => 0,
            Some(number) => count(number).ok_or_else(|| {
                let example = format!("1 to {most} simulations are allowed, as in \"net:{file}:64\"");
                Error::config(format!("bot \"net:{text}\": {example}"))
            })?,
        };
        let simulations = level.map_or(simulations, |level| level.simulations);
        let rollouts = option.and_then(|option| Rollouts::parse(option.strip_prefix("rollouts=")?));
        let explores = option == Some(&EXPLORE[1..]);
        if let Some(option) = option.filter(|_| !explores && rollouts.is_none()) {
            let allowed = "?explore, ?rollouts=K or ?rollouts=K,plies=H is allowed, K and H from 1 to 10000";
            return Err(Error::config(format!("bot \"net:{text}\": \"?{option}\": {allowed}")));
        }
        let precision = precision.map(Precision::read).transpose().map_err(|error| match error {
            Error::InvalidConfig(what) => Error::config(format!("bot \"net:{text}\": {what}")),
            other => other,
        })?;
        if file.is_empty() {
            return Err(Error::config(
                "bot \"net:\": net:FILE or net:champion is needed, as in \"net:champion:64\"",
            ));
        }
        let of = |source: Source| known(&source.with_precision(precision))?.fit(spec);
        let fitted = match content {
            Some(bytes) => of(Source::of_bytes(file, bytes)?)?,
            None if file == CHAMPION => champion(spec.env, precision, |network| network.fit(spec))?,
            None => of(Source::read(Path::new(file))?)?,
        };
        let (trees, searched, speed) = (Mutex::new(None), Mutex::new(None), Mutex::new(None));
        Ok(Self { fitted, simulations, explores, rollouts, level, trees, searched, speed })
    }

    /// Starts to note the searched positions, if its searches continue earlier ones.
    pub(super) fn remember(&self) {
        if self.simulations > 0 && self.keeps_trees() && self.rollouts.is_none() {
            locked(&self.searched).get_or_insert_default();
        }
    }

    /// The noise of its decisions; 0 for none.
    pub(super) fn noise(&self) -> f32 {
        self.level.map_or(0.0, |level| level.noise)
    }

    /// Whether its trees stay between decisions. Noise is new at each of them.
    fn keeps_trees(&self) -> bool {
        !self.explores && self.noise() == 0.0
    }

    /// The positions that it searched in the current episode of every game, as snapshots.
    pub(super) fn memory(&self) -> Vec<Vec<Vec<u8>>> {
        let searched = locked(&self.searched);
        searched.iter().flat_map(|searched| &searched.0).map(|(_, positions)| positions.clone()).collect()
    }

    /// Searches the positions of a memory again, for games of a batch like `env`.
    ///
    /// # Errors
    /// [`Error::InvalidState`] if the memory is of other games, and as for [`NetworkPlayer::analyse`].
    pub(super) fn recall(&self, env: &dyn VectorEnv, memory: &[Vec<Vec<u8>>]) -> Result<()> {
        let BatchConfig { num_envs, threads, .. } = *env.config();
        if memory.len() > num_envs {
            return Err(Error::state(format!("a memory of {} games was given for {num_envs}", memory.len())));
        }
        (*locked(&self.trees), *locked(&self.searched)) = (None, Some(Searched::default()));
        let mut games = env.game().vector(BatchConfig { num_envs, threads, ..BatchConfig::default() })?;
        for round in 0..memory.iter().map(Vec::len).max().unwrap_or(0) {
            let has_more = |&id: &u32| memory[id as usize].len() > round;
            let ids: Vec<u32> = (0..memory.len() as u32).filter(has_more).collect();
            for &id in &ids {
                games.restore(&[id], &memory[id as usize][round])?;
            }
            self.choose_in(&*games, &ids, env.interrupt())?;
        }
        Ok(())
    }

    /// Its analysis of a running game.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the network's output is invalid, [`Error::Interrupted`] if `interrupt` is raised.
    pub(super) fn analyse(&self, game: &SingleGame, interrupt: &Interrupt) -> Result<Analysis> {
        let forecast = self.fitted.network().card().reward.into();
        if self.simulations == 0 {
            let (legal, answers) = self.ask(&[game], Some(1), interrupt)?;
            return Ok(analysis_of_answers(game, &legal, answers, forecast));
        }
        if let Some(rollouts) = self.rollouts {
            return Ok(self.compare(rollouts, game, Some(1), interrupt)?.analysis(forecast));
        }
        // An analysis depends on the position alone.
        let env = alone(game)?;
        let root = |trees: &mut dyn TreeSearch| trees.start(&*env, None);
        let stream = |_| Ok(game.stream().0);
        self.search_and(&*env, root, stream, interrupt, |trees, found| {
            analysis_of_search(trees, found, forecast)
        })
    }

    /// Its analysis of a running game with a value for every legal action, by `effort` times its simulations. The policy
    /// alone counts as one simulation.
    ///
    /// # Errors
    /// As for [`NetworkPlayer::analyse`].
    pub(super) fn advise(&self, game: &SingleGame, effort: u32, interrupt: &Interrupt) -> Result<Analysis> {
        if self.simulations == 0 && effort == 1 {
            return self.analyse(game, interrupt);
        }
        if let Some(rollouts) = self.rollouts {
            let (simulations, forecast) =
                (self.simulations.saturating_mul(effort), self.fitted.network().card().reward.into());
            let compared = compare(&self.fitted, simulations, rollouts, game, Some(1), interrupt)?;
            return Ok(compared.analysis(forecast));
        }
        let env = alone(game)?;
        let evaluate = &mut |observations: &[u8], legal: &LegalActions| {
            self.fitted.answer(observations, Some(legal), Some(1), interrupt)
        };
        let simulations = self.simulations.max(1).saturating_mul(effort);
        let settings = SearchSettings { simulations, ..self.settings_of_search(Some(1)) };
        advise_by_search(&*env, &settings, evaluate, self.fitted.network().card().reward.into(), interrupt)
    }

    /// Its choices in some games of a batch; it must be the current player in each of them.
    ///
    /// # Errors
    /// As for [`NetworkPlayer::analyse`].
    pub(super) fn choose_in(
        &self,
        env: &dyn VectorEnv,
        ids: &[u32],
        interrupt: &Interrupt,
    ) -> Result<Vec<(u32, Found)>> {
        if self.simulations == 0 {
            let games: Vec<_> = ids.iter().map(|&id| env.single(id)).collect::<Result<_>>()?;
            let games: Vec<&SingleGame> = games.iter().collect();
            let (legal, answers) = self.ask(&games, env.config().threads, interrupt)?;
            let players = answers.values.len() / games.len().max(1);
            let choice = |(i, game): (usize, &&SingleGame)| {
                let logits = &answers.logits[legal.offsets[i] as usize..legal.offsets[i + 1] as usize];
                let mut values = answers.values[i * players..][..players].to_vec();
                // The current player's value comes first.
                values.rotate_right(game.current_player());
                let found = Found { policy: softmax(logits), visits: Vec::new(), values };
                (likeliest(&legal, &answers, i), found)
            };
            return Ok(games.iter().enumerate().map(choice).collect());
        }
        if let Some(rollouts) = self.rollouts {
            let choice = |&id: &u32| {
                let game = env.single(id)?;
                Ok(self.compare(rollouts, &game, env.config().threads, interrupt)?.choice())
            };
            return ids.iter().map(choice).collect();
        }
        // Tree reuse: the part of a tree below the position of its game stays, also after the opponents' moves.
        let root = |trees: &mut dyn TreeSearch| match self.keeps_trees() {
            true => trees.follow(env, Some(ids)),
            false => trees.start(env, Some(ids)),
        };
        let stream = |id| Ok(env.stream(id)?.0);
        if let Some(searched) = &mut *locked(&self.searched) {
            searched.note(env, ids)?;
        }
        let found = self.search_and(env, root, stream, interrupt, |_, found| Ok(found));
        if found.is_err()
            && let Some(searched) = &mut *locked(&self.searched)
        {
            // The trees are lost.
            searched.0.clear();
        }
        let found = found?;
        let players = found.values.len() / env.config().num_envs;
        let choice = |&id: &u32| {
            let game = id as usize;
            let legal = found.legal.offsets[game] as usize..found.legal.offsets[game + 1] as usize;
            let of_game = Found {
                policy: found.policy[legal.clone()].to_vec(),
                visits: found.visits[legal].iter().map(|&visits| visits as u32).collect(),
                values: found.values[game * players..][..players].to_vec(),
            };
            (found.actions[game], of_game)
        };
        Ok(ids.iter().map(choice).collect())
    }

    /// Searches some games of a batch, and reads the trees. `stream` is the random stream of a game.
    fn search_and<T>(
        &self,
        env: &dyn VectorEnv,
        root: impl FnOnce(&mut dyn TreeSearch) -> Result<()>,
        stream: impl Fn(u32) -> Result<StreamId>,
        interrupt: &Interrupt,
        read: impl FnOnce(&mut dyn TreeSearch, SearchResults) -> Result<T>,
    ) -> Result<T> {
        let threads = env.config().threads;
        let mut kept = locked(&self.trees);
        // Kept trees are reused if they match the size of the batch. They are taken out of the lock, so an error in
        // the middle of a search drops them.
        let trees = kept.take().filter(|trees| trees.num_trees() == env.config().num_envs);
        let mut trees = match trees {
            Some(trees) => trees,
            None => self.plant(env)?,
        };
        let evaluate = &mut |observations: &[u8], legal: &LegalActions| {
            self.fitted.answer(observations, Some(legal), threads, interrupt)
        };
        root(&mut *trees)?;
        if self.noise() > 0.0 {
            expand_roots(&mut *trees, self.noise(), stream, evaluate)?;
        }
        let shared = |observations: &[u8], legal: &LegalActions| {
            let answers = self.fitted.answer(observations, Some(legal), Some(1), interrupt)?;
            Ok((answers.logits, answers.values))
        };
        trees.run_shared(&shared, interrupt)?;
        let found = trees.results()?;
        let read = read(&mut *trees, found)?;
        *kept = Some(trees);
        Ok(read)
    }

    fn compare(
        &self,
        rollouts: Rollouts,
        game: &SingleGame,
        threads: Option<usize>,
        interrupt: &Interrupt,
    ) -> Result<Compared> {
        compare(&self.fitted, self.simulations, rollouts, game, threads, interrupt)
    }

    /// The settings of its searches without noise.
    fn settings_of_search(&self, threads: Option<usize>) -> SearchSettings {
        let card = self.fitted.network().card();
        SearchSettings {
            simulations: self.simulations,
            method: card.method,
            c_init: card.c_init,
            gumbel_scale: 0.0,
            value: ValueForm::Seats,
            reward: Some(card.reward),
            one_ply: true,
            threads,
            // A fixed seed: the streams of the games tell them apart, and equal positions have equal answers.
            seed: Some(0),
            ..SearchSettings::default()
        }
    }

    /// Trees for a batch.
    fn plant(&self, env: &dyn VectorEnv) -> Result<Box<dyn TreeSearch>> {
        let (num_envs, threads) = (env.config().num_envs, env.config().threads);
        let settings = self.settings_of_search(threads);
        let settings = match self.explores {
            false => settings,
            true => SearchSettings {
                gumbel_scale: 1.0,
                dirichlet_fraction: 0.25,
                temperature_moves: 30,
                seed: None,
                ..settings
            },
        };
        env.game().tree_search(&BatchConfig { num_envs, threads, ..BatchConfig::default() }, settings)
    }

    /// The network's output for games, without a search.
    fn ask(
        &self,
        games: &[&SingleGame],
        threads: Option<usize>,
        interrupt: &Interrupt,
    ) -> Result<(LegalActions, Answers)> {
        let (observations, legal) = questions(games)?;
        let answers = self.fitted.answer(&observations, Some(&legal), threads, interrupt)?;
        Ok((legal, answers))
    }
}

/// A function that evaluates positions like a network: it maps observations of the current players and their legal
/// actions to one logit per legal action, and to values of the current player, or of every seat from the current player
/// on.
pub type Evaluate<'a> = dyn FnMut(&[u8], &LegalActions) -> Result<Answers> + 'a;

/// Analyses a game with a function. Its values predict the game's default rewards. Without `simulations`, there is no
/// search: the analysis is a single evaluation.
///
/// # Errors
/// [`Error::Refused`] if the game is finished, [`Error::InvalidConfig`] if the function's answers have the wrong form,
/// [`Error::Interrupted`] once `interrupt` is raised, and any error of the function.
pub fn analyse_by(
    game: &SingleGame,
    simulations: u32,
    evaluate: &mut Evaluate<'_>,
    interrupt: &Interrupt,
) -> Result<Analysis> {
    analyse_or_advise_by(game, simulations, false, evaluate, interrupt)
}

/// [`analyse_by`] with a value for every legal action, if there is a search.
///
/// # Errors
/// As for [`analyse_by`].
pub fn advise_by(
    game: &SingleGame,
    simulations: u32,
    evaluate: &mut Evaluate<'_>,
    interrupt: &Interrupt,
) -> Result<Analysis> {
    analyse_or_advise_by(game, simulations, true, evaluate, interrupt)
}

fn analyse_or_advise_by(
    game: &SingleGame,
    simulations: u32,
    values_all: bool,
    evaluate: &mut Evaluate<'_>,
    interrupt: &Interrupt,
) -> Result<Analysis> {
    if game.status() != Status::Running {
        return Err(Error::game_over("the game is finished"));
    }
    let rules = game.game();
    let players = rules.spec().players;
    let forecast = CommonOptions::read(&rules.spec().options).reward.into();
    let (observations, legal) = questions(&[game])?;
    let mut answers = evaluate(&observations, &legal)?;
    let value = match answers.values.len() {
        count if count == players => ValueForm::Seats,
        1 if players == 2 => ValueForm::Seat,
        count => {
            return Err(Error::config(format!(
                "values: one a seat, {players} a row, are needed, {count} were returned"
            )));
        }
    };
    if answers.logits.len() != legal.actions.len() {
        return Err(Error::config(format!(
            "logits: one a legal action, {}, are needed, {} were returned",
            legal.actions.len(),
            answers.logits.len()
        )));
    }
    if simulations == 0 {
        if value == ValueForm::Seat {
            // The game is zero-sum.
            answers.values.push(-answers.values[0]);
        }
        return Ok(analysis_of_answers(game, &legal, answers, forecast));
    }
    let env = alone(game)?;
    let threads = Some(1);
    let settings = SearchSettings {
        simulations,
        gumbel_scale: 0.0,
        value,
        one_ply: true,
        threads,
        ..SearchSettings::default()
    };
    if values_all {
        return advise_by_search(&*env, &settings, evaluate, forecast, interrupt);
    }
    analyse_by_search(&*env, settings, evaluate, forecast, interrupt)
}

/// The analysis of the only game of a batch by a search.
fn analyse_by_search(
    env: &dyn VectorEnv,
    settings: SearchSettings,
    evaluate: &mut Evaluate<'_>,
    forecast: Forecast,
    interrupt: &Interrupt,
) -> Result<Analysis> {
    let mut trees = env.game().tree_search(env.config(), settings)?;
    trees.start(env, None)?;
    let found = search(&mut *trees, evaluate, interrupt)?;
    analysis_of_search(&mut *trees, found, forecast)
}

/// [`analyse_by_search`] with a value for every legal action.
fn advise_by_search(
    env: &dyn VectorEnv,
    settings: &SearchSettings,
    evaluate: &mut Evaluate<'_>,
    forecast: Forecast,
    interrupt: &Interrupt,
) -> Result<Analysis> {
    let mut found = analyse_by_search(env, settings.clone(), evaluate, forecast, interrupt)?;
    value_every_action(&mut found, env, settings, &mut |trees| search(trees, evaluate, interrupt).map(drop))?;
    Ok(found)
}

/// Observations and legal actions of the current players of some games.
fn questions(games: &[&SingleGame]) -> Result<(Vec<u8>, LegalActions)> {
    let mut observations = Vec::new();
    let mut legal = LegalActions { offsets: vec![0], actions: Vec::new() };
    for game in games {
        observations.extend(game.observation(game.current_player())?);
        legal.actions.extend(game.legal_actions());
        legal.offsets.push(legal.actions.len() as i64);
    }
    Ok((observations, legal))
}

/// Evaluates the roots of new trees, with noise on their logits: an action with the highest sum is a sample of the policy
/// at the temperature `noise` (Gumbel-max trick). It depends on the position and the `stream` of the game alone.
fn expand_roots(
    trees: &mut dyn TreeSearch,
    noise: f32,
    stream: impl Fn(u32) -> Result<StreamId>,
    evaluate: &mut Evaluate<'_>,
) -> Result<()> {
    if trees.select()? == 0 {
        return Ok(());
    }
    let legal = trees.legal_actions()?;
    let mut answers = evaluate(trees.leaf_observations(), &legal)?;
    let leaves = trees.leaves();
    for row in 0..leaves.rows {
        let StreamId { seed, game, episode } = stream(leaves.tree[row] as u32)?;
        let words = [seed, game, episode].map(u64::to_le_bytes);
        let random = xxh3_64_with_seed(leaves.observation(row), xxh3_64(words.as_flattened()));
        let range = legal.offsets[row] as usize..legal.offsets[row + 1] as usize;
        for (&action, logit) in legal.actions[range.clone()].iter().zip(&mut answers.logits[range]) {
            *logit += noise * gumbel(action, random) as f32;
        }
    }
    trees.expand(Logits::Legal(&answers.logits), &answers.values)
}

/// Searches trees with roots to the end.
fn search(
    trees: &mut dyn TreeSearch,
    evaluate: &mut Evaluate<'_>,
    interrupt: &Interrupt,
) -> Result<SearchResults> {
    while trees.select()? > 0 {
        if interrupt.is_raised() {
            return Err(Error::interrupted("the search is not finished"));
        }
        let legal = trees.legal_actions()?;
        let answers = evaluate(trees.leaf_observations(), &legal)?;
        trees.expand(Logits::Legal(&answers.logits), &answers.values)?;
    }
    trees.results()
}

/// The analysis of a game from a single evaluation: shares are the softmax of the logits.
fn analysis_of_answers(
    game: &SingleGame,
    legal: &LegalActions,
    answers: Answers,
    forecast: Forecast,
) -> Analysis {
    let action = likeliest(legal, &answers, 0);
    let shares = legal.actions.iter().copied().zip(softmax(&answers.logits)).collect();
    // The current player's value comes first.
    let mut values = answers.values;
    values.rotate_right(game.current_player());
    Analysis::of_policy(action, shares, values, forecast)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Probabilities of logits.
fn softmax(logits: &[f32]) -> Vec<f32> {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f32> = logits.iter().map(|logit| (logit - highest).exp()).collect();
    let total: f32 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// Maximum length of a line of play in an analysis.
const LONGEST_LINE: usize = 32;

/// The analysis of a game by a tree search of this one game.
fn analysis_of_search(
    trees: &mut dyn TreeSearch,
    found: SearchResults,
    forecast: Forecast,
) -> Result<Analysis> {
    let action = found.actions[0];
    let actions = found.legal.actions.iter().copied();
    let visits: Vec<u32> = found.visits.iter().map(|&visits| visits as u32).collect();
    let shares = Analysis::shares_of_search(actions.clone().zip(visits.iter().copied()), action)
        .unwrap_or_else(|| actions.zip(found.policy).collect());
    let value = |((&visits, &proven), &q): ((&u32, &i8), &f32)| (visits > 0 || proven != 0).then_some(q);
    let action_values = visits.iter().zip(&found.proven).zip(&found.q).map(value).collect();
    let lines = trees.lines(0, LONGEST_LINE)?.into_iter().map(|line| line.actions);
    let line = lines.into_iter().find(|line| line[0] == action).unwrap_or_else(|| vec![action]);
    Ok(Analysis { action, shares, values: found.values, forecast, visits, action_values, line })
}

/// The most likely action of the policy in the `i`-th game; ties go to the lowest index.
fn likeliest(legal: &LegalActions, answers: &Answers, i: usize) -> u32 {
    let range = legal.offsets[i] as usize..legal.offsets[i + 1] as usize;
    let mut best = range.start;
    for i in range {
        if answers.logits[i] > answers.logits[best] {
            best = i;
        }
    }
    legal.actions[best]
}

/// The network named by a text, `FILE[?precision=NAME]` with `champion` instead of the file for the shipped network, under
/// the options of `spec`.
///
/// # Errors
/// [`Error::InvalidConfig`] if there is none or it does not support these options.
pub fn named_network(spec: &Spec, text: &str) -> Result<FittedNetwork> {
    let network = NetworkPlayer::parse(spec, text, None)?;
    match network.simulations {
        0 => Ok(network.fitted),
        _ => Err(Error::config(format!(
            "network {text:?}: a network without a number of simulations is needed"
        ))),
    }
}

/// The first network shipped with an environment that `fit` accepts, in its own precision or in another one.
///
/// # Errors
/// [`Error::InvalidConfig`] if there is none, and the first network's error if `fit` accepts none.
pub fn champion<T>(
    env: &str,
    precision: Option<Precision>,
    mut fit: impl FnMut(Arc<Network>) -> Result<T>,
) -> Result<T> {
    let mut refused = None;
    for bytes in games::find(env)?.champions {
        let network = known(&Source::of_bytes("net:champion", bytes)?.with_precision(precision))?;
        match fit(network) {
            Ok(fitted) => return Ok(fitted),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.unwrap_or_else(|| {
        Error::config(format!(
            "bot \"net:champion\": no network is shipped with {env}; net:FILE names one of your own"
        ))
    }))
}

/// Returns the cached network of a source, or reads it without holding the cache's lock.
fn known(source: &Source) -> Result<Arc<Network>> {
    let key = (source.name().to_owned(), source.digest());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known().get_or_insert_default().get(&key).cloned();
    if let Some(network) = found.filter(|network| network.is_here()) {
        return Ok(network);
    }
    let network = Arc::new(Network::from_source(source)?);
    let mut known = known();
    let known = known.get_or_insert_default();
    if known.len() >= KEPT {
        known.clear();
    }
    known.insert(key, network.clone());
    Ok(network)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::engine::AnyGame;
    use crate::player::{DEFAULT_TIME_LIMIT, Player, choose_actions};
    use crate::selfplay::{Limit, Recorder, run};
    use ludovec_network::random_files::{file, flat};

    /// A game, and the text of a network for it in a temporary file.
    struct Sample {
        game: Arc<dyn AnyGame>,
        path: PathBuf,
    }

    impl Sample {
        fn new(entry: &crate::engine::Entry, test: &str) -> Self {
            let game = entry.make([]).unwrap();
            let (parts, metadata) = flat(game.spec(), 6);
            let name = format!("ludovec-{test}-{}-{}.safetensors", entry.id, std::process::id());
            let path = std::env::temp_dir().join(name);
            fs::write(&path, file(&parts, &metadata)).unwrap();
            Self { game, path }
        }

        fn player(&self, simulations: &str) -> Result<Player> {
            Player::parse(
                &*self.game,
                &format!("net:{}{simulations}", self.path.display()),
                DEFAULT_TIME_LIMIT,
            )
        }
    }

    impl Drop for Sample {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.path);
        }
    }

    /// The actions in a batch over some steps; there must be no faults.
    fn moves(sample: &Sample, simulations: &str, threads: usize) -> Vec<Vec<u32>> {
        let config = BatchConfig { num_envs: 5, threads: Some(threads), seed: 3, ..BatchConfig::default() };
        let mut env = sample.game.clone().vector(config).unwrap();
        let players = [sample.player(simulations).unwrap()];
        let mut played = Vec::new();
        for _ in 0..12 {
            let (mut actions, mut faults) = (vec![0; 5], Vec::new());
            // Some steps leave out one game.
            let step = played.len();
            let who = |game, _| (game != step % 7).then_some(0);
            choose_actions(&players, who, &mut *env, &mut actions, &mut faults).unwrap();
            assert_eq!(faults, []);
            if step % 7 < 5 {
                actions[step % 7] = env.single((step % 7) as u32).unwrap().legal_actions()[0];
            }
            env.step(&actions).unwrap();
            played.push(actions);
        }
        played
    }

    #[test]
    fn networks_play_legal_moves_that_do_not_depend_on_threads() {
        for entry in games::GAMES {
            let sample = Sample::new(entry, "moves");
            for simulations in ["", ":6", "?precision=int8", "?precision=int8:6", ":4?rollouts=1,plies=2"] {
                let alone = moves(&sample, simulations, 1);
                assert_eq!(alone, moves(&sample, simulations, 2), "{}{simulations}", entry.id);
            }
        }
    }

    #[test]
    fn a_policy_chooses_the_likeliest_legal_action_alone_and_in_a_batch() {
        for entry in games::GAMES {
            let sample = Sample::new(entry, "likeliest");
            let player = sample.player("").unwrap();
            let fitted = Arc::new(Network::open(&sample.path).unwrap()).fit(sample.game.spec()).unwrap();
            let mut game = sample.game.clone().single(4);
            for _ in 0..20 {
                let action = player.act(&game, &Interrupt::default()).unwrap();
                assert_eq!(action.fault, None);
                let action = action.action;
                let seen = game.observation(game.current_player()).unwrap();
                let logits = fitted.answer(&seen, None, Some(1), &Interrupt::default()).unwrap().logits;
                let legal = game.legal_actions();
                let best = legal.iter().map(|&a| logits[a as usize]).fold(f32::NEG_INFINITY, f32::max);
                let first = legal.iter().copied().find(|&a| logits[a as usize] == best);
                assert_eq!(Some(action), first, "{}", entry.id);
                game.step(action).unwrap();
                if game.status() != Status::Running {
                    break;
                }
            }
        }
    }

    #[test]
    fn a_search_of_one_game_asks_the_network() {
        for entry in games::GAMES {
            let sample = Sample::new(entry, "search");
            let player = sample.player(":4").unwrap();
            let mut game = sample.game.clone().single(2);
            for _ in 0..4 {
                let decision = player.act(&game, &Interrupt::default()).unwrap();
                assert_eq!(
                    (&decision.fault, player.act(&game, &Interrupt::default()).unwrap()),
                    (&None, decision.clone())
                );
                game.step(decision.action).unwrap();
            }
        }
    }

    #[test]
    fn a_network_analyses_positions() {
        for entry in games::GAMES {
            let sample = Sample::new(entry, "thinks");
            for simulations in ["", ":8", ":8?rollouts=2,plies=3"] {
                let player = sample.player(simulations).unwrap();
                let mut game = sample.game.clone().single(5);
                for _ in 0..6 {
                    let analysis = player.analyse(&game, &Interrupt::default()).unwrap();
                    let decision = player.act(&game, &Interrupt::default()).unwrap();
                    let own = analysis.values[game.current_player()];
                    assert_eq!(
                        (decision.action, decision.estimate),
                        (analysis.action, Some(own)),
                        "{}",
                        entry.id
                    );
                    let (actions, shares): (Vec<u32>, Vec<f32>) = analysis.shares.into_iter().unzip();
                    assert_eq!(actions, game.legal_actions(), "{}", entry.id);
                    assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{}: {shares:?}", entry.id);
                    let choice = actions.iter().position(|&action| action == decision.action).unwrap();
                    let largest = shares.iter().copied().fold(0.0, f32::max);
                    assert_eq!(shares[choice], largest, "{}: no share is larger than the choice's", entry.id);
                    game.step(decision.action).unwrap();
                }
                // The values of a single game equal the values of the same game in a batch.
                let mut env =
                    sample.game.clone().vector(BatchConfig { seed: 5, ..BatchConfig::default() }).unwrap();
                let one = player.analyse(&env.single(0).unwrap(), &Interrupt::default()).unwrap();
                let seat = env.columns().current_player[0] as usize;
                let (mut actions, mut faults) = ([0], Vec::new());
                let who = |_, _| Some(0);
                let expected =
                    choose_actions(std::slice::from_ref(&player), who, &mut *env, &mut actions, &mut faults)
                        .unwrap();
                assert_eq!(actions[0], one.action, "{}", entry.id);
                assert!((expected[0].unwrap() - one.values[seat]).abs() < 1e-5, "{}", entry.id);
            }
        }
    }

    #[test]
    fn a_function_with_the_answers_of_a_network_gives_its_analysis() {
        for entry in games::GAMES {
            let sample = Sample::new(entry, "function");
            let network = Arc::new(Network::open(&sample.path).unwrap()).fit(sample.game.spec()).unwrap();
            let game = sample.game.clone().single(5);
            let mut evaluate = |observations: &[u8], legal: &LegalActions| {
                network.answer(observations, Some(legal), Some(1), &Interrupt::default())
            };
            let alone = analyse_by(&game, 0, &mut evaluate, &Interrupt::default()).unwrap();
            let player = sample.player("").unwrap();
            assert_eq!(alone, player.analyse(&game, &Interrupt::default()).unwrap(), "{}", entry.id);
            let searched = analyse_by(&game, 8, &mut evaluate, &Interrupt::default()).unwrap();
            assert_eq!(searched.shares.len(), game.legal_actions().len());
            // Answers of the wrong form are refused, with and without search.
            for simulations in [0, 8] {
                let mut wrong = |_: &[u8], legal: &LegalActions| {
                    let logits = vec![0.0; legal.actions.len()];
                    Ok(Answers { logits, values: vec![0.0; sample.game.spec().players + 1] })
                };
                let error = analyse_by(&game, simulations, &mut wrong, &Interrupt::default()).unwrap_err();
                assert!(error.to_string().contains("values"), "{error}");
            }
        }
    }

    #[test]
    fn expected_values_of_networks_are_recorded() {
        let sample = Sample::new(&games::GAMES[0], "kept");
        let config = BatchConfig { num_envs: 2, threads: Some(1), ..BatchConfig::default() };
        let mut env = sample.game.clone().vector(config).unwrap();
        let mut players = vec![sample.player("").unwrap(); sample.game.spec().players];
        players[0] = Player::parse(&*sample.game, "random", DEFAULT_TIME_LIMIT).unwrap();
        let mut records = Vec::new();
        let keep = |record| {
            records.push(record);
            Ok(())
        };
        let recorder = Recorder::new(&*env, 2, keep);
        run(&mut *env, &players, Limit::Games(2), Some(recorder), |_| ()).unwrap();
        assert_eq!(records.len(), 2);
        for record in &records {
            let said: Vec<bool> = record.estimates.iter().map(Option::is_some).collect();
            let asked: Vec<bool> = record.players.iter().map(|&seat| seat > 0).collect();
            assert_eq!(said, asked);
            crate::replay::replay(record, |_, _| Ok(())).unwrap();
        }
    }

    #[test]
    fn a_name_of_no_network_is_refused() {
        let sample = Sample::new(&games::GAMES[0], "texts");
        let refusal = |text: &str| {
            let error = Player::parse(&*sample.game, text, DEFAULT_TIME_LIMIT).expect_err("it is refused");
            let text = error.to_string();
            assert!(!text.contains('\n'), "{text}");
            text
        };
        assert!(refusal("net:").contains("net:FILE"));
        assert!(refusal("net:/no/such/file").contains("/no/such/file"));
        assert!(refusal("net:/no/such/file:64").contains("/no/such/file: "));
        assert!(refusal(&format!("net:{}:0", sample.path.display())).contains("1 to"));
        for option in ["rollouts=0", "rollouts=", "rollouts=4,plies=0", "rollouts=4,steps=3", "explores", ""]
        {
            let text = refusal(&format!("net:champion:8?{option}"));
            assert!(text.contains(&format!("\"?{option}\": ?explore, ?rollouts=K")), "{text}");
        }
        for text in ["net:champion?precision=half", "net:champion?precision=:64"] {
            let text = refusal(text);
            assert!(
                text.contains("net:champion") && text.contains("one of float, int8, int16 is allowed"),
                "{text}"
            );
        }
        assert!(refusal("net:/").contains("net:/") || refusal("net:/").contains("/: "));
        fs::write(&sample.path, "no network").unwrap();
        assert!(refusal(&format!("net:{}", sample.path.display())).contains("safetensors"));
        for other in games::GAMES.iter().filter(|entry| entry.id != games::GAMES[0].id) {
            let other = Sample::new(other, "other");
            assert!(refusal(&format!("net:{}", other.path.display())).contains("it plays"));
        }
    }
}
