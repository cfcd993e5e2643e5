//! Standard algebraic notation: `Nbd7`, `exd6`, `e8=Q+`, `O-O-O`, both ways.

use super::square_names::square_name;
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{MoveRules, Position};
use crate::rules::movegen::generate::legal_moves;
use crate::rules::tables::Tables;
use crate::rules::variant::schema::{PieceKind, Role, Square};
use ludovec_engine::{Error, Result};

/// Writes a legal move of `position`.
pub(crate) fn write<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>, mv: Move) -> String {
    Writer { tables, position, all: &legal_moves(tables, position) }.full(mv)
}

/// The legal move of `position` with this notation.
///
/// Other spellings are read as well: without signs of check and comment (`+ # ! ?`); long (`e2-e4`, `Ng1-f3`); figurines;
/// `×` and `:` for captures; castling with zeros; promotions as `e8Q`, `e8(Q)`, `e8/Q`; pawns with their letter (`Pd3`),
/// and dropped pawns without it; `e.p.`; the null move as `Z0`.
///
/// # Errors
/// [`Error::Refused`] if no legal move has this notation.
pub(crate) fn parse<R: MoveRules>(
    tables: &Tables<R::Bits>,
    position: &Position<R>,
    text: &str,
) -> Result<Move> {
    let mut wanted = simplified(text);
    if let Some(pawn) = tables.pawn.kind {
        let letter = tables.variant.pieces[usize::from(pawn)].letter;
        match wanted.strip_prefix(letter) {
            Some(rest) if rest.starts_with(|file: char| file.is_ascii_lowercase()) => wanted = rest.into(),
            _ if wanted.starts_with('@') => wanted.insert(0, letter),
            _ => {}
        }
    }
    let all = legal_moves(tables, position);
    let writer = Writer { tables, position, all: &all };
    let found = all.iter().copied().find(|&mv| simplified(&writer.bare(mv)) == wanted);
    // Some programs name the origin of a piece although the move is unambiguous without it.
    let found = found.or_else(|| all.iter().copied().find(|&mv| writer.verbose(mv).contains(&wanted)));
    found.ok_or_else(|| Error::illegal(format!("{:?} is no legal move here", super::shortened(text.trim()))))
}

/// No move.
const NULL_MOVE: &str = "--";

/// A move's text without the parts that may vary between programs.
fn simplified(text: &str) -> String {
    let text = text.trim();
    if [NULL_MOVE, "Z0"].contains(&text) {
        return NULL_MOVE.into();
    }
    let text = ["e.p.", "ep"].iter().find_map(|sign| text.strip_suffix(sign)).unwrap_or(text);
    let castling = text.starts_with(['0', 'O']);
    let mut plain: String = text
        .chars()
        .filter_map(|letter| match letter {
            '0' if castling => Some('O'),
            '×' | ':' => Some('x'),
            '♔' | '♚' => Some('K'),
            '♕' | '♛' => Some('Q'),
            '♖' | '♜' => Some('R'),
            '♗' | '♝' => Some('B'),
            '♘' | '♞' => Some('N'),
            '♙' | '♟' => Some('P'),
            '+' | '#' | '!' | '?' | '=' | '(' | ')' | '†' | '‡' => None,
            // Dashes, and the selectors of a figurine's style.
            '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe0e}' | '\u{fe0f}' => None,
            letter if letter.is_whitespace() => None,
            letter => Some(letter),
        })
        .collect();
    // `e8/Q` promotes; a split ends with a square, `Qd1/d5`.
    if let Some((before, kind)) = plain.rsplit_once('/')
        && let [letter] = kind.as_bytes()
    {
        plain = format!("{before}{}", char::from(*letter));
    }
    plain
}

struct Writer<'a, R: MoveRules> {
    tables: &'a Tables<R::Bits>,
    position: &'a Position<R>,
    /// All legal moves of the position, for disambiguation.
    all: &'a [Move],
}

impl<R: MoveRules> Writer<'_, R> {
    /// The move with its sign of check or mate.
    fn full(&self, mv: Move) -> String {
        let mut next = *self.position;
        next.make_move(self.tables, mv);
        let sign = match next.checkers.any() {
            false => "",
            true if next.count_moves(self.tables) == 0 => "#",
            true => "+",
        };
        self.bare(mv) + sign
    }

    fn square(&self, square: Square) -> String {
        square_name(&self.tables.variant, square)
    }
    fn letter(&self, kind: PieceKind) -> char {
        self.tables.variant.pieces[usize::from(kind)].letter
    }
    fn mover(&self, mv: Move) -> Option<PieceKind> {
        self.position.kind_at(mv.from)
    }
    fn is_pawn(&self, kind: Option<PieceKind>) -> bool {
        kind.is_some_and(|kind| self.tables.variant.pieces[usize::from(kind)].role == Role::Pawn)
    }

    /// The move without a sign of check.
    fn bare(&self, mv: Move) -> String {
        let Some(kind) = self.mover(mv).filter(|_| mv.from != mv.to) else {
            return match mv.what {
                MoveKind::Split(_) => self.split(mv),
                // A piece that is put on the board has no origin square, so nothing needs disambiguation.
                _ => self.placed(mv),
            };
        };
        let to = self.square(mv.to);
        let from = self.square(mv.from);
        match mv.what {
            MoveKind::Castle => self.castling(mv),
            MoveKind::Split(_) => self.split(mv),
            MoveKind::Swap => format!("{}{from}<>{to}", self.letter(kind)),
            MoveKind::Merge => {
                let onto = self.position.kind_at(mv.to);
                let merges = &self.tables.variant.generators.merges;
                let into = merges.iter().find(|m| m.mover == kind && Some(m.onto) == onto);
                let into = into.map_or('?', |m| self.letter(m.into));
                format!("{}{}{to}={into}", self.letter(kind), self.origin(mv))
            }
            _ => {
                let piece =
                    if self.is_pawn(Some(kind)) { String::new() } else { self.letter(kind).to_string() };
                let takes = if self.takes(mv) { "x" } else { "" };
                let promotion = match mv.what {
                    MoveKind::Promote(kind) => format!("={}", self.letter(kind)),
                    _ => String::new(),
                };
                format!("{piece}{}{takes}{to}{promotion}", self.origin(mv))
            }
        }
    }

    /// The notation of moves that put a piece on a square.
    fn placed(&self, mv: Move) -> String {
        let variant = &self.tables.variant;
        let kind = match mv.what {
            MoveKind::Drop(kind) => Some(kind),
            MoveKind::Place => variant.turn.place,
            MoveKind::Summon => variant.generators.summon.map(|s| s.kind),
            _ => None,
        };
        kind.map_or(NULL_MOVE.into(), |kind| format!("{}@{}", self.letter(kind), self.square(mv.to)))
    }

    fn split(&self, mv: Move) -> String {
        let end = self.position.split_squares(self.tables, mv).last().copied().unwrap_or(mv.to);
        let letter = self.mover(mv).map_or('?', |kind| self.letter(kind));
        format!("{letter}{}/{}", self.square(mv.from), self.square(end))
    }

    fn castling(&self, mv: Move) -> String {
        let width = self.tables.variant.width;
        if mv.from % width == mv.to % width {
            let king = self.position.castle_squares(self.tables, mv).map_or(mv.to, |squares| squares.0);
            return format!("O-O-{}", self.square(king));
        }
        if mv.to > mv.from { "O-O".into() } else { "O-O-O".into() }
    }

    fn takes(&self, mv: Move) -> bool {
        mv.what == MoveKind::EnPassant || self.position.kind_at(mv.to).is_some()
    }

    /// Disambiguation: the file, rank or square of origin, if the move needs it.
    fn origin(&self, mv: Move) -> String {
        let width = self.tables.variant.width;
        let kind = self.mover(mv);
        let file = char::from(b'a' + mv.from % width).to_string();
        let rank = (mv.from / width + 1).to_string();
        let mut rivals = self
            .all
            .iter()
            .filter(|other| {
                other.to == mv.to
                    && other.from != mv.from
                    && other.from != other.to
                    && !matches!(other.what, MoveKind::Castle | MoveKind::Split(_) | MoveKind::Swap)
                    && self.mover(**other) == kind
            })
            .peekable();
        if rivals.peek().is_none() {
            return if self.is_pawn(kind) && self.takes(mv) { file } else { String::new() };
        }
        let (mut same_file, mut same_rank) = (false, false);
        for rival in rivals {
            same_file |= rival.from % width == mv.from % width;
            same_rank |= rival.from / width == mv.from / width;
        }
        match (same_file, same_rank) {
            (false, _) => file,
            (true, false) => rank,
            (true, true) => file + &rank,
        }
    }

    /// The notations of a piece move with a redundant file, rank or square.
    fn verbose(&self, mv: Move) -> Vec<String> {
        let plain = matches!(
            mv.what,
            MoveKind::Plain | MoveKind::DoubleStep | MoveKind::EnPassant | MoveKind::Promote(_)
        );
        let Some(kind) = self.mover(mv).filter(|_| plain) else { return Vec::new() };
        let from = self.square(mv.from);
        let piece = if self.is_pawn(Some(kind)) { String::new() } else { self.letter(kind).to_string() };
        let promotion = match mv.what {
            MoveKind::Promote(kind) => self.letter(kind).to_string(),
            _ => String::new(),
        };
        // A file or rank shared with another such piece does not identify this piece.
        let needed = self.origin(mv);
        let parts = [&from[..1], &from[1..], &from[..]];
        let takes: &[&str] = if self.takes(mv) { &["x", ""] } else { &[""] };
        parts
            .into_iter()
            .filter(|part| part.contains(&needed))
            .flat_map(|part| takes.iter().map(move |takes| (part, takes)))
            .map(|(part, takes)| format!("{piece}{part}{takes}{}{promotion}", self.square(mv.to)))
            .collect()
    }
}
