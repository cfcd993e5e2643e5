//! The conformance suite refuses wrong games: one fault each in a small game with hidden cards and secret bets.
//!
//! Three players hold a card each. A turn moves the public token left or right, changes the card for one of the deck
//! (the old one is shown), or bets in secret. After four turns each the highest card wins.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::{Duration, Instant};

use bytemuck::{Pod, Zeroable};
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::{
    ActionLayout, AnyGame, Bot, Caption, Dialect, Effort, Error, Findings, Guide, ObservationLayout, Options,
    Picture, Place, Refusal, Result, Rules, Spec, Status, Step, Symmetry, View, Words, mask, reward_range,
};

/// Cards of each kind, from the lowest.
const CARDS: [u8; 4] = [6, 3, 2, 1];
const PLAYERS: usize = 3;
const MOVES: u8 = 12;
const LEFT: u32 = 0;
const RIGHT: u32 = 1;
const CHANGE: u32 = 2;
const BET: u32 = 3;
const NAMES: [&str; 5] = ["LEFT", "RIGHT", "CHANGE", "BET LOW", "BET HIGH"];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    DeterminizeCopies,
    DeterminizeDrawsElsewhere,
    DrawsKindsEvenly,
    RedrawsOnePlayer,
    BotPeeks,
    BotAnswersIllegal,
    BotAnswersImpossible,
    BotTriesImpossible,
    EstimatePeeks,
    OutlookPeeks,
    EstimateIsNotANumber,
    DescribeStepTellsBets,
    DescribeStepTellsCards,
    InformationStateTellsBets,
    InformationStateTellsCards,
    ObservationToJson,
    ActionInWords,
    ActionToJson,
    ExplainIllegal,
    Turn,
    Standing,
    ShowsScore,
    Text,
    Drawing,
    Places,
    SymmetryOfLegal,
    SymmetryOfStep,
    SymmetryOfObservation,
    SymmetryIsNoPermutation,
    RanksTurnedAround,
    SaysThatNothingIsHidden,
    TextsNotUnique,
    KeepsBets,
    ChanceWithoutEffect,
    InformationStateTellsShownBets,
    InformationStateTellsBetsEarly,
    RumoursAreRight,
    IgnoresRumours,
    PhaseWithoutField,
    PhaseTells,
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct State {
    /// Kinds from 1.
    cards: [u8; PLAYERS],
    /// 0: none, 1: low, 2: high.
    bets: [u8; PLAYERS],
    discards: [u8; 4],
    /// What each player has heard of the card of the next one: 0 nothing, 1 the lowest kind, 2 another one.
    rumours: [u8; PLAYERS],
    token: u8,
    moves: u8,
}

impl State {
    fn unseen(&self, known: impl Iterator<Item = usize>) -> [u32; 4] {
        let mut left: [u32; 4] = std::array::from_fn(|kind| u32::from(CARDS[kind] - self.discards[kind]));
        known.for_each(|seat| left[usize::from(self.cards[seat]) - 1] -= 1);
        left
    }
    fn deck(&self) -> [u32; 4] {
        self.unseen(0..PLAYERS)
    }
    /// A rumour for `seat`, which is true with probability 3/4.
    fn rumour<C: Chance + ?Sized>(&self, seat: usize, chance: &mut C) -> u8 {
        let is_lowest = self.cards[(seat + 1) % PLAYERS] == 1;
        if (chance.uniform(4) > 0) == is_lowest { 1 } else { 2 }
    }
    fn mover(&self) -> usize {
        usize::from(self.moves) % PLAYERS
    }
    /// The cards that only other players know.
    fn others(&self, seat: usize) -> u8 {
        self.cards.iter().sum::<u8>() - self.cards[seat]
    }
}

struct Cards {
    spec: Spec,
    fault: Fault,
    /// Calls of a wrong `determinize`.
    calls: AtomicU8,
}

impl Cards {
    fn new(fault: Fault) -> Self {
        let options = Options::parse(&[], [("reward", "outcome".into())]).unwrap();
        let mut actions = ActionLayout::default();
        for name in NAMES {
            actions.push(name, 1, "");
        }
        let mut observation = ObservationLayout::default();
        observation.push("token", &[5], 1, "place of the token");
        observation.push("moves", &[1], MOVES, "moves so far");
        observation.push("card", &[1], 4, "own card");
        observation.push("bet", &[1], 2, "own bet");
        observation.push("discards", &[4], 6, "discards by kind");
        observation.push("has_bet", &[PLAYERS], 2, "whether each player has bet, own first");
        observation.push("rumour", &[1], 2, "what is said about the card of the next player");
        let spec = Spec {
            env: "cards",
            version: 1,
            summary: "a game of cards",
            reward_range: reward_range(&options, (0.0, 4.0)),
            options,
            players: PLAYERS,
            num_actions: actions.len(),
            actions: actions.into_families(),
            observation_shape: vec![observation.len()],
            observation: observation.into_fields(),
            payoff: Default::default(),
            simultaneous: match fault {
                Fault::PhaseWithoutField => "bets",
                Fault::PhaseTells => "has_bet",
                _ => "",
            },
            score: "the card at the end",
            max_episode_steps: MOVES.into(),
            hidden_information: fault != Fault::SaysThatNothingIsHidden,
            state_bytes: size_of::<State>(),
            state: Vec::new(),
            values: Default::default(),
        };
        Self { spec, fault, calls: AtomicU8::new(0) }
    }
    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }
    /// Whether each player hears something about the card of the next one.
    fn has_rumours(&self) -> bool {
        matches!(self.fault, Fault::RumoursAreRight | Fault::IgnoresRumours)
    }
    /// Whether all bets are shown, in the variants that show bets when all players have bet.
    fn shows_bets(&self, s: &State) -> bool {
        matches!(self.fault, Fault::InformationStateTellsShownBets | Fault::InformationStateTellsBetsEarly)
            && s.bets.iter().all(|&bet| bet > 0)
    }
}

impl Rules for Cards {
    type State = State;

    fn spec(&self) -> &Spec {
        &self.spec
    }
    fn init<C: Chance + ?Sized>(&self, chance: &mut C) -> State {
        let mut state =
            State { cards: [0; 3], bets: [0; 3], discards: [0; 4], rumours: [0; 3], token: 2, moves: 0 };
        for seat in 0..PLAYERS {
            state.cards[seat] = chance.weighted(&state.unseen(0..seat)) as u8 + 1;
        }
        if self.has_rumours() {
            for seat in 0..PLAYERS {
                state.rumours[seat] = state.rumour(seat, chance);
            }
        }
        state
    }
    fn status(&self, s: &State) -> Status {
        if s.moves < MOVES { Status::Running } else { Status::Terminated }
    }
    fn current_player(&self, s: &State) -> usize {
        s.mover()
    }
    fn legal(&self, s: &State, mask: &mut [u64]) {
        mask.fill(0);
        if s.moves == MOVES {
            return;
        }
        let end = if self.has(Fault::SymmetryOfLegal) { 3 } else { 4 };
        let bets = s.bets[s.mover()] == 0;
        for (action, is_legal) in
            [s.token > 0, s.token < end, s.deck().iter().any(|&n| n > 0), bets, bets].into_iter().enumerate()
        {
            if is_legal {
                mask::set(mask, action as u32);
            }
        }
    }
    fn step<C: Chance + ?Sized>(&self, s: &mut State, action: u32, chance: &mut C) {
        let mover = s.mover();
        match action {
            LEFT => s.token -= 1,
            RIGHT => s.token = (s.token + 1 + u8::from(self.has(Fault::SymmetryOfStep))).min(4),
            CHANGE => {
                let deck = s.deck();
                s.rumours[(mover + PLAYERS - 1) % PLAYERS] = 0;
                s.discards[usize::from(s.cards[mover]) - 1] += 1;
                let drawn = chance.weighted(&deck);
                let first = deck.iter().position(|&left| left > 0).unwrap_or(drawn);
                s.cards[mover] = if self.has(Fault::ChanceWithoutEffect) { first } else { drawn } as u8 + 1;
            }
            bet => s.bets[mover] = (bet - BET) as u8 + 1,
        }
        s.moves += 1;
    }
    fn observe(&self, s: &State, seat: usize, out: &mut [u8]) {
        out.fill(0);
        out[usize::from(s.token)] = 1;
        out[5..8].copy_from_slice(&[s.moves, s.cards[seat], s.bets[seat]]);
        out[8..12].copy_from_slice(&s.discards);
        out[15] = s.rumours[seat];
        for (i, out) in out[12..15].iter_mut().enumerate() {
            let bet = s.bets[(seat + i) % PLAYERS];
            *out = if self.shows_bets(s) { bet } else { u8::from(bet > 0) };
        }
    }
    fn scores(&self, s: &State, out: &mut [f32]) {
        let over = s.moves == MOVES || self.has(Fault::ShowsScore);
        out.copy_from_slice(&s.cards.map(|card| if over { card.into() } else { 0.0 }));
    }
    fn ranks(&self, s: &State, out: &mut [u8]) {
        let ahead = |a: u8, b: u8| if self.has(Fault::RanksTurnedAround) { a < b } else { a > b };
        out.copy_from_slice(
            &s.cards.map(|own| s.cards.iter().filter(|&&card| ahead(card, own)).count() as u8),
        );
    }
    fn validate(&self, s: &State) -> Result<()> {
        let held = |kind: usize| s.cards.iter().filter(|&&card| usize::from(card) == kind + 1).count() as u8;
        let fits = s.cards.iter().all(|card| (1..=4).contains(card))
            && s.bets.iter().all(|&bet| bet <= 2)
            && (0..4)
                .all(|kind| s.discards[kind] <= CARDS[kind] && held(kind) <= CARDS[kind] - s.discards[kind])
            && s.rumours.iter().all(|&rumour| rumour <= 2)
            && s.token <= 4
            && s.moves <= MOVES;
        if fits { Ok(()) } else { Err(Error::state("a number is out of range")) }
    }
    fn determinize<C: Chance + ?Sized>(&self, s: &State, seat: usize, chance: &mut C) -> State {
        let mut drawn = *s;
        if self.has(Fault::DeterminizeDrawsElsewhere) {
            drawn.bets[(seat + 1) % PLAYERS] = 1 + self.calls.fetch_add(1, Relaxed) % 2;
            return drawn;
        }
        if self.has(Fault::DeterminizeCopies) || self.has(Fault::SaysThatNothingIsHidden) {
            return drawn;
        }
        let others: Vec<usize> = (1..PLAYERS).map(|i| (seat + i) % PLAYERS).collect();
        let kept = if self.has(Fault::RedrawsOnePlayer) { 1 } else { PLAYERS };
        let mut left = s.unseen(std::iter::once(seat).chain(others.iter().copied().skip(kept)));
        for (i, &other) in others.iter().take(kept).enumerate() {
            let mut weights =
                if self.has(Fault::DrawsKindsEvenly) { left.map(|left| left.min(1)) } else { left };
            if i == 0 && s.rumours[seat] > 0 && !self.has(Fault::IgnoresRumours) {
                let is_likely = |kind: usize| (kind == 0) == (s.rumours[seat] == 1);
                (0..4).filter(|&kind| is_likely(kind)).for_each(|kind| weights[kind] *= 3);
            }
            let kind = chance.weighted(&weights);
            left[kind] -= 1;
            drawn.cards[other] = kind as u8 + 1;
        }
        for other in others {
            if s.rumours[other] > 0 {
                drawn.rumours[other] = drawn.rumour(other, chance);
            }
            if s.bets[other] > 0 && !self.has(Fault::KeepsBets) && !self.shows_bets(s) {
                drawn.bets[other] = chance.uniform(2) as u8 + 1;
            }
        }
        drawn
    }
}

impl Words for Cards {
    fn action_to_string(&self, _: &State, action: u32) -> String {
        let same = self.has(Fault::TextsNotUnique) && action == BET + 1;
        NAMES[if same { BET } else { action } as usize].into()
    }
    fn action_in_words(&self, s: &State, action: u32, _: &[String]) -> String {
        let others = if self.has(Fault::ActionInWords) { s.others(s.mover()) } else { 0 };
        format!("{} {others}", NAMES[action as usize])
    }
    fn action_to_json(&self, s: &State, action: u32) -> Value {
        let others = if self.has(Fault::ActionToJson) { s.others(s.mover()) } else { 0 };
        json!({ "type": NAMES[action as usize], "index": 0, "others": others })
    }
    fn explain_illegal(&self, s: &State, action: u32) -> Refusal {
        let others = if self.has(Fault::ExplainIllegal) { s.others(s.mover()) } else { 0 };
        Refusal::illegal(format!("{} is illegal, {others}", NAMES[action as usize]))
    }
    fn observation_to_json(&self, s: &State, seat: usize) -> Value {
        let others = if self.has(Fault::ObservationToJson) { s.others(seat) } else { 0 };
        json!({ "card": s.cards[seat], "discards": s.discards, "others": others })
    }
    fn turn(&self, s: &State) -> Option<u32> {
        let turn = u32::from(s.moves) / PLAYERS as u32 + 1;
        Some(if self.has(Fault::Turn) { turn + u32::from(s.cards[0]) } else { turn })
    }
    fn describe_step(&self, step: &Step<State>, seat: Option<usize>, _: &[String]) -> String {
        if self.has(Fault::DescribeStepTellsCards) {
            return format!("{} with {:?}", NAMES[step.action as usize], step.before.cards);
        }
        if step.action >= BET
            && seat.is_some_and(|seat| seat != step.player)
            && !self.has(Fault::DescribeStepTellsBets)
        {
            return "BET".into();
        }
        NAMES[step.action as usize].into()
    }
    fn information_state(&self, s: &State, seat: usize, history: &[Step<State>]) -> Value {
        let told = |step: &Step<State>| {
            let told = match self.fault {
                Fault::InformationStateTellsBets => true,
                Fault::InformationStateTellsBetsEarly => s.bets.iter().filter(|&&bet| bet > 0).count() >= 2,
                _ => self.shows_bets(s),
            };
            let secret = step.player != seat && !told;
            if step.action >= BET && secret { "BET" } else { NAMES[step.action as usize] }
        };
        let others = if self.has(Fault::InformationStateTellsCards) { s.others(seat) } else { 0 };
        json!({ "card": s.cards[seat], "others": others, "history": history.iter().map(told).collect::<Vec<_>>() })
    }
}

impl Picture for Cards {
    fn to_text(&self, s: &State, _: Option<&Step<State>>, view: View, _: Caption<'_>) -> String {
        let all = view.seat.is_none() || self.has(Fault::Text);
        let card = |seat: usize| if all || view.shows(seat) { s.cards[seat] } else { 0 };
        format!("token {} cards {:?}", s.token, [0, 1, 2].map(card))
    }
    fn to_svg(&self, s: &State, _: Option<&Step<State>>, view: View, _: Caption<'_>) -> String {
        let all = view.seat.is_none() || self.has(Fault::Drawing);
        let card = |seat: usize| if all || view.shows(seat) { s.cards[seat] } else { 0 };
        format!("<svg viewBox=\"0 0 9 9\"><text>{:?}</text></svg>", [0, 1, 2].map(card))
    }
    fn standing(&self, s: &State, names: &[String]) -> String {
        let card = if self.has(Fault::Standing) { s.cards[0] } else { 0 };
        format!("{} to move {card}", names[s.mover()])
    }
    fn places(&self, s: &State, _: View) -> Vec<Place> {
        let wide = if self.has(Fault::Places) { f64::from(s.cards[0]) } else { 1.0 };
        vec![Place::rectangle(vec![("type", "CHANGE".into())], [0.0, 0.0], [wide, 1.0])]
    }
}

/// Changes a low card, and otherwise moves the token. Fault: changes unless the card is the highest.
fn careful(game: &Cards, s: &State, mask: &[u64], chance: &mut dyn Chance) -> u32 {
    let mover = s.mover();
    let highest = s.cards.iter().all(|&card| card <= s.cards[mover]);
    let change = if game.has(Fault::BotPeeks) { !highest } else { s.cards[mover] < 3 };
    match game.fault {
        Fault::BotAnswersIllegal if s.token == 0 => LEFT,
        Fault::BotAnswersImpossible if s.token == 0 => 64,
        _ if change && mask::contains(mask, CHANGE) => CHANGE,
        _ => mask::at_random(&[mask[0] & 0b11], chance),
    }
}

impl Guide for Cards {
    fn estimate(&self, s: &State, out: &mut [f32]) {
        for (seat, out) in out.iter_mut().enumerate() {
            *out = s.cards[seat].into();
            match self.fault {
                Fault::EstimatePeeks => *out -= f32::from(s.others(seat)),
                Fault::EstimateIsNotANumber if s.token == 0 => *out /= 0.0,
                _ => {}
            }
        }
    }
    fn outlook(&self, s: &State, out: &mut [f32]) {
        self.estimate(s, out);
        if self.has(Fault::OutlookPeeks) {
            out.iter_mut().for_each(|out| *out = f32::from(s.cards.iter().sum::<u8>()));
        }
    }
    fn bots() -> &'static [Bot<Self>] {
        &[Bot {
            name: "careful",
            help: "changes low cards",
            act: careful,
            tries: Some(|game, _, _| if game.has(Fault::BotTriesImpossible) { 5 } else { BET }),
        }]
    }
    fn symmetries(&self) -> Vec<Symmetry> {
        let identity = Symmetry {
            name: "identity".into(),
            observation: (0..self.spec.observation_len() as u32).collect(),
            action: (0..5).collect(),
        };
        let mut mirror = Symmetry { name: "mirror".into(), ..identity.clone() };
        mirror.action.swap(0, 1);
        match self.fault {
            Fault::SymmetryOfObservation => {}
            Fault::SymmetryIsNoPermutation => mirror.observation[..5].fill(2),
            _ => mirror.observation[..5].reverse(),
        }
        vec![identity, mirror]
    }
}

impl Dialect for Cards {}

fn check(fault: Fault) -> Result<Findings, String> {
    let game: Arc<dyn AnyGame> = Arc::new(Cards::new(fault));
    game.check_conformance(Effort { games: 10, slow_positions: 8, batch_steps: 20, ..Effort::default() })
}

#[test]
fn the_right_game_conforms_without_a_warning() {
    assert_eq!(check(Fault::None), Ok(Findings::default()));
}

#[test]
fn information_states_may_tell_what_later_observations_have_shown() {
    assert_eq!(check(Fault::InformationStateTellsShownBets), Ok(Findings::default()));
}

#[test]
fn draws_may_depend_on_what_a_player_has_heard() {
    assert_eq!(check(Fault::RumoursAreRight), Ok(Findings::default()));
}

#[test]
fn games_that_are_left_early_leave_a_warning() {
    let game: Arc<dyn AnyGame> = Arc::new(Cards::new(Fault::None));
    let effort = Effort { games: 3, decisions: 5, batch_steps: 0, ..Effort::default() };
    let warnings = game.check_conformance(effort).unwrap().warnings;
    assert_eq!(
        warnings,
        ["no game ended within 5 decisions: ends and results are unchecked; give more steps"]
    );
}

#[test]
fn limited_time_ends_the_suite() {
    let game: Arc<dyn AnyGame> = Arc::new(Cards::new(Fault::None));
    let effort = Effort { games: 1000, time: Some(Duration::from_millis(500)), ..Effort::default() };
    let start = Instant::now();
    game.check_conformance(effort).unwrap();
    // Positions that have begun are finished, on a machine that others use.
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn every_wrong_variant_is_refused_by_the_name_of_its_fault() {
    for (fault, named) in [
        (Fault::DeterminizeCopies, "determinize never changes a position"),
        (Fault::DeterminizeDrawsElsewhere, "determinize draws from another source than its chance"),
        (Fault::DrawsKindsEvenly, "determinize draws with wrong probabilities"),
        (
            Fault::IgnoresRumours,
            "draws with wrong probabilities where element 15 of its observation (rumour)",
        ),
        (Fault::RedrawsOnePlayer, "never redraws byte"),
        (Fault::KeepsBets, "never redraws byte"),
        (Fault::InformationStateTellsBetsEarly, "the history in information_state"),
        (Fault::BotPeeks, "bot careful looks at information hidden from player"),
        (Fault::BotAnswersIllegal, "bot careful answers action 0, which is illegal"),
        (Fault::BotAnswersImpossible, "bot careful answers action 64, which does not exist"),
        (Fault::BotTriesImpossible, "bot careful tries action 5, which does not exist"),
        (Fault::EstimatePeeks, "is made of information hidden from it"),
        (Fault::OutlookPeeks, "the outlook of player"),
        (Fault::EstimateIsNotANumber, "holds a value that is not a number"),
        (Fault::DescribeStepTellsBets, "describe_step tells player"),
        (Fault::DescribeStepTellsCards, "describe_step tells player"),
        (Fault::InformationStateTellsBets, "the history in information_state"),
        (Fault::InformationStateTellsCards, "in information_state for player"),
        (Fault::ObservationToJson, "observation_to_json for player"),
        (Fault::ActionInWords, "action_in_words for player"),
        (Fault::ActionToJson, "action_to_json for player"),
        (Fault::ExplainIllegal, "explain_illegal for player"),
        (Fault::Turn, "turn for player"),
        (Fault::Standing, "standing for player"),
        (Fault::ShowsScore, "a score that shows_score allows for player"),
        (Fault::Text, "the pictures for player"),
        (Fault::Drawing, "the pictures for player"),
        (Fault::Places, "the places of the drawing for player"),
        (Fault::SymmetryOfLegal, "symmetry mirror: step"),
        (Fault::SymmetryOfStep, "symmetry mirror: step"),
        (Fault::SymmetryOfObservation, "symmetry mirror: step"),
        (Fault::SymmetryIsNoPermutation, "symmetry mirror: it is not a permutation"),
        (Fault::TextsNotUnique, "BET LOW"),
        (Fault::PhaseWithoutField, "simultaneous is \"bets\", which is no field of the observation"),
        (Fault::PhaseTells, "a sealed decision of player"),
    ] {
        let refusal = check(fault).expect_err(&format!("{fault:?} passes"));
        assert!(refusal.contains(named), "{fault:?}: {refusal}");
    }
}

#[test]
fn what_may_be_right_is_a_warning() {
    for (fault, named) in [
        (Fault::RanksTurnedAround, "ranks may be turned around"),
        (Fault::SaysThatNothingIsHidden, "observes the same in two positions of its own, and player"),
    ] {
        let warnings = check(fault).unwrap().warnings;
        assert!(warnings.len() == 1 && warnings[0].contains(named), "{fault:?}: {warnings:?}");
    }
    let warnings = check(Fault::ChanceWithoutEffect).unwrap().warnings;
    let named = "draw 0 of chance in step has no effect";
    assert!(warnings.iter().any(|warning| warning.contains(named)), "{warnings:?}");
}
