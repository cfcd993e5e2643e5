//! The space battle.

use super::*;
use ludovec_engine::Rules;

const X: &str = "move_xwing+lightsaber";
const FALCON: &str = "move_falcon+move_xwing+lightsaber";
const TIE: &str = "move_tie+lightsaber";
const EXECUTOR: &str = "move_executor+stormtroopers";
const FIRE: &str = "fire_deathstar+lightsaber";

#[test]
fn one_group_of_any_size_moves_to_a_neighbour() {
    let mut s = Scenario::new("rebel", X, &[(12, "xwing", 5), (6, "xwing", 2), (20, "ywing", 3)]);
    s.play(&["move_xwing"], &[]);
    assert_eq!(s.choices(), ["move from 6", "move from 12"]);
    s.play(&["move from 12"], &[]);
    assert_eq!(s.choices(), ["move to 11", "move to 13", "move to 19", "move to 20"]);
    s.play(&["move to 20"], &[]);
    assert_eq!(s.choices(), ["move 1", "move 2", "move 3", "move 4", "move 5"]);
    s.play(&["move 3"], &[]);
    assert_eq!((s.crew(12), s.crew(20)), ("X2".into(), "X3 Y3".into()));
    assert!(s.is_done());
}

#[test]
fn no_ship_enters_a_space_with_enemies() {
    let mut s = Scenario::new("rebel", X, &[(12, "xwing", 1), (11, "tie", 1), (19, "tie", 1)]);
    s.play(&["move_xwing"], &[]);
    assert_eq!(s.choices(), ["move to 13", "move to 20"]);
}

#[test]
fn no_ship_enters_a_mothership_space() {
    let mut s = Scenario::new("rebel", X, &[(7, "xwing", 1), (1, "xwing", 4)]);
    s.play(&["move_xwing", "move from 7"], &[]);
    assert_eq!(s.choices(), ["move to 6", "move to 8", "move to 15", "move to 16"]);
    let mut s = Scenario::new("rebel", X, &[(1, "xwing", 4)]);
    s.play(&["move_xwing", "move 4"], &[]);
    assert_eq!(s.crew(7), "X4", "ships leave a mothership by the one way out");
}

#[test]
fn a_group_that_cannot_move_makes_its_icon_unplayable() {
    let s = Scenario::new("rebel", X, &[(1, "xwing", 4), (7, "tie", 1)]);
    assert_eq!(s.choices(), ["pass", "lightsaber"]);
}

#[test]
fn the_falcon_and_the_executor_move_up_to_two_steps() {
    let mut s = Scenario::new("rebel", FALCON, &[(24, "falcon", 6), (24, "xwing", 2), (25, "tie", 1)]);
    s.play(&["move_falcon"], &[]);
    assert_eq!(s.choices(), ["move to 17", "move to 18", "move to 23"]);
    s.play(&["move to 18"], &[]);
    assert_eq!(s.choices(), ["move to 10", "move to 17", "move to 19", "move to 24", "stop"]);
    assert_eq!((s.crew(18), s.crew(24)), ("F6".into(), "X2".into()), "no other ship goes with it");
    s.play(&["move to 10"], &[]);
    assert_eq!(s.crew(10), "F6");
    assert!(s.is_done());

    let mut s = Scenario::new("empire", EXECUTOR, &[(22, "executor", 3)]);
    s.play(&["move_executor", "move to 15", "stop"], &[]);
    assert_eq!(s.crew(15), "E3");
    assert!(s.is_done());
}

#[test]
fn the_second_step_may_lead_back() {
    let mut s = Scenario::new("rebel", FALCON, &[(24, "falcon", 6), (25, "tie", 1)]);
    s.play(&["move_falcon", "move to 17", "move to 24", "attack 25"], &[5, 1]);
    assert_eq!((s.crew(24), s.crew(25)), ("F6".into(), ".".into()));
}

#[test]
fn both_steps_avoid_enemies_and_motherships() {
    let mut s = Scenario::new("rebel", FALCON, &[(15, "falcon", 6), (16, "tie", 1), (8, "tie", 1)]);
    s.play(&["move_falcon", "move to 7"], &[]);
    assert_eq!(s.choices(), ["move to 6", "move to 15", "stop"]);
}

#[test]
fn moving_and_not_attacking_is_allowed() {
    let mut s = Scenario::new("rebel", X, &[(12, "xwing", 1), (11, "tie", 1)]);
    s.play(&["move_xwing", "move to 19"], &[]);
    assert_eq!(s.choices(), ["attack 11", "hold"]);
    s.play(&["hold"], &[]);
    assert_eq!(s.crew(11), "T1");
    assert!(s.is_done());
}

#[test]
fn only_a_neighbouring_space_with_enemy_ships_is_attacked() {
    let mut s = Scenario::new(
        "rebel",
        X,
        &[(12, "xwing", 1), (10, "tie", 1), (11, "tie", 2), (18, "tie", 3), (13, "tie", 4)],
    );
    s.play(&["move_xwing", "move to 19"], &[]);
    assert_eq!(s.choices(), ["attack 10", "attack 11", "attack 18", "hold"]);
}

#[test]
fn only_the_ships_that_moved_attack() {
    let mut s = Scenario::new("empire", TIE, &[(12, "tie", 1), (19, "tie", 4), (18, "xwing", 5)]);
    s.play(&["move_tie", "move from 12", "move to 19", "attack 18"], &[6]);
    assert_eq!((s.crew(19), s.crew(18)), ("T5".into(), "X4".into()), "one die");
}

#[test]
fn at_most_five_ships_attack() {
    let mut s = Scenario::new("empire", TIE, &[(12, "tie", 9), (18, "xwing", 8)]);
    s.play(&["move_tie", "move to 19", "move 9", "attack 18"], &[3, 3, 3, 3, 3]);
    assert_eq!((s.crew(19), s.crew(18)), ("T9".into(), "X3".into()));
}

#[test]
fn the_falcon_rolls_two_dice_and_the_executor_four() {
    let mut s = Scenario::new("rebel", FALCON, &[(24, "falcon", 1), (19, "tie", 5)]);
    s.play(&["move_falcon", "move to 18", "stop", "attack 19"], &[3, 3]);
    assert_eq!(s.crew(19), "T3");
    let mut s = Scenario::new("empire", EXECUTOR, &[(24, "executor", 1), (19, "xwing", 5)]);
    s.play(&["move_executor", "move to 18", "stop", "attack 19"], &[3, 4, 5, 6]);
    assert_eq!(s.crew(19), "X1");
}

#[test]
fn a_hit_needs_the_toughness_of_the_ship() {
    for (ship, toughness) in [("xwing", 3), ("ywing", 4), ("bwing", 5), ("falcon", 5)] {
        for die in 1..=6 {
            let mut s = Scenario::new("empire", TIE, &[(12, "tie", 1), (18, ship, 3)]);
            s.play(&["move_tie", "move to 19", "attack 18"], &[die]);
            let left = s.crew(18)[1..].parse::<u8>().unwrap();
            assert_eq!(left, if die >= toughness { 2 } else { 3 }, "{die} against {ship}");
        }
    }
    for (ship, toughness) in [("tie", 3), ("executor", 5)] {
        for die in 1..=6 {
            let mut s = Scenario::new("rebel", X, &[(12, "xwing", 1), (18, ship, 3)]);
            s.play(&["move_xwing", "move to 19", "attack 18"], &[die]);
            let left = s.crew(18)[1..].parse::<u8>().unwrap();
            assert_eq!(left, if die >= toughness { 2 } else { 3 }, "{die} against {ship}");
        }
    }
}

#[test]
fn the_executor_is_gone_with_its_last_hit_point() {
    let mut s = Scenario::new("rebel", X, &[(12, "xwing", 2), (18, "executor", 2)]);
    s.play(&["move_xwing", "move to 19", "move 2", "attack 18"], &[5, 6]);
    assert_eq!(s.crew(18), ".");
    assert!(s.state.with(Ship::Executor).is_empty());
    // The bonus card for the cleared space has been turned: the first of the deck, hat+shield.
    assert_eq!(s.state.turns, 2);
}

/// The original's example: four TIE fighters roll 3, 4, 5, 5 against an X-wing, two B-wings and the Falcon at
/// 4.
#[test]
fn the_attack_of_four_ties_with_3_4_5_5() {
    let attack = || {
        let ships = [(12, "tie", 4), (19, "tie", 5), (18, "xwing", 1), (18, "bwing", 2), (18, "falcon", 4)];
        let mut s = Scenario::new("empire", TIE, &ships);
        s.play(&["move_tie", "move from 12", "move to 19", "move 4", "attack 18"], &[3, 4, 5, 5]);
        s
    };
    let mut s = attack();
    assert_eq!(s.crew(19), "T9");
    assert_eq!(s.choices(), ["hit xwing", "hit bwing", "hit falcon"], "the 5 hits any of them");
    // The 4 then hits the X-wing without a decision, and the 3 is useless.
    s.play(&["hit bwing", "hit bwing"], &[]);
    assert_eq!(s.crew(18), "F4");
    let mut s = attack();
    s.play(&["hit falcon", "hit falcon"], &[]);
    assert_eq!(s.crew(18), "B2 F2");
    let mut s = attack();
    s.play(&["hit falcon", "hit bwing"], &[]);
    assert_eq!(s.crew(18), "B1 F3");
    // A 5 may be spent on the X-wing; the 4 and the 3 then hit nothing.
    let mut s = attack();
    s.play(&["hit xwing", "hit bwing"], &[]);
    assert_eq!(s.crew(18), "B1 F4");
    assert!(s.is_done());
}

#[test]
fn each_usable_die_is_one_decision_from_the_highest_down() {
    let mut s = Scenario::new("empire", TIE, &[(12, "tie", 3), (18, "xwing", 2), (18, "ywing", 2)]);
    s.play(&["move_tie", "move to 19", "move 3", "attack 18"], &[4, 3, 6]);
    assert_eq!(s.choices(), ["hit xwing", "hit ywing"]);
    s.play(&["hit xwing"], &[]);
    assert_eq!(s.choices(), ["hit xwing", "hit ywing"], "the 4");
    s.play(&["hit ywing"], &[]);
    assert_eq!(s.crew(18), "Y1", "the 3 took the last X-wing: there was no choice");
    assert!(s.is_done());
}

#[test]
fn tie_fighters_are_spawned_at_the_executor_and_may_attack() {
    let ships = [(13, "executor", 8), (13, "tie", 1), (27, "tie", 2), (14, "xwing", 4)];
    let mut s = Scenario::new("empire", TIE, &ships);
    s.play(&["move_tie"], &[]);
    assert_eq!(s.choices(), ["move from 13", "move from 27", "spawn"]);
    s.play(&["spawn"], &[]);
    assert_eq!(s.crew(13), "T5 E8");
    s.play(&["attack 14"], &[3, 3, 1, 2]);
    assert_eq!(s.crew(14), "X2", "the four new ones have four dice");
}

#[test]
fn nothing_is_spawned_without_the_executor() {
    let mut s = Scenario::new("empire", TIE, &[(13, "tie", 1), (27, "tie", 2)]);
    s.play(&["move_tie"], &[]);
    assert_eq!(s.choices(), ["move from 13", "move from 27"]);
}

#[test]
fn at_most_56_tie_fighters_are_in_play() {
    for (ties, spawns) in [(52, true), (53, false), (56, false)] {
        let mut s =
            Scenario::new("empire", TIE, &[(13, "executor", 8), (27, "tie", ties - 1), (20, "tie", 1)]);
        s.play(&["move_tie"], &[]);
        assert_eq!(s.choices().contains(&"spawn".to_string()), spawns, "{ties} in play");
    }
    let mut s = Scenario::new("empire", TIE, &[(27, "tie", 56)]);
    s.play(&["move_tie", "move to 26", "move 56"], &[]);
    assert_eq!(s.crew(26), "T56", "all can move together");
}

#[test]
fn clearing_a_space_by_attack_is_worth_a_bonus_card() {
    let mut s = Scenario::new("empire", TIE, &[(12, "tie", 2), (18, "xwing", 2), (6, "ywing", 1)]);
    s.play(&["move_tie", "move to 19", "move 2", "attack 18"], &[3, 3]);
    assert_eq!((s.state.turns, s.state.seat()), (2, EMPIRE), "the bonus card is turned at once");
    let mut s = Scenario::new("empire", TIE, &[(12, "tie", 2), (18, "xwing", 2), (6, "ywing", 1)]);
    s.play(&["move_tie", "move to 19", "move 2", "attack 18"], &[3, 2]);
    assert_eq!(s.state.round, 2, "no bonus card: the round is over");
}

#[test]
fn destroying_the_falcon_is_worth_two_bonus_cards_to_the_empire() {
    let ships = [(12, "tie", 2), (18, "falcon", 1), (18, "ywing", 2)];
    let mut s = Scenario::new("empire", TIE, &ships);
    s.play(&["move_tie", "move to 19", "move 2", "attack 18"], &[5, 1]);
    s.play(&["hit falcon"], &[]);
    assert_eq!((s.crew(18), s.waiting(EMPIRE)), ("Y2".into(), 1), "two, one of them turned already");
}

#[test]
fn clearing_a_space_of_the_falcon_is_worth_three() {
    let mut s = Scenario::new("empire", TIE, &[(12, "tie", 2), (18, "falcon", 1), (6, "ywing", 1)]);
    s.play(&["move_tie", "move to 19", "move 2", "attack 18"], &[5, 1]);
    assert_eq!((s.crew(18), s.waiting(EMPIRE)), (".".into(), 2));
}

#[test]
fn the_death_star_fires_at_motherships_first() {
    let mut s = Scenario::new("empire", FIRE, &[(0, "ywing", 4), (15, "xwing", 5)]);
    s.play(&["fire_deathstar"], &[]);
    let all: Vec<String> = (0..6).map(|m| format!("fire_deathstar {m}")).collect();
    assert_eq!(s.choices(), all, "whether ships are on them or not");
    s.play(&["fire_deathstar 0"], &[5, 1]);
    assert_eq!((s.crew(0), s.state.motherships), ("x".into(), 0b111110));
    assert_eq!(s.state.round, 2, "no bonus card");
}

#[test]
fn the_death_star_hits_when_either_die_shows_5_or_6() {
    for a in 1..=6 {
        for b in 1..=6 {
            let mut s = Scenario::new("empire", FIRE, &[(3, "xwing", 1), (15, "xwing", 5)]);
            s.play(&["fire_deathstar", "fire_deathstar 3"], &[a, b]);
            assert_eq!(s.crew(3), if a >= 5 || b >= 5 { "x" } else { "X1" }, "{a} {b}");
        }
    }
}

#[test]
fn when_the_motherships_are_gone_the_death_star_fires_at_any_rebel_space() {
    let ships = [(15, "xwing", 5), (15, "bwing", 1), (22, "ywing", 2), (20, "tie", 2)];
    let mut s = Scenario::new("empire", FIRE, &ships).with(|state| state.motherships = 0);
    s.play(&["fire_deathstar"], &[]);
    assert_eq!(s.choices(), ["fire_deathstar 15", "fire_deathstar 22"]);
    s.play(&["fire_deathstar 15"], &[1, 6]);
    assert_eq!((s.crew(15), s.state.turns), (".".into(), 2), "one bonus card, turned at once");
}

#[test]
fn destroying_the_falcon_with_the_death_star_is_worth_three() {
    let ships = [(15, "xwing", 5), (15, "falcon", 6), (22, "ywing", 2)];
    let mut s = Scenario::new("empire", FIRE, &ships).with(|state| state.motherships = 0);
    s.play(&["fire_deathstar", "fire_deathstar 15"], &[1, 6]);
    assert_eq!((s.state.turns, s.waiting(EMPIRE)), (2, 2));
}

#[test]
fn the_last_mothership_must_fall_before_another_space_is_fired_at() {
    let mut s = Scenario::new("empire", FIRE, &[(15, "xwing", 5)]).with(|state| state.motherships = 0b100);
    s.play(&["fire_deathstar"], &[1, 1]);
    assert_eq!((s.state.motherships, s.crew(15)), (0b100, "X5".into()), "the only target, missed");
}

#[test]
fn the_death_star_is_attacked_from_the_inner_ring_with_the_shield_down() {
    let attack = |space: u8, shield: u8| {
        let mut s = Scenario::new("rebel", X, &[(20, "xwing", 2), (21, "tie", 1)])
            .with(|state| state.shield = shield);
        s.play(&["move_xwing", &format!("move to {space}"), "move 2"], &[]);
        s.choices().contains(&"attack_deathstar".to_string())
    };
    assert!(attack(27, 28));
    assert!(attack(26, 28));
    assert!(!attack(27, 27), "the shield is up");
    assert!(!attack(14, 28), "not the inner ring");
}

#[test]
fn one_six_destroys_the_death_star() {
    let mut s = Scenario::new("rebel", X, &[(20, "xwing", 7)]).with(|state| state.shield = 28);
    s.play(&["move_xwing", "move to 27", "move 7", "attack_deathstar"], &[1, 2, 3, 6, 5]);
    assert_eq!((s.state.outcome, s.state.phase), (GameResult::Rebel, Phase::Over));
    let mut ranks = [9; 2];
    s.rules.ranks(&s.state, &mut ranks);
    let mut scores = [9.; 2];
    s.rules.scores(&s.state, &mut scores);
    assert_eq!((ranks, scores), ([0, 1], [1., 0.]));

    let mut s = Scenario::new("rebel", FALCON, &[(20, "falcon", 1)]).with(|state| state.shield = 28);
    s.play(&["move_falcon", "move to 27", "stop", "attack_deathstar"], &[5, 5]);
    assert_eq!(s.state.outcome, GameResult::None, "two dice, no 6");
}

#[test]
fn the_empire_wins_when_no_rebel_ship_is_left() {
    let mut s = Scenario::new("empire", TIE, &[(12, "tie", 1), (18, "xwing", 1)]);
    s.play(&["move_tie", "move to 19", "attack 18"], &[3]);
    assert_eq!((s.state.outcome, s.state.phase), (GameResult::Empire, Phase::Over));
    let mut ranks = [9; 2];
    s.rules.ranks(&s.state, &mut ranks);
    assert_eq!(ranks, [1, 0]);

    let mut s = Scenario::new("empire", FIRE, &[(3, "xwing", 5)]);
    s.play(&["fire_deathstar", "fire_deathstar 3"], &[5, 5]);
    assert_eq!(s.state.outcome, GameResult::Empire);
}

#[test]
fn the_rebellion_does_not_win_by_destroying_every_empire_ship() {
    let mut s = Scenario::new("rebel", X, &[(12, "xwing", 1), (18, "tie", 1)]);
    s.play(&["move_xwing", "move to 19", "attack 18"], &[3]);
    assert_eq!((s.crew(18), s.state.outcome), (".".into(), GameResult::None));
}
