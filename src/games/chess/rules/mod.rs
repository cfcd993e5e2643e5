//! Chess as a [`Game`]: one compiled variant under one set of options.

pub(crate) mod board;
pub(crate) mod chess960;
pub(crate) mod game_end;
pub(crate) mod history;
pub mod hook;
pub(crate) mod legal;
pub(crate) mod movegen;
pub(crate) mod perft;
pub(crate) mod refused_squares;
pub(crate) mod state;
pub(crate) mod step;
pub(crate) mod tables;
pub mod variant;

use ludovec_engine::chance::Chance;
use ludovec_engine::{Error, Options, PackedLayout, Result, Row, Rules, Spec, Status, reward_range};

use self::board::moves::Move;
use self::board::position::{MoveRules, Orthodox, Position};
use self::chess960::Shuffle;
use self::history::{History, NoHistory};
use self::state::{State, outcome};
use self::tables::Tables;
use super::actions::{ActionView, Actions};
use super::observe::Planes;
use super::observe::az119::{self, Boards};
use super::{ID, options, values};

/// Version of the behaviour: every change of rules, indices or layout increments it.
pub(super) const VERSION: u32 = 4;

/// The observation of a state.
pub(super) trait Shows<R: MoveRules>: History {
    /// Shape of the observation.
    fn shape(planes: &Planes) -> Vec<usize>;
    /// Writes the observation; `NONTEMPORAL` as in
    /// [`Rules::observe_nontemporal`](ludovec_engine::Rules::observe_nontemporal).
    fn write<const NONTEMPORAL: bool>(
        game: &Chess<R, Self>,
        state: &State<R, Self>,
        seat: usize,
        out: &mut [u8],
    );
    /// Writes the packed observation.
    fn write_packed(game: &Chess<R, Self>, state: &State<R, Self>, seat: usize, row: &mut [u8]);
}

impl<R: MoveRules> Shows<R> for NoHistory {
    fn shape(planes: &Planes) -> Vec<usize> {
        vec![planes.len()]
    }
    #[inline]
    fn write<const NONTEMPORAL: bool>(
        game: &Chess<R, Self>,
        state: &State<R, Self>,
        seat: usize,
        out: &mut [u8],
    ) {
        game.planes.write(&game.tables, state, seat, Row::<false>::new(out));
    }
    fn write_packed(game: &Chess<R, Self>, state: &State<R, Self>, seat: usize, row: &mut [u8]) {
        game.planes.write(&game.tables, state, seat, Row::<true>::new(row));
    }
}

impl Shows<Orthodox> for Boards {
    fn shape(_: &Planes) -> Vec<usize> {
        vec![8, 8, az119::CHANNELS]
    }
    #[inline]
    fn write<const NONTEMPORAL: bool>(
        _: &Chess<Orthodox, Self>,
        state: &State<Orthodox, Self>,
        seat: usize,
        out: &mut [u8],
    ) {
        az119::write::<NONTEMPORAL>(state, seat, out);
    }
    fn write_packed(_: &Chess<Orthodox, Self>, state: &State<Orthodox, Self>, seat: usize, row: &mut [u8]) {
        az119::write_packed(state, seat, row);
    }
}

/// A compiled variant of chess.
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

/// The start positions.
#[derive(Debug)]
enum Start<R: MoveRules> {
    /// Always in this position.
    Fixed(Box<Position<R>>),
    /// Chess960: a position drawn uniformly from all orders of the first ranks.
    Drawn(Box<Shuffle>),
}

impl<R: MoveRules, H: Shows<R>> Chess<R, H> {
    pub(super) fn new(tables: Box<Tables<R::Bits>>, options: &Options) -> Result<Self> {
        let view = match options.text("action_view") {
            Some("dense") => ActionView::Dense,
            Some("az73") if R::ORTHODOX => ActionView::Az73,
            Some("az73") => {
                return Err(Error::config(
                    "option action_view=az73: this is for variants chess and chess960, flat or dense are allowed here",
                ));
            }
            _ => ActionView::Flat,
        };
        if R::HOOKED && view == ActionView::Dense {
            return Err(Error::config("option action_view=dense: flat is allowed with a hook"));
        }
        // An error in the starting position is an error of the variant, unless the caller gave the position.
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
            env: ID,
            version: VERSION,
            summary: options::SUMMARY,
            options: options.clone(),
            players: 2,
            num_actions: actions.len(),
            actions: actions.families().to_vec(),
            observation_shape: H::shape(&planes),
            observation: if H::KEPT { az119::fields() } else { planes.fields().to_vec() },
            score: "1 for a win, 1/2 for a draw, 0 for a loss, and 0 while the game is in progress",
            reward_range: reward_range(options, (0.0, 1.0)),
            max_episode_steps: u32::from(max_plies),
            hidden_information: false,
            payoff: Default::default(),
            simultaneous: "",
            state_bytes: size_of::<State<R, H>>(),
            state: values::columns::<R, H>(),
            values: values::tables(&tables, &actions),
        };
        let game =
            Self { tables, actions, planes, spec, max_plies, start, history: std::marker::PhantomData };
        if let Start::Fixed(position) = &game.start {
            let mut state = State::<R, H>::new(**position);
            state.detect_end(&game.tables, game.max_plies);
            if state.outcome != outcome::RUNNING {
                return Err(Error::config(format!(
                    "variant {}: the game is over where it starts",
                    game.tables.variant.name
                )));
            }
        }
        Ok(game)
    }

    /// The move of an action in this state.
    pub(super) fn decode(&self, state: &State<R, H>, action: u32) -> Option<Move> {
        self.actions.decode(&self.tables, &state.position, action)
    }

    /// Decides whether the game is over.
    pub(super) fn detect_end(&self, state: &mut State<R, H>) {
        state.detect_end(&self.tables, self.max_plies);
    }

    /// Makes a move and decides whether the game is over.
    #[inline]
    pub(super) fn advance(&self, state: &mut State<R, H>, mv: Move) {
        state.advance(&self.tables, self.max_plies, mv);
    }
}

impl<R: MoveRules, H: Shows<R>> Rules for Chess<R, H> {
    type State = State<R, H>;

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
    fn observe_nontemporal(&self, state: &State<R, H>, seat: usize, out: &mut [u8]) {
        H::write::<true>(self, state, seat, out);
    }

    #[inline]
    fn observe_packed(&self, state: &State<R, H>, seat: usize, _: &PackedLayout, row: &mut [u8]) {
        H::write_packed(self, state, seat, row);
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

    fn determinize<C: Chance + ?Sized>(&self, state: &State<R, H>, _: usize, _: &mut C) -> State<R, H> {
        *state
    }
}
