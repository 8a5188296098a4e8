//! Serves one connection: TLS, HTTP/1.1 or HTTP/2, and their limits.

use super::connections::Connection;
use super::guarded_stream::GuardedStream;
use super::options::HttpOptions;
use axum::{Extension, Router};
use hyper::rt::Executor;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// The largest head of a request, in bytes.
const HEAD: usize = 32 << 10;

/// The largest number of headers of a request.
const HEADERS: usize = 64;

/// The largest number of open requests of a connection of HTTP/2.
const STREAMS: u32 = 64;

/// The largest number of requests of HTTP/2 that a client began and broke off and that are still
/// known.
const BROKEN_OFF: usize = 32;

/// How long a connection of HTTP/2 may be silent before it is asked for a sign of life, and how
/// long the sign may take.
const SILENCE: Duration = Duration::from_secs(30);

/// What serves a connection.
#[derive(Clone)]
pub(super) struct ConnectionServer {
    pub(super) router: Router,
    pub(super) tls: Option<TlsAcceptor>,
    pub(super) options: HttpOptions,
    /// Becomes true when the server stops: open requests are then finished.
    pub(super) stopping: watch::Receiver<bool>,
}

impl ConnectionServer {
    /// Serves a connection until it is closed, idle, or told to end. If it becomes a WebSocket, the
    /// handler of the WebSocket owns its stream afterwards.
    pub(super) async fn serve(self, stream: TcpStream, connection: Arc<Connection>) {
        let idle = connection.idle(self.options.head_time, self.options.idle_time);
        let ending = connection.ending();
        let serving = async move {
            let write_time = self.options.write_time;
            let stream = GuardedStream::new(stream, Arc::clone(&connection), write_time);
            match self.tls.clone() {
                None => self.serve_stream(stream, connection).await,
                Some(tls) => match tls.accept(stream).await {
                    Ok(stream) => self.serve_stream(stream, connection).await,
                    Err(error) => tracing::debug!(%error, "the TLS handshake failed"),
                },
            }
        };
        tokio::select! {
            () = serving => {}
            () = idle => {}
            () = ending => {}
        }
    }

    async fn serve_stream<S>(mut self, stream: S, connection: Arc<Connection>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = TowerToHyperService::new(self.router.layer(Extension(connection)));
        let mut builder = Builder::new(OwnedTasks::default());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(self.options.head_time)
            .max_buf_size(HEAD)
            .max_headers(HEADERS);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_header_list_size(u32::try_from(HEAD).unwrap_or(u32::MAX))
            .max_concurrent_streams(STREAMS)
            .max_pending_accept_reset_streams(BROKEN_OFF)
            .max_local_error_reset_streams(BROKEN_OFF)
            .keep_alive_interval(SILENCE)
            .keep_alive_timeout(SILENCE);
        let serving = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
        tokio::pin!(serving);
        let result = tokio::select! {
            result = &mut serving => result,
            () = stop(&mut self.stopping) => {
                serving.as_mut().graceful_shutdown();
                serving.await
            }
        };
        if let Err(error) = result {
            tracing::debug!(%error, "a connection broke off");
        }
    }
}

/// Waits until the server stops.
async fn stop(stopping: &mut watch::Receiver<bool>) {
    // A failure means that the server is gone.
    drop(stopping.wait_for(|stopping| *stopping).await);
}

/// The tasks of a connection of HTTP/2. They end with it.
#[derive(Debug, Clone, Default)]
struct OwnedTasks(Arc<Mutex<JoinSet<()>>>);

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for OwnedTasks {
    fn execute(&self, future: F) {
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(future);
    }
}
