//! The page of a recorded game.

use std::time::Duration;

use ludovec::engine::{Entry, OptionValue, Status};
use ludovec::games::GAMES;
use ludovec::replay::{Frames, page, replay};

use crate::{Browser, body_attribute};

/// Presses keys and records the resulting positions.
const PRESS: &str = r##"
<script>
onerror = message => document.body.dataset.error = message;
// A headless browser may wait for ever for the end of a download.
HTMLAnchorElement.prototype.click = () => {};
const press = key => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const note = name => document.body.dataset[name] = document.body.dataset.step;
note("opened");
press("ArrowRight"); note("right");
press("ArrowLeft"); press("ArrowLeft"); note("left");
press("End"); note("end");
press("ArrowRight"); note("past");
document.querySelectorAll("#actions li")[2].click(); note("clicked");
const before = document.querySelector("#picture").innerHTML;
press("t"); document.body.dataset.dressed = document.documentElement.dataset.theme;
document.body.dataset.redrawn = document.querySelector("#picture").innerHTML !== before;
press("t");
document.querySelector("#slider").value = 5;
document.querySelector("#slider").dispatchEvent(new Event("input")); note("slid");
press("Home"); note("home");
const box = id => document.getElementById(id).getBoundingClientRect();
document.body.dataset.slider = Math.round(box("slider").width);
document.body.dataset.alone = box("slider").bottom <= box("play").top;
document.body.dataset.widest = document.documentElement.scrollWidth;
document.body.dataset.board = Math.round(document.querySelector("#picture svg").getBoundingClientRect().width);
press(" ");
setTimeout(() => { note("played"); press(" "); press("p"); }, 1500);
</script>
</body>"##;

fn page_of(entry: &Entry, steps: usize) -> (String, usize, usize) {
    let none: [(&str, OptionValue); 0] = [];
    let mut play = entry.make(none).unwrap().single(7);
    for _ in 0..steps {
        if play.status() != Status::Running {
            break;
        }
        let action = play.bot_action("random").unwrap();
        play.step(action).unwrap();
    }
    let record = play.record();
    let mut frames = Frames::new(None);
    replay(&record, |game, _| frames.push(game)).unwrap();
    (page(&record, &frames, None), record.actions.len(), record.scores.len())
}

#[test]
fn a_replay_page_shows_the_players_expectations() {
    let Some(browser) = Browser::find("a_replay_page_shows_the_players_expectations") else {
        return;
    };
    let none: [(&str, OptionValue); 0] = [];
    let mut play = GAMES[0].make(none).unwrap().single(7);
    (0..20).for_each(|_| play.step(play.bot_action("random").unwrap()).unwrap());
    let mut record = play.record();
    // The first seat states an expectation, others do not.
    record.estimates =
        record.players.iter().enumerate().map(|(i, &seat)| (seat == 0).then_some(i as f32)).collect();
    let own: Vec<usize> = (0..20).filter(|&step| record.players[step] == 0).collect();
    let mut frames = Frames::new(None);
    replay(&record, |game, _| frames.push(game)).unwrap();
    const CHOOSE: &str = r##"<script>
onerror = message => document.body.dataset.error = message;
const measure = document.querySelector("#measure");
const names = [...measure.options].map(option => option.textContent);
document.body.dataset.measures = names.join("|");
measure.selectedIndex = names.indexOf("the players' own estimates");
measure.dispatchEvent(new Event("change"));
show(20);
document.body.dataset.end = document.querySelector("#legend output").value;
show(0);
document.body.dataset.start = document.querySelector("#legend output").value;
document.body.dataset.others = [...document.querySelectorAll("#legend output")].slice(1).every(o => / -$/.test(o.value));
document.body.dataset.curves = [...document.querySelectorAll("#chart path")].map(path => path.getAttribute("d") !== "").join();
</script></body>"##;
    let file = std::env::temp_dir().join(format!("ludovec-replay-own-{}.html", std::process::id()));
    std::fs::write(&file, page(&record, &frames, None).replacen("</body>", CHOOSE, 1)).unwrap();
    let dom = browser.dom(&format!("file://{}", file.display()), Duration::from_secs(2));
    std::fs::remove_file(&file).unwrap();
    assert!(!dom.split_once("<script").unwrap().0.contains("data-error"), "{dom}");
    let shown = |name: &str| body_attribute(&dom, name).to_string();
    assert!(shown("data-measures").ends_with("own estimates"), "{}", shown("data-measures"));
    assert!(shown("data-end").ends_with(&format!(": {}", own.last().unwrap())), "{}", shown("data-end"));
    assert!(shown("data-start").ends_with(&format!(": {}", own[0])), "{}", shown("data-start"));
    assert_eq!(shown("data-others"), "true");
    assert!(shown("data-curves").starts_with("true,false"), "{}", shown("data-curves"));
}

#[test]
fn a_replay_page_needs_no_network() {
    for entry in GAMES {
        let (page, ..) = page_of(entry, 20);
        let links = page.matches("http").count();
        let names = page.matches("http://www.w3.org/2000/svg").count();
        assert_eq!(links, names, "{}: only the name of SVG looks like an address", entry.id);
        assert!(!page.contains("src="), "{}", entry.id);
    }
}

#[test]
fn a_replay_page_fits_narrow_windows_and_tablets() {
    let Some(browser) = Browser::find("a_replay_page_fits_narrow_windows_and_tablets") else { return };
    let (page, ..) = page_of(&GAMES[0], 30);
    let file = std::env::temp_dir().join(format!("ludovec-replay-narrow-{}.html", std::process::id()));
    std::fs::write(&file, page.replacen("</body>", PRESS, 1)).unwrap();
    for [width, height] in [[500, 900], [768, 1024], [1200, 800]] {
        let dom =
            browser.dom_in([width, height], &format!("file://{}", file.display()), Duration::from_secs(4));
        let number = |name: &str| body_attribute(&dom, name).parse::<u32>().unwrap();
        assert!(number("data-widest") <= width, "{width}: the page is {} wide", number("data-widest"));
        assert!(number("data-slider") >= 200, "{width}: the slider is {} wide", number("data-slider"));
        assert_eq!(body_attribute(&dom, "data-alone") == "true", width < 800, "{width}: the slider's line");
        assert!(
            width > 800 || number("data-board") + 40 >= width,
            "{width}: a board of {}",
            number("data-board")
        );
    }
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_replay_page_shows_every_position_and_obeys_keys() {
    let Some(browser) = Browser::find("a_replay_page_shows_every_position_and_obeys_keys") else { return };
    for entry in GAMES {
        let (page, steps, seats) = page_of(entry, 60);
        let file =
            std::env::temp_dir().join(format!("ludovec-replay-{}-{}.html", std::process::id(), entry.id));
        std::fs::write(&file, page.replacen("</body>", PRESS, 1)).unwrap();
        let dom = browser.dom(&format!("file://{}#4", file.display()), Duration::from_secs(4));
        std::fs::remove_file(&file).unwrap();
        let shown = |name: &str| body_attribute(&dom, name).to_string();
        assert!(!dom.split_once("<script").unwrap().0.contains("data-error"), "{}: {dom}", entry.id);
        assert_eq!(shown("data-steps"), steps.to_string(), "{}", entry.id);
        let last = steps.to_string();
        for (name, step) in [
            ("opened", "4"),
            ("right", "5"),
            ("left", "3"),
            ("end", &last),
            ("past", &last),
            ("clicked", "2"),
            ("slid", "5"),
            ("home", "0"),
        ] {
            assert_eq!(shown(&format!("data-{name}")), step, "{}: {name}", entry.id);
        }
        assert_eq!(shown("data-redrawn"), "true", "{}: the other theme looks the same", entry.id);
        let played: usize = shown("data-played").parse().unwrap();
        assert!((2..steps).contains(&played), "{}: {played} steps in 1.5 s", entry.id);
        assert_eq!(shown("data-playing"), "false", "{}", entry.id);
        assert!(shown("data-png").parse::<u32>().unwrap() > 5_000, "{}: an empty picture", entry.id);
        let body = dom.split_once("<script").unwrap().0;
        assert_eq!(body.matches("</li>").count(), steps + 1, "{}", entry.id);
        assert_eq!(body.matches("<output>").count(), seats, "{}", entry.id);
        assert!(body.split_once("id=\"picture\"").unwrap().1.trim_start_matches('>').starts_with("<svg"));
    }
}
