//! The other traits of the contract. Every method asks the rules, and falls back on its default.

use bytemuck::Zeroable;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use ludovec_engine::chance::{Chance, SeededChance};
use ludovec_engine::{
    ActionId, Beside, Caption, CompoundAction, Dialect, Error, GtpGame, GtpPosition, Guide, Picture, Place,
    Refusal, Result, Rules, SEAT_COLOURS, Status, Step, Symmetry, Theme, UciGame, View, Words, defaults,
    kept, mask, text_as_svg,
};

use crate::answers::{from_hex, step_json};
use crate::fields;
use crate::game::{Guest, Source, must};
use crate::state::{Header, State, read_returns};

/// The key of the number of decisions, beside the fields of the record, which do not begin with an underscore.
const DECISIONS: &str = "_decisions";

/// A request in words: the name of the method, and its arguments.
macro_rules! request {
    ($name:expr $(, $argument:ident)*) => { json!({ "ask": $name $(, stringify!($argument): $argument)* }) };
}

/// Methods that ask the rules. What follows `else` is the default; `game` is the guest.
macro_rules! asks {
    ($(fn $name:ident($game:ident $(, $state:ident)?; $($argument:ident: $type:ty),*) -> $out:ty, else $default:expr;)*) => { $(
        fn $name(&self $(, $state: &State<N>)? $(, $argument: $type)*) -> $out {
            let $game = self;
            must($game.ask(&[$($state)?], request!(stringify!($name) $(, $argument)*))).unwrap_or_else(|| $default)
        }
    )* };
}

/// Methods that ask the rules for an action.
macro_rules! acts {
    ($(fn $name:ident($game:ident, $state:ident; $argument:ident: $type:ty), else $default:expr;)*) => { $(
        fn $name(&self, $state: &State<N>, $argument: $type) -> Result<ActionId> {
            let $game = self;
            let action: Option<ActionId> = $game.ask(&[$state], request!(stringify!($name), $argument))?;
            match action {
                Some(action) if action < self.spec().num_actions => Ok(action),
                Some(action) => self.wrong(stringify!($name), format_args!("action {action} does not exist")),
                None => $default,
            }
        }
    )* };
}

impl<const N: usize> Guest<N> {
    /// The answer of the rules to a request, or none for the default.
    fn ask<T: DeserializeOwned>(&self, states: &[&State<N>], request: Value) -> Result<Option<T>> {
        // Only requests that get a source of chance draw.
        self.ask_with(states, &mut SeededChance::from_seed(0), request)
    }
    fn ask_with<T: DeserializeOwned>(
        &self,
        states: &[&State<N>],
        chance: &mut dyn Chance,
        request: Value,
    ) -> Result<Option<T>> {
        let records: Vec<&[u8]> = states.iter().map(|state| self.record(state)).collect();
        let Some(answer) = self.rules.words(&records, chance, &request)? else { return Ok(None) };
        let said = |error| self.wrong("words", format_args!("the answer to {}: {error}", request["ask"]));
        serde_json::from_value(answer).map(Some).or_else(said)
    }
    /// The state of an answer: the record as hexadecimal digits.
    fn state(&self, request: Value, decisions: u32) -> Result<Option<State<N>>> {
        let Some(digits) = self.ask::<String>(&[], request)? else { return Ok(None) };
        let mut state = State::zeroed();
        let record = self.record_mut(&mut state);
        match from_hex(&digits, record.len()) {
            Some(bytes) => record.copy_from_slice(&bytes),
            None => return self.wrong("words", format_args!("a state has {} bytes", record.len())),
        }
        self.complete(state, decisions).map(Some)
    }
    /// A valid state from one with a complete record.
    fn complete(&self, mut state: State<N>, decisions: u32) -> Result<State<N>> {
        self.rules.validate(self.record(&state))?;
        self.finish(&mut state, decisions).map_err(|error| Error::state(error.to_string()))?;
        self.validate(&state)?;
        Ok(state)
    }
    /// Whether an action of `player` may be hidden from `seat`.
    fn hides(&self, player: usize, seat: Option<usize>) -> bool {
        self.rules.features().hides_actions && seat.is_some_and(|seat| seat != player)
    }
    /// The answer to a request about a picture.
    fn picture<T: DeserializeOwned>(
        &self,
        ask: &str,
        state: &State<N>,
        last: Option<&Step<State<N>>>,
        view: View,
        Caption { names, standing, running }: Caption<'_>,
    ) -> Option<T> {
        let states: Vec<&State<N>> = [state].into_iter().chain(last.map(|step| &step.before)).collect();
        let last = last.map(step_json);
        must(self.ask(&states, request!(ask, view, last, names, standing, running)))
    }
    fn finite(&self, method: &str, out: &[f32]) {
        if let Some(wrong) = out.iter().find(|value| !value.is_finite()) {
            must(self.wrong(method, format_args!("{wrong}, a finite number is needed")))
        }
    }
}

impl<const N: usize> Words for Guest<N> {
    asks! {
        fn action_to_string(game, state; action: ActionId) -> String, else defaults::action_to_string(game.spec(), action);
        fn action_in_words(game, state; action: ActionId, names: &[String]) -> String, else game.action_to_string(state, action);
        fn seat_name(game; seat: usize) -> String, else format!("Player {}", seat + 1);
        fn action_to_json(game, state; action: ActionId) -> Value, else defaults::action_to_json(game.spec(), action);
        fn explain_places(game, state; places: &[Vec<(String, Value)>]) -> Option<String>, else None;
        fn observation_to_json(game, state; seat: usize) -> Value, else defaults::observation_to_json(game, state, seat);
        fn shows_score(game; viewer: usize, seat: usize) -> bool, else viewer == seat || !game.rules.features().hides_scores;
        fn turn(game, state;) -> Option<u32>, else None;
        fn compound_actions(game, state;) -> Vec<CompoundAction>, else Vec::new();
    }
    acts! {
        fn string_to_action(game, state; text: &str), else defaults::string_to_action(game, state, text);
        fn action_from_json(game, state; json: &Value), else defaults::action_from_json(game.spec(), json);
    }
    fn explain_illegal(&self, state: &State<N>, action: ActionId) -> Refusal {
        match self.ask::<Value>(&[state], request!("explain_illegal", action)) {
            Err(Error::Refused(refusal)) => refusal,
            Err(error) => error.unwind(),
            Ok(_) => Refusal::illegal(format!("{} is not legal now", self.action_to_string(state, action))),
        }
    }
    fn state_to_json(&self, state: &State<N>) -> Value {
        let own: Option<Value> = must(self.ask(&[state], request!("state_to_json")));
        let mut json = own.unwrap_or_else(|| fields::to_json(&self.spec().state, state.bytes()).into());
        if let Value::Object(fields) = &mut json {
            let header = Header::read(state.bytes()).expect("states have a header");
            fields.insert(DECISIONS.into(), header.decisions.into());
        }
        json
    }
    fn state_from_json(&self, json: &Value) -> Result<State<N>> {
        let mut json = json.clone();
        let decisions = match json.as_object_mut().and_then(|fields| fields.shift_remove(DECISIONS)) {
            None => 0,
            Some(number) => number
                .as_u64()
                .and_then(|number| u32::try_from(number).ok())
                .ok_or_else(|| Error::state(format!("{DECISIONS}: {number} is no number of decisions")))?,
        };
        if let Some(state) = self.state(request!("state_from_json", json), decisions)? {
            return Ok(state);
        }
        let mut state = State::zeroed();
        fields::from_json(&self.spec().state, &json, state.bytes_mut())?;
        self.complete(state, decisions)
    }
    fn describe_step(&self, step: &Step<State<N>>, seat: Option<usize>, names: &[String]) -> String {
        let request =
            json!({ "ask": "describe_step", "step": step_json(step), "seat": seat, "names": names });
        must(self.ask(&[&step.before], request)).unwrap_or_else(|| match self.hides(step.player, seat) {
            true => "moves".into(),
            false => self.action_in_words(&step.before, step.action, names),
        })
    }
    fn information_state(&self, state: &State<N>, seat: usize, history: &[Step<State<N>>]) -> Value {
        let states: Vec<&State<N>> =
            [state].into_iter().chain(history.iter().map(|step| &step.before)).collect();
        let steps: Vec<Value> = history.iter().map(step_json).collect();
        let request = json!({ "ask": "information_state", "seat": seat, "history": steps });
        must(self.ask(&states, request)).unwrap_or_else(|| {
            let moves = history.iter().map(|step| match self.hides(step.player, Some(seat)) {
                true => json!([step.player, null]),
                false => json!([step.player, self.action_to_string(&step.before, step.action)]),
            });
            let moves: Vec<Value> = moves.collect();
            json!({ "observation": self.observation_to_json(state, seat), "history": moves })
        })
    }
}

impl<const N: usize> Picture for Guest<N> {
    asks! {
        fn title(game;) -> String, else game.spec().env.into();
        fn standing(game, state; names: &[String]) -> String, else defaults::standing(game, state, names);
        fn result(game, state; names: &[String]) -> String, else defaults::result(game, state, names);
        fn places(game, state; view: View) -> Vec<Place>, else Vec::new();
        fn footprint(game, state; action: ActionId) -> Option<String>, else None;
    }
    fn to_text(
        &self,
        state: &State<N>,
        last: Option<&Step<State<N>>>,
        view: View,
        caption: Caption<'_>,
    ) -> String {
        if let Some(text) = self.picture("to_text", state, last, view, caption) {
            return text;
        }
        let seen = match view.seat {
            Some(seat) => self.observation_to_json(state, seat),
            None => self.state_to_json(state),
        };
        let Value::Object(mut fields) = seen else { return seen.to_string() };
        fields.remove(DECISIONS);
        fields.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("\n")
    }
    fn to_svg(
        &self,
        state: &State<N>,
        last: Option<&Step<State<N>>>,
        view: View,
        caption: Caption<'_>,
    ) -> String {
        let Some(svg) = self.picture::<String>("to_svg", state, last, view, caption) else {
            return text_as_svg(
                &self.to_text(state, last, View { ansi: false, ..view }, caption),
                view.theme,
            );
        };
        let tag = svg.split('>').next().unwrap_or_default();
        match tag.starts_with("<svg") && tag.contains("viewBox=") {
            true => svg,
            false => must(self.wrong("to_svg", "it begins with <svg and a viewBox")),
        }
    }
    fn beside(&self, state: &State<N>, view: View, caption: Caption<'_>) -> Option<Beside> {
        self.picture::<Option<Beside>>("beside", state, None, view, caption)?
    }
    fn seat_colours(&self, theme: Theme) -> Vec<&'static str> {
        let own: Option<Vec<String>> = must(self.ask(&[], request!("seat_colours", theme)));
        match own.filter(|own| own.len() >= self.spec().players) {
            Some(own) => own.iter().map(|colour| kept(colour)).collect(),
            None => SEAT_COLOURS.to_vec(),
        }
    }
}

impl<const N: usize> Guide for Guest<N> {
    asks! {
        fn pass(game, state;) -> Option<ActionId>, else None;
    }
    fn estimate(&self, state: &State<N>, out: &mut [f32]) {
        if !self.rules.features().has_estimate {
            return self.scores(state, out);
        }
        if self.status(state) == Status::Terminated && !self.rules.features().estimates_ends {
            return read_returns(state.bytes(), out);
        }
        must(self.rules.estimate(self.record(state), out));
        self.finite("estimate", out);
    }
    fn outlook(&self, state: &State<N>, out: &mut [f32]) {
        if !self.rules.features().estimates_ends {
            return self.estimate(state, out);
        }
        must(self.rules.outlook(self.record(state), out));
        self.finite("outlook", out);
    }
    fn bot_names(&self) -> Vec<(&'static str, &'static str)> {
        let bots = self.rules.features().bots.iter();
        bots.map(|bot| (kept(&bot.name), kept(&bot.help))).collect()
    }
    fn bot_action(&self, bot: usize, state: &State<N>, mask: &[u64], chance: &mut dyn Chance) -> ActionId {
        let own = must(self.rules.bot_action(bot, self.record(state), mask, chance));
        let action = own.or_else(|| must(self.ask_with(&[state], chance, request!("bot_action", bot))));
        match action.filter(|&action| action < self.spec().num_actions && mask::contains(mask, action)) {
            Some(action) => action,
            None => {
                let (env, name) = (self.spec().env, &self.rules.features().bots[bot].name);
                let played =
                    action.map_or("nothing".into(), |action| format!("action {action}, which is illegal"));
                must(Err(Error::rules(format!("{env}: the bot {name} plays {played}"))))
            }
        }
    }
    fn bot_attempt(&self, bot: usize, state: &State<N>, chance: &mut dyn Chance) -> Option<ActionId> {
        must(self.ask_with(&[state], chance, request!("bot_attempt", bot)))?
    }
    fn symmetries(&self) -> Vec<Symmetry> {
        let all: Vec<Symmetry> = must(self.ask(&[], request!("symmetries"))).unwrap_or_default();
        let permutes = |permutation: &[u32], length: usize| {
            let mut sorted = permutation.to_vec();
            sorted.sort_unstable();
            sorted.into_iter().eq(0..length as u32)
        };
        let (elements, actions) = (self.spec().observation_len(), self.spec().num_actions as usize);
        match all.iter().find(|one| !permutes(&one.observation, elements) || !permutes(&one.action, actions))
        {
            None => all,
            Some(one) => must(self.wrong("symmetries", format_args!("{} is no permutation", one.name))),
        }
    }
}

impl<const N: usize> Dialect for Guest<N> {
    asks! {
        fn bot_reply(game, state; action: ActionId) -> Value, else json!({ "action": game.action_to_json(state, action) });
        fn uci(game;) -> Option<UciGame>, else None;
        fn uci_position(game, state;) -> String, else String::new();
        fn gtp(game;) -> Option<GtpGame>, else None;
        fn gtp_position(game, state;) -> GtpPosition, else GtpPosition { moves: Vec::new(), colour: 0 };
    }
    acts! {
        fn action_from_bot_reply(game, state; reply: &Value), else defaults::action_from_bot_reply(game, state, reply);
        fn action_from_gtp(game, state; text: &str), else game.string_to_action(state, text);
    }
    fn bot_request<C: Chance + ?Sized>(&self, state: &State<N>, seat: usize, chance: &mut C) -> Value {
        let own = self.ask_with(&[state], &mut Source(chance), request!("bot_request", seat));
        must(own).unwrap_or_else(|| defaults::bot_request(self, state, seat, chance))
    }
    fn state_from_bot_request(&self, request: &Value) -> Result<State<N>> {
        match self.state(request!("state_from_bot_request", request), 0)? {
            Some(state) => Ok(state),
            None => self.state_from_json(&request["position"]),
        }
    }
    fn state_from_uci(&self, text: &str) -> Result<State<N>> {
        let state = self.state(request!("state_from_uci", text), 0)?;
        state.ok_or_else(|| Error::state(format!("{} has no positions of UCI", self.spec().env)))
    }
}
