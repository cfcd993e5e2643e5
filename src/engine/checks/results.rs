//! The end of games: ranks, and their order.

use crate::checks::conformance::{Verdict, ensure};
use crate::contract::Game;
use crate::contract::reward::{Payoff, outcome_of};
use crate::contract::rules::Status;
use crate::contract::spec::{MAX_PLAYERS, Spec};

/// Decisions of an unfinished game after which every player should have made one.
const IDLE: usize = 50;

/// Games after which a warning says something about all of them.
const FEW: u32 = 3;

/// Results of terminated games: how often the highest score has the best rank, and how often the worst.
#[derive(Default)]
pub(super) struct Results {
    first: u32,
    last: u32,
    /// Games that have ended.
    ended: u32,
    /// Most decisions of a game that was left before its end.
    left: usize,
    /// Games that were cut by the limit of decisions.
    cut: u32,
    /// Games in which all players have the same rank and the same score, and their lowest and highest score.
    alike: (u32, f32, f32),
    /// Bits of the players with a decision.
    players: u8,
    /// Whether a decision was sealed.
    seals: bool,
}

impl Results {
    /// Counts a terminated game in which one player has the highest score and not all ranks are equal.
    fn add(&mut self, scores: &[f32], ranks: &[u8]) {
        let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        if ranks.len() > 1
            && scores.iter().all(|&score| score == highest)
            && ranks.iter().all(|&rank| rank == 0)
        {
            let (games, low, high) = self.alike;
            let (low, high) =
                if games == 0 { (highest, highest) } else { (low.min(highest), high.max(highest)) };
            self.alike = (games + 1, low, high);
        }
        let mut leaders = (0..scores.len()).filter(|&seat| scores[seat] == highest);
        let (Some(leader), None) = (leaders.next(), leaders.next()) else { return };
        let worst = ranks.iter().max().copied().unwrap_or(0);
        if worst > 0 {
            self.first += u32::from(ranks[leader] == 0);
            self.last += u32::from(ranks[leader] == worst);
        }
    }
    /// Notes that a game was left after this many decisions.
    pub(super) fn left(&mut self, decisions: usize) {
        self.left = self.left.max(decisions);
    }
    /// Notes that a game was cut by the limit of decisions.
    pub(super) fn cut(&mut self) {
        self.cut += 1;
    }
    /// Notes a decision of a player.
    pub(super) fn decided(&mut self, player: usize) {
        self.players |= 1 << player;
    }
    /// Notes whether a decision was sealed.
    pub(super) fn sealed(&mut self, is_sealed: bool) {
        self.seals |= is_sealed;
    }
    /// Warnings about events that were never reached.
    pub(super) fn unreached(&self, spec: &Spec) -> impl Iterator<Item = String> {
        let limit = spec.max_episode_steps;
        let unended = (self.ended == 0 && self.left > 0).then(|| {
            format!(
                "no game ended within {} decisions: ends and results are unchecked; give more steps",
                self.left
            )
        });
        let cut = (self.cut >= FEW && self.cut == self.ended).then(|| {
            format!("every game is cut by max_episode_steps={limit}: no result was reached by random play")
        });
        let idle = (0..spec.players).find(|player| self.players >> player & 1 == 0);
        let idle = idle
            .filter(|_| self.ended >= FEW || self.left > IDLE)
            .map(|player| format!("player {player} has made no decision in {} games", self.ended.max(1)));
        let (alike, low, high) = self.alike;
        let is_common = spec.payoff.is_ranks() && alike >= FEW && alike == self.ended && low < high;
        let common = is_common.then(|| {
            format!(
                "all players are paid alike, {low} to {high}, so that nobody wins and every outcome is 0: say payoff common"
            )
        });
        let unsealed = (!spec.simultaneous.is_empty() && !self.seals).then(|| {
            format!("{} was 0 after every decision: no simultaneous phase was reached", spec.simultaneous)
        });
        unended.into_iter().chain(common).chain(cut).chain(idle).chain(unsealed)
    }
    /// A warning if ranks seem to be turned around.
    pub(super) fn warning(&self) -> Option<String> {
        let Self { first, last, .. } = self;
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
    results.ended += 1;
    if game.status(state) == Status::Terminated {
        let mut ranks = [0; MAX_PLAYERS];
        game.ranks(state, &mut ranks[..players]);
        ensure!(ranks[..players].contains(&0), "no player has rank 0 in {:?}", &ranks[..players]);
        let mut outcome = [0.0; MAX_PLAYERS];
        let payoff = game.spec().payoff;
        outcome_of(game, state, &mut outcome[..players]);
        let mut scores = [0.0; MAX_PLAYERS];
        let scores = &mut scores[..players];
        game.scores(state, scores);
        results.add(scores, &ranks[..players]);
        let Some((low, high)) = payoff.range() else {
            ensure!(outcome.iter().sum::<f32>().abs() < 1e-5, "the outcome {outcome:?} is not zero-sum");
            return Ok(());
        };
        ensure!(
            scores.iter().all(|score| (low..=high).contains(score)),
            "the scores {scores:?} leave the declared range {low} to {high}"
        );
        let is_common = matches!(payoff, Payoff::Common { .. });
        ensure!(
            !is_common || scores.iter().all(|score| *score == scores[0]),
            "the scores {scores:?} differ, but the payoff is common"
        );
    }
    Ok(())
}
