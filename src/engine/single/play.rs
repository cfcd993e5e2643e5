//! One game with its history: for people, notebooks, tests, records.
//!
//! The code is compiled once for all games: it reaches the rules through [`ErasedRules`].

use std::sync::Arc;

use serde_json::Value;

use crate::bots::named_bot::NamedBot;
use crate::bots::random::bot_chance;
use crate::contract::chance::{
    Chance, ChanceOutcome, EnumeratedOutcomes, RecordedChance, ScriptedChance, SeededChance, StreamId,
    draw_after,
};
use crate::contract::dialect::GtpPosition;
use crate::contract::mask;
use crate::contract::options::CommonOptions;
use crate::contract::picture::Caption;
use crate::contract::rules::Status;
use crate::contract::show::beside::Beside;
use crate::contract::show::drawing::shortened;
use crate::contract::show::view::{Marks, Place, View};
use crate::contract::support::error::{Error, Result};
use crate::contract::support::escape::escape_hidden;
use crate::contract::words::CompoundAction;
use crate::dynamic::analysis::Analysis;
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::calls;
use crate::dynamic::interrupt::Interrupt;
use crate::dynamic::record::{LogEntry, Record};
use crate::dynamic::single::{MAX_NAME, Outcomes, SingleGame};
use crate::single::document;
use crate::single::erased::{ErasedRules, ErasedState, ErasedStep};
use crate::single::history::History;
use crate::single::overlay::{self, Marked};
use crate::single::refused_places;

/// A game with its history.
#[derive(Clone)]
pub(crate) struct SinglePlay {
    game: Arc<dyn ErasedRules>,
    state: ErasedState,
    chance: SeededChance,
    /// Whether the set-up drew the first position; otherwise it was given.
    drawn: bool,
    setup: Arc<[u32]>,
    /// Number of decisions before the first position.
    before: usize,
    /// Number of decisions after which the game is truncated.
    max_steps: Option<u32>,
    history: History<ErasedState>,
    /// Number of steps before a determinization: records begin after them, and they are not undone.
    redrawn: usize,
    /// The players' names; empty if no player has a name.
    names: Arc<[String]>,
    /// The outcome that ended the game without the rules, and the number of steps before.
    result: Option<(usize, Arc<[f32]>)>,
}

impl SinglePlay {
    /// The game of a batch with this stream.
    pub(crate) fn new(game: Arc<dyn ErasedRules>, stream: StreamId) -> Self {
        let mut chance = SeededChance::new(stream);
        let mut recorded = RecordedChance::new(&mut chance);
        let state = game.init(&mut recorded);
        let setup = recorded.into_outcomes().into();
        Self { drawn: true, setup, ..Self::from_position(game, state, chance, 0) }
    }

    /// A new game with given chance outcomes, all of which must be drawn.
    pub(crate) fn from_script(game: Arc<dyn ErasedRules>, setup: &[u32]) -> Result<Self> {
        let mut script = ScriptedChance::new(setup);
        let state = game.init(&mut script);
        script.finish()?;
        let chance = SeededChance::from_seed(0);
        Ok(Self { drawn: true, setup: setup.into(), ..Self::from_position(game, state, chance, 0) })
    }

    /// A game that begins at `state`, after `before` decisions.
    pub(crate) fn from_position(
        game: Arc<dyn ErasedRules>,
        state: ErasedState,
        chance: SeededChance,
        before: usize,
    ) -> Self {
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
            result: None,
        }
    }

    /// The outcome that ended the game in this position without the rules.
    fn result_here(&self) -> Option<&[f32]> {
        let (steps, result) = self.result.as_ref()?;
        (*steps == self.history.len() && self.status() == Status::Running).then_some(&**result)
    }

    /// The random source of a bot that chooses in this position.
    fn bot_chance(&self) -> SeededChance {
        let StreamId { seed, game, .. } = self.chance.id();
        bot_chance(StreamId { seed, game, episode: self.history.len() as u64 })
    }

    /// The stream of the game, if all chance outcomes of set-up and steps came from its start.
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
                gives(&step.chance, &mut |chance| {
                    self.game.step(&step.before, step.action, chance);
                })
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

    /// The marked actions, with their shares of all weights.
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
        let mut drawn: Vec<(u32, f64)> = weighed().filter(|(_, weight)| *weight > 0.0).collect();
        if let Some(most) = marks.largest {
            drawn.sort_by(|a, b| b.1.total_cmp(&a.1));
            drawn.truncate(most);
        }
        let weighed = drawn.into_iter().map(|(action, weight)| marked(action, Some(weight / total)));
        Ok(shown.chain(weighed).collect())
    }

    /// The position in words, without information hidden from the player.
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

    /// Number of decisions so far.
    fn length(&self) -> usize {
        self.before + self.history.len()
    }

    fn push(&mut self, action: u32, next: ErasedState, chance: Vec<u32>) {
        let player = self.current_player();
        let before = std::mem::replace(&mut self.state, next);
        self.history.push(ErasedStep { before, player, action, chance });
    }
}

impl SingleGame for SinglePlay {
    fn game(&self) -> Arc<dyn AnyGame> {
        self.game.game()
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
        let mut recorded = RecordedChance::new(&mut self.chance);
        let next = self.game.step(&self.state, action, &mut recorded);
        let outcomes = recorded.into_outcomes();
        self.push(action, next, outcomes);
        Ok(())
    }

    fn step_scripted(&mut self, action: u32, outcomes: &[u32]) -> Result<()> {
        self.check(action)?;
        let mut script = ScriptedChance::new(outcomes);
        let next = self.game.step(&self.state, action, &mut script);
        script.finish()?;
        self.push(action, next, outcomes.to_vec());
        Ok(())
    }

    fn step_all(&mut self, actions: &[u32]) -> Result<()> {
        let before = (self.state.clone(), self.chance.clone(), self.history.clone());
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
        let has_moved = before.is_some();
        self.state = before.unwrap_or_else(|| self.state.clone());
        has_moved
    }

    fn outcomes(&self, action: u32) -> Result<Outcomes> {
        self.check(action)?;
        let play = self.clone();
        let (game, before) = (self.game.clone(), self.state.clone());
        let states =
            EnumeratedOutcomes::new(move |chance: &mut dyn Chance| game.step(&before, action, chance));
        Ok(Box::new(states.map(move |ChanceOutcome { probability, script, result }| {
            let mut next = play.clone();
            next.push(action, result, script.clone());
            ChanceOutcome { probability, script, result: Box::new(next) as Box<dyn SingleGame> }
        })))
    }

    fn next_draw(&self, action: Option<u32>, script: &[u32]) -> Result<Option<Vec<u32>>> {
        let Some(action) = action else {
            return draw_after(script, |chance| {
                self.game.init(chance);
            });
        };
        self.check(action)?;
        draw_after(script, |chance| {
            self.game.step(&self.state, action, chance);
        })
    }

    fn bot_action_until(&self, name: &str, interrupt: &Interrupt) -> Result<u32> {
        let bot = NamedBot::find(&*self.game(), name)?;
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        let action = self.game.choose(bot, &self.state, &self.mask(), &mut self.bot_chance(), interrupt);
        if interrupt.is_raised() {
            return Err(Error::interrupted(format!("bot {name} has not chosen")));
        }
        Ok(action)
    }
    fn bot_attempt(&self, name: &str) -> Result<Option<String>> {
        let bot = NamedBot::find(&*self.game(), name)?;
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        let tried = self.game.first_attempt(bot, &self.state, &mut self.bot_chance());
        let refused = tried.filter(|&action| !mask::contains(&self.mask(), action));
        Ok(refused.map(|action| {
            let asked = self.game.action_to_string(&self.state, action);
            format!("{}: {}", asked, self.game.explain_illegal(&self.state, action))
        }))
    }
    fn bot_analysis(&self, name: &str, interrupt: &Interrupt) -> Result<Option<Analysis>> {
        let bot = NamedBot::find(&*self.game(), name)?;
        if self.status() != Status::Running {
            return Err(Error::game_over("the game is finished"));
        }
        let analysis = self.game.analyse(bot, &self.state, &mut self.bot_chance(), interrupt);
        if interrupt.is_raised() {
            return Err(Error::interrupted(format!("bot {name} has not chosen")));
        }
        Ok(analysis)
    }

    fn bot_request(&self) -> Value {
        self.game.bot_request(&self.state, self.current_player(), &mut self.bot_chance())
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
    fn uci_position(&self) -> Option<String> {
        self.game().uci().map(|_| self.game.uci_position(&self.state))
    }
    fn gtp_position(&self) -> Option<GtpPosition> {
        self.game().gtp().map(|_| self.game.gtp_position(&self.state))
    }
    fn action_from_gtp(&self, text: &str) -> Result<u32> {
        let action = self.game.action_from_gtp(&self.state, text)?;
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

    fn explain_places(&self, places: &[Vec<(String, Value)>]) -> String {
        if self.status() != Status::Running {
            return "the game is over".into();
        }
        if let Some(reason) = self.game.explain_places(&self.state, places) {
            return reason;
        }
        refused_places::explain(&*self.game, &self.state, &self.mask(), places)
            .unwrap_or_else(|| format!("nothing can be done there now: {}", self.standing()))
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
            self.game.outcome(&self.state, &mut returns);
        }
        returns
    }
    fn scores(&self) -> Vec<f32> {
        let mut scores = vec![0.0; self.game.spec().players];
        self.game.scores(&self.state, &mut scores);
        scores
    }
    fn shown_scores(&self, viewer: Option<usize>) -> Vec<Option<f32>> {
        let is_over = self.status() != Status::Running;
        let is_shown = |seat| is_over || viewer.is_none_or(|viewer| self.game.shows_score(viewer, seat));
        self.scores().into_iter().enumerate().map(|(seat, score)| is_shown(seat).then_some(score)).collect()
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
        Ok(self.game.information_state(&self.state, seat, &self.history.from(0)))
    }
    fn determinize(&self, seat: usize, seed: u64) -> Result<Box<dyn SingleGame>> {
        self.check_seat(seat)?;
        let mut chance = SeededChance::from_seed(seed);
        let state = self.game.determinize(&self.state, seat, &mut chance);
        let redrawn = self.history.len();
        Ok(Box::new(Self { state, chance, drawn: false, setup: [].into(), redrawn, ..self.clone() }))
    }

    fn position(&self) -> Value {
        self.game.state_to_json(&self.state)
    }
    fn position_bytes(&self) -> Vec<u8> {
        self.game.position_bytes(&self.state)
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
        let entry = |step: &ErasedStep| LogEntry {
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
            result: self.result_here().map(<[f32]>::to_vec),
            variations: Vec::new(),
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
    fn beside(&self, view: View) -> Option<Beside> {
        let (names, standing) = (self.names(), self.standing());
        self.game.beside(&self.state, view, self.caption(&names, &standing))
    }
    fn footprint(&self, action: u32) -> Option<String> {
        self.check(action).ok().and_then(|()| self.game.footprint(&self.state, action))
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
    fn set_result(&mut self, returns: &[f32]) -> Result<()> {
        if self.status() != Status::Running {
            return Err(Error::game_over("the rules gave its outcome"));
        }
        let players = self.game.spec().players;
        if returns.len() != players || !returns.iter().all(|value| (-1.0..=1.0).contains(value)) {
            return Err(Error::config(format!(
                "result={returns:?}: {players} numbers from -1 to 1 are needed"
            )));
        }
        self.result = Some((self.history.len(), returns.into()));
        Ok(())
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
        let shown = || names.iter().map(|name| escape_hidden(name)).collect();
        self.names = if nobody { [].into() } else { shown() };
        Ok(())
    }
}
