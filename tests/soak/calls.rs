//! Calls of the tool.

use std::process::{Command, Output};

use ludovec::games::GAMES;
use serde_json::Value;

fn soak(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_soak")).args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = soak(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Exit code and message of a call that must fail.
fn failure(args: &[&str]) -> (i32, String) {
    let output = soak(args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{args:?} succeeded");
    assert_eq!(said.trim_end().lines().count(), 1, "{args:?}: not one line: {said}");
    assert!(said.starts_with("soak: ") && !said.contains("panicked"), "{args:?}: {said}");
    (output.status.code().unwrap(), said)
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(args)).unwrap()
}

#[test]
fn a_killed_soak_resumes() {
    let file = std::env::temp_dir().join(format!("ludovec-soak-{}.json", std::process::id()));
    let state = file.to_str().unwrap();
    let call = |decisions: &str, state: &[&str]| {
        let head = [GAMES[0].id, "--every", "1024", "--threads", "1", "--json", "--decisions", decisions];
        json(&[&head[..], state].concat())
    };
    let played =
        |found: &Value| ["rounds", "decisions", "games", "compared", "values"].map(|key| found[key].clone());
    let first = call("1", &["--state", state]);
    assert_eq!(first["rounds"], 1);
    let mut killed = Command::new(env!("CARGO_BIN_EXE_soak"))
        .args([GAMES[0].id, "--every", "1024", "--threads", "1", "--decisions", "1000000000000"])
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
    let (code, said) = failure(&[GAMES[0].id, "--seed", "1", "--state", state]);
    assert!(code == 2 && said.contains("--seed 0 --every 1024"), "{code} {said}");
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn wrong_calls_are_one_line() {
    for (args, word) in [
        (&["chess", "--seconds", "x"][..], "--seconds"),
        (&["nowhere"], "nowhere"),
        (&["chess", "--every", "0"], "1..=1024"),
        (&["chess", "--state", "/no/such/folder/x"], "/no/such/folder/x"),
    ] {
        let (code, said) = failure(args);
        assert!(code == 2 && said.contains(word), "{args:?}: {said}");
    }
}
