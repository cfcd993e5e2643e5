//! What holds at every decision of random games.

use super::super::actions::ACTIONS;
use super::super::legal::WORDS;
use super::super::state::Phase;
use super::super::{StarWarsRisk, State, observe};
use super::rules;
use crate::engine::chance::{Chance, SeededChance};
use crate::engine::{Game, Status, mask};

/// How many games a test plays.
fn amount(games: u64) -> u64 {
    if std::env::var_os("LUDOVEC_LONG").is_some() { games * 50 } else { games }
}

/// Plays random games and shows every decision to `look`.
pub(super) fn walk(rules: &StarWarsRisk, games: u64, mut look: impl FnMut(&State, &[u64; WORDS], u32)) {
    for game in 0..games {
        let mut chance = SeededChance::from_seed(game);
        let mut state = rules.init(&mut chance);
        while rules.status(&state) == Status::Running {
            let legal = rules.legal_mask(&state);
            let choices = mask::count(&legal);
            assert!(choices > 0, "{state:?}");
            let action = mask::select(&legal, chance.uniform(choices)).unwrap();
            look(&state, &legal, action);
            rules.step(&mut state, action, &mut chance);
        }
        look(&state, &[0; WORDS], 0);
    }
}

#[test]
fn every_state_of_random_games_is_valid_and_single_choices_are_taken() {
    let rules = rules();
    let mut steps = 0u64;
    walk(&rules, amount(300), |state, legal, _| {
        rules.validate(state).unwrap_or_else(|e| panic!("{e}\n{state:#?}"));
        assert_eq!(state.occupied, state.count_occupied());
        let choices = mask::count(legal);
        match state.phase {
            Phase::Over => assert_eq!(choices, 0),
            Phase::Order => assert!(choices >= 1),
            _ => assert!(choices >= 2, "{}", rules.to_text(state)),
        }
        let json = rules.state_to_json(state);
        if steps.is_multiple_of(16) {
            assert_eq!(rules.state_from_json(&json).as_ref(), Ok(state), "{json}");
        }
        steps += 1;
    });
}

#[test]
fn every_index_is_legal_exactly_when_the_mask_says_so() {
    let rules = rules();
    let mut steps = 0u64;
    walk(&rules, amount(40), |state, legal, _| {
        for action in 0..ACTIONS {
            if mask::contains(legal, action) {
                let mut after = *state;
                rules.step(&mut after, action, &mut SeededChance::from_seed(steps));
                rules.validate(&after).unwrap_or_else(|e| panic!("{action}: {e}\n{after:#?}"));
            }
        }
        steps += 1;
    });
    assert!(steps > 0);
}

#[test]
fn zz_speed() {
    let rules = rules();
    let mut row = [0u8; observe::LEN];
    let n = 200;
    let mut chance = SeededChance::from_seed(1);
    let mut pick = 1u64;
    let mut states: Vec<State> = (0..n).map(|_| rules.init(&mut chance)).collect();
    let t = std::time::Instant::now();
    let (mut steps, mut games, mut phases, mut won) = (0u64, 0u64, [0u64; 10], [0u64; 4]);
    let mut sum = 0u64;
    while steps < 2_000_000 {
        for s in &mut states {
            let legal = rules.legal_mask(s);
            pick = pick.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let r = ((pick >> 32) * u64::from(mask::count(&legal)) >> 32) as u32;
            let a = mask::select(&legal, r).unwrap();
            rules.step(s, a, &mut chance);
            if s.phase == Phase::Over {
                won[s.outcome as usize] += 1;
                *s = rules.init(&mut chance);
                games += 1;
            }
            phases[s.phase as usize] += 1;
            rules.observe(s, usize::from(s.seat), &mut row);
            sum += u64::from(row[100]);
            steps += 1;
        }
    }
    let ns = t.elapsed().as_nanos() as f64 / steps as f64;
    eprintln!(
        "{ns:.1} ns/decision, {games} games, {:.1} per game, {phases:?} {won:?} obs {} state {} {sum} draws {:.2}",
        steps as f64 / games as f64,
        observe::LEN,
        size_of::<State>(),
        chance.position() as f64 / steps as f64
    );
}
