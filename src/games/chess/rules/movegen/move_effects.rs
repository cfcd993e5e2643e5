//! The effects of a move on the board: pieces moved and captured, explosions, pieces that appear, pieces in hand,
//! castling rights. The turn is handed over elsewhere.

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, Position, kind};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{PieceKind, Square};

impl<R: MoveRules> Position<R> {
    /// Applies a move to the board, including a hook's effects, without handing over the turn.
    #[inline]
    pub(crate) fn apply(&mut self, tables: &Tables<R::Bits>, mv: Move) {
        if R::HOOKED {
            let before = *self;
            self.apply_without_hook(tables, mv);
            R::hook_after_move(self, &before, mv);
        } else {
            self.apply_without_hook(tables, mv);
        }
    }

    /// [`Position::apply`] without a hook's effects.
    #[inline]
    fn apply_without_hook(&mut self, tables: &Tables<R::Bits>, mv: Move) {
        let us = self.turn();
        if !R::ORTHODOX && mv.what == MoveKind::Place {
            self.place(tables, mv.to);
            return;
        }
        let victim = self.victim;
        self.clear_en_passant();
        let passed = if R::ORTHODOX {
            self.apply_orthodox(us, mv)
        } else {
            self.apply_variant(tables, us, mv, victim)
        };
        self.offer_en_passant(tables, us, mv.to, passed);
    }

    /// Orthodox moves; returns the square that a double step passed.
    #[inline]
    fn apply_orthodox(&mut self, us: usize, mv: Move) -> R::Bits {
        let (from, to) = (R::Bits::square(mv.from), R::Bits::square(mv.to));
        let mut rights = self.rights & !(from | to);
        self.halfmoves = self.halfmoves.saturating_add(1);
        if mv.what == MoveKind::Castle {
            let base = mv.from & !7;
            let (king, rook) = if mv.to > mv.from { (base + 6, base + 5) } else { (base + 2, base + 3) };
            self.toggle(us, kind::KING, mv.from);
            self.toggle(us, kind::ROOK, mv.to);
            self.toggle(us, kind::KING, king);
            self.toggle(us, kind::ROOK, rook);
            self.set_rights(rights & !self.colours[us]);
            return R::Bits::EMPTY;
        }
        if (self.colours[1 - us] & to).any() {
            let taken = self.kind_at(mv.to).unwrap_or(kind::PAWN);
            self.toggle(1 - us, taken, mv.to);
            self.halfmoves = 0;
        }
        let moving = self.kind_at(mv.from).unwrap_or(kind::PAWN);
        self.toggle(us, moving, mv.from);
        let mut passed = R::Bits::EMPTY;
        let mut arrives = moving;
        if moving == kind::PAWN {
            self.halfmoves = 0;
            match mv.what {
                MoveKind::Promote(kind) => arrives = kind,
                MoveKind::EnPassant => {
                    // The captured pawn is on the rank of `mv.from` and on the file of `mv.to`.
                    self.toggle(1 - us, kind::PAWN, (mv.from & !7) | (mv.to & 7));
                }
                MoveKind::DoubleStep => passed = R::Bits::square((mv.from + mv.to) / 2),
                _ => {}
            }
        } else if moving == kind::KING {
            rights &= !self.colours[us];
        }
        self.toggle(us, arrives, mv.to);
        self.set_rights(rights);
        passed
    }

    /// Moves of any variant; returns the squares that a double step passed.
    fn apply_variant(&mut self, tables: &Tables<R::Bits>, us: usize, mv: Move, victim: Square) -> R::Bits {
        let variant = &tables.variant;
        let mut passed = R::Bits::EMPTY;
        let mut captured = false;
        let mut progress = false;
        let castling_kings = if self.rights.any() && mv.what != MoveKind::Pass {
            let kings = self.castling_king(tables, 0) | self.castling_king(tables, 1);
            kings & !R::Bits::square(mv.from) & !R::Bits::square(mv.to)
        } else {
            R::Bits::EMPTY
        };
        match mv.what {
            MoveKind::Pass | MoveKind::Place => {}
            MoveKind::Drop(kind) => {
                self.set_pocket(us, kind, self.pockets[us][usize::from(kind)] - 1);
                self.toggle(us, kind, mv.to);
                progress = tables.pawn.kind == Some(kind) && !tables.pawn.steps_back;
                // A dropped pawn may double-step from every double-step square.
                if tables.pawn.kind == Some(kind) && tables.pawn.double_unmoved[us].has(mv.to) {
                    self.unmoved |= R::Bits::square(mv.to);
                }
            }
            MoveKind::Summon => {
                self.capture(tables, us, mv.to);
                captured = true;
                if let Some(summon) = variant.generators.summon {
                    self.toggle(us, summon.kind, mv.to);
                }
            }
            MoveKind::Castle => {
                if let Some((king, rook)) = self.castle_squares(tables, mv) {
                    let kinds = [mv.from, mv.to].map(|square| self.kind_at(square).unwrap_or(0));
                    let gone = R::Bits::square(mv.from) | R::Bits::square(mv.to);
                    self.toggle(us, kinds[0], mv.from);
                    self.toggle(us, kinds[1], mv.to);
                    self.toggle(us, kinds[0], king);
                    self.toggle(us, kinds[1], rook);
                    self.unmoved &= !gone;
                    self.set_rights(self.rights & !self.colours[us] & !gone);
                    self.spawn_behind(tables, us, mv.from, king);
                }
            }
            MoveKind::Split(_) => {
                self.take_off(mv.from);
                if let Some(split) = &variant.generators.split {
                    let squares = self.split_squares(tables, mv);
                    for (&kind, square) in split.into.iter().zip(squares) {
                        self.toggle(us, kind, square);
                        self.unmoved |= R::Bits::square(square);
                    }
                }
                progress = true;
            }
            MoveKind::Swap => {
                // The two pieces are of one kind, so exchanging them changes nothing on the board: only the
                // captured pieces between them disappear.
                for square in tables.between(mv.from, mv.to).squares() {
                    self.capture(tables, us, square);
                }
                let pair = R::Bits::square(mv.from) | R::Bits::square(mv.to);
                self.unmoved &= !pair;
                if (self.promoted & pair).any() && !(pair & !self.promoted).none() {
                    self.set_promoted(self.promoted ^ pair);
                }
                captured = true;
            }
            MoveKind::Plain
            | MoveKind::DoubleStep
            | MoveKind::EnPassant
            | MoveKind::Promote(_)
            | MoveKind::Merge
            | MoveKind::Swipe => {
                let Some(moving) = self.kind_at(mv.from) else { return passed };
                let pawn = tables.pawn.kind == Some(moving);
                progress = pawn && (!tables.pawn.steps_back || matches!(mv.what, MoveKind::Promote(_)));
                let mut arrives = moving;
                let target = if mv.what == MoveKind::EnPassant { victim } else { mv.to };
                let was_promoted = self.promoted.has(mv.from);
                match mv.what {
                    MoveKind::Merge => {
                        let onto = self.kind_at(mv.to);
                        let merges = variant.generators.merges.iter();
                        let mut fits = merges.filter(|m| m.mover == moving && Some(m.onto) == onto);
                        arrives = fits.next().map_or(moving, |m| m.into);
                        self.take_off(mv.to);
                    }
                    _ => {
                        if self.colours[1 - us].has(target) {
                            self.capture(tables, us, target);
                            captured = true;
                        }
                    }
                }
                if let MoveKind::Promote(kind) = mv.what {
                    arrives = kind;
                }
                if mv.what == MoveKind::DoubleStep {
                    passed = tables.pawn.double[us][mv.from]
                        .iter()
                        .filter(|(_, to)| *to == mv.to)
                        .fold(R::Bits::EMPTY, |set, (via, _)| set | R::Bits::square(*via));
                }
                self.take_off(mv.from);
                self.toggle(us, arrives, mv.to);
                if was_promoted || matches!(mv.what, MoveKind::Promote(_)) && variant.drops.is_some() {
                    self.set_promoted(self.promoted | R::Bits::square(mv.to));
                }
                // A promoted piece counts as unmoved.
                if tables.tracks_unmoved && matches!(mv.what, MoveKind::Promote(_)) {
                    self.unmoved |= R::Bits::square(mv.to);
                }
                if captured {
                    self.after_capture(tables, moving, mv.to);
                }
                self.spawn_behind(tables, us, mv.from, mv.to);
            }
        }
        if self.rights.any() && mv.what != MoveKind::Pass {
            self.settle_rights(tables, castling_kings);
        }
        self.halfmoves = if captured || progress { 0 } else { self.halfmoves.saturating_add(1) };
        passed
    }

    /// Removes the piece on a square, together with its castling right and its other marks.
    pub(crate) fn take_off(&mut self, square: Square) {
        if let (Some(kind), Some(colour)) = (self.kind_at(square), self.colour_at(square)) {
            self.toggle(colour, kind, square);
            let bit = R::Bits::square(square);
            self.unmoved &= !bit;
            self.set_promoted(self.promoted & !bit);
            self.set_rights(self.rights & !bit);
        }
    }

    /// Captures an enemy piece, into the hand if the variant has one.
    fn capture(&mut self, tables: &Tables<R::Bits>, us: usize, square: Square) {
        let promoted = self.promoted.has(square);
        let kind = self.kind_at(square);
        self.take_off(square);
        if kind.is_some() && kind == tables.royal {
            self.fallen |= 2 >> us;
        }
        let Some(drops) = tables.variant.drops.as_ref().filter(|d| d.captures_to_hand) else { return };
        let kind = if promoted { tables.pawn.kind } else { kind };
        if let Some(kind) = kind.filter(|k| drops.kinds.contains(k)) {
            self.set_pocket(us, kind, self.pockets[us][usize::from(kind)].saturating_add(1));
        }
    }

    /// Explosion and petrification after a capture on `square` by a piece of `kind`.
    fn after_capture(&mut self, tables: &Tables<R::Bits>, kind: PieceKind, square: Square) {
        if let Some(immune) = tables.blast {
            let immune = self.of_any(immune);
            self.take_off(square);
            for near in (tables.neighbours[square] & (self.colours[0] | self.colours[1]) & !immune).squares()
            {
                self.take_off(near);
            }
        }
        if tables.variant.effects.petrify.contains(&kind) {
            self.take_off(square);
            self.toggle_neutral(kind, square);
        }
    }

    /// The piece that appears on the square that another left, see
    /// [`SpawnBehind`](crate::rules::variant::schema::SpawnBehind).
    fn spawn_behind(&mut self, tables: &Tables<R::Bits>, us: usize, from: Square, to: Square) {
        let Some(spawn) = tables.variant.effects.spawn_behind else { return };
        if self.kind_at(to) != Some(spawn.mover) || self.occupied().has(from) {
            return;
        }
        let width = tables.variant.width;
        let direction = |a: Square, b: Square| (i16::from(b) - i16::from(a)).signum();
        let (df, dr) = (direction(from % width, to % width), direction(from / width, to / width));
        let (file, rank) = (i16::from(from % width) - df, i16::from(from / width) - dr);
        if !(0..i16::from(width)).contains(&file) || !(0..i16::from(tables.variant.height)).contains(&rank) {
            return;
        }
        let behind = (rank * i16::from(width) + file) as Square;
        if (self.of(spawn.watcher) & self.colours[1 - us]).has(behind) {
            self.toggle(1 - us, spawn.spawn, from);
            self.unmoved |= R::Bits::square(from);
        }
    }

    /// Puts the neutral piece on another square.
    fn place(&mut self, tables: &Tables<R::Bits>, to: Square) {
        if let Some(kind) = tables.variant.turn.place {
            let old = self.of(kind) & self.neutral;
            for square in old.squares() {
                self.toggle_neutral(kind, square);
            }
            self.toggle_neutral(kind, to);
        }
    }
}
