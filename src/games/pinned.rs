//! Pinned behaviour: the specification of games and the checksums of their rollouts, in committed files.
//!
//! A game's own tests compare both. The files change only on demand, and a rollout only together with the version.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::engine::rollout::checksum_of_rollout;
use crate::engine::{BatchConfig, Entry, Error, Result, file, files};

/// Whether files are compared or written.
///
/// ```
/// use ludovec_games::pinned::Update;
/// let update = Update::from_environment(); // `LUDOVEC_UPDATE=1 cargo test` writes
/// assert!(matches!(update, Update::Compare | Update::Write));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// Compare the files with the code.
    Compare,
    /// Write the files.
    Write,
}

impl Update {
    /// [`Update::Write`] if the environment variable `LUDOVEC_UPDATE` is set.
    #[must_use]
    pub fn from_environment() -> Self {
        if std::env::var_os("LUDOVEC_UPDATE").is_some() { Self::Write } else { Self::Compare }
    }
}

/// Limit of a file in bytes.
const LONGEST: u64 = 64 << 20;

/// The content of a specification's file.
///
/// # Errors
/// As for [`Entry::make`] and [`crate::document`].
pub fn spec_text(entry: &Entry) -> Result<String> {
    Ok(format!("{:#}\n", crate::document(&*entry.make([])?)?))
}

/// Compares `FOLDER/ENV.json` of each registered game with the code, or writes the files.
///
/// # Errors
/// [`Error::InvalidState`] names the files that differ; [`Error::InvalidConfig`] for a game that is not registered or
/// a file that cannot be written.
pub fn specs(entries: &[&Entry], folder: &Path, update: Update) -> Result<()> {
    let mut different = Vec::new();
    for entry in entries {
        let text = spec_text(entry)?;
        let file = folder.join(format!("{}.json", entry.id));
        if update == Update::Write {
            write(&file, &text)?;
        } else {
            let pinned = file::read_text(&file, LONGEST).unwrap_or_default();
            if let Some(difference) = first_difference(&pinned, &text) {
                different.push(format!("{}{difference}", file.display()));
            }
        }
    }
    if different.is_empty() {
        return Ok(());
    }
    Err(Error::state(format!(
        "{}; LUDOVEC_UPDATE=1 cargo test --test specs accepts the text of the code",
        different.join("; ")
    )))
}

/// The first line in which two texts differ, in words; `None` if they are equal.
fn first_difference(pinned: &str, now: &str) -> Option<String> {
    if pinned.is_empty() && !now.is_empty() {
        return Some(": the file is missing".into());
    }
    let line = |line: Option<&str>| line.map_or("nothing".into(), |line| format!("{:?}", line.trim()));
    let (mut old, mut new) = (pinned.lines(), now.lines());
    for number in 1.. {
        match (old.next(), new.next()) {
            (None, None) => break,
            (before, after) if before != after => {
                let [before, after] = [before, after].map(line);
                return Some(format!(", line {number}: {before} in the file, {after} in the code"));
            }
            _ => {}
        }
    }
    (pinned != now).then(|| ": line ends differ".into())
}

/// Version and checksum by environment.
pub type Rollouts = BTreeMap<String, (u32, String)>;

/// Plays 64 games of each entry for 300 decisions each; returns checksums of every mask, observation, reward and flag.
///
/// # Errors
/// As for [`Entry::make`].
pub fn play_rollouts(entries: &[&Entry]) -> Result<Rollouts> {
    let mut now = Rollouts::new();
    for entry in entries {
        let game = entry.make([])?;
        let version = game.spec().version;
        let config = BatchConfig { num_envs: 64, seed: 42, ..BatchConfig::default() };
        let checksum = checksum_of_rollout(&mut *game.vector(config)?, 300)?;
        now.insert(entry.id.to_string(), (version, format!("{checksum:016x}")));
    }
    Ok(now)
}

/// The environments with a changed checksum and an unchanged version.
fn silent_changes<'a>(pinned: &'a Rollouts, now: &Rollouts) -> Vec<&'a str> {
    let changed = |(id, (version, checksum)): &(&String, &(u32, String))| {
        now.get(*id).is_some_and(|(v, c)| v == version && c != checksum)
    };
    pinned.iter().filter(changed).map(|(id, _)| id.as_str()).collect()
}

/// Compares the rollouts of games with the ones in a file, or writes them. Other games in the file stay as they are.
///
/// # Errors
/// [`Error::InvalidState`] if behaviour changed under an unchanged version (such a change is not written either), or
/// if the file has other versions; [`Error::InvalidConfig`] for a file that cannot be read or written.
pub fn rollouts(entries: &[&Entry], file: &Path, update: Update) -> Result<()> {
    let now = play_rollouts(entries)?;
    let pinned: Rollouts = if file.exists() {
        let text = file::read_text(file, LONGEST).map_err(|e| inaccessible(file, &e))?;
        serde_json::from_str(&text).map_err(|e| Error::config(format!("{}: {e}", file.display())))?
    } else {
        Rollouts::new()
    };
    let silent = silent_changes(&pinned, &now);
    if !silent.is_empty() {
        return Err(Error::state(format!(
            "{}: the behaviour changed: raise VERSION first",
            silent.join(", ")
        )));
    }
    if update == Update::Write {
        let all: Rollouts = pinned.into_iter().chain(now).collect();
        return write(file, &(serde_json::to_string_pretty(&all).expect("plain data") + "\n"));
    }
    match now.iter().find(|(id, rollout)| pinned.get(*id) != Some(rollout)) {
        None => Ok(()),
        Some((id, _)) => {
            Err(Error::state(format!("{}: {id} has another version or is missing", file.display())))
        }
    }
}

fn write(file: &Path, text: &str) -> Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let made = folder.map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| files::replace(file, text.as_bytes())).map_err(|e| inaccessible(file, &e))
}

fn inaccessible(file: &Path, error: &impl std::fmt::Display) -> Error {
    Error::config(format!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_not_updated_under_an_unchanged_version() {
        let pinned =
            |version: u32, checksum: &str| Rollouts::from([("pig".into(), (version, checksum.into()))]);
        assert_eq!(silent_changes(&pinned(1, "a"), &pinned(1, "b")), ["pig"]);
        for (version, checksum) in [(1, "a"), (2, "b"), (2, "a")] {
            assert!(silent_changes(&pinned(1, "a"), &pinned(version, checksum)).is_empty());
        }
        assert!(silent_changes(&Rollouts::new(), &pinned(1, "a")).is_empty());
    }

    #[test]
    fn the_first_difference_is_named() {
        let old = "{\n  \"bots\": 1\n}\n";
        assert_eq!(first_difference(old, old), None);
        let new = old.replace("1", "2");
        let said = first_difference(old, &new).unwrap();
        assert_eq!(said, ", line 2: \"\\\"bots\\\": 1\" in the file, \"\\\"bots\\\": 2\" in the code");
        assert_eq!(first_difference("", old).unwrap(), ": the file is missing");
        assert!(first_difference(old, old.trim_end()).is_some());
        assert!(first_difference("{\n", old).unwrap().contains("nothing in the file"));
    }

    #[test]
    fn files_are_written_compared_and_protected() {
        let Some(entry) = crate::GAMES.iter().find(|entry| entry.id == "tilewe") else { return };
        let folder = std::env::temp_dir().join(format!("ludovec-pinned-{}", std::process::id()));
        let file = folder.join("rollouts.json");
        for missing in [specs(&[entry], &folder, Update::Compare), rollouts(&[entry], &file, Update::Compare)]
        {
            assert!(matches!(missing, Err(Error::InvalidState(_))), "{missing:?}");
        }
        specs(&[entry], &folder, Update::Write).unwrap();
        rollouts(&[entry], &file, Update::Write).unwrap();
        specs(&[entry], &folder, Update::Compare).unwrap();
        rollouts(&[entry], &file, Update::Compare).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let version = entry.make([]).unwrap().spec().version;
        let other = serde_json::json!({ "tilewe": [version, "0"], "another": [1, "2"] }).to_string();
        fs::write(&file, &other).unwrap();
        for update in [Update::Compare, Update::Write] {
            let error = rollouts(&[entry], &file, update).unwrap_err().to_string();
            assert!(error.contains("raise VERSION"), "{error}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), other);
        fs::write(&file, other.replace(&format!("[{version},"), "[0,")).unwrap();
        rollouts(&[entry], &file, Update::Write).unwrap();
        let written: Rollouts = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let before: Rollouts = serde_json::from_str(&text).unwrap();
        assert_eq!((&written["tilewe"], written.len()), (&before["tilewe"], 2));
        fs::remove_dir_all(folder).unwrap();
    }
}
