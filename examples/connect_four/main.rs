//! A custom game in a crate of its own: Connect Four, usable in every command of the program.
//!
//! ```text
//! cargo run --release --package connect_four -- bench
//! cargo run --release --package connect_four -- play --players you:human,bot:search:500
//! cargo run --release --package connect_four -- tournament --players random,greedy,search:200
//! cargo run --release --package connect_four -- web
//! ```
//!
//! `rules.rs` alone is enough to play, train and benchmark the game. `words.rs` adds notation and pictures, and
//! `tests.rs` checks the game.

mod rules;
#[cfg(test)]
mod tests;
mod words;

use std::process::ExitCode;

fn main() -> ExitCode {
    ludovec_cli::Program::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
        .with_games([rules::ENTRY])
        .main()
}
