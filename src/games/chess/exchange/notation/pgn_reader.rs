//! Games and positions of other programs: PGN, and lists of EPD or FEN.

use std::collections::HashMap;
use std::io::BufRead;
use std::sync::Arc;

use super::movetext::{GameResult, Movetext, Word};
use super::shortened;
use crate::entry::make;
use crate::options;
use crate::rules::variant;
use ludovec_engine::{
    AnyGame, Error, ImportedGame, LogEntry, MAX_NAME, OptionValue, Options, Result, SingleGame, Status,
    Variation,
};

/// Given options of the environment.
type Given = [(String, OptionValue)];
/// Gets each game, or an error with its place; returns false to stop.
type Sink<'a> = &'a mut dyn FnMut(Result<ImportedGame>) -> bool;

/// Names of variants in tags of other programs, in lower case without other signs than letters and digits.
const OTHER_NAMES: [(&str, &str); 11] = [
    ("standard", "chess"),
    ("normal", "chess"),
    ("fromposition", "chess"),
    ("chess960", "chess960"),
    ("fischerandom", "chess960"),
    ("fischerrandom", "chess960"),
    ("freestyle", "chess960"),
    ("threecheck", "3check"),
    ("fivecheck", "5check"),
    ("koth", "kingofthehill"),
    ("zh", "crazyhouse"),
];

/// Names of variants that are close to one of ours, with the difference.
const STRANGERS: [(&str, &str); 1] =
    [("suicide", "suicide ends a stalemate by the number of pieces, unlike antichess; no variant here does")];

/// Reads every game of a text in PGN, with its variations and the comments of the game itself. After a wrong move or a break the game is
/// kept up to it. A game without a tag `Variant` is one of the given options.
pub(crate) fn pgn(input: &mut dyn BufRead, given: &Given, sink: Sink<'_>) {
    let mut rules = RulesByVariant::new(given);
    let mut movetext = Movetext::new(input);
    let mut number = 0;
    loop {
        let mut tags = Vec::new();
        let mut words = Vec::new();
        let begun = movetext.line();
        let read = movetext.game(&mut tags, &mut words);
        if tags.is_empty() && words.iter().all(|word| matches!(word, Word::Result(_))) {
            match read {
                Ok(true) => continue,
                Ok(false) => return,
                Err(error) => {
                    sink(Err(error));
                    return;
                }
            }
        }
        number += 1;
        let place = format!("game {number}, from line {begun}");
        let found = rules.play(tags, &words, read.err()).map(|mut game| {
            game.contradiction = game.contradiction.map(|what| format!("{place}: {what}"));
            game.error = game.error.map(|error| located(&place, error));
            game
        });
        let found = found.map_err(|error| located(&place, error));
        if !sink(found) {
            return;
        }
    }
}

/// Reads a list of positions, one per line: FEN, or EPD with its operations as tags; `hmvc` and `fmvn` are the counts of a
/// FEN. Empty lines and lines that begin with `#` or `%` are skipped.
pub(crate) fn epd(input: &mut dyn BufRead, given: &Given, sink: Sink<'_>) {
    let mut rules = RulesByVariant::new(given);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) => {
                sink(Err(Error::state(format!("line {number}: {error}"))));
                return;
            }
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() || text.starts_with(['#', '%']) {
            continue;
        }
        let found = rules.position(text).map_err(|error| located(&format!("line {number}"), error));
        if !sink(found) {
            return;
        }
    }
}

/// An error with its place.
fn located(place: &str, error: Error) -> Error {
    match error {
        Error::InvalidState(what) | Error::InvalidConfig(what) => Error::state(format!("{place}: {what}")),
        other => Error::state(format!("{place}: {other}")),
    }
}

/// The operations of EPD with the counts that a FEN has behind its four fields.
const COUNTS: [(&str, &str); 2] = [("hmvc", "0"), ("fmvn", "1")];

/// Splits a line of EPD into the position, as FEN, and its operations.
fn operations(line: &str) -> (String, Vec<(String, String)>) {
    let mut fields: Vec<&str> = Vec::new();
    let mut rest = line;
    while let Some(field) = rest.split_whitespace().next() {
        let is_fen = field.bytes().all(|c| c.is_ascii_digit() || c == b'+');
        if fields.len() >= 4 && !is_fen {
            break;
        }
        fields.push(field);
        rest = &rest[rest.find(field).map_or(rest.len(), |at| at + field.len())..];
    }
    let mut tags = Vec::new();
    let mut text = String::new();
    let mut is_quoted = false;
    for letter in rest.chars().chain([';']) {
        match letter {
            '"' => is_quoted = !is_quoted,
            ';' if !is_quoted => {
                let operation = std::mem::take(&mut text);
                let (name, operand) = operation.trim().split_once(' ').unwrap_or((operation.trim(), ""));
                if !name.is_empty() {
                    tags.push((name.to_string(), operand.trim().to_string()));
                }
            }
            _ => text.push(letter),
        }
    }
    let mut fen = fields.join(" ");
    let is_count = |field: &&str| field.bytes().all(|c| c.is_ascii_digit());
    let count = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
    if !fields.iter().skip(4).any(is_count) && COUNTS.iter().any(|(name, _)| count(name).is_some()) {
        for (name, default) in COUNTS {
            fen += &format!(" {}", count(name).unwrap_or(default));
        }
        tags.retain(|(tag, _)| COUNTS.iter().all(|(name, _)| name != tag));
    }
    (fen, tags)
}

/// The rules of each variant that occurs, compiled once.
struct RulesByVariant<'a> {
    given: &'a Given,
    known: HashMap<String, Arc<dyn AnyGame>>,
}

impl<'a> RulesByVariant<'a> {
    fn new(given: &'a Given) -> Self {
        Self { given, known: HashMap::new() }
    }

    /// The rules of a tag `Variant`: a variant's name, in our spelling with flags behind it, or in that of others.
    fn rules(&mut self, tag: &str) -> Result<Arc<dyn AnyGame>> {
        if let Some(known) = self.known.get(tag) {
            return Ok(Arc::clone(known));
        }
        let mut options: Vec<(String, OptionValue)> = self.given.to_vec();
        if !tag.is_empty() {
            options.retain(|(key, _)| !["variant", "flags", "fen", "number960"].contains(&key.as_str()));
            let (name, flags) = variant_and_flags(tag)?;
            // A game from elsewhere names no file to open.
            if let Some(variant) = options::list().iter().find(|option| option.name == "variant") {
                let checked = variant.check_untrusted(&name.as_str().into());
                checked.map_err(|error| Error::state(format!("tag Variant {tag:?}: {error}")))?;
            }
            options.push(("variant".into(), name.into()));
            options.push(("flags".into(), OptionValue::List(flags)));
        }
        // Recorded games have any length, and went on after unclaimed draws.
        for (name, value) in [("max_plies", OptionValue::Int(10_000)), ("draws", "claimed".into())] {
            if !options.iter().any(|(key, _)| key == name) {
                options.push((name.into(), value));
            }
        }
        let rules = Options::parse(&options::list(), options).and_then(|options| make(&options));
        let rules = match rules {
            Err(error) if !tag.is_empty() => {
                return Err(Error::state(format!("tag Variant {tag:?}: {error}")));
            }
            rules => rules?,
        };
        self.known.insert(tag.into(), Arc::clone(&rules));
        Ok(rules)
    }

    /// A game without moves in the position of a line of EPD or FEN.
    fn position(&mut self, line: &str) -> Result<ImportedGame> {
        let (text, tags) = operations(line);
        let game = self.rules("")?.single_from_uci(&text)?;
        let mut imported = ImportedGame::new(game.record());
        imported.tags = tags;
        Ok(imported)
    }

    /// Plays a game of PGN, up to the first wrong move, or to the end of the text before the error `broken`.
    fn play(
        &mut self,
        tags: Vec<(String, String)>,
        words: &[Word],
        broken: Option<Error>,
    ) -> Result<ImportedGame> {
        let tag = |name: &str| tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let rules = self.rules(tag("Variant").map_or("", str::trim))?;
        let mut game = match tag("FEN") {
            Some(text) => rules.single_from_uci(text)?,
            None if is_drawn(&*rules) => return Err(Error::state("a game of Chess960 without a tag FEN")),
            None => rules.single(0),
        };
        let names = ["White", "Black"].map(|seat| match tag(seat) {
            None | Some("?") => String::new(),
            Some(name) => name.chars().filter(|letter| !letter.is_control()).take(MAX_NAME).collect(),
        });
        game.set_names(&names)?;
        let mut comments = Vec::new();
        let (mut left_out, mut variations, mut ending, mut error) = (0, 0, None, None);
        // The open variations, and the lines that are read.
        let (mut open, mut lines): (Vec<OpenVariation>, Vec<Vec<LogEntry>>) = (Vec::new(), Vec::new());
        for word in words {
            let is_inside = !open.is_empty();
            match word {
                Word::Variation => {
                    let (around, is_wrong) =
                        open.last().map_or((&game, error.is_some()), |line| (&line.game, line.is_wrong));
                    let mut branch = around.clone();
                    let is_wrong = !branch.undo() || is_wrong;
                    open.push(OpenVariation { game: branch, is_wrong });
                }
                Word::VariationEnd => {
                    let Some(line) = open.pop() else { continue };
                    variations += usize::from(line.is_wrong);
                    lines.extend((!line.is_wrong).then(|| line.game.log()));
                }
                Word::Move(text) if is_inside => {
                    let line = open.last_mut().expect("a variation is open");
                    line.is_wrong = line.is_wrong || step(&mut line.game, text).is_err();
                }
                Word::Result(result) => ending = Some(*result),
                _ if error.is_some() => {}
                Word::Comment(text) => comments.push((game.steps(), text.clone())),
                Word::Move(_) if game.status() != Status::Running => left_out += 1,
                Word::Move(text) => error = step(&mut game, text).err(),
            }
        }
        let tagged = tag("Result").and_then(GameResult::parse);
        let given = tagged.into_iter().chain(ending).find_map(|result| Some((result, result.returns()?)));
        let mut contradiction = None;
        if let (Some(tagged), Some(ending)) = (tagged, ending)
            && tagged != ending
        {
            contradiction = Some(format!("the tag Result says {tagged}, the moves end with {ending}"));
        }
        if let Some((said, outcome)) = given {
            match (game.status(), game.returns()) {
                (Status::Running, _) => game.set_result(&outcome)?,
                (Status::Terminated, returns) if returns != outcome => {
                    let played = GameResult::of(&returns);
                    contradiction =
                        Some(format!("the moves end in {played}, the result is said to be {said}"));
                }
                _ => {}
            }
        }
        let mut record = game.record();
        record.variations = Variation::of_lines(&game.log(), &lines);
        let mut imported = ImportedGame::new(record);
        (imported.tags, imported.comments, imported.left_out) = (tags, comments, left_out);
        (imported.variations, imported.contradiction) = (variations, contradiction);
        imported.error = error.or(broken);
        Ok(imported)
    }
}

/// A variation that is being read, and whether a move of it is wrong.
struct OpenVariation {
    game: SingleGame,
    is_wrong: bool,
}

fn step(game: &mut SingleGame, text: &str) -> Result<()> {
    let made = game.string_to_action(text).and_then(|action| game.step(action));
    made.map_err(|_| Error::state(format!("move {}: {:?} is not legal", game.steps() + 1, shortened(text))))
}

/// Whether games start in random positions.
fn is_drawn(rules: &dyn AnyGame) -> bool {
    let options = &rules.spec().options;
    rules.uci().is_some_and(|game| game.chess960)
        && options.text("fen").is_none()
        && options.optional_int("number960").is_none()
}

fn variant_and_flags(tag: &str) -> Result<(String, Vec<String>)> {
    let plain: String = tag.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    if let Some((_, difference)) = STRANGERS.iter().find(|(other, _)| *other == plain) {
        return Err(Error::state(format!("tag Variant {tag:?}: {difference}")));
    }
    if let Some((_, name)) = OTHER_NAMES.iter().find(|(other, _)| *other == plain) {
        return Ok(((*name).into(), Vec::new()));
    }
    if let Some(name) = variant::variants().find(|name| *name == plain) {
        return Ok((name.into(), Vec::new()));
    }
    let mut words = tag.split_whitespace().map(String::from);
    Ok((words.next().unwrap_or_default(), words.collect()))
}
