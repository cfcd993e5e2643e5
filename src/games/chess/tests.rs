//! Tests of the rules against independent engines, of fast code against slow reference code, and of action indices
//! against moves.

use std::collections::BTreeSet;
use std::io::Cursor;

use ludovec_engine::chance::{Chance, ScriptedChance, SeededChance};
use ludovec_engine::{OptionValue, Options, Result, Rules, Status, Words, mask};

use super::observe::az119::{self, Boards};
use super::options;
use super::rules::{Chess, Shows};
use crate::exchange::conform::conform;
use crate::exchange::notation::{fen, uci};
use crate::exchange::setup::{BoardPiece, Setup};
use crate::rules::board::bitboard::Bitboard;
use crate::rules::board::moves::{Move, MoveKind};
use crate::rules::board::position::{Large, MoveRules, Orthodox, Position, Small};
use crate::rules::chess960::Shuffle;
use crate::rules::history::NoHistory;
use crate::rules::perft::leaves;
use crate::rules::state::{Reason, State, outcome};
use crate::rules::tables::Tables;
use crate::rules::variant;
use crate::rules::variant::schema::Variant;

mod reloading;
mod repetition;
mod starts;

type Standard = Chess<Orthodox, Boards>;

/// Multiple of the default number of games to play.
fn times() -> u64 {
    if std::env::var_os("LUDOVEC_LONG").is_some() { 50 } else { 1 }
}

fn load(name: &str) -> Variant {
    variant::load::<&str>(name, &[]).unwrap()
}

fn game<R: MoveRules, H: Shows<R>>(given: &[(&str, &str)]) -> Chess<R, H> {
    try_game(given).unwrap()
}

fn try_game<R: MoveRules, H: Shows<R>>(given: &[(&str, &str)]) -> Result<Chess<R, H>> {
    let options = Options::parse(&options::list(), given.iter().map(|&(k, v)| (k, OptionValue::from(v))))?;
    Chess::new(Box::new(Tables::compile(&options::variant(&options)?)?), &options)
}

fn moves<R: MoveRules>(tables: &Tables<R::Bits>, position: &Position<R>) -> Vec<Move> {
    let mut moves = Vec::new();
    position.each_move(tables, |mv| moves.push(mv));
    moves.sort_unstable();
    moves
}

/// Plays random games and calls `look` with every position before the end.
fn wander<R: MoveRules, H: Shows<R>>(
    game: &Chess<R, H>,
    games: u64,
    seed: u64,
    mut look: impl FnMut(&State<R, H>, &[u64]),
) {
    let mut chance = SeededChance::from_seed(seed);
    let mut row = vec![0; game.spec().mask_words()];
    for _ in 0..games {
        let mut state = game.init(&mut chance);
        while game.status(&state) == Status::Running {
            game.legal(&state, &mut row);
            look(&state, &row);
            let action = mask::select(&row, chance.uniform(mask::count(&row))).unwrap();
            game.step(&mut state, action, &mut chance);
        }
    }
}

/// Plays a move in UCI.
fn play<R: MoveRules, H: Shows<R>>(game: &Chess<R, H>, state: &mut State<R, H>, text: &str) {
    let mv = uci::parse(&game.tables, &state.position, text).unwrap();
    game.advance(state, mv);
}

/// Plays moves in UCI from the start.
fn line(game: &Standard, moves: &str) -> State<Orthodox, Boards> {
    let mut state = game.init(&mut SeededChance::from_seed(0));
    for text in moves.split_whitespace() {
        assert_eq!(state.outcome, outcome::RUNNING, "over before {text}");
        play(game, &mut state, text);
    }
    state
}

#[test]
fn leaf_counts_match_independent_engines() {
    let most = if times() > 1 { 20_000_000 } else { 40_000 };
    let (mut checked, mut variants) = (0, BTreeSet::new());
    for line in include_str!("../../../tests/data/chess/perft.jsonl").lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let (name, text) = (row["variant"].as_str().unwrap(), row["fen"].as_str().unwrap());
        for (depth, count) in row["counts"].as_object().unwrap() {
            let (depth, count) = (depth.parse().unwrap(), count.as_u64().unwrap());
            if count <= most {
                let found = crate::perft(name, &[], Some(text), depth, 1).unwrap().leaves;
                assert_eq!(found, count, "{name}, {text}, depth {depth}");
                checked += 1;
                variants.insert(name.to_string());
            }
        }
    }
    assert!(checked > 900 && variants.len() == 41, "{checked} counts of {} variants", variants.len());
}

#[test]
fn games_under_the_options_match_the_reference_library() {
    let data = include_str!("../../../tests/data/chess/options.jsonl");
    let report = conform(&mut Cursor::new(data)).unwrap();
    assert_eq!((report.mismatches, report.first), (0, None));
    assert!(report.games > 100 && report.positions > 500);
}

#[test]
fn random_games_of_every_variant_match_an_independent_engine() {
    let data = include_str!("../../../tests/data/chess/games.jsonl");
    let report = conform(&mut Cursor::new(data)).unwrap();
    assert_eq!((report.mismatches, report.first), (0, None));
    assert!(
        report.games == 192 && report.positions > 9_000,
        "{} games, {} positions",
        report.games,
        report.positions
    );
    // The check detects another board, another move and another result.
    let first = data.lines().next().unwrap();
    for (from, to) in [("38d3f05e", "38d3f05f"), ("[20,", "[21,"), ("c2c4", "c2c5"), ("null}", "\"white\"}")]
    {
        let report = conform(&mut Cursor::new(first.replacen(from, to, 1))).unwrap();
        assert_eq!(report.mismatches, 1, "{from}");
    }
}

#[test]
fn positions_of_random_games_have_the_moves_that_an_independent_engine_finds() {
    let data = include_str!("../../../tests/data/chess/random.jsonl");
    let report = conform(&mut Cursor::new(data)).unwrap();
    assert_eq!((report.mismatches, report.first), (0, None));
    assert_eq!(report.positions, 1892);
}

#[test]
fn a_check_by_a_leap_along_a_line_is_not_blocked() {
    let fen = "4k3/8/2B5/8/8/8/7K/3r4 b - - 0 1";
    let moves = crate::perft("shatranj", &[], Some(fen), 1, 1).unwrap().moves;
    assert_eq!(moves.len(), 5);
    assert!(moves.iter().all(|(text, _)| text != "d1d7"), "{moves:?}");
}

/// Both kings and ten other pieces on random squares of an empty board.
fn thrown(variant: &Variant, chance: &mut SeededChance) -> Setup {
    let mut setup = Setup::empty(variant);
    let squares = setup.board.len() as u32;
    let king = variant.pieces.iter().position(|p| p.letter == 'K').unwrap();
    for (kind, colour) in [(king, 0), (king, 1)].into_iter().chain((0..10).map(|i| (i % king, i as u8 & 1))) {
        let square = chance.uniform(squares) as usize;
        setup.board[square].get_or_insert(BoardPiece { kind: kind as u8, colour, promoted: false });
    }
    setup.turn = chance.uniform(2) as u8;
    setup
}

#[test]
fn the_fast_path_agrees_with_trying_every_move_on_leapers_and_mixes_of_all_sorts() {
    let mut chance = SeededChance::from_seed(9);
    let mut leaping_checks = 0;
    for [knight, bishop, rook, pawn, king] in [
        ["A", "D", "H", "mfWcfF", "K"],
        ["G", "AD", "HG", "mfWcfF", "K"],
        ["RA", "BD", "QH", "mfWcfF", "K"],
        ["QG", "RD", "BA", "mfWcfA", "KD"],
        ["ADHG", "mnDcD", "mnAcA", "mfWcfF", "KA"],
        ["mRcG", "mBcH", "RmnAcA", "mfWcfD", "K"],
        ["mRD", "QHG", "mgRmD", "mfWcfF", "K"],
        ["fAbD", "cDmW", "flGbrH", "mfFcfW", "WA"],
    ] {
        let text = format!(
            "extends = \"nocastle\"\nsummary = \"leapers\"\npieces.N.moves = \"{knight}\"\n\
             pieces.B.moves = \"{bishop}\"\npieces.R.moves = \"{rook}\"\npieces.P.moves = \"{pawn}\"\n\
             pieces.K.moves = \"{king}\"\npawn = {{ double_step = false, en_passant = false }}"
        );
        let variant = variant::from_text("leapers.toml", &text).unwrap();
        let fast = Tables::<u64>::compile(&variant).unwrap();
        assert!(fast.pins, "{text}");
        let mut slow = fast.clone();
        slow.pins = false;
        for _ in 0..2000 * times() {
            let setup = thrown(&variant, &mut chance);
            let Ok(position) = setup.to_position::<Small>(&fast) else { continue };
            let tried: Position<Small> = setup.to_position(&slow).unwrap();
            assert_eq!(position.checkers, tried.checkers);
            assert_eq!(position.count_moves(&fast), tried.count_moves(&slow));
            let text = fen::write(&variant, &setup);
            assert_eq!(
                moves(&fast, &position),
                moves(&slow, &tried),
                "{knight} {bishop} {rook} {pawn} {king} {text}"
            );
            let royal = position.royal(&fast, position.turn()).first();
            let far = |checker| {
                fast.between(royal, checker).any()
                    && !fast.rays[royal].orthogonal(position.occupied()).has(checker)
                    && !fast.rays[royal].diagonal(position.occupied()).has(checker)
            };
            leaping_checks += u32::from(position.checkers.squares().any(far));
        }
    }
    assert!(leaping_checks > 100, "{leaping_checks}");
}

#[test]
fn a_king_castles_with_the_nearer_of_two_unmoved_rooks_on_one_side() {
    let fen = "4k2r/8/4q3/8/8/8/3Kp3/8 b k - 0 1";
    let game = game::<Small, NoHistory>(&[("flags", "vertical_castling,beta_decay"), ("fen", fen)]);
    let mut state = game.init(&mut SeededChance::from_seed(0));
    for text in ["e2e1r", "d2c2", "e6e2:split", "c2b2"] {
        play(&game, &mut state, text);
    }
    let mut row = vec![0; game.spec().mask_words()];
    game.legal(&state, &mut row);
    for mv in moves(&game.tables, &state.position) {
        let number = game.actions.encode(&game.tables, &state.position, mv);
        assert!(mask::contains(&row, number));
        assert_eq!(game.decode(&state, number), Some(mv));
    }
    // Black's rooks on e4 and e1 both count as unmoved.
    play(&game, &mut state, "e8e6");
    assert!(
        fen::placement(&game.tables.variant, &Setup::of(&game.tables, &state.position))
            .starts_with("7r/4r3/4k3/")
    );
}

#[test]
fn kings_that_pawns_promote_to_leave_the_first_king_its_castling() {
    for (name, text) in [
        ("giveaway", "4k3/2P5/8/8/8/8/8/R3K2R w KQ - 0 1"),
        ("extinction", "rn1qkb2/p1P5/8/8/8/8/P7/RNBQK2R w K - 0 1"),
        ("kinglet", "4k3/p1P5/8/8/8/8/P7/R3K2R w KQ - 0 1"),
    ] {
        let game = game::<Small, NoHistory>(&[("variant", name), ("fen", text)]);
        let mut state = game.init(&mut SeededChance::from_seed(0));
        let spelled = |state: &State<Small, NoHistory>| {
            fen::write(&game.tables.variant, &Setup::of(&game.tables, &state.position))
        };
        for text in ["c7c8k", "e8f7"] {
            play(&game, &mut state, text);
        }
        let castling = |state: &State<Small, NoHistory>| {
            let all = moves(&game.tables, &state.position);
            all.into_iter().filter(|mv| mv.what == MoveKind::Castle).map(|mv| mv.from).collect::<Vec<_>>()
        };
        let rooks = if name == "extinction" { 1 } else { 2 };
        assert_eq!(castling(&state), vec![4; rooks], "{name}: {}", spelled(&state));
        // The state is read back as it was, and so is the FEN.
        let back = game.state_from_json(&game.state_to_json(&state)).unwrap();
        assert_eq!(back, state, "{name}");
        // The second king may move; the first one may not.
        let mut other = state;
        play(&game, &mut other, "c8b7");
        assert!(spelled(&other).contains(if rooks == 1 { " K " } else { " KQ " }), "{}", spelled(&other));
        play(&game, &mut state, "e1f1");
        assert!(spelled(&state).contains(" - "), "{}", spelled(&state));
    }
}

#[test]
fn a_position_with_two_kings_and_rights_says_which_king_castles() {
    let variant = load("giveaway");
    let tables = Tables::<u64>::compile(&variant).unwrap();
    for (given, king, written) in [
        // Without a name, the king on its starting square castles; the position of the second king does not matter.
        ("4k3/8/8/8/8/8/8/R1K1K2R w KQ - 0 1", 4, "KQ"),
        ("4k3/8/8/K7/8/8/8/R2K3R w KQ - 0 1", 3, "KQ"),
        // The king on the file named in the FEN castles.
        ("4k3/8/8/8/8/8/8/R1K1K2R w HAC - 0 1", 2, "KQC"),
        ("4k3/8/8/8/8/8/8/R1K2K1R w KQ - 0 1", 2, "KQ"),
    ] {
        let setup = fen::parse(&variant, given).unwrap();
        let position: Position<Small> = setup.to_position(&tables).unwrap();
        assert!(position.castling_king(&tables, 0).has_in_range(king), "{given}");
        let text = fen::write(&variant, &Setup::of(&tables, &position));
        assert_eq!(text.split(' ').nth(2), Some(written), "{given}");
        assert_eq!(fen::parse(&variant, &text).unwrap().to_position::<Small>(&tables), Ok(position));
    }
}

#[test]
fn duck_chess_and_a_board_with_holes_have_the_published_counts() {
    let (duck, hole) = (("chess", &["duck_chess"][..]), ("hole", &[][..]));
    let counts = [
        (duck, 2, 620),
        (duck, 4, 367_660),
        (duck, 6, 242_172_856),
        (hole, 1, 15),
        (hole, 2, 211),
        (hole, 3, 2749),
        (hole, 4, 34_113),
        // White's first move brings the duck to any of the 32 empty squares.
        (("duck", &[]), 2, 20 * 32),
    ];
    for ((name, flags), plies, count) in counts.into_iter().filter(|c| c.2 < 1_000_000 || times() > 1) {
        assert_eq!(crate::perft(name, flags, None, plies, 2).unwrap().leaves, count, "{name} {plies}");
    }
}

/// The outcome, its reason and the halfmove clock after moves in UCI.
fn played(options: &[(&str, &str)], moves: &str) -> (u8, &'static str, u16) {
    let game: Chess<Small, NoHistory> = game(options);
    let mut state = game.init(&mut SeededChance::from_seed(0));
    moves.split_whitespace().for_each(|text| play(&game, &mut state, text));
    (state.outcome, Reason::NAMES[usize::from(state.reason)], state.position.halfmoves)
}

#[test]
fn duck_chess_is_the_published_game_and_the_flag_the_original_librarys() {
    let squares = |options: &[(&str, &str)]| {
        let game: Chess<Small, NoHistory> = game(options);
        let mut state = game.init(&mut SeededChance::from_seed(0));
        play(&game, &mut state, "e2e4");
        moves(&game.tables, &state.position).len()
    };
    assert_eq!((squares(&[("variant", "duck")]), squares(&[("flags", "duck_chess")])), (32, 31));
    // The stalemated side wins in the published game and draws in the original library.
    let fen = ("fen", "8/8/8/8/8/d7/pp6/k5K1 w - - 0 1");
    let moves = "g1h1 D@b1";
    assert_eq!(played(&[("variant", "duck"), fen], moves), (outcome::BLACK, "stalemate", 1));
    assert_eq!(played(&[("flags", "duck_chess"), fen], moves), (outcome::DRAW, "stalemate", 1));
    // A position before the first placement is one of the published game alone.
    let fen = ("fen", "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    assert!(try_game::<Small, NoHistory>(&[("variant", "duck"), fen]).is_ok());
    let said = try_game::<Small, NoHistory>(&[("flags", "duck_chess"), fen]).unwrap_err().to_string();
    assert!(said.contains("there must be one duck"), "{said}");
}

#[test]
fn pawn_moves_and_dropped_pawns_are_progress_except_where_pawns_step_back() {
    let pawns = ("fen", "4k3/p7/8/8/8/8/P7/4K3 w - - 98 80");
    for (variant, moves, expected) in [
        ("pawnsideways", "a2a3 a7a6", 0),
        ("pawnsideways", "a2b2 e8e7", 1),
        ("torpedo", "a2a4 e8e7", 1),
        ("berolina", "a2b3 e8e7", 1),
    ] {
        let found = played(&[("variant", variant), pawns], moves);
        assert_eq!(found, (outcome::RUNNING, "none", expected), "{variant} {moves}");
    }
    // Two pawns could step to and fro for ever.
    let found = played(&[("variant", "pawnback"), pawns], "a2a3 a7a6");
    assert_eq!(found, (outcome::DRAW, "moves without progress", 100));
    let house = ("fen", "4k3/8/8/8/8/8/8/R3K3[Pnp] w - - 98 80");
    let dropped = |moves| played(&[("variant", "crazyhouse"), house], moves);
    assert_eq!(dropped("P@a5 P@b5"), (outcome::RUNNING, "none", 0));
    assert_eq!(dropped("P@a5 N@h8"), (outcome::RUNNING, "none", 1));
    assert_eq!(dropped("a1b1 N@h8"), (outcome::DRAW, "moves without progress", 100));
}

#[test]
fn bare_kings_draw_where_they_can_neither_mate_nor_check_nor_explode() {
    let bare = "4k3/8/8/8/8/8/4p3/4K3 w - - 0 1";
    for (variant, fen, expected) in [
        ("3check", bare.replace(" 0 1", " 3+3 0 1"), "dead position"),
        ("5check", bare.replace(" 0 1", " 5+5 0 1"), "dead position"),
        ("kingofthehill", bare.into(), "none"),
        ("crazyhouse", "4k3/8/8/8/8/8/4p3/4K3[] w - - 0 1".into(), "none"),
    ] {
        assert_eq!(played(&[("variant", variant), ("fen", &fen)], "e1e2").1, expected, "{variant}");
    }
    // A rook explodes with the last pawn; a knight can still check, and explode.
    let atomic = |fen: &str| played(&[("variant", "atomic"), ("fen", fen)], "a1a7").1;
    assert_eq!(atomic("4k3/p7/8/8/8/8/8/R3K3 w - - 0 1"), "dead position");
    assert_eq!(atomic("4k3/p7/8/8/8/8/8/R3K1N1 w - - 0 1"), "none");
}

#[test]
fn unclaimed_draws_end_a_game_after_the_fifth_occurrence_and_75_moves() {
    let cycle = "g1f3 g8f6 f3g1 f6g8 ";
    let ends = |draws: &str, fen: &str, moves: &str| {
        let game: Standard = game(&[("draws", draws), ("fen", fen)]);
        let mut state = game.init(&mut SeededChance::from_seed(0));
        for text in moves.split_whitespace().cycle().take(200) {
            play(&game, &mut state, text);
            if state.outcome != outcome::RUNNING {
                break;
            }
        }
        (state.position.plies, Reason::NAMES[usize::from(state.reason)])
    };
    let start = load("chess").start;
    assert_eq!(ends("automatic", &start, cycle), (8, "repetition"));
    assert_eq!(ends("claimed", &start, cycle), (16, "repetition"));
    let fen = |clock: u32| format!("8/8/4k3/8/8/3K4/7R/8 w - - {clock} 80");
    assert_eq!(ends("automatic", &fen(98), "h2h3 e6e5"), (2, "moves without progress"));
    assert_eq!(ends("claimed", &fen(148), "h2h3 e6e5"), (2, "moves without progress"));
    assert_eq!(ends("claimed", &fen(98), "h2h3 e6e5 h3h2 e5e6"), (16, "repetition"));
}

#[test]
fn the_fast_path_agrees_with_trying_every_move() {
    fn compare<R: MoveRules>(name: &str)
    where
        NoHistory: Shows<R>,
    {
        let game = game::<R, NoHistory>(&[("variant", name), ("max_plies", "300")]);
        assert!(game.tables.pins, "{name}");
        let mut slow = game.tables.clone();
        slow.pins = false;
        wander(&game, 2 * times(), 3, |state, _| {
            let mut position = state.position;
            position.pinned = R::Bits::EMPTY;
            let text = || fen::write(&slow.variant, &Setup::of(&slow, &position));
            assert_eq!(moves(&game.tables, &state.position), moves(&slow, &position), "{name} {}", text());
        });
    }
    for name in ["chess", "chess960", "berolina", "almost", "knightmate", "horde", "crazyhouse", "torpedo"] {
        compare::<Small>(name);
    }
    for name in ["capablanca", "janus", "chancellor"] {
        compare::<Large>(name);
    }
}

#[test]
fn castling_that_lands_a_step_away_is_an_action_of_its_own() {
    fn check<R: MoveRules>(variant: &str, fen: &str, castles: usize)
    where
        NoHistory: Shows<R>,
    {
        let game = game::<R, NoHistory>(&[("variant", variant), ("fen", fen)]);
        let state = game.init(&mut SeededChance::from_seed(0));
        let found = moves(&game.tables, &state.position);
        assert_eq!(found.iter().filter(|mv| mv.what == MoveKind::Castle).count(), castles, "{variant} {fen}");
        let mut row = vec![0; game.spec().mask_words()];
        game.legal(&state, &mut row);
        assert_eq!(mask::count(&row) as usize, found.len(), "{variant} {fen}");
        for action in mask::iter(&row) {
            let (text, json) = (game.action_to_string(&state, action), game.action_to_json(&state, action));
            assert_eq!(game.string_to_action(&state, &text), Ok(action), "{variant} {fen} {text}");
            assert_eq!(game.action_from_json(&state, &json), Ok(action), "{variant} {fen} {json}");
        }
    }
    for fen in ["r4k1r/8/8/8/8/8/8/R4K1R w HAha - 0 1", "r2k3r/8/8/8/8/8/8/R2K3R b HAha - 0 1"] {
        check::<Orthodox>("chess", fen, 2);
        for variant in ["chess", "chess960", "atomic", "nocheckatomic"] {
            check::<Small>(variant, fen, 2);
        }
    }
    // The king goes to its rook's square, or stays in place.
    check::<Small>("nocheckatomic", "4k3/8/8/8/8/8/8/5KR1 w G - 0 1", 1);
    check::<Small>("nocheckatomic", "4k3/8/8/8/8/8/8/6KR w H - 0 1", 1);
    check::<Large>("capablanca", "r6k1r/10/10/10/10/10/10/R6K1R w JAja - 0 1", 2);
}

#[test]
fn a_king_does_not_castle_across_its_rook_where_that_is_attacked() {
    let fen = "br3kr1/1pPp2pp/2p4n/p3pp1q/Q4N2/3PP3/PP3PPP/BB1R1KRN w GDg - 5 13";
    let game = game::<Small, NoHistory>(&[("variant", "chess960"), ("fen", fen)]);
    let state = game.init(&mut SeededChance::from_seed(0));
    let mut slow = game.tables.clone();
    slow.pins = false;
    for tables in [&game.tables, &slow] {
        let castling = |mv: &Move| mv.what == MoveKind::Castle;
        let castles: Vec<_> = moves(tables, &state.position).into_iter().filter(castling).collect();
        // The queen on h5 attacks d1, the square of one rook; the king lands beyond, on c1.
        assert_eq!(castles, [Move { from: 5, to: 6, what: MoveKind::Castle }]);
    }
}

/// A number for a move that both sides of a comparison can compute: squares and kinds are numbered alike.
fn number(from: usize, to: usize, promotion: Option<usize>) -> u32 {
    (from | to << 6 | promotion.unwrap_or(0) << 12) as u32
}

#[test]
fn moves_and_results_match_cozy_chess() {
    let most = if times() > 1 { 10_000_000 } else { 600_000 };
    for variant in ["chess", "chess960"] {
        let game: Standard = game(&[("variant", variant)]);
        let mut chance = SeededChance::from_seed(7);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut positions = 0;
        while positions < most {
            let mut state = game.init(&mut chance);
            let shown = |position: &Position<Orthodox>| {
                fen::write(&load("chess960"), &Setup::of(&game.tables, position))
            };
            let mut board = cozy_chess::Board::from_fen(&shown(&state.position), true).unwrap();
            loop {
                let position = &state.position;
                ours.clear();
                position.each_move(&game.tables, |mv| {
                    let promotion = match mv.what {
                        MoveKind::Promote(kind) => Some(kind.into()),
                        _ => None,
                    };
                    ours.push((number(mv.from.into(), mv.to.into(), promotion), mv));
                });
                theirs.clear();
                board.generate_moves(|moves| {
                    theirs.extend(moves.into_iter().map(|mv| {
                        (number(mv.from as usize, mv.to as usize, mv.promotion.map(|p| p as usize)), mv)
                    }));
                    false
                });
                ours.sort_unstable();
                theirs.sort_unstable_by_key(|(number, _)| *number);
                assert!(ours.iter().map(|m| m.0).eq(theirs.iter().map(|m| m.0)), "{}", shown(position));
                assert_eq!(position.checkers, board.checkers().0, "{}", shown(position));
                let reason = Reason::NAMES[usize::from(state.reason)];
                let expected = match (theirs.is_empty(), board.checkers().is_empty()) {
                    (true, true) => Some((outcome::DRAW, "stalemate")),
                    (true, false) => {
                        let white_lost = board.side_to_move() == cozy_chess::Color::White;
                        Some((if white_lost { outcome::BLACK } else { outcome::WHITE }, "checkmate"))
                    }
                    _ if board.halfmove_clock() >= 100 && reason != "repetition" => {
                        Some((outcome::DRAW, "moves without progress"))
                    }
                    _ => None,
                };
                match expected {
                    Some(expected) => assert_eq!((state.outcome, reason), expected, "{}", shown(position)),
                    None => assert!(
                        ["none", "repetition", "dead position", "most plies"].contains(&reason),
                        "{reason}: {}",
                        shown(position)
                    ),
                }
                positions += 1;
                if state.outcome != outcome::RUNNING {
                    break;
                }
                let pick = chance.uniform(ours.len() as u32) as usize;
                game.advance(&mut state, ours[pick].1);
                board.play_unchecked(theirs[pick].1);
            }
        }
    }
}

#[test]
fn every_number_means_its_move_and_no_other_is_legal() {
    fn check<R: MoveRules, H: Shows<R>>(given: &[(&str, &str)], actions: u32) {
        let game = game::<R, H>(given);
        assert_eq!(game.spec().num_actions, actions, "{given:?}");
        wander(&game, 2 * times(), 11, |state, row| {
            let position = &state.position;
            let legal = moves(&game.tables, position);
            let numbers: BTreeSet<u32> =
                legal.iter().map(|&mv| game.actions.encode(&game.tables, position, mv)).collect();
            assert_eq!(numbers.len(), legal.len(), "two moves share a number");
            assert!(mask::iter(row).eq(numbers.iter().copied()), "{given:?}");
            for &mv in &legal {
                let number = game.actions.encode(&game.tables, position, mv);
                assert_eq!(game.decode(state, number), Some(mv), "{given:?}");
            }
            // Every possible origin, destination and promotion: a number outside the mask has no legal move.
            for number in (0..actions).filter(|n| !numbers.contains(n)) {
                assert!(
                    game.decode(state, number).is_none_or(|mv| !legal.contains(&mv)),
                    "{given:?} {number}"
                );
            }
            game.validate(state).unwrap();
        });
    }
    check::<Orthodox, Boards>(&[], 4184);
    check::<Orthodox, Boards>(&[("action_view", "dense")], 1880);
    check::<Orthodox, Boards>(&[("action_view", "az73"), ("variant", "chess960")], 4672);
    check::<Small, NoHistory>(&[("variant", "duck")], 4184 + 64);
    check::<Small, NoHistory>(&[("variant", "crazyhouse"), ("max_plies", "150")], 4184 + 5 * 64);
    check::<Large, NoHistory>(&[("variant", "capablanca"), ("max_plies", "150")], 6400 + 28 * 6);
}

#[test]
fn the_alphazero_numbers_match_other_suites() {
    let game: Standard = game(&[("action_view", "az73")]);
    let state = line(&game, "");
    let mut row = vec![0; game.spec().mask_words()];
    game.legal(&state, &mut row);
    let first = [
        89, 90, 652, 656, 673, 674, 1257, 1258, 1841, 1842, 2425, 2426, 3009, 3010, 3572, 3576, 3593, 3594,
        4177, 4178,
    ];
    assert!(mask::iter(&row).eq(first));
    // Black sees the same board.
    game.legal(&line(&game, "e2e4"), &mut row);
    assert!(mask::iter(&row).eq(first));
}

#[test]
fn the_alphazero_planes_show_eight_boards() {
    let game: Standard = game(&[]);
    let mut past: Vec<State<Orthodox, Boards>> = Vec::new();
    let mut out = vec![0; az119::LEN];
    wander(&game, 2, 5, |state, _| {
        if state.position.plies == 0 {
            past.clear();
        }
        past.push(*state);
        for seat in 0..2 {
            game.observe(state, seat, &mut out);
            for (square, row) in out.chunks(az119::CHANNELS).enumerate() {
                let (top, file) = (square / 8, square % 8);
                let at = (if seat == 0 { 7 - top } else { top } * 8 + file) as u8;
                for t in 0..8 {
                    let shown = &row[t * 14..t * 14 + 14];
                    let then = past.len().checked_sub(t + 1).map(|i| &past[i]);
                    let piece = then.and_then(|s| Some((s.position.kind_at(at)?, s.position.colour_at(at)?)));
                    let channel =
                        piece.map(|(kind, colour)| usize::from(kind) + if colour == seat { 0 } else { 6 });
                    for (i, &byte) in shown[..12].iter().enumerate() {
                        assert_eq!(byte == 1, channel == Some(i), "cell {at}, {t} plies ago, channel {i}");
                    }
                    let again = then.is_some_and(|s| s.occurrences > 1);
                    assert_eq!(shown[12..], [u8::from(!again), u8::from(again)]);
                }
                assert_eq!(row[112], seat as u8);
                assert_eq!(row[118], state.position.halfmoves as u8);
            }
        }
    });
}

#[test]
fn games_end_as_the_laws_say() {
    let game: Standard = game(&[]);
    let ends = |moves: &str| {
        let state = line(&game, moves);
        (state.outcome, Reason::NAMES[usize::from(state.reason)])
    };
    assert_eq!(ends("f2f3 e7e5 g2g4 d8h4"), (outcome::BLACK, "checkmate"));
    let stalemate =
        "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6";
    assert_eq!(ends(stalemate), (outcome::DRAW, "stalemate"));
    assert_eq!(ends("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1"), (outcome::RUNNING, "none"));
    assert_eq!(ends("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"), (outcome::DRAW, "repetition"));
    // The first occurrence had castling rights: it was another position.
    let rights = "g1f3 g8f6 h1g1 h8g8 g1h1 g8h8 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    assert_eq!(ends(rights), (outcome::RUNNING, "none"));
}

#[test]
fn positions_without_mating_material_are_drawn() {
    let dead = |text: &str| {
        let tables = Tables::<u64>::compile(&load("chess")).unwrap();
        let position: Position<Orthodox> =
            fen::parse(&tables.variant, text).unwrap().to_position(&tables).unwrap();
        position.is_dead(&tables)
    };
    for text in
        ["8/8/4k3/8/8/3K4/8/8", "8/8/4k3/8/8/3KN3/8/8", "8/8/4k1b1/8/8/3K4/8/8", "8/2b5/4k3/8/8/2BK4/8/8"]
    {
        assert!(dead(&format!("{text} w - - 0 1")), "{text}");
    }
    for text in
        ["8/8/4k3/8/8/3KNN2/8/8", "8/3b4/4k3/8/8/2BK4/8/8", "8/8/4k3/8/8/3KP3/8/8", "8/4n3/4k3/8/8/3KN3/8/8"]
    {
        assert!(!dead(&format!("{text} w - - 0 1")), "{text}");
    }
}

#[test]
fn fifty_moves_without_progress_draw() {
    let game: Standard = game(&[("fen", "8/8/4k3/8/8/3K4/7R/8 w - - 98 80")]);
    let mut state = game.init(&mut SeededChance::from_seed(0));
    for (text, reason) in [("h2h3", "none"), ("e6e5", "moves without progress")] {
        play(&game, &mut state, text);
        assert_eq!(Reason::NAMES[usize::from(state.reason)], reason);
    }
    // Mate on the last move counts.
    let game: Standard = self::game(&[("fen", "4k3/8/4K3/8/8/8/8/7R w - - 99 80")]);
    let mut state = game.init(&mut SeededChance::from_seed(0));
    play(&game, &mut state, "h1h8");
    assert_eq!(state.outcome, outcome::WHITE);
}

#[test]
fn the_960_positions_are_scharnagls() {
    let v = load("chess960");
    let shuffle = Shuffle::new(&v).unwrap();
    let start = |n| shuffle.numbered(&v, n).unwrap();
    let placement = |n| fen::placement(&v, &start(n));
    assert!(placement(518).starts_with("rnbqkbnr/"));
    assert!(placement(0).starts_with("bbqnnrkr/") && placement(959).starts_with("rkrnnqbb/"));
    // A random start draws the number of a start.
    let drawn = shuffle.draw(&mut ScriptedChance::new(&[518]));
    assert_eq!(fen::write(&v, &drawn), load("chess").start.replace("KQkq", "HAha"));
    let all: BTreeSet<String> = (0..960).map(placement).collect();
    assert_eq!(all.len(), 960);
    let tables = Tables::<u64>::compile(&v).unwrap();
    for n in 0..960 {
        let position: Position<Orthodox> = start(n).to_position(&tables).unwrap();
        assert_eq!(position.rights.count_ones(), 4, "{n}");
        assert_eq!(leaves(&tables, &position, 0), 1);
    }
}

#[test]
fn the_options_own_wins_end_the_game() {
    let ends = |flag: &str, fen: &str, mv: &str| {
        let game = game::<Small, NoHistory>(&[("flags", flag), ("fen", fen)]);
        let mut state = game.init(&mut SeededChance::from_seed(0));
        play(&game, &mut state, mv);
        (state.outcome, Reason::NAMES[usize::from(state.reason)])
    };
    // The knight uncovers the rook and checks itself.
    let double = "4k3/8/8/8/4N3/8/8/4R1K1 w - - 0 1";
    assert_eq!(ends("double_check_to_win", double, "e4d6"), (outcome::WHITE, "double check"));
    assert_eq!(ends("double_check_to_win", double, "e4c3"), (outcome::RUNNING, "none"));
    let last = "8/8/8/3k4/4P3/8/8/6K1 w - - 0 1";
    assert_eq!(ends("capture_all_pieces_to_win", last, "e4d5"), (outcome::WHITE, "extinct"));
    let duck = "4k3/8/8/7d/8/8/8/4R1K1 w - - 0 1";
    assert_eq!(ends("duck_chess", duck, "e1e8"), (outcome::WHITE, "extinct"));
}
