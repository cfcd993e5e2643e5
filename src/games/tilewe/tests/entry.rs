//! The entry of the registry from outside: the files of Pentobi, and the sizes of states.

use ludovec_engine::{ImportedGame, OptionValue, Record, Result};
use ludovec_tilewe::ENTRY;
use serde_json::json;

const DUO: &str = include_str!("../../../../tests/data/tilewe/pentobi_duo.blksgf");
const CLASSIC: &str = include_str!("../../../../tests/data/tilewe/pentobi_classic.blksgf");
const TWO_PLAYER: &str = include_str!("../../../../tests/data/tilewe/pentobi_two_player.blksgf");

fn options(given: &[(&'static str, &str)]) -> Vec<(&'static str, OptionValue)> {
    given.iter().map(|&(key, value)| (key, OptionValue::from(value))).collect()
}

#[test]
fn the_state_is_small_for_two_colours_on_a_small_board() {
    for (given, bytes) in [
        (&[][..], 348),
        (&[("mode", "blokus_duo")], 128),
        (&[("board", "8"), ("players", "1")], 128),
        (&[("board", "14"), ("players", "3")], 348),
        (&[("board", "15"), ("players", "2")], 348),
    ] {
        let built = ENTRY.make(options(given)).unwrap();
        assert_eq!(built.spec().state_bytes, bytes, "{given:?}");
    }
}

/// Every game of a file, or the first error.
fn read(text: &str, given: &[(String, OptionValue)]) -> Result<Vec<ImportedGame>> {
    let mut games = Vec::new();
    let [("blksgf", import)] = ENTRY.imports()[..] else { panic!("one format is read") };
    import(&mut text.as_bytes(), given, &mut |game| {
        games.push(game);
        true
    });
    games.into_iter().collect()
}

fn export(record: &Record) -> Result<String> {
    ENTRY.export(record, "blksgf")
}

fn import(text: &str) -> Record {
    let mut games = read(text, &[]).unwrap();
    assert_eq!(games.len(), 1);
    games.remove(0).record
}

/// Moves in a file, in their order.
fn moves(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with(';') && !line.starts_with(";GM")).collect()
}

#[test]
fn files_of_pentobi_are_read_and_written_as_they_were() {
    for (text, mode, scores) in [
        (DUO, "blokus_duo", vec![-8.0]),
        (CLASSIC, "blokus", vec![77.0, 85.0, 70.0, 75.0]),
        (TWO_PLAYER, "blokus_2", vec![-16.0]),
    ] {
        let record = import(text);
        assert_eq!(record.options["mode"], mode);
        assert!(record.returns.is_some(), "the game is played to its end");
        let found = match &record.scores[..] {
            [first, second] => vec![first - second],
            all => all.to_vec(),
        };
        assert_eq!(found, scores, "{mode}");
        let written = export(&record).unwrap();
        assert_eq!(moves(&written), moves(text), "{mode}");
        assert_eq!(import(&written), record);
    }
}

#[test]
fn names_results_and_set_up_pieces_are_read() {
    let text = "\u{feff}(\n;GM[Blokus Duo] CA [UTF-8] PB[A\\]d\\\\a] PW[Grace]\n AB[e8,e9,f9,d10,e10][g6,f7,g7,h7,g8]\n\
                AW[i4,h5,i5,j5,i6]PL[W]\n(;W[j7,j8,j9,k9,j10]C[good (or not;)](;B[h9])(;B[h9,i9]))(;W[k7]))";
    let record = import(text);
    assert_eq!(record.names, ["A]d\\a", "Grace"]);
    assert_eq!((record.actions.len(), record.players.clone()), (2, vec![1, 0]));
    assert_eq!(record.scores, [11.0, 10.0]);
    let game = &read(text, &[("reward".into(), "score".into())]).unwrap()[0];
    assert_eq!(
        (game.comments.clone(), &game.record.options["reward"]),
        (vec![(1, "good (or not;)".into())], &json!("score"))
    );
    assert!(
        game.tags.contains(&("PW".into(), "Grace".into())) && game.tags.iter().all(|(name, _)| name != "AB")
    );
    // Positions are not written.
    assert!(export(&record).unwrap_err().to_string().contains("from the start only"));
    // The names and values of old files.
    let old =
        &read("(;GM[Blokus];BLUE[a20][b20];2[t20];RED[t1];4[a1])(;GM[Blokus Duo])", &[]).unwrap()[0].record;
    assert_eq!(old.scores, [2.0, 1.0, 1.0, 1.0]);
}

#[test]
fn wrong_files_are_refused_in_one_line() {
    for (text, reason) in [
        ("", "has no game"),
        ("hello", "hello has no value"),
        ("(;GM[Blokus Duo]", "\")\" is missing"),
        ("(;GM[Blokus Duo", "\"]\" is missing"),
        (";GM[Blokus]", "outside of a game"),
        (")", "\")\" without"),
        ("()", "game 1: it has no nodes"),
        ("(GM[Blokus])", "GM is outside of a node"),
        ("(;B[e10])", "GM is missing"),
        ("(;GM[Blokus Trigon])", "GM[Blokus Trigon]: the games are Blokus, Blokus Two-Player, Blokus Duo"),
        ("(;GM[Blokus Three-Player])", "the games are"),
        ("(;GM[Blokus Duo];B[e10];B[j5])", "move 2: blue plays, and yellow is to move"),
        ("(;GM[Blokus Duo];W[j5])", "move 1: yellow plays, and blue is to move"),
        ("(;GM[Blokus Duo];B[a1])", "move 1: the first piece of blue must cover e10"),
        ("(;GM[Blokus Duo];B[e10,f11])", "are no piece"),
        ("(;GM[Blokus Duo];B[pass])", "no tile"),
        ("(;GM[Blokus Duo];B[e10];AW[j5])", "AW after the first node"),
        ("(;GM[Blokus Duo]AB[e10]AW[e10])", "AW[e10]: e10 is taken"),
        ("(;GM[Blokus Duo]AB[a1])", "blue does not cover its start"),
        ("(;GM[Blokus Duo]PL[3])", "PL[3]: the colours are B, W"),
        ("(;GM[Blokus Duo])\n(;GM[Go])", "game 2: GM[Go]"),
        ("(;GM[Blokus Duo]\n\n!)", "line 3: '!'"),
    ] {
        let error = read(text, &[]).unwrap_err().to_string();
        assert!(error.contains(reason) && !error.contains('\n'), "{text}: {error}");
    }
    let deep = "(".repeat(100_000) + ";" + &")".repeat(100_000);
    assert!(read(&deep, &[]).is_err());
}

#[test]
fn games_without_a_name_in_pentobi_are_not_written() {
    let record = |given: &[(&'static str, &str)]| {
        let game = ENTRY.make(options(given)).unwrap();
        game.single(0).record()
    };
    for given in [
        &[][..],
        &[("mode", "blokus"), ("players", "3")],
        &[("mode", "blokus_duo"), ("players", "1")],
        &[("mode", "blokus_duo"), ("bonus", "false")],
        &[("mode", "blokus_2"), ("board", "19")],
    ] {
        let error = export(&record(given)).unwrap_err().to_string();
        assert!(error.contains("blokus, blokus_2, blokus_duo"), "{error}");
    }
    let mut wrong = record(&[("mode", "blokus_duo")]);
    assert_eq!(export(&wrong).unwrap(), "(\n;GM[Blokus Duo]CA[UTF-8]\n)\n");
    wrong.actions = vec![0];
    assert!(export(&wrong).unwrap_err().to_string().contains("cannot be replayed"));
    wrong.options = json!({ "mode": "chess" });
    assert!(export(&wrong).unwrap_err().to_string().contains("mode=chess"));
    wrong.env = "chess".into();
    assert!(export(&wrong).unwrap_err().to_string().contains("one of \"chess\""));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused_as_a_file(
        text in "(\\(|\\)|;|GM\\[Blokus Duo\\]|B\\[e10\\]|W\\[j5,j6\\]|A[BW]\\[[ej]10?\\]|PL\\[.\\]|[a-z\\[\\]\\\\ \n]){0,20}",
    ) {
        for game in read(&text, &[]).unwrap_or_default() {
            let _ = export(&game.record);
        }
    }
}
