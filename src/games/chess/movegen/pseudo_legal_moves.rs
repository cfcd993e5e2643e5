//! Legal moves by trying each: for rules that checks and pins do not tell.
//!
//! A move is legal when no enemy option, with the rules of the variant applied, could take the royal piece
//! after it.

use super::legal_moves::{Sink, castle_way};
use crate::games::chess::board::bitboard::Bitboard;
use crate::games::chess::board::moves::{Move, MoveKind};
use crate::games::chess::board::position::{MoveRules, Position, phase};
use crate::games::chess::tables::{KindSet, Tables};
use crate::games::chess::variant::schema::{CastlingRule, DoubleStep, Modality, PieceKind, Square};

impl<R: MoveRules> Position<R> {
    /// Hands every legal move to `sink`, one by one.
    pub(crate) fn generate_by_trial<S: Sink<R::Bits>>(&self, tables: &Tables<R::Bits>, sink: &mut S) {
        if self.fallen != 0 {
            return;
        }
        let filters = &tables.variant.filters;
        let free = self.phase == phase::MOVE;
        let only_en_passant = free && filters.must_en_passant && self.has_pseudo_en_passant(tables);
        let mut kept = Vec::new();
        let mut must_capture = false;
        self.each_pseudo(tables, &mut |mv| {
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

    /// Whether some capture en passant is legal.
    pub(crate) fn trial_en_passant(&self, tables: &Tables<R::Bits>) -> bool {
        let mut found = false;
        self.each_en_passant(tables, &mut |mv| found |= self.is_legal(tables, mv));
        found
    }

    fn has_pseudo_en_passant(&self, tables: &Tables<R::Bits>) -> bool {
        let mut found = false;
        self.each_en_passant(tables, &mut |_| found = true);
        found
    }

    /// Whether a pseudo-legal move leaves the royal piece safe, and the enemy's where it has to be.
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
        // Who must take en passant cannot take a king.
        next.turn ^= 1;
        filters.must_en_passant && next.has_pseudo_en_passant(tables)
    }

    fn is_capture(&self, mv: Move) -> bool {
        match mv.what {
            MoveKind::EnPassant | MoveKind::Swipe | MoveKind::Swap | MoveKind::Summon => true,
            MoveKind::Castle | MoveKind::Merge => false,
            _ => self.enemy().has(mv.to),
        }
    }

    /// Every move that is legal but for the safety of the royal piece.
    fn each_pseudo(&self, tables: &Tables<R::Bits>, call: &mut dyn FnMut(Move)) {
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
                self.each_of_piece(tables, self.phase_square, call);
                return;
            }
            _ => {}
        }
        for from in self.own().squares() {
            self.each_of_piece(tables, from, call);
        }
        if R::HOOKED {
            self.each_hooked(tables, call);
        }
        self.each_en_passant(tables, call);
        self.each_castling(tables, call);
        for (a, b) in self.swap_pairs(tables, us) {
            // Of the two ways to write it, from the lower square as the mover sees the board.
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

    /// Plain moves that a hook adds and the piece does not have anyway.
    fn each_hooked(&self, tables: &Tables<R::Bits>, call: &mut dyn FnMut(Move)) {
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
            self.each_of_piece(tables, mv.from, &mut |own| known |= own.to == mv.to);
            if !known {
                call(mv);
            }
        }
    }

    /// Moves of the piece on `from` by its own movement, and by rules about its kind.
    fn each_of_piece(&self, tables: &Tables<R::Bits>, from: Square, call: &mut dyn FnMut(Move)) {
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
            self.each_split(tables, from, split.into.len(), call);
        }
    }

    fn each_split(&self, tables: &Tables<R::Bits>, from: Square, parts: usize, call: &mut dyn FnMut(Move)) {
        let occupied = self.occupied();
        let foreign = (self.enemy() | self.neutral) & tables.board;
        for direction in 0..4u8 {
            let line = tables.rays[from].line[usize::from(direction % 2)];
            let ray = if direction < 2 { line.1 } else { line.0 };
            let reach = tables.rays[from].orthogonal(occupied) & ray;
            let run = reach & !occupied;
            if run.count() as usize >= parts
                && (reach & foreign).none()
                && let Some(to) = self.split_end(tables, from, direction)
            {
                call(Move { from, to, what: MoveKind::Split(direction) });
            }
        }
    }

    /// Whether the pawn on `from` is where, or what, may step twice.
    pub(crate) fn may_double_step(&self, tables: &Tables<R::Bits>, from: Square) -> bool {
        let fresh = tables.tracks_unmoved && self.unmoved.has(from);
        match tables.variant.pawn.double_step {
            DoubleStep::Never => false,
            DoubleStep::Unmoved => fresh,
            DoubleStep::Squares(_) => {
                tables.pawn.double_from[self.turn()].has(from) || (tables.pawns_appear && fresh)
            }
        }
    }

    fn each_en_passant(&self, tables: &Tables<R::Bits>, call: &mut dyn FnMut(Move)) {
        let us = self.turn();
        for to in (self.en_passant & !self.occupied()).squares() {
            for from in (tables.pawn.takers[us][to] & self.pawns(tables) & self.own()).squares() {
                call(Move { from, to, what: MoveKind::EnPassant });
            }
        }
    }

    fn each_castling(&self, tables: &Tables<R::Bits>, call: &mut dyn FnMut(Move)) {
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
                // Where it stands it is not in check; where it lands is judged once the rook has moved.
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

    /// Own pairs of `side` that could swap and take what is between them; the lower square first.
    pub(crate) fn swap_pairs(
        &self,
        tables: &Tables<R::Bits>,
        side: usize,
    ) -> impl Iterator<Item = (Square, Square)> {
        let (own, enemy) = (self.colours[side], self.colours[1 - side]);
        let width = tables.variant.width;
        tables.variant.generators.swap_captures.iter().flat_map(move |swap| {
            let pieces = self.of(swap.kind) & own;
            pieces.squares().flat_map(move |a| {
                let upward = tables.rays[a].line[0].1 | tables.rays[a].line[1].1;
                (upward & pieces).squares().filter_map(move |b| {
                    let apart = b - a == swap.distance && b / width == a / width
                        || b - a == swap.distance * width && b % width == a % width;
                    let between = tables.between(a, b);
                    (apart && between.any() && (between & !enemy).none()).then_some((a, b))
                })
            })
        })
    }

    /// What the movement of a piece reaches, by what it may do there.
    pub(crate) fn reach(
        &self,
        tables: &Tables<R::Bits>,
        us: usize,
        kind: PieceKind,
        from: Square,
        occupied: R::Bits,
    ) -> Reach<R::Bits> {
        let is = |set: KindSet| set >> kind & 1 == 1;
        let mut reach = Reach { both: R::Bits::EMPTY, quiet: R::Bits::EMPTY, takes: R::Bits::EMPTY };
        if is(tables.orthogonal) {
            reach.both |= tables.rays[from].orthogonal(occupied);
        }
        if is(tables.diagonal) {
            reach.both |= tables.rays[from].diagonal(occupied);
        }
        for leap in tables.leaps.iter().filter(|l| is(l.kinds) && (!l.initial || self.unmoved.has(from))) {
            reach.add(leap.modality, leap.targets[us][from]);
        }
        for rider in tables.riders.iter().filter(|r| is(r.kinds) && (!r.initial || self.unmoved.has(from))) {
            reach.add(rider.modality, rider.reach(us, from, occupied));
        }
        if tables.pawn.kind == Some(kind) {
            reach.quiet |= tables.pawn.push[us][from];
            reach.takes |= tables.pawn.take[us][from];
        }
        reach
    }
}

/// Squares that a movement reaches: for anything, for going there only, for taking only.
pub(crate) struct Reach<B> {
    both: B,
    quiet: B,
    takes: B,
}

impl<B: Bitboard> Reach<B> {
    /// What it leads to of the `open` squares.
    pub(crate) fn onto(&self, open: B, enemy: B, occupied: B) -> B {
        open & (self.both | (self.quiet & !occupied) | (self.takes & enemy))
    }

    fn add(&mut self, modality: Modality, squares: B) {
        *match modality {
            Modality::Both => &mut self.both,
            Modality::Move => &mut self.quiet,
            Modality::Capture => &mut self.takes,
        } |= squares;
    }
}
