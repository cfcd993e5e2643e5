//! The legal move generator: it generates only legal moves, without making any move to test it.
//!
//! * Check mask: in check, a piece other than the king must capture the checker or block the line from it. In
//!   double check only the king moves.
//! * Pinned pieces stay on the line between their king and the slider that pins them.
//! * King danger squares: the king does not go to squares that the enemy would attack. The king itself is taken off
//!   the board first, so that it does not hide the squares behind it from a slider.
//!
//! This holds for variants in which checks and pins decide legality ([`Tables::pins`]); all others go through
//! `pseudo_legal_moves.rs`.

use super::castling::{CastleWay, castle_way};
use super::fill;
use super::reach::modality_mask;
use super::sinks::Sink;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, Position, kind};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::Square;

/// The context shared by all moves of one position.
struct MoveContext<B> {
    us: usize,
    them: usize,
    own: B,
    enemy: B,
    occupied: B,
    /// The royal piece, if there is one.
    king: Option<Square>,
    /// The check mask: the allowed destinations of a piece that is not royal; every square if there is no check.
    check_mask: B,
}

impl<R: MoveRules> Position<R> {
    /// Passes every legal move to `sink`, in a variant with [`Tables::pins`].
    #[inline]
    pub(crate) fn generate_legal<S: Sink<R::Bits>>(&self, tables: &Tables<R::Bits>, sink: &mut S) {
        let (us, them) = (self.turn(), 1 - self.turn());
        let king = self.royal(tables, us);
        let king = king.any().then(|| king.first());
        let check_mask = match king {
            Some(king) if self.checkers.any() => {
                if self.checkers.many() {
                    R::Bits::EMPTY
                } else {
                    self.parries(tables, king, self.checkers, them)
                }
            }
            _ => R::Bits::FULL,
        };
        let (own, enemy) = (self.colours[us], self.colours[them]);
        let context = MoveContext { us, them, own, enemy, occupied: self.occupied(), king, check_mask };
        let captures_may_parry = !R::ORTHODOX && tables.blast.is_some();
        if check_mask.any() || captures_may_parry {
            self.generate_pawns(tables, &context, sink);
            if sink.done() {
                return;
            }
            self.generate_pieces(tables, &context, sink);
            if sink.done() {
                return;
            }
        }
        if let Some(king) = king {
            self.generate_king(tables, &context, king, sink);
        }
        if !R::ORTHODOX && tables.variant.drops.is_some() {
            self.generate_drops(tables, &context, sink);
        }
    }

    /// The squares among `targets` that are legal destinations of the piece on `from`, which is not royal.
    #[inline]
    fn keep_legal(
        &self,
        tables: &Tables<R::Bits>,
        context: &MoveContext<R::Bits>,
        from: Square,
        targets: R::Bits,
    ) -> R::Bits {
        let mut quiet = targets;
        let mut captures = R::Bits::EMPTY;
        if !R::ORTHODOX && tables.blast.is_some() {
            quiet &= !context.enemy;
            for to in (targets & context.enemy).squares() {
                if self.survives_blast(tables, context, from, to, R::Bits::EMPTY) {
                    captures |= R::Bits::square(to);
                }
            }
        }
        quiet &= context.check_mask;
        if self.pinned.has(from)
            && let Some(king) = context.king
        {
            quiet &= if R::ORTHODOX {
                tables.line(king, from)
            } else {
                // Not the whole line: a leaper could land on it beyond the king or beyond the pinning piece.
                tables.seen_past(king, from, context.occupied)
            };
        }
        quiet | captures
    }

    /// Whether the royal piece of the side to move is alive and not attacked after a capture on `to` has
    /// exploded. `victim` is a piece that is captured elsewhere (en passant).
    fn survives_blast(
        &self,
        tables: &Tables<R::Bits>,
        context: &MoveContext<R::Bits>,
        from: Square,
        to: Square,
        victim: R::Bits,
    ) -> bool {
        let Some(king) = context.king else { return true };
        let immune = self.of_any(tables.blast.unwrap_or(0));
        let gone = (tables.neighbours[to] & !immune) | R::Bits::square(from) | R::Bits::square(to) | victim;
        if gone.has(king) {
            return false;
        }
        let other = self.royal(tables, context.them);
        if (gone & other).any() || self.royals_touch(tables, king, context.them) {
            return true;
        }
        self.attackers(tables, king, context.them, context.occupied & !gone, context.enemy & !gone).none()
    }

    #[inline]
    fn generate_pawns<S: Sink<R::Bits>>(
        &self,
        tables: &Tables<R::Bits>,
        context: &MoveContext<R::Bits>,
        sink: &mut S,
    ) {
        let pawn = &tables.pawn;
        let pawns = self.pawns(tables) & context.own;
        for from in pawns.squares() {
            let mut targets = if R::ORTHODOX {
                // Single and double step, branch-free: a pawn that has stepped to the rank in front of its start
                // rank steps once more.
                let [open, _] = (!context.occupied).words();
                let ([from, _], [start, _]) =
                    (R::Bits::square(from).words(), pawn.double_from[context.us].words());
                let once = fill::pushed(from, context.us) & open;
                let twice = fill::pushed(once & fill::pushed(start, context.us), context.us) & open;
                R::Bits::from_words([once | twice, 0])
            } else {
                pawn.push[context.us][from] & !context.occupied
            };
            if !R::ORTHODOX && targets.any() && self.may_double_step(tables, from) {
                targets |= self.double_steps(tables, context.us, from, context.occupied);
            }
            targets |= pawn.take[context.us][from] & context.enemy;
            targets = self.keep_legal(tables, context, from, targets);
            let promoting = targets & pawn.zone[context.us];
            if promoting.any() {
                sink.promotions(from, promoting);
                if R::ORTHODOX || pawn.mandatory {
                    targets &= !promoting;
                }
            }
            sink.moves(from, targets);
        }
        if self.en_passant.any() {
            for to in self.en_passant.squares() {
                for from in (pawn.takers[context.us][to] & pawns).squares() {
                    if self.en_passant_is_legal(tables, context, from, to) {
                        sink.other(Move { from, to, what: MoveKind::EnPassant });
                    }
                }
            }
        }
    }

    fn en_passant_is_legal(
        &self,
        tables: &Tables<R::Bits>,
        context: &MoveContext<R::Bits>,
        from: Square,
        to: Square,
    ) -> bool {
        let victim = R::Bits::square(self.victim);
        let Some(king) = context.king else { return true };
        if !R::ORTHODOX && tables.blast.is_some() {
            return self.survives_blast(tables, context, from, to, victim);
        }
        let occupied = (context.occupied ^ R::Bits::square(from) ^ victim) | R::Bits::square(to);
        self.attackers(tables, king, context.them, occupied, context.enemy & !victim).none()
    }

    /// Whether some capture en passant is legal now.
    pub(crate) fn can_take_en_passant(&self, tables: &Tables<R::Bits>) -> bool {
        let (us, them) = (self.turn(), 1 - self.turn());
        let king = self.royal(tables, us);
        let context = MoveContext {
            us,
            them,
            own: self.colours[us],
            enemy: self.colours[them],
            occupied: self.occupied(),
            king: king.any().then(|| king.first()),
            check_mask: R::Bits::FULL,
        };
        let pawns = self.pawns(tables) & context.own;
        self.en_passant.squares().any(|to| {
            (tables.pawn.takers[us][to] & pawns)
                .squares()
                .any(|from| self.en_passant_is_legal(tables, &context, from, to))
        })
    }

    #[inline]
    fn generate_pieces<S: Sink<R::Bits>>(
        &self,
        tables: &Tables<R::Bits>,
        context: &MoveContext<R::Bits>,
        sink: &mut S,
    ) {
        // Pieces with overlapping movements are generated piece by piece, so that no move occurs twice; all others
        // movement by movement.
        let mixed = if R::ORTHODOX { R::Bits::EMPTY } else { self.of_any(tables.mixed) };
        let own = context.own & !mixed;
        let mut emit = |from: Square, reach: R::Bits| {
            sink.moves(from, self.keep_legal(tables, context, from, reach));
        };
        let open = if R::ORTHODOX { !own } else { tables.board & !context.own & !self.neutral };
        if R::ORTHODOX {
            for from in (self.of(kind::KNIGHT) & own & !self.pinned).squares() {
                emit(from, tables.leaps[0].targets[0][from] & open);
            }
        } else {
            let royal = self.royal(tables, context.us);
            for leap in &tables.leaps {
                let onto = modality_mask(leap.modality, open, context.enemy, context.occupied);
                for from in (self.of_any(leap.kinds) & own & !royal).squares() {
                    emit(from, leap.targets[context.us][from] & onto);
                }
            }
            for rider in &tables.riders {
                let onto = modality_mask(rider.modality, open, context.enemy, context.occupied);
                for from in (self.of_any(rider.kinds) & own).squares() {
                    emit(from, rider.reach(context.us, from, context.occupied) & onto);
                }
            }
            for from in (mixed & context.own & !royal).squares() {
                let reach =
                    self.reach(tables, context.us, self.kind_at(from).unwrap_or(0), from, context.occupied);
                emit(from, reach.onto(open, context.enemy, context.occupied));
            }
        }
        for from in (self.diagonal(tables) & own).squares() {
            emit(from, tables.rays[from].diagonal(context.occupied) & open);
        }
        for from in (self.orthogonal(tables) & own).squares() {
            emit(from, tables.rays[from].orthogonal(context.occupied) & open);
        }
    }

    #[inline]
    fn generate_king<S: Sink<R::Bits>>(
        &self,
        tables: &Tables<R::Bits>,
        context: &MoveContext<R::Bits>,
        king: Square,
        sink: &mut S,
    ) {
        let mut reach = R::Bits::EMPTY;
        if R::ORTHODOX {
            reach = tables.leaps[1].targets[0][king] & !context.own;
        } else {
            let bit = 1 << tables.royal.unwrap_or(0);
            let open = tables.board & !context.own & !self.neutral;
            let takes = if tables.blast.is_some() { R::Bits::EMPTY } else { context.enemy };
            for leap in tables.leaps.iter().filter(|l| l.kinds & bit != 0) {
                reach |= leap.targets[context.us][king]
                    & modality_mask(leap.modality, open & (takes | !context.enemy), takes, context.occupied);
            }
        }
        let castles = || self.open_castle_ways(tables, context, king);
        if reach.none() && castles().next().is_none() {
            return;
        }
        let mut safe = !self.attacked(tables, context.them, context.occupied ^ R::Bits::square(king));
        if !R::ORTHODOX && tables.blast.is_some() {
            for other in self.royal(tables, context.them).squares() {
                safe |= tables.neighbours[other];
            }
        }
        sink.moves(king, reach & safe);
        for (rook, way) in castles() {
            let (from, with) = (R::Bits::square(king), R::Bits::square(rook));
            let landed =
                (context.occupied & !(from | with)) | R::Bits::square(way.king) | R::Bits::square(way.rook);
            // The square it lands on is tested with the rook in its new place, which may shield the king.
            let crossed = R::Bits::span(king, way.king) & !R::Bits::square(way.king);
            if (crossed & !safe).none()
                && (self.royals_touch(tables, way.king, context.them)
                    || self.attackers(tables, way.king, context.them, landed, context.enemy).none())
            {
                sink.other(Move { from: king, to: rook, what: MoveKind::Castle });
            }
        }
    }

    /// The rooks that may castle with the king, and their castling ways. No piece is in their way, but attacks may
    /// be.
    #[inline]
    fn open_castle_ways(
        &self,
        tables: &Tables<R::Bits>,
        context: &MoveContext<R::Bits>,
        king: Square,
    ) -> impl Iterator<Item = (Square, CastleWay<R::Bits>)> {
        let rooks = if self.checkers.any() { R::Bits::EMPTY } else { self.rights & context.own };
        let others = context.occupied ^ R::Bits::square(king);
        rooks.squares().filter_map(move |rook| {
            let castling = tables.variant.castling.as_ref()?;
            let way = castle_way::<R>(tables, castling, king, rook)?;
            (way.crossed & others & !R::Bits::square(rook)).none().then_some((rook, way))
        })
    }

    fn generate_drops<S: Sink<R::Bits>>(
        &self,
        tables: &Tables<R::Bits>,
        context: &MoveContext<R::Bits>,
        sink: &mut S,
    ) {
        let Some(drops) = &tables.variant.drops else { return };
        for (slot, &kind) in drops.kinds.iter().enumerate() {
            if self.pockets[context.us][usize::from(kind)] > 0 {
                let targets = tables.droppable[slot][context.us] & !context.occupied & context.check_mask;
                if targets.any() {
                    sink.drops(slot, targets);
                }
            }
        }
    }
}
