//! Small World: races and powers that conquer, decline and score on a map of up to 48 regions.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs`, `ruleset.rs` | the options, and the rules under them |
//! | `map.rs`, `mapgen.rs`, `boards.rs` | maps: the type, random maps, the published boards and map files |
//! | `roster.rs` | the races and powers: names, numbers of tokens, texts |
//! | `abilities.rs`, `races.rs`, `powers.rs` | the possible rule changes; the changes of each race and power |
//! | `pieces.rs` | the pieces besides tokens: names, stocks, which of them defend |
//! | `state.rs`, `columns.rs` | a game in progress, and queries over all its regions at once |
//! | `rules.rs` | the game as the engine's `Rules` |
//! | `phase.rs`, `step.rs` | the order of a turn; one decision and its consequences |
//! | `combos.rs` | picking a race with a power; the row and its stacks |
//! | `conquest_options.rs`, `conquest.rs` | possible conquests and their costs; conquests, and the fate of defenders |
//! | `redeploy.rs` | redeployment, encampments, fortresses, heroes, peace |
//! | `decline.rs`, `scoring.rs` | going into decline; coins and the final ranking |
//! | `actions.rs`, `legal.rs` | action indices; the mask of legal actions |
//! | `action_types.rs`, `notation.rs`, `refusals.rs` | actions as text and objects; why one is refused |
//! | `observe.rs`, `values.rs` | the observation; the names of numbers, and the state as columns |
//! | `json.rs`, `validate.rs` | states and observations as JSON; whether play can go on from a state |
//! | `queries.rs` | answers about a position beyond its observations: costs, incomes |
//! | `words.rs`, `picture.rs`, `guide.rs` | the game in words and in pictures; help for players |
//! | `render.rs`, `ansi.rs`, `svg.rs`, `svg/` | a position as text, the map in a terminal's colours, and a drawing |
//! | `layout.rs`, `shapes.rs` | where a drawing puts regions, and their outlines |
//! | `bots.rs` | the bot that ships with the game |
//! | `named.rs` | enumerations whose values have names |

mod abilities;
mod action_types;
mod actions;
mod ansi;
pub mod boards;
mod bots;
mod columns;
mod combos;
mod conquest;
mod conquest_options;
mod decline;
mod guide;
mod json;
mod layout;
mod legal;
pub mod map;
pub mod mapgen;
mod named;
mod notation;
mod observe;
mod options;
mod phase;
mod picture;
mod pieces;
mod powers;
pub mod queries;
mod races;
mod redeploy;
mod refusals;
mod render;
pub mod roster;
mod rules;
mod ruleset;
mod scoring;
mod shapes;
mod state;
mod step;
mod svg;
#[cfg(test)]
mod tests;
mod validate;
mod values;
mod words;

use std::sync::Arc;

use ludovec_engine::{self as engine, Entry};

pub use self::phase::Phase;
pub use self::rules::SmallWorld;
pub use self::ruleset::Ruleset;
pub use self::state::State;

const ID: &str = "smallworld";

/// The environment's entry in the registry.
pub const ENTRY: Entry = Entry::new(ID, "SmallWorld", options::SUMMARY, options::list, build)
    .with_rules(options::RULES, Some(options::RULES_LINK))
    .with_champions(ludovec_assets::networks::SMALLWORLD);

fn build(options: &engine::Options) -> engine::Result<Arc<dyn engine::AnyGame>> {
    Ok(Arc::new(SmallWorld::new(options)?))
}
