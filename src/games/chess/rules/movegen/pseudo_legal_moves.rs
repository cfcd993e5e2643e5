//! The pseudo-legal move generator, for variants in which checks and pins do not decide legality.
//!
//! It generates pseudo-legal moves: all moves by the movement of a piece and by the rules of the variant, even if
//! they leave the royal piece attacked. Each is then tested by copy-make: the move is made on a copy of the
//! position, and it is legal if the enemy cannot take the royal piece there, by any rule of the variant.

use super::sinks::Sink;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, Position, phase};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::Square;

impl<R: MoveRules> Position<R> {
    /// Passes every legal move to `sink`, one by one: each pseudo-legal move is tested.
    pub(crate) fn generate_by_test<S: Sink<R::Bits>>(&self, tables: &Tables<R::Bits>, sink: &mut S) {
        if self.fallen != 0 {
            return;
        }
        let filters = &tables.variant.filters;
        let free = self.phase == phase::MOVE;
        let only_en_passant = free && filters.must_en_passant && self.has_pseudo_legal_en_passant(tables);
        let mut kept = Vec::new();
        let mut must_capture = false;
        self.each_pseudo_legal(tables, &mut |mv| {
            if sink.done()
                || (only_en_passant && mv.what != MoveKind::EnPassant)
                || (must_capture && !self.is_capture(mv))
                || !R::hook_filter(self, mv)
                || !self.is_legal(tables, mv)
            {
                return;
            }
            if filters.must_capture && free {
                must_capture |= self.is_capture(mv);
                kept.push(mv);
            } else {
                sink.other(mv);
            }
        });
        for mv in kept {
            if !must_capture || self.is_capture(mv) {
                sink.other(mv);
            }
        }
    }

    /// Whether some capture en passant is legal, each tested on a copy.
    pub(crate) fn can_take_en_passant_by_test(&self, tables: &Tables<R::Bits>) -> bool {
        let mut found = false;
        self.each_pseudo_legal_en_passant(tables, &mut |mv| found |= self.is_legal(tables, mv));
        found
    }

    /// Copy-make test: whether a pseudo-legal move leaves the own royal piece safe, and does not give check in a
    /// variant that forbids checks.
    fn is_legal(&self, tables: &Tables<R::Bits>, mv: Move) -> bool {
        let filters = &tables.variant.filters;
        if tables.royal.is_none() || self.phase == phase::PLACE {
            return true;
        }
        let us = self.turn();
        let mut next = *self;
        next.apply(tables, mv);
        if next.fallen >> (1 - us) & 1 == 1 {
            return true;
        }
        if filters.no_checks && next.royal_attackers(tables, 1 - us).any() {
            return false;
        }
        if next.royal_attackers(tables, us).none() {
            return true;
        }
        // An enemy that is obliged to capture en passant cannot take the royal piece instead.
        next.turn ^= 1;
        filters.must_en_passant && next.has_pseudo_legal_en_passant(tables)
    }

    fn is_capture(&self, mv: Move) -> bool {
        match mv.what {
            MoveKind::EnPassant | MoveKind::Swipe | MoveKind::Swap | MoveKind::Summon => true,
            MoveKind::Castle | MoveKind::Merge => false,
            _ => self.enemy().has(mv.to),
        }
    }

    /// Calls `call` with every pseudo-legal move.
    fn each_pseudo_legal(&self, tables: &Tables<R::Bits>, call: &mut dyn FnMut(Move)) {
        let variant = &tables.variant;
        let us = self.turn();
        let occupied = self.occupied();
        match self.phase {
            phase::PLACE => {
                for to in (tables.board & !occupied).squares() {
                    call(Move { from: to, to, what: MoveKind::Place });
                }
                return;
            }
            phase::BOOST => {
                self.each_pseudo_legal_of(tables, self.phase_square, call);
                return;
            }
            _ => {}
        }
        for from in self.own().squares() {
            self.each_pseudo_legal_of(tables, from, call);
        }
        if R::HOOKED {
            self.each_pseudo_legal_of_hook(tables, call);
        }
        self.each_pseudo_legal_en_passant(tables, call);
        self.each_pseudo_legal_castling(tables, call);
        for (a, b) in self.swap_pairs(tables, us) {
            // A swap could be written from either square: it is written from the lower one, from the mover's point
            // of view.
            let (from, to) = if us == 1 && a % variant.width == b % variant.width { (b, a) } else { (a, b) };
            call(Move { from, to, what: MoveKind::Swap });
        }
        if let Some(summon) = variant.generators.summon.filter(|s| self.enemy().has(s.square)) {
            call(Move { from: summon.square, to: summon.square, what: MoveKind::Summon });
        }
        if let Some(drops) = &variant.drops {
            for (slot, &kind) in drops.kinds.iter().enumerate() {
                if self.pockets[us][usize::from(kind)] > 0 {
                    for to in (tables.droppable[slot][us] & !occupied).squares() {
                        call(Move { from: to, to, what: MoveKind::Drop(kind) });
                    }
                }
            }
        }
        if variant.turn.pass {
            call(Move { from: 0, to: 0, what: MoveKind::Pass });
        }
    }

    /// Plain moves that a hook adds to the piece's own.
    fn each_pseudo_legal_of_hook(&self, tables: &Tables<R::Bits>, call: &mut dyn FnMut(Move)) {
        let mut added: Vec<Move> = Vec::new();
        R::hook_generate(self, &mut |mv| {
            let inside = |square: Square| tables.board.has_in_range(square);
            let fits = mv.what == MoveKind::Plain && inside(mv.from) && inside(mv.to);
            if fits && self.own().has(mv.from) && !(self.own() | self.neutral).has(mv.to) {
                added.push(mv);
            }
        });
        added.sort_unstable();
        added.dedup();
        for mv in added {
            let mut known = false;
            self.each_pseudo_legal_of(tables, mv.from, &mut |own| known |= own.to == mv.to);
            if !known {
                call(mv);
            }
        }
    }

    /// Moves of the piece on `from` by its own movement, and by rules about its kind.
    fn each_pseudo_legal_of(&self, tables: &Tables<R::Bits>, from: Square, call: &mut dyn FnMut(Move)) {
        let Some(kind) = self.kind_at(from) else { return };
        let (us, own, enemy, occupied) = (self.turn(), self.own(), self.enemy(), self.occupied());
        let generators = &tables.variant.generators;
        let open = tables.board & !own & !self.neutral & !tables.forbidden[us][usize::from(kind)];
        let reach = self.reach(tables, us, kind, from, occupied);
        let pawn = tables.pawn.kind == Some(kind);
        let mut targets = reach.onto(open, enemy, occupied);
        if pawn {
            let mut doubles = R::Bits::EMPTY;
            if self.may_double_step(tables, from) && (reach.quiet & !occupied).any() {
                doubles = self.double_steps(tables, us, from, occupied) & open & !targets;
            }
            for to in (doubles & !tables.pawn.zone[us]).squares() {
                call(Move { from, to, what: MoveKind::DoubleStep });
            }
            let promoting = (targets | doubles) & tables.pawn.zone[us];
            let choices = self.open_choices(tables);
            for to in promoting.squares() {
                for &choice in tables.pawn.choices.iter().filter(|c| choices >> **c & 1 == 1) {
                    call(Move { from, to, what: MoveKind::Promote(choice) });
                }
            }
            if tables.pawn.mandatory && choices != 0 {
                targets &= !promoting;
            }
        }
        for to in targets.squares() {
            call(Move { from, to, what: MoveKind::Plain });
        }
        for merge in generators.merges.iter().filter(|m| m.mover == kind) {
            for to in (reach.both & own & self.of(merge.onto)).squares() {
                call(Move { from, to, what: MoveKind::Merge });
            }
        }
        if self.unmoved.has(from) {
            for leap in generators.leap_captures.iter().filter(|l| l.kind == kind) {
                let (lower, upper) = tables.rays[from].line[1];
                for to in ((lower | upper) & self.of(leap.victim) & enemy & !targets).squares() {
                    call(Move { from, to, what: MoveKind::Swipe });
                }
            }
        }
        if let Some(split) = generators.split.as_ref().filter(|s| s.kind == kind) {
            self.each_pseudo_legal_split(tables, from, split.into.len(), call);
        }
    }
}
