use super::game::{Chess, Shows};
use super::history::*;
use super::notation::fen;
use super::options;
use super::position::*;
use super::tables::Tables;
use super::variant;
use crate::engine::chance::{Chance, SeededChance};
use crate::engine::{Game, OptionValue, Options, mask};

fn count<R: Rules>(v: &variant::schema::Variant, f: &str, d: u32) -> (u64, bool, bool) {
    let t = Box::new(Tables::<R::Bits>::compile(v).unwrap());
    if !R::PLAIN && !t.pins && std::env::var("ALL").is_err() {
        return (0, false, false);
    }
    let p: Position<R> = fen::parse(v, f).unwrap().to_position(&t).unwrap();
    (super::perft::perft(&t, &p, d), t.is_plain(), true)
}
#[test]
fn perft_all() {
    let data = include_str!("../../../tests/data/chess/perft.jsonl");
    let only = std::env::var("ONLY").ok();
    let max: u64 = std::env::var("MAX").map_or(300_000, |m| m.parse().unwrap());
    let mut n = 0;
    let mut bad = std::collections::BTreeMap::new();
    let mut skipped = std::collections::BTreeSet::new();
    for l in data.lines() {
        let o: serde_json::Value = serde_json::from_str(l).unwrap();
        let name = o["variant"].as_str().unwrap();
        if only.as_ref().is_some_and(|x| x != name) {
            continue;
        }
        let v = variant::load::<&str>(name, &[]).unwrap();
        let big = v.width as usize * v.height as usize > 64;
        for (d, c) in o["counts"].as_object().unwrap() {
            let c = c.as_u64().unwrap();
            if c > max {
                continue;
            }
            let d = d.parse().unwrap();
            let f = o["fen"].as_str().unwrap();
            let (a, plain, done) = if big { count::<Large>(&v, f, d) } else { count::<Small>(&v, f, d) };
            if !done {
                skipped.insert(name.to_string());
                break;
            }
            let b = if plain { count::<Plain>(&v, f, d).0 } else { a };
            n += 1;
            if a != c || b != c {
                bad.entry(name.to_string()).or_insert(vec![]).push(format!("{f} depth {d}: {a} {b} != {c}"));
            }
        }
    }
    println!("{n} checked, skipped {skipped:?}");
    for (k, v) in &bad {
        println!("{k}: {} bad: {}", v.len(), v[0]);
    }
    assert!(bad.is_empty());
}
fn playouts<R: Rules, H: Shows<R>>(game: &Chess<R, H>, games: u32) {
    let mut chance = SeededChance::from_seed(1);
    let mut m = vec![0; game.spec().mask_words()];
    let mut obs = vec![0; game.spec().observation_len()];
    let (mut plies, mut ends) = (0, std::collections::BTreeMap::new());
    for _ in 0..games {
        let mut s = game.init(&mut chance);
        while s.outcome == 0 {
            game.legal(&s, &mut m);
            assert_eq!(mask::count(&m) as u64, s.position.count_moves(&game.tables));
            s.position.each_move(&game.tables, |mv| {
                let a = game.actions.encode(&game.tables, &s.position, mv);
                assert!(mask::contains(&m, a));
                assert_eq!(game.decode(&s, a), Some(mv));
            });
            game.validate(&s).unwrap();
            assert_eq!(
                game.state_from_json(&game.state_to_json(&s)).unwrap(),
                s,
                "{}",
                game.state_to_json(&s)
            );
            game.observe(&s, s.position.turn(), &mut obs);
            let a = mask::select(&m, chance.uniform(mask::count(&m))).unwrap();
            game.step(&mut s, a, &mut chance);
            plies += 1;
        }
        *ends.entry(s.reason).or_insert(0) += 1;
    }
    println!("{plies} plies, ends {ends:?}");
}
#[test]
fn play() {
    let given = |list: &[(&str, &str)]| {
        Options::parse(&options::list(), list.iter().map(|(k, v)| (*k, OptionValue::from(*v)))).unwrap()
    };
    for (variant, view) in [
        ("chess", "flat"),
        ("chess960", "flat"),
        ("chess", "az73"),
        ("chess960", "az73"),
        ("chess", "dense"),
        ("chess960", "dense"),
    ] {
        let o = given(&[("variant", variant), ("action_view", view)]);
        let v = variant::load::<&str>(variant, &[]).unwrap();
        let g = Chess::<Plain, Boards>::new(Box::new(Tables::compile(&v).unwrap()), &o).unwrap();
        println!("{variant} {view} {} actions, state {}", g.spec().num_actions, g.spec().state_bytes);
        playouts(&g, 12);
    }
}
