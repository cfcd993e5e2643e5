//! The functions of the fuzz targets. They take the bytes of an input, must not panic on any bytes, and return
//! whether the bytes were accepted.
//!
//! | file | targets |
//! |---|---|
//! | `texts` | `position`, `record`, `option`, `action`, `bot_request`, `bot_reply`, `fen`, `variant`, `map`: texts |
//! | `files` | `snapshot`, `network`, `segment`: bytes from files and shared memory |
//! | `http` | `http`: requests to the web player |
//! | `calls` | `calls`: random calls of a batch, against a slow reference |
//! | `play` | plays on from accepted positions and checks them |
//! | `bytes` | decisions drawn from the bytes |
//!
//! `make fuzz` runs every target for some seconds with a nightly compiler. `cargo test --test fuzz` runs every
//! committed input, seeds and found crashes alike, through the same functions with any compiler.

mod bytes;
mod calls;
mod files;
mod http;
mod play;
mod texts;

pub use bytes::options;
pub use calls::calls;
pub use files::{CHECKSUM, SNAPSHOT_HEADER, network, segment, snapshot};
pub use http::http;
pub use play::ALWAYS;
pub use texts::{action, bot_reply, bot_request, fen, map, option, position, record, variant};
