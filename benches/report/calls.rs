//! Calls of the tool.

use std::process::{Command, Output};

use ludovec::games::GAMES;
use serde_json::Value;

fn report(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_report")).args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = report(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Exit code and message of a call that must fail.
fn failure(args: &[&str]) -> (i32, String) {
    let output = report(args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{args:?} succeeded");
    assert_eq!(said.trim_end().lines().count(), 1, "{args:?}: not one line: {said}");
    assert!(said.starts_with("report: ") && !said.contains("panicked"), "{args:?}: {said}");
    (output.status.code().unwrap(), said)
}

#[test]
fn machines_are_compared_by_their_files() {
    let file = std::env::temp_dir().join(format!("ludovec-machine-{}.json", std::process::id()));
    let name = file.to_str().unwrap();
    let id = GAMES[0].id;
    let told = stdout(&[id, "--machine", name, "--seconds", "0.01"]);
    assert!(told.contains("simulations/s") && told.contains(id), "{told}");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert!(written["work"][0]["decisions_per_second"].as_f64().unwrap() > 0.0);
    let compared = stdout(&["--compare", name, name]);
    assert_eq!(compared.matches("1.00 times").count(), 2 * written["work"].as_array().unwrap().len());
    std::fs::write(&file, "{}").unwrap();
    let (code, said) = failure(&["--compare", name, name]);
    assert!(code == 1 && said.contains(name), "{said}");
    assert_eq!(failure(&["--machine", name, "--out", name]).0, 2);
    assert_eq!(failure(&[]).0, 2);
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_report_is_measured_once_and_drawn_again() {
    let dir = std::env::temp_dir().join(format!("ludovec-report-{}", std::process::id()));
    let [first, again] = ["first", "again"].map(|name| dir.join(name));
    let plan = ["--batch-sizes", "1,4", "--threads", "1,2", "--seconds", "0.01", "--games", "6"];
    stdout(&[&["--out", first.to_str().unwrap()][..], &plan].concat());
    let json = first.join("report.json");
    stdout(&["--from", json.to_str().unwrap(), "--out", again.to_str().unwrap()]);
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
        let (code, said) = failure(&["--from", wrong.to_str().unwrap(), "--out", again.to_str().unwrap()]);
        assert!(code == 1 && said.contains("wrong.json"), "{said}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn lists_are_taken_as_the_help_prints_them() {
    let help = stdout(&["--help"]);
    let (_, printed) = help.split_once("--batch-sizes").unwrap().1.split_once("[default: ").unwrap();
    let printed = printed.split_once(']').unwrap().0;
    let dir = std::env::temp_dir().join(format!("ludovec-report-lists-{}", std::process::id()));
    let out = dir.to_str().unwrap();
    let measured = |sizes: &[&str]| {
        let call = [GAMES[0].id, "--out", out, "--seconds", "0.001", "--games", "1", "--threads", "1"];
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
fn wrong_calls_are_one_line() {
    let id = GAMES[0].id;
    for (args, word) in [
        (&["--batch-sizes", "1", "256", id, "--out", "/tmp"][..], "environments come before"),
        (&["--threads", "two", "--out", "/tmp"], "a number is needed"),
        (&["--out", "/dev/null/x"], "/dev/null/x"),
        (&[id, "nowhere", "--out", "/tmp"], "nowhere"),
        (&["--from", "/no/such/file", "--out", "/tmp"], "/no/such/file"),
        (&["--frobnicate"], "--frobnicate"),
    ] {
        let (code, said) = failure(args);
        assert!(code == 2 && said.contains(word), "{args:?}: {said}");
    }
}

/// Sends a signal as soon as the tool measures, and returns its output.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_report_shows_its_measurements_so_far() {
    let dir = std::env::temp_dir().join(format!("ludovec-measured-{}", std::process::id()));
    let out = dir.to_str().unwrap();
    let plan = ["--out", out, "--batch-sizes", "1,4", "--threads", "1", "--seconds", "10000", "--games", "4"];
    let child = Command::new(env!("CARGO_BIN_EXE_report"))
        .args(plan)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The handler of SIGTERM is set after the folder was made.
    let caught = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0").trim();
        u64::from_str_radix(caught, 16).unwrap() & (1 << 14) != 0
    };
    while !caught() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let printed = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(ended.status.code(), Some(130));
    assert!(printed.contains("decisions/s") && printed.contains("partial"), "{printed}");
    let file = dir.join("report.json");
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(report["partial"], true);
    // Plotting the interrupted report again keeps the mark "partial", and the call itself succeeds.
    assert!(stdout(&["--from", file.to_str().unwrap(), "--out", out]).contains("partial"));
    std::fs::remove_dir_all(dir).unwrap();
}
