//! Games and positions of other programs: PGN and EPD.

use std::io::BufRead;
use std::sync::Arc;

use ludovec_chess::{ENTRY, variant};
use ludovec_engine::{ImportedGame, OptionValue, Result, Status};
use proptest::prelude::*;
use serde_json::json;

use super::exported;

/// Reads a text in one of the formats, until `sink` returns false.
fn import(
    format: &str,
    text: &mut dyn BufRead,
    given: &[(String, OptionValue)],
    sink: &mut dyn FnMut(Result<ImportedGame>) -> bool,
) {
    let (_, read) = *ENTRY.imports().iter().find(|(name, _)| *name == format).unwrap();
    read(text, given, sink);
}

fn games(format: &str, text: &str) -> Vec<Result<ImportedGame>> {
    let mut found = Vec::new();
    import(format, &mut text.as_bytes(), &[], &mut |game| {
        found.push(game);
        true
    });
    found
}

fn one(text: &str) -> ImportedGame {
    let mut found = games("pgn", text);
    assert_eq!(found.len(), 1, "{found:?}");
    found.pop().unwrap().and_then(ImportedGame::whole).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_game_with_everything_that_pgn_allows_is_read() {
    let text = "\u{feff}% an escaped line\n[Event \"A \\\"great\\\" game\"]\n[White \"Ada\"]\n[Black \"?\"]\n\n\
        {Before the game} 1. e4 $1 {A comment\nover lines} e5! (1... c5 {with (brackets} (1... e6) 2. Nf3) \
        2.Nf3 ; to the end of the line\n 2... Nc6 3 Bb5+ a6 4. Bxc6 dxc6 5. 0-0 1-0\n\n";
    let game = one(text);
    assert_eq!(game.record.labels, ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5c6", "d7c6", "e1g1"]);
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
        let found = games("pgn", text)[0].clone().unwrap();
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
    import(
        "pgn",
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
        (format!("[Result \"1-0\"]\n\n{mate}*"), Some("the moves end in 0-1, the result is said to be 1-0")),
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
        let exported = exported("pgn", &game.record).unwrap();
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
        let said = games("pgn", &text)[0].clone().unwrap_err().to_string();
        assert!(said.contains("antichess") && said.contains("number of pieces"), "{said}");
    }
}

#[test]
fn a_wrong_game_is_one_error_and_the_others_are_read() {
    let text =
        "1. e4 e5 2. Ke3 *\n\n[White \"x\"]\n\n1. d4 *\n\n[Variant \"no such\"]\n\n1. e4 *\n\n1. c4 {open\n";
    let found = games("pgn", text);
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
        let found = games("pgn", &format!("[Variant \"{tag}\"]\n\n*\n"));
        assert_eq!(found[0].as_ref().unwrap().record.options["variant"], variant);
    }
    let found =
        games("pgn", "[Variant \"chess knooks duck_chess\"]\n\n*\n")[0].clone().unwrap().record.options;
    assert_eq!((&found["variant"], &found["flags"]), (&"chess".into(), &json!(["knooks", "duck_chess"])));
    let said = games("pgn", "[Variant \"Chess960\"]\n\n1. e4 *")[0].clone().unwrap_err().to_string();
    assert!(said.contains("FEN"), "{said}");
}

#[test]
fn positions_are_read_with_and_without_operations() {
    let text = "# a comment\n\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"one; two\";\n\
        4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\n4k3/8/8 w - -\n% another\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 7; fmvn 33; bm e4;\n4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 7;\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - fmvn 33;\n4k3/8/8/8/8/8/4P3/4K3 w - - 2 9 hmvc 7;\n\
        4k3/8/8/8/8/8/4P3/4K3 w - - hmvc x;\n";
    let mut found = games("epd", text);
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
            let options =
                [("variant", OptionValue::from(variant)), ("flags", flags.into()), ("max_plies", 120.into())];
            let Ok(rules) = ENTRY.make(options) else { continue };
            let mut text = String::new();
            let mut records = Vec::new();
            for seed in 0..rounds {
                let mut game = Arc::clone(&rules).single(seed);
                while game.status() == Status::Running {
                    game.step(game.bot_action("random").unwrap()).unwrap();
                }
                let record = game.record();
                text += &(exported("pgn", &record).unwrap() + "\n");
                records.push(record);
            }
            let found = games("pgn", &text);
            assert_eq!(found.len(), records.len(), "{variant} {flags}");
            for (found, record) in found.into_iter().zip(records) {
                let found = found.unwrap_or_else(|error| panic!("{variant} {flags}: {error}\n{text}"));
                assert_eq!((found.left_out, &found.record.labels), (0, &record.labels), "{variant} {flags}");
                assert_eq!(found.record.actions, record.actions, "{variant} {flags}");
                assert_eq!(found.record.outcome(), record.outcome(), "{variant} {flags}");
                assert_eq!((found.contradiction, found.error), (None, None), "{variant} {flags}");
                assert_eq!(
                    exported("pgn", &found.record).unwrap().lines().last(),
                    exported("pgn", &record).unwrap().lines().last()
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
        for format in ["pgn", "epd"] {
            let mut left = 100;
            import(format, &mut text.as_bytes(), &[], &mut |_| {
                left -= 1;
                left > 0
            });
            prop_assert!(left > 0);
        }
    }
}
