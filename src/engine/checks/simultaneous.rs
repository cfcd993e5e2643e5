//! Simultaneous decisions: sealed ones in turn, which stay unknown until all players have decided.
//!
//! The check needs no twins: within a phase, what other players are shown may not change at all, except for the field
//! that says who has decided. Other actions are tried in place of each sealed one, because what a later player may do,
//! or whether the phase goes on, must not depend on it either.

use crate::checks::conformance::{Verdict, ensure};
use crate::checks::draws::field;
use crate::checks::twins::{legal, observation, some_actions};
use crate::contract::Game;
use crate::contract::chance::{Chance, SeededChance};
use crate::contract::rules::Status;

/// Number of other actions that are tried in the place of each.
const OTHERS: usize = 4;

/// The decisions of the present phase.
#[derive(Default)]
pub(super) struct Phase {
    players: Vec<usize>,
}

impl Phase {
    /// Checks a decision; returns whether it is sealed.
    pub(super) fn decided<G: Game>(
        &mut self,
        game: &G,
        before: &G::State,
        after: &G::State,
        chance: &mut SeededChance,
    ) -> Verdict<bool> {
        let spec = game.spec();
        if spec.simultaneous.is_empty() {
            return Ok(false);
        }
        let player = game.current_player(before);
        let goes_on = is_sealed(game, after)?;
        if goes_on {
            self.players.push(player);
            let next = game.current_player(after);
            ensure!(!self.players.contains(&next), "player {next} decides twice in a simultaneous phase");
            tells(game, before, after, player)?;
        } else {
            self.players.clear();
        }
        for action in some_actions(&legal(game, before), chance).into_iter().take(OTHERS) {
            let mut other = *before;
            game.step(&mut other, action, chance as &mut dyn Chance);
            ensure!(
                is_sealed(game, &other)? == goes_on,
                "whether a simultaneous phase goes on depends on the decision of player {player}"
            );
            if !goes_on {
                continue;
            }
            let next = game.current_player(after);
            ensure!(
                game.current_player(&other) == next,
                "who decides next in a simultaneous phase depends on the decision of player {player}"
            );
            ensure!(
                legal(game, &other) == legal(game, after),
                "the legal actions of player {next} depend on the sealed decision of player {player}"
            );
            for viewer in (0..spec.players).filter(|&viewer| viewer != player) {
                ensure!(
                    observation(game, &other, viewer) == observation(game, after, viewer),
                    "the observation of player {viewer} tells the sealed decision of player {player}"
                );
            }
        }
        Ok(goes_on)
    }
}

/// Whether a position is within a simultaneous phase; all players know it.
fn is_sealed<G: Game>(game: &G, state: &G::State) -> Verdict<bool> {
    let spec = game.spec();
    if game.status(state) != Status::Running {
        return Ok(false);
    }
    let is_set = |viewer| {
        let seen = observation(game, state, viewer);
        spec.flags().any(|at| seen[at] != 0)
    };
    let is_sealed = is_set(0);
    ensure!(
        (1..spec.players).all(|viewer| is_set(viewer) == is_sealed),
        "the players do not agree whether {} is 0",
        spec.simultaneous
    );
    Ok(is_sealed)
}

/// A sealed decision of `player` changes nothing that another player is shown, except for the flags.
fn tells<G: Game>(game: &G, before: &G::State, after: &G::State, player: usize) -> Verdict {
    let spec = game.spec();
    let flags: Vec<usize> = spec.flags().collect();
    let scores = [before, after].map(|state| {
        let mut scores = vec![0.0; spec.players];
        game.scores(state, &mut scores);
        scores
    });
    for viewer in (0..spec.players).filter(|&viewer| viewer != player) {
        let [old, new] = [before, after].map(|state| observation(game, state, viewer));
        if let Some(at) = (0..old.len()).find(|at| old[*at] != new[*at] && !flags.contains(at)) {
            return Err(format!(
                "a sealed decision of player {player} changes element {at} of the observation of player {viewer}{}; \
                 before all have decided, only {} may change",
                field(spec, at),
                spec.simultaneous
            ));
        }
        let shown = |seat: &usize| *seat == viewer || game.shows_score(viewer, *seat);
        let changed = (0..spec.players).filter(shown).find(|&seat| scores[0][seat] != scores[1][seat]);
        if let Some(seat) = changed {
            return Err(format!(
                "a sealed decision of player {player} changes the score of player {seat}, which player {viewer} knows"
            ));
        }
    }
    Ok(())
}
