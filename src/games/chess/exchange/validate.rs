//! Validation of positions and states of arbitrary contents.

use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::{MoveRules, NOWHERE, Position, phase};
use crate::rules::history::History;
use crate::rules::movegen::castling::castle_way;
use crate::rules::state::{REMEMBERED, Reason, State, outcome};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{CastlingRule, PieceKind, Role, Square};
use ludovec_engine::{Error, Result};

impl<R: MoveRules> Position<R> {
    /// Validates a position of arbitrary contents for further play.
    ///
    /// # Errors
    /// [`Error::InvalidState`](ludovec_engine::Error::InvalidState) names the problem.
    pub(crate) fn validate(&self, tables: &Tables<R::Bits>) -> Result<()> {
        let v = &tables.variant;
        let wrong = |what: String| Err(Error::state(what));
        if self.turn > 1
            || self.phase > phase::BOOST
            || self.fallen > 3
            || (!R::HOOKED && self.memory != [0; 3])
        {
            return wrong("a turn or a phase that does not exist".into());
        }
        let [white, black] = self.colours;
        let pieces = white | black | self.neutral;
        if (white & black).any() || ((white | black) & self.neutral).any() || (pieces & !tables.board).any() {
            return wrong("two pieces on one cell, or one off the board".into());
        }
        let mut seen = R::Bits::EMPTY;
        for (k, &set) in self.kinds.as_ref().iter().enumerate() {
            if (seen & set).any() || (set.any() && k >= v.pieces.len()) {
                return wrong("a cell with two kinds of pieces".into());
            }
            seen |= set;
            let Some(piece) = v.pieces.get(k) else { continue };
            let neutral = piece.role == Role::Neutral;
            // Before its first placement the piece can be off the board.
            let is_off = set.none() && v.turn.place == Some(k as PieceKind) && !tables.starts_placed;
            if neutral && !is_off && (set.count() != 1 || (set & !self.neutral).any()) {
                return wrong(format!("there must be one {}, without an owner", piece.name));
            }
            let stone = v.effects.petrify.contains(&(k as PieceKind));
            if !neutral && !stone && (set & self.neutral).any() {
                return wrong(format!("a {} without an owner", piece.name));
            }
        }
        if seen != pieces {
            return wrong("a cell with an owner and no piece, or the other way round".into());
        }
        for colour in 0..2 {
            let side = ["white", "black"][colour];
            let kings = self.royal(tables, colour).count();
            if kings > 1 || (R::ORTHODOX && kings != 1) || (kings == 0 && self.needs_royal(tables, colour)) {
                return wrong(format!("{side} has {kings} royal pieces: 1 is allowed"));
            }
            for (k, &held) in self.pockets[colour].iter().enumerate() {
                let droppable = v.drops.as_ref().is_some_and(|d| d.kinds.contains(&(k as PieceKind)));
                if held > 0 && !droppable || held > 127 {
                    return wrong(format!("{side} holds pieces that are never dropped, or too many"));
                }
            }
        }
        if let Some(kind) = tables.pawn.kind
            && R::ORTHODOX
            && (self.of(kind) & R::Bits::from_words([0xff00_0000_0000_00ff, 0])).any()
        {
            return wrong("a pawn on the first or last rank".into());
        }
        if (self.rights & !(white | black)).any() || (self.unmoved & !(white | black)).any() {
            return wrong("castling rights or unmoved pieces where there is no piece".into());
        }
        if self.rights.any() {
            self.validate_rights(tables)?;
        }
        if (self.promoted & !(white | black)).any() || self.promoted.any() && v.drops.is_none() {
            return wrong("promoted pieces where there are none".into());
        }
        if !tables.tracks_unmoved && self.unmoved.any() {
            return wrong("this variant does not keep unmoved pieces".into());
        }
        self.validate_en_passant(tables)?;
        let boosting = self.phase == phase::BOOST;
        let placing = self.phase == phase::PLACE;
        if boosting && v.turn.boost.is_none_or(|k| !(self.of(k) & self.own()).has_in_range(self.phase_square))
            || !boosting && self.phase_square != NOWHERE
            || placing && v.turn.place.is_none()
        {
            return wrong("a phase that does not go with the board".into());
        }
        if self.fullmoves == 0 {
            return wrong("the number of the move is 0, but moves are counted from 1".into());
        }
        if self.key != self.compute_key() {
            return wrong("a key that is not the position's".into());
        }
        let mut fresh = *self;
        fresh.refresh(tables);
        if (fresh.checkers, fresh.pinned) != (self.checkers, self.pinned) {
            return wrong("checks or pins that are not the position's".into());
        }
        // A king may be left attacked before the second part of a move, by the move that ends the game, and if the
        // enemy must capture en passant instead.
        let may_be_attacked = boosting
            || R::HOOKED
            || v.filters.must_en_passant
            || (!R::ORTHODOX && self.ended_early(tables).is_some());
        if !may_be_attacked && self.royal_attackers(tables, 1 - self.turn()).any() {
            return wrong("the side to move could take the king".into());
        }
        Ok(())
    }

    /// Whether a colour needs a royal piece: it has one in the start position.
    fn needs_royal(&self, tables: &Tables<R::Bits>, colour: usize) -> bool {
        tables.royal.is_some() && tables.has_royal[colour] && self.fallen == 0 && tables.blast.is_none()
    }

    fn validate_rights(&self, tables: &Tables<R::Bits>) -> Result<()> {
        let wrong = |what: &str| Err(Error::state(what.to_string()));
        let v = &tables.variant;
        let Some(castling) = &v.castling else { return wrong("castling rights where there is no castling") };
        if !matches!(castling.rule, CastlingRule::Files { .. }) {
            return wrong("castling rights of single rooks under the rule of two cells");
        }
        let rooks = castling.rooks.iter().fold(R::Bits::EMPTY, |set, &k| set | self.of(k));
        if (self.rights & !rooks & !self.of(castling.king)).any() {
            return wrong("castling rights of a piece that is neither a rook nor a king");
        }
        for colour in 0..2 {
            let side = self.rights & self.colours[colour];
            if side.none() {
                continue;
            }
            let (king, rights) = (self.castling_king(tables, colour), side & rooks);
            let alone = (self.of(castling.king) & self.colours[colour]) == king;
            if king.count() != 1 || rights.none() || alone == (side & king).any() {
                return wrong("castling rights need rooks and one king; of several kings it is marked");
            }
            let king = king.first();
            let (mut left, mut right) = (0, 0);
            for rook in rights.squares() {
                let Some(way) = castle_way::<R>(tables, castling, king, rook) else {
                    return wrong("a rook that may castle must be on its king's rank");
                };
                if (way.crossed & !tables.board).any() {
                    return wrong("castling over a hole");
                }
                *if rook < king { &mut left } else { &mut right } += 1;
            }
            let home = if colour == 0 { 0 } else { v.height - 1 };
            if left > 1 || right > 1 || (R::ORTHODOX && king / 8 != home) {
                return wrong(
                    "castling rights: at most one rook on either side of a king at home is allowed",
                );
            }
        }
        Ok(())
    }

    fn validate_en_passant(&self, tables: &Tables<R::Bits>) -> Result<()> {
        if self.en_passant.none() {
            return if self.victim == NOWHERE {
                Ok(())
            } else {
                Err(Error::state("a pawn to take en passant without a cell to take it on"))
            };
        }
        let them = 1 - self.turn();
        let them = if self.phase == phase::PLACE { 1 - them } else { them };
        let pawns = self.pawns(tables) & self.colours[them];
        let passed = |target: Square| {
            tables.board.squares().any(|from| {
                tables.pawn.double[them][from].iter().any(|&(via, to)| via == target && to == self.victim)
            })
        };
        let free = (self.en_passant & (self.colours[0] | self.colours[1])).none();
        let takers = self.pawns(tables) & self.colours[1 - them];
        let usable = |target: Square| (tables.pawn.takers[1 - them][target] & takers).any();
        let targets = self.en_passant & tables.board & tables.pawn.passable[them];
        if !free
            || targets != self.en_passant
            || !pawns.has_in_range(self.victim)
            || !self.en_passant.squares().all(|t| passed(t) && usable(t))
        {
            return Err(Error::state("an en passant that no double step led to"));
        }
        if R::ORTHODOX && !self.can_take_en_passant(tables) {
            return Err(Error::state("an en passant that no legal move can use"));
        }
        Ok(())
    }
}

impl<R: MoveRules, H: History> State<R, H> {
    /// Validates a state of arbitrary contents for further play.
    pub(crate) fn validate(&self, tables: &Tables<R::Bits>) -> Result<()> {
        self.position.validate(tables)?;
        let wrong = |what: &str| Err(Error::state(what.to_string()));
        if usize::from(self.remembered) > REMEMBERED {
            return wrong("too many remembered positions");
        }
        let past = usize::from(self.remembered);
        if self.keys[past..].iter().any(|&k| k != 0) || self.keys_high[past..].iter().any(|&k| k != 0) {
            return wrong("keys beyond the remembered positions");
        }
        if self.occurrences == 0 || self.outcome > outcome::TRUNCATED {
            return wrong("an outcome or a number of occurrences that does not exist");
        }
        if usize::from(self.reason) >= Reason::NAMES.len() || (self.outcome == 0) != (self.reason == 0) {
            return wrong("a reason that does not go with the outcome");
        }
        if self.padding_is_set() {
            return wrong("bytes that are always zero are not");
        }
        if !self.history.is_valid(&self.position) {
            return wrong("past boards that do not go with the position");
        }
        if self.outcome == outcome::RUNNING
            && ((!R::ORTHODOX && self.position.ended_early(tables).is_some())
                || !self.position.can_move(tables))
        {
            return wrong("the game is over but its outcome does not say so");
        }
        Ok(())
    }
}
