//! The listener for relays, which clients start instead of an agent. A relay needs a token.

use crate::peer::link::Link;
use crate::peer::loopback;
use serde_json::Value;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// The length limit of a relay's first line in bytes: the token and the data with it.
const FIRST_LINE: u64 = 1024 * 1024;

/// How long a relay may take to send the token.
const GREETING: Duration = Duration::from_secs(5);

/// A loopback listener for the relays that clients start as their agents.
///
/// A relay is a program that connects with [`connect_relay`] and then copies bytes both ways. A
/// connection without the token is closed.
#[derive(Debug)]
pub struct RelayListener {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
}

impl RelayListener {
    /// Opens a listener on a port that the system chooses. Needs a tokio runtime.
    ///
    /// # Errors
    /// Returns an error if the system provides no port or no random bytes.
    pub fn open() -> io::Result<Self> {
        let listener = loopback::listen()?;
        Ok(Self { address: listener.local_addr()?, listener, token: loopback::token()? })
    }

    /// Returns the address of the listener.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the token to send first.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns the next connection that sends the token.
    pub(crate) async fn next(&self) -> io::Result<Link> {
        let RelayConnection { output, input, data } = self.next_connection().await?;
        let link = Link::over(output, input);
        Ok(if data.is_null() { link } else { link.logging_in(data) })
    }

    /// Returns the next connection as two streams, with the data that came with the token.
    pub(crate) async fn next_connection(&self) -> io::Result<RelayConnection> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            if let Ok(Ok(Some(connection))) =
                tokio::time::timeout(GREETING, self.accept(stream)).await
            {
                return Ok(connection);
            }
        }
    }

    /// Reads the first line. Returns `None` if the line does not begin with the token.
    async fn accept(&self, stream: TcpStream) -> io::Result<Option<RelayConnection>> {
        stream.set_nodelay(true)?;
        let (output, input) = stream.into_split();
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        (&mut output).take(FIRST_LINE).read_until(b'\n', &mut line).await?;
        let line = String::from_utf8_lossy(&line);
        let (token, data) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
        let data = serde_json::from_str(data).unwrap_or_default();
        Ok((token == self.token).then_some(RelayConnection { output, input, data }))
    }
}

/// The connection of a relay.
pub(crate) struct RelayConnection {
    pub(crate) output: BufReader<OwnedReadHalf>,
    pub(crate) input: OwnedWriteHalf,
    /// The data that came with the token, or null.
    pub(crate) data: Value,
}

/// Connects to a [`RelayListener`]. Sends one line with the token and the data of a login or of the
/// started MCP server, as JSON. All later bytes are the conversation.
///
/// # Errors
/// Returns an error if the connection fails.
pub async fn connect_relay(
    address: SocketAddr,
    token: &str,
    data: Option<&str>,
) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let data = data.map_or_else(String::new, |data| format!(" {data}"));
    stream.write_all(format!("{token}{data}\n").as_bytes()).await?;
    Ok(stream)
}
