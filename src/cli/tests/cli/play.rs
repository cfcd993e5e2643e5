//! Games in the terminal, their records, pictures and films.

use super::*;

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
    assert!(drawn.contains("<animate ") && drawn.contains("dur=\"1\"") && drawn.ends_with("</svg>"));

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
        let seats = entry.make([]).unwrap().spec().players;
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
fn line_mode_pages_through_all_moves() {
    use std::io::Write;
    use std::process::Stdio;
    for entry in GAMES {
        let game = entry.make([]).unwrap().single(0);
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
        let seats = entry.make([]).unwrap().spec().players;
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
    assert!(text.contains("search:10 expects ") && text.contains(" best  "), "{text}");
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
fn selfplay_keeps_games_that_replay() {
    let dir = std::env::temp_dir().join(format!("ludovec-kept-{}", std::process::id()));
    let folder = dir.to_str().unwrap();
    for (entry, bot) in GAMES.iter().flat_map(|entry| [(entry, "random"), (entry, "greedy")]) {
        let given = ["--num-envs", "3", "--games", "5", "--players", bot, "--set", "max_steps=40"];
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
