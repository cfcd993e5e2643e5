//! Game end: checkmate, stalemate, draws by repetition, by the move limit and by dead position, and the variants'
//! end rules.

use super::board::bitboard::Bitboard;
use super::board::position::{MoveRules, Position, kind, phase};
use super::history::History;
use super::state::{Reason, State, outcome};
use super::tables::Tables;
use super::variant::schema::{EndRule, EndWhen, SideResult};

/// An [`outcome`] with its reason.
pub(crate) type Ending = (u8, Reason);

/// The [`outcome`] of the game when `side` gets the result `value`.
fn outcome_for(side: usize, value: SideResult) -> u8 {
    let [win, loss] =
        if side == 0 { [outcome::WHITE, outcome::BLACK] } else { [outcome::BLACK, outcome::WHITE] };
    match value {
        SideResult::Win => win,
        SideResult::Loss => loss,
        SideResult::Draw => outcome::DRAW,
    }
}

impl<R: MoveRules> Position<R> {
    /// The ending that the board alone determines, without looking at moves.
    pub(crate) fn ended_early(&self, tables: &Tables<R::Bits>) -> Option<Ending> {
        if R::HOOKED
            && let Some(winner) = R::hook_outcome(self)
        {
            let ending = winner.map_or(outcome::DRAW, |side| outcome_for(side & 1, SideResult::Win));
            return Some((ending, Reason::Hook));
        }
        for side in 0..2 {
            if self.fallen >> side & 1 == 1 {
                return Some((outcome_for(side, SideResult::Loss), Reason::Extinct));
            }
        }
        if !tables.ends_early {
            return None;
        }
        tables.variant.end.iter().find_map(|rule| self.ends_by(tables, rule))
    }

    /// The ending by one rule of the variant.
    fn ends_by(&self, tables: &Tables<R::Bits>, rule: &EndRule) -> Option<Ending> {
        let turn = self.turn();
        let result = |side: usize, reason| Some((outcome_for(side, rule.value), reason));
        // The ending by a rule that may hold for white and for black, as given by `holds`.
        let first_of = |holds: [bool; 2], reply: bool, reason| match holds {
            [true, true] if reply => Some((outcome::DRAW, reason)),
            // If the rule holds for both at once (an explosion can take pieces of both sides), it counts for the
            // side that has just moved.
            [true, true] => result(1 - turn, reason),
            [true, false] => result(0, reason),
            [false, true] => result(1, reason),
            [false, false] => None,
        };
        match &rule.when {
            EndWhen::Extinct { kinds, count, each, side, reply } => {
                let gone = [0, 1].map(|colour| {
                    if side.is_some_and(|s| usize::from(s) != colour) {
                        return false;
                    }
                    let of = |kind: &u8| (self.of(*kind) & self.colours[colour]).count();
                    if kinds.is_empty() {
                        self.colours[colour].count() <= u32::from(*count)
                    } else if *each {
                        kinds.iter().any(|k| of(k) <= u32::from(*count))
                    } else {
                        kinds.iter().map(of).sum::<u32>() <= u32::from(*count)
                    }
                });
                if *reply && gone == [turn == 0, turn == 1] && self.can_strip(tables, rule) {
                    return None;
                }
                first_of(gone, *reply, Reason::Extinct)
            }
            EndWhen::Reach { kind, squares, reply } => {
                let on = |colour: usize| {
                    squares[colour].iter().fold(R::Bits::EMPTY, |set, &c| set | R::Bits::square(c))
                };
                let there = [0, 1].map(|c| (self.of(*kind) & self.colours[c] & on(c)).any());
                if *reply && there == [true, false] && turn == 1 && self.can_reach(tables, *kind, on(1)) {
                    return None;
                }
                first_of(there, *reply, Reason::Reach)
            }
            EndWhen::Checks(count) => {
                (0..2).find(|&s| self.checks[s] >= *count).and_then(|s| result(s, Reason::Checks))
            }
            EndWhen::Checkers(count) if self.phase == phase::MOVE => (self.checkers.count()
                >= u32::from(*count))
            .then(|| (outcome_for(turn, rule.value), Reason::Checkers)),
            _ => None,
        }
    }

    /// Whether the side to move can, with its next move, reduce the enemy to the same number of pieces.
    fn can_strip(&self, tables: &Tables<R::Bits>, rule: &EndRule) -> bool {
        let mut can = false;
        let EndWhen::Extinct { kinds, count, .. } = &rule.when else { return false };
        self.visit_moves(tables, &mut |mv| {
            let mut next = *self;
            next.make_move(tables, mv);
            let left = next.colours[next.turn()];
            let left = if kinds.is_empty() {
                left.count()
            } else {
                kinds.iter().map(|&k| (next.of(k) & left).count()).sum()
            };
            can |= left <= u32::from(*count);
        });
        can
    }

    /// Whether a piece of `kind` can move to one of `goal` now.
    fn can_reach(&self, tables: &Tables<R::Bits>, kind: u8, goal: R::Bits) -> bool {
        let mut can = false;
        self.visit_moves(tables, &mut |mv| can |= goal.has(mv.to) && self.kind_at(mv.from) == Some(kind));
        can
    }

    /// Whether two royal pieces are left, and nothing else on the board or in hand.
    fn is_bare(&self, tables: &Tables<R::Bits>) -> bool {
        let kings = tables.royal.map_or(R::Bits::EMPTY, |k| self.of(k));
        let pockets = self.pockets.iter().flatten().any(|&held| held > 0);
        kings.count() == 2 && self.occupied() == kings && !pockets
    }

    /// Whether no sequence of moves can mate, by material alone: bare kings, one minor piece in all, or bishops
    /// only and all on squares of one colour. Blocked pawns are not examined.
    pub(crate) fn is_dead(&self, tables: &Tables<R::Bits>) -> bool {
        let (knights, bishops) = if R::ORTHODOX {
            if (self.of(kind::PAWN) | self.of(kind::ROOK) | self.of(kind::QUEEN)).any() {
                return false;
            }
            (self.of(kind::KNIGHT), self.of(kind::BISHOP))
        } else {
            (self.of_any(tables.knights), self.of_any(tables.bishops))
        };
        if !R::ORTHODOX {
            let pockets = self.pockets.iter().flatten().any(|&held| held > 0);
            let kings = tables.royal.map_or(R::Bits::EMPTY, |k| self.of(k));
            if pockets || kings.count() != 2 || (self.occupied() & !(kings | knights | bishops)).any() {
                return false;
            }
        }
        if knights.any() {
            return !(knights | bishops).many();
        }
        (bishops & tables.dark).none() || (bishops & !tables.dark).none()
    }
}

impl<R: MoveRules, H: History> State<R, H> {
    /// Decides whether the game is over, after a move or at its start.
    #[inline]
    pub(crate) fn detect_end(&mut self, tables: &Tables<R::Bits>, max_plies: u16) {
        let ending = self.ending(tables, max_plies);
        if let Some((outcome, reason)) = ending {
            (self.outcome, self.reason) = (outcome, reason as u8);
        }
    }

    #[inline]
    fn ending(&self, tables: &Tables<R::Bits>, max_plies: u16) -> Option<Ending> {
        let position = &self.position;
        let turn = position.turn();
        if !R::ORTHODOX
            && let Some(ending) = position.ended_early(tables)
        {
            return Some(ending);
        }
        if !position.can_move(tables) {
            let value = |value| outcome_for(turn, value);
            return Some(if position.phase != phase::MOVE {
                (outcome::DRAW, Reason::Stalemate)
            } else if position.checkers.any() {
                (value(tables.mate), Reason::Mate)
            } else {
                (value(tables.stalemate), Reason::Stalemate)
            });
        }
        if tables.repetition > 0 && self.occurrences >= tables.repetition {
            return Some((outcome::DRAW, Reason::Repetition));
        }
        if tables.progress > 0 && position.halfmoves >= tables.progress {
            return Some((outcome::DRAW, Reason::Progress));
        }
        if tables.dead && position.is_dead(tables)
            || !R::ORTHODOX && tables.bare_kings && position.is_bare(tables)
        {
            return Some((outcome::DRAW, Reason::DeadPosition));
        }
        (position.plies >= max_plies).then_some((outcome::TRUNCATED, Reason::MostPlies))
    }
}
