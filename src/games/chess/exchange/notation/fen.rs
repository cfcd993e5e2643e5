//! FEN, X-FEN and Shredder-FEN, with extensions for variants.
//!
//! `placement turn castling en-passant [checks] halfmoves fullmoves`, where
//!
//! * the placement may have holes `*`, promoted pieces `Q~`, and pieces in hand behind it: `[Qn]`, or as one more
//!   rank `/Qn`;
//! * castling is `KQkq` (the outermost rook on that side), or files of rooks (`HAha`). With several kings on the
//!   first rank, the castling king is the one on its square in the variant's start position, or its file is given
//!   as well;
//! * en passant is the passed square; if the pawn that can be taken is not right behind it (berolina), both
//!   squares: `d6c5`;
//! * checks are the remaining ones (`3+3`, white's first), or at the very end the ones already given (`+0+0`).
//!
//! All fields after the turn may be left out.

use std::fmt::Write;

use super::shortened;
use super::square_names::{square_name, square_named};
use crate::exchange::setup::{BoardPiece, EnPassant, Setup};
use crate::rules::variant::schema::{EndWhen, PieceKind, Role, Square, Variant};
use ludovec_engine::{Error, Result};

/// Reads a position.
///
/// # Errors
/// [`Error::InvalidState`] names the field, the problem and the allowed values. Whether the position is playable is
/// not checked.
pub fn parse(variant: &Variant, text: &str) -> Result<Setup> {
    Reader { variant }
        .position(text)
        .map_err(|what| Error::state(format!("FEN {:?}: {what}", shortened(text))))
}

/// The contents of the squares of a placement, first rank first: a piece's text, `*`, or nothing.
pub(crate) fn grid(placement: &str, width: u8, height: u8) -> Result<Vec<&str>, String> {
    let rows: Vec<&str> = placement.split('/').collect();
    if rows.len() != usize::from(height) {
        let (given, plural) = (rows.len(), if rows.len() == 1 { "" } else { "s" });
        return Err(format!("{given} rank{plural} given, {height} are needed, with / between them"));
    }
    let mut squares = Vec::with_capacity(usize::from(width) * usize::from(height));
    for (row, rank) in rows.iter().rev().zip(1..) {
        let before = squares.len();
        let mut rest = *row;
        while let Some(first) = rest.chars().next() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let length = if digits > 0 {
                let empty = rest[..digits].parse().unwrap_or(usize::MAX).min(usize::from(u8::MAX));
                squares.extend(std::iter::repeat_n("", empty));
                digits
            } else {
                let length = first.len_utf8();
                let length = length + usize::from(rest[length..].starts_with('~'));
                squares.push(&rest[..length]);
                length
            };
            rest = &rest[length..];
        }
        if squares.len() - before != usize::from(width) {
            return Err(format!("rank {rank} has {} cells, {width} are needed", squares.len() - before));
        }
    }
    Ok(squares)
}

/// The piece of a letter, and its colour.
pub(crate) fn piece(variant: &Variant, letter: char) -> Result<(PieceKind, u8), String> {
    let kind =
        variant.pieces.iter().position(|p| p.letter == letter.to_ascii_uppercase()).ok_or_else(|| {
            let known: String = variant.pieces.iter().map(|p| p.letter).collect();
            format!("{letter:?} is no piece of {}; the pieces are {known}", variant.name)
        })?;
    let white = letter.is_ascii_uppercase() || variant.pieces[kind].role == Role::Neutral;
    Ok((kind as PieceKind, u8::from(!white)))
}

struct Reader<'a> {
    variant: &'a Variant,
}

type Parsed<T> = Result<T, String>;

impl Reader<'_> {
    fn position(&self, text: &str) -> Parsed<Setup> {
        let mut fields = text.split_ascii_whitespace();
        let mut setup = Setup::empty(self.variant);
        self.placement(fields.next().ok_or("it is empty")?, &mut setup)?;
        setup.turn = match fields.next() {
            Some("w") => 0,
            Some("b") => 1,
            Some(other) => return Err(format!("the turn {other:?} is neither w nor b")),
            None => return Err("the turn (w or b) is missing".into()),
        };
        self.castling(fields.next().unwrap_or("-"), &mut setup)?;
        self.en_passant(fields.next().unwrap_or("-"), &mut setup)?;

        let mut numbers = Vec::new();
        let mut checks_seen = false;
        for field in fields {
            if field.contains('+') {
                if std::mem::replace(&mut checks_seen, true) {
                    return Err(format!("the checks are given twice, the second time as {field:?}"));
                }
                self.checks(field, &mut setup)?;
            } else {
                let number = field.parse::<u16>().ok().filter(|_| !field.starts_with('+'));
                numbers.push(number.ok_or_else(|| {
                    format!("{field:?} is no count of half moves or moves (0 to {})", u16::MAX)
                })?);
            }
        }
        match numbers[..] {
            [] => {}
            [halfmoves] => setup.halfmoves = halfmoves,
            [halfmoves, fullmoves] => (setup.halfmoves, setup.fullmoves) = (halfmoves, fullmoves.max(1)),
            _ => return Err("there is something after the number of the move".into()),
        }
        Ok(setup)
    }

    fn placement(&self, field: &str, setup: &mut Setup) -> Parsed<()> {
        let (width, height) = (self.variant.width, self.variant.height);
        let (board, hand) = if let Some((board, hand)) = field.split_once('[') {
            let hand = hand.strip_suffix(']').ok_or("the pieces in hand lack their closing ]")?;
            (board, Some(hand))
        } else if field.bytes().filter(|&b| b == b'/').count() == usize::from(height) {
            field.rsplit_once('/').map_or((field, None), |(board, hand)| (board, Some(hand)))
        } else {
            (field, None)
        };
        for (square, text) in (0u8..).zip(grid(board, width, height)?) {
            if (text == "*") != self.variant.holes.contains(&square) {
                let what = if text == "*" { "a hole" } else { "no hole" };
                let name = square_name(self.variant, square);
                return Err(format!("{name} is {what}, unlike on the board of {}", self.variant.name));
            }
            let mut letters = text.chars();
            if let Some(letter) = letters.next().filter(|&c| c != '*') {
                let (kind, colour) = piece(self.variant, letter)?;
                let promoted = letters.next() == Some('~');
                setup.board[usize::from(square)] = Some(BoardPiece { kind, colour, promoted });
            }
        }
        match (hand, &self.variant.drops) {
            (None | Some("" | "-"), _) => Ok(()),
            (Some(hand), Some(drops)) => {
                for letter in hand.chars() {
                    let (kind, colour) = piece(self.variant, letter)?;
                    if !drops.kinds.contains(&kind) {
                        return Err(format!("{letter:?} cannot be held in hand"));
                    }
                    let count = &mut setup.pockets[usize::from(colour)][usize::from(kind)];
                    *count = count.checked_add(1).ok_or("there are too many pieces in hand")?;
                }
                Ok(())
            }
            (Some(_), None) => Err(format!("{} has no pieces in hand", self.variant.name)),
        }
    }

    fn castling(&self, field: &str, setup: &mut Setup) -> Parsed<()> {
        // In variants without castling, positions are often written with the rights of the standard game.
        let Some(rules) = self.variant.castling.as_ref().filter(|_| field != "-") else { return Ok(()) };
        let width = self.variant.width;
        let is = |board: &[Option<BoardPiece>], square: Square, colour: u8, kinds: &[PieceKind]| {
            board[usize::from(square)].is_some_and(|m| m.colour == colour && kinds.contains(&m.kind))
        };
        let side = |letter: char| {
            let colour = u8::from(letter.is_ascii_lowercase());
            (colour, home_row(self.variant, colour))
        };
        // The file of a king marks it as the castling king.
        let marks_king = |board: &[Option<BoardPiece>], letter: char| {
            let (colour, row) = side(letter);
            let file = (letter.to_ascii_uppercase() as u32).wrapping_sub(u32::from(b'A'));
            let file = u8::try_from(file).ok().filter(|&f| f < width && !"KQkq".contains(letter));
            let several = (row..row + width).filter(|&c| is(board, c, colour, &[rules.king])).count() > 1;
            file.map(|f| row + f).filter(|&square| several && is(board, square, colour, &[rules.king]))
        };
        let marked: Vec<Square> =
            field.chars().filter_map(|letter| marks_king(&setup.board, letter)).collect();
        setup.castling.extend(marked);
        for letter in field.chars() {
            let (colour, row) = side(letter);
            let king = castling_king(setup, self.variant, colour);
            let king =
                king.ok_or_else(|| format!("castling {letter:?}: its king is not on its first rank"))? - row;
            if marks_king(&setup.board, letter).is_some() {
                continue;
            }
            let is = |file: u8, kinds: &[PieceKind]| is(&setup.board, row + file, colour, kinds);
            let rook = match letter.to_ascii_uppercase() {
                'K' => (king + 1..width).rev().find(|&file| is(file, &rules.rooks)),
                'Q' => (0..king).find(|&file| is(file, &rules.rooks)),
                file @ 'A'..='P' => Some(file as u8 - b'A').filter(|&f| f < width && is(f, &rules.rooks)),
                _ => return Err(format!("castling {letter:?}: KQkq, files of rooks or - are allowed")),
            };
            let rook = rook.ok_or_else(|| format!("castling {letter:?}: no rook is there"))?;
            if !setup.castling.contains(&(row + rook)) {
                setup.castling.push(row + rook);
            }
        }
        setup.castling.sort_unstable();
        Ok(())
    }

    fn en_passant(&self, field: &str, setup: &mut Setup) -> Parsed<()> {
        if field == "-" {
            return Ok(());
        }
        let wrong = |what: &str| Err(format!("en passant {field:?}: {what}"));
        if !self.variant.pawn.en_passant {
            return wrong(&format!("there is none in {}, write -", self.variant.name));
        }
        let width = self.variant.width;
        let role = |kind: PieceKind| self.variant.pieces[usize::from(kind)].role;
        let at =
            |square: Square| setup.board[usize::from(square)].map(|piece| (role(piece.kind), piece.colour));
        let is_victim = |square: Square| at(square).is_some_and(|(role, _)| role == Role::Pawn);
        let (mut targets, mut victim) = (Vec::new(), None);
        let mut rest = field;
        while !rest.is_empty() {
            let end = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count() + 1;
            let Some(square) = rest.get(..end).and_then(|name| square_named(self.variant, name)) else {
                return wrong("a cell or - is allowed");
            };
            rest = &rest[end..];
            // A neutral piece can be put on the passed cell after the double step.
            let is_free = at(square).is_none_or(|(role, _)| role == Role::Neutral);
            if is_victim(square) {
                victim = Some(square);
            } else if !is_free || self.variant.holes.contains(&square) {
                return wrong("the passed cell is not empty");
            } else {
                targets.push(square);
            }
        }
        let Some(&target) = targets.first() else { return wrong("the passed cell is missing") };
        let behind = if setup.turn == 0 { target.checked_sub(width) } else { target.checked_add(width) };
        let is_enemy_pawn = |square: &Square| {
            is_victim(*square) && at(*square).is_some_and(|(_, colour)| colour != setup.turn)
        };
        let behind = behind.filter(|&square| usize::from(square) < setup.board.len()).filter(is_enemy_pawn);
        let Some(victim) = victim.or(behind) else {
            return wrong("no pawn that could be taken is behind the cell");
        };
        targets.sort_unstable();
        targets.dedup();
        setup.en_passant = Some(EnPassant { targets, victim });
        Ok(())
    }

    fn checks(&self, field: &str, setup: &mut Setup) -> Parsed<()> {
        let wrong = |what: String| Err(format!("checks {field:?}: {what}"));
        let Some(most) = most_checks(self.variant) else {
            return wrong(format!("they are not counted in {}", self.variant.name));
        };
        let (given, numbers) = match field.strip_prefix('+') {
            Some(numbers) => (true, numbers),
            None => (false, field),
        };
        let number = |text: &str| text.parse::<u8>().ok().filter(|&n| n <= most && !text.starts_with('+'));
        let Some((white, black)) = numbers.split_once('+').and_then(|(w, b)| number(w).zip(number(b))) else {
            return wrong(format!("two numbers from 0 to {most} are allowed, as 1+{most}"));
        };
        setup.checks = if given { [white, black] } else { [most - white, most - black] };
        Ok(())
    }
}

/// The castling king, on its home rank: of several kings the marked one, else the one on its square in a start
/// position, else the first.
pub(crate) fn castling_king(setup: &Setup, variant: &Variant, colour: u8) -> Option<Square> {
    let castling = variant.castling.as_ref()?;
    let home = if colour == 0 { 0 } else { (variant.height - 1) * variant.width };
    let kings = (home..home + variant.width).filter(|&square| {
        setup.board[usize::from(square)].is_some_and(|m| (m.kind, m.colour) == (castling.king, colour))
    });
    if kings.clone().count() < 2 {
        return kings.clone().next();
    }
    let marked = kings.clone().find(|square| setup.castling.contains(square));
    let start = grid(variant.start.split([' ', '[']).next()?, variant.width, variant.height).ok()?;
    let letter = letter(variant, castling.king, colour);
    let original = kings.clone().find(|&square| start[usize::from(square)].starts_with(letter));
    marked.or(original).or(kings.clone().next())
}

/// The first square of the rank on which a colour's king starts.
fn home_row(variant: &Variant, colour: u8) -> Square {
    if colour == 0 { 0 } else { (variant.height - 1) * variant.width }
}

/// The number of checks that ends the game, if the variant counts checks.
fn most_checks(variant: &Variant) -> Option<u8> {
    variant.end.iter().find_map(|rule| match rule.when {
        EndWhen::Checks(most) => Some(most),
        _ => None,
    })
}

/// Writes a position: Shredder-FEN if castling goes by files, X-FEN otherwise.
#[must_use]
pub fn write(variant: &Variant, setup: &Setup) -> String {
    let mut out = placement(variant, setup);
    if let Some(drops) = &variant.drops {
        out.push('[');
        for colour in 0..2u8 {
            for &kind in &drops.kinds {
                let count = setup.pockets[usize::from(colour)][usize::from(kind)];
                out.extend(std::iter::repeat_n(letter(variant, kind, colour), usize::from(count)));
            }
        }
        out.push(']');
    }
    out.push_str(if setup.turn == 0 { " w " } else { " b " });
    out.push_str(&castling(variant, setup));
    out.push(' ');
    out.push_str(&en_passant(variant, setup));
    if let Some(most) = most_checks(variant) {
        let left = setup.checks.map(|given| most.saturating_sub(given));
        write!(out, " {}+{}", left[0], left[1]).expect("writing to a String");
    }
    write!(out, " {} {}", setup.halfmoves, setup.fullmoves).expect("writing to a String");
    out
}

/// The first field of a FEN, without the pieces in hand.
pub(crate) fn placement(variant: &Variant, setup: &Setup) -> String {
    let mut out = String::new();
    for rank in (0..variant.height).rev() {
        let mut empty = 0;
        for file in 0..variant.width {
            let square = rank * variant.width + file;
            let piece = setup.board[usize::from(square)];
            let hole = variant.holes.contains(&square);
            if piece.is_none() && !hole {
                empty += 1;
                continue;
            }
            if empty > 0 {
                write!(out, "{empty}").expect("writing to a String");
                empty = 0;
            }
            match piece {
                Some(piece) => {
                    out.push(letter(variant, piece.kind, piece.colour));
                    if piece.promoted {
                        out.push('~');
                    }
                }
                None => out.push('*'),
            }
        }
        if empty > 0 {
            write!(out, "{empty}").expect("writing to a String");
        }
        if rank > 0 {
            out.push('/');
        }
    }
    out
}

/// The letter of a piece: upper case for white, lower case for black and neutral ones.
pub(crate) fn letter(variant: &Variant, kind: PieceKind, colour: u8) -> char {
    let piece = &variant.pieces[usize::from(kind)];
    if colour == 0 && piece.role != Role::Neutral { piece.letter } else { piece.letter.to_ascii_lowercase() }
}

fn castling(variant: &Variant, setup: &Setup) -> String {
    let mut out = String::new();
    let Some(rules) = &variant.castling else { return "-".into() };
    for colour in 0..2u8 {
        let row = home_row(variant, colour);
        let files = row..row + variant.width;
        let is = |square: Square, kinds: &[PieceKind]| {
            setup.board[usize::from(square)].is_some_and(|m| m.colour == colour && kinds.contains(&m.kind))
        };
        let Some(king) = castling_king(setup, variant, colour) else { continue };
        let outermost = [
            files.clone().rev().find(|&square| square > king && is(square, &rules.rooks)),
            files.clone().find(|&square| square < king && is(square, &rules.rooks)),
        ];
        // Right side first, as in KQ.
        let own = |c: &Square| files.contains(c) && *c != king;
        let mut rooks: Vec<Square> = setup.castling.iter().copied().filter(own).collect();
        rooks.sort_unstable_by(|a, b| b.cmp(a));
        for rook in rooks {
            let name = match outermost.iter().position(|&square| square == Some(rook)) {
                Some(side) if !variant.chess960 => ['K', 'Q'][side],
                _ => char::from(b'A' + (rook - row)),
            };
            out.push(if colour == 0 { name } else { name.to_ascii_lowercase() });
        }
        let unmarked = Setup { castling: Vec::new(), ..setup.clone() };
        if setup.castling.contains(&king) && castling_king(&unmarked, variant, colour) != Some(king) {
            let name = char::from(b'A' + (king - row));
            out.push(if colour == 0 { name } else { name.to_ascii_lowercase() });
        }
    }
    if out.is_empty() { "-".into() } else { out }
}

fn en_passant(variant: &Variant, setup: &Setup) -> String {
    let Some(passed) = &setup.en_passant else { return "-".into() };
    let mut out: String = passed.targets.iter().map(|&square| square_name(variant, square)).collect();
    let ordinary = |&target: &Square| {
        let ahead = if setup.turn == 0 {
            passed.victim + variant.width
        } else {
            passed.victim.wrapping_sub(variant.width)
        };
        target == ahead
    };
    if !passed.targets.iter().all(ordinary) {
        out.push_str(&square_name(variant, passed.victim));
    }
    out
}
