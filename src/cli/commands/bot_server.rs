//! `ludovec bot-server`

use std::net::{IpAddr, SocketAddr};
use std::process;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::arguments::EnvArgs;
use crate::failure::{CommandResult, Failure};
use crate::signals::handle_signals;
use ludovec::engine::{AnyGame, Error, Interrupt, Result};
use ludovec::play::player::{DEFAULT_TIME_LIMIT, Player};
use crate::web::http;

/// Largest accepted request, in bytes: several times the longest request of any game.
const LARGEST_REQUEST: usize = 1 << 20;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    env: EnvArgs,
    /// The bot that answers
    #[arg(long, default_value = "greedy")]
    bot: String,
    /// Address to listen on; 0.0.0.0 accepts requests from other machines
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// Port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// Seed of the bot's random choices
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
    fn answer(&self, request: &Value) -> Result<Value> {
        let game = self.game.clone().single_from_bot_request(request, self.seed)?;
        let decision = self.bot.act(&*game, &Interrupt::default())?;
        match decision.fault {
            None => game.bot_reply(decision.action),
            Some(fault) => Err(Error::state(fault.to_string())),
        }
    }
}

pub(super) fn run(args: &Args) -> CommandResult {
    let game = args.env.make()?;
    let bot = Player::parse(&*game, &args.bot, DEFAULT_TIME_LIMIT)?;
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
        println!("{} plays {} at http://{address}; Ctrl-C stops it", args.bot, args.env.env);
        let Err(error) = http::serve(listener, router(served), http::PATIENCE).await;
        Err(Failure::Wrong(format!("the server stopped: {error}")))
    })
}

fn router(served: Arc<Served>) -> Router {
    let router = Router::new().route("/turn", post(turn));
    http::limited(router, LARGEST_REQUEST, http::PATIENCE).with_state(served)
}

async fn turn(State(served): State<Arc<Served>>, Json(request): Json<Value>) -> (StatusCode, Json<Value>) {
    // A search would block a thread of the server for too long.
    let answer = tokio::task::spawn_blocking(move || served.answer(&request)).await;
    match answer.unwrap_or_else(|e| Err(Error::state(format!("internal error, please report it: {e}")))) {
        Ok(reply) => (StatusCode::OK, Json(reply)),
        Err(error) => (StatusCode::BAD_REQUEST, Json(json!({ "error": error.to_string() }))),
    }
}
