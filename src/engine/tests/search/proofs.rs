//! Proofs: bounds against exact solutions, and what a search does with proven actions.

use super::*;
use crate::search::tree::Interval;

/// Outcomes as rewards: the ends of the tables rank the players.
fn outcomes(method: SearchMethod, simulations: u32) -> SearchSettings {
    SearchSettings { proofs: true, reward: Some(RewardMode::Outcome), ..settings(method, simulations) }
}

fn wins(player: usize, players: usize) -> Vec<Branch> {
    let rewards: Vec<f64> = (0..players).map(|other| f64::from(other == player)).collect();
    sure(-1, &rewards)
}

/// An action that leads on without rewards.
fn goes(next: i64, players: usize) -> Vec<Branch> {
    sure(next, &vec![0.0; players])
}

/// What is proven of the actions at the root, by action.
fn signs(search: &Search) -> Vec<(u32, i8)> {
    let mut signs: Vec<_> = search.tree().actions(ROOT).iter().copied().enumerate().collect();
    signs.sort_unstable_by_key(|&(_, action)| action);
    signs.into_iter().map(|(i, action)| (action, search.tree.proven_sign(&search.context, i))).collect()
}

/// 20 actions, the last one wins at once; the others go on.
fn hidden_win() -> Arc<Tabular> {
    let mut actions = vec![goes(1, 2); 19];
    actions.push(wins(0, 2));
    let mut others = vec![vec![]; 20];
    (others[0], others[1]) = (goes(2, 2), goes(2, 2));
    let mut last = others.clone();
    (last[0], last[1]) = (wins(1, 2), wins(0, 2));
    table(2, vec![(0, actions), (1, others), (0, last)])
}

#[test]
fn a_win_in_one_is_played_whatever_the_policy_thinks() {
    for method in METHODS {
        let settings = SearchSettings { considered: 2, one_ply: true, ..outcomes(method, 4) };
        let mut search = Search::new(&hidden_win(), settings.clone());
        search.start(&search.context.game.start(), 0, None);
        assert_eq!(search.descend(), 0, "{method:?}: no position needs a network");
        assert!(search.tree.is_proven() && search.tree.is_done(&search.context));
        assert_eq!((search.decide(), root_visits(&search)), (19, 0), "{method:?}");
        assert_eq!(signs(&search)[18..], [(18, 0), (19, 1)]);
        assert_eq!(search.tree.best_values(&search.context)[..2], [1.0, -1.0]);
        let mut policy = Vec::new();
        search.tree.policy(&search.context, &mut policy);
        let best = search.tree().actions(ROOT).iter().position(|&action| action == 19).unwrap();
        assert_eq!((policy[best], policy.iter().sum::<f32>()), (1.0, 1.0), "{method:?}");
        // Without that, few candidates are not enough, and all of them stop at the win.
        let blind = SearchSettings { one_ply: false, ..settings };
        assert_ne!(Search::of(&hidden_win(), blind.clone()).decide(), 19);
        let wide = Search::of(&hidden_win(), SearchSettings { considered: 20, simulations: 100, ..blind });
        assert_eq!(wide.decide(), 19, "{method:?}");
        assert!(wide.tree.is_proven() && root_visits(&wide) < 100, "{method:?}: {}", root_visits(&wide));
    }
}

#[test]
fn a_proven_loss_is_never_chosen_while_another_action_exists() {
    // After action 0 the other player wins at once, which the network takes for a win of the first player. Action 1 goes
    // on for ever in bad positions.
    let game = table(
        2,
        vec![
            (0, vec![goes(1, 2), goes(2, 2)]),
            (1, vec![wins(1, 2), goes(2, 2)]),
            (1, vec![goes(3, 2), goes(3, 2)]),
            (0, vec![goes(2, 2), goes(2, 2)]),
        ],
    );
    for (method, one_ply) in METHODS.into_iter().flat_map(|method| [false, true].map(|one| (method, one))) {
        let mut search = Search::new(&game, SearchSettings { one_ply, ..outcomes(method, 40) });
        search.known = vec![0.0, 0.9, -0.9, -0.9].into_iter().map(|value| value * UNIT).collect();
        search.start(&game.start(), 0, None);
        search.run();
        assert_eq!(search.decide(), 1, "{method:?}, one ply {one_ply}");
        assert_eq!(signs(&search), [(0, -1), (1, 0)], "{method:?}, one ply {one_ply}");
        let mut policy = Vec::new();
        search.tree.policy(&search.context, &mut policy);
        policy.sort_unstable_by(f32::total_cmp);
        assert_eq!(policy, [0.0, 1.0], "{method:?}: the loss is no target");
    }
}

#[test]
fn the_shortest_win_is_played_and_the_longest_defence() {
    // Player 0 wins after action 0 in five actions, after action 1 in three, after action 2 it loses.
    let alone = |mover: usize, next: i64| (mover, vec![goes(next, 2), vec![], vec![]]);
    let end = |mover: usize, winner: usize| (mover, vec![wins(winner, 2), vec![], vec![]]);
    let states = |first: usize| {
        vec![
            (first, vec![goes(1, 2), goes(5, 2), goes(7, 2)]),
            alone(1, 2),
            alone(0, 3),
            alone(1, 4),
            end(0, 0),
            alone(1, 6),
            end(0, 0),
            end(1, 1),
        ]
    };
    for method in METHODS {
        let search = Search::of(&table(2, states(0)), outcomes(method, 400));
        assert!(search.tree.is_proven(), "{method:?}");
        // The other player is lost after both of its first two actions, and the third is a mistake of the first player.
        let mut lost = states(1);
        lost[0].1[2] = wins(0, 2);
        let defence = Search::of(&table(2, lost), outcomes(method, 400));
        assert_eq!(defence.decide(), 0, "{method:?}: the longest defence");
        assert_eq!(signs(&defence), [(0, -1), (1, -1), (2, -1)], "{method:?}");
        let both = SearchSettings { one_ply: true, ..outcomes(method, 400) };
        let quick = Search::of(&table(2, states(0)), both);
        assert_eq!((quick.decide(), root_visits(&quick)), (1, 0), "{method:?}: forced in three");
    }
}

#[test]
fn each_of_three_players_proves_its_own_outcome() {
    // Player 0 is second after action 0, because player 1 takes its win, and last after action 1.
    let ranked = |order: [f64; 3]| sure(-1, &order);
    let game = table(
        3,
        vec![
            (0, vec![goes(1, 3), goes(2, 3)]),
            (1, vec![ranked([1.0, 2.0, 0.0]), ranked([2.0, 1.0, 0.0])]),
            (2, vec![ranked([0.0, 1.0, 2.0]), ranked([2.0, 0.0, 1.0])]),
        ],
    );
    for (method, one_ply) in METHODS.into_iter().flat_map(|method| [false, true].map(|one| (method, one))) {
        let search = Search::of(&game, SearchSettings { one_ply, ..outcomes(method, 100) });
        assert!(search.tree.is_proven(), "{method:?}, one ply {one_ply}");
        assert_eq!((search.decide(), signs(&search)), (0, vec![(0, 1), (1, -1)]), "{method:?}");
        assert_eq!(search.tree.best_values(&search.context)[..3], [0.0, 1.0, -1.0], "{method:?}");
        assert!(root_visits(&search) < 100, "{method:?}");
    }
}

#[test]
fn an_action_with_chance_is_proven_once_all_its_outcomes_are() {
    // Action 0 wins three times in four; action 1 draws.
    let game = table(
        2,
        vec![
            (0, vec![vec![outcome(3, 1, &[0.0; 2]), outcome(1, 2, &[0.0; 2])], sure(-1, &[0.0; 2])]),
            (1, vec![wins(0, 2), wins(0, 2)]),
            (1, vec![wins(1, 2), goes(1, 2)]),
        ],
    );
    for method in METHODS {
        let search = Search::of(&game, outcomes(method, 200));
        assert!(search.tree.is_proven() && root_visits(&search) < 200, "{method:?}");
        assert_eq!((search.decide(), search.tree.best_values(&search.context)[0]), (0, 0.5), "{method:?}");
        assert_eq!(signs(&search), [(0, 1), (1, -1)], "{method:?}");
    }
}

#[test]
fn added_rewards_end_all_proofs() {
    let mut search = Search::new(&hidden_win(), outcomes(SearchMethod::Puct, 30));
    search.start(&search.context.game.start(), 0, None);
    while search.descend() > 0 {
        search.tree.make_room_for_rewards().unwrap();
        search.tree.add_leaf_reward(0, &[0.25, -0.25]);
        search.answer(0);
        search.tree.clear_in_flight();
    }
    assert!(!search.tree.is_proven());
    assert!(
        (0..search.tree().nodes.len() as u32)
            .all(|node| { search.tree().node(node).finished || search.tree().bounds(node).is_none() })
    );
    assert_eq!(root_visits(&search), 30);
}

/// The exact returns of an action for every player, given the returns of all later states.
fn solve_action(branches: &[Branch], later: &[Vec<Interval>], discount: f64) -> Vec<Interval> {
    let total: f64 = branches.iter().map(|branch| f64::from(branch.weight)).sum();
    let mut sum = vec![Interval::exactly(0.0); branches[0].rewards.len()];
    for branch in branches {
        for (player, sum) in sum.iter_mut().enumerate() {
            let after = branch.next.map_or(Interval::exactly(0.0), |next| later[next][player]);
            let (share, reward) = (f64::from(branch.weight) / total, branch.rewards[player] * UNIT);
            sum.low += share * (reward + discount * after.low);
            sum.high += share * (reward + discount * after.high);
        }
    }
    sum
}

/// The exact returns of all states for every player: intervals, because players may be indifferent between actions.
/// Later states have higher numbers.
fn solve(game: &Tabular, discount: f64) -> Vec<Vec<Interval>> {
    let mut solved = vec![Vec::new(); game.outcomes.len()];
    for at in (0..game.outcomes.len()).rev() {
        let legal = game.outcomes[at].iter().filter(|branches| !branches.is_empty());
        let actions: Vec<_> = legal.map(|branches| solve_action(branches, &solved, discount)).collect();
        let mover = game.player[at];
        let least = actions.iter().map(|of| of[mover].low).fold(f64::NEG_INFINITY, f64::max);
        let possible = || actions.iter().filter(|of| of[mover].high >= least - 1e-6);
        let hull = |player: usize| Interval {
            low: possible().map(|of| of[player].low).fold(f64::INFINITY, f64::min),
            high: possible().map(|of| of[player].high).fold(f64::NEG_INFINITY, f64::max),
        };
        solved[at] = (0..actions[0].len()).map(hull).collect();
        solved[at][mover].low = least;
    }
    solved
}

/// Compares all bounds of a tree with exact solutions; returns the number of exact ones.
fn check_bounds(search: &Search, solved: &[Vec<Interval>], what: &str) -> usize {
    let (tree, game) = (search.tree(), &search.context.game);
    let mut proven = 0;
    for node in (0..tree.nodes.len() as u32).filter(|&node| !tree.node(node).finished) {
        let (at, mover) = (search.tree.state(node).at as usize, usize::from(tree.node(node).mover));
        let Some(bounds) = tree.bounds(node) else { continue };
        for (player, exact) in solved[at].iter().enumerate() {
            let found = bounds.by_player[player];
            let holds = found.low <= exact.low + 1e-2 && exact.high <= found.high + 1e-2;
            assert!(holds, "{what}: node {node}, player {player}: {found:?}, exactly {exact:?}");
            proven += usize::from(found.is_exact());
        }
        let expanded = tree.expanded(node);
        for i in (0..expanded.len()).filter(|&i| !expanded.is_open(i)) {
            let branches = &game.outcomes[at][expanded.actions[i] as usize];
            let closed = solve_action(branches, solved, search.context.settings.discount.into())[mover];
            assert!(closed.high <= solved[at][mover].high + 1e-2, "{what}: closed action {i} of {node}");
        }
    }
    proven
}

#[test]
fn bounds_hold_and_proven_values_are_exact() {
    let (mut proven, mut roots, mut kept) = (0, 0, 0);
    for seed in 0..120 {
        let game = random_game(seed);
        let discount = if seed % 3 == 0 { 0.5 } else { 1.0 };
        let solved = solve(&game, discount.into());
        for (k, method) in METHODS.into_iter().enumerate() {
            let leaves = [1, 4][(seed as usize + k) % 2];
            let settings = SearchSettings {
                proofs: true,
                one_ply: seed % 2 == 0,
                leaves,
                discount,
                reuse: true,
                ..settings(method, [5, 60, 600][seed as usize % 3])
            };
            let mut search = Search::new(&game, settings);
            search.has_opinion = true;
            let (mut state, mut chance) = (game.start(), SeededChance::from_seed(5000 + seed));
            search.start(&state, 0, None);
            for length in 1.. {
                let what = format!("game {seed}, {method:?}, {leaves} leaves, step {length}");
                search.run();
                proven += check_bounds(&search, &solved, &what);
                if search.tree.is_proven() {
                    let mover = game.player[state.at as usize];
                    let exact = solved[state.at as usize][mover];
                    let value = search.tree.best_values(&search.context)[mover];
                    assert!((value - exact.low).abs() < 1e-2, "{what}: {value}, exactly {exact:?}");
                    roots += 1;
                }
                let action = search.decide();
                assert!(search.tree().actions(ROOT).contains(&action), "{what}");
                game.step(&mut state, action, &mut chance);
                if state.at < 0 {
                    break;
                }
                search.start(&state, length, Some(action));
                kept += usize::from(search.tree().bounds(ROOT).is_some());
            }
        }
    }
    assert!(proven > 2000 && roots > 200 && kept > 50, "{proven} bounds, {roots} roots, {kept} kept");
}

#[test]
fn hidden_information_proves_nothing() {
    let game = Arc::new(Pig::new(&[]));
    let config = BatchConfig { num_envs: 4, threads: Some(1), ..BatchConfig::default() };
    let mut env = game.clone().into_vector(config.clone()).unwrap();
    for _ in 0..60 {
        let of = |proofs| {
            let settings = SearchSettings { proofs, one_ply: proofs, ..settings(SearchMethod::Gumbel, 30) };
            let mut search = game.clone().into_tree_search(&config, settings).unwrap();
            search.start(&*env, None).unwrap();
            search.run(Evaluator::Null, &Interrupt::default()).unwrap();
            (search.stats().proven, search.results().unwrap())
        };
        let (proven, found) = of(true);
        assert_eq!((proven, found.proven.iter().any(|&sign| sign != 0)), (0, false));
        assert_eq!(found, of(false).1);
        env.step_sampled().unwrap();
    }
}

#[test]
fn results_name_proofs_and_both_values() {
    let game = hidden_win();
    let (env, mut search) =
        batch_of(&game, SearchSettings { one_ply: true, ..outcomes(SearchMethod::Gumbel, 10) });
    search.start(&*env, None).unwrap();
    search.run(Evaluator::Null, &Interrupt::default()).unwrap();
    let found = search.results().unwrap();
    assert_eq!((search.stats().proven, &found.actions[..]), (3, &[19; 3][..]));
    assert_eq!(found.proven[..20].iter().filter(|&&sign| sign != 0).count(), 1);
    assert_eq!((found.proven[19], found.q[19], &found.values[..2]), (1, 1.0, &[1.0, -1.0][..]));
    // Without proofs: the value of a position is the value of its best action, not the mean of all that were tried.
    let uneven = table(2, vec![(0, vec![sure(-1, &[0.5, -0.5]), sure(-1, &[-1.0, 1.0])])]);
    let (env, mut search) = batch_of(&uneven, settings(SearchMethod::Puct, 50));
    search.start(&*env, None).unwrap();
    search.run(Evaluator::Null, &Interrupt::default()).unwrap();
    let found = search.results().unwrap();
    assert_eq!((found.values[0], found.values[1]), ((0.5 * UNIT) as f32, (-0.5 * UNIT) as f32));
    assert!(found.mean_values[0] < found.values[0] && found.mean_values[0] > found.q[1]);
}
