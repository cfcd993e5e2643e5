//! Regression test of the fuzz targets without a fuzzer: every committed input goes through its target.
//! `fuzz/seeds` has the initial inputs of fuzzing, `fuzz/found` the inputs that once caused a failure, named after
//! the cause.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use ludovec::engine::{BatchConfig, SingleGame, Spec, chance::Chance, chance::SeededChance};
use ludovec::games::{GAMES, chess};
use ludovec::shm::{Fleet, FleetConfig};
use serde_json::json;

#[path = "../../../fuzz/src/lib.rs"]
mod fuzz;

fn folder() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fuzz")
}

/// Runs `target` over its inputs. Seeds must be accepted, or fuzzing would not get beyond the first check.
fn replay(name: &str, target: fn(&[u8]) -> bool) {
    fuzz::ALWAYS.store(true, Ordering::Relaxed);
    let folder = folder();
    let mut inputs = 0;
    for kind in ["seeds", "found"] {
        let Ok(files) = fs::read_dir(folder.join(kind).join(name)) else { continue };
        for file in files {
            let file = file.unwrap().path();
            println!("{}", file.display());
            let accepted = target(&fs::read(&file).unwrap());
            assert!(
                accepted || kind == "found",
                "{} is refused: LUDOVEC_UPDATE=1 rewrites it",
                file.display()
            );
            inputs += 1;
        }
    }
    assert!(inputs > 0, "no inputs for {name}");
}

macro_rules! targets {
    ($($name:ident)+) => {
        $(#[test]
        fn $name() {
            replay(stringify!($name), fuzz::$name);
        })+
    };
}

targets! { position snapshot record option action bot_request bot_reply fen variant map network segment http calls }

/// The place of the document's offset in a segment; its length follows.
const DOCUMENT: usize = 48;

/// A network with layers that are one number wide, for an observation of one number: champions' files are too long
/// for fuzzing.
fn small_network(spec: &Spec) -> Vec<u8> {
    let field = &spec.observation[0];
    let inputs =
        json!({ "board": null, "planes": [], "scalars": [[field.name, vec![0; field.shape.len()], 1]] });
    let options: BTreeMap<_, _> = spec.options.iter().map(|(name, value)| (name, json!([value]))).collect();
    let mut header = json!({ "__metadata__": {
        "environment": spec.env,
        "version": spec.version.to_string(),
        "options": json!(options).to_string(),
        "inputs": inputs.to_string(),
    } });
    let mut end = 0;
    let mut put = |name: String, shape: &[usize]| {
        let begin = end;
        end += 2 * shape.iter().product::<usize>();
        header[name] = json!({ "dtype": "BF16", "shape": shape, "data_offsets": [begin, end] });
    };
    put("tables".into(), &[2, 256]);
    let layers: [(&str, &[usize]); 8] = [
        ("scalars", &[1, 1]),
        ("blocks.0.norm", &[1]),
        ("blocks.0.first", &[1, 1]),
        ("blocks.0.second", &[1, 1]),
        ("norm", &[1]),
        ("policy_others", &[spec.num_actions as usize, 1]),
        ("value_hidden", &[1, 1]),
        ("value", &[spec.players, 1]),
    ];
    for (layer, shape) in layers {
        put(format!("{layer}.weight"), shape);
        put(format!("{layer}.bias"), &shape[..1]);
    }
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &vec![0; end]].concat()
}

/// `LUDOVEC_UPDATE=1` rewrites the seeds: positions, records and questions of short random games of every
/// environment under every option set of its tests.
#[test]
fn every_game_has_seeds_for_every_target() {
    let update = std::env::var_os("LUDOVEC_UPDATE").is_some();
    let seeds = folder().join("seeds");
    if update {
        let _ = fs::remove_dir_all(&seeds);
    }
    let put = |target: &str, name: &str, bytes: &[u8]| {
        let folder = seeds.join(target);
        if update {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), bytes).unwrap();
        }
        assert!(folder.join(name).exists(), "no seed {name} for {target}: LUDOVEC_UPDATE=1 writes it");
    };
    for (game_number, entry) in (0u8..).zip(GAMES) {
        let sets = (0u8..).map(|set| (set, fuzz::options((usize::from(game_number), set.into()))));
        let games = sets.filter_map(|(set, options)| Some((set, entry.make(options.clone()).ok()?, options)));
        for (set, game, options) in games.take(4) {
            let (name, head) = (format!("{}_{set}", entry.id), [game_number, set, 0]);
            let after = |steps: usize| -> SingleGame {
                let mut play = game.clone().single(3);
                for _ in 0..steps {
                    match play.bot_action("random") {
                        Ok(action) => play.step(action).unwrap(),
                        Err(_) => break,
                    }
                }
                play
            };
            let play = after(40);
            put("position", &name, &[&head[..], play.position().to_string().as_bytes()].concat());
            put("record", &name, serde_json::to_string(&after(25).record()).unwrap().as_bytes());
            let mut env = game.clone().vector(BatchConfig { num_envs: 1, ..BatchConfig::default() }).unwrap();
            (0..20).for_each(|_| env.step_sampled().unwrap());
            let saved = env.save(&[0]).unwrap();
            let saved = &saved[fuzz::SNAPSHOT_HEADER..saved.len() - fuzz::CHECKSUM];
            put("snapshot", &name, &[&head[..], saved].concat());
            let play = after(7);
            if let Some(&action) = play.legal_actions().last() {
                let text = play.action_to_string(action).unwrap();
                let head = [game_number, set, 0, 7];
                put("action", &format!("{name}_text"), &[&head[..], text.as_bytes()].concat());
                let object = play.action_to_json(action).unwrap().to_string();
                put("action", &format!("{name}_json"), &[&head[..], object.as_bytes()].concat());
                let reply = play.bot_reply(action).unwrap().to_string();
                put("bot_reply", &name, &[&head[..], reply.as_bytes()].concat());
                let request = play.bot_request().to_string();
                put("bot_request", &name, &[&head[..3], request.as_bytes()].concat());
            }
            let pairs: String = options.iter().map(|(key, value)| format!("{key}={value}\n")).collect();
            put("option", &name, &[&[game_number], pairs.as_bytes()].concat());
            let mut chance = SeededChance::from_seed(u64::from(set));
            let some: Vec<u8> = (0..120).map(|_| chance.uniform(256) as u8).collect();
            put("calls", &name, &[&head[..], &some].concat());
        }
        let game = entry.make([]).unwrap();
        let mut seats = vec!["random"; game.spec().players];
        seats[0] = "human";
        let body = json!({ "env": entry.id, "seats": seats, "seed": 1 });
        put("http", entry.id, &[&[1], body.to_string().as_bytes()].concat());
        let name = format!("seed-{}", entry.id.replace('_', "-"));
        let batch = BatchConfig { num_envs: 2, threads: Some(1), ..BatchConfig::default() };
        let config = FleetConfig { name: name.clone(), blocks: Some(1), mode: 0o600, batch };
        let game = entry.make([]).unwrap();
        let fleet = Fleet::start(game, config).unwrap();
        let segment = fs::read(format!("/dev/shm/ludovec.{name}")).unwrap();
        drop(fleet);
        // Up to the end of its document; the columns after it may have any content.
        let number = |at: usize| u64::from_le_bytes(segment[at..][..8].try_into().unwrap()) as usize;
        put("segment", entry.id, &segment[..number(DOCUMENT) + number(DOCUMENT + 8)]);
        if ["smallworld", "starwars_risk"].contains(&entry.id) {
            let game = entry.make([]).unwrap();
            put("network", entry.id, &small_network(game.spec()));
        }
    }
    for (which, name) in (0u8..).zip(chess::variant::variants()) {
        let game = ludovec::games::find("chess").unwrap().make([("variant", name.into())]).unwrap();
        if let Some(fen) = game.single(1).position().get("fen").and_then(|fen| fen.as_str()) {
            put("fen", name, &[&[which], fen.as_bytes()].concat());
        }
    }
    for (target, assets) in [("variant", "assets/chess"), ("map", "assets/smallworld/maps")] {
        for file in
            fs::read_dir(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(assets)).unwrap()
        {
            let file = file.unwrap().path();
            if file.is_dir() {
                continue;
            }
            put(target, file.file_stem().unwrap().to_str().unwrap(), &fs::read(&file).unwrap());
        }
    }
}
