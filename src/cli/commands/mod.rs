//! The subcommands, one file each.

mod bench;
mod bot_server;
mod check_variant;
mod conform;
mod import;
mod perft;
mod play;
mod replay;
mod report;
mod selfplay;
#[cfg_attr(not(target_os = "linux"), path = "no_serve.rs")]
mod serve;
mod soak;
mod spec;
mod tournament;
mod uci;
mod web;

use clap::{Parser, Subcommand};

use super::failure::CommandResult;

/// Real board games as vectorized environments: self-play, benchmarks, records, tournaments.
///
/// Without a command: self-play of Small World, 3 players, 4096 games side by side, for 10 seconds.
#[derive(Parser)]
#[command(name = "ludovec", version, arg_required_else_help = false)]
pub(super) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

impl Cli {
    /// Runs the command.
    pub(super) fn run(self) -> CommandResult {
        self.command.unwrap_or(Command::Selfplay(selfplay::Args::default())).run()
    }
}

#[derive(Subcommand)]
enum Command {
    /// Play games side by side with a bot in every seat and show the results
    Selfplay(selfplay::Args),
    /// Measure the whole loop: sample, step, reset, write mask and observation
    Bench(bench::Args),
    /// Print the specification of an environment, as JSON
    Spec(spec::Args),
    /// Play one game in the terminal: people, bots, or both
    Play(play::Args),
    /// Check a recorded game step by step and draw it
    Replay(replay::Args),
    /// Read games of other programs: PGN, EPD, lists of FEN, files of Pentobi
    Import(import::Args),
    /// Measure throughput, game lengths and wins by seat, and plot them
    Report(report::Args),
    /// Compare the rules with games recorded from another engine
    Conform(conform::Args),
    /// Count the leaves of a game tree
    Perft(perft::Args),
    /// Check a variant file and print its mistakes
    CheckVariant(check_variant::Args),
    /// Tournament between bots with Elo ratings
    Tournament(tournament::Args),
    /// Play random games under random options and check the invariants
    Soak(soak::Args),
    /// Serve a bot to other programs over HTTP
    BotServer(bot_server::Args),
    /// Play and watch in a browser: serve a page on this machine
    Web(web::Args),
    /// Be an engine for chess programs: the Universal Chess Interface on standard input and output
    Uci(uci::Args),
    /// Serve games to other programs through shared memory (Linux)
    Serve(serve::Args),
}

impl Command {
    fn run(&self) -> CommandResult {
        match self {
            Self::Selfplay(args) => selfplay::run(args),
            Self::Bench(args) => bench::run(args),
            Self::Spec(args) => spec::run(args),
            Self::Play(args) => play::run(args),
            Self::Replay(args) => replay::run(args),
            Self::Import(args) => import::run(args),
            Self::Report(args) => report::run(args),
            Self::Conform(args) => conform::run(args),
            Self::Perft(args) => perft::run(args),
            Self::CheckVariant(args) => check_variant::run(args),
            Self::Tournament(args) => tournament::run(args),
            Self::Soak(args) => soak::run(args),
            Self::BotServer(args) => bot_server::run(args),
            Self::Web(args) => web::run(args),
            Self::Uci(args) => uci::run(args),
            Self::Serve(args) => serve::run(args),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_well_formed() {
        Cli::command().debug_assert();
    }
}
