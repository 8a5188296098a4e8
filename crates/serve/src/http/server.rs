//! The server: it accepts connections and owns their tasks.

use super::allowed_hosts::{AllowedHosts, HostError};
use super::connections::{ConnectionLimits, Connections};
use super::options::HttpOptions;
use super::origin::Origin;
use super::router::router;
use super::serve_connection::ConnectionServer;
use super::state::HttpState;
use super::static_files::StaticFiles;
use super::throttle::Throttle;
use super::tls;
use crate::SharedHub;
use crate::devices::Devices;
use attache_protocol::Secret;
use axum::Router;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// How many connections may wait until they are accepted.
const BACKLOG: u32 = 1024;

/// How long open requests may take when the server stops.
const STOPPING: Duration = Duration::from_secs(2);

/// How long to wait when no connection can be accepted, for example without free descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves a hub over HTTP. See the [module](super) for what it answers.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    state: Arc<HttpState>,
    acp: Option<Router>,
}

/// The reason why a server cannot be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum BindError {
    /// Other machines could reach the address, and nobody asked for that.
    NotLocal(SocketAddr),
    /// Everyone on the network could read along.
    NoTls(SocketAddr),
    /// A name in the options is malformed.
    Host(HostError),
    /// The certificate or key cannot be used; says which and why.
    Tls(String),
    /// The address cannot be used.
    Io(SocketAddr, io::Error),
}

impl HttpServer {
    /// Listens, but accepts no connection yet. Must be called inside a tokio runtime with I/O and
    /// time enabled. Reads the files for TLS from the disk.
    ///
    /// # Errors
    /// Returns an error if the options do not allow the address, or if it cannot be used.
    pub fn bind(
        options: HttpOptions,
        shared: Arc<SharedHub>,
        devices: Arc<Devices>,
    ) -> Result<Self, BindError> {
        let wanted = options.address;
        if !wanted.ip().to_canonical().is_loopback() {
            if !options.listen {
                return Err(BindError::NotLocal(wanted));
            }
            if options.tls.is_none() && !options.insecure {
                return Err(BindError::NoTls(wanted));
            }
        }
        let tls = options.tls.as_ref().map(tls::acceptor).transpose().map_err(BindError::Tls)?;
        let listener = listen(wanted).map_err(|error| BindError::Io(wanted, error))?;
        let address = listener.local_addr().map_err(|error| BindError::Io(wanted, error))?;
        let hosts = AllowedHosts::new(&options.hosts, tls.is_some(), address.port());
        let state = Arc::new(HttpState {
            shared,
            devices,
            hosts: hosts.map_err(BindError::Host)?,
            throttle: Throttle::default(),
            files: StaticFiles::new(options.page),
            cookie_name: format!("attache-{}", address.port()),
            options,
        });
        Ok(Self { listener, address, tls, state, acp: None })
    }

    /// Serves these routes, which must be `/acp` or below, to clients with a login. Their requests
    /// have the extensions `Arc<SharedHub>` and `Arc<AttachedClient>`. The routes must have no
    /// fallback. The client stays attached to the hub as long as a handler keeps it.
    #[must_use]
    pub fn with_acp(mut self, routes: Router) -> Self {
        self.acp = Some(routes);
        self
    }

    /// The address at which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The origin of the page for other devices: the first name in the options, or the address.
    pub fn origin(&self) -> Origin {
        let named = self.state.hosts.first_named().cloned();
        named.unwrap_or_else(|| self.state.hosts.at(self.address))
    }

    /// The address of the login page with a one-time code. Contains the code: show it only to the
    /// person.
    pub fn login_address(&self, code: &Secret) -> String {
        format!("{}/login#{}", self.origin(), code.expose())
    }

    /// Serves connections until `shutdown` is ready. Open requests then have two seconds to finish;
    /// WebSockets end at once.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let Self { listener, tls, state, acp, .. } = self;
        let options = state.options.clone();
        let limits = ConnectionLimits {
            guests: options.guests,
            device: options.device_connections,
            all: options.connections,
        };
        let connections = Connections::new(limits);
        let stopping = watch::Sender::new(false);
        let server = ConnectionServer {
            router: router(&state, acp),
            tls,
            options,
            stopping: stopping.subscribe(),
        };
        let mut tasks = JoinSet::new();
        tokio::pin!(shutdown);
        loop {
            tokio::select! {
                biased;
                () = &mut shutdown => break,
                Some(ended) = tasks.join_next(), if !tasks.is_empty() => report(ended),
                (stream, peer) = accept(&listener) => {
                    let Ok(local) = stream.local_addr() else { continue };
                    if let Some(connection) = connections.admit(peer, local) {
                        tasks.spawn(server.clone().serve(stream, connection));
                    }
                }
            }
        }
        drop(listener);
        stopping.send_replace(true);
        let finish = async { while tasks.join_next().await.is_some() {} };
        // Whether they finish in time does not matter: the rest is ended now.
        let _ = tokio::time::timeout(STOPPING, finish).await;
        connections.end_all();
        tasks.shutdown().await;
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer").field("address", &self.address).finish_non_exhaustive()
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts the next connection.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Without it, small messages wait for others; a failure costs only time.
                let _ = stream.set_nodelay(true);
                return (stream, peer);
            }
            Err(error) => {
                tracing::warn!(%error, "no connection could be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "the task of a connection failed");
    }
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLocal(address) => write!(
                f,
                "other machines can reach {address}: allow that with --listen {}",
                address.ip()
            ),
            Self::NoTls(address) => write!(
                f,
                "everyone on the network of {address} could read along: use --tls-cert and \
                 --tls-key, or accept it with --insecure"
            ),
            Self::Host(error) => error.fmt(f),
            Self::Tls(why) => write!(f, "TLS cannot be used: {why}"),
            Self::Io(address, error) => write!(f, "cannot listen on {address}: {error}"),
        }
    }
}

impl std::error::Error for BindError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Host(error) => Some(error),
            Self::Io(_, error) => Some(error),
            _ => None,
        }
    }
}
