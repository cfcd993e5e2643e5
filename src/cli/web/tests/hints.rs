//! Hints agree with themselves: with what their player would play, and with the drawing.

use serde_json::{Value, json};

use ludovec::engine::{Interrupt, OptionValue, Status};
use ludovec::games::GAMES;
use ludovec::play::player::{Player, advisers};
use ludovec::play::seated_game::{Seat, SeatedGame};
use ludovec::play::trust::Trust;
use ludovec::play::web_api::{AnalysisRequest, ViewQuery};

/// Multiple of the default number of positions.
fn times() -> usize {
    if std::env::var_os("LUDOVEC_LONG").is_some() { 4 } else { 1 }
}

/// The key and value of the place that an action ends at, and the one that it comes from.
fn ends(object: &Value) -> Option<(Value, Value)> {
    let key = |key: &str| object.get(key).filter(|value| !value.is_null());
    let end = ["to", "region", "index", "position", "to_tile", "space"].into_iter().find_map(key)?;
    Some((object.get("from").cloned().unwrap_or_default(), end.clone()))
}

/// What is wrong with the hint of `adviser` in a position.
fn faults(seated: &SeatedGame, adviser: &str) -> Vec<String> {
    let game = seated.game();
    let never = Interrupt::default();
    let request: AnalysisRequest =
        serde_json::from_value(json!({ "player": adviser, "revision": 0 })).unwrap();
    let hint = request.answer(seated, &ViewQuery::default(), &Trust::default(), &never).unwrap();
    let best = hint["best"].as_array().unwrap();
    let mut wrong = Vec::new();
    let mut check = |what: &str, right: bool| {
        if !right {
            wrong.push(format!("{what}: {best:?}"));
        }
    };
    let played = Player::parse(&*game.game(), adviser, None).unwrap().act(game, &never).unwrap().action;
    check("the first line is not what would be played", best[0]["action"] == played);
    check("the line does not begin with the first action", hint["line"][0] == best[0]["words"]);
    let share = |line: &Value| line["share"].as_f64().unwrap();
    check("shares are out of order", best.windows(2).all(|pair| share(&pair[0]) >= share(&pair[1])));
    let simulations = hint["simulations"].as_u64().unwrap() as f64;
    let visited =
        |line: &Value| (line["visits"].as_u64().unwrap() as f64 / simulations - share(line)).abs() < 1e-6;
    check("shares are not those of the visits", best.iter().all(visited));
    // Of the five largest shares, actions with the same places, such as promotions, share one mark.
    let object = |line: &Value| ends(&game.action_to_json(line["action"].as_u64().unwrap() as u32).unwrap());
    let first = object(&best[0]);
    let sum: f64 = best.iter().take(5).filter(|line| object(line) == first).map(share).sum();
    let svg = hint["svg"].as_str().unwrap();
    let percent = (100.0 * sum + 1e-3).round();
    // An action without an end has its own mark, or is in the line below the drawing.
    let own = (100.0 * share(&best[0]) + 1e-3).round();
    let alone = [format!(" {own}%"), format!(">{own}%<")].iter().any(|words| svg.contains(words));
    check(
        "the drawing says something else",
        if first.is_some() { svg.contains(&format!(">{percent}%<")) } else { alone },
    );
    wrong
}

#[test]
fn hints_agree_with_what_would_be_played_and_with_the_drawing() {
    let mut wrong = Vec::new();
    for (entry, positions) in GAMES.iter().zip([15, 3, 12, 6, 3]) {
        let game = entry.make([] as [(&str, OptionValue); 0]).unwrap();
        // The hints of the page, and a player with fewer simulations.
        let asked = [advisers(&*game)[0], "net:champion:16"];
        let mut seen = 0;
        for seed in 0.. {
            let seats = vec![Seat::new("", "random"); game.spec().players];
            let mut seated = SeatedGame::new(game.clone(), seed, seats, None).unwrap();
            // Positions of the first half of a game, from some moves on, some moves apart.
            for _ in 0..4 {
                for _ in 0..7 + seed % 5 {
                    if seated.game().status() == Status::Running {
                        seated.play_bot().unwrap();
                    }
                }
                if seated.game().status() != Status::Running || seated.game().legal_actions().len() < 2 {
                    continue;
                }
                let step = seated.steps();
                for adviser in asked {
                    let told = |fault| format!("{} {adviser}, seed {seed}, step {step}: {fault}", entry.id);
                    wrong.extend(faults(&seated, adviser).into_iter().map(told));
                }
                seen += 1;
            }
            if seen >= positions * times() {
                break;
            }
        }
        println!("{}: {seen} positions", entry.id);
    }
    assert!(wrong.is_empty(), "{} hints disagree:\n{}", wrong.len(), wrong.join("\n"));
}
