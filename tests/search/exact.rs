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
/// Longer plans are found later.
const MORE_SIMULATIONS: [u32; 3] = [1024, 4096, 16384];
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
    /// Positions that were looked at.
    size: usize,
}

impl Solved {
    /// Solves a position whose best actions can be found by looking at so many positions, `depth` steps deep.
    fn new(play: &dyn SingleGame, budget: usize, discount: f64, depth: usize) -> Option<Self> {
        let (seat, legal) = (play.current_player(), play.legal_actions());
        let each = budget / legal.len().max(1);
        let (mut actions, mut size) = (Vec::new(), 0);
        for action in legal {
            let mut solver = Solver { left: each, discount };
            let value = solver.of_action(play, action, depth);
            size += each - solver.left;
            actions.push((action, value.map(|value| value[seat])));
        }
        let best = actions.iter().filter_map(|&(_, value)| value).fold(f64::NEG_INFINITY, f64::max);
        // What is not known may be better, but not than to win at once where later is worth less.
        let is_known = actions.iter().all(|(_, value)| value.is_some());
        let wins = discount < 1.0 && best > 1.0 - EQUAL;
        (is_known || wins).then(|| Self { position: play.to_json(), actions, best, size })
    }

    /// Whether something depends on the choice, and enough of it.
    fn is_decisive(&self) -> bool {
        let is_best = |value: f64| value > self.best - EQUAL;
        let others = || self.actions.iter().filter(|(_, value)| !value.is_some_and(is_best));
        others().count() > 0
            && others().all(|(_, value)| value.is_none_or(|value| value < self.best - MARGIN))
    }

    /// What makes a position a better test: chances that are no certainties, and many positions.
    fn hardness(&self) -> (bool, usize) {
        ((2.0 * self.best).fract().abs() > MARGIN, self.size)
    }

    fn of(&self, action: i32) -> Option<f64> {
        self.actions.iter().find(|(known, _)| *known as i32 == action).and_then(|&(_, value)| value)
    }
}

/// Where positions are taken from.
struct Source<'a> {
    game: Arc<dyn AnyGame>,
    /// Who plays the games.
    bots: &'a [&'a str],
    games: u64,
    /// How many steps before the end positions are looked at, and every how many.
    window: (usize, usize),
    /// Most positions in what is left of a game.
    budget: usize,
    discount: f64,
    /// Makes positions of one that matter, or are near the end.
    change: &'a dyn Fn(&dyn SingleGame) -> Vec<Value>,
}

impl Source<'_> {
    /// The position of every game that takes most to solve, among those in which something depends on the choice.
    fn positions(&self) -> Vec<Solved> {
        let t0 = std::time::Instant::now();
        let mut stat = [0usize; 5];
        let alone = |json: &Value| self.game.clone().single_from_json(json, 1).ok();
        let solve = |play: &dyn SingleGame| Solved::new(play, self.budget, self.discount, usize::MAX);
        let mut found = Vec::new();
        for seed in 0..self.games {
            let mut play = self.game.clone().single(seed);
            while play.status() == Status::Running {
                let bot = self.bots[play.steps() % self.bots.len()];
                play.step(play.bot_action(bot).unwrap()).unwrap();
            }
            let mut hardest: Option<Solved> = None;
            for back in 1..=self.window.0 {
                if !play.undo() {
                    break;
                }
                if back % self.window.1 != 0 {
                    continue;
                }
                for position in (self.change)(&*play).iter().filter_map(alone) {
                    stat[0] += 1;
                    let Some(solved) = solve(&*position) else { stat[1] += 1; continue };
                    if !solved.is_decisive() { stat[2] += 1; continue }
                    if (solved.best*2.0).fract() != 0.0 { stat[3] += 1; }
                    // Where something is hidden, nothing that is may matter.
                    let seat = position.current_player();
                    let is_other = |seed| {
                        let other = alone(&position.determinize(seat, seed).unwrap().to_json()).unwrap();
                        solve(&*other).is_none_or(|other| other.actions != solved.actions)
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
        println!("{stat:?} {:?}", t0.elapsed());
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

/// Searches all positions with more and more simulations, and holds what is found against what is known.
fn check(game: &Arc<dyn AnyGame>, positions: &[Solved], discount: f64, budgets: [u32; 3], tolerance: f64) {
    let t0 = std::time::Instant::now();
    let config = BatchConfig { num_envs: positions.len(), threads: Some(2), ..BatchConfig::default() };
    let mut env = game.clone().vector(config.clone()).unwrap();
    for (id, solved) in (0..).zip(positions) {
        env.set_position(id, &solved.position).unwrap();
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
            if simulations == budgets[2] {
                assert!(wrong.is_empty(), "{} {method:?}: {wrong:?}", game.spec().env);
                assert!(most <= tolerance, "{} {method:?}: {errors:?}", game.spec().env);
            }
        }
        println!("{:?}", t0.elapsed());
        assert!(means[2] <= means[0], "{} {method:?}: {means:?}", game.spec().env);
    }
}

fn make(id: &str, options: &[(&str, OptionValue)]) -> Arc<dyn AnyGame> {
    find(id).unwrap().make(options.iter().cloned()).unwrap()
}

/// Games as they were played.
fn unchanged(play: &dyn SingleGame) -> Vec<Value> {
    vec![play.to_json()]
}

#[test]
fn the_last_turn_over_a_die_is_played_for_the_expectation() {
    // The others are a few coins ahead: as many as decide the game.
    let ahead = |play: &dyn SingleGame| {
        let (seat, json) = (play.current_player(), play.to_json());
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
        (0..12).step_by(2).map(with).collect()
    };
    let game = make("smallworld", &[("players", 2.into()), ("public_coins", true.into())]);
    let bots = &["random"];
    let source = Source { game, bots, games: 14, window: (7, 1), budget: 800, discount: 1.0, change: &ahead };
    check(&source.game, &source.positions(), 1.0, SIMULATIONS, 0.1);
}

#[test]
fn the_last_tiles_are_laid_to_win() {
    for players in [2, 3] {
        let game = make("tilewe", &[("players", players.into())]);
        let bots = &["random"];
        let source =
            Source { game, bots, games: 10, window: (6, 1), budget: 2000, discount: 1.0, change: &unchanged };
        check(&source.game, &source.positions(), 1.0, SIMULATIONS, 0.1);
    }
}

#[test]
fn the_last_duel_is_fought_whatever_is_hidden() {
    let game = make("starwars_risk", &[("max_rounds", 40.into())]);
    let last_round = |play: &dyn SingleGame| {
        let mut json = play.to_json();
        json["round"] = 40.into();
        vec![json]
    };
    let bots = &["attack"];
    let source =
        Source { game, bots, games: 20, window: (200, 3), budget: 500, discount: 1.0, change: &last_round };
    check(&source.game, &source.positions(), 1.0, SIMULATIONS, 0.1);
}

#[test]
fn the_last_castle_is_taken_at_once() {
    let options = [
        ("players", 2.into()),
        ("width", 8.into()),
        ("height", 8.into()),
        ("castles", "2:3,5:4".into()),
        ("max_turns", 40.into()),
    ];
    let game = make("empires", &options);
    let last_turn = |play: &dyn SingleGame| {
        let mut json = play.to_json();
        json["turn"] = 39.into();
        vec![json]
    };
    let bots = &["aggressive", "random"];
    let source =
        Source { game, bots, games: 8, window: (60, 3), budget: 12_000, discount: 1.0, change: &last_turn };
    check(&source.game, &source.positions(), 1.0, SIMULATIONS, 0.1);
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
    let t0 = std::time::Instant::now();
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
        println!("{:?}", t0.elapsed());
    }
    for ((fen, moves), solved) in MATES.iter().zip(&positions) {
        assert!((solved.best - discount.powi(2 * *moves as i32 - 2)).abs() < EQUAL, "{fen}: {}", solved.best);
        assert!(solved.is_decisive(), "{fen}");
    }
    check(&game, &positions, discount, MORE_SIMULATIONS, 0.1);
}
