//! Who attacks what: checks, pins, and the lines between squares.

use super::fill;
use crate::games::chess::board::bitboard::Bitboard;
use crate::games::chess::board::position::{MoveRules, Position, kind};
use crate::games::chess::tables::Tables;
use crate::games::chess::variant::schema::{Modality, Square};

impl<B: Bitboard> Tables<B> {
    /// The squares strictly between two squares of a line; none when they share no line.
    #[inline]
    pub(crate) fn between(&self, a: Square, b: Square) -> B {
        for (here, there) in self.rays[a].line.iter().zip(&self.rays[b].line) {
            if here.0.has(b) {
                return here.0 & there.1;
            }
            if here.1.has(b) {
                return here.1 & there.0;
            }
        }
        B::EMPTY
    }

    /// The squares from `a` (not included) toward `b` and beyond it up to the next occupied one; none when they share no line.
    pub(crate) fn seen_past(&self, a: Square, b: Square, occupied: B) -> B {
        let rays = &self.rays[a];
        let mut halves = rays.line.iter().flat_map(|line| [line.0, line.1]);
        let half = halves.find(|half| half.has(b)).unwrap_or(B::EMPTY);
        let others = occupied & !B::square(b);
        (rays.orthogonal(others) | rays.diagonal(others)) & half
    }

    /// The whole line through two squares but for the first; none when they share no line.
    #[inline]
    pub(crate) fn line(&self, a: Square, b: Square) -> B {
        self.rays[a].line.iter().map(|l| l.0 | l.1).find(|l| l.has(b)).unwrap_or(B::EMPTY)
    }
}

impl<R: MoveRules> Position<R> {
    /// All that slide like rooks, of both colours.
    #[inline]
    pub(crate) fn orthogonal(&self, tables: &Tables<R::Bits>) -> R::Bits {
        if R::ORTHODOX { self.of(kind::ROOK) | self.of(kind::QUEEN) } else { self.of_any(tables.orthogonal) }
    }
    /// All that slide like bishops, of both colours.
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
    /// The royal piece of a side; a set of none or one in any position that play accepts.
    #[inline]
    pub(crate) fn royal(&self, tables: &Tables<R::Bits>, colour: usize) -> R::Bits {
        let kings = if R::ORTHODOX {
            self.of(kind::KING)
        } else {
            tables.royal.map_or(R::Bits::EMPTY, |k| self.of(k))
        };
        kings & self.colours[colour]
    }

    /// The pieces of `by` that could take on `square` by their own movement, if `occupied` blocked and only
    /// `alive` pieces were there.
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
            // Whoever captures blows up, which a royal piece must not.
            found &= !self.royal(tables, by);
        }
        for (kind, _) in &tables.variant.filters.forbidden {
            if tables.forbidden[by][usize::from(*kind)].has(square) {
                found &= !self.of(*kind);
            }
        }
        found
    }

    /// Those pieces that stand on squares of `among`, by how they move in orthodox chess.
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

    /// The squares that pieces of `by` could take on by their own movement, if `occupied` blocked; in a variant
    /// with [`Tables::pins`].
    #[inline]
    pub(crate) fn attacked(&self, tables: &Tables<R::Bits>, by: usize, occupied: R::Bits) -> R::Bits {
        let side = self.colours[by];
        if R::ORTHODOX {
            let attacked = fill::attacked(self.pieces_by_movement(side), by, occupied.words()[0]);
            return R::Bits::from_words([attacked, 0]);
        }
        let mut found = R::Bits::EMPTY;
        let mut leaping = |pieces: R::Bits, targets: &<R::Bits as Bitboard>::Table<R::Bits>| {
            for from in pieces.squares() {
                found |= targets[from];
            }
        };
        leaping(self.pawns(tables) & side, &tables.pawn.take[by]);
        for leap in tables.leaps.iter().filter(|l| l.modality != Modality::Move) {
            // Whoever captures blows up, which a royal piece must not.
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

    /// The pieces of the other side that could take the royal piece of `us`, by their own movement or by a
    /// rule of the variant.
    pub(crate) fn royal_attackers(&self, tables: &Tables<R::Bits>, us: usize) -> R::Bits {
        let king = self.royal(tables, us);
        if king.none() {
            return R::Bits::EMPTY;
        }
        let (king, them) = (king.first(), 1 - us);
        if self.royals_touch(tables, king, them) {
            return R::Bits::EMPTY;
        }
        let enemy = self.colours[them];
        let mut found = self.attackers(tables, king, them, self.occupied(), enemy);
        if R::HOOKED && R::hook_attacks(self, king, them) {
            found |= enemy;
        }
        let generators = &tables.variant.generators;
        if generators.summon.is_some_and(|summon| summon.square == king) {
            found |= enemy;
        }
        for (a, b) in self.swap_pairs(tables, them) {
            if tables.between(a, b).has(king) {
                found |= R::Bits::square(a) | R::Bits::square(b);
            }
        }
        for leap in generators.leap_captures.iter().filter(|l| Some(l.victim) == tables.royal) {
            let (lower, upper) = tables.rays[king].line[1];
            found |= (lower | upper) & self.of(leap.kind) & self.unmoved & enemy;
        }
        found
    }

    /// Whether the two royal pieces stand side by side in a variant with explosions, where neither can be
    /// taken then without blowing up the other.
    #[inline]
    pub(crate) fn royals_touch(&self, tables: &Tables<R::Bits>, king: Square, them: usize) -> bool {
        !R::ORTHODOX && tables.blast.is_some() && (tables.neighbours[king] & self.royal(tables, them)).any()
    }

    /// Squares from which a piece of `by` would take on `square` in one leap, whatever stands in between, and such a piece
    /// stands there, of either colour; in a variant with [`Tables::pins`].
    #[inline]
    fn leaping_attackers(&self, tables: &Tables<R::Bits>, square: Square, by: usize) -> R::Bits {
        let mut found = tables.pawn.takers[by][square] & self.pawns(tables);
        if R::ORTHODOX {
            return found | (tables.leaps[0].targets[0][square] & self.of(kind::KNIGHT));
        }
        for leap in tables.leaps.iter().filter(|l| l.modality != Modality::Move) {
            found |= leap.sources[by][square] & self.of_any(leap.kinds);
        }
        if tables.blast.is_some() {
            // Whoever captures blows up, which a royal piece must not.
            found &= !self.royal(tables, by);
        }
        found
    }

    /// Where a piece that is not royal parries the only check, of `checker` on `king`: it takes the checker, or blocks
    /// its way if it does not leap.
    #[inline]
    pub(crate) fn parries(
        &self,
        tables: &Tables<R::Bits>,
        king: Square,
        checker: R::Bits,
        them: usize,
    ) -> R::Bits {
        // No leap of orthodox chess has a square of a line in between.
        if !R::ORTHODOX && (self.leaping_attackers(tables, king, them) & checker).any() {
            return checker;
        }
        checker | tables.between(king, checker.first())
    }

    /// Recomputes who checks the mover and which of its pieces are pinned.
    #[inline]
    pub(crate) fn refresh(&mut self, tables: &Tables<R::Bits>) {
        let (us, them) = (self.turn(), 1 - self.turn());
        let king = self.royal(tables, us);
        (self.checkers, self.pinned) = (R::Bits::EMPTY, R::Bits::EMPTY);
        if king.none() {
            return;
        }
        if !R::ORTHODOX && !tables.pins {
            self.checkers = self.royal_attackers(tables, us);
            return;
        }
        let king = king.first();
        if self.royals_touch(tables, king, them) {
            return;
        }
        let (own, enemy) = (self.colours[us], self.colours[them]);
        let occupied = self.occupied();
        let mut checkers = self.leaping_attackers(tables, king, them) & enemy;
        let mut pinned = R::Bits::EMPTY;
        let sliders = [self.orthogonal(tables) & enemy, self.diagonal(tables) & enemy];
        for (i, &(lower, upper)) in tables.rays[king].line.iter().enumerate() {
            let slider = sliders[i / 2];
            let mut shields = |from: Square, between: R::Bits| {
                let blockers = between & occupied;
                if blockers.none() {
                    checkers |= R::Bits::square(from);
                } else if !blockers.many() {
                    pinned |= blockers & own;
                }
            };
            for from in (lower & slider).squares() {
                shields(from, lower & tables.rays[from].line[i].1);
            }
            for from in (upper & slider).squares() {
                shields(from, upper & tables.rays[from].line[i].0);
            }
        }
        (self.checkers, self.pinned) = (checkers, pinned);
    }
}
