//! Asking an agent whether it speaks version 2 of the protocol.

use crate::agent::agent_process::{self, AgentProcess};
use crate::agent::evidence;
use crate::agent::handshake::InitializeOfAnyVersion;
use crate::agent::options::Options;
use crate::agent::start_error::StartError;
use crate::tasks::Tasks;
use attache_connection::{Builder, CallError, Client, ClientHandler, ConnectionEnd, Limits};
use attache_host::{ChildWatch, Exit, Launch, StopPatience};
use attache_protocol::v2::{InitializeRequest, InitializeResponse, ProtocolVersion};
use attache_protocol::{DecodeError, Raw, v1};
use std::fmt;
use std::time::Duration;

/// The longest message that is read, in bytes. An answer to `initialize` is much shorter.
const FRAME: usize = 1 << 20;

/// The answer of an agent to a client that asks for version 2 of the protocol, a draft.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Version2Answer {
    /// The agent speaks version 2.
    Agreed,
    /// The agent does not speak version 2: it answered with version 1 or with an error.
    Declined,
    /// The agent did not answer in time.
    Silent {
        /// How long the client waited.
        after: Duration,
    },
    /// The agent or the connection ended before the answer.
    Ended {
        /// How the connection ended.
        end: ConnectionEnd,
        /// How the agent's process ended, if it did.
        exit: Option<Exit>,
    },
    /// The protocol does not allow the answer: it has another version, or it cannot be read.
    Invalid {
        /// What is wrong with the answer.
        error: DecodeError,
    },
}

impl AgentProcess {
    /// Starts a program, asks it for version 2 of the protocol, and stops it with everything it
    /// started. No session is opened.
    ///
    /// The agent has the time of [`Options::handshake`] to answer, and then as long as
    /// [`AgentProcess::stop`] takes. A message of more than 1 MiB ends the connection.
    ///
    /// # Errors
    /// Returns a [`StartError`] if the program does not start.
    ///
    /// ```no_run
    /// use attache_client::{AgentProcess, Launch, Options, Version2Answer};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let launch = Launch::parse("codex-acp")?;
    /// let answer = AgentProcess::ask_for_version_2(launch, Options::default()).await?;
    /// println!("speaks version 2: {}", matches!(answer, Version2Answer::Agreed));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn ask_for_version_2(
        launch: Launch,
        options: Options,
    ) -> Result<Version2Answer, StartError> {
        let (mut child, input, output) = agent_process::start(launch).await?;
        let watch = child.watch();
        let limits = Limits { frame: options.limits.frame.min(FRAME), ..options.limits };
        let mut builder =
            Builder::new().limits(limits).exit_probe(evidence::exit_probe(watch.clone()));
        if let Some(tap) = options.tap {
            builder = builder.tap(tap);
        }
        let (peer, connection) = builder.connect(input, output, ClientHandler(ServesNothing));
        let tasks = Tasks::default();
        tasks.spawn(async move { drop(connection.run().await) });
        let params = InitializeRequest::new(ProtocolVersion::V2, options.about);
        let reply = peer.call::<InitializeOfAnyVersion>(&params).within(options.handshake).await;
        let answer = Version2Answer::of(reply, &watch);
        // Closes the agent's stdin.
        peer.close();
        peer.ended().await;
        child.stop(StopPatience::default()).await;
        Ok(answer)
    }
}

impl Version2Answer {
    fn of(reply: Result<Raw, CallError>, child: &ChildWatch) -> Self {
        match reply {
            Ok(result) => Self::of_result(&result),
            Err(CallError::BadReply(error)) => Self::Invalid { error },
            Err(CallError::TimedOut { after, .. }) => Self::Silent { after },
            Err(CallError::Disconnected(end)) => Self::Ended { end, exit: child.exit() },
            // An error response. `initialize` is never gated.
            Err(_) => Self::Declined,
        }
    }

    fn of_result(result: &Raw) -> Self {
        let version = attache_protocol::decode::<v1::InitializeResponse>(result.get())
            .map(|response| response.protocol_version);
        let error = match version {
            Ok(ProtocolVersion::V1) => return Self::Declined,
            Ok(ProtocolVersion::V2) => {
                match attache_protocol::decode::<InitializeResponse>(result.get()) {
                    Ok(_) => return Self::Agreed,
                    Err(error) => error,
                }
            }
            Ok(other) => DecodeError {
                path: "protocolVersion".to_owned(),
                message: format!("expected 1 or 2, found {other}"),
                not_json: false,
            },
            Err(error) => error,
        };
        Self::Invalid { error: error.under("result") }
    }
}

impl fmt::Display for Version2Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agreed => f.write_str("the agent speaks version 2"),
            Self::Declined => f.write_str("the agent does not speak version 2"),
            Self::Silent { after } => write!(
                f,
                "the agent did not answer the request for version 2 within {:.1} s",
                after.as_secs_f64()
            ),
            Self::Ended { exit: Some(exit), .. } => {
                write!(f, "the agent ended before it answered the request for version 2 ({exit})")
            }
            Self::Ended { end, exit: None } => write!(
                f,
                "the connection ended before the agent answered the request for version 2: {end}"
            ),
            Self::Invalid { error } => write!(
                f,
                "the agent's answer to the request for version 2 is invalid: {error}; report it to its author"
            ),
        }
    }
}

/// A client that answers every call of the agent with "method not found".
struct ServesNothing;

impl Client for ServesNothing {}
