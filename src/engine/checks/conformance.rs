//! Conformance suite: checks every promise of the game contract by playing.
//!
//! The suite runs over any [`Game`]; the tests run it over every registered environment and its options.

use std::collections::HashSet;
use std::sync::Arc;

use crate::bots::named_bot::GENERIC_BOTS;
use crate::checks::batches::batches;
use crate::checks::hostile::{hostile_bytes, hostile_json};
use crate::checks::names::{columns, named, names};
use crate::checks::results::{Results, finish};
use crate::checks::simultaneous::Phase;
use crate::checks::twins::{self, History};
use crate::checks::unsaid::{ignored, unsaid};
use crate::checks::{draws, guides, symmetries};
use crate::contract::chance::{Chance, RecordedChance, ScriptedChance, SeededChance, StreamId};
use crate::contract::observation::packed::PackedLayout;
use crate::contract::options::named::Named;
use crate::contract::picture::pictures;
use crate::contract::rules::{Rules, Status, state_from_bytes};
use crate::contract::show::view::{Theme, View};
use crate::contract::spec::{MAX_PLAYERS, Spec};
use crate::contract::words::Step;
use crate::contract::{Game, mask};
use crate::dynamic::effort::{Clock, Effort, Findings};
use crate::single::erased::erase;
use crate::single::game::SingleGame;

/// The result of a check: success, or a sentence about the violation.
pub(super) type Verdict<T = ()> = Result<T, String>;

/// Decisions of a game that are played without a limit of time.
const LEAST_DECISIONS: usize = 12;

macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if $condition {
        } else {
            return Err(format!($($message)+));
        }
    };
}
pub(super) use ensure;

/// Runs the whole suite. `header` is the number of bytes at the beginning of a state that are in no column, because they
/// follow from the others.
pub fn check<G: Game>(game: &Arc<G>, effort: Effort, header: usize) -> Verdict<Findings> {
    spec::<G>(Rules::spec(&**game))?;
    lists(&**game)?;
    let mut findings = Findings::default();
    let mut results = Results::default();
    let clock = Clock::of(&effort, 0.4);
    for n in 0..effort.games {
        let seed = effort.seed.wrapping_add(n);
        let is_late = || clock.is_over((n + 1) as f64 / effort.games as f64);
        episode(game, seed, effort, header, &mut results, is_late)
            .map_err(|e| format!("{}, seed {seed}: {e}", Rules::spec(&**game).env))?;
    }
    let of_game = |e: String| format!("{}: {e}", Rules::spec(&**game).env);
    if effort.slow_positions > 0 {
        let mut unchecked = Vec::new();
        for seed in 0..effort.games.min(3) {
            symmetries::symmetries(&**game, effort.seed.wrapping_add(seed), &mut unchecked)
                .map_err(of_game)?;
        }
        findings.warnings.extend(unchecked.iter().map(|name| {
            format!(
                "symmetry {name} was not followed through whole games: a start or an outcome has no image"
            )
        }));
        findings.warnings.extend(draws::draws(&**game, &effort).map_err(of_game)?);
        findings.warnings.extend(unsaid(&**game, &effort));
        findings.warnings.extend(ignored(&**game, &effort));
    }
    findings.warnings.extend(results.warning());
    findings.warnings.extend(results.unreached(Rules::spec(&**game)));
    if effort.batch_steps > 0 {
        batches(game.clone(), &effort).map_err(of_game)?;
    }
    Ok(findings)
}

/// Names of bots are unique and not those of the engine's bots.
fn lists<G: Game>(game: &G) -> Verdict {
    let mut seen: HashSet<&str> = GENERIC_BOTS.into_iter().map(|(name, _)| name).collect();
    for (bot, _) in game.bot_names() {
        ensure!(seen.insert(bot), "two bots are called {bot:?}");
    }
    Ok(())
}

fn spec<G: Game>(spec: &Spec) -> Verdict {
    ensure!((1..=MAX_PLAYERS).contains(&spec.players), "{} players", spec.players);
    ensure!(spec.state_bytes == size_of::<G::State>(), "state_bytes is not the size of the state");
    let mut next = 0;
    for family in &spec.actions {
        ensure!(family.offset == next, "action family {} leaves a gap or overlaps", family.name);
        next += family.count;
    }
    ensure!(next == spec.num_actions, "the action families hold {next} of {} actions", spec.num_actions);
    let mut named = vec![0u8; spec.observation_len()];
    for field in &spec.observation {
        ensure!(field.shape.len() == field.strides.len(), "field {}: shape and strides differ", field.name);
        field.indices().for_each(|i| named[i] += 1);
    }
    ensure!(named.iter().all(|&n| n == 1), "the observation fields do not cover each element once");
    let declares = !spec.simultaneous.is_empty();
    ensure!(
        !declares || spec.flags().next().is_some(),
        "simultaneous is {:?}, which is no field of the observation",
        spec.simultaneous
    );
    ensure!(
        !declares || spec.hidden_information,
        "simultaneous decisions are sealed, but hidden_information is false"
    );
    names(spec)
}

/// Plays one random game and checks each promise along the way.
fn episode<G: Game>(
    game: &Arc<G>,
    seed: u64,
    effort: Effort,
    header: usize,
    results: &mut Results,
    is_late: impl Fn() -> bool,
) -> Verdict {
    let every = 1 + seed as usize % 3;
    let id = StreamId { seed, game: 0, episode: 0 };
    let mut chance = SeededChance::new(id);
    let mut choice = SeededChance::from_seed(seed);
    let mut source = RecordedChance::new(&mut chance);
    let mut state = game.init(&mut source as &mut dyn Chance);
    let start = source.into_outcomes();
    let limit = game.spec().max_episode_steps;
    let slow_positions = effort.slow_positions;
    // The distance between positions with slow checks grows, so a limited number of them covers the whole game.
    let mut next_slow = 0;
    let mut slow_left = slow_positions;
    let packed = game.spec().packed();
    let first = state;
    // Without hidden information there are no twins, and only slow checks read the history.
    let remembers = slow_positions > 0 && game.spec().hidden_information;
    let mut history = History::new(game.spec().players, start, state);
    let mut phase = Phase::default();
    for step in 0..=limit as usize {
        let at = |e: String| format!("step {step}: {e}");
        if step >= effort.decisions || step >= LEAST_DECISIONS && is_late() {
            results.left(step);
            return Ok(());
        }
        if step % 8 == 0 {
            columns(&**game, &first, &state, header).map_err(at)?;
        }
        let mask = position(&**game, &state, &packed, &mut choice).map_err(at)?;
        if step == next_slow && slow_left > 0 {
            slow_left -= 1;
            next_slow = step + every + step * 8 / slow_positions.max(1);
            slow(game, &state, &mask, &history, effort.hostile, &mut choice).map_err(at)?;
        }
        if game.status(&state) != Status::Running {
            finish(&**game, &state, results).map_err(at)?;
            if game.status(&state) == Status::Truncated && step >= limit as usize {
                results.cut();
            }
            if slow_positions == 0 {
                return Ok(());
            }
            return slow(game, &state, &mask, &history, effort.hostile, &mut choice).map_err(at);
        }
        let action =
            mask::select(&mask, choice.uniform(mask::count(&mask))).expect("the index is below the count");
        let before = state;
        results.decided(game.current_player(&before));
        let outcomes;
        (state, outcomes) = one_step(&**game, &before, action, &mut chance).map_err(at)?;
        results.sealed(phase.decided(&**game, &before, &state, &mut choice).map_err(at)?);
        if remembers {
            let player = game.current_player(&before);
            let taken = Step { before, player, action, chance: outcomes };
            history.push(&**game, taken, &state, &mut choice).map_err(at)?;
        }
    }
    Err(format!("not over after {limit} decisions, although max_episode_steps is {limit}"))
}

/// The cheap checks for every position; returns the mask.
fn position<G: Game>(
    game: &G,
    state: &G::State,
    packed: &PackedLayout,
    chance: &mut SeededChance,
) -> Verdict<Vec<u64>> {
    let spec = game.spec();
    let seat = game.current_player(state);
    ensure!(seat < spec.players, "the current player is {seat} of {}", spec.players);
    let mut mask = vec![u64::MAX; spec.mask_words()];
    game.legal(state, &mut mask);
    let mut again = vec![0; spec.mask_words()];
    game.legal(state, &mut again);
    ensure!(mask == again, "legal does not overwrite the whole mask");
    let past = spec.num_actions as usize..spec.mask_words() * 64;
    ensure!(past.into_iter().all(|a| !mask::contains(&mask, a as u32)), "a bit past the last action is set");
    let running = game.status(state) == Status::Running;
    ensure!(
        running == (mask::count(&mask) > 0),
        "running: {running}, but {} legal actions",
        mask::count(&mask)
    );
    game.validate(state).map_err(|e| format!("validate refuses a reached state: {e}"))?;
    let seats: Vec<usize> = if chance.uniform(8) == 0 { (0..spec.players).collect() } else { vec![seat] };
    for viewer in seats {
        let seen = hidden(game, state, viewer, &mask, chance)?;
        for field in spec.observation.iter().filter(|field| !field.values.is_empty()) {
            let numbers: Vec<u64> = field.indices().map(|i| seen[i].into()).collect();
            named(spec, &field.name, &field.shape, &field.values, &numbers, u64::MAX)?;
        }
        packs(game, state, viewer, &seen, packed)?;
    }
    Ok(mask)
}

/// Packed observations hold exactly the information of the byte observations.
fn packs<G: Game>(game: &G, state: &G::State, viewer: usize, seen: &[u8], layout: &PackedLayout) -> Verdict {
    let (mut row, mut expected) = (vec![0xaa; layout.row_bytes], vec![0x55; layout.row_bytes]);
    game.observe_packed(state, viewer, layout, &mut row);
    let mut unpacked = vec![0xaa; seen.len()];
    layout.unpack(&row, &mut unpacked);
    if let Some(at) = (0..seen.len()).find(|&i| unpacked[i] != seen[i]) {
        let named = game.spec().observation.iter().find(|field| field.indices().any(|i| i == at));
        let name = named.map_or("none", |field| &field.name);
        return Err(format!(
            "field {name}: element {at} is {}, in the packed observation of player {viewer} {}",
            seen[at], unpacked[at]
        ));
    }
    layout.pack(seen, &mut expected);
    ensure!(row == expected, "bits that belong to no element of a packed observation are not 0");
    Ok(())
}

/// The observation and the legal actions of a player do not depend on information hidden from it; returns the
/// observation.
fn hidden<G: Game>(
    game: &G,
    state: &G::State,
    viewer: usize,
    mask: &[u64],
    chance: &mut SeededChance,
) -> Verdict<Vec<u8>> {
    let spec = game.spec();
    let observe = |state: &G::State, fill: u8| {
        let mut out = vec![fill; spec.observation_len()];
        game.observe(state, viewer, &mut out);
        out
    };
    let seen = observe(state, 0xaa);
    ensure!(seen == observe(state, 0x55), "observe leaves elements unwritten");
    for field in &spec.observation {
        let high = field.indices().map(|i| seen[i]).max().unwrap_or(0);
        ensure!(high <= field.high, "field {}: {high} is above its highest value {}", field.name, field.high);
    }
    let mut same_chance = SeededChance::at(chance.id(), chance.position());
    let other = game.determinize(state, viewer, chance as &mut dyn Chance);
    ensure!(
        other == game.determinize(state, viewer, &mut same_chance as &mut dyn Chance),
        "determinize draws from another source than its chance: the same draws give other states"
    );
    game.validate(&other)
        .map_err(|e| format!("determinize for player {viewer} gives an invalid state: {e}"))?;
    ensure!(observe(&other, 0) == seen, "the observation of player {viewer} reveals hidden information");
    ensure!(game.status(&other) == game.status(state), "determinize changes whether the game is over");
    ensure!(
        game.current_player(&other) == game.current_player(state),
        "determinize for player {viewer} changes the current player"
    );
    if viewer == game.current_player(state) {
        let mut legal = vec![0; spec.mask_words()];
        game.legal(&other, &mut legal);
        ensure!(legal == mask, "the legal actions of player {viewer} depend on hidden information");
    }
    if !spec.hidden_information {
        ensure!(other == *state, "determinize changes a state, but hidden_information is false");
    }
    Ok(seen)
}

/// A step of a clone, a step of the same state with recorded chance, and a step of the state itself agree.
fn one_step<G: Game>(
    game: &G,
    state: &G::State,
    action: u32,
    chance: &mut SeededChance,
) -> Verdict<(G::State, Vec<u32>)> {
    let mut copied = *state;
    let mut same_chance = SeededChance::at(chance.id(), chance.position());
    game.step(&mut copied, action, &mut same_chance as &mut dyn Chance);
    let mut next = *state;
    let mut recorded = RecordedChance::new(chance);
    game.step(&mut next, action, &mut recorded as &mut dyn Chance);
    let outcomes = recorded.into_outcomes();
    ensure!(copied == next, "action {action}: a clone under the same chance steps differently");
    let mut replayed = *state;
    let mut script = ScriptedChance::new(&outcomes);
    game.step(&mut replayed, action, &mut script as &mut dyn Chance);
    script.finish().map_err(|e| format!("action {action}: {e}"))?;
    ensure!(replayed == next, "action {action}: the recorded chance outcomes lead elsewhere");
    Ok((next, outcomes))
}

/// Checks all actions of one position, its texts and its bytes.
fn slow<G: Game>(
    game: &Arc<G>,
    state: &G::State,
    mask: &[u64],
    history: &History<G::State>,
    hostile: bool,
    chance: &mut SeededChance,
) -> Verdict {
    every_index(game, state, mask)?;
    labels(&**game, state, mask)?;
    guides::guide(&**game, state, mask, chance)?;
    if game.spec().hidden_information {
        for viewer in 0..game.spec().players {
            twins::compare(&**game, state, history, viewer, chance)?;
        }
    }
    let json = game.state_to_json(state);
    let text = serde_json::to_string(&json).expect("a JSON value prints");
    let parsed = serde_json::from_str(&text).expect("printed JSON parses");
    let back = game.state_from_json(&parsed).map_err(|e| format!("the state's own JSON is refused: {e}"))?;
    ensure!(back == *state, "the state's JSON describes another state");
    let bytes = bytemuck::bytes_of(state);
    let back =
        state_from_bytes(&**game, bytes).map_err(|e| format!("the state's own bytes are refused: {e}"))?;
    ensure!(back == *state, "the state's bytes describe another state");
    for seat in 0..game.spec().players {
        ensure!(game.observation_to_json(state, seat).is_object(), "the JSON observation is not an object");
        ensure!(game.information_state(state, seat, &[]).is_object(), "information_state is not an object");
    }
    show(&**game, state)?;
    if !hostile {
        return Ok(());
    }
    hostile_json(&**game, &json, chance)?;
    hostile_bytes(&**game, bytes, chance)
}

/// Texts and drawings of a position are well formed.
fn show<G: Game>(game: &G, state: &G::State) -> Verdict {
    let places = game.places(state, View::default());
    for place in &places {
        ensure!(
            place.outline.starts_with('M') && !place.means.is_empty(),
            "a place without outline or meaning"
        );
        let is_reached = |after| places.iter().any(|p| p.after.is_none() && p.means.contains(after));
        ensure!(place.after.as_ref().is_none_or(is_reached), "a place after one that does not exist");
    }
    let viewers = std::iter::once(None).chain((0..game.spec().players).map(Some));
    for (seat, theme) in viewers.flat_map(|seat| Theme::NAMES.iter().map(move |&(_, theme)| (seat, theme))) {
        let view = View { theme, seat, ansi: theme == Theme::Dark, ..View::default() };
        let [text, svg] = pictures(game, state, view);
        ensure!(!text.trim().is_empty(), "the text picture is empty");
        ensure!(text.contains('\x1b') <= view.ansi, "the plain text holds escape codes");
        ensure!(
            svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && svg.contains("viewBox="),
            "the drawing is not an SVG document with a viewBox"
        );
    }
    Ok(())
}

/// A single game accepts exactly the actions in the mask, and a rejected action changes nothing.
fn every_index<G: Game>(game: &Arc<G>, state: &G::State, mask: &[u64]) -> Verdict {
    let spec = game.spec();
    let chance = SeededChance::from_seed(mask::count(mask).into());
    let fresh = SingleGame::from_position(erase(game.clone()), Arc::new(*state), chance, 0);
    let mut play = fresh.clone();
    let stride = 1 + spec.num_actions / 2048;
    let first = mask::count(mask) % stride;
    for action in (0..spec.num_actions + 64).filter(|a| mask::contains(mask, *a) || a % stride == first) {
        let legal = mask::contains(mask, action);
        let result = play.step(action);
        ensure!(result.is_ok() == legal, "action {action}: in the mask {legal}, but step returns {result:?}");
        if legal {
            let undone = play.undo();
            ensure!(undone, "a step leaves no history");
        }
        ensure!(play.steps() == 0, "action {action}: refused, yet recorded");
        if action < spec.num_actions && !legal && game.status(state) == Status::Running {
            // The object of an illegal action must not parse as a legal action.
            if let Ok(found) = game.action_from_json(state, &game.action_to_json(state, action)) {
                ensure!(
                    !mask::contains(mask, found),
                    "illegal action {action} is described as the legal action {found}"
                );
            }
        }
    }
    ensure!(play.position() == fresh.position(), "a refused action changed the game");
    Ok(())
}

/// Every legal action has its own text and object, and both parse back to it.
fn labels<G: Game>(game: &G, state: &G::State, mask: &[u64]) -> Verdict {
    let mut seen = HashSet::new();
    for (n, action) in mask::iter(mask).enumerate() {
        let text = game.action_to_string(state, action);
        ensure!(!text.is_empty() && text.trim() == text, "action {action}: label {text:?}");
        let object = game.action_to_json(state, action);
        ensure!(object.get("type").is_some_and(|t| t.is_string()), "action {action}: its object has no type");
        let back = game.action_from_json(state, &object);
        ensure!(back == Ok(action), "action {action}: its object {object} leads to {back:?}");
        // `string_to_action` may compare the text with every action's text: with thousands of legal actions,
        // calling it for each would take quadratic time.
        if n < 64 {
            let back = game.string_to_action(state, &text);
            ensure!(back == Ok(action), "action {action}: its label {text:?} leads to {back:?}");
        }
        ensure!(seen.insert(text.clone()), "two legal actions are called {text:?}");
    }
    for text in
        ["", " ", "no such action", "\u{0}\u{7f}é", "9999999999999999999999", "-1", "CONQUER", "e2e9", "🦆🦆"]
    {
        let answer = game.string_to_action(state, text);
        ensure!(answer.is_err(), "the text {text:?} is taken for action {answer:?}");
    }
    for object in ["{}", "[]", "null", "3", r#"{"type":7}"#, r#"{"type":"NO_SUCH"}"#] {
        let object = serde_json::from_str(object).expect("valid JSON");
        ensure!(game.action_from_json(state, &object).is_err(), "the object {object} is taken for an action");
    }
    Ok(())
}
