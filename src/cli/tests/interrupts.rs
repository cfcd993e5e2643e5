//! Signals and full disks in the middle of a command: no played game or measurement is lost.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ludovec::engine::OptionValue;
use ludovec::games::GAMES;
use serde_json::Value;

const NO_OPTIONS: [(&str, OptionValue); 0] = [];
const PROGRAM: &str = env!("CARGO_BIN_EXE_ludovec");

/// Waits for the end of a process, and kills it after a time limit.
fn output(mut child: Child) -> Output {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("the process goes on: {:?}", child.wait_with_output());
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

fn start(args: &[&str]) -> Child {
    let mut command = Command::new(PROGRAM);
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A runner in the background (`nohup make test &`) ignores SIGINT, and its children would, too.
    // Safety: the call is allowed between fork and exec, and touches nothing of this process.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        });
    }
    command.spawn().unwrap()
}

fn signal(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Waits until the process handles SIGINT.
fn wait_for_handler(child: &mut Child) {
    loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0").trim();
        if u64::from_str_radix(caught, 16).unwrap() & 2 != 0 {
            return;
        }
        assert!(child.try_wait().unwrap().is_none(), "the process has ended");
        thread::sleep(Duration::from_millis(2));
    }
}

/// The output of a command that a signal ends while it runs.
fn interrupted(args: &[&str], with: &str) -> String {
    let mut child = start(args);
    wait_for_handler(&mut child);
    thread::sleep(Duration::from_millis(300));
    signal(&child, with);
    let output = output(child);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.as_str()), (Some(130), ""), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("ludovec-{name}-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    dir
}

#[test]
fn an_interrupted_tournament_shows_its_results_so_far() {
    let id = GAMES[0].id;
    for (bots, games) in [("random,pass", "100000"), ("random,search:100000000", "4")] {
        let plot = folder("plot").join("elo.svg");
        let call = ["tournament", id, "--players", bots, "--games", games, "--plot", plot.to_str().unwrap()];
        for with in ["-INT", "-TERM"] {
            let printed = interrupted(&[&call[..], &["--json"]].concat(), with);
            let table: Value = serde_json::from_str(&printed).unwrap();
            assert_eq!((&table["partial"], &table["env"]), (&true.into(), &id.into()), "{printed}");
            assert!(table["games"].as_u64().unwrap() < games.parse().unwrap(), "{printed}");
            assert_eq!(table["standings"].as_array().unwrap().len(), 2);
            assert_eq!(table["faults"].as_array().unwrap().len(), 0);
        }
        let printed = interrupted(&call, "-INT");
        assert!(printed.contains("Elo") && printed.contains("partial: interrupted after"), "{printed}");
        assert!(fs::read_to_string(&plot).unwrap().contains("interrupted"));
        fs::remove_dir_all(plot.parent().unwrap()).unwrap();
    }
    let whole = start(&["tournament", id, "--players", "random,pass", "--games", "2", "--json"]);
    let table: Value = serde_json::from_slice(&output(whole).stdout).unwrap();
    assert_eq!((&table["partial"], &table["games"]), (&false.into(), &2.into()));
}

#[test]
fn an_interrupted_analysis_engine_ends_in_the_middle_of_a_search() {
    let query = "{\"id\": \"a\", \"player\": \"search:10000\", \"time\": 3600}\n";
    let mut child = Command::new(PROGRAM)
        .args(["analyse", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The input stays open.
    let mut input = child.stdin.take().unwrap();
    wait_for_handler(&mut child);
    input.write_all(query.as_bytes()).unwrap();
    thread::sleep(Duration::from_millis(100));
    signal(&child, "-TERM");
    let ended = output(child);
    assert_eq!((ended.status.code(), &ended.stdout[..]), (Some(130), &b""[..]), "{ended:?}");
}

#[test]
fn interrupted_self_play_shows_its_results_so_far() {
    let (id, dir) = (GAMES[0].id, folder("interrupted"));
    let record = dir.to_str().unwrap();
    for bot in ["random", "search:100000000"] {
        let call =
            ["selfplay", id, "--seconds", "10000", "--num-envs", "8", "--players", bot, "--record", record];
        let report: Value =
            serde_json::from_str(&interrupted(&[&call[..], &["--json"]].concat(), "-INT")).unwrap();
        assert_eq!(report["partial"], true);
        assert!(report["games"].is_u64() && report["seats"].is_array(), "{report}");
        let printed = interrupted(&call, "-TERM");
        assert!(printed.contains("mean score") && printed.contains("partial"), "{printed}");
    }
    for file in fs::read_dir(&dir).unwrap() {
        let replayed = output(start(&["replay", file.unwrap().path().to_str().unwrap()]));
        assert!(replayed.status.success(), "{replayed:?}");
    }
    fs::remove_dir_all(dir).unwrap();
}

/// Runs a command that cannot write files of more than `blocks` times 512 (or 1024) bytes, like on a full disk.
fn on_a_full_disk(blocks: u32, args: &[&str]) -> (String, String) {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let output = Command::new("sh").args(["-c", &script, PROGRAM]).args(args).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
    assert_eq!(said.trim_end().lines().count(), 1, "{args:?}: {said}");
    (String::from_utf8(output.stdout).unwrap(), said)
}

fn names(dir: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    fs::read_dir(dir).unwrap().map(name).collect()
}

#[test]
fn a_full_disk_leaves_nothing_broken_and_the_result_is_shown() {
    let id = GAMES[0].id;
    let dir = folder("full");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_string();

    let limits = ["--num-envs", "2", "--games", "3", "--set", "max_steps=40"];
    let records = path("records");
    let (shown, said) = on_a_full_disk(0, &[&["selfplay", id, "--record", &records][..], &limits].concat());
    assert!(
        shown.contains("mean score") && shown.contains("0 games kept") && said.contains(&records),
        "{shown}"
    );
    assert_eq!(names(&dir.join("records")), Vec::<String>::new());
    let (shown, _) =
        on_a_full_disk(0, &[&["selfplay", id, "--json", "--record", &records][..], &limits].concat());
    assert_eq!(serde_json::from_str::<Value>(&shown).unwrap()["games"], 3);

    let plot = path("elo.svg");
    fs::write(&plot, "an earlier picture").unwrap();
    let call = ["tournament", id, "--players", "random,pass", "--games", "2", "--plot", &plot];
    let (shown, said) = on_a_full_disk(1, &call);
    assert!(shown.contains("Elo") && said.contains(&plot), "{shown} {said}");
    assert_eq!(fs::read_to_string(&plot).unwrap(), "an earlier picture");

    let record = path("game.json");
    let players = vec!["a:random"; GAMES[0].make(NO_OPTIONS).unwrap().spec().players].join(",");
    let call = ["play", id, "--set", "max_steps=20", "--players", &players, "--quiet", "--record", &record];
    let (shown, said) = on_a_full_disk(0, &call);
    assert!(shown.contains("final scores") && said.contains(&record), "{shown} {said}");
    assert!(output(start(&call)).status.success());

    let (html, svg) = (path("game.html"), path("svg"));
    for call in [["replay", &record, "--html", &html], ["replay", &record, "--svg", &svg]] {
        let (shown, said) = on_a_full_disk(1, &call);
        assert!(shown.contains("replay exactly") && said.contains(call[3]), "{shown} {said}");
    }
    assert_eq!(names(&dir.join("svg")), Vec::<String>::new());

    let mut left = names(&dir);
    left.sort_unstable();
    assert_eq!(left, ["elo.svg", "game.json", "records", "svg"]);
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_full_disk_behind_standard_output_is_one_line() {
    let id = GAMES[0].id;
    let limits = ["--num-envs", "2", "--games", "2", "--set", "max_steps=40"];
    for args in [&["spec", id][..], &[&["selfplay", id][..], &limits].concat()] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = Command::new(PROGRAM).args(args).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.trim_end().lines().count() == 1 && said.contains("standard output"), "{said}");
    }
}

/// A server's process, killed when dropped, and its address.
struct Server(Child, String);

impl Server {
    fn start(args: &[&str]) -> Self {
        let mut child = start(args);
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).unwrap().trim_end();
        let address = address.split([';', '/']).next().unwrap().to_string();
        Self(child, address)
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.1).unwrap()
    }

    /// Requests a move of the bot without waiting for the answer.
    fn ask(&self, body: &str) -> TcpStream {
        let mut stream = self.connect();
        let length = body.len();
        write!(
            stream,
            "POST /turn HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}",
            self.1
        )
        .unwrap();
        stream
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn answer(mut stream: TcpStream) -> String {
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_bot_server_answers_others_beside_slow_clients_and_ends_at_the_first_signal() {
    let entry = &GAMES[0];
    let request = entry.make(NO_OPTIONS).unwrap().single(1).bot_request().to_string();
    for (with, bot) in [("-INT", "greedy"), ("-TERM", "search:100000000")] {
        let mut server = Server::start(&["bot-server", entry.id, "--players", bot, "--port", "0"]);
        // Some clients send half a request, others only keep a connection open.
        let mut slow: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
        slow[0].write_all(b"POST /turn HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{").unwrap();
        slow[1].write_all(b"POST /tu").unwrap();
        let answered = server.ask(&request);
        let nonsense = answer(server.ask(r#"{"no": "position"}"#));
        assert!(nonsense.starts_with("HTTP/1.1 400"), "{nonsense}");
        if bot == "greedy" {
            let answered = answer(answered);
            assert!(answered.starts_with("HTTP/1.1 200") && answered.contains("action"), "{answered}");
        }
        signal(&server.0, with);
        let start = Instant::now();
        let status = loop {
            if let Some(status) = server.0.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "the server goes on");
            thread::sleep(Duration::from_millis(5));
        };
        assert!(status.success(), "{status}");
    }
}

#[test]
fn a_bot_server_reads_no_more_than_games_need() {
    for entry in GAMES {
        let server = Server::start(&["bot-server", entry.id, "--players", "random", "--port", "0"]);
        let mut stream = server.connect();
        write!(
            stream,
            "POST /turn HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 9000000\r\n\r\n"
        )
        .unwrap();
        let refused = answer(stream);
        assert!(refused.starts_with("HTTP/1.1 413"), "{}: {refused}", entry.id);
        // The largest possible board.
        let sized = entry.options().iter().any(|option| option.name == "width");
        let sides = if sized { &["width", "height"][..] } else { &[] };
        let game =
            entry.make(sides.iter().map(|side| (*side, OptionValue::from(64))).collect::<Vec<_>>()).unwrap();
        let request = game.single(1).bot_request().to_string();
        assert!(request.len() < 1 << 18, "{}: a request of {} bytes", entry.id, request.len());
    }
}
