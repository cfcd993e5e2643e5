//! The static pages of `make web-pages`: a folder of files, and games in a Web Worker.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Path as UrlPath;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use ludovec::games::GAMES;
use serde_json::Value;

use crate::Browser;
use crate::devtools::Tab;

/// The folder of the static pages.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/web")
}

/// A file of the folder, as any server of static files would send it.
async fn file(UrlPath(name): UrlPath<String>) -> Response {
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    match std::fs::read(folder().join(name)) {
        Ok(bytes) => ([(header::CONTENT_TYPE, kind)], bytes).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Serves the folder and the visitor beside it until the process ends; the games in it. Prints that `test` is skipped
/// if there are none.
pub fn serve(test: &str) -> Option<(SocketAddr, Vec<&'static str>)> {
    let built = |env: &&str| folder().join(format!("{env}.wasm")).exists();
    let games: Vec<_> = GAMES.iter().map(|entry| entry.id).filter(built).collect();
    if games.is_empty() {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED {test}: there are no static pages; make web-pages builds them"
        );
        return None;
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    let pages = Router::new()
        .route("/nap", get(|| async { thread::sleep(Duration::from_millis(20)) }))
        .route("/visit", get(async || Html(VISITOR)))
        .route("/", get(async || file(UrlPath("index.html".into())).await))
        .route("/{*name}", get(file));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    thread::spawn(move || {
        runtime.block_on(async { axum::serve(tokio::net::TcpListener::from_std(listener)?, pages).await })
    });
    Some((address, games))
}

/// Plays against every level, asks for hints, takes back, keeps the record, and tries what is refused.
const VISITOR: &str = r##"<!doctype html><body><header></header><script type="module">
const notes = { games: [] };
async function visit() {
  const { request } = await import("/server.js");
  const ask = async (method, path, body, wanted = 200) => {
    const { status, body: answer } = await request(method, path, body);
    if (status !== wanted) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const environments = await ask("GET", "/api/environments");
  for (const { id: env } of environments) {
    const { players, bots, levels } = await ask("POST", "/api/rules", { env, options: {} });
    const seen = { env, bots: bots.map(bot => bot.name), hints: [] };
    for (const level of [levels[0].player, levels[4].player, "net:champion:64"]) {
      const seats = ["human", ...Array(players - 1).fill(level)];
      let game = await ask("POST", "/api/games", { env, seats, seed: 5 }, 201);
      const path = `/api/games/${game.id}`;
      for (let turn = 0; turn < 12 && game.status === "running"; turn++) {
        const { revision } = game;
        if (game.person) {
          const hint = await ask("POST", `${path}/analysis?theme=dark`, { player: level, revision });
          seen.hints.push(hint.best.length > 0 && hint.values.length === players && hint.svg.startsWith("<svg"));
          game = await ask("POST", `${path}/action`, { revision, action: hint.best[0].action });
        } else {
          game = await ask("POST", `${path}/bot`, { revision });
        }
      }
      const record = await ask("GET", `${path}/record`);
      if (record.actions.length !== game.steps) throw new Error(`${env}: the record has ${record.actions.length} actions`);
      const steps = game.steps;
      await ask("POST", `${path}/undo`, { revision: game.revision + 1 }, 409);
      game = await ask("POST", `${path}/undo`, { revision: game.revision });
      if (!(game.person && game.steps < steps)) throw new Error(`${env}: nothing was taken back`);
      const error = await ask("POST", `${path}/action`, { revision: game.revision, action: 4000000000 }, 400);
      if (/\n/.test(error.error) || !error.error) throw new Error(`${env}: ${error.error}`);
      await ask("DELETE", path, undefined, 204);
      await ask("GET", path, undefined, 404);
    }
    let batch = await ask("POST", "/api/batches", { env, seats: Array(players).fill("random"), seed: 1, games: 3 }, 201);
    batch = await ask("POST", `/api/batches/${batch.id}/step`, { count: 5 });
    seen.watched = batch.games.length === 3 && batch.steps > 0;
    notes.games.push(seen);
  }
  notes.unknown = (await request("POST", "/api/games", { env: "go", seats: [] })).status;
  notes.file = (await request("POST", "/api/rules", { env: environments[0].id, options: { nonsense: 1 } })).body.error;
}
visit().catch(error => { notes.error = String(error); })
  .finally(() => { document.body.dataset.notes = JSON.stringify(notes); });
</script></body>"##;

#[test]
fn levels_hints_undo_and_records_work_without_a_server() {
    let test = "levels_hints_undo_and_records_work_without_a_server";
    let Some((address, games)) = serve(test) else { return };
    let Some(browser) = Browser::find(test) else { return };
    // Virtual time would run out while the worker computes.
    let mut tab = Tab::open(&browser, [1200, 800], false);
    tab.visit(&format!("http://{address}/visit"), "");
    let start = Instant::now();
    let notes: Value = loop {
        let said = tab.value("document.body?.dataset.notes ?? ''");
        match said.as_str() {
            Some("") => assert!(start.elapsed() < Duration::from_secs(300), "the page goes on"),
            said => break serde_json::from_str(said.expect("a text")).unwrap(),
        }
        thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(notes["error"], Value::Null, "{notes}");
    assert_eq!(notes["unknown"], 404, "{notes}");
    assert!(notes["file"].as_str().is_some_and(|error| error.contains("nonsense")), "{notes}");
    let played: Vec<_> = notes["games"].as_array().unwrap().iter().map(|game| game["env"].as_str()).collect();
    assert_eq!(played.len(), games.len(), "{notes}");
    for game in notes["games"].as_array().unwrap() {
        let hints = game["hints"].as_array().unwrap();
        assert!(hints.len() >= 3 && hints.iter().all(|good| good == true), "{game}");
        assert_eq!(game["watched"], true, "{game}");
        let bots = game["bots"].as_array().unwrap();
        assert!(bots.iter().any(|bot| bot == "net:champion:64"), "{game}");
    }
}
