//! A listener on the loopback interface, with a token and a connection limit.

use std::io::{self, Read};
use std::net::Ipv4Addr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// The number of random bytes in a token.
const TOKEN: usize = 16;
/// The maximum number of connections served at once.
const CONNECTIONS: usize = 256;
/// How long to wait before the next attempt if the system lacks the resources to accept a
/// connection.
pub(crate) const RETRY: Duration = Duration::from_millis(50);

/// Listens on a port of 127.0.0.1 that the system chooses. Needs a tokio runtime.
///
/// # Errors
/// Returns an error if the system has no free port.
pub(crate) fn listen() -> io::Result<TcpListener> {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// Returns a random token.
///
/// # Errors
/// Returns an error if the system provides no random bytes.
pub(crate) fn token() -> io::Result<String> {
    let mut random = [0_u8; TOKEN];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Serves each connection in a separate task, until the future is dropped.
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
