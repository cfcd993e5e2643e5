//! The interface of the page, without a transport: requests and answers as JSON.
//!
//! `ludovec web` answers over HTTP. The static pages have the same rules compiled to WebAssembly, and a Web Worker
//! answers.
//!
//! | file | holds |
//! |---|---|
//! | `requests` | requests to begin: environment, options, seats, seed; the part of a position in a request |
//! | `game` | a game with people, against bots or each other |
//! | `analysis` | analysis of such a game by a player |
//! | `batch` | games of bots side by side |
//! | `refused` | the answer to a request that is refused |

mod analysis;
mod batch;
mod game;
mod refused;
mod requests;

pub use analysis::AnalysisRequest;
pub use batch::{Batch, StepRequest};
pub use game::{ActionRequest, AtRevision, Match};
pub use refused::{Answer, Refused};
pub use requests::{BeginRequest, RulesRequest, ViewQuery, environments, rules};
