//! The committed specifications match the code, and behaviour changes only with the version.
//!
//! `LUDOVEC_UPDATE=1 cargo test --test specs` rewrites both.

use std::fs;
use std::path::Path;

use ludovec::engine::Entry;
use ludovec::games::GAMES;
use ludovec::pinned::{self, Update};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn entries() -> Vec<&'static Entry> {
    GAMES.iter().collect()
}

#[test]
fn env_spec_has_a_file_for_every_environment_that_matches_the_code() {
    let compared = pinned::specs(&entries(), &root().join("env_spec"), Update::from_environment());
    if let Err(error) = compared {
        panic!("{error}");
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
    pinned::rollouts(&entries(), &root().join("tests/data/rollouts.json"), Update::from_environment())
        .unwrap();
}
