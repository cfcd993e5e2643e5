//! Sets of squares, written in words.
//!
//! A region is a term or a list of terms: `"e4"`, `"d4-e5"` (a rectangle), `"rank 2"`, `"rank 2-8"`, `"last rank"`,
//! `"file c"`, `"file a-c"`, `"all"`. In this form it holds for white and, mirrored, for black.
//! `{ white = ..., black = ... }` gives each side its own squares, `{ both = ... }` the same squares to both.

use super::schema::Square;
use super::tree::Field;
use ludovec_engine::Result;

/// The board that contains the regions.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoardSize {
    pub(super) width: u8,
    pub(super) height: u8,
}

impl BoardSize {
    /// The squares of a region, for white and for black.
    pub(super) fn both(self, field: &Field) -> Result<[Vec<Square>; 2]> {
        if !field.is_table() {
            let white = self.squares(field)?;
            let mut black: Vec<_> = white.iter().map(|&square| self.mirrored(square)).collect();
            black.sort_unstable();
            return Ok([white, black]);
        }
        let sides = field.table(&["white", "black", "both"])?;
        if let Some(both) = sides.get("both") {
            let squares = self.squares(&both)?;
            return Ok([squares.clone(), squares]);
        }
        Ok([self.squares(&sides.need("white")?)?, self.squares(&sides.need("black")?)?])
    }

    /// A single square.
    pub(super) fn square(self, field: &Field) -> Result<Square> {
        let text = field.text()?;
        self.named(text)
            .ok_or_else(|| field.error(format_args!("{text:?} is no cell; {}", self.squares_in_words())))
    }

    /// The squares of a term or a list of terms, in increasing order.
    fn squares(self, field: &Field) -> Result<Vec<Square>> {
        let terms = if field.is_list() { field.list()? } else { vec![field.clone()] };
        let mut squares = Vec::new();
        for term in terms {
            let text = term.text()?;
            squares.extend(self.term(text).ok_or_else(|| {
                term.error(format_args!(
                    "{text:?} names no cells; allowed are \"e4\", \"d4-e5\", \"rank 2\", \"rank 2-8\", \"last rank\", \
                     \"file c\", \"file a-c\" and \"all\", where {}",
                    self.squares_in_words()
                ))
            })?);
        }
        squares.sort_unstable();
        squares.dedup();
        Ok(squares)
    }

    fn term(self, text: &str) -> Option<Vec<Square>> {
        let (last_file, last_rank) = (self.width - 1, self.height - 1);
        let (from, to) = match text.split_once(' ') {
            None if text == "all" => ((0, 0), (last_file, last_rank)),
            None => {
                let (from, to) = range(text, |square| self.named(square))?;
                ((from % self.width, from / self.width), (to % self.width, to / self.width))
            }
            Some(("last", "rank")) => ((0, last_rank), (last_file, last_rank)),
            Some(("rank", ranks)) => {
                let (from, to) = range(ranks, |rank| self.rank(rank))?;
                ((0, from), (last_file, to))
            }
            Some(("file", files)) => {
                let (from, to) = range(files, |file| self.file(file))?;
                ((from, 0), (to, last_rank))
            }
            Some(_) => return None,
        };
        let ranks = from.1.min(to.1)..=from.1.max(to.1);
        let files = from.0.min(to.0)..=from.0.max(to.0);
        Some(ranks.flat_map(|rank| files.clone().map(move |file| rank * self.width + file)).collect())
    }

    /// The file of a letter.
    pub(super) fn file(self, text: &str) -> Option<u8> {
        let &[letter @ b'a'..=b'p'] = text.as_bytes() else { return None };
        Some(letter - b'a').filter(|&file| file < self.width)
    }
    fn rank(self, text: &str) -> Option<u8> {
        let digits = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
        let rank: u8 = text.parse().ok().filter(|_| digits)?;
        (1..=self.height).contains(&rank).then(|| rank - 1)
    }
    fn named(self, text: &str) -> Option<Square> {
        let (file, rank) = (text.get(..1)?, text.get(1..)?);
        Some(self.rank(rank)? * self.width + self.file(file)?)
    }

    fn mirrored(self, square: Square) -> Square {
        (self.height - 1 - square / self.width) * self.width + square % self.width
    }
    /// The squares of the board, for error messages.
    fn squares_in_words(self) -> String {
        format!("the cells are a1 to {}{}", char::from(b'a' + self.width - 1), self.height)
    }
}

/// A range `x-y` or a single `x`.
fn range<T: Copy>(text: &str, one: impl Fn(&str) -> Option<T>) -> Option<(T, T)> {
    match text.split_once('-') {
        Some((from, to)) => Some((one(from)?, one(to)?)),
        None => one(text).map(|x| (x, x)),
    }
}
