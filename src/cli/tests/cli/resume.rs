//! Killed calls that go on.

use super::*;

#[test]
fn a_killed_tournament_resumes() {
    let file = std::env::temp_dir().join(format!("ludovec-tournament-{}.state", std::process::id()));
    let state = file.to_str().unwrap();
    let bots = "random,greedy,search:20";
    let call = ["tournament", "chess", "--players", bots, "--games", "4", "--set", "max_steps=60", "--json"];
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
