//! The words of PGN: tags, moves, comments.

use std::io::BufRead;

use ludovec_engine::{Error, Result};

/// Maximum length of a comment, tag or word in bytes.
const LONGEST: usize = 1 << 20;

/// A part of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    Move(String),
    Comment(String),
    /// The begin of a variation, which replaces the last move.
    Variation,
    /// The end of a variation.
    VariationEnd,
    /// The result at the end.
    Result(GameResult),
}

/// The result of a game in PGN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GameResult {
    White,
    Black,
    Draw,
    Unknown,
}

impl GameResult {
    /// `1-0`, `0-1`, `1/2-1/2` or `*`, with any dash, zeros as letters, and `½`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let plain: String = text
            .chars()
            .filter(|letter| !letter.is_whitespace())
            .map(|letter| match letter {
                '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
                'O' | 'o' => '0',
                letter => letter,
            })
            .collect();
        match plain.replace('½', "1/2").as_str() {
            "1-0" => Some(Self::White),
            "0-1" => Some(Self::Black),
            "1/2-1/2" | "1/2" => Some(Self::Draw),
            "*" => Some(Self::Unknown),
            _ => None,
        }
    }

    /// The result of a game that is over.
    pub(super) fn of(returns: &[f32]) -> Self {
        match returns {
            [white, black] if white > black => Self::White,
            [white, black] if white < black => Self::Black,
            _ => Self::Draw,
        }
    }

    /// The outcome of both sides; `None` for `*`.
    pub(super) fn returns(self) -> Option<[f32; 2]> {
        match self {
            Self::White => Some([1.0, -1.0]),
            Self::Black => Some([-1.0, 1.0]),
            Self::Draw => Some([0.0, 0.0]),
            Self::Unknown => None,
        }
    }
}

impl std::fmt::Display for GameResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::White => "1-0",
            Self::Black => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        })
    }
}

/// A text in PGN, read game by game.
pub(super) struct Movetext<'a> {
    input: &'a mut dyn BufRead,
    /// The next byte, if it was read.
    peeked: Option<u8>,
    line: usize,
    /// Whether the next byte begins a line.
    at_line_start: bool,
    /// The error that ended the text.
    failed: Option<String>,
}

impl<'a> Movetext<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead) -> Self {
        Self { input, peeked: None, line: 1, at_line_start: true, failed: None }
    }

    /// The number of the line of the next word.
    pub(super) fn line(&mut self) -> usize {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.next();
        }
        self.line
    }

    fn peek(&mut self) -> Option<u8> {
        if self.peeked.is_none() && self.failed.is_none() {
            match self.input.fill_buf() {
                Ok(buffer) => {
                    self.peeked = buffer.first().copied();
                    if self.peeked.is_some() {
                        self.input.consume(1);
                    }
                }
                Err(error) => self.failed = Some(error.to_string()),
            }
        }
        self.peeked
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.peeked = None;
        self.at_line_start = byte == b'\n';
        self.line += usize::from(byte == b'\n');
        Some(byte)
    }

    /// The bytes up to one that ends them, which is consumed.
    fn until(&mut self, what: &str, ends: impl Fn(u8) -> bool) -> Result<String> {
        let mut bytes = Vec::new();
        loop {
            match self.next() {
                Some(byte) if ends(byte) => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
                Some(byte) if bytes.len() < LONGEST => bytes.push(byte),
                Some(_) => return Err(Error::state(format!("{what} of more than {LONGEST} bytes"))),
                None => return Err(Error::state(format!("{what} without an end"))),
            }
        }
    }

    /// Reads the next game: its tags and words. False at the end of the text. After an error the rest of the game is
    /// skipped.
    ///
    /// # Errors
    /// [`Error::InvalidState`] for text that is not PGN, or breaks off.
    pub(super) fn game(&mut self, tags: &mut Vec<(String, String)>, words: &mut Vec<Word>) -> Result<bool> {
        let found = self.words(tags, words);
        match self.failed.take() {
            Some(error) => Err(Error::state(error)),
            None => found,
        }
    }

    fn words(&mut self, tags: &mut Vec<(String, String)>, words: &mut Vec<Word>) -> Result<bool> {
        // Variations are nested.
        let mut depth = 0_usize;
        let mut wrong = None;
        // Whether the last byte belongs to a move of the game.
        let mut is_move = false;
        while let Some(byte) = self.peek() {
            let at_line_start = self.at_line_start;
            let after_move = std::mem::take(&mut is_move);
            match byte {
                b'%' if at_line_start => {
                    self.rest_of_line();
                }
                b'[' if depth > 0 && at_line_start => return Err(open_variation()),
                b'[' if at_line_start => {
                    // Tags behind moves begin another game: this one has no result.
                    let moved = |word: &Word| matches!(word, Word::Move(_) | Word::Variation);
                    if words.iter().any(moved) || wrong.is_some() {
                        return wrong.map_or(Ok(true), Err);
                    }
                    self.next();
                    match self.tag() {
                        Ok(tag) => tags.push(tag),
                        Err(error) => wrong = Some(error),
                    }
                }
                b'{' => {
                    self.next();
                    let text = self.until("a comment", |byte| byte == b'}')?;
                    if depth == 0 {
                        words.push(Word::Comment(text.split_whitespace().collect::<Vec<_>>().join(" ")));
                    }
                }
                b';' => {
                    let text = self.rest_of_line();
                    if depth == 0 {
                        words.push(Word::Comment(text[1..].trim().to_string()));
                    }
                }
                b'(' => {
                    self.next();
                    let is_letter = self.peek().is_some_and(|byte| byte.is_ascii_alphabetic());
                    let inside = if after_move && is_letter { self.word() } else { String::new() };
                    // A promotion: `e8(Q)`.
                    if let ([kind], Some(b')'), Some(Word::Move(text))) =
                        (inside.as_bytes(), self.peek(), words.last_mut())
                    {
                        self.next();
                        text.push(char::from(*kind));
                    } else {
                        words.push(Word::Variation);
                        words.extend(played(&inside).map(Word::Move));
                        depth += 1;
                    }
                }
                b')' => {
                    self.next();
                    if depth > 0 {
                        words.push(Word::VariationEnd);
                        depth -= 1;
                    }
                }
                _ if byte.is_ascii_whitespace() || byte == b'.' => {
                    self.next();
                }
                0xef | 0xbb | 0xbf => {
                    // A byte order mark.
                    self.next();
                    self.at_line_start = at_line_start;
                }
                _ => {
                    let word = self.word();
                    match GameResult::parse(&word) {
                        Some(result) if depth == 0 => {
                            words.push(Word::Result(result));
                            return wrong.map_or(Ok(true), Err);
                        }
                        Some(_) => {}
                        None => {
                            let text = played(&word);
                            is_move = text.is_some();
                            words.extend(text.map(Word::Move));
                        }
                    }
                }
            }
        }
        if depth > 0 {
            return Err(open_variation());
        }
        wrong.map_or(Ok(false), Err)
    }

    fn rest_of_line(&mut self) -> String {
        let mut bytes = Vec::new();
        while let Some(byte) = self.next().filter(|&byte| byte != b'\n') {
            if bytes.len() < LONGEST {
                bytes.push(byte);
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A word, up to a sign that ends it.
    fn word(&mut self) -> String {
        let mut bytes = Vec::new();
        while let Some(byte) = self.peek() {
            let ends = byte.is_ascii_whitespace() || b"(){};".contains(&byte);
            if !bytes.is_empty() && ends || bytes.len() >= LONGEST {
                break;
            }
            self.next();
            bytes.push(byte);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// `Name "value"]`, after its bracket.
    fn tag(&mut self) -> Result<(String, String)> {
        let name = self.until("a tag", |byte| b"\"]\n".contains(&byte))?;
        let mut value = Vec::new();
        loop {
            match self.next() {
                Some(b'"') => break,
                Some(b'\\') => value.extend(self.next()),
                Some(b'\n') | None => {
                    return Err(Error::state(format!("the tag {:?} has no end", name.trim())));
                }
                Some(byte) if value.len() < LONGEST => value.push(byte),
                Some(_) => {}
            }
        }
        self.rest_of_line();
        // The line end is consumed.
        self.at_line_start = true;
        Ok((name.trim().to_string(), String::from_utf8_lossy(&value).into_owned()))
    }
}

fn open_variation() -> Error {
    Error::state("a variation without an end")
}

/// The move in a word such as `12.e4`, `12...Nf6`, `e4!?`; none in a move number or a glyph such as `$5`.
fn played(word: &str) -> Option<String> {
    let after_number = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let text = match after_number.strip_prefix('.') {
        Some(rest) => rest.trim_start_matches('.'),
        // `0-0` and `0000` begin with digits.
        None if after_number.is_empty() && word != "0000" => "",
        None => word,
    };
    let text = text.trim_end_matches(['!', '?', '‼', '⁇', '⁈', '⁉']);
    let is_glyph =
        text.starts_with('$') || text != "--" && !text.chars().any(|letter| letter.is_alphanumeric());
    (!text.is_empty() && !is_glyph && !["e.p.", "ep"].contains(&text)).then(|| text.to_string())
}
