//! Castling: where king and rook go, who may castle, and the pseudo-legal castling moves.

use crate::board::bitboard::Bitboard;
use crate::board::moves::{Move, MoveKind};
use crate::board::position::{MoveRules, Position};
use crate::tables::Tables;
use crate::variant::schema::{Castling, CastlingRule, Square};

/// Where castling leads.
pub(crate) struct CastleWay<B> {
    /// Where the king lands.
    pub(crate) king: Square,
    /// Where the rook lands.
    pub(crate) rook: Square,
    /// All squares on the way of both, both ends included.
    pub(crate) crossed: B,
}

/// Where king and rook go when they castle along their rank to fixed files; `None` when they share no rank.
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
    /// The king of a side that its castling rights are for, where rights go by single rooks: its only one, or
    /// of several (kings that are not royal can be promoted to) the one that is marked.
    pub(crate) fn castling_king(&self, tables: &Tables<R::Bits>, colour: usize) -> R::Bits {
        let Some(castling) = &tables.variant.castling else { return R::Bits::EMPTY };
        let kings = self.of(castling.king) & self.colours[colour];
        if kings.many() { kings & self.rights } else { kings }
    }

    /// Updates castling rights after a move: a side keeps its rights only while one of `kings` (those that could
    /// castle before the move) is still in its place. Where a side has several kings, that king's square is marked in
    /// the rights.
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

    /// Where the king and the rook land.
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

    /// Under the rule of two squares: the mover's unmoved rooks along the rank (and the file) of its king
    /// with two or more squares between them, all empty.
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

    /// Calls `call` with every castling move that neither pieces in the way nor attacks on the squares that
    /// the king crosses forbid.
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
                // The caller has excluded castling out of check; the landing square is tested after the move, with
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
