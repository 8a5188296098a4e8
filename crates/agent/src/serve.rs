//! Serving an author on a connection, and the methods of the protocol.

mod auth;
mod close;
mod context;
mod extensions;
mod fork;
mod guard;
mod kit_handler;
mod list;
mod load;
mod new;
mod open_sessions;
mod opened_session;
mod option_call;
mod prompt;
mod prompt_reply;
mod providers;
mod replaying;
mod resume;
mod served;
mod session_note;
mod session_request;
mod stored_methods;
mod unused_input_log;
mod version_1;
mod version_2;

use crate::author::erased_author::ErasedAuthor;
use crate::serve::context::{Context, ServedStore};
use crate::serve::kit_handler::KitHandler;
use crate::serve::stored_methods::StoredMethods;
use crate::serve::unused_input_log::UnusedInputLog;
use crate::{Author, Environment, Error, Result, SystemEnvironment};
use attache_connection::transport::{LineTransport, Transport};
use attache_connection::{Builder, ConnectionEnd, Limits, Peer, Tap, stdio};
use attache_session::Store;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

/// Prepares to serve `author`. Configure it with the functions of [`Serving`], then call
/// [`Serving::stdio`] or [`Serving::over`].
pub fn serve(author: impl Author) -> Serving {
    Serving {
        author: Arc::new(author),
        environment: Arc::new(SystemEnvironment::default()),
        store: None,
        limits: Limits::default(),
        tap: None,
        log: UnusedInputLog::default(),
        cancel_grace: Duration::from_secs(5),
    }
}

/// Serves an author: set its store, limits and log, then call `stdio` or `over`.
#[must_use = "an author is served only on a connection: call `stdio` or `over`"]
pub struct Serving {
    author: Arc<dyn ErasedAuthor>,
    environment: Arc<dyn Environment>,
    store: Option<ServedStore>,
    limits: Limits,
    tap: Option<Tap>,
    log: UnusedInputLog,
    cancel_grace: Duration,
}

impl Serving {
    /// Replaces the clock and the source of ids, for tests.
    pub fn environment(mut self, environment: impl Environment) -> Self {
        self.environment = Arc::new(environment);
        self
    }

    /// Stores the sessions in `store`, so that they can be loaded, resumed, forked and archived
    /// later, on this connection or another. Without a store, a session exists until it is closed
    /// or the connection ends.
    ///
    /// Everything that a reply confirms is stored before the reply is sent. The sessions are stored
    /// under the agent's name, see [`About::new`]. Several connections, even of several processes,
    /// can share a store; each session is open in one of them at a time.
    ///
    /// [`About::new`]: crate::About::new
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Some(ServedStore { store: Arc::new(store), methods: &StoredMethods });
        self
    }

    /// Replaces the limits of the connection.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Passes every line of the connection to `tap`.
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// Replaces the log of input that could not be used, which goes to stderr by default. A line of
    /// the log names the method and the JSON path, never a value. At most twenty lines are logged.
    /// The connection waits for `line`: it must be quick.
    pub fn log(mut self, line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.log = UnusedInputLog::to(line);
        self
    }

    /// Sets how long a cancelled turn may continue before it is dropped; the default is 5 s.
    pub fn cancel_grace(mut self, grace: Duration) -> Self {
        self.cancel_grace = grace;
        self
    }

    /// Serves stdin and stdout of this process until the client closes them, then returns within
    /// the grace of [`Limits`], which is 2 s by default. Do not print anything else to stdout.
    ///
    /// # Errors
    /// Returns [`Error::Failed`] if stdin or stdout cannot be used, or [`Error::Disconnected`] if
    /// the connection ended for any reason other than that the client closed it.
    pub async fn stdio(self) -> Result<()> {
        let cannot =
            |error| Error::caused("stdin and stdout cannot be used for a connection", error);
        let input = stdio::input().map_err(cannot)?;
        let output = stdio::output().map_err(cannot)?;
        self.over(input, output).await
    }

    /// Serves any pair of streams.
    ///
    /// # Errors
    /// Returns [`Error::Disconnected`] if the connection ended for any reason other than that the
    /// client closed it.
    pub async fn over(
        self,
        input: impl AsyncRead + Send + 'static,
        output: impl AsyncWrite + Send + 'static,
    ) -> Result<()> {
        let (_peer, run) = self.connect(input, output);
        match run.await {
            ConnectionEnd::PeerClosed { .. } | ConnectionEnd::Closed => Ok(()),
            end => Err(Error::Disconnected(end)),
        }
    }

    /// Serves any pair of streams in two parts: a handle to the client, and the future that drives
    /// the connection and returns how it ended.
    pub fn connect(
        self,
        input: impl AsyncRead + Send + 'static,
        output: impl AsyncWrite + Send + 'static,
    ) -> (Peer, impl Future<Output = ConnectionEnd> + Send) {
        self.connect_over(LineTransport::new(input, output))
    }

    /// Like [`Serving::connect`], over any transport, such as a WebSocket.
    pub fn connect_over(
        self,
        transport: impl Transport + 'static,
    ) -> (Peer, impl Future<Output = ConnectionEnd> + Send) {
        let grace = self.limits.grace;
        let mut builder = Builder::new().limits(self.limits);
        if let Some(tap) = self.tap {
            builder = builder.tap(tap);
        }
        let context = Context::new(self.author, self.environment, self.store, self.cancel_grace);
        let context = Arc::new(context);
        let handler = KitHandler::new(Arc::clone(&context), self.log);
        let (peer, connection) = builder.connect_over(transport, handler);
        let run = async move {
            let end = connection.run().await;
            // A store that does not answer must not keep the process alive.
            let _ = tokio::time::timeout(grace, context.sessions.end()).await;
            end
        };
        (peer, run)
    }
}

impl std::fmt::Debug for Serving {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Serving").field("cancel_grace", &self.cancel_grace).finish_non_exhaustive()
    }
}
