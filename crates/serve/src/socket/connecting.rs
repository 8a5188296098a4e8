//! The client's side of a socket.

use super::lines;
use super::shake_hands::{RefusalKind, Reply, Wants};
use attache_host::user;
use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;

/// How long a hub may take for its first line.
const PATIENCE: Duration = Duration::from_secs(15);

/// A connection to a hub, after the client's first line.
#[derive(Debug)]
pub struct HubConnection {
    input: BufReader<OwnedReadHalf>,
    output: OwnedWriteHalf,
}

/// Why a hub does not serve this program.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// No hub listens on the socket.
    NotRunning,
    /// The hub ended before it answered.
    Ended,
    /// The hub did not answer in time.
    Silent,
    /// Another version of the program than this one.
    Version {
        /// The version of the hub.
        hub: String,
    },
    /// The hub refuses this program.
    Refused(String),
    /// The socket belongs to another user, or does not answer as a hub does.
    NotAHub,
    /// The system refuses it.
    Failed(io::Error),
}

impl HubConnection {
    /// Connects to a hub and says what this program, of this version, wants. Cancel-safe.
    ///
    /// # Errors
    /// Returns an error if no hub of this user listens, or it does not take the line.
    pub async fn begin(socket: &Path, version: &str, wants: Wants) -> Result<Self, ConnectError> {
        let stream = UnixStream::connect(socket).await.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => ConnectError::NotRunning,
            _ => ConnectError::of(error),
        })?;
        if stream.peer_cred().map_err(ConnectError::of)?.uid() != user() {
            return Err(ConnectError::NotAHub);
        }
        let (input, mut output) = stream.into_split();
        // A hub that refuses this process does not read its line.
        let _refused = lines::write(&mut output, &wants.hello(version)).await;
        Ok(Self { input: BufReader::new(input), output })
    }

    /// Connects to a hub for plain ACP, and waits until the hub agrees.
    ///
    /// # Errors
    /// Returns an error if the hub does not agree, or has another version.
    pub async fn acp(
        socket: &Path,
        version: &str,
        agent: Option<String>,
    ) -> Result<Self, ConnectError> {
        let welcomed = Self::welcomed(socket, version, Wants::Acp { agent }).await?;
        Ok(welcomed.0)
    }

    /// Connects to a hub for ACP with one agent only, and waits until the hub agrees. Returns the
    /// connection, and where the hub stores sessions and checkpoints: see [`Reply::Welcome`].
    ///
    /// # Errors
    /// Returns an error if the hub does not agree, has another version, or cannot use the agent.
    pub async fn acp_of_agent(
        socket: &Path,
        version: &str,
        agent: &str,
    ) -> Result<(Self, String), ConnectError> {
        let wants = Wants::AcpOfAgent { agent: agent.to_owned() };
        Self::welcomed(socket, version, wants).await
    }

    async fn welcomed(
        socket: &Path,
        version: &str,
        wants: Wants,
    ) -> Result<(Self, String), ConnectError> {
        let mut connection = Self::begin(socket, version, wants).await?;
        match timeout(PATIENCE, connection.reply()).await {
            Ok(Ok(Reply::Welcome { attache, stores })) if attache == version => {
                Ok((connection, stores))
            }
            Ok(Ok(Reply::Welcome { attache, .. })) => Err(ConnectError::Version { hub: attache }),
            Ok(Ok(_)) => Err(ConnectError::NotAHub),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(ConnectError::Silent),
        }
    }

    /// Waits for the next line of the hub.
    ///
    /// # Errors
    /// Returns an error if the hub refuses what the client wants, or the connection ends.
    pub async fn reply(&mut self) -> Result<Reply, ConnectError> {
        match lines::read(&mut self.input).await {
            Ok(Some(Reply::Refused { attache, kind, message })) => Err(match kind {
                RefusalKind::Version => ConnectError::Version { hub: attache },
                _ => ConnectError::Refused(message),
            }),
            Ok(Some(reply)) => Ok(reply),
            Ok(None) => Err(ConnectError::Ended),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(ConnectError::NotAHub),
            Err(error) => Err(ConnectError::of(error)),
        }
    }

    /// Returns both directions of the stream.
    pub fn into_parts(self) -> (BufReader<OwnedReadHalf>, OwnedWriteHalf) {
        (self.input, self.output)
    }
}

impl ConnectError {
    /// Returns the reason behind an error of the socket. A hub may end at any moment.
    fn of(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::NotConnected => Self::Ended,
            _ => Self::Failed(error),
        }
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRunning => f.write_str("no hub runs"),
            Self::Ended => f.write_str("the hub ended before it answered"),
            Self::Silent => {
                write!(f, "the hub did not answer within {} s", PATIENCE.as_secs())
            }
            Self::Version { hub } => write!(f, "the hub has version {hub}"),
            Self::Refused(message) => write!(f, "the hub refuses this program: {message}"),
            Self::NotAHub => f.write_str("another program listens on the socket"),
            Self::Failed(error) => write!(f, "the hub cannot be reached: {error}"),
        }
    }
}

impl std::error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed(error) => Some(error),
            _ => None,
        }
    }
}
