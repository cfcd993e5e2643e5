//! Small World: races and powers that conquer, decline and score on a map of up to 48 regions.
//!
//! | file | holds |
//! |---|---|
//! | `map`, `mapgen`, `boards` | maps: the value, procedural ones, the published ones and files |
//! | `roster`, `races`, `powers`, `abilities` | numbers and texts; what each race and power changes |
//! | `state`, `columns` | the position as a plain value |
//! | `phase`, `step` | the order of a turn |
//! | `combos`, `conquest`, `redeploy`, `scoring`, `decline` | the rules, by what they are about |
//! | `actions`, `legal`, `observe`, `json`, `validate` | the position and the actions from outside |
//! | `render`, `svg`, `layout`, `shapes` | the position as text and as a picture |
//! | `bots` | scripted players |

mod abilities;
mod actions;
pub mod boards;
mod bots;
mod columns;
mod combos;
mod conquest;
mod decline;
mod guide;
mod json;
mod layout;
mod legal;
pub mod map;
pub mod mapgen;
mod observe;
mod options;
mod phase;
mod picture;
mod powers;
mod races;
mod redeploy;
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
mod words;

use std::sync::Arc;

use crate::engine::{Entry, Rules};

pub use self::phase::Phase;
pub use self::rules::SmallWorld;
pub use self::ruleset::Ruleset;
pub use self::state::State;

/// The environment's entry in the registry.
pub const ENTRY: Entry =
    Entry::new(SmallWorld::ID, "SmallWorld", options::SUMMARY, options::list, |options| {
        Ok(Arc::new(SmallWorld::new(options)?))
    });
