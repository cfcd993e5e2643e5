//! Positions solved exactly, by exhaustive search: near the end of games, and chess problems.
//!
//! A search that knows only the rules (uniform priors, value 0 for unfinished games) must choose a best action, and
//! its value must approach the exact one with more simulations.
#![cfg(feature = "games")]

use std::sync::Arc;

use ludovec::engine::{
    AnyGame, BatchConfig, Evaluator, Interrupt, OptionValue, Position, SearchSettings, SingleGame, Status,
    ValueForm,
};
use ludovec::games::find;
use serde_json::{Value, json};

use super::METHODS;

const SIMULATIONS: [u32; 3] = [256, 1024, 4096];
/// Longer plans are found later.
const MORE_SIMULATIONS: [u32; 3] = [1024, 4096, 16384];
/// Values closer than this are equal.
const EQUAL: f64 = 1e-9;
/// Minimum gap between the best actions and all others in the selected positions.
const MARGIN: f64 = 0.1;

/// Solves positions by exhaustive search: every seat maximizes its own value, chance is averaged (expectimax for
/// several players).
struct Solver {
    /// Number of positions that may still be examined.
    left: usize,
    /// Factor of values one step later.
    discount: f64,
}

impl Solver {
    /// The exact value for every seat; `None` if this takes too long, or if a seat is indifferent between actions
    /// with different values for others. Positions `depth` steps away count as 0.
    fn value(&mut self, play: &SingleGame, depth: usize) -> Option<Vec<f64>> {
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
            // Pruning: of two opponents, one cannot do better than win, and then the other has lost.
            if let Some(best) = &best
                && best.len() == 2
                && best[seat] > 1.0 - EQUAL
            {
                break;
            }
        }
        best
    }

    /// The exact value of an action for every seat.
    fn of_action(&mut self, play: &SingleGame, action: u32, depth: usize) -> Option<Vec<f64>> {
        let mut expected = vec![0.0; play.game().spec().players];
        for outcome in play.outcomes(action).unwrap() {
            self.left = self.left.checked_sub(1)?;
            let is_over = outcome.result.status() != Status::Running;
            let value = self.value(&outcome.result, depth - 1)?;
            let share = outcome.probability * if is_over { 1.0 } else { self.discount };
            expected.iter_mut().zip(value).for_each(|(sum, value)| *sum += share * value);
        }
        Some(expected)
    }
}

/// A position and the value of its actions for the current player.
struct Solved {
    position: Value,
    actions: Vec<(u32, f64)>,
    best: f64,
    /// Number of examined positions.
    size: usize,
}

impl Solved {
    /// Solves a position, `depth` steps deep, if examining `budget` positions is enough.
    fn new(play: &SingleGame, budget: usize, discount: f64, depth: usize) -> Option<Self> {
        let mut solver = Solver { left: budget, discount };
        let seat = play.current_player();
        let of_action = |action| Some((action, solver.of_action(play, action, depth)?[seat]));
        let actions: Vec<_> = play.legal_actions().into_iter().map(of_action).collect::<Option<_>>()?;
        let best = actions.iter().map(|&(_, value)| value).fold(f64::NEG_INFINITY, f64::max);
        Some(Self { position: play.position(), actions, best, size: budget - solver.left })
    }

    /// Whether the choice makes a difference, and a large enough one.
    fn is_decisive(&self) -> bool {
        let others = || self.actions.iter().filter(|&&(_, value)| value < self.best - EQUAL);
        others().count() > 0 && others().all(|&(_, value)| value < self.best - MARGIN)
    }

    /// The difficulty of a position as a test: uncertain chances, and many positions.
    fn hardness(&self) -> (bool, usize) {
        ((2.0 * self.best - (2.0 * self.best).round()).abs() > MARGIN, self.size)
    }

    /// The value of an action.
    fn of(&self, action: u32) -> f64 {
        self.actions.iter().find(|(known, _)| *known == action).unwrap().1
    }
}

/// A source of positions.
struct Source<'a> {
    game: Arc<dyn AnyGame>,
    /// The bot that plays the games, in all seats.
    bot: &'a str,
    games: u64,
    /// The number of steps before the end in which positions are examined, and their interval.
    window: (usize, usize),
    /// Maximum number of positions in the rest of a game.
    budget: usize,
    /// Only positions with an action decided by chance.
    needs_chance: bool,
    /// Changes a position into others that are nearer to the end, or in which the choice matters more.
    change: &'a dyn Fn(&SingleGame) -> Vec<Value>,
}

impl Source<'_> {
    /// The hardest position of every game to solve, among the positions in which the choice matters.
    fn positions(&self) -> Vec<Solved> {
        let alone = |json: &Value| self.game.clone().single_from_position(json, 1).ok();
        let solve = |play: &SingleGame| Solved::new(play, self.budget, 1.0, usize::MAX);
        let mut found = Vec::new();
        for seed in 0..self.games {
            let mut play = self.game.clone().single(seed);
            while play.status() == Status::Running {
                play.step(play.bot_action(self.bot).unwrap()).unwrap();
            }
            let mut hardest: Option<Solved> = None;
            for back in 1..=self.window.0 {
                if !play.undo() {
                    break;
                }
                if back % self.window.1 != 0 {
                    continue;
                }
                let has_chance = |&action: &u32| play.outcomes(action).unwrap().nth(1).is_some();
                if self.needs_chance && !play.legal_actions().iter().any(has_chance) {
                    continue;
                }
                for position in (self.change)(&play).iter().filter_map(alone) {
                    // The changed positions differ only in the scores: if one takes too long, so do the others.
                    let Some(solved) = solve(&position) else { break };
                    if !solved.is_decisive() {
                        continue;
                    }
                    // Positions with relevant hidden information are left out.
                    let seat = position.current_player();
                    let is_other = |seed| {
                        let other = alone(&position.determinize(seat, seed).unwrap().position()).unwrap();
                        solve(&other).is_none_or(|other| other.actions != solved.actions)
                    };
                    if self.game.spec().hidden_information && (0..4).any(is_other) {
                        continue;
                    }
                    if hardest.as_ref().is_none_or(|hardest| hardest.hardness() < solved.hardness()) {
                        hardest = Some(solved);
                    }
                }
            }
            found.extend(hardest);
        }
        let sizes: Vec<_> = found.iter().map(|s| (s.actions.len(), s.size, s.best)).collect();
        println!(
            "{}: {} positions (actions, positions below, value) {sizes:.3?}",
            self.game.spec().env,
            found.len()
        );
        assert!(found.len() >= 4, "{}: {} positions", self.game.spec().env, found.len());
        found
    }
}

/// Searches all positions with more and more simulations, and compares the results with the exact solutions.
fn check(game: &Arc<dyn AnyGame>, positions: &[Solved], discount: f64, budgets: [u32; 3], tolerance: f64) {
    let config = BatchConfig { num_envs: positions.len(), threads: Some(2), ..BatchConfig::default() };
    let mut env = game.clone().vector(config.clone()).unwrap();
    for (id, solved) in (0..).zip(positions) {
        env.set_position(id, Position::Json(&solved.position)).unwrap();
    }
    for method in METHODS {
        let mut means = Vec::new();
        for simulations in budgets {
            let settings = SearchSettings {
                simulations,
                method,
                discount: discount as f32,
                considered: 1000,
                gumbel_scale: 0.0,
                value: ValueForm::Seats,
                ..SearchSettings::default()
            };
            let mut search = game.clone().tree_search(&config, settings).unwrap();
            search.start(&*env, None).unwrap();
            search.run(Evaluator::Null, &Interrupt::default()).unwrap();
            let results = search.results().unwrap();
            let mut errors = Vec::new();
            let mut wrong = Vec::new();
            for (tree, (solved, &action)) in positions.iter().zip(&results.actions).enumerate() {
                let legal = results.legal.offsets[tree] as usize..results.legal.offsets[tree + 1] as usize;
                let place = results.legal.actions[legal.clone()].iter().position(|&a| a == action).unwrap();
                let q = f64::from(results.q[legal][place]);
                errors.push((q - solved.best).abs());
                if solved.of(action) < solved.best - EQUAL {
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
            if simulations == budgets[2] {
                assert!(wrong.is_empty(), "{} {method:?}: {wrong:?}", game.spec().env);
                assert!(most <= tolerance, "{} {method:?}: {errors:?}", game.spec().env);
            }
        }
        assert!(means[2] <= means[0], "{} {method:?}: {means:?}", game.spec().env);
    }
}

fn make(id: &str, options: &[(&str, OptionValue)]) -> Arc<dyn AnyGame> {
    find(id).unwrap().make(options).unwrap()
}

/// No change: the positions of games as they were played.
fn unchanged(play: &SingleGame) -> Vec<Value> {
    vec![play.position()]
}

#[test]
fn the_last_turn_over_a_die_is_played_for_the_expectation() {
    // The position with opponents that are 0 to 27 coins ahead: for some of these leads the next decisions decide
    // the game.
    let ahead = |play: &SingleGame| {
        let (seat, json) = (play.current_player(), play.position());
        let own = json["players"][seat]["coins"].as_u64().unwrap();
        let with = |lead: u64| {
            let mut json = json.clone();
            for (other, player) in json["players"].as_array_mut().unwrap().iter_mut().enumerate() {
                if other != seat {
                    player["coins"] = (own + lead + other as u64).into();
                }
            }
            json
        };
        (0..28).map(with).collect()
    };
    let game = make("smallworld", &[("players", 2.into()), ("public_coins", true.into())]);
    let source = Source {
        game,
        bot: "conqueror",
        games: 40,
        window: (14, 1),
        budget: 3000,
        needs_chance: true,
        change: &ahead,
    };
    check(&source.game, &source.positions(), 1.0, MORE_SIMULATIONS, 0.1);
}

#[test]
fn the_last_tiles_are_laid_to_win() {
    for players in [2, 3] {
        let game = make("tilewe", &[("players", players.into())]);
        let source = Source {
            game,
            bot: "random",
            games: 10,
            window: (6, 1),
            budget: 2000,
            needs_chance: false,
            change: &unchanged,
        };
        check(&source.game, &source.positions(), 1.0, SIMULATIONS, 0.1);
    }
}

#[test]
fn the_last_duel_is_fought_for_all_hidden_cards() {
    let game = make("starwars_risk", &[("max_rounds", 40.into())]);
    let last_round = |play: &SingleGame| {
        let mut json = play.position();
        json["round"] = 40.into();
        vec![json]
    };
    let source = Source {
        game,
        bot: "attack",
        games: 20,
        window: (200, 3),
        budget: 500,
        needs_chance: false,
        change: &last_round,
    };
    check(&source.game, &source.positions(), 1.0, SIMULATIONS, 0.1);
}

#[test]
fn the_last_turn_decides_over_castles() {
    let options = [
        ("players", 2.into()),
        ("width", 8.into()),
        ("height", 8.into()),
        ("castles", "2:3,5:4".into()),
        ("max_turns", 40.into()),
    ];
    let game = make("empires", &options);
    let last_turn = |play: &SingleGame| {
        let mut json = play.position();
        json["turn"] = 39.into();
        vec![json]
    };
    let source = Source {
        game,
        bot: "aggressive",
        games: 8,
        window: (60, 3),
        budget: 12_000,
        needs_chance: false,
        change: &last_turn,
    };
    check(&source.game, &source.positions(), 1.0, SIMULATIONS, 0.1);
}

/// Chess problems: the number of moves to mate, and the best first moves.
const MATES: [(&str, usize, &[&str]); 4] = [
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, &["a1a6"]),
    ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2, &["b1b7", "a2a7"]),
    ("k7/8/2K5/8/8/8/8/7R w - - 0 1", 2, &["c6b6", "c6c7"]),
    ("8/k7/8/2K5/8/8/8/7R w - - 0 1", 3, &["c5c6"]),
];

/// Chess problems and stalemating moves: as mistakes, and as the way to save the game.
const STALEMATES: [(&str, &[&str], bool); 2] = [
    ("7k/5K2/8/6Q1/8/8/8/8 w - - 0 1", &["g5g6"], false),
    ("8/6R1/8/8/8/7k/5q2/7K w - - 0 1", &["g7g3", "g7h7"], true),
];

fn problem(game: &Arc<dyn AnyGame>, fen: &str, discount: f64, steps: usize) -> (SingleGame, Solved) {
    let play = game.clone().single_from_position(&json!({ "fen": fen }), 0).unwrap();
    let solved = Solved::new(&play, 1 << 20, discount, steps).unwrap();
    (play, solved)
}

/// The moves with this value.
fn worth(play: &SingleGame, solved: &Solved, value: f64) -> Vec<String> {
    let found = solved.actions.iter().filter(|(_, of)| (of - value).abs() < EQUAL);
    found.map(|&(action, _)| play.action_to_string(action).unwrap()).collect()
}

/// Later mates have lower values, so that the fastest one is best.
#[test]
fn mates_in_two_and_three_are_found() {
    let (game, discount) = (make("chess", &[]), 0.9f64);
    let mut positions = Vec::new();
    for (fen, moves, best) in MATES {
        let (play, solved) = problem(&game, fen, discount, 2 * moves - 1);
        assert!((solved.best - discount.powi(2 * moves as i32 - 2)).abs() < EQUAL, "{fen}: {}", solved.best);
        assert_eq!(worth(&play, &solved, solved.best), best, "{fen}");
        assert!(solved.is_decisive(), "{fen}");
        positions.push(solved);
    }
    check(&game, &positions, discount, MORE_SIMULATIONS, 0.1);
}

#[test]
fn a_stalemate_is_a_draw_to_avoid_and_to_seek() {
    let (game, discount) = (make("chess", &[]), 0.9);
    let mut positions = Vec::new();
    for (fen, draws, saves) in STALEMATES {
        let (play, solved) = problem(&game, fen, discount, 4);
        let found = worth(&play, &solved, 0.0);
        assert!(draws.iter().all(|draw| found.contains(&draw.to_string())), "{fen}: {found:?}");
        assert!(solved.is_decisive() && (solved.best < EQUAL) == saves, "{fen}: {}", solved.best);
        positions.push(solved);
    }
    check(&game, &positions, discount, MORE_SIMULATIONS, 0.1);
}
