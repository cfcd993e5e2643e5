//! Positions solved exactly, by trying everything: near the end of games, and chess problems.
//!
//! A search that knows nothing but the rules (uniform priors, value 0 for whatever is not over) must choose a best
//! action, and its value must come nearer to the exact one with more simulations.
#![cfg(feature = "games")]

use std::sync::Arc;

use ludovec::engine::{
    AnyGame, BatchConfig, Evaluator, Interrupt, OptionValue, SearchSettings, SingleGame, Status, ValueForm,
};
use ludovec::games::find;
use serde_json::{Value, json};

use super::METHODS;

const SIMULATIONS: [u32; 3] = [256, 1024, 4096];
/// Values nearer than this are equal.
const EQUAL: f64 = 1e-9;
/// How much worse every action but the best ones is in the positions that are taken.
const MARGIN: f64 = 0.1;

/// Solves positions by trying everything: every seat looks after itself, chance is averaged over.
struct Solver {
    /// Positions that may still be looked at.
    left: usize,
    /// What one step later is worth.
    discount: f64,
}

impl Solver {
    /// What every seat can expect; nothing when that takes too long, or when a seat is indifferent between actions
    /// that are not the same to others. Positions `depth` steps away count as 0.
    fn value(&mut self, play: &dyn SingleGame, depth: usize) -> Option<Vec<f64>> {
        if play.status() != Status::Running {
            return Some(play.returns().into_iter().map(f64::from).collect());
        }
        let seat = play.current_player();
        let mut best: Option<Vec<f64>> = None;
        if depth == 0 {
            return Some(vec![0.0; play.returns().len()]);
        }
        for action in play.legal_actions() {
            let value = self.of_action(play, action, depth)?;
            match &best {
                Some(best) if value[seat] < best[seat] - EQUAL => {}
                Some(best) if value[seat] < best[seat] + EQUAL => {
                    if best.iter().zip(&value).any(|(a, b)| (a - b).abs() > EQUAL) {
                        return None;
                    }
                }
                _ => best = Some(value),
            }
            // Of two opponents, one cannot do better than to win at once, and then the other has lost.
            if let Some(best) = &best
                && best.len() == 2
                && best[seat] > 1.0 - EQUAL
            {
                break;
            }
        }
        best
    }

    /// What every seat can expect of an action.
    fn of_action(&mut self, play: &dyn SingleGame, action: u32, depth: usize) -> Option<Vec<f64>> {
        let mut expected = vec![0.0; play.game().spec().players];
        for outcome in play.outcomes(action).unwrap() {
            self.left = self.left.checked_sub(1)?;
            let is_over = outcome.result.status() != Status::Running;
            let value = self.value(&*outcome.result, depth - 1)?;
            let share = outcome.probability * if is_over { 1.0 } else { self.discount };
            expected.iter_mut().zip(value).for_each(|(sum, value)| *sum += share * value);
        }
        Some(expected)
    }
}

/// A position and what its actions are worth to the seat to move, as far as that is known.
#[derive(Clone)]
struct Solved {
    position: Value,
    actions: Vec<(u32, Option<f64>)>,
    best: f64,
}

impl Solved {
    /// Solves a position: with more than one action, the best of which are known.
    fn new(play: &dyn SingleGame, budget: usize, discount: f64, depth: usize) -> Option<Self> {
        let seat = play.current_player();
        let legal = play.legal_actions();
        let mut left = budget;
        let mut actions = Vec::new();
        for action in legal {
            let mut solver = Solver { left: left.min(budget / 4), discount };
            let before = solver.left;
            let value = solver.of_action(play, action, depth);
            left -= before - solver.left;
            actions.push((action, value.map(|value| value[seat])));
        }
        let best = actions.iter().filter_map(|&(_, value)| value).fold(f64::NEG_INFINITY, f64::max);
        // What is not known may be better, unless nothing is.
        let is_known = actions.iter().all(|(_, value)| value.is_some());
        let wins = play.game().spec().players == 2 && discount < 1.0 && best > 1.0 - EQUAL;
        (is_known || wins).then(|| Self { position: play.to_json(), actions, best })
    }

    /// Whether something depends on the choice, and enough of it.
    fn is_decisive(&self) -> bool {
        let is_best = |value: f64| value > self.best - EQUAL;
        let others = || self.actions.iter().filter(|(_, value)| !value.is_some_and(is_best));
        others().count() > 0
            && others().all(|(_, value)| value.is_none_or(|value| value < self.best - MARGIN))
    }

    fn of(&self, action: i32) -> Option<f64> {
        self.actions.iter().find(|(known, _)| *known as i32 == action).and_then(|&(_, value)| value)
    }
}

/// Positions from which the rest of a game can be solved: as far from the end as `budget` positions reach, in games
/// between bots.
fn endings(game: &Arc<dyn AnyGame>, bots: &[&str], games: u64, budget: usize, discount: f64) -> Vec<Solved> {
    let mut found = Vec::new();
    for seed in 0..games {
        let mut play = game.clone().single(seed);
        while play.status() == Status::Running && play.steps() < 3000 {
            let bot = bots[play.steps() % bots.len()];
            play.step(play.bot_action(bot).unwrap()).unwrap();
        }
        if play.status() != Status::Terminated {
            continue;
        }
        let mut farthest = None;
        for back in 1.. {
            if !play.undo() {
                break;
            }
            let alone = |json: &Value| game.clone().single_from_json(json, 1).unwrap();
            let position = alone(&play.to_json());
            let Some(solved) = Solved::new(&*position, budget, discount, usize::MAX) else { break };
            // With hidden information, nothing that is hidden may matter.
            let is_hidden = |seed| {
                let other = position.determinize(position.current_player(), seed).unwrap();
                let other = Solved::new(&*alone(&other.to_json()), budget, discount, usize::MAX);
                other.is_none_or(|other| other.actions != solved.actions)
            };
            if game.spec().hidden_information && (0..4).any(is_hidden) {
                continue;
            }
            if solved.is_decisive() {
                farthest = Some((back, solved));
            }
        }
        if let Some((back, solved)) = farthest {
            println!(
                "game {seed}: {back} steps from the end, {} actions, {:.3}",
                solved.actions.len(),
                solved.best
            );
            found.push(solved);
        }
    }
    found
}

/// Searches all positions with more and more simulations, and holds what is found against what is known.
fn check(game: &Arc<dyn AnyGame>, positions: &[Solved], discount: f64, tolerance: f64) {
    let config = BatchConfig { num_envs: positions.len(), threads: Some(2), ..BatchConfig::default() };
    let mut env = game.clone().vector(config.clone()).unwrap();
    for (id, solved) in (0..).zip(positions) {
        env.set_position(id, &solved.position).unwrap();
    }
    for method in METHODS {
        let mut means = Vec::new();
        for simulations in SIMULATIONS {
            let settings = SearchSettings {
                simulations,
                method,
                discount: discount as f32,
                gumbel_scale: 0.0,
                value: ValueForm::Seats,
                ..SearchSettings::default()
            };
            let mut search = game.clone().tree_search(&config, settings).unwrap();
            search.start(&*env, None).unwrap();
            search.run(Evaluator::Null, &Interrupt::default()).unwrap();
            let results = search.results();
            let mut errors = Vec::new();
            let mut wrong = Vec::new();
            for (tree, (solved, &action)) in positions.iter().zip(&results.actions).enumerate() {
                let legal = results.legal.offsets[tree] as usize..results.legal.offsets[tree + 1] as usize;
                let place = results.legal.actions[legal.clone()].iter().position(|&a| a == action).unwrap();
                let q = f64::from(results.q[legal][place]);
                errors.push((q - solved.best).abs());
                if solved.of(action).is_none_or(|value| value < solved.best - EQUAL) {
                    wrong.push((tree, action, solved.of(action), q, solved.best));
                }
            }
            let mean = errors.iter().sum::<f64>() / errors.len() as f64;
            let most = errors.iter().copied().fold(0.0, f64::max);
            println!(
                "{} {method:?} {simulations}: {} of {} best, error {mean:.4} in the mean, {most:.4} at most",
                game.spec().env,
                errors.len() - wrong.len(),
                errors.len()
            );
            means.push(mean);
            if simulations == SIMULATIONS[2] {
                assert!(wrong.is_empty(), "{} {method:?}: {wrong:?}", game.spec().env);
                assert!(most <= tolerance, "{} {method:?}: {errors:?}", game.spec().env);
            }
        }
        assert!(means[2] <= means[0], "{} {method:?}: {means:?}", game.spec().env);
    }
}

fn make(id: &str, options: &[(&str, OptionValue)]) -> Arc<dyn AnyGame> {
    find(id).unwrap().make(options.iter().cloned()).unwrap()
}

#[test]
fn the_last_turn_over_a_die_is_played_for_the_expectation() {
    for players in [2, 3] {
        let game = make("smallworld", &[("players", players.into()), ("public_coins", true.into())]);
        let positions = endings(&game, &["greedy", "random"], 12, 4000, 1.0);
        check(&game, &positions, 1.0, 0.1);
    }
}

#[test]
fn the_last_tiles_are_laid_to_win() {
    for players in [2, 3] {
        let game = make("tilewe", &[("players", players.into())]);
        let positions = endings(&game, &["random"], 12, 3000, 1.0);
        check(&game, &positions, 1.0, 0.1);
    }
}

#[test]
fn the_last_duel_is_fought_whatever_is_hidden() {
    let game = make("starwars_risk", &[]);
    let positions = endings(&game, &["random"], 12, 3000, 1.0);
    check(&game, &positions, 1.0, 0.1);
}

#[test]
fn the_last_castle_is_taken_at_once() {
    let options =
        [("players", 2.into()), ("width", 10.into()), ("height", 8.into()), ("castles", "2:3,7:4".into())];
    let game = make("empires", &options);
    let positions = endings(&game, &["aggressive", "pacifist"], 6, 4000, 0.9);
    check(&game, &positions, 0.9, 0.1);
}

/// A chess problem: a position, and in how many moves the seat to move mates at best.
const MATES: [(&str, usize); 4] = [
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
    ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2),
    ("k7/8/2K5/8/8/8/8/7R w - - 0 1", 2),
    ("8/k7/8/2K5/8/8/8/7R w - - 0 1", 3),
];

#[test]
fn mates_in_two_and_three_are_found() {
    let game = make("chess", &[]);
    let discount = 0.9;
    let mut positions = Vec::new();
    for (fen, moves) in MATES {
        let play = game.clone().single_from_json(&json!({ "fen": fen }), 0).unwrap();
        let solved = Solved::new(&*play, 1 << 20, discount, 2 * moves - 1).unwrap();
        let names: Vec<_> = solved
            .actions
            .iter()
            .filter(|(_, v)| v.is_some_and(|v| v > solved.best - EQUAL))
            .map(|(a, _)| play.action_to_string(*a).unwrap())
            .collect();
        println!("{fen}: {} actions, {:.3}, {names:?}", solved.actions.len(), solved.best);
        positions.push(solved);
    }
    for ((fen, moves), solved) in MATES.iter().zip(&positions) {
        assert!((solved.best - discount.powi(2 * *moves as i32 - 2)).abs() < EQUAL, "{fen}: {}", solved.best);
        assert!(solved.is_decisive(), "{fen}");
    }
    check(&game, &positions, discount, 0.1);
}
