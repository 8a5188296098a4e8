//! Where a client's agent comes in: a loopback address, and a token without which nobody does.

use crate::Link;
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// How many random bytes a token has.
const TOKEN: usize = 16;

/// How long who connects may take to give the token.
const GREETING: Duration = Duration::from_secs(5);

/// A loopback address at which connections of agents that a client started come in.
///
/// The client starts a relay in place of an agent: a program that connects to [`Door::address`], writes [`Door::token`] and a line feed,
/// and then passes every byte both ways. Who does not know the token is turned away.
#[derive(Debug)]
pub struct Door {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
}

impl Door {
    /// Opens one at a port that the system chooses. It needs a tokio runtime.
    ///
    /// # Errors
    /// The system has no port or no random bytes.
    pub fn open() -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let mut random = [0_u8; TOKEN];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut random)?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { address: listener.local_addr()?, listener, token })
    }

    /// Where to connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to say first.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The next connection that gives the token.
    pub(crate) async fn next(&self) -> io::Result<Link> {
        loop {
            let (mut stream, _) = self.listener.accept().await?;
            if let Ok(true) = tokio::time::timeout(GREETING, self.is_known(&mut stream)).await {
                stream.set_nodelay(true)?;
                let (output, input) = stream.into_split();
                return Ok(Link::over(output, input));
            }
        }
    }

    /// Whether the first line is the token.
    async fn is_known(&self, stream: &mut TcpStream) -> bool {
        let mut said = vec![0_u8; self.token.len() + 1];
        let read = stream.read_exact(&mut said).await.is_ok();
        read && said.split_last() == Some((&b'\n', self.token.as_bytes()))
    }
}

/// Enters a door: connects, and gives the token. What is read and written from then on is a conversation.
///
/// # Errors
/// Nobody listens there.
pub async fn enter(address: SocketAddr, token: &str) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    stream.write_all(format!("{token}\n").as_bytes()).await?;
    Ok(stream)
}
