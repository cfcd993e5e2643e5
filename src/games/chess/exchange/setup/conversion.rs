//! Conversion of plain data to a position and back.

use super::{BoardPiece, EnPassant, Setup};
use crate::exchange::notation::fen;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::position::{MoveRules, Position};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{CastlingRule, PieceKind, Role, Square};
use ludovec_engine::Result;

impl Setup {
    /// The position that this setup describes, if it is valid.
    ///
    /// # Errors
    /// [`Error::InvalidState`](ludovec_engine::Error::InvalidState) names the contradiction.
    pub(crate) fn to_position<R: MoveRules>(&self, tables: &Tables<R::Bits>) -> Result<Position<R>> {
        let position = self.assemble(tables);
        position.validate(tables)?;
        Ok(position)
    }

    /// The position that this setup describes, unchecked.
    pub(crate) fn assemble<R: MoveRules>(&self, tables: &Tables<R::Bits>) -> Position<R> {
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
                let marked = fen::castling_king(self, variant, colour).filter(|_| kings.many());
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
            let victim = self.board[usize::from(ep.victim)].map_or(1 - self.turn, |pawn| pawn.colour);
            position.offer_en_passant(tables, usize::from(victim), ep.victim, set(&ep.targets));
            // While the mover of the pawn still has a neutral piece to place, no capture is possible.
            if victim != self.turn {
                position.drop_idle_en_passant(tables);
            }
        }
        position.key = position.compute_key();
        position
    }

    /// The part of a position that FEN can express.
    pub(crate) fn of<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>) -> Self {
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
    /// The unmoved pieces, as far as a FEN can express them.
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
                // A rook at home never moved, even if its king did.
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
