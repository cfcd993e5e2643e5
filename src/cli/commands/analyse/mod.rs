//! `ludovec analyse`: an analysis engine. Queries are read from standard input, one JSON object a line, and answered out
//! of order as they finish, in the words of KataGo's analysis engine.
//!
//! | file | holds |
//! |---|---|
//! | `query` | a query, read into the positions that it asks about |
//! | `answer` | the analysis of a position, as JSON |

mod answer;
mod query;

use std::collections::HashMap;
use std::io::{BufRead, Write, stdin, stdout};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use self::query::{Refusal, Task, text_of, turns};
use crate::arguments::{AllowArgs, EnvArgs, PlayerArgs, pairs, threads};
use crate::failure::{CommandResult, Failure};
use crate::output::json_line;
use crate::signals::interruptible;
use ludovec::engine::Interrupt;
use ludovec::play::player::{ADVISERS, can_analyse};

/// Longest line of a query, in bytes.
const LONGEST: usize = 1 << 26;
/// Time between two looks at the flag of Ctrl-C.
const SLICE: Duration = Duration::from_millis(50);

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    env: EnvArgs,
    /// Positions that are analysed side by side; all cores by default
    #[arg(long, value_parser = threads)]
    threads: Option<usize>,
    /// Answer in JSON, with the values of all actions; by default a line for people
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    allow: AllowArgs,
    #[command(flatten)]
    limits: PlayerArgs,
}

/// The queue of positions, shared by the reader of queries and the threads that analyse.
#[derive(Default)]
struct Queue {
    waiting: Vec<Task>,
    /// Positions in progress: query, turn, and the flag that ends the analysis.
    running: HashMap<u64, (String, usize, Interrupt)>,
    /// Number of positions so far.
    count: u64,
    /// Whether no more queries will come.
    is_closed: bool,
}

impl Queue {
    /// The position of the highest priority that has waited longest.
    fn next(&mut self) -> Option<Task> {
        let first = self.waiting.iter().map(|task| task.priority).max()?;
        let place = self.waiting.iter().position(|task| task.priority == first)?;
        let task = self.waiting.remove(place);
        self.running.insert(task.number, (task.id.clone(), task.turn, task.interrupt.clone()));
        Some(task)
    }

    /// Removes the waiting positions of a selection and ends the running ones; returns the removed ones.
    fn terminate(&mut self, is_meant: impl Fn(&str, usize) -> bool) -> Vec<Task> {
        let running = self.running.values().filter(|(id, turn, _)| is_meant(id, *turn));
        running.for_each(|(_, _, interrupt)| interrupt.raise());
        let (ended, waiting) = self.waiting.drain(..).partition(|task| is_meant(&task.id, task.turn));
        self.waiting = waiting;
        ended
    }
}

/// The engine.
struct Engine {
    queue: Mutex<Queue>,
    changed: Condvar,
    is_json: bool,
}

impl Engine {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints an answer as a line; false if the output is closed.
    fn say(&self, answer: &Value) -> bool {
        let line = if self.is_json { json_line(answer) } else { answer::in_words(answer) } + "\n";
        let mut out = stdout().lock();
        out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_ok()
    }

    /// Answers waiting positions until the queue is closed and empty.
    fn work(&self) {
        loop {
            let mut queue = self.queue();
            let task = loop {
                match queue.next() {
                    Some(task) => break task,
                    None if queue.is_closed => return,
                    None => queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(queue);
            let answer = answer::of_task(&task);
            self.queue().running.remove(&task.number);
            if !self.say(&answer) {
                return;
            }
        }
    }

    /// Carries out a line; `reader` reads queries.
    fn obey(&self, line: &str, reader: &mut query::Reader) {
        let wrong = |what: String| {
            self.say(&json!({ "error": what }));
        };
        let read = match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return wrong("a query is an object in JSON".into()),
            Err(error) => return wrong(format!("a query is JSON in one line: {error}")),
        };
        let id = read.get("id").cloned();
        let done = match read.get("action") {
            Some(action) => self.act(action, &read),
            None => reader.tasks(&read).map(|tasks| self.add(tasks)),
        };
        if let Err(Refusal { field, what }) = done {
            let mut answer = json!({ "error": what });
            answer["field"] = field.into();
            if let Some(id) = id {
                answer["id"] = id;
            }
            self.say(&answer);
        }
    }

    fn add(&self, tasks: Vec<Task>) {
        let mut queue = self.queue();
        for task in tasks {
            queue.count += 1;
            let number = queue.count;
            queue.waiting.push(Task { number, ..task });
        }
        drop(queue);
        self.changed.notify_all();
    }

    /// An action beside the analysis of positions. The answer repeats the query.
    fn act(&self, action: &Value, fields: &serde_json::Map<String, Value>) -> Result<(), Refusal> {
        let name = text_of("action", action)?;
        text_of("id", fields.get("id").unwrap_or(&Value::Null))?;
        let mut answer = Value::Object(fields.clone());
        let mut ended = Vec::new();
        match name {
            "query_version" => {
                answer["version"] = env!("CARGO_PKG_VERSION").into();
                answer["engine"] = "ludovec".into();
            }
            // Positions share no results.
            "clear_cache" => {}
            "terminate" => {
                let id = text_of("terminateId", fields.get("terminateId").unwrap_or(&Value::Null))?;
                let turns = turns(fields, "turnNumbers")?;
                let is_turn = |turn: usize| turns.as_ref().is_none_or(|turns| turns.contains(&turn));
                ended = self.queue().terminate(|other, turn| other == id && is_turn(turn));
            }
            "terminate_all" => ended = self.queue().terminate(|_, _| true),
            _ => {
                let allowed = "query_version, clear_cache, terminate and terminate_all are allowed";
                return Err(Refusal::new("action", format!("action {name:?}: {allowed}")));
            }
        }
        self.say(&answer);
        for task in &ended {
            self.say(&answer::without_results(task));
        }
        Ok(())
    }
}

pub(super) fn run(args: &Args) -> CommandResult {
    args.env.make()?;
    // The user who starts the program may name any option.
    let trust = args.allow.allowed_with(pairs(&args.env.set)?)?;
    if let Some(name) = args.allow.players.iter().find(|name| !can_analyse(name)) {
        return Err(Failure::Usage(format!(
            "player {name:?} only chooses actions; {ADVISERS} analyse positions"
        )));
    }
    let mut reader = query::Reader::new(&args.env, trust, args.limits.time_limit())?;
    let interrupt = interruptible()?;
    let engine = Arc::new(Engine { queue: Mutex::default(), changed: Condvar::new(), is_json: args.json });
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let count = args.threads.unwrap_or_else(cores);
    let workers: Vec<_> = (0..count)
        .map(|_| {
            let engine = engine.clone();
            thread::spawn(move || engine.work())
        })
        .collect();
    // Reading blocks, and Ctrl-C must be heard.
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut input = stdin().lock();
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            let text = String::from_utf8_lossy(&line[..line.len().min(LONGEST)]).into_owned();
            if sender.send(text).is_err() {
                return;
            }
            line.clear();
        }
    });
    while !interrupt.is_raised() {
        match lines.recv_timeout(SLICE) {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => engine.obey(line.trim(), &mut reader),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    engine.queue().is_closed = true;
    engine.changed.notify_all();
    while workers.iter().any(|worker| !worker.is_finished()) {
        if interrupt.is_raised() {
            // The threads end with the program.
            return Err(Failure::Interrupted);
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}
