//! Where a client's agent comes in: a loopback address, and a token without which nobody does.

use crate::Link;
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// How many random bytes a token has.
const TOKEN: usize = 16;

/// How long the first line of who connects may be, in bytes: the token, and what is told of a login.
const FIRST_LINE: u64 = 1024 * 1024;

/// How long who connects may take to give the token.
const GREETING: Duration = Duration::from_secs(5);

/// A loopback address at which connections of agents that a client started come in.
///
/// The client starts a relay in place of an agent: a program that enters by [`enter`] and then passes every byte both ways. Who does not
/// know the token is turned away.
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
            let (stream, _) = self.listener.accept().await?;
            if let Ok(Ok(Some(link))) = tokio::time::timeout(GREETING, self.meet(stream)).await {
                return Ok(link);
            }
        }
    }

    /// Reads the first line; nothing if it does not begin with the token.
    async fn meet(&self, stream: TcpStream) -> io::Result<Option<Link>> {
        stream.set_nodelay(true)?;
        let (output, input) = stream.into_split();
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        (&mut output).take(FIRST_LINE).read_until(b'\n', &mut line).await?;
        let line = String::from_utf8_lossy(&line);
        let (token, told) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
        if token != self.token {
            return Ok(None);
        }
        let link = Link::over(output, input);
        Ok(Some(match serde_json::from_str(told) {
            Ok(login) => link.logging_in(login),
            Err(_) => link,
        }))
    }
}

/// Enters a door: connects, and gives the token, with what is to be told of a login as one line of JSON. What is read and written from
/// then on is a conversation.
///
/// # Errors
/// Nobody listens there.
pub async fn enter(address: SocketAddr, token: &str, login: Option<&str>) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let told = login.map_or_else(String::new, |login| format!(" {login}"));
    stream.write_all(format!("{token}{told}\n").as_bytes()).await?;
    Ok(stream)
}
