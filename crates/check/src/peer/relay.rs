//! Where a client's agent comes in: a loopback address, and a token without which nobody does.

use crate::peer::link::Link;
use crate::peer::loopback;
use serde_json::Value;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// How long the first line of who connects may be, in bytes: the token, and what is told with it.
const FIRST_LINE: u64 = 1024 * 1024;

/// How long who connects may take to give the token.
const GREETING: Duration = Duration::from_secs(5);

/// A loopback address at which connections of agents that a client started come in.
///
/// The client starts a relay in place of an agent: a program that enters by [`connect_relay`] and then
/// passes every byte both ways. Who does not know the token is turned away.
#[derive(Debug)]
pub struct RelayListener {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
}

impl RelayListener {
    /// Opens one at a port that the system chooses. It needs a tokio runtime.
    ///
    /// # Errors
    /// The system has no port or no random bytes.
    pub fn open() -> io::Result<Self> {
        let listener = loopback::listen()?;
        Ok(Self { address: listener.local_addr()?, listener, token: loopback::token()? })
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
        let RelayConnection { output, input, told } = self.visitor().await?;
        let link = Link::over(output, input);
        Ok(if told.is_null() { link } else { link.logging_in(told) })
    }

    /// The same, as two streams and what was told.
    pub(crate) async fn visitor(&self) -> io::Result<RelayConnection> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            if let Ok(Ok(Some(visitor))) = tokio::time::timeout(GREETING, self.meet(stream)).await {
                return Ok(visitor);
            }
        }
    }

    /// Reads the first line; nothing if it does not begin with the token.
    async fn meet(&self, stream: TcpStream) -> io::Result<Option<RelayConnection>> {
        stream.set_nodelay(true)?;
        let (output, input) = stream.into_split();
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        (&mut output).take(FIRST_LINE).read_until(b'\n', &mut line).await?;
        let line = String::from_utf8_lossy(&line);
        let (token, told) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
        let told = serde_json::from_str(told).unwrap_or_default();
        Ok((token == self.token).then_some(RelayConnection { output, input, told }))
    }
}

/// Who came in.
pub(crate) struct RelayConnection {
    pub(crate) output: BufReader<OwnedReadHalf>,
    pub(crate) input: OwnedWriteHalf,
    /// What was told with the token, or null.
    pub(crate) told: Value,
}

/// Enters a door: connects, and gives the token, with what is `told` as one line of JSON: of a
/// login, or of the MCP server that was started. What is read and written from then on is a
/// conversation.
///
/// # Errors
/// Nobody listens there.
pub async fn connect_relay(
    address: SocketAddr,
    token: &str,
    told: Option<&str>,
) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let told = told.map_or_else(String::new, |told| format!(" {told}"));
    stream.write_all(format!("{token}{told}\n").as_bytes()).await?;
    Ok(stream)
}
