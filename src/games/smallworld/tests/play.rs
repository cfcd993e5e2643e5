//! Random games under every invariant, and against a second, region-by-region implementation of the rules.

use super::super::actions::index;
use super::super::{Ruleset, SmallWorld};
use super::game;
use crate::exchange::validate;
use crate::rules::map::{RegionId, Terrain};
use crate::rules::phase::Phase;
use crate::rules::pieces::markers;
use crate::rules::roster::{Power, Race};
use crate::rules::state::{ArmyId, State, slot};
use ludovec_engine::chance::{Chance, SeededChance};
use ludovec_engine::{Rules, Status, mask};

/// Decisions per player count; `LUDOVEC_LONG=1` plays 10,000,000.
fn decisions() -> u32 {
    if std::env::var_os("LUDOVEC_LONG").is_some() { 10_000_000 } else { 100_000 }
}

/// Plays uniformly random games and passes on each position with its mask, and the action with its result.
fn random_play(
    game: &SmallWorld,
    decisions: u32,
    seed: u64,
    mut position: impl FnMut(&State, &[u64]),
    mut step: impl FnMut(&State, u32, &State),
) {
    let mut chance = SeededChance::from_seed(seed);
    let mut row = vec![0; game.spec().mask_words()];
    let mut state = game.init(&mut chance);
    for _ in 0..decisions {
        if game.status(&state) == Status::Terminated {
            state = game.init(&mut chance);
        }
        game.legal(&state, &mut row);
        position(&state, &row);
        let action = mask::select(&row, chance.uniform(mask::count(&row))).unwrap();
        let before = state;
        game.step(&mut state, action, &mut chance);
        step(&before, action, &state);
    }
}

/// The invariants: the tokens of a race and of its tray add up, a region has one owner, markers stay within their
/// stocks, every badge is in one place; coins come from scoring and picks only; every decision has a legal action;
/// a turn has at most 256 decisions.
#[test]
fn random_play_keeps_every_invariant() {
    for players in 2..=5 {
        for rules in ["original", "official"] {
            let game = game(&[("players", &players.to_string()), ("rules", rules)]);
            let mut of_turn = ((0, 0), 0);
            random_play(
                &game,
                decisions() / if rules == "original" { 1 } else { 4 },
                players,
                |state, row| {
                    assert!(mask::count(row) > 1, "{:?}", state.phase());
                },
                |before, action, after| {
                    validate::check(game.rules(), after).unwrap_or_else(|e| panic!("{e}\n{after:?}"));
                    coins_come_from_scoring_and_picks(&game, before, action, after);
                    let turn = (before.turn, before.seat);
                    of_turn = if of_turn.0 == turn { (turn, of_turn.1 + 1) } else { (turn, 1) };
                    assert!(of_turn.1 <= 256, "{} decisions in one turn", of_turn.1);
                },
            );
        }
    }
}

fn coins_come_from_scoring_and_picks(game: &SmallWorld, before: &State, action: u32, after: &State) {
    let turn_owner = usize::from(before.seat);
    let scored = matches!(after.phase(), Phase::StoutDecline | Phase::OpponentRedeploy | Phase::GameOver)
        || (before.turn, before.seat) != (after.turn, after.seat)
        || after.mover != after.seat;
    for seat in 0..game.rules().players {
        let (old, new) = (i32::from(before.coins[seat]), i32::from(after.coins[seat]));
        // A seat that begins its turn without a race and without a coin picks the free combo without a decision.
        let picked_unasked = seat != turn_owner && old == 0;
        let picked = seat == turn_owner && (index::PICK..index::ALLY).contains(&action);
        let paid = if picked { (action - index::PICK) as i32 } else { 0 };
        let gathered = if picked {
            i32::from(before.row[(action - index::PICK) as usize].coins)
        } else if picked_unasked {
            i32::from(before.row[0].coins)
        } else {
            0
        };
        let earned = new - (old - paid + gathered);
        if seat == turn_owner && scored {
            assert!(earned >= 0, "seat {seat} earned {earned}");
        } else {
            assert!(earned == 0 || picked_unasked && earned == -gathered, "seat {seat} earned {earned}");
        }
    }
}

/// The pay of a seat's turn, region by region.
fn slow_income(state: &State, seat: usize) -> u16 {
    let mut coins = 0;
    for region in state.map.all() {
        let Some(id) = state.occupant(region).filter(|id| id.seat == seat) else { continue };
        coins += 1;
        let (army, terrain) = (state.army(id), state.map.terrain(region));
        let mine = state.map.mines().contains(region);
        if army.race() == Some(Race::Dwarves) && mine {
            coins += 1;
        }
        if id.slot != slot::ACTIVE {
            continue;
        }
        coins += u16::from(match army.race().unwrap() {
            Race::Humans => terrain == Terrain::Farmland,
            Race::Wizards => state.map.magic_sources().contains(region),
            _ => false,
        });
        coins += u16::from(match army.power().unwrap() {
            Power::Forest => terrain == Terrain::Forest,
            Power::Hill => terrain == Terrain::Hill,
            Power::Swamp => terrain == Terrain::Swamp,
            Power::Merchant => true,
            Power::Fortified => state.markers[region.index()] & markers::FORTRESS != 0,
            _ => false,
        });
    }
    let active = &state.armies[seat][slot::ACTIVE];
    let battles = u16::from(state.battles);
    coins += match active.power() {
        Some(Power::Alchemist) => 2,
        Some(Power::Pillaging) => battles,
        Some(Power::Wealthy) if state.first_turn != 0 => 7,
        _ => 0,
    };
    coins + if active.race() == Some(Race::Orcs) { battles } else { 0 }
}

/// The cost of `region` for the acting army, if it may attack it: the checks of the rules in sequence.
fn slow_cost(rules: &Ruleset, state: &State, region: RegionId) -> Option<u8> {
    let id: ArmyId = state.acting();
    let (map, own) = (&state.map, state.held(id));
    let fights_as = |race: Race| id.slot == slot::ACTIVE && state.army(id).race() == Some(race);
    let has = |power: Power| id.slot == slot::ACTIVE && state.army(id).power() == Some(power);
    let neighbours: Vec<RegionId> = map.neighbours(region).iter().collect();
    let terrain = map.terrain(region);
    let water = terrain.is_water();
    let cavern = map.caverns().contains(region);

    if own.contains(region) || state.markers[region.index()] & markers::IMMUNE != 0 {
        return None;
    }
    if water && !has(Power::Seafaring) {
        return None;
    }
    if let Some(holder) = state.occupant(region) {
        let peace = holder.seat == usize::from(state.diplomat) && id.seat == usize::from(state.ally);
        if peace && holder.slot == slot::ACTIVE && id.slot == slot::ACTIVE {
            return None;
        }
    }
    let on_an_edge_sea =
        !water && neighbours.iter().any(|&n| map.terrain(n) == Terrain::Sea && map.rim().contains(n));
    let leaps = fights_as(Race::Halflings)
        && if rules.halflings_leap_twice { state.leaps < 2 } else { own.is_empty() };
    let in_reach = neighbours.iter().any(|&n| own.contains(n))
        || own.is_empty() && (map.rim().contains(region) || on_an_edge_sea)
        || leaps
        || has(Power::Flying) && !water
        || has(Power::Underworld) && cavern && own.iter().any(|r| map.caverns().contains(r));
    if !in_reach {
        return None;
    }

    let i = region.index();
    let piece = |bit: u8| u8::from(state.markers[i] & bit != 0);
    let base = 2
        + state.tokens[i]
        + state.encampments[i]
        + u8::from(terrain == Terrain::Mountain)
        + piece(markers::LOST_TRIBE)
        + piece(markers::LAIR)
        + piece(markers::FORTRESS);
    let mountain_next_to_it =
        neighbours.iter().any(|&n| own.contains(n) && map.terrain(n) == Terrain::Mountain);
    let coastal = !water && neighbours.iter().any(|&n| map.terrain(n).is_water());
    let discounts = [
        fights_as(Race::Giants) && mountain_next_to_it,
        fights_as(Race::Tritons) && coastal,
        has(Power::Commando),
        has(Power::Mounted) && matches!(terrain, Terrain::Hill | Terrain::Farmland),
        has(Power::Underworld) && cavern,
        has(Power::Seafaring) && water && rules.seafaring_discount,
    ];
    let discount = discounts.iter().filter(|&&d| d).count() as u8 + state.die.saturating_sub(1);
    Some(base.saturating_sub(discount).max(1))
}

#[test]
fn conquests_and_incomes_agree_with_the_rules_written_out() {
    for (players, options) in [(2, "original"), (3, "official"), (4, "original"), (5, "original")] {
        let discount = (players == 4).to_string();
        let game =
            game(&[("players", &players.to_string()), ("rules", options), ("seafaring_discount", &discount)]);
        let rules = game.rules();
        random_play(
            &game,
            decisions() / 5,
            players + 100,
            |state, row| {
                let owner = usize::from(state.seat);
                assert_eq!(state.income(owner), slow_income(state, owner));
                if !state.phase().is_conquest() {
                    return;
                }
                let hand = state.army(state.acting()).hand;
                let extra = if state.die > 0 { 0 } else { 3 };
                let mut any_sure = false;
                for region in state.map.all() {
                    let cost = slow_cost(rules, state, region);
                    let legal = hand > 0 && cost.is_some_and(|c| c <= hand + extra);
                    let action = index::CONQUER + u32::from(region.0);
                    assert_eq!(mask::contains(row, action), legal, "{region:?} costs {cost:?} of {hand}");
                    any_sure |= legal && cost <= Some(hand);
                }
                if state.phase() == Phase::FinalConquest {
                    assert!(!any_sure);
                }
            },
            |_, _, _| {},
        );
    }
}
