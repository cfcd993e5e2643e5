//! Attacks: which pieces attack a square, and which squares a side attacks.

use super::fill;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::{MoveRules, Position, kind};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{Modality, Square};

impl<R: MoveRules> Position<R> {
    /// All pieces that slide like rooks, of both colours.
    #[inline]
    pub(crate) fn orthogonal(&self, tables: &Tables<R::Bits>) -> R::Bits {
        if R::ORTHODOX { self.of(kind::ROOK) | self.of(kind::QUEEN) } else { self.of_any(tables.orthogonal) }
    }
    /// All pieces that slide like bishops, of both colours.
    #[inline]
    pub(crate) fn diagonal(&self, tables: &Tables<R::Bits>) -> R::Bits {
        if R::ORTHODOX { self.of(kind::BISHOP) | self.of(kind::QUEEN) } else { self.of_any(tables.diagonal) }
    }
    /// All pawns, of both colours.
    #[inline]
    pub(crate) fn pawns(&self, tables: &Tables<R::Bits>) -> R::Bits {
        if R::ORTHODOX {
            self.of(kind::PAWN)
        } else {
            tables.pawn.kind.map_or(R::Bits::EMPTY, |k| self.of(k))
        }
    }
    /// The royal piece of a side. The set has at most one square in any accepted position.
    #[inline]
    pub(crate) fn royal(&self, tables: &Tables<R::Bits>, colour: usize) -> R::Bits {
        let kings = if R::ORTHODOX {
            self.of(kind::KING)
        } else {
            tables.royal.map_or(R::Bits::EMPTY, |k| self.of(k))
        };
        kings & self.colours[colour]
    }

    /// The pieces of side `by` that attack `square` by their own movement, looking from the square back to
    /// them. Sliders are blocked by `occupied`; only pieces among `alive` count.
    #[inline]
    pub(crate) fn attackers(
        &self,
        tables: &Tables<R::Bits>,
        square: Square,
        by: usize,
        occupied: R::Bits,
        alive: R::Bits,
    ) -> R::Bits {
        let rays = &tables.rays[square];
        let mut found = (rays.orthogonal(occupied) & self.orthogonal(tables))
            | (rays.diagonal(occupied) & self.diagonal(tables))
            | (tables.pawn.takers[by][square] & self.pawns(tables));
        if R::ORTHODOX {
            found |= (tables.leaps[0].targets[0][square] & self.of(kind::KNIGHT))
                | (tables.leaps[1].targets[0][square] & self.of(kind::KING));
            return found & alive;
        }
        for leap in tables.leaps.iter().filter(|l| l.modality != Modality::Move) {
            let pieces = self.of_any(leap.kinds);
            found |= leap.sources[by][square] & if leap.initial { pieces & self.unmoved } else { pieces };
        }
        found &= alive;
        for rider in tables.riders.iter().filter(|r| r.modality != Modality::Move) {
            let mut pieces = self.of_any(rider.kinds) & alive & self.colours[by];
            if rider.initial {
                pieces &= self.unmoved;
            }
            for from in pieces.squares() {
                if rider.reach(by, from, occupied).has(square) {
                    found |= R::Bits::square(from);
                }
            }
        }
        if tables.blast.is_some() {
            // Captures explode and destroy the capturing piece, so a royal piece never captures.
            found &= !self.royal(tables, by);
        }
        for (kind, _) in &tables.variant.filters.forbidden {
            if tables.forbidden[by][usize::from(*kind)].has(square) {
                found &= !self.of(*kind);
            }
        }
        found
    }

    /// The pieces on the squares of `among`, grouped by their orthodox movement.
    #[inline]
    pub(crate) fn pieces_by_movement(&self, among: R::Bits) -> fill::Pieces {
        let of = |kind| (self.of(kind) & among).words()[0];
        let queens = of(kind::QUEEN);
        fill::Pieces {
            pawns: of(kind::PAWN),
            knights: of(kind::KNIGHT),
            diagonal: of(kind::BISHOP) | queens,
            orthogonal: of(kind::ROOK) | queens,
            king: of(kind::KING),
        }
    }

    /// The squares that side `by` attacks by the movement of its pieces, with `occupied` as blockers: with
    /// the enemy's king taken out of `occupied`, these are its king danger squares. For variants with
    /// [`Tables::pins`].
    #[inline]
    pub(crate) fn attacked(&self, tables: &Tables<R::Bits>, by: usize, occupied: R::Bits) -> R::Bits {
        let side = self.colours[by];
        if R::ORTHODOX {
            let attacked = fill::attacked(self.pieces_by_movement(side), by, occupied.words()[0]);
            return R::Bits::from_words([attacked, 0]);
        }
        let mut found = R::Bits::EMPTY;
        let mut leaping = |pieces: R::Bits, targets: &<R::Bits as Bitboard>::PerSquare<R::Bits>| {
            for from in pieces.squares() {
                found |= targets[from];
            }
        };
        leaping(self.pawns(tables) & side, &tables.pawn.take[by]);
        for leap in tables.leaps.iter().filter(|l| l.modality != Modality::Move) {
            // Captures explode and destroy the capturing piece, so a royal piece never captures.
            let tame = if tables.blast.is_some() { self.royal(tables, by) } else { R::Bits::EMPTY };
            leaping(self.of_any(leap.kinds) & side & !tame, &leap.targets[by]);
        }
        for from in (self.orthogonal(tables) & side).squares() {
            found |= tables.rays[from].orthogonal(occupied);
        }
        for from in (self.diagonal(tables) & side).squares() {
            found |= tables.rays[from].diagonal(occupied);
        }
        found
    }
}
