//! Players after the example engines of the original project. Ties are broken evenly.

use crate::engine::{Bot, chance::Chance, mask};

use super::Tilewe;
use super::pieces::Piece;
use super::placements::Placement;
use super::state::State;
use super::tiles::{SIZE, Tile};

pub(super) const BOTS: &[Bot<Tilewe>] = &[
    Bot {
        name: "most_corners",
        help: "leaves itself the most open corners that it can use",
        act: |game, state, mask, chance| best(mask, chance, |p| own_corners(game, state, p)),
        tries: None,
    },
    Bot {
        name: "least_corners",
        help: "leaves itself the fewest open corners that it can use",
        act: |game, state, mask, chance| best(mask, chance, |p| -own_corners(game, state, p)),
        tries: None,
    },
    Bot {
        name: "largest_piece",
        help: "places the piece with the most tiles, then corners, then contacts",
        act: |_, _, mask, chance| best(mask, chance, |p| size(p.piece())),
        tries: None,
    },
    Bot {
        name: "smallest_piece",
        help: "places the piece with the fewest tiles, then corners, then contacts",
        act: |_, _, mask, chance| best(mask, chance, |p| -size(p.piece())),
        tries: None,
    },
    Bot {
        name: "move_difference",
        help: "leaves itself the most moves over what all opponents have",
        act: |game, state, mask, chance| best(mask, chance, |p| move_difference(game, state, p)),
        tries: None,
    },
    Bot {
        name: "wall_crawl",
        help: "covers tiles as near to the edges of the board as it can",
        act: |_, _, mask, chance| best(mask, chance, |p| weight(p, wall_crawl)),
        tries: None,
    },
    Bot {
        name: "turtle",
        help: "covers tiles as near to the corners of the board as it can",
        act: |_, _, mask, chance| best(mask, chance, |p| weight(p, turtle)),
        tries: None,
    },
    Bot {
        name: "one_ply",
        help: "makes the move after which an evaluation of tiles, usable corners and, until the game is over, \
               who is stuck is best",
        act: |game, state, mask, chance| best(mask, chance, |p| evaluation(game, state, p)),
        tries: None,
    },
];

/// One of the actions in `mask` with the highest value, all of them equally likely.
fn best(mask: &[u64], chance: &mut dyn Chance, mut value: impl FnMut(Placement) -> i32) -> u32 {
    let mut highest = i32::MIN;
    let mut actions = Vec::new();
    for placement in mask::iter(mask).filter_map(Placement::new) {
        let value = value(placement);
        if value > highest {
            highest = value;
            actions.clear();
        }
        if value == highest {
            actions.push(placement.index());
        }
    }
    actions[chance.uniform(actions.len() as u32) as usize]
}

fn after(game: &Tilewe, state: &State, placement: Placement) -> State {
    let mut next = *state;
    game.place(&mut next, placement);
    next
}

fn own_corners(game: &Tilewe, state: &State, placement: Placement) -> i32 {
    game.live_corners(&after(game, state, placement), state.current()).len() as i32
}

/// Orders pieces by tiles, then corners, then contacts.
fn size(piece: Piece) -> i32 {
    ((piece.n_tiles() * 100 + piece.n_corners()) * 100 + piece.n_contacts()) as i32
}

fn move_difference(game: &Tilewe, state: &State, placement: Placement) -> i32 {
    let next = after(game, state, placement);
    let moves = |seat| game.count_moves(&next, seat) as i32;
    let own = state.current();
    (0..game.players).map(|seat| if seat == own { moves(seat) } else { -moves(seat) }).sum()
}

/// How far a row or column is from the nearer edge, 0 to 9.
fn from_edge(line: usize) -> usize {
    line.min(SIZE - 1 - line)
}

/// The value of a tile by its distance from the edge: less for each ring further in.
fn wall_crawl(tile: Tile) -> i32 {
    const RINGS: [i32; SIZE / 2] = [100, 90, 75, 60, 50, 40, 30, 25, 10, 0];
    RINGS[from_edge(tile.row()).min(from_edge(tile.column()))]
}

/// The value of a tile by its distance from the nearest corner of the board (maximum of rows and columns): half as
/// much for each step.
fn turtle(tile: Tile) -> i32 {
    512 >> from_edge(tile.row()).max(from_edge(tile.column()))
}

fn weight(placement: Placement, weight: fn(Tile) -> i32) -> i32 {
    placement.tiles().iter().map(weight).sum()
}

/// The value of the position after a placement for the player who makes it, in hundredths of a point: 50 for each
/// of its tiles, 20 for each of its live corners, 100,000 for a win, -100,000 if it cannot play any more; for each
/// opponent -10 a tile, -4 a live corner, 300 if that opponent cannot play any more. In a finished game, in which
/// nobody can play, the terms -100,000 and 300 are left out.
fn evaluation(game: &Tilewe, state: &State, placement: Placement) -> i32 {
    let next = after(game, state, placement);
    let tiles = |seat| next.score(seat) as i32;
    let corners = |seat| game.live_corners(&next, seat).len() as i32;
    let stuck = |seat| i32::from(!next.finished() && !next.can_play(seat));
    let own = state.current();
    let opponents = || (0..game.players).filter(|&seat| seat != own);
    let won = next.finished() && opponents().all(|seat| tiles(seat) <= tiles(own));
    50 * tiles(own) + 20 * corners(own) + 100_000 * i32::from(won) - 100_000 * stuck(own)
        + opponents().map(|seat| 300 * stuck(seat) - 10 * tiles(seat) - 4 * corners(seat)).sum::<i32>()
}
