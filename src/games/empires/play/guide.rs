//! Helpers for Terminal of Empires players: estimates and bots.

use super::bots;
use crate::Empires;
use crate::actions::Action;
use crate::rules::ruleset::Structure;
use crate::rules::state::State;
use ludovec_engine::{Bot, Guide};

impl<const N: usize> Guide for Empires<N> {
    /// Values a seat by four counts: 1 for each cell; 30 for each castle, because a player without castles is
    /// eliminated; 1.2 for each farm or castle, which a harvest counts, up to 20 of them; 0.05 for each resource,
    /// up to the cost of conquering a castle, beyond which saving has no further use.
    fn estimate(&self, state: &State<N>, out: &mut [f32]) {
        let position = state.with(&self.rules);
        for (seat, worth) in out.iter_mut().enumerate() {
            let castles = position.count(seat, Structure::Castle);
            let producers = position.count(seat, Structure::Farm) + castles;
            let saved = state.ledger.resources[seat].min(Structure::Castle.conquer_cost());
            *worth = position.tiles(seat) as f32
                + 0.05 * saved as f32
                + 1.2 * producers.min(20) as f32
                + 30.0 * castles as f32;
        }
    }

    /// The estimate with castles at twice their value, minus half a point for each turn until the seat could
    /// conquer the nearest castle of another seat, up to 20 turns. A search therefore prefers to approach castles
    /// even if its playouts are too short to conquer one.
    fn outlook(&self, state: &State<N>, out: &mut [f32]) {
        const REACH: f32 = 20.0;
        self.estimate(state, out);
        let position = state.with(&self.rules);
        for (seat, worth) in out.iter_mut().enumerate() {
            let turns = position.turns_to_castle(seat).unwrap_or(REACH);
            *worth += 30.0 * position.count(seat, Structure::Castle) as f32 - 0.5 * turns.min(REACH);
        }
    }

    fn pass(&self, _state: &State<N>) -> Option<u32> {
        Some(Action::Pass.index(&self.rules.map))
    }

    fn bots() -> &'static [Bot<Self>] {
        macro_rules! bot {
            ($name:ident, $help:expr) => {
                Bot {
                    name: stringify!($name),
                    help: $help,
                    act: |game, state, legal, chance| {
                        bots::$name(state.with(&game.rules), legal, chance).index(&game.rules.map)
                    },
                    tries: None,
                }
            };
        }
        const {
            &[
                bot!(passive, "sits there without doing anything"),
                bot!(
                    pacifist,
                    "expands over neutral land and farms half of its cells, never attacks other players; plays \
                     as the original's documentation says, which is not its source"
                ),
                bot!(
                    aggressive,
                    "takes neutral land until it meets an enemy, then attacks, castles first, whenever it has \
                     saved 100, never builds; plays as the original's documentation says, which is not its source"
                ),
                bot!(defensive, "builds lots of forts and attacks a bit"),
                Bot {
                    tries: Some(|game, state, chance| {
                        bots::super_random_tries(state.with(&game.rules), chance).index(&game.rules.map)
                    }),
                    ..bot!(
                        super_random,
                        "tries any action on any cell; most are refused and count as passing"
                    )
                },
            ]
        }
    }
}
