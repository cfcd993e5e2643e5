//! Chess as a [`Game`]: one compiled variant under one set of options.

use serde_json::{Value, json};

use crate::engine::chance::Chance;
use crate::engine::{self, Bot, Error, Game, Options, Place, Result, Spec, Status, Step, reward_range};

use super::actions::{ActionView, Actions};
use super::board::moves::Move;
use super::board::position::{MoveRules, Orthodox, Position};
use super::chess960::Shuffle;
use super::history::{History, NoHistory};
use super::notation::{san, uci};
use super::observe::Planes;
use super::observe::az119::{self, Boards};
use super::state::{State, outcome};
use super::tables::Tables;
use super::variant::schema::Square;
use super::{bots, json, material, options, render};

/// How a state is shown to a learner.
pub(super) trait Shows<R: MoveRules>: History {
    /// Shape of the observation.
    fn shape(planes: &Planes) -> Vec<usize>;
    /// Writes it; with `PAST_CACHES` as [`Game::observe_past_caches`] may.
    fn write<const PAST_CACHES: bool>(
        game: &Chess<R, Self>,
        state: &State<R, Self>,
        seat: usize,
        out: &mut [u8],
    );
}

impl<R: MoveRules> Shows<R> for NoHistory {
    fn shape(planes: &Planes) -> Vec<usize> {
        vec![planes.len()]
    }
    #[inline]
    fn write<const PAST_CACHES: bool>(
        game: &Chess<R, Self>,
        state: &State<R, Self>,
        seat: usize,
        out: &mut [u8],
    ) {
        game.planes.write(&game.tables, &state.position, state.occurrences, seat, out);
    }
}

impl Shows<Orthodox> for Boards {
    fn shape(_: &Planes) -> Vec<usize> {
        vec![8, 8, az119::CHANNELS]
    }
    #[inline]
    fn write<const PAST_CACHES: bool>(
        _: &Chess<Orthodox, Self>,
        state: &State<Orthodox, Self>,
        seat: usize,
        out: &mut [u8],
    ) {
        az119::write::<PAST_CACHES>(state, seat, out);
    }
}

/// A variant of chess, compiled.
#[derive(Debug)]
pub(super) struct Chess<R: MoveRules, H> {
    pub(super) tables: Box<Tables<R::Bits>>,
    pub(super) actions: Actions<R::Bits>,
    planes: Planes,
    spec: Spec,
    max_plies: u16,
    start: Start<R>,
    history: std::marker::PhantomData<H>,
}

/// Where games start.
#[derive(Debug)]
enum Start<R: MoveRules> {
    /// Always here.
    Fixed(Box<Position<R>>),
    /// From some order of the first ranks, each as likely as any other.
    Drawn(Box<Shuffle>),
}

impl<R: MoveRules, H: Shows<R>> Chess<R, H> {
    pub(super) fn new(tables: Box<Tables<R::Bits>>, options: &Options) -> Result<Self> {
        let view = match options.text("action_view") {
            Some("dense") => ActionView::Dense,
            Some("az73") if R::ORTHODOX => ActionView::Az73,
            Some("az73") => {
                return Err(Error::config(
                    "option action_view=az73: flat or dense are allowed, but for variants chess and chess960",
                ));
            }
            _ => ActionView::Flat,
        };
        if R::HOOKED && view == ActionView::Dense {
            return Err(Error::config("option action_view=dense: flat is allowed with a hook"));
        }
        // Where games start is the caller's choice or the variant's.
        let blame = |e: Error| match options.text("fen") {
            Some(_) => e,
            None => Error::config(format!("variant {}: where games start: {e}", tables.variant.name)),
        };
        let start = options::start(&tables.variant, options)?;
        let start = match start {
            options::Start::At(setup) => Start::Fixed(Box::new(setup.to_position(&tables).map_err(blame)?)),
            options::Start::Drawn(shuffle) => {
                shuffle.check::<R>(&tables)?;
                Start::Drawn(shuffle)
            }
        };
        let actions = Actions::new(&tables, view);
        let planes = Planes::new(&tables);
        let max_plies = options.int("max_plies") as u16;
        let spec = Spec {
            env: Self::ID,
            version: Self::VERSION,
            summary: options::SUMMARY,
            options: options.clone(),
            players: 2,
            num_actions: actions.len(),
            actions: actions.families().to_vec(),
            observation_shape: H::shape(&planes),
            observation: if H::KEPT { az119::fields() } else { planes.fields().to_vec() },
            score: "1 for a win, 1/2 for a draw, 0 for a loss, and 0 while the game goes on",
            reward_range: reward_range(options, (0.0, 1.0)),
            max_episode_steps: u32::from(max_plies),
            hidden_information: false,
            state_bytes: size_of::<State<R, H>>(),
        };
        let game =
            Self { tables, actions, planes, spec, max_plies, start, history: std::marker::PhantomData };
        if let Start::Fixed(position) = &game.start {
            let mut state = State::<R, H>::new(**position);
            state.judge(&game.tables, game.max_plies);
            if state.outcome != outcome::RUNNING {
                return Err(Error::config(format!(
                    "variant {}: the game is over where it starts",
                    game.tables.variant.name
                )));
            }
        }
        Ok(game)
    }

    /// The move that an action means here.
    pub(super) fn decode(&self, state: &State<R, H>, action: u32) -> Option<Move> {
        self.actions.decode(&self.tables, &state.position, action)
    }

    /// Makes a move and decides whether the game is over.
    #[inline]
    pub(super) fn advance(&self, state: &mut State<R, H>, mv: Move) {
        state.advance(&self.tables, self.max_plies, mv);
    }

    /// The squares that a step went from and to.
    fn touched(&self, step: Option<&Step<State<R, H>>>) -> Vec<Square> {
        let moved = step.and_then(|step| Some((step, self.decode(&step.before, step.action)?)));
        moved.map_or_else(Vec::new, |(step, mv)| render::touched(&self.tables, &step.before.position, mv))
    }
}

impl<R: MoveRules, H: Shows<R>> Game for Chess<R, H> {
    type State = State<R, H>;

    const ID: &'static str = "chess";
    const VERSION: u32 = 2;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn init<C: Chance + ?Sized>(&self, chance: &mut C) -> State<R, H> {
        match &self.start {
            Start::Fixed(position) => State::new(**position),
            Start::Drawn(shuffle) => State::new(shuffle.draw(chance).assemble(&self.tables)),
        }
    }
    #[inline]
    fn status(&self, state: &State<R, H>) -> Status {
        match state.outcome {
            outcome::RUNNING => Status::Running,
            outcome::TRUNCATED => Status::Truncated,
            _ => Status::Terminated,
        }
    }
    #[inline]
    fn current_player(&self, state: &State<R, H>) -> usize {
        state.position.turn()
    }
    #[inline]
    fn legal(&self, state: &State<R, H>, mask: &mut [u64]) {
        if state.outcome == outcome::RUNNING {
            self.actions.write_legal(&self.tables, &state.position, mask);
        } else {
            mask.fill(0);
        }
    }
    #[inline]
    fn step<C: Chance + ?Sized>(&self, state: &mut State<R, H>, action: u32, _: &mut C) {
        if let Some(mv) = self.decode(state, action) {
            self.advance(state, mv);
        }
    }
    #[inline]
    fn observe(&self, state: &State<R, H>, seat: usize, out: &mut [u8]) {
        H::write::<false>(self, state, seat, out);
    }
    #[inline]
    fn observe_past_caches(&self, state: &State<R, H>, seat: usize, out: &mut [u8]) {
        H::write::<true>(self, state, seat, out);
    }
    fn scores(&self, state: &State<R, H>, out: &mut [f32]) {
        let [white, black] = match state.outcome {
            outcome::WHITE => [1.0, 0.0],
            outcome::BLACK => [0.0, 1.0],
            outcome::DRAW => [0.5, 0.5],
            _ => [0.0, 0.0],
        };
        (out[0], out[1]) = (white, black);
    }
    /// Material.
    fn estimate(&self, state: &State<R, H>, out: &mut [f32]) {
        for (side, worth) in out.iter_mut().enumerate() {
            *worth = material::of_side(&self.tables, &state.position, side) as f32;
        }
    }
    fn ranks(&self, state: &State<R, H>, out: &mut [u8]) {
        (out[0], out[1]) = match state.outcome {
            outcome::WHITE => (0, 1),
            outcome::BLACK => (1, 0),
            _ => (0, 0),
        };
    }

    fn validate(&self, state: &State<R, H>) -> Result<()> {
        state.validate(&self.tables)
    }
    fn state_to_json(&self, state: &State<R, H>) -> Value {
        json::write(&self.tables, state)
    }
    fn state_from_json(&self, value: &Value) -> Result<State<R, H>> {
        let state = json::read(&self.tables, value)?;
        state.validate(&self.tables)?;
        Ok(state)
    }
    fn determinize<C: Chance + ?Sized>(&self, state: &State<R, H>, _: usize, _: &mut C) -> State<R, H> {
        *state
    }

    fn action_to_string(&self, state: &State<R, H>, action: u32) -> String {
        match self.decode(state, action) {
            Some(mv) => uci::write(&self.tables, &state.position, mv),
            None => format!("nothing ({action})"),
        }
    }
    /// Takes UCI and standard algebraic notation.
    fn string_to_action(&self, state: &State<R, H>, text: &str) -> Result<u32> {
        if state.outcome != outcome::RUNNING {
            return Err(Error::GameOver("there are no legal moves".into()));
        }
        let mv = uci::parse(&self.tables, &state.position, text)
            .or_else(|_| san::parse(&self.tables, &state.position, text))?;
        Ok(self.actions.encode(&self.tables, &state.position, mv))
    }
    fn action_to_json(&self, state: &State<R, H>, action: u32) -> Value {
        json::action(&self.tables, &state.position, self.decode(state, action))
    }
    fn action_from_json(&self, state: &State<R, H>, value: &Value) -> Result<u32> {
        let mut found = None;
        state.position.each_move(&self.tables, |mv| {
            if json::action(&self.tables, &state.position, Some(mv)) == *value {
                found = Some(self.actions.encode(&self.tables, &state.position, mv));
            }
        });
        found.ok_or_else(|| Error::illegal(format!("no legal move is {value}")))
    }
    fn observation_to_json(&self, state: &State<R, H>, seat: usize) -> Value {
        let mut position = self.state_to_json(state);
        position["seat"] = json!(seat);
        position
    }
    fn seat_colours(_: engine::Theme) -> Vec<&'static str> {
        // White and black proper would not show on a page of the same colour.
        vec!["#c8ab7c", "#7b5a48"]
    }
    fn to_text(&self, state: &State<R, H>, last: Option<&Step<State<R, H>>>, view: engine::View) -> String {
        render::to_text(&self.tables, state, &self.touched(last), view)
    }
    fn to_svg(&self, state: &State<R, H>, last: Option<&Step<State<R, H>>>, view: engine::View) -> String {
        render::to_svg(&self.tables, state, &self.touched(last), view.theme)
    }
    fn places(&self, _state: &State<R, H>) -> Vec<Place> {
        render::places(&self.tables)
    }
    fn bots() -> &'static [Bot<Self>] {
        bots::list()
    }
}
