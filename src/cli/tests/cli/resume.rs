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
