//! Tests of the notations: known spellings, round trips over whole games, arbitrary texts.

use proptest::prelude::*;

use super::{fen, recorded, san, uci};
use crate::rules::board::moves::Move;
use crate::rules::board::position::{Large, MoveRules, Position, Small};
use crate::rules::tables::Tables;
use crate::rules::variant::schema::Variant;
use crate::rules::variant::{load, variants};
use ludovec_engine::Error;

const NONE: [&str; 0] = [];

fn variant(name: &str) -> Variant {
    load(name, &NONE).unwrap()
}

/// A board with its rules.
struct Board<R: MoveRules> {
    tables: Box<Tables<R::Bits>>,
    position: Position<R>,
}

impl<R: MoveRules> Board<R> {
    fn of(variant: &Variant, text: &str) -> Self {
        let tables = Box::new(Tables::compile(variant).unwrap());
        let position = fen::parse(variant, text).unwrap().to_position(&tables).unwrap();
        Self { tables, position }
    }
    fn moves(&self) -> Vec<Move> {
        crate::rules::movegen::generate::legal_moves(&self.tables, &self.position)
    }
    fn play_san(&mut self, text: &str) {
        let mv = san::parse(&self.tables, &self.position, text).unwrap_or_else(|e| panic!("{e}"));
        self.position.make_move(&self.tables, mv);
    }
}

fn board(name: &str, flags: &[&str], text: &str) -> Board<Small> {
    Board::of(&load(name, flags).unwrap(), text)
}

#[test]
fn every_recorded_fen_is_read_and_written_back() {
    for line in include_str!("../../../../../tests/data/chess/perft.jsonl").lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let (name, text) = (record["variant"].as_str().unwrap(), record["fen"].as_str().unwrap());
        let variant = variant(name);
        let setup = fen::parse(&variant, text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let written = fen::write(&variant, &setup);
        assert_eq!(fen::parse(&variant, &written).unwrap(), setup, "{name}: {text} became {written}");
    }
}

#[test]
fn starts_are_written_as_their_files_give_them() {
    for name in variants() {
        let variant = variant(name);
        let setup = fen::parse(&variant, &variant.start).unwrap();
        let expected =
            if variant.chess960 { variant.start.replace("KQkq", "HAha") } else { variant.start.clone() };
        assert_eq!(fen::write(&variant, &setup), expected, "{name}");
    }
}

#[test]
fn castling_is_read_in_all_three_forms() {
    let chess = variant("chess");
    let rooks = |text: &str| fen::parse(&chess, text).unwrap().castling;
    assert_eq!(rooks("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"), [0, 7, 56, 63]);
    assert_eq!(rooks("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"), [0, 7, 56, 63]);
    // X-FEN: the outermost rook unless a file says otherwise.
    assert_eq!(rooks("4k3/8/8/8/8/8/8/1RR1K1RR w KQ - 0 1"), [1, 7]);
    assert_eq!(rooks("4k3/8/8/8/8/8/8/1RR1K1RR w GC - 0 1"), [2, 6]);
    let inner = "4k3/8/8/8/8/8/8/1RR1K1RR w GC - 0 1";
    assert_eq!(fen::write(&chess, &fen::parse(&chess, inner).unwrap()), inner);
}

#[test]
fn hands_checks_and_promoted_pieces_are_read_in_every_form() {
    let house = variant("crazyhouse");
    let bracket = fen::parse(&house, "2k5/8/8/8/8/8/8/4K3[Qn] w - - 0 1").unwrap();
    assert_eq!(bracket, fen::parse(&house, "2k5/8/8/8/8/8/8/4K3/Qn w - - 0 1").unwrap());
    assert_eq!((bracket.pockets[0][4], bracket.pockets[1][1]), (1, 1));
    let promoted = fen::parse(&house, "4k3/1Q~6/8/8/4b3/8/Kpp5/8/ b - - 0 1").unwrap();
    assert!(promoted.board[49].unwrap().promoted);
    let check = variant("3check");
    let left = fen::parse(&check, "4k3/8/8/8/8/8/8/4K3 w - - 1+3 1 39").unwrap();
    assert_eq!(left.checks, [2, 0]);
    assert_eq!(left, fen::parse(&check, "4k3/8/8/8/8/8/8/4K3 w - - 1 39 +2+0").unwrap());
}

#[test]
fn holes_and_the_duck_are_part_of_the_board() {
    let hole = variant("hole");
    assert_eq!(hole.holes, [12]);
    assert!(fen::parse(&hole, "pbkbp/5/5/5/PBKBP w").is_err());
    let duck = load("chess", &["duck_chess"]).unwrap();
    let setup = fen::parse(&duck, &duck.start).unwrap();
    assert_eq!(fen::placement(&duck, &setup), "rnbqkbnr/pppppppp/8/7d/8/8/PPPPPPPP/RNBQKBNR");
}

#[test]
fn errors_of_fen_name_the_field_and_the_allowed_values() {
    let chess = variant("chess");
    for (text, expected) in [
        ("", "it is empty"),
        ("8/8 w - -", "2 ranks given, 8 are needed"),
        ("bad", "1 rank given, 8 are needed, with / between them"),
        ("9/8/8/8/8/8/8/8 w", "rank 8 has 9 cells, 8 are needed"),
        ("99999999999999999999999/8/8/8/8/8/8/8 w", "rank 8 has 255 cells"),
        ("7x/8/8/8/8/8/8/8 w", "'x' is no piece of chess; the pieces are PNBRQK"),
        ("7*/8/8/8/8/8/8/8 w", "h8 is a hole, unlike"),
        ("8/8/8/8/8/8/8/8", "the turn (w or b) is missing"),
        ("8/8/8/8/8/8/8/8 white", "neither w nor b"),
        ("8/8/8/8/8/8/8/8 w K", "castling 'K': its king is not on its first rank"),
        ("8/8/8/8/8/8/8/4K3 w K", "castling 'K': no rook is there"),
        ("8/8/8/8/8/8/8/4K2R w X", "KQkq, files of rooks or - are allowed"),
        ("8/8/8/8/8/8/8/8 w - e9", "en passant \"e9\": a cell or - is allowed"),
        ("8/8/8/8/8/8/8/8 w - e6", "no pawn that could be taken"),
        ("8/8/4p3/4p3/8/8/8/8 w - e6e5", "the passed cell is missing"),
        ("8/8/8/8/8/8/8/8[Q] w - -", "chess has no pieces in hand"),
        ("8/8/8/8/8/8/8/8 w - - 3+3", "they are not counted in chess"),
        ("8/8/8/8/8/8/8/8 w - - x", "no count of half moves"),
        ("8/8/8/8/8/8/8/8 w - - 0 65536", "\"65536\" is no count of half moves or moves (0 to 65535)"),
        ("8/8/8/8/8/8/8/8 w - - 1 2 3", "something after the number of the move"),
    ] {
        let Err(Error::InvalidState(message)) = fen::parse(&chess, text) else { panic!("{text}") };
        assert!(message.contains(expected), "{text}\n  gives    {message}\n  expected {expected}");
    }
}

#[test]
fn moves_of_the_standard_game_are_written_as_everyone_does() {
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let b = board("chess", &[], kiwipete);
    for (uci_text, san_text) in [
        ("e1g1", "O-O"),
        ("e1c1", "O-O-O"),
        ("d5e6", "dxe6"),
        ("e5f7", "Nxf7"),
        ("f3f6", "Qxf6"),
        ("g2h3", "gxh3"),
        ("a2a4", "a4"),
        ("e2a6", "Bxa6"),
        ("c3b5", "Nb5"),
    ] {
        let mv = uci::parse(&b.tables, &b.position, uci_text).unwrap();
        assert_eq!(san::write(&b.tables, &b.position, mv), san_text);
        assert_eq!(san::parse(&b.tables, &b.position, san_text).unwrap(), mv);
    }
    assert_eq!(
        uci::parse(&b.tables, &b.position, "e1h1").unwrap(),
        uci::parse(&b.tables, &b.position, "e1g1").unwrap()
    );
    assert!(uci::parse(&b.tables, &b.position, "e1e3").is_err());
}

#[test]
fn san_tells_pieces_apart_and_marks_check_and_mate() {
    for (text, uci_text, expected) in [
        ("4k3/8/8/8/8/8/8/R4RK1 w - - 0 1", "a1d1", "Rad1"),
        ("4k3/8/8/R7/8/8/8/R5K1 w - - 0 1", "a1a3", "R1a3"),
        ("6k1/8/8/8/Q6Q/8/8/Q6K w - - 0 1", "a4d4", "Qa4d4"),
        ("6k1/8/8/8/Q6Q/8/8/Q6K w - - 0 1", "a4e4", "Qae4"),
        ("8/8/8/8/7Q/8/k7/Q6K b - - 0 1", "a2a1", "Kxa1"),
        ("6k1/8/8/8/Q6Q/8/6K1/Q7 w - - 0 1", "a1d1", "Q1d1"),
        ("8/k6P/8/8/8/8/8/6K1 w - - 0 1", "h7h8q", "h8=Q"),
        ("k7/7P/8/8/8/8/8/6K1 w - - 0 1", "h7h8q", "h8=Q+"),
        ("k7/7P/1K6/8/8/8/8/8 w - - 0 1", "h7h8r", "h8=R#"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
    ] {
        let b = board("chess", &[], text);
        let mv = uci::parse(&b.tables, &b.position, uci_text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(san::write(&b.tables, &b.position, mv), expected, "{text}");
        assert_eq!(san::parse(&b.tables, &b.position, expected).unwrap(), mv, "{text}");
    }
    // Two knights on one file and a third on the same rank as one of them: the whole square is needed.
    let b = board("chess", &[], "4k3/8/8/1N3N2/8/1N6/8/4K3 w - - 0 1");
    let mv = uci::parse(&b.tables, &b.position, "b5d4").unwrap();
    assert_eq!(san::write(&b.tables, &b.position, mv), "Nb5d4");
}

#[test]
fn san_is_read_as_sloppily_as_people_write_it() {
    let b = board("chess", &[], "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let read = |text: &str| san::parse(&b.tables, &b.position, text).unwrap();
    assert_eq!(read("0-0"), read("O-O"));
    assert_eq!(read("Ne5xf7!?"), read("Nxf7"));
    assert_eq!(read("Nef7"), read("Nxf7"));
    assert_eq!(read(" dxe6+ "), read("dxe6"));
    for text in ["Ne5-f7", "Ne5xf7", "Ne5×f7", "N×f7", "♘xf7", "♞e5–f7", "N:f7", "Nxf7†"] {
        assert_eq!(read(text), read("Nxf7"), "{text}");
    }
    for text in ["d5xe6", "d5-e6", "Pdxe6", "Pd×e6", "♙dxe6", "dxe6 e.p.", "dxe6ep"] {
        assert_eq!(read(text), read("dxe6"), "{text}");
    }
    for wrong in ["", "-", "--", "e", "N", "Ne5", "Ne5-", "P", "Pd", "x", "()", "♘", "e6(Q)", "O"] {
        assert!(san::parse(&b.tables, &b.position, wrong).is_err(), "{wrong}");
    }
    let house = board("crazyhouse", &[], "4k3/8/8/8/8/8/8/4K3[PN] w - - 0 1");
    let dropped = |text: &str| san::parse(&house.tables, &house.position, text);
    assert_eq!(dropped("@c7").unwrap(), dropped("P@c7").unwrap());
    assert_ne!(dropped("@c7").unwrap(), dropped("N@c7").unwrap());
    assert!(dropped("@c8").is_err());
    let promotion = board("chess", &[], "8/k6P/8/8/8/8/8/6K1 w - - 0 1");
    for text in ["h8Q", "h8(Q)", "h8/Q", "h7-h8=Q", "h8=♕", "Ph8=Q+"] {
        assert!(san::parse(&promotion.tables, &promotion.position, text).is_ok(), "{text}");
    }
    assert!(san::parse(&promotion.tables, &promotion.position, "h8").is_err());
}

#[test]
fn a_famous_game_plays_to_its_mate() {
    let mut b = board("chess", &[], &variant("chess").start);
    let game = "e4 e5 f4 exf4 Bc4 Qh4+ Kf1 b5 Bxb5 Nf6 Nf3 Qh6 d3 Nh5 Nh4 Qg5 Nf5 c6 g4 Nf6 Rg1 cxb5 h4 Qg6 h5 Qg5 \
                Qf3 Ng8 Bxf4 Qf6 Nc3 Bc5 Nd5 Qxb2 Bd6 Bxg1 e5 Qxa1+ Ke2 Na6 Nxg7+ Kd8 Qf6+ Nxf6";
    for text in game.split_whitespace() {
        let mv = san::parse(&b.tables, &b.position, text).unwrap();
        assert_eq!(san::write(&b.tables, &b.position, mv), text);
        b.play_san(text);
    }
    let mate = san::parse(&b.tables, &b.position, "Be7").unwrap();
    assert_eq!(san::write(&b.tables, &b.position, mate), "Be7#");
}

#[test]
fn moves_that_only_variants_have_are_spelled_apart() {
    let spell = |b: &Board<Small>, wanted: &str| {
        let mv = uci::parse(&b.tables, &b.position, wanted).unwrap_or_else(|e| panic!("{e}"));
        (san::write(&b.tables, &b.position, mv), recorded::spell(&b.tables, &b.position, mv))
    };
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    let b = board("crazyhouse", &[], "2k5/8/8/8/8/8/8/4K3[Qn] w - - 0 1");
    assert_eq!(spell(&b, "Q@c7"), pair("Q@c7+", "c7"));
    let b = board("chess", &["knooks"], "4k3/8/8/8/8/8/8/RN2K3 w - - 0 1");
    assert_eq!(spell(&b, "a1b1"), pair("Rb1=O", "a1b1:knook"));
    let b = board("chess", &["il_vaticano"], "4k3/8/8/8/8/8/8/BnnB3K w - - 0 1");
    assert_eq!(spell(&b, "a1d1").1, "a1d1:vaticano");
    let b = board("chess", &["beta_decay"], "4k3/8/8/8/8/8/8/Q3N2K w - - 0 1");
    assert_eq!(spell(&b, "a1d1:split"), pair("Qa1/d1", "a1d1:decay"));
    let b = board("chess", &["omnipotent_f6_pawn"], "4k3/8/5n2/8/8/8/8/4K3 w - - 0 1");
    assert_eq!(spell(&b, "P@f6"), pair("P@f6", "summon@f6"));
    let b = board("chess", &["la_bastarda"], "4k3/8/8/8/8/8/4K3/4q3 w - - 0 1");
    assert_eq!(spell(&b, "e2e3").1, "e2e3:bastarda");
}

/// Plays random moves and checks that every legal move has one spelling of each sort, which reads back.
fn spellings_round_trip<R: MoveRules>(variant: &Variant, mut pick: impl FnMut(usize) -> usize) {
    let mut b = Board::<R>::of(variant, &variant.start);
    for _ in 0..40 {
        let moves = b.moves();
        if moves.is_empty() {
            return;
        }
        let spelled: Vec<_> = moves.iter().map(|&mv| uci::write(&b.tables, &b.position, mv)).collect();
        let mut distinct = spelled.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), moves.len(), "{}: {spelled:?}", variant.name);
        let mv = moves[pick(moves.len())];
        let text = uci::write(&b.tables, &b.position, mv);
        assert_eq!(uci::parse(&b.tables, &b.position, &text).unwrap(), mv, "{}: {text}", variant.name);
        let text = san::write(&b.tables, &b.position, mv);
        assert_eq!(san::parse(&b.tables, &b.position, &text).unwrap(), mv, "{}: {text}", variant.name);
        b.position.make_move(&b.tables, mv);
    }
}

#[test]
fn every_move_of_every_variant_reads_back() {
    let mut seed = 1u64;
    let mut pick = |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    for name in variants() {
        let variant = variant(name);
        for _ in 0..4 {
            if variant.width * variant.height <= 64 {
                spellings_round_trip::<Small>(&variant, &mut pick);
            } else {
                spellings_round_trip::<Large>(&variant, &mut pick);
            }
        }
    }
    let all: Vec<_> = crate::rules::variant::flags()
        .filter(|f| !["chess960", "capture_all_pieces_to_win", "double_check_to_win"].contains(f))
        .collect();
    for _ in 0..20 {
        spellings_round_trip::<Small>(&load("chess", &all).unwrap(), &mut pick);
    }
}

proptest! {
    #[test]
    fn any_text_is_a_fen_or_one_line_of_error(text in "\\PC{0,80}") {
        for name in ["chess", "crazyhouse", "3check", "capablanca", "hole", "duck"] {
            if let Err(e) = fen::parse(&variant(name), &text) {
                prop_assert_eq!(e.to_string().lines().count(), 1);
            }
        }
    }

    #[test]
    fn mutated_fens_never_panic_and_accepted_ones_round_trip(
        name in prop::sample::select(vec!["chess", "chess960", "crazyhouse", "3check", "capablanca", "hole", "duck", "berolina"]),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..3, "[ -~]{0,2}"), 0..5),
    ) {
        let variant = variant(name);
        let mut text = variant.start.clone();
        for (at, cut, new) in edits {
            let at = at.index(text.len().max(1)).min(text.len());
            text.replace_range(at..(at + cut).min(text.len()), &new);
        }
        if let Ok(setup) = fen::parse(&variant, &text) {
            let written = fen::write(&variant, &setup);
            prop_assert_eq!(fen::parse(&variant, &written).unwrap(), setup, "{} became {}", text, written);
        }
    }
}
