//! The page of `ludovec web`, driven like by a user.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::response::Html;
use axum::routing::get;
use ludovec::games::GAMES;
use ludovec_cli::web::{ListenScope, Live, router};
use serde_json::Value;

use crate::{Browser, body_attribute};

/// Loads the page in a frame, clicks in it, and records the results as JSON.
const DRIVER: &str = include_str!("web.html");

/// Serves the page and the driver beside it, until the process ends.
pub fn serve(live: Option<Arc<dyn Live>>) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    let page = router(ListenScope::Machine, live)
        .route("/drive", get(async || Html(DRIVER)))
        .route("/look", get(async || Html(ONLOOKER)))
        .route("/nap", get(nap));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    thread::spawn(move || {
        runtime.block_on(async { axum::serve(tokio::net::TcpListener::from_std(listener)?, page).await })
    });
    address
}

/// A short delay before an answer.
async fn nap() {
    let moment = tokio::task::spawn_blocking(|| thread::sleep(Duration::from_millis(20)));
    moment.await.expect("sleeping does not fail");
}

fn drive(browser: &Browser, address: SocketAddr, env: &str) -> Value {
    let dom = browser.dom(&format!("http://{address}/drive#{env}"), Duration::from_secs(60));
    let said = body_attribute(&dom, "data-notes").replace("&quot;", "\"").replace("&amp;", "&");
    let notes: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(notes["error"], Value::Null, "{env}: {notes}");
    notes
}

#[test]
fn every_game_is_played_and_watched_in_a_browser() {
    let Some(browser) = Browser::find("every_game_is_played_and_watched_in_a_browser") else { return };
    let address = serve(None);
    for entry in GAMES {
        let notes = drive(&browser, address, entry.id);
        let number = |name: &str| notes[name].as_u64().unwrap_or_else(|| panic!("{name} in {notes}"));
        assert!(number("actions") > 0 && number("found") == 1, "{}: {notes}", entry.id);
        assert!(number("played") > number("opened"), "{}: {notes}", entry.id);
        assert_eq!(number("undone"), number("opened"), "{}: {notes}", entry.id);
        assert!(number("pointed") > number("undone"), "{}: {notes}", entry.id);
        for said in ["addressed", "reloaded", "asked", "focused", "repainted"] {
            assert_eq!(notes[said], true, "{}, {said}: {notes}", entry.id);
        }
        // The best five, and the button for all.
        assert!((1..=6).contains(&number("hinted")), "{}: {notes}", entry.id);
        for said in ["shared", "heated", "forgotten"] {
            assert_eq!(notes[said], true, "{}, {said}: {notes}", entry.id);
        }
        assert!(notes["expected"].as_str().unwrap().contains("change of the lead"), "{}: {notes}", entry.id);
        assert!(number("typed") > 0 && number("moved") > 0, "{}: {notes}", entry.id);
        assert_eq!(number("recorded"), number("logged"), "{}: {notes}", entry.id);
        assert!(number("widest") <= 390, "{}: wider than a phone: {notes}", entry.id);
        assert_eq!(number("boards"), 4, "{}: {notes}", entry.id);
        assert!(number("decisions") >= 12, "{}: {notes}", entry.id);
        assert_eq!(number("paused"), number("paused_later"), "{}: {notes}", entry.id);
        assert_eq!(number("stepped"), number("paused") + 4, "{}: {notes}", entry.id);
    }
}

/// Opens the live view, enlarges a game, and records the contents of the page.
const ONLOOKER: &str = r##"<!doctype html><body><iframe width="390" height="800"></iframe><script>
const notes = {}, frame = document.querySelector("iframe");
const all = selector => [...frame.contentDocument.querySelectorAll("#live " + selector)];
async function until(what, test) {
  for (let naps = 0; naps < 1000; naps++) {
    const value = frame.contentDocument?.readyState === "complete" && test();
    if (value) return value;
    await fetch("/nap");
  }
  throw new Error("waited in vain for " + what);
}
const drawings = () => all(".card .board").map(board => board.shadowRoot.innerHTML);
async function look() {
  frame.src = "/";
  await until("boards", () => all(".card").length === 12);
  notes.address = frame.contentWindow.location.hash;
  notes.link = !frame.contentDocument.querySelector('nav a[href="#live"]').hidden;
  all(".delay")[0].value = 100;
  const [before] = drawings();
  await until("a game that goes on", () => drawings()[0] !== before);
  notes.moves = true;
  all(".card")[3].click();
  await until("a large board", () => all(".card.large").length === 1);
  const width = card => card.getBoundingClientRect().width;
  notes.large = all(".card")[3].classList.contains("large") && width(all(".card")[3]) >= width(all(".card")[0]);
  all(".card")[3].dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  await until("small boards", () => all(".card.large").length === 0);
  const [first] = all(".first");
  first.value = 12;
  first.dispatchEvent(new Event("change", { bubbles: true }));
  await until("other games", () => all(".card p")[0].textContent.includes("12"));
  notes.widest = frame.contentDocument.documentElement.scrollWidth;
  all(".pause")[0].click();
  notes.paused = all(".pause")[0].textContent;
}
look().catch(error => { notes.error = String(error); })
  .finally(() => { document.body.dataset.notes = JSON.stringify(notes); });
</script></body>"##;

#[cfg(target_os = "linux")]
#[test]
fn a_fleet_is_watched_in_a_browser() {
    use ludovec::engine::{BatchConfig, VectorEnv};
    use ludovec::shm::{Fleet, FleetConfig, attach};
    use ludovec_cli::web::WatchedFleet;
    let Some(browser) = Browser::find("a_fleet_is_watched_in_a_browser") else { return };
    let name = format!("browser-{}", std::process::id());
    let batch = BatchConfig { num_envs: 30, threads: Some(1), ..BatchConfig::default() };
    let config = FleetConfig { name: name.clone(), blocks: Some(3), mode: 0o600, batch };
    let _fleet = Fleet::start(GAMES[0].make([]).unwrap(), config).unwrap();
    let live = Arc::new(WatchedFleet::open(&name).unwrap());
    let address = serve(Some(live));
    // A client plays the games while the page shows them.
    let playing = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let player = thread::spawn({
        let playing = playing.clone();
        move || {
            let mut games = attach(&name, None).unwrap();
            games.reset(Some(1)).unwrap();
            while playing.load(std::sync::atomic::Ordering::Relaxed) {
                games.step_sampled().unwrap();
                thread::sleep(Duration::from_millis(20));
            }
        }
    });
    let dom = browser.dom(&format!("http://{address}/look"), Duration::from_secs(60));
    playing.store(false, std::sync::atomic::Ordering::Relaxed);
    player.join().unwrap();
    let said = body_attribute(&dom, "data-notes").replace("&quot;", "\"").replace("&amp;", "&");
    let notes: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(notes["error"], Value::Null, "{notes}");
    assert_eq!(notes["address"], "#live", "{notes}");
    for said in ["link", "moves", "large"] {
        assert_eq!(notes[said], true, "{said}: {notes}");
    }
    assert_eq!(notes["paused"], "Resume", "{notes}");
    assert!(notes["widest"].as_u64().unwrap() <= 390, "wider than a phone: {notes}");
}
