//! Castling: the destinations of king and rook, castling rights, and the pseudo-legal castling moves.

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, Position};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{Castling, CastlingRule, Square};

/// The destinations of a castling move.
pub(crate) struct CastleWay<B> {
    /// The king's destination.
    pub(crate) king: Square,
    /// The rook's destination.
    pub(crate) rook: Square,
    /// All squares that the two cross, both ends included.
    pub(crate) crossed: B,
}

/// The destinations of king and rook that castle along their rank to fixed files; `None` if they share no rank.
#[inline]
pub(crate) fn castle_way<R: MoveRules>(
    tables: &Tables<R::Bits>,
    castling: &Castling,
    king: Square,
    rook: Square,
) -> Option<CastleWay<R::Bits>> {
    let width = if R::ORTHODOX { 8 } else { tables.variant.width };
    let base = king - king % width;
    if rook / width != king / width {
        return None;
    }
    let CastlingRule::Files { right, left } = castling.rule else { return None };
    let (king_file, rook_file) = if rook > king { right } else { left };
    let (king_to, rook_to) = (base + king_file, base + rook_file);
    let crossed = R::Bits::span(king, king_to) | R::Bits::span(rook, rook_to);
    Some(CastleWay { king: king_to, rook: rook_to, crossed })
}

impl<R: MoveRules> Position<R> {
    /// The king of a side that holds its castling rights, if rights belong to single rooks: its only king, or the
    /// marked one of several (pawns can promote to kings that are not royal).
    pub(crate) fn castling_king(&self, tables: &Tables<R::Bits>, colour: usize) -> R::Bits {
        let Some(castling) = &tables.variant.castling else { return R::Bits::EMPTY };
        let kings = self.of(castling.king) & self.colours[colour];
        if kings.many() { kings & self.rights } else { kings }
    }

    /// Updates castling rights after a move. A side keeps its rights only while one of `kings`, the kings that
    /// could castle before the move, is still in its place. If a side has several kings, the rights also mark the
    /// square of this king.
    pub(crate) fn settle_rights(&mut self, tables: &Tables<R::Bits>, kings: R::Bits) {
        let Some(castling) = &tables.variant.castling else { return };
        let mut rights = self.rights;
        for side in self.colours {
            let all = self.of(castling.king) & side;
            let (rooks, king) = (rights & side & !all, all & kings);
            rights &= !side;
            if rooks.any() && king.any() {
                rights |= if all.many() { rooks | king } else { rooks };
            }
        }
        self.set_rights(rights);
    }

    /// The destinations of the king and the rook.
    pub(crate) fn castle_squares(&self, tables: &Tables<R::Bits>, mv: Move) -> Option<(Square, Square)> {
        let castling: &Castling = tables.variant.castling.as_ref()?;
        match castling.rule {
            CastlingRule::Files { .. } => {
                castle_way::<R>(tables, castling, mv.from, mv.to).map(|way| (way.king, way.rook))
            }
            CastlingRule::TwoSquares { .. } => {
                let width = i16::from(tables.variant.width);
                let (from, to) = (i16::from(mv.from), i16::from(mv.to));
                let step = if from / width == to / width { 1 } else { width } * (to - from).signum();
                Some(((from + 2 * step) as Square, (from + step) as Square))
            }
        }
    }

    /// The rook with which the king on `from` castles when it lands on `landing`.
    pub(crate) fn castling_rook(
        &self,
        tables: &Tables<R::Bits>,
        from: Square,
        landing: Square,
    ) -> Option<Square> {
        let castling = tables.variant.castling.as_ref()?;
        let rooks = match castling.rule {
            CastlingRule::Files { .. } => self.rights & self.own(),
            CastlingRule::TwoSquares { vertical } => self.rooks_in_line(tables, castling, from, vertical),
        };
        rooks.squares().find(|&rook| {
            self.castle_squares(tables, Move { from, to: rook, what: MoveKind::Castle })
                .is_some_and(|squares| squares.0 == landing)
        })
    }

    /// Under the rule of two squares: the mover's unmoved rooks along the rank (and the file) of its king, with two
    /// or more squares in between, all empty.
    pub(crate) fn rooks_in_line(
        &self,
        tables: &Tables<R::Bits>,
        castling: &Castling,
        king: Square,
        vertical: bool,
    ) -> R::Bits {
        let lines = &tables.rays[king].line[..if vertical { 2 } else { 1 }];
        let aligned = lines.iter().fold(R::Bits::EMPTY, |set, l| set | l.0 | l.1);
        let rooks = castling.rooks.iter().fold(R::Bits::EMPTY, |set, &k| set | self.of(k));
        let open = |&rook: &Square| {
            let between = tables.between(king, rook);
            between.many() && (between & self.occupied()).none()
        };
        let rooks = (rooks & self.unmoved & self.own() & aligned).squares().filter(open);
        rooks.fold(R::Bits::EMPTY, |set, rook| set | R::Bits::square(rook))
    }

    /// Calls `call` with every castling move that is not prevented by pieces in the way or by attacks on the
    /// squares that the king crosses.
    pub(crate) fn each_pseudo_legal_castling(&self, tables: &Tables<R::Bits>, call: &mut dyn FnMut(Move)) {
        let Some(castling) = &tables.variant.castling else { return };
        if self.checkers.any() && !castling.through_attack {
            return;
        }
        let own = self.own();
        match castling.rule {
            CastlingRule::Files { .. } => {
                let rooks = castling.rooks.iter().fold(R::Bits::EMPTY, |set, &k| set | self.of(k)) & own;
                for king in self.castling_king(tables, self.turn()).squares() {
                    for rook in (rooks & self.rights).squares() {
                        let Some(way) = castle_way::<R>(tables, castling, king, rook) else { continue };
                        let both = R::Bits::square(king) | R::Bits::square(rook);
                        if (way.crossed & (self.occupied() & !both | !tables.board)).none() {
                            let steps = R::Bits::span(king, way.king);
                            self.castle_if_safe(tables, king, rook, steps, castling.through_attack, call);
                        }
                    }
                }
            }
            CastlingRule::TwoSquares { vertical } => {
                for king in (self.of(castling.king) & own & self.unmoved).squares() {
                    for rook in self.rooks_in_line(tables, castling, king, vertical).squares() {
                        let mv = Move { from: king, to: rook, what: MoveKind::Castle };
                        let Some((landing, crossed)) = self.castle_squares(tables, mv) else { continue };
                        let steps = R::Bits::square(landing) | R::Bits::square(crossed);
                        self.castle_if_safe(tables, king, rook, steps, castling.through_attack, call);
                    }
                }
            }
        }
    }

    /// Calls `call` with the castling move unless one of `steps`, the squares that the king crosses, is
    /// attacked.
    fn castle_if_safe(
        &self,
        tables: &Tables<R::Bits>,
        king: Square,
        rook: Square,
        steps: R::Bits,
        through_attack: bool,
        call: &mut dyn FnMut(Move),
    ) {
        let mv = Move { from: king, to: rook, what: MoveKind::Castle };
        let kind = self.kind_at(king).unwrap_or(0);
        let landing = self.castle_squares(tables, mv).map_or(king, |squares| squares.0);
        if tables.forbidden[self.turn()][usize::from(kind)].has(landing) {
            return;
        }
        let safe = |square: Square| {
            if square == king || square == landing {
                // The caller has excluded castling out of check. The landing square is tested after the move, with
                // the rook in its new place.
                return true;
            }
            let mut there = *self;
            there.toggle(self.turn(), kind, king);
            if square == rook {
                there.toggle(self.turn(), self.kind_at(rook).unwrap_or(0), rook);
            }
            there.toggle(self.turn(), kind, square);
            there.royal_attackers(tables, self.turn()).none()
        };
        if through_attack || steps.squares().all(safe) {
            call(mv);
        }
    }
}
