//! Each dice rule against its exact probabilities: by enumeration of all outcomes, and by counts of seeded dice.

use super::*;
use ludovec_engine::chance::enumerate_outcomes;
use ludovec_engine::{Rules, Words};

/// Checks the distribution of `read` after `labels` are played: the exact one against `expected`, counts of seeded
/// play against the exact one.
///
/// The position must leave no card to draw, so that every outcome can be listed.
fn check<T: PartialEq + std::fmt::Debug>(
    s: &Scenario,
    labels: &[&str],
    read: impl Fn(&State) -> T,
    expected: &[(T, f64)],
) {
    let mut before = s.state;
    let (last, first) = labels.split_last().unwrap();
    for label in first {
        let action = s.rules.string_to_action(&before, label).unwrap();
        s.rules.step(&mut before, action, &mut Dice(VecDeque::new()));
    }
    let action = s.rules.string_to_action(&before, last).unwrap();
    let after = |chance: &mut dyn Chance| {
        let mut state = before;
        s.rules.step(&mut state, action, chance);
        read(&state)
    };
    let outcomes = enumerate_outcomes(10_000, after).unwrap();
    let trials = amount(20_000);
    let mut chance = SeededChance::from_seed(7);
    let seen: Vec<T> = (0..trials).map(|_| after(&mut chance)).collect();
    assert!((expected.iter().map(|(_, p)| p).sum::<f64>() - 1.).abs() < 1e-12);
    for (value, p) in expected {
        let exact: f64 = outcomes.iter().filter(|o| o.result == *value).map(|o| o.probability).sum();
        assert!((exact - p).abs() < 1e-9, "{value:?}: {exact}, expected {p}");
        let count = seen.iter().filter(|v| *v == value).count() as f64;
        let spread = (p * (1. - p) * trials as f64).sqrt();
        assert!(
            (count - p * trials as f64).abs() <= 4.5 * spread + 1e-9,
            "{value:?}: {count} of {trials}, p {p}"
        );
    }
}

/// Adds an ordered card of the opponent that is always playable: no card is drawn after the play.
fn with_waiting(mut s: Scenario) -> Scenario {
    let other = 1 - s.state.seat();
    let name = ["shield+lightsaber", "fire_deathstar+lightning"][other];
    let kind = s.rules.data.decks[other].by_name(name).unwrap();
    let own = &mut s.state.piles[other];
    own.deck[kind.index()] -= 1;
    own.deck_size -= 1;
    own.stack[0] = kind.0;
    own.ordered = 1;
    s.check();
    s
}

/// Probability of `k` successes in `n` dice that succeed with `p`.
fn binomial(n: i32, k: i32, p: f64) -> f64 {
    let ways: f64 = (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product();
    ways * p.powi(k) * (1. - p).powi(n - k)
}

#[test]
fn hits_of_an_attack() {
    let ships = [("xwing", 4. / 6.), ("ywing", 3. / 6.), ("bwing", 2. / 6.), ("falcon", 2. / 6.)];
    for (ship, p) in ships {
        let s =
            with_waiting(Scenario::new("empire", "move_tie+lightsaber", &[(12, "tie", 3), (18, ship, 5)]));
        let expected: Vec<(u8, f64)> = (0..=3).map(|k| (5 - k as u8, binomial(3, k, p))).collect();
        let labels = ["move_tie", "move to 19", "move 3", "attack 18"];
        check(&s, &labels, |state| state.ships.iter().map(|plane| plane[18]).sum(), &expected);
    }
}

#[test]
fn hits_of_the_executor_and_the_falcon() {
    let s = with_waiting(Scenario::new(
        "empire",
        "move_executor+lightning",
        &[(12, "executor", 3), (18, "ywing", 9)],
    ));
    let expected: Vec<(u8, f64)> = (0..=4).map(|k| (9 - k as u8, binomial(4, k, 0.5))).collect();
    let labels = ["move_executor", "move to 19", "stop", "attack 18"];
    check(&s, &labels, |state| state.count(Ship::Ywing, Space(18)), &expected);

    let s = with_waiting(Scenario::new(
        "rebel",
        "move_falcon+move_bwing+hat",
        &[(12, "falcon", 3), (18, "tie", 9)],
    ));
    let expected: Vec<(u8, f64)> = (0..=2).map(|k| (9 - k as u8, binomial(2, k, 4. / 6.))).collect();
    let labels = ["move_falcon", "move to 19", "stop", "attack 18"];
    check(&s, &labels, |state| state.count(Ship::Tie, Space(18)), &expected);
}

#[test]
fn the_attack_on_the_death_star() {
    for dice in 1..=4u8 {
        let s = Scenario::new("rebel", "move_ywing+shield", &[(20, "ywing", dice), (3, "bwing", 1)]);
        let s = with_waiting(s.with(|state| state.shield = 28));
        let group = format!("move {dice}");
        let mut labels = vec!["move_ywing", "move to 27"];
        if dice > 1 {
            labels.push(&group);
        }
        labels.push("attack_deathstar");
        let miss = (5f64 / 6.).powi(dice.into());
        check(
            &s,
            &labels,
            |state| state.outcome,
            &[(GameResult::Rebel, 1. - miss), (GameResult::None, miss)],
        );
    }
}

#[test]
fn the_fire_of_the_death_star() {
    let s = with_waiting(Scenario::new(
        "empire",
        "fire_deathstar+stormtroopers",
        &[(3, "ywing", 4), (15, "bwing", 1)],
    ));
    let labels = ["fire_deathstar", "fire_deathstar 3"];
    check(&s, &labels, |state| state.motherships, &[(0b110111, 20. / 36.), (0b111111, 16. / 36.)]);
}

#[test]
fn the_lightsaber() {
    let s = with_waiting(Scenario::new("rebel", "shield+lightsaber", &[]));
    let expected: Vec<(u8, f64)> = (0..=4).map(|k| (13 - k as u8, binomial(4, k, 0.5))).collect();
    check(&s, &["lightsaber"], |state| state.throne[EMPIRE], &expected);
}

#[test]
fn the_shield_run() {
    // On spaces of one value, far from the next value, each die that reaches it is a space.
    for (position, stormtroopers, p) in [(0, 0, 5. / 6.), (9, 0, 4. / 6.), (0, 9, 4. / 6.), (9, 9, 3. / 6.)] {
        let s = Scenario::new("rebel", "shield+lightsaber", &[]).with(|state| {
            state.shield = position;
            state.stormtroopers = stormtroopers;
        });
        let expected: Vec<(u8, f64)> = (0..=5).map(|k| (position + k as u8, binomial(5, k, p))).collect();
        check(&with_waiting(s), &["shield"], |state| state.shield, &expected);
    }
    // The last two spaces need a 5 each.
    let s = Scenario::new("rebel", "shield+lightsaber", &[]).with(|state| state.shield = 26);
    let (none, one) = (binomial(5, 0, 2. / 6.), binomial(5, 1, 2. / 6.));
    check(
        &with_waiting(s),
        &["shield"],
        |state| state.shield,
        &[(26, none), (27, one), (28, 1. - none - one)],
    );
}
