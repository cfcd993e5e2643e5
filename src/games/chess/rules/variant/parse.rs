//! Parser: converts the tree of a variant file to a [`Variant`].

use super::betza;
use super::conditions::{CONDITIONS, Condition};
use super::region::BoardSize;
use super::schema::{
    Blast, Castling, CastlingRule, DoubleStep, Drops, Effects, EndRule, EndWhen, Filters, Generators,
    LeapCapture, MAX_KINDS, MAX_SIDE, MAX_SQUARES, Merge, PawnRules, Piece, PieceKind, Promotion,
    PromotionRegion, Role, SideResult, SpawnBehind, Split, Summon, SwapCapture, Turn, Variant,
};
use super::tree::{Field, TomlNode, TomlTable};
use crate::exchange::notation::fen;
use crate::exchange::setup::{BoardPiece, Setup};
use ludovec_engine::Result;
use ludovec_engine::escape::is_hidden;

/// Reads a complete variant.
///
/// # Errors
/// Names file, line and key of the first mistake, and the allowed values.
pub(super) fn variant(tree: &TomlNode) -> Result<Variant> {
    let file = Field::root(tree).table(&[
        "name",
        "summary",
        "extends",
        "flags",
        "board",
        "pieces",
        "pawn",
        "promotion",
        "castling",
        "filters",
        "generators",
        "effects",
        "drops",
        "turn",
        "end",
    ])?;
    let board = file.need("board")?.table(&["width", "height", "start", "add", "chess960"])?;
    let side = |key| board.need(key)?.integer(1..=MAX_SIDE);
    let size = BoardSize { width: side("width")?, height: side("height")? };
    if usize::from(size.width) * usize::from(size.height) > MAX_SQUARES {
        return Err(board.error(format_args!(
            "{} x {} cells are too many, {MAX_SQUARES} are allowed",
            size.width, size.height
        )));
    }
    let start = board.need("start")?;
    let name = file.need("name")?;
    if name.text()?.is_empty() || name.text()?.contains(is_hidden) {
        return Err(name.error("a name of one line is needed"));
    }
    let pieces = pieces(&file.need("pieces")?)?;
    let reader = Reader { board: size, pieces: &pieces };
    let mut variant = Variant {
        name: name.text()?.into(),
        summary: file.need("summary")?.text()?.into(),
        width: size.width,
        height: size.height,
        holes: holes(&start, size)?,
        start: start.text()?.into(),
        chess960: flag(&board, "chess960")?,
        pawn: reader.pawn(&file)?,
        promotion: file.switched("promotion").map(|p| reader.promotion(&p)).transpose()?,
        castling: file.switched("castling").map(|c| reader.castling(&c)).transpose()?,
        filters: file.get("filters").map(|f| reader.filters(&f)).transpose()?.unwrap_or_default(),
        generators: file.get("generators").map(|g| reader.generators(&g)).transpose()?.unwrap_or_default(),
        effects: file.get("effects").map(|e| reader.effects(&e)).transpose()?.unwrap_or_default(),
        drops: file.switched("drops").map(|d| reader.drops(&d)).transpose()?,
        turn: file.get("turn").map(|t| reader.turn(&t)).transpose()?.unwrap_or_default(),
        end: reader.ends(&file.need("end")?)?,
        pieces: pieces.clone(),
    };
    let mut setup = fen::parse(&variant, &variant.start).map_err(|e| start.error(e))?;
    if let Some(added) = board.get("add") {
        for piece in added.list()? {
            add(&variant, &mut setup, size, &piece)?;
        }
        variant.start = fen::write(&variant, &setup);
    }
    Ok(variant)
}

/// Adds a piece to the start position.
fn add(variant: &Variant, setup: &mut Setup, board: BoardSize, field: &Field) -> Result<()> {
    let table = field.table(&["piece", "cell"])?;
    let (piece, place) = (table.need("piece")?, table.need("cell")?);
    let (kind, colour) = match *piece.text()?.as_bytes() {
        [letter] => fen::piece(variant, char::from(letter)),
        _ => Err("one letter is allowed, lower case for black".into()),
    }
    .map_err(|what| piece.error(what))?;
    let square = board.square(&place)?;
    if setup.board[usize::from(square)].is_some() || variant.holes.contains(&square) {
        return Err(place.error("the cell is not empty in the start position"));
    }
    setup.board[usize::from(square)] = Some(BoardPiece { kind, colour, promoted: false });
    Ok(())
}

/// A boolean key, false by default.
fn flag(table: &TomlTable, key: &str) -> Result<bool> {
    table.get(key).map_or(Ok(false), |field| field.boolean())
}

fn pieces(field: &Field) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    for (key, entry) in field.entries()? {
        let &[letter @ b'A'..=b'Z'] = key.as_bytes() else {
            return Err(entry.error("a piece is named by one upper-case letter, A to Z"));
        };
        if entry.as_bool() == Some(false) {
            continue;
        }
        pieces.push(piece(char::from(letter), &entry)?);
        if pieces.len() > MAX_KINDS {
            return Err(entry.error(format_args!("a variant has at most {MAX_KINDS} kinds of pieces")));
        }
    }
    if pieces.is_empty() {
        return Err(field.error("a variant needs at least one kind of piece"));
    }
    Ok(pieces)
}

fn piece(letter: char, entry: &Field) -> Result<Piece> {
    let table = entry.table(&["name", "moves", "role"])?;
    let roles = [
        ("ordinary", Role::Ordinary),
        ("royal", Role::Royal),
        ("pawn", Role::Pawn),
        ("neutral", Role::Neutral),
    ];
    let role = table.get("role").map_or(Ok(Role::Ordinary), |r| r.choice(&roles))?;
    let Some(name) = table.get("name") else {
        return Err(entry.error(format_args!("there is no piece {letter} to change; a new one needs a name")));
    };
    let well_named = |n: &&str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let moves = match (table.get("moves"), role) {
        (Some(moves), Role::Neutral) => {
            return Err(moves.error("a neutral piece has no owner and no moves"));
        }
        (None, Role::Neutral) => Vec::new(),
        _ => {
            let moves = table.need("moves")?;
            betza::parse(moves.text()?).map_err(|e| moves.error(e))?
        }
    };
    Ok(Piece {
        letter,
        name: Some(name.text()?)
            .filter(well_named)
            .ok_or_else(|| name.error("a name is one word of lower-case letters"))?
            .into(),
        role,
        moves,
    })
}

/// The squares marked `*` in the start position.
fn holes(start: &Field, board: BoardSize) -> Result<Vec<u8>> {
    let fen = start.text()?;
    let placement = fen.split([' ', '[']).next().unwrap_or_default();
    fen::grid(placement, board.width, board.height)
        .map(|grid| (0u8..).zip(grid).filter(|(_, text)| *text == "*").map(|(square, _)| square).collect())
        .map_err(|what| start.error(what))
}

/// The context that the other sections refer to.
struct Reader<'a> {
    board: BoardSize,
    pieces: &'a [Piece],
}

impl Reader<'_> {
    fn letters(&self) -> String {
        self.pieces.iter().map(|p| p.letter).collect()
    }

    /// A kind by its letter.
    fn kind(&self, field: &Field) -> Result<PieceKind> {
        let text = field.text()?;
        self.named(text.chars().next().filter(|_| text.chars().count() == 1)).ok_or_else(|| {
            field.error(format_args!("{text:?} is no piece; the pieces are {}", self.letters()))
        })
    }
    fn named(&self, letter: Option<char>) -> Option<PieceKind> {
        self.pieces.iter().position(|p| Some(p.letter) == letter).map(|i| i as PieceKind)
    }

    /// Several kinds as a string of letters, each at most once.
    fn kinds(&self, field: &Field) -> Result<Vec<PieceKind>> {
        let mut kinds = Vec::new();
        for letter in field.text()?.chars() {
            let kind = self.named(Some(letter)).ok_or_else(|| {
                field.error(format_args!("{letter:?} is no piece; the pieces are {}", self.letters()))
            })?;
            if kinds.contains(&kind) {
                return Err(field.error(format_args!("{letter} is there twice, once is allowed")));
            }
            kinds.push(kind);
        }
        Ok(kinds)
    }

    fn pawn(&self, file: &TomlTable) -> Result<PawnRules> {
        let mut rules = PawnRules {
            double_step: DoubleStep::Never,
            en_passant: false,
            en_passant_squares: Default::default(),
        };
        let Some(pawn) = file.get("pawn") else { return Ok(rules) };
        let table = pawn.table(&["double_step", "en_passant"])?;
        if let Some(step) = table.switched("double_step") {
            rules.double_step = match step.as_text() {
                Some("unmoved") => DoubleStep::Unmoved,
                _ if step.as_bool().is_some() => {
                    return Err(step.error("false, \"unmoved\" or a region is allowed"));
                }
                _ => DoubleStep::Squares(self.board.both(&step)?),
            };
        }
        if let Some(passed) = table.get("en_passant") {
            rules.en_passant = passed.as_bool().unwrap_or(true);
            if passed.as_bool().is_none() {
                rules.en_passant_squares = self.board.both(&passed)?;
            }
        }
        Ok(rules)
    }

    fn promotion(&self, field: &Field) -> Result<Promotion> {
        let table = field.table(&["region", "choices", "limit", "mandatory"])?;
        let region = table.need("region")?;
        let choices = table.need("choices")?;
        let sides = if choices.is_table() {
            let table = choices.table(&["white", "black"])?;
            [self.kinds(&table.need("white")?)?, self.kinds(&table.need("black")?)?]
        } else {
            let both = self.kinds(&choices)?;
            [both.clone(), both]
        };
        let mut all = sides[0].clone();
        all.extend(sides[1].iter().filter(|kind| !sides[0].contains(kind)));
        for &kind in &all {
            let piece = &self.pieces[usize::from(kind)];
            if matches!(piece.role, Role::Pawn | Role::Neutral) {
                return Err(choices.error(format_args!("a pawn cannot promote to {}", piece.letter)));
            }
        }
        if sides.iter().any(Vec::is_empty) {
            return Err(choices
                .error("each side needs a piece to promote to; without promotion write promotion = false"));
        }
        let denied = sides.map(|side| all.iter().copied().filter(|kind| !side.contains(kind)).collect());
        Ok(Promotion {
            region: match region.as_text() {
                Some("end of column") => PromotionRegion::EndOfColumn,
                _ => PromotionRegion::Squares(self.board.both(&region)?),
            },
            choices: all,
            denied,
            limit: table.get("limit").map_or(Ok(0), |l| l.integer(0..=128))?,
            mandatory: table.get("mandatory").map_or(Ok(true), |m| m.boolean())?,
        })
    }

    fn castling(&self, field: &Field) -> Result<Castling> {
        let table = field.table(&["king", "rooks", "rule", "right", "left", "vertical", "through_attack"])?;
        let king = table.need("king")?;
        let rooks = table.need("rooks")?;
        let castling = Castling {
            king: self.kind(&king)?,
            rooks: self.kinds(&rooks)?,
            rule: self.castling_rule(&table)?,
            through_attack: flag(&table, "through_attack")?,
        };
        let fit =
            |kind: PieceKind| !matches!(self.pieces[usize::from(kind)].role, Role::Pawn | Role::Neutral);
        if castling.rooks.is_empty() || castling.rooks.contains(&castling.king) {
            return Err(rooks.error("one or more kinds other than the king are needed"));
        }
        if !fit(castling.king) || !castling.rooks.iter().all(|&kind| fit(kind)) {
            return Err(field.error("pawns and neutral pieces cannot castle"));
        }
        Ok(castling)
    }

    fn castling_rule(&self, table: &TomlTable) -> Result<CastlingRule> {
        let vertical = flag(table, "vertical")?;
        let rule = table.need("rule")?;
        if rule.choice(&[("files", false), ("two cells", true)])? {
            return Ok(CastlingRule::TwoSquares { vertical });
        }
        if vertical {
            return Err(rule.error("castling along the file goes with the rule \"two cells\" only"));
        }
        let pair = |key| -> Result<(u8, u8)> {
            let field = table.need(key)?;
            let files: Vec<u8> = field
                .list()?
                .iter()
                .map(|f| {
                    let text = f.text()?;
                    self.board
                        .file(text)
                        .ok_or_else(|| f.error(format_args!("{text:?} is no file of this board")))
                })
                .collect::<Result<_>>()?;
            match files[..] {
                [king, rook] if king != rook => Ok((king, rook)),
                _ => Err(field.error("two files are needed, the king's and the rook's after castling")),
            }
        };
        Ok(CastlingRule::Files { right: pair("right")?, left: pair("left")? })
    }

    /// A list of kinds with the squares that are forbidden to them.
    fn forbidden(&self, field: &Field) -> Result<Vec<(PieceKind, [Vec<u8>; 2])>> {
        let entry = |entry: &Field| {
            let table = entry.table(&["piece", "cells"])?;
            Ok((self.kind(&table.need("piece")?)?, self.board.both(&table.need("cells")?)?))
        };
        field.list()?.iter().map(entry).collect()
    }

    fn filters(&self, field: &Field) -> Result<Filters> {
        let table = field.table(&["forbidden", "must_capture", "must_en_passant", "no_checks"])?;
        Ok(Filters {
            forbidden: table.get("forbidden").map_or(Ok(Vec::new()), |f| self.forbidden(&f))?,
            must_capture: flag(&table, "must_capture")?,
            must_en_passant: flag(&table, "must_en_passant")?,
            no_checks: flag(&table, "no_checks")?,
        })
    }

    fn generators(&self, field: &Field) -> Result<Generators> {
        let table = field.table(&["merges", "summon", "leap_captures", "swap_captures", "split"])?;
        let list = |key| table.get(key).map_or(Ok(Vec::new()), |f: Field| f.list());
        let merge = |entry: &Field| {
            let t = entry.table(&["mover", "onto", "into"])?;
            let kind = |key| self.kind(&t.need(key)?);
            Ok(Merge { mover: kind("mover")?, onto: kind("onto")?, into: kind("into")? })
        };
        let leap = |entry: &Field| {
            let t = entry.table(&["piece", "victim"])?;
            Ok(LeapCapture { kind: self.kind(&t.need("piece")?)?, victim: self.kind(&t.need("victim")?)? })
        };
        let swap = |entry: &Field| {
            let t = entry.table(&["piece", "distance"])?;
            Ok(SwapCapture {
                kind: self.kind(&t.need("piece")?)?,
                distance: t.need("distance")?.integer(2..=MAX_SIDE - 1)?,
            })
        };
        let summon = |field: Field| -> Result<Summon> {
            let t = field.table(&["piece", "cell"])?;
            Ok(Summon { square: self.board.square(&t.need("cell")?)?, kind: self.kind(&t.need("piece")?)? })
        };
        let split = |field: Field| -> Result<Split> {
            let t = field.table(&["piece", "into"])?;
            let into = t.need("into")?;
            let split = Split { kind: self.kind(&t.need("piece")?)?, into: self.kinds(&into)? };
            if split.into.is_empty() { Err(into.error("at least one piece must appear")) } else { Ok(split) }
        };
        Ok(Generators {
            merges: list("merges")?.iter().map(merge).collect::<Result<_>>()?,
            summon: table.switched("summon").map(summon).transpose()?,
            leap_captures: list("leap_captures")?.iter().map(leap).collect::<Result<_>>()?,
            swap_captures: list("swap_captures")?.iter().map(swap).collect::<Result<_>>()?,
            split: table.switched("split").map(split).transpose()?,
        })
    }

    fn effects(&self, field: &Field) -> Result<Effects> {
        let table = field.table(&["spawn_behind", "blast", "petrify"])?;
        let spawn = |field: Field| -> Result<SpawnBehind> {
            let t = field.table(&["mover", "watcher", "spawn"])?;
            let kind = |key| self.kind(&t.need(key)?);
            Ok(SpawnBehind { mover: kind("mover")?, watcher: kind("watcher")?, spawn: kind("spawn")? })
        };
        let blast = |field: Field| -> Result<Blast> {
            Ok(Blast { immune: self.kinds(&field.table(&["immune"])?.need("immune")?)? })
        };
        Ok(Effects {
            spawn_behind: table.switched("spawn_behind").map(spawn).transpose()?,
            blast: table.switched("blast").map(blast).transpose()?,
            petrify: table.switched("petrify").map_or(Ok(Vec::new()), |p| self.kinds(&p))?,
        })
    }

    fn drops(&self, field: &Field) -> Result<Drops> {
        let table = field.table(&["pieces", "captures_to_hand", "forbidden"])?;
        let kinds = table.need("pieces")?;
        let drops = Drops {
            kinds: self.kinds(&kinds)?,
            captures_to_hand: flag(&table, "captures_to_hand")?,
            forbidden: table.get("forbidden").map_or(Ok(Vec::new()), |f| self.forbidden(&f))?,
        };
        let royal =
            |&&kind: &&PieceKind| matches!(self.pieces[usize::from(kind)].role, Role::Royal | Role::Neutral);
        if let Some(&kind) = drops.kinds.iter().find(royal) {
            let letter = self.pieces[usize::from(kind)].letter;
            return Err(kinds.error(format_args!("{letter} is royal or neutral and cannot be held in hand")));
        }
        Ok(drops)
    }

    fn turn(&self, field: &Field) -> Result<Turn> {
        let table = field.table(&["place", "boost", "pass"])?;
        let kind = |key| table.switched(key).map(|k| self.kind(&k)).transpose();
        let turn = Turn { place: kind("place")?, boost: kind("boost")?, pass: flag(&table, "pass")? };
        let neutral = |kind: PieceKind| self.pieces[usize::from(kind)].role == Role::Neutral;
        match (table.get("place"), turn.place) {
            (Some(field), Some(kind)) if !neutral(kind) => {
                Err(field.error("only a piece with role = \"neutral\" is placed"))
            }
            _ => Ok(turn),
        }
    }

    fn ends(&self, field: &Field) -> Result<Vec<EndRule>> {
        let rules = field.list()?;
        if rules.is_empty() {
            return Err(field.error("without a rule no side could win or draw; at least one is needed"));
        }
        rules.iter().map(|rule| self.end(rule)).collect()
    }

    fn end(&self, field: &Field) -> Result<EndRule> {
        let all = ["when", "value", "pieces", "count", "each", "side", "reply", "piece", "cells"];
        let when = field.table(&all)?.need("when")?.choice(&CONDITIONS)?;
        // Only the keys of this condition.
        let keys: &[&str] = match when {
            Condition::Mate | Condition::Stalemate => &["when", "value"],
            Condition::Extinct => &["when", "value", "pieces", "count", "each", "side", "reply"],
            Condition::Reach => &["when", "value", "piece", "cells", "reply"],
            Condition::Checks | Condition::Checkers => &["when", "value", "count"],
            Condition::Repetition | Condition::NoProgress => &["when", "count"],
            Condition::Dead | Condition::BareKings => &["when"],
        };
        let table = field.table(keys)?;
        let values = [("win", SideResult::Win), ("loss", SideResult::Loss), ("draw", SideResult::Draw)];
        let value = match when {
            Condition::Repetition | Condition::NoProgress | Condition::Dead | Condition::BareKings => {
                SideResult::Draw
            }
            _ => table.need("value")?.choice(&values)?,
        };
        let count = |allowed| table.need("count")?.integer(allowed);
        let when = match when {
            Condition::Mate => EndWhen::Mate,
            Condition::Stalemate => EndWhen::Stalemate,
            Condition::Extinct => EndWhen::Extinct {
                kinds: table.get("pieces").map_or(Ok(Vec::new()), |p| self.kinds(&p))?,
                count: count(0..=MAX_SQUARES as u8)?,
                each: flag(&table, "each")?,
                side: table.get("side").map(|s| s.choice(&[("white", 0), ("black", 1)])).transpose()?,
                reply: flag(&table, "reply")?,
            },
            Condition::Reach => EndWhen::Reach {
                kind: self.kind(&table.need("piece")?)?,
                squares: self.board.both(&table.need("cells")?)?,
                reply: flag(&table, "reply")?,
            },
            Condition::Checks => EndWhen::Checks(count(1..=255)?),
            Condition::Checkers => EndWhen::Checkers(count(1..=16)?),
            Condition::Repetition => EndWhen::Repetition(count(2..=255)?),
            Condition::NoProgress => EndWhen::MovesWithoutProgress(count(1..=255)?),
            Condition::Dead => EndWhen::DeadPosition,
            Condition::BareKings => EndWhen::BareKings,
        };
        Ok(EndRule { when, value })
    }
}
