//! The program of a crate with a game of its own: its name, its default game, its tools. The executable is also the
//! program that the tests start.

#[path = "../../../examples/connect_four/rules.rs"]
mod rules;
#[path = "../../../examples/connect_four/words.rs"]
mod words;

use std::process::{Command, ExitCode, Output};

/// The first argument of a call as the program.
const AS_PROGRAM: &str = "--as-program";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == AS_PROGRAM) {
        let rest = arguments.into_iter().enumerate().filter(|(i, _)| *i != 1).map(|(_, argument)| argument);
        let program = ludovec_cli::Program::new("four", "7.8.9").with_games([rules::ENTRY]);
        return ExitCode::from(program.run(rest));
    }
    its_own_game_is_the_default();
    messages_and_help_have_its_name();
    only_tools_of_its_games_are_offered();
    players_of_one_name_are_numbered();
    println!("4 tests of the program of an outside crate passed");
    ExitCode::SUCCESS
}

fn four(arguments: &[&str]) -> Output {
    let program = std::env::current_exe().unwrap();
    Command::new(program).arg(AS_PROGRAM).args(arguments).output().unwrap()
}

fn said(arguments: &[&str]) -> (String, String) {
    let output = four(arguments);
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (out, err)
}

fn its_own_game_is_the_default() {
    let call = ["selfplay", "--games", "3", "--num-envs", "3", "--threads", "1", "--json"];
    let played: serde_json::Value = serde_json::from_slice(&four(&call).stdout).unwrap();
    assert_eq!(played["env"], "connect_four");
    // Of all specifications only its own are printed, although the build knows other games.
    let (specs, _) = said(&["spec"]);
    let spec: serde_json::Value = serde_json::from_str(&specs).unwrap();
    assert_eq!(spec["env"], "connect_four");
}

fn messages_and_help_have_its_name() {
    let output = four(&["bench", "no_such_game"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.starts_with("four: ") && error.contains("no_such_game"), "{error}");
    let (_, error) = said(&["benhc"]);
    assert!(error.starts_with("four: ") && error.contains("did you mean bench"), "{error}");
    assert_eq!(said(&["--version"]).0.trim(), "four 7.8.9");
    for page in [&["--help"][..], &["help", "tournament"], &["help", "selfplay"], &["help", "replay"]] {
        let (help, _) = said(page);
        assert!(help.contains("four") && !help.contains("ludovec"), "{help}");
    }
    let (completions, _) = said(&["completions", "bash"]);
    assert!(completions.contains("_four()") && !completions.contains("ludovec"), "{completions}");
}

fn only_tools_of_its_games_are_offered() {
    let (help, _) = said(&["--help"]);
    let offered = |name: &str| help.lines().any(|line| line.split_whitespace().next() == Some(name));
    assert!(["selfplay", "bench", "play", "tournament", "web"].into_iter().all(offered), "{help}");
    // Other games of the build have these tools.
    for tool in ["perft", "check-variant", "uci", "import"] {
        assert!(!offered(tool), "{help}");
    }
}

fn players_of_one_name_are_numbered() {
    let (lines, error) = said(&["play", "--players", "Ada:random,Ada:random", "--quiet"]);
    let last = lines.lines().last().unwrap_or_default();
    assert!(last.contains("Ada ") && last.contains("Ada 2 "), "{lines}{error}");
}
