//! Games and positions of other programs: PGN, and lists of EPD or FEN.

use std::collections::HashMap;
use std::io::BufRead;
use std::sync::Arc;

use super::movetext::{GameResult, Movetext, Word};
use super::shortened;
use crate::options;
use crate::rules::make::make;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENTRY;
    use crate::exchange::notation::pgn;
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
        found.pop().unwrap().and_then(ImportedGame::whole).unwrap_or_else(|error| panic!("{error}"))
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
        let lines: Vec<_> =
            game.record.variations.iter().map(|line| (line.from, line.labels.join(" "))).collect();
        assert_eq!(lines, [(1, "e7e6".to_string()), (1, "c7c5 g1f3".to_string())]);
        assert_eq!(game.variations, 0);
        assert_eq!(game.record.result, Some(vec![1.0, -1.0]));
    }

    #[test]
    fn a_game_is_kept_up_to_its_first_error() {
        for (text, moves, word) in [
            ("1. e4 e5 2. Ke3 Nf6 3. d4 *", 2, "move 3: \"Ke3\" is not legal"),
            ("1. e4 -- 2. d4 *", 1, "move 2: \"--\" is not legal"),
            ("1. e4 Z0 2. d4 *", 1, "move 2: \"Z0\" is not legal"),
            ("1. e4 e5 {never closed 2. Nf3 1-0", 2, "a comment without an end"),
            ("1. e4 e5 (2. d4 1-0", 2, "a variation without an end"),
            ("1. e4 e5 (2. d4\n\n[White \"next\"]\n", 2, "a variation without an end"),
            ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ke4 Ke5 1/2-1/2", 6, "move 7: \"Ke4\""),
            ("1. e4 e5 2. Sf3 *", 2, "move 3: \"Sf3\""),
        ] {
            let found = games(pgn, text)[0].clone().unwrap();
            assert_eq!(found.record.labels.len(), moves, "{text}");
            let said = found.error.expect(text).to_string();
            assert!(said.contains("game 1, from line 1: ") && said.contains(word), "{text}: {said}");
        }
    }

    #[test]
    fn games_play_on_after_draws_that_nobody_claimed() {
        let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 ";
        let game = one(&format!("{shuffle}5. e4 f6 6. d4 g5 7. Qh5# 1-0"));
        assert_eq!((game.record.labels.len(), game.left_out), (13, 0));
        assert_eq!(game.record.returns, Some(vec![1.0, -1.0]));
        // The fifth occurrence ends the game without a claim.
        let game = one(&format!("{shuffle}{shuffle}9. e4 *"));
        assert_eq!((game.record.labels.len(), game.left_out), (16, 1));
        assert_eq!(game.record.returns, Some(vec![0.0, 0.0]));
        // 50 moves do not end a game, 75 do.
        for (clock, left_out) in [(98, 0), (147, 0), (148, 1)] {
            let tags = format!("[FEN \"8/8/8/8/8/4k3/8/R3K3 w - - {clock} 99\"]");
            let game = one(&format!("{tags}\n\n99. Kd1 Kf3 100. Ra8 *"));
            assert_eq!((game.record.labels.len(), game.left_out), (3 - left_out, left_out), "{clock}");
        }
        // The option is stronger.
        let mut found = Vec::new();
        pgn(
            &mut format!("{shuffle}5. e4 *").as_bytes(),
            &[("draws".into(), "automatic".into())],
            &mut |game| {
                found.push(game.unwrap().left_out);
                true
            },
        );
        assert_eq!(found, [1]);
    }

    #[test]
    fn a_result_that_contradicts_the_moves_is_reported() {
        let mate = "1. f3 e5 2. g4 Qh4# ";
        for (text, word) in [
            (
                format!("[Result \"1-0\"]\n\n{mate}*"),
                Some("the moves end in 0-1, the result is said to be 1-0"),
            ),
            (format!("[Result \"1/2-1/2\"]\n\n{mate}1/2-1/2"), Some("said to be 1/2-1/2")),
            (format!("{mate}1-0"), Some("the moves end in 0-1, the result is said to be 1-0")),
            (format!("[Result \"0-1\"]\n\n{mate}0-1"), None),
            (format!("[Result \"*\"]\n\n{mate}0-1"), Some("the tag Result says *, the moves end with 0-1")),
            ("[Result \"1-0\"]\n\n1. e4 0-1".into(), Some("the tag Result says 1-0, the moves end with 0-1")),
            ("[Result \"1-0\"]\n\n1. e4 1-0".into(), None),
        ] {
            let said = one(&text).contradiction;
            assert_eq!(said.is_some(), word.is_some(), "{text}: {said:?}");
            assert!(said.unwrap_or_default().contains(word.unwrap_or_default()), "{text}");
        }
    }

    #[test]
    fn a_game_that_the_rules_did_not_end_has_the_result_of_its_source() {
        for (text, result) in [
            ("[Result \"1-0\"]\n\n1. e4 e5 1-0", Some([1.0, -1.0])),
            ("[Result \"0-1\"]\n\n1. e4 e5 *", Some([-1.0, 1.0])),
            ("[Result \"½-½\"]\n\n1. e4 e5 1/2 - 1/2", Some([0.0, 0.0])),
            ("[Result \"*\"]\n\n1. e4 e5 *", None),
            ("1. e4 e5 1–0", Some([1.0, -1.0])),
        ] {
            let game = one(text);
            assert_eq!(game.record.result, result.map(Vec::from), "{text}");
            assert_eq!(game.record.returns, None, "{text}");
            let exported = pgn::export(&game.record).unwrap();
            assert_eq!(one(&exported).record.result, game.record.result, "{exported}");
        }
    }

    #[test]
    fn moves_of_other_programs_are_read() {
        let castled = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1";
        for text in [
            "1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 3. Bf1-b5 a7-a6 4. O-O *",
            "1.e4 e5 2.♘f3 ♞c6 3.♗b5 a6 4.O–O *",
            "1. Pe4 P-e5 2. Ng1f3 Nb8c6 3. Bf1b5 Pa6 4. 0-0 *",
            "1. e2e4 e7e5 2. g1f3 b8c6 3. f1b5 a7a6 4. e1g1 *",
        ] {
            assert_eq!(one(text).record.labels.join(" "), castled, "{text}");
        }
        let fen = "[FEN \"8/P6k/8/3Pp3/8/8/8/K7 w - e6 0 1\"]";
        for promotion in ["a8=Q", "a8Q", "a8(Q)", "a8/Q", "a8=♕", "a7-a8=Q"] {
            let game = one(&format!("{fen}\n\n1. dxe6 e.p. Kg7 2. {promotion} Kf6 (2... Kg6) 3. e7(Kb1) *"));
            assert_eq!(game.record.labels, ["d5e6", "h7g7", "a7a8q", "g7f6", "e6e7"], "{promotion}");
            assert_eq!((game.record.variations.len(), game.variations), (2, 0), "{promotion}");
        }
        let game = one("[Variant \"Crazyhouse\"]\n\n1. e4 d5 2. exd5 Qxd5 3. @d3 *");
        assert_eq!(game.record.labels.last().unwrap(), "P@d3");
        assert_eq!(one("[Variant \"Berolina\"]\n\n1. Pa3 *").record.labels.len(), 1);
    }

    #[test]
    fn suicide_is_not_antichess() {
        for tag in ["Suicide", "suicide"] {
            let text = format!("[Variant \"{tag}\"]\n\n1. e3 *");
            let said = games(pgn, &text)[0].clone().unwrap_err().to_string();
            assert!(said.contains("antichess") && said.contains("number of pieces"), "{said}");
        }
    }

    #[test]
    fn a_wrong_game_is_one_error_and_the_others_are_read() {
        let text = "1. e4 e5 2. Ke3 *\n\n[White \"x\"]\n\n1. d4 *\n\n[Variant \"no such\"]\n\n1. e4 *\n\n1. c4 {open\n";
        let found = games(pgn, text);
        let said: Vec<String> = found
            .iter()
            .map(|game| game.clone().and_then(ImportedGame::whole))
            .map(|game| game.map_or_else(|error| error.to_string(), |_| String::new()))
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
            variant_and_flags("atomic knooks duck_x").unwrap(),
            ("atomic".into(), vec!["knooks".into(), "duck_x".into()])
        );
        let said = games(pgn, "[Variant \"Chess960\"]\n\n1. e4 *")[0].clone().unwrap_err().to_string();
        assert!(said.contains("FEN"), "{said}");
    }

    #[test]
    fn positions_are_read_with_and_without_operations() {
        let text = "# a comment\n\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"one; two\";\n\
            4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\n4k3/8/8 w - -\n% another\n\
            4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 7; fmvn 33; bm e4;\n4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 7;\n\
            4k3/8/8/8/8/8/4P3/4K3 w - - fmvn 33;\n4k3/8/8/8/8/8/4P3/4K3 w - - 2 9 hmvc 7;\n\
            4k3/8/8/8/8/8/4P3/4K3 w - - hmvc x;\n";
        let mut found = games(epd, text);
        assert_eq!(found.len(), 8);
        let said = found.pop().unwrap().unwrap_err().to_string();
        assert!(said.contains("line 11: ") && said.contains("\"x\" is no count"), "{said}");
        for (found, counts) in found[3..].iter().zip(["7 33", "7 1", "0 33", "2 9"]) {
            let fen = found.as_ref().unwrap().record.position.as_ref().unwrap()["fen"].clone();
            assert!(fen.as_str().unwrap().ends_with(&format!(" w - - {counts}")), "{fen}");
        }
        assert_eq!(found[3].as_ref().unwrap().tags, [("bm".into(), "e4".into())]);
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
                    assert_eq!(found.record.outcome(), record.outcome(), "{variant} {flags}");
                    assert_eq!((found.contradiction, found.error), (None, None), "{variant} {flags}");
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
