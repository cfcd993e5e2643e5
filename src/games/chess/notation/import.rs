//! Games and positions of other programs: PGN, and lists of EPD or FEN.

use std::collections::HashMap;
use std::io::BufRead;
use std::sync::Arc;

use super::movetext::{Movetext, Word};
use super::shortened;
use crate::make::make;
use crate::options;
use crate::variant;
use ludovec_engine::{
    AnyGame, Error, ImportedGame, MAX_NAME, OptionValue, Options, Result, SingleGame, Status,
};

/// Given options of the environment.
type Given = [(String, OptionValue)];
/// Gets each game, or an error with its place; returns false to stop.
type Sink<'a> = &'a mut dyn FnMut(Result<ImportedGame>) -> bool;

/// Names of variants in tags of other programs, in lower case without other signs than letters and digits.
const OTHER_NAMES: [(&str, &str); 12] = [
    ("standard", "chess"),
    ("normal", "chess"),
    ("fromposition", "chess"),
    ("chess960", "chess960"),
    ("fischerandom", "chess960"),
    ("fischerrandom", "chess960"),
    ("freestyle", "chess960"),
    ("threecheck", "3check"),
    ("fivecheck", "5check"),
    ("suicide", "antichess"),
    ("koth", "kingofthehill"),
    ("zh", "crazyhouse"),
];

/// Reads every game of a text in PGN. Variations are skipped, comments are kept. A game without a tag `Variant` is one of
/// the given options.
pub(crate) fn pgn(input: &mut dyn BufRead, given: &Given, sink: Sink<'_>) {
    let mut rules = RulesByVariant::new(given);
    let mut movetext = Movetext::new(input);
    let mut number = 0;
    loop {
        let mut tags = Vec::new();
        let mut words = Vec::new();
        let begun = movetext.line();
        let read = movetext.game(&mut tags, &mut words);
        if tags.is_empty() && words.is_empty() {
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
        let found = read.and_then(|_| rules.play(tags, &words));
        let found = found.map_err(|error| located(&format!("game {number}, from line {begun}"), error));
        if !sink(found) {
            return;
        }
    }
}

/// Reads a list of positions, one per line: FEN, or EPD with its operations as tags. Empty lines and lines that begin with
/// `#` are skipped.
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
        if text.is_empty() || text.starts_with('#') {
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

/// Splits a line of EPD into the position and its operations.
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
    (fields.join(" "), tags)
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
            let (name, flags) = variant_and_flags(tag);
            options.push(("variant".into(), name.into()));
            options.push(("flags".into(), OptionValue::List(flags)));
        }
        // Games are as long as they are.
        if !options.iter().any(|(key, _)| key == "max_plies") {
            options.push(("max_plies".into(), OptionValue::Int(10_000)));
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

    /// Plays a game of PGN.
    fn play(&mut self, tags: Vec<(String, String)>, words: &[Word]) -> Result<ImportedGame> {
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
        let mut left_out = 0;
        for word in words {
            match word {
                Word::Comment(text) => comments.push((game.steps(), text.clone())),
                Word::Move(_) if game.status() != Status::Running => left_out += 1,
                Word::Move(text) => step(&mut *game, text)?,
            }
        }
        let mut imported = ImportedGame::new(game.record());
        (imported.tags, imported.comments, imported.left_out) = (tags, comments, left_out);
        Ok(imported)
    }
}

fn step(game: &mut dyn SingleGame, text: &str) -> Result<()> {
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

fn variant_and_flags(tag: &str) -> (String, Vec<String>) {
    let plain: String = tag.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    if let Some((_, name)) = OTHER_NAMES.iter().find(|(other, _)| *other == plain) {
        return ((*name).into(), Vec::new());
    }
    if let Some(name) = variant::variants().find(|name| *name == plain) {
        return (name.into(), Vec::new());
    }
    let mut words = tag.split_whitespace().map(String::from);
    (words.next().unwrap_or_default(), words.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENTRY;
    use crate::notation::pgn;
    use proptest::prelude::*;

    fn games(read: fn(&mut dyn BufRead, &Given, Sink<'_>), text: &str) -> Vec<Result<ImportedGame>> {
        let mut found = Vec::new();
        read(&mut text.as_bytes(), &[], &mut |game| {
            found.push(game);
            true
        });
        found
    }

    fn one(text: &str) -> ImportedGame {
        let mut found = games(pgn, text);
        assert_eq!(found.len(), 1, "{found:?}");
        found.pop().unwrap().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_game_with_everything_that_pgn_allows_is_read() {
        let text = "\u{feff}% an escaped line\n[Event \"A \\\"great\\\" game\"]\n[White \"Ada\"]\n[Black \"?\"]\n\n\
            {Before the game} 1. e4 $1 {A comment\nover lines} e5! (1... c5 {with (brackets} (1... e6) 2. Nf3) \
            2.Nf3 ; to the end of the line\n 2... Nc6 3 Bb5+ a6 4. Bxc6 dxc6 5. 0-0 1-0\n\n";
        let game = one(text);
        assert_eq!(
            game.record.labels,
            ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5c6", "d7c6", "e1g1"]
        );
        assert_eq!(game.record.names, ["Ada", ""].map(String::from));
        assert_eq!(game.tags[0], ("Event".into(), "A \"great\" game".into()));
        let comments = [(0, "Before the game"), (1, "A comment over lines"), (3, "to the end of the line")];
        assert_eq!(game.comments, comments.map(|(at, text)| (at, text.to_string())));
    }

    #[test]
    fn a_wrong_game_is_one_error_and_the_others_are_read() {
        let text = "1. e4 e5 2. Ke3 *\n\n[White \"x\"]\n\n1. d4 *\n\n[Variant \"no such\"]\n\n1. e4 *\n\n1. c4 {open\n";
        let found = games(pgn, text);
        let said: Vec<String> = found
            .iter()
            .map(|game| game.as_ref().map_or_else(ToString::to_string, |_| String::new()))
            .collect();
        assert!(said[0].contains("game 1, from line 1: move 3: \"Ke3\""), "{said:?}");
        assert!(said[1].is_empty() && said[2].contains("no such") && said[3].contains("comment"), "{said:?}");
    }

    #[test]
    fn moves_after_the_end_of_a_game_are_left_out() {
        let game = one("1. f3 e5 2. g4 Qh4# 3. a3 a6 0-1");
        assert_eq!((game.record.labels.len(), game.left_out), (4, 2));
        assert_eq!(game.record.returns, Some(vec![-1.0, 1.0]));
    }

    #[test]
    fn variants_have_several_spellings() {
        for (tag, variant) in [
            ("Three-check", "3check"),
            ("King of the Hill", "kingofthehill"),
            ("Racing Kings", "racingkings"),
            ("Standard", "chess"),
            ("crazyhouse", "crazyhouse"),
        ] {
            let found = games(pgn, &format!("[Variant \"{tag}\"]\n\n*\n"));
            assert_eq!(found[0].as_ref().unwrap().record.options["variant"], variant);
        }
        assert_eq!(
            variant_and_flags("atomic knooks duck_x"),
            ("atomic".into(), vec!["knooks".into(), "duck_x".into()])
        );
        let said = games(pgn, "[Variant \"Chess960\"]\n\n1. e4 *")[0].clone().unwrap_err().to_string();
        assert!(said.contains("FEN"), "{said}");
    }

    #[test]
    fn positions_are_read_with_and_without_operations() {
        let text = "# a comment\n\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"one; two\";\n\
            4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\n4k3/8/8 w - -\n";
        let found = games(epd, text);
        assert_eq!(found.len(), 3);
        let first = found[0].as_ref().unwrap();
        assert_eq!(first.tags, [("bm".into(), "e4".into()), ("id".into(), "one; two".into())]);
        assert_eq!(first.record.position.as_ref().unwrap()["fen"], "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
        assert_eq!(
            found[1].as_ref().unwrap().record.position.as_ref().unwrap()["fen"],
            "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40"
        );
        assert!(found[2].as_ref().unwrap_err().to_string().contains("line 5: "));
    }

    /// Random games of every variant, written and read.
    #[test]
    fn exported_games_are_read_back() {
        let rounds = if std::env::var_os("LUDOVEC_LONG").is_some() { 250 } else { 2 };
        let mut all = 0;
        for variant in variant::variants() {
            for flags in ["", "knooks"] {
                let options = [
                    ("variant", OptionValue::from(variant)),
                    ("flags", flags.into()),
                    ("max_plies", 120.into()),
                ];
                let Ok(rules) = ENTRY.make(options) else { continue };
                let mut text = String::new();
                let mut records = Vec::new();
                for seed in 0..rounds {
                    let mut game = Arc::clone(&rules).single(seed);
                    while game.status() == Status::Running {
                        game.step(game.bot_action("random").unwrap()).unwrap();
                    }
                    let record = game.record();
                    text += &(pgn::export(&record).unwrap() + "\n");
                    records.push(record);
                }
                let found = games(pgn, &text);
                assert_eq!(found.len(), records.len(), "{variant} {flags}");
                for (found, record) in found.into_iter().zip(records) {
                    let found = found.unwrap_or_else(|error| panic!("{variant} {flags}: {error}\n{text}"));
                    assert_eq!(
                        (found.left_out, &found.record.labels),
                        (0, &record.labels),
                        "{variant} {flags}"
                    );
                    assert_eq!(found.record.actions, record.actions, "{variant} {flags}");
                    if record.returns.is_some() {
                        assert_eq!(found.record.returns, record.returns, "{variant} {flags}");
                    }
                    assert_eq!(
                        pgn::export(&found.record).unwrap().lines().last(),
                        pgn::export(&record).unwrap().lines().last()
                    );
                    all += 1;
                }
            }
        }
        println!("{all} games were read back");
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_readers(text in r#"([\[\](){};%$"a-hA-Z0-9 .*\n\\/-]|1\. e4|\{|\[FEN "|1-0){0,60}"#) {
            for read in [pgn, epd] {
                let mut left = 100;
                read(&mut text.as_bytes(), &[], &mut |_| {
                    left -= 1;
                    left > 0
                });
                prop_assert!(left > 0);
            }
        }
    }
}
