//! Wrong calls, files and texts: one line each.

use super::*;

#[test]
fn a_wrong_call_is_one_line_and_exit_code_2() {
    let id = GAMES[0].id;
    for (args, word) in [
        (&["selfplay", "go"][..], "go"),
        (&["bench", id, "--set", "colour=red"], "colour"),
        (&["bench", id, "--set", "colour"], "key=value"),
        (&["bench", id, "--num-envs", "0"], "num_envs"),
        (&["bench", id, "--threads", "0"], "num_threads"),
        (&["bench", id, "--steps", "0"], "--steps"),
        (&["bench", id, "--seconds", "0"], "more than 0"),
        (&["bench", id, "--seconds", "1", "--steps", "3"], "--steps"),
        (&["bench", id, "--obs", "f16"], "u8"),
        (&["bench", id, "--network", "champion"], "--search"),
        (&["bench", id, "--search", "4", "--network", "champion:16"], "without a number of simulations"),
        (&["bench", id, "--search", "4", "--network", "champion?precision=half"], "one of float, int8"),
        (&["bench", id, "--search", "4", "--network", "no_such_file"], "no_such_file"),
        (&["selfplay", id, "--players", "clever"], "random, greedy"),
        (
            &["selfplay", id, "--players", "random,random,random,random,random,random,random,random,random"],
            "seats",
        ),
        (&["play", id, "--players", "a:random"], "players=1"),
        (&["play", id, "--set", "players=3", "--players", "a:random"], "1 players were named, 3 seats"),
        (&["play", id, "--players", "a:clever,b,c"], "there is no bot \"clever\""),
        (&["play", id, "--players", "me,gredy"], "did you mean greedy?"),
        (&["replay", "/no/such/file"], "/no/such/file"),
        (&["selfplay", id, "--keep", "3"], "--record"),
        (&["selfplay", id, "--games", "1", "--out", "data"], "Python package"),
        (&["selfplay", id, "--shard", "3"], "--out"),
        (&["conform", id, "/no/such/file"], "/no/such/file"),
        (&["train", id, "--cpu-minutes", "3"], "pip install 'ludovec[torch]'"),
        (&["play", id, "--players", "a:llm:model@http://127.0.0.1:1/v1,b:random"], "pip install ludovec"),
        (&["tournament", id, "--players", "llm:model@http://127.0.0.1:1/v1,random"], "pip install ludovec"),
        (&["mcp"], "pip install 'ludovec[mcp]'"),
        (&["selfplay", id, "--num-envs", "-5"], "--num-envs <NUM_ENVS>': a number below 0 is not allowed"),
        (&["selfplay", id, "--threads", "99999999999999999999"], "the number is too large"),
        (&["perft", "--depth", "abc"], "--depth <DEPTH>': a whole number is needed"),
        (&["perft", "--bot", "x"], "perft takes --"),
        (&["play", id, "--dealy", "1"], "did you mean --delay?"),
        (&["tournament", id, "--players", "random,net:no_such_file"], "network no_such_file: No such file"),
        (&["dance"], "dance"),
        (&["bench", "--frobnicate"], "--frobnicate"),
    ] {
        let (code, said) = failure(args);
        assert_eq!(code, 2, "{args:?}: {said}");
        assert!(said.contains(word), "{args:?}: {said}");
    }
}

#[test]
fn errors_of_the_system_are_words_without_numbers() {
    let id = GAMES[0].id;
    for args in [
        &["replay", "/no/such/file"][..],
        &["import", "/no/such/file.pgn"],
        &["conform", id, "/no/such/file"],
        &["tournament", id, "--players", "random,net:/no/such/file", "--games", "2"],
    ] {
        let (_, said) = failure(args);
        assert!(said.trim_end().ends_with("No such file or directory"), "{args:?}: {said}");
    }
}

#[test]
fn a_value_that_is_refused_has_one_ending() {
    for args in [&["web", "--port", "99999"][..], &["bench", "--steps", "x"], &["play", "--dealy", "1"]] {
        let (code, said) = failure(args);
        assert!(code == 2 && said.matches("--help").count() == 1, "{args:?}: {said}");
        assert!(said.trim_end().ends_with("; see --help") && !said.contains("For more"), "{args:?}: {said}");
    }
}

#[test]
fn untrusted_text_is_escaped() {
    let dir = std::env::temp_dir().join(format!("ludovec-\u{202e}\u{1b}[31m-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let path = |name: &str| dir.join(name).to_str().unwrap().to_string();
    let hidden = |text: &str| text.chars().any(|c| c != '\n' && ludovec::engine::escape::is_hidden(c));
    for args in [
        &["replay", &path("a")][..],
        &["bench", "chess\u{202e}\u{7}"],
        &["bench", "chess", "--set", "\u{202e}=1"],
        &["bench", "chess", "--obs", "\u{202e}\u{1b}"],
        &["bench", "chess", "--set", &format!("variant={}", path("a"))],
        &["tournament", "chess", "--players", &format!("net:{},random", path("a"))],
        &["tournament", "chess", "--players", "random,greedy", "--state", &path("no/such")],
        &["play", "chess", "--players", "\u{202e}\u{1b},random"],
    ] {
        let (_, said) = failure(args);
        assert!(!hidden(&said) && said.contains("\\u{202e}"), "{args:?}: {said:?}");
    }
    // A file's name of megabytes, or of a value, is cut.
    let (_, said) = failure(&["bench", "chess", "--set", &format!("variant={}", "x".repeat(100_000))]);
    assert!(said.len() < 3000, "{}", said.len());
    let plain = ["play", "chess", "--players", "a\u{202e}\u{1b}[31m:random,b:random", "--plain"];
    let shown = stdout(&[&plain[..], &["--set", "max_steps=4"]].concat());
    assert!(!hidden(&shown) && shown.contains("a\\u{202e}\\u{1b}[31m"), "{shown:?}");
    std::fs::remove_dir_all(dir).unwrap();
}

/// Every command that reads or writes a file, with a FIFO in its place that has no other end.
#[test]
#[cfg(unix)]
fn a_fifo_in_place_of_a_file_is_refused_in_one_line() {
    let dir = std::env::temp_dir().join(format!("ludovec-fifos-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let fifo = dir.join("fifo");
    // The second one is in place of the lock beside a state file.
    let state = dir.join("state_beside_a_fifo");
    let lock = dir.join("state_beside_a_fifo.lock");
    assert!(Command::new("mkfifo").args([&fifo, &lock]).status().unwrap().success());
    let (fifo, state) = (fifo.to_str().unwrap(), state.to_str().unwrap());
    let (network, option) = (format!("net:{fifo}"), |name: &str| format!("{name}={fifo}"));
    let (variant, map) = (option("variant"), option("map"));
    let bots = format!("random,{network}");
    for call in [
        &["replay", fifo][..],
        &["conform", "chess", fifo],
        &["conform", "search", fifo],
        &["check-variant", fifo],
        &["selfplay", "chess", "--games", "1", "--set", &variant],
        &["selfplay", "smallworld", "--games", "1", "--set", &map],
        &["selfplay", "tilewe", "--games", "1", "--set", "players=2", "--players", &bots],
        &["tournament", "tilewe", "--games", "1", "--set", "players=2", "--players", &bots],
        &[
            "tournament",
            "tilewe",
            "--games",
            "2",
            "--set",
            "players=2",
            "--players",
            "random,greedy",
            "--plot",
            fifo,
        ],
        &["tournament", "tilewe", "--games", "2", "--players", "random,greedy", "--state", fifo],
        &["tournament", "tilewe", "--games", "2", "--players", "random,greedy", "--state", state],
        &["tournament", "tilewe", "--games", "2", "--players", "random,greedy", "--openings", fifo],
        &["import", fifo, "--format", "pgn"],
        &["uci", "--player", &network],
        &["perft", "--variant", fifo, "--depth", "1"],
        &["bot-server", "tilewe", "--players", &network],
        &["play", "tilewe", "--set", "players=2", "--players", &format!("a:random,b:{network}")],
        &["play", "tilewe", "--set", "players=2", "--players", "a:random,b:random", "--log", fifo],
        &[
            "play",
            "tilewe",
            "--set",
            "players=2",
            "--players",
            "a:random,b:random",
            "--quiet",
            "--record",
            fifo,
        ],
    ] {
        let mut child = Command::new("timeout");
        let output = child.arg("60").arg(env!("CARGO_BIN_EXE_ludovec")).args(call).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{call:?}: {:?}, {said}", output.status);
        assert_eq!(said.trim_end().lines().count(), 1, "{call:?}: not one line: {said}");
        assert!(said.contains("fifo"), "{call:?}: {said}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}
