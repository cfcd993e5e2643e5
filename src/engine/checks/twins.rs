//! Hidden information: everything shown to a player is equal in positions that the player cannot tell apart.
//!
//! A twin of a position is one of its determinizations for a viewer. The twin of a step is a step from a twin of the
//! position before it, with the same chance outcomes, that leads to the same observation of the viewer. The twin of a
//! history is a whole game that the viewer cannot tell from the real one, up to the present position.

use crate::checks::conformance::{Verdict, ensure};
use crate::checks::histories::{Recorded, Site};
use crate::contract::Game;
use crate::contract::chance::{Chance, ScriptedChance, SeededChance};
use crate::contract::mask;
use crate::contract::picture::{Caption, pictures_after};
use crate::contract::rules::{Rules, Status};
use crate::contract::show::view::{Theme, View};
use crate::contract::words::Step;

/// Number of determinizations from which the twin of a step is tried.
const TRIES: usize = 3;
/// Number of other actions tried in the place of an action that may be hidden.
const ACTIONS: u32 = 16;
/// Number of determinizations that show which bytes of a state are hidden.
const REDRAWN: usize = 6;
/// Number of actions and refusals whose texts are compared in one position.
const TEXTS: usize = 48;
/// Number of alterations of each kind that are tried for the twin of a history.
const WHOLE: usize = 3;

/// The history of a game.
pub(super) struct History<S> {
    game: Recorded<S>,
    /// For each viewer the twin of the last step, or the step itself.
    last: Vec<Option<Step<S>>>,
    /// For each viewer actions that could be played instead, as far as the position after them shows.
    hidden: Vec<Vec<Site>>,
}

impl<S: Copy + PartialEq> History<S> {
    /// The history at the start of a game, which drew `start`.
    pub(super) fn new(players: usize, start: Vec<u32>, state: S) -> Self {
        let game = Recorded { start, steps: Vec::new(), state };
        Self { game, last: vec![None; players], hidden: vec![Vec::new(); players] }
    }

    /// A whole game that `viewer` cannot tell from this one.
    fn twin<G: Game<State = S>>(
        &self,
        game: &G,
        viewer: usize,
        chance: &mut SeededChance,
    ) -> Option<Recorded<S>> {
        (0..2 * WHOLE).find_map(|n| {
            let hidden = &self.hidden[viewer];
            let site = if n < WHOLE && !hidden.is_empty() {
                Some(hidden[chance.uniform(hidden.len() as u32) as usize])
            } else {
                self.game.site(viewer, chance)
            };
            self.game.twin(game, viewer, site?, chance)
        })
    }

    /// Appends a step that leads to `after`, and compares its description with that of its twins.
    pub(super) fn push<G: Game<State = S>>(
        &mut self,
        game: &G,
        step: Step<S>,
        after: &S,
        chance: &mut SeededChance,
    ) -> Verdict {
        let names = game.seat_names();
        for viewer in 0..self.last.len() {
            let other = other_action(game, &step, after, viewer, chance);
            if let Some(other) = &other {
                self.hidden[viewer].push(Site::Replaced(self.game.steps.len(), other.action));
            }
            let twin = other.or_else(|| twin_of_step(game, &step, after, viewer, chance));
            if let Some(twin) = &twin {
                let [shown, other] = [&step, twin].map(|step| game.describe_step(step, Some(viewer), &names));
                ensure!(
                    shown == other,
                    "describe_step tells player {viewer} hidden information: {shown:?}, but {other:?} after a step \
                     that looks the same to the player"
                );
            }
            self.last[viewer] = Some(twin.unwrap_or_else(|| step.clone()));
        }
        self.game.steps.push(step);
        self.game.state = *after;
        Ok(())
    }
}

/// What `viewer` observes.
pub(super) fn observation<G: Rules>(game: &G, state: &G::State, viewer: usize) -> Vec<u8> {
    let mut out = vec![0; game.spec().observation_len()];
    game.observe(state, viewer, &mut out);
    out
}

/// The legal actions as bits.
pub(super) fn legal<G: Rules>(game: &G, state: &G::State) -> Vec<u64> {
    let mut mask = vec![0; game.spec().mask_words()];
    game.legal(state, &mut mask);
    mask
}

/// Some legal actions, from a random one on.
pub(super) fn some_actions(mask: &[u64], chance: &mut SeededChance) -> Vec<u32> {
    let count = mask::count(mask);
    let start = chance.uniform(count.max(1));
    (0..count.min(ACTIONS)).filter_map(|n| mask::select(mask, (start + n) % count)).collect()
}

/// A step from the same position by another action of another player, if only hidden parts of the next position differ.
fn other_action<G: Game>(
    game: &G,
    step: &Step<G::State>,
    after: &G::State,
    viewer: usize,
    chance: &mut SeededChance,
) -> Option<Step<G::State>> {
    if viewer == step.player || game.status(after) != Status::Running {
        return None;
    }
    let real = bytemuck::bytes_of(after);
    let differs = |state: &G::State, at: usize| bytemuck::bytes_of(state)[at] != real[at];
    let redrawn: Vec<G::State> =
        (0..REDRAWN).map(|_| game.determinize(after, viewer, chance as &mut dyn Chance)).collect();
    let hidden: Vec<bool> =
        (0..real.len()).map(|at| redrawn.iter().any(|state| differs(state, at))).collect();
    if !hidden.contains(&true) {
        return None;
    }
    let seen = observation(game, after, viewer);
    let mut alike = some_actions(&legal(game, &step.before), chance).into_iter().filter(|&action| {
        let mut state = step.before;
        let mut script = ScriptedChance::new(&step.chance);
        game.step(&mut state, action, &mut script as &mut dyn Chance);
        script.finish().is_ok()
            && state != *after
            && (0..real.len()).all(|at| hidden[at] || !differs(&state, at))
            && game.status(&state) == Status::Running
            && observation(game, &state, viewer) == seen
    });
    alike.next().map(|action| Step { action, ..step.clone() })
}

/// A step from a twin of the position before, if one is found that leads to what `viewer` observes.
fn twin_of_step<G: Game>(
    game: &G,
    step: &Step<G::State>,
    after: &G::State,
    viewer: usize,
    chance: &mut SeededChance,
) -> Option<Step<G::State>> {
    let seen = observation(game, after, viewer);
    for _ in 0..TRIES {
        let before = game.determinize(&step.before, viewer, chance as &mut dyn Chance);
        if before == step.before {
            continue;
        }
        let mask = legal(game, &before);
        // An action of another player may be hidden itself. Where the true one is illegal, others are tried.
        let mut candidates = vec![step.action];
        if !mask::contains(&mask, step.action) {
            candidates = some_actions(&mask, chance);
        }
        for action in candidates {
            let mut state = before;
            let mut script = ScriptedChance::new(&step.chance);
            game.step(&mut state, action, &mut script as &mut dyn Chance);
            if script.finish().is_ok()
                && game.status(&state) == game.status(after)
                && observation(game, &state, viewer) == seen
            {
                return Some(Step { before, action, ..step.clone() });
            }
        }
    }
    None
}

/// Compares everything that `viewer` is shown of `state` with the same of a twin.
pub(super) fn compare<G: Game>(
    game: &G,
    state: &G::State,
    history: &History<G::State>,
    viewer: usize,
    chance: &mut SeededChance,
) -> Verdict {
    let twin = &game.determinize(state, viewer, chance as &mut dyn Chance);
    let reveals = |what: &str| format!("{what} for player {viewer} reveals hidden information");
    ensure!(
        game.observation_to_json(state, viewer) == game.observation_to_json(twin, viewer),
        "{}",
        reveals("observation_to_json")
    );
    // Words and drawings of a finished game may reveal everything.
    if game.status(state) != Status::Running {
        return Ok(());
    }
    let mine = &history.game.steps;
    ensure!(
        game.information_state(state, viewer, mine) == game.information_state(twin, viewer, mine),
        "{}",
        reveals("the part of the present position in information_state")
    );
    if let Some(other) = history.twin(game, viewer, chance) {
        ensure!(
            game.information_state(state, viewer, mine)
                == game.information_state(&other.state, viewer, &other.steps),
            "{}",
            reveals("the history in information_state")
        );
    }
    if twin == state {
        return Ok(());
    }
    ensure!(game.turn(state) == game.turn(twin), "{}", reveals("turn"));
    let players = game.spec().players;
    let [mine_scored, other_scored] = [state, twin].map(|state| {
        let mut scores = vec![0.0; players];
        game.scores(state, &mut scores);
        let shown = |seat: usize| seat == viewer || game.shows_score(viewer, seat);
        (0..players).filter(|&seat| shown(seat)).map(|seat| scores[seat]).collect::<Vec<_>>()
    });
    ensure!(mine_scored == other_scored, "{}", reveals("a score that shows_score allows"));
    let names = game.seat_names();
    ensure!(game.standing(state, &names) == game.standing(twin, &names), "{}", reveals("standing"));
    drawings(game, [state, twin], [mine.last(), history.last[viewer].as_ref()], viewer)?;
    estimates(game, state, twin, viewer)?;
    if viewer != game.current_player(state) {
        return Ok(());
    }
    let mask = legal(game, state);
    for action in spread(mask::iter(&mask).collect()) {
        for (what, texts) in [
            ("action_to_string", [state, twin].map(|s| game.action_to_string(s, action))),
            ("action_in_words", [state, twin].map(|s| game.action_in_words(s, action, &names))),
            ("action_to_json", [state, twin].map(|s| game.action_to_json(s, action).to_string())),
        ] {
            ensure!(texts[0] == texts[1], "{}: {:?} and {:?}", reveals(what), texts[0], texts[1]);
        }
    }
    let illegal = (0..game.spec().num_actions).filter(|&action| !mask::contains(&mask, action));
    for action in spread(illegal.collect()) {
        let [mine, other] = [state, twin].map(|s| game.explain_illegal(s, action));
        ensure!(mine == other, "{}: {mine} and {other}", reveals("explain_illegal"));
    }
    ensure!(game.pass(state) == game.pass(twin), "{}", reveals("pass"));
    ensure!(game.compound_actions(state) == game.compound_actions(twin), "{}", reveals("compound_actions"));
    Ok(())
}

/// At most [`TEXTS`] of the actions, evenly spread.
fn spread(actions: Vec<u32>) -> impl Iterator<Item = u32> {
    let stride = actions.len().div_ceil(TEXTS).max(1);
    actions.into_iter().step_by(stride)
}

/// Text, drawing and clickable places, with and without the last step.
fn drawings<G: Game>(
    game: &G,
    states: [&G::State; 2],
    last: [Option<&Step<G::State>>; 2],
    viewer: usize,
) -> Verdict {
    for &(_, theme) in <Theme as crate::contract::options::named::Named>::NAMES {
        let view = View { theme, seat: Some(viewer), ansi: theme == Theme::Dark, ..View::default() };
        // The caption is compared by itself; here it is the same for both.
        let names = game.seat_names();
        let caption = Caption { names: &names, standing: "", running: true };
        for last in [[None, None], last] {
            let [mine, other] = [0, 1].map(|i| pictures_after(game, states[i], last[i], view, caption));
            ensure!(mine == other, "the pictures for player {viewer} reveal hidden information");
        }
        ensure!(
            game.beside(states[0], view, caption) == game.beside(states[1], view, caption),
            "the texts beside the drawing for player {viewer} reveal hidden information"
        );
        ensure!(
            game.places(states[0], view) == game.places(states[1], view),
            "the places of the drawing for player {viewer} reveal hidden information"
        );
    }
    Ok(())
}

/// The estimate of a player depends on nothing hidden from it.
fn estimates<G: Game>(game: &G, state: &G::State, twin: &G::State, viewer: usize) -> Verdict {
    let players = game.spec().players;
    for (what, estimate) in
        [("estimate", G::estimate as fn(&G, &G::State, &mut [f32])), ("outlook", G::outlook)]
    {
        let [mine, other] = [state, twin].map(|state| {
            let mut out = vec![0.0; players];
            estimate(game, state, &mut out);
            out[viewer]
        });
        ensure!(
            mine == other,
            "the {what} of player {viewer} is made of information hidden from it: {mine} and {other} in positions \
             that the player cannot tell apart"
        );
    }
    Ok(())
}
