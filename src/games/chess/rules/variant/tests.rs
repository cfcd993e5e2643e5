//! Tests of variant files: shipped files, inheritance, error messages.

use proptest::prelude::*;

use super::schema::{CastlingRule, DoubleStep, EndWhen, Modality, Role, SideResult};
use super::{flags, from_text, load, variants};

const NONE: [&str; 0] = [];

fn error(text: &str) -> String {
    from_text("user.toml", text).unwrap_err().to_string()
}

#[test]
fn every_shipped_variant_is_complete() {
    for name in variants() {
        let variant = load(name, &NONE).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(variant.name, name);
        assert!(!variant.end.is_empty(), "{name}");
    }
    assert_eq!(variants().count(), 43);
}

#[test]
fn every_option_goes_over_chess_and_every_pair_is_accepted_or_refused_with_a_reason() {
    assert_eq!(flags().count(), 14);
    let mut refused = 0;
    for a in flags() {
        load("chess", &[a]).unwrap_or_else(|e| panic!("{e}"));
        for b in flags().filter(|&b| b > a) {
            if let Err(e) = load("chess", &[a, b]) {
                assert!(e.to_string().contains("do not go together"), "{e}");
                refused += 1;
            }
        }
    }
    assert_eq!(refused, 4);
}

#[test]
fn all_options_that_agree_go_over_one_variant() {
    let agreeing: Vec<_> = flags()
        .filter(|f| !["chess960", "capture_all_pieces_to_win", "double_check_to_win"].contains(f))
        .collect();
    let variant = load("chess", &agreeing).unwrap();
    assert_eq!(variant.pieces.len(), 8);
    assert_eq!(variant.start, "rnbqkbnr/pppppppp/8/7d/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!(variant.castling.unwrap().rule, CastlingRule::TwoSquares { vertical: true });
}

#[test]
fn orthodox_chess_has_the_expected_rules() {
    let chess = load("chess", &NONE).unwrap();
    let letters: String = chess.pieces.iter().map(|p| p.letter).collect();
    assert_eq!((chess.width, chess.height, letters.as_str()), (8, 8, "PNBRQK"));
    assert_eq!(chess.pieces[0].role, Role::Pawn);
    assert_eq!(chess.pieces[5].role, Role::Royal);
    assert_eq!(chess.pawn.double_step, DoubleStep::Squares([(8..16).collect(), (48..56).collect()]));
    assert_eq!(chess.promotion.unwrap().choices, [4, 3, 2, 1]);
    assert_eq!(chess.castling.unwrap().rule, CastlingRule::Files { right: (6, 5), left: (2, 3) });
    let ends: Vec<_> = chess.end.iter().map(|rule| (rule.when.clone(), rule.value)).collect();
    assert_eq!(
        ends,
        [
            (EndWhen::Mate, SideResult::Loss),
            (EndWhen::Stalemate, SideResult::Draw),
            (EndWhen::DeadPosition, SideResult::Draw),
            (EndWhen::Repetition(3), SideResult::Draw),
            (EndWhen::MovesWithoutProgress(50), SideResult::Draw),
        ]
    );
}

#[test]
fn a_child_replaces_values_takes_out_tables_and_edits_lists() {
    let text = r#"
        extends = "chess"
        summary = "test"
        castling = false
        board.start = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w - - 0 1"
        pieces.Q = false
        pieces.N.moves = "NmW"
        promotion.choices = "RBN"
        filters.forbidden.after = [{ piece = "K", cells = { both = "c2" } }]
        [end]
        before = [{ when = "checks", count = 2, value = "win" }]
        without = ["repetition", "dead position"]
    "#;
    let variant = from_text("mine.toml", text).unwrap();
    assert_eq!(variant.name, "mine");
    assert!(variant.castling.is_none());
    assert!(variant.pieces.iter().all(|p| p.letter != 'Q'));
    assert!(variant.pieces[1].moves.iter().any(|m| m.offset == (0, 1) && m.modality == Modality::Move));
    assert_eq!(variant.filters.forbidden, [(4, [vec![10], vec![10]])]);
    let ends: Vec<_> = variant.end.iter().map(|rule| rule.when.clone()).collect();
    assert_eq!(
        ends,
        [EndWhen::Checks(2), EndWhen::Mate, EndWhen::Stalemate, EndWhen::MovesWithoutProgress(50)]
    );
}

#[test]
fn regions_are_mirrored_for_black_unless_told_otherwise() {
    let squares = |region: &str| {
        let text = format!("extends = \"capablanca\"\nsummary = \"t\"\npawn.double_step = {region}");
        match from_text("t.toml", &text).unwrap().pawn.double_step {
            DoubleStep::Squares(squares) => squares,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(squares(r#""b2""#), [vec![11], vec![61]]);
    assert_eq!(squares(r#"["b2", "a1"]"#), [vec![0, 11], vec![61, 70]]);
    assert_eq!(squares(r#"{ both = "j1-i2" }"#), [vec![8, 9, 18, 19], vec![8, 9, 18, 19]]);
    assert_eq!(squares(r#"{ white = "file a-b", black = "last rank" }"#)[0].len(), 16);
    assert_eq!(squares(r#"{ white = "file a", black = "last rank" }"#)[1], (70..80).collect::<Vec<_>>());
    assert_eq!(squares(r#""rank 2-3""#)[0].len(), 20);
    assert_eq!(squares(r#""all""#)[0].len(), 80);
}

#[test]
fn errors_name_file_line_key_and_the_allowed_values() {
    for (text, expected) in [
        (
            "extends = \"chess\"\nsummary = \"t\"\nrook = 1",
            "user.toml, line 3: unknown key rook: the keys of a variant are name",
        ),
        (
            "extends = \"chess\"\n[board]\nwidht = 9",
            "user.toml, line 3: unknown key widht: the keys of board are width, height",
        ),
        (
            "extends = \"ches\"",
            "user.toml, line 1: extends: unknown variant \"ches\" (did you mean chess?): allowed are",
        ),
        (
            "extends = \"user.toml\"",
            "user.toml, line 1: extends: the files extend each other: user.toml -> user.toml",
        ),
        ("extends = \"chess\"\nflags = [\"nooks\"]", "unknown flag nooks: the flags are knooks"),
        (
            "extends = \"chess\"\nboard.width = 17",
            "board.width: the number 17 is not allowed here, an integer from 1 to 16 is",
        ),
        (
            "extends = \"chess\"\nboard.width = 99999999999999999999",
            "a number of that size is not allowed here",
        ),
        (
            "extends = \"chess\"\nboard.width = \"8\"",
            "board.width: the text \"8\" is not allowed here, an integer",
        ),
        (
            "extends = \"chess\"\nboard = { width = 16, height = 9 }",
            "16 x 9 cells are too many, 128 are allowed",
        ),
        ("extends = \"chess\"\nboard.width = 9", ": board.start: rank 1 has 8 cells, 9 are needed"),
        (
            "extends = \"chess\"\nboard.start = \"8/8/8/8/8/8/8/7X w\"",
            "line 2: board.start: invalid state: FEN",
        ),
        (
            "extends = \"chess\"\npieces.N.moves = \"NX\"",
            "line 2: pieces.N.moves: 'X' is no atom; the atoms are",
        ),
        (
            "extends = \"chess\"\npieces.NN = { name = \"x\", moves = \"N\" }",
            "pieces.NN: a piece is named by one upper-case letter",
        ),
        (
            "extends = \"chess\"\npieces.N.role = \"king\"",
            "pieces.N.role: the text \"king\" is not allowed here, one of \"ordinary\"",
        ),
        (
            "extends = \"breakthrough\"\npromotion = { region = \"e8\", choices = \"Q\" }",
            "line 2: promotion.choices: 'Q' is no piece; the pieces are P",
        ),
        ("extends = \"chess\"\npromotion.choices = \"QP\"", "a pawn cannot promote to P"),
        ("extends = \"chess\"\npromotion.choices = \"QQ\"", "Q is there twice"),
        ("extends = \"chess\"\npromotion.region = \"rank 9\"", "\"rank 9\" names no cells; allowed are"),
        ("extends = \"chess\"\ncastling.right = [\"g\"]", "castling.right: two files are needed"),
        (
            "extends = \"chess\"\ncastling.right = [\"g\", \"z\"]",
            "castling.right[1]: \"z\" is no file of this board",
        ),
        (
            "extends = \"chess\"\ncastling.vertical = true",
            "castling along the file goes with the rule \"two cells\" only",
        ),
        (
            "extends = \"chess\"\nend.without = [\"mat\"]",
            "user.toml, line 2: without[0]: the text \"mat\" is not allowed here, one of \"mate\", \"stalemate\"",
        ),
        (
            "extends = \"chess\"\nend.after = [{ when = \"mate\", value = \"loss\", count = 3 }]",
            "unknown key count: the keys of end[5] are when, value",
        ),
        (
            "extends = \"chess\"\nend.after = [{ when = \"checks\", value = \"win\" }]",
            "end[5]: the key count is missing",
        ),
        (
            "extends = \"chess\"\nturn.place = \"N\"",
            "turn.place: only a piece with role = \"neutral\" is placed",
        ),
        (
            "extends = \"chess\"\nboard.add = [{ piece = \"n\", cell = \"a1\" }]",
            "board.add[0].cell: the cell is not empty",
        ),
        ("a = 1\na = 2", "user.toml, line 2: not TOML: duplicate key"),
        ("pieces = 3.5", "the key board is missing"),
        ("extends = \"chess\"\npieces.N.name = 2020-01-01", "a date is not allowed here"),
    ] {
        let message = error(text);
        assert!(message.contains(expected), "{text}\n  gives    {message}\n  expected {expected}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn options_apply_to_every_variant_that_meets_their_needs() {
    let mut refused = 0;
    for name in variants() {
        for flag in flags() {
            if let Err(e) = load(name, &[flag]) {
                // The only obstacles are a missing piece or square, castling in a variant without castling, or a
                // contradiction.
                let message = e.to_string();
                let needed = [
                    "is no piece",
                    "there is no piece",
                    "is no cell",
                    "names no cells",
                    "of which there is none here",
                    "do not go together",
                ];
                assert!(needed.iter().any(|reason| message.contains(reason)), "{name} {flag}: {message}");
                let call = format!("option flags={flag}, variant={name}: ");
                assert!(message.contains(&call) && !message.contains(".toml"), "{message}");
                refused += 1;
            }
        }
    }
    assert!(refused < 120, "{refused} refused");
}

#[test]
fn options_that_also_touch_castling_go_over_variants_without_it() {
    for name in ["nocastle", "shatranj", "antichess", "threekings"] {
        for flag in ["duck_chess", "capture_all_pieces_to_win", "chess960", "beta_decay"] {
            assert_eq!(load(name, &[flag]).unwrap().castling, None, "{name} {flag}");
        }
        let error = load(name, &["vertical_castling"]).unwrap_err().to_string();
        let expected = format!(
            "option flags=vertical_castling, variant={name}: vertical_castling is about castling, of which there is none \
             here"
        );
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[test]
fn chess960_castles_by_its_own_rule_in_any_order_of_options() {
    let both = load("chess", &["beta_decay", "chess960"]).unwrap();
    let after = load("chess960", &["beta_decay"]).unwrap();
    assert_eq!(both.castling, after.castling);
    assert!(matches!(after.castling.unwrap().rule, CastlingRule::Files { .. }) && after.chess960);
    // A requested flag may also contradict one that the variant itself includes.
    for (name, flag) in [("chess960", "vertical_castling"), ("duck", "double_check_to_win")] {
        let error = load(name, &[flag]).unwrap_err().to_string();
        assert!(error.contains("do not go together"), "{error}");
    }
    assert_eq!(load("duck", &["duck_chess"]).unwrap(), load("duck", &NONE).unwrap());
}

#[test]
fn errors_in_an_inherited_section_name_the_file_that_inherits_it() {
    for (text, expected) in [
        (
            "summary = \"t\"\nextends = \"chess\"\npieces.N = false",
            "user.toml, line 2: promotion.choices: 'N' is no piece; the pieces are PBRQK (inherited from chess)",
        ),
        (
            "extends = \"breakthrough\"\nflags = [\"knooks\"]",
            "user.toml, line 2: generators.merges[0].mover: \"N\" is no piece; the pieces are PO (by the flag knooks)",
        ),
        (
            "extends = \"shatranj\"\nflags = [\"vertical_castling\"]",
            "user.toml, line 2: vertical_castling is about castling, of which there is none here",
        ),
        ("extends = \"chess\"\nflags = [\"nooks\"]", "user.toml, line 2: unknown flag nooks"),
        ("extends = \"chess\"\nend = []", "user.toml, line 2: end: without a rule no side could win or draw"),
        (
            "extends = \"giveaway\"\nend.without = [\"extinct\", \"stalemate\", \"repetition\", \"moves without progress\"]",
            "user.toml, line 2: end: without a rule no side could win or draw",
        ),
    ] {
        let message = error(text);
        assert!(message.contains(expected), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_read_and_chains_of_files_end() {
    let folder = std::env::temp_dir().join(format!("ludovec-chains-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    let made = std::process::Command::new("mkfifo").arg(path("pipe.toml")).status();
    assert!(made.unwrap().success());
    std::fs::write(path("child.toml"), "extends = \"pipe.toml\"").unwrap();
    for name in [path("pipe.toml"), path("child.toml"), "/dev/zero".into(), path("")] {
        let message = load(&name, &NONE).unwrap_err().to_string();
        assert!(message.contains("a regular file is needed"), "{name}: {message}");
    }
    let chain = |files: usize| {
        for i in 1..files {
            let text = if i + 1 == files { "chess".into() } else { format!("f{}.toml", i + 1) };
            std::fs::write(path(&format!("f{i}.toml")), format!("extends = \"{text}\"\nsummary = \"t\""))
                .unwrap();
        }
        load(&path("f1.toml"), &NONE)
    };
    assert!(chain(16).is_ok());
    let message = chain(17).unwrap_err().to_string();
    assert!(
        message.contains("f16.toml, line 1: extends: at most 16 files may extend one another"),
        "{message}"
    );
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn files_extend_files_of_their_own_folder_and_circles_are_found() {
    let folder = std::env::temp_dir().join(format!("ludovec-variants-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("sub")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("base.toml", "extends = \"chess\"\nsummary = \"b\"\ncastling = false\n");
    write("sub/child.toml", "extends = \"../base.toml\"\nsummary = \"c\"\n");
    write("a.toml", "extends = \"b.toml\"");
    write("b.toml", "extends = \"sub/../a.toml\"");
    let path = |name: &str| folder.join(name).display().to_string();
    let child = load(&path("sub/child.toml"), &NONE).unwrap();
    assert_eq!((child.name.as_str(), child.castling), ("child", None));
    let circle = load(&path("a.toml"), &NONE).unwrap_err().to_string();
    assert!(circle.contains("the files extend each other"), "{circle}");
    let missing = load(&path("none.toml"), &NONE).unwrap_err().to_string();
    assert!(missing.contains("none.toml"), "{missing}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Factor by which mutation tests run longer on request.
fn cases() -> u32 {
    if std::env::var_os("LUDOVEC_LONG").is_some() { 20_000 } else { 400 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn any_text_is_a_variant_or_one_line_of_error(text in "\\PC{0,200}") {
        if let Err(e) = from_text("user.toml", &text) {
            prop_assert_eq!(e.to_string().lines().count(), 1);
        }
    }

    /// Shipped files with bytes replaced, removed or doubled: most fail somewhere in the middle.
    #[test]
    fn mutated_files_never_panic(
        which in 0usize..43,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0u8..4, "[ -~\n]{0,3}"), 1..6),
    ) {
        let mut text = super::library::shipped_text(which).to_string();
        for (at, kind, new) in edits {
            let at = at.index(text.len());
            let end = match kind { 0 => at, 1 => at + 1, 2 => at + new.len(), _ => at + 9 }.min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) && !text.is_empty() {
                text.replace_range(at..end, &new);
            }
            if text.is_empty() {
                break;
            }
        }
        if let Err(e) = from_text("user.toml", &text) {
            prop_assert_eq!(e.to_string().lines().count(), 1, "{}", e);
        }
    }
}
