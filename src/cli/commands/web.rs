//! `ludovec web`

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use crate::arguments::{AllowArgs, check_player};
use crate::failure::{CommandResult, Failure};
use crate::signals::handle_signals;
#[cfg(target_os = "linux")]
use crate::web::WatchedFleet;
use crate::web::{self, ListenScope, Live};
use ludovec::play::player::{ADVISERS, can_analyse};

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
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Offer this player first for hints and reviews, for example uci:stockfish; may be repeated
    #[arg(long, value_name = "PLAYER")]
    adviser: Vec<String>,
    #[command(flatten)]
    allow: AllowArgs,
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

/// The address of the page on this machine: an unspecified one, such as 0.0.0.0, is that of the loopback.
fn page_address(mut address: SocketAddr) -> String {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    format!("http://{address}/")
}

/// Opens an address with the system's own command.
fn open_browser(address: &str) -> io::Result<()> {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/c", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(before).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| io::Error::other(format!("{program}: {error}")))?;
    // The command ends long before the server, and is not left as a zombie.
    thread::spawn(move || child.wait());
    Ok(())
}

pub(super) fn run(args: &Args) -> CommandResult {
    let (host, port) = (&args.host, args.port);
    let live = args.live()?;
    if let Some(name) = args.adviser.iter().find(|name| !can_analyse(name)) {
        return Err(Failure::Usage(format!("--adviser {name:?}: {ADVISERS} value positions")));
    }
    args.adviser.iter().try_for_each(|text| check_player(text))?;
    web::allow(args.allow.allowed()?.with_advisers(args.adviser.iter().cloned()));
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
    if args.open
        && let Err(error) = open_browser(&page_address(address))
    {
        eprintln!("ludovec: no browser was opened ({error}): open the address above");
    }
    web::serve(listener, live).map_err(|e| Failure::Wrong(e.to_string()))
}
