//! The original's agents, and its match between two of them.

use crate::StarWarsRisk;
use crate::rules::compound::CardPlay;
use crate::rules::events::SubAction;
use crate::rules::phase::Phase;
use crate::rules::state::State;
use ludovec_engine::chance::{Chance, SeededChance, StreamId};
use ludovec_engine::{Bot, Rules, Status, mask};

/// A preference of an agent: whether it prefers a sub-action.
type Wish = fn(&SubAction) -> bool;

const ATTACK: Wish = |sub| matches!(sub, SubAction::Attack { .. });
const ATTACK_DEATHSTAR: Wish = |sub| matches!(sub, SubAction::AttackDeathstar { .. });
const SHIELD: Wish = |sub| matches!(sub, SubAction::Shield);

/// The original's agents.
pub(crate) static BOTS: [Bot<StarWarsRisk>; 3] = [
    Bot {
        name: "plays",
        help: "The original's random agent: any play of the turned card, all equally likely.",
        act: |rules, state, mask, chance| act(rules, state, mask, chance, &[]),
        tries: None,
    },
    Bot {
        name: "attack",
        help: "The original's attack agent: any play with an attack, else any play.",
        act: |rules, state, mask, chance| act(rules, state, mask, chance, &[ATTACK]),
        tries: None,
    },
    Bot {
        name: "shield",
        help: "The original's shield agent: the shield run, else the Death Star, else an attack, else any play.",
        act: |rules, state, mask, chance| {
            act(rules, state, mask, chance, &[SHIELD, ATTACK_DEATHSTAR, ATTACK])
        },
        tries: None,
    },
];

/// One decision of an agent. The agent chooses uniformly among the plays that satisfy its first preference, or the
/// next preference if no play satisfies the first, and so on. Every decision redraws a play and takes its first
/// action, which gives whole plays with the same probabilities.
fn act(rules: &StarWarsRisk, state: &State, mask: &[u64], chance: &mut dyn Chance, wishes: &[Wish]) -> u32 {
    match state.phase {
        // Any card of the hand with equal probability; likewise for any hit below.
        Phase::Order => chance.weighted(&state.piles[state.seat()].hand.map(u32::from)) as u32,
        Phase::Hit | Phase::Over => {
            mask::select(mask, chance.uniform(mask::count(mask).max(1))).unwrap_or_default()
        }
        _ => {
            let plays = rules.card_plays(state);
            let fulfilling = |wish: &Wish| -> Vec<&CardPlay> {
                plays.iter().filter(|play| play.sub_actions.iter().any(wish)).collect()
            };
            let wished = wishes.iter().map(fulfilling).find(|plays| !plays.is_empty());
            let plays = wished.unwrap_or_else(|| plays.iter().collect());
            plays[chance.uniform(plays.len() as u32) as usize].actions[0]
        }
    }
}

/// The result of [`test_agents`].
#[derive(Debug, Clone, PartialEq)]
pub struct TestResult {
    /// Games won, by seat.
    pub winners: [u32; 2],
    /// Games stopped by the limit on rounds.
    pub truncated: u32,
    /// Median number of cards turned in a game.
    pub median_turns: f64,
}

/// Plays `tests` games of two agents: the original's `testAgents`.
///
/// Game `i` uses the random stream (`seed`, `i`), also for the agents.
#[must_use]
pub fn test_agents(
    rules: &StarWarsRisk,
    rebel: &Bot<StarWarsRisk>,
    empire: &Bot<StarWarsRisk>,
    tests: u32,
    seed: u64,
) -> TestResult {
    let mut result = TestResult { winners: [0; 2], truncated: 0, median_turns: 0.0 };
    let mut mask = vec![0; rules.spec().mask_words()];
    let mut turns: Vec<u32> = (0..tests)
        .map(|game| {
            let mut chance = SeededChance::new(StreamId { seed, game: game.into(), episode: 0 });
            let mut state = rules.init(&mut chance);
            while rules.status(&state) == Status::Running {
                rules.legal(&state, &mut mask);
                let agent = [rebel, empire][state.seat()];
                let action = (agent.act)(rules, &state, &mask, &mut chance);
                rules.step(&mut state, action, &mut chance);
            }
            match state.outcome.winner() {
                Some(seat) => result.winners[seat] += 1,
                None => result.truncated += 1,
            }
            state.turns
        })
        .collect();
    turns.sort_unstable();
    if let (Some(&low), Some(&high)) =
        (turns.get(turns.len().saturating_sub(1) / 2), turns.get(turns.len() / 2))
    {
        result.median_turns = f64::from(low).midpoint(f64::from(high));
    }
    result
}
