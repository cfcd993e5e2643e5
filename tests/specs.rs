//! The committed specifications match the code, and behaviour changes only with the version.
//!
//! `LUDOVEC_UPDATE=1 cargo test --test specs` rewrites both.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ludovec::engine::rollout::checksum_of_rollout;
use ludovec::engine::{BatchConfig, OptionValue};
use ludovec::games::{self, GAMES};

const NO_OPTIONS: [(&str, OptionValue); 0] = [];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn update() -> bool {
    std::env::var_os("LUDOVEC_UPDATE").is_some()
}

#[test]
fn env_spec_has_a_file_for_every_environment_that_matches_the_code() {
    for entry in GAMES {
        let text = format!("{:#}\n", games::document(&*entry.make(NO_OPTIONS).unwrap()).unwrap());
        let file = root().join("env_spec").join(format!("{}.json", entry.id));
        if update() {
            fs::write(&file, &text).unwrap();
        }
        let committed = fs::read_to_string(&file).unwrap_or_default();
        assert!(committed == text, "{} differs: run `ludovec spec --write`", file.display());
    }

    let files = fs::read_dir(root().join("env_spec")).unwrap().map(|f| f.unwrap().path());
    let mut stems: Vec<String> = files
        .filter(|f| f.extension().is_some_and(|e| e == "json"))
        .map(|f| f.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let mut ids: Vec<String> = GAMES.iter().map(|e| e.id.to_string()).collect();
    stems.sort();
    ids.sort();
    // A build without some of the games ignores their files.
    stems.retain(|stem| cfg!(feature = "games") || ids.contains(stem));
    assert_eq!(stems, ids);
}

/// 64 games, 300 decisions each: every mask, observation, reward and flag.
#[test]
fn rollouts_change_only_together_with_the_version() {
    let file: PathBuf = root().join("tests/data/rollouts.json");
    let mut now = Pinned::new();
    for entry in GAMES {
        let game = entry.make(NO_OPTIONS).unwrap();
        let version = game.spec().version;
        let config = BatchConfig { num_envs: 64, seed: 42, ..BatchConfig::default() };
        let checksum = checksum_of_rollout(&mut *game.vector(config).unwrap(), 300).unwrap();
        now.insert(entry.id.to_string(), (version, format!("{checksum:016x}")));
    }
    let pinned: Pinned = serde_json::from_str(&fs::read_to_string(&file).unwrap_or("{}".into())).unwrap();
    assert_eq!(silent_changes(&pinned, &now), [""; 0], "behaviour changed: raise the game's VERSION first");
    // The checksums of games that are not in this build stay as they are.
    let others = pinned.iter().filter(|(id, _)| !cfg!(feature = "games") && !now.contains_key(*id));
    let now: Pinned = others.map(|(id, pin)| (id.clone(), pin.clone())).chain(now.clone()).collect();
    if update() {
        fs::write(&file, serde_json::to_string_pretty(&now).unwrap() + "\n").unwrap();
        return;
    }
    assert_eq!(now, pinned, "the version changed: LUDOVEC_UPDATE=1 writes the new checksums");
}

/// Version and checksum by environment.
type Pinned = BTreeMap<String, (u32, String)>;

/// The environments with a changed checksum and an unchanged version.
fn silent_changes<'a>(pinned: &'a Pinned, now: &Pinned) -> Vec<&'a str> {
    let changed = |(id, (version, checksum)): &(&String, &(u32, String))| {
        now.get(*id).is_some_and(|(v, c)| v == version && c != checksum)
    };
    pinned.iter().filter(changed).map(|(id, _)| id.as_str()).collect()
}

#[test]
fn checksums_are_not_updated_under_an_unchanged_version() {
    let pinned = |version: u32, checksum: &str| Pinned::from([("pig".into(), (version, checksum.into()))]);
    assert_eq!(silent_changes(&pinned(1, "a"), &pinned(1, "b")), ["pig"]);
    for (version, checksum) in [(1, "a"), (2, "b"), (2, "a")] {
        assert!(silent_changes(&pinned(1, "a"), &pinned(version, checksum)).is_empty());
    }
    assert!(silent_changes(&Pinned::new(), &pinned(1, "a")).is_empty());
}
