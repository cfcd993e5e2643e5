//! Fleets and clients as processes.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// `ludovec serve` as a process, killed when dropped.
pub struct Server {
    pub name: String,
    child: Child,
}

impl Server {
    pub fn start(name: &str, env: &str, arguments: &[&str]) -> Self {
        let mut child = ludovec(&["serve", env, "--name", name])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let mut server = Self { name: name.into(), child };
        if !line.contains(name) {
            panic!("the fleet did not start: {:?}", server.end());
        }
        server
    }

    /// `kill -9`
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// `kill -SIGNAL`
    pub fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    /// Stops the process, like `kill -STOP`, and waits until all of its threads are stopped.
    pub fn stop(&self) {
        self.signal("-STOP");
        let tasks = format!("/proc/{}/task", self.child.id());
        let stands_still = |task: PathBuf| {
            let line = fs::read_to_string(task.join("stat")).unwrap();
            line.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
        };
        while !fs::read_dir(&tasks).unwrap().all(|task| stands_still(task.unwrap().path())) {
            thread::yield_now();
        }
    }

    /// Waits for the process to end by itself: returns its exit code, unless a signal ended it, and its output.
    pub fn end(&mut self) -> (Option<i32>, String) {
        end(&mut self.child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(path(&self.name));
    }
}

pub fn ludovec(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludovec"));
    command.args(arguments);
    command
}

/// Waits for a process to end by itself: returns its exit code, unless a signal ended it, and its output.
fn end(child: &mut Child) -> (Option<i32>, String) {
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() > Duration::from_secs(20) => {
                child.kill().unwrap();
                panic!("process {} goes on", child.id());
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut said = String::new();
    child.stderr.as_mut().unwrap().read_to_string(&mut said).unwrap();
    (status.code(), said)
}

/// Runs a command that must fail: returns its exit code and its one-line message.
pub fn failure(command: &mut Command) -> (i32, String) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (code, said) = end(&mut child);
    assert_eq!(said.trim_end().lines().count(), 1, "not one line: {said}");
    (code.unwrap_or(-1), said)
}

pub fn path(name: &str) -> String {
    format!("/dev/shm/ludovec.{name}")
}

/// A fleet's segment, opened like by any process.
pub struct Outsider(pub File);

impl Outsider {
    pub fn open(name: &str) -> Self {
        Self(OpenOptions::new().read(true).write(true).open(path(name)).unwrap())
    }
    pub fn word(&self, offset: u64) -> u32 {
        let mut bytes = [0; 4];
        self.0.read_exact_at(&mut bytes, offset).unwrap();
        u32::from_le_bytes(bytes)
    }
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        self.0.write_all_at(bytes, offset).unwrap();
    }
    pub fn len(&self) -> u64 {
        self.0.metadata().unwrap().len()
    }
}

/// Offset of the mailbox of a block.
pub fn mailbox(block: u64) -> u64 {
    4096 + 256 * block
}
