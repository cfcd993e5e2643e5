//! One game with its history: for people, notebooks, tests, records.
//!
//! Speed does not matter here, so chance is passed as `dyn Chance`: rules are compiled once for play in batches
//! and once for everything else.

use std::sync::Arc;

use serde_json::Value;

use crate::engine::bots::policy::Policy;
use crate::engine::bots::random::bot_chance;
use crate::engine::contract::chance::{
    Chance, ChanceOutcome, EnumeratedOutcomes, RecordedChance, ScriptedChance, SeededChance, StreamId,
};
use crate::engine::contract::drawing::shortened;
use crate::engine::contract::error::{Error, Result};
use crate::engine::contract::options::CommonOptions;
use crate::engine::contract::picture::Caption;
use crate::engine::contract::reward::outcome_from_ranks;
use crate::engine::contract::rules::{Status, position_bytes};
use crate::engine::contract::view::{Marks, Place, View};
use crate::engine::contract::words::{CompoundAction, Step};
use crate::engine::contract::{Game, mask};
use crate::engine::faces::analysis::Analysis;
use crate::engine::faces::any_game::AnyGame;
use crate::engine::faces::calls;
use crate::engine::faces::interrupt::Interrupt;
use crate::engine::faces::record::{LogEntry, Record};
use crate::engine::faces::single::{MAX_NAME, Outcomes, SingleGame};
use crate::engine::single::document;
use crate::engine::single::history::History;
use crate::engine::single::overlay::{self, Marked};

/// A game of one kind with its history.
pub(crate) struct SinglePlay<G: Game> {
    game: Arc<G>,
    state: G::State,
    chance: SeededChance,
    /// Whether the first position was drawn at the set-up; otherwise it was given.
    drawn: bool,
    setup: Arc<[u32]>,
    /// Decisions that were taken before the first position.
    before: usize,
    /// Decisions after which the game is truncated.
    max_steps: Option<u32>,
    history: History<G::State>,
    /// How many of the steps led to another position than the next one began from: the game was determinized after them.
    /// Records begin after them, and they are not taken back.
    redrawn: usize,
    /// What the players are called; empty when nobody has a name.
    names: Arc<[String]>,
}

impl<G: Game> Clone for SinglePlay<G> {
    fn clone(&self) -> Self {
        Self {
            game: self.game.clone(),
            chance: self.chance.clone(),
            setup: self.setup.clone(),
            history: self.history.clone(),
            names: self.names.clone(),
            ..*self
        }
    }
}

impl<G: Game> SinglePlay<G> {
    /// The game that a batch plays with this stream.
    pub(crate) fn new(game: Arc<G>, stream: StreamId) -> Self {
        let mut chance = SeededChance::new(stream);
        let mut recorded = RecordedChance::new(&mut chance);
        let state = game.init(&mut recorded as &mut dyn Chance);
        let setup = recorded.into_outcomes().into();
        Self { drawn: true, setup, ..Self::from_position(game, state, chance, 0) }
    }

    /// A new game under given chance outcomes, all of which must be drawn.
    pub(crate) fn from_script(game: Arc<G>, setup: &[u32]) -> Result<Self> {
        let mut script = ScriptedChance::new(setup);
        let state = game.init(&mut script as &mut dyn Chance);
        script.finish()?;
        let chance = SeededChance::from_seed(0);
        Ok(Self { drawn: true, setup: setup.into(), ..Self::from_position(game, state, chance, 0) })
    }

    /// A game that begins from `state`, which came about by `before` decisions.
    pub(crate) fn from_position(game: Arc<G>, state: G::State, chance: SeededChance, before: usize) -> Self {
        let max_steps = CommonOptions::read(&game.spec().options).max_steps;
        Self {
            game,
            state,
            chance,
            drawn: false,
            setup: [].into(),
            before,
            max_steps,
            history: History::new(),
            redrawn: 0,
            names: [].into(),
        }
    }

    /// The random source of a bot that is asked in this position.
    fn bot_chance(&self) -> SeededChance {
        let StreamId { seed, game, .. } = self.chance.id();
        bot_chance(StreamId { seed, game, episode: self.history.len() as u64 })
    }

    /// The stream of the game, if set-up and steps drew exactly the outcomes that the stream gives from its start.
    fn whole_stream(&self) -> Option<StreamId> {
        let mut chance = SeededChance::new(self.chance.id());
        let mut gives = |outcomes: &[u32], draw: &mut dyn FnMut(&mut dyn Chance)| {
            let mut recorded = RecordedChance::new(&mut chance);
            draw(&mut recorded);
            recorded.into_outcomes() == outcomes
        };
        let set_up = !self.drawn
            || gives(&self.setup, &mut |chance| {
                self.game.init(chance);
            });
        let whole = set_up
            && self.history.from(self.redrawn).into_iter().all(|step| {
                gives(&step.chance, &mut |chance| self.game.step(&mut { step.before }, step.action, chance))
            });
        whole.then(|| self.chance.id())
    }

    fn check_index(&self, action: u32) -> Result<()> {
        let n = self.game.spec().num_actions;
        if action < n {
            Ok(())
        } else {
            Err(Error::illegal(format!("action {action}: actions are 0 to {}", n - 1)))
        }
    }

    fn check_seat(&self, seat: usize) -> Result<()> {
        calls::check_seat(seat, self.game.spec().players)
    }

    /// The actions that are marked, with their shares of all weights.
    fn marked(&self, marks: &Marks) -> Result<Vec<Marked>> {
        let n = self.game.spec().num_actions as usize;
        if !marks.weights.is_empty() && marks.weights.len() != n {
            let given = marks.weights.len();
            return Err(Error::config(format!("{given} weights: one for each of {n} actions is needed")));
        }
        if let Some(weight) = marks.weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
            return Err(Error::config(format!("weight {weight}: finite numbers from 0 on are allowed")));
        }
        let names = self.names();
        let marked = |action: u32, share| Marked {
            object: self.game.action_to_json(&self.state, action),
            words: self.game.action_in_words(&self.state, action, &names),
            share,
        };
        marks.actions.iter().try_for_each(|&action| self.check(action))?;
        let shown = marks.actions.iter().map(|&action| marked(action, None));
        // Weights of illegal actions are ignored.
        let weighed = || {
            let legal = if marks.weights.is_empty() { Vec::new() } else { self.legal_actions() };
            legal.into_iter().map(|action| (action, f64::from(marks.weights[action as usize])))
        };
        let total: f64 = weighed().map(|(_, weight)| weight).sum();
        let weighed = weighed().filter(|(_, weight)| *weight > 0.0);
        let weighed = weighed.map(|(action, weight)| marked(action, Some(weight / total)));
        Ok(shown.chain(weighed).collect())
    }

    /// The position in words, as a seat may know it.
    fn description(&self, seat: Option<usize>) -> String {
        let names = self.names();
        let mut words = Vec::new();
        if seat.is_none() || !self.game.spec().hidden_information {
            let scores = names.iter().zip(self.scores()).map(|(name, score)| format!("{name} {score}"));
            words.push(format!("Scores: {}.", scores.collect::<Vec<_>>().join(", ")));
        }
        if let Some(last) = self.history.last() {
            words.push(format!(
                "Last move, of {}: {}.",
                names[last.player],
                self.game.describe_step(last, seat, &names)
            ));
        }
        words.push(format!("{} moves were played.", self.history.len()));
        words.join(" ")
    }

    /// The caption of the game's pictures.
    fn caption<'a>(&self, names: &'a [String], standing: &'a str) -> Caption<'a> {
        Caption { names, standing, running: self.status() == Status::Running }
    }

    /// Decisions so far.
    fn length(&self) -> usize {
        self.before + self.history.len()
    }

    fn push(&mut self, action: u32, next: G::State, chance: Vec<u32>) {
        let player = self.current_player();
        self.history.push(Step { before: self.state, player, action, chance });
        self.state = next;
    }
}

impl<G: Game> SingleGame for SinglePlay<G> {
    fn game(&self) -> Arc<dyn AnyGame> {
        self.game.clone()
    }
    fn status(&self) -> Status {
        match self.game.status(&self.state) {
            Status::Running if self.max_steps.is_some_and(|most| self.length() >= most as usize) => {
                Status::Truncated
            }
            status => status,
        }
    }
    fn current_player(&self) -> usize {
        self.game.current_player(&self.state)
    }
    fn legal_actions(&self) -> Vec<u32> {
        mask::iter(&self.mask()).collect()
    }
    fn mask(&self) -> Vec<u64> {
        let mut mask = vec![0; self.game.spec().mask_words()];
        if self.status() == Status::Running {
            self.game.legal(&self.state, &mut mask);
        }
        mask
    }
    fn legal_moves(&self) -> Vec<Value> {
        self.legal_actions().into_iter().map(|a| self.game.action_to_json(&self.state, a)).collect()
    }

    fn step(&mut self, action: u32) -> Result<()> {
        self.check(action)?;
        let mut next = self.state;
        let mut recorded = RecordedChance::new(&mut self.chance);
        self.game.step(&mut next, action, &mut recorded as &mut dyn Chance);
        let outcomes = recorded.into_outcomes();
        self.push(action, next, outcomes);
        Ok(())
    }

    fn step_scripted(&mut self, action: u32, outcomes: &[u32]) -> Result<()> {
        self.check(action)?;
        let mut next = self.state;
        let mut script = ScriptedChance::new(outcomes);
        self.game.step(&mut next, action, &mut script as &mut dyn Chance);
        script.finish()?;
        self.push(action, next, outcomes.to_vec());
        Ok(())
    }

    fn step_all(&mut self, actions: &[u32]) -> Result<()> {
        let before = (self.state, self.chance.clone(), self.history.clone());
        for &action in actions {
            if let Err(refused) = self.step(action) {
                (self.state, self.chance, self.history) = before;
                return Err(refused);
            }
        }
        Ok(())
    }

    fn compound_actions(&self) -> Vec<CompoundAction> {
        self.game.compound_actions(&self.state)
    }

    fn submit(&mut self, player: usize, object: &Value) -> Result<()> {
        self.check_seat(player)?;
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        if player != self.current_player() {
            return Err(Error::illegal(format!(
                "player {player}: it is player {}'s turn",
                self.current_player()
            )));
        }
        self.step(self.action_from_json(object)?)
    }

    fn undo(&mut self) -> bool {
        if self.history.len() == self.redrawn {
            return false;
        }
        let before = self.history.pop();
        self.state = before.unwrap_or(self.state);
        before.is_some()
    }

    fn outcomes(&self, action: u32) -> Result<Outcomes> {
        self.check(action)?;
        let play = self.clone();
        let (game, before) = (self.game.clone(), self.state);
        let states = EnumeratedOutcomes::new(move |chance: &mut dyn Chance| {
            let mut next = before;
            game.step(&mut next, action, chance);
            next
        });
        Ok(Box::new(states.map(move |ChanceOutcome { probability, script, result }| {
            let mut next = play.clone();
            next.push(action, result, script.clone());
            ChanceOutcome { probability, script, result: Box::new(next) as Box<dyn SingleGame> }
        })))
    }

    fn bot_action_until(&self, name: &str, interrupt: &Interrupt) -> Result<u32> {
        let policy = Policy::<G>::find(name)?;
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        let action = policy.choose(&self.game, &self.state, &self.mask(), &mut self.bot_chance(), interrupt);
        if interrupt.is_raised() {
            return Err(Error::interrupted(format!("bot {name} has not chosen")));
        }
        Ok(action)
    }
    fn bot_attempt(&self, name: &str) -> Result<Option<String>> {
        let policy = Policy::<G>::find(name)?;
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        let tried = policy.tries(&self.game, &self.state, &mut self.bot_chance());
        let refused = tried.filter(|&action| !mask::contains(&self.mask(), action));
        Ok(refused.map(|action| {
            let asked = self.game.action_to_string(&self.state, action);
            format!("{}: {}", asked, self.game.explain_illegal(&self.state, action))
        }))
    }
    fn bot_analysis(&self, name: &str, interrupt: &Interrupt) -> Result<Option<Analysis>> {
        let policy = Policy::<G>::find(name)?;
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        let analysis = policy.analyse(&self.game, &self.state, &mut self.bot_chance(), interrupt);
        if interrupt.is_raised() {
            return Err(Error::interrupted(format!("bot {name} has not chosen")));
        }
        Ok(analysis)
    }

    fn bot_request(&self) -> Value {
        self.game.bot_request(&self.state, self.current_player(), &mut self.bot_chance() as &mut dyn Chance)
    }
    fn bot_reply(&self, action: u32) -> Result<Value> {
        self.check_index(action)?;
        Ok(self.game.bot_reply(&self.state, action))
    }
    fn action_from_bot_reply(&self, reply: &Value) -> Result<u32> {
        let action = self.game.action_from_bot_reply(&self.state, reply)?;
        self.check(action)?;
        Ok(action)
    }
    fn check(&self, action: u32) -> Result<()> {
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        self.check_index(action)?;
        if mask::contains(&self.mask(), action) {
            Ok(())
        } else {
            Err(self.game.explain_illegal(&self.state, action).into())
        }
    }

    fn action_to_string(&self, action: u32) -> Result<String> {
        self.check_index(action)?;
        Ok(self.game.action_to_string(&self.state, action))
    }
    fn string_to_action(&self, text: &str) -> Result<u32> {
        self.game.string_to_action(&self.state, text)
    }
    fn action_in_words(&self, action: u32) -> Result<String> {
        self.check_index(action)?;
        Ok(self.game.action_in_words(&self.state, action, &self.names()))
    }
    fn action_to_json(&self, action: u32) -> Result<Value> {
        self.check_index(action)?;
        Ok(self.game.action_to_json(&self.state, action))
    }
    fn action_from_json(&self, object: &Value) -> Result<u32> {
        self.game.action_from_json(&self.state, object)
    }

    fn returns(&self) -> Vec<f32> {
        let players = self.game.spec().players;
        let mut returns = vec![0.0; players];
        if self.status() == Status::Terminated {
            let mut ranks = vec![0; players];
            self.game.ranks(&self.state, &mut ranks);
            outcome_from_ranks(&ranks, &mut returns);
        }
        returns
    }
    fn scores(&self) -> Vec<f32> {
        let mut scores = vec![0.0; self.game.spec().players];
        self.game.scores(&self.state, &mut scores);
        scores
    }
    fn estimates(&self) -> Vec<f32> {
        if self.status() != Status::Running {
            return self.scores();
        }
        let mut estimates = vec![0.0; self.game.spec().players];
        self.game.estimate(&self.state, &mut estimates);
        estimates
    }

    fn observation(&self, seat: usize) -> Result<Vec<u8>> {
        self.check_seat(seat)?;
        let mut out = vec![0; self.game.spec().observation_len()];
        self.game.observe(&self.state, seat, &mut out);
        Ok(out)
    }
    fn observation_to_json(&self, seat: usize) -> Result<Value> {
        self.check_seat(seat)?;
        Ok(self.game.observation_to_json(&self.state, seat))
    }
    fn information_state(&self, seat: usize) -> Result<Value> {
        self.check_seat(seat)?;
        let steps: Vec<_> = self.history.from(0).into_iter().cloned().collect();
        Ok(self.game.information_state(&self.state, seat, &steps))
    }
    fn determinize(&self, seat: usize, seed: u64) -> Result<Box<dyn SingleGame>> {
        self.check_seat(seat)?;
        let mut chance = SeededChance::from_seed(seed);
        let state = self.game.determinize(&self.state, seat, &mut chance as &mut dyn Chance);
        let redrawn = self.history.len();
        Ok(Box::new(Self { state, chance, drawn: false, setup: [].into(), redrawn, ..self.clone() }))
    }

    fn to_json(&self) -> Value {
        self.game.state_to_json(&self.state)
    }
    fn position_bytes(&self) -> Vec<u8> {
        position_bytes(&*self.game, &self.state)
    }
    fn clone_box(&self) -> Box<dyn SingleGame> {
        Box::new(self.clone())
    }

    fn stream(&self) -> (StreamId, u64) {
        (self.chance.id(), self.chance.position())
    }
    fn set_stream(&mut self, id: StreamId, position: u64) {
        self.chance = SeededChance::at(id, position);
    }

    fn steps(&self) -> usize {
        self.history.len()
    }
    fn turn(&self) -> Option<u32> {
        self.game.turn(&self.state)
    }
    fn log(&self) -> Vec<LogEntry> {
        let entry = |step: &Step<G::State>| LogEntry {
            player: step.player,
            action: step.action,
            label: self.game.action_to_string(&step.before, step.action),
            object: self.game.action_to_json(&step.before, step.action),
            chance: step.chance.clone(),
        };
        self.history.from(0).into_iter().map(entry).collect()
    }
    fn record(&self) -> Record {
        let spec = self.game.spec();
        let steps = self.history.from(self.redrawn);
        let first = steps.first().map_or(&self.state, |step| &step.before);
        let stream = self.whole_stream();
        let scripted = stream.is_none() && steps.iter().any(|step| !step.chance.is_empty());
        Record {
            env: spec.env.into(),
            version: spec.version,
            options: serde_json::to_value(&spec.options).expect("options are plain values"),
            position: (!self.drawn).then(|| self.game.state_to_json(first)),
            setup: self.setup.to_vec(),
            stream,
            chance: if scripted { steps.iter().map(|h| h.chance.clone()).collect() } else { Vec::new() },
            names: self.names.to_vec(),
            players: steps.iter().map(|h| h.player).collect(),
            actions: steps.iter().map(|h| h.action).collect(),
            labels: steps.iter().map(|h| self.game.action_to_string(&h.before, h.action)).collect(),
            estimates: Vec::new(),
            scores: self.scores(),
            returns: (self.status() == Status::Terminated).then(|| self.returns()),
        }
    }

    fn narrate(&self, first: usize, seat: Option<usize>) -> Vec<(usize, String)> {
        let steps = self.history.from(first).into_iter();
        let names = self.names();
        steps.map(|step| (step.player, self.game.describe_step(step, seat, &names))).collect()
    }

    fn to_text(&self, view: View) -> Result<String> {
        view.seat.map_or(Ok(()), |seat| self.check_seat(seat))?;
        let (names, standing) = (self.names(), self.standing());
        Ok(self.game.to_text(&self.state, self.history.last(), view, self.caption(&names, &standing)))
    }
    fn to_marked_svg(&self, view: View, marks: &Marks) -> Result<String> {
        view.seat.map_or(Ok(()), |seat| self.check_seat(seat))?;
        let size = view.size.unwrap_or(View::SIZE);
        if !View::SIZES.contains(&size) {
            let (least, most) = View::SIZES.into_inner();
            return Err(Error::config(format!("size={size}: {least} to {most} pixels are allowed")));
        }
        let marked = self.marked(marks)?;
        let (names, standing) = (self.names(), self.standing());
        let caption = self.caption(&names, &standing);
        let mut svg = self.game.to_svg(&self.state, self.history.last(), view, caption);
        if !marked.is_empty() {
            svg = overlay::lay(&svg, &self.places(view), &marked, view.theme);
        }
        let title = format!("{}: {standing}", self.title());
        Ok(document::complete(&svg, size, &title, &self.description(view.seat)))
    }
    fn places(&self, view: View) -> Vec<Place> {
        self.game.places(&self.state, view)
    }
    fn title(&self) -> String {
        self.game.title()
    }
    fn standing(&self) -> String {
        if self.status() != self.game.status(&self.state) {
            return format!("stopped without a result after {} steps", self.length());
        }
        self.game.standing(&self.state, &self.names())
    }
    fn names(&self) -> Vec<String> {
        let mut names = self.game.seat_names();
        for (name, given) in names.iter_mut().zip(&*self.names).filter(|(_, given)| !given.is_empty()) {
            name.clone_from(given);
        }
        names
    }
    fn set_names(&mut self, names: &[String]) -> Result<()> {
        let seats = self.game.spec().players;
        if names.len() != seats {
            return Err(Error::config(format!(
                "{} names: one for each of {seats} seats is needed",
                names.len()
            )));
        }
        if let Some(name) = names.iter().find(|name| name.chars().count() > MAX_NAME) {
            let name = shortened(name, 20);
            return Err(Error::config(format!("name {name:?}: at most {MAX_NAME} characters are allowed")));
        }
        let nobody = names.iter().all(String::is_empty);
        self.names = if nobody { [].into() } else { names.into() };
        Ok(())
    }
}
