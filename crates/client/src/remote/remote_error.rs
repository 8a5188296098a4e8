//! Why a remote agent cannot be reached or used.

use attache_connection::ConnectionEnd;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// Why a remote agent cannot be reached or used. No variant contains text of the server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RemoteError {
    /// The address cannot be used, and why.
    Address(String),
    /// The token would be sent to this host without encryption.
    TokenInClear(String),
    /// TLS is not available on this machine.
    NoTls(Arc<reqwest::Error>),
    /// No connection to the host could be made, or it broke.
    Unreachable {
        /// The host and port.
        host: String,
        /// What failed.
        source: Arc<reqwest::Error>,
    },
    /// The host's certificate is not accepted, or it does not speak TLS.
    Tls {
        /// The host and port.
        host: String,
        /// What failed.
        source: Arc<reqwest::Error>,
    },
    /// The host does not answer in time.
    Silent(String),
    /// The host wants a token, or another one.
    Unauthorized {
        /// The host and port.
        host: String,
        /// Whether a token was sent.
        had_token: bool,
    },
    /// The host answers, but not as a server of ACP does.
    NotAcp {
        /// The host and port.
        host: String,
        /// What it did.
        did: String,
    },
    /// The host refused a message with this status.
    Refused {
        /// The host and port.
        host: String,
        /// The status of HTTP.
        status: u16,
    },
    /// The host no longer knows the connection, or ended it.
    Closed(String),
    /// The connection ended before the agent answered `initialize`.
    Ended {
        /// The host and port.
        host: String,
        /// How it ended.
        end: ConnectionEnd,
    },
}

impl RemoteError {
    /// Returns the error of a request to a host.
    pub(crate) fn of_request(host: &str, error: reqwest::Error) -> Self {
        let (host, error) = (host.to_owned(), Arc::new(error.without_url()));
        let is_tls = causes(&error).any(is_tls);
        match is_tls {
            true => Self::Tls { host, source: error },
            false if error.is_timeout() => Self::Silent(host),
            false => Self::Unreachable { host, source: error },
        }
    }

    /// Whether the server is away for now: it cannot be reached, or it or a proxy before it says
    /// that it cannot serve at the moment.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Silent(_) | Self::Closed(_) | Self::Ended { .. } => {
                true
            }
            Self::Refused { status, .. } => matches!(status, 429 | 502..=504),
            Self::Address(_)
            | Self::TokenInClear(_)
            | Self::NoTls(_)
            | Self::Tls { .. }
            | Self::Unauthorized { .. }
            | Self::NotAcp { .. } => false,
        }
    }
}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(why) => write!(f, "the address cannot be used: {why}"),
            Self::TokenInClear(host) => write!(
                f,
                "the token would be sent to {host} without encryption: use wss:// or https://, or a tunnel to localhost such as ssh -L"
            ),
            Self::NoTls(error) => {
                write!(f, "TLS is not available: {}; install ca-certificates", root(error))
            }
            Self::Unreachable { host, source } => write!(
                f,
                "cannot reach {host}: {}; check the address, and that the server runs",
                root(source)
            ),
            Self::Tls { host, source } => write!(
                f,
                "no secure connection to {host}: {}; check the server's certificate (SSL_CERT_FILE names the file of a private authority), or use ws:// or http:// if it has none",
                root(source)
            ),
            Self::Silent(host) => {
                write!(f, "{host} does not answer: check that a server of ACP runs there")
            }
            Self::Unauthorized { host, had_token: false } => write!(
                f,
                "{host} wants a token: set ATTACHE_TOKEN, or use --token-file with a file that holds it"
            ),
            Self::Unauthorized { host, had_token: true } => write!(
                f,
                "{host} refused the token: it is wrong or was revoked; get a new one from the server"
            ),
            Self::NotAcp { host, did } => {
                write!(f, "{host} is not a server of ACP at this path: it {did}; check the address")
            }
            Self::Refused { host, status } => {
                write!(f, "{host} refused a message with the HTTP status {status}")?;
                match self.is_outage() {
                    true => f.write_str(": it cannot serve now; try again later"),
                    false => Ok(()),
                }
            }
            Self::Closed(host) => write!(f, "{host} ended the connection"),
            Self::Ended { host, end } => {
                write!(f, "{host} ended the connection before it answered initialize ({end})")
            }
        }
    }
}

impl Error for RemoteError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoTls(source) | Self::Unreachable { source, .. } | Self::Tls { source, .. } => {
                Some(&**source)
            }
            Self::Ended { end, .. } => Some(end),
            _ => None,
        }
    }
}

/// The innermost cause of an error, which says most.
fn root(error: &reqwest::Error) -> String {
    match causes(error).last() {
        Some(cause) => cause.to_string(),
        None => error.to_string(),
    }
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let mut next = error.source();
    std::iter::from_fn(move || {
        let cause = next?;
        next = cause.source();
        Some(cause)
    })
}

/// Whether TLS failed. An I/O error may contain the error of TLS without naming it as its source.
fn is_tls(mut cause: &(dyn Error + 'static)) -> bool {
    while let Some(inner) = cause.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref)
    {
        cause = inner;
    }
    cause.is::<rustls::Error>()
}
