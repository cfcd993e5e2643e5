//! Atomic file writes: after a full disk, a killed process or a power cut, a file is complete or unchanged.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::interruptible::PendingCall;

/// Creates or replaces a file atomically.
///
/// Writes a temporary file with a unique name in the same folder, syncs it to disk and renames it: at any time, the
/// target is the old file or the new one. For a symbolic link, its target is replaced; devices and pipes are written
/// to.
///
/// # Errors
/// The operating system's; the target is then unchanged, and the temporary file is removed.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let earlier = fs::metadata(path).ok();
    // Devices and pipes cannot be replaced, only written to.
    if earlier.as_ref().is_some_and(|earlier| !earlier.is_file()) {
        return open_special(path)?.write_all(bytes);
    }
    let beside = beside(path)?;
    let written = File::create_new(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        earlier.map_or(Ok(()), |earlier| file.set_permissions(earlier.permissions()))?;
        // Sync before the rename: otherwise the file may be empty after a power cut.
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written?;
    sync_folder(path);
    Ok(())
}

/// Creates or empties a file that is written bit by bit; devices and pipes are opened for writing.
///
/// # Errors
/// The operating system's; a FIFO without a reader is an error, too.
pub fn create(path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(known) if !known.is_file() && !known.is_dir() => open_special(path),
        _ => File::create(path),
    }
}

/// Opens a device or a pipe for writing. A FIFO without a reader is an error: opening it would wait for one.
#[cfg(target_os = "linux")]
fn open_special(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, fcntl_setfl, open};
    let opened = open(path, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty());
    let file: File = match opened {
        Err(rustix::io::Errno::NXIO) => {
            return Err(io::Error::new(ErrorKind::InvalidInput, "a pipe without a reader"));
        }
        opened => opened?.into(),
    };
    fcntl_setfl(&file, OFlags::empty())?;
    Ok(file)
}
#[cfg(not(target_os = "linux"))]
fn open_special(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// An exclusive lock for a file that is [replaced](replace): a locked file `FILE.lock` beside it, removed with the
/// lock.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    locked: Option<File>,
}

/// Time that the removal of a lock waits for its file system.
const REMOVAL: Duration = Duration::from_secs(1);

impl FileLock {
    /// Locks a path; the file itself need not exist.
    ///
    /// # Errors
    /// [`ErrorKind::WouldBlock`] if this or another process has locked it; otherwise the operating system's.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut name = path.file_name().ok_or(ErrorKind::InvalidInput)?.to_os_string();
        name.push(".lock");
        let path = path.with_file_name(name);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        // Opening a FIFO without a reader is an error rather than a wait. Regular files ignore the flag.
        #[cfg(target_os = "linux")]
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            &mut options,
            rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
        );
        loop {
            let file = options.open(&path)?;
            file.try_lock().map_err(|error| match error {
                TryLockError::WouldBlock => ErrorKind::WouldBlock.into(),
                TryLockError::Error(error) => error,
            })?;
            // The previous owner may have removed the file between open and lock.
            if is_at(&file, &path) {
                return Ok(Self { path, locked: Some(file) });
            }
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        let (path, locked) = (mem::take(&mut self.path), self.locked.take());
        let mut since = None;
        let remove = move || {
            // Remove the file while it is locked, so that it is never another process's lock.
            let _ = fs::remove_file(path);
            drop(locked);
        };
        // A file system that has stopped answering must not stop the caller, too.
        if let Ok(mut call) = PendingCall::spawn("ludovec lock", remove) {
            call.wait(|| since.get_or_insert_with(Instant::now).elapsed() >= REMOVAL);
        }
    }
}

/// Whether an open file is still the file at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    file.metadata().map(id).ok() == fs::metadata(path).map(id).ok()
}
/// Whether an open file is still the file at `path`; always true, because this system does not remove open files.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Syncs the folder of a renamed file, best effort. Without it, a power cut may undo the rename but not damage the
/// file.
fn sync_folder(path: &Path) {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// A temporary name in the same folder, unique among all calls of all processes.
fn beside(path: &Path) -> io::Result<PathBuf> {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{}.part", process::id(), CALLS.fetch_add(1, Ordering::Relaxed)));
    Ok(path.with_file_name(hidden))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_lock_is_exclusive() {
        let file = std::env::temp_dir().join(format!("ludovec-lock-{}", process::id()));
        let lock = FileLock::of(&file).unwrap();
        assert!(FileLock::of(&file).is_err_and(|error| error.kind() == ErrorKind::WouldBlock));
        drop(lock);
        drop(FileLock::of(&file).unwrap());
        let beside = file.with_file_name(format!("{}.lock", file.file_name().unwrap().to_str().unwrap()));
        assert!(!beside.exists() && !file.exists());
        // Only one thread at a time gets the lock.
        let inside = AtomicU64::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let Ok(_lock) = FileLock::of(&file) else { continue };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_without_a_reader_is_refused_at_once() {
        let pipe = std::env::temp_dir().join(format!("ludovec-pipe-{}", process::id()));
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        for refused in [create(&pipe).map(drop), replace(&pipe, b"text")] {
            assert_eq!(refused.unwrap_err().to_string(), "a pipe without a reader");
        }
        let reader = OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
        create(&pipe).unwrap().write_all(b"text").unwrap();
        drop(reader);
        fs::remove_file(pipe).unwrap();
    }

    #[test]
    fn concurrent_writes_leave_one_complete_file() {
        let dir = std::env::temp_dir().join(format!("ludovec-replace-{}", process::id()));
        fs::create_dir_all(&dir).unwrap();
        let file = dir.join("a");
        let texts: Vec<Vec<u8>> = (0..8u8).map(|i| vec![i; 10_000]).collect();
        thread::scope(|scope| {
            for text in &texts {
                scope.spawn(|| (0..5).for_each(|_| replace(&file, text).unwrap()));
            }
        });
        assert!(texts.contains(&fs::read(&file).unwrap()));
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1, "a temporary file is left");
        fs::remove_dir_all(dir).unwrap();
    }
}
