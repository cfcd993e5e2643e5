//! Every race, by name.

use ludovec_engine::Words;
use serde_json::json;

use super::super::actions::index;
use super::{PositionBuilder, ScriptedGame};
use crate::rules::pieces::markers;
use crate::rules::roster::Race;
use crate::rules::state::slot;

#[test]
fn amazons_get_four_tokens_on_the_turn_they_are_picked() {
    let mut g = PositionBuilder::new(2).phase("PICK_COMBO").row(&[("Amazons", "Alchemist")]).start();
    g.play_with("PICK_COMBO 0", &[0, 0]);
    assert_eq!((g.phase(), g.hand(0)), ("CONQUEST", 6 + 4 + 4));
}

#[test]
fn amazons_give_the_four_tokens_back_when_redeploying() {
    let mut g = PositionBuilder::new(2).active(0, "Amazons", "Hill", &[(1, 3), (2, 2)]).start();
    g.play("EXPAND");
    assert_eq!((g.hand(0), g.tray(Race::Amazons)), (2 + 1 + 4, 15 - 5 - 4));
    g.play("SKIP_CONQUEST");
    assert_eq!((g.phase(), g.hand(0), g.tray(Race::Amazons)), ("REDEPLOY", 3, 10));
}

#[test]
fn amazons_short_of_tokens_give_regions_up_until_even() {
    let mut g = PositionBuilder::new(2).active(0, "Amazons", "Alchemist", &[(1, 1)]).start();
    g.play_all(&["EXPAND", "CONQUER 2", "CONQUER 3"]);
    // Five tokens in three regions, four are owed: two were returned, two regions have to be given up.
    assert_eq!(g.phase(), "REDEPLOY");
    assert_eq!(g.legal(), ["ABANDON 1", "ABANDON 2", "ABANDON 3"]);
    g.play_all(&["ABANDON 1", "ABANDON 3"]);
    assert_eq!(g.held(0, slot::ACTIVE), [2]);
    assert_eq!((g.tokens(2), g.tray(Race::Amazons), g.coins(0)), (1, 14, 5 + 1 + 2));
}

#[test]
fn amazons_that_owe_all_they_have_leave_the_map() {
    let mut g = PositionBuilder::new(2).active(0, "Amazons", "Alchemist", &[]).start();
    g.play_all(&["EXPAND", "CONQUER 2", "CONQUER 3"]);
    assert_eq!((g.held(0, slot::ACTIVE).len(), g.hand(0), g.tray(Race::Amazons)), (0, 0, 15));
    assert_eq!(g.coins(0), 5 + 2);
}

#[test]
fn dwarves_earn_mines_active_and_declined_and_on_the_decline_turn() {
    let regions = [(8, 2), (13, 1), (12, 1)];
    let active = PositionBuilder::new(2).active(0, "Dwarves", "Alchemist", &regions).start();
    assert_eq!(active.income(0), 3 + 2 + 2);
    let declined =
        PositionBuilder::new(2).active(0, "Humans", "Hill", &[]).declined(0, "Dwarves", "Stout", &regions);
    assert_eq!(declined.start().income(0), 3 + 2);
    let mut g = PositionBuilder::new(2).active(0, "Dwarves", "Alchemist", &regions).start();
    g.play("DECLINE");
    assert_eq!(g.coins(0), 5 + 3 + 2);
}

#[test]
fn elves_lose_no_token_when_conquered() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Hill", &[(1, 9)])
        .active(1, "Elves", "Swamp", &[(2, 3), (7, 1)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 2"]);
    assert_eq!((g.displaced(1), g.tray(Race::Elves)), (3, 11 - 4));
}

#[test]
fn declined_elves_die_like_everybody() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Hill", &[(1, 9)])
        .active(1, "Humans", "Stout", &[(14, 1)])
        .declined(1, "Elves", "Swamp", &[(2, 1), (7, 1)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 2"]);
    assert_eq!((g.tray(Race::Elves), g.held(1, slot::DECLINED)), (10, vec![7]));
}

#[test]
fn elves_that_are_converted_die() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Sorcerers", "Hill", &[(1, 2)])
        .active(1, "Elves", "Swamp", &[(2, 1), (7, 1)])
        .start();
    g.play_all(&["EXPAND", "USE_SORCERER 2"]);
    assert_eq!((g.displaced(1), g.tray(Race::Elves), g.tokens(2)), (0, 10, 1));
}

#[test]
fn ghouls_keep_every_token_in_decline() {
    let mut g = PositionBuilder::new(2).active(0, "Ghouls", "Hill", &[(1, 3), (2, 2)]).start();
    g.play("DECLINE");
    assert_eq!((g.tokens(1), g.tokens(2), g.tray(Race::Ghouls)), (3, 2, 5));
}

#[test]
fn declined_ghouls_ready_conquer_and_redeploy_before_the_active_race() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Hill", &[(13, 4)])
        .declined(0, "Ghouls", "Stout", &[(1, 3), (2, 2)])
        .start();
    g.play("EXPAND");
    assert_eq!(g.phase(), "GHOUL_CONQUEST");
    assert_eq!(g.state.armies[0][slot::DECLINED].hand, 3);
    assert_eq!(g.tokens(13), 4, "the active race gets ready later");
    g.play("CONQUER 3");
    assert_eq!(g.owner(3), Some((0, slot::DECLINED)));
    // One token is left: a region of cost 3 needs the die.
    g.play_with("FINAL_CONQUEST 6", &[2]);
    assert_eq!((g.phase(), g.owner(6)), ("REDEPLOY", Some((0, slot::DECLINED))));
    g.play("REDEPLOY 3");
    assert_eq!((g.phase(), g.hand(0)), ("CONQUEST", 3));
}

#[test]
fn a_failed_last_attempt_of_ghouls_leaves_the_active_race_its_turn() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Hill", &[(13, 4)])
        .declined(0, "Ghouls", "Stout", &[(2, 2)])
        .start();
    g.play("EXPAND").play_with("FINAL_CONQUEST 6", &[0]);
    assert_eq!((g.phase(), g.tokens(2), g.owner(6)), ("CONQUEST", 2, None));
}

#[test]
fn ghouls_move_after_a_pick_too() {
    let mut g = PositionBuilder::new(2)
        .declined(0, "Ghouls", "Stout", &[(1, 3)])
        .phase("PICK_COMBO")
        .row(&[("Ratmen", "Hill")])
        .start();
    g.play_with("PICK_COMBO 0", &[0, 0]);
    assert_eq!(g.phase(), "GHOUL_CONQUEST");
    g.play("SKIP_CONQUEST");
    assert_eq!((g.phase(), g.hand(0)), ("CONQUEST", 12));
}

#[test]
fn ghouls_may_attack_their_owners_active_race() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Hill", &[(2, 3), (13, 1)])
        .declined(0, "Ghouls", "Stout", &[(1, 6)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 2"]);
    assert_eq!(g.owner(2), Some((0, slot::DECLINED)));
    // One token is lost; the other two are in hand for the conquests of the turn.
    assert_eq!((g.hand(0), g.tray(Race::Ratmen), g.displaced(0)), (2, 10, 0));
}

#[test]
fn ghouls_are_not_bound_by_a_diplomat() {
    let setup = |ghouls: bool| {
        let setup = PositionBuilder::new(2)
            .active(1, "Humans", "Diplomat", &[(2, 1)])
            .progress("diplomat", json!(1))
            .progress("ally", json!(0));
        if ghouls {
            setup.active(0, "Ratmen", "Hill", &[(13, 9)]).declined(0, "Ghouls", "Stout", &[(1, 5)])
        } else {
            setup.active(0, "Ratmen", "Hill", &[(1, 9)])
        }
    };
    assert!(setup(true).start().play("EXPAND").can("CONQUER 2"));
    assert!(!setup(false).start().play("EXPAND").can("CONQUER 2"));
}

#[test]
fn ghouls_do_not_move_on_a_decline_turn() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Spirit", &[(13, 4)])
        .declined(0, "Ghouls", "Stout", &[(1, 3)])
        .start();
    g.play("DECLINE");
    assert_eq!((g.mover(), g.coins(0)), (1, 5 + 2));
    assert_eq!((g.owner(13), g.owner(1)), (Some((0, slot::SPIRIT)), Some((0, slot::DECLINED))));
}

#[test]
fn conquered_ghouls_are_lost_under_the_seeds_rules_and_retreat_under_the_published_ones() {
    let setup = || {
        PositionBuilder::new(2)
            .active(0, "Ratmen", "Hill", &[(1, 9)])
            .active(1, "Humans", "Stout", &[(14, 1)])
            .declined(1, "Ghouls", "Swamp", &[(2, 3), (7, 1)])
    };
    let mut g = setup().start();
    g.play_all(&["EXPAND", "CONQUER 2"]);
    assert_eq!(g.tray(Race::Ghouls), 10 - 1);
    let mut g = setup().option("rules", "official").start();
    g.play_all(&["EXPAND", "CONQUER 2", "SKIP_CONQUEST", "REDEPLOY 1 rest"]);
    // Two of three retreat to the only region left, without a decision.
    assert_eq!((g.tokens(7), g.tray(Race::Ghouls)), (3, 10 - 3));
}

/// Seat 0 with strong Ratmen at region 1, seat 1 with Ghouls in decline, under the published rules.
fn published_ghouls(power: &'static str, regions: &[(u8, u8)]) -> ScriptedGame {
    PositionBuilder::new(2)
        .option("rules", "official")
        .active(0, "Ratmen", "Hill", &[(1, 13)])
        .active(1, "Humans", power, &[(14, 1)])
        .declined(1, "Ghouls", "Swamp", regions)
        .start()
}

#[test]
fn published_ghouls_that_lose_their_last_region_wait_in_hand_and_come_back_over_the_border() {
    let mut g = published_ghouls("Stout", &[(2, 3)]);
    g.play_all(&["EXPAND", "CONQUER 2", "SKIP_CONQUEST", "REDEPLOY 1 rest"]);
    let ghouls = g.state.armies[1][slot::DECLINED];
    assert_eq!((g.race(1, slot::DECLINED), ghouls.hand, ghouls.displaced), (Some(Race::Ghouls), 2, 0));
    assert_eq!((g.tray(Race::Ghouls), g.phase()), (10 - 2, "CHOOSE_EXPAND_OR_DECLINE"));
    g.play("EXPAND");
    assert_eq!((g.phase(), g.mover()), ("GHOUL_CONQUEST", 1));
    g.play("CONQUER 3");
    assert_eq!((g.owner(3), g.tokens(3), g.phase()), (Some((1, slot::DECLINED)), 2, "CONQUEST"));
}

#[test]
fn published_ghouls_keep_the_survivors_of_every_region_that_falls_in_a_turn() {
    let mut g = published_ghouls("Stout", &[(2, 2), (3, 3)]);
    g.play_all(&["EXPAND", "CONQUER 2", "CONQUER 3", "SKIP_CONQUEST", "REDEPLOY 1 rest"]);
    assert_eq!((g.state.armies[1][slot::DECLINED].hand, g.tray(Race::Ghouls)), (1 + 2, 10 - 3));
    let mut g = published_ghouls("Stout", &[(2, 3), (3, 1)]);
    g.play_all(&["EXPAND", "CONQUER 2", "CONQUER 3", "SKIP_CONQUEST", "REDEPLOY 1 rest"]);
    assert_eq!((g.state.armies[1][slot::DECLINED].hand, g.tray(Race::Ghouls)), (2, 10 - 2));
}

#[test]
fn published_ghouls_without_a_token_left_are_gone() {
    let mut g = published_ghouls("Stout", &[(2, 1), (3, 1)]);
    g.play_all(&["EXPAND", "CONQUER 2", "CONQUER 3"]);
    assert_eq!((g.race(1, slot::DECLINED), g.tray(Race::Ghouls)), (None, 10));
}

#[test]
fn published_ghouls_in_hand_wait_for_as_long_as_their_owner_wants() {
    let mut g = published_ghouls("Spirit", &[(2, 3)]);
    g.play_all(&["EXPAND", "CONQUER 2", "SKIP_CONQUEST", "REDEPLOY 1 rest"]);
    g.play_all(&["EXPAND", "SKIP_CONQUEST"]);
    assert_eq!((g.phase(), g.state.armies[1][slot::DECLINED].hand), ("CONQUEST", 2));
    g.play_all(&["SKIP_CONQUEST", "EXPAND", "SKIP_CONQUEST", "REDEPLOY 1 rest"]);
    // They wait in hand on a turn of decline too; a later race in decline replaces them.
    g.play("DECLINE");
    assert_eq!((g.mover(), g.state.armies[1][slot::DECLINED].hand), (0, 2));
    let mut g = published_ghouls("Stout", &[(2, 3)]);
    g.play_all(&["EXPAND", "CONQUER 2", "SKIP_CONQUEST", "REDEPLOY 1 rest", "DECLINE"]);
    assert_eq!((g.race(1, slot::DECLINED), g.tray(Race::Ghouls)), (Some(Race::Humans), 10));
}

#[test]
fn giants_save_a_token_next_to_a_mountain_they_hold() {
    let mut g = PositionBuilder::new(2).active(0, "Giants", "Alchemist", &[(5, 4), (2, 1)]).start();
    g.play("EXPAND").play("CONQUER 6");
    assert_eq!(g.tokens(6), 2, "3 for the tribe's swamp, less one");
}

#[test]
fn giants_pay_in_full_away_from_their_mountains() {
    let mut g = PositionBuilder::new(2).active(0, "Giants", "Alchemist", &[(2, 5)]).start();
    g.play_all(&["EXPAND", "CONQUER 6"]);
    assert_eq!(g.tokens(6), 3);
}

#[test]
fn discounts_of_race_and_power_add_up_and_never_fall_below_one_token() {
    let mut g = PositionBuilder::new(2).active(0, "Giants", "Commando", &[(5, 4)]).start();
    g.play_all(&["EXPAND", "CONQUER 4"]);
    assert_eq!(g.tokens(4), 1);
    g.play("CONQUER 6");
    assert_eq!(g.tokens(6), 1, "3 less two");
}

#[test]
fn halflings_make_their_first_two_conquests_anywhere_and_dig_holes_there() {
    let mut g = PositionBuilder::new(2).active(0, "Halflings", "Hill", &[]).hand(0, 10).start();
    g.play("EXPAND");
    assert_eq!(g.targets("CONQUER").len(), 14, "all land");
    g.play("CONQUER 9");
    assert_eq!(g.targets("CONQUER").len(), 13);
    g.play("CONQUER 2");
    assert_eq!(g.targets("CONQUER"), [1, 3, 5, 6, 8, 13]);
    g.play("CONQUER 1");
    assert_eq!([9, 2, 1].map(|r| g.markers(r) & markers::HOLE != 0), [true, true, false]);
}

#[test]
fn published_halflings_only_enter_anywhere() {
    let setup =
        PositionBuilder::new(2).active(0, "Halflings", "Hill", &[]).hand(0, 10).option("rules", "official");
    let mut g = setup.start();
    g.play_all(&["EXPAND", "CONQUER 9"]);
    assert_eq!(g.targets("CONQUER"), [5, 8, 13]);
    g.play("CONQUER 8");
    assert_eq!(g.markers(8), markers::HOLE);
}

#[test]
fn holes_are_immune_and_go_with_their_region() {
    let halflings = |seat| {
        PositionBuilder::new(2)
            .active(seat, "Halflings", "Hill", &[(2, 2), (3, 1)])
            .marker(2, "HOLE_IN_THE_GROUND")
            .marker(3, "HOLE_IN_THE_GROUND")
            .progress("leaps", json!(2))
    };
    let mut g = halflings(1).active(0, "Ratmen", "Flying", &[(1, 9)]).start();
    g.play("EXPAND");
    assert!(!g.can("CONQUER 2") && !g.can("CONQUER 3") && g.can("CONQUER 6"));

    let mut g = halflings(0).start();
    g.play_all(&["EXPAND", "ABANDON 2"]);
    assert_eq!((g.markers(2), g.hand(0)), (0, 2));
    g.play("CONQUER 2");
    assert_eq!(g.markers(2), 0, "holes are not dug again");

    let mut g = halflings(0).start();
    g.play("DECLINE");
    assert_eq!((g.markers(2), g.markers(3)), (0, 0));
}

#[test]
fn humans_earn_farmland_while_active() {
    let g = PositionBuilder::new(2).active(0, "Humans", "Stout", &[(1, 1), (4, 1), (5, 1)]).start();
    assert_eq!(g.income(0), 3 + 2);
    let g = PositionBuilder::new(2).active(0, "Elves", "Stout", &[]).declined(
        0,
        "Humans",
        "Hill",
        &[(1, 1), (4, 1)],
    );
    assert_eq!(g.start().income(0), 2);
}

#[test]
fn orcs_earn_a_coin_for_every_conquest_that_was_not_empty() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Orcs", "Stout", &[(2, 9)])
        .active(1, "Humans", "Hill", &[(3, 1), (14, 1)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 6", "CONQUER 3", "CONQUER 1"]);
    assert_eq!((g.state.battles, g.income(0)), (2, 4 + 2));
}

#[test]
fn ratmen_have_their_number_and_nothing_else() {
    let mut g = PositionBuilder::new(2).phase("PICK_COMBO").row(&[("Ratmen", "Stout")]).start();
    g.play_with("PICK_COMBO 0", &[0, 0]);
    assert_eq!(g.hand(0), 8 + 4);
    g.play("CONQUER 1");
    assert_eq!((g.tokens(1), g.income(0)), (2, 1));
}

#[test]
fn skeletons_raise_a_token_for_every_two_battles() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Skeletons", "Stout", &[(2, 9)])
        .active(1, "Humans", "Hill", &[(3, 1), (7, 1), (14, 1)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 6", "CONQUER 3"]);
    assert_eq!(g.state.battles, 2);
    g.play("SKIP_CONQUEST");
    assert_eq!((g.phase(), g.tray(Race::Skeletons)), ("REDEPLOY", 20 - 9 - 1));
    assert_eq!(g.hand(0), 9 + 1 - 3);
}

#[test]
fn skeletons_stop_at_the_end_of_their_tray() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Skeletons", "Stout", &[(2, 20)])
        .active(1, "Humans", "Hill", &[(3, 1), (14, 1)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 6", "CONQUER 3", "SKIP_CONQUEST"]);
    assert_eq!((g.tray(Race::Skeletons), g.hand(0)), (0, 17));
}

#[test]
fn sorcerers_convert_a_lone_active_token_once_per_opponent_and_turn() {
    let mut g = PositionBuilder::new(3)
        .active(0, "Sorcerers", "Stout", &[(6, 1)])
        .active(1, "Humans", "Hill", &[(5, 1), (2, 1), (14, 2)])
        .active(2, "Orcs", "Swamp", &[(7, 1), (10 + 1, 2)])
        .start();
    g.play("EXPAND");
    assert_eq!(g.hand(0), 0, "it works with no token in hand");
    assert_eq!(g.targets("USE_SORCERER"), [2, 5, 7]);
    // The mountain's defence does not protect the token.
    g.play("USE_SORCERER 5");
    assert_eq!(g.targets("USE_SORCERER"), [7]);
    assert_eq!((g.tray(Race::Sorcerers), g.tray(Race::Humans), g.displaced(1)), (16, 10 - 3, 0));
    assert_eq!(g.state.battles, 1);
}

#[test]
fn sorcerers_beat_fortress_and_lair() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Sorcerers", "Stout", &[(6, 1)])
        .active(1, "Trolls", "Fortified", &[(5, 1), (14, 2)])
        .marker(5, "TROLL_LAIR")
        .marker(5, "FORTRESS")
        .start();
    g.play_all(&["EXPAND", "USE_SORCERER 5"]);
    assert_eq!((g.markers(5), g.tokens(5)), (0, 1));
}

#[test]
fn sorcerers_are_stopped_by_encampments_immunity_and_peace() {
    let encampment = PositionBuilder::new(2)
        .active(0, "Sorcerers", "Stout", &[(6, 1)])
        .active(1, "Humans", "Bivouacking", &[(5, 1), (2, 1)])
        .encampments(5, 1);
    assert_eq!(encampment.start().play("EXPAND").targets("USE_SORCERER"), [2]);
    let hero = PositionBuilder::new(2)
        .active(0, "Sorcerers", "Stout", &[(6, 1)])
        .active(1, "Humans", "Heroic", &[(5, 1), (2, 1)])
        .marker(5, "HERO");
    assert_eq!(hero.start().play("EXPAND").targets("USE_SORCERER"), [2]);
    let peace = PositionBuilder::new(2)
        .active(0, "Sorcerers", "Stout", &[(6, 1)])
        .active(1, "Humans", "Diplomat", &[(5, 1), (2, 1)])
        .progress("diplomat", json!(1))
        .progress("ally", json!(0));
    assert!(peace.start().play("EXPAND").targets("USE_SORCERER").is_empty());
}

#[test]
fn sorcerers_convert_over_linked_caverns_and_not_as_far_as_they_fly() {
    // 3, 11 and 12 are caverns; 11 touches 15, 12 touches 8, and neither touches 3.
    let setup = |power, rules| {
        let setup = PositionBuilder::new(2).option("rules", rules).active(0, "Sorcerers", power, &[(3, 1)]);
        setup.active(1, "Humans", "Hill", &[(2, 1), (11, 1), (12, 1), (14, 1)])
    };
    for rules in ["original", "official"] {
        let targets = |power| setup(power, rules).start().play("EXPAND").targets("USE_SORCERER");
        assert_eq!(targets("Stout"), [2]);
        assert_eq!(targets("Flying"), [2]);
        assert_eq!(targets("Underworld"), [2, 11, 12]);
    }
    let mut flying = setup("Flying", "official").start();
    flying.play("EXPAND");
    let refused = flying.game.explain_illegal(&flying.state, index::SORCERER + 14).to_string();
    assert!(refused.contains("next to a region held"), "{refused}");
}

#[test]
fn sorcerers_convert_neither_declined_races_nor_from_an_empty_tray() {
    let declined = PositionBuilder::new(2)
        .active(0, "Sorcerers", "Stout", &[(6, 1)])
        .declined(1, "Humans", "Hill", &[(5, 1), (2, 1)])
        .declined(0, "Orcs", "Swamp", &[(7, 1)]);
    assert!(declined.start().play("EXPAND").targets("USE_SORCERER").is_empty());
    let empty = PositionBuilder::new(2).active(0, "Sorcerers", "Stout", &[(6, 18)]).active(
        1,
        "Humans",
        "Hill",
        &[(5, 1), (2, 1)],
    );
    assert!(empty.start().play("EXPAND").targets("USE_SORCERER").is_empty());
}

#[test]
fn tritons_save_a_token_on_coasts_of_sea_and_lake() {
    let mut g = PositionBuilder::new(2).active(0, "Tritons", "Stout", &[(5, 9)]).start();
    g.play_all(&["EXPAND", "CONQUER 1", "CONQUER 9", "CONQUER 6", "CONQUER 2"]);
    assert_eq!([1, 9, 6, 2].map(|r| g.tokens(r)), [1, 1, 2, 2]);
}

#[test]
fn trolls_put_a_lair_in_every_region_and_leave_it_in_decline() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Trolls", "Stout", &[(2, 9)])
        .active(1, "Humans", "Hill", &[(14, 9)])
        .marker(2, "TROLL_LAIR")
        .start();
    g.play_all(&["EXPAND", "CONQUER 3"]);
    assert_eq!((g.markers(3), g.state.base_cost[3]), (markers::LAIR, 2 + 2 + 1));
    g.play_all(&["SKIP_CONQUEST", "REDEPLOY 3 rest", "STOUT_DECLINE yes"]);
    assert_eq!([2, 3].map(|r| g.markers(r)), [markers::LAIR; 2]);
    assert_eq!(g.state.base_cost[3], 2 + 1 + 1);
}

#[test]
fn lairs_go_when_their_region_is_abandoned_or_conquered() {
    let mut g = PositionBuilder::new(2).active(0, "Trolls", "Stout", &[(2, 1), (3, 4)]);
    g = g.marker(2, "TROLL_LAIR").marker(3, "TROLL_LAIR");
    assert_eq!(g.start().play_all(&["EXPAND", "ABANDON 2"]).markers(2), 0);
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Stout", &[(1, 9)])
        .declined(1, "Trolls", "Hill", &[(2, 1), (3, 1)])
        .marker(2, "TROLL_LAIR")
        .start();
    g.play_all(&["EXPAND", "CONQUER 2"]);
    assert_eq!((g.markers(2), g.tokens(2)), (0, 2 + 1 + 1));
}

#[test]
fn wizards_earn_magic_sources_while_active() {
    let regions = [(9, 1), (14, 1), (13, 1)];
    assert_eq!(PositionBuilder::new(2).active(0, "Wizards", "Stout", &regions).start().income(0), 3 + 2);
    let declined =
        PositionBuilder::new(2).active(0, "Elves", "Stout", &[]).declined(0, "Wizards", "Hill", &regions);
    assert_eq!(declined.start().income(0), 3);
}
