//! Blokus SGF (`.blksgf`), the files of Pentobi: games with their variations, read, and main lines, written.
//!
//! ```text
//! (
//! ;GM[Blokus Duo]CA[UTF-8]PB[Ada]PW[Grace]RE[B+6]
//! ;B[e8,d9,e9,f9,e10]
//! ;W[i4,h5,i5,j5,i6]
//! )
//! ```
//! Two players with two colours are `B` and `W`, their colours `1` to `4`; four players are `1` to `4`. Pieces that
//! are set up before the first move are `AB`, `AW`, `A1` to `A4`, the colour to move is `PL`.

use std::fmt::Write;

use std::io::BufRead;

use serde_json::{Value, json};

use ludovec_engine::{Error, ImportedGame, OptionValue, Options, Record, Result, SingleGame, Variation};

use super::notation::{self, PentobiGame};
use crate::entry::build;
use crate::rules::pieces::Color;
use crate::rules::ruleset::Ruleset;
use crate::rules::tiles::{Tile, TileSet};
use crate::show::render;
use crate::{ID, options};

/// The games of Pentobi that are played here, and the modes that play them.
const MODES: [&str; 3] = ["blokus", "blokus_2", "blokus_duo"];

/// Writes a record of a game of Blokus.
///
/// # Errors
/// [`Error::InvalidState`] if the record is from another game, or contains an illegal move.
pub(crate) fn export(record: &Record) -> Result<String> {
    let wrong = |text: String| Error::state(format!("blksgf: {text}"));
    if record.env != ID {
        return Err(wrong(format!("for records of {ID}, this is one of {:?}", record.env)));
    }
    if record.position.is_some() {
        return Err(wrong("games from the start only, not from other positions".into()));
    }
    let given = record.options.as_object().ok_or_else(|| wrong("options of the record: an object".into()))?;
    let options = given.iter().map(|(key, value)| {
        let value: OptionValue =
            serde_json::from_value(value.clone()).map_err(|e| wrong(format!("option {key}: {e}")))?;
        Ok((key.as_str(), value))
    });
    let options = Options::parse(&options::list(), options.collect::<Result<Vec<_>>>()?)?;
    let rules = Ruleset::compile(&options)?;
    let pentobi = notation::pentobi(&rules).filter(|_| rules.bonus);
    let pentobi = pentobi.ok_or_else(|| {
        wrong(format!("games under other rules than those of the modes {} have no name", MODES.join(", ")))
    })?;

    let mut text = format!("(\n;GM[{}]CA[UTF-8]", pentobi.name);
    let players = if rules.players == 2 { &["B", "W"][..] } else { &["1", "2", "3", "4"] };
    for (player, name) in players.iter().zip(&record.names).filter(|(_, name)| !name.is_empty()) {
        let _ = write!(text, "P{player}[{}]", escaped(name));
    }
    if let (Some(_), [first, second]) = (&record.returns, &record.scores[..]) {
        let _ = match first - second {
            lead if lead > 0.0 => write!(text, "RE[B+{lead}]"),
            lead if lead < 0.0 => write!(text, "RE[W+{}]", -lead),
            _ => write!(text, "RE[0]"),
        };
    }
    text.push('\n');
    let mut game = build(&options)?.single(0);
    let mut state = rules.init::<{ crate::SIZE }, { crate::rules::state::MAX_COLORS }>();
    for &action in &record.actions {
        game.step(action).map_err(|e| wrong(format!("the record cannot be replayed: {e}")))?;
        let placement = rules.placements.get(action).expect("the action was legal");
        let _ = writeln!(text, ";{}[{}]", pentobi.colors[state.current()], notation::tiles_text(placement));
        rules.place(&mut state, placement);
    }
    text.push_str(")\n");
    Ok(text)
}

/// A text inside brackets.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

/// Reads every game in a file with its variations, under the options that the game does not set itself.
pub(crate) fn import(
    input: &mut dyn BufRead,
    given: &[(String, OptionValue)],
    sink: &mut dyn FnMut(Result<ImportedGame>) -> bool,
) {
    let mut text = String::new();
    let read = input.read_to_string(&mut text).map_err(|e| Error::state(format!("blksgf: {e}")));
    match read.and_then(|_| parse(&text)) {
        Err(error) => drop(sink(Err(error))),
        Ok(games) if games.is_empty() => {
            sink(Err(Error::state("blksgf: the text has no game, which begins with (;")));
        }
        Ok(games) => {
            for (i, tree) in games.iter().enumerate() {
                let game = play(tree, given).map_err(|e| within(&format!("blksgf: game {}", i + 1), e));
                if !sink(game) {
                    return;
                }
            }
        }
    }
}

/// The error with the place where it happened.
fn within(place: &str, error: Error) -> Error {
    let reason = match error {
        Error::InvalidState(reason) | Error::InvalidConfig(reason) => reason,
        Error::Refused(refusal) => refusal.reason,
        other => other.to_string(),
    };
    Error::state(format!("{place}: {reason}"))
}

/// Properties in their order: name and values.
type Node = Vec<(String, Vec<String>)>;

/// The nodes of a game, each with the index of the node before it, in the order of the text: the first one after a node
/// is the main line.
type Tree = Vec<(Option<usize>, Node)>;

/// The trees of a file, one per game.
fn parse(text: &str) -> Result<Vec<Tree>> {
    let mut games: Vec<Tree> = Vec::new();
    // For each open bracket: the last node before it or inside it.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut chars = text.trim_start_matches('\u{feff}').chars().peekable();
    let mut line = 1;
    while let Some(c) = chars.next() {
        let wrong = |text: String| Error::state(format!("blksgf: line {line}: {text}"));
        match c {
            '\n' => line += 1,
            c if c.is_whitespace() => {}
            '(' => {
                if open.is_empty() {
                    games.push(Tree::new());
                }
                open.push(open.last().copied().flatten());
            }
            ')' => {
                open.pop().ok_or_else(|| wrong("\")\" without \"(\"".into()))?;
            }
            ';' => match open.last_mut() {
                None => return Err(wrong("\";\" outside of a game".into())),
                Some(last) => {
                    let game = games.last_mut().expect("a game is open");
                    game.push((*last, Node::new()));
                    *last = Some(game.len() - 1);
                }
            },
            c if c.is_ascii_alphanumeric() => {
                let mut name = String::from(c);
                while let Some(c) = chars.next_if(char::is_ascii_alphanumeric) {
                    name.push(c);
                }
                let mut values = Vec::new();
                loop {
                    while let Some(c) = chars.next_if(|c| c.is_whitespace()) {
                        line += usize::from(c == '\n');
                    }
                    if chars.next_if_eq(&'[').is_none() {
                        break;
                    }
                    let mut value = String::new();
                    loop {
                        match chars.next() {
                            None => return Err(Error::state(format!("blksgf: {name}: \"]\" is missing"))),
                            Some(']') => break,
                            Some('\\') => value.extend(chars.next()),
                            Some(c) => value.push(c),
                        }
                    }
                    line += value.matches('\n').count();
                    values.push(value);
                }
                if values.is_empty() {
                    return Err(Error::state(format!(
                        "blksgf: line {line}: {name} has no value in brackets"
                    )));
                }
                let last = open.last().copied().flatten();
                let node = last.and_then(|last| games.last_mut()?.get_mut(last));
                node.ok_or_else(|| Error::state(format!("blksgf: {name} is outside of a node")))?
                    .1
                    .push((name, values));
            }
            c => return Err(wrong(format!("{c:?} is outside of a value"))),
        }
    }
    match open.is_empty() {
        true => Ok(games),
        false => Err(Error::state("blksgf: \")\" is missing at the end")),
    }
}

/// Plays the moves of a game: the main line, and the variations without wrong moves.
fn play(tree: &[(Option<usize>, Node)], given: &[(String, OptionValue)]) -> Result<ImportedGame> {
    let (_, root) = tree.first().ok_or_else(|| Error::state("it has no nodes"))?;
    let mut next = vec![None; tree.len()];
    for (place, (before, _)) in tree.iter().enumerate().rev() {
        before.iter().for_each(|&before| next[before] = Some(place));
    }
    let main: Vec<usize> = std::iter::successors(Some(0), |&place: &usize| next[place]).collect();
    let value = |name: &str| root.iter().find(|(n, _)| n == name).map(|(_, values)| values[0].as_str());
    let name = value("GM").ok_or_else(|| Error::state("GM is missing"))?;
    let (options, rules, pentobi) = mode(name, given)?;
    let game = build(&options)?;
    let mut single = match set_up(&rules, &pentobi, root, value("PL"))? {
        None => game.single(0),
        Some(position) => game.single_from_position(&position, 0)?,
    };
    let mut number = 0;
    let mut comments = Vec::new();
    // The games after the nodes of variations, by node; `None` after a wrong move.
    let mut games: Vec<Option<SingleGame>> = Vec::new();
    games.resize_with(tree.len(), || None);
    for &i in &main {
        let node = &tree[i].1;
        let said: Vec<String> =
            node.iter().filter(|(name, _)| name == "C").map(|(_, values)| values.join("")).collect();
        moves_of(&rules, &pentobi, &mut single, node, i == 0, &mut number)
            .map_err(|error| within(&format!("move {number}"), error))?;
        games[i] = Some(single.clone());
        // A comment is about the position after the moves of its node.
        comments.extend(said.into_iter().map(|text| (number, text)));
    }
    let (mut wrong, mut ends) = (0, Vec::new());
    for (i, (before, node)) in tree.iter().enumerate().filter(|(i, _)| main.binary_search(i).is_err()) {
        let before = before.and_then(|before| games[before].as_ref());
        games[i] = before.cloned();
        if let Some(game) = &mut games[i]
            && moves_of(&rules, &pentobi, &mut *game, node, false, &mut 0).is_err()
        {
            (wrong, games[i]) = (wrong + 1, None);
        }
        ends.extend(games[i].as_ref().filter(|_| next[i].is_none()).map(|game| game.log()));
    }
    let players = if rules.players == 2 { &["PB", "PW"][..] } else { &["P1", "P2", "P3", "P4"] };
    let names: Vec<String> =
        players[..rules.players].iter().map(|player| value(player).unwrap_or_default().to_string()).collect();
    if names.iter().any(|name| !name.is_empty()) {
        let named = names.into_iter().zip(single.names());
        let names: Vec<String> =
            named.map(|(name, default)| if name.is_empty() { default } else { name }).collect();
        single.set_names(&names)?;
    }
    let mut record = single.record();
    record.variations = Variation::of_lines(&single.log(), &ends);
    let mut imported = ImportedGame::new(record);
    imported.variations = wrong;
    let others = root.iter().filter(|(name, _)| color_of(&rules, &pentobi, name.strip_prefix('A')).is_none());
    imported.tags = others.map(|(name, values)| (name.clone(), values.join(","))).collect();
    imported.comments = comments;
    Ok(imported)
}

/// Plays the moves of a node; `number` counts them.
fn moves_of(
    rules: &Ruleset,
    pentobi: &PentobiGame,
    game: &mut SingleGame,
    node: &Node,
    is_root: bool,
    number: &mut usize,
) -> Result<()> {
    for (property, values) in node {
        if !is_root && (color_of(rules, pentobi, property.strip_prefix('A')).is_some() || property == "AE") {
            return Err(Error::state(format!(
                "{property} after the first node: pieces are set up before it"
            )));
        }
        let Some(color) = color_of(rules, pentobi, Some(property)) else { continue };
        *number += 1;
        // Old files have a value for each tile.
        step(rules, game, color, &values.join(","))?;
    }
    Ok(())
}

/// The mode that plays the game called `name`, under options that do not change the game.
fn mode(name: &str, given: &[(String, OptionValue)]) -> Result<(Options, Ruleset, PentobiGame)> {
    let mut known = Vec::new();
    // Several modes are the same game under some options, such as a board of 14: the given mode is tried first.
    let preferred = given.iter().find(|(key, _)| key == "mode").map(|(_, mode)| mode);
    let (first, others): (Vec<&str>, Vec<&str>) =
        MODES.into_iter().partition(|mode| preferred == Some(&OptionValue::from(*mode)));
    for mode in first.into_iter().chain(others) {
        let given =
            given.iter().filter(|(key, _)| key != "mode").map(|(key, value)| (key.as_str(), value.clone()));
        let given = given.chain([("mode", OptionValue::from(mode))]);
        let options = Options::parse(&options::list(), given)?;
        let rules = Ruleset::compile(&options)?;
        let Some(pentobi) = notation::pentobi(&rules) else { continue };
        if pentobi.name == name {
            return Ok((options, rules, pentobi));
        }
        known.push(pentobi.name);
    }
    Err(Error::state(format!("GM[{name}]: the games are {}", known.join(", "))))
}

/// The colour of a property such as `B`, `2` or, in old files, `BLUE`.
fn color_of(rules: &Ruleset, pentobi: &PentobiGame, property: Option<&str>) -> Option<usize> {
    let property = property?;
    let old = |color: &&Color| color.name().eq_ignore_ascii_case(property) && property.len() > 1;
    let new = pentobi.colors.iter().position(|&name| name == property);
    new.or_else(|| rules.palette().iter().position(|color| old(&color)))
}

fn step(rules: &Ruleset, game: &mut SingleGame, color: usize, tiles: &str) -> Result<()> {
    let placement = notation::from_tiles(rules, tiles)?;
    let current = game.position()["current_player"].as_str().unwrap_or_default().to_string();
    let name = rules.palette()[color].name();
    if current != name {
        return Err(Error::state(format!("{name} plays, and {current} is to move")));
    }
    game.step(rules.placements.index(placement))
}

/// The position of the set-up properties, if there are any.
fn set_up(rules: &Ruleset, pentobi: &PentobiGame, root: &Node, turn: Option<&str>) -> Result<Option<Value>> {
    let mut tiles = vec![TileSet::EMPTY; rules.colors];
    for (property, values) in root {
        let Some(color) = color_of(rules, pentobi, property.strip_prefix('A')) else { continue };
        for value in values {
            let piece = notation::from_tiles(rules, value)?.tiles();
            if let Some(tile) = tiles.iter().find_map(|&taken| (taken & piece).iter().next()) {
                return Err(Error::state(format!("{property}[{value}]: {tile} is taken")));
            }
            tiles[color] |= piece;
        }
    }
    let color = match turn {
        None => 0,
        Some(turn) => color_of(rules, pentobi, Some(turn)).ok_or_else(|| {
            Error::state(format!("PL[{turn}]: the colours are {}", pentobi.colors.join(", ")))
        })?,
    };
    if color == 0 && tiles.iter().all(TileSet::is_empty) {
        return Ok(None);
    }
    let owner = |tile: Tile| rules.palette().iter().copied().zip(&tiles).find(|(_, set)| set.contains(tile));
    let row = |row: usize| -> String {
        let tiles = (0..rules.side).filter_map(|column| Tile::new(row, column));
        tiles.map(|tile| render::letter(owner(tile).map(|(color, _)| color))).collect()
    };
    let board: Vec<String> = (0..rules.side).rev().map(row).collect();
    Ok(Some(json!({ "board": board, "current_player": rules.palette()[color].name() })))
}
