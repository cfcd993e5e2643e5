//! Two scripted bots play Terminal of Empires in the terminal, through the interface of the original program: a bot
//! gets the map's size, its resources and the world, and submits any action.
//!
//! `cargo run --release --example empires_match [SECONDS_PER_TURN]` draws every turn, then prints the log of
//! all actions with their outcomes.

use std::time::Duration;

use ludovec::engine::{Error, OptionValue, Options};
use ludovec::games::empires::{ENTRY, RawGame};
use serde_json::{Value, json};

/// Farms its land and takes the first neutral cell beside it.
fn settler(seen: &Value) -> Value {
    let world = seen["world"].as_object().expect("cells by their coordinates");
    let owner = |x: i64, y: i64| world.get(&format!("{x},{y}")).map(|cell| &cell["owner"]);
    let resources = seen["my_resources"].as_u64().expect("a number");
    for (at, cell) in world {
        let (x, y) = at.split_once(',').expect("x,y");
        let (x, y): (i64, i64) = (x.parse().expect("a number"), y.parse().expect("a number"));
        if cell["owner"] == "mine" && cell["structure"] == "land" && resources >= 5 {
            return json!(["farm", [x, y]]);
        }
        let near = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)];
        let beside_mine = near.iter().any(|&(x, y)| owner(x, y).is_some_and(|owner| owner == "mine"));
        if cell["owner"].is_null() && beside_mine && resources > 0 {
            return json!(["conquer", [x, y]]);
        }
    }
    json!(["harvest", null])
}

/// Tries all kinds of actions all over the map; most of them are refused.
fn dreamer(seen: &Value, move_number: u64) -> Value {
    let side = |i: usize| seen["map_size"][i].as_u64().expect("a number");
    let at = [move_number * 7 % side(0), move_number * 5 % side(1)];
    match move_number % 4 {
        0 => json!(["conquer", at]),
        1 => json!(["fort", at]),
        2 => json!(["dance", at]),
        _ => json!(["harvest", null]),
    }
}

fn main() -> Result<(), Error> {
    let seconds: f64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(0.0);
    let given = [("players", 2), ("width", 24), ("height", 12), ("max_turns", 100i64)];
    let options = Options::parse(&ENTRY.options(), given.map(|(k, v)| (k, OptionValue::from(v))))?;
    let mut game = RawGame::new(&options, 1)?;
    let mut moves = 0;
    while let Some(player) = game.current_player() {
        let seen = game.observation();
        let action = if player == 0 { settler(&seen) } else { dreamer(&seen, moves) };
        game.submit_raw(&action)?;
        moves += 1;
        if moves % 2 == 0 && seconds > 0.0 {
            print!("\x1b[H\x1b[2J{}", game.to_terminal());
            std::thread::sleep(Duration::from_secs_f64(seconds));
        }
    }
    for entry in game.journal() {
        println!("{entry}");
    }
    println!("{}alive: {:?}", game.to_terminal(), game.alive());
    Ok(())
}
