//! Plays on from a position that was accepted, and looks at it from all sides.

use ludovec::engine::{SingleGame, Status, inspect};
use ludovec::replay;

use super::bytes::Bytes;

/// Most decisions that are played from a position.
const LONGEST: usize = 200;

/// Plays up to 200 decisions that `bytes` choose.
pub fn play_on(mut play: Box<dyn SingleGame>, bytes: &mut Bytes<'_>) {
    let actions = play.game().spec().num_actions;
    for step in 0..LONGEST {
        let legal = play.legal_actions();
        if play.status() != Status::Running {
            assert!(legal.is_empty(), "a finished game offers actions");
            break;
        }
        assert!(!legal.is_empty(), "nothing can be done in a running game");
        if step.is_power_of_two() {
            look(&*play);
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
    look(&*play);
}

/// Everything that can be asked about a position, and its record.
fn look(play: &dyn SingleGame) {
    inspect::inspect_position(play).unwrap_or_else(|broken| panic!("{broken}"));
    let record = play.record();
    let text = serde_json::to_string(&record).expect("records can be written");
    assert_eq!(replay::parse(&text).expect("it was written here"), record);
}
