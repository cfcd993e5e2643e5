//! Reading and writing files for commands. A path that cannot be used is a usage error; a full disk is not.

use std::fmt::Display;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::failure::{CommandResult, Failure};
use ludovec::engine::file;
use ludovec::play::files::replace;

/// Largest text that is read, in bytes.
pub const LONGEST: u64 = 1 << 30;

/// A file or folder that cannot be read or written.
pub fn inaccessible(path: &Path, error: impl Display) -> Failure {
    Failure::Usage(format!("{}: {error}", path.display()))
}

/// Reads a file of text.
pub fn read(path: &Path) -> Result<String, Failure> {
    file::read_text(path, LONGEST).map_err(|error| inaccessible(path, error))
}

/// Creates a folder, unless it exists.
pub fn make_folder(path: &Path) -> CommandResult {
    fs::create_dir_all(path).map_err(|error| inaccessible(path, error))
}

/// Writes a file, replacing an earlier one, or leaves everything as it was.
///
/// A path that cannot be written is a usage error; a full disk is not.
pub fn write(path: &Path, contents: &(impl AsRef<[u8]> + ?Sized)) -> CommandResult {
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

#[cfg(test)]
mod tests {
    use std::process;

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
