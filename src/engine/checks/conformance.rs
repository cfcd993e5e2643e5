//! Conformance suite: checks every promise of the game contract by playing.
//!
//! The suite runs over any [`Game`]; the tests run it over every registered environment and its options.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::checks::names::{columns, named, names};
use crate::checks::rollout::{Checksum, checksum_of_rollout};
use crate::contract::chance::{Chance, RecordedChance, ScriptedChance, SeededChance, StreamId, split_mix};
use crate::contract::error::Error;
use crate::contract::named::Named;
use crate::contract::options::CommonOptions;
use crate::contract::options::{OnIllegal, RewardMode};
use crate::contract::packed::PackedLayout;
use crate::contract::picture::pictures;
use crate::contract::reward::outcome_from_ranks;
use crate::contract::rules::{Rules, Status, state_from_bytes};
use crate::contract::spec::{MAX_PLAYERS, Spec};
use crate::contract::view::{Theme, View};
use crate::contract::{Game, mask};
use crate::dynamic::any_game::AnyGame;
use crate::dynamic::config::{AutoReset, BatchConfig};
use crate::dynamic::effort::Effort;
use crate::dynamic::single::SingleGame;
use crate::dynamic::vector::VectorEnv;
use crate::single::erased::erase;
use crate::single::play::SinglePlay;

/// The result of a check: success, or a sentence about the violation.
pub(super) type Verdict<T = ()> = Result<T, String>;

macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if $condition {
        } else {
            return Err(format!($($message)+));
        }
    };
}
pub(super) use ensure;

/// Runs the whole suite.
pub(crate) fn check<G: Game>(game: &Arc<G>, effort: Effort) -> Verdict {
    spec::<G>(Rules::spec(&**game))?;
    for seed in 0..effort.games {
        let every = 1 + seed as usize % 3;
        episode(game, seed, effort.slow_positions, every)
            .map_err(|e| format!("{}, seed {seed}: {e}", Rules::spec(&**game).env))?;
    }
    if effort.batch_steps == 0 {
        return Ok(());
    }
    batches(game.clone(), effort.batch_steps).map_err(|e| format!("{}: {e}", Rules::spec(&**game).env))
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
    names(spec)
}

/// Plays one random game and checks each promise along the way.
fn episode<G: Game>(game: &Arc<G>, seed: u64, slow_positions: usize, every: usize) -> Verdict {
    let id = StreamId { seed, game: 0, episode: 0 };
    let mut chance = SeededChance::new(id);
    let mut choice = SeededChance::from_seed(seed);
    let mut state = game.init(&mut chance as &mut dyn Chance);
    let limit = game.spec().max_episode_steps;
    // The distance between positions with slow checks grows, so a limited number of them covers the whole game.
    let mut next_slow = 0;
    let mut slow_left = slow_positions;
    let packed = game.spec().packed();
    let first = state;
    for step in 0..=limit as usize {
        let at = |e: String| format!("step {step}: {e}");
        if step % 8 == 0 {
            columns(&**game, &first, &state).map_err(at)?;
        }
        let mask = position(&**game, &state, &packed, &mut choice).map_err(at)?;
        if step == next_slow && slow_left > 0 {
            slow_left -= 1;
            next_slow = step + every + step * 8 / slow_positions.max(1);
            slow(game, &state, &mask, &mut choice).map_err(at)?;
        }
        if game.status(&state) != Status::Running {
            finish(&**game, &state).map_err(at)?;
            let last = if slow_positions > 0 { slow(game, &state, &mask, &mut choice) } else { Ok(()) };
            return last.map_err(at);
        }
        let action =
            mask::select(&mask, choice.uniform(mask::count(&mask))).expect("the index is below the count");
        state = one_step(&**game, &state, action, &mut chance).map_err(at)?;
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
    let other = game.determinize(state, viewer, chance as &mut dyn Chance);
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
) -> Verdict<G::State> {
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
    Ok(next)
}

/// Checks all actions of one position, its texts and its bytes.
fn slow<G: Game>(game: &Arc<G>, state: &G::State, mask: &[u64], chance: &mut SeededChance) -> Verdict {
    every_index(game, state, mask)?;
    labels(&**game, state, mask)?;
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
    show(&**game, state, chance)?;
    hostile_json(&**game, &json, chance)?;
    hostile_bytes(&**game, bytes, chance)
}

/// Texts and drawings of a position reveal no hidden information to a player.
fn show<G: Game>(game: &G, state: &G::State, chance: &mut SeededChance) -> Verdict {
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
        // Only running games: a finished game may reveal everything.
        if let Some(seat) = seat.filter(|_| game.status(state) == Status::Running) {
            let other = game.determinize(state, seat, chance as &mut dyn Chance);
            ensure!(
                pictures(game, &other, view) == [text, svg],
                "the pictures for player {seat} reveal hidden information"
            );
        }
    }
    Ok(())
}

/// A single game accepts exactly the actions in the mask, and a rejected action changes nothing.
fn every_index<G: Game>(game: &Arc<G>, state: &G::State, mask: &[u64]) -> Verdict {
    let spec = game.spec();
    let chance = SeededChance::from_seed(mask::count(mask).into());
    let fresh = SinglePlay::from_position(erase(game.clone()), Arc::new(*state), chance, 0);
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
    ensure!(play.to_json() == fresh.to_json(), "a refused action changed the game");
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

/// Every state that `validate` accepts can be played, shown and saved without a panic.
fn exercise<G: Game>(game: &G, state: &G::State) -> Verdict {
    let run = || {
        let spec = game.spec();
        let mut state = *state;
        let mut chance = SeededChance::from_seed(7);
        let mut mask = vec![0; spec.mask_words()];
        let mut out = vec![0; spec.observation_len()];
        for _ in 0..12 {
            for seat in 0..spec.players {
                game.observe(&state, seat, &mut out);
                let _ = game.determinize(&state, seat, &mut chance as &mut dyn Chance);
                let _ = game.observation_to_json(&state, seat);
            }
            let mut scores = [0.0; MAX_PLAYERS];
            game.scores(&state, &mut scores[..spec.players]);
            let _ = (game.state_to_json(&state), game.title());
            let _ = pictures(game, &state, View { seat: Some(0), ..View::default() });
            game.legal(&state, &mut mask);
            if game.status(&state) != Status::Running {
                if game.status(&state) == Status::Terminated {
                    game.ranks(&state, &mut [0; MAX_PLAYERS][..spec.players]);
                }
                return Ok(());
            }
            let legal = mask::count(&mask);
            if legal == 0 {
                return Err("a state that validate accepts runs without a legal action".to_string());
            }
            let action = mask::select(&mask, chance.uniform(legal)).expect("the index is below the count");
            let _ = (game.action_to_string(&state, action), game.action_to_json(&state, action));
            game.step(&mut state, action, &mut chance as &mut dyn Chance);
        }
        Ok(())
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("a state that validate accepts panics".into()))
}

/// Randomly damaged bytes of a state are rejected or harmless.
fn hostile_bytes<G: Game>(game: &G, bytes: &[u8], chance: &mut SeededChance) -> Verdict {
    for _ in 0..40 {
        let mut damaged = bytes.to_vec();
        for _ in 0..=chance.uniform(3) {
            let at = chance.uniform(damaged.len() as u32) as usize;
            damaged[at] = match chance.uniform(4) {
                0 => 0,
                1 => 0xff,
                2 => damaged[at] ^ 1 << chance.uniform(8),
                _ => chance.uniform(256) as u8,
            };
        }
        let read = catch_unwind(AssertUnwindSafe(|| state_from_bytes(game, &damaged)));
        match read {
            Err(_) => return Err("validate panics on damaged bytes".into()),
            Ok(Ok(state)) => exercise(game, &state).map_err(|e| format!("damaged bytes: {e}"))?,
            Ok(Err(_)) => {}
        }
    }
    Ok(())
}

/// Randomly damaged JSON of a state is rejected or harmless.
fn hostile_json<G: Game>(game: &G, json: &serde_json::Value, chance: &mut SeededChance) -> Verdict {
    use serde_json::Value;
    fn nodes(value: &Value) -> usize {
        1 + match value {
            Value::Array(items) => items.iter().map(nodes).sum(),
            Value::Object(map) => map.values().map(nodes).sum(),
            _ => 0,
        }
    }
    fn node(value: &mut Value, mut at: usize) -> Result<&mut Value, usize> {
        if at == 0 {
            return Ok(value);
        }
        at -= 1;
        let children: Box<dyn Iterator<Item = &mut Value>> = match value {
            Value::Array(items) => Box::new(items.iter_mut()),
            Value::Object(map) => Box::new(map.values_mut()),
            _ => return Err(at),
        };
        for child in children {
            match node(child, at) {
                Ok(found) => return Ok(found),
                Err(rest) => at = rest,
            }
        }
        Err(at)
    }
    let total = nodes(json);
    for _ in 0..40 {
        let mut damaged = json.clone();
        let Ok(target) = node(&mut damaged, chance.uniform(total as u32) as usize) else { continue };
        *target = match chance.uniform(9) {
            0 => Value::Null,
            1 => Value::from(-1),
            2 => Value::from(u64::MAX),
            3 => Value::from(chance.uniform(300)),
            4 => Value::from(0.5),
            5 => Value::from("no such word"),
            6 => Value::Array(Vec::new()),
            7 => Value::Object(serde_json::Map::new()),
            _ => match &*target {
                Value::Array(items) => Value::Array([items.clone(), items.clone()].concat()),
                Value::Object(map) => {
                    Value::Object(map.iter().skip(1).map(|(k, v)| (k.clone(), v.clone())).collect())
                }
                Value::Number(n) => Value::from(n.as_i64().unwrap_or(0).wrapping_add(1)),
                Value::Bool(b) => Value::from(!b),
                other => Value::Array(vec![other.clone()]),
            },
        };
        match catch_unwind(AssertUnwindSafe(|| game.state_from_json(&damaged))) {
            Err(_) => return Err(format!("state_from_json panics on {damaged}")),
            Ok(Ok(state)) => {
                game.validate(&state)
                    .map_err(|e| format!("JSON gives a state that validate refuses: {e}"))?;
                exercise(game, &state).map_err(|e| format!("damaged JSON: {e}"))?;
            }
            Ok(Err(_)) => {}
        }
    }
    Ok(())
}

/// The end of a game: ranks give a zero-sum outcome.
fn finish<G: Game>(game: &G, state: &G::State) -> Verdict {
    let players = game.spec().players;
    if game.status(state) == Status::Terminated {
        let mut ranks = [0; MAX_PLAYERS];
        game.ranks(state, &mut ranks[..players]);
        ensure!(ranks[..players].contains(&0), "no player has rank 0 in {:?}", &ranks[..players]);
        let mut outcome = [0.0; MAX_PLAYERS];
        outcome_from_ranks(&ranks[..players], &mut outcome[..players]);
        ensure!(outcome.iter().sum::<f32>().abs() < 1e-5, "the outcome {outcome:?} is not zero-sum");
    }
    Ok(())
}

/// Batches: threads, splits and copies give the same bytes; rewards add up.
fn batches(game: Arc<dyn AnyGame>, steps: usize) -> Verdict {
    const GAMES: usize = 130;
    let config = |num_envs, first_game, threads| BatchConfig {
        num_envs,
        first_game,
        seed: 11,
        threads: Some(threads),
        ..BatchConfig::default()
    };
    let make = |config| game.clone().vector(config).map_err(|e| e.to_string());
    let run = |config| checksum_of_rollout(&mut *make(config)?, steps).map_err(|e| e.to_string());
    let whole = run(config(GAMES, 0, 1))?;
    ensure!(run(config(GAMES, 0, 3))? == whole, "the bytes written by 3 threads and by 1 differ");
    // The parts claim to belong to a batch larger than the caches, so they write with non-temporal stores.
    let part = |config| BatchConfig { total_games: Some(1 << 24), ..config };
    let halves = run(part(config(70, 0, 2)))?.wrapping_add(run(part(config(GAMES - 70, 70, 1)))?);
    ensure!(halves == whole, "the bytes of a batch in two blocks and of the whole batch differ");
    // In a game of one or two decisions, two seeds can give the same outputs.
    ensure!(
        game.spec().max_episode_steps < 3 || run(BatchConfig { seed: 12, ..config(GAMES, 0, 1) })? != whole,
        "another seed plays the same games"
    );
    snapshots(&mut *make(config(9, 3, 1))?, steps)?;
    for &(_, autoreset) in AutoReset::NAMES {
        rewards(&mut *make(BatchConfig { autoreset, ..config(16, 0, 1) })?, steps * 4)?;
    }
    Ok(())
}

/// Restored games continue as the originals would; forks share the position but not the future chance outcomes.
fn snapshots(env: &mut dyn VectorEnv, steps: usize) -> Verdict {
    let said = |e: Error| e.to_string();
    for _ in 0..steps / 3 {
        env.step_sampled().map_err(said)?;
    }
    let all: Vec<u32> = (0..9).collect();
    let saved = env.save(&all).map_err(said)?;
    let mut actions = vec![0; 9];
    let mut goes_on = |env: &mut dyn VectorEnv| {
        let mut hash = Checksum::new(9);
        for step in 0..(steps / 3) as u64 {
            for (i, action) in actions.iter_mut().enumerate() {
                let width = env.columns().widths().mask_bits;
                let mask = &env.columns().mask_bits[i * width..(i + 1) * width];
                let index = split_mix(step * 64 + i as u64) % u64::from(mask::count(mask).max(1));
                *action = mask::select(mask, index as u32).unwrap_or(0) as i32;
            }
            env.step(&actions)?;
            hash.update(env);
        }
        Ok(hash.value(0))
    };
    let first = goes_on(env).map_err(said)?;
    env.restore(&all, &saved).map_err(said)?;
    ensure!(env.save(&all).map_err(said)? == saved, "a restored batch is saved differently");
    let again = goes_on(env).map_err(said)?;
    ensure!(first == again, "a restored batch continues differently");
    for cut in [0, 8, 39, saved.len() / 2, saved.len() - 1] {
        ensure!(env.restore(&all, &saved[..cut]).is_err(), "a snapshot cut to {cut} bytes is accepted");
    }
    for at in (0..saved.len()).step_by(1 + saved.len() / 97) {
        let mut damaged = saved.clone();
        damaged[at] ^= 0x10;
        ensure!(env.restore(&all, &damaged).is_err(), "a snapshot damaged at byte {at} is accepted");
    }
    ensure!(env.restore(&all[..4], &saved).is_err(), "a snapshot of 9 games is restored into 4");
    env.fork(&[2, 2], &[5, 7], true).map_err(said)?;
    let position = |id: u32| env.single(id).map(|game| game.to_json()).map_err(said);
    let forked = position(2)?;
    ensure!(forked == position(5)? && forked == position(7)?, "a fork is another position");
    ensure!(
        env.fork(&[2], &[9], true).is_err() && env.fork(&[9], &[2], true).is_err(),
        "a fork of no game is accepted"
    );
    Ok(())
}

/// A step in which an illegal action loses one game, if a game has an illegal action.
fn forfeit(env: &mut dyn VectorEnv) -> Result<(), Error> {
    let spec = env.game().spec().clone();
    let masks = env.columns().mask_bits.chunks_exact(spec.mask_words());
    let legal = masks.clone().map(|mask| mask::select(mask, 0).unwrap_or(0) as i32);
    let mut actions: Vec<i32> = legal.collect();
    let illegal = |mask: &[u64]| (0..spec.num_actions).find(|&action| !mask::contains(mask, action));
    if let Some((game, action)) =
        masks.enumerate().find_map(|(game, mask)| illegal(mask).map(|action| (game, action)))
    {
        actions[game] = action as i32;
    }
    env.step(&actions)
}

/// Rewards and credit match their definitions and stay within the declared range.
fn rewards(env: &mut dyn VectorEnv, steps: usize) -> Verdict {
    let game = env.game();
    let players = game.spec().players;
    let common = CommonOptions::read(&game.spec().options);
    let (mode, forfeits) = (common.reward, common.on_illegal == OnIllegal::Lose);
    let (least, most) = game.spec().reward_range;
    let n = env.config().num_envs;
    let mut credit = vec![0.0f32; n * players];
    let mut over = vec![false; n];
    for step in 0..steps {
        if env.config().autoreset == AutoReset::Disabled {
            let done: Vec<u32> = (0..n as u32).filter(|&i| over[i as usize]).collect();
            env.reset_games(&done, None).map_err(|e| e.to_string())?;
            for id in done {
                over[id as usize] = false;
                credit[id as usize * players..][..players].fill(0.0);
            }
        }
        let moved = if forfeits && step % 16 == 15 { forfeit(env) } else { env.step_sampled() };
        moved.map_err(|e| e.to_string())?;
        let columns = env.columns();
        for i in 0..n {
            let row = &columns.rewards[i * players..(i + 1) * players];
            ensure!(
                row.iter().all(|reward| (least..=most).contains(reward)),
                "step {step}, game {i}: rewards {row:?} leave the declared range {least} to {most}"
            );
            let done = columns.terminated[i] + columns.truncated[i] > 0;
            let earned = &mut credit[i * players..(i + 1) * players];
            if over[i] {
                earned.fill(0.0);
            }
            if columns.acting_player[i] < 0 {
                ensure!(
                    over[i] && row.iter().all(|&r| r == 0.0),
                    "step {step}, game {i}: a reset pays {row:?}"
                );
            } else {
                earned[columns.acting_player[i] as usize] = 0.0;
                for (e, r) in earned.iter_mut().zip(row) {
                    *e += r;
                }
            }
            let written = &columns.credit[i * players..(i + 1) * players];
            ensure!(
                written == &*earned,
                "step {step}, game {i}: credit {written:?}, it should be {earned:?}"
            );
            let mover = columns.current_player[i] as usize;
            let (written, expected) = (columns.credit_of_mover[i], if done { 0.0 } else { earned[mover] });
            ensure!(
                written == expected,
                "step {step}, game {i}: credit_of_mover {written}, it should be {expected}"
            );
            if mode == RewardMode::Outcome {
                let sum: f32 = row.iter().sum();
                ensure!(sum.abs() < 1e-5, "step {step}, game {i}: rewards {row:?} are not zero-sum");
                ensure!(done || row.iter().all(|&r| r == 0.0), "step {step}, game {i}: paid before the end");
            }
            over[i] = done;
        }
    }
    Ok(())
}
