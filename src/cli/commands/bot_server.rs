//! `ludovec bot-server`

use std::net::{IpAddr, SocketAddr};
use std::process;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router, middleware};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::arguments::{EnvArgs, OLD_NAMES};
use crate::failure::{CommandResult, Failure};
use crate::signals::handle_signals;
use crate::web::client::UntilItLeaves;
use crate::web::{ListenScope, guard, http};
use ludovec::engine::{AnyGame, Error, Interrupt, Result};
use ludovec::play::player::Player;

/// Largest accepted request, in bytes: several times the longest request of any game.
const LARGEST_REQUEST: usize = 1 << 20;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    env: EnvArgs,
    /// The player that answers
    #[arg(long, aliases = OLD_NAMES, default_value = "greedy")]
    players: String,
    /// Address to listen on; 0.0.0.0 accepts requests from other machines
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// Port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// Seed of the player's random choices
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// A bot that serves moves to other programs.
struct Served {
    game: Arc<dyn AnyGame>,
    bot: Player,
    seed: u64,
}

impl Served {
    /// The bot's reply in the position of the request.
    fn answer(&self, request: &Value, interrupt: &Interrupt) -> Result<Value> {
        let game = self.game.clone().single_from_bot_request(request, self.seed)?;
        let decision = self.bot.act(&game, interrupt)?;
        match decision.fault {
            None => game.bot_reply(decision.action),
            Some(fault) => Err(Error::state(fault.to_string())),
        }
    }
}

pub(super) fn run(args: &Args) -> CommandResult {
    let game = args.env.make()?;
    let bot = Player::parse(&*game, &args.players, None)?;
    let served = Arc::new(Served { game, bot, seed: args.seed });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| Failure::Wrong(format!("the server cannot start: {e}")))?;
    let address = SocketAddr::new(args.host, args.port);
    runtime.block_on(async {
        let listener = TcpListener::bind(address)
            .await
            .map_err(|e| Failure::Usage(format!("{address}: {e}; choose another with --host, --port")))?;
        let address = listener.local_addr().map_err(|e| Failure::Wrong(e.to_string()))?;
        // The server has no state to save, so signals end it at once.
        handle_signals(|| process::exit(0))?;
        println!("{} plays {} at http://{address}; Ctrl-C stops it", args.players, args.env.env);
        let router = router(served, ListenScope::of(address.ip()));
        let Err(error) = http::serve(listener, router, http::TIME_LIMIT).await;
        Err(Failure::Wrong(format!("the server stopped: {error}")))
    })
}

fn router(served: Arc<Served>, scope: ListenScope) -> Router {
    let router = Router::new().route("/turn", post(turn));
    let router = router.layer(middleware::from_fn_with_state(scope, guard::check));
    http::limited(router, LARGEST_REQUEST, http::TIME_LIMIT).with_state(served)
}

async fn turn(State(served): State<Arc<Served>>, Json(request): Json<Value>) -> (StatusCode, Json<Value>) {
    // The bot stops thinking when its client disconnects.
    let (_guard, interrupt) = UntilItLeaves::new();
    // A search would block a thread of the server for too long.
    let answer = tokio::task::spawn_blocking(move || served.answer(&request, &interrupt)).await;
    match answer.unwrap_or_else(|e| Err(Error::state(format!("internal error, please report it: {e}")))) {
        Ok(reply) => (StatusCode::OK, Json(reply)),
        Err(error) => (StatusCode::BAD_REQUEST, Json(json!({ "error": error.to_string() }))),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::sync::mpsc::{Sender, channel};
    use std::thread;
    use std::time::Duration;

    use super::*;
    use ludovec::engine::SingleGame;
    use ludovec::games::GAMES;
    use ludovec::play::outside_bot::OutsideBot;

    const LONG: Duration = Duration::from_secs(60);

    /// A bot that sends "thinks", waits for an interrupt, and sends "stopped".
    struct Thinker(Sender<&'static str>);

    impl OutsideBot for Thinker {
        fn choose(&mut self, _: &[&SingleGame], interrupt: &Interrupt) -> Vec<Result<u32, String>> {
            self.0.send("thinks").unwrap();
            while !interrupt.is_raised() {
                thread::sleep(Duration::from_millis(1));
            }
            self.0.send("stopped").unwrap();
            vec![Err("interrupted".into())]
        }
    }

    /// Starts a server of `bot` and returns its address.
    fn server(game: Arc<dyn AnyGame>, bot: Player) -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        listener.set_nonblocking(true).unwrap();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let router = router(Arc::new(Served { game, bot, seed: 0 }), ListenScope::Machine);
                http::serve(TcpListener::from_std(listener).unwrap(), router, http::TIME_LIMIT).await
            })
        });
        address
    }

    fn asked(address: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let length = body.len();
        let head = format!(
            "POST /turn HTTP/1.1\r\n{headers}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all((head + body).as_bytes()).unwrap();
        stream
    }

    #[test]
    fn a_bot_stops_thinking_when_its_client_disconnects() {
        let game = GAMES[0].make([]).unwrap();
        let request = game.clone().single(0).bot_request().to_string();
        let (sender, said) = channel();
        let address = server(game, Player::outside("thinker", Thinker(sender)));
        let stream = asked(&address, &format!("Host: {address}\r\n"), &request);
        assert_eq!(said.recv_timeout(LONG), Ok("thinks"));
        drop(stream);
        assert_eq!(said.recv_timeout(LONG), Ok("stopped"));
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let game = GAMES[0].make([]).unwrap();
        let request = game.clone().single(0).bot_request().to_string();
        let bot = Player::parse(&*game, "random", None).unwrap();
        let address = server(game, bot);
        for (headers, status) in [
            (format!("Host: {address}\r\n"), "200"),
            (format!("Host: {address}\r\nOrigin: http://{address}\r\n"), "200"),
            (format!("Host: {address}\r\nOrigin: http://example.org\r\n"), "403"),
            ("Host: example.org\r\n".into(), "403"),
        ] {
            let mut said = String::new();
            let mut stream = asked(&address, &format!("{headers}Connection: close\r\n"), &request);
            stream.read_to_string(&mut said).unwrap();
            assert!(said.starts_with(&format!("HTTP/1.1 {status}")), "{headers}{said}");
        }
    }

    #[test]
    fn a_request_names_no_player_and_no_option() {
        let game = GAMES[0].make([]).unwrap();
        let bot = Player::parse(&*game, "random", None).unwrap();
        let marker = std::env::temp_dir().join(format!("ludovec-bot-server-{}", process::id()));
        let served = Served { game: game.clone(), bot, seed: 0 };
        for key in ["bot", "player", "opponents", "options", "variant", "map"] {
            let mut request = game.clone().single(0).bot_request();
            request[key] = format!("cmd:touch {}", marker.display()).into();
            // Unknown keys are ignored or refused; the bot is that of the command line.
            let _ = served.answer(&request, &Interrupt::default());
            assert!(!marker.exists(), "{key}");
        }
    }
}
