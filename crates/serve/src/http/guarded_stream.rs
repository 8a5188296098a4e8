//! A stream that ends with its connection, and when the other side stops reading.

use super::connections::Connection;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A stream that keeps its [`Connection`] open, fails once the connection must end, and fails if
/// nothing can be written for too long. It is the stream below a WebSocket, too.
pub(super) struct GuardedStream<S> {
    stream: S,
    connection: Arc<Connection>,
    /// Is polled only while reading, because only one task is woken.
    ending: Pin<Box<dyn Future<Output = ()> + Send>>,
    write_time: Duration,
    /// When a write that cannot go on fails.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> GuardedStream<S> {
    pub(super) fn new(stream: S, connection: Arc<Connection>, write_time: Duration) -> Self {
        let ending = Box::pin(connection.ending());
        Self { stream, connection, ending, write_time, stalled: None }
    }

    /// Passes the result of a write on, unless the connection ended or the write stalls.
    fn written<T>(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if self.connection.is_ended() {
            return Poll::Ready(Err(ended()));
        }
        if result.is_ready() {
            self.stalled = None;
            return result;
        }
        let deadline = Instant::now() + self.write_time;
        let stalled =
            self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client stopped reading")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for GuardedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.connection.is_ended() {
            return Poll::Ready(Err(ended()));
        }
        if self.ending.as_mut().poll(context).is_ready() {
            self.connection.end();
            return Poll::Ready(Err(ended()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for GuardedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, result)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_flush(context);
        self.written(context, result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_shutdown(context);
        self.written(context, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.written(context, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

impl<S> fmt::Debug for GuardedStream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedStream").finish_non_exhaustive()
    }
}

fn ended() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the server ended the connection")
}

#[cfg(test)]
mod tests {
    use super::super::connections::{ConnectionLimits, Connections};
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

    fn guarded() -> (GuardedStream<DuplexStream>, DuplexStream, Arc<Connection>) {
        let (ours, theirs) = duplex(16);
        let address = "127.0.0.1:1".parse().unwrap();
        let limits = ConnectionLimits { guests: 1, device: 1, all: 1 };
        let connection = Connections::new(limits).admit(address, address).unwrap();
        let stream = GuardedStream::new(ours, connection.clone(), Duration::from_secs(60));
        (stream, theirs, connection)
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_stops_reading_is_cut_off_and_a_slow_one_is_not() {
        let (mut stream, mut theirs, _) = guarded();
        let begun = Instant::now();
        let slow = async {
            for _ in 0..4 {
                tokio::time::sleep(Duration::from_secs(59)).await;
                theirs.read_exact(&mut [0; 16]).await.unwrap();
            }
        };
        let (result, ()) = tokio::join!(stream.write_all(&[0; 1000]), slow);
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(begun.elapsed(), Duration::from_secs(4 * 59 + 60));
    }

    #[tokio::test]
    async fn an_open_read_ends_with_the_connection() {
        let (mut stream, _theirs, connection) = guarded();
        let (result, ()) = tokio::join!(stream.read_u8(), async { connection.end() });
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::ConnectionAborted);
        let error = stream.write_all(b"a").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionAborted);
    }
}
