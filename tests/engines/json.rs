//! Programs that speak JSON lines.

use std::time::Duration;

use ludovec::engine::OptionValue;
use ludovec::games::GAMES;

use super::Test;
use super::fake::command;
use super::uci::{against_random, limit_of};

pub const TESTS: &[Test] = &[
    ("a_program_plays_every_game_by_json_lines", a_program_plays_every_game),
    ("a_program_that_misbehaves_loses_moves", a_program_that_misbehaves_loses_moves),
];

fn a_program_plays_every_game() {
    for entry in GAMES {
        let is_sized = entry.options().iter().any(|option| option.name == "width");
        let options: &[(&str, i64)] =
            if is_sized { &[("players", 2), ("width", 10), ("height", 8)] } else { &[] };
        let options = options.iter().map(|&(key, value)| (key, OptionValue::from(value)));
        let game =
            entry.make(options.chain([("max_steps", OptionValue::Int(12))]).collect::<Vec<_>>()).unwrap();
        if game.spec().players > 2 && is_sized {
            continue;
        }
        let mut single = game.clone().single(3);
        let limit = Duration::from_secs(60);
        let bot = ludovec::play::player::Player::parse(&*game, &command("cmd", "json", ""), limit).unwrap();
        for step in 0..10 {
            let decision = bot.act(&single, &ludovec::engine::Interrupt::default()).unwrap();
            assert_eq!(decision.fault, None, "{} {step}", entry.id);
            assert_eq!(decision.action, single.legal_actions()[0], "{} {step}", entry.id);
            single.step(decision.action).unwrap();
        }
    }
}

fn a_program_that_misbehaves_loses_moves() {
    let modes = [
        ("json-crash", "it has ended"),
        ("json-hang", "no answer within"),
        ("json-garbage", "not JSON: expected value at line 1 column 1: I resign"),
        ("json-illegal", "4000000000"),
        ("json-empty", "no \"action\""),
        ("json-huge", "a line of more than"),
        ("json-sometimes", "it has ended"),
    ];
    let tested = modes.map(|(mode, reason)| {
        std::thread::spawn(move || {
            let game = games_of_chess();
            let table = against_random(&game, &command("cmd", mode, ""), limit_of(reason), (2, 1)).unwrap();
            assert_eq!(table.games, 2);
            let reasons: Vec<&str> = table.faults.iter().map(|fault| fault.reason.as_str()).collect();
            assert!(!reasons.is_empty() && reasons[0].contains(reason), "{mode}: {reasons:?}");
            let is_known = |said: &&str| said.contains(reason) || said.contains("no longer asked");
            assert!(reasons.iter().all(is_known), "{mode}: {reasons:?}");
        })
    });
    assert!(tested.into_iter().map(|test| test.join()).filter(Result::is_err).count() == 0);
}

fn games_of_chess() -> std::sync::Arc<dyn ludovec::engine::AnyGame> {
    super::uci::chess(&[("max_plies", 14.into())])
}
