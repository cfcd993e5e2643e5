//! Every registered environment, under its options, satisfies the contract of the `Game` trait.

use std::sync::Arc;

use ludovec::engine::Effort;
use ludovec::engine::{AnyGame, Entry, Error, OptionKind, OptionValue};
use ludovec::games::GAMES;

/// Multiple of the default number of games to play.
fn times() -> u64 {
    if std::env::var_os("LUDOVEC_LONG").is_some() { 20 } else { 1 }
}

fn check(entry: &Entry, given: &[(&str, OptionValue)], effort: Effort) {
    let game: Arc<dyn AnyGame> = match entry.make(given) {
        Ok(game) => game,
        // A value may contradict the defaults of other options; then it must be refused with a message.
        Err(Error::InvalidConfig(_)) if !given.is_empty() => return,
        Err(other) => panic!("{} {given:?}: {other}", entry.id),
    };
    match game.check_conformance(effort) {
        Ok(findings) => assert_eq!(findings.warnings, [""; 0], "{} {given:?}", entry.id),
        Err(broken) => panic!("{} {given:?}: {broken}", entry.id),
    }
}

#[test]
fn every_environment_conforms() {
    for entry in GAMES {
        check(entry, &[], Effort { games: 4 * times(), ..Effort::default() });
        check(
            entry,
            &[("reward", "score".into())],
            Effort { games: 1, slow_positions: 2, ..Effort::default() },
        );
        let forfeit: OptionValue = "lose".into();
        check(
            entry,
            &[("on_illegal", forfeit)],
            Effort { games: 1, slow_positions: 1, batch_steps: 40, ..Effort::default() },
        );
    }
}

#[test]
fn every_option_conforms() {
    let effort = Effort { games: times(), slow_positions: 3, batch_steps: 30, ..Effort::default() };
    for entry in GAMES {
        for option in entry.options() {
            let values: Vec<OptionValue> = match &option.kind {
                OptionKind::Bool => vec![true.into(), false.into()],
                OptionKind::Int { min, max } => vec![(*min).into(), (*max).into()],
                OptionKind::Choice { values } => values.iter().map(|v| v.as_str().into()).collect(),
                OptionKind::Flags { values } => values.iter().map(|v| v.as_str().into()).collect(),
                OptionKind::Text => continue,
                other => panic!("{}: no values are tried for options of kind {other:?}", option.name),
            };
            for value in values.into_iter().filter(|v| *v != option.default) {
                check(entry, &[(option.name, value.clone())], effort);
                // Once more with the other reward mode and the other treatment of illegal actions.
                let common = [("reward", "score".into()), ("on_illegal", "lose".into())];
                let mut given: Vec<(&str, OptionValue)> =
                    common.into_iter().filter(|(name, _)| *name != option.name).collect();
                given.push((option.name, value));
                check(
                    entry,
                    &given,
                    Effort { games: 0, slow_positions: 0, batch_steps: 20, ..Effort::default() },
                );
            }
        }
    }
}

#[test]
fn every_combination_of_options_that_bear_on_one_another_starts_games_or_is_refused_with_a_reason() {
    let effort = Effort { games: times(), slow_positions: 0, batch_steps: 0, ..Effort::default() };
    for entry in GAMES {
        for given in (entry.combinations)() {
            if let Err(refusal) = entry.make(&given) {
                let reason = refusal.to_string();
                let named = given.iter().any(|(name, _)| reason.contains(name));
                assert!(named && reason.lines().count() == 1, "{} {given:?}: {reason}", entry.id);
            }
            check(entry, &given, effort);
        }
    }
}

#[test]
fn an_unknown_environment_or_option_is_refused_by_name() {
    let error = ludovec::games::find("go").map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("\"go\"") && GAMES.iter().all(|e| error.contains(e.id)), "{error}");
    for entry in GAMES {
        let error = entry.make([("colour", OptionValue::from("red"))]).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("colour") && error.contains("reward"), "{error}");
    }
}
