//! Positions to check: every game at its beginning, in the middle and at its end, in both themes, and special
//! cases.

use ludovec::engine::{Marks, OptionValue, SingleGame, Status, Theme, View};
use ludovec::games;

pub const NO_OPTIONS: [(&str, OptionValue); 0] = [];

/// Options as written on the command line.
pub type Options = &'static [(&'static str, &'static str)];

/// A picture.
pub struct Scene {
    pub name: String,
    pub svg: String,
}

/// A game after this many steps, played by a bot or at random.
pub fn played(id: &str, options: Options, bot: &str, steps: usize) -> SingleGame {
    let game = games::find(id)
        .unwrap()
        .make(options.iter().map(|&(key, value)| (key, OptionValue::from(value))).collect::<Vec<_>>())
        .unwrap();
    let mut game = game.single(3);
    for _ in 0..steps {
        if game.status() != Status::Running {
            break;
        }
        game.step(game.bot_action(bot).unwrap()).unwrap();
    }
    game
}

fn named(mut game: SingleGame) -> SingleGame {
    let names = ["Ada", "Grace Hopper", "Bartholomäus <&> Söhne", "李", "E", "F", "G", "H"];
    let seats = game.game().spec().players;
    game.set_names(&names[..seats].iter().map(|name| name.to_string()).collect::<Vec<_>>()).unwrap();
    game
}

/// Every picture to check.
pub fn all() -> Vec<Scene> {
    let mut scenes = Vec::new();
    let mut add = |name: &str, game: &SingleGame, view: View, marks: &Marks| {
        for theme in [Theme::Light, Theme::Dark] {
            let view = View { theme, size: Some(view.size.unwrap_or(900)), ..view };
            let svg = game.to_marked_svg(view, marks).unwrap();
            let name = format!("{name}-{}", theme.pick("light", "dark"));
            scenes.push(Scene { name, svg });
        }
    };
    let none = Marks::default();
    let whole = View::default();
    let positions: [(&str, &str, Options, &str, usize); 25] = [
        ("smallworld-start", "smallworld", &[], "random", 0),
        ("smallworld-middle", "smallworld", &[], "greedy", 55),
        ("smallworld-end", "smallworld", &[], "greedy", 10_000),
        ("smallworld-2-board", "smallworld", &[("players", "2"), ("map", "board")], "greedy", 40),
        ("smallworld-3-board", "smallworld", &[("players", "3"), ("map", "board")], "greedy", 70),
        ("smallworld-4-board", "smallworld", &[("players", "4"), ("map", "board")], "greedy", 120),
        ("smallworld-5", "smallworld", &[("players", "5"), ("rules", "official")], "random", 200),
        ("chess-start", "chess", &[], "random", 0),
        ("chess-middle", "chess", &[], "greedy", 21),
        ("chess-end", "chess", &[], "random", 10_000),
        ("chess-grasshopper", "chess", &[("variant", "grasshopper")], "random", 7),
        ("chess-shatranj", "chess", &[("variant", "shatranj")], "random", 9),
        ("chess-nightrider", "chess", &[("variant", "nightrider")], "random", 5),
        ("chess-hole", "chess", &[("variant", "hole")], "random", 3),
        ("chess-crazyhouse", "chess", &[("variant", "crazyhouse")], "random", 60),
        ("tilewe-middle", "tilewe", &[], "greedy", 30),
        ("tilewe-end", "tilewe", &[("players", "2")], "greedy", 10_000),
        ("tilewe-blokus_duo", "tilewe", &[("mode", "blokus_duo")], "greedy", 15),
        ("tilewe-blokus_2", "tilewe", &[("mode", "blokus_2")], "greedy", 50),
        ("starwars_risk-start", "starwars_risk", &[], "random", 0),
        ("starwars_risk-middle", "starwars_risk", &[], "greedy", 80),
        ("starwars_risk-end", "starwars_risk", &[], "random", 100_000),
        ("empires-middle", "empires", &[("players", "4")], "greedy", 400),
        ("empires-small", "empires", &[("width", "6"), ("height", "5"), ("players", "2")], "greedy", 30),
        ("empires-large", "empires", &[("width", "64"), ("height", "64"), ("players", "8")], "greedy", 1600),
    ];
    for (name, id, options, bot, steps) in positions {
        add(name, &played(id, options, bot, steps), whole, &none);
    }
    for (name, id, steps) in [
        ("smallworld-named", "smallworld", 60),
        ("chess-named", "chess", 10),
        ("tilewe-named", "tilewe", 12),
        ("starwars_risk-named", "starwars_risk", 30),
        ("empires-named", "empires", 60),
    ] {
        let game = named(played(id, &[], "random", steps));
        add(name, &game, whole, &none);
        let board = name.replace("named", "alone");
        add(&board, &game, View { board_only: true, size: Some(480), ..whole }, &none);
    }
    let chess = played("chess", &[("variant", "knightmate")], "random", 8);
    add("chess-flipped", &chess, View { flipped: true, ..whole }, &none);
    for id in ["smallworld", "chess", "tilewe", "starwars_risk", "empires"] {
        let game = played(id, &[], "random", 14);
        let actions = game.legal_actions();
        // A policy that prefers early actions.
        let mut weights = vec![0.0; game.game().spec().num_actions as usize];
        actions.iter().enumerate().for_each(|(i, &action)| weights[action as usize] = 0.8f32.powi(i as i32));
        add(&format!("{id}-weights"), &game, whole, &Marks { weights, ..Marks::default() });
        let few = actions.iter().copied().take(12).collect();
        add(&format!("{id}-legal"), &game, whole, &Marks { actions: few, ..Marks::default() });
    }
    scenes
}
