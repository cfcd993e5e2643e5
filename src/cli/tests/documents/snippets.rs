//! Commands in documents, line by line: commands of the program are run, with smaller arguments; for other commands
//! the test checks that their files and targets exist.

use std::env::temp_dir;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::{documents, root};

/// The first words of commands that are not run here: they install, build, or belong to Python.
const OTHERS: [&str; 21] = [
    ".venv/bin/ludovec",
    ".venv/bin/pip",
    ".venv/bin/python",
    "RUSTFLAGS=",
    "cargo",
    "cd",
    "cc",
    "cp",
    "curl",
    "docker",
    "git",
    "latest=",
    "make",
    "pip",
    "pypi-attestations",
    "python",
    "ray",
    "rustup",
    "sed",
    "sha256sum",
    "unzip",
];
/// Cargo's own subcommands; any other word is an alias of this checkout.
const CARGO: [&str; 6] = ["add", "doc", "install", "new", "run", "test"];
/// Commands that run until they are stopped.
const SERVERS: [&str; 3] = ["web", "serve", "bot-server"];

/// The commands in the shell blocks of a text, without comments and with continued lines joined.
fn commands(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let (mut inside, mut goes_on) = (false, false);
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside {
            let line = line.split(" #").next().unwrap_or_default().trim();
            let (line, more) = line.strip_suffix('\\').map_or((line, false), |line| (line.trim(), true));
            match found.last_mut() {
                Some(last) if goes_on => *last += &format!(" {line}"),
                _ => found.push(line.to_string()),
            }
            goes_on = more;
        }
    }
    found.retain(|command| !command.is_empty() && !command.starts_with('#'));
    found
}

/// A player with fewer simulations, if it makes any.
fn quicker(player: &str) -> String {
    match player.rsplit_once(':') {
        Some((name, number)) if number.parse::<u32>().is_ok() && !name.starts_with("http") => {
            format!("{name}:2")
        }
        _ => player.to_string(),
    }
}

/// The arguments of a command, reduced to less work.
fn smaller(command: &str) -> Vec<String> {
    let mut words: Vec<String> = command.split_whitespace().skip(1).map(str::to_string).collect();
    for i in 1..words.len() {
        let less = match words[i - 1].as_str() {
            "--games" | "--depth" => "2",
            "--steps" => "3",
            "--num-envs" => "8",
            "--seconds" => "0.01",
            "--search" => "2",
            "--duration" => "1",
            "--watch" => "127.0.0.1:0",
            "--players" | "--review" => {
                words[i] = words[i].split(',').map(quicker).collect::<Vec<_>>().join(",");
                continue;
            }
            _ => continue,
        };
        words[i] = less.to_string();
    }
    let said = |flag: &str| words.iter().any(|word| word == flag);
    let more: &[&str] = match words[0].as_str() {
        "bench" if !said("--seconds") && !said("--steps") => &["--seconds", "0.01"],
        "play" | "selfplay" | "tournament" => &["--set", "max_steps=8"],
        "web" => &["--port", "0"],
        "replay" if !said("--size") => &["--size", "100"],
        _ => &[],
    };
    words.extend(more.iter().map(|word| word.to_string()));
    words
}

/// A folder in which commands find the output of earlier ones.
struct Shell {
    folder: PathBuf,
    servers: Vec<Child>,
    /// The address of the bot server started last.
    address: Option<String>,
}

impl Shell {
    fn new(name: &str) -> Self {
        let folder = temp_dir().join(format!("ludovec-snippets-{}-{name}", std::process::id()));
        fs::create_dir_all(folder.join("trained/smallworld")).unwrap();
        let network = root().join("assets/networks/smallworld.safetensors");
        fs::copy(network, folder.join("trained/smallworld/best.safetensors")).unwrap();
        let pentobi = root().join("tests/data/tilewe/pentobi_duo.blksgf");
        fs::copy(pentobi, folder.join("games.blksgf")).unwrap();
        fs::write(folder.join("book.pgn"), "1. e4 e5 *\n\n1. d4 d5 *\n").unwrap();
        let shell = Self { folder, servers: Vec::new(), address: None };
        shell.run("play tilewe --players a:random,b:random,c:random,d:random --set max_steps=8 --quiet --record game.json");
        shell
    }

    fn program(&self, words: &[String]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ludovec"));
        command.args(words).current_dir(&self.folder);
        command
    }

    fn run(&self, line: &str) {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        let output = self.program(&words).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Starts a server and waits for its first line.
    fn serve(&mut self, words: &[String]) {
        let server = self.program(words).stdout(Stdio::piped()).spawn().unwrap();
        self.servers.push(server);
        let output = self.servers.last_mut().unwrap().stdout.take().unwrap();
        let line = BufReader::new(output).lines().next().expect("a server says where it is").unwrap();
        if let Some((_, rest)) = line.split_once("http://") {
            let end = rest.find([';', ' ', '/']).unwrap_or(rest.len());
            self.address = Some(format!("http://{}", &rest[..end]));
        }
    }

    fn try_command(&mut self, command: &str) {
        let mut words = smaller(command);
        for word in &mut words {
            if let Some(address) = &self.address {
                *word = word.replace("http://127.0.0.1:8000", address);
            }
            // Ports and fleet names are shared by the whole machine, so tests use free ones.
            if word == "8000" {
                *word = "0".into();
            }
            if word == "fleet" {
                *word = format!("snippets-{}", std::process::id());
            }
        }
        // Engines are programs that the machine may lack.
        let engine = ["--review", "--adviser"].iter().any(|flag| {
            let at = words.iter().position(|word| word == flag);
            at.and_then(|at| words.get(at + 1)).is_some_and(|word| word.starts_with("uci:"))
        });
        if engine {
            words.push("--help".into());
        } else if SERVERS.contains(&words[0].as_str()) {
            return self.serve(&words);
        }
        // There is no input, and no terminal: a game with a person ends at the end of the input.
        let person = words[0] == "play" && words.iter().any(|word| word.starts_with("me,"));
        let person = person || words.iter().any(|word| word == "--terminal");
        let film = words.iter().any(|word| word == "--mp4");
        if person || (film && Command::new("ffmpeg").arg("-version").output().is_err()) {
            words.push("--help".into());
        }
        self.run(&words.join(" "));
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        for server in &mut self.servers {
            let _ = server.kill();
            let _ = server.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Checks that a command that is not run names existing files, targets and commands.
fn check(command: &str) {
    let words: Vec<&str> = command.split_whitespace().collect();
    assert!(OTHERS.iter().any(|other| command.starts_with(other)), "no test runs {command:?}");
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    if words[0] == "make" {
        let target = format!("\n{}:", words[1]);
        assert!(makefile.contains(&target), "{command}: no such target");
    }
    if words[0] == "cargo" && !CARGO.contains(&words[1]) {
        let config = fs::read_to_string(root().join(".cargo/config.toml")).unwrap();
        assert!(config.contains(&format!("\n{} = ", words[1])), "{command}: no such alias");
    }
    if let Some(at) = words.iter().position(|word| *word == "--bench") {
        assert!(root().join(format!("benches/{}.rs", words[at + 1])).exists(), "{command}");
    }
    for word in words.iter().filter(|word| word.ends_with(".py") && word.contains('/')) {
        assert!(root().join(word).exists(), "{command}");
    }
}

#[test]
fn commands_in_documents_run() {
    let mut run = 0;
    for document in documents() {
        let commands = commands(&fs::read_to_string(&document).unwrap());
        let name = document.file_stem().unwrap_or_else(|| Path::new("").as_os_str()).to_string_lossy();
        let mut shell = None;
        for command in &commands {
            // The Python package trains; its tests read these commands.
            if command.starts_with("ludovec train ") {
                continue;
            }
            if command.starts_with("ludovec ") {
                shell.get_or_insert_with(|| Shell::new(&name)).try_command(command);
                run += 1;
            } else {
                check(command);
            }
        }
    }
    assert!(run > 25, "{run} commands were found");
}

#[test]
fn commands_are_read_and_made_smaller() {
    let text = "```sh\nludovec bench chess   # fast\nmake \\\n  test\n```\n```python\nx\n```\n";
    assert_eq!(commands(text), ["ludovec bench chess", "make test"]);
    assert_eq!(
        smaller("ludovec tournament tilewe --players search:200,http://a:80,net:x.onnx:64 --games 100"),
        [
            "tournament",
            "tilewe",
            "--players",
            "search:2,http://a:80,net:x.onnx:2",
            "--games",
            "2",
            "--set",
            "max_steps=8"
        ]
    );
    assert_eq!(smaller("ludovec bench tilewe"), ["bench", "tilewe", "--seconds", "0.01"]);
}
