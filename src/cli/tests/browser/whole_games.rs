//! Whole games on the page of `ludovec web`, from the first decision to the result: by mouse, by keys alone, and by
//! touch on a phone; by mouse also on the static pages. A person in seat 0 chooses on the board if it offers places.

use std::net::SocketAddr;

use ludovec::games::GAMES;
use serde_json::Value;

use crate::Browser;
use crate::devtools::Tab;
use crate::static_pages;
use crate::web::serve;

/// Reports the contents of the page.
const PERSON: &str = include_str!("whole_games.js");

/// Decisions after which a game counts as endless.
const MOST: usize = 500;

/// Options that make a game short.
fn short(env: &str) -> &'static str {
    match env {
        "chess" => "&max_plies=40",
        "empires" => "&players=2&width=10&height=10&max_turns=15",
        "smallworld" | "tilewe" => "&players=2",
        "starwars_risk" => "&max_rounds=2",
        _ => "",
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Mouse,
    Keys,
    Fingers,
}

/// The browser has lost a touch: neither the page nor this test ever hears of it.
struct LostTouch;

/// A person at a tab.
struct Person {
    tab: Tab,
    way: Way,
    seen: Value,
    /// State of the random number generator for choices.
    chance: u64,
}

impl Person {
    fn number(&self, name: &str) -> usize {
        self.seen[name].as_u64().unwrap_or_else(|| panic!("{name} in {}", self.seen)) as usize
    }

    /// A random index below `among`.
    fn any(&mut self, among: usize) -> usize {
        self.chance =
            self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.chance >> 33) as usize % among
    }

    /// Reads the page once nothing moves.
    fn look(&mut self) {
        self.seen = self.tab.value("person.see()");
        self.check();
    }

    fn check(&self) {
        assert_eq!(self.seen["error"], "", "{}", self.seen);
        assert!(
            self.seen["wider"].as_i64().is_some_and(|wider| wider <= 0),
            "wider than the window: {}",
            self.seen
        );
    }

    /// Points at the element of `find`.
    fn point(&mut self, find: &str) -> Result<(), LostTouch> {
        let at = self.tab.value(find);
        let at = serde_json::from_value(at)
            .unwrap_or_else(|_| panic!("{find} cannot be pointed at: {}", self.seen));
        let clicks = self.number("clicks") + 1;
        match self.way {
            Way::Fingers => {
                let touches = |tab: &mut Tab| tab.value("person.touches()").as_u64().expect("a number");
                let before = touches(&mut self.tab);
                let answered = self.tab.tap(at);
                if answered < 2 {
                    // The fault is the page's if the touch has arrived there.
                    assert_eq!(touches(&mut self.tab), before + answered, "{}", self.seen);
                    return Err(LostTouch);
                }
            }
            _ => self.tab.click(at),
        }
        self.seen = self.tab.value(&format!("person.see({clicks})"));
        self.check();
        Ok(())
    }

    /// Presses Tab until the wanted element has the focus, and checks that the focus is visible.
    fn lead_focus(&mut self, to: &str) {
        for _ in 0..MOST {
            if self.seen["focus"] == to {
                assert_eq!(self.seen["focusSeen"], true, "{}", self.seen);
                return;
            }
            self.tab.press("Tab");
            self.look();
        }
        panic!("Tab does not lead to a {to}: {}", self.seen);
    }

    /// Chooses a place of the board: an unchosen one, as long as there is one that an action lacks.
    fn choose_place(&mut self) -> Result<(), LostTouch> {
        if self.way == Way::Keys {
            self.lead_focus("place");
            for _ in 0..self.any(3) {
                let way = ["ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"][self.any(4)];
                self.tab.press(way);
            }
            self.tab.press("Enter");
            self.look();
            return Ok(());
        }
        let marks = self.seen["marks"].as_array().expect("marks are listed");
        let those = |name: &str, is: bool| {
            let of = |(i, mark): (usize, &Value)| (mark[name] == is).then_some(i);
            marks.iter().enumerate().filter_map(of).collect::<Vec<_>>()
        };
        let wanted = [those("next", true), those("chosen", false), (0..marks.len()).collect()];
        let wanted = wanted.into_iter().find(|places| !places.is_empty()).expect("there is a place");
        let place = wanted[self.any(wanted.len())];
        self.point(&format!("person.place({place})"))
    }

    fn choose_action(&mut self) -> Result<(), LostTouch> {
        let among = self.number("buttons");
        let i = self.any(among);
        if self.way == Way::Keys {
            self.lead_focus("action");
            for _ in 0..i.min(5) {
                self.tab.press("Tab");
            }
            self.look();
            self.lead_focus("action");
            self.tab.press("Enter");
            self.look();
            Ok(())
        } else {
            self.point(&format!("person.button({i})"))
        }
    }

    /// Decides: on the board if it has places, or from the list if four of them make no action. Returns whether the
    /// board was enough.
    fn decide(&mut self) -> Result<bool, LostTouch> {
        let before = self.number("steps");
        for _ in 0..4 {
            if self.seen["marks"].as_array().is_none_or(Vec::is_empty) {
                break;
            }
            self.choose_place()?;
            if self.number("steps") > before {
                return Ok(true);
            }
        }
        self.choose_action()?;
        assert!(self.number("steps") > before, "nothing was played: {}", self.seen);
        Ok(false)
    }

    /// Plays a game from the first decision to its end. Returns the numbers of decisions in which the board offered
    /// places, and of those made there.
    fn play(&mut self, env: &str, url: &str) -> Result<[usize; 2], LostTouch> {
        self.tab.visit(url, PERSON);
        self.seen = self.tab.value("person.begin()");
        let [mut offered, mut on_board] = [0, 0];
        while self.seen["over"] == false {
            self.check();
            let marks = self.seen["marks"].as_array().map_or(0, Vec::len);
            offered += usize::from(marks > 0);
            on_board += usize::from(self.decide()?);
            assert!(self.number("steps") < MOST, "{env} goes on: {}", self.seen);
        }
        self.check();
        Ok([offered, on_board])
    }
}

fn play_all(test: &str, way: Way, size: [u32; 2]) {
    let Some(browser) = Browser::find(test) else { return };
    play_all_at(
        serve(None),
        &browser,
        test,
        way,
        size,
        &GAMES.iter().map(|entry| entry.id).collect::<Vec<_>>(),
    );
}

fn play_all_at(address: SocketAddr, browser: &Browser, test: &str, way: Way, size: [u32; 2], games: &[&str]) {
    let open = || Tab::open(browser, size, way == Way::Fingers);
    let mut person = Person { tab: open(), way, seen: Value::Null, chance: 1 };
    for &env in games {
        let options = short(env);
        let url = format!("http://{address}/#play/{env}?seed=3&seats=human,random&names=Ann,Bob{options}");
        let chance = person.chance;
        let played = person.play(env, &url).or_else(|LostTouch| {
            // On a busy machine Chromium may lose a touch: then another one is started.
            (person.tab, person.chance) = (open(), chance);
            person.play(env, &url)
        });
        let Ok([offered, on_board]) = played else { panic!("{env}: two browsers lost a touch") };
        let end = person.tab.value("person.end()");
        println!("{test} {env}: {on_board} of {offered} {} {end}", person.seen["status"]);
        let said = person.seen["status"].as_str().expect("a text").to_lowercase();
        assert!(["won", "share", "drawn", "stopped"].iter().any(|word| said.contains(word)), "{env}: {said}");
        assert_eq!(end["visible"], true, "{env}");
        assert_eq!(end["actions"], person.seen["steps"], "{env}: {end}");
        let numbers = |name: &str| -> Vec<f64> {
            let list = end[name].as_array().expect("a list");
            list.iter().map(|n| n.as_f64().expect("a number")).collect()
        };
        assert_eq!(numbers("scores"), numbers("shown"), "{env}");
        assert!(offered > 0 && on_board > 0, "{env}: {on_board} of {offered} decisions on the board");
        assert!(person.tab.complaints.is_empty(), "{env}: {:?}", person.tab.complaints);
    }
}

#[test]
fn whole_games_by_mouse() {
    play_all("whole_games_by_mouse", Way::Mouse, [1200, 800]);
}

#[test]
fn whole_games_by_keys() {
    play_all("whole_games_by_keys", Way::Keys, [1200, 800]);
}

#[test]
fn whole_games_on_a_phone() {
    play_all("whole_games_on_a_phone", Way::Fingers, [390, 800]);
}

#[test]
fn whole_games_without_a_server() {
    let test = "whole_games_without_a_server";
    let Some((address, games)) = static_pages::serve(test) else { return };
    let Some(browser) = Browser::find(test) else { return };
    play_all_at(address, &browser, test, Way::Mouse, [1200, 800], &games);
}
