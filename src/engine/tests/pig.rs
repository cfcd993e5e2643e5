//! Pig, a dice game: the smallest game with chance, hidden information, ties and its own limit, for testing the
//! engine.
//!
//! A player rolls until it holds or loses the turn's points with a 1; first to 20 wins. Each player has a secret
//! lucky number from 2 to 6: rolling it doubles the points of the turn.

use bytemuck::{Pod, Zeroable};
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::{
    ActionLayout, Bot, Caption, Dialect, Error, Guide, ObservationLayout, Options, Picture, Result, Rules,
    Spec, Status, Step, View, Words, reward_range,
};

const GOAL: u8 = 20;
const LIMIT: u16 = 300;

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct State {
    points: [u8; 2],
    lucky: [u8; 2],
    turn: u8,
    player: u8,
    rolls: u16,
}

pub(super) struct Pig {
    pub(super) spec: Spec,
}

impl Pig {
    pub(super) fn new(given: &[(&str, &str)]) -> Self {
        let given = given.iter().map(|(k, v)| (*k, (*v).into()));
        let options = Options::parse(&[], given).unwrap();
        let reward_range = reward_range(&options, (0.0, 255.0));
        let mut actions = ActionLayout::default();
        actions.push("ROLL", 1, "roll the die");
        actions.push("HOLD", 1, "bank the points of the turn");
        let mut observation = ObservationLayout::default();
        observation.push("points", &[2], u8::MAX, "points, own first");
        observation.push("turn", &[1], u8::MAX, "points of the turn");
        observation.push("lucky", &[1], 6, "own lucky number");
        let spec = Spec {
            env: "pig",
            version: 1,
            summary: "a dice game",
            options,
            players: 2,
            num_actions: actions.len(),
            actions: actions.into_families(),
            observation_shape: vec![observation.len()],
            observation: observation.into_fields(),
            score: "points",
            reward_range,
            max_episode_steps: LIMIT.into(),
            hidden_information: true,
            payoff: Default::default(),
            simultaneous: "",
            state_bytes: size_of::<State>(),
            state: Vec::new(),
            values: Default::default(),
        };
        Self { spec }
    }
}

impl Rules for Pig {
    type State = State;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn init<C: Chance + ?Sized>(&self, chance: &mut C) -> State {
        let lucky = [0, 0].map(|_: u8| chance.uniform(5) as u8 + 2);
        State { points: [0; 2], lucky, turn: 0, player: chance.uniform(2) as u8, rolls: 0 }
    }

    fn status(&self, s: &State) -> Status {
        if s.points.iter().any(|&p| p >= GOAL) {
            Status::Terminated
        } else if s.rolls >= LIMIT {
            Status::Truncated
        } else {
            Status::Running
        }
    }

    fn current_player(&self, s: &State) -> usize {
        s.player.into()
    }

    fn legal(&self, s: &State, mask: &mut [u64]) {
        let running = self.status(s) == Status::Running;
        mask[0] = if running { 1 | u64::from(s.turn > 0) << 1 } else { 0 };
    }

    fn step<C: Chance + ?Sized>(&self, s: &mut State, action: u32, chance: &mut C) {
        let me = usize::from(s.player);
        s.rolls += 1;
        if action == 0 {
            let face = chance.uniform(6) as u8 + 1;
            if face > 1 {
                let times = if face == s.lucky[me] { 2 } else { 1 };
                s.turn = (s.turn + face * times).min(GOAL);
                return;
            }
        } else {
            s.points[me] += s.turn;
        }
        s.turn = 0;
        s.player ^= 1;
    }

    fn observe(&self, s: &State, seat: usize, out: &mut [u8]) {
        out.copy_from_slice(&[s.points[seat], s.points[1 - seat], s.turn, s.lucky[seat]]);
    }

    fn scores(&self, s: &State, out: &mut [f32]) {
        out.copy_from_slice(&s.points.map(f32::from));
    }

    fn ranks(&self, s: &State, out: &mut [u8]) {
        out.copy_from_slice(&[0, 1].map(|p: usize| u8::from(s.points[p] < s.points[1 - p])));
    }

    fn validate(&self, s: &State) -> Result<()> {
        let fits = s.points.iter().all(|&p| p < 2 * GOAL)
            && s.points.iter().filter(|&&p| p >= GOAL).count() < 2
            && s.lucky.iter().all(|l| (2..=6).contains(l))
            && s.turn <= GOAL
            && s.player < 2
            && s.rolls <= LIMIT;
        if fits { Ok(()) } else { Err(Error::state("a number is out of range")) }
    }

    fn determinize<C: Chance + ?Sized>(&self, s: &State, seat: usize, chance: &mut C) -> State {
        let mut s = *s;
        s.lucky[1 - seat] = chance.uniform(5) as u8 + 2;
        s
    }
}

impl Words for Pig {
    fn state_to_json(&self, s: &State) -> Value {
        json!({"points": s.points, "lucky": s.lucky, "turn": s.turn, "player": s.player, "rolls": s.rolls})
    }

    fn state_from_json(&self, json: &Value) -> Result<State> {
        let field = |key: &str| json.get(key).ok_or_else(|| Error::state(format!("{key} is missing")));
        let number = |v: &Value| {
            v.as_u64().and_then(|n| u8::try_from(n).ok()).ok_or_else(|| Error::state("not a byte"))
        };
        let pair = |key| match field(key)?.as_array().map(Vec::as_slice) {
            Some([a, b]) => Ok([number(a)?, number(b)?]),
            _ => Err(Error::state(format!("{key} is not a pair"))),
        };
        let state = State {
            points: pair("points")?,
            lucky: pair("lucky")?,
            turn: number(field("turn")?)?,
            player: number(field("player")?)?,
            rolls: field("rolls")?
                .as_u64()
                .and_then(|n| n.try_into().ok())
                .ok_or_else(|| Error::state("rolls"))?,
        };
        self.validate(&state)?;
        Ok(state)
    }

    fn action_to_string(&self, _: &State, action: u32) -> String {
        ["ROLL", "HOLD"][action as usize].into()
    }

    fn action_to_json(&self, s: &State, action: u32) -> Value {
        json!({"type": self.action_to_string(s, action)})
    }

    fn action_from_json(&self, _: &State, json: &Value) -> Result<u32> {
        match json.get("type").and_then(Value::as_str) {
            Some("ROLL") => Ok(0),
            Some("HOLD") => Ok(1),
            _ => Err(Error::illegal("type is ROLL or HOLD")),
        }
    }

    fn observation_to_json(&self, s: &State, seat: usize) -> Value {
        json!({"points": s.points, "turn": s.turn, "lucky": s.lucky[seat]})
    }
}

impl Picture for Pig {
    fn to_text(&self, s: &State, _: Option<&Step<State>>, _: View, _: Caption<'_>) -> String {
        format!("{:?} +{}", s.points, s.turn)
    }

    fn to_svg(&self, s: &State, last: Option<&Step<State>>, view: View, caption: Caption<'_>) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 -20 200 24\"><text>{}</text></svg>",
            self.to_text(s, last, view, caption)
        )
    }
}

impl Guide for Pig {
    fn bots() -> &'static [Bot<Self>] {
        &[Bot { name: "brave", help: "always rolls", act: |_, _, _, _| 0, tries: None }]
    }
}

impl Dialect for Pig {}
