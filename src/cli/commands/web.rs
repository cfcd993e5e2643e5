//! `ludovec web`

use std::net::{TcpListener, ToSocketAddrs};
use std::sync::Arc;

use crate::failure::{CommandResult, Failure};
use crate::signals::handle_signals;
#[cfg(target_os = "linux")]
use crate::web::WatchedFleet;
use crate::web::{self, ListenScope, Live};
use ludovec::games;
use ludovec::play::player::Player;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 8088)]
    port: u16,
    /// Address or name to listen on; the default is reachable from this machine only
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Show the games of this fleet (`ludovec serve`), played by any program
    #[arg(long, value_name = "NAME")]
    fleet: Option<String>,
    /// Offer this player on the page too, for example uci:stockfish?elo=1500; may be repeated
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
}

impl Args {
    /// The games of a fleet to show, if one is named.
    fn live(&self) -> Result<Option<Arc<dyn Live>>, Failure> {
        match &self.fleet {
            None => Ok(None),
            #[cfg(target_os = "linux")]
            Some(name) => Ok(Some(Arc::new(WatchedFleet::open(name)?))),
            #[cfg(not(target_os = "linux"))]
            Some(_) => Err(Failure::no_fleets()),
        }
    }
}

/// Refuses a player of no game.
fn check(text: &str) -> CommandResult {
    let mut refused = None;
    for entry in games::all() {
        match Player::parse(&*entry.make::<&str>([])?, text, None) {
            Ok(_) => return Ok(()),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    refused.map_or(Ok(()), |error| Err(error.into()))
}

pub(super) fn run(args: &Args) -> CommandResult {
    let (host, port) = (&args.host, args.port);
    let live = args.live()?;
    for text in &args.players {
        check(text)?;
    }
    web::offer(args.players.clone());
    let wrong = |e| Failure::Usage(format!("--host {host} --port {port} cannot be listened on: {e}"));
    let addresses: Vec<_> = (host.as_str(), port).to_socket_addrs().map_err(wrong)?.collect();
    let listener = TcpListener::bind(&*addresses).map_err(wrong)?;
    let address = listener.local_addr().map_err(wrong)?;
    // The server has no state to save.
    handle_signals(|| std::process::exit(0))?;
    let reach = match ListenScope::of(address.ip()) {
        ListenScope::Machine => "this machine",
        ListenScope::Network => "any client that can reach this machine",
    };
    println!("http://{address}/ is open to {reach}; Ctrl-C stops the server");
    web::serve(listener, live).map_err(|e| Failure::Wrong(e.to_string()))
}
