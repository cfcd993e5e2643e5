//! The settled points of the rules, by number.

use serde_json::json;

use super::{PositionBuilder, game};
use crate::rules::phase::Phase;
use crate::rules::pieces::markers;
use crate::rules::roster::{Power, Race};
use crate::rules::state::slot;
use ludovec_engine::chance::{ScriptedChance, SeededChance};
use ludovec_engine::{Rules, Status, Words};

#[test]
fn p01_races_enter_over_the_rim_and_the_shore_of_an_edge_sea_but_not_of_a_lake() {
    let mut setup = PositionBuilder::new(2).active(0, "Ratmen", "Hill", &[]).hand(0, 9);
    setup.words["map"]["regions"][4]["rim"] = json!(false);
    setup.words["map"]["regions"][14]["rim"] = json!(false);
    let mut g = setup.start();
    // 4 is on the sea's shore; 6, 9 and 14 on the lake's.
    assert_eq!(g.play("EXPAND").targets("CONQUER"), [1, 2, 3, 4, 7, 8, 11, 12, 13, 15]);
}

#[test]
fn p02_the_discount_on_water_is_a_flag() {
    let setup = || PositionBuilder::new(2).active(0, "Ratmen", "Seafaring", &[(6, 9)]);
    assert_eq!(setup().start().play_all(&["EXPAND", "CONQUER 10"]).tokens(10), 2);
    let mut g = setup().option("seafaring_discount", "true").start();
    assert_eq!(g.play_all(&["EXPAND", "CONQUER 10", "CONQUER 14"]).tokens(10), 1);
    assert_eq!(g.tokens(14), 2, "land is not cheaper");
}

#[test]
fn p03_a_pick_pays_the_combos_above_it_first_and_then_collects() {
    let setup = |coins| PositionBuilder::new(2).phase("PICK_COMBO").coins(0, coins);
    let mut g = setup(2).start();
    assert_eq!(g.legal(), ["PICK_COMBO 0", "PICK_COMBO 1", "PICK_COMBO 2"]);
    g.state.row[2].coins = 3;
    let before = g.state.row;
    g.play_with("PICK_COMBO 2", &[0, 0]);
    // The pick cost two coins and earned the three coins on the combo.
    assert_eq!(g.coins(0), 3);
    assert_eq!([0, 1, 2].map(|i| g.state.row[i].coins), [1, 1, 0]);
    assert_eq!([g.state.row[2].race, g.state.row[4].race], [before[3].race, before[5].race]);
    assert_eq!(g.state.row_len, 6);
}

#[test]
fn p03_a_single_affordable_combo_is_picked_without_asking() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Stout", &[(1, 1)]).coins(1, 0).start();
    g.play_with("DECLINE", &[0, 0]);
    assert_eq!((g.mover(), g.phase()), (1, "CONQUEST"));
}

#[test]
fn p04_a_lost_race_goes_under_the_stack_and_comes_back_in_order() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Hill", &[(1, 9)])
        .declined(1, "Orcs", "Swamp", &[(2, 1)])
        .active(1, "Elves", "Stout", &[(14, 1)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 2"]);
    assert_eq!((g.race(1, slot::DECLINED), g.tray(Race::Orcs)), (None, 10));
    assert_eq!((g.state.returned[0], g.state.returned_len), (Race::Orcs as u8, 1));
    // With no unseen race left in the stack, the returned races come in their order.
    let mut g = PositionBuilder::new(2).phase("PICK_COMBO").start();
    g.state.race_stack = 0;
    let rest: Vec<u8> = Race::ALL.into_iter().map(|r| r as u8).collect();
    let row: Vec<u8> = g.state.row.iter().map(|c| c.race).collect();
    let rest: Vec<u8> = rest.into_iter().filter(|r| !row.contains(r)).collect();
    g.state.returned[..rest.len()].copy_from_slice(&rest);
    g.state.returned_len = rest.len() as u8;
    g.play_with("PICK_COMBO 0", &[0]);
    assert_eq!((g.state.row[5].race, g.state.returned[0]), (rest[0], rest[1]));
}

#[test]
fn p04_a_lost_race_fills_an_empty_place_of_the_row_at_once() {
    let mut g = PositionBuilder::new(5)
        .active(0, "Ratmen", "Hill", &[(1, 9)])
        .declined(0, "Amazons", "Forest", &[(3, 1)])
        .active(1, "Elves", "Stout", &[(14, 1)])
        .declined(1, "Orcs", "Swamp", &[(2, 1)])
        .active(2, "Humans", "Commando", &[(13, 1)])
        .declined(2, "Giants", "Mounted", &[(12, 1)])
        .active(3, "Trolls", "Wealthy", &[(11, 1)])
        .marker(11, "TROLL_LAIR")
        .declined(3, "Dwarves", "Flying", &[(9, 1)])
        .active(4, "Tritons", "Merchant", &[(8, 1)])
        .start();
    assert_eq!(g.state.row_len, 5, "nine of fourteen races are in play");
    g.play("EXPAND").play_with("CONQUER 2", &[0]);
    assert_eq!((g.state.row_len, g.state.row[5].race), (6, Race::Orcs as u8));
}

#[test]
fn p04_powers_are_shuffled_again_when_their_stack_is_empty() {
    let mut g = PositionBuilder::new(2).phase("PICK_COMBO").start();
    std::mem::swap(&mut g.state.power_stack, &mut g.state.power_discard);
    let discarded = g.state.power_discard;
    g.play_with("PICK_COMBO 0", &[0, 3]);
    let drawn = 1 << g.state.row[5].power;
    assert_eq!((g.state.power_stack | drawn, g.state.power_discard), (discarded, 0));
}

#[test]
fn p04_a_declined_power_is_discarded_but_spirit_stays_out() {
    let discarded = |power: Power, g: &super::ScriptedGame| g.state.power_discard >> power.index() & 1 == 1;
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Hill", &[(1, 1)]).start();
    assert!(discarded(Power::Hill, g.play("DECLINE")));
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Spirit", &[(1, 1)]).start();
    assert!(!discarded(Power::Spirit, g.play("DECLINE")));
}

#[test]
fn p05_an_active_race_without_regions_expands_from_the_border_or_declines() {
    let setup = || PositionBuilder::new(2).active(0, "Ratmen", "Hill", &[]).hand(0, 4);
    let g = setup().start();
    assert_eq!(g.legal(), ["EXPAND", "DECLINE"]);
    let mut g = setup().start();
    g.play_all(&["EXPAND", "CONQUER 1"]);
    assert_eq!((g.hand(0), g.tokens(1)), (2, 2));
    let mut g = setup().start();
    g.play("DECLINE");
    // A race without regions leaves the game instead of going into decline.
    assert_eq!((g.race(0, slot::DECLINED), g.tray(Race::Ratmen), g.coins(0)), (None, 13, 5));
}

#[test]
fn p06_regions_are_abandoned_before_the_first_conquest_only() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Hill", &[(1, 4), (2, 2)]).start();
    g.play("EXPAND").play("ABANDON 1");
    assert_eq!((g.owner(1), g.hand(0)), (None, 3 + 1 + 1));
    assert!(g.can("ABANDON 2"));
    g.play("CONQUER 3");
    assert!(g.targets("ABANDON").is_empty());
}

#[test]
fn p06_a_race_that_abandons_everything_enters_over_the_border() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Hill", &[(5, 4)]).start();
    g.play_all(&["EXPAND", "ABANDON 5"]);
    assert_eq!(g.targets("CONQUER"), [1, 2, 3, 4, 7, 8, 11, 12, 13, 14, 15]);
}

#[test]
fn p07_readying_takes_all_but_one_token_of_each_region() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Hill", &[(1, 4), (2, 2), (3, 1)]).start();
    g.play("EXPAND");
    assert_eq!((g.hand(0), [1, 2, 3].map(|r| g.tokens(r))), (4, [1, 1, 1]));
}

#[test]
fn p08_a_conquest_uses_exactly_its_cost() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Stout", &[(2, 12)])
        .active(1, "Humans", "Hill", &[(3, 4), (14, 1)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 3"]);
    assert_eq!((g.tokens(3), g.hand(0)), (2 + 4, 11 - 6));
}

#[test]
fn p08_the_last_attempt_may_be_short_by_one_to_three() {
    let setup = |hand: u8, defenders: u8| {
        let mut g = PositionBuilder::new(2)
            .active(0, "Ratmen", "Stout", &[(3, hand + 1)])
            .active(1, "Humans", "Hill", &[(2, defenders), (7, 5), (14, 1)])
            .start();
        g.play("EXPAND");
        g
    };
    // 2 costs 3.
    assert!(setup(3, 1).can("CONQUER 2") && !setup(3, 1).can("FINAL_CONQUEST 2"));
    assert!(setup(2, 1).can("FINAL_CONQUEST 2"));
    // 2 costs 6.
    assert!(setup(3, 4).can("FINAL_CONQUEST 2"));
    assert!(!setup(2, 4).can("FINAL_CONQUEST 2"));
    // No token, no attempt.
    assert!(setup(0, 1).targets("FINAL_CONQUEST").is_empty());
}

#[test]
fn p08_a_successful_last_attempt_commits_everything_and_a_failed_one_returns_it() {
    let setup = || {
        let mut g = PositionBuilder::new(2)
            .active(0, "Ratmen", "Hill", &[(2, 3)])
            .active(1, "Humans", "Stout", &[(3, 2), (14, 1)])
            .start();
        g.play("EXPAND");
        g
    };
    // Two in hand, four needed.
    let mut won = setup();
    won.play_with("FINAL_CONQUEST 3", &[2]);
    assert_eq!((won.owner(3), won.phase(), won.displaced(1)), (Some((0, 0)), "REDEPLOY", 1));
    let mut lost = setup();
    lost.play_with("FINAL_CONQUEST 3", &[1]);
    assert_eq!((lost.owner(3), lost.tokens(2), lost.mover()), (Some((1, 0)), 3, 1));
}

#[test]
fn p08_the_die_shows_nothing_three_times_in_six() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Hill", &[(2, 2), (1, 1)]).start();
    g.play("EXPAND");
    let action = g.game.string_to_action(&g.state, "FINAL_CONQUEST 6").unwrap();
    let outcomes = ludovec_engine::chance::enumerate_outcomes(10, |chance| {
        let mut state = g.state;
        g.game.step(&mut state, action, chance);
        state.tokens[6]
    })
    .unwrap();
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.iter().partition(|o| o.result > 0);
    let sum = |side: &[&ludovec_engine::chance::ChanceOutcome<u8>]| -> f64 {
        side.iter().map(|o| o.probability).sum()
    };
    assert!((sum(&lost) - 4.0 / 6.0).abs() < 1e-9, "one is in hand and 3 are needed");
    assert!((sum(&won) - 2.0 / 6.0).abs() < 1e-9);
}

#[test]
fn p08_final_conquest_is_the_phase_when_only_the_die_can_help() {
    let mut g = PositionBuilder::new(2).active(0, "Ratmen", "Hill", &[(2, 4)]).start();
    g.play_all(&["EXPAND", "CONQUER 1"]);
    assert_eq!((g.phase(), g.hand(0)), ("FINAL_CONQUEST", 1));
    g.play("SKIP_CONQUEST");
    assert_eq!(g.phase(), "REDEPLOY");
}

#[test]
fn p09_mountains_always_defend_and_every_encampment_counts() {
    let g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Hill", &[(1, 9)])
        .active(1, "Humans", "Bivouacking", &[(5, 2)])
        .encampments(5, 3)
        .start();
    assert_eq!((g.state.base_cost[5], g.state.base_cost[13]), (2 + 2 + 1 + 3, 3));
}

#[test]
fn p10_own_declined_regions_are_conquerable_and_count_as_battles() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Orcs", "Stout", &[(2, 9)])
        .declined(0, "Humans", "Hill", &[(3, 1), (7, 1)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 3"]);
    assert_eq!((g.owner(3), g.state.battles, g.tray(Race::Humans)), (Some((0, 0)), 1, 9));
}

#[test]
fn p10_conquests_of_tribes_with_dragon_and_by_sorcery_are_battles() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Sorcerers", "Dragon Master", &[(2, 9)])
        .active(1, "Humans", "Hill", &[(3, 1), (14, 1)])
        .start();
    g.play("EXPAND").play("USE_SORCERER 3").play("USE_DRAGON 6");
    assert_eq!(g.state.battles, 2);
    assert_eq!(g.markers(6), markers::DRAGON, "the tribe is gone");
}

#[test]
fn p11_immunity_stops_ones_own_ghouls_too() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Heroic", &[(2, 1), (13, 1)])
        .marker(2, "HERO")
        .declined(0, "Ghouls", "Stout", &[(1, 9)])
        .start();
    g.play("EXPAND");
    assert!(!g.can("CONQUER 2") && g.can("CONQUER 5"));
}

#[test]
fn p12_active_defenders_lose_one_token_and_declined_ones_are_lost() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Hill", &[(2, 12)])
        .active(1, "Humans", "Stout", &[(3, 3), (14, 1)])
        .declined(1, "Orcs", "Swamp", &[(1, 1), (13, 1)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 3", "CONQUER 1"]);
    assert_eq!((g.displaced(1), g.tray(Race::Humans), g.tray(Race::Orcs)), (2, 10 - 3, 9));
}

#[test]
fn p13_victims_redeploy_after_scoring_clockwise_and_only_displaced_tokens() {
    let mut g = PositionBuilder::new(3)
        .active(1, "Ratmen", "Stout", &[(2, 13)])
        .active(0, "Humans", "Hill", &[(3, 3), (14, 2), (13, 1)])
        .active(2, "Orcs", "Swamp", &[(1, 3), (4, 1), (8, 1)])
        .turn(3, 1)
        .start();
    g.play_all(&["EXPAND", "CONQUER 3", "CONQUER 1", "SKIP_CONQUEST", "REDEPLOY 2 rest"]);
    assert_eq!((g.phase(), g.coins(1)), ("STOUT_DECLINE", 5 + 3));
    g.play("STOUT_DECLINE no");
    assert_eq!((g.phase(), g.mover(), g.displaced(2), g.hand(2)), ("OPPONENT_REDEPLOY", 2, 2, 0));
    assert_eq!(g.legal(), ["OPPONENT_REDEPLOY 4", "OPPONENT_REDEPLOY 4 rest", "OPPONENT_REDEPLOY 8 rest"]);
    g.play("OPPONENT_REDEPLOY 4").play_with("OPPONENT_REDEPLOY 8", &[]);
    assert_eq!((g.mover(), g.phase()), (0, "OPPONENT_REDEPLOY"));
    g.play("OPPONENT_REDEPLOY 14 rest");
    assert_eq!((g.tokens(14), g.tokens(13), g.tokens(4), g.tokens(8)), (4, 1, 2, 2));
    assert_eq!((g.mover(), g.phase(), g.state.seat), (2, "CHOOSE_EXPAND_OR_DECLINE", 2));
}

#[test]
fn p13_displaced_tokens_without_a_region_stay_in_hand() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Ratmen", "Hill", &[(2, 12)])
        .active(1, "Humans", "Stout", &[(3, 3)])
        .start();
    g.play_all(&["EXPAND", "CONQUER 3", "SKIP_CONQUEST", "REDEPLOY 2 rest"]);
    assert_eq!((g.hand(1), g.displaced(1), g.phase()), (2, 0, "CHOOSE_EXPAND_OR_DECLINE"));
}

#[test]
fn p14_the_ghouls_come_before_the_active_race_and_not_on_a_decline_turn() {
    let setup = || {
        PositionBuilder::new(2).active(0, "Ratmen", "Spirit", &[(13, 4)]).declined(
            0,
            "Ghouls",
            "Stout",
            &[(1, 3)],
        )
    };
    assert_eq!(setup().start().play("EXPAND").phase(), "GHOUL_CONQUEST");
    assert_eq!(setup().start().play("DECLINE").mover(), 1);
}

#[test]
fn p15_declining_keeps_one_token_a_region_and_leaves_fortress_and_lair() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Trolls", "Fortified", &[(1, 4), (2, 2)])
        .hand(0, 3)
        .marker(1, "TROLL_LAIR")
        .marker(1, "FORTRESS")
        .declined(0, "Orcs", "Hill", &[(7, 1)])
        .start();
    g.play("DECLINE");
    assert_eq!((g.tokens(1), g.tokens(2), g.tray(Race::Trolls)), (1, 1, 8));
    assert_eq!(g.markers(1), markers::LAIR | markers::FORTRESS);
    // The earlier race has left, so two regions pay.
    assert_eq!((g.owner(7), g.tray(Race::Orcs), g.coins(0)), (None, 10, 5 + 2));
}

#[test]
fn p16_stout_is_not_offered_on_a_decline_turn_and_scores_once() {
    let mut g = PositionBuilder::new(2)
        .active(0, "Humans", "Stout", &[(1, 1), (2, 1)])
        .active(1, "Elves", "Swamp", &[(14, 1)])
        .start();
    g.play("DECLINE");
    assert_eq!((g.mover(), g.coins(0)), (1, 5 + 2));
}

#[test]
fn p17_fewer_pieces_than_allowed_may_be_placed() {
    for (power, phase) in [("Bivouacking", "BIVOUACS"), ("Fortified", "FORTRESS"), ("Heroic", "HEROES")] {
        let mut g = PositionBuilder::new(2)
            .active(0, "Ratmen", power, &[(1, 1), (2, 1)])
            .active(1, "Elves", "Swamp", &[(14, 1)])
            .start();
        g.play_all(&["EXPAND", "SKIP_CONQUEST", &format!("PLACE_{phase} none")]);
        assert_eq!(g.mover(), 1, "{power}");
    }
}

#[test]
fn p18_coins_of_opponents_are_hidden_unless_they_are_public() {
    for public in [false, true] {
        let g = PositionBuilder::new(2)
            .active(0, "Elves", "Hill", &[])
            .option("public_coins", &public.to_string());
        let g = g.coins(1, 33).start();
        let seen = g.game.observation_to_json(&g.state, 0);
        let expected = if public { json!(33) } else { json!("HIDDEN") };
        assert_eq!((&seen["opponents"][0]["coins"], &seen["self"]["coins"]), (&expected, &json!(5)));
        let mut other = g.state;
        other.coins[1] = 7;
        let observe = |state| {
            let mut row = vec![0; g.game.spec().observation_len()];
            g.game.observe(state, 0, &mut row);
            row
        };
        assert_eq!(observe(&g.state) != observe(&other), public);
    }
}

#[test]
fn games_last_ten_ten_nine_and_eight_turns() {
    for (players, turns) in [(2, 10), (3, 10), (4, 9), (5, 8)] {
        let game = game(&[("players", &players.to_string())]);
        assert_eq!(game.rules().turns, turns);
    }
    let mut g = PositionBuilder::new(2).active(1, "Elves", "Swamp", &[(14, 1)]).turn(10, 1).start();
    g.play("DECLINE");
    assert_eq!((g.state.phase(), g.game.status(&g.state)), (Phase::GameOver, Status::Terminated));
    assert!(g.legal().is_empty());
}

#[test]
fn most_coins_win_and_ties_go_by_tokens_on_the_map_and_are_shared_after_that() {
    let g = PositionBuilder::new(4)
        .turn(9, 3)
        .coins(0, 20)
        .coins(1, 30)
        .coins(2, 20)
        .coins(3, 20)
        .active(0, "Ratmen", "Hill", &[(1, 3)])
        .declined(0, "Orcs", "Stout", &[(2, 1)])
        .active(2, "Elves", "Swamp", &[(14, 4)])
        .active(3, "Humans", "Forest", &[(13, 5)])
        .start();
    let mut ranks = [9; 4];
    g.game.ranks(&g.state, &mut ranks);
    assert_eq!(ranks, [2, 0, 2, 1]);
}

#[test]
fn a_game_begins_with_five_coins_each_six_combos_and_the_lost_tribes() {
    let game = game(&[("players", "4")]);
    let state = game.init(&mut SeededChance::from_seed(3));
    assert_eq!((state.coins, state.row_len, state.turn), ([5, 5, 5, 5, 0], 6, 1));
    assert_eq!(state.marked(markers::LOST_TRIBE), state.map.lost_tribes());
    assert_eq!(state.phase(), Phase::PickCombo);
}

#[test]
fn a_wrong_script_never_panics() {
    let game = game(&[]);
    let mut chance = ScriptedChance::new(&[]);
    let state = game.init(&mut chance);
    assert!(game.validate(&state).is_ok() && chance.finish().is_err());
}
