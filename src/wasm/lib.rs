//! The page's web API as WebAssembly: the games, the search and the champions answer without a server.
//!
//! | file | holds |
//! |---|---|
//! | `pages` | the requests of the page, as bytes |
//! | `recent_store` | games and batches by id |
//! | `host` | the exported functions: bytes in, bytes out |
//!
//! The requests and answers are those of `ludovec web`, without the live view. `pages/` has the files that the browser
//! loads beside the ones of `ludovec web`: a Web Worker with this library, and its client.

#[cfg(target_arch = "wasm32")]
mod host;
mod pages;
mod recent_store;

pub use pages::Pages;
