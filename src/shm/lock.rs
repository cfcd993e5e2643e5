//! Locks on bytes of a segment's file, which show whether processes are alive.
//!
//! The locks belong to an open file description (`F_OFD_SETLK`), not to a process: two clients in one process exclude
//! each other, and closing another file releases nothing.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;

/// The byte locked by a serving fleet.
pub(super) const FLEET: usize = 0;
/// The byte locked by a client while it claims blocks.
pub(super) const CLAIM: usize = 1;

/// A locked byte, unlocked when dropped.
pub(super) struct Guard<'a> {
    file: BorrowedFd<'a>,
    offset: usize,
}

impl<'a> Guard<'a> {
    /// Locks byte `offset` as soon as it is free; `None` if it stays locked elsewhere for `limit`.
    pub(super) fn take(file: BorrowedFd<'a>, offset: usize, limit: Duration) -> Option<Self> {
        let start = Instant::now();
        while !take(file, offset) {
            if start.elapsed() > limit {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
        Some(Self { file, offset })
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        release(self.file, self.offset);
    }
}

/// Locks byte `offset`; false if it is locked elsewhere.
pub(super) fn take(file: BorrowedFd<'_>, offset: usize) -> bool {
    control(file, libc::F_OFD_SETLK, libc::F_WRLCK, offset).is_ok()
}

/// Unlocks byte `offset`.
pub(super) fn release(file: BorrowedFd<'_>, offset: usize) {
    let _ = control(file, libc::F_OFD_SETLK, libc::F_UNLCK, offset);
}

/// Whether byte `offset` is locked elsewhere.
pub(super) fn is_held(file: BorrowedFd<'_>, offset: usize) -> bool {
    control(file, libc::F_OFD_GETLK, libc::F_WRLCK, offset).is_ok_and(|kind| kind != libc::F_UNLCK)
}

fn control(file: BorrowedFd<'_>, operation: i32, kind: i32, offset: usize) -> Result<i32, Errno> {
    let mut lock = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: offset as libc::off_t,
        l_len: 1,
        l_pid: 0,
    };
    // Safety: the descriptor is open and the operation reads and writes one `flock`.
    match unsafe { libc::fcntl(file.as_raw_fd(), operation, &raw mut lock) } {
        0 => Ok(lock.l_type.into()),
        _ => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)),
    }
}
