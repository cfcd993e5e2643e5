//! Pawn movement of a variant, promotion zones and choices.

use super::grid::Grid;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::{NOWHERE, kind};
use crate::rules::variant::schema::{
    DoubleStep, KindSet, Modality, Path, PieceKind, Primitive, PromotionRegion, Square, Variant,
};

/// Pawn movement.
#[derive(Debug, Clone)]
pub(crate) struct Pawns<B: Bitboard> {
    /// The kind, if the variant has pawns.
    pub(crate) kind: Option<PieceKind>,
    /// By colour and square: destinations without capture.
    pub(crate) push: [B::PerSquare<B>; 2],
    /// By colour and square: captures.
    pub(crate) take: [B::PerSquare<B>; 2],
    /// By colour and square: origins of captures on this square.
    pub(crate) takers: [B::PerSquare<B>; 2],
    /// By colour: origins of double steps.
    pub(crate) double_from: [B; 2],
    /// By colour: the squares of `double_from` that pawns never reach by moves from their starting squares. From these
    /// squares, only unmoved pawns may double-step.
    pub(crate) double_unmoved: [B; 2],
    /// By colour and square: up to two pairs of passed square and destination.
    pub(crate) double: [B::PerSquare<[(Square, Square); 2]>; 2],
    /// By colour of the pawn that passed: squares that allow en passant.
    pub(crate) passable: [B; 2],
    /// By colour: promotion squares.
    pub(crate) zone: [B; 2],
    /// Whether a pawn that reaches the zone must promote.
    pub(crate) mandatory: bool,
    /// The promotion choices of both colours.
    pub(crate) choices: Vec<PieceKind>,
    /// By colour: its promotion choices.
    pub(crate) open: [KindSet; 2],
    /// A choice is open only while there are fewer than this many pieces of the kind on the board; 0: always.
    pub(crate) limit: u8,
    /// Whether a pawn can step back. If so, of its moves only promotions are progress.
    pub(crate) steps_back: bool,
    /// Whether a pawn can return to a square that it left, by steps back or sideways.
    pub(crate) returns: bool,
}

impl<B: Bitboard> Pawns<B> {
    pub(super) fn compile(variant: &Variant, grid: &Grid, kind: Option<PieceKind>) -> Self {
        let empty = || [B::per_square(B::EMPTY), B::per_square(B::EMPTY)];
        let mut pawns = Self {
            kind,
            push: empty(),
            take: empty(),
            takers: empty(),
            double_from: [B::EMPTY; 2],
            double_unmoved: [B::EMPTY; 2],
            double: [B::per_square([(NOWHERE, NOWHERE); 2]), B::per_square([(NOWHERE, NOWHERE); 2])],
            passable: [B::EMPTY; 2],
            zone: [B::EMPTY; 2],
            mandatory: true,
            choices: Vec::new(),
            open: [0; 2],
            limit: 0,
            steps_back: false,
            returns: false,
        };
        let Some(kind) = kind else { return pawns };
        let moves = &variant.pieces[usize::from(kind)].moves;
        let ahead = |p: &Primitive| Some(p.offset.1).filter(|_| p.modality != Modality::Capture);
        pawns.steps_back = moves.iter().filter_map(ahead).any(|ahead| ahead < 0);
        pawns.returns = moves.iter().filter_map(ahead).any(|ahead| ahead <= 0);
        let squares = grid.width as u8 * grid.height as u8;
        for colour in 0..2 {
            let sign = [1, -1][colour];
            for square in (0..squares).filter(|c| !grid.holes.contains(c)) {
                let moves = variant.pieces[usize::from(kind)].moves.iter();
                let mut doubles = 0;
                for p in moves.filter(|p| p.path == Path::Leap && !p.initial) {
                    let step = (p.offset.0, p.offset.1 * sign);
                    let Some(to) = grid.step(square, step) else { continue };
                    if p.modality != Modality::Capture {
                        pawns.push[colour][square] |= B::square(to);
                        if let Some(beyond) = grid.step(to, step).filter(|_| p.offset.1 > 0 && doubles < 2) {
                            pawns.double[colour][square][doubles] = (to, beyond);
                            doubles += 1;
                        }
                    }
                    if p.modality != Modality::Move {
                        pawns.take[colour][square] |= B::square(to);
                        pawns.takers[colour][to] |= B::square(square);
                    }
                }
            }
            let set = |squares: &[Square]| squares.iter().fold(B::EMPTY, |set, &c| set | B::square(c));
            match &variant.pawn.double_step {
                DoubleStep::Never => {}
                DoubleStep::Squares(from) => pawns.double_from[colour] = set(&from[colour]),
                DoubleStep::Unmoved => pawns.double_from[colour] = B::FULL,
            }
            if variant.pawn.en_passant {
                let squares = &variant.pawn.en_passant_squares[colour];
                pawns.passable[colour] = if squares.is_empty() { B::FULL } else { set(squares) };
            }
            if let Some(promotion) = &variant.promotion {
                pawns.mandatory = promotion.mandatory;
                pawns.choices = promotion.choices.clone();
                pawns.limit = promotion.limit;
                let denied = &promotion.denied[colour];
                pawns.open[colour] =
                    promotion.choices.iter().filter(|k| !denied.contains(k)).fold(0, |set, k| set | 1 << k);
                pawns.zone[colour] = match &promotion.region {
                    PromotionRegion::Squares(zones) => set(&zones[colour]),
                    PromotionRegion::EndOfColumn => (0..squares)
                        .filter(|&c| grid.step(c, (0, sign)).is_none())
                        .fold(B::EMPTY, |zone, c| zone | B::square(c)),
                };
            }
        }
        pawns
    }

    /// Computes `double_unmoved` from `start`, the starting squares of each colour.
    pub(super) fn find_double_unmoved(&mut self, start: [B; 2]) {
        for (colour, start) in start.into_iter().enumerate() {
            let mut reached = B::EMPTY;
            let mut front = self.double_from[colour] & start;
            while front.any() {
                let ahead = front.squares().fold(B::EMPTY, |set, square| {
                    set | self.push[colour][square] | self.take[colour][square]
                });
                front = ahead & !reached;
                reached |= ahead;
            }
            self.double_unmoved[colour] = self.double_from[colour] & !reached;
        }
    }

    pub(super) fn is_orthodox(&self) -> bool {
        let ranks = |a: u32, b: u32| [0xffu64 << (8 * a), 0xffu64 << (8 * b)].map(|w| [w, 0]);
        let squares = 8..56;
        self.double_from.map(B::words) == ranks(1, 6)
            && self.zone.map(B::words) == ranks(7, 0)
            && self.mandatory
            && self.choices == [kind::QUEEN, kind::ROOK, kind::BISHOP, kind::KNIGHT]
            && self.open == [0b01_1110; 2]
            && self.limit == 0
            && self.passable.map(B::words) == [B::FULL.words(); 2]
            && squares.into_iter().all(|c: Square| {
                self.push[0][c] == B::square(c + 8)
                    && self.push[1][c] == B::square(c - 8)
                    && (0..2).all(|side| {
                        let to = if side == 0 { c + 8 } else { c - 8 };
                        let mut takes = B::EMPTY;
                        if !c.is_multiple_of(8) {
                            takes |= B::square(to - 1);
                        }
                        if c % 8 < 7 {
                            takes |= B::square(to + 1);
                        }
                        self.take[side][c] == takes
                    })
            })
    }
}
