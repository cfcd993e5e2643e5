//! Every special power, by name.

use super::super::actions::index;
use super::PositionBuilder;
use crate::rules::pieces::markers;
use crate::rules::roster::{Power, Race};
use crate::rules::state::slot;
use ludovec_engine::Words;

#[test]
fn alchemist_earns_two_coins_a_turn_but_not_on_the_decline_turn() {
    let setup = || PositionBuilder::new(2).active(0, "Ratmen", "Alchemist", &[(1, 1), (2, 1)]);
    assert_eq!(setup().start().income(0), 2 + 2);
    assert_eq!(setup().start().play("DECLINE").coins(0), 5 + 2);
}

#[test]
fn berserk_may_roll_before_each_target_and_the_pips_lower_its_cost() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Berserk", &[(2, 7)]).start();
    g.play("EXPAND").play_with("ROLL_DIE", &[1]);
    assert_eq!(g.phase(), "CONQUEST");
    assert!(!g.can("ROLL_DIE"), "a rolled die wants a target");
    g.play("CONQUER 6");
    assert_eq!((g.tokens(6), g.hand(0)), (2, 4));
    g.play_with("ROLL_DIE", &[3]).play("CONQUER 1");
    assert_eq!(g.tokens(1), 1, "never below one token");
    g.play("CONQUER 3");
    assert_eq!(g.tokens(3), 2, "rolling is a choice");
}

#[test]
fn berserk_with_a_roll_too_low_for_any_region_has_made_its_last_attempt() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Berserk", &[(2, 2), (3, 1)]).start();
    g.play("EXPAND").play_with("ROLL_DIE", &[0]);
    assert_eq!(g.phase(), "REDEPLOY");
}

#[test]
fn bivouacking_places_five_stackable_encampments_each_turn() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Bivouacking", &[(1, 1), (2, 2)])
        .active(1, "Humans", "Hill", &[(14, 9)])
        .encampments(2, 5)
        .start();
    g.play("EXPAND");
    assert_eq!(g.state.encampments, [0; 48], "they are taken up again");
    g.play_all(&["SKIP_CONQUEST", "REDEPLOY 2"]);
    assert_eq!(g.phase(), "PLACE_BIVOUACS");
    g.play_all(&["PLACE_BIVOUACS 1", "PLACE_BIVOUACS 1", "PLACE_BIVOUACS 2 rest"]);
    assert_eq!((g.state.encampments[1], g.state.encampments[2], g.mover()), (2, 3, 1));
    assert_eq!(g.state.base_cost[1], 2 + 1 + 2);
}

#[test]
fn encampments_are_not_lost_when_conquered_but_placed_again_by_the_victim() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Hill", &[(1, 12)])
        .active(1, "Humans", "Bivouacking", &[(2, 2), (7, 1)])
        .encampments(2, 3)
        .encampments(7, 1)
        .start();
    g.play_all(&["EXPAND", "CONQUER 2"]);
    assert_eq!((g.tokens(2), g.hand(0)), (7, 4));
    g.play_all(&["SKIP_CONQUEST", "REDEPLOY 1 rest"]);
    // The displaced token can only go to one region, without a decision; placing the encampments is a decision.
    assert_eq!((g.phase(), g.mover(), g.tokens(7), g.state.loose_encampments), ("PLACE_BIVOUACS", 1, 2, 3));
    g.play_all(&["PLACE_BIVOUACS 7", "PLACE_BIVOUACS none"]);
    assert_eq!((g.state.encampments[7], g.phase()), (2, "CHOOSE_EXPAND_OR_DECLINE"));
}

#[test]
fn encampments_wait_in_the_box_when_the_victim_has_no_region_left() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Hill", &[(1, 12)])
        .active(1, "Humans", "Bivouacking", &[(2, 2)])
        .encampments(2, 3)
        .start();
    g.play_all(&["EXPAND", "CONQUER 2", "SKIP_CONQUEST", "REDEPLOY 1 rest"]);
    assert_eq!((g.phase(), g.hand(1), g.state.loose_encampments), ("CHOOSE_EXPAND_OR_DECLINE", 1, 0));
}

#[test]
fn encampments_vanish_in_decline() {
    let mut g =
        PositionBuilder::new(2).active(0, "Ratmen", "Bivouacking", &[(2, 2)]).encampments(2, 3).start();
    g.play("DECLINE");
    assert_eq!((g.state.encampments[2], g.state.base_cost[2]), (0, 3));
}

#[test]
fn commando_saves_a_token_everywhere() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Commando", &[(2, 9)]).start();
    g.play_all(&["EXPAND", "CONQUER 6", "CONQUER 5"]);
    assert_eq!([6, 5].map(|r| g.tokens(r)), [2, 2]);
}

#[test]
fn diplomat_makes_peace_with_an_opponent_it_did_not_attack() {
    let mut g = PositionBuilder::new(3)
        .active(0, "Ratmen", "Diplomat", &[(1, 9)])
        .active(1, "Humans", "Hill", &[(2, 1), (6, 5)])
        .active(2, "Orcs", "Swamp", &[(14, 9)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 2", "SKIP_CONQUEST", "REDEPLOY 2 rest"]);
    assert_eq!(g.legal(), ["CHOOSE_DIPLOMAT_ALLY 2", "CHOOSE_DIPLOMAT_ALLY none"]);
    g.play("CHOOSE_DIPLOMAT_ALLY 2");
    assert_eq!((g.state.diplomat, g.state.ally), (0, 2));
}

#[test]
fn peace_protects_the_diplomats_active_race_until_its_next_turn() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Diplomat", &[(1, 2)])
        .declined(0, "Orcs", "Stout", &[(3, 1)])
        .active(1, "Humans", "Hill", &[(2, 9)])
        .start();
    g.play_all(&["EXPAND", "SKIP_CONQUEST", "CHOOSE_DIPLOMAT_ALLY 1", "EXPAND"]);
    assert_eq!(g.mover(), 1);
    assert!(!g.can("CONQUER 1") && g.can("CONQUER 3"), "declined races are not protected");
    let refusal = g.game.explain_illegal(&g.state, index::CONQUER + 1);
    assert!(refusal.reason.contains("at peace"), "{refusal}");
    g.play_all(&["SKIP_CONQUEST", "EXPAND"]);
    assert_eq!((g.mover(), g.state.ally), (0, 255));
}

#[test]
fn diplomat_may_choose_no_ally() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Diplomat", &[(1, 2)])
        .active(1, "Humans", "Hill", &[(2, 9)])
        .start();
    g.play_all(&["EXPAND", "SKIP_CONQUEST", "CHOOSE_DIPLOMAT_ALLY none", "EXPAND"]);
    assert!(g.can("CONQUER 1"));
}

#[test]
fn dragon_takes_a_region_with_one_token_and_stays_there() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Dragon Master", &[(1, 3)])
        .active(1, "Humans", "Hill", &[(2, 9), (14, 1)])
        .start();
    g.play("EXPAND");
    g.play("USE_DRAGON 2");
    assert_eq!((g.tokens(2), g.markers(2), g.displaced(1)), (1, markers::DRAGON, 8));
    assert!(g.targets("USE_DRAGON").is_empty(), "once a turn");
}

#[test]
fn the_dragons_region_is_immune_until_it_moves_on() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Dragon Master", &[(2, 4), (1, 1)])
        .active(1, "Humans", "Hill", &[(3, 9), (6, 1)])
        .marker(2, "DRAGON")
        .start();
    g.play("EXPAND").play("USE_DRAGON 6");
    assert_eq!((g.markers(2), g.markers(6)), (0, markers::DRAGON));
    g.play_all(&["SKIP_CONQUEST", "REDEPLOY 6 rest", "EXPAND"]);
    assert_eq!(g.mover(), 1);
    assert!(g.can("CONQUER 2") && !g.can("CONQUER 6"));
}

#[test]
fn the_dragon_reaches_no_further_and_breaks_no_immunity() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Dragon Master", &[(1, 3)])
        .active(1, "Humans", "Heroic", &[(2, 9), (14, 1)])
        .marker(2, "HERO")
        .start();
    g.play("EXPAND");
    assert_eq!(g.targets("USE_DRAGON"), [5]);
}

#[test]
fn the_dragon_leaves_in_decline() {
    let mut g =
        PositionBuilder::new(2).active(0, "Ratmen", "Dragon Master", &[(1, 3)]).marker(1, "DRAGON").start();
    assert_eq!(g.play("DECLINE").markers(1), 0);
}

#[test]
fn flying_reaches_all_land_and_no_water() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Flying", &[(1, 9)]).start();
    g.play("EXPAND");
    let land: Vec<u8> = (2..16).filter(|&r| r != 10).collect();
    assert_eq!(g.targets("CONQUER"), land);
}

#[test]
fn forest_hill_and_swamp_earn_their_terrain_while_active() {
    for (power, regions) in [
        ("Forest", [(3, 1), (8, 1), (1, 1)]),
        ("Hill", [(2, 1), (7, 1), (1, 1)]),
        ("Swamp", [(6, 1), (9, 1), (1, 1)]),
    ] {
        let active = PositionBuilder::new(2).active(0, "Ratmen", power, &regions).start();
        assert_eq!(active.income(0), 3 + 2, "{power}");
        let declined =
            PositionBuilder::new(2).active(0, "Elves", "Stout", &[]).declined(0, "Ratmen", power, &regions);
        assert_eq!(declined.start().income(0), 3, "{power}");
    }
}

#[test]
fn fortified_builds_one_fortress_a_turn_one_a_region() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Fortified", &[(1, 1), (2, 1)])
        .active(1, "Humans", "Hill", &[(14, 1)])
        .marker(1, "FORTRESS")
        .start();
    g.play_all(&["EXPAND", "SKIP_CONQUEST"]);
    assert_eq!(g.legal(), ["PLACE_FORTRESS 2", "PLACE_FORTRESS none"]);
    g.play("PLACE_FORTRESS 2");
    // Two regions, two fortresses.
    assert_eq!((g.coins(0), g.state.base_cost[2], g.mover()), (5 + 2 + 2, 2 + 1 + 1, 1));
}

#[test]
fn there_are_six_fortresses() {
    let regions = [1, 2, 3, 4, 5, 6, 7].map(|r| (r, 1));
    let mut setup = PositionBuilder::new(2).active(0, "Ratmen", "Fortified", &regions).active(
        1,
        "Orcs",
        "Hill",
        &[(14, 1)],
    );
    for region in 1..=6 {
        setup = setup.marker(region, "FORTRESS");
    }
    let mut g = setup.start();
    g.play_all(&["EXPAND", "SKIP_CONQUEST"]);
    assert_eq!((g.mover(), g.coins(0)), (1, 5 + 7 + 6));
}

#[test]
fn fortresses_defend_in_decline_and_pay_no_more() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Fortified", &[(1, 1), (2, 1)])
        .active(1, "Humans", "Hill", &[(3, 9)])
        .marker(2, "FORTRESS")
        .start();
    g.play("DECLINE");
    assert_eq!((g.coins(0), g.state.base_cost[2]), (5 + 2, 4));
    g.play_all(&["EXPAND", "CONQUER 2"]);
    assert_eq!((g.tokens(2), g.markers(2)), (4, 0), "it goes when conquered");
}

#[test]
fn heroes_make_two_regions_immune_until_the_next_turn_and_vanish_in_decline() {
    let setup = || {
        PositionBuilder::new(2).active(0, "Ratmen", "Heroic", &[(1, 1), (2, 1), (3, 1)]).active(
            1,
            "Humans",
            "Hill",
            &[(6, 9)],
        )
    };
    let mut g = setup().start();
    g.play_all(&["EXPAND", "SKIP_CONQUEST", "PLACE_HEROES 2"]);
    assert_eq!(g.legal(), ["PLACE_HEROES 3", "PLACE_HEROES none"], "in two regions");
    g.play_all(&["PLACE_HEROES 3", "EXPAND"]);
    assert!(!g.can("CONQUER 2") && g.can("CONQUER 5"));
    let mut g = setup().marker(2, "HERO").start();
    assert_eq!(g.play("EXPAND").markers(2), 0);
    let mut g = setup().marker(2, "HERO").start();
    assert_eq!(g.play("DECLINE").markers(2), 0);
}

#[test]
fn merchant_earns_a_coin_more_for_every_active_region() {
    let g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Merchant", &[(1, 1), (2, 1)])
        .declined(0, "Orcs", "Hill", &[(7, 1)])
        .start();
    assert_eq!(g.income(0), 2 + 2 + 1);
}

#[test]
fn mounted_saves_a_token_on_hill_and_farmland() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Mounted", &[(6, 9)]).start();
    g.play_all(&["EXPAND", "CONQUER 2", "CONQUER 1", "CONQUER 3"]);
    assert_eq!([2, 1, 3].map(|r| g.tokens(r)), [1, 1, 2]);
}

#[test]
fn pillaging_earns_battles_and_adds_to_orcs() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Orcs", "Pillaging", &[(2, 9)])
        .active(1, "Humans", "Hill", &[(3, 1), (14, 1)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 3", "CONQUER 1"]);
    assert_eq!(g.income(0), 3 + 1 + 1);
}

#[test]
fn seafaring_takes_seas_and_lakes_as_empty_regions() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Seafaring", &[(6, 9)]).start();
    g.play_all(&["EXPAND", "CONQUER 10"]);
    assert_eq!((g.tokens(10), g.state.battles), (2, 0));
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Seafaring", &[]).hand(0, 9).start();
    assert!(g.play("EXPAND").can("CONQUER 0"), "a sea is border");
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Hill", &[(6, 9)]).start();
    assert!(!g.play("EXPAND").can("CONQUER 10"));
}

#[test]
fn seafaring_keeps_and_scores_water_in_decline() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Seafaring", &[(0, 2), (1, 1)]).start();
    g.play("DECLINE");
    assert_eq!((g.coins(0), g.owner(0)), (5 + 2, Some((0, slot::DECLINED))));
}

#[test]
fn spirit_declines_into_a_slot_of_its_own() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Spirit", &[(1, 2), (2, 1)])
        .declined(0, "Orcs", "Hill", &[(7, 1)])
        .start();
    g.play("DECLINE");
    assert_eq!(g.race(0, slot::DECLINED), Some(Race::Orcs));
    assert_eq!(g.race(0, slot::SPIRIT), Some(Race::Ratmen));
    assert_eq!(g.coins(0), 5 + 3);
}

#[test]
fn a_spirit_race_leaves_only_by_conquest_and_its_badge_with_it() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Humans", "Hill", &[(14, 1)])
        .declined(0, "Orcs", "Stout", &[(11, 1)])
        .spirit(0, "Ratmen", &[(2, 1)])
        .active(1, "Elves", "Swamp", &[(1, 9)])
        .start();
    g.play("DECLINE");
    assert_eq!(g.race(0, slot::SPIRIT), Some(Race::Ratmen), "a second decline takes the other slot");
    assert_eq!(g.race(0, slot::DECLINED), Some(Race::Humans));
    assert_eq!(g.state.power_discard >> Power::Spirit.index() & 1, 0);
    g.play_all(&["EXPAND", "CONQUER 2"]);
    assert_eq!(g.race(0, slot::SPIRIT), None);
    assert_eq!(g.state.power_discard >> Power::Spirit.index() & 1, 1);
}

#[test]
fn stout_may_decline_after_scoring_and_picks_next_turn() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Humans", "Stout", &[(1, 1), (2, 1)])
        .active(1, "Elves", "Swamp", &[(14, 1)])
        .start();
    g.play_all(&["EXPAND", "SKIP_CONQUEST"]);
    assert_eq!((g.phase(), g.coins(0)), ("STOUT_DECLINE", 5 + 2 + 1));
    g.play("STOUT_DECLINE yes");
    assert_eq!((g.coins(0), g.race(0, slot::DECLINED)), (8, Some(Race::Humans)));
    g.play_all(&["EXPAND", "SKIP_CONQUEST"]);
    assert_eq!((g.mover(), g.phase()), (0, "PICK_COMBO"));
}

#[test]
fn stout_may_stay() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Humans", "Stout", &[(1, 1), (2, 1)])
        .active(1, "Elves", "Swamp", &[(14, 1)])
        .start();
    g.play_all(&["EXPAND", "SKIP_CONQUEST", "STOUT_DECLINE no"]);
    assert_eq!((g.race(0, slot::ACTIVE), g.mover()), (Some(Race::Humans), 1));
}

#[test]
fn underworld_joins_caverns_and_takes_them_cheaper() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Underworld", &[(3, 9)]).start();
    g.play("EXPAND");
    assert_eq!(g.targets("CONQUER"), [2, 7, 11, 12]);
    g.play("CONQUER 12");
    assert_eq!(g.tokens(12), 1);
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Underworld", &[(2, 9)]).start();
    assert_eq!(g.play("EXPAND").targets("CONQUER"), [1, 3, 6], "without a cavern there is no way in");
}

#[test]
fn wealthy_earns_seven_coins_once() {
    let mut g = PositionBuilder::new(2)
        .phase("PICK_COMBO")
        .row(&[("Ratmen", "Wealthy")])
        .active(1, "Elves", "Swamp", &[(14, 1)])
        .start();
    g.play_with("PICK_COMBO 0", &[0, 0]);
    g.play_all(&["CONQUER 1", "SKIP_CONQUEST"]);
    assert_eq!(g.coins(0), 5 + 1 + 7);
    g.play_all(&["EXPAND", "SKIP_CONQUEST", "EXPAND", "SKIP_CONQUEST"]);
    assert_eq!(g.coins(0), 13 + 1);
}
