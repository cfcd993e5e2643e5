//! Tests of drawings: every piece on the board is drawn once, by a shape that is defined.

use super::{standing, to_svg, to_text};
use crate::exchange::notation::fen;
use crate::rules::board::position::{Large, MoveRules, Small};
use crate::rules::history::NoHistory;
use crate::rules::state::State;
use crate::rules::tables::Tables;
use crate::rules::variant::schema::Variant;
use crate::rules::variant::{load, variants};
use ludovec_engine::{Caption, View};

const NONE: [&str; 0] = [];

/// Text and drawing of a FEN.
fn drawn<R: MoveRules>(variant: &Variant, text: &str) -> (String, String) {
    let tables = Box::new(Tables::<R::Bits>::compile(variant).unwrap());
    let position = fen::parse(variant, text).unwrap().to_position::<R>(&tables).unwrap();
    let state = State::<R, NoHistory>::new(position);
    let names = ["White", "Black"].map(String::from);
    let standing = standing(&tables, &state, &names);
    let caption = Caption { names: &names, standing: &standing, running: true };
    (to_text(&tables, &state, caption), to_svg(&tables, &state, &[], View::default(), "Chess", caption))
}

#[test]
fn every_start_is_drawn_piece_for_piece() {
    for name in variants() {
        let variant = load(name, &NONE).unwrap();
        let large = variant.width * variant.height > 64;
        let start = &variant.start;
        let (text, svg) =
            if large { drawn::<Large>(&variant, start) } else { drawn::<Small>(&variant, start) };
        let pieces =
            start.split([' ', '[']).next().unwrap().chars().filter(char::is_ascii_alphabetic).count();
        assert_eq!(svg.matches("<use ").count(), pieces, "{name}");
        for shape in svg.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(svg.contains(&format!("<g id=\"{shape}\">")), "{name}: {shape} is not defined");
        }
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
        assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count(), "{name}");
        assert_eq!(
            text.lines().count(),
            usize::from(variant.height) + 2 + 2 * usize::from(variant.drops.is_some())
        );
    }
}

#[test]
fn text_shows_the_board_as_white_sees_it() {
    let (text, _) = drawn::<Small>(&load("hole", &NONE).unwrap(), "pbkbp/5/2*2/5/PBKBP w - - 0 1");
    let expected = [
        " 5  p b k b p",
        " 4  . . . . .",
        " 3  . .   . .",
        " 2  . . . . .",
        " 1  P B K B P",
        "    a b c d e",
        "White to move, move 1",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn hands_are_drawn_with_their_numbers() {
    let (text, svg) =
        drawn::<Small>(&load("crazyhouse", &NONE).unwrap(), "2k5/8/8/8/8/8/8/4K3[QPPn] w - - 0 1");
    assert!(text.contains("White holds PPQ") && text.contains("Black holds n"), "{text}");
    assert_eq!(svg.matches("<use ").count(), 5);
    assert!(svg.contains(">2</text>"));
}
