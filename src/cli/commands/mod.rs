//! The subcommands, one file each.

mod analyse;
mod bench;
mod bot_server;
mod check_variant;
mod completions;
mod conform;
mod import;
mod man;
mod mcp;
mod perft;
mod play;
mod replay;
mod selfplay;
#[cfg_attr(not(target_os = "linux"), path = "no_serve.rs")]
mod serve;
mod spec;
mod tournament;
mod train;
mod uci;
mod web;

use clap::{Parser, Subcommand};

pub(crate) use self::mcp::serve_by as serve_mcp_by;
use super::DataWriter;
use super::arguments::first_game;
use super::failure::{CommandResult, Failure};
use super::program;

/// Real board games as vectorized environments: self-play, benchmarks, records, tournaments.
///
/// Without a command: self-play of the first game, 4096 games side by side, for 3 seconds, and a welcome.
#[derive(Parser)]
#[command(
    name = "ludovec",
    version,
    arg_required_else_help = false,
    after_help = "Examples:
  ludovec                                       the default self-play
  ludovec web                                   play in the browser
  ludovec play chess --players me,greedy        play in the terminal
  ludovec tournament chess --players random,greedy,search:50 --games 20
  ludovec help tournament                       every command has examples"
)]
pub(super) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

impl Cli {
    /// Runs the command.
    pub(super) fn run(self, writer: Option<&DataWriter<'_>>) -> CommandResult {
        match self.command {
            Some(command) => command.run(writer),
            None => run_default(),
        }
    }
}

#[derive(Subcommand)]
enum Command {
    /// Play games side by side with a bot in every seat and show the results
    #[command(after_help = "Examples:
  ludovec selfplay smallworld --set players=4 --players greedy,random,random,random --games 2000
  ludovec selfplay chess --seconds 5 --json
  ludovec selfplay starwars_risk --games 1000 --players net:champion:32 --out data")]
    Selfplay(selfplay::Args),
    /// Measure the whole loop: sample, step, reset, write mask and observation
    #[command(after_help = "Examples:
  ludovec bench tilewe --threads 1
  ludovec bench chess --num-envs 256 --steps 20 --json
  ludovec bench smallworld --search 50 --seconds 3
  ludovec bench chess --search 64 --network champion")]
    Bench(bench::Args),
    /// Print the specification of an environment, as JSON
    #[command(after_help = "Examples:
  ludovec spec starwars_risk
  ludovec spec chess --set variant=atomic")]
    Spec(spec::Args),
    /// Play one game in the terminal: people, bots, or both
    #[command(after_help = "Examples:
  ludovec play chess --players me,greedy
  ludovec play smallworld --players human:Ada,it:search:50,greedy
  ludovec play empires --players juan:defensive,pedro:greedy --quiet --record game.json")]
    Play(play::Args),
    /// Check a recorded game step by step and draw it
    #[command(after_help = "Examples:
  ludovec replay game.json --html game.html
  ludovec replay game.json --svg pictures")]
    Replay(replay::Args),
    /// Read games of other programs: PGN, EPD, lists of FEN, files of Pentobi
    #[command(after_help = "Examples:
  ludovec import games.pgn --out games.jsonl
  ludovec import positions.epd --set variant=atomic")]
    Import(import::Args),
    /// Compare the rules with games recorded from another engine
    #[command(after_help = "Examples:\n  ludovec conform chess games.jsonl")]
    Conform(conform::Args),
    /// Count the leaves of a game tree
    #[command(after_help = "Examples:
  ludovec perft --variant atomic --depth 4
  ludovec perft --variant standard --depth 5 --json")]
    Perft(perft::Args),
    /// Check a variant file and print its mistakes
    #[command(
        after_help = "Examples:\n  ludovec check-variant --example > mine.toml\n  ludovec check-variant mine.toml"
    )]
    CheckVariant(check_variant::Args),
    /// Tournament between bots with Elo ratings
    #[command(after_help = "Examples:
  ludovec tournament tilewe --players largest_piece,random --games 200 --plot elo.svg
  ludovec tournament chess --players cautious,greedy --games 40 --state chess.state
  ludovec tournament chess --players net:champion:64,search:200 --games 20 --watch 127.0.0.1:8089")]
    Tournament(tournament::Args),
    /// Analyse positions for other programs: queries as JSON on standard input, answers as they finish
    #[command(after_help = "Examples:
  ludovec analyse chess --json
  ludovec analyse smallworld --json --player net:champion:200 --threads 4")]
    Analyse(analyse::Args),
    /// Train a network for an environment; part of the Python package, with torch
    #[command(after_help = "Examples:
  ludovec train smallworld
  ludovec train chess --cpu-minutes 60 --out trained/chess
  ludovec train chess --out trained/chess --resume")]
    Train(train::Args),
    /// Serve a bot to other programs over HTTP
    #[command(after_help = "Examples:\n  ludovec bot-server empires --players greedy --port 8000")]
    BotServer(bot_server::Args),
    /// Play and watch in a browser: serve a page on this machine
    #[command(after_help = "Examples:\n  ludovec web\n  ludovec web --port 9000")]
    Web(web::Args),
    /// Be an engine for chess programs: the Universal Chess Interface on standard input and output
    #[command(after_help = "Examples:
  ludovec uci --player net:champion:400
  ludovec uci --set variant=atomic --player search:2000")]
    Uci(uci::Args),
    /// Serve games to language models: the Model Context Protocol on standard input and output
    #[command(after_help = "Examples:\n  ludovec mcp\n  ludovec mcp --allow-player uci:stockfish?elo=1500")]
    Mcp(mcp::Args),
    /// Serve games to other programs through shared memory (Linux)
    #[command(after_help = "Examples:\n  ludovec serve smallworld --name games --num-envs 4096")]
    Serve(serve::Args),
    /// Print the completions of a shell
    #[command(after_help = "Examples:
  ludovec completions bash > ~/.local/share/bash-completion/completions/ludovec
  ludovec completions zsh > ~/.zfunc/_ludovec
  ludovec completions fish > ~/.config/fish/completions/ludovec.fish")]
    Completions(completions::Args),
    /// Print the man page, or write one for every command
    #[command(after_help = "Examples:
  ludovec man | man -l -
  ludovec man --dir ~/.local/share/man/man1")]
    Man(man::Args),
}

impl Command {
    fn run(&self, writer: Option<&DataWriter<'_>>) -> CommandResult {
        match self {
            Self::Selfplay(args) => selfplay::run(args, writer),
            Self::Bench(args) => bench::run(args),
            Self::Spec(args) => spec::run(args),
            Self::Play(args) => play::run(args),
            Self::Replay(args) => replay::run(args),
            Self::Import(args) => import::run(args),
            Self::Conform(args) => conform::run(args),
            Self::Perft(args) => perft::run(args),
            Self::CheckVariant(args) => check_variant::run(args),
            Self::Tournament(args) => tournament::run(args),
            Self::Analyse(args) => analyse::run(args),
            Self::Train(args) => train::run(args),
            Self::BotServer(args) => bot_server::run(args),
            Self::Web(args) => web::run(args),
            Self::Uci(args) => uci::run(args),
            Self::Mcp(args) => mcp::run(args),
            Self::Serve(args) => serve::run(args),
            Self::Completions(args) => completions::run(args),
            Self::Man(args) => man::run(args),
        }
    }
}

/// Self-play as configured by default, and a welcome.
fn run_default() -> CommandResult {
    let args = selfplay::Args::default();
    println!("{}\n", args.announcement()?);
    let outcome = selfplay::run(&args, None);
    if matches!(outcome, Ok(()) | Err(Failure::Interrupted)) {
        print!("\n{}", welcome());
    }
    outcome
}

/// A sentence on the program, four commands to try, and where to play.
fn welcome() -> String {
    let (name, game) = (program::name(), first_game());
    let games: Vec<&str> = program::offered_games().iter().map(|entry| entry.id).collect();
    let mut text = format!(
        "{name} plays board games by the thousand, for agents that learn and for people: {}.\n\nTry:\n",
        games.join(", ")
    );
    let play = format!("{name} play {game}");
    let tournament = format!("{name} tournament {game} --players random,greedy,search:50 --games 20");
    let mut calls = vec![
        (play, "play on this terminal"),
        (tournament, "compare players"),
        (format!("{name} bench {game}"), "measure the speed"),
    ];
    if !program::is_custom() {
        calls.push((format!("{name} train {game}"), "train a network"));
    }
    for (call, what) in calls {
        text += &format!("  {call:<74} {what}\n");
    }
    text + &format!("\nPlay in the browser: {name} web --open. All commands: {name} --help.\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples_that_it_accepts() {
        let mut whole = Cli::command();
        whole.build();
        let commands = whole.get_subcommands().filter(|command| command.get_name() != "help");
        for command in commands.chain([&whole]) {
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples: Vec<&str> =
                text.strip_prefix("Examples:\n").unwrap_or_default().lines().map(str::trim).collect();
            assert!(!examples.is_empty(), "{} has no examples", command.get_name());
            for example in examples {
                // The shell's part, and remarks after several spaces.
                let call = example.split(['|', '>']).next().unwrap_or_default();
                let call = call.split("  ").next().unwrap_or_default();
                let words: Vec<&str> = call.split_whitespace().collect();
                assert_eq!(words.first(), Some(&"ludovec"), "{example}");
                let name = command.get_name();
                assert!(name == "ludovec" || words.get(1) == Some(&name), "{name}: {example}");
                match Cli::try_parse_from(words) {
                    Ok(_) => {}
                    Err(error) if error.kind() == clap::error::ErrorKind::DisplayHelp => {}
                    Err(error) => panic!("{example}: {error}"),
                }
            }
        }
    }
}
