//! The program as a user calls it.

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
fn bench_writes_what_it_is_told() {
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
    let table = stdout(&["selfplay", GAMES[0].id, "--num-envs", "4", "--steps", "10", "--bots", "greedy"]);
    assert!(table.contains("greedy") && table.contains("mean score"), "{table}");
}

#[test]
fn a_played_game_replays_and_is_drawn() {
    let dir = std::env::temp_dir().join(format!("ludovec-cli-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    for entry in GAMES {
        let seats = entry.make([] as [(&str, ludovec::engine::OptionValue); 0]).unwrap().spec().players;
        let players: Vec<String> = (0..seats).map(|s| format!("p{s}:random")).collect();
        let record = dir.join(format!("{}.json", entry.id));
        let record = record.to_str().unwrap();
        stdout(&[
            "play",
            entry.id,
            "--players",
            &players.join(","),
            "--seed",
            "4",
            "--quiet",
            "--record",
            record,
        ]);
        let html = format!("{record}.html");
        let checked = json(&["replay", record, "--json", "--html", &html]);
        assert_eq!(checked["env"], entry.id);
        let steps = checked["steps"].as_u64().unwrap() as usize;
        assert!(steps > 3, "{}", entry.id);
        let page = std::fs::read_to_string(&html).unwrap();
        assert_eq!(page.matches("<\\/svg>").count(), steps + 1, "{}", entry.id);

        // Any change of the record is noticed.
        let text = std::fs::read_to_string(record).unwrap();
        let mut changed: Value = serde_json::from_str(&text).unwrap();
        changed["steps"][2]["label"] = "something else".into();
        std::fs::write(record, changed.to_string()).unwrap();
        let (code, said) = failure(&["replay", record]);
        assert!(code == 1 && said.contains("step 2"), "{said}");
        std::fs::write(record, &text[..text.len() / 2]).unwrap();
        assert_eq!(failure(&["replay", record]).0, 1);
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_person_can_play_list_undo_and_leave() {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludovec"))
        .args(["play", GAMES[0].id])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"?\nnonsense\n999999\nundo\nquit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("illegal") && text.contains("left"), "{text}");
}

#[test]
fn spec_prints_what_is_committed() {
    for entry in GAMES {
        let committed = format!("{}/env_spec/{}.json", env!("CARGO_MANIFEST_DIR"), entry.id);
        assert_eq!(stdout(&["spec", entry.id]), std::fs::read_to_string(committed).unwrap());
    }
    let dir = format!("{}/env_spec", env!("CARGO_MANIFEST_DIR"));
    stdout(&["spec", "--check", "--dir", &dir]);
    assert_eq!(failure(&["spec", "--check", "--dir", "/nowhere"]).0, 1);
}

#[test]
fn a_tournament_rates_the_bots() {
    let id = GAMES[0].id;
    let table = json(&["tournament", id, "--bots", "random,greedy", "--games", "6", "--json"]);
    assert_eq!(table["standings"].as_array().unwrap().len(), 2);
    assert_eq!(table["games"], 6);
    let drawn =
        stdout(&["tournament", id, "--bots", "random,pass,flat:2", "--games", "4", "--pairings", "random"]);
    assert!(drawn.contains("Elo") && drawn.contains("flat:2"), "{drawn}");
    let plot = std::env::temp_dir().join(format!("ludovec-elo-{}.svg", std::process::id()));
    let file = plot.to_str().unwrap();
    stdout(&["tournament", id, "--bots", "random,pass", "--games", "2", "--plot", file]);
    let drawn = std::fs::read_to_string(&plot).unwrap();
    assert!(drawn.contains("<svg") && drawn.contains("Elo") && drawn.contains("pass"), "{drawn}");
    std::fs::remove_file(plot).unwrap();
    for (args, word) in [
        (&["--bots", "random"][..], "two"),
        (&["--bots", "random,search:0"], "playouts"),
        (&["--bots", "random,clever"], "http://HOST:PORT"),
        (&["--bots", "random,greedy", "--pairings", "swiss"], "round_robin"),
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
            .args(["bot-server", entry.id, "--bot", "greedy", "--port", "0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url =
            line.split_whitespace().find(|word| word.starts_with("http://")).unwrap().trim_end_matches(';');
        let bots = format!("{url},random");
        let limit = ["--set", "max_steps=40", "--games", "2", "--bot-timeout", "20", "--json"];
        let output = ludovec(&[&["tournament", entry.id, "--bots", &bots][..], &limit].concat());
        server.kill().unwrap();
        server.wait().unwrap();
        let table: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(table["games"], 2);
        assert_eq!(table["faults"].as_array().unwrap().len(), 0, "{}: {}", entry.id, table["faults"]);
    }
    let (code, said) = failure(&["bot-server", GAMES[0].id, "--bot", "clever"]);
    assert!(code == 2 && said.contains("random"), "{said}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, said) = failure(&["bot-server", GAMES[0].id, "--port", &port]);
    assert!(code == 1 && said.contains(&port), "{said}");
}

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
        (&["selfplay", id, "--bots", "clever"], "random, greedy"),
        (
            &["selfplay", id, "--bots", "random,random,random,random,random,random,random,random,random"],
            "seats",
        ),
        (&["play", id, "--players", "a:random"], "seats"),
        (&["replay", "/no/such/file"], "/no/such/file"),
        (&["conform", id, "/no/such/file"], "/no/such/file"),
        (&["dance"], "dance"),
        (&["bench", "--frobnicate"], "--frobnicate"),
    ] {
        let (code, said) = failure(args);
        assert_eq!(code, 2, "{args:?}: {said}");
        assert!(said.contains(word), "{args:?}: {said}");
    }
}
