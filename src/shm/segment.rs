//! Segments by name: created, opened, mapped, removed.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use bytemuck::{Pod, Zeroable, bytes_of_mut};
use rustix::fs::{self, AtFlags, CWD, FallocateFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::process::{Pid, test_kill_process};
use rustix::shm;

use super::abi::{MAGIC, MAILBOXES, Preamble};
use super::error::fleet_error;
use super::guard::Guard;
use super::lock;
use crate::engine::{Error, Result};

/// The directory of POSIX shared memory on Linux.
const DIRECTORY: &str = "/dev/shm";

/// The path of fleet `name`'s segment, in the form for `shm_open`.
///
/// # Errors
/// [`Error::InvalidConfig`] if `name` is invalid.
fn path(name: &str) -> Result<String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
        return Err(Error::config(format!(
            "fleet name {name:?}: 1 to 64 letters, digits, '-', '_' and '.' are allowed"
        )));
    }
    Ok(format!("/ludovec.{name}"))
}

/// A segment mapped into this process.
pub(super) struct Mapping {
    // Dropped before the mapping, so that only mapped memory is guarded.
    guard: Option<Guard>,
    start: NonNull<u8>,
    len: usize,
}

// Safety: the mapping is plain memory; the ABI defines when each process reads and writes each part.
unsafe impl Send for Mapping {}
// Safety: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    fn new(file: BorrowedFd<'_>, len: usize) -> rustix::io::Result<Self> {
        // Safety: a fresh mapping at an address chosen by the kernel.
        let start = unsafe {
            mmap(std::ptr::null_mut(), len, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, file, 0)
        }?;
        let guard = Some(Guard::new(start as usize, len));
        let start = NonNull::new(start.cast()).expect("nothing is mapped at address 0");
        Ok(Self { guard, start, len })
    }

    /// Number of mapped bytes.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Pointer to `bytes` bytes at `offset`.
    ///
    /// # Panics
    /// If they are not all in the mapping.
    pub(super) fn at(&self, offset: usize, bytes: usize) -> NonNull<u8> {
        assert!(offset.checked_add(bytes).is_some_and(|end| end <= self.len), "an offset past the segment");
        // Safety: the offset is inside the mapping.
        unsafe { self.start.add(offset) }
    }

    /// The word at `offset`.
    pub(super) fn word(&self, offset: usize) -> &AtomicU32 {
        let word = self.at(offset, 4).cast::<AtomicU32>();
        assert!(word.is_aligned());
        // Safety: inside the mapping, aligned, and every process uses this word as an atomic.
        unsafe { word.as_ref() }
    }

    /// A copy of the value at `offset`, independent of later writes by other processes.
    pub(super) fn read<T: Pod>(&self, offset: usize) -> T {
        let from = self.at(offset, size_of::<T>());
        // Safety: inside the mapping; any bytes are a valid `T`.
        unsafe { from.cast::<T>().read_unaligned() }
    }

    /// A copy of `len` values at `offset`.
    pub(super) fn read_slice<T: Pod>(&self, offset: usize, len: usize) -> Vec<T> {
        let mut values = vec![T::zeroed(); len];
        let from = self.at(offset, len * size_of::<T>());
        // Safety: inside the mapping, with as many bytes as `values`; any bytes are a valid `T`.
        unsafe { from.copy_to_nonoverlapping(NonNull::from(&mut values[..]).cast(), len * size_of::<T>()) };
        values
    }

    /// Writes a value at `offset`.
    pub(super) fn write<T: Pod>(&self, offset: usize, value: T) {
        self.write_slice(offset, &[value]);
    }

    /// Writes values at `offset`.
    pub(super) fn write_slice<T: Pod>(&self, offset: usize, values: &[T]) {
        let to = self.at(offset, size_of_val(values));
        // Safety: inside the mapping; the source is memory of this process, or another part of the segment.
        unsafe { to.copy_from(NonNull::from(values).cast(), size_of_val(values)) };
    }

    /// Whether another program truncated the segment and this process has accessed a missing page.
    pub(super) fn truncated(&self) -> bool {
        self.guard.as_ref().is_some_and(Guard::truncated)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.guard = None;
        // Safety: the mapping's own memory, which has no references any more.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.len) };
    }
}

/// An open segment: its file with locks, and its memory, which may outlive the file.
pub(super) struct Segment {
    pub(super) file: OwnedFd,
    pub(super) memory: Arc<Mapping>,
}

impl Segment {
    /// Creates a segment of `bytes` bytes, calls `fill` before any other process can open it, and takes the fleet's
    /// lock. The pages are reserved, so no later access can fail for lack of memory.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for an invalid name, [`Error::Unavailable`] if the name is taken or there is no room.
    pub(super) fn create(name: &str, bytes: usize, mode: u32, fill: impl FnOnce(&Mapping)) -> Result<Self> {
        let path = path(name)?;
        let failed =
            |what: &str, e: Errno| fleet_error(format!("{name}: {what} in {DIRECTORY}: {}", reason(e)));
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file =
            fs::open(DIRECTORY, flags, Mode::empty()).map_err(|e| failed("no segment can be made", e))?;
        fs::fallocate(&file, FallocateFlags::empty(), 0, bytes as u64)
            .map_err(|e| failed(&format!("no room for a segment of {bytes} bytes"), e))?;
        let memory =
            Mapping::new(file.as_fd(), bytes).map_err(|e| failed("the segment cannot be mapped", e))?;
        fill(&memory);
        lock::take(file.as_fd(), lock::FLEET);
        // The mode is set after taking the lock, and with `fchmod`, which ignores the umask.
        fs::fchmod(&file, Mode::from_raw_mode(mode)).map_err(|e| failed("the mode cannot be set", e))?;
        let place = format!("{DIRECTORY}{path}");
        let source = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
        loop {
            match fs::linkat(CWD, &source, CWD, &place, AtFlags::SYMLINK_FOLLOW) {
                Ok(()) => return Ok(Self { file, memory: Arc::new(memory) }),
                Err(Errno::EXIST) => remove_leftover(name, &path)?,
                Err(e) => return Err(failed("the segment cannot be named", e)),
            }
        }
    }

    /// Opens the segment of the fleet `name`.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for an invalid name, [`Error::Unavailable`] if there is no such segment or access is
    /// denied.
    pub(super) fn open(name: &str) -> Result<Self> {
        let path = path(name)?;
        let failed = |e: Errno| fleet_error(format!("{name}: {}", reason(e)));
        let file = match shm::open(&path, shm::OFlags::RDWR, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => {
                return Err(fleet_error(format!("no fleet is called {name}: start one with ludovec serve")));
            }
            Err(Errno::ACCESS) => return Err(not_allowed(name, &path)),
            Err(e) => return Err(failed(e)),
        };
        let bytes = fs::fstat(&file).map_err(failed)?.st_size as usize;
        if bytes < MAILBOXES {
            return Err(fleet_error(format!("{name}: its segment was truncated to {bytes} bytes")));
        }
        let memory = Mapping::new(file.as_fd(), bytes).map_err(failed)?;
        Ok(Self { file, memory: Arc::new(memory) })
    }

    /// Whether this user owns the segment, and no other user can write it.
    pub(super) fn is_private(&self) -> bool {
        const OTHERS: u32 = 0o022;
        fs::fstat(&self.file).is_ok_and(|found| {
            found.st_uid == rustix::process::geteuid().as_raw() && found.st_mode & OTHERS == 0
        })
    }
}

impl Segment {
    /// Whether the fleet's process `pid` still serves.
    ///
    /// The lock alone is not enough, because forked children of the fleet inherit it.
    pub(super) fn is_served(&self, pid: u32) -> bool {
        lock::is_held(self.file.as_fd(), lock::FLEET) && process_exists(pid)
    }
}

fn process_exists(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

/// Removes the name of this segment, if the name still refers to it.
///
/// # Errors
/// The operating system's error.
pub(super) fn unlink(name: &str, file: BorrowedFd<'_>) -> rustix::io::Result<()> {
    let Ok(path) = path(name) else { return Ok(()) };
    match shm::open(&path, shm::OFlags::RDWR, Mode::empty()) {
        Ok(named) if is_same(named.as_fd(), file) => shm::unlink(&path),
        Ok(_) | Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(e),
    }
}

/// Removes the segment `name` if no fleet serves it. After success the name was free for a moment.
///
/// The segment's lock is held meanwhile: if several fleets start under one name, only one of them removes it.
fn remove_leftover(name: &str, path: &str) -> Result<()> {
    let place = format!("{DIRECTORY}{path}");
    let found = match fs::lstat(&place) {
        Ok(found) => found,
        // Another process removed it.
        Err(Errno::NOENT) => return Ok(()),
        Err(e) => return Err(fleet_error(format!("{name}: {}", reason(e)))),
    };
    let kind = FileType::from_raw_mode(found.st_mode);
    let in_the_way = |what: &str| {
        let kind = match kind {
            FileType::RegularFile => "file",
            FileType::Symlink => "symbolic link",
            FileType::Directory => "folder",
            _ => "special file",
        };
        fleet_error(format!(
            "{name}: {place}, a {kind} of user {} with mode {:04o}, {what}: remove it, or choose another name",
            found.st_uid,
            found.st_mode & 0o7777
        ))
    };
    const NO_FLEET: &str = "is not a fleet's segment";
    if kind != FileType::RegularFile {
        return Err(in_the_way(NO_FLEET));
    }
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let old = match fs::open(&place, flags, Mode::empty()) {
        Ok(old) => old,
        Err(Errno::NOENT) => return Ok(()),
        Err(e) => return Err(in_the_way(&format!("cannot be opened ({})", reason(e)))),
    };
    let mut preamble: Preamble = Zeroable::zeroed();
    let read = rustix::io::pread(&old, bytes_of_mut(&mut preamble), 0);
    if !read.is_ok_and(|n| n == size_of::<Preamble>()) || preamble.magic != MAGIC {
        return Err(in_the_way(NO_FLEET));
    }
    if !lock::take(old.as_fd(), lock::FLEET) && process_exists(preamble.pid) {
        return Err(fleet_error(format!(
            "{name}: a fleet of this name is running (process {}): stop it, or choose another name",
            preamble.pid
        )));
    }
    unlink(name, old.as_fd()).map_err(|e| in_the_way(&format!("cannot be removed ({})", reason(e))))
}

fn is_same(a: BorrowedFd<'_>, b: BorrowedFd<'_>) -> bool {
    match (fs::fstat(a), fs::fstat(b)) {
        (Ok(a), Ok(b)) => (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino),
        _ => false,
    }
}

fn not_allowed(name: &str, path: &str) -> Error {
    let owner = fs::stat(format!("{DIRECTORY}{path}"));
    let whose = owner
        .map_or(String::new(), |s| format!(" of user {} with mode {:04o}", s.st_uid, s.st_mode & 0o7777));
    fleet_error(format!(
        "{name}: permission denied: it is a fleet{whose}; its owner can start it with another --mode"
    ))
}

fn reason(error: Errno) -> String {
    std::io::Error::from(error).to_string()
}
