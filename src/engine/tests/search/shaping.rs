//! Rewards that the caller adds inside the tree.

use super::*;

/// The reward for reaching a state, for every player: tenths.
fn reward(state: usize, players: usize) -> Vec<f64> {
    (0..players).map(|player| (scrambled((state << 3 | player) as u64) * 10.0).round() / 10.0).collect()
}

/// The game with other rewards of all steps but the last.
fn with_rewards(game: &Tabular, paid: impl Fn(usize) -> Vec<f64>) -> Arc<Tabular> {
    let mut outcomes = game.outcomes.clone();
    for branch in outcomes.iter_mut().flatten().flatten() {
        if let Some(next) = branch.next {
            branch.rewards = paid(next);
        }
    }
    Arc::new(Tabular::new(Rules::spec(game).players, 0, game.player.clone(), outcomes).unwrap())
}

fn run_shaped(search: &mut Search, players: usize) {
    while search.descend() > 0 {
        for leaf in 0..search.tree.in_flight() {
            let at = search.tree.leaf(leaf).0.at as usize;
            let extra: Vec<f32> = reward(at, players).iter().map(|x| (x * UNIT) as f32).collect();
            search.tree.make_room_for_rewards().unwrap();
            search.tree.add_leaf_reward(leaf, &extra);
            search.answer(leaf);
        }
        search.tree.clear_in_flight();
    }
}

/// Visits, values and rewards of a node and its descendants. Positions differ: they contain the scores.
fn numbers(tree: &Tree, number: u32, out: &mut Vec<String>) {
    out.push(format!("{} {:?} {:?}", tree.node(number).visits, tree.values(number), tree.priors(number)));
    let expanded = tree.expanded(number);
    for edge in 0..expanded.len() {
        let step = Edge { node: number, edge: edge as u32 };
        out.push(format!("{} {} {}", tree.action(step), expanded.visits(edge), expanded.q(edge)));
        for child in tree.outcomes(step) {
            out.push(format!("{:?}", tree.rewards(child)));
            numbers(tree, child, out);
        }
    }
}

fn numbers_of(search: &Search) -> Vec<String> {
    let mut out = Vec::new();
    numbers(search.tree(), ROOT, &mut out);
    out
}

/// A search of a game whose rules pay nothing before its end, with added rewards, equals the search of a game whose
/// rules pay them: with chance, several leaves, a limit of the depth, and in reused trees.
#[test]
fn added_rewards_count_like_rewards_of_the_rules() {
    let (mut moves, mut chances, mut different) = (0, 0, 0);
    for seed in 0..120 {
        let game = random_game(seed);
        let players = Rules::spec(&*game).players;
        let paying = with_rewards(&game, |state| reward(state, players));
        let free = with_rewards(&game, |_| vec![0.0; players]);
        for (method, leaves) in METHODS.into_iter().flat_map(|m| [1, 4].map(|leaves| (m, leaves))) {
            let settings = SearchSettings {
                leaves,
                reuse: true,
                discount: [1.0, 0.9][seed as usize % 2],
                max_depth: [None, Some(3)][seed as usize / 2 % 2],
                ..settings(method, 40)
            };
            let mut searches = [&paying, &free, &free].map(|game| Search::new(game, settings.clone()));
            searches.iter_mut().for_each(|search| search.has_opinion = true);
            let mut states = [paying.start(), free.start()];
            let mut chance = [SeededChance::from_seed(seed), SeededChance::from_seed(seed)];
            for length in 0.. {
                let what = format!("game {seed}, {method:?}, {leaves} leaves, step {length}");
                let played = (length > 0).then(|| searches[0].decide());
                if let Some(action) = played {
                    paying.step(&mut states[0], action, &mut chance[0]);
                    free.step(&mut states[1], action, &mut chance[1]);
                    assert_eq!(states[0].at, states[1].at, "{what}");
                    if states[0].at < 0 {
                        break;
                    }
                }
                let [paid, shaped, plain] = &mut searches;
                paid.start(&states[0], length, played);
                shaped.start(&states[1], length, played);
                paid.run();
                run_shaped(shaped, players);
                assert_eq!(numbers_of(shaped), numbers_of(paid), "{what}");
                if length == 0 {
                    plain.start(&states[1], length, played);
                    plain.run();
                    different += usize::from(numbers_of(plain) != numbers_of(paid));
                }
                moves += usize::from(length > 0);
                chances += usize::from(shaped.tree().has_chance);
            }
        }
    }
    assert!(moves > 500 && chances > 100 && different > 300, "{moves} moves, {chances}, {different}");
}

#[test]
fn rewards_are_added_while_leaves_wait() {
    let mut rounds = 0;
    for (seed, leaves) in (0..8).flat_map(|seed| [1, 4].map(|leaves| (seed, leaves))) {
        let game = random_game(seed);
        let players = Rules::spec(&*game).players;
        let (env, mut search) =
            batch_of(&game, SearchSettings { leaves, ..settings(SearchMethod::Puct, 20) });
        let refused = |search: &mut dyn TreeSearch, extra: &[f32]| {
            assert!(matches!(search.add_reward(extra), Err(Error::InvalidConfig(_))), "{extra:?}");
        };
        search.start(&*env, None).unwrap();
        refused(&mut *search, &[]);
        while search.select().unwrap() > 0 {
            let (rows, values) = (search.leaves().rows, search.leaves().num_values);
            refused(&mut *search, &vec![0.0; rows * players + 1]);
            refused(&mut *search, &vec![f32::NAN; rows * players]);
            search.add_reward(&vec![1.0; rows * players]).unwrap();
            search.expand(Logits::Uniform, &vec![0.0; rows * values]).unwrap();
            rounds += 1;
        }
        refused(&mut *search, &vec![0.0; players]);
    }
    assert!(rounds > 50, "{rounds}");
}
