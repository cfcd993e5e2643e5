//! The search trees of a batch: all trees are searched side by side, and their leaves form one batch of rows.

use std::any::Any;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use serde_json::Value;

use crate::batch::env::BatchEnv;
use crate::contract::Game;
use crate::contract::rules::Rules;
use crate::contract::spec::{ActionId, Spec};
use crate::contract::support::error::{Error, Result};
use crate::contract::support::memory::{self, vec_of};
use crate::dynamic::calls;
use crate::dynamic::columns::PlaceColumn;
use crate::dynamic::config::BatchConfig;
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::leaves::{LeafBuffers, Leaves, LegalActions, Logits};
use crate::dynamic::tree_search::{
    Evaluator, SearchLine, SearchResults, SearchSettings, SearchStats, SharedEvaluator, TreeSearch, ValueForm,
};
use crate::dynamic::vector::VectorEnv;
use crate::forest::group::{Group, LeafAnswers, Rooting};
use crate::search::context::SearchContext;
use crate::search::game_tree::GameTree;
use crate::search::tree::{ROOT, TREE};
use crate::single::erased::erase;
use crate::single::game::SingleGame;
use crate::threads::Threads;

/// Calls over at least this many trees first check the memory for paths and tasks, which are allocated without a check
/// of their own.
const MANY: usize = 64;

/// One tree per game of a batch of a known type. See [`TreeSearch`] for its methods.
///
/// ```
/// use std::sync::Arc;
/// use ludovec_engine::{
///     ActionId, BatchConfig, BatchEnv, Evaluator, Forest, Game, Interrupt, Result, SearchSettings, TreeSearch,
/// };
///
/// /// The best first actions of `num_envs` games, by playouts.
/// fn first_actions<G: Game>(rules: &Arc<G>, num_envs: usize) -> Result<Vec<ActionId>> {
///     let env = BatchEnv::new(rules.clone(), BatchConfig { num_envs, ..BatchConfig::default() })?;
///     let settings = SearchSettings { simulations: 50, ..SearchSettings::default() };
///     let mut search = Forest::new(rules.clone(), &BatchConfig { num_envs, ..BatchConfig::default() }, settings)?;
///     search.start(&env, None)?;
///     search.run(Evaluator::Playout, &Interrupt::default())?;
///     Ok(search.actions())
/// }
/// ```
pub struct Forest<G: Game> {
    context: Arc<SearchContext<G>>,
    num_trees: usize,
    groups: Vec<Holder<G>>,
    /// The group with the current leaves.
    turn: usize,
    /// Number of rows waiting for [`TreeSearch::expand`].
    waiting: usize,
    started: bool,
    /// Whether the trees have had roots: they keep their memory.
    has_room: bool,
    /// The worker thread; only with two groups.
    worker: Option<Worker>,
}

/// Double buffering: a thread that works on one group while the network evaluates the leaves of the other. The thread
/// ends with the search.
struct Worker {
    jobs: Sender<Box<dyn FnOnce() + Send>>,
}

impl Worker {
    /// # Errors
    /// [`Error::InvalidConfig`] if the thread cannot be started.
    fn start() -> Result<Self> {
        let (jobs, queue) = channel::<Box<dyn FnOnce() + Send>>();
        let work = move || queue.iter().for_each(|job| job());
        let started = thread::Builder::new().name("ludovec search".into()).spawn(work);
        started.map_err(|e| Error::config(format!("groups=2: no thread could be started: {e}")))?;
        Ok(Self { jobs })
    }

    fn give(&self, job: Box<dyn FnOnce() + Send>) {
        // Sending fails only if the thread has panicked. The group is then lost, and `Holder::wait` reports it.
        let _ = self.jobs.send(job);
    }
}

/// The location of a group of trees.
enum Holder<G: Game> {
    Here(Box<Group<G>>),
    /// The worker thread, which backs up its leaves and descends, and sends the group back. Channels are compiled for
    /// every type that they carry, so groups go through them as `Any`.
    Away(Receiver<Box<dyn Any + Send>>),
    /// In transit, while it is handed over.
    Moving,
}

impl<G: Game> Holder<G> {
    /// The group; waits until the worker thread sends it back.
    fn wait(&mut self) -> &mut Group<G> {
        if let Self::Away(receiver) = self {
            let group = receiver.recv().expect("the thread sends the group back unless it panics");
            *self = Self::Here(group.downcast().expect("the thread sends the group that it was given"));
        }
        match self {
            Self::Here(group) => group,
            _ => unreachable!("a group is here, or a thread has it"),
        }
    }

    /// The group, which must not be in the worker thread.
    fn here(&self) -> &Group<G> {
        match self {
            Self::Here(group) => group,
            _ => unreachable!("calls that look at trees wait for them first"),
        }
    }

    /// Runs `work` on the group in the worker thread.
    fn send(&mut self, worker: &Worker, work: impl FnOnce(&mut Group<G>) + Send + 'static) {
        self.wait();
        let (back, receiver) = channel::<Box<dyn Any + Send>>();
        if let Self::Here(mut group) = std::mem::replace(self, Self::Moving) {
            worker.give(Box::new(move || {
                work(&mut group);
                // Sending fails if the search was dropped meanwhile.
                let _ = back.send(group);
            }));
        }
        *self = Self::Away(receiver);
    }
}

/// Refuses `ValueForm::Seat`, one value per leaf, if the game needs a value for every seat.
fn check_value_form(spec: &Spec, settings: &SearchSettings, is_zero_sum: bool) -> Result<()> {
    if settings.value != ValueForm::Seat || spec.players == 1 {
        return Ok(());
    }
    if spec.players > 2 {
        return Err(Error::config(format!(
            "value=\"seat\": one value is enough for two seats, {} has {}; value=\"seats\" is needed",
            spec.env, spec.players
        )));
    }
    if !is_zero_sum {
        return Err(Error::config(
            "value=\"seat\": scores are not zero-sum; value=\"seats\", reward=\"margin\" or reward=\"outcome\" is needed",
        ));
    }
    Ok(())
}

impl<G: Game> std::fmt::Debug for Forest<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Forest")
            .field("env", &Rules::spec(&*self.context.game).env)
            .field("num_trees", &self.num_trees)
            .finish_non_exhaustive()
    }
}

impl<G: Game> Forest<G> {
    /// Trees for batches of this game under this configuration.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for settings that are out of range or do not fit the game.
    pub fn new(game: Arc<G>, config: &BatchConfig, settings: SearchSettings) -> Result<Self> {
        settings.check()?;
        let context = SearchContext::new(game, settings.clone());
        let threads = Threads::for_rules(&*context.game, settings.threads, false)?.map(Arc::new);
        let num_trees = config.num_envs;
        let groups = (settings.groups as usize).min(num_trees);
        let worker = (groups > 1).then(Worker::start).transpose()?;
        let bounds: Vec<_> = (0..=groups).map(|i| num_trees * i / groups).collect();
        let groups = bounds
            .windows(2)
            .map(|bounds| {
                let group = Group::new(&context, config, bounds[0]..bounds[1], threads.clone())?;
                Ok(Holder::Here(Box::new(group)))
            })
            .collect::<Result<_>>()?;
        let context = Arc::new(context);
        Ok(Self { context, num_trees, groups, turn: 0, waiting: 0, started: false, has_room: false, worker })
    }

    /// Roots the trees of the games `ids`; all other trees stop or, if `rooting` follows, rest.
    fn root(&mut self, env: &dyn VectorEnv, ids: Option<&[u32]>, rooting: Rooting<'_>) -> Result<()> {
        let spec = Rules::spec(&*self.context.game);
        let game = env.game();
        let other = game.spec();
        if (other.env, &other.options) != (spec.env, &spec.options) {
            return Err(Error::config(format!(
                "the trees were made for {} under other options or another environment than {}",
                spec.env, other.env
            )));
        }
        let num_envs = env.config().num_envs;
        if num_envs != self.num_trees {
            return Err(Error::config(format!(
                "the search has {} trees, the batch {num_envs} games",
                self.num_trees
            )));
        }
        if let Some(ids) = ids {
            calls::check_ids(ids, num_envs)?;
        }
        if !self.has_room {
            // Checked as a whole: where many trees find no memory one after the other, none is left for their errors.
            memory::check(GameTree::bytes_reserved(&self.context).saturating_mul(num_envs), TREE)?;
        }
        // Games in another process are copied to this one.
        let local = (env as &dyn Any).downcast_ref::<BatchEnv<G>>();
        let copied = match local {
            Some(_) => Vec::new(),
            None => {
                let all: Vec<u32> = (0..num_envs as u32).collect();
                BatchEnv::<G>::copy_games(&self.context.game, &env.save(&all)?)?
            }
        };
        let position = |tree: usize| local.map_or_else(|| copied[tree].position(), |env| env.position(tree));
        let is_selected = |tree: usize| ids.is_none_or(|ids| ids.binary_search(&(tree as u32)).is_ok());
        (self.turn, self.waiting, self.started) = (0, 0, false);
        let mut result = Ok(());
        for place in &mut self.groups {
            let group = place.wait();
            let started =
                group.start(&self.context, &|tree| is_selected(tree).then(|| position(tree)), rooting);
            result = result.and(started);
        }
        self.started = result.is_ok();
        self.has_room |= self.started;
        result
    }

    /// Waits until the worker thread has returned all groups.
    fn gather(&mut self) {
        for place in &mut self.groups {
            place.wait();
        }
    }

    /// A tree, once all groups are here, and its game.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if there is no such tree.
    fn tree(&mut self, tree: usize) -> Result<(&GameTree<G>, &G)> {
        self.gather();
        let found = self.trees().nth(tree);
        let missing = || Error::config(format!("tree {tree}: trees 0 to {} exist", self.num_trees - 1));
        Ok((found.ok_or_else(missing)?, &self.context.game))
    }

    fn trees(&self) -> impl Iterator<Item = &GameTree<G>> {
        self.groups.iter().flat_map(|place| &place.here().trees)
    }
}

/// Appends the results of a tree, with `policy` as its policy.
fn add_result<G: Game>(
    results: &mut SearchResults,
    context: &SearchContext<G>,
    tree: &GameTree<G>,
    policy: &[f32],
) {
    let (actions, expanded) = (tree.tree.actions(ROOT), tree.tree.expanded(ROOT));
    let mut order: Vec<usize> = (0..actions.len()).collect();
    order.sort_unstable_by_key(|&i| actions[i]);
    for i in order {
        let visits = if i < expanded.len() { expanded.visits(i) } else { 0 };
        let has_value = visits > 0 || i < expanded.len() && expanded.is_certain(i);
        results.legal.actions.push(actions[i]);
        results.policy.push(policy[i]);
        results.visits.push(visits as i32);
        results.q.push(if has_value { expanded.q(i) as f32 } else { 0.0 });
        results.proven.push(tree.proven_sign(context, i));
    }
    let best = tree.best_values(context);
    results.values.extend(best[..context.players].iter().map(|&value| value as f32));
    results.mean_values.extend(tree.tree.values(ROOT).iter().map(|&value| value as f32));
}

impl<G: Game> TreeSearch for Forest<G> {
    fn settings(&self) -> &SearchSettings {
        &self.context.settings
    }
    fn num_trees(&self) -> usize {
        self.num_trees
    }

    fn start(&mut self, env: &dyn VectorEnv, ids: Option<&[u32]>) -> Result<()> {
        self.root(env, ids, Rooting::Afresh)
    }

    fn follow(&mut self, env: &dyn VectorEnv, ids: Option<&[u32]>) -> Result<()> {
        self.root(env, ids, Rooting::Following)
    }

    fn advance(&mut self, env: &dyn VectorEnv, actions: &[ActionId]) -> Result<()> {
        calls::check_actions(actions.len(), self.num_trees)?;
        let rooting = if self.context.settings.reuse { Rooting::After(actions) } else { Rooting::Afresh };
        self.root(env, None, rooting)
    }

    fn select(&mut self) -> Result<usize> {
        if !self.started {
            return Err(Error::config("select before start: no roots were set"));
        }
        if self.waiting > 0 {
            return Ok(self.waiting);
        }
        if self.num_trees > MANY {
            memory::check(0, TREE)?;
        }
        let groups = self.groups.len();
        for _ in 0..groups {
            let group = self.groups[self.turn].wait();
            group.descend(&self.context);
            group.check_starved()?;
            self.waiting = group.rows();
            if self.waiting > 0 {
                // The worker thread descends the other groups while the network evaluates these leaves.
                for other in (0..groups).filter(|&other| other != self.turn) {
                    if let (Holder::Here(group), Some(worker)) = (&self.groups[other], &self.worker)
                        && !group.is_ready()
                    {
                        let context = self.context.clone();
                        self.groups[other].send(worker, move |group| group.descend(&context));
                    }
                }
                return Ok(self.waiting);
            }
            self.turn = (self.turn + 1) % groups;
        }
        self.gather();
        Ok(0)
    }

    fn group(&self) -> usize {
        self.turn
    }

    fn buffers(&mut self) -> Vec<LeafBuffers> {
        self.groups.iter_mut().map(|place| LeafBuffers::of(&place.wait().columns)).collect()
    }

    unsafe fn place_observations(&mut self, place: &mut PlaceColumn<'_>) -> Result<()> {
        if self.started {
            return Err(Error::config("out: the search has begun"));
        }
        for group in &mut self.groups {
            // Safety: the caller vouches for the memory.
            unsafe { group.wait().place_observations(place) }?;
        }
        Ok(())
    }

    fn leaf_observations(&self) -> &[u8] {
        let columns = match self.waiting {
            0 => return &[],
            _ => &self.groups[self.turn].here().columns,
        };
        &columns.observations[..self.waiting * columns.widths().observations]
    }

    fn leaves(&self) -> Leaves<'_> {
        let spec = Rules::spec(&*self.context.game);
        let none = Leaves {
            rows: self.waiting,
            num_actions: spec.num_actions as usize,
            num_values: if self.context.settings.value == ValueForm::Seat { 1 } else { spec.players },
            observations: &[],
            observations_f32: &[],
            mask_bits: &[],
            current_player: &[],
            tree: &[],
        };
        if self.waiting == 0 {
            return none;
        }
        let columns = &self.groups[self.turn].here().columns;
        let widths = columns.widths();
        Leaves {
            observations: &columns.observations[..self.waiting * widths.observations],
            observations_f32: &columns.observations_f32[..self.waiting * widths.observations_f32],
            mask_bits: &columns.mask_bits[..self.waiting * widths.mask_bits],
            current_player: &columns.current_player[..self.waiting],
            tree: &columns.tree[..self.waiting],
            ..none
        }
    }

    fn check_values(&self) -> Result<()> {
        let context = &self.context;
        check_value_form(Rules::spec(&*context.game), &context.settings, context.is_zero_sum())
    }

    fn legal_actions(&self) -> Result<LegalActions> {
        if self.waiting == 0 {
            return Ok(LegalActions { offsets: vec![0], actions: Vec::new() });
        }
        self.groups[self.turn].here().legal_actions()
    }

    fn leaf_game(&mut self, row: usize) -> Result<SingleGame> {
        let leaf =
            (row < self.waiting).then(|| self.groups[self.turn].wait().leaf(&self.context, row)).flatten();
        let what = || Error::config(format!("leaf_game: no leaf waits in row {row}"));
        let (state, chance) = leaf.ok_or_else(what)?;
        Ok(SingleGame::from_position(erase(self.context.game.clone()), Arc::new(state), chance, 0))
    }

    fn add_reward(&mut self, extra: &[f32]) -> Result<()> {
        if self.waiting == 0 {
            return Err(Error::config("add_reward before select: no leaves wait"));
        }
        self.groups[self.turn].wait().add_reward(&self.context, extra)
    }

    fn expand(&mut self, logits: Logits<'_>, values: &[f32]) -> Result<()> {
        if self.waiting == 0 {
            return Err(Error::config("expand before select: no leaves wait"));
        }
        self.check_values()?;
        let place = &mut self.groups[self.turn];
        let answer = LeafAnswers { logits, values };
        place.wait().take_in(&self.context, &answer)?;
        self.waiting = 0;
        let Some(worker) = &self.worker else {
            self.groups[0].wait().back_up(&self.context);
            return Ok(());
        };
        let context = self.context.clone();
        self.groups[self.turn].send(worker, move |group| {
            group.back_up(&context);
            group.descend(&context);
        });
        self.turn = (self.turn + 1) % self.groups.len();
        Ok(())
    }

    fn run(&mut self, evaluator: Evaluator, interrupt: &Interrupt) -> Result<()> {
        if !self.started {
            return Err(Error::config("run before start: no roots were set"));
        }
        if evaluator != Evaluator::Null && !self.context.pays_outcomes() {
            return Err(Error::config(
                "playouts and estimates predict outcomes: reward=\"outcome\" is needed",
            ));
        }
        let context = match evaluator {
            Evaluator::Null => self.context.clone(),
            _ => Arc::new(
                SearchContext::new(self.context.game.clone(), self.context.settings.clone()).for_playouts(),
            ),
        };
        for place in &mut self.groups {
            place.wait().run(&context, evaluator, interrupt);
        }
        self.waiting = 0;
        for place in &mut self.groups {
            place.wait().check_starved()?;
        }
        if interrupt.is_raised() {
            return Err(Error::Interrupted("the search is not finished, run it again to go on".into()));
        }
        Ok(())
    }

    fn run_shared(&mut self, evaluator: &SharedEvaluator<'_>, interrupt: &Interrupt) -> Result<()> {
        if !self.started {
            return Err(Error::config("run before start: no roots were set"));
        }
        self.check_values()?;
        self.waiting = 0;
        let mut result = Ok(());
        for place in &mut self.groups {
            result = result.and_then(|()| place.wait().run_shared(&self.context, evaluator, interrupt));
        }
        result?;
        for place in &mut self.groups {
            place.wait().check_starved()?;
        }
        if interrupt.is_raised() {
            return Err(Error::Interrupted("the search is not finished, run it again to go on".into()));
        }
        Ok(())
    }

    fn actions(&mut self) -> Vec<ActionId> {
        self.gather();
        self.trees().map(|tree| tree.decide(&self.context)).collect()
    }

    fn results(&mut self) -> Result<SearchResults> {
        let actions = self.actions();
        let legal: usize =
            self.trees().filter(|tree| tree.is_active()).map(|tree| tree.tree.actions(ROOT).len()).sum();
        const WHAT: &str = "the results of a search";
        let mut results = SearchResults {
            actions,
            legal: LegalActions { offsets: vec_of(self.num_trees + 1, WHAT)?, actions: vec_of(legal, WHAT)? },
            policy: vec_of(legal, WHAT)?,
            visits: vec_of(legal, WHAT)?,
            q: vec_of(legal, WHAT)?,
            proven: vec_of(legal, WHAT)?,
            values: vec_of(self.num_trees * self.context.players, WHAT)?,
            mean_values: vec_of(self.num_trees * self.context.players, WHAT)?,
        };
        results.legal.offsets.push(0);
        let mut policy = Vec::new();
        for tree in self.trees() {
            if tree.is_active() {
                policy.clear();
                tree.policy(&self.context, &mut policy);
                add_result(&mut results, &self.context, tree, &policy);
            } else {
                results.values.resize(results.values.len() + self.context.players, 0.0);
                results.mean_values.resize(results.values.len(), 0.0);
            }
            results.legal.offsets.push(results.legal.actions.len() as i64);
        }
        Ok(results)
    }

    fn stats(&mut self) -> SearchStats {
        self.gather();
        let mut stats = SearchStats::default();
        let (mut depths, mut terminal) = (0, 0);
        for tree in self.trees() {
            stats.trees += u64::from(tree.is_active());
            stats.full += u64::from(tree.full);
            stats.proven += u64::from(tree.is_proven());
            stats.bytes += tree.bytes() as u64;
            stats.simulations += tree.counters.simulations;
            stats.nodes += tree.counters.nodes;
            depths += tree.counters.depths;
            terminal += tree.counters.terminal;
        }
        let simulations = stats.simulations.max(1) as f64;
        (stats.mean_depth, stats.terminal_share) =
            (depths as f64 / simulations, terminal as f64 / simulations);
        stats
    }

    fn tree_json(&mut self, tree: usize, depth: usize) -> Result<Value> {
        let (found, game) = self.tree(tree)?;
        let spell = |node, action| game.action_to_string(found.state(node), action);
        Ok(if found.is_active() { found.tree.to_json(ROOT, depth, &spell) } else { Value::Null })
    }

    fn lines(&mut self, tree: usize, depth: usize) -> Result<Vec<SearchLine>> {
        let (found, game) = self.tree(tree)?;
        let spell = |node, action| game.action_to_string(found.state(node), action);
        Ok(if found.is_active() { found.tree.lines(ROOT, depth, &spell) } else { Vec::new() })
    }
}
