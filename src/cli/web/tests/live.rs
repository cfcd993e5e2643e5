//! Games of fleets and tournaments, which pages watch.

use super::*;

/// A client of a server with a live view.
fn onlooker(live: Arc<dyn Live>) -> Client {
    Client { state: ServerState::new(ListenScope::Machine, Some(live)), ..Client::new(ListenScope::Machine) }
}

#[cfg(target_os = "linux")]
#[test]
fn the_games_of_a_fleet_are_shown_while_others_play_them() {
    use ludovec::engine::{BatchConfig, VectorEnv};
    use ludovec::shm::{Fleet, FleetConfig, attach};
    for entry in GAMES {
        let name = format!("web-{}-{}", std::process::id(), entry.id);
        let batch = BatchConfig { num_envs: 6, threads: Some(1), ..BatchConfig::default() };
        let config = FleetConfig { name: name.clone(), blocks: Some(2), mode: 0o600, batch };
        let fleet = Fleet::start(entry.make([]).unwrap(), config).unwrap();
        let client = onlooker(Arc::new(WatchedFleet::open(&name).unwrap()));
        let mut player = attach(&name, None).unwrap();
        player.reset(Some(3)).unwrap();
        let before = client.call("GET", "/api/live?first=1&count=4&large=2&theme=dark", Value::Null);
        assert_eq!((&before["total"], &before["running"]), (&json!(6), &json!(true)));
        let games = before["games"].as_array().unwrap();
        assert_eq!(games.iter().map(|game| &game["number"]).collect::<Vec<_>>(), [1, 2, 3, 4]);
        let drawing = |game: &Value| game["svg"].as_str().unwrap().len();
        assert!(
            drawing(&games[1]) > drawing(&games[0]),
            "{}: a whole drawing is more than a board",
            entry.id
        );
        for _ in 0..3 {
            player.step_sampled().unwrap();
        }
        let after = client.call("GET", "/api/live?first=1&count=4&theme=dark", Value::Null);
        assert_ne!(before["games"][0]["svg"], after["games"][0]["svg"], "{}", entry.id);
        assert!(
            client.call("GET", "/api/live?first=99", Value::Null)["games"].as_array().unwrap().is_empty()
        );
        assert!(client.refused("GET", "/api/live?theme=pink", "", 400).contains("pink"));
        drop(player);
        drop(fleet);
        assert!(client.refused("GET", "/api/live", "", 400).contains("stopped"));
    }
    assert_eq!(Client::new(ListenScope::Machine).call("GET", "/api/live", Value::Null), Value::Null);
}

#[test]
fn a_tournament_is_shown_while_it_is_played() {
    use ludovec::engine::Interrupt;
    use ludovec::play::player::{DEFAULT_TIME_LIMIT, Player};
    use ludovec::play::tournament::{Pairings, TournamentConfig, play_shown};
    for entry in GAMES {
        let watched = WatchedTournament::default();
        let client = onlooker(Arc::new(watched.clone()));
        let first = client.call("GET", "/api/live", Value::Null);
        assert_eq!((&first["running"], &first["table"]), (&json!(true), &json!([])));
        let game = entry.make([("max_steps", 20.into())]).unwrap();
        let player = |bot: &str| Player::parse(&*game, bot, DEFAULT_TIME_LIMIT).unwrap();
        let players = [player("random"), player("pass")];
        let config =
            TournamentConfig { games: 300, seed: 1, threads: Some(1), ..TournamentConfig::default() };
        let mut seen = Vec::new();
        let table =
            play_shown(&game, &players, Pairings::RoundRobin, &config, &Interrupt::default(), |progress| {
                watched.hand_over(progress)?;
                seen.push(client.call("GET", "/api/live", Value::Null));
                Ok(())
            })
            .unwrap();
        let mut under_way = seen.iter().filter(|scene| !scene["games"].as_array().unwrap().is_empty());
        let scene = under_way
            .next_back()
            .unwrap_or_else(|| panic!("{}: no games in {} scenes", entry.id, seen.len()));
        assert_eq!(scene["table"].as_array().unwrap().len(), 3, "{scene}");
        let label = scene["games"][0]["label"].as_str().unwrap();
        assert!(label.contains("random") && label.contains("pass"), "{label}");
        let farewell = std::thread::spawn({
            let (watched, table) = (watched.clone(), table.clone());
            move || watched.end(table)
        });
        let end = loop {
            let scene = client.call("GET", "/api/live", Value::Null);
            if scene["running"] == false {
                break scene;
            }
        };
        farewell.join().unwrap();
        assert_eq!(end["progress"], format!("{0} of {0} games", table.games));
        assert_eq!(end["table"], json!(table.to_rows()));
    }
}
