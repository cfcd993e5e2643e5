//! A custom game in a crate of its own: Connect Four, usable in every command of the program.
//!
//! ```text
//! cargo run --release --package connect_four -- bench connect_four
//! cargo run --release --package connect_four -- play connect_four --players you:human,bot:search:500
//! cargo run --release --package connect_four -- tournament connect_four --bots random,greedy,search:200
//! cargo run --release --package connect_four -- web
//! ```
//!
//! `rules.rs` alone is enough to play, train and benchmark the game. `words.rs` adds notation and pictures.

mod rules;
mod words;

use std::process::ExitCode;

fn main() -> ExitCode {
    ludovec::games::register(rules::ENTRY).expect("no other environment has this id");
    ludovec_cli::main()
}
