//! The web API of the page, without a transport: requests and answers as JSON.
//!
//! `ludovec web` answers over HTTP. The static pages have the same rules compiled to WebAssembly, and a Web Worker
//! answers.
//!
//! | file | holds |
//! |---|---|
//! | `requests` | requests to begin: environment, options, seats, seed; the part of a position in a request |
//! | `game` | a game with people, against bots or each other |
//! | `load` | such games from texts |
//! | `analysis` | analysis of such a game by a player, and its review |
//! | `batch` | games of bots side by side |
//! | `openings` | names of openings of chess |
//! | `refused` | the answer to a request that is refused |
//! | `router` | the requests by method and path: [`answer`] |
//! | `store` | where a transport keeps games and batches; a game on several screens |
//!
#![doc = include_str!("routes.md")]

mod analysis;
mod batch;
mod game;
mod load;
mod openings;
mod refused;
mod requests;
mod router;
mod store;

pub use analysis::{AnalysisRequest, ReviewRequest};
pub use batch::{Batch, StepRequest};
pub use game::{ActionRequest, AtRevision, ChosenPlaces, ForkRequest, Match, SwitchRequest, status};
pub use load::LoadRequest;
pub use refused::{Answer, Refused};
pub use requests::{BeginRequest, RulesRequest, ViewQuery, cards, environments, rules};
pub use router::{Host, Reply, Request, answer, methods, table_of_requests};
pub use store::{Invitation, Screen, Store, lock};
