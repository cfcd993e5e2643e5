//! The other traits of the contract: positions as JSON, pictures, bots.

use bytemuck::Zeroable;
use serde_json::{Value, json};

use ludovec_engine::chance::Chance;
use ludovec_engine::{
    Caption, Dialect, Error, Guide, Picture, Result, Rules, Status, Step, View, Words, mask, text_as_svg,
};

use crate::fields;
use crate::game::{Guest, must};
use crate::state::{Header, State, read_returns};

/// The key of the number of decisions, beside the fields of the record, which do not begin with an underscore.
const DECISIONS: &str = "_decisions";

impl<const N: usize> Words for Guest<N> {
    fn action_to_string(&self, state: &State<N>, action: u32) -> String {
        let own = must(self.rules.action_to_string(self.record(state), action));
        own.unwrap_or_else(|| match self.spec().family(action) {
            Some((family, _)) if family.count == 1 => family.name.clone(),
            Some((family, index)) => format!("{} {index}", family.name),
            None => format!("action {action}"),
        })
    }
    fn state_to_json(&self, state: &State<N>) -> Value {
        let mut fields = fields::to_json(&self.spec().state, state.bytes());
        let header = Header::read(state.bytes()).expect("states have a header");
        fields.insert(DECISIONS.into(), header.decisions.into());
        fields.into()
    }
    fn state_from_json(&self, json: &Value) -> Result<State<N>> {
        let mut state = State::zeroed();
        fields::from_json(&self.spec().state, json, state.bytes_mut())?;
        let decisions = match json.get(DECISIONS) {
            None => 0,
            Some(number) => number
                .as_u64()
                .and_then(|number| u32::try_from(number).ok())
                .ok_or_else(|| Error::state(format!("{DECISIONS}: {number} is no number of decisions")))?,
        };
        self.rules.validate(self.record(&state))?;
        self.finish(&mut state, decisions).map_err(|error| Error::state(error.to_string()))?;
        self.validate(&state)?;
        Ok(state)
    }
    fn shows_score(&self, viewer: usize, seat: usize) -> bool {
        viewer == seat || !self.rules.hides_scores()
    }
    fn describe_step(&self, step: &Step<State<N>>, seat: Option<usize>, names: &[String]) -> String {
        if self.hides(step.player, seat) {
            return "moves".into();
        }
        self.action_in_words(&step.before, step.action, names)
    }
    fn information_state(&self, state: &State<N>, seat: usize, history: &[Step<State<N>>]) -> Value {
        let moves: Vec<Value> = history
            .iter()
            .map(|step| match self.hides(step.player, Some(seat)) {
                true => json!([step.player, null]),
                false => json!([step.player, self.action_to_string(&step.before, step.action)]),
            })
            .collect();
        json!({ "observation": self.observation_to_json(state, seat), "history": moves })
    }
}

impl<const N: usize> Guest<N> {
    /// Whether an action of `player` may be hidden from `seat`.
    fn hides(&self, player: usize, seat: Option<usize>) -> bool {
        self.rules.hides_actions() && seat.is_some_and(|seat| seat != player)
    }
}

impl<const N: usize> Picture for Guest<N> {
    fn to_text(
        &self,
        state: &State<N>,
        _last: Option<&Step<State<N>>>,
        view: View,
        _caption: Caption<'_>,
    ) -> String {
        if let Some(text) = must(self.rules.to_text(self.record(state), view.seat)) {
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
        match must(self.rules.to_svg(self.record(state), view.seat)) {
            Some(svg) => svg,
            None => {
                text_as_svg(&self.to_text(state, last, View { ansi: false, ..view }, caption), view.theme)
            }
        }
    }
}

impl<const N: usize> Guide for Guest<N> {
    fn estimate(&self, state: &State<N>, out: &mut [f32]) {
        if !self.rules.has_estimate() {
            return self.scores(state, out);
        }
        if self.status(state) == Status::Terminated {
            return read_returns(state.bytes(), out);
        }
        must(self.rules.estimate(self.record(state), out));
        if let Some(wrong) = out.iter().find(|value| !value.is_finite()) {
            let env = self.spec().env;
            must(Err(Error::rules(format!("{env}.estimate: {wrong}, a finite number is needed"))))
        }
    }
    fn bot_names(&self) -> Vec<(&'static str, &'static str)> {
        self.rules.bots()
    }
    fn bot_action(&self, bot: usize, state: &State<N>, mask: &[u64], chance: &mut dyn Chance) -> u32 {
        let action = must(self.rules.bot_action(bot, self.record(state), mask, chance));
        if action >= self.spec().num_actions || !mask::contains(mask, action) {
            let (env, name) = (self.spec().env, self.rules.bots()[bot].0);
            must(Err(Error::rules(format!("{env}: the bot {name} plays action {action}, which is illegal"))))
        }
        action
    }
}

impl<const N: usize> Dialect for Guest<N> {}
