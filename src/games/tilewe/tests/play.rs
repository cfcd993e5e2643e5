//! Optimised code against a slow reference implementation of the rules, over random games.

use ludovec_engine::Guide;
use ludovec_engine::Status;
use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::state::STUCK;

/// The tiles at (row, column) steps from `tile` that are on the board.
fn steps(tile: Tile, steps: &[(isize, isize)]) -> impl Iterator<Item = Tile> {
    steps.iter().filter_map(move |(r, c)| {
        Tile::new(tile.row().checked_add_signed(*r)?, tile.column().checked_add_signed(*c)?)
    })
}

const SIDES: [(isize, isize); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const DIAGONALS: [(isize, isize); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// The rules tile by tile.
struct Slow<'a>(&'a State);

impl Slow<'_> {
    fn owns(&self, seat: usize, tile: Tile) -> bool {
        self.0.owner(tile) == Some(Color::ALL[seat])
    }
    fn may_cover(&self, seat: usize, tile: Tile) -> bool {
        self.0.owner(tile).is_none() && !steps(tile, &SIDES).any(|t| self.owns(seat, t))
    }
    fn is_corner(&self, seat: usize, tile: Tile) -> bool {
        let starts = !Tile::all().any(|t| self.owns(seat, t));
        let at_corner = ["a1", "t1", "a20", "t20"].contains(&tile.to_string().as_str());
        self.may_cover(seat, tile)
            && if starts { at_corner } else { steps(tile, &DIAGONALS).any(|t| self.owns(seat, t)) }
    }
}

#[test]
fn mask_corners_counts_and_turns_match_the_rules() {
    for seed in 0..amount(3) {
        for players in 1..=4 {
            let game = Tilewe::with_players(players).unwrap();
            let mut ply = 0;
            random_game(&game, seed, |state| {
                ply += 1;
                // The reference implementation is slow: it sees every third position.
                if !state.finished() && ply % 3 != seed % 3 {
                    return;
                }
                check_against_slow_rules(&game, state);
            });
        }
    }
}

fn check_against_slow_rules(game: &Tilewe, state: &State) {
    let slow = Slow(state);
    for seat in 0..game.players {
        let may_cover: Vec<bool> = Tile::all().map(|t| slow.may_cover(seat, t)).collect();
        let corner: Vec<bool> = Tile::all().map(|t| slow.is_corner(seat, t)).collect();
        let geometric: Vec<Tile> = Tile::all().filter(|t| corner[t.index()]).collect();
        assert_eq!(state.corners(seat).iter().collect::<Vec<_>>(), geometric);

        let mut expected = Vec::new();
        let (mut moves, mut live) = (0, HashSet::new());
        for placement in Placement::all() {
            let tiles = placement.tiles();
            let in_hand = state.pieces_left(seat).any(|p| p == placement.piece());
            let fits = in_hand && tiles.iter().all(|t| may_cover[t.index()]);
            let touched: Vec<_> = tiles.iter().filter(|t| fits && corner[t.index()]).collect();
            if !touched.is_empty() {
                expected.push(placement);
                let spelled: Vec<_> = placement.moves(state.corners(seat)).map(|m| m.to_tile).collect();
                // Every tile of the placement on an open corner is a contact of the shape.
                let contacts: HashSet<_> = spelled.iter().copied().collect();
                assert_eq!(contacts, touched.iter().copied().collect());
                moves += touched.len();
                live.extend(touched);
            }
            if seat == state.current() {
                let legal = expected.last() == Some(&placement);
                assert_eq!(game.objection(state, seat, placement).is_none(), legal);
            }
        }
        assert_eq!(game.placements_for(state, seat), expected);
        assert_eq!(game.count_moves(state, seat) as usize, moves);
        assert_eq!(state.can_play(seat), moves > 0);
        let first_live = live.iter().min().map_or(STUCK, |tile| tile.index() as u16);
        assert_eq!(state.live[seat], first_live);
        assert_eq!(game.live_corners(state, seat).iter().collect::<HashSet<_>>(), live);
        let tiles = Tile::all().filter(|t| slow.owns(seat, *t)).count();
        let in_hand: usize = state.pieces_left(seat).map(Piece::n_tiles).sum();
        assert_eq!((state.score(seat), tiles + in_hand), (tiles, 89));
    }
    let running = (0..game.players).any(|seat| state.can_play(seat));
    assert_eq!(game.status(state) == Status::Running, running);
    assert!(!running || state.can_play(state.current()));
    assert_eq!(game.validate(state), Ok(()));
}

#[test]
fn observations_match_the_board() {
    for players in 1..=4 {
        let game = Tilewe::with_players(players).unwrap();
        let fields: HashMap<_, _> = game.spec().observation.iter().map(|f| (f.name.as_str(), f)).collect();
        random_game(&game, 3, |state| {
            let slow = Slow(state);
            for viewer in 0..players {
                let row = observation(&game, state, viewer);
                assert!(row.iter().all(|&x| x < 2));
                let at = |field: &str, index: &[usize]| {
                    let field = fields[field];
                    assert_eq!(field.shape.len(), index.len());
                    row[field.offset + index.iter().zip(&field.strides).map(|(i, s)| i * s).sum::<usize>()]
                        == 1
                };
                for tile in Tile::all() {
                    let (r, c) = (tile.row(), tile.column());
                    assert_eq!(at("own", &[r, c]), slow.owns(viewer, tile));
                    for i in 1..players {
                        let owned = slow.owns((viewer + i) % players, tile);
                        assert_eq!(at("opponents", &[i - 1, r, c]), owned);
                    }
                    assert_eq!(at("own_corners", &[r, c]), slow.is_corner(viewer, tile));
                    let blocked = state.owner(tile).is_none() && !slow.may_cover(viewer, tile);
                    assert_eq!(at("own_blocked", &[r, c]), blocked);
                }
                for i in 0..players {
                    let seat = (viewer + i) % players;
                    for &piece in Piece::ALL {
                        let left = state.pieces_left(seat).any(|p| p == piece);
                        assert_eq!(at("pieces_left", &[i, piece.index()]), left);
                    }
                    assert_eq!(at("can_play", &[i]), state.can_play(seat));
                    assert_eq!(at("to_move", &[i]), (!state.finished() && state.current() == seat));
                }
            }
        });
    }
}

#[test]
fn symmetries_of_the_board_are_symmetries_of_the_game() {
    for players in [1, 4] {
        let game = Tilewe::with_players(players).unwrap();
        let symmetries = game.symmetries();
        assert_eq!(symmetries.len(), 8);
        let identity = |p: &[u32]| p.iter().enumerate().all(|(i, &x)| i == x as usize);
        assert!(identity(&symmetries[0].observation) && identity(&symmetries[0].action));
        let distinct: HashSet<_> = symmetries.iter().map(|s| &s.action).collect();
        assert_eq!(distinct.len(), 8);
        for symmetry in &symmetries {
            let mut chance = SeededChance::from_seed(11);
            let (mut state, mut image) = (game.init(&mut chance), game.init(&mut chance));
            while !state.finished() {
                let mask = legal(&game, &state);
                let mut moved: Vec<_> = mask::iter(&mask).map(|a| symmetry.action[a as usize]).collect();
                moved.sort();
                assert_eq!(moved, mask::iter(&legal(&game, &image)).collect::<Vec<_>>());
                let action = mask::select(&mask, chance.uniform(mask::count(&mask))).unwrap();
                game.step(&mut state, action, &mut chance);
                game.step(&mut image, symmetry.action[action as usize], &mut chance);
                for seat in 0..players {
                    let original = observation(&game, &state, seat);
                    let moved: Vec<u8> = symmetry.observation.iter().map(|&i| original[i as usize]).collect();
                    assert_eq!(observation(&game, &image, seat), moved, "{}", symmetry.name);
                }
            }
        }
    }
}

#[test]
fn a_symmetry_moves_the_board_as_its_rotation_turns_a_piece() {
    let game = Tilewe::with_players(1).unwrap();
    for symmetry in game.symmetries() {
        let rotation: Rotation = symmetry.name.parse().unwrap();
        let f5 =
            |r| Placement::anchored(Piece::F5, r, Piece::F5.shape(r).contacts()[0], tile("k10")).unwrap();
        let moved = Placement::new(symmetry.action[f5(Rotation::North).index() as usize]).unwrap();
        assert_eq!(moved.shape(), Piece::F5.shape(rotation), "{}", symmetry.name);
    }
}

#[test]
fn random_games_are_pinned() {
    // This value changes only together with `Tilewe::VERSION`.
    let mut hash = xxhash_rust::xxh3::Xxh3Default::new();
    for players in 1..=4 {
        let game = Tilewe::with_players(players).unwrap();
        for seed in 0..3 {
            random_game(&game, seed, |state| {
                legal(&game, state).iter().for_each(|word| hash.update(&word.to_le_bytes()));
                hash.update(&observation(&game, state, state.current()));
            });
        }
    }
    assert_eq!((Tilewe::VERSION, format!("{:016x}", hash.digest())), (1, "0be0718de2af0a3f".into()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(amount(20) as u32))]

    #[test]
    fn sets_of_tiles_are_sets(a in prop::collection::hash_set(0..TILES, 0..60),
                              b in prop::collection::hash_set(0..TILES, 0..60)) {
        let set = |s: &HashSet<usize>| s.iter().map(|&i| Tile::from_index(i)).collect::<TileSet>();
        let listed = |s: TileSet| s.iter().map(Tile::index).collect::<Vec<_>>();
        let sorted = |s: HashSet<usize>| { let mut v: Vec<_> = s.into_iter().collect(); v.sort(); v };
        prop_assert_eq!(listed(set(&a)), sorted(a.clone()));
        prop_assert_eq!(listed(set(&a) | set(&b)), sorted(&a | &b));
        prop_assert_eq!(listed(set(&a) & set(&b)), sorted(&a & &b));
        prop_assert_eq!(listed(!set(&a)), sorted(&(0..TILES).collect() - &a));
        prop_assert_eq!((set(&a).len(), set(&a).is_empty()), (a.len(), a.is_empty()));
        let around = |s: &HashSet<usize>, d: &[(isize, isize)]| {
            let d = d.to_vec();
            sorted(s.iter().flat_map(|&i| steps(Tile::from_index(i), &d).map(Tile::index).collect::<Vec<_>>()).collect())
        };
        prop_assert_eq!(listed(set(&a).beside()), around(&a, &SIDES));
        prop_assert_eq!(listed(set(&a).diagonal()), around(&a, &DIAGONALS));
    }
}
