//! A browser with real keys, clicks and taps: Chromium's DevTools protocol over a pair of pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Browser;

/// Time limit for an answer of the browser on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Time limit for a touch. A busy browser needs a second; one that has lost the touch never answers.
const TOUCH_PATIENCE: Duration = Duration::from_secs(30);

/// A tab of a headless browser; the browser ends with it.
pub struct Tab {
    child: Child,
    profile: PathBuf,
    sender: ChildStdin,
    messages: Receiver<Value>,
    calls: u64,
    size: [u32; 2],
    touch: bool,
    /// The open page, and its session name.
    target: Option<Value>,
    session: Option<String>,
    /// Number of documents that have been loaded with everything in them.
    loads: u64,
    /// Errors, warnings, exceptions and failed requests on the page's console.
    pub complaints: Vec<String>,
}

impl Tab {
    /// A tab with this size in pixels; with `touch` it emulates a phone.
    pub fn open(browser: &Browser, size: [u32; 2], touch: bool) -> Self {
        let profile = std::env::temp_dir().join(format!("ludovec-tab-{}-{:p}", std::process::id(), &size));
        // The protocol uses the file descriptors 3 and 4, which only a shell can pass on.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1"])
            .arg(&browser.program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--remote-debugging-pipe",
            ])
            // Input is handled once per frame: an unlimited frame rate saves time.
            .args(["--disable-frame-rate-limit", "--disable-gpu-vsync"])
            .arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost")
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let sender = child.stdin.take().expect("it is piped");
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let (reader, messages) = channel();
        thread::spawn(move || {
            for message in stdout.split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("messages are JSON");
                if reader.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            profile,
            sender,
            messages,
            calls: 0,
            size,
            touch,
            target: None,
            session: None,
            loads: 0,
            complaints: Vec::new(),
        }
    }

    /// Opens a fresh page of `url`. `script` runs before the scripts of the page.
    pub fn visit(&mut self, url: &str, script: &str) {
        self.session = None;
        if let Some(before) = self.target.take() {
            self.call("Target.closeTarget", json!({ "targetId": before }));
        }
        let target = self.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].take();
        let session = self.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        self.target = Some(target);
        self.session = Some(session["sessionId"].as_str().expect("a session has an id").into());
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            self.call(domain, json!({}));
        }
        let (size, touch) = (self.size, self.touch);
        self.resize(size);
        self.call("Emulation.setTouchEmulationEnabled", json!({ "enabled": touch }));
        self.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        self.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }));
        self.call("Page.navigate", json!({ "url": url }));
    }

    /// Changes the size of the screen.
    pub fn resize(&mut self, [width, height]: [u32; 2]) {
        self.size = [width, height];
        let mobile = self.touch;
        let screen = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.call("Emulation.setDeviceMetricsOverride", screen);
    }

    /// Loads the page again, in the same tab.
    pub fn reload(&mut self) {
        let before = self.loads;
        self.call("Page.reload", json!({}));
        while self.loads == before {
            let message = self.messages.recv_timeout(PATIENCE).expect("the page loads");
            self.listen(&message);
        }
    }

    /// The value of an expression, awaited if it is a promise.
    pub fn value(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", asked);
        assert_eq!(answer["exceptionDetails"], Value::Null, "{expression}");
        answer["result"]["value"].clone()
    }

    pub fn click(&mut self, [x, y]: [f64; 2]) {
        for event in ["mousePressed", "mouseReleased"] {
            let params = json!({ "type": event, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    /// Presses the button at one point, moves, and releases it at another.
    pub fn drag(&mut self, from: [f64; 2], to: [f64; 2]) {
        let between = [f64::midpoint(from[0], to[0]), f64::midpoint(from[1], to[1])];
        let events = [
            ("mouseMoved", from),
            ("mousePressed", from),
            ("mouseMoved", between),
            ("mouseMoved", to),
            ("mouseReleased", to),
        ];
        for (event, [x, y]) in events {
            let params =
                json!({ "type": event, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    /// Touches a point. Returns the number of touch events that the browser has answered, 2 unless it lost one.
    pub fn tap(&mut self, [x, y]: [f64; 2]) -> u64 {
        let events = [("touchStart", json!([{ "x": x, "y": y }])), ("touchEnd", json!([]))];
        let mut answered = 0;
        for (event, points) in events {
            let params = json!({ "type": event, "touchPoints": points });
            if self.ask("Input.dispatchTouchEvent", &params, TOUCH_PATIENCE).is_none() {
                break;
            }
            answered += 1;
        }
        answered
    }

    /// Presses a key by its DOM name; the only key that types is Enter.
    pub fn press(&mut self, key: &str) {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Escape" => 27,
            "f" => 70,
            "r" => 82,
            other => panic!("{other} has no code here"),
        };
        let mut params = json!({ "key": key, "code": key, "windowsVirtualKeyCode": code });
        for event in ["keyDown", "keyUp"] {
            params["type"] = event.into();
            if key == "Enter" && event == "keyDown" {
                params["text"] = "\r".into();
            }
            self.call("Input.dispatchKeyEvent", params.clone());
        }
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.ask(method, &params, PATIENCE).unwrap_or_else(|| panic!("{method}: no answer of the browser"))
    }

    /// Calls a method; `None` without an answer in time.
    fn ask(&mut self, method: &str, params: &Value, patience: Duration) -> Option<Value> {
        self.calls += 1;
        let id = self.calls;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        write!(self.sender, "{message}\0").expect("the browser runs");
        loop {
            let mut message = match self.messages.recv_timeout(patience) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => panic!("{method}: the browser has ended"),
            };
            if message["id"] == id {
                assert_eq!(message["error"], Value::Null, "{method} {params}");
                return Some(message["result"].take());
            }
            self.listen(&message);
        }
    }

    /// Collects the page's complaints.
    fn listen(&mut self, message: &Value) {
        let params = &message["params"];
        self.loads += u64::from(message["method"] == "Page.loadEventFired");
        let is_bad = |level: &Value| matches!(level.as_str(), Some("error" | "warning" | "assert"));
        let complains = match message["method"].as_str() {
            Some("Runtime.consoleAPICalled") => is_bad(&params["type"]),
            Some("Runtime.exceptionThrown") => true,
            Some("Log.entryAdded") => is_bad(&params["entry"]["level"]),
            _ => false,
        };
        if complains {
            self.complaints.push(params.to_string());
        }
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
