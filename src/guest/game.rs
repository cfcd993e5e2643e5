//! A guest as a game of the engine.

use std::sync::Arc;

use bytemuck::Zeroable;

use ludovec_engine::chance::Chance;
use ludovec_engine::{
    AnyGame, Effort, Error, Findings, MAX_PLAYERS, PackedLayout, Result, Rules, Spec, Status,
    check_conformance_of, mask,
};

use crate::rules::{GuestRules, Player};
use crate::state::{CLASSES, Header, LARGEST_RECORD, State, read_returns, record_offset, write_returns};

/// A guest as a game of the engine.
///
/// # Errors
/// [`Error::Rules`] if the record is too large, or the spec contradicts itself.
pub fn game(rules: Arc<dyn GuestRules>) -> Result<Arc<dyn AnyGame>> {
    let (spec, bytes) = (rules.spec(), rules.spec().state_bytes);
    if !(1..=MAX_PLAYERS).contains(&spec.players) {
        return Err(Error::rules(format!(
            "{}: {} players, 1 to {MAX_PLAYERS} are allowed",
            spec.env, spec.players
        )));
    }
    if bytes > LARGEST_RECORD {
        return Err(Error::rules(format!(
            "{}: a state of {bytes} bytes, at most {LARGEST_RECORD} are allowed",
            spec.env
        )));
    }
    let words = (record_offset(spec.players) + bytes).div_ceil(8);
    macro_rules! smallest_class {
        ($($class:literal),+) => {{
            $(if words <= const { CLASSES[$class] } {
                return Ok(Arc::new(Guest::<{ CLASSES[$class] }>::new(rules)));
            })+
            unreachable!("the last class holds the largest record")
        }};
    }
    smallest_class!(0, 1, 2, 3)
}

/// The rules of a guest over states of `N` words.
pub(crate) struct Guest<const N: usize> {
    pub(crate) rules: Arc<dyn GuestRules>,
    spec: Spec,
    offset: usize,
    end: usize,
    /// The highest value of each element of an observation; empty if every byte is allowed.
    highest: Vec<u8>,
}

/// The result of a rule; an error ends the call of the engine.
pub(crate) fn must<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|error| error.unwind())
}

/// A source of chance of any type as a trait object.
pub(crate) struct Source<'a, C: ?Sized>(pub(crate) &'a mut C);

impl<C: Chance + ?Sized> Chance for Source<'_, C> {
    fn uniform(&mut self, n: u32) -> u32 {
        self.0.uniform(n)
    }
    fn weighted(&mut self, weights: &[u32]) -> usize {
        self.0.weighted(weights)
    }
}

impl<const N: usize> Guest<N> {
    pub(crate) fn new(rules: Arc<dyn GuestRules>) -> Self {
        let mut spec = rules.spec().clone();
        let offset = record_offset(spec.players);
        spec.state_bytes = size_of::<State<N>>();
        for column in &mut spec.state {
            column.offset += offset;
        }
        let mut highest = vec![u8::MAX; spec.observation_len()];
        for field in &spec.observation {
            for index in field.indices() {
                highest[index] = field.high;
            }
        }
        if highest.iter().all(|&high| high == u8::MAX) {
            highest.clear();
        }
        let end = offset + rules.spec().state_bytes;
        Self { rules, spec, offset, end, highest }
    }

    pub(crate) fn record<'a>(&self, state: &'a State<N>) -> &'a [u8] {
        &state.bytes()[self.offset..self.end]
    }
    pub(crate) fn record_mut<'a>(&self, state: &'a mut State<N>) -> &'a mut [u8] {
        &mut state.bytes_mut()[self.offset..self.end]
    }

    /// An error in a method of the rules.
    pub(crate) fn wrong<T>(&self, method: &str, what: impl std::fmt::Display) -> Result<T> {
        Err(Error::rules(format!("{}.{method}: {what}", self.spec.env)))
    }

    fn header(&self, state: &State<N>) -> Header {
        Header::read(state.bytes()).expect("states are made by the rules or validated")
    }

    /// The header and the returns after `decisions` decisions, as they follow from the record.
    fn summary(&self, record: &[u8], decisions: u32) -> Result<(Header, [f32; MAX_PLAYERS])> {
        let players = self.spec.players;
        let mut returns = [0.0; MAX_PLAYERS];
        let header = match self.rules.current_player(record)? {
            Player::At(player) if player >= players => {
                return self.wrong("current_player", format_args!("player {player} of {players}"));
            }
            Player::At(player) => {
                let over = decisions >= self.spec.max_episode_steps;
                let status = if over { Status::Truncated } else { Status::Running };
                Header { player: player as u8, status, decisions }
            }
            Player::Truncated => Header { player: 0, status: Status::Truncated, decisions },
            Player::None => {
                self.rules.returns(record, &mut returns[..players])?;
                if let Some(wrong) = returns.iter().find(|value| !value.is_finite()) {
                    return self.wrong("returns", format_args!("{wrong}, a finite number is needed"));
                }
                Header { player: 0, status: Status::Terminated, decisions }
            }
        };
        Ok((header, returns))
    }

    /// Writes the header of a state whose record is complete.
    pub(crate) fn finish(&self, state: &mut State<N>, decisions: u32) -> Result<()> {
        let (header, returns) = self.summary(self.record(state), decisions)?;
        header.write(state.bytes_mut());
        write_returns(state.bytes_mut(), &returns[..self.spec.players]);
        Ok(())
    }

    fn legal_actions(&self, state: &State<N>, mask: &mut [u64]) -> Result<()> {
        mask.fill(0);
        if self.header(state).status != Status::Running {
            return Ok(());
        }
        self.rules.legal(self.record(state), mask)?;
        if mask.iter().all(|&word| word == 0) {
            return self.wrong("legal", "no action is legal, but the game is not over");
        }
        Ok(())
    }

    fn observation(&self, state: &State<N>, seat: usize, out: &mut [u8]) -> Result<()> {
        out.fill(0);
        self.rules.observe(self.record(state), seat, out)?;
        let too_high = self.highest.iter().zip(out.iter()).any(|(high, element)| element > high);
        if too_high {
            let at = (0..out.len()).find(|&at| out[at] > self.highest[at]).expect("an element is too high");
            let (given, most) = (out[at], self.highest[at]);
            return self.wrong("observe", format_args!("element {at} is {given}, at most {most} is allowed"));
        }
        Ok(())
    }
}

impl<const N: usize> Rules for Guest<N> {
    type State = State<N>;

    fn spec(&self) -> &Spec {
        &self.spec
    }
    fn is_serial(&self) -> bool {
        self.rules.is_serial()
    }

    fn init<C: Chance + ?Sized>(&self, chance: &mut C) -> State<N> {
        let mut state = State::zeroed();
        must(self.rules.init(self.record_mut(&mut state), &mut Source(chance)));
        must(self.finish(&mut state, 0));
        if self.status(&state) != Status::Running {
            must(self.wrong("init", format_args!("the game is over at its start")))
        }
        state
    }
    #[inline]
    fn status(&self, state: &State<N>) -> Status {
        self.header(state).status
    }
    #[inline]
    fn current_player(&self, state: &State<N>) -> usize {
        self.header(state).player.into()
    }
    fn legal(&self, state: &State<N>, mask: &mut [u64]) {
        must(self.legal_actions(state, mask));
        debug_assert!(mask::iter(mask).all(|action| action < self.spec.num_actions));
    }
    fn step<C: Chance + ?Sized>(&self, state: &mut State<N>, action: u32, chance: &mut C) {
        // A rule that fails leaves the position as it was.
        let mut next = *state;
        must(self.rules.step(self.record_mut(&mut next), action, &mut Source(chance)));
        must(self.finish(&mut next, self.header(state).decisions.saturating_add(1)));
        *state = next;
    }
    fn observe(&self, state: &State<N>, seat: usize, out: &mut [u8]) {
        must(self.observation(state, seat, out));
    }
    fn observe_packed(&self, state: &State<N>, seat: usize, layout: &PackedLayout, row: &mut [u8]) {
        match self.rules.observe_packed(self.record(state), seat, row) {
            Some(written) => must(written),
            None => layout.pack_written(|elements| self.observe(state, seat, elements), row),
        }
    }
    fn scores(&self, state: &State<N>, out: &mut [f32]) {
        if self.header(state).status == Status::Terminated && !self.rules.features().keeps_scores {
            return read_returns(state.bytes(), out);
        }
        must(self.rules.scores(self.record(state), out));
        if let Some(wrong) = out.iter().find(|value| !value.is_finite()) {
            must(self.wrong("scores", format_args!("{wrong}, a finite number is needed")))
        }
    }
    fn ranks(&self, state: &State<N>, out: &mut [u8]) {
        let mut returns = [0.0; MAX_PLAYERS];
        let returns = &mut returns[..out.len()];
        read_returns(state.bytes(), returns);
        for (rank, own) in out.iter_mut().zip(&*returns) {
            *rank = returns.iter().filter(|other| *other > own).count() as u8;
        }
    }

    fn validate(&self, state: &State<N>) -> Result<()> {
        let (players, bytes) = (self.spec.players, state.bytes());
        let header = Header::read(bytes).ok_or_else(|| Error::state("the header has an unknown status"))?;
        if !Header::is_clean(bytes, players, self.end - self.offset) {
            return Err(Error::state("bytes between the parts of the state are not 0"));
        }
        if header.decisions > self.spec.max_episode_steps {
            let most = self.spec.max_episode_steps;
            return Err(Error::state(format!("{} decisions, at most {most} are allowed", header.decisions)));
        }
        let record = self.record(state);
        self.rules.validate(record)?;
        // The header says again what the record says, unless one of them was changed.
        let refused = |error: Error| Error::state(error.to_string());
        let (expected, returns) = self.summary(record, header.decisions).map_err(refused)?;
        let mut given = [0.0; MAX_PLAYERS];
        read_returns(bytes, &mut given[..players]);
        if header != expected || given.map(f32::to_bits) != returns.map(f32::to_bits) {
            return Err(Error::state("the current player or the result is not that of the record"));
        }
        let mut mask = vec![0; self.spec.mask_words()];
        self.legal_actions(state, &mut mask).map_err(refused)?;
        let mut seen = vec![0; self.spec.observation_len()];
        (0..players).try_for_each(|seat| self.observation(state, seat, &mut seen)).map_err(refused)
    }
    fn brought_suite(self: &Arc<Self>, effort: Effort) -> Option<std::result::Result<Findings, String>> {
        Some(check_conformance_of(self, effort, self.offset))
    }
    fn determinize<C: Chance + ?Sized>(&self, state: &State<N>, seat: usize, chance: &mut C) -> State<N> {
        let mut other = *state;
        if self.spec.hidden_information {
            must(self.rules.determinize(self.record_mut(&mut other), seat, &mut Source(chance)));
            must(self.finish(&mut other, self.header(state).decisions));
            let (real, drawn) = (self.header(state), self.header(&other));
            if real != drawn {
                must(self.wrong("determinize", "the current player or the end of the game has changed"))
            }
        }
        other
    }
}
