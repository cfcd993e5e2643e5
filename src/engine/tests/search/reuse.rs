//! Tree reuse: exactly the subtree of the new position stays.

use super::*;

/// Tree reuse: games are played to their end by the most visited action or any other; after every move, exactly the
/// sub-tree below the move is kept.
#[test]
fn the_subtree_below_the_move_is_kept_and_searched_further() {
    let (mut kept, mut dropped) = (0, 0);
    for seed in 0..150 {
        let game = random_game(seed);
        let mut chance = SeededChance::from_seed(1000 + seed);
        for (method, leaves) in METHODS.into_iter().flat_map(|m| [1, 4].map(|leaves| (m, leaves))) {
            let simulations = [5, 60][seed as usize % 2];
            let settings = SearchSettings { leaves, reuse: true, ..settings(method, simulations) };
            let mut search = Search::new(&game, settings);
            search.has_opinion = true;
            let mut state = game.start();
            search.start(&state, 0, None);
            for length in 1.. {
                let what = format!("game {seed}, {method:?}, {leaves} leaves, step {length}");
                let before = root_visits(&search);
                search.run();
                check(&search, &what);
                assert_eq!(root_visits(&search), before + simulations, "{what}");
                let legal = search.tree().actions(ROOT);
                let action = match chance.uniform(3) {
                    0 => legal[chance.uniform(legal.len() as u32) as usize],
                    _ => search.decide(),
                };
                game.step(&mut state, action, &mut chance);
                if state.at < 0 {
                    break;
                }
                let child = child_with(&search, action, &state);
                let expected = child.map(|child| dumped(search.tree(), child));
                search.start(&state, length, Some(action));
                assert_eq!(*search.tree.root().0, state, "{what}: the root is the position");
                match expected {
                    Some(expected) => {
                        kept += 1;
                        assert_eq!(dumped(search.tree(), ROOT), expected, "{what}");
                        assert_eq!(search.tree().node(ROOT).sibling, NONE);
                        check(&search, &what);
                    }
                    None => {
                        dropped += 1;
                        assert_eq!(search.tree().nodes.len(), 1, "{what}: a new tree");
                    }
                }
            }
        }
    }
    assert!(kept > 500 && dropped > 50, "{kept} trees were kept, {dropped} were not");
}

/// Tree reuse over several decisions: a tree that is told only the new position is the tree that advanced decision by
/// decision, unless another order of moves has led to the position more often.
#[test]
fn a_tree_finds_the_position_any_number_of_decisions_below_its_root() {
    let (mut kept, mut dropped) = ([0; 4], 0);
    for seed in 0..150 {
        let game = random_game(seed);
        let mut chance = SeededChance::from_seed(3000 + seed);
        for (method, skipped) in
            METHODS.into_iter().flat_map(|method| [1, 2, 3].map(|skipped| (method, skipped)))
        {
            let settings = SearchSettings { leaves: 4, reuse: true, ..settings(method, 60) };
            let (mut state, mut length) = (game.start(), 0);
            while state.at >= 0 {
                let what = format!("game {seed}, {method:?}, {skipped} decisions, step {length}");
                let [mut search, mut twin] = [0, 1].map(|_| {
                    let mut search = Search::new(&game, settings.clone());
                    search.has_opinion = true;
                    search.start(&state, length, None);
                    search.run();
                    search
                });
                for _ in 0..skipped {
                    let (legal, expanded) = (twin.tree().actions(ROOT), twin.tree().expanded(ROOT));
                    let most = (0..expanded.len()).max_by_key(|&i| expanded.visits(i));
                    let action = match most {
                        Some(most) if chance.uniform(4) > 0 => expanded.actions[most],
                        _ => legal[chance.uniform(legal.len() as u32) as usize],
                    };
                    game.step(&mut state, action, &mut chance);
                    length += 1;
                    if state.at < 0 {
                        break;
                    }
                    twin.start(&state, length, Some(action));
                }
                if state.at < 0 {
                    break;
                }
                search.follow(&state, length);
                assert_eq!(*search.tree.root().0, state, "{what}: the root is the position");
                let visits = [&search, &twin].map(|search| search.tree().node(ROOT).visits);
                if visits[0] == visits[1] {
                    assert_eq!(dumped(search.tree(), ROOT), dumped(twin.tree(), ROOT), "{what}");
                }
                assert!(visits[0] >= visits[1], "{what}: {visits:?}");
                match search.tree().nodes.len() {
                    1 => dropped += 1,
                    _ => kept[skipped] += 1,
                }
                let before = root_visits(&search);
                search.run();
                check(&search, &what);
                assert_eq!(root_visits(&search), before + 60, "{what}");
            }
        }
    }
    assert!(
        kept[1..].iter().all(|&kept| kept > 50) && dropped > 50,
        "{kept:?} were kept, {dropped} were not"
    );
}

/// The outcome of an action at the root with this position, identified by the rewards and states of the steps.
fn child_with(search: &Search, action: u32, state: &State) -> Option<u32> {
    let tree = search.tree();
    let expanded = tree.expanded(ROOT);
    let edge = expanded.actions.iter().position(|&expanded| expanded == action)? as u32;
    let root = *search.tree.root().0;
    let mut mask = vec![0; Rules::spec(&*search.context.game).mask_words()];
    search.context.game.legal(state, &mut mask);
    let mut players = [0.0; MAX_PLAYERS];
    let (mut before, after) = (players, &mut players);
    let seats = tree.values(ROOT).len();
    search.context.game.scores(&root, &mut before[..seats]);
    search.context.game.scores(state, &mut after[..seats]);
    let paid: Vec<f32> = after.iter().zip(before).map(|(after, before)| after - before).take(seats).collect();
    let legal: BTreeSet<u32> = mask::iter(&mask).collect();
    let mover = search.context.game.current_player(state);
    let mut found = tree.outcomes(Edge { node: ROOT, edge }).filter(|&child| {
        tree.rewards(child) == paid
            && usize::from(tree.node(child).mover) == mover
            && tree.actions(child).iter().copied().collect::<BTreeSet<_>>() == legal
            && !tree.node(child).finished
    });
    let child = found.next();
    assert!(found.next().is_none(), "the positions look alike");
    child
}
