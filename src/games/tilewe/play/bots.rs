//! Bots modelled on the example engines of the original project. Ties are broken uniformly.

use ludovec_engine::{Bot, chance::Chance, mask};

use crate::Tilewe;
use crate::rules::pieces::Piece;
use crate::rules::placements::Placement;
use crate::rules::ruleset::Ruleset;
use crate::rules::state::State;
use crate::rules::tiles::Tile;

/// The bots for states of some size.
pub(crate) const fn bots<const N: usize, const C: usize>() -> [Bot<Tilewe<N, C>>; 8] {
    [
        Bot {
            name: "most_corners",
            help: "leaves itself the most open corners that it can use",
            act: |game, state, mask, chance| best(game, state, mask, chance, own_corners),
            tries: None,
        },
        Bot {
            name: "least_corners",
            help: "leaves itself the fewest open corners that it can use",
            act: |game, state, mask, chance| best(game, state, mask, chance, |at, p| -own_corners(at, p)),
            tries: None,
        },
        Bot {
            name: "largest_piece",
            help: "places the piece with the most tiles, then corners, then contacts",
            act: |game, state, mask, chance| best(game, state, mask, chance, |_, p| size(p.piece())),
            tries: None,
        },
        Bot {
            name: "smallest_piece",
            help: "places the piece with the fewest tiles, then corners, then contacts",
            act: |game, state, mask, chance| best(game, state, mask, chance, |_, p| -size(p.piece())),
            tries: None,
        },
        Bot {
            name: "move_difference",
            help: "leaves itself the largest lead in moves over all opponents",
            act: |game, state, mask, chance| best(game, state, mask, chance, move_difference),
            tries: None,
        },
        Bot {
            name: "wall_crawl",
            help: "covers tiles as near to the edges of the board as it can",
            act: |game, state, mask, chance| best(game, state, mask, chance, wall_crawl),
            tries: None,
        },
        Bot {
            name: "turtle",
            help: "covers tiles as near to the corners of the board as it can",
            act: |game, state, mask, chance| best(game, state, mask, chance, turtle),
            tries: None,
        },
        Bot {
            name: "one_ply",
            help: "makes the move with the best evaluation of tiles, usable corners and, until the game is over, \
                   players without moves",
            act: |game, state, mask, chance| best(game, state, mask, chance, evaluation),
            tries: None,
        },
    ]
}

/// A position in which a bot chooses.
struct Position<'a> {
    rules: &'a Ruleset,
    state: State,
}

impl Position<'_> {
    fn after(&self, placement: Placement) -> State {
        let mut next = self.state;
        self.rules.place(&mut next, placement);
        next
    }
    /// The current player's seat.
    fn own(&self) -> usize {
        self.rules.seat(self.state.current())
    }
    /// A sum over the colours of a player.
    fn sum(&self, seat: usize, figure: impl Fn(usize) -> usize) -> i32 {
        self.rules.colors_of(seat).map(|color| figure(color) as i32).sum()
    }
}

/// One of the actions in `mask` with the highest value, chosen uniformly.
fn best<const N: usize, const C: usize>(
    game: &Tilewe<N, C>,
    state: &State<N, C>,
    mask: &[u64],
    chance: &mut dyn Chance,
    value: fn(&Position<'_>, Placement) -> i32,
) -> u32 {
    let at = Position { rules: &game.rules, state: state.resized() };
    best_action(&at, mask, chance, value)
}

fn best_action(
    at: &Position<'_>,
    mask: &[u64],
    chance: &mut dyn Chance,
    value: fn(&Position<'_>, Placement) -> i32,
) -> u32 {
    let mut highest = i32::MIN;
    let mut actions = Vec::new();
    for action in mask::iter(mask) {
        let Some(placement) = at.rules.placements.get(action) else { continue };
        let value = value(at, placement);
        if value > highest {
            highest = value;
            actions.clear();
        }
        if value == highest {
            actions.push(action);
        }
    }
    actions[chance.uniform(actions.len() as u32) as usize]
}

fn own_corners(at: &Position<'_>, placement: Placement) -> i32 {
    let next = at.after(placement);
    at.sum(at.own(), |color| at.rules.live_corners(&next, color).len())
}

/// A key that orders pieces by tiles, then corners, then contacts.
fn size(piece: Piece) -> i32 {
    ((piece.n_tiles() * 100 + piece.n_corners()) * 100 + piece.n_contacts()) as i32
}

fn move_difference(at: &Position<'_>, placement: Placement) -> i32 {
    let next = at.after(placement);
    let moves = |seat| at.sum(seat, |color| at.rules.count_moves(&next, color) as usize);
    let own = at.own();
    (0..at.rules.players).map(|seat| if seat == own { moves(seat) } else { -moves(seat) }).sum()
}

/// The distance of a row or column from the nearer edge: 0 to 9 on the largest board.
fn from_edge(rules: &Ruleset, line: usize) -> usize {
    line.min(rules.side - 1 - line)
}

fn weight(placement: Placement, weight: impl Fn(Tile) -> i32) -> i32 {
    placement.tiles().iter().map(weight).sum()
}

/// Tiles are worth less for each ring further in.
fn wall_crawl(at: &Position<'_>, placement: Placement) -> i32 {
    const RINGS: [i32; crate::SIZE / 2] = [100, 90, 75, 60, 50, 40, 30, 25, 10, 0];
    weight(placement, |tile| RINGS[from_edge(at.rules, tile.row()).min(from_edge(at.rules, tile.column()))])
}

/// Tiles are worth half for each step from the nearest corner of the board (maximum of rows and columns).
fn turtle(at: &Position<'_>, placement: Placement) -> i32 {
    weight(placement, |tile| 512 >> from_edge(at.rules, tile.row()).max(from_edge(at.rules, tile.column())))
}

/// The value of the position after a placement for the player who makes it, in hundredths of a point: 50 for each
/// of its points, 20 for each of its live corners, 100,000 for a win, -100,000 if it has no more moves; for each
/// opponent -10 per point, -4 per live corner, 300 if that opponent has no more moves. In a finished game, with no
/// moves for any player, the terms -100,000 and 300 are left out. Points are tiles, with bonuses where there are any.
fn evaluation(at: &Position<'_>, placement: Placement) -> i32 {
    let next = at.after(placement);
    let rules = at.rules;
    let points = |seat| rules.score(&next, seat) as i32;
    let corners = |seat| at.sum(seat, |color| rules.live_corners(&next, color).len());
    let stuck =
        |seat| i32::from(!next.finished() && !rules.colors_of(seat).any(|color| next.can_play(color)));
    let own = at.own();
    let opponents = || (0..rules.players).filter(|&seat| seat != own);
    let won = next.finished() && opponents().all(|seat| points(seat) <= points(own));
    50 * points(own) + 20 * corners(own) + 100_000 * i32::from(won) - 100_000 * stuck(own)
        + opponents().map(|seat| 300 * stuck(seat) - 10 * points(seat) - 4 * corners(seat)).sum::<i32>()
}
