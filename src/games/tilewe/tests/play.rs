//! Optimised code against a slow reference implementation of the rules, over random games.

use ludovec_engine::Guide;
use ludovec_engine::Status;
use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::rules::VERSION;
use crate::rules::state::STUCK;

/// The tiles at (row, column) steps from `tile` that are on the board.
fn steps(tile: Tile, steps: &[(isize, isize)]) -> impl Iterator<Item = Tile> {
    steps.iter().filter_map(move |(r, c)| {
        Tile::new(tile.row().checked_add_signed(*r)?, tile.column().checked_add_signed(*c)?)
    })
}

const SIDES: [(isize, isize); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const DIAGONALS: [(isize, isize); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// The rules tile by tile.
struct Slow<'a>(&'a Setting, &'a State);

impl Slow<'_> {
    fn owns(&self, color: usize, tile: Tile) -> bool {
        self.1.owner(tile) == Some(Color::ALL[color])
    }
    fn may_cover(&self, color: usize, tile: Tile) -> bool {
        self.0.tiles().any(|t| t == tile)
            && self.1.owner(tile).is_none()
            && !steps(tile, &SIDES).any(|t| self.owns(color, t))
    }
    fn is_corner(&self, color: usize, tile: Tile) -> bool {
        let starts = !Tile::all().any(|t| self.owns(color, t));
        let at_start = self.0.starts[color].contains(&tile);
        self.may_cover(color, tile)
            && if starts { at_start } else { steps(tile, &DIAGONALS).any(|t| self.owns(color, t)) }
    }
    fn points(&self, color: usize) -> usize {
        let tiles = Tile::all().filter(|t| self.owns(color, *t)).count();
        let bonus = match self.1.left[color] {
            0 => 15,
            left if left == 1 << 21 => 20,
            _ => 0,
        };
        tiles + if self.0.bonus { bonus } else { 0 }
    }
}

#[test]
fn mask_corners_counts_and_turns_match_the_rules() {
    for seed in 0..amount(1) {
        for setting in settings() {
            let mut ply = 0;
            random_game(&setting.game, seed, |state| {
                ply += 1;
                // The reference implementation is slow: it sees the first positions, every fourth one and the last.
                if ply < 4 || state.finished() || ply % 4 == seed % 4 {
                    check_against_slow_rules(&setting, state);
                }
            });
        }
    }
}

fn check_against_slow_rules(setting: &Setting, state: &State) {
    let slow = Slow(setting, state);
    let game = &setting.game;
    for color in 0..setting.colors() {
        let may_cover: Vec<bool> = Tile::all().map(|t| slow.may_cover(color, t)).collect();
        let corner: Vec<bool> = Tile::all().map(|t| slow.is_corner(color, t)).collect();
        let geometric: Vec<Tile> = Tile::all().filter(|t| corner[t.index()]).collect();
        let corners = game.rules.corners(state, color);
        assert_eq!(corners.iter().collect::<Vec<_>>(), geometric);

        let mut expected = Vec::new();
        let (mut moves, mut live) = (0, HashSet::new());
        for placement in Placements::on(SIZE).iter() {
            let tiles = placement.tiles();
            let in_hand = state.pieces_left(color).any(|p| p == placement.piece());
            let fits = in_hand && tiles.iter().all(|t| may_cover[t.index()]);
            let touched: Vec<_> = tiles.iter().filter(|t| fits && corner[t.index()]).collect();
            if !touched.is_empty() {
                expected.push(placement);
                let spelled: Vec<_> = placement.moves(corners).map(|m| m.to_tile).collect();
                // Every tile of the placement on an open corner is a contact of the shape, except for a first piece
                // in the middle of the board.
                let contacts: HashSet<_> = spelled.iter().copied().collect();
                let covers = touched.iter().copied().collect();
                assert!(contacts == covers || tiles.len() > 2 && state.pieces_left(color).count() == 21);
                assert!(spelled.iter().all(|t| tiles.contains(*t)));
                moves += spelled.len();
                live.extend(touched);
            }
            if color == state.current() && game.rules.board & tiles == tiles {
                let legal = expected.last() == Some(&placement);
                assert_eq!(game.rules.objection(state, color, placement).is_none(), legal);
            }
        }
        assert_eq!(game.rules.placements_for(state, color), expected);
        assert_eq!(game.rules.count_moves(state, color) as usize, moves);
        assert_eq!(game.rules.moves(state, color).len(), moves);
        assert_eq!(state.can_play(color), moves > 0);
        let first_live = live.iter().min().map_or(STUCK, |tile| tile.index() as u16);
        assert_eq!(state.live[color], first_live);
        assert_eq!(game.rules.live_corners(state, color).iter().collect::<HashSet<_>>(), live);
        let tiles = Tile::all().filter(|t| slow.owns(color, *t)).count();
        let in_hand: usize = state.pieces_left(color).map(Piece::n_tiles).sum();
        assert_eq!(tiles + in_hand, 89);
    }
    let players = setting.players;
    let points =
        |seat: usize| (seat..setting.colors()).step_by(players).map(|c| slow.points(c)).sum::<usize>();
    let (mut scores, mut ranks) = (vec![0.0; players], vec![9; players]);
    game.scores(state, &mut scores);
    game.ranks(state, &mut ranks);
    for seat in 0..players {
        assert_eq!(scores[seat], points(seat) as f32);
        let better = (0..players).filter(|&other| points(other) > points(seat)).count();
        assert_eq!(usize::from(ranks[seat]), better);
    }
    assert_eq!(game.current_player(state), state.current() % players);
    let running = (0..setting.colors()).any(|color| state.can_play(color));
    assert_eq!(game.status(state) == Status::Running, running);
    assert!(!running || state.can_play(state.current()));
    assert_eq!(game.validate(state), Ok(()));
}

#[test]
fn observations_match_the_board() {
    for setting in settings() {
        let game = &setting.game;
        let (players, colors) = (setting.players, setting.colors());
        let others = if colors > players { "others" } else { "opponents" };
        let fields: HashMap<_, _> = game.spec().observation.iter().map(|f| (f.name.as_str(), f)).collect();
        let mut ply = 0;
        random_game(game, 3, |state| {
            ply += 1;
            if ply % 2 == 0 && !state.finished() {
                return;
            }
            let slow = Slow(&setting, state);
            for viewer in 0..players {
                let row = observation(game, state, viewer);
                assert!(row.iter().all(|&x| x < 2));
                let at = |field: &str, index: &[usize]| {
                    let field = fields[field];
                    assert_eq!(field.shape.len(), index.len());
                    row[field.offset + index.iter().zip(&field.strides).map(|(i, s)| i * s).sum::<usize>()]
                        == 1
                };
                // The viewer's colour is the first one from the current colour on that it owns.
                let own = match colors == players {
                    true => viewer,
                    false => (state.current()..).find(|c| c % players == viewer).unwrap() % colors,
                };
                for tile in setting.tiles() {
                    let (r, c) = (tile.row(), tile.column());
                    assert_eq!(at("own", &[r, c]), slow.owns(own, tile));
                    for i in 1..colors {
                        assert_eq!(at(others, &[i - 1, r, c]), slow.owns((own + i) % colors, tile));
                    }
                    assert_eq!(at("own_corners", &[r, c]), slow.is_corner(own, tile));
                    let blocked = state.owner(tile).is_none() && !slow.may_cover(own, tile);
                    assert_eq!(at("own_blocked", &[r, c]), blocked);
                }
                for i in 0..colors {
                    let color = (own + i) % colors;
                    for &piece in Piece::ALL {
                        let left = state.pieces_left(color).any(|p| p == piece);
                        assert_eq!(at("pieces_left", &[i, piece.index()]), left);
                    }
                    assert_eq!(at("can_play", &[i]), state.can_play(color));
                    assert_eq!(at("to_move", &[i]), (!state.finished() && state.current() == color));
                }
            }
        });
    }
}

#[test]
fn symmetries_of_the_board_are_symmetries_of_the_game() {
    for setting in settings() {
        let game = &setting.game;
        let symmetries = game.symmetries();
        assert_eq!(symmetries.len(), setting.symmetries);
        let identity = |p: &[u32]| p.iter().enumerate().all(|(i, &x)| i == x as usize);
        assert!(identity(&symmetries[0].observation) && identity(&symmetries[0].action));
        let distinct: HashSet<_> = symmetries.iter().map(|s| &s.action).collect();
        assert_eq!(distinct.len(), symmetries.len());
        for symmetry in &symmetries {
            let mut chance = SeededChance::from_seed(11);
            let (mut state, mut image) = (game.init(&mut chance), game.init(&mut chance));
            while !state.finished() {
                let mask = legal(game, &state);
                let mut moved: Vec<_> = mask::iter(&mask).map(|a| symmetry.action[a as usize]).collect();
                moved.sort();
                assert_eq!(moved, mask::iter(&legal(game, &image)).collect::<Vec<_>>());
                let action = mask::select(&mask, chance.uniform(mask::count(&mask))).unwrap();
                game.step(&mut state, action, &mut chance);
                game.step(&mut image, symmetry.action[action as usize], &mut chance);
                for seat in 0..setting.players {
                    let original = observation(game, &state, seat);
                    let moved: Vec<u8> = symmetry.observation.iter().map(|&i| original[i as usize]).collect();
                    assert_eq!(observation(game, &image, seat), moved, "{}", symmetry.name);
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
        let f5 = |r| {
            Placements::on(SIZE)
                .anchored(Piece::F5, r, Piece::F5.shape(r).contacts()[0], tile("k10"))
                .unwrap()
        };
        let moved =
            placement(symmetry.action[Placements::on(SIZE).index(f5(Rotation::North)) as usize]).unwrap();
        assert_eq!(moved.shape(), Piece::F5.shape(rotation), "{}", symmetry.name);
    }
}

#[test]
fn random_games_are_pinned() {
    // This value changes only together with `VERSION`.
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
    assert_eq!((VERSION, format!("{:016x}", hash.digest())), (1, "0be0718de2af0a3f".into()));
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
