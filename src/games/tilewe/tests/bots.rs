//! The bots behave as their names say.

use super::*;
use ludovec_engine::Guide;

fn act(name: &str, game: &Tilewe, state: &State, seed: u64) -> Placement {
    let bot = <Tilewe>::bots().iter().find(|bot| bot.name == name).unwrap();
    let mask = legal(game, state);
    let action = (bot.act)(game, state, &mask, &mut SeededChance::from_seed(seed));
    assert!(mask::contains(&mask, action), "{name}");
    placement(action).unwrap()
}

fn after(game: &Tilewe, state: &State, placement: Placement) -> State {
    let mut next = *state;
    game.step(&mut next, Placements::on(SIZE).index(placement), &mut SeededChance::from_seed(0));
    next
}

/// The values of `value` for the bot's action and for all its legal actions.
fn choices<T: PartialOrd>(
    name: &str,
    game: &Tilewe,
    state: &State,
    value: impl Fn(Placement) -> T,
) -> (T, Vec<T>) {
    let all = game.rules.placements_for(state, state.current()).into_iter().map(&value).collect();
    (value(act(name, game, state, 1)), all)
}

#[test]
fn bots_play_whole_games() {
    let game = Tilewe::with_players(4).unwrap();
    let names: Vec<_> = <Tilewe>::bots().iter().map(|bot| bot.name).collect();
    for first in 0..2 {
        let mut state = start(4);
        while !state.finished() {
            let bot = names[(first * 4 + state.current()) % names.len()];
            let placement = act(bot, &game, &state, game.rules.ply(&state) as u64);
            state = after(&game, &state, placement);
        }
    }
}

#[test]
fn corner_bots_leave_the_most_and_the_fewest_usable_corners() {
    let game = Tilewe::with_players(4).unwrap();
    let state = some_position(&game, 8, 21);
    let corners = |p| game.rules.live_corners(&after(&game, &state, p), state.current()).len();
    let (chosen, all) = choices("most_corners", &game, &state, corners);
    assert_eq!(Some(&chosen), all.iter().max());
    let (chosen, all) = choices("least_corners", &game, &state, corners);
    assert_eq!(Some(&chosen), all.iter().min());
}

#[test]
fn piece_bots_take_the_largest_and_the_smallest() {
    let game = Tilewe::with_players(4).unwrap();
    let start = start(4);
    // X5 covers no corner of the board; W5 has the most corners of the rest, and the most contacts.
    assert_eq!(act("largest_piece", &game, &start, 0).piece(), Piece::W5);
    assert_eq!(act("smallest_piece", &game, &start, 0).piece(), Piece::O1);
    let next = after(&game, &start, placement(0).unwrap());
    let next = after(&game, &next, placement(19).unwrap());
    let next = after(&game, &next, placement(380).unwrap());
    let next = after(&game, &next, placement(399).unwrap());
    assert_eq!(act("largest_piece", &game, &next, 0).piece(), Piece::X5);
    assert_eq!(act("smallest_piece", &game, &next, 0).piece(), Piece::I2);
}

#[test]
fn move_difference_counts_the_moves_of_all_players() {
    let game = Tilewe::with_players(3).unwrap();
    let state = some_position(&game, 9, 15);
    let mut board = Board::new(3).unwrap();
    random_prefix(&mut board, &game, 9, 15);
    assert_eq!(board.state(), &state);
    let own = board.current_player();
    let difference = |p: Placement| {
        let mut board = board.clone();
        board.push(p.moves(game.rules.corners(&state, own.index())).next().unwrap()).unwrap();
        let moves = |c| board.generate_legal_moves(Some(c)).len() as i64;
        Color::ALL[..3].iter().map(|&c| if c == own { moves(c) } else { -moves(c) }).sum::<i64>()
    };
    let (chosen, all) = choices("move_difference", &game, &state, difference);
    assert_eq!(Some(&chosen), all.iter().max());
}

/// Plays the first plies of [`random_game`] on a board.
fn random_prefix(board: &mut Board, game: &Tilewe, seed: u64, plies: usize) {
    let mut positions = Vec::new();
    random_game(game, seed, |state| positions.push(*state));
    for pair in positions.windows(2).take(plies) {
        let covered = pair[1].occupied() & !pair[0].occupied();
        let corners = game.rules.corners(&pair[0], pair[0].current());
        let placement = Placements::on(SIZE).iter().find(|p| p.tiles() == covered).unwrap();
        board.push(placement.moves(corners).next().unwrap()).unwrap();
    }
}

#[test]
fn weight_bots_keep_to_the_walls_and_to_the_corners() {
    let game = Tilewe::with_players(1).unwrap();
    let state = start(1);
    for seed in 0..5 {
        let walls = act("wall_crawl", &game, &state, seed);
        assert!(walls.tiles().iter().all(|t| [0, 19].contains(&t.row()) || [0, 19].contains(&t.column())));
        assert_eq!(walls.tiles().len(), 5);
        // 512 + 3 * 256 + 128: only P5 covers the corner and its three neighbours, and one of the next ring.
        assert_eq!(act("turtle", &game, &state, seed).piece(), Piece::P5);
    }
}

/// The rating of a position for a seat, in the reference's terms: by the tiles and corners of the seat and of its
/// opponents and, while the game is in progress, by the players without moves.
fn rating(game: &Tilewe, state: &State, own: usize, players: usize) -> f64 {
    let corners = |seat| game.rules.live_corners(state, seat).len() as f64;
    let tiles = |seat| game.rules.score(state, seat) as f64;
    let others: Vec<usize> = (0..players).filter(|&seat| seat != own).collect();
    let mut value = 0.5 * tiles(own) + 0.2 * corners(own);
    for &seat in &others {
        value -= 0.1 * tiles(seat) + 0.04 * corners(seat);
    }
    if state.finished() {
        return value + if others.iter().all(|&seat| tiles(seat) <= tiles(own)) { 1000.0 } else { 0.0 };
    }
    if !state.can_play(own) {
        value -= 1000.0;
    }
    value + 3.0 * others.iter().filter(|&&seat| !state.can_play(seat)).count() as f64
}

#[test]
fn one_ply_makes_the_move_with_the_best_rating_to_the_very_end() {
    let (mut finishing, mut stuck) = (0, 0);
    for (players, seed) in [(1, 1), (2, 2), (2, 3), (3, 4), (4, 5), (4, 6)] {
        let game = Tilewe::with_players(players).unwrap();
        let mut positions = Vec::new();
        random_game(&game, seed, |state| positions.push(*state));
        // The last decisions, and a few earlier ones.
        let late = positions.len().saturating_sub(14);
        let looked_at = positions.iter().enumerate().filter(|(ply, _)| *ply >= late || ply % 15 == 12);
        for state in looked_at.map(|(_, state)| state).filter(|state| !state.finished()) {
            let own = state.current();
            let value = |p| {
                let next = after(&game, state, p);
                (rating(&game, &next, own, players) * 100.0).round() as i64
            };
            let (chosen, all) = choices("one_ply", &game, state, value);
            assert_eq!(Some(&chosen), all.iter().max());
            let nexts = || game.rules.placements_for(state, own).into_iter().map(|p| after(&game, state, p));
            finishing += nexts().filter(State::finished).count();
            stuck += nexts().filter(|next| !next.finished() && !next.can_play(own)).count();
        }
    }
    assert!(finishing > 3 && stuck > 3, "{finishing} {stuck}");
}
