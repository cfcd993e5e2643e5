//! Small World: races and powers that conquer, decline and score on a map of up to 48 regions.
//!
//! | folder or file | holds |
//! |---|---|
//! | `entry.rs` | the registry's entry: the game for any options |
//! | `options.rs` | the options |
//! | `actions.rs` | action indices |
//! | `observe.rs`, `values.rs` | the observation; the names of numbers, and the state as columns |
//! | `words.rs` | the game in words |
//! | `rules/mod.rs` | the game as the engine's `Rules` |
//! | `rules/`: `ruleset`, `state` | the rules under some options; a game in progress |
//! | `rules/`: `columns` | queries over all its regions at once |
//! | `rules/`: `map`, `mapgen`, `boards` | maps: the type, random maps, the published boards and map files |
//! | `rules/`: `roster` | the races and powers: names, numbers of tokens, texts |
//! | `rules/`: `named` | enumerations whose values have names |
//! | `rules/`: `abilities`, `races`, `powers` | the possible rule changes; the changes of each race and power |
//! | `rules/`: `pieces` | the pieces besides tokens: names, stocks, which of them defend |
//! | `rules/`: `legal`, `refusals` | the mask of legal actions; the reason for a refusal |
//! | `rules/`: `phase`, `step` | the order of a turn; one decision and its consequences |
//! | `rules/`: `combos` | picking a race with a power; the row and its stacks |
//! | `rules/`: `conquest_costs` | possible conquests and their costs |
//! | `rules/`: `conquest` | conquests, and the fate of defenders |
//! | `rules/`: `redeploy` | redeployment, encampments, fortresses, heroes, peace |
//! | `rules/`: `decline`, `scoring` | going into decline; coins and the final ranking |
//! | `show/`: `picture`, `render` | the game in pictures; a position as text |
//! | `show/`: `ansi` | the map in a terminal's colours |
//! | `show/`: `svg`, `layout`, `shapes` | a position as a drawing; where a drawing puts regions, and their outlines |
//! | `exchange/`: `action_types`, `notation` | actions as text and objects |
//! | `exchange/`: `json`, `validate` | states and observations as JSON; whether play can go on from a state |
//! | `exchange/`: `queries` | answers about a position beyond its observations: costs, incomes |
//! | `play/`: `bots`, `guide` | the built-in bot; help for players |

mod actions;
#[cfg(not(test))]
mod entry;
mod exchange;
mod observe;
mod options;
mod play;
mod rules;
mod show;
#[cfg(test)]
mod tests;
mod values;
mod words;

#[cfg(not(test))]
pub use entry::ENTRY;
pub use exchange::queries;
pub use rules::SmallWorld;
pub use rules::phase::Phase;
pub use rules::ruleset::Ruleset;
pub use rules::state::State;
pub use rules::{boards, map, mapgen, roster};

const ID: &str = "smallworld";
