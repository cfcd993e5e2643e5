//! Games that hide something, although their spec says that nothing is hidden; chance without effect.

use std::collections::{BTreeMap, HashMap};

use crate::checks::draws::column;
use crate::checks::histories::{Recorded, Site};
use crate::checks::twins::{legal, observation};
use crate::contract::Game;
use crate::contract::chance::{Chance, SeededChance};
use crate::contract::mask;
use crate::contract::picture::pictures;
use crate::contract::rules::Status;
use crate::contract::show::view::View;
use crate::dynamic::effort::{Clock, Effort};

/// Positions for each game of the effort, and their limit.
const POSITIONS: (u64, u64) = (40, 240);
/// Most decisions before a position.
const DEPTH: u32 = 6;
/// Games in which the same byte is unseen, for a warning.
const LEAST: usize = 4;
/// Alterations of a draw without effect, for a warning.
const IGNORED: usize = 30;
/// Decisions in which draws are altered.
const LONG: u32 = 12;

/// A warning if the current player observes the same in two positions in which another player observes different things.
pub(super) fn unsaid<G: Game>(game: &G, effort: &Effort) -> Option<String> {
    let spec = game.spec();
    if spec.hidden_information {
        return None;
    }
    let clock = Clock::of(effort, 0.1);
    let mut known = HashMap::new();
    for seed in 0..(effort.games * POSITIONS.0).min(POSITIONS.1) {
        if clock.is_over(1.0) {
            break;
        }
        let Some(state) = running(game, seed) else { continue };
        let viewer = game.current_player(&state);
        let seen: Vec<Vec<u8>> = (0..spec.players).map(|seat| observation(game, &state, seat)).collect();
        let mask = legal(game, &state);
        let known = known.insert((viewer, seen[viewer].clone()), (seen.clone(), mask.clone()));
        let Some((before, before_mask)) = known else { continue };
        if before_mask != mask {
            return Some(format!(
                "player {viewer} observes the same in two positions with different legal actions: observe leaves \
                 something out that the player knows"
            ));
        }
        if let Some(other) = (0..spec.players).find(|&seat| before[seat] != seen[seat]) {
            return Some(format!(
                "player {viewer} observes the same in two positions of its own, and player {other} does not: if \
                 something is hidden from player {viewer}, hidden_information is true and determinize redraws it"
            ));
        }
    }
    unseen(game, effort)
}

/// A warning if a chance outcome changes the state, and nothing that any player is ever shown.
fn unseen<G: Game>(game: &G, effort: &Effort) -> Option<String> {
    let spec = game.spec();
    let clock = Clock::of(effort, 0.1);
    let mut found: HashMap<usize, usize> = HashMap::new();
    for seed in 0..(effort.games * POSITIONS.0).min(POSITIONS.1) {
        if clock.is_over(1.0) {
            break;
        }
        let mut chance = SeededChance::from_seed(!seed);
        let depth = chance.uniform(DEPTH);
        let played = Recorded::play(game, depth, &mut chance);
        let Some(site @ (Site::Start(_) | Site::Chance(..))) = played.site(0, &mut chance) else { continue };
        let Some(twin) = played.twin(game, 0, site, &mut chance) else { continue };
        let is_shown = (1..spec.players)
            .any(|viewer| observation(game, &played.state, viewer) != observation(game, &twin.state, viewer))
            || game.status(&played.state) != Status::Running
            || pictures(game, &played.state, View::default()) != pictures(game, &twin.state, View::default());
        let [mine, other] = [&played.state, &twin.state].map(bytemuck::bytes_of);
        let Some(at) = (0..mine.len()).find(|&at| mine[at] != other[at]).filter(|_| !is_shown) else {
            continue;
        };
        let count = found.entry(at).or_default();
        *count += 1;
        if *count >= LEAST {
            return Some(format!(
                "chance sets byte {at} of the state{}, which no player is shown: a search knows it in advance, unless \
                 step draws it when it is revealed, or determinize redraws it",
                column(spec, at)
            ));
        }
    }
    None
}

/// A warning if a draw never has an effect.
pub(super) fn ignored<G: Game>(game: &G, effort: &Effort) -> Option<String> {
    let clock = Clock::of(effort, 0.08);
    // Draws of the start and of steps by their number: alterations, and whether one had an effect.
    let mut found: BTreeMap<(bool, usize), (usize, bool)> = BTreeMap::new();
    for seed in 0..(effort.games * POSITIONS.0).min(POSITIONS.1) {
        if clock.is_over(1.0) {
            break;
        }
        let mut chance = SeededChance::from_seed(seed ^ u64::MAX << 32);
        let played = Recorded::play(game, LONG, &mut chance);
        for site in played.draws() {
            let (key, after, other) = match site {
                Site::Start(at) if seed % 4 == 0 => {
                    let first = played.steps.first().map_or(played.state, |step| step.before);
                    ((true, at), first, played.other_start(game, at, &mut chance))
                }
                Site::Chance(n, at) => {
                    let after = played.steps.get(n + 1).map_or(played.state, |step| step.before);
                    ((false, at), after, played.other_step(game, n, at, &mut chance))
                }
                _ => continue,
            };
            let Some(other) = other else { continue };
            let (count, has_effect) = found.entry(key).or_default();
            *count += 1;
            *has_effect |= other != after;
        }
    }
    let idle = found.into_iter().find(|(_, (count, has_effect))| *count >= IGNORED && !has_effect);
    idle.map(|((is_start, at), (count, _))| {
        let method = if is_start { "init" } else { "step" };
        format!("draw {at} of chance in {method} has no effect in {count} positions: its outcome is ignored")
    })
}

/// A position after some random decisions, unless the game is over by then.
fn running<G: Game>(game: &G, seed: u64) -> Option<G::State> {
    let mut chance = SeededChance::from_seed(seed);
    let depth = chance.uniform(DEPTH);
    let mut state = game.init(&mut chance as &mut dyn Chance);
    for _ in 0..depth {
        if game.status(&state) != Status::Running {
            return None;
        }
        let action = mask::at_random(&legal(game, &state), &mut chance);
        game.step(&mut state, action, &mut chance as &mut dyn Chance);
    }
    (game.status(&state) == Status::Running).then_some(state)
}
