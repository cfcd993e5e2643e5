//! Proven results in real games.
#![cfg(feature = "game-chess")]

use std::fs;
use std::path::Path;

use ludovec::engine::{
    BatchConfig, Evaluator, Interrupt, Position, SearchResults, SearchSettings, SearchStats, ValueForm,
};
use ludovec::games::find;
use ludovec::play::player::{DEFAULT_TIME_LIMIT, Player};
use serde::Deserialize;
use serde_json::json;

use super::{METHODS, NO_OPTIONS};

/// A position in which the current player mates in `plies` plies, and the first moves that do.
#[derive(Deserialize)]
struct Mate {
    plies: u32,
    position: String,
    wins: Vec<String>,
}

fn mates(plies: u32) -> Vec<Mate> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/chess/mates.json");
    let mut mates: Vec<Mate> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    mates.retain(|mate| mate.plies == plies);
    assert!(mates.len() > 10);
    mates
}

/// Searches all positions with a dummy network.
fn search(mates: &[Mate], settings: SearchSettings) -> (SearchResults, SearchStats) {
    let game = find("chess").unwrap().make(NO_OPTIONS).unwrap();
    let config = BatchConfig { num_envs: mates.len(), threads: Some(1), ..BatchConfig::default() };
    let mut env = game.clone().vector(config.clone()).unwrap();
    for (id, mate) in (0..).zip(mates) {
        env.set_position(id, Position::Json(&json!({ "fen": mate.position }))).unwrap();
    }
    let settings = SearchSettings {
        gumbel_scale: 0.0,
        one_ply: true,
        value: ValueForm::Seats,
        threads: Some(1),
        ..settings
    };
    let mut search = game.tree_search(&config, settings).unwrap();
    search.start(&*env, None).unwrap();
    search.run(Evaluator::Null, &Interrupt::default()).unwrap();
    (search.results().unwrap(), search.stats())
}

/// Number of positions in which the move is right.
fn found(mates: &[Mate], actions: &[u32]) -> usize {
    let game = find("chess").unwrap().make(NO_OPTIONS).unwrap();
    let is_found = |(mate, action): &(&Mate, &u32)| {
        let play = game.clone().single_from_position(&json!({ "fen": mate.position }), 0).unwrap();
        mate.wins.contains(&play.action_to_string(**action).unwrap())
    };
    mates.iter().zip(actions).filter(is_found).count()
}

#[test]
fn mates_in_one_need_no_simulation_and_mates_in_two_few() {
    for method in METHODS {
        let one = mates(1);
        let settings = SearchSettings { simulations: 16, method, ..SearchSettings::default() };
        let (results, stats) = search(&one, settings.clone());
        assert_eq!((found(&one, &results.actions), stats.simulations), (one.len(), 0), "{method:?}");
        assert_eq!(stats.proven, one.len() as u64);
        for (tree, &action) in results.actions.iter().enumerate() {
            let legal = results.legal.offsets[tree] as usize..results.legal.offsets[tree + 1] as usize;
            let place = results.legal.actions[legal.clone()].iter().position(|&a| a == action).unwrap();
            assert_eq!(
                (results.proven[legal.clone()][place], results.q[legal][place]),
                (1, 1.0),
                "{method:?}"
            );
            assert!(results.values[2 * tree..2 * tree + 2].iter().map(|value| value.abs()).eq([1.0; 2]));
        }
        // A dummy network knows nothing about chess: what is found is proven.
        let two = mates(3);
        let (results, stats) = search(&two, SearchSettings { simulations: 64, ..settings });
        let right = found(&two, &results.actions);
        println!("{method:?}: {right} of {} mates in two, {stats:?}", two.len());
        assert!(right >= 9, "{method:?}: {right} of {}", two.len());
    }
}

#[test]
fn players_find_every_mate_in_one() {
    let game = find("chess").unwrap().make(NO_OPTIONS).unwrap();
    for name in ["search:10", "flat:40", "net:champion:4"] {
        if name.starts_with("net:") && !cfg!(feature = "networks") {
            continue;
        }
        let player = Player::parse(&*game, name, DEFAULT_TIME_LIMIT).unwrap();
        for mate in mates(1) {
            let play = game.clone().single_from_position(&json!({ "fen": mate.position }), 0).unwrap();
            let analysis = player.analyse(&play, &Interrupt::default()).unwrap();
            let text = play.action_to_string(analysis.action).unwrap();
            assert!(mate.wins.contains(&text), "{name}: {text} in {}", mate.position);
            assert_eq!(analysis.values[play.current_player()], 1.0, "{name}");
            let share = |action| analysis.shares.iter().find(|share| share.0 == action).unwrap().1;
            let most = analysis.shares.iter().map(|share| share.1).fold(0.0, f32::max);
            assert_eq!(share(analysis.action), most, "{name}");
        }
    }
}
