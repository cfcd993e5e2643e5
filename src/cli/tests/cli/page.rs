//! `ludovec web`, and films and reviews of games.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::*;

/// A fresh folder for the files of a test.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("ludovec-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The record of a game between bots.
fn record(folder: &std::path::Path, env: &str, bots: &str, options: &[&str]) -> String {
    let file = folder.join(format!("{env}.json")).to_str().unwrap().to_string();
    let call = ["play", env, "--players", bots, "--quiet", "--seed", "3", "--record", &file];
    stdout(&[&call[..], options].concat());
    file
}

#[cfg(unix)]
#[test]
fn the_page_opens_in_the_browser() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("open");
    let (said, opener) =
        (folder.join("said"), folder.join(if cfg!(target_os = "macos") { "open" } else { "xdg-open" }));
    std::fs::write(&opener, format!("#!/bin/sh\necho \"$@\" > {0}.new && mv {0}.new {0}\n", said.display()))
        .unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    for (host, expected) in [("127.0.0.1", "http://127.0.0.1:"), ("0.0.0.0", "http://127.0.0.1:")] {
        let _ = std::fs::remove_file(&said);
        let mut server = Command::new(env!("CARGO_BIN_EXE_ludovec"))
            .args(["web", "--port", "0", "--host", host, "--open"])
            .env("PATH", &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let start = Instant::now();
        while !said.exists() && start.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(10));
        }
        server.kill().unwrap();
        server.wait().unwrap();
        let opened = std::fs::read_to_string(&said).unwrap();
        let port = line.split('/').nth(2).unwrap().rsplit(':').next().unwrap().to_string();
        assert_eq!(opened.trim(), format!("{expected}{port}/"), "{line}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn a_review_prints_what_the_mistakes_cost() {
    let folder = folder("review");
    let file = record(&folder, "chess", "cautious,random", &["--set", "max_plies=30"]);
    let html = folder.join("game.html");
    let said = stdout(&["replay", &file, "--review", "net:champion:16", "--html", html.to_str().unwrap()]);
    let mistakes = said.lines().skip_while(|line| !line.starts_with("step"));
    let rows: Vec<&str> = mistakes.skip(1).collect();
    assert!(said.contains("actions cost something (expected outcome, -1 to 1)"), "{said}");
    // Every row marks its mistake, and the player of random moves made most of them.
    assert!(rows.len() > 1 && rows.iter().all(|row| row.is_empty() || row.contains('?')), "{said}");
    assert!(rows.iter().any(|row| row.contains("Black")), "{said}");
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.contains("net:champion:16") && page.contains("\"lines\""));
    let (code, said) = failure(&["replay", &file, "--review", "greedy"]);
    assert!(code == 2 && said.contains("search:N, flat:N"), "{said}");
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn an_engine_advises_a_review() {
    let folder = folder("adviser");
    let file = record(&folder, "chess", "random,random", &["--set", "max_plies=6"]);
    // This program is an engine, too.
    let engine = format!("uci:{} uci --player search:20?nodes=20", env!("CARGO_BIN_EXE_ludovec"));
    let said = stdout(&["replay", &file, "--review", &engine]);
    assert!(said.contains("actions cost something (expected outcome, -1 to 1)"), "{said}");
    let (code, said) = failure(&["replay", &file, "--review", "uci:sh -c true"]);
    assert!(code != 0 && said.contains("sh -c true") && said.lines().count() == 1, "{said}");
    for (adviser, wanted) in [("greedy", "uci:COMMAND"), ("uci:/no/such/engine", "/no/such/engine")] {
        let (code, said) = failure(&["web", "--port", "0", "--adviser", adviser]);
        assert!(code == 2 && said.contains(wanted) && said.lines().count() == 1, "{said}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// The board is drawn once and changed: a film is a small part of its drawings.
#[test]
fn films_store_changes() {
    let folder = folder("films");
    let bots = "greedy,greedy,greedy,greedy";
    let file = record(&folder, "empires", bots, &["--set", "max_steps=500"]);
    let at = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let (html, svg, drawings) = (at("film.html"), at("film.svg"), at("drawings"));
    stdout(&["replay", &file, "--html", &html, "--svg-animation", &svg, "--svg", &drawings]);
    let size = |path: &std::path::Path| std::fs::metadata(path).unwrap().len();
    let all: u64 = std::fs::read_dir(&drawings).unwrap().map(|file| size(&file.unwrap().path())).sum();
    // The page has both themes.
    let (page, film) = (size(html.as_ref()), size(svg.as_ref()));
    println!("{all} bytes of drawings, page {page}, animation {film}");
    assert!(page < all / 10 && film < all / 10, "{all} bytes of drawings, page {page}, animation {film}");
    // A map of Small World is drawn once, and changed.
    let file = record(&folder, "smallworld", "greedy,greedy,greedy", &[]);
    stdout(&["replay", &file, "--svg-animation", &svg]);
    assert!(size(svg.as_ref()) < 600_000, "{} bytes", size(svg.as_ref()));
    let _ = std::fs::remove_dir_all(&folder);
}
