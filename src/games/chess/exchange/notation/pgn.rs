//! A recorded game in the formats of other chess programs: PGN, and its last position as FEN and EPD.

use std::fmt::Write;

use super::movetext::GameResult;
use super::{fen, san, uci};
use crate::exchange::setup::Setup;
use crate::options::{self, Start};
use crate::rules::board::position::{Large, MoveRules, Position, Small, phase};
use crate::rules::tables::Tables;
use crate::rules::variant;
use crate::rules::variant::schema::Variant;
use ludovec_engine::chance::ScriptedChance;
use ludovec_engine::{Error, OptionValue, Options, Record, Result};

/// Longest line of moves.
const WIDTH: usize = 79;

/// [`from_record`] without additional tags.
pub(crate) fn export(record: &Record) -> Result<String> {
    from_record(record, &[])
}

/// Writes a record of the environment `chess` as PGN.
///
/// `tags` add to or replace the seven tags of every game, for example `("White", "random")`. Games with another
/// start position carry it as a FEN tag, games of a variant its name. Moves beyond the standard game are written as
/// described in the module documentation of the move notation.
///
/// # Errors
/// [`Error::InvalidState`] if the record is from another environment, or contains an illegal move.
pub fn from_record(record: &Record, tags: &[(&str, &str)]) -> Result<String> {
    let (variant, options, start) = rules_of(record)?;
    let (moves, _) = played(&variant, &start, record)?;
    let result = record.outcome().map_or(GameResult::Unknown, GameResult::of).to_string();

    let mut all: Vec<(&str, String)> = [
        ("Event", "?"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "?"),
        ("White", "?"),
        ("Black", "?"),
        ("Result", &*result),
    ]
    .map(|(name, value)| (name, value.to_string()))
    .into();
    let flags = options.flags("flags").join(" ");
    if variant.name != "chess" || !flags.is_empty() {
        all.push(("Variant", format!("{} {flags}", variant.name).trim().to_string()));
    }
    let text = fen::write(&variant, &start);
    if text != "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" {
        all.extend([("SetUp", "1".to_string()), ("FEN", text)]);
    }
    let names = ["White", "Black"].into_iter().zip(record.names.iter().map(String::as_str));
    for (name, value) in names.filter(|(_, name)| !name.is_empty()).chain(tags.iter().copied()) {
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some(tag) => tag.1 = value.into(),
            None => all.push((name, value.into())),
        }
    }

    let mut out = String::new();
    for (name, value) in all {
        let quoted: String = value.chars().filter(|c| !c.is_control()).collect();
        let quoted = quoted.replace('\\', "\\\\").replace('"', "\\\"");
        writeln!(out, "[{name} \"{quoted}\"]").expect("writing to a String");
    }
    out.push('\n');
    let mut column = 0;
    for word in moves.iter().map(String::as_str).chain([&*result]) {
        if column > 0 && column + 1 + word.len() > WIDTH {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.len();
    }
    out.push('\n');
    Ok(out)
}

/// The last position of a record as FEN.
///
/// # Errors
/// As for [`from_record`], and if the last turn is not over, which FEN cannot say.
pub(crate) fn export_fen(record: &Record) -> Result<String> {
    last_position(record).map(|fen| fen + "\n")
}

/// The last position of a record as EPD, with its counts as operations.
///
/// # Errors
/// As for [`export_fen`].
pub(crate) fn export_epd(record: &Record) -> Result<String> {
    let fen = last_position(record)?;
    let fields: Vec<&str> = fen.split(' ').collect();
    let [position @ .., halfmoves, fullmoves] = &fields[..] else {
        unreachable!("a FEN that is written has all fields")
    };
    Ok(format!("{} hmvc {halfmoves}; fmvn {fullmoves};\n", position.join(" ")))
}

fn last_position(record: &Record) -> Result<String> {
    let (variant, _, start) = rules_of(record)?;
    let (_, last) = played(&variant, &start, record)?;
    last.ok_or_else(|| Error::state("the last turn is not over: a FEN needs the position after it"))
}

/// The variant, the options and the start position of a record.
fn rules_of(record: &Record) -> Result<(Variant, Options, Setup)> {
    if record.env != "chess" {
        return Err(Error::state(format!("PGN is for records of chess, this is one of {:?}", record.env)));
    }
    let given = record.options.as_object().ok_or_else(|| Error::state("record: options is an object"))?;
    let known = options::list();
    let given = given.iter().filter(|(key, _)| known.iter().any(|o| o.name == key.as_str()));
    let given = given.map(|(key, value)| {
        let value: OptionValue = serde_json::from_value(value.clone())
            .map_err(|e| Error::state(format!("record: option {key}: {e}")))?;
        Ok((key.as_str(), value))
    });
    let options = Options::parse(&known, given.collect::<Result<Vec<_>>>()?)?;
    let variant = variant::load(options.text("variant").unwrap_or("chess"), options.flags("flags"))?;
    let start = start(record, &variant, &options)?;
    Ok((variant, options, start))
}

/// The moves of a record, word by word, and its last position as FEN, unless it is in the middle of a turn.
fn played(variant: &Variant, start: &Setup, record: &Record) -> Result<(Vec<String>, Option<String>)> {
    let squares = usize::from(variant.width) * usize::from(variant.height);
    if squares <= 64 {
        movetext::<Small>(variant, start, record)
    } else {
        movetext::<Large>(variant, start, record)
    }
}

/// The start position of a recorded game.
fn start(record: &Record, variant: &Variant, options: &Options) -> Result<Setup> {
    if let Some(position) = &record.position {
        let text = position["fen"].as_str().ok_or_else(|| Error::state("record: the position has no FEN"))?;
        return fen::parse(variant, text);
    }
    match options::start(variant, options)? {
        Start::At(setup) => Ok(*setup),
        Start::Drawn(shuffle) => {
            let mut script = ScriptedChance::new(&record.setup);
            let setup = shuffle.draw(&mut script);
            script.finish().map_err(|e| Error::state(format!("record, the start that was drawn: {e}")))?;
            Ok(setup)
        }
    }
}

/// Plays a move of a record and writes it, with its number where a reader needs one: `numbered` is the last turn.
fn push_move<R: MoveRules>(
    tables: &Tables<R::Bits>,
    position: &mut Position<R>,
    (step, label): (usize, &String),
    numbered: &mut Option<(u16, u8)>,
    words: &mut Vec<String>,
) -> Result<()> {
    let mv =
        uci::parse(tables, position, label).map_err(|e| Error::state(format!("record, step {step}: {e}")))?;
    // Two decisions of one side in a row (a move, then the duck) share one move number.
    let turn = (position.fullmoves, position.turn);
    if numbered.is_none() || position.turn == 0 && *numbered != Some(turn) {
        let dots = if position.turn == 0 { "." } else { "..." };
        words.push(format!("{}{dots}", position.fullmoves));
    }
    *numbered = Some(turn);
    words.push(san::write(tables, position, mv));
    position.make_move(tables, mv);
    Ok(())
}

/// [`played`], for a class of rules.
fn movetext<R: MoveRules>(
    variant: &Variant,
    start: &Setup,
    record: &Record,
) -> Result<(Vec<String>, Option<String>)> {
    let tables = Box::new(Tables::compile(variant)?);
    let mut position: Position<R> = start.to_position(&tables)?;
    let mut words = Vec::new();
    let mut numbered = None;
    for (i, label) in record.labels.iter().enumerate() {
        let before = position;
        push_move(&tables, &mut position, (i, label), &mut numbered, &mut words)?;
        // A variation replaces the move before it.
        for line in record.variations.iter().filter(|line| line.from == i) {
            let (mut position, mut numbered, first) = (before, None, words.len());
            for label in line.labels.iter().enumerate() {
                push_move(&tables, &mut position, label, &mut numbered, &mut words)?;
            }
            if let [begin, ..] = &mut words[first..] {
                begin.insert(0, '(');
            }
            if let [.., end] = &mut words[first..] {
                end.push(')');
            }
        }
        if record.variations.iter().any(|line| line.from == i) {
            numbered = None;
        }
    }
    let last = (position.phase == phase::MOVE).then(|| fen::write(variant, &Setup::of(&tables, &position)));
    Ok((words, last))
}
