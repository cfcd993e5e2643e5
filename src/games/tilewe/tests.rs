//! The rules as scenarios, and checks of the whole environment over random play.

use std::io::BufReader;

use super::*;

#[test]
fn recorded_games_agree_in_every_figure() {
    let data = std::fs::read("/work/shared/conformance/tilewe.jsonl").unwrap();
    let report = conform::conform(&mut BufReader::new(&data[..])).unwrap();
    println!("{report:?}");
    assert_eq!(report.mismatches, 0);
}
