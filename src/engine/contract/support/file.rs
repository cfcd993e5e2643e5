//! Reads files named by the caller: only regular files, up to a maximum length.
//!
//! All such reads go through this module, because opening a FIFO or a terminal blocks until another process responds,
//! a device never ends, and a file system behind a broken connection does not answer.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Interval at which a call that waits for a file checks for an interrupt.
const TICK: Duration = Duration::from_millis(50);

/// Returns whether the user has interrupted the current call.
static WATCH: OnceLock<fn() -> bool> = OnceLock::new();

/// Registers an interrupt check for calls that wait for a file: they end as soon as `is_interrupted` returns true. Only
/// the first registration has an effect. Needed by front ends with signal handlers of their own, which do not end the
/// process.
pub fn watch_by(is_interrupted: fn() -> bool) {
    let _ = WATCH.set(is_interrupted);
}

/// Runs `work`, which may block on a file system. With an interrupt check, `work` runs in a separate thread, which is
/// abandoned on an interrupt.
fn apart<T: Send + 'static>(
    watch: Option<fn() -> bool>,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let Some(is_interrupted) = watch else { return work() };
    let (done, result) = channel();
    let work = move || {
        // Sending fails if the caller has abandoned this thread.
        let _ = done.send(work());
    };
    thread::Builder::new().name("ludovec file".into()).spawn(work)?;
    loop {
        match result.recv_timeout(TICK) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) if is_interrupted() => {
                return Err(io::Error::new(ErrorKind::Interrupted, "interrupted"));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("reading broke off")),
        }
    }
}

/// Opens a regular file for reading. Any other kind of file is an immediate error.
///
/// # Errors
/// The operating system's, or [`ErrorKind::InvalidInput`].
pub fn open(path: &Path) -> io::Result<File> {
    let path: PathBuf = path.into();
    apart(WATCH.get().copied(), move || open_here(&path))
}

fn open_here(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // The flag has no effect on regular files; without it, opening a FIFO would block until the other end is open.
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    #[cfg(not(target_os = "linux"))]
    check(&std::fs::metadata(path)?)?;
    let file = options.open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

fn check(found: &std::fs::Metadata) -> io::Result<()> {
    match found.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(ErrorKind::InvalidInput, "a regular file is needed")),
    }
}

/// Reads a regular file of at most `longest` bytes.
///
/// # Errors
/// As for [`open`]; [`ErrorKind::FileTooLarge`], [`ErrorKind::OutOfMemory`].
pub fn read(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let path: PathBuf = path.into();
    apart(WATCH.get().copied(), move || read_here(&path, longest))
}

fn read_here(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let file = open_here(path)?;
    let too_long = || {
        let most = match longest >> 20 {
            0 => format!("{} KiB", longest >> 10),
            mib => format!("{mib} MiB"),
        };
        io::Error::new(ErrorKind::FileTooLarge, format!("it is longer than {most}"))
    };
    let len = file.metadata()?.len();
    if len > longest {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    let no_memory = |_| io::Error::new(ErrorKind::OutOfMemory, "not enough memory for its contents");
    bytes.try_reserve_exact(len as usize).map_err(no_memory)?;
    // A file that grows during the call is read up to the limit.
    file.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest { Err(too_long()) } else { Ok(bytes) }
}

/// Reads a regular UTF-8 file of at most `longest` bytes.
///
/// # Errors
/// As for [`read`]; [`ErrorKind::InvalidData`] if the file is not UTF-8.
pub fn read_text(path: &Path, longest: u64) -> io::Result<String> {
    let text = String::from_utf8(read(path, longest)?);
    text.map_err(|error| {
        io::Error::new(ErrorKind::InvalidData, format!("it is no text: {}", error.utf8_error()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_files_are_read_up_to_a_length() {
        let path = std::env::temp_dir().join(format!("ludovec-file-{}", std::process::id()));
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(read_text(&path, 3).unwrap(), "abc");
        assert_eq!(read(&path, 2).unwrap_err().kind(), ErrorKind::FileTooLarge);
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_text(&path, 3).unwrap_err().kind(), ErrorKind::InvalidData);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read(&path, 3).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn a_blocked_read_ends_at_an_interrupt() {
        let (_kept, never) = channel::<()>();
        let error = apart(Some(|| true), move || Ok(never.recv().is_ok())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted);
        assert_eq!(apart(Some(|| true), || Ok(3)).unwrap(), 3);
        assert_eq!(apart(None, || Ok(3)).unwrap(), 3);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn only_regular_files_are_opened() {
        let fifo = std::env::temp_dir().join(format!("ludovec-fifo-{}", std::process::id()));
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .unwrap();
        for path in [&*fifo, Path::new("/dev/zero"), Path::new("/dev/ptmx"), &std::env::temp_dir()] {
            let error = read(path, 10).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{}: {error}", path.display());
        }
        std::fs::remove_file(&fifo).unwrap();
    }
}
