//! A connection with a deadline for writes: a client that does not read cannot occupy a connection forever.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use super::connections::Connection;

/// Minimum number of bytes per second that a client must read once the deadline is set.
const BYTES_A_SECOND: f64 = 16.0 * 1024.0;

/// A stream that fails if the client does not read an answer in time.
///
/// The deadline is set when the system's buffer is full, cleared when everything is written, and extended by every byte
/// that the client reads: slow clients can read large answers, clients below the minimum rate cannot.
pub(super) struct DeadlineStream {
    stream: TcpStream,
    time_limit: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
    connection: Connection,
}

impl DeadlineStream {
    pub(super) fn new(stream: TcpStream, time_limit: Duration, connection: Connection) -> Self {
        Self { stream, time_limit, deadline: None, connection }
    }

    /// The stream's result of a write, or an error after the deadline.
    fn in_time(
        &mut self,
        context: &mut Context<'_>,
        said: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match said {
            Poll::Ready(written) => {
                self.connection.moves();
                if let (Ok(bytes), Some(deadline)) = (&written, &mut self.deadline) {
                    let longer = Duration::from_secs_f64(*bytes as f64 / BYTES_A_SECOND);
                    let until = deadline.deadline() + longer;
                    deadline.as_mut().reset(until.min(Instant::now() + self.time_limit));
                }
                Poll::Ready(written)
            }
            Poll::Pending => {
                let time_limit = self.time_limit;
                let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(time_limit)));
                ready!(deadline.as_mut().poll(context));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl AsyncRead for DeadlineStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for DeadlineStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let said = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.in_time(context, said)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let said = Pin::new(&mut this.stream).poll_write_vectored(context, parts);
        this.in_time(context, said)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called when everything was written.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.stream).poll_flush(context))?;
        this.deadline = None;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
