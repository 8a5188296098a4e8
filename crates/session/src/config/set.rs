//! Sets config options: which values are allowed, and the error for all others.

use crate::ConfigOptions;
use crate::config::choose;
use crate::replay::gate::takes_booleans;
use attache_protocol::v1::{
    ClientCapabilities, SessionConfigKind, SessionConfigOption, SessionConfigOptionValue,
    SetSessionConfigOptionRequest,
};
use std::fmt;

/// Why a value cannot be set. The state is unchanged, and an agent replies `-32602`. The message
/// lists at most twenty ids or values and counts the rest; the fields contain all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetError {
    /// There is no option with this id or category.
    UnknownOption {
        /// The requested id or category.
        asked: String,
        /// The existing ids, in quotes.
        options: Vec<String>,
    },
    /// The option does not take this value.
    UnknownValue {
        /// The option's id.
        option: String,
        /// The requested value: in quotes, or the state of a switch.
        asked: String,
        /// The accepted values: in quotes, or the states of a switch.
        allowed: Vec<String>,
    },
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOption { asked, options } if options.is_empty() => {
                write!(f, "there is no config option {}; the session has none", quoted(asked))
            }
            Self::UnknownOption { asked, options } => {
                write!(
                    f,
                    "there is no config option {}; use one of {}",
                    quoted(asked),
                    some_of(options)
                )
            }
            Self::UnknownValue { option, asked, allowed } if allowed.is_empty() => {
                write!(
                    f,
                    "the config option {} does not take {}; it has no values",
                    quoted(option),
                    cut(asked)
                )
            }
            Self::UnknownValue { option, asked, allowed } => {
                let (option, asked) = (quoted(option), cut(asked));
                write!(
                    f,
                    "the config option {option} does not take {asked}; use one of {}",
                    some_of(allowed)
                )
            }
        }
    }
}

impl std::error::Error for SetError {}

/// How many ids or values a message lists. The rest is counted.
const NAMED: usize = 20;

/// How long one of them may be in a message, in characters.
const NAME_LIMIT: usize = 100;

fn quoted(name: &str) -> String {
    cut(&format!("{name:?}"))
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(NAME_LIMIT) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

fn some_of(names: &[String]) -> String {
    let named: Vec<_> = names.iter().take(NAMED).map(|name| cut(name)).collect();
    let named = named.join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

impl ConfigOptions {
    /// Returns the request that sets an option to `value`: the option with this id, or else the
    /// first one of this category. This function is for clients.
    ///
    /// A switch also accepts the words `true` and `false`, because users type words. If
    /// [`ConfigOptions::source`] does not return [`crate::OptionSource::ConfigOption`] for the
    /// request's option, the value is the id of a mode or a model.
    pub fn check_set(
        &self,
        name: &str,
        value: impl Into<SessionConfigOptionValue>,
    ) -> Result<SetSessionConfigOptionRequest, SetError> {
        let option =
            self.option_by_id_or_category(name).ok_or_else(|| self.unknown_option(name))?;
        let value = value_for(option, value.into(), true)?;
        Ok(SetSessionConfigOptionRequest::new(self.session_id.clone(), option.id.clone(), value))
    }

    /// Returns all options of the agent as they are after a client with these capabilities sets the
    /// option with this id to `value`. This function is for agents.
    ///
    /// A client that does not support switches was sent a choice of `true` and `false`, so it sends
    /// words. Any other client must send a boolean.
    pub fn with_value(
        &self,
        id: &str,
        value: &SessionConfigOptionValue,
        client: &ClientCapabilities,
    ) -> Result<Vec<SessionConfigOption>, SetError> {
        let mut options = self.options().to_vec();
        let option = options
            .iter_mut()
            .find(|option| {
                option.id == *id && !matches!(option.kind, SessionConfigKind::Unknown(_))
            })
            .ok_or_else(|| self.unknown_option(id))?;
        let value = value_for(option, value.clone(), !takes_booleans(client))?;
        choose(option, &value);
        Ok(options)
    }

    fn unknown_option(&self, asked: &str) -> SetError {
        let options = self.visible().map(|option| format!("{:?}", option.id)).collect();
        SetError::UnknownOption { asked: asked.to_owned(), options }
    }
}

/// Returns `value` in the form that the option accepts. If `words` is set, the words `true` and
/// `false` mean the states of a switch.
fn value_for(
    option: &SessionConfigOption,
    value: SessionConfigOptionValue,
    words: bool,
) -> Result<SessionConfigOptionValue, SetError> {
    let value = match (&option.kind, &value) {
        (SessionConfigKind::Boolean(_), SessionConfigOptionValue::ValueId(id)) if words => {
            id.as_str().parse().map_or(value, SessionConfigOptionValue::Boolean)
        }
        _ => value,
    };
    if option.accepts(&value) {
        return Ok(value);
    }
    let asked = match &value {
        SessionConfigOptionValue::ValueId(id) => format!("{id:?}"),
        SessionConfigOptionValue::Boolean(on) => on.to_string(),
    };
    let allowed = match &option.kind {
        SessionConfigKind::Boolean(_) => vec!["true".to_owned(), "false".to_owned()],
        _ => option.values().map(|value| format!("{:?}", value.value)).collect(),
    };
    Err(SetError::UnknownValue { option: option.id.to_string(), asked, allowed })
}
