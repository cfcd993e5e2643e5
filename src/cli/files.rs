//! Atomic file writes: a full disk leaves no partial record or picture.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;

use crate::failure::{CommandResult, Failure};

/// A file or folder that cannot be read or written.
pub(super) fn inaccessible(path: &Path, error: impl Display) -> Failure {
    Failure::Usage(format!("{}: {error}", path.display()))
}

/// Reads a file of text.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| inaccessible(path, error))
}

/// Creates a folder, unless it exists.
pub(super) fn make_folder(path: &Path) -> CommandResult {
    fs::create_dir_all(path).map_err(|error| inaccessible(path, error))
}

/// Writes a file, replacing an earlier one, or leaves everything as it was.
///
/// A path that cannot be written is a usage error; a full disk is not.
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

/// Writes a temporary file beside the target and renames it: at any time the target is the old file or the new one.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // The target of a symbolic link is replaced, and the link is kept.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let earlier = fs::metadata(path).ok();
    // A device or a pipe is written to directly: it has no contents to replace.
    if earlier.as_ref().is_some_and(|earlier| !earlier.is_file()) {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
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

/// An unused name in the same folder.
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
