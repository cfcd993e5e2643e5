//! The throne room.

use super::*;
use ludovec_engine::Rules;

const REBEL_SABER: &str = "shield+lightsaber";
const HAT: &str = "hat+shield";
const EMPIRE_SABER: &str = "move_tie+lightsaber";
const LIGHTNING: &str = "move_tie+lightning";

fn duel(side: &str, card: &str, throne: [u8; 2]) -> Scenario {
    Scenario::new(side, card, &[(20, "tie", 1)]).with(|state| state.throne = throne)
}

#[test]
fn the_counters_start_at_12_and_13() {
    assert_eq!(rules().init(&mut SeededChance::from_seed(0)).throne, [12, 13]);
}

#[test]
fn lightsaber_deals_one_damage_for_each_4_or_more_to_the_opponent() {
    let mut s = duel("rebel", REBEL_SABER, [12, 13]);
    s.play(&["lightsaber"], &[3, 4, 5, 6]);
    assert_eq!(s.state.throne, [12, 10]);
    let mut s = duel("empire", EMPIRE_SABER, [12, 13]);
    s.play(&["lightsaber"], &[1, 2, 3, 4]);
    assert_eq!(s.state.throne, [11, 13]);
}

#[test]
fn lightning_deals_two_damage_to_the_rebels() {
    let mut s = duel("empire", LIGHTNING, [12, 13]);
    s.play(&["lightning"], &[]);
    assert_eq!(s.state.throne, [10, 13]);
}

#[test]
fn hat_needs_the_empire_at_three_or_below_and_sets_it_to_zero() {
    assert!(!duel("rebel", HAT, [12, 4]).choices().contains(&"hat".to_string()));
    let mut s = duel("rebel", HAT, [12, 3]);
    s.play(&["hat"], &[]);
    assert_eq!(s.state.throne, [12, 0]);
}

#[test]
fn at_zero_of_either_no_throne_action_is_possible() {
    for throne in [[0, 5], [5, 0], [0, 2], [2, 0]] {
        assert_eq!(duel("rebel", REBEL_SABER, throne).choices(), ["pass", "shield"]);
        assert_eq!(duel("rebel", HAT, throne).choices(), ["pass", "shield"]);
        assert_eq!(duel("empire", EMPIRE_SABER, throne).choices(), ["pass", "move_tie"]);
        assert_eq!(duel("empire", LIGHTNING, throne).choices(), ["pass", "move_tie"]);
    }
}

/// Bonus cards of the seat after the play, including the one turned at once.
fn bonus(s: &Scenario) -> u8 {
    let seat = s.state.seat();
    s.waiting(seat) + (s.state.turns - 1) as u8
}

#[test]
fn the_empire_gets_four_bonus_cards() {
    let mut s = duel("empire", LIGHTNING, [1, 13]);
    s.play(&["lightning"], &[]);
    assert_eq!((s.state.throne[REBEL], bonus(&s)), (0, 4), "damage stops at 0");
    let mut s = duel("empire", EMPIRE_SABER, [2, 13]);
    s.play(&["lightsaber"], &[4, 4, 4, 1]);
    assert_eq!((s.state.throne[REBEL], bonus(&s)), (0, 4));
}

#[test]
fn the_rebellion_gets_three_bonus_cards_by_lightsaber_and_five_by_hat() {
    let mut s = duel("rebel", REBEL_SABER, [12, 2]);
    s.play(&["lightsaber"], &[4, 4, 1, 1]);
    assert_eq!((s.state.throne[EMPIRE], bonus(&s)), (0, 3));
    let mut s = duel("rebel", HAT, [12, 2]);
    s.play(&["hat"], &[]);
    assert_eq!((s.state.throne[EMPIRE], bonus(&s)), (0, 5));
}
