//! What people see and do on the page: the first screen, the board, the past, the address, small screens.

use ludovec::games::GAMES;
use serde_json::{Value, json};

use crate::Browser;
use crate::devtools::Tab;
use crate::web::serve;

const HELPERS: &str = include_str!("people.js");

/// A tab on a page of a new server.
struct Visit {
    tab: Tab,
    address: String,
}

impl Visit {
    fn new(test: &str, size: [u32; 2], touch: bool) -> Option<Self> {
        let browser = Browser::find(test)?;
        let tab = Tab::open(&browser, size, touch);
        Some(Self { tab, address: format!("http://{}/", serve(None)) })
    }

    fn go(&mut self, hash: &str) {
        self.tab.visit(&format!("{}{hash}", self.address), HELPERS);
        self.value("page.until('the page', () => document.querySelector('#play .home'))");
    }

    fn value(&mut self, expression: &str) -> Value {
        self.tab.value(expression)
    }

    fn text(&mut self, selector: &str) -> String {
        self.value(&format!("page.text({selector:?})")).as_str().expect("a text").into()
    }

    fn until(&mut self, test: &str) {
        self.value(&format!("page.until({test:?}, () => {test}).then(() => true)"));
    }

    fn point(&mut self, expression: &str) -> [f64; 2] {
        let at = self.value(expression);
        serde_json::from_value(at.clone()).unwrap_or_else(|_| panic!("{expression}: {at}"))
    }

    fn click(&mut self, expression: &str) {
        let at = self.point(expression);
        self.tab.click(at);
    }

    fn square(&mut self, square: &str) {
        self.click(&format!("page.square({square:?})"));
    }

    fn calm(&self) {
        assert!(self.tab.complaints.is_empty(), "{:?}", self.tab.complaints);
    }
}

#[test]
fn the_first_screen_starts_a_game_by_one_click() {
    let Some(mut visit) = Visit::new("the_first_screen_starts_a_game_by_one_click", [1200, 800], false)
    else {
        return;
    };
    visit.go("");
    visit.until("page.all('.cards .picture').filter(p => p.shadowRoot?.querySelector('svg')).length === 5");
    assert_eq!(visit.value("page.all('.cards .card').length"), GAMES.len());
    let levels = visit.value("page.all('.levels label').map(label => label.textContent.trim())");
    let levels: Vec<String> = serde_json::from_value(levels).unwrap();
    assert_eq!(levels.len(), 8);
    for (level, number) in levels.iter().zip(1..) {
        assert!(
            level.starts_with(&format!("level {number}")) && level.ends_with('.') && level.len() > 20,
            "{level}"
        );
    }
    assert_eq!(visit.value("page.all('.levels input:checked').length"), 1);
    visit.click("page.point('.cards .card:nth-child(3) button')");
    visit.value("page.turn()");
    assert_eq!(visit.value("page.visible('.home')"), false);
    let players = visit.value("page.all('.scores td:nth-child(2)').map(cell => cell.textContent)");
    assert_eq!(players, json!(["you", "net:champion?level=4"]));
    // The first screen comes back.
    visit.value("location.hash = '#new'");
    visit.until("page.visible('.home') && !page.visible('.stage')");
    visit.calm();
}

#[test]
fn chess_is_played_as_people_know_it() {
    let Some(mut visit) = Visit::new("chess_is_played_as_people_know_it", [1200, 800], false) else { return };
    visit.go("#play/chess?seed=1&seats=human,human&names=Ann,Ben");
    visit.value("page.turn()");
    // Every refused click says why.
    for (square, expected) in [("e5", "empty"), ("e7", "black"), ("a1", "no legal move")] {
        visit.square(square);
        visit.until("page.text('.why') !== ''");
        let said = visit.text(".why");
        assert!(said.contains(expected), "{square}: {said}");
        visit.value("page.find('.clear').onclick()");
    }
    visit.square("e2");
    assert_eq!(visit.value("page.targets()"), 2);
    visit.square("e5");
    visit.until("page.text('.why').includes('cannot go to e5')");
    // A drag is a move.
    let (from, to) = (visit.point("page.square('e2')"), visit.point("page.square('e4')"));
    visit.tab.drag(from, to);
    visit.until("page.steps() === 1");
    // The second click of a double click is ignored.
    let e5 = visit.point("page.button('e5')");
    visit.value("window.before = page.steps()");
    visit.tab.click(e5);
    visit.tab.click(e5);
    visit.until("page.steps() >= 2");
    visit.value("new Promise(done => setTimeout(done, 300))");
    let steps = visit.value("page.steps()").as_u64().unwrap();
    assert!((2..=3).contains(&steps), "{steps}");
    assert_eq!(visit.value("document.getElementById('error').hidden"), true);
    // The board turns.
    let before = visit.point("page.square('a1')");
    visit.click("page.point('.flip')");
    visit.until("page.square('a1')[1] < 400");
    assert!(visit.point("page.square('a1')")[1] < before[1]);
    // A promotion is chosen on the board.
    visit.go("#play?text=8/P6k/8/8/8/8/8/K7%20w%20-%20-%200%201");
    visit.value("page.turn()");
    visit.square("a7");
    visit.square("a8");
    visit.until("page.visible('.chooser')");
    assert_eq!(visit.value("page.all('.chooser button').length"), 5);
    visit.click("page.button('a8=N')");
    visit.until("page.steps() === 1");
    assert_eq!(visit.value("page.text('.log li')"), "Whitea8=N");
    // Black sees its own side.
    visit.go("#play/chess?seed=1&seats=random,human");
    visit.value("page.turn()");
    assert!(visit.point("page.square('a8')")[1] > visit.point("page.square('a1')")[1]);
    visit.calm();
}

#[test]
fn a_place_with_one_action_plays_it_with_one_click() {
    let test = "a_place_with_one_action_plays_it_with_one_click";
    let Some(mut visit) = Visit::new(test, [1200, 800], false) else { return };
    for game in ["smallworld?players=2", "starwars_risk?max_rounds=2", "empires?players=2&width=10&height=10"]
    {
        visit.go(&format!("#play/{game}&seed=3&seats=human,random"));
        visit.value("page.turn()");
        visit.value("page.find('.delay').value = 0");
        let mut single = 0;
        for _ in 0..20 {
            let before = visit.value("page.steps()");
            let at = visit.value("page.single()");
            match serde_json::from_value::<[f64; 2]>(at) {
                Ok(at) => {
                    visit.tab.click(at);
                    single += 1;
                }
                Err(_) => visit.click("page.point('.actions button')"),
            }
            visit.until(&format!("page.steps() > {before} && !page.text('.status').includes('is to move')"));
            if visit.value("page.text('.status').includes('your turn')") == false {
                break;
            }
        }
        assert!(single > 3, "{game}: {single}");
    }
    // Two places take two clicks.
    visit.go("#play/chess?seed=1&seats=human,human");
    visit.value("page.turn()");
    visit.square("e2");
    visit.square("e4");
    visit.until("page.steps() === 1");
    visit.go("#play/tilewe?seed=1&seats=human,random,random,random");
    visit.value("page.turn()");
    visit.square("O1");
    visit.square("a1");
    visit.until("page.steps() >= 1");
    assert_eq!(visit.text(".log li:first-child"), "BluePlace O1 on a1");
    visit.calm();
}

#[test]
fn a_piece_of_tilewe_is_turned_and_put_down() {
    let test = "a_piece_of_tilewe_is_turned_and_put_down";
    let Some(mut visit) = Visit::new(test, [1200, 800], false) else { return };
    visit.go("#play/tilewe?seed=1&seats=human,random,random,random");
    visit.value("page.turn()");
    visit.square("L4");
    let turned = "page.text('.orientations [aria-pressed=true]')";
    assert_eq!(visit.value(turned), "as printed");
    for (key, name) in [("r", "quarter right"), ("f", "flipped, quarter right"), ("f", "quarter right")] {
        visit.tab.press(key);
        assert_eq!(visit.value(turned), name, "{key}");
    }
    // In the middle of the board it fits nowhere.
    visit.square("j9");
    visit.until("page.text('.why').includes('does not fit')");
    visit.tab.press("Escape");
    assert_eq!(visit.value("page.visible('.orientations')"), false);
    // The list shows an action on the board.
    visit.value("page.find('.actions button').onmouseenter()");
    assert_eq!(visit.value("page.find('.board').shadowRoot.querySelectorAll('.preview').length"), 1);
    let (piece, square) = (visit.point("page.square('L4')"), visit.point("page.square('a2')"));
    visit.tab.drag(piece, square);
    visit.until("page.steps() >= 1");
    assert_eq!(visit.text(".log li:first-child"), "BluePlace L4 on a1 b1 a2 a3");
    visit.calm();
}

#[test]
fn chess_has_clocks_captures_arrows_and_ends_of_its_own() {
    let test = "chess_has_clocks_captures_arrows_and_ends_of_its_own";
    let Some(mut visit) = Visit::new(test, [1200, 800], false) else { return };
    visit.go("#play/chess?seed=1&seats=human,human&names=Ann,Ben");
    visit.value("page.turn()");
    visit.value("{ page.find('.clock').value = '3+2'; page.find('.clock').onchange(); }");
    for (played, [from, to]) in [["e2", "e4"], ["d7", "d5"], ["e4", "d5"]].into_iter().enumerate() {
        visit.square(from);
        visit.square(to);
        visit.until(&format!("page.steps() > {played}"));
    }
    assert_eq!(visit.text(".scores tr:first-child .taken"), "\u{265f}+1");
    let time = visit.text(".scores tr:first-child .time");
    assert!(time.starts_with("3:0"), "{time}");
    visit.until("page.text('.scores tr:nth-child(2) .time').startsWith('2:5')");
    assert_eq!(
        visit.value("page.all('.log [data-number]').map(line => line.dataset.number)"),
        json!(["1", "2"])
    );
    // The moves are saved as PGN.
    visit.value(
        "window.saved = null; URL.createObjectURL = file => { file.text().then(text => { window.saved = text; }); return '#'; }; \
         HTMLAnchorElement.prototype.click = () => {}; page.find('.pgn').onclick()",
    );
    visit.until("window.saved?.includes('1. e4 d5 2. exd5 *')");
    visit.click("page.point('.resign')");
    visit.until("page.text('.status') === 'Ben resigns: Ann wins.'");
    assert_eq!(visit.value("page.visible('.choose')"), false);
    // Undo takes a resignation back.
    visit.click("page.point('.undo')");
    visit.until("page.text('.status') === 'Ann: your turn'");
    visit.calm();
}

#[test]
fn names_of_races_cards_and_structures_are_explained() {
    let test = "names_of_races_cards_and_structures_are_explained";
    let Some(mut visit) = Visit::new(test, [1200, 800], false) else { return };
    let games = [("smallworld", "Sorcerers"), ("starwars_risk", "lightsaber"), ("empires", "castle")];
    for (env, name) in games {
        let seats = GAMES.iter().find(|entry| entry.id == env).unwrap().make([]).unwrap().spec().players;
        visit.go(&format!("#play/{env}?seed=1&seats=human{}", ",random".repeat(seats - 1)));
        visit.value("page.turn()");
        let told = visit.value("page.all('.meanings dt').map(name => name.textContent)");
        assert!(told.as_array().is_some_and(|names| names.contains(&json!(name))), "{env}: {told}");
    }
    visit.go("#play/smallworld?seed=1&seats=human,random,random");
    visit.value("page.turn()");
    visit.value(
        "page.find('.actions button').dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: 9, clientY: 9 }))",
    );
    assert!(visit.text(".tip").contains("Sorcerers"), "{}", visit.text(".tip"));
    visit.calm();
}

#[test]
fn the_past_is_shown_valued_and_priced() {
    let Some(mut visit) = Visit::new("the_past_is_shown_valued_and_priced", [1200, 800], false) else {
        return;
    };
    // The fool's mate.
    visit.go("#play?text=1.%20f3%20e5%202.%20g4%20Qh4%23%200-1");
    visit.until("page.steps() === 4 && page.text('.at') === '0 of 4'");
    let first = visit.value("page.drawing()");
    visit.click("page.point('.on')");
    visit.until("page.text('.at') === '1 of 4'");
    assert_ne!(visit.value("page.drawing()"), first);
    visit.click("page.point('.log li:nth-child(3) button')");
    visit.until("page.text('.at') === '3 of 4'");
    assert_eq!(visit.value("page.find('.log [aria-current=true]').textContent"), "Whiteg4");
    // A hint for a position of a finished game.
    visit.value("page.find('.adviser').value = 'search:200'");
    visit.click("page.point('.hint')");
    visit.until("page.visible('.said')");
    let best = visit.text(".best li");
    // The mate is proven by the rules before the first simulation.
    assert!(best.contains("Qh4#") && best.contains("value 1") && !best.contains("visits"), "{best}");
    // Every action has its loss against the best one.
    let prices = visit.value("page.all('.best b').map(price => price.textContent)");
    let prices: Vec<String> = serde_json::from_value(prices).unwrap();
    assert_eq!(prices[0], "best");
    let priced = |price: &String| price.ends_with('%') || price == "equal" || price == "?";
    assert!(prices.len() > 1 && prices[1..].iter().all(priced), "{prices:?}");
    assert!(visit.text(".expected b").contains("Black"), "{}", visit.text(".expected"));
    // The review.
    visit.value("page.find('.adviser').value = 'net:champion:8'");
    visit.click("page.point('.judge')");
    visit.until("page.all('.curve path').length > 3 && !page.find('.judge').disabled");
    // One area for two players, and the value of the position beside the board.
    assert_eq!(visit.value("page.all('.curve rect').length"), 1);
    assert_eq!(visit.value("page.visible('.bar')"), true);
    let told = visit.text(".review .summary");
    assert!(told.contains("White") && told.contains("blunders"), "{told}");
    visit.click("page.point('.log li:nth-child(3) button')");
    visit.until("page.text('.told').includes('best:')");
    let priced = visit.value("page.all('.log em').map(em => em.textContent)");
    assert!(priced[0].as_str().is_some_and(|mark| mark.contains('?')), "{priced}");
    // Keys step, too.
    visit.tab.press("ArrowLeft");
    visit.until("page.text('.at') === '2 of 4'");
    visit.calm();
}

#[test]
fn a_game_is_in_its_address() {
    let Some(mut visit) = Visit::new("a_game_is_in_its_address", [1200, 800], false) else { return };
    visit.go("#play/chess?seed=1&seats=human,human");
    visit.value("page.turn()");
    for (played, [from, to]) in [["e2", "e4"], ["e7", "e5"]].into_iter().enumerate() {
        visit.square(from);
        visit.square(to);
        visit.until(&format!("page.steps() > {played}"));
    }
    visit.until("page.steps() === 2 && location.hash.includes('actions=')");
    let hash = visit.value("location.hash").as_str().unwrap().to_string();
    // A bare "#play" finds the game of this tab again.
    visit.value("history.replaceState(null, '', '#play')");
    visit.tab.reload();
    visit.until("page.steps() === 2");
    assert_eq!(visit.value("location.hash"), hash.as_str());
    // Another server, which does not know the game, plays it again.
    visit.address = format!("http://{}/", serve(None));
    visit.go(&hash);
    visit.until("page.steps() === 2");
    assert_eq!(visit.value("page.text('.log')"), "Whitee4Blacke5");
    // Its text opens there, too.
    let record = visit.value("fetch(page.find('.record').href).then(answer => answer.text())");
    visit.go("#new");
    visit.value(&format!("page.find('.load textarea').value = {}", json!(record)));
    visit.value("page.find('.load form').requestSubmit()");
    visit.until("page.steps() === 2");
    visit.value("page.find('.load textarea').value = 'no game'");
    visit.value("page.find('.load form').requestSubmit()");
    visit.until("document.getElementById('error').textContent.includes('no game of another program')");
}

#[test]
fn a_text_that_was_played_on_and_a_position_are_in_an_address() {
    let test = "a_text_that_was_played_on_and_a_position_are_in_an_address";
    let Some(mut visit) = Visit::new(test, [1200, 800], false) else { return };
    // From a position, played on to the mate.
    visit.go("#play?text=6k1/5ppp/8/8/8/8/8/R5K1%20w%20-%20-%200%201");
    visit.value("page.turn()");
    assert!(visit.value("location.hash").as_str().is_some_and(|hash| hash.contains("text=6k1")));
    for (played, [from, to]) in
        [["g1", "f1"], ["h7", "h6"], ["a1", "a8"], ["g8", "h7"]].into_iter().enumerate()
    {
        visit.square(from);
        visit.square(to);
        visit.until(&format!("page.steps() > {played}"));
    }
    visit.until("location.hash.includes('packed=') && !location.hash.includes('text=')");
    // The address of the position after two moves.
    visit.value(
        "window.copied = null; navigator.clipboard.writeText = async text => { window.copied = text; }",
    );
    visit.value("page.turn()");
    // Until the page has finished the move, clicks in the log are ignored.
    visit.until("page.text('.at') === '2 of 4' || page.find('.log li:nth-child(2) button').click()");
    visit.click("page.point('.share')");
    visit.until("window.copied");
    let copied = visit.value("new URL(window.copied).hash");
    assert!(
        copied.as_str().is_some_and(|hash| hash.contains("packed=") && hash.ends_with("&at=2")),
        "{copied}"
    );
    // Another server opens it.
    visit.address = format!("http://{}/", serve(None));
    visit.go(copied.as_str().unwrap());
    visit.until("page.text('.at') === '2 of 4'");
    assert_eq!(visit.value("page.text('.log')"), "WhiteKf1Blackh6WhiteRa8+BlackKh7");
    // A damaged address is told.
    let damaged = copied.as_str().unwrap().replace("packed=", "packed=AAAA");
    visit.address = format!("http://{}/", serve(None));
    visit.go(&damaged);
    visit.until("document.getElementById('error').textContent.includes('damaged')");
}

#[test]
fn a_finished_game_keeps_its_address() {
    let Some(mut visit) = Visit::new("a_finished_game_keeps_its_address", [1200, 800], false) else { return };
    visit.go("#play/chess?seed=1&seats=human,human");
    visit.value("page.turn()");
    let mate = [["f2", "f3"], ["e7", "e5"], ["g2", "g4"], ["d8", "h4"]];
    for (played, [from, to]) in mate.into_iter().enumerate() {
        visit.square(from);
        visit.square(to);
        visit.until(&format!("page.steps() > {played}"));
    }
    visit.until(
        "page.text('.status').includes('won') && location.hash.split('actions=')[1]?.split('.').length === 4",
    );
    let hash = visit.value("location.hash").as_str().unwrap().to_string();
    visit.tab.reload();
    visit.until("page.text('.status').includes('won')");
    visit.address = format!("http://{}/", serve(None));
    visit.go(&hash);
    visit.until("page.text('.status').includes('won') && page.steps() === 4");
}

#[test]
fn two_people_with_hidden_cards_hand_the_screen_over() {
    let Some(mut visit) = Visit::new("two_people_with_hidden_cards_hand_the_screen_over", [1200, 800], false)
    else {
        return;
    };
    visit.go("#play/starwars_risk?seed=1&seats=human,human&names=Ann,Ben");
    visit.until("page.visible('.curtain')");
    assert_eq!(visit.value("page.visible('.board')"), false);
    let first = visit.text(".curtain button");
    visit.click("page.point('.curtain button')");
    visit.value("page.turn()");
    for _ in 0..60 {
        if visit.value("page.visible('.curtain')") == true {
            break;
        }
        let steps = visit.value("page.steps()");
        visit.click("page.point('.actions button')");
        visit.until(&format!("page.steps() > {steps} || page.visible('.curtain')"));
    }
    let second = visit.text(".curtain button");
    assert_eq!(visit.value("page.visible('.stage')"), false);
    assert!(first != second && second.starts_with("I am "), "{first} {second}");
    visit.calm();
}

#[test]
fn small_screens_have_legible_boards_and_large_targets() {
    let Some(mut visit) = Visit::new("small_screens_have_legible_boards_and_large_targets", [390, 800], true)
    else {
        return;
    };
    for entry in GAMES {
        let seats = entry.make([]).unwrap().spec().players;
        visit.go(&format!("#play/{}?seed=1&seats=human{}", entry.id, ",random".repeat(seats - 1)));
        visit.value("page.turn()");
        // The board fits the screen first; a button enlarges it.
        assert_eq!(
            visit.value("page.find('.frame').scrollWidth <= page.find('.frame').clientWidth"),
            true,
            "{}",
            entry.id
        );
        visit.value("page.visible('.zoom') && page.find('.zoom').click()");
        let sizes = visit.value("page.sizes()");
        let size = |name: &str| sizes[name].as_f64().unwrap_or_else(|| panic!("{name}: {sizes}"));
        assert!(size("text") >= 11.0, "{}: {sizes}", entry.id);
        assert!(size("places") > 0.0 && size("target") >= 24.0, "{}: {sizes}", entry.id);
        assert!(size("control") >= 24.0 && size("wider") <= 0.0, "{}: {sizes}", entry.id);
        // Chess fits the screen; what others have beside the board is text of the page.
        assert_eq!(size("beside") > 0.0, entry.id != "chess", "{}: {sizes}", entry.id);
        assert!(size("beside") == 0.0 || size("words") >= 11.0, "{}: {sizes}", entry.id);
        let rows = ["smallworld", "tilewe", "starwars_risk"].contains(&entry.id);
        assert_eq!(size("chosen") > 0.0, rows, "{}: rows that can be chosen: {sizes}", entry.id);
        // A review below the board does not shrink it.
        visit.value("page.find('.review').hidden = false");
        let reviewed = visit.value("page.sizes()");
        assert!(reviewed["text"].as_f64().is_some_and(|size| size >= 11.0), "{}: {reviewed}", entry.id);
    }
    visit.calm();
}

#[test]
fn panels_beside_the_board_are_clicked_like_the_board() {
    let test = "panels_beside_the_board_are_clicked_like_the_board";
    let Some(mut visit) = Visit::new(test, [390, 800], true) else { return };
    visit.go("#play/smallworld?seed=1&seats=human,random,random");
    visit.value("page.turn()");
    // The first combo is picked by its row: like a place of the board, it plays its only action.
    visit.click("page.point('.beside button.live')");
    visit.until("page.steps() === 1");
    assert!(visit.text(".log").contains("Pick"));
    visit.go("#play/tilewe?seed=1&seats=human,random,random,random");
    visit.value("page.turn()");
    let all = visit.value("page.all('.actions li').length").as_u64();
    visit.click("page.point('.beside button.live')");
    visit.until("page.find('.beside button[aria-pressed=true]')");
    assert!(visit.value("page.all('.actions li').length").as_u64() < all, "the row narrows the actions down");
    // On a wide screen the drawing shows everything.
    visit.tab.resize([1200, 800]);
    visit.until("!page.visible('.beside')");
    visit.calm();
}

#[test]
fn the_page_has_no_barriers_in_both_themes() {
    let Some(mut visit) = Visit::new("the_page_has_no_barriers_in_both_themes", [1200, 800], false) else {
        return;
    };
    // The checker of barriers finds those that are made on purpose.
    visit.go("#play/chess?seed=1&seats=human,random");
    visit.value("page.turn()");
    visit.value("page.find('.board').shadowRoot.querySelector('svg').setAttribute('role', 'img')");
    visit.value("page.find('.hint').style.borderColor = 'rgb(240, 240, 240)'");
    visit.value("page.find('.status').style.color = 'rgb(200, 200, 200)'");
    assert_eq!(visit.value("page.barriers().length"), 3);
    for (entry, size) in GAMES.iter().flat_map(|entry| [[1200, 800], [390, 800]].map(|size| (entry, size))) {
        visit.tab.resize(size);
        let seats = entry.make([]).unwrap().spec().players;
        visit.go(&format!("#play/{}?seed=1&seats=human{}", entry.id, ",random".repeat(seats - 1)));
        visit.value("page.turn()");
        for _ in 0..2 {
            assert_eq!(visit.value("page.barriers()"), json!([]), "{}", entry.id);
            let before = visit.value("document.documentElement.dataset.theme");
            visit.value("document.getElementById('theme').click()");
            visit.until(&format!(
                "document.documentElement.dataset.theme !== {before} && page.visible('.board')"
            ));
        }
    }
    visit.calm();
}
