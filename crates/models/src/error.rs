//! The causes of failed calls, and advice for the user.

use crate::message::ModelId;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// The cause of a failed call. The message says what to do. No variant contains an API key.
///
/// `provider` is the provider's display name, and `status` the HTTP status. `said` is the
/// provider's message on one line of at most 300 characters; it may be empty.
#[derive(Debug)]
#[allow(missing_docs, reason = "the fields are explained above, or by their names")]
pub enum ModelError {
    /// The provider cannot be reached.
    NoNetwork {
        provider: String,
        /// The host and the port.
        host: String,
        source: Box<dyn Error + Send + Sync>,
    },
    /// The key is missing or wrong, or it does not allow the request.
    Auth {
        provider: String,
        status: u16,
        /// The environment variable that contains the key.
        variable: Option<String>,
        said: String,
    },
    /// The account's quota or credit is used up, for longer than
    /// [`Limits::longest_wait`](crate::Limits::longest_wait).
    Quota { provider: String, said: String, again_in: Option<Duration> },
    /// The provider rejects the request.
    BadRequest { provider: String, status: u16, said: String },
    /// The provider rejects an image, audio or a document in the request. This is sure only if the
    /// same request succeeds without it.
    RefusedMedia { provider: String, status: u16, said: String },
    /// The conversation is longer than the context window.
    Overflow { model: ModelId, limit: Option<u64>, said: String },
    /// The provider, or a proxy before it, accepts no request of this size.
    TooLarge { provider: String, said: String },
    /// The provider has no such model, or does not allow this key to use it.
    UnknownModel { model: ModelId, said: String },
    /// The server does not know this address, so the base URL may be wrong.
    NotFound { provider: String, url: String, said: String },
    /// The provider was overloaded or failed in every attempt.
    Overloaded { provider: String, status: Option<u16>, attempts: u32, said: String },
    /// The provider refuses to answer because of the content of the conversation.
    Refused { provider: String, said: String },
    /// The provider sent nothing for this long.
    Hung { provider: String, waited: Duration },
    /// The answer stopped before its end.
    Cut { provider: String, source: Option<Box<dyn Error + Send + Sync>> },
    /// The chosen model cannot be used.
    Unusable { why: String },
    /// The answer does not have the format of the provider's wire.
    Malformed {
        provider: String,
        what: String,
        /// Whether a part of the answer before could be read.
        begun: bool,
    },
}

impl ModelError {
    /// Returns whether the same request may succeed without the images, audio and documents in it.
    pub fn may_be_about_media(&self) -> bool {
        let vague = |said: &str| {
            let said = said.to_lowercase();
            let words = ["invalid argument", "bad request", "invalid request", "invalid_request"];
            said.is_empty() || words.iter().any(|words| said.contains(words))
        };
        match self {
            // A request can have too many bytes although it has few tokens.
            Self::RefusedMedia { .. } | Self::TooLarge { .. } => true,
            Self::BadRequest { said, .. } => vague(said),
            Self::Overflow { said, .. } => {
                let said = said.to_lowercase();
                !["token", "context", "prompt", "input is"].iter().any(|word| said.contains(word))
            }
            _ => false,
        }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNetwork { provider, host, .. } => write!(
                f,
                "{provider} cannot be reached at {host}: check the network, the proxy and the base URL, and that a local server is running"
            ),
            Self::Auth { provider, status, variable, said } => {
                auth(f, provider, *status, variable.as_deref(), said)
            }
            Self::Quota { provider, said, again_in } => {
                write!(f, "{provider} reports that the quota or credit of this key is used up")?;
                if let Some(wait) = again_in {
                    write!(f, " for another {}", in_words(*wait))?;
                }
                write!(
                    f,
                    "{}: check your plan and billing there, or choose another model",
                    Said(said)
                )
            }
            Self::BadRequest { provider, status, said }
            | Self::RefusedMedia { provider, status, said } => {
                write!(f, "{provider} rejects the request (status {status}){}", Said(said))
            }
            Self::Overflow { model, limit, said } => {
                write!(f, "the conversation is longer than the context window of {model}")?;
                if let Some(limit) = limit {
                    write!(f, ", {limit} tokens")?;
                }
                write!(f, "{}: start a new session, or choose another model", Said(said))
            }
            Self::TooLarge { provider, said } => write!(
                f,
                "{provider}, or a proxy before it, refuses a request of this size (status 413){}: start a new session, or attach less",
                Said(said)
            ),
            Self::UnknownModel { model, said } => write!(
                f,
                "{} has no model {}{}: choose another model, or check its name",
                model.provider,
                model.name,
                Said(said)
            ),
            Self::NotFound { provider, url, said } => {
                write!(f, "{provider} serves nothing at {url}{}: check the base URL", Said(said))
            }
            Self::Overloaded { provider, status, attempts, said } => {
                write!(f, "{provider} could not answer")?;
                if let Some(status) = status {
                    write!(f, " (status {status})")?;
                }
                let several = if *attempts > 1 { " after several attempts" } else { "" };
                write!(f, "{several}{}: try again later, or choose another model", Said(said))
            }
            Self::Refused { provider, said } => {
                write!(f, "{provider} refuses to answer this{}: rephrase the prompt", Said(said))
            }
            Self::Hung { provider, waited } => write!(
                f,
                "{provider} sent nothing for {}: try again, or choose another model",
                in_words(*waited)
            ),
            Self::Cut { provider, .. } => {
                write!(f, "the answer from {provider} was cut off: say \"continue\" to resume it")
            }
            Self::Unusable { why } => f.write_str(why),
            Self::Malformed { provider, what, begun } => {
                let advice = match begun {
                    true => "try again, or choose another model",
                    false => "check the base URL and the wire of this provider",
                };
                write!(f, "the answer from {provider} cannot be read: {what}; {advice}")
            }
        }
    }
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoNetwork { source, .. } => Some(&**source),
            Self::Cut { source: Some(source), .. } => Some(&**source),
            _ => None,
        }
    }
}

fn auth(
    f: &mut fmt::Formatter<'_>,
    provider: &str,
    status: u16,
    variable: Option<&str>,
    said: &str,
) -> fmt::Result {
    match status {
        403 => write!(
            f,
            "{provider} does not allow this key to make the request (status 403){}",
            Said(said)
        )?,
        _ => write!(f, "{provider} does not accept the key (status {status}){}", Said(said))?,
    }
    match variable {
        Some(variable) => write!(f, ": check the environment variable {variable}"),
        None => write!(f, ": set a key for the provider in the configuration"),
    }
}

/// The provider's message in parentheses, if there is one.
struct Said<'s>(&'s str);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => Ok(()),
            said => write!(f, " (\"{said}\")"),
        }
    }
}

/// Returns a duration in words, such as `2 minutes`.
pub(crate) fn in_words(duration: Duration) -> String {
    let counted = |count: u64, noun: &str| {
        let end = if count == 1 { "" } else { "s" };
        format!("{count} {noun}{end}")
    };
    match duration.as_secs() {
        0 => counted(duration.as_millis().try_into().unwrap_or(u64::MAX), "millisecond"),
        seconds @ 1..=119 => counted(seconds, "second"),
        seconds @ 120..=7199 => counted(seconds.div_ceil(60), "minute"),
        seconds => counted(seconds.div_ceil(3600), "hour"),
    }
}
