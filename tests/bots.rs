//! Bot strength, by tournaments over the registry; external bots and their faults.

use std::sync::Arc;

use ludovec::engine::{AnyGame, Entry, Error, Interrupt, OptionValue, SingleGame, Status};
use ludovec::games::GAMES;
use ludovec::play::outside_bot::OutsideBot;
use ludovec::play::player::{DEFAULT_TIME_LIMIT, Player};
use ludovec::play::tournament::{Pairings, TournamentConfig, TournamentResult, play};

fn is_long() -> bool {
    std::env::var_os("LUDOVEC_LONG").is_some()
}

fn make(entry: &Entry, options: &[(&str, i64)]) -> Arc<dyn AnyGame> {
    let given: Vec<_> = options.iter().map(|&(key, value)| (key, OptionValue::from(value))).collect();
    entry.make(given).unwrap()
}

/// Default options, except for games with a board size: two players on a small board.
fn small(entry: &Entry) -> Arc<dyn AnyGame> {
    let has = |key: &str| entry.options().iter().any(|option| option.name == key);
    let options: &[_] = if has("width") { &[("players", 2), ("width", 10), ("height", 8)] } else { &[] };
    make(entry, options)
}

fn tournament(game: &Arc<dyn AnyGame>, players: Vec<Player>, games: u64) -> TournamentResult {
    let config = TournamentConfig { games, seed: 1, ..TournamentConfig::default() };
    play(game, &players, Pairings::RoundRobin, &config, &Interrupt::default(), |_, _| ()).unwrap()
}

fn bots(game: &Arc<dyn AnyGame>, names: &[&str]) -> Vec<Player> {
    names.iter().map(|name| Player::parse(&**game, name, DEFAULT_TIME_LIMIT).unwrap()).collect()
}

/// Each of `names` gets at least `share` of the points against every later one.
fn assert_order(game: &Arc<dyn AnyGame>, names: &[&str], games: u64, share: f64) {
    // A round robin shares its games among the groups of players that fill the seats.
    let seats = game.spec().players.min(names.len());
    let groups = (0..seats).fold(1, |groups, k| groups * (names.len() - k) / (k + 1));
    let table = tournament(game, bots(game, names), games * groups as u64);
    for pairing in &table.pairings {
        let points = pairing.point_share;
        let [a, b] = &pairing.bots;
        println!("{}: {a} gets {points:.2} against {b} in {}", game.spec().env, pairing.games);
        assert!(points >= share, "{}: {a} gets {points:.2} against {b}", game.spec().env);
    }
}

#[test]
fn greedy_beats_random_everywhere() {
    for entry in GAMES {
        let games = if is_long() { 400 } else { 40 };
        assert_order(&make(entry, &[]), &["greedy", "random"], games, 0.6);
    }
}

#[test]
fn search_beats_greedy_and_random() {
    for entry in GAMES {
        let (game, playouts, games) =
            if is_long() { (make(entry, &[]), 200, 60) } else { (small(entry), 60, 16) };
        let search = format!("search:{playouts}");
        assert_order(&game, &[&search, "greedy"], games, 0.55);
        assert_order(&game, &[&search, "random"], games / 2, 0.7);
        assert_order(&game, &[&format!("flat:{playouts}"), "random"], games / 2, 0.7);
    }
}

#[cfg(feature = "games")]
#[test]
fn bots_of_the_originals_have_their_known_orders() {
    let game = |id: &str, options: &[(&str, i64)]| make(ludovec::games::find(id).unwrap(), options);
    assert_order(&game("tilewe", &[]), &["move_difference", "largest_piece", "random"], 96, 0.55);
    // On the larger default map the game would end in a draw before the bot reaches an undefended castle.
    let map = [("players", 2), ("width", 16), ("height", 10)];
    assert_order(&game("empires", &map), &["aggressive", "passive"], 10, 0.9);
}

/// A network with the same answer for every game.
struct Always(Result<u32, String>);

impl OutsideBot for Always {
    fn choose(&mut self, games: &[&SingleGame], _: &Interrupt) -> Vec<Result<u32, String>> {
        vec![self.0.clone(); games.len()]
    }
}

/// Answers none.
struct Silent;

impl OutsideBot for Silent {
    fn choose(&mut self, _: &[&SingleGame], _: &Interrupt) -> Vec<Result<u32, String>> {
        Vec::new()
    }
}

#[test]
fn a_bot_that_fails_loses_its_moves_and_stops_no_game() {
    for entry in GAMES {
        let game = small(entry);
        let rude = [
            (Player::outside("failing", Always(Err("out of ideas".into()))), "out of ideas"),
            (Player::outside("nonsense", Always(Ok(u32::MAX))), "4294967295"),
            (Player::outside("silent", Silent), "did not answer"),
        ];
        for (bot, reason) in rude {
            let name = bot.name().to_string();
            let mut players = bots(&game, &["random"]);
            players.push(bot);
            let table = tournament(&game, players, 2);
            let standing = table.standings.iter().find(|s| s.bot == name).unwrap();
            assert!(standing.faults > 0 && table.games == 2, "{}: {name}", entry.id);
            assert!(
                table.faults.iter().all(|f| f.bot == name && f.reason.contains(reason)),
                "{:?}",
                table.faults
            );
        }
    }
}

/// External bots, over HTTP.
#[cfg(feature = "remote")]
mod remote {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    use super::*;

    /// A server's handling of a request.
    type Treatment = fn(TcpStream);

    /// A server that handles every request in the same way; returns its address.
    fn serve(treat: Treatment) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || listener.incoming().flatten().for_each(treat));
        address
    }

    /// Reads a request to its end and answers with a body.
    fn answer(mut stream: TcpStream, status: &str, body: &str) {
        let mut request = Vec::new();
        let mut chunk = [0; 4096];
        loop {
            let text = String::from_utf8_lossy(&request).to_lowercase();
            let length =
                text.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.parse().ok());
            if let (Some(head), Some(length)) = (text.find("\r\n\r\n"), length)
                && request.len() >= head + 4 + usize::min(length, 1 << 30)
            {
                break;
            }
            match stream.read(&mut chunk) {
                Ok(n) if n > 0 => request.extend_from_slice(&chunk[..n]),
                _ => return,
            }
        }
        let length = body.len();
        let _ = write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
    }

    #[test]
    fn a_remote_bot_that_hangs_fails_or_talks_nonsense_stops_no_game() {
        let game = small(&GAMES[0]);
        let servers: [(Treatment, &str); 5] = [
            (|stream| std::mem::forget(stream), "no answer within"),
            (drop, "no answer"),
            (|stream| answer(stream, "500 Internal Server Error", ""), "status 500"),
            (|stream| answer(stream, "200 OK", "hello"), "not JSON"),
            (|stream| answer(stream, "200 OK", r#"{"action": {"type": "DANCE"}}"#), "illegal"),
        ];
        for (treat, reason) in servers {
            let url = serve(treat);
            // Only a silent server can exceed the time limit, however busy the machine is.
            let limit = if reason == "no answer within" { 200 } else { 60_000 };
            let mut players = bots(&game, &["random"]);
            players.push(Player::parse(&*game, &url, Duration::from_millis(limit)).unwrap());
            let table = tournament(&game, players, 2);
            assert!(table.faults.iter().any(|fault| fault.reason.contains(reason)), "{:?}", table.faults);
        }
        for address in ["http://", "http://a/b", "https://a", "http:a"] {
            let error = Player::parse(&*game, address, DEFAULT_TIME_LIMIT).map(drop).unwrap_err().to_string();
            assert!(error.contains("http://"), "{error}");
        }
    }

    #[test]
    fn a_redirect_is_an_error_and_is_not_followed() {
        use std::sync::OnceLock;
        use std::sync::atomic::{AtomicU32, Ordering};
        static ASKED: AtomicU32 = AtomicU32::new(0);
        static ELSEWHERE: OnceLock<String> = OnceLock::new();
        let game = small(&GAMES[0]);
        ELSEWHERE.get_or_init(|| {
            serve(|stream| {
                ASKED.fetch_add(1, Ordering::Relaxed);
                answer(stream, "200 OK", "{}");
            })
        });
        let redirections: [(Treatment, &str); 3] = [
            (
                |stream| {
                    answer(
                        stream,
                        &format!("307 Temporary Redirect\r\nLocation: {}/turn", ELSEWHERE.get().unwrap()),
                        "",
                    )
                },
                "status 307",
            ),
            (
                |stream| {
                    answer(stream, &format!("302 Found\r\nLocation: {}/turn", ELSEWHERE.get().unwrap()), "")
                },
                "status 302",
            ),
            (|stream| answer(stream, "301 Moved Permanently\r\nLocation: /elsewhere", ""), "status 301"),
        ];
        for (treat, reason) in redirections {
            let bot = Player::parse(&*game, &serve(treat), Duration::from_secs(20)).unwrap();
            let decision = bot.act(&game.clone().single(2), &Interrupt::default()).unwrap();
            let fault = decision.fault.unwrap().reason;
            assert!(fault.contains(reason), "{fault}");
        }
        assert_eq!(ASKED.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn a_player_acts_in_a_single_game() {
    for entry in GAMES {
        let game = small(entry);
        let play = game.clone().single(2);
        let decision = bots(&game, &["greedy"])[0].act(&play, &Interrupt::default()).unwrap();
        assert!(play.check(decision.action).is_ok() && decision.fault.is_none());
        let decision = Player::outside("rude", Silent).act(&play, &Interrupt::default()).unwrap();
        assert!(play.check(decision.action).is_ok() && decision.estimate.is_none());
        assert_eq!(decision.fault.unwrap().player, play.current_player());
    }
}

#[test]
fn a_searching_bot_gives_an_analysis() {
    let unbroken = Interrupt::default();
    for entry in GAMES {
        let game = small(entry);
        let mut play = game.clone().single(2);
        for (step, bot) in ["search:12", "flat:12", "search:5"].into_iter().cycle().take(9).enumerate() {
            let bot = &bots(&game, &[bot])[0];
            let analysis = bot.analyse(&play, &unbroken).unwrap();
            let decision = bot.act(&play, &unbroken).unwrap();
            let (actions, shares): (Vec<u32>, Vec<f32>) = analysis.shares.iter().copied().unzip();
            assert_eq!(actions, play.legal_actions(), "{} {step}", entry.id);
            assert!(
                (shares.iter().sum::<f32>() - 1.0).abs() < 1e-4 && shares.iter().all(|&share| share >= 0.0)
            );
            assert!(analysis.values.iter().all(|value| value.abs() <= 1.0), "{analysis:?}");
            // The analysis equals the search by which the bot chooses; with a single legal action there is no
            // search.
            let own = analysis.values[play.current_player()];
            assert_eq!(decision.estimate, (actions.len() > 1).then_some(own), "{} {step}", entry.id);
            assert_eq!(decision.action, analysis.action);
            assert_eq!(play.bot_action(bot.name()).unwrap(), analysis.action);
            play.step(decision.action).unwrap();
            if play.status() != Status::Running {
                break;
            }
        }
        let said = bots(&game, &["greedy"])[0].analyse(&game.clone().single(2), &unbroken).unwrap_err();
        assert!(said.to_string().contains("search:N"), "{said}");
        let stopped = Interrupt::default();
        stopped.raise();
        let said = bots(&game, &["search"])[0].analyse(&game.clone().single(2), &stopped).unwrap_err();
        assert!(matches!(said, Error::Interrupted(_)), "{said}");
    }
}

#[test]
fn requests_to_external_bots_are_enough_to_choose() {
    for entry in GAMES {
        let game = small(entry);
        let mut play = game.clone().single(6);
        for step in 0..60 {
            if play.status() != Status::Running {
                break;
            }
            let legal = play.legal_actions();
            let told = game.clone().single_from_bot_request(&play.bot_request(), step).unwrap();
            assert_eq!(told.legal_actions(), legal, "{}, step {step}", entry.id);
            let action = legal[step as usize * 7 % legal.len()];
            let reply = told.bot_reply(action).unwrap();
            assert_eq!(play.action_from_bot_reply(&reply), Ok(action), "{}: {reply}", entry.id);
            play.step(action).unwrap();
        }
        for nonsense in ["null", "[]", r#"{"map_size": [1, 1]}"#, r#"{"position": {"world": 3}}"#] {
            let request = serde_json::from_str(nonsense).unwrap();
            assert!(game.clone().single_from_bot_request(&request, 0).is_err(), "{}: {nonsense}", entry.id);
        }
    }
}
