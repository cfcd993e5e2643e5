//! The WebAssembly build plays the same games as the native one. The files come from `make web-pages`; without them, or
//! without Node.js, the tests of games print a note and check nothing.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use ludovec::games;
use ludovec_wasm::Pages;
use serde_json::{Value, json};

/// Answers the requests on its input, one line each, by a file's engine.
const CLIENT: &str = include_str!("same_games.js");

fn clock() -> f64 {
    static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed().as_secs_f64() * 1000.0
}

/// The file of an environment, if it is built and Node.js can run it.
fn built(env: &str) -> Option<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../target/web/{env}.wasm"));
    let node = Command::new("node").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let lacks = match (file.exists(), node.is_ok_and(|status| status.success())) {
        (true, true) => return Some(file),
        (false, _) => "there are no static pages; make web-pages builds them",
        _ => "there is no Node.js",
    };
    let _ = writeln!(std::io::stderr(), "SKIPPED {env}: {lacks}");
    None
}

/// The answers of a file's engine to requests.
fn answers(file: &Path, requests: &[Value]) -> Vec<Value> {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("page/engine.js");
    let mut node = Command::new("node")
        .args(["-e", CLIENT])
        .arg(engine)
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Node.js starts");
    let mut stdin = node.stdin.take().expect("it is piped");
    let lines: Vec<String> = requests.iter().map(|request| request.to_string() + "\n").collect();
    let writer = std::thread::spawn(move || stdin.write_all(lines.concat().as_bytes()));
    let output = node.wait_with_output().expect("Node.js ends");
    writer.join().expect("writing does not panic").expect("Node.js reads everything");
    assert!(output.status.success(), "{}", file.display());
    let text = String::from_utf8(output.stdout).expect("answers are text");
    text.lines().map(|line| serde_json::from_str(line).expect("answers are JSON")).collect()
}

/// Options that make a game short.
fn short(env: &str) -> Value {
    match env {
        "chess" => json!({ "max_plies": 60 }),
        "empires" => json!({ "players": 2, "width": 10, "height": 10, "max_turns": 30 }),
        _ => json!({}),
    }
}

/// Plays a whole game of these players here, and returns the requests and their answers.
fn play(env: &str, bots: &[&str], seed: u64) -> (Vec<Value>, Vec<Value>) {
    let mut pages = Pages::new(clock, 0);
    let (mut requests, mut answers) = (Vec::new(), Vec::new());
    let mut ask = |method: &str, path: String, body: Value| -> Value {
        let request = json!({ "method": method, "path": path, "body": body });
        let answer: Value = serde_json::from_str(&pages.answer_text(request.to_string().as_bytes())).unwrap();
        requests.push(request);
        answers.push(answer.clone());
        assert!(answer["status"].as_u64().unwrap() < 300, "{env}: {answer}");
        answer["body"].clone()
    };
    let rules = ask("POST", "/api/rules".into(), json!({ "env": env, "options": short(env) }));
    let players = rules["players"].as_u64().unwrap() as usize;
    let seats: Vec<&str> = (0..players).map(|seat| bots[seat % bots.len()]).collect();
    let begin = json!({ "env": env, "options": short(env), "seats": seats, "seed": seed });
    let mut game = ask("POST", "/api/games?theme=dark".into(), begin);
    let id = game["id"].as_str().unwrap().to_owned();
    while game["status"] == "running" {
        let revision = &game["revision"];
        let path = format!("/api/games/{id}/bot?from={}", game["steps"]);
        game = ask("POST", path, json!({ "revision": revision }));
    }
    ask("GET", format!("/api/games/{id}/record"), Value::Null);
    (requests, answers)
}

/// The answers without the players' estimates, and the estimates of the record, the last answer.
fn split(mut answers: Vec<Value>) -> (Vec<Value>, Vec<f64>) {
    let record =
        answers.last_mut().and_then(|record| record["body"].as_object_mut()).expect("there is a record");
    let estimates = record.remove("estimates").unwrap_or_default();
    let estimates = estimates.as_array().map_or(&[][..], Vec::as_slice);
    let estimates = estimates.iter().map(|value| value.as_f64().unwrap_or(0.0)).collect();
    answers.iter_mut().for_each(shorten_numbers);
    (answers, estimates)
}

/// Whole numbers as JavaScript writes them: 5 for 5.0.
fn shorten_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0);
            if let Some(float) = whole {
                *value = json!(float as i64);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(shorten_numbers),
        Value::Object(fields) => fields.values_mut().for_each(shorten_numbers),
        _ => {}
    }
}

/// Every answer of a whole game is the same, drawings and log included. Estimates may differ in the last digits,
/// because processors sum in different orders.
#[test]
fn whole_games_have_the_same_answers() {
    let _registered = Pages::new(clock, 0);
    let lists: [&[&str]; 3] =
        [&["greedy", "random"], &["random", "search:8", "greedy"], &["net:champion", "net:champion:8"]];
    for entry in games::all() {
        let Some(file) = built(entry.id) else { continue };
        for (seed, bots) in (1..).zip(lists) {
            let (requests, here) = play(entry.id, bots, seed);
            let there = answers(&file, &requests);
            let ((here, our_estimates), (there, their_estimates)) = (split(here), split(there));
            assert_eq!(here.len(), there.len());
            for ((request, here), there) in requests.iter().zip(&here).zip(&there) {
                assert_eq!(here, there, "{}: {request}", entry.id);
            }
            assert_eq!(our_estimates.len(), their_estimates.len());
            let differences = our_estimates.iter().zip(&their_estimates).map(|(a, b)| (a - b).abs());
            let furthest = differences.fold(0.0, f64::max);
            println!("{} {bots:?}: {} equal answers, estimates within {furthest:.1e}", entry.id, here.len());
            assert!(furthest < 1e-3, "{}: {furthest}", entry.id);
        }
    }
}

/// The service worker fails to install if a file of the first screen is missing, and the page does not open without a
/// connection if one is left out.
#[test]
fn the_service_worker_keeps_every_file_of_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let worker = std::fs::read_to_string(root.join("page/service-worker.js")).unwrap();
    let list = worker.split_once("FIRST = [").unwrap().1.split_once(']').unwrap().0;
    let mut kept: Vec<String> =
        list.split(',').map(|file| file.trim().trim_matches('"').replace("./", "index.html")).collect();
    // Written by .ci/web_pages.py.
    let made = ["environments.json", "rules.json", "cards-light.json", "cards-dark.json"];
    kept.retain(|file| !made.contains(&file.as_str()));
    let mut files: Vec<String> = ["page", "../cli/web/page"]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap())
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|file| file != "service-worker.js")
        .collect();
    for list in [&mut kept, &mut files] {
        list.sort();
        list.dedup();
    }
    assert_eq!(kept, files);
}
