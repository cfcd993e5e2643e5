//! The contract of a game: the traits that it implements, and the types in their signatures.
//!
//! | file | holds |
//! |---|---|
//! | `rules` | [`Rules`]: play, observations, results; enough for rollouts, benchmarks and training |
//! | `words` | [`Words`]: actions and positions as text and JSON; has defaults |
//! | `picture`, `view` | [`Picture`]: positions as text and drawings; has defaults; display settings and viewer |
//! | `drawing` | text, arrows and marks of drawings |
//! | `ansi` | terminal colours |
//! | `guide` | [`Guide`]: estimates, bots, symmetries; has defaults |
//! | `dialect` | [`Dialect`]: the protocol of bots in other programs; has defaults |
//! | `spec` | the specification of an environment as data |
//! | `actions` | actions as an enum with a derived index |
//! | `observation` | the fields of an observation, and how they are laid out |
//! | `packed`, `row` | the layout of packed observations; writing an observation field by field |
//! | `values`, `state_columns` | the names of numbers; the true state as columns |
//! | `option_spec`, `options`, `given`, `named` | the options it takes; settings whose values have names |
//! | `reward` | from scores and ranks to rewards |
//! | `chance` | randomness as an input |
//! | `mask` | legality as bit rows |
//! | `file` | reading files named by the caller |
//! | `error`, `memory` | errors; fallible allocation |
//! | `similar` | suggestions for mistyped words |
//! | `beside` | what a drawing shows beside the board, as text |
//! | `cpu` | which instructions the processor has, for fast paths |

pub(crate) mod actions;
pub mod ansi;
pub(crate) mod beside;
pub mod chance;
pub(crate) mod cpu;
pub(crate) mod dialect;
pub mod drawing;
pub(crate) mod error;
pub mod file;
pub(crate) mod given;
pub(crate) mod guide;
pub mod mask;
pub mod memory;
pub(crate) mod named;
pub(crate) mod observation;
pub(crate) mod option_spec;
pub(crate) mod options;
pub(crate) mod packed;
pub(crate) mod picture;
pub(crate) mod reward;
pub(crate) mod row;
pub(crate) mod rules;
pub mod similar;
pub(crate) mod spec;
pub(crate) mod state_columns;
pub(crate) mod values;
pub(crate) mod view;
pub mod visible;
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
