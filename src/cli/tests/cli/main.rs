//! The program from a user's point of view.
//!
//! | file | holds |
//! |---|---|
//! | `main` | calls of the program, and the commands that measure and serve |
//! | `play` | games in the terminal, their records, pictures and films |
//! | `analyses` | the analysis engine |
//! | `page` | the page of `ludovec web`; reviews and sizes of films |
//! | `tournaments` | openings, sequential tests, gauntlets, tournaments that grow |
//! | `resume` | killed calls that go on |
//! | `wrong` | wrong calls, files and texts |

mod analyses;
mod page;
mod play;
mod resume;
mod tournaments;
mod wrong;

use std::process::{Command, Output};

use ludovec::games::GAMES;
use serde_json::Value;

fn ludovec(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ludovec")).args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = ludovec(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(args)).unwrap()
}

/// Exit code and message of a call that must fail.
fn failure(args: &[&str]) -> (i32, String) {
    let output = ludovec(args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{args:?} succeeded");
    assert_eq!(said.trim_end().lines().count(), 1, "{args:?}: not one line: {said}");
    assert!(!said.contains("panicked"), "{args:?}: {said}");
    (output.status.code().unwrap(), said)
}

#[test]
fn bench_has_the_keys_of_the_contract_and_a_checksum_that_ignores_threads() {
    for entry in GAMES {
        let call = |threads| {
            json(&["bench", entry.id, "--num-envs", "70", "--steps", "40", "--threads", threads, "--json"])
        };
        let (one, two) = (call("1"), call("2"));
        #[cfg(target_os = "linux")]
        {
            let pinned =
                ["bench", entry.id, "--num-envs", "70", "--steps", "40", "--threads", "1", "--pin", "--json"];
            assert_eq!(json(&pinned)["checksum"], one["checksum"], "{}", entry.id);
        }
        for key in [
            "env",
            "options",
            "num_envs",
            "threads",
            "steps",
            "seconds",
            "steps_per_second",
            "games",
            "mean_game_length",
            "state_bytes",
            "observation_bytes",
            "mask_bytes",
            "checksum",
        ] {
            assert!(one.get(key).is_some(), "{key} is missing");
        }
        assert_eq!(one["steps"], 2800);
        assert!(one["checksum"].is_string());
        assert_eq!(one["checksum"], two["checksum"], "{}", entry.id);
    }
}

#[test]
#[cfg(feature = "networks")]
fn bench_of_a_search_with_a_network_has_the_shares_of_the_time() {
    for (network, precision) in [("champion?precision=float", "float"), ("champion?precision=int8", "int8")] {
        let call = ["bench", "starwars_risk", "--search", "4", "--num-envs", "3", "--threads", "1", "--json"];
        let report = json(&[&call[..], &["--seconds", "0.05", "--network", network]].concat());
        assert_eq!((&report["network"], &report["precision"]), (&network.into(), &precision.into()));
        // The network's method, not that of a search without a network.
        assert_eq!(report["method"], "puct");
        let shares =
            ["tree_share", "encoding_share", "network_share"].map(|key| report[key].as_f64().unwrap());
        assert!(shares.iter().all(|&share| share > 0.0), "{report}");
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{report}");
        assert!(report["rows_per_second"].as_f64().unwrap() > 0.0, "{report}");
        assert!(report["simulations_per_second"].as_f64().unwrap() > 0.0, "{report}");
    }
    let report = json(&["bench", "chess", "--search", "4", "--num-envs", "2", "--seconds", "0.01", "--json"]);
    assert!(report.get("network").is_none() && report["method"] == "gumbel", "{report}");
}

#[test]
fn bench_writes_the_requested_columns() {
    let id = GAMES[0].id;
    let call = |obs, mask| {
        json(&["bench", id, "--num-envs", "8", "--steps", "5", "--json", "--obs", obs, "--mask", mask])
    };
    let u8 = call("u8", "bits");
    assert_eq!(
        call("f32", "bits")["observation_bytes"].as_u64(),
        u8["observation_bytes"].as_u64().map(|n| 4 * n)
    );
    assert_eq!(call("none", "none")["observation_bytes"], 0);
    assert!(call("u8", "bytes")["mask_bytes"].as_u64() > u8["mask_bytes"].as_u64());
}

#[test]
fn selfplay_counts_exactly_the_games_asked_for() {
    for entry in GAMES {
        let report =
            json(&["selfplay", entry.id, "--num-envs", "7", "--games", "10", "--seed", "3", "--json"]);
        assert_eq!(report["games"], 10, "{}", entry.id);
        let wins: f64 = report["seats"].as_array().unwrap().iter().map(|s| s["wins"].as_f64().unwrap()).sum();
        let decided = 10.0 - report["truncated"].as_f64().unwrap();
        assert!((wins - decided).abs() < 1e-9, "{}: {wins} wins", entry.id);
    }
    let table = stdout(&["selfplay", GAMES[0].id, "--num-envs", "4", "--steps", "10", "--players", "greedy"]);
    assert!(table.contains("greedy") && table.contains("mean score"), "{table}");
}

#[test]
fn a_page_is_served_until_it_is_stopped() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludovec"))
        .args(["web", "--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap().to_string();
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<title>Ludovec</title>"), "{page}");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert!(child.wait().unwrap().success());

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, said) = failure(&["web", "--port", &port]);
    assert!(code == 2 && said.contains(&port) && said.contains("in use"), "{said}");
    // An address outside this machine.
    let (code, said) = failure(&["web", "--host", "192.0.2.1"]);
    assert!(code == 2 && said.contains("192.0.2.1"), "{said}");
}

#[test]
fn spec_prints_the_committed_files() {
    for entry in GAMES {
        let committed =
            format!("{}/env_spec/{}.json", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."), entry.id);
        assert_eq!(stdout(&["spec", entry.id]), std::fs::read_to_string(committed).unwrap());
    }
    let dir = format!("{}/env_spec", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    stdout(&["spec", "--check", "--dir", &dir]);
    assert_eq!(failure(&["spec", "--check", "--dir", "/nowhere"]).0, 1);
}

#[test]
fn a_tournament_rates_the_bots() {
    let id = GAMES[0].id;
    let table = json(&["tournament", id, "--players", "random,greedy", "--games", "6", "--json"]);
    assert_eq!(table["standings"].as_array().unwrap().len(), 2);
    assert_eq!(table["games"], 6);
    let drawn = stdout(&[
        "tournament",
        id,
        "--players",
        "random,pass,flat:2",
        "--games",
        "4",
        "--pairings",
        "random",
    ]);
    assert!(drawn.contains("Elo") && drawn.contains("flat:2"), "{drawn}");
    let plot = std::env::temp_dir().join(format!("ludovec-elo-{}.svg", std::process::id()));
    let file = plot.to_str().unwrap();
    stdout(&["tournament", id, "--players", "random,pass", "--games", "2", "--plot", file]);
    let drawn = std::fs::read_to_string(&plot).unwrap();
    assert!(drawn.contains("<svg") && drawn.contains("Elo") && drawn.contains("pass"), "{drawn}");
    std::fs::remove_file(plot).unwrap();
    for (args, word) in [
        (&["--players", "random"][..], "two"),
        (&["--players", "random,search:0"], "playouts"),
        (&["--players", "random,clever"], "http://HOST:PORT"),
        (&["--players", "random,greedy", "--pairings", "swiss"], "round_robin"),
    ] {
        let (code, said) = failure(&[&["tournament", id][..], args].concat());
        assert!(code == 2 && said.contains(word), "{said}");
    }
}

#[test]
fn a_served_bot_plays_for_another_program() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    for entry in GAMES {
        let mut server = Command::new(env!("CARGO_BIN_EXE_ludovec"))
            .args(["bot-server", entry.id, "--players", "greedy", "--port", "0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url =
            line.split_whitespace().find(|word| word.starts_with("http://")).unwrap().trim_end_matches(';');
        let bots = format!("{url},random");
        let limit = ["--set", "max_steps=40", "--games", "2", "--bot-timeout", "20", "--json"];
        let output = ludovec(&[&["tournament", entry.id, "--players", &bots][..], &limit].concat());
        server.kill().unwrap();
        server.wait().unwrap();
        let table: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(table["games"], 2);
        assert_eq!(table["faults"].as_array().unwrap().len(), 0, "{}: {}", entry.id, table["faults"]);
    }
    let (code, said) = failure(&["bot-server", GAMES[0].id, "--players", "clever"]);
    assert!(code == 2 && said.contains("random"), "{said}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, said) = failure(&["bot-server", GAMES[0].id, "--port", &port]);
    assert!(code == 2 && said.contains(&port), "{said}");
}

#[test]
fn the_example_of_a_variant_file_is_that_of_its_page_and_is_right() {
    let example = stdout(&["check-variant", "--example"]);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = std::fs::read_to_string(format!("{root}/docs/make/variant_files.md")).unwrap();
    assert!(page.contains(&format!("```toml\n{example}```")), "{example}");
    let file = std::env::temp_dir().join(format!("ludovec-example-{}.toml", std::process::id()));
    std::fs::write(&file, &example).unwrap();
    let said = stdout(&["check-variant", &file.to_string_lossy()]);
    std::fs::remove_file(&file).unwrap();
    assert!(
        said.contains("An amazon, and a goal in the middle") || said.contains("ludovec-example"),
        "{said}"
    );
    let (code, said) = failure(&["check-variant"]);
    assert!(code == 2 && said.contains("FILE"), "{said}");
}
