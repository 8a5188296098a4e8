//! Putting an author on a connection.

use crate::kit::Kit;
use crate::log::Log;
use crate::{Author, Error, Result, System, World};
use attache_connection::{Builder, End, Limits, Peer, Tap, stdio};
use attache_session::Store;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

/// Serves `author`; say how with the functions of [`Serving`].
pub fn serve<A: Author>(author: A) -> Serving<A> {
    Serving {
        author,
        world: Arc::new(System::default()),
        store: None,
        limits: Limits::default(),
        tap: None,
        log: Log::default(),
        cancel_grace: Duration::from_secs(5),
    }
}

/// An author about to be served.
#[must_use = "nothing is served until a connection is given"]
pub struct Serving<A> {
    author: A,
    world: Arc<dyn World>,
    store: Option<Arc<dyn Store>>,
    limits: Limits,
    tap: Option<Tap>,
    log: Log,
    cancel_grace: Duration,
}

impl<A: Author> Serving<A> {
    /// Another clock and other ids, for tests.
    pub fn world(mut self, world: impl World) -> Self {
        self.world = Arc::new(world);
        self
    }

    /// Keeps the sessions in `store`, so that they can be loaded, resumed, forked and archived
    /// later, on this connection or another (SESS-13, SESS-18, FORK-01, ARCH-01). Without a store a
    /// session lives until it is closed, at the latest until the connection ends.
    ///
    /// What a reply confirms is stored before the reply is sent. The sessions are found again by
    /// the agent's name, see [`About::new`]; several connections, of several processes too, may
    /// share a store, and each session is open in one of them at a time.
    ///
    /// [`About::new`]: crate::About::new
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Other limits of the connection.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Shows every line to `tap`.
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// Where the log goes: one line for each message, or part of one, that arrived and could not be
    /// used, by method and JSON path and never with its values. The first twenty lines are logged;
    /// stderr unless set. It runs while the connection waits: it must be quick.
    pub fn log(mut self, line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.log = Log::to(line);
        self
    }

    /// How long a cancelled turn may go on before it is dropped where it stands; 5 s unless set.
    pub fn cancel_grace(mut self, grace: Duration) -> Self {
        self.cancel_grace = grace;
        self
    }

    /// Serves this process's stdin and stdout until the client closes them (RPC-09), then ends
    /// within the grace of [`Limits`], 2 s unless set. Nothing else may print to stdout (RPC-03).
    ///
    /// # Errors
    /// [`Error::Failed`] if stdin or stdout cannot be used; [`Error::Gone`] if the connection ended
    /// otherwise than by the client's closing it.
    pub async fn stdio(self) -> Result<()> {
        let cannot =
            |error| Error::caused("stdin and stdout cannot be used for a connection", error);
        let input = stdio::input().map_err(cannot)?;
        let output = stdio::output().map_err(cannot)?;
        self.over(input, output).await
    }

    /// The same over any pair of streams.
    ///
    /// # Errors
    /// [`Error::Gone`] if the connection ended otherwise than by the client's closing it.
    pub async fn over(
        self,
        input: impl AsyncRead + Send + 'static,
        output: impl AsyncWrite + Send + 'static,
    ) -> Result<()> {
        let (_peer, run) = self.connect(input, output);
        match run.await {
            End::PeerClosed { .. } | End::Closed => Ok(()),
            end => Err(Error::Gone(end)),
        }
    }

    /// The same in parts: the client as a handle, and the future that serves it and says how the
    /// connection ended.
    pub fn connect(
        self,
        input: impl AsyncRead + Send + 'static,
        output: impl AsyncWrite + Send + 'static,
    ) -> (Peer, impl Future<Output = End> + Send) {
        let grace = self.limits.grace;
        let mut builder = Builder::new().limits(self.limits);
        if let Some(tap) = self.tap {
            builder = builder.tap(tap);
        }
        let handler = Kit::new(self.author, self.world, self.store, self.cancel_grace, self.log);
        let parts = handler.parts();
        let (peer, connection) = builder.connect(input, output, handler);
        let run = async move {
            let end = connection.run().await;
            // A store that does not answer must not keep the process.
            let _ = tokio::time::timeout(grace, parts.sessions.end()).await;
            end
        };
        (peer, run)
    }
}

impl<A> std::fmt::Debug for Serving<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Serving").field("cancel_grace", &self.cancel_grace).finish_non_exhaustive()
    }
}
