//! A variant compiled: everything play looks up.
//!
//! Movement is kept by component, not by piece: all kinds that leap like a knight share one entry, all that slide
//! like a bishop another. A queen is in both sliders' entries, an archbishop among knights and bishops.

mod compile;

use super::board::bitboard::Bitboard;
use super::board::position::NOWHERE;
use super::variant::schema::{
    Castling, CastlingRule, MAX_KINDS, MAX_SQUARES, Modality, Path, PieceKind, Square, Value, Variant,
};

/// A set of kinds; bit `k` is kind `k`.
pub(crate) type KindSet = u16;

/// The four lines through a square, as the squares before and after it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rays<B> {
    /// Along the rank, the file, the rising and the falling diagonal.
    pub(crate) line: [(B, B); 4],
}

impl<B: Bitboard> Rays<B> {
    /// What a rook reaches from here.
    #[inline]
    pub(crate) fn orthogonal(&self, occupied: B) -> B {
        B::slide(self.line[0].0, self.line[0].1, occupied)
            | B::slide(self.line[1].0, self.line[1].1, occupied)
    }
    /// What a bishop reaches from here.
    #[inline]
    pub(crate) fn diagonal(&self, occupied: B) -> B {
        B::slide(self.line[2].0, self.line[2].1, occupied)
            | B::slide(self.line[3].0, self.line[3].1, occupied)
    }
}

/// Steps of the four lines' upper halves.
pub(crate) const LINES: [(i8, i8); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// Kinds that jump the same way.
#[derive(Debug, Clone)]
pub(crate) struct Leap<B: Bitboard> {
    /// Which kinds.
    pub(crate) kinds: KindSet,
    /// To what kind of square.
    pub(crate) modality: Modality,
    /// Whether only an unmoved piece does.
    pub(crate) initial: bool,
    /// By colour and square: where to.
    pub(crate) targets: [B::Table<B>; 2],
    /// By colour and square: where from.
    pub(crate) sources: [B::Table<B>; 2],
    pub(crate) offsets: Vec<(i8, i8)>,
}

/// Kinds with a movement that depends on what is in between in another way than a rook's or a bishop's.
#[derive(Debug, Clone)]
pub(crate) struct Rider<B: Bitboard> {
    /// Which kinds.
    pub(crate) kinds: KindSet,
    /// To what kind of square.
    pub(crate) modality: Modality,
    /// Whether only an unmoved piece does.
    pub(crate) initial: bool,
    /// How it goes.
    pub(crate) path: Path,
    /// By colour and square: the next square in this direction, or [`NOWHERE`].
    pub(crate) next: [B::Table<Square>; 2],
    /// By colour and square: for lame leaps, the square that must be empty.
    pub(crate) via: [B::Table<Square>; 2],
}

impl<B: Bitboard> Rider<B> {
    /// Where a piece of `colour` on `from` could land on some board: a hopper anywhere on its line.
    pub(crate) fn ever(&self, colour: usize, from: Square) -> B {
        let most = match self.path {
            Path::Ride { max } if max > 0 => usize::from(max),
            Path::Lame { .. } => 1,
            _ => MAX_SQUARES,
        };
        let next = |&square: &Square| Some(self.next[colour][square]).filter(|&next| next != NOWHERE);
        let line = std::iter::successors(next(&from), next).take(most);
        line.fold(B::EMPTY, |reach, square| reach | B::square(square))
    }

    /// Where a piece of `colour` on `from` could land if any piece could be taken: the first piece in the
    /// way included where the movement reaches it.
    pub(crate) fn reach(&self, colour: usize, from: Square, occupied: B) -> B {
        let next = &self.next[colour];
        let mut reach = B::EMPTY;
        let mut square = next[from];
        match self.path {
            Path::Leap => unreachable!("leaps are compiled to leap tables"),
            Path::Lame { .. } => {
                let via = self.via[colour][from];
                if square != NOWHERE && via != NOWHERE && !occupied.has(via) {
                    reach |= B::square(square);
                }
            }
            Path::Ride { max } => {
                let mut left = if max == 0 { u8::MAX } else { max };
                while square != NOWHERE && left > 0 {
                    reach |= B::square(square);
                    if occupied.has(square) {
                        break;
                    }
                    square = next[square];
                    left -= 1;
                }
            }
            Path::Hop { beside } => {
                while square != NOWHERE && !occupied.has(square) {
                    square = next[square];
                }
                if square != NOWHERE {
                    square = next[square];
                }
                while square != NOWHERE {
                    reach |= B::square(square);
                    if beside || occupied.has(square) {
                        break;
                    }
                    square = next[square];
                }
            }
        }
        reach
    }
}

/// How pawns go.
#[derive(Debug, Clone)]
pub(crate) struct Pawns<B: Bitboard> {
    /// The kind, if the variant has pawns.
    pub(crate) kind: Option<PieceKind>,
    /// By colour and square: where to without capturing.
    pub(crate) push: [B::Table<B>; 2],
    /// By colour and square: what it takes.
    pub(crate) take: [B::Table<B>; 2],
    /// By colour and square: from where a pawn of that colour takes here.
    pub(crate) takers: [B::Table<B>; 2],
    /// By colour: from where it may step twice.
    pub(crate) double_from: [B; 2],
    /// By colour and square: up to two pairs of passed square and destination.
    pub(crate) double: [B::Table<[(Square, Square); 2]>; 2],
    /// By colour of the pawn that passed: squares on which en passant works.
    pub(crate) passable: [B; 2],
    /// By colour: where pawns promote.
    pub(crate) zone: [B; 2],
    /// Whether a pawn that gets to the zone must promote.
    pub(crate) mandatory: bool,
    /// Into what, for either colour.
    pub(crate) choices: Vec<PieceKind>,
    /// By colour: which of the choices it has.
    pub(crate) open: [KindSet; 2],
    /// A choice is open only while there are fewer than this many on the board; 0: always.
    pub(crate) limit: u8,
    /// Whether a pawn can take a step back: steps ahead are no progress then.
    pub(crate) returns: bool,
}

/// Tables of one variant, for boards that fit `B`.
#[derive(Debug, Clone)]
pub(crate) struct Tables<B: Bitboard> {
    /// What was compiled.
    pub(crate) variant: Variant,
    /// Squares, holes included.
    pub(crate) squares: usize,
    /// The squares that exist.
    pub(crate) board: B,
    /// The lines through each square; holes are not in them, and block them.
    pub(crate) rays: B::Table<Rays<B>>,
    /// Kinds that slide like a rook.
    pub(crate) orthogonal: KindSet,
    /// Kinds that slide like a bishop.
    pub(crate) diagonal: KindSet,
    /// Kinds that leap; of pawns only what [`Pawns`] does not hold.
    pub(crate) leaps: Vec<Leap<B>>,
    /// Kinds that do anything else.
    pub(crate) riders: Vec<Rider<B>>,
    /// Kinds with two movements, of those above, that can lead to the same square.
    pub(crate) mixed: KindSet,
    /// How pawns go.
    pub(crate) pawn: Pawns<B>,
    /// The kind that may not be left attacked.
    pub(crate) royal: Option<PieceKind>,
    /// The kinds that survive next to an explosion, where captures explode.
    pub(crate) blast: Option<KindSet>,
    /// Whether legality follows from checks and pins; otherwise every move is tried.
    pub(crate) pins: bool,
    /// Whether pawns appear during the game; they count as never moved, and may double-step from anywhere.
    pub(crate) pawns_appear: bool,
    /// Whether pieces that never moved are kept track of.
    pub(crate) tracks_unmoved: bool,
    /// By colour: squares where a kind may be dropped or moved.
    pub(crate) droppable: Vec<[B; 2]>,
    /// By colour and kind: squares it may not enter.
    pub(crate) forbidden: [[B; MAX_KINDS]; 2],
    /// By square: it and its neighbours.
    pub(crate) neighbours: B::Table<B>,
    /// By colour: squares with its pieces where games start.
    pub(crate) start_squares: [B; 2],
    /// By colour: whether it has a royal piece where games start.
    pub(crate) has_royal: [bool; 2],
    /// Kinds that do nothing but leap like a knight.
    pub(crate) knights: KindSet,
    /// Kinds that do nothing but slide like a bishop.
    pub(crate) bishops: KindSet,
    /// The dark squares, for bishops.
    pub(crate) dark: B,
    /// What stalemate and mate are worth to the side to move.
    pub(crate) stalemate: Value,
    pub(crate) mate: Value,
    /// How many occurrences of a position draw; 0 for no such rule.
    pub(crate) repetition: u8,
    /// Whether what is captured comes back: then no capture and no move of a pawn is irreversible.
    pub(crate) material_returns: bool,
    /// How many plies without progress draw; 0 for no such rule.
    pub(crate) progress: u16,
    /// Whether a position without mating material is a draw.
    pub(crate) dead: bool,
    /// Whether checks are counted.
    pub(crate) counts_checks: bool,
    /// Whether any of the variant's end rules ends a game while there are moves.
    pub(crate) ends_early: bool,
}

impl<B: Bitboard> Tables<B> {
    /// Where the leaps of the castling kind lead.
    #[inline]
    pub(crate) fn king_steps(&self, from: Square, colour: usize) -> B {
        let bit = self.variant.castling.as_ref().map_or(0, |c| 1 << c.king);
        let leaps = self.leaps.iter().filter(|l| l.kinds & bit != 0);
        leaps.fold(B::EMPTY, |set, l| set | l.targets[colour][from])
    }

    /// Where any piece could go from a square on an empty board, as the mover sees it; and of that, where pawns
    /// would promote.
    pub(crate) fn reachable(&self, from: Square) -> (B, B) {
        let v = &self.variant;
        let width = v.width;
        let flip = |c: Square| (v.height - 1 - c / width) * width + c % width;
        let (mut all, mut into_zone) = (B::EMPTY, B::EMPTY);
        for colour in 0..2 {
            let at = if colour == 0 { from } else { flip(from) };
            if !self.board.has(at) {
                continue;
            }
            let rays = &self.rays[at];
            let mut reach = B::EMPTY;
            if self.orthogonal != 0 {
                reach |= rays.orthogonal(B::EMPTY);
            }
            if self.diagonal != 0 {
                reach |= rays.diagonal(B::EMPTY);
            }
            for leap in &self.leaps {
                reach |= leap.targets[colour][at];
            }
            for rider in &self.riders {
                reach |= rider.ever(colour, at);
            }
            let pawn = &self.pawn;
            let mut pawns = pawn.push[colour][at] | pawn.take[colour][at];
            if let Some(kind) = pawn.kind {
                for rider in self.riders.iter().filter(|r| r.kinds >> kind & 1 == 1) {
                    pawns |= rider.reach(colour, at, B::EMPTY);
                }
            }
            for &(_, to) in pawn.double[colour][at].iter().filter(|d| d.1 != NOWHERE) {
                if pawn.double_from[colour].has(at) || self.pawns_appear {
                    pawns |= B::square(to);
                }
            }
            reach |= pawns;
            let zone = if v.promotion.is_some() { pawns & pawn.zone[colour] } else { B::EMPTY };
            if let Some(castling) = &v.castling {
                reach |= self.castle_targets(castling, at);
            }
            for swap in &v.generators.swap_captures {
                for (lower, upper) in &rays.line[..2] {
                    let apart = |c: &Square| {
                        let distance = c.abs_diff(at);
                        distance == swap.distance || distance == swap.distance * width
                    };
                    for square in (*lower | *upper).squares().filter(apart) {
                        reach |= B::square(square);
                    }
                }
            }
            for _ in &v.generators.leap_captures {
                reach |= rays.line[1].0 | rays.line[1].1;
            }
            let seen = |set: B| {
                if colour == 0 { set } else { set.squares().fold(B::EMPTY, |s, c| s | B::square(flip(c))) }
            };
            all |= seen(reach);
            into_zone |= seen(zone);
        }
        (all, into_zone)
    }

    /// Where a castling move from a square may be written to.
    fn castle_targets(&self, castling: &Castling, at: Square) -> B {
        let width = self.variant.width;
        let base = at - at % width;
        match castling.rule {
            CastlingRule::Files { right, left } => {
                let squares = [right.0, left.0].map(|file| B::square(base + file));
                let rank = if self.variant.chess960 { B::span(base, base + width - 1) } else { B::EMPTY };
                let home = at / width == 0 || at / width == self.variant.height - 1;
                if home { (squares[0] | squares[1] | rank) & !B::square(at) & self.board } else { B::EMPTY }
            }
            CastlingRule::TwoSquares { vertical } => {
                let lines = &self.rays[at].line[..if vertical { 2 } else { 1 }];
                lines
                    .iter()
                    .flat_map(|l| (l.0 | l.1).squares())
                    .filter(|c| self.variant.chess960 || [2, 2 * width].contains(&c.abs_diff(at)))
                    .fold(B::EMPTY, |set, c| set | B::square(c))
            }
        }
    }
}
