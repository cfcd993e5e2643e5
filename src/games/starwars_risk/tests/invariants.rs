//! Invariants at every decision of random games.

use super::super::actions::ACTIONS;
use super::super::{actions, observe};
use super::*;
use ludovec_engine::Spec;
use ludovec_engine::{Rules, Words, pictures};

#[test]
fn every_state_is_valid_and_single_choices_are_taken_by_the_rules() {
    let rules = rules();
    let mut steps = 0u64;
    walk(&rules, amount(100), |state, legal, _| {
        steps += 1;
        rules.validate(state).unwrap_or_else(|e| panic!("{e}\n{state:#?}"));
        assert_eq!(state.occupied, state.count_occupied());
        let choices = mask::count(legal);
        match state.phase {
            Phase::Over => assert_eq!(choices, 0),
            Phase::Order => assert!(choices >= 1),
            _ => assert!(choices >= 2, "{}", pictures(&rules, state, View::default())[0]),
        }
        if steps.is_multiple_of(16) {
            let json = rules.state_to_json(state);
            assert_eq!(rules.state_from_json(&json).as_ref(), Ok(state), "{json}");
        }
    });
}

/// No dead ends: after every choice, the next state is playable.
#[test]
fn every_legal_index_leads_to_a_valid_state() {
    let rules = rules();
    let mut steps = 0u64;
    walk(&rules, amount(15), |state, legal, _| {
        for action in mask::iter(legal) {
            let mut after = *state;
            rules.step(&mut after, action, &mut SeededChance::from_seed(steps));
            rules.validate(&after).unwrap_or_else(|e| panic!("{action}: {e}\n{after:#?}"));
        }
        steps += 1;
    });
}

#[test]
fn every_index_is_legal_exactly_when_a_slow_reading_of_the_rules_allows_it() {
    use super::super::actions::Action;
    let rules = rules();
    let slow = |state: &State, action: Action| -> bool {
        let seat = state.seat();
        let adjacent = |a: Option<Space>, b: Space| {
            a.is_some_and(|a| rules.data.neighbours[a.index()].iter().any(|n| n == b))
        };
        let enemy = |s: Space| Ship::ALL.iter().any(|&ship| ship.side() != seat && state.count(ship, s) > 0);
        let free = |s: Space| s.0 >= 6 && !enemy(s);
        let play = &state.play;
        action.belongs_to(state.phase)
            && match action {
                Action::Order(kind) => state.piles[seat].hand[kind.index()] > 0,
                Action::Pass | Action::Stop | Action::Hold => true,
                Action::Icon(icon) => {
                    let card = rules.data.card_name(seat, state.card().unwrap());
                    card.split('+').any(|name| name == icon.name()) && state.playable(&rules.data, icon)
                }
                Action::From(s) => {
                    state.count(play.ship, s) > 0
                        && (0..28).any(|n| adjacent(Some(s), Space(n)) && free(Space(n)))
                }
                Action::Spawn => {
                    play.ship == Ship::Tie
                        && state.in_play(Ship::Tie) <= 52
                        && state.in_play(Ship::Executor) > 0
                }
                Action::To(s) if state.phase == Phase::To => adjacent(play.from(), s) && free(s),
                Action::To(s) => adjacent(play.at(), s) && free(s),
                Action::Count(n) => n <= state.count(play.ship, play.from().unwrap()),
                Action::Attack(s) => adjacent(play.at(), s) && enemy(s),
                Action::AttackDeathstar => seat == REBEL && state.shield == 28 && play.at().unwrap().0 >= 22,
                Action::Fire(s) => {
                    let mothership = s.0 < 6 && state.motherships >> s.0 & 1 == 1;
                    mothership || state.motherships == 0 && enemy(s)
                }
                Action::Hit(ship) => {
                    let face = (1..=6).rev().find(|&f| play.dice[f - 1] > 0).unwrap();
                    state.count(ship, play.target().unwrap()) > 0
                        && face >= usize::from(rules.data.constants.toughness[&ship])
                }
            }
    };
    walk(&rules, amount(15), |state, legal, _| {
        for action in 0..ACTIONS {
            assert_eq!(
                mask::contains(legal, action),
                slow(state, Action::decode(action)),
                "{}\n{}",
                rules.action_to_string(state, action),
                pictures(&rules, state, View::default())[0]
            );
        }
    });
}

#[test]
fn observations_stay_within_their_spec_and_overwrite_every_element() {
    let rules = rules();
    let spec: &Spec = Rules::spec(&rules);
    assert_eq!(spec.observation_len(), observe::LEN);
    assert_eq!(
        spec.observation.iter().map(|f| f.shape.iter().product::<usize>()).sum::<usize>(),
        observe::LEN
    );
    let mut high = vec![0; observe::LEN];
    for field in &spec.observation {
        let len: usize = field.shape.iter().product();
        high[field.offset..field.offset + len].fill(field.high);
    }
    let mut row = vec![0; observe::LEN];
    walk(&rules, amount(20), |state, _, _| {
        for seat in [REBEL, EMPIRE] {
            row.fill(0xff);
            rules.observe(state, seat, &mut row);
            assert!(row.iter().zip(&high).all(|(v, h)| v <= h), "{row:?}");
        }
    });
}

/// The fields that are easily confused, read back by name.
#[test]
fn the_row_matches_the_json() {
    let rules = rules();
    let spec = Rules::spec(&rules);
    let at = |name: &str| spec.observation.iter().find(|f| f.name == name).unwrap().offset;
    let mut row = vec![0; observe::LEN];
    walk(&rules, amount(10), |state, _, _| {
        for seat in [REBEL, EMPIRE] {
            rules.observe(state, seat, &mut row);
            let json = rules.observation_to_json(state, seat);
            let number = |v: &serde_json::Value| v.as_u64().unwrap_or(0) as u8;
            assert_eq!(row[at("side")], seat as u8);
            assert_eq!(row[at("shield")], number(&json["shield"]));
            assert_eq!(row[at("stormtroopers")], number(&json["stormtroopers"]));
            assert_eq!(row[at("throne")], number(&json["throne"][SIDES[seat]]));
            assert_eq!(row[at("count")], number(&json["play"]["count"]));
            assert_eq!(row[at("phase") + state.phase as usize], 1);
            for (s, ships) in json["spaces"].as_array().unwrap().iter().enumerate() {
                for ship in Ship::ALL {
                    assert_eq!(row[at("board") + ship as usize * SPACES + s], number(&ships[ship.name()]));
                }
            }
            let names = &rules.data.decks[seat].names;
            for (k, name) in names.iter().enumerate() {
                assert_eq!(row[at("hand") + k], number(&json["hand"][name]));
                assert_eq!(row[at("discard") + k], number(&json["own"]["discard"][name]));
            }
            let sizes = &row[at("sizes")..][..8];
            for (i, who) in ["own", "opponent"].iter().enumerate() {
                for (j, what) in ["hand", "ordered", "bonus", "deck"].iter().enumerate() {
                    assert_eq!(sizes[i * 4 + j], number(&json[who][what]));
                }
            }
            let next = json["stack"].as_array().unwrap().last().map_or("", |card| card.as_str().unwrap());
            for icon in crate::rules::cards::Icon::ALL {
                let has = next.split('+').any(|name| name == icon.name());
                assert_eq!(row[at("stack") + icon as usize], u8::from(has));
            }
        }
    });
}

#[test]
fn the_action_families_match_the_indices() {
    let rules = rules();
    let spec = Rules::spec(&rules);
    let offset = |name: &str| spec.actions.iter().find(|f| f.name == name).unwrap().offset;
    assert_eq!(spec.num_actions, actions::layout().len());
    for (name, index) in [
        ("order", actions::ORDER),
        ("pass", actions::PASS),
        ("icon", actions::ICON),
        ("from", actions::FROM),
        ("spawn", actions::SPAWN),
        ("to", actions::TO),
        ("count", actions::COUNT),
        ("stop", actions::STOP),
        ("attack", actions::ATTACK),
        ("attack_deathstar", actions::ATTACK_DEATHSTAR),
        ("hold", actions::HOLD),
        ("fire_deathstar", actions::FIRE),
        ("hit", actions::HIT),
    ] {
        assert_eq!(offset(name), index, "{name}");
    }
    for action in 0..ACTIONS {
        assert_eq!(actions::Action::decode(action).encode(), action);
    }
    assert!(size_of::<State>() <= 512 && ACTIONS <= 300);
}

#[test]
fn labels_and_objects_name_every_legal_action_uniquely() {
    let rules = rules();
    let mut steps = 0;
    walk(&rules, amount(8), |state, legal, _| {
        steps += 1;
        let all: Vec<u32> = mask::iter(legal).collect();
        let labels: std::collections::BTreeSet<String> =
            all.iter().map(|&a| rules.action_to_string(state, a)).collect();
        assert_eq!(labels.len(), all.len());
        for &action in &all {
            let json = rules.action_to_json(state, action);
            assert_eq!(rules.action_from_json(state, &json), Ok(action), "{json}");
            if steps % 16 == 0 {
                assert_eq!(rules.string_to_action(state, &rules.action_to_string(state, action)), Ok(action));
            }
        }
    });
}

#[test]
fn a_game_has_no_more_decisions_than_the_spec_says() {
    for max_rounds in [1, 5] {
        let rules = rules_with(max_rounds);
        for seed in 0..amount(20) {
            let mut chance = SeededChance::from_seed(seed);
            let mut state = rules.init(&mut chance);
            let mut steps = 0;
            while rules.status(&state) == Status::Running {
                let legal = rules.legal_mask(&state);
                let action = mask::select(&legal, chance.uniform(mask::count(&legal))).unwrap();
                rules.step(&mut state, action, &mut chance);
                steps += 1;
            }
            assert!(steps <= Rules::spec(&rules).max_episode_steps);
            assert!(i64::from(state.round) <= max_rounds);
        }
    }
}
