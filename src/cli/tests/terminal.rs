//! `ludovec play` on terminals of three kinds, key by key.
//!
//! The screens of the sessions are recorded in `tests/data/terminal/`.
//! `LUDOVEC_UPDATE=1 cargo test --test terminal` rewrites them, after an intended change of the screens.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::num::NonZero;
use std::ops::Range;
use std::os::fd::FromRawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Time limit for any reaction of the program on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// The silence after which a drawing counts as complete.
const MOMENT: Duration = Duration::from_millis(40);
/// Time limit for the end of the program: much shorter than its wait for a key.
const END: Duration = Duration::from_secs(10);

/// A game, with options that make it short.
struct Game {
    env: &'static str,
    options: &'static [&'static str],
    /// The number of players.
    seats: usize,
    /// Parts of the board: the text of each must be visible, at once or by scrolling.
    parts: fn() -> Vec<String>,
    /// Whether all parts are visible at once on a small terminal.
    fits: bool,
    /// Whether some actions have random outcomes, so that no board can be shown for them.
    chance: bool,
}

const GAMES: [Game; 5] = [
    Game {
        env: "chess",
        options: &["max_plies=12"],
        seats: 2,
        parts: || (1..=8).map(|rank| format!("│ {rank} ")).chain(["a  b  c  d  e  f  g  h".into()]).collect(),
        fits: true,
        chance: false,
    },
    Game {
        env: "empires",
        options: &["players=3", "max_turns=6"],
        seats: 3,
        parts: || (0..20).map(|row| format!("│{row:2} ")).chain(["30        35".into()]).collect(),
        fits: false,
        chance: true,
    },
    Game {
        env: "smallworld",
        options: &["players=2"],
        seats: 2,
        parts: || (0..23).map(|region| format!(" {region} ")).collect(),
        fits: false,
        chance: true,
    },
    Game {
        env: "starwars_risk",
        options: &["max_rounds=1"],
        seats: 2,
        parts: || (0..28).map(|space| format!(" {space}:")).collect(),
        fits: false,
        chance: true,
    },
    Game {
        env: "tilewe",
        options: &["players=3"],
        seats: 3,
        parts: || (2..=20).step_by(2).map(|row| format!("│{row:2} ")).chain(["rst".into()]).collect(),
        fits: true,
        chance: false,
    },
];
const NAMES: [&str; 3] = ["human:Ann", "Ben:random", "Cem:random"];
const SIZES: [[u16; 2]; 2] = [[80, 24], [120, 40]];

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const LEFT: &str = "\x1b[D";
const RIGHT: &str = "\x1b[C";
const F1: &str = "\x1bOP";
const F2: &str = "\x1bOQ";
const HOME: &str = "\x1b[H";
const END_KEY: &str = "\x1b[F";
const CONTROL_C: &str = "\x03";
const CONTROL_Z: &str = "\x1a";

/// A program in a terminal of its own.
struct Session {
    child: Child,
    keys: File,
    output: Receiver<Vec<u8>>,
    /// All output so far.
    written: Vec<u8>,
    /// A terminal that is larger than the program assumes: output outside of the assumed size is detected.
    parser: vt100::Parser,
    size: [u16; 2],
    /// Screens or lines, with their labels.
    record: String,
}

impl Session {
    fn start(game: &Game, players: &[&str], term: &str, size: [u16; 2]) -> Self {
        let players = players.join(",");
        let mut args = vec!["play", game.env, "--seed", "1", "--delay", "0", "--hints", "search:20"];
        args.extend(["--players", &players]);
        args.extend(game.options.iter().flat_map(|option| ["--set", option]));
        Self::run(&args, term, size)
    }

    fn run(args: &[&str], term: &str, size: [u16; 2]) -> Self {
        let (mut ours, mut theirs) = (-1, -1);
        let [columns, rows] = size;
        let asked = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // Safety: the pointers are to live variables or null, which selects defaults.
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
        // Safety: both were opened above and have no other owner.
        let (ours, theirs) = unsafe { (File::from_raw_fd(ours), File::from_raw_fd(theirs)) };
        let mut command = Command::new(env!("CARGO_BIN_EXE_ludovec"));
        command.args(args);
        command.env("TERM", term).env_remove("NO_COLOR");
        command.stdin(theirs.try_clone().unwrap()).stdout(theirs.try_clone().unwrap()).stderr(theirs);
        // Safety: both calls are allowed between fork and exec, and touch nothing of this process. They make the
        // terminal the program's controlling terminal; otherwise it would ask the terminal of the test run for its
        // size.
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
        let [rows_here, columns_here] = [rows + 20, columns + 60].map(|n| NonZero::new(n).expect("a size"));
        let parser = vt100::Parser::new(rows_here, columns_here, 0);
        Self { child, keys: ours, output, written: Vec::new(), parser, size, record: String::new() }
    }

    /// Reads the output within this time; false if there is none.
    fn read(&mut self, time: Duration) -> bool {
        let Ok(bytes) = self.output.recv_timeout(time) else { return false };
        self.parser.process(&bytes);
        self.written.extend(bytes);
        true
    }

    /// Waits until a test holds and the output is silent: a drawing comes in several pieces.
    fn until(&mut self, what: &str, test: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while self.read(MOMENT) || !test(self) {
            assert!(start.elapsed() < PATIENCE, "waited in vain for {what}:\n{}", self.shown());
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Presses a key repeatedly until a test holds, each time after the output is silent.
    fn press_until(&mut self, key: &str, what: &str, test: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !test(self) {
            assert!(start.elapsed() < PATIENCE, "waited in vain for {what}:\n{}", self.shown());
            self.press(key);
            while self.read(MOMENT) {}
        }
    }

    fn shown(&self) -> String {
        self.parser.screen().contents()
    }

    /// Sends keys, waits until a test holds and records the screen.
    fn note(&mut self, what: &str, test: impl Fn(&Self) -> bool) {
        self.until(what, test);
        self.stays_inside(what);
        writeln!(self.record, "=== {what}\n{}\n", self.shown().trim_end()).unwrap();
    }

    /// Checks that the program draws only inside the terminal; other output would be lost or break lines.
    fn stays_inside(&self, what: &str) {
        let screen = self.parser.screen();
        let (rows, columns) = screen.size();
        for row in 0..rows.get() {
            for column in 0..columns.get() {
                let outside = row >= self.size[1] || column >= self.size[0];
                let text = screen.cell(row, column).map_or("", vt100::Cell::contents);
                assert!(
                    !outside || text.trim().is_empty(),
                    "{what}: {text:?} in line {row}, column {column}"
                );
            }
        }
    }

    fn cell(&self, row: u16, column: u16) -> &str {
        self.parser.screen().cell(row, column).map_or("", vt100::Cell::contents)
    }

    /// The rows and columns of the pane with this title, without its frame.
    fn area(&self, title: &str) -> [Range<u16>; 2] {
        let [columns, rows] = self.size;
        let heads = |&(row, column): &(u16, u16)| {
            self.cell(row, column) == "┌" && self.line(row, column + 1..columns).starts_with(title)
        };
        let mut places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let (top, left) = places.find(heads).unwrap_or_else(|| panic!("no pane {title}:\n{}", self.shown()));
        let right = (left + 1..columns).find(|&column| self.cell(top, column) == "┐").expect("a frame");
        let below = (top + 1..rows).find(|&row| self.cell(row, left) == "└").expect("a frame");
        [top + 1..below, left + 1..right]
    }

    fn line(&self, row: u16, columns: Range<u16>) -> String {
        let cells = columns.map(|column| self.cell(row, column));
        cells.map(|text| if text.is_empty() { " " } else { text }).collect()
    }

    /// The lines of the pane with this title.
    fn pane(&self, title: &str) -> Vec<String> {
        let [rows, columns] = self.area(title);
        rows.map(|row| self.line(row, columns.clone())).collect()
    }

    /// The board with its colours.
    fn board(&self) -> Vec<Option<&vt100::Cell>> {
        let [rows, columns] = self.area("board");
        let screen = self.parser.screen();
        rows.flat_map(|row| columns.clone().map(move |column| screen.cell(row, column))).collect()
    }

    /// Whether the frame of a pane has these words below its content.
    fn says(&self, words: &str) -> bool {
        let frames = |line: &str| line.contains('└');
        self.shown().lines().any(|line| frames(line) && line.contains(words))
    }

    /// Whether the frame of the board announces more on this side.
    fn more(&self, side: &str) -> bool {
        let said = |line: &str| {
            line.split_once(" more ").is_some_and(|(_, rest)| rest.split(':').next().unwrap().contains(side))
        };
        self.shown().lines().any(said)
    }

    /// The text of the marked action: the one in reversed colours.
    fn marked(&self) -> String {
        let screen = self.parser.screen();
        let [columns, rows] = self.size;
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let marked = cells.filter_map(|(row, column)| screen.cell(row, column).filter(|cell| cell.inverse()));
        marked.map(|cell| if cell.has_contents() { cell.contents() } else { " " }).collect()
    }

    /// The title in the frame of the board.
    fn title(&self) -> String {
        let shown = self.shown();
        let line = shown.lines().find(|line| line.contains("┌board")).expect("there is a board");
        let title = line.split("┌board").nth(1).unwrap_or_default();
        title.split(['─', '┐']).next().unwrap_or_default().trim().to_string()
    }

    /// The number of the step in the first line.
    fn step(&self) -> Option<usize> {
        self.shown().split_once("  step ")?.1.split_whitespace().next()?.parse().ok()
    }

    fn is_over(&self) -> bool {
        self.shown().contains("the game is over: ")
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
    /// No program outlives a failed test.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Letters only: lines are wrapped in different places.
fn letters(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Compares a session with the recorded session of this name, or records it.
fn compare(name: &str, seen: &str) {
    let seen: Vec<&str> = seen.trim_end().lines().map(str::trim_end).collect();
    let seen = seen.join("\n") + "\n";
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
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

/// A whole game by keys.
fn a_session(game: &Game, size: [u16; 2]) {
    let players = &NAMES[..game.seats];
    let mut session = Session::start(game, players, "xterm-256color", size);
    let what = format!("{} at {size:?}", game.env);
    let turn = |s: &Session, after: Option<usize>| s.shown().contains("Ann: your turn") && s.step() > after;
    let mut previewed = 0;
    let mut step = None;
    for decision in 0..3 {
        session.until(&format!("{what}: a turn"), |s| turn(s, step));
        step = session.step();
        assert!(session.parser.screen().alternate_screen(), "{what}");
        for name in players {
            let score = match name.split_once(':') {
                Some(("human", name)) => format!("{name}: "),
                Some((name, bot)) => format!("{name} ({bot}): "),
                None => format!("{name}: "),
            };
            session.until(&format!("{what}: the score of {name}"), |s| s.shown().contains(&score));
        }
        if decision == 0 {
            session.note("the first turn", |s| turn(s, None));
        }
        // A large screen shows all columns of the board.
        assert!(size[0] < 120 || !session.more("right"), "{what}:\n{}", session.shown());
        // Marking an action shows its result, unless the result is random.
        let first = session.marked();
        let board: Vec<_> = session.board().into_iter().map(Option::<&_>::cloned).collect();
        session.press(DOWN);
        session.until(&format!("{what}: a mark"), |s| s.marked() != first);
        let title = session.title();
        if let Some(title) = title.strip_prefix("after ") {
            let (title, marked) = (letters(title), letters(&session.marked()));
            let cut = title.strip_suffix('…');
            let same = cut.map_or(title == marked, |title| marked.starts_with(title) && marked != title);
            assert!(same, "{what}:\n{}", session.shown());
            let same = board.iter().map(Option::as_ref).eq(session.board());
            assert!(!same, "{what}: nothing is previewed:\n{}", session.shown());
            previewed += 1;
        } else {
            assert!(title.is_empty() && game.chance, "{what}:\n{}", session.shown());
        }
        if decision == 0 {
            session.note("the second action is marked", |s| s.marked() != first);
        }
        session.press(UP);
        session.until(&format!("{what}: no mark"), |s| s.marked() == first && s.title().is_empty());
        match decision {
            0 => look_around(&mut session, game, &what),
            1 => ask(&mut session, &what),
            _ => {}
        }
        session.press("\r");
    }
    session.until(&format!("{what}: a fourth turn"), |s| turn(s, step) || s.is_over());
    assert!(
        previewed >= if game.chance { 1 } else { 3 },
        "{what}: {previewed} of 3 actions seen on the board:\n{}",
        session.record
    );
    // The first entry of the log is visible, or the frame names the keys that lead there.
    let begins = |s: &Session| s.shown().contains("│1. ");
    if !begins(&session) {
        assert!(session.says("Tab here, Up, Down: the others"), "{what}:\n{}", session.shown());
        session.press("\t\t");
        session.press_until(UP, &format!("{what}: the beginning of the log"), begins);
        session.press("\t");
    }
    // Continues to the end.
    for decision in 0.. {
        let over = session.is_over();
        assert!(decision < 300, "{what} goes on");
        if over {
            break;
        }
        let step = session.step();
        session.press(&(DOWN.repeat(decision % 3) + "\r"));
        let start = Instant::now();
        while !(turn(&session, step) || session.is_over()) {
            session.read(MOMENT);
            assert!(start.elapsed() < PATIENCE, "{what}: no move:\n{}", session.shown());
        }
    }
    session.note("the end", Session::is_over);
    look_back(&mut session, &what);
    session.until(&format!("{what}: the end again"), Session::is_over);
    let shown = letters(&session.shown());
    session.press("q");
    let record = std::mem::take(&mut session.record);
    let (_, screen) = session.end();
    assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{what}");
    // The shell shows the same result afterwards.
    let left = screen.contents();
    let lines: Vec<&str> = left.trim_end().lines().collect();
    let [.., result, scores] = lines[..] else { panic!("{what}: {left:?}") };
    assert!(shown.contains(&letters(result)), "{what}: {result}");
    assert!(scores.starts_with("final scores: Ann ") && !result.is_empty(), "{what}: {scores}");
    compare(&format!("{}-{}x{}", game.env, size[0], size[1]), &record);
}

/// Opens the review of the game so far, steps through it and closes it.
fn look_back(session: &mut Session, what: &str) {
    let steps = session.step().expect("the game has steps");
    let at = |position: usize| format!("position {position} of {steps}");
    session.press(F2);
    // The reviewer's thread draws until it has valued every position.
    session.until(&format!("{what}: the review"), |s| {
        s.shown().contains(&at(steps)) && s.shown().contains("a move cost")
    });
    for (key, position) in [(LEFT, steps - 1), (HOME, 0), (RIGHT, 1), (END_KEY, steps), (HOME, 0)] {
        session.press(key);
        session.until(&format!("{what}: {}", at(position)), |s| s.shown().contains(&at(position)));
    }
    session.until(&format!("{what}: a line"), |s| {
        s.shown().contains("best line: ") && s.shown().contains("values")
    });
    session.press("q");
}

#[test]
fn a_record_is_stepped_through_on_the_terminal() {
    let file = std::env::temp_dir().join(format!("ludovec-steps-{}.json", std::process::id()));
    let file = file.to_str().unwrap();
    let played = Command::new(env!("CARGO_BIN_EXE_ludovec"))
        .args(["play", "chess", "--players", "Ann:random,Ben:random", "--set", "max_plies=12", "--quiet"])
        .args(["--record", file])
        .output()
        .unwrap();
    assert!(played.status.success(), "{played:?}");
    for review in [&["--review", "search:20"][..], &[]] {
        let args = [&["replay", file, "--terminal"], review].concat();
        let mut session = Session::run(&args, "xterm-256color", SIZES[0]);
        session.until("the first position", |s| s.shown().contains("position 0 of 12"));
        session.press(RIGHT);
        session.until("the next position", |s| {
            s.shown().contains("position 1 of 12") && s.shown().contains("Ann")
        });
        let is_reviewed = !review.is_empty();
        session.until("values", |s| s.shown().contains("best line: ") == is_reviewed);
        session.press("q");
        let (_, screen) = session.end();
        assert!(!screen.alternate_screen());
    }
    // Without a terminal, the error names what else there is.
    let refused =
        Command::new(env!("CARGO_BIN_EXE_ludovec")).args(["replay", file, "--terminal"]).output().unwrap();
    fs::remove_file(file).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--html FILE"));
}

/// All content outside of a pane is announced by its frame, and is reached with the keys that the frame names.
fn look_around(session: &mut Session, game: &Game, what: &str) {
    session.press(F1);
    session.until(&format!("{what}: help"), |s| s.shown().contains("any other key closes this"));
    let help = session.pane("help").join("\n");
    for key in [
        "type",
        "Enter",
        "Up, Down",
        "Left, Right",
        "Tab",
        "Esc",
        "?",
        "Ctrl-Z",
        "+ and -",
        "Ctrl-C",
        "Space",
    ] {
        assert!(help.lines().any(|line| line.starts_with(key)), "{what}: no help with {key}:\n{help}");
    }
    session.press("x++-");
    session.until(&format!("{what}: another delay"), |s| s.shown().contains("delay 100 ms"));
    session.press("-");
    session.until(&format!("{what}: no delay"), |s| {
        s.shown().contains("delay 0 ms") && s.shown().contains("> _")
    });
    let shown = session.shown();
    let (_, rest) = shown.split_once("actions ").expect("actions are counted");
    let count: usize = rest.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number");
    // One line is for the typed text instead of an action.
    let room = session.pane("actions ").len() - 1;
    assert!(count <= room || session.says("Up, Down: the others"), "{what}: {count} actions\n{shown}");
    session.press("\t");
    for (key, side) in [(UP, "above"), (LEFT, "left")] {
        session.press_until(key, &format!("{what}: the upper left corner"), |s| !s.more(side));
    }
    let board =
        |s: &Session| s.pane("board").iter().fold(String::new(), |all, line| all + &format!("│{line} \n"));
    let at_once = board(session);
    let mut seen = String::new();
    for (key, side) in [(DOWN, "below"), (RIGHT, "right"), (UP, "above")] {
        loop {
            let (before, more) = (session.shown(), session.more(side));
            seen += &board(session);
            session.press(key);
            if !more {
                while session.read(MOMENT) {}
                assert_eq!(session.shown(), before, "{what}: more is {side}, which no frame says");
                break;
            }
            session.until(&format!("{what}: more {side}"), |s| s.shown() != before);
        }
    }
    // Large cells are farther apart.
    let close = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.dedup_by(|a, b| *a == ' ' && *b == ' ');
        letters.into_iter().collect::<String>()
    };
    let found = close(if game.fits { &at_once } else { &seen });
    // Columns of half blocks are beside each other.
    let bare: String = found.split(' ').collect();
    for part in (game.parts)() {
        let shown = found.contains(&close(&part)) || bare.contains(&part);
        assert!(shown, "{what}: {part:?} is not reached:\n{found}");
    }
    session.press("\t\t");
}

/// A hint, a move that is taken back, a filtered list of actions.
fn ask(session: &mut Session, what: &str) {
    session.press("?");
    session.until(&format!("{what}: a hint"), |s| s.shown().contains("search:20 expects Ann"));
    assert!(session.shown().contains("best "), "{what}:\n{}", session.shown());
    let step = session.step();
    session.press("\r");
    session.until(&format!("{what}: a move"), |s| s.step() > step && s.shown().contains("your turn"));
    session.press(CONTROL_Z);
    session.until(&format!("{what}: taken back"), |s| s.step() == step);
    assert!(!session.shown().contains("best "), "{what}: the hint stays:\n{}", session.shown());
    session.press("no such thing\r");
    session.until(&format!("{what}: an answer"), |s| {
        s.shown().contains("no action is called \"no such thing\"")
    });
    session.press("\x1b");
    session.until(&format!("{what}: nothing typed"), |s| s.shown().contains("> _"));
}

#[test]
fn whole_games_on_small_and_large_terminals() {
    // In parallel, because most of the time is spent waiting.
    thread::scope(|scope| {
        for game in &GAMES {
            for size in SIZES {
                scope.spawn(move || a_session(game, size));
            }
        }
    });
}

#[test]
fn leaving_takes_no_time() {
    let leave = |players: [&str; 2], ready: &str, keys: &str| {
        let mut session = Session::start(&GAMES[0], &players, "xterm-256color", [80, 24]);
        // A thinking bot is redrawn all the time, without a silent moment to wait for.
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
    // During one's own turn letters are typed.
    leave(["human:Ann", "Ben:random"], "Ann: your turn", CONTROL_C);
    leave(["human:Ann", "Ben:random"], "Ann: your turn", "quit\r");
    leave(["human:Ann", "Ben:random"], "Ann: your turn", &format!("{F1}{CONTROL_C}"));
    // While a bot thinks for a long time.
    leave(["Ann:search:100000000", "human:Ben"], "is to move", "q");
}

#[test]
fn whole_games_on_a_line_only_terminal() {
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
