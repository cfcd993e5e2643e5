//! The end of games: ranks, and their order.

use crate::checks::conformance::{Verdict, ensure};
use crate::contract::Game;
use crate::contract::reward::outcome_from_ranks;
use crate::contract::rules::Status;
use crate::contract::spec::MAX_PLAYERS;

/// Results of terminated games: how often the highest score has the best rank, and how often the worst.
#[derive(Default)]
pub(super) struct Results {
    first: u32,
    last: u32,
}

impl Results {
    /// Counts a terminated game in which one player has the highest score and not all ranks are equal.
    fn add(&mut self, scores: &[f32], ranks: &[u8]) {
        let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut leaders = (0..scores.len()).filter(|&seat| scores[seat] == highest);
        let (Some(leader), None) = (leaders.next(), leaders.next()) else { return };
        let worst = ranks.iter().max().copied().unwrap_or(0);
        if worst > 0 {
            self.first += u32::from(ranks[leader] == 0);
            self.last += u32::from(ranks[leader] == worst);
        }
    }
    /// A warning if ranks seem to be turned around.
    pub(super) fn warning(&self) -> Option<String> {
        let Self { first, last } = self;
        (*last >= 2 && *last > 3 * first).then(|| {
            format!(
                "ranks may be turned around (0 is the best): in {last} of {} games the player with the highest score \
                 has the worst rank",
                first + last
            )
        })
    }
}

/// The end of a game: ranks give a zero-sum outcome.
pub(super) fn finish<G: Game>(game: &G, state: &G::State, results: &mut Results) -> Verdict {
    let players = game.spec().players;
    if game.status(state) == Status::Terminated {
        let mut ranks = [0; MAX_PLAYERS];
        game.ranks(state, &mut ranks[..players]);
        ensure!(ranks[..players].contains(&0), "no player has rank 0 in {:?}", &ranks[..players]);
        let mut outcome = [0.0; MAX_PLAYERS];
        outcome_from_ranks(&ranks[..players], &mut outcome[..players]);
        ensure!(outcome.iter().sum::<f32>().abs() < 1e-5, "the outcome {outcome:?} is not zero-sum");
        let mut scores = [0.0; MAX_PLAYERS];
        game.scores(state, &mut scores[..players]);
        results.add(&scores[..players], &ranks[..players]);
    }
    Ok(())
}
