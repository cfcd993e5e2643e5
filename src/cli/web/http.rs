//! HTTP connections of all servers: with time limits, for clients that stop in the middle of a request or read no
//! answer.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Router, middleware};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};

use super::client::Client;
use super::connections::{Connection, Connections};
use super::write_deadline::DeadlineStream;

/// How long a client may take to send the head of a request, also of the next one on its connection, then again for the
/// body, and then again to read an answer.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Maximum number of simultaneous connections. A further one takes the place of the one whose client has been silent for
/// longest, or waits; silent connections end after [`TIME_LIMIT`]. With the limits of bodies this bounds the memory of
/// requests.
const MOST_CONNECTIONS: usize = 1000;

/// The part of the time limit after which a silent connection gives way to a new one.
const GRACE: f64 = 0.1;

/// Limits the request bodies of `router`: they are read as a whole, have at most `bytes` bytes, and must arrive in
/// time. Layers added later see the refusals.
pub(crate) fn limited<S: Clone + Send + Sync + 'static>(
    router: Router<S>,
    bytes: usize,
    time_limit: Duration,
) -> Router<S> {
    router.layer(middleware::from_fn(move |request, next| whole(request, next, bytes, time_limit)))
}

async fn whole(request: Request, next: Next, bytes: usize, time_limit: Duration) -> Response {
    let (parts, body) = request.into_parts();
    let too_long =
        || (StatusCode::PAYLOAD_TOO_LARGE, format!("the limit of a body is {bytes} bytes")).into_response();
    if body.size_hint().lower() > bytes as u64 {
        return too_long();
    }
    match timeout(time_limit, to_bytes(body, bytes)).await {
        Ok(Ok(body)) => {
            let _answering = parts.extensions.get::<Connection>().map(Connection::answers);
            next.run(Request::from_parts(parts, Body::from(body))).await
        }
        // The body is too long, or the client has gone and does not see the answer.
        Ok(Err(_)) => too_long(),
        Err(_) => (StatusCode::REQUEST_TIMEOUT, format!("the body did not come within {time_limit:?}"))
            .into_response(),
    }
}

/// Serves `listener` for the life of the process.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    time_limit: Duration,
) -> io::Result<Infallible> {
    serve_at_most(MOST_CONNECTIONS, listener, router, time_limit).await
}

async fn serve_at_most(
    most: usize,
    listener: TcpListener,
    router: Router,
    time_limit: Duration,
) -> io::Result<Infallible> {
    let router = TowerToHyperService::new(router);
    let mut connections = Connections::new(most, time_limit.mul_f64(GRACE));
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            // Too many open files, or the client has gone already: try again a moment later.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        let open = connections.open().await;
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(time_limit);
        let (router, client, connection) = (router.clone(), Client::at(peer.ip()), open.connection());
        let stream = DeadlineStream::new(stream, time_limit, connection.clone());
        let of_requests = connection.clone();
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(client);
            request.extensions_mut().insert(of_requests.clone());
            router.call(request)
        });
        let served = http.serve_connection(TokioIo::new(stream), service);
        // Errors are ignored: the client has gone, or does not speak HTTP.
        let task = tokio::spawn(async move {
            drop(served.await);
            drop(open);
        });
        connection.is_served_by(task.abort_handle());
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Instant;

    use axum::body::Bytes;
    use axum::routing::{get, post};

    use super::*;

    /// Bytes of a large answer.
    const LARGE: usize = 32 << 20;

    /// The address of a server that answers with the length of the body, and accepts 100 bytes.
    fn server(time_limit: Duration) -> String {
        server_of(MOST_CONNECTIONS, time_limit)
    }

    /// The only request for the slow page of any server has been worked on.
    static SLOW_ENDED: AtomicBool = AtomicBool::new(false);

    /// The same with a maximum number of connections.
    fn server_of(most: usize, time_limit: Duration) -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        listener.set_nonblocking(true).unwrap();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let answer = |body: Bytes| async move { body.len().to_string() };
                // More than the buffers of a connection hold.
                let large = || async { "x".repeat(LARGE) };
                let slow = || async {
                    sleep(Duration::from_millis(1500)).await;
                    SLOW_ENDED.store(true, Ordering::SeqCst);
                    "slow"
                };
                let router = Router::new().route("/", post(answer)).route("/large", get(large));
                let router = router.route("/slow", get(slow));
                let router = limited(router, 100, time_limit);
                serve_at_most(most, TcpListener::from_std(listener).unwrap(), router, time_limit).await
            })
        });
        address
    }

    /// The answer to `text` until the connection ends.
    fn answer(address: &str, text: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        assert!(!read.is_err_and(|e| e.kind() == io::ErrorKind::WouldBlock), "{text:?} is waited for");
        answer
    }

    #[test]
    fn half_open_connections_time_out_and_others_are_answered() {
        let address = server(Duration::from_secs(1));
        let idle: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(&address).unwrap()).collect();
        let whole = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc";
        assert!(answer(&address, whole).ends_with("\r\n\r\n3"));
        assert_eq!(answer(&address, ""), "");
        assert_eq!(answer(&address, "POST / HT"), "");
        let late = answer(&address, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab");
        assert!(late.starts_with("HTTP/1.1 408") && late.contains("did not come within"), "{late}");
        // An idle keep-alive connection is closed after the time limit.
        let kept = answer(&address, &whole.replace("close", "keep-alive"));
        assert!(kept.ends_with("\r\n\r\n3"), "{kept}");
        drop(idle);
    }

    #[test]
    fn a_connection_past_the_limit_takes_the_place_of_the_one_that_is_silent_for_longest() {
        let time_limit = Duration::from_secs(60);
        let address = server_of(3, time_limit);
        let whole = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
        let close = whole.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
        let mut connections: Vec<TcpStream> = Vec::new();
        for _ in 0..3 {
            connections.push(TcpStream::connect(&address).unwrap());
            thread::sleep(Duration::from_millis(50));
        }
        // The first one is heard of again, so the second one gives way.
        let (mut first, mut got) = (&connections[0], [0; 200]);
        first.write_all(whole.as_bytes()).unwrap();
        assert!(first.read(&mut got).unwrap() > 0);
        let start = Instant::now();
        assert!(answer(&address, &close).ends_with("\r\n\r\n3"));
        assert!(start.elapsed() < time_limit / 2, "{:?}: the fourth waited", start.elapsed());
        connections[1].set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        assert!(matches!((&connections[1]).read(&mut got), Ok(0) | Err(_)));
        first.write_all(whole.as_bytes()).unwrap();
        assert!(first.read(&mut got).unwrap() > 0, "the first one was ended");
    }

    #[test]
    fn a_connection_past_the_limit_waits_for_requests_that_are_worked_on() {
        let address = server_of(1, Duration::from_secs(4));
        let slow = address.clone();
        let get = "GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        let working = thread::spawn(move || answer(&slow, get));
        thread::sleep(Duration::from_millis(300));
        let whole = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc";
        assert!(answer(&address, whole).ends_with("\r\n\r\n3"));
        assert!(SLOW_ENDED.load(Ordering::SeqCst), "a second connection was served beside the only one");
        assert!(working.join().unwrap().ends_with("slow"));
    }

    #[test]
    fn many_clients_that_never_read_keep_nobody_waiting() {
        const SILENT: usize = 60;
        let address = server_of(SILENT, Duration::from_secs(30));
        let get = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n";
        let silent: Vec<TcpStream> = (0..SILENT)
            .map(|_| {
                let mut stream = TcpStream::connect(&address).unwrap();
                stream.write_all(get.as_bytes()).unwrap();
                stream
            })
            .collect();
        thread::sleep(Duration::from_millis(3500));
        let start = Instant::now();
        let whole = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc";
        for _ in 0..3 {
            assert!(answer(&address, whole).ends_with("\r\n\r\n3"));
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        drop(silent);
    }

    #[test]
    fn clients_that_never_read_are_disconnected() {
        let address = server_of(1, Duration::from_millis(300));
        let get = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n";
        let mut silent = TcpStream::connect(&address).unwrap();
        silent.write_all(get.as_bytes()).unwrap();
        let whole = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc";
        assert!(answer(&address, whole).ends_with("\r\n\r\n3"));
        // The client receives only the bytes written before the deadline.
        let mut got = Vec::new();
        let _ = silent.read_to_end(&mut got);
        assert!(got.len() < LARGE, "{} bytes", got.len());
        // A client that reads all the time gets everything.
        let whole = answer(&address, &get.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
        assert!(whole.len() > LARGE && whole.ends_with('x'));
    }

    #[test]
    fn bodies_are_limited() {
        let address = server(TIME_LIMIT);
        let body = "x".repeat(101);
        let long =
            format!("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 101\r\n\r\n{body}");
        assert!(answer(&address, &long).starts_with("HTTP/1.1 413"));
        let head = &long[..long.len() - body.len()];
        assert!(answer(&address, head).starts_with("HTTP/1.1 413"), "a body is waited for that is too long");
        let chunks = format!(
            "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n{body}\r\n0\r\n\r\n"
        );
        assert!(answer(&address, &chunks).starts_with("HTTP/1.1 413"));
    }
}
