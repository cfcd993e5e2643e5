//! A child process: its lines, time limits, its end.
//!
//! A child ends with this process, even if this one is killed. On Linux its parent-death signal sees to that, elsewhere
//! the end of its standard input. On Unix it leads a process group, which is killed as a whole: with its own children,
//! after a crash too, and by a watcher if this process is killed. On Windows only the child itself is killed.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::interruptible::{PendingCall, TICK};

/// Maximum length of a line in bytes.
const LONGEST_LINE: usize = 1 << 20;
/// Maximum number of bytes and lines of an answer: of everything between two texts that are written to the program.
const LONGEST_ANSWER: usize = 1 << 24;
const MOST_LINES: usize = 1 << 18;
/// Number of unread chunks of output; a process that writes more waits.
const CHUNKS: usize = 16;
/// Number of bytes for which a pipe certainly has room before the process reads: half of the smallest pipe.
const ROOM: usize = if cfg!(target_os = "linux") { 1 << 15 } else { 1 << 11 };
/// Number of bytes kept from the end of standard error.
const TAIL: usize = 1000;
/// Time that a process has to end by itself when it is asked to.
const FAREWELL: Duration = Duration::from_millis(200);

/// A running program.
pub(super) struct Process {
    child: Child,
    /// Kills the group when this process is gone. A member of the group, so that its number stays taken.
    #[cfg(unix)]
    watcher: Option<Child>,
    /// Open until the process is asked to end.
    stdin: Option<Arc<ChildStdin>>,
    /// Whether its end was seen: its number may then be another process's.
    is_over: bool,
    output: Receiver<Vec<u8>>,
    /// Output that is not yet read as lines.
    buffer: Vec<u8>,
    /// Number of bytes of `buffer` that belong to lines already read.
    read: usize,
    complaints: Arc<Mutex<Vec<u8>>>,
    /// Bytes written since the process last answered.
    unanswered: usize,
    /// Bytes and lines read since the last write.
    answered: (usize, usize),
}

/// The end of the time for an answer, and the flag that cancels it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline<'a> {
    pub(super) limit: Duration,
    pub(super) end: Instant,
    pub(super) cancelled: &'a AtomicBool,
}

impl<'a> Deadline<'a> {
    pub(super) fn after(limit: Duration, cancelled: &'a AtomicBool) -> Self {
        let end = Instant::now().checked_add(limit);
        // A limit beyond the clock's range is no limit.
        let end = end.unwrap_or_else(|| Instant::now() + Duration::from_secs(1 << 30));
        Self { limit, end, cancelled }
    }

    /// Time left, at most until the next look at the flag.
    fn slice(&self) -> Result<Duration, String> {
        if self.cancelled.load(Ordering::Acquire) {
            return Err("interrupted".into());
        }
        match self.end.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => Ok(left.min(TICK)),
            _ => Err(format!("no answer within {:?}", self.limit)),
        }
    }
}

impl Process {
    /// Starts a program. The calling thread must outlive the process on Linux, where the parent-death signal is sent at
    /// the end of the thread.
    ///
    /// # Errors
    /// The reason.
    pub(super) fn start(command: &[String]) -> Result<Self, String> {
        let [program, arguments @ ..] = command else { return Err("the command is missing".into()) };
        let mut start = Command::new(program);
        start.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        end_with_this_process(&mut start);
        let mut child = start.spawn().map_err(|error| format!("{program} cannot be started: {error}"))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            unreachable!("all three are pipes")
        };
        let (sender, output) = sync_channel(CHUNKS);
        let complaints = Arc::default();
        let kept = Arc::clone(&complaints);
        let mut process = Self {
            #[cfg(unix)]
            watcher: watcher(child.id()),
            child,
            stdin: Some(stdin.into()),
            is_over: false,
            output,
            buffer: Vec::new(),
            read: 0,
            complaints,
            unanswered: 0,
            answered: (0, 0),
        };
        let readers = [
            spawn("ludovec output", move || forward(stdout, &sender)),
            spawn("ludovec errors", move || keep_tail(stderr, kept)),
        ];
        match readers.into_iter().find_map(Result::err) {
            None => Ok(process),
            Some(error) => {
                process.kill();
                Err(error)
            }
        }
    }

    /// Writes text to the program.
    ///
    /// # Errors
    /// The reason: it has ended, or does not read.
    pub(super) fn write(&mut self, text: &str, deadline: Deadline<'_>) -> Result<(), String> {
        let Some(stdin) = self.stdin.clone() else { return Err(self.ended()) };
        self.unanswered += text.len();
        self.answered = (0, 0);
        let written = if self.unanswered <= ROOM {
            (&*stdin).write_all(text.as_bytes())
        } else {
            // The write blocks if the program does not read, so another thread waits for it.
            let text = text.to_string();
            let write = move || {
                ignore_closed_pipes();
                (&*stdin).write_all(text.as_bytes())
            };
            let mut call = PendingCall::spawn("ludovec input", write).map_err(|error| error.to_string())?;
            let mut late = None;
            match call.wait(|| deadline.slice().map_err(|reason| late = Some(reason)).is_err()) {
                Some(written) => written,
                None => return Err(late.unwrap_or_default()),
            }
        };
        written.map_err(|_| self.ended())
    }

    /// The next line of its output, without the line end.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(super) fn line(&mut self, deadline: Deadline<'_>) -> Result<String, String> {
        let mut searched = self.read;
        loop {
            if let Some(length) = self.buffer[searched..].iter().position(|&byte| byte == b'\n') {
                // A program that writes without end is late, too.
                deadline.slice()?;
                let line = &self.buffer[self.read..searched + length];
                let line = String::from_utf8_lossy(line).trim_end_matches('\r').to_string();
                self.answered.0 += searched + length + 1 - self.read;
                self.answered.1 += 1;
                self.read = searched + length + 1;
                self.unanswered = 0;
                if self.answered.0 > LONGEST_ANSWER || self.answered.1 > MOST_LINES {
                    let most = LONGEST_ANSWER >> 20;
                    return Err(format!("it wrote more than {MOST_LINES} lines or {most} MiB in one answer"));
                }
                return Ok(line);
            }
            self.buffer.drain(..self.read);
            (self.read, searched) = (0, self.buffer.len());
            if searched > LONGEST_LINE {
                return Err(format!("it wrote a line of more than {LONGEST_LINE} bytes"));
            }
            match self.output.recv_timeout(deadline.slice()?) {
                Ok(chunk) => self.buffer.extend(chunk),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
        }
    }

    /// The reason of its end: exit status and the last line of standard error.
    fn ended(&mut self) -> String {
        let end = Instant::now() + FAREWELL;
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    self.is_over = true;
                    break format!("it has ended ({status})");
                }
                Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(2)),
                _ => break "it closed its output".into(),
            }
        };
        while self.is_over && Arc::strong_count(&self.complaints) > 1 && Instant::now() < end {
            thread::sleep(Duration::from_millis(2));
        }
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&complaints).into_owned();
        match text.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(last) => format!("{status}: {}", last.trim()),
            None => status,
        }
    }

    /// Asks the program to end, by this text and the end of its input, and kills it if it does not.
    pub(super) fn part(mut self, farewell: &str) {
        let never = AtomicBool::new(false);
        if self.write(farewell, Deadline::after(FAREWELL, &never)).is_ok() {
            self.stdin = None;
            self.ended();
        }
    }

    fn kill(&mut self) {
        #[cfg(unix)]
        {
            let group = self.child.id() as libc::pid_t;
            // The number of the group is taken as long as its leader or the watcher was not waited for.
            if !self.is_over || self.watcher.is_some() {
                // Safety: a system call without pointers.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
            if let Some(mut watcher) = self.watcher.take() {
                let _ = watcher.kill();
                let _ = watcher.wait();
            }
        }
        if !self.is_over {
            // It may have ended already.
            let _ = self.child.kill();
            let _ = self.child.wait();
            self.is_over = true;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a shell in the process group that kills the group at the end of its input, which only this process holds. Such
/// a process is needed for the children of a wrapper script: the parent-death signal reaches the script only. Without a
/// shell there is none.
#[cfg(unix)]
fn watcher(group: u32) -> Option<Child> {
    let mut start = Command::new("/bin/sh");
    start.args(["-c", "read -r line; kill -9 \"-$0\"", &group.to_string()]);
    start.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    std::os::unix::process::CommandExt::process_group(&mut start, group.cast_signed());
    start.spawn().ok()
}

/// Makes a child end with this process, and not with the terminal's Ctrl-C, which this process handles.
fn end_with_this_process(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(target_os = "linux")]
    {
        let parent = std::process::id();
        let die_with_parent = move || {
            // Safety: system calls without pointers.
            let orphaned = unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 || libc::getppid() as u32 != parent
            };
            if orphaned { Err(std::io::Error::from_raw_os_error(libc::ESRCH)) } else { Ok(()) }
        };
        // Safety: the closure makes system calls only and does not allocate.
        unsafe { std::os::unix::process::CommandExt::pre_exec(command, die_with_parent) };
    }
}

/// Lets writes to a closed pipe fail in this thread. In the program `ludovec` the signal would end the whole process.
pub(super) fn ignore_closed_pipes() {
    #[cfg(target_os = "linux")]
    // Safety: the set is initialised before it is used. The signal of a write is sent to the thread that writes.
    unsafe {
        let mut signals: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut signals);
        libc::sigaddset(&raw mut signals, libc::SIGPIPE);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signals, std::ptr::null_mut());
    }
}

/// Starts a thread.
pub(super) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let spawned = thread::Builder::new().name(name.into()).spawn(work);
    spawned.map(drop).map_err(|error| format!("no thread could be started: {error}"))
}

/// Forwards output in chunks, each with all the lines that are there.
fn forward(mut stdout: impl Read, sender: &SyncSender<Vec<u8>>) {
    let mut chunk = vec![0; 1 << 14];
    loop {
        match stdout.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) if sender.send(chunk[..length].into()).is_err() => return,
            Err(error) if error.kind() != std::io::ErrorKind::Interrupted => return,
            _ => {}
        }
    }
}

/// Keeps the end of an output, and drops its reference to `kept` at the end of the output.
fn keep_tail(mut stderr: impl Read, kept: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = vec![0; 1 << 10];
    while let Ok(length) = stderr.read(&mut chunk)
        && length > 0
    {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&chunk[..length]);
        let before = kept.len().saturating_sub(TAIL);
        kept.drain(..before);
    }
}
