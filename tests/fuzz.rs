//! What fuzzing has to do with no fuzzer: every committed input goes through its target. `fuzz/seeds` are the inputs that
//! fuzzing begins with, `fuzz/found` those that once broke something, named after the cause.

#![cfg(all(feature = "cli", feature = "games", feature = "networks", target_os = "linux"))]

use std::fs;
use std::path::{Path, PathBuf};

use ludovec::engine::{BatchConfig, OptionValue, SingleGame, chance::Chance, chance::SeededChance};
use ludovec::games::{GAMES, chess};
use ludovec::shm::{Fleet, FleetConfig};

#[path = "../fuzz/src/lib.rs"]
mod fuzz;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// Runs `target` over its inputs.
fn replay(name: &str, target: fn(&[u8])) {
    let folder = folder();
    let mut inputs = 0;
    for kind in ["seeds", "found"] {
        let Ok(files) = fs::read_dir(folder.join(kind).join(name)) else { continue };
        for file in files {
            let file = file.unwrap().path();
            println!("{}", file.display());
            target(&fs::read(&file).unwrap());
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

targets! { position snapshot record option action bot_request bot_reply fen variant network segment http calls }

/// `LUDOVEC_UPDATE=1` writes the seeds anew: positions, records and questions of short random games of every
/// environment under every set of options that its tests play.
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
    for (which, entry) in (0u8..).zip(GAMES) {
        let sets = [Vec::new()].into_iter().chain((entry.combinations)());
        for (set, options) in (0u8..).zip(sets).take(4) {
            let Ok(game) = entry.make(options.iter().cloned()) else { continue };
            let (name, head) = (format!("{}_{set}", entry.id), [which, set]);
            let after = |steps: usize| -> Box<dyn SingleGame> {
                let mut play = game.clone().single(5);
                for _ in 0..steps {
                    match play.bot_action("random") {
                        Ok(action) => play.step(action).unwrap(),
                        Err(_) => break,
                    }
                }
                play
            };
            let play = after(40);
            put("position", &name, &[&head[..], play.to_json().to_string().as_bytes()].concat());
            put("record", &name, serde_json::to_string(&after(25).record()).unwrap().as_bytes());
            let mut env = game.clone().vector(BatchConfig { num_envs: 1, ..BatchConfig::default() }).unwrap();
            (0..20).for_each(|_| env.step_sampled().unwrap());
            put("snapshot", &name, &[&head[..], &env.save(&[0]).unwrap()].concat());
            let play = after(7);
            if let Some(&action) = play.legal_actions().last() {
                let text = play.action_to_string(action).unwrap();
                let head = [which, set, 7];
                put("action", &format!("{name}_text"), &[&head[..], text.as_bytes()].concat());
                let object = play.action_to_json(action).unwrap().to_string();
                put("action", &format!("{name}_json"), &[&head[..], object.as_bytes()].concat());
                let reply = play.bot_reply(action).unwrap().to_string();
                put("bot_reply", &name, &[&head[..], reply.as_bytes()].concat());
                let request = play.bot_request().to_string();
                put("bot_request", &name, &[&head[..2], request.as_bytes()].concat());
            }
            let pairs: String = options.iter().map(|(key, value)| format!("{key}={value}\n")).collect();
            put("option", &name, &[&[which], pairs.as_bytes()].concat());
            let mut chance = SeededChance::from_seed(u64::from(set));
            let some: Vec<u8> = (0..120).map(|_| chance.uniform(256) as u8).collect();
            put("calls", &name, &[&head[..], &some].concat());
            let body = serde_json::json!({ "env": entry.id, "seats": ["human", "random"], "seed": 1 });
            put("http", &name, &[&[1], body.to_string().as_bytes()].concat());
        }
        let name = format!("seed-{}", entry.id.replace('_', "-"));
        let batch = BatchConfig { num_envs: 2, threads: Some(1), ..BatchConfig::default() };
        let config = FleetConfig { name: name.clone(), blocks: Some(1), mode: 0o600, batch };
        let game = entry.make([] as [(&str, OptionValue); 0]).unwrap();
        let fleet = Fleet::start(game, config).unwrap();
        let segment = fs::read(format!("/dev/shm/ludovec.{name}")).unwrap();
        put("segment", entry.id, &segment[..segment.len().min(16 << 10)]);
        drop(fleet);
        if let Some(champion) = entry.champion {
            put("network", entry.id, &champion[..4096]);
        }
    }
    for (which, name) in (0u8..).zip(chess::variant::variants()) {
        let game = ludovec::games::find("chess").unwrap().make([("variant", name.into())]).unwrap();
        if let Some(fen) = game.single(1).to_json().get("fen").and_then(|fen| fen.as_str()) {
            put("fen", name, &[&[which], fen.as_bytes()].concat());
        }
    }
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/chess")).unwrap() {
        let file = file.unwrap().path();
        if file.is_dir() {
            continue;
        }
        put("variant", file.file_stem().unwrap().to_str().unwrap(), &fs::read(&file).unwrap());
    }
}
