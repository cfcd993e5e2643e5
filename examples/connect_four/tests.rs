//! Tests that every game needs: the conformance suite, and behaviour that changes only together with the version.

use std::path::Path;

use ludovec::engine::{Effort, Entry, Findings};
use ludovec::games;
use ludovec::pinned::{self, Update};

use crate::rules;

fn entry() -> &'static Entry {
    // The first test of the process registers the game.
    let _ = games::register(rules::ENTRY);
    games::find("connect_four").unwrap()
}

#[test]
fn the_game_conforms() {
    let game = entry().make([]).unwrap();
    assert_eq!(game.check_conformance(Effort::default()), Ok(Findings::default()));
}

/// `LUDOVEC_UPDATE=1 cargo test` writes the files.
#[test]
fn behaviour_changes_only_with_the_version() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("env_spec");
    let update = Update::from_environment();
    pinned::specs(&[entry()], &folder, update).unwrap();
    pinned::rollouts(&[entry()], &folder.join("rollouts.json"), update).unwrap();
}
