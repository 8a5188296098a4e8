//! What listens on this machine alone: how many connections at once, and what lets somebody in.

use std::io::{self, Read};
use std::net::Ipv4Addr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// How many random bytes a token has.
const TOKEN: usize = 16;
/// How many connections are served at once.
const CONNECTIONS: usize = 256;
/// How long is waited after a connection could not be taken: the system has no more of something.
pub(crate) const RETRY: Duration = Duration::from_millis(50);

/// Listens at a port of 127.0.0.1 that the system chooses. It needs a tokio runtime.
///
/// # Errors
/// There is none.
pub(crate) fn listen() -> io::Result<TcpListener> {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// A word that nobody can guess.
///
/// # Errors
/// The system has no random bytes.
pub(crate) fn token() -> io::Result<String> {
    let mut random = [0_u8; TOKEN];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Serves every connection by a task of its own, for ever.
pub(crate) async fn serve<C>(listener: TcpListener, converse: impl Fn(TcpStream) -> C)
where
    C: Future<Output = ()> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < CONNECTIONS => match accepted {
                Ok((stream, _)) => drop(connections.spawn(converse(stream))),
                Err(_) => tokio::time::sleep(RETRY).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
