//! An engine that plays the first legal move, and misbehaves as its first argument says.
//!
//! It appends a line with its process number to the file in its second argument, if there is one.

use std::io::{BufRead, Write, stdin, stdout};
use std::time::Duration;

use ludovec::engine::{OptionValue, SingleGame};
use ludovec::games;

/// The command of the fake engine.
pub fn command(protocol: &str, mode: &str, rest: &str) -> String {
    format!("{protocol}:'{}' fake {mode}{rest}", std::env::current_exe().unwrap().display())
}

pub fn run(arguments: &[String]) {
    let mode = arguments.first().map_or("", String::as_str);
    if let Some(file) = arguments.get(1) {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file).unwrap();
        writeln!(file, "{}", std::process::id()).unwrap();
    }
    match mode {
        "exit" => {}
        "licence" => {
            eprintln!("no licence found");
            std::process::exit(3);
        }
        "mute" => sleep(),
        "once" => once(arguments),
        "holder" => hold(),
        _ if mode.starts_with("json") => speak_json(mode),
        _ if mode.starts_with("gtp") => speak_gtp(mode),
        _ => speak_uci(mode),
    }
}

/// Starts if no process before it has, and crashes at the first move.
fn once(arguments: &[String]) {
    let starts = std::fs::read_to_string(&arguments[1]).unwrap();
    if starts.lines().next() == Some(&*std::process::id().to_string()) {
        speak_uci("crash");
    }
}

fn sleep() {
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

fn say(text: &str) {
    let mut out = stdout().lock();
    // The reader may have ended.
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}

/// The position of a command `position fen FEN moves ...`.
fn position(command: &str) -> Option<SingleGame> {
    let (fen, moves) =
        command.strip_prefix("position fen ")?.split_once(" moves ").unwrap_or((&command[13..], ""));
    let game = games::find("chess").unwrap().make([("fen", OptionValue::from(fen))]).ok()?;
    let mut game = game.single(0);
    for text in moves.split_whitespace() {
        let action = game.string_to_action(text).ok()?;
        game.step(action).ok()?;
    }
    Some(game)
}

fn speak_uci(mode: &str) {
    let mut game = None;
    let mut asked = 0;
    for line in stdin().lock().lines().map_while(Result::ok) {
        match line.split_whitespace().next() {
            Some("uci") => {
                say("some banner\nid name Fake\noption name Skill type spin default 3 min 0 max 5");
                say("option name UCI_Chess960 type check default false\nuciok");
            }
            Some("isready") => say("readyok"),
            Some("position") => game = position(&line),
            Some("go") => {
                asked += 1;
                let Some(game) = &game else {
                    say("bestmove position-not-understood");
                    continue;
                };
                go(mode, game, asked);
            }
            Some("quit") if mode != "stubborn" => return,
            _ => {}
        }
    }
    if mode == "stubborn" {
        sleep();
    }
}

fn go(mode: &str, game: &SingleGame, asked: u32) {
    let best = format!("bestmove {}", game.action_to_string(game.legal_actions()[0]).unwrap());
    match mode {
        "crash" => std::process::exit(1),
        "sometimes" if asked.is_multiple_of(3) => std::process::abort(),
        "hang" | "stubborn" => sleep(),
        "late" if asked.is_multiple_of(2) => {
            std::thread::sleep(Duration::from_secs(1));
            say(&best);
        }
        "illegal" => say("bestmove a1a8"),
        "garbage" => say("bestmove xyzzy \u{1b}[2J"),
        "none" => say("bestmove (none)"),
        "empty" => say("bestmove"),
        "flood" => loop {
            say("info string still thinking about it");
        },
        "endless" => loop {
            let _ = stdout().lock().write_all(&[b'x'; 4096]);
        },
        "binary" => {
            let _ = stdout().lock().write_all(b"bestmove \xff\xfe\x00\x07\n");
            let _ = stdout().lock().flush();
        }
        #[cfg(target_os = "linux")]
        "close" => {
            // Safety: nothing writes to the descriptor afterwards.
            unsafe { libc_close(1) };
            sleep();
        }
        "twice" => {
            say(&best);
            say(&best);
        }
        "history" => {
            // An engine sees repetitions only if it gets the moves since the first position it was asked about.
            let is_complete = asked == 1 || game.steps() == 2 * (asked as usize - 1);
            say(if is_complete { &best } else { "bestmove history-missing" });
        }
        _ => {
            say("info depth 1 score cp 13 nodes 20 nps 1000 pv a2a3");
            say(&format!("{best} ponder a7a6"));
        }
    }
}

#[cfg(target_os = "linux")]
unsafe extern "C" {
    #[link_name = "close"]
    fn libc_close(descriptor: i32) -> i32;
}

/// Replies to requests of bots over JSON lines.
fn speak_json(mode: &str) {
    let mut asked = 0;
    for line in stdin().lock().lines().map_while(Result::ok) {
        asked += 1;
        let request: serde_json::Value = serde_json::from_str(&line).unwrap();
        let game = games::find(request["env"].as_str().unwrap_or("empires")).unwrap();
        match mode {
            "json-crash" => std::process::exit(1),
            "json-hang" => sleep(),
            "json-garbage" => say("I resign"),
            "json-illegal" => say(r#"{"action": 4000000000}"#),
            "json-empty" => say("{}"),
            "json-huge" => loop {
                let _ = stdout().lock().write_all(&[b'x'; 4096]);
            },
            "json-sometimes" if u32::is_multiple_of(asked, 3) => std::process::exit(1),
            _ => {
                let make = game
                    .make(serde_json::from_value::<Vec<(String, OptionValue)>>(options(&request)).unwrap());
                let game = make.unwrap().single_from_bot_request(&request, 0).unwrap();
                let action = game.legal_actions()[0];
                say(&game.bot_reply(action).unwrap().to_string());
            }
        }
    }
}

/// Speaks the Go Text Protocol as pentobi-gtp does. It is told the moves of a game in their order.
fn speak_gtp(mode: &str) {
    let mut game: Option<SingleGame> = None;
    let mut name = String::new();
    let begin = |name: &str| {
        let mode = [("Blokus Duo", "blokus_duo"), ("Blokus Two-Player", "blokus_2"), ("Blokus", "blokus")];
        let (_, mode) = mode.into_iter().find(|(known, _)| *known == name)?;
        Some(games::find("tilewe").unwrap().make([("mode", OptionValue::from(mode))]).unwrap().single(0))
    };
    for line in stdin().lock().lines().map_while(Result::ok) {
        let (command, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let answer = match (command, &mut game) {
            ("set_game", _) if mode == "gtp-chess-only" => Err("unknown game variant".into()),
            ("set_game" | "clear_board", _) => {
                name = if command == "set_game" { rest.to_string() } else { name };
                game = begin(&name);
                if game.is_some() { Ok(String::new()) } else { Err("unknown game variant".into()) }
            }
            ("play", Some(game)) => {
                let text = rest.split_once(' ').map_or("", |(_, text)| text);
                let played = game.string_to_action(text).and_then(|action| game.step(action));
                played.map(|()| String::new()).map_err(|error| error.to_string())
            }
            ("genmove", Some(game)) => genmove(mode, &mut *game),
            ("quit", _) => return,
            _ => Err("unknown command".into()),
        };
        match answer {
            Ok(text) => say(&format!("= {text}\n")),
            Err(text) => say(&format!("? {text}\n")),
        }
    }
}

fn genmove(mode: &str, game: &mut SingleGame) -> Result<String, String> {
    match mode {
        "gtp-pass" => return Ok("pass".into()),
        "gtp-resign" => return Ok("resign".into()),
        "gtp-illegal" => return Ok("a1".into()),
        "gtp-garbage" => return Ok("xyzzy".into()),
        "gtp-refuse" => return Err("I do not feel like it".into()),
        _ => {}
    }
    let action = *game.legal_actions().last().ok_or("no move")?;
    let words = game.action_in_words(action).map_err(|error| error.to_string())?;
    // "Place F5 on b2 b3 c3 c4 d3".
    let tiles = words.split_once(" on ").map_or("", |(_, tiles)| tiles).replace(' ', ",");
    game.step(action).map_err(|error| error.to_string())?;
    Ok(tiles)
}

/// The options that the requests of the tests need.
fn options(request: &serde_json::Value) -> serde_json::Value {
    match request["env"].as_str() {
        Some(_) => serde_json::json!([]),
        None => serde_json::json!([["players", 2], ["width", 10], ["height", 8]]),
    }
}

/// Starts an engine that never answers, and waits for it.
fn hold() {
    let game = games::find("chess").unwrap().make([]).unwrap();
    let text = std::env::args().nth(4).unwrap();
    let bot = ludovec::play::player::Player::parse(&*game, &text, Duration::from_secs(600)).unwrap();
    let _ = bot.act(&game.single(0), &ludovec::engine::Interrupt::default());
}
