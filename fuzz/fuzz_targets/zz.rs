#![no_main]
#[path = "zz_body.rs"]
mod body;
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if data.len() < 3 { return; }
    for (name, f) in [("make", body::every_game_has_seeds_for_every_target as fn()), ("position", body::position), ("snapshot", body::snapshot), ("record", body::record), ("option", body::option), ("action", body::action), ("bot_request", body::bot_request), ("bot_reply", body::bot_reply), ("fen", body::fen), ("variant", body::variant), ("network", body::network), ("segment", body::segment), ("http", body::http), ("calls", body::calls)] {
        if std::env::var("ZZ").unwrap().split(',').any(|n| n == name) { let t = std::time::Instant::now(); println!("== {name}"); f(); println!("== {name} ok {:?}", t.elapsed()); }
    }
});
