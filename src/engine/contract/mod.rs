//! The contract of a game: the traits that it implements, and the types in their signatures.
//!
//! | file or folder | holds |
//! |---|---|
//! | `rules` | [`Rules`]: play, observations, results; enough for rollouts, benchmarks and training |
//! | `words` | [`Words`]: actions and positions as text and JSON; has defaults |
//! | `picture` | [`Picture`]: positions as text and drawings; has defaults |
//! | `guide` | [`Guide`]: estimates, bots, symmetries; has defaults |
//! | `dialect` | [`Dialect`]: the protocol of bots in other programs; has defaults |
//! | `defaults` | the defaults of these traits that are more than an expression |
//! | `spec` | the specification of an environment as data |
//! | `actions`, `mask` | actions as an enum with a derived index; legality as bit rows |
//! | `chance`, `reward` | randomness as an input; from scores and ranks to rewards |
//! | `options/` | the options of an environment, parsed and checked |
//! | `options/option_spec`, `options/option_pairs`, `options/named` | one option's declaration; options as callers write them; settings whose values have names |
//! | `observation/` | the fields of an observation, and how they are laid out |
//! | `observation/packed`, `observation/row` | the layout of packed observations; writing an observation field by field |
//! | `observation/values`, `observation/state_columns` | the names of numbers; the true state as columns |
//! | `show/view`, `show/drawing`, `show/ansi` | display settings and the viewer; text, arrows and marks of drawings; terminal colours |
//! | `show/beside` | what a drawing shows beside the board, as text |
//! | `support/error`, `support/memory` | errors; fallible allocation |
//! | `support/file` | reading files named by the caller |
//! | `support/escape`, `support/similar` | escapes of untrusted text; suggestions for mistyped words |
//! | `support/cpu` | which instructions the processor has, for fast paths |

pub(crate) mod actions;
pub mod chance;
pub mod defaults;
pub(crate) mod dialect;
pub(crate) mod guide;
pub mod mask;
pub(crate) mod observation;
pub(crate) mod options;
pub(crate) mod picture;
pub(crate) mod reward;
pub(crate) mod rules;
pub(crate) mod show;
pub(crate) mod spec;
pub(crate) mod support;
pub(crate) mod words;

use self::dialect::Dialect;
use self::guide::Guide;
use self::picture::Picture;
use self::rules::Rules;
use self::words::Words;

/// A whole game: the five traits of the contract. Every type that implements all five is a game.
///
/// A new game implements [`Rules`] and leaves the others empty (`impl Words for MyGame {}`): their defaults follow
/// from the rules and the spec.
///
/// ```
/// use ludovec_engine::{Game, TypedGame};
/// # use ludovec_engine::{Dialect, Guide, Picture, Words};
/// # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/nim.rs")); }
/// # use nim::*;
/// # impl Words for Nim {}
/// # impl Picture for Nim {}
/// # impl Guide for Nim {}
/// # impl Dialect for Nim {}
///
/// /// The number of decisions of a game in which all players take the first legal action.
/// fn decisions<G: Game>(rules: G) -> usize {
///     let mut game = TypedGame::new(std::sync::Arc::new(rules), 0);
///     let mut count = 0;
///     while game.status() == Status::Running {
///         let action = game.legal_actions().next().expect("a running game has one");
///         game.step(action).expect("it is legal");
///         count += 1;
///     }
///     count
/// }
/// assert_eq!(decisions(Nim::new(&options())), 21);
/// ```
pub trait Game: Rules + Words + Picture + Guide + Dialect {}

impl<G: Rules + Words + Picture + Guide + Dialect> Game for G {}
