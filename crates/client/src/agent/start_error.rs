//! Why an agent did not start. No process is left behind.

use crate::agent::evidence::Evidence;
#[cfg(feature = "remote")]
use crate::remote::remote_error::RemoteError;
use attache_connection::{CallError, ConnectionEnd};
use attache_host::ParseError;
use attache_protocol::v1::ProtocolVersion;
use attache_protocol::{DecodeError, Error};
use std::fmt;
use std::time::Duration;

/// Why an agent did not start. No process is left behind.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The command line is not well-formed.
    Command(ParseError),
    /// The program cannot be started.
    Program(attache_host::StartError),
    /// The agent did not answer `initialize` in time.
    Silent {
        /// How long the client waited.
        after: Duration,
        /// The evidence about the agent.
        evidence: Evidence,
    },
    /// The agent or the connection ended before the answer to `initialize`.
    Ended {
        /// How the connection ended.
        end: ConnectionEnd,
        /// The evidence about the agent.
        evidence: Evidence,
    },
    /// The agent refused `initialize`.
    Refused {
        /// The agent's error.
        error: Error,
        /// The evidence about the agent.
        evidence: Evidence,
    },
    /// The agent's answer to `initialize` cannot be read.
    BadReply {
        /// What is wrong with the answer.
        error: DecodeError,
        /// The evidence about the agent.
        evidence: Evidence,
    },
    /// The agent answered with another version of the protocol than the client asked for.
    Version {
        /// The version that the client asked for.
        asked: ProtocolVersion,
        /// The version that the agent answered with.
        answered: ProtocolVersion,
    },
    /// The agent refused the version of the protocol and said which versions it speaks.
    UnsupportedVersion {
        /// The version that the client asked for.
        asked: ProtocolVersion,
        /// The versions that the agent speaks.
        supported: Vec<ProtocolVersion>,
    },
    /// What an [`AgentSource::connect`](crate::AgentSource::connect) connects to cannot be reached,
    /// for the reason that it gives.
    Connect(Box<dyn std::error::Error + Send + Sync>),
    /// The remote agent cannot be reached or used.
    #[cfg(feature = "remote")]
    Remote(RemoteError),
}

impl StartError {
    /// Converts the error of a failed `initialize` call.
    pub(crate) fn of_call(error: CallError, evidence: Evidence) -> Self {
        match error {
            CallError::ErrorResponse(error) => Self::Refused { error, evidence },
            CallError::BadReply(error) => Self::BadReply { error, evidence },
            CallError::TimedOut { after, .. } => Self::Silent { after, evidence },
            CallError::Disconnected(end) => Self::Ended { end, evidence },
            // `initialize` is never gated, and there are no other kinds of error today.
            other => Self::Refused { error: Error::internal(other.to_string()), evidence },
        }
    }

    /// Whether a remote agent is away for now: it cannot be reached, or its server cannot serve at
    /// the moment. It may answer later without that anyone changes something here.
    pub fn is_outage(&self) -> bool {
        match self {
            #[cfg(feature = "remote")]
            Self::Remote(error) => error.is_outage(),
            _ => false,
        }
    }

    /// The evidence about the agent, if it was started.
    pub fn evidence(&self) -> Option<&Evidence> {
        match self {
            Self::Silent { evidence, .. }
            | Self::Ended { evidence, .. }
            | Self::Refused { evidence, .. }
            | Self::BadReply { evidence, .. } => Some(evidence),
            Self::Command(_)
            | Self::Program(_)
            | Self::Version { .. }
            | Self::UnsupportedVersion { .. }
            | Self::Connect(_) => None,
            #[cfg(feature = "remote")]
            Self::Remote(_) => None,
        }
    }
}

/// Advice for errors that may mean that the program was not started as an ACP agent.
const ACP_MODE: &str = "check that the command starts its ACP mode, often by a flag such as --acp";

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(error) => error.fmt(f),
            Self::Connect(error) => error.fmt(f),
            Self::Program(error) => error.fmt(f),
            Self::Silent { after, evidence } => {
                write!(
                    f,
                    "the agent did not answer initialize within {:.1} s: {ACP_MODE}{evidence}",
                    after.as_secs_f64()
                )
            }
            Self::Ended { end, evidence } => {
                match evidence.exit {
                    Some(exit) => {
                        write!(f, "the agent ended before it answered initialize ({exit}): ")?
                    }
                    None => write!(
                        f,
                        "the agent was gone before it answered initialize ({}): ",
                        short(end)
                    )?,
                }
                let advice = if evidence.stdout.is_empty() && !evidence.stderr.is_empty() {
                    "what it wrote to stderr should say why"
                } else {
                    ACP_MODE
                };
                write!(f, "{advice}{evidence}")
            }
            Self::Refused { error, evidence } => {
                write!(
                    f,
                    "the agent refused initialize: {error}; its documentation or an update may help{evidence}"
                )
            }
            Self::BadReply { error, evidence } => {
                write!(
                    f,
                    "the agent's answer to initialize cannot be read: {error}; update the agent, or report it to its author{evidence}"
                )
            }
            Self::Version { asked, answered } => spoken(f, *asked, &[*answered]),
            Self::UnsupportedVersion { asked, supported } => spoken(f, *asked, supported),
            #[cfg(feature = "remote")]
            Self::Remote(error) => error.fmt(f),
        }
    }
}

impl StartError {
    /// The version of ACP that the agent speaks, if it speaks only one, the client did not ask for
    /// it, and this crate speaks it too.
    pub fn other_version(&self) -> Option<ProtocolVersion> {
        match self {
            Self::Version { asked, answered } => other_version(*asked, &[*answered]),
            Self::UnsupportedVersion { asked, supported } => other_version(*asked, supported),
            _ => None,
        }
    }
}

fn other_version(asked: ProtocolVersion, spoken: &[ProtocolVersion]) -> Option<ProtocolVersion> {
    match spoken {
        [only @ (ProtocolVersion::V1 | ProtocolVersion::V2)] if *only != asked => Some(*only),
        _ => None,
    }
}

/// Writes that the agent speaks these versions and not the one that the client asked for.
fn spoken(
    f: &mut fmt::Formatter<'_>,
    asked: ProtocolVersion,
    spoken: &[ProtocolVersion],
) -> fmt::Result {
    if let Some(only) = other_version(asked, spoken) {
        return write!(
            f,
            "the agent speaks only version {only} of ACP, and this client asked for version {asked}: ask for version {only}"
        );
    }
    match spoken {
        [] => write!(f, "the agent does not speak version {asked} of ACP: update it"),
        spoken => {
            let spoken: Vec<String> = spoken.iter().map(ToString::to_string).collect();
            write!(
                f,
                "the agent speaks version {} of ACP, and this client asked for version {asked}: update the older of the two",
                spoken.join(", ")
            )
        }
    }
}

/// The end of the connection without its details, because the evidence contains them too.
fn short(end: &ConnectionEnd) -> ConnectionEnd {
    match end {
        ConnectionEnd::PeerClosed { .. } => ConnectionEnd::PeerClosed { detail: None },
        other => other.clone(),
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Command(error) => Some(error),
            Self::Program(error) => Some(error),
            Self::Ended { end, .. } => Some(end),
            Self::Refused { error, .. } => Some(error),
            Self::BadReply { error, .. } => Some(error),
            Self::Connect(error) => error.source(),
            Self::Silent { .. } | Self::Version { .. } | Self::UnsupportedVersion { .. } => None,
            #[cfg(feature = "remote")]
            Self::Remote(error) => Some(error),
        }
    }
}

#[cfg(feature = "remote")]
impl From<RemoteError> for StartError {
    fn from(error: RemoteError) -> Self {
        Self::Remote(error)
    }
}

impl From<ParseError> for StartError {
    fn from(error: ParseError) -> Self {
        Self::Command(error)
    }
}

impl From<attache_host::StartError> for StartError {
    fn from(error: attache_host::StartError) -> Self {
        Self::Program(error)
    }
}
