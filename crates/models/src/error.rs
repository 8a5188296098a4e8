//! Why a model could not answer: who is to blame, and what a person can do.

use crate::message::ModelId;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Why a call of a model failed. Each prints as one sentence, or two, that a person understands;
/// none holds a key.
///
/// `said` is what the provider said, on one line, at most 300 characters, empty if it said nothing.
#[derive(Debug)]
pub enum ModelError {
    /// The provider could not be reached.
    NoNetwork {
        provider: String,
        /// Host and port.
        host: String,
        source: Box<dyn Error + Send + Sync>,
    },
    /// The key is missing, wrong, or not allowed to do this.
    Auth {
        provider: String,
        status: u16,
        /// The environment variable that holds the key.
        variable: Option<String>,
        said: String,
    },
    /// The account has no credit left, or used up what it may use for longer than is waited for.
    Quota { provider: String, said: String, again_in: Option<Duration> },
    /// The provider does not take the request.
    BadRequest { provider: String, status: u16, said: String },
    /// The conversation is longer than the model's window.
    Overflow { model: ModelId, limit: Option<u64>, said: String },
    /// The provider has no such model, or not for this key.
    UnknownModel { model: ModelId, said: String },
    /// Nothing answers at the address: not a provider of this wire.
    NotFound { provider: String, url: String, said: String },
    /// The provider was busy or broken each time it was asked.
    Overloaded { provider: String, status: Option<u16>, attempts: u32, said: String },
    /// The provider refuses what the conversation is about.
    Refused { provider: String, said: String },
    /// No answer came, or it stopped coming, for this long.
    Hung { provider: String, waited: Duration },
    /// The answer stopped before its end.
    Cut { provider: String, source: Option<Box<dyn Error + Send + Sync>> },
    /// The model that a person named cannot be used, for this reason.
    Unusable { why: String },
    /// The answer is nothing that the provider's wire knows.
    Malformed { provider: String, what: String },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNetwork { provider, host, .. } => write!(
                f,
                "{provider} cannot be reached at {host}: check the network, the proxy and the base URL, and that a local server runs"
            ),
            Self::Auth { provider, status, variable, said } => {
                auth(f, provider, *status, variable.as_deref(), said)
            }
            Self::Quota { provider, said, again_in } => {
                write!(f, "{provider} says that the quota or credit of this key is used up")?;
                if let Some(wait) = again_in {
                    write!(f, " for another {}", spoken(*wait))?;
                }
                write!(
                    f,
                    "{}: check the plan and billing there, or choose another model",
                    Said(said)
                )
            }
            Self::BadRequest { provider, status, said } => {
                write!(f, "{provider} does not take the request (status {status}){}", Said(said))
            }
            Self::Overflow { model, limit, said } => {
                write!(f, "the conversation is longer than the window of {model}")?;
                if let Some(limit) = limit {
                    write!(f, ", {limit} tokens")?;
                }
                write!(f, "{}: begin a new session, or choose another model", Said(said))
            }
            Self::UnknownModel { model, said } => write!(
                f,
                "{} has no model {}{}: choose another model, or check its name",
                model.provider,
                model.name,
                Said(said)
            ),
            Self::NotFound { provider, url, said } => {
                write!(f, "{provider} has nothing at {url}{}: check the base URL", Said(said))
            }
            Self::Overloaded { provider, status, attempts, said } => {
                write!(f, "{provider} could not answer")?;
                if let Some(status) = status {
                    write!(f, " (status {status})")?;
                }
                let times = if *attempts == 1 { "once" } else { "several times" };
                write!(f, ", asked {times}{}: try again later, or choose another model", Said(said))
            }
            Self::Refused { provider, said } => {
                write!(f, "{provider} refuses to answer this{}: say it in other words", Said(said))
            }
            Self::Hung { provider, waited } => write!(
                f,
                "{provider} sent nothing for {}: try again, or choose another model",
                spoken(*waited)
            ),
            Self::Cut { provider, .. } => {
                write!(
                    f,
                    "the answer of {provider} was cut before its end: say \"continue\" to go on"
                )
            }
            Self::Unusable { why } => f.write_str(why),
            Self::Malformed { provider, what } => {
                write!(
                    f,
                    "the answer of {provider} cannot be read: {what}; check the base URL and that it speaks this wire"
                )
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
        403 => {
            write!(f, "{provider} does not allow this key to do that (status 403){}", Said(said))?
        }
        _ => write!(f, "{provider} does not know the key (status {status}){}", Said(said))?,
    }
    match variable {
        Some(variable) => write!(f, ": check the environment variable {variable}"),
        None => write!(f, ": give the provider a key in the configuration"),
    }
}

/// What the provider said, in brackets, if anything.
struct Said<'s>(&'s str);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => Ok(()),
            said => write!(f, " (\"{said}\")"),
        }
    }
}

/// A duration as a person says it, such as `2 minutes`.
pub(crate) fn spoken(duration: Duration) -> String {
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
