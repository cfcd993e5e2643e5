//! The program from a user's point of view.

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
    let table = stdout(&["selfplay", GAMES[0].id, "--num-envs", "4", "--steps", "10", "--bots", "greedy"]);
    assert!(table.contains("greedy") && table.contains("mean score"), "{table}");
}

#[test]
#[cfg(feature = "raster")]
fn a_recorded_game_becomes_pictures_and_films() {
    let dir = std::env::temp_dir().join(format!("ludovec-film-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = |name: &str| dir.join(name).to_str().unwrap().to_string();
    let record = file("game.json");
    stdout(&[
        "play",
        "chess",
        "--players",
        "Ada:random,Ben:random",
        "--seed",
        "4",
        "--quiet",
        "--record",
        &record,
    ]);
    let (png, gif, svg, mp4) = (file("a.png"), file("a.gif"), file("a.svg"), file("a.mp4"));
    let films = ["--gif", &gif, "--svg-animation", &svg, "--duration", "1", "--every", "turn"];
    let still = ["replay", &record, "--size", "64", "--png", &png, "--step", "3", "--board-only", "--dark"];
    stdout(&[&still[..], &films[..]].concat());
    let bytes = std::fs::read(&png).unwrap();
    assert_eq!((&bytes[..8], &bytes[16..24]), (&b"\x89PNG\r\n\x1a\n"[..], &[0, 0, 0, 64, 0, 0, 0, 64][..]));
    assert_eq!(std::fs::read(&gif).unwrap()[..6], *b"GIF89a");
    let drawn = std::fs::read_to_string(&svg).unwrap();
    assert!(drawn.contains("<animate ") && drawn.contains("dur=\"1.00s\"") && drawn.ends_with("</svg>"));

    let steps = json(&["replay", &record, "--json"])["steps"].as_u64().unwrap();
    let beyond = (steps + 1).to_string();
    for (wrong, named) in [
        (&["--fps", "26"][..], "fps 26"),
        (&["--duration", "0"], "duration 0"),
        (&["--png", &png, "--step", &beyond], "--step"),
        (&["--gif", &file("no/such.gif")], "such.gif"),
    ] {
        let (code, said) = failure(&[&["replay", &record, "--size", "64"], wrong].concat());
        assert!(code == 2 && said.contains(named), "{wrong:?}: {said}");
    }
    // Without ffmpeg there are no videos, and a one-line error.
    let without = Command::new(env!("CARGO_BIN_EXE_ludovec"))
        .args(["replay", &record, "--size", "64", "--mp4", &mp4])
        .env("PATH", &dir)
        .output()
        .unwrap();
    let said = String::from_utf8(without.stderr).unwrap();
    assert!(!without.status.success() && said.contains("no ffmpeg") && said.lines().count() == 1, "{said}");
    assert!(!dir.join("a.mp4").exists());
    if Command::new("ffmpeg").arg("-version").output().is_ok() {
        stdout(&["replay", &record, "--size", "64", "--mp4", &mp4, "--duration", "1"]);
        assert_eq!(std::fs::read(&mp4).unwrap()[4..8], *b"ftyp");
    } else {
        eprintln!("skipped: there is no ffmpeg to make a video with");
    }
    std::fs::remove_dir_all(dir).unwrap();
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
        assert!(page.ends_with("</html>\n") && !page.contains("{{"), "{}", entry.id);
        let svg = format!("{record}.svg");
        stdout(&["replay", record, "--svg", &svg, "--dark", "--player", "0"]);
        assert_eq!(std::fs::read_dir(svg).unwrap().count(), steps + 1, "{}", entry.id);
        assert_eq!(failure(&["replay", record, "--player", "9"]).0, 2);

        // A changed record is refused.
        let text = std::fs::read_to_string(record).unwrap();
        let mut changed: Value = serde_json::from_str(&text).unwrap();
        changed["labels"][2] = "something else".into();
        std::fs::write(record, changed.to_string()).unwrap();
        let (code, said) = failure(&["replay", record]);
        assert!(code == 1 && said.contains("step 2"), "{said}");
        changed["players"].as_array_mut().unwrap().pop();
        std::fs::write(record, changed.to_string()).unwrap();
        let (code, said) = failure(&["replay", record]);
        assert!(code == 1 && said.contains("equally long"), "{said}");
        std::fs::write(record, &text[..text.len() / 2]).unwrap();
        assert_eq!(failure(&["replay", record]).0, 1);
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn selfplay_keeps_games_that_replay() {
    let dir = std::env::temp_dir().join(format!("ludovec-kept-{}", std::process::id()));
    let folder = dir.to_str().unwrap();
    for (entry, bot) in GAMES.iter().flat_map(|entry| [(entry, "random"), (entry, "greedy")]) {
        let given = ["--num-envs", "3", "--games", "5", "--bots", bot, "--set", "max_steps=40"];
        stdout(&[&["selfplay", entry.id, "--record", folder, "--keep", "4"][..], &given].concat());
        let files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|file| file.unwrap().path()).collect();
        assert_eq!(files.len(), 4, "{}: {files:?}", entry.id);
        for file in files {
            let checked = json(&["replay", file.to_str().unwrap(), "--json"]);
            assert_eq!(checked["env"], entry.id);
            assert!((1..=40).contains(&checked["steps"].as_u64().unwrap()), "{checked}");
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.contains("\"stream\"") && !text.contains("\"chance\""), "{text}");
        }
        std::fs::remove_dir_all(&dir).unwrap();
    }
    assert_eq!(failure(&["selfplay", GAMES[0].id, "--games", "1", "--record", "/dev/null/x"]).0, 2);
}

#[test]
fn machines_are_compared_by_their_files() {
    let file = std::env::temp_dir().join(format!("ludovec-machine-{}.json", std::process::id()));
    let name = file.to_str().unwrap();
    let id = GAMES[0].id;
    let told = stdout(&["report", id, "--machine", name, "--seconds", "0.01"]);
    assert!(told.contains("simulations/s") && told.contains(id), "{told}");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert!(written["work"][0]["decisions_per_second"].as_f64().unwrap() > 0.0);
    let compared = stdout(&["report", "--compare", name, name]);
    assert_eq!(compared.matches("1.00 times").count(), 2 * written["work"].as_array().unwrap().len());
    std::fs::write(&file, "{}").unwrap();
    let (code, said) = failure(&["report", "--compare", name, name]);
    assert!(code == 1 && said.contains(name), "{said}");
    assert_eq!(failure(&["report", "--machine", name, "--out", name]).0, 2);
    assert_eq!(failure(&["report"]).0, 2);
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_report_is_measured_once_and_drawn_again() {
    let dir = std::env::temp_dir().join(format!("ludovec-report-{}", std::process::id()));
    let [first, again] = ["first", "again"].map(|name| dir.join(name));
    let plan = ["--batch-sizes", "1,4", "--threads", "1,2", "--seconds", "0.01", "--games", "6"];
    stdout(&[&["report", "--out", first.to_str().unwrap()][..], &plan].concat());
    let json = first.join("report.json");
    stdout(&["report", "--from", json.to_str().unwrap(), "--out", again.to_str().unwrap()]);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    for (entry, measured) in GAMES.iter().zip(report["environments"].as_array().unwrap()) {
        assert_eq!(measured["env"], entry.id);
        assert_eq!(measured["throughput"].as_array().unwrap().len(), 4);
        let lengths = measured["lengths"].as_array().unwrap();
        assert_eq!(lengths.iter().map(|length| length[1].as_u64().unwrap()).sum::<u64>(), 6);
        for plot in ["throughput", "lengths", "wins"] {
            let file = format!("{}-{plot}.svg", entry.id);
            let svg = std::fs::read_to_string(first.join(&file)).unwrap();
            assert!(svg.starts_with("<svg") && svg.contains(entry.id));
            assert_eq!(std::fs::read_to_string(again.join(&file)).unwrap(), svg);
        }
    }
    let page = std::fs::read_to_string(first.join("index.html")).unwrap();
    assert_eq!(page.matches("<figure role=\"img\" aria-label=").count(), 3 * GAMES.len());
    assert_eq!(page.matches("</svg>").count(), 3 * GAMES.len());
    assert!(!page.contains("src=") && !page.contains("href="), "the page needs no other file");
    for key in ["date", "processor", "command"] {
        let said = report[key].as_str().unwrap();
        assert!(!said.is_empty() && page.contains(&said.replace('"', "&quot;")), "{key}: {said}");
    }
    let wrong = dir.join("wrong.json");
    let id = format!("\"{}\"", GAMES[0].id);
    let elsewhere = std::fs::read_to_string(&json).unwrap().replace(&id, "\"../x\"");
    for text in ["", "{}", &elsewhere] {
        std::fs::write(&wrong, text).unwrap();
        let (code, said) =
            failure(&["report", "--from", wrong.to_str().unwrap(), "--out", again.to_str().unwrap()]);
        assert!(code == 1 && said.contains("wrong.json"), "{said}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn line_mode_pages_through_all_moves() {
    use std::io::Write;
    use std::process::Stdio;
    for entry in GAMES {
        let game = entry.make::<&str>([]).unwrap().single(0);
        let legal = game.legal_actions();
        if game.current_player() != 0 {
            continue;
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_ludovec"))
            .args(["play", entry.id, "--seed", "0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pages = "more\n".repeat(legal.len() / 60 + 1);
        let words = |action: u32| game.action_in_words(action).unwrap();
        let first = words(legal[0]);
        let input = format!("{pages}list\n{pages}{}\nlog\nquit\n", first.to_uppercase());
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let text = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        let (in_words, as_programs_name_them) = text.split_once("there are no more").unwrap();
        for action in legal {
            let listed = format!("{action}={}", game.action_to_string(action).unwrap());
            assert!(as_programs_name_them.contains(&listed), "{}: {listed} is not listed", entry.id);
            assert!(in_words.contains(&words(action)), "{}: {} is not shown", entry.id, words(action));
            assert!(!in_words.contains(&listed), "{}: {listed} was not asked for", entry.id);
        }
        assert!(!text.contains("illegal"), "{}: {first} is not understood", entry.id);
        assert!(text.contains("there are no more"), "{}", entry.id);
    }
}

#[test]
fn estimates_of_players_are_recorded_with_their_games() {
    let dir = std::env::temp_dir().join(format!("ludovec-expected-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("game.json");
    let path = file.to_str().unwrap();
    for entry in &GAMES[..2] {
        let seats = entry.make::<&str>([]).unwrap().spec().players;
        let seat = |i| if i == 0 { "a:search:3".to_string() } else { format!("p{i}:random") };
        let players: Vec<String> = (0..seats).map(seat).collect();
        let given = ["--delay", "0", "--quiet", "--record", path];
        stdout(&[&["play", entry.id, "--players", &players.join(",")][..], &given].concat());
        let record: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let estimates = record["estimates"].as_array().unwrap();
        assert_eq!(estimates.len(), record["actions"].as_array().unwrap().len(), "{}", entry.id);
        for (estimate, player) in estimates.iter().zip(record["players"].as_array().unwrap()) {
            assert!(estimate.is_null() || player == 0, "{}: {record}", entry.id);
        }
        assert!(estimates.iter().any(Value::is_number), "{}: {record}", entry.id);
        stdout(&["replay", path, "--html", dir.join("game.html").to_str().unwrap()]);
        let mut cut = record.clone();
        cut["estimates"].as_array_mut().unwrap().pop();
        std::fs::write(&file, cut.to_string()).unwrap();
        let (code, said) = failure(&["replay", path]);
        assert!(code == 1 && said.contains("estimates for"), "{said}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn line_mode_gives_hints() {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludovec"))
        .args(["play", GAMES[0].id, "--hints", "search:10"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"?\nlist\nquit\n").unwrap();
    let text = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(text.contains("search:10 expects ") && text.contains(" %  "), "{text}");
    for (hints, word) in [("greedy", "give hints"), ("nobody", "unknown bot")] {
        let (code, said) = failure(&["play", GAMES[0].id, "--hints", hints]);
        assert!(code == 2 && said.contains(word), "{said}");
    }
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
    child.stdin.take().unwrap().write_all(b"?\nhelp\nlog\nnonsense\n999999\nundo\nquit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    for word in ["illegal", "your last decision", "nothing to take back", "left"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!text.contains('\x1b'), "colours in a pipe: {text}");
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
    assert!(code == 2 && said.contains(&port), "{said}");
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
        (&["play", id, "--players", "a:random"], "players=1"),
        (&["play", id, "--set", "players=3", "--players", "a:random"], "1 players were named, 3 seats"),
        (&["play", id, "--players", "a:clever,b,c"], "there is no bot \"clever\""),
        (&["play", id, "--players", "me,gredy"], "did you mean greedy?"),
        (&["replay", "/no/such/file"], "/no/such/file"),
        (&["selfplay", id, "--keep", "3"], "--record"),
        (&["report", "--out", "/dev/null/x"], "/dev/null/x"),
        (&["report", id, "nowhere", "--out", "/tmp"], "nowhere"),
        (&["report", "--from", "/no/such/file", "--out", "/tmp"], "/no/such/file"),
        (&["conform", id, "/no/such/file"], "/no/such/file"),
        (&["dance"], "dance"),
        (&["bench", "--frobnicate"], "--frobnicate"),
    ] {
        let (code, said) = failure(args);
        assert_eq!(code, 2, "{args:?}: {said}");
        assert!(said.contains(word), "{args:?}: {said}");
    }
}

#[test]
fn a_value_that_is_refused_has_one_ending() {
    for args in [
        &["web", "--port", "99999"][..],
        &["bench", "--steps", "x"],
        &["report", "--batch-sizes", "0x"],
        &["play", "--dealy", "1"],
    ] {
        let (code, said) = failure(args);
        assert!(code == 2 && said.matches("--help").count() == 1, "{args:?}: {said}");
        assert!(said.trim_end().ends_with("; see --help") && !said.contains("For more"), "{args:?}: {said}");
    }
}

#[test]
fn lists_are_taken_as_the_help_prints_them() {
    let help = stdout(&["report", "--help"]);
    let (_, printed) = help.split_once("--batch-sizes").unwrap().1.split_once("[default: ").unwrap();
    let printed = printed.split_once(']').unwrap().0;
    let dir = std::env::temp_dir().join(format!("ludovec-report-lists-{}", std::process::id()));
    let out = dir.to_str().unwrap();
    let measured = |sizes: &[&str]| {
        let call =
            ["report", GAMES[0].id, "--out", out, "--seconds", "0.001", "--games", "1", "--threads", "1"];
        stdout(&[&call[..], &["--batch-sizes"], sizes].concat());
        let report: Value =
            serde_json::from_str(&std::fs::read_to_string(dir.join("report.json")).unwrap()).unwrap();
        let points = report["environments"][0]["throughput"].as_array().unwrap();
        points.iter().map(|point| point["num_envs"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(measured(&["1", "256"]), [1, 256]);
    assert_eq!(measured(&["1,256"]), [1, 256]);
    assert_eq!(measured(&[printed]).len(), printed.split(',').count());
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_killed_tournament_resumes() {
    let file = std::env::temp_dir().join(format!("ludovec-tournament-{}.state", std::process::id()));
    let state = file.to_str().unwrap();
    let bots = "random,greedy,search:20";
    let call = ["tournament", "chess", "--bots", bots, "--games", "4", "--set", "max_steps=60", "--json"];
    let with_state = [&call[..], &["--state", state]].concat();
    let mut killed = Command::new(env!("CARGO_BIN_EXE_ludovec"))
        .args(&with_state)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The file is always complete: a header, a checkpoint, a checksum.
    let checkpoint =
        || std::fs::read_to_string(&file).ok().and_then(|text| text.lines().nth(1).map(String::from));
    while checkpoint().is_none_or(|text| text == "null") {
        assert!(killed.try_wait().unwrap().is_none_or(|status| status.success()));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let whole = json(&call);
    assert_eq!(json(&with_state), whole, "as if it had never been killed");
    assert_eq!(json(&with_state), whole, "a finished tournament is not played again");
    let (code, said) = failure(&[&with_state[..], &["--seed", "5"]].concat());
    assert!(code == 2 && said.contains("seed was 0, it is 5"), "{said}");
    std::fs::write(&file, "x").unwrap();
    let (code, said) = failure(&with_state);
    assert!(code == 2 && said.contains("damaged"), "{said}");
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn untrusted_text_is_escaped() {
    let dir = std::env::temp_dir().join(format!("ludovec-\u{202e}\u{1b}[31m-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let path = |name: &str| dir.join(name).to_str().unwrap().to_string();
    let hidden = |text: &str| text.chars().any(|c| c != '\n' && ludovec::engine::visible::is_hidden(c));
    for args in [
        &["replay", &path("a")][..],
        &["bench", "chess\u{202e}\u{7}"],
        &["bench", "chess", "--set", "\u{202e}=1"],
        &["bench", "chess", "--obs", "\u{202e}\u{1b}"],
        &["bench", "chess", "--set", &format!("variant={}", path("a"))],
        &["tournament", "chess", "--bots", &format!("net:{},random", path("a"))],
        &["tournament", "chess", "--bots", "random,greedy", "--state", &path("no/such")],
        &["play", "chess", "--players", "\u{202e}\u{1b},random"],
        &["report", "--from", &path("a"), "--out", &path("out")],
        &["soak", "chess", "--state", &path("no/such")],
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

#[test]
fn a_killed_soak_resumes() {
    let file = std::env::temp_dir().join(format!("ludovec-soak-{}.json", std::process::id()));
    let state = file.to_str().unwrap();
    let call = |decisions: &str, state: &[&str]| {
        let head =
            ["soak", GAMES[0].id, "--every", "1024", "--threads", "1", "--json", "--decisions", decisions];
        json(&[&head[..], state].concat())
    };
    let played =
        |found: &Value| ["rounds", "decisions", "games", "compared", "values"].map(|key| found[key].clone());
    let first = call("1", &["--state", state]);
    assert_eq!(first["rounds"], 1);
    let mut killed = Command::new(env!("CARGO_BIN_EXE_ludovec"))
        .args(["soak", GAMES[0].id, "--every", "1024", "--threads", "1", "--decisions", "1000000000000"])
        .args(["--state", state])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The file is always a complete state.
    let kept = || -> Value { serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap() };
    while kept()["rounds"].as_u64() < Some(2) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let next = kept()["decisions"].as_u64().unwrap() + 1;
    let resumed = call(&next.to_string(), &["--state", state]);
    assert_eq!(played(&resumed), played(&call(&next.to_string(), &[])), "as if it had never been killed");
    let (code, said) = failure(&["soak", GAMES[0].id, "--seed", "1", "--state", state]);
    assert!(code == 2 && said.contains("--seed 0 --every 1024"), "{code} {said}");
    std::fs::remove_file(&file).unwrap();
}

/// Every command that reads or writes a file, with a FIFO in its place that has no other end.
#[test]
#[cfg(unix)]
fn a_fifo_in_place_of_a_file_is_refused_in_one_line() {
    let dir = std::env::temp_dir().join(format!("ludovec-fifos-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let fifo = dir.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let fifo = fifo.to_str().unwrap();
    let (network, option) = (format!("net:{fifo}"), |name: &str| format!("{name}={fifo}"));
    let (variant, map) = (option("variant"), option("map"));
    let bots = format!("random,{network}");
    for call in [
        &["replay", fifo][..],
        &["conform", "chess", fifo],
        &["conform", "search", fifo],
        &["check-variant", fifo],
        &["soak", "tilewe", "--decisions", "1", "--state", fifo],
        &["report", "--compare", fifo, fifo],
        &["report", "--from", fifo, "--out", dir.to_str().unwrap()],
        &["selfplay", "chess", "--games", "1", "--set", &variant],
        &["selfplay", "smallworld", "--games", "1", "--set", &map],
        &["selfplay", "tilewe", "--games", "1", "--set", "players=2", "--bots", &bots],
        &["tournament", "tilewe", "--games", "1", "--set", "players=2", "--bots", &bots],
        &[
            "tournament",
            "tilewe",
            "--games",
            "2",
            "--set",
            "players=2",
            "--bots",
            "random,greedy",
            "--plot",
            fifo,
        ],
        &["perft", "--variant", fifo, "--depth", "1"],
        &["bot-server", "tilewe", "--bot", &network],
        &["play", "tilewe", "--set", "players=2", "--players", &format!("a:random,b:{network}")],
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
