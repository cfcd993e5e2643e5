//! The original's enumeration of whole plays, and the agents that choose among them.

use ludovec_engine::{Rules, Words, pictures};
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::play::bots::{BOTS, test_agents};
use crate::rules::board::SpaceSet;
use crate::rules::cards::Icon;
use crate::rules::events::{ShipCounter, SubAction};
use crate::rules::game_data::GameData;
use ludovec_engine::AnyGame;

/// The plays of the turned card by the original's description, enumerated from the board alone.
fn enumerate(data: &GameData, state: &State) -> BTreeSet<String> {
    let seat = state.seat();
    let (own, enemy) = (state.fleet(seat), state.fleet(1 - seat));
    let free = |s: u8| !enemy.contains(Space(s)) && s >= 6;
    let neighbours = |s: u8| data.neighbours[usize::from(s)].iter().map(|n| n.0);
    let mut plays = vec![Vec::new()];
    let attacks = |before: Vec<SubAction>, ships: ShipCounter, at: u8, plays: &mut Vec<Vec<SubAction>>| {
        for target in neighbours(at).filter(|&n| enemy.contains(Space(n))) {
            let attack = SubAction::Attack { ships, space: Space(target) };
            plays.push([before.clone(), vec![attack]].concat());
        }
        if seat == REBEL && state.shield == 28 && at >= 22 {
            plays.push([before.clone(), vec![SubAction::AttackDeathstar { ships }]].concat());
        }
        plays.push(before);
    };
    let step = |from: u8, ships, to: u8| SubAction::Move { from: Space(from), ships, to: Space(to) };
    for icon in data.decks[seat].icons[state.card().unwrap().index()].iter() {
        let throne = state.throne[0] > 0 && state.throne[1] > 0;
        match icon {
            Icon::MoveFalcon | Icon::MoveExecutor => {
                let ship = icon.ship().unwrap();
                for from in (0..28).filter(|&s| state.count(ship, Space(s)) > 0) {
                    let ships = ShipCounter::of(ship, state.count(ship, Space(from)));
                    for via in neighbours(from).filter(|&n| free(n)) {
                        attacks(vec![step(from, ships, via)], ships, via, &mut plays);
                        for to in neighbours(via).filter(|&n| free(n)) {
                            attacks(
                                vec![step(from, ships, via), step(via, ships, to)],
                                ships,
                                to,
                                &mut plays,
                            );
                        }
                    }
                }
            }
            Icon::MoveXwing | Icon::MoveYwing | Icon::MoveBwing | Icon::MoveTie => {
                let ship = icon.ship().unwrap();
                for from in own.iter().map(|s| s.0) {
                    for count in 1..=state.count(ship, Space(from)) {
                        for to in neighbours(from).filter(|&n| free(n)) {
                            let ships = ShipCounter::of(ship, count);
                            attacks(vec![step(from, ships, to)], ships, to, &mut plays);
                        }
                    }
                }
                if ship == Ship::Tie
                    && state.in_play(Ship::Tie) <= 52
                    && let Some(space) = state.with(Ship::Executor).first()
                {
                    attacks(
                        vec![SubAction::Spawn { space }],
                        ShipCounter::of(Ship::Tie, 4),
                        space.0,
                        &mut plays,
                    );
                }
            }
            Icon::FireDeathstar => {
                let standing = SpaceSet(state.motherships.into());
                let targets = if standing.is_empty() { state.fleet(REBEL) } else { standing };
                plays.extend(targets.iter().map(|space| vec![SubAction::FireDeathstar { space }]));
            }
            Icon::Lightsaber if throne => plays.push(vec![SubAction::Lightsaber]),
            Icon::Lightning if throne => plays.push(vec![SubAction::Lightning]),
            Icon::Hat if throne && state.throne[EMPIRE] <= 3 => plays.push(vec![SubAction::Hat]),
            Icon::Stormtroopers if state.stormtroopers < 9.min(28 - state.shield) => {
                plays.push(vec![SubAction::Stormtroopers]);
            }
            Icon::Shield if state.shield < 28 => plays.push(vec![SubAction::Shield]),
            Icon::Lightsaber | Icon::Lightning | Icon::Hat | Icon::Stormtroopers | Icon::Shield => {}
        }
    }
    let unique: BTreeSet<String> = plays.iter().map(|play| format!("{play:?}")).collect();
    assert_eq!(unique.len(), plays.len());
    unique
}

#[test]
fn the_plays_reached_by_small_steps_match_the_originals_enumeration() {
    let rules = rules();
    let mut compared = 0;
    walk(&rules, amount(4), |state, _, _| {
        if state.phase == Phase::Icon {
            let plays = rules.card_plays(state);
            let listed: BTreeSet<String> = plays.iter().map(|p| format!("{:?}", p.sub_actions)).collect();
            assert_eq!(listed.len(), plays.len(), "each once");
            assert_eq!(
                listed,
                enumerate(&rules.data, state),
                "{}",
                pictures(&rules, state, View::default())[0]
            );
            compared += 1;
        }
    });
    assert!(compared > 500);
}

#[test]
fn a_play_is_made_by_its_actions_without_chance_before_the_last() {
    let rules = rules();
    walk(&rules, amount(2), |state, _, _| {
        for play in rules.card_plays(state).iter().step_by(7) {
            let mut after = *state;
            let (last, first) = play.actions.split_last().unwrap();
            for &action in first {
                assert!(mask::contains(&rules.legal_mask(&after), action));
                // No die is scripted.
                rules.step(&mut after, action, &mut Dice(VecDeque::new()));
                assert_eq!(after.turns, state.turns);
            }
            assert!(mask::contains(&rules.legal_mask(&after), *last));
            rules.step(&mut after, *last, &mut SeededChance::from_seed(1));
            assert!(
                after.phase == Phase::Hit
                    || after.turns > state.turns
                    || after.play == crate::rules::state::PartialPlay::NONE
            );
        }
    });
}

#[test]
fn sub_actions_have_the_seeds_names_and_order() {
    let s = Scenario::new("empire", "move_tie+lightsaber", &[(12, "tie", 1), (18, "xwing", 1)]);
    let ties = |n| json!({ "xwing": 0, "ywing": 0, "bwing": 0, "falcon": 0, "tie": n, "executor": 0 });
    let plays = s.rules.compound_actions(&s.state);
    let play = |sub_actions| plays.iter().find(|p| json!(p.sub_actions) == sub_actions);
    assert!(play(json!([])).is_some());
    assert!(play(json!([["lightsaber"]])).is_some());
    let attack = play(json!([["move", 12, ties(1), 19], ["attack", ties(1), 18]])).unwrap();
    let labels: Vec<String> = {
        let mut state = s.state;
        attack
            .actions
            .iter()
            .map(|&a| {
                let label = s.rules.action_to_string(&state, a);
                s.rules.step(&mut state, a, &mut SeededChance::from_seed(0));
                label
            })
            .collect()
    };
    assert_eq!(labels, ["move_tie", "move to 19", "attack 18"]);
}

#[test]
fn a_whole_play_is_one_call_or_nothing() {
    let s = Scenario::new("empire", "move_tie+lightsaber", &[(12, "tie", 1), (18, "xwing", 1)]);
    let position = s.rules.state_to_json(&s.state);
    let rules: Arc<dyn AnyGame> = Arc::new(rules());
    let mut game = rules.single_from_position(&position, 0).unwrap();
    let spare = game.compound_actions().pop().unwrap().actions;
    let attack = game
        .compound_actions()
        .into_iter()
        .find(|play| play.sub_actions.iter().any(|sub| sub[0] == "attack"))
        .unwrap();
    let doubled = [&attack.actions[..2], &spare[..], &spare[..]].concat();
    assert!(game.step_all(&doubled).is_err());
    assert_eq!((game.position(), game.steps()), (position, 0));
    game.step_all(&attack.actions).unwrap();
    let labels: Vec<String> = game.record().labels;
    assert_eq!(labels, ["move_tie", "move to 19", "attack 18"]);
}

/// The frequency of each play of the turned card by an agent.
fn tally(s: &Scenario, bot: &str, trials: u64) -> Vec<(Vec<SubAction>, f64)> {
    let bot = BOTS.iter().find(|b| b.name == bot).unwrap();
    let plays = s.rules.card_plays(&s.state);
    let mut counts = vec![0u32; plays.len()];
    let mut chance = SeededChance::from_seed(3);
    for _ in 0..trials {
        let (mut state, mut actions) = (s.state, Vec::new());
        loop {
            let action = (bot.act)(&s.rules, &state, &s.rules.legal_mask(&state), &mut chance);
            actions.push(action);
            if let Some(i) = plays.iter().position(|p| p.actions == actions) {
                counts[i] += 1;
                break;
            }
            s.rules.step(&mut state, action, &mut chance);
        }
    }
    let share = |n: u32| f64::from(n) / trials as f64;
    plays.into_iter().zip(counts).filter(|(_, n)| *n > 0).map(|(p, n)| (p.sub_actions, share(n))).collect()
}

#[test]
fn agents_choose_evenly_among_the_plays_they_prefer() {
    let ships = [(12, "xwing", 2), (26, "xwing", 1), (18, "tie", 3), (24, "ywing", 1), (25, "tie", 2)];
    let s = Scenario::new("rebel", "move_xwing+move_ywing+lightsaber", &ships);
    let trials = amount(2000);
    let all = s.rules.card_plays(&s.state);
    let attacks =
        all.iter().filter(|p| p.sub_actions.iter().any(|a| matches!(a, SubAction::Attack { .. }))).count();
    for (bot, size) in [("plays", all.len()), ("attack", attacks)] {
        let tally = tally(&s, bot, trials);
        assert_eq!(tally.len(), size, "{bot}");
        let p = 1. / size as f64;
        let spread = (p * (1. - p) / trials as f64).sqrt();
        assert!(tally.iter().all(|(_, share)| (share - p).abs() < 5. * spread), "{bot}: {tally:?}");
    }
}

#[test]
fn the_shield_agent_prefers_the_run_then_the_death_star_then_attacks() {
    let does = |s: &Scenario, wish: fn(&SubAction) -> bool| {
        tally(s, "shield", 100).iter().all(|(play, _)| play.iter().any(wish))
    };
    let ships = [(20, "xwing", 2), (19, "tie", 3)];
    let s = Scenario::new("rebel", "move_xwing+shield", &ships);
    assert!(does(&s, |sub| matches!(sub, SubAction::Shield)));
    let s = s.with(|state| state.shield = 28);
    assert!(does(&s, |sub| matches!(sub, SubAction::AttackDeathstar { .. })));
    let s = Scenario::new("rebel", "move_xwing+lightsaber", &ships);
    assert!(does(&s, |sub| matches!(sub, SubAction::Attack { .. })));
}

#[test]
fn test_agents_counts_winners_and_the_median_of_turns() {
    let rules = rules();
    let [random, attack, shield] = &BOTS;
    let result = test_agents(&rules, shield, attack, 21, 5);
    assert_eq!(result.winners.iter().sum::<u32>() + result.truncated, 21);
    assert!(result.median_turns >= 6. && result.median_turns.fract() == 0.);
    assert_eq!(result, test_agents(&rules, shield, attack, 21, 5), "the seed decides");
    // The shield agent wins far more often than a random one.
    let better = test_agents(&rules, shield, random, 20, 1).winners[REBEL];
    assert!(better >= test_agents(&rules, random, random, 20, 1).winners[REBEL], "{better}");
    assert_eq!(test_agents(&rules, random, random, 0, 1).median_turns, 0.);
}
