//! The page of `ludovec web`, used as a person uses it.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::thread;
use std::time::Duration;

use axum::response::Html;
use axum::routing::get;
use ludovec::games::GAMES;
use ludovec::web::{Reach, router};
use serde_json::Value;

use crate::{Browser, body_attribute};

/// Holds the page in a frame, clicks in it, and writes down as JSON what became of it.
const DRIVER: &str = include_str!("web.html");

/// Serves the page, and the driver beside it, until the process ends.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    let page = router(Reach::Machine).route("/drive", get(async || Html(DRIVER))).route("/nap", get(nap));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    thread::spawn(move || {
        runtime.block_on(async { axum::serve(tokio::net::TcpListener::from_std(listener)?, page).await })
    });
    address
}

/// An answer that takes a moment.
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
    let address = serve();
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
        assert!(number("typed") > 0 && number("moved") > 0, "{}: {notes}", entry.id);
        assert_eq!(number("recorded"), number("logged"), "{}: {notes}", entry.id);
        assert!(number("widest") <= 390, "{}: wider than a phone: {notes}", entry.id);
        assert_eq!(number("boards"), 4, "{}: {notes}", entry.id);
        assert!(number("decisions") >= 12, "{}: {notes}", entry.id);
        assert_eq!(number("paused"), number("paused_later"), "{}: {notes}", entry.id);
        assert_eq!(number("stepped"), number("paused") + 4, "{}: {notes}", entry.id);
    }
}
