//! A position as plain data, before anything is known of its legality: what FEN and JSON are read into.

use crate::engine::{Error, Result};

use super::board::bitboard::Bitboard;
use super::board::position::{MoveRules, NOWHERE, Position, phase};
use super::movegen::legal_moves::castle_way;
use super::notation::fen;
use super::tables::Tables;
use super::variant::schema::{CastlingRule, MAX_KINDS, PieceKind, Role, Square, Variant};

/// A piece on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardPiece {
    /// What it is.
    pub kind: PieceKind,
    /// Whose: 0 white, 1 black. A neutral piece is filed under 0.
    pub colour: u8,
    /// Whether it was a pawn once (`~` in FEN): it goes to hand as a pawn.
    pub promoted: bool,
}

/// What a double step left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnPassant {
    /// The passed squares, on which it can be taken.
    pub targets: Vec<Square>,
    /// Where the pawn stands now.
    pub victim: Square,
}

/// A position as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// What stands on each square, `width * height` of them.
    pub board: Vec<Option<BoardPiece>>,
    /// Whose turn it is: 0 white, 1 black.
    pub turn: u8,
    /// Squares of the rooks that may still castle; the square of a king among several that castles with them.
    pub castling: Vec<Square>,
    /// The pieces known never to have moved; `None` when the source does not say (FEN): pawns on their
    /// double-step squares and the kings and rooks of the castling rights are then taken to be unmoved.
    pub unmoved: Option<Vec<Square>>,
    /// What can be taken en passant.
    pub en_passant: Option<EnPassant>,
    /// Pieces in hand by colour and kind.
    pub pockets: [[u8; MAX_KINDS]; 2],
    /// Checks given so far by each colour.
    pub checks: [u8; 2],
    /// Plies since the last capture, or move of a pawn that it cannot take back.
    pub halfmoves: u16,
    /// Number of the full move, from 1.
    pub fullmoves: u16,
}

impl Setup {
    /// An empty board of the variant's size with white to move.
    pub fn empty(variant: &Variant) -> Self {
        Self {
            board: vec![None; usize::from(variant.width) * usize::from(variant.height)],
            turn: 0,
            castling: Vec::new(),
            unmoved: None,
            en_passant: None,
            pockets: [[0; MAX_KINDS]; 2],
            checks: [0; 2],
            halfmoves: 0,
            fullmoves: 1,
        }
    }
}

impl Setup {
    /// The king that castles, where it is at home: of several the one that is marked as such, else the one on a square where
    /// games start with it, else the first.
    pub(super) fn castling_king(&self, variant: &Variant, colour: u8) -> Option<Square> {
        let castling = variant.castling.as_ref()?;
        let home = if colour == 0 { 0 } else { (variant.height - 1) * variant.width };
        let kings = (home..home + variant.width).filter(|&square| {
            self.board[usize::from(square)].is_some_and(|m| (m.kind, m.colour) == (castling.king, colour))
        });
        if kings.clone().count() < 2 {
            return kings.clone().next();
        }
        let marked = kings.clone().find(|square| self.castling.contains(square));
        let start = fen::grid(variant.start.split([' ', '[']).next()?, variant.width, variant.height).ok()?;
        let letter = fen::letter(variant, castling.king, colour);
        let original = kings.clone().find(|&square| start[usize::from(square)].starts_with(letter));
        marked.or(original).or(kings.clone().next())
    }

    /// The position this describes, if it can be.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::engine::Error::InvalidState) says what cannot be.
    pub(super) fn to_position<R: MoveRules>(&self, tables: &Tables<R::Bits>) -> Result<Position<R>> {
        let position = self.assemble(tables);
        position.validate(tables)?;
        Ok(position)
    }

    /// The position this describes, unchecked.
    pub(super) fn assemble<R: MoveRules>(&self, tables: &Tables<R::Bits>) -> Position<R> {
        let mut position = Position::<R>::empty();
        let variant = &tables.variant;
        let neutral = |kind: PieceKind| variant.pieces[usize::from(kind)].role == Role::Neutral;
        for (square, piece) in self.board.iter().enumerate().filter_map(|(c, m)| m.map(|m| (c as Square, m)))
        {
            if neutral(piece.kind) {
                position.toggle_neutral(piece.kind, square);
            } else {
                position.toggle(usize::from(piece.colour), piece.kind, square);
            }
            if piece.promoted && variant.drops.is_some() {
                position.promoted |= R::Bits::square(square);
            }
        }
        let set =
            |squares: &[Square]| squares.iter().fold(R::Bits::EMPTY, |set, &c| set | R::Bits::square(c));
        let two_squares = matches!(
            &variant.castling,
            Some(castling) if matches!(castling.rule, CastlingRule::TwoSquares { .. })
        );
        let mut rights = set(&self.castling);
        if let Some(castling) = &variant.castling {
            for (colour, side) in (0..).zip(position.colours) {
                let kings = position.of(castling.king) & side;
                let marked = self.castling_king(variant, colour).filter(|_| kings.many());
                let rooks = rights & side & !kings;
                rights &= !(side & kings);
                if let Some(king) = marked.filter(|_| rooks.any()) {
                    rights |= R::Bits::square(king);
                }
            }
        }
        if !two_squares {
            position.rights = rights;
        }
        if tables.tracks_unmoved {
            position.unmoved = match &self.unmoved {
                Some(squares) => set(squares) & (position.colours[0] | position.colours[1]),
                None => tables.presumably_unmoved(&position, rights),
            };
        }
        position.turn = self.turn & 1;
        position.halfmoves = self.halfmoves;
        position.fullmoves = self.fullmoves;
        position.checks = self.checks;
        position.pockets = self.pockets;
        position.refresh(tables);
        if let Some(ep) = &self.en_passant {
            position.offer_en_passant(tables, 1 - position.turn(), ep.victim, set(&ep.targets));
            position.drop_idle_en_passant(tables);
        }
        position.key = position.compute_key();
        position
    }

    /// What FEN can say of a position.
    pub(super) fn of<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>) -> Self {
        let mut setup = Self::empty(&tables.variant);
        for (square, piece) in setup.board.iter_mut().enumerate() {
            let square = square as Square;
            *piece = position.kind_at(square).map(|kind| BoardPiece {
                kind,
                colour: u8::from(position.colours[1].has(square)),
                promoted: position.promoted.has(square),
            });
        }
        setup.turn = position.turn;
        setup.castling = (position.rights | tables.castling_rooks(position)).squares().collect();
        setup.unmoved = tables.tracks_unmoved.then(|| position.unmoved.squares().collect());
        if position.en_passant.any() {
            let targets = position.en_passant.squares().collect();
            setup.en_passant = Some(EnPassant { targets, victim: position.victim });
        }
        setup.pockets = position.pockets;
        setup.checks = position.checks;
        setup.halfmoves = position.halfmoves;
        setup.fullmoves = position.fullmoves;
        setup
    }
}

impl<B: Bitboard> Tables<B> {
    /// The pieces that have not moved as far as a FEN tells.
    fn presumably_unmoved<R: MoveRules<Bits = B>>(&self, position: &Position<R>, rights: B) -> B {
        let pawns = position.pawns(self);
        let mut unmoved = rights & (position.colours[0] | position.colours[1]);
        for colour in 0..2 {
            let own = position.colours[colour];
            let start = self.start_squares[colour] & own;
            unmoved |= pawns & start;
            if let Some(castling) = &self.variant.castling {
                let king = position.of(castling.king) & own;
                let rooks = castling.rooks.iter().fold(B::EMPTY, |set, &k| set | position.of(k));
                if (unmoved & rooks & own).any() {
                    unmoved |= king;
                }
                // A rook at home never moved, whether or not its king did.
                unmoved |= rooks & start & own & !king;
            }
            let others = own & start & !pawns;
            if self.leaps.iter().any(|l| l.initial) || self.riders.iter().any(|r| r.initial) {
                unmoved |= others;
            }
        }
        unmoved
    }

    /// Under the two-square rule: rooks that may still castle along the rank.
    fn castling_rooks<R: MoveRules<Bits = B>>(&self, position: &Position<R>) -> B {
        let Some(castling) = &self.variant.castling else { return B::EMPTY };
        let CastlingRule::TwoSquares { .. } = castling.rule else { return B::EMPTY };
        let rooks = castling.rooks.iter().fold(B::EMPTY, |set, &k| set | position.of(k)) & position.unmoved;
        let kings = position.of(castling.king) & position.unmoved;
        (0..2).fold(B::EMPTY, |set, colour| {
            let own = position.colours[colour];
            let lines = (kings & own)
                .squares()
                .fold(B::EMPTY, |lines, king| lines | self.rays[king].line[0].0 | self.rays[king].line[0].1);
            set | (rooks & own & lines)
        })
    }
}

impl<R: MoveRules> Position<R> {
    /// Whether play can go on from a position of arbitrary contents.
    ///
    /// # Errors
    /// [`Error::InvalidState`](crate::engine::Error::InvalidState) says what is wrong.
    pub(super) fn validate(&self, tables: &Tables<R::Bits>) -> Result<()> {
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
            if neutral && (set.count() != 1 || (set & !self.neutral).any()) {
                return wrong(format!("there must be one {}, owned by nobody", piece.name));
            }
            let stone = v.effects.petrify.contains(&(k as PieceKind));
            if !neutral && !stone && (set & self.neutral).any() {
                return wrong(format!("a {} that belongs to nobody", piece.name));
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
                    return wrong(format!("{side} holds what is never dropped, or too many"));
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
        if self.key != self.compute_key() {
            return wrong("a key that is not the position's".into());
        }
        let mut fresh = *self;
        fresh.refresh(tables);
        if (fresh.checkers, fresh.pinned) != (self.checkers, self.pinned) {
            return wrong("checks or pins that are not the position's".into());
        }
        // A king may be left attacked before the second part of a move, by the move that ends the game, and where the
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

    /// Whether a colour cannot do without a royal piece: it has one where games start.
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
            return wrong("castling rights of what is neither a rook nor a king");
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
                    return wrong("a rook that may castle stands on its king's rank");
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
