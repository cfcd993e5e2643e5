//! Plays on from an accepted position, and checks it for consistency.

use std::hash::{DefaultHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};

use ludovec::engine::{SingleGame, Status, inspect};
use ludovec::play::trust::Trust;
use ludovec::replay;

use super::bytes::Bytes;

/// Maximum number of decisions played from a position.
const LONGEST: usize = 200;

/// One in this many accepted inputs is played on: playing takes a thousand times longer than reading.
const PLAYED: u64 = 256;

/// Whether every accepted input is played on.
pub static ALWAYS: AtomicBool = AtomicBool::new(false);

/// Plays up to 200 decisions selected by `data`, if its hash says so; otherwise the position is read from its JSON
/// once.
pub fn play_on(mut play: SingleGame, data: &[u8]) {
    let mut hash = DefaultHasher::new();
    hash.write(data);
    if !ALWAYS.load(Ordering::Relaxed) && !hash.finish().is_multiple_of(PLAYED) {
        inspect::inspect_recomputed(&play).unwrap_or_else(|broken| panic!("{broken}"));
        return;
    }
    let mut bytes = Bytes::new(data);
    let actions = play.game().spec().num_actions;
    for step in 0..LONGEST {
        let legal = play.legal_actions();
        if play.status() != Status::Running {
            assert!(legal.is_empty(), "a finished game offers actions");
            break;
        }
        assert!(!legal.is_empty(), "nothing can be done in a running game");
        if step.is_power_of_two() {
            look(&play);
        }
        let decision = bytes.byte();
        let any = u32::from(decision) * 257 % actions;
        assert_eq!(
            play.check(any).is_ok(),
            legal.contains(&any),
            "action {any}: the mask and the refusal disagree"
        );
        let before = play.position_bytes();
        if !legal.contains(&any) {
            assert!(play.step(any).is_err(), "action {any} is illegal and was played");
            assert_eq!(play.position_bytes(), before, "a refused action changed the position");
        }
        let action = legal[usize::from(decision) % legal.len()];
        play.step(action).unwrap_or_else(|error| panic!("action {action} is legal and was refused: {error}"));
        if decision == 255 {
            assert!(play.undo());
            assert_eq!(play.position_bytes(), before, "undo gives another position");
        }
    }
    look(&play);
}

/// Calls every method on a position, and replays its record.
fn look(play: &SingleGame) {
    inspect::inspect_position(play).unwrap_or_else(|broken| panic!("{broken}"));
    let record = play.record();
    let text = serde_json::to_string(&record).expect("records can be written");
    assert_eq!(replay::parse(&text, &Trust::default()).expect("it was written here"), record);
}
