//! Recorded searches and games with known solutions, and the refusal of malformed files.

use std::io::Cursor;

use ludovec::engine::{ConformReport, Error, conform_search};
use serde_json::Value;

/// Every eighth search that mctx made for this purpose: for one player and two, with alternating moves and several
/// in a row, by both methods.
const MCTX: &str = include_str!("../data/search/mctx.jsonl");
/// Small games of chance for one to four seats, solved exactly.
const EXACT: &str = include_str!("../data/search/exact.jsonl");

fn conform(lines: &str) -> Result<ConformReport, Error> {
    conform_search(&mut Cursor::new(lines))
}

#[test]
fn searches_that_mctx_made_are_repeated_visit_by_visit() {
    let expected = ConformReport { games: 50, positions: 50, mismatches: 0, first: None };
    assert_eq!(conform(MCTX), Ok(expected));
}

#[test]
fn both_methods_solve_games_of_chance_and_many_seats() {
    let report = conform(EXACT).unwrap();
    assert_eq!((report.games, report.positions), (200, 400));
    assert_eq!(report.mismatches, 0, "{report:?}");
}

#[test]
fn another_result_is_a_mismatch() {
    let change = |line: &str, key: &str, value: Value| {
        let mut recording: Value = serde_json::from_str(line).unwrap();
        assert_ne!(recording[key], value, "{key}");
        recording[key] = value;
        conform(&format!("{}\n{recording}\n", MCTX.lines().next().unwrap())).unwrap()
    };
    let recording = MCTX.lines().find(|line| line.contains(r#""algo":"puct""#)).unwrap();
    let recorded: Value = serde_json::from_str(recording).unwrap();
    let mut visits = recorded["visits"].clone();
    visits[0] = (visits[0].as_u64().unwrap() + 1).into();
    let value = recorded["root_value"].as_f64().unwrap() + 0.01;
    for (key, value) in [("visits", visits), ("root_value", value.into())] {
        let report = change(recording, key, value);
        assert_eq!((report.positions, report.mismatches), (2, 1), "{key}");
        assert!(report.first.unwrap().starts_with("line 2, puct: "), "{key}");
    }
    let solved: Value = serde_json::from_str(EXACT.lines().next().unwrap()).unwrap();
    let mut q = solved["q"].clone();
    let best = solved["best"].as_u64().unwrap() as usize;
    q[best] = (q[best].as_f64().unwrap() + 0.2).into();
    let report = change(EXACT.lines().next().unwrap(), "q", q);
    assert_eq!((report.positions, report.mismatches), (3, 2), "by both methods");
}

/// The refusal of a damaged line: one sentence that names the line.
fn refusal(what: &str, line: &str) -> Option<String> {
    let good = MCTX.lines().next().unwrap();
    match conform(&format!("{good}\n\n{line}\n")) {
        Ok(_) => None,
        Err(error) => {
            let said = error.to_string();
            assert!(matches!(error, Error::InvalidConfig(_)), "{what}: {said}");
            assert!(said.contains("line 3: ") && said.lines().count() == 1, "{what}: {said}");
            Some(said)
        }
    }
}

fn assert_refused(what: &str, line: &str) {
    assert!(refusal(what, line).is_some(), "{what} is accepted: {line}");
}

/// The shortest line of a file, which takes little time to search.
fn shortest(lines: &str) -> Value {
    let line = lines.lines().min_by_key(|line| line.len()).unwrap();
    serde_json::from_str(line).unwrap()
}

#[test]
fn a_line_that_is_no_search_is_named() {
    for line in ["{", "[]", "nonsense", "{}", r#"{"kind":"chess"}"#, r#"{"kind":3}"#, "null", "\u{0}"] {
        assert_refused("nonsense", line);
    }
    let cut = MCTX.lines().next().unwrap();
    assert_refused("half a line", &cut[..cut.len() / 2]);
    for found in [shortest(MCTX), shortest(EXACT)] {
        // Keys for human readers, ignored by the reader: the numbers of states and actions follow from the tables.
        let unread = ["id", "mask", "margin", "S", "A"];
        for key in found.as_object().unwrap().keys().filter(|key| !unread.contains(&key.as_str())) {
            let mut damaged = found.clone();
            damaged.as_object_mut().unwrap().shift_remove(key);
            let may_lack = ["max_num_considered_actions", "gumbel", "pb_c_init", "pb_c_base"];
            let is_value_of_solved = found["kind"] == "exact" && key == "value";
            if !may_lack.contains(&key.as_str()) && !is_value_of_solved {
                assert_refused(&format!("without {key}"), &damaged.to_string());
            }
        }
    }
    let bytes = [MCTX.lines().next().unwrap().as_bytes(), b"\n\xff\xfe\n"].concat();
    let error = conform_search(&mut Cursor::new(bytes)).unwrap_err().to_string();
    assert!(error.contains("line 2: "), "{error}");
}

#[test]
fn a_table_that_is_no_game_is_named() {
    let set = |found: &Value, path: &str, value: Value| {
        let mut damaged = found.clone();
        *damaged.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = value;
        damaged.to_string()
    };
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let search = shortest(MCTX);
    let states = search["next"].as_array().unwrap().len();
    let legal = (0..states).find_map(|s| {
        let row = search["legal"][s].as_array().unwrap();
        row.iter().position(|legal| *legal == 1).map(|a| format!("{s}/{a}"))
    });
    let action = legal.unwrap();
    for (path, values) in [
        ("/player/0", &["2", "-1", "0.5", "null", "1e300"][..]),
        ("/player", &["[]", "0", "[0]"]),
        ("/root", &["-1", "100000", "null"]),
        ("/next", &["[]", "[[]]", "null", "[[0]]"]),
        ("/next/0", &["[]", "[0]", "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"]),
        (&format!("/next/{action}"), &["100000", "1.5", "1e300", "null"]),
        ("/legal", &["[]", "null"]),
        ("/legal/0", &["[]", "[1]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"]),
        ("/reward/0", &["[]", "[0]"]),
        (&format!("/reward/{action}"), &["1e300", "101", "null", "\"NaN\""]),
        ("/logits/0", &["[]", "[0]"]),
        (&format!("/logits/{action}"), &["1e300", "-1e300", "null", "\"NaN\""]),
        ("/value", &["[]", "[0]", "null"]),
        ("/value/0", &["null", "\"NaN\""]),
        ("/visits", &["[]", "[1]", "null"]),
        ("/visits/0", &["-1", "0.5", "1e300"]),
        ("/q", &["[]", "[1]", "null"]),
        ("/weights", &["[]", "[1]", "null"]),
        ("/algo", &["\"uct\"", "null"]),
        ("/kind", &["\"three\"", "null"]),
        ("/gamma", &["-1", "2", "1e300", "null"]),
        ("/num_simulations", &["0", "-1", "4294967295", "1e300", "null"]),
    ] {
        for value in values {
            assert_refused(&format!("{path} = {value}"), &set(&search, path, json(value)));
        }
    }
    let noise = MCTX.lines().find(|line| line.contains(r#""gumbel":["#)).unwrap();
    let noise: Value = serde_json::from_str(noise).unwrap();
    for (path, values) in [
        ("/gumbel", &["[]", "[0]", "0"][..]),
        ("/gumbel/0", &["null", "\"NaN\"", "1e300"]),
        ("/max_num_considered_actions", &["0", "-1", "1e300"]),
    ] {
        for value in values {
            assert_refused(&format!("{path} = {value}"), &set(&noise, path, json(value)));
        }
    }

    let solved = shortest(EXACT);
    for (path, values) in [
        ("/P", &["0", "5", "-1", "null", "1e300"][..]),
        ("/player/0", &["4", "-1", "null"]),
        ("/root", &["-1", "100000"]),
        ("/next", &["[]", "[[]]", "null", "[[[]]]"]),
        ("/next/0", &["[]", "[[]]", "null", "[[],[],[],[],[],[],[],[],[],[]]"]),
        (
            "/next/0/0",
            &["[[0,-1,[0,0,0,0]]]", "[[1,-1,[]]]", "[[1,-1]]", "[[1,100000,[0]]]", "[[-1,-1,[0]]]", "null"],
        ),
        ("/best", &["-1", "100000", "null"]),
        ("/q", &["[]", "[null]", "null"]),
    ] {
        for value in values {
            assert_refused(&format!("{path} = {value}"), &set(&solved, path, json(value)));
        }
    }
    let huge = set(&solved, "/next/0/0", json("[[4294967295,-1,[0]],[4294967295,-1,[0]]]"));
    assert_refused("weights beyond all bounds", &huge);
}

/// Every number, list and table in a line replaced with another value: an answer or a refusal, without a panic.
#[test]
fn no_line_makes_it_panic() {
    fn paths(value: &Value, path: &str, depth: usize, out: &mut Vec<String>) {
        out.push(path.to_string());
        let at = |key: &dyn std::fmt::Display| format!("{path}/{key}");
        match value {
            Value::Object(object) => object.iter().for_each(|(key, v)| paths(v, &at(key), depth, out)),
            Value::Array(list) if depth > 0 => {
                list.iter().enumerate().take(2).for_each(|(i, v)| paths(v, &at(&i), depth - 1, out));
            }
            _ => {}
        }
    }
    let puct = MCTX.lines().filter(|line| line.contains(r#""algo":"puct""#)).min_by_key(|line| line.len());
    let puct: Value = serde_json::from_str(puct.unwrap()).unwrap();
    let (mut refused, mut accepted) = (0, 0);
    for found in [shortest(MCTX), puct, shortest(EXACT)] {
        let mut all = Vec::new();
        paths(&found, "", 4, &mut all);
        for path in all {
            for other in
                ["null", "-1", "0", "1", "3.5", "99", "1e38", "-1e308", "\"NaN\"", "[]", "[[]]", "{}"]
            {
                let mut damaged = found.clone();
                *damaged.pointer_mut(&path).unwrap() = serde_json::from_str(other).unwrap();
                match refusal(&format!("{path} = {other}"), &damaged.to_string()) {
                    Some(_) => refused += 1,
                    None => accepted += 1,
                }
            }
        }
    }
    assert!(refused > 500 && accepted > 100, "{refused} were refused, {accepted} were not");
}
