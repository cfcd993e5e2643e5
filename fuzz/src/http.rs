//! Requests to the web player.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use super::bytes::Bytes;

/// Method and path of the requests; `1` is replaced with the id of the first game.
const REQUESTS: [&str; 10] = [
    "POST /api/rules",
    "POST /api/games",
    "POST /api/games/1/action",
    "POST /api/games/1/bot",
    "POST /api/games/1/undo",
    "GET /api/games/1/record",
    "POST /api/batches",
    "POST /api/batches/1/step",
    "GET /api/environments",
    "GET /",
];

/// A byte for the request, then its body; from 128 on, all bytes are sent as they are.
pub fn http(data: &[u8]) -> bool {
    static ADDRESS: LazyLock<std::net::SocketAddr> = LazyLock::new(|| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        thread::spawn(move || ludovec_cli::web::serve(listener, None));
        address
    });
    let mut bytes = Bytes::new(data);
    let which = usize::from(bytes.byte());
    let body = bytes.rest();
    let mut stream = TcpStream::connect(*ADDRESS).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("it is no zero");
    let head = REQUESTS.get(which % 128 % REQUESTS.len()).filter(|_| which < 128).map(|request| {
        format!(
            "{request} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            *ADDRESS,
            body.len()
        )
    });
    // The server may answer and close before it has read everything; an invalid request ends with the bytes.
    let _ = stream
        .write_all(head.as_deref().unwrap_or_default().as_bytes())
        .and_then(|()| stream.write_all(body));
    if head.is_none() {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let status = answer.get(9..12).unwrap_or_default();
    if which < 128 {
        assert!(!status.is_empty(), "no answer");
        assert!(status != b"500", "the server failed: {}", String::from_utf8_lossy(&answer));
    }
    status.starts_with(b"2")
}
