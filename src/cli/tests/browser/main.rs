//! Pages in a real browser. Without an installed Chromium the tests print a note and check nothing.

mod devtools;
mod people;
mod replay;
mod static_pages;
mod web;
mod whole_games;

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Names of the executables of Chromium and its relatives.
const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// A headless Chromium that can reach only this machine.
#[derive(Debug)]
pub struct Browser {
    program: PathBuf,
}

impl Browser {
    /// The installed browser; without one, prints that `test` is skipped.
    pub(crate) fn find(test: &str) -> Option<Self> {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&folders)
            .flat_map(|folder| NAMES.map(|name| folder.join(name)))
            .find(|program| program.is_file());
        if found.is_none() {
            // Not `println!`, which a passing test would swallow.
            use std::io::Write;
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED {test}: no browser; one of {} is needed",
                NAMES.join(", ")
            );
        }
        found.map(|program| Self { program })
    }

    /// The document at `url` after its scripts have run for `time`, in virtual time.
    pub(crate) fn dom(&self, url: &str, time: Duration) -> String {
        self.dom_in([1200, 800], url, time)
    }

    /// The same in a window of another size in pixels, at least 500 wide in Chromium. On a busy machine a browser
    /// may hang at its start: then another one is started.
    pub(crate) fn dom_in(&self, size: [u32; 2], url: &str, time: Duration) -> String {
        let dom = self.dom_once(size, url, time).or_else(|| self.dom_once(size, url, time));
        dom.unwrap_or_else(|| panic!("{url}: the browser does not end"))
    }

    /// The document, or `None` if the browser does not end in time.
    fn dom_once(&self, [width, height]: [u32; 2], url: &str, time: Duration) -> Option<String> {
        let profile = std::env::temp_dir().join(format!("ludovec-browser-{}-{:p}", std::process::id(), &url));
        let mut child = Command::new(&self.program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .arg(format!("--window-size={width},{height}"))
            .arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost")
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("--virtual-time-budget={}", time.as_millis()))
            .args(["--dump-dom", url])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let mut stdout = child.stdout.take().expect("it is piped");
        let reader = std::thread::spawn(move || {
            let mut dom = String::new();
            stdout.read_to_string(&mut dom).map(|_| dom)
        });
        let start = Instant::now();
        let ended = loop {
            if let Some(status) = child.try_wait().expect("the browser can be waited for") {
                break Some(status);
            }
            if start.elapsed() > Duration::from_secs(120) {
                child.kill().expect("the browser can be stopped");
                break None;
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let _ = std::fs::remove_dir_all(&profile);
        // Children of a killed browser may keep the pipe open: then the reader is not joined.
        assert!(ended?.success(), "{url}: the browser failed: {ended:?}");
        Some(reader.join().expect("reading does not panic").expect("the document is text"))
    }
}

/// The value of an attribute of the document's `body`.
pub(crate) fn body_attribute<'a>(dom: &'a str, name: &str) -> &'a str {
    let body = dom.split_once("<body").and_then(|(_, rest)| rest.split_once('>')).expect("there is a body").0;
    let value = body.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split_once('"'));
    value.unwrap_or_else(|| panic!("no {name} in <body{body}>")).0
}
