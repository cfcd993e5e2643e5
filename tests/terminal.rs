//! `ludovec play` on a terminal: whole games where it knows lines only (`TERM=dumb`), and how a full screen is left.
//!
//! What is seen of the games is recorded in `tests/data/terminal/`; `LUDOVEC_UPDATE=1 cargo test --test terminal` writes it
//! anew, after a change that is meant to change what people see.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::fd::FromRawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long the program may take for anything on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// The silence after which a drawing counts as complete.
const MOMENT: Duration = Duration::from_millis(40);
/// How long the program may take to end: far less than it waits for a key.
const END: Duration = Duration::from_secs(10);

/// A game, with options that make it short.
struct Game {
    env: &'static str,
    options: &'static [&'static str],
    /// How many play.
    seats: usize,
}

const GAMES: [Game; 5] = [
    Game { env: "chess", options: &["max_plies=12"], seats: 2 },
    Game { env: "empires", options: &["players=3", "max_turns=6"], seats: 3 },
    Game { env: "smallworld", options: &["players=2"], seats: 2 },
    Game { env: "starwars_risk", options: &["max_rounds=1"], seats: 2 },
    Game { env: "tilewe", options: &["players=3"], seats: 3 },
];
const NAMES: [&str; 3] = ["Ann", "Ben:random", "Cem:random"];

const F1: &str = "\x1bOP";
const CONTROL_C: &str = "\x03";

/// A program on a terminal of its own.
struct Session {
    child: Child,
    keys: File,
    output: Receiver<Vec<u8>>,
    /// All that was written.
    written: Vec<u8>,
    parser: vt100::Parser,
}

impl Session {
    fn start(game: &Game, players: &[&str], term: &str, size: [u16; 2]) -> Self {
        let (mut ours, mut theirs) = (-1, -1);
        let [columns, rows] = size;
        let asked = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // Safety: the pointers are to live variables or null, which stands for defaults.
        let opened = unsafe {
            libc::openpty(
                &raw mut ours,
                &raw mut theirs,
                std::ptr::null_mut(),
                std::ptr::null(),
                &raw const asked,
            )
        };
        assert_eq!(opened, 0, "{}", std::io::Error::last_os_error());
        // Safety: both were opened above, and nobody else has them.
        let (ours, theirs) = unsafe { (File::from_raw_fd(ours), File::from_raw_fd(theirs)) };
        let mut command = Command::new(env!("CARGO_BIN_EXE_ludovec"));
        command.args(["play", game.env, "--seed", "1", "--delay", "0", "--hints", "search:20"]);
        command.args(["--players", &players.join(",")]);
        command.args(game.options.iter().flat_map(|option| ["--set", option]));
        command.env("TERM", term).env_remove("NO_COLOR");
        command.stdin(theirs.try_clone().unwrap()).stdout(theirs.try_clone().unwrap()).stderr(theirs);
        // Safety: both calls are allowed between fork and exec, and touch nothing of this process. They make the terminal
        // the program's own, whose size it would otherwise ask of the terminal that runs the tests.
        unsafe {
            command.pre_exec(|| {
                if libc::setsid() < 0 || libc::ioctl(0, libc::TIOCSCTTY, 0) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        // Otherwise the end of the program would not end the output.
        drop(command);
        let (sender, output) = channel();
        let mut reader = ours.try_clone().unwrap();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let [rows, columns] = [rows, columns].map(|n| NonZero::new(n).expect("a size"));
        let parser = vt100::Parser::new(rows, columns, 0);
        Self { child, keys: ours, output, written: Vec::new(), parser }
    }

    /// Takes what comes within that time; false when nothing does.
    fn read(&mut self, time: Duration) -> bool {
        let Ok(bytes) = self.output.recv_timeout(time) else { return false };
        self.parser.process(&bytes);
        self.written.extend(bytes);
        true
    }

    /// Waits until a test holds and nothing more is written: a drawing comes in several pieces.
    fn until(&mut self, what: &str, test: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while self.read(MOMENT) || !test(self) {
            assert!(start.elapsed() < PATIENCE, "waited in vain for {what}:\n{}", self.shown());
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    fn shown(&self) -> String {
        self.parser.screen().contents()
    }

    /// Waits for the end, which must come soon.
    fn end(mut self) -> (Vec<u8>, vt100::Screen) {
        let start = Instant::now();
        let status: ExitStatus = loop {
            self.read(Duration::from_millis(5));
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < END, "the program goes on:\n{}", self.shown());
        };
        assert!(status.success(), "{status}");
        // The terminal is closed with the program.
        while self.read(PATIENCE) {}
        (std::mem::take(&mut self.written), self.parser.screen().clone())
    }
}

impl Drop for Session {
    /// No program outlives a test that failed.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Compares what was seen with the recorded session of that name, or writes it there.
fn compare(name: &str, seen: &str) {
    let seen: Vec<&str> = seen.trim_end().lines().map(str::trim_end).collect();
    let seen = seen.join("\n") + "\n";
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/terminal");
    let path = folder.join(format!("{name}.txt"));
    if std::env::var_os("LUDOVEC_UPDATE").is_some() {
        fs::create_dir_all(&folder).unwrap();
        return fs::write(path, seen).unwrap();
    }
    let recorded = fs::read_to_string(&path).unwrap_or_default();
    let differs = |(now, then): &(&str, &str)| now != then;
    let first = seen.lines().zip(recorded.lines()).find(differs);
    assert!(
        seen == recorded,
        "{name} shows something else, first {first:?}: LUDOVEC_UPDATE=1 records it:\n{seen}"
    );
}

#[test]
fn leaving_takes_no_time() {
    let leave = |players: [&str; 2], ready: &str, keys: &str| {
        let mut session = Session::start(&GAMES[0], &players, "xterm-256color", [80, 24]);
        // A thinking bot is drawn all the time, without a quiet moment to wait for.
        let start = Instant::now();
        while !session.shown().contains(ready) {
            session.read(MOMENT);
            assert!(start.elapsed() < PATIENCE, "waited in vain for {ready}:\n{}", session.shown());
        }
        session.press(keys);
        let (_, screen) = session.end();
        let told = screen.contents();
        assert!(told.contains("left: Ann 0, Ben 0") && !screen.alternate_screen(), "{keys:?}: {told}");
    };
    // In one's own turn letters are typed.
    leave(["Ann", "Ben:random"], "Ann: your turn", CONTROL_C);
    leave(["Ann", "Ben:random"], "Ann: your turn", "quit\r");
    leave(["Ann", "Ben:random"], "Ann: your turn", &format!("{F1}{CONTROL_C}"));
    // While a bot thinks for a long time.
    leave(["Ann:search:100000000", "Ben"], "is to move", "q");
}

#[test]
fn whole_games_on_a_terminal_that_knows_lines_only() {
    thread::scope(|scope| {
        for game in &GAMES {
            scope.spawn(move || a_game_in_lines(game));
        }
    });
}

fn a_game_in_lines(game: &Game) {
    let mut session = Session::start(game, &NAMES[..game.seats], "dumb", [80, 24]);
    let ended = |s: &Session| String::from_utf8_lossy(&s.written).contains("final scores: ");
    let asked = |s: &Session| s.written.ends_with(b"quit): ");
    for decision in 0.. {
        assert!(decision < 300, "{} goes on", game.env);
        session.until("a question or the end", |s| asked(s) || ended(s));
        if ended(&session) {
            break;
        }
        let known = session.written.len();
        session.press("list\n");
        session.until("the list", |s| s.written.len() > known + 10 && asked(s));
        let list = String::from_utf8_lossy(&session.written[known..]).into_owned();
        let number = |word: &str| Some(word.split_once('=')?.0.parse::<u32>().ok()?.to_string());
        let numbers: Vec<String> = list.split_whitespace().filter_map(number).collect();
        let known = session.written.len();
        session.press(&format!("{}\n", numbers[decision * 7 % numbers.len()]));
        session.until("an answer", |s| s.written.len() > known + 10 && (asked(s) || ended(s)));
    }
    let (written, _) = session.end();
    assert!(!written.contains(&0x1b), "{}: an escape sequence", game.env);
    let written = String::from_utf8(written).unwrap().replace('\r', "");
    let lines: Vec<&str> = written.lines().collect();
    let [.., result, scores] = lines[..] else { panic!("{written}") };
    let told = ["won", "share", "drawn", "stopped without a result"];
    assert!(told.iter().any(|word| result.contains(word)), "{}: {result}", game.env);
    assert!(scores.starts_with("final scores: Ann "), "{}: {scores}", game.env);
    // Whole games would be too long: only the first turns and the last lines are compared.
    let beginning = written.split_inclusive("quit): ").take(3).collect::<String>();
    let end = lines[lines.len().saturating_sub(40)..].join("\n");
    compare(&format!("{}-dumb", game.env), &format!("{beginning}\n=== the last lines\n{end}\n"));
}
