//! Legal moves where legality follows from checks and pins: the fast path.
//!
//! Variants with rules that checks and pins do not tell (see [`Tables::pins`]) go through `trial.rs`.

use super::castling::{CastleWay, castle_way};
use super::fill;
use super::reach::modality_mask;
use super::sinks::Sink;
use crate::games::chess::board::bitboard::Bitboard;
use crate::games::chess::board::moves::{Move, MoveKind};
use crate::games::chess::board::position::{MoveRules, Position, kind};
use crate::games::chess::tables::Tables;
use crate::games::chess::variant::schema::Square;

/// What the moves of one position have in common.
struct Frame<B> {
    us: usize,
    them: usize,
    own: B,
    enemy: B,
    occupied: B,
    /// The royal piece, if there is one.
    king: Option<Square>,
    /// Where a piece that is not royal must go to parry a check.
    mask: B,
}

impl<R: MoveRules> Position<R> {
    /// Hands every legal move to `sink`, in a variant with [`Tables::pins`].
    #[inline]
    pub(crate) fn generate_legal<S: Sink<R::Bits>>(&self, tables: &Tables<R::Bits>, sink: &mut S) {
        let (us, them) = (self.turn(), 1 - self.turn());
        let king = self.royal(tables, us);
        let king = king.any().then(|| king.first());
        let mask = match king {
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
        let frame = Frame { us, them, own, enemy, occupied: self.occupied(), king, mask };
        let captures_may_parry = !R::ORTHODOX && tables.blast.is_some();
        if mask.any() || captures_may_parry {
            self.generate_pawns(tables, &frame, sink);
            if sink.done() {
                return;
            }
            self.generate_pieces(tables, &frame, sink);
            if sink.done() {
                return;
            }
        }
        if let Some(king) = king {
            self.generate_king(tables, &frame, king, sink);
        }
        if !R::ORTHODOX && tables.variant.drops.is_some() {
            self.generate_drops(tables, &frame, sink);
        }
    }

    /// Which of `targets` a piece that is not royal may go to from `from`.
    #[inline]
    fn keep_legal(
        &self,
        tables: &Tables<R::Bits>,
        frame: &Frame<R::Bits>,
        from: Square,
        targets: R::Bits,
    ) -> R::Bits {
        let mut quiet = targets;
        let mut captures = R::Bits::EMPTY;
        if !R::ORTHODOX && tables.blast.is_some() {
            quiet &= !frame.enemy;
            for to in (targets & frame.enemy).squares() {
                if self.survives_blast(tables, frame, from, to, R::Bits::EMPTY) {
                    captures |= R::Bits::square(to);
                }
            }
        }
        quiet &= frame.mask;
        if self.pinned.has(from)
            && let Some(king) = frame.king
        {
            quiet &= if R::ORTHODOX {
                tables.line(king, from)
            } else {
                // A leap could go on along the line, beyond the king or the attacker.
                tables.seen_past(king, from, frame.occupied)
            };
        }
        quiet | captures
    }

    /// Whether the mover's royal piece is alive and safe after a capture on `to` explodes.
    fn survives_blast(
        &self,
        tables: &Tables<R::Bits>,
        frame: &Frame<R::Bits>,
        from: Square,
        to: Square,
        victim: R::Bits,
    ) -> bool {
        let Some(king) = frame.king else { return true };
        let immune = self.of_any(tables.blast.unwrap_or(0));
        let gone = (tables.neighbours[to] & !immune) | R::Bits::square(from) | R::Bits::square(to) | victim;
        if gone.has(king) {
            return false;
        }
        let other = self.royal(tables, frame.them);
        if (gone & other).any() || self.royals_touch(tables, king, frame.them) {
            return true;
        }
        self.attackers(tables, king, frame.them, frame.occupied & !gone, frame.enemy & !gone).none()
    }

    #[inline]
    fn generate_pawns<S: Sink<R::Bits>>(
        &self,
        tables: &Tables<R::Bits>,
        frame: &Frame<R::Bits>,
        sink: &mut S,
    ) {
        let pawn = &tables.pawn;
        let pawns = self.pawns(tables) & frame.own;
        for from in pawns.squares() {
            let mut targets = if R::ORTHODOX {
                // Both steps ahead, without asking whether there is a second one.
                let [open, _] = (!frame.occupied).words();
                let ([from, _], [start, _]) =
                    (R::Bits::square(from).words(), pawn.double_from[frame.us].words());
                let once = fill::pushed(from, frame.us) & open;
                let twice = fill::pushed(once & fill::pushed(start, frame.us), frame.us) & open;
                R::Bits::from_words([once | twice, 0])
            } else {
                pawn.push[frame.us][from] & !frame.occupied
            };
            if !R::ORTHODOX && targets.any() && self.may_double_step(tables, from) {
                targets |= self.double_steps(tables, frame.us, from, frame.occupied);
            }
            targets |= pawn.take[frame.us][from] & frame.enemy;
            targets = self.keep_legal(tables, frame, from, targets);
            let promoting = targets & pawn.zone[frame.us];
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
                for from in (pawn.takers[frame.us][to] & pawns).squares() {
                    if self.en_passant_is_legal(tables, frame, from, to) {
                        sink.other(Move { from, to, what: MoveKind::EnPassant });
                    }
                }
            }
        }
    }

    fn en_passant_is_legal(
        &self,
        tables: &Tables<R::Bits>,
        frame: &Frame<R::Bits>,
        from: Square,
        to: Square,
    ) -> bool {
        let victim = R::Bits::square(self.victim);
        let Some(king) = frame.king else { return true };
        if !R::ORTHODOX && tables.blast.is_some() {
            return self.survives_blast(tables, frame, from, to, victim);
        }
        let occupied = (frame.occupied ^ R::Bits::square(from) ^ victim) | R::Bits::square(to);
        self.attackers(tables, king, frame.them, occupied, frame.enemy & !victim).none()
    }

    /// Whether some capture en passant is legal now.
    pub(crate) fn can_take_en_passant(&self, tables: &Tables<R::Bits>) -> bool {
        let (us, them) = (self.turn(), 1 - self.turn());
        let king = self.royal(tables, us);
        let frame = Frame {
            us,
            them,
            own: self.colours[us],
            enemy: self.colours[them],
            occupied: self.occupied(),
            king: king.any().then(|| king.first()),
            mask: R::Bits::FULL,
        };
        let pawns = self.pawns(tables) & frame.own;
        self.en_passant.squares().any(|to| {
            (tables.pawn.takers[us][to] & pawns)
                .squares()
                .any(|from| self.en_passant_is_legal(tables, &frame, from, to))
        })
    }

    #[inline]
    fn generate_pieces<S: Sink<R::Bits>>(
        &self,
        tables: &Tables<R::Bits>,
        frame: &Frame<R::Bits>,
        sink: &mut S,
    ) {
        // What goes to one square in two ways is gathered piece by piece, everything else movement by movement.
        let mixed = if R::ORTHODOX { R::Bits::EMPTY } else { self.of_any(tables.mixed) };
        let own = frame.own & !mixed;
        let mut emit = |from: Square, reach: R::Bits| {
            sink.moves(from, self.keep_legal(tables, frame, from, reach));
        };
        let open = if R::ORTHODOX { !own } else { tables.board & !frame.own & !self.neutral };
        if R::ORTHODOX {
            for from in (self.of(kind::KNIGHT) & own & !self.pinned).squares() {
                emit(from, tables.leaps[0].targets[0][from] & open);
            }
        } else {
            let royal = self.royal(tables, frame.us);
            for leap in &tables.leaps {
                let onto = modality_mask(leap.modality, open, frame.enemy, frame.occupied);
                for from in (self.of_any(leap.kinds) & own & !royal).squares() {
                    emit(from, leap.targets[frame.us][from] & onto);
                }
            }
            for rider in &tables.riders {
                let onto = modality_mask(rider.modality, open, frame.enemy, frame.occupied);
                for from in (self.of_any(rider.kinds) & own).squares() {
                    emit(from, rider.reach(frame.us, from, frame.occupied) & onto);
                }
            }
            for from in (mixed & frame.own & !royal).squares() {
                let reach =
                    self.reach(tables, frame.us, self.kind_at(from).unwrap_or(0), from, frame.occupied);
                emit(from, reach.onto(open, frame.enemy, frame.occupied));
            }
        }
        for from in (self.diagonal(tables) & own).squares() {
            emit(from, tables.rays[from].diagonal(frame.occupied) & open);
        }
        for from in (self.orthogonal(tables) & own).squares() {
            emit(from, tables.rays[from].orthogonal(frame.occupied) & open);
        }
    }

    #[inline]
    fn generate_king<S: Sink<R::Bits>>(
        &self,
        tables: &Tables<R::Bits>,
        frame: &Frame<R::Bits>,
        king: Square,
        sink: &mut S,
    ) {
        let mut reach = R::Bits::EMPTY;
        if R::ORTHODOX {
            reach = tables.leaps[1].targets[0][king] & !frame.own;
        } else {
            let bit = 1 << tables.royal.unwrap_or(0);
            let open = tables.board & !frame.own & !self.neutral;
            let takes = if tables.blast.is_some() { R::Bits::EMPTY } else { frame.enemy };
            for leap in tables.leaps.iter().filter(|l| l.kinds & bit != 0) {
                reach |= leap.targets[frame.us][king]
                    & modality_mask(leap.modality, open & (takes | !frame.enemy), takes, frame.occupied);
            }
        }
        let castles = || self.open_castle_ways(tables, frame, king);
        if reach.none() && castles().next().is_none() {
            return;
        }
        let mut safe = !self.attacked(tables, frame.them, frame.occupied ^ R::Bits::square(king));
        if !R::ORTHODOX && tables.blast.is_some() {
            for other in self.royal(tables, frame.them).squares() {
                safe |= tables.neighbours[other];
            }
        }
        sink.moves(king, reach & safe);
        for (rook, way) in castles() {
            let (from, with) = (R::Bits::square(king), R::Bits::square(rook));
            let landed =
                (frame.occupied & !(from | with)) | R::Bits::square(way.king) | R::Bits::square(way.rook);
            // Where it lands is judged with the rook in its new place, which may shield it there.
            let crossed = R::Bits::span(king, way.king) & !R::Bits::square(way.king);
            if (crossed & !safe).none()
                && (self.royals_touch(tables, way.king, frame.them)
                    || self.attackers(tables, way.king, frame.them, landed, frame.enemy).none())
            {
                sink.other(Move { from: king, to: rook, what: MoveKind::Castle });
            }
        }
    }

    /// The rooks that may castle with the king, and how; nothing is in their way, but attacks may be.
    #[inline]
    fn open_castle_ways(
        &self,
        tables: &Tables<R::Bits>,
        frame: &Frame<R::Bits>,
        king: Square,
    ) -> impl Iterator<Item = (Square, CastleWay<R::Bits>)> {
        let rooks = if self.checkers.any() { R::Bits::EMPTY } else { self.rights & frame.own };
        let others = frame.occupied ^ R::Bits::square(king);
        rooks.squares().filter_map(move |rook| {
            let castling = tables.variant.castling.as_ref()?;
            let way = castle_way::<R>(tables, castling, king, rook)?;
            (way.crossed & others & !R::Bits::square(rook)).none().then_some((rook, way))
        })
    }

    fn generate_drops<S: Sink<R::Bits>>(
        &self,
        tables: &Tables<R::Bits>,
        frame: &Frame<R::Bits>,
        sink: &mut S,
    ) {
        let Some(drops) = &tables.variant.drops else { return };
        for (slot, &kind) in drops.kinds.iter().enumerate() {
            if self.pockets[frame.us][usize::from(kind)] > 0 {
                let targets = tables.droppable[slot][frame.us] & !frame.occupied & frame.mask;
                if targets.any() {
                    sink.drops(slot, targets);
                }
            }
        }
    }
}
