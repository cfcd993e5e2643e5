//! The run to the shield generator.

use super::*;

const SHIELD: &str = "shield+lightsaber";
const TROOPERS: &str = "move_tie+stormtroopers";

/// The progress of the run after a roll, from `position` with stormtroopers on the next spaces.
fn run(position: u8, stormtroopers: u8, dice: &[u8]) -> (u8, u8) {
    let mut s = Scenario::new("rebel", SHIELD, &[]).with(|state| {
        state.shield = position;
        state.stormtroopers = stormtroopers;
    });
    s.play(&["shield"], dice);
    (s.state.shield, s.state.stormtroopers)
}

/// The original's example: before spaces of 2, 2, 3, 3, 3, 4 a roll of 1, 2, 2, 2, 5 advances three.
#[test]
fn the_shield_roll_1_2_2_2_5() {
    assert_eq!(rules().data.shield_run[7..11], [2, 2, 3, 3]);
    assert_eq!(run(7, 0, &[1, 2, 2, 2, 5]), (10, 0));
}

#[test]
fn each_next_space_takes_the_smallest_die_that_suffices() {
    // Spaces of 2, 3: the 3 is saved for the 3. Taking the 6 first would waste it too.
    assert_eq!(run(8, 0, &[1, 1, 1, 3, 2]), (10, 0));
    assert_eq!(run(8, 0, &[6, 1, 1, 1, 2]), (10, 0));
    assert_eq!(run(8, 0, &[2, 2, 2, 2, 2]), (9, 0), "no 2 suffices for a 3");
    assert_eq!(run(0, 0, &[1, 1, 1, 1, 1]), (0, 0));
    assert_eq!(run(0, 0, &[6, 6, 6, 6, 6]), (5, 0));
}

#[test]
fn a_stormtrooper_raises_the_value_of_its_space_by_one() {
    assert_eq!(run(0, 1, &[2, 2, 2, 2, 2]), (0, 1));
    assert_eq!(run(0, 1, &[3, 2, 2, 2, 2]), (5, 0));
    assert_eq!(run(26, 2, &[5, 5, 5, 5, 5]), (26, 2), "a 5 with a stormtrooper needs a 6");
    assert_eq!(run(26, 2, &[6, 6, 1, 1, 1]), (28, 0));
}

#[test]
fn stormtroopers_that_are_passed_are_gone() {
    assert_eq!(run(0, 5, &[3, 3, 3, 1, 1]), (3, 2));
}

#[test]
fn the_run_ends_with_its_last_space() {
    assert_eq!(run(27, 0, &[5, 6, 6, 6, 6]), (28, 0));
    let s = Scenario::new("rebel", SHIELD, &[]).with(|state| state.shield = 28);
    assert_eq!(s.choices(), ["pass", "lightsaber"], "no more shield rolls");
}

#[test]
fn stormtroopers_cover_the_next_three_uncovered_spaces_nine_at_most() {
    for (position, before, after) in
        [(0, 0, 3), (0, 3, 6), (4, 2, 5), (0, 6, 9), (0, 7, 9), (26, 0, 2), (25, 2, 3)]
    {
        let mut s = Scenario::new("empire", TROOPERS, &[(20, "tie", 1)]).with(|state| {
            state.shield = position;
            state.stormtroopers = before;
        });
        s.play(&["stormtroopers"], &[]);
        assert_eq!(s.state.stormtroopers, after, "{before} ahead of {position}");
    }
    for (position, before) in [(0, 9), (26, 2), (28, 0)] {
        let s = Scenario::new("empire", TROOPERS, &[(20, "tie", 1)]).with(|state| {
            state.shield = position;
            state.stormtroopers = before;
        });
        assert_eq!(s.choices(), ["pass", "move_tie"], "{before} ahead of {position}");
    }
}
