//! Files that are whole or not there: a full disk leaves no half of a record or picture.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;

use crate::failure::{CommandResult, Failure};
use ludovec::engine::file;

/// Longest text that is read, in bytes.
pub(super) const LONGEST: u64 = 1 << 30;

/// A file or folder that cannot be read or written.
pub(super) fn inaccessible(path: &Path, error: impl Display) -> Failure {
    Failure::Usage(format!("{}: {error}", path.display()))
}

/// Reads a file of text.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    file::read_text(path, LONGEST).map_err(|error| inaccessible(path, error))
}

/// Makes a folder, unless it is there.
pub(super) fn make_folder(path: &Path) -> CommandResult {
    fs::create_dir_all(path).map_err(|error| inaccessible(path, error))
}

/// Writes a file, in place of an earlier one, or leaves everything as it was.
///
/// A path that cannot be written is a wrong call; a disk that is full is not.
pub(super) fn write(path: &Path, contents: &(impl AsRef<[u8]> + ?Sized)) -> CommandResult {
    replace(path, contents.as_ref()).map_err(|error| {
        let what = format!("{}: {error}", path.display());
        match error.kind() {
            ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::InvalidInput => Failure::Usage(what),
            _ => Failure::Wrong(what),
        }
    })
}

/// Writes a temporary file beside the target and renames it: the target is the old file or the new one at any time.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // The target of a symbolic link is replaced, and the link stays.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let earlier = fs::metadata(path).ok();
    // A device or a pipe is written to: it has no contents that could be replaced.
    if earlier.as_ref().is_some_and(|earlier| !earlier.is_file()) {
        return open_special(path)?.write_all(bytes);
    }
    let beside = beside(path)?;
    let written = File::create_new(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        earlier.map_or(Ok(()), |earlier| file.set_permissions(earlier.permissions()))?;
        fs::rename(&beside, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Opens a device or a pipe for writing. A FIFO that nobody reads is an error: opening it would wait for a reader.
#[cfg(target_os = "linux")]
fn open_special(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, fcntl_setfl, open};
    let opened = open(path, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty());
    let file: File = match opened {
        Err(rustix::io::Errno::NXIO) => {
            return Err(io::Error::new(ErrorKind::InvalidInput, "nobody reads it"));
        }
        opened => opened?.into(),
    };
    fcntl_setfl(&file, OFlags::empty())?;
    Ok(file)
}
#[cfg(not(target_os = "linux"))]
fn open_special(path: &Path) -> io::Result<File> {
    fs::OpenOptions::new().write(true).open(path)
}

/// A name in the same folder that nobody else uses.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.part", process::id()));
    Ok(path.with_file_name(hidden))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_through_links_and_devices_are_written() {
        let dir = std::env::temp_dir().join(format!("ludovec-files-{}", process::id()));
        fs::create_dir_all(&dir).unwrap();
        let file = dir.join("a");
        replace(&file, b"one").unwrap();
        replace(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::fs::{PermissionsExt, symlink};
            fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
            let link = dir.join("link");
            symlink("a", &link).unwrap();
            replace(&link, b"three").unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read(&file).unwrap(), b"three");
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
            replace(Path::new("/dev/null"), b"four").unwrap();
            let full = write(Path::new("/dev/full"), "five");
            assert!(matches!(full, Err(Failure::Wrong(what)) if what.contains("/dev/full")));
            fs::remove_file(link).unwrap();
        }
        for path in [dir.join("no/such"), dir.clone(), file.join("b")] {
            assert!(matches!(write(&path, "x"), Err(Failure::Usage(_))), "{}", path.display());
        }
        let left: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["a"]);
        fs::remove_dir_all(dir).unwrap();
    }
}
