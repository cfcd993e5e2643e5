//! Drivers: threads that each own a process and answer questions, and the idle ones between games.
//!
//! On Linux a child dies with the thread that started it, so every process has a thread of its own that lives as long.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::process::{Deadline, ignore_closed_pipes, spawn};
use crate::engine::GtpPosition;

/// Maximum number of idle drivers of all players together.
const IDLE: usize = 16;

/// The position to choose a move in.
#[derive(Debug, Clone)]
pub(super) enum Question {
    /// A position in FEN, the moves since then, and whether the game is new; a move, or advice.
    Uci { start: String, moves: Vec<String>, is_new: bool, wanted: Wanted },
    /// The moves so far.
    Gtp(GtpPosition),
    /// A request in JSON.
    Json(String),
}

/// What a UCI engine is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A move.
    Move,
    /// The best line, and values of as many moves, by a multiple of the usual limits.
    Advice { moves: usize, effort: u32 },
}

/// A line of play of an engine.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EngineLine {
    /// The moves, at least one.
    pub(super) moves: Vec<String>,
    /// The expected outcome for the current player in [-1, 1].
    pub(super) value: f32,
}

/// The answer to a question.
#[derive(Debug)]
pub(super) enum Answer {
    /// The move, as written by the program.
    Move(String),
    /// The best line, then others by their first moves.
    Advice(Vec<EngineLine>),
    /// The program answered, but not with a move.
    NoMove(String),
    /// The program did not answer, for this reason; it is no longer running.
    Silent(String),
    /// The program did not start, or did not answer its greeting, for this reason; it is no longer running.
    Unstarted(String),
    /// The program can never play this game under these settings.
    Unable(String),
}

/// A conversation in one protocol. Its process starts with the first question, and again after it was lost.
pub(super) trait Conversation: Send {
    fn answer(&mut self, question: Question, deadline: Deadline<'_>) -> Answer;
    /// Ends the process in a regular way.
    fn end(&mut self);
}

/// A question with everything needed for its answer.
pub(super) struct Job {
    pub(super) question: Question,
    /// The driver that gets it, and the index of the question.
    pub(super) numbers: (usize, usize),
    pub(super) time_limit: Duration,
    pub(super) cancelled: Arc<AtomicBool>,
    pub(super) answers: Sender<((usize, usize), Answer)>,
}

/// The queue of a thread that owns a process.
pub(super) struct Driver {
    jobs: Sender<Job>,
}

impl Driver {
    /// An idle driver with this key, or a new one.
    ///
    /// # Errors
    /// The reason why no thread could be started.
    pub(super) fn take(key: &str, make: &dyn Fn() -> Box<dyn Conversation>) -> Result<Self, String> {
        let mut idle = IDLE_DRIVERS.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        if let Some(at) = idle.iter().position(|idle| idle.process == process && idle.key == key)
            && let Some(found) = idle.remove(at)
        {
            return Ok(found.driver);
        }
        drop(idle);
        let (jobs, received) = channel();
        let conversation = make();
        spawn("ludovec engine", move || drive(conversation, &received))?;
        Ok(Self { jobs })
    }

    /// Keeps the driver and its process for a later player with the same key.
    pub(super) fn put(self, key: &str) {
        let mut idle = IDLE_DRIVERS.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push_back(IdleDriver { key: key.into(), process: std::process::id(), driver: self });
        if idle.len() > IDLE {
            idle.pop_front();
        }
    }

    /// Hands a question to the thread; false if the thread has ended.
    pub(super) fn ask(&self, job: Job) -> bool {
        self.jobs.send(job).is_ok()
    }
}

struct IdleDriver {
    key: String,
    /// The process that started the thread: a fork has the memory but not the thread.
    process: u32,
    driver: Driver,
}

static IDLE_DRIVERS: Mutex<VecDeque<IdleDriver>> = Mutex::new(VecDeque::new());

/// Answers questions until the queue's sender is dropped, which ends the process.
fn drive(mut conversation: Box<dyn Conversation>, jobs: &Receiver<Job>) {
    ignore_closed_pipes();
    while let Ok(Job { question, numbers, time_limit, cancelled, answers }) = jobs.recv() {
        let answer = conversation.answer(question, Deadline::after(time_limit, &cancelled));
        // The player may have stopped waiting.
        let _ = answers.send((numbers, answer));
    }
    conversation.end();
}
