//! Betza notation: the moves of a piece in one word.
//!
//! A word is a run of terms, each `modifiers atom range`: `mfWcfF` is a pawn without its double step, `NN`
//! a knightrider, `R4` a rook of at most four squares, `gQ` a grasshopper.
//!
//! | part | letters |
//! |---|---|
//! | atoms | `W` (1,0) `F` (1,1) `D` (2,0) `N` (2,1) `A` (2,2) `H` (3,0) `C` `L` (3,1) `Z` `J` (3,2) `G` (3,3) |
//! | shorthands | `R` = `W0`, `B` = `F0`, `Q` = `W0F0`, `K` = `WF` |
//! | range | a number of steps, `0` or the atom's letter once more for any number |
//! | purpose | `m` only to an empty square, `c` only to capture, `i` only while unmoved |
//! | way | `n` lame: may not leap over a piece; `g` lands behind the first piece, `p` anywhere behind it |
//! | direction | `f b l r`, `v` = `fb`, `s` = `lr`; two letters name a diagonal (`fl`) or oblique leaps, the longer part in the direction of the second letter (`lf` far ahead, `fl` far to the left, `f` = `ff`); `fh bh lh rh` are the four oblique leaps of a half |

use std::fmt;

use super::schema::{MAX_SIDE, Modality, Path, Primitive};

/// Longest word that is accepted.
const MAX_LETTERS: usize = 200;

/// A syntax error in a word of Betza notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BetzaError {
    /// Position of the character, from 1.
    at: usize,
    /// The mistake at this character, and the allowed input.
    message: String,
}

impl fmt::Display for BetzaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (character {})", self.message, self.at)
    }
}

/// The moves that `word` describes: one primitive for each direction, none implied by another.
///
/// # Errors
/// Names the first wrong character and the characters allowed there.
pub(super) fn parse(word: &str) -> Result<Vec<Primitive>, BetzaError> {
    let letters: Vec<char> = word.chars().collect();
    let mut word = Word { letters: &letters, at: 0 };
    if letters.len() > MAX_LETTERS {
        return Err(word.error(format!("the word is longer than {MAX_LETTERS} characters")));
    }
    let mut moves = Vec::new();
    while word.peek().is_some() {
        term(&mut word, &mut moves)?;
    }
    if moves.is_empty() {
        return Err(word.error("a piece needs at least one atom (W F D N A H C Z G R B Q K)"));
    }
    Ok(moves)
}

/// A word, read from left to right.
struct Word<'a> {
    letters: &'a [char],
    at: usize,
}

impl Word<'_> {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }
    fn take_if(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        let letter = self.peek().filter(|&c| wanted(c))?;
        self.at += 1;
        Some(letter)
    }
    fn error(&self, message: impl Into<String>) -> BetzaError {
        BetzaError { at: self.at + 1, message: message.into() }
    }
}

/// The modifiers before an atom.
#[derive(Default)]
struct Modifiers {
    moves: bool,
    captures: bool,
    initial: bool,
    way: Option<char>,
    /// Direction letters in the order written.
    directions: Vec<char>,
}

fn term(word: &mut Word, moves: &mut Vec<Primitive>) -> Result<(), BetzaError> {
    let modifiers = modifiers(word)?;
    let atom_at = word.at;
    let blame_atom = |message: String| BetzaError { at: atom_at + 1, message };
    let Some(atom) = word.take_if(|c| c.is_ascii_uppercase()) else {
        return Err(word.error(match word.peek() {
            Some(c) => format!("{c:?} is neither a modifier (m c i n g p f b l r v s h) nor an atom"),
            None => "the modifiers are followed by no atom".into(),
        }));
    };
    let (atoms, rider) = leaps(atom).ok_or_else(|| {
        blame_atom(format!("{atom:?} is no atom; the atoms are W F D N A H C L Z J G and R B Q K"))
    })?;
    let range = range(word, atom, rider)?;
    let modality = match (modifiers.moves, modifiers.captures) {
        (true, false) => Modality::Move,
        (false, true) => Modality::Capture,
        _ => Modality::Both,
    };
    for &(long, short) in atoms {
        for offset in directions(long, short, &modifiers.directions).map_err(blame_atom)? {
            let path = path(modifiers.way, range, offset).map_err(blame_atom)?;
            add(moves, Primitive { modality, initial: modifiers.initial, offset, path });
        }
    }
    Ok(())
}

fn modifiers(word: &mut Word) -> Result<Modifiers, BetzaError> {
    let mut found = Modifiers::default();
    while let Some(letter) = word.peek() {
        match letter {
            'm' => found.moves = true,
            'c' => found.captures = true,
            'i' => found.initial = true,
            'n' | 'g' | 'p' if found.way.is_some() => {
                return Err(word.error("only one of n, g and p is allowed before an atom"));
            }
            'n' | 'g' | 'p' => found.way = Some(letter),
            'f' | 'b' | 'l' | 'r' | 'v' | 's' | 'h' => found.directions.push(letter),
            _ => break,
        }
        word.at += 1;
    }
    Ok(found)
}

/// The leaps (longer and shorter part) of an atom or shorthand, and whether it rides.
fn leaps(atom: char) -> Option<(&'static [(i8, i8)], bool)> {
    Some(match atom {
        'W' => (&[(1, 0)], false),
        'F' => (&[(1, 1)], false),
        'D' => (&[(2, 0)], false),
        'N' => (&[(2, 1)], false),
        'A' => (&[(2, 2)], false),
        'H' => (&[(3, 0)], false),
        'C' | 'L' => (&[(3, 1)], false),
        'Z' | 'J' => (&[(3, 2)], false),
        'G' => (&[(3, 3)], false),
        'K' => (&[(1, 0), (1, 1)], false),
        'R' => (&[(1, 0)], true),
        'B' => (&[(1, 1)], true),
        'Q' => (&[(1, 0), (1, 1)], true),
        _ => return None,
    })
}

/// The number of steps after an atom; 0 for any number.
fn range(word: &mut Word, atom: char, rider: bool) -> Result<u8, BetzaError> {
    if word.take_if(|c| c == atom).is_some() {
        return Ok(0);
    }
    let start = word.at;
    while word.take_if(|c| c.is_ascii_digit()).is_some() {}
    let digits: String = word.letters[start..word.at].iter().collect();
    if digits.is_empty() {
        return Ok(u8::from(!rider));
    }
    digits.parse().ok().filter(|&steps| steps < MAX_SIDE).ok_or_else(|| BetzaError {
        at: start + 1,
        message: format!("a range of {digits} steps is not allowed, 0 (any number) to {} are", MAX_SIDE - 1),
    })
}

fn path(way: Option<char>, range: u8, (dx, dy): (i8, i8)) -> Result<Path, String> {
    match (way, range) {
        (None, 1) => Ok(Path::Leap),
        (None, max) => Ok(Path::Ride { max }),
        (Some('n'), 1) => match (dx.abs(), dy.abs()) {
            (2, 1) => Ok(Path::Lame { via: (dx.signum(), 0) }),
            (1, 2) => Ok(Path::Lame { via: (0, dy.signum()) }),
            (0 | 2, 0 | 2) => Ok(Path::Lame { via: (dx / 2, dy / 2) }),
            (0 | 1, 0 | 1) => Ok(Path::Leap),
            _ => Err("n goes with the atoms D, N and A only".into()),
        },
        (Some('n'), max) => match (dx.abs(), dy.abs()) {
            (0 | 1, 0 | 1) => Ok(Path::Ride { max }),
            _ => Err("n goes with single leaps only".into()),
        },
        (Some(hop), 0) => Ok(Path::Hop { beside: hop == 'g' }),
        (Some(hop), _) => Err(format!("{hop} goes with atoms of any range only (R, B, Q, NN ...)")),
    }
}

/// The vectors of a leap that match the direction letters; all of them if there are no letters.
fn directions(long: i8, short: i8, letters: &[char]) -> Result<Vec<(i8, i8)>, String> {
    let mut all: Vec<(i8, i8)> = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        .into_iter()
        .flat_map(|(x, y)| [(x * long, y * short), (x * short, y * long)])
        .collect();
    all.sort_unstable();
    all.dedup();
    if letters.is_empty() {
        return Ok(all);
    }
    let oblique = short != 0 && short != long;
    let mut kept = Vec::new();
    let mut rest = letters;
    while let &[first, ref tail @ ..] = rest {
        if first == 'h' {
            return Err("h is allowed only after f, b, l or r before an oblique atom (N, C, L, Z, J)".into());
        }
        // Orthogonal atoms have no directions in between, so each letter is a direction of its own.
        let second = tail.first().copied().filter(|&c| short != 0 && combines(first, c, oblique));
        rest = if second.is_some() { &tail[1..] } else { tail };
        kept.extend(all.iter().copied().filter(|&vector| match second {
            None => faces(first, vector) && (!oblique || points(first, vector)),
            Some('h') => faces(first, vector),
            Some(c) => faces(first, vector) && faces(c, vector) && (!oblique || points(c, vector)),
        }));
    }
    if kept.is_empty() {
        return Err(format!("the directions {} leave no way to go", letters.iter().collect::<String>()));
    }
    Ok(kept)
}

/// Whether `first` and `second` together form one direction.
fn combines(first: char, second: char, oblique: bool) -> bool {
    let vertical = |c| matches!(c, 'f' | 'b' | 'v');
    let sideways = |c| matches!(c, 'l' | 'r' | 's');
    if second == 'h' {
        return oblique && matches!(first, 'f' | 'b' | 'l' | 'r');
    }
    vertical(first) && sideways(second) || sideways(first) && vertical(second) || oblique && first == second
}

/// Whether a vector has a component toward the side of a direction letter.
fn faces(letter: char, (x, y): (i8, i8)) -> bool {
    match letter {
        'f' => y > 0,
        'b' => y < 0,
        'l' => x < 0,
        'r' => x > 0,
        'v' => y != 0,
        _ => x != 0,
    }
}

/// Whether the longer part of an oblique vector is along the axis of a direction letter.
fn points(letter: char, (x, y): (i8, i8)) -> bool {
    match letter {
        'f' | 'b' | 'v' => y.abs() > x.abs(),
        _ => x.abs() > y.abs(),
    }
}

/// Adds a primitive, merged with the existing ones: `mWcW` is `W`, and `RW` is `R`.
fn add(moves: &mut Vec<Primitive>, new: Primitive) {
    let twin = moves
        .iter_mut()
        .find(|old| (old.initial, old.offset, old.path) == (new.initial, new.offset, new.path));
    match twin {
        Some(old) if old.modality != new.modality => old.modality = Modality::Both,
        Some(_) => {}
        None => moves.push(new),
    }
    let all = moves.clone();
    moves.retain(|a| !all.iter().any(|b| a != b && covers(b, a)));
}

/// Whether `b` covers every move of `a`.
fn covers(b: &Primitive, a: &Primitive) -> bool {
    let reach = |p: &Primitive| match p.path {
        Path::Leap => Some(1),
        Path::Ride { max: 0 } => Some(u8::MAX),
        Path::Ride { max } => Some(max),
        Path::Lame { .. } | Path::Hop { .. } => None,
    };
    a.offset == b.offset
        && (!b.initial || a.initial)
        && (b.modality == Modality::Both || b.modality == a.modality)
        && (a.path == b.path || reach(a).zip(reach(b)).is_some_and(|(a, b)| a <= b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The destinations on an empty board within two squares, rank by rank from the top; `x` marks a destination.
    fn near(word: &str) -> Vec<(i8, i8)> {
        let mut squares: Vec<_> = parse(word).unwrap().iter().map(|p| p.offset).collect();
        squares.sort_unstable();
        squares
    }

    #[test]
    fn a_pawn_steps_ahead_and_captures_diagonally() {
        let pawn = parse("mfWcfF").unwrap();
        let find = |offset| pawn.iter().find(|p| p.offset == offset).map(|p| p.modality);
        assert_eq!(pawn.len(), 3);
        assert_eq!(find((0, 1)), Some(Modality::Move));
        assert_eq!(find((1, 1)), Some(Modality::Capture));
        assert_eq!(find((-1, 1)), Some(Modality::Capture));
    }

    #[test]
    fn direction_letters_are_single_on_orthogonal_atoms_and_combine_on_the_others() {
        assert_eq!(near("fsW"), [(-1, 0), (0, 1), (1, 0)]);
        assert_eq!(near("vD"), [(0, -2), (0, 2)]);
        assert_eq!(near("fF"), [(-1, 1), (1, 1)]);
        assert_eq!(near("flF"), [(-1, 1)]);
        assert_eq!(near("fN"), [(-1, 2), (1, 2)]);
        assert_eq!(near("lfN"), [(-1, 2)]);
        assert_eq!(near("fsN"), [(-2, 1), (2, 1)]);
        assert_eq!(near("fhN"), [(-2, 1), (-1, 2), (1, 2), (2, 1)]);
        assert_eq!(near("N").len(), 8);
    }

    #[test]
    fn ranges_make_riders() {
        let path = |word| parse(word).unwrap()[0].path;
        assert_eq!(path("R"), Path::Ride { max: 0 });
        assert_eq!(path("NN"), Path::Ride { max: 0 });
        assert_eq!(path("N0"), Path::Ride { max: 0 });
        assert_eq!(path("W3"), Path::Ride { max: 3 });
        assert_eq!(path("R1"), Path::Leap);
        assert_eq!(path("gQ"), Path::Hop { beside: true });
        assert_eq!(path("cpR"), Path::Hop { beside: false });
    }

    #[test]
    fn lame_leapers_name_the_square_in_their_way() {
        for p in parse("nN").unwrap() {
            let Path::Lame { via: (x, y) } = p.path else { panic!("{p:?}") };
            assert_eq!((x * x + y * y, x * p.offset.0 + y * p.offset.1), (1, 2));
        }
        assert!(
            parse("nA")
                .unwrap()
                .iter()
                .all(|p| p.path == Path::Lame { via: (p.offset.0 / 2, p.offset.1 / 2) })
        );
    }

    #[test]
    fn implied_primitives_are_not_repeated() {
        assert_eq!(parse("mWcW").unwrap(), parse("W").unwrap());
        assert_eq!(parse("RK").unwrap().len(), 8);
        assert_eq!(parse("WR").unwrap(), parse("R").unwrap());
        assert_eq!(parse("RmW").unwrap(), parse("R").unwrap());
        assert_eq!(parse("mRcW").unwrap().len(), 8);
        assert_eq!(parse("iRW4").unwrap().len(), 8);
    }

    #[test]
    fn errors_name_the_character_and_the_allowed_input() {
        for (word, expected) in [
            ("", "at least one atom"),
            ("mf", "followed by no atom (character 3)"),
            ("X", "the atoms are W F D N"),
            ("fW+", "'+' is neither a modifier"),
            ("ngR", "only one of n, g and p"),
            ("gN", "g goes with atoms of any range"),
            ("nZ", "D, N and A"),
            ("R99", "0 (any number) to 15"),
            ("hN", "h is allowed only after"),
            ("é", "'é' is neither"),
        ] {
            let error = parse(word).unwrap_err().to_string();
            assert!(error.contains(expected), "{word}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_parses_or_is_refused(word in ".{0,40}") {
            let _ = parse(&word);
        }
        #[test]
        fn any_run_of_letters_gives_a_set_of_distinct_moves(word in "[mcingpfblrvshWFDNAHCZGRBQK0-9]{1,12}") {
            if let Ok(moves) = parse(&word) {
                prop_assert!(!moves.is_empty());
                for (i, a) in moves.iter().enumerate() {
                    prop_assert!(a.offset != (0, 0));
                    prop_assert!(moves.iter().enumerate().all(|(j, b)| i == j || !covers(b, a)), "{word}: {moves:?}");
                }
            }
        }
    }
}
