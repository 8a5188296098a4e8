//! The language of client scripts: one step per line. Blank lines and lines that begin with `#` are
//! skipped.

use std::path::PathBuf;
use std::time::Duration;

/// A step of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// `prompt TEXT`: one turn, up to its end.
    Prompt(String),
    /// `prompt-cancel WHEN TEXT`: one turn that is cancelled, up to its end.
    PromptCancel(When, String),
    /// `prompt-cancel-call TEXT`: one turn, in which the first tool call that can be cancelled is
    /// cancelled. Version 2 only.
    PromptCancelCall(String),
    /// `prompt-image FILE TEXT`: one turn whose prompt also contains a picture.
    PromptImage(PathBuf, String),
    /// `mode ID`: sets the session's mode.
    Mode(String),
    /// `config ID VALUE`: `session/set_config_option` of a select.
    Config(String, String),
    /// `bool ID true|false`: `session/set_config_option` of a boolean.
    Bool(String, bool),
    /// `permission ANSWER`: the answer to later permission requests.
    Permission(Answer),
    /// `form accept|decline|cancel|wait`: the answer to later elicitations.
    Form(FormAnswer),
    /// `list`: every page of `session/list`.
    List,
    /// `delete ID`: `session/delete`.
    Delete(String),
    /// `close`: `session/close` of the open session.
    Close,
    /// `archive ID`: `session/archive`.
    Archive(String),
    /// `unarchive ID`: `session/unarchive`.
    Unarchive(String),
    /// `status ID`: `session/status`.
    Status(String),
    /// `title ID TEXT`: `session/set_title`.
    Title(String, String),
    /// `login ID`: a login with this method, in a terminal if the method has that type.
    Login(String),
    /// `logout`: `logout`.
    Logout,
    /// `account`: `auth/status`.
    Account,
    /// `providers`: `providers/list`.
    Providers,
}

/// The time of a cancellation. SIGINT to the program cancels every turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// This long after the prompt was sent, in milliseconds.
    After(Duration),
    /// At the turn's first session update.
    Update,
    /// At the turn's first permission request or elicitation.
    Permission,
    /// Only at an interrupt.
    Interrupt,
}

/// The answer to a permission request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The first option of this kind, otherwise the outcome `cancelled`.
    Kind(String),
    /// The outcome `cancelled`.
    Cancelled,
    /// No answer until the turn is cancelled, then the outcome `cancelled`.
    Wait,
}

/// The answer to an elicitation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FormAnswer {
    /// Accepted with its defaults, or the simplest valid values.
    Accept,
    #[default]
    Decline,
    Cancel,
    /// No answer until the turn is cancelled, then `cancel`.
    Wait,
}

impl Step {
    /// Parses all steps of a script; the error names the first invalid line.
    pub fn parse_all(script: &str) -> Result<Vec<Self>, String> {
        let lines = script.lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(Self::parse).collect()
    }

    /// Parses one step.
    pub fn parse(line: &str) -> Result<Self, String> {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
        let step = match name {
            "prompt" => Some(Self::Prompt(rest.into())),
            "prompt-cancel" => {
                When::parse(first).map(|when| Self::PromptCancel(when, second.into()))
            }
            "prompt-cancel-call" => Some(Self::PromptCancelCall(rest.into())),
            "prompt-image" => Some(Self::PromptImage(first.into(), second.into())),
            "mode" => Some(Self::Mode(rest.into())),
            "config" => Some(Self::Config(first.into(), second.into())),
            "bool" => second.parse().ok().map(|value| Self::Bool(first.into(), value)),
            "permission" => Some(Self::Permission(Answer::parse(rest))),
            "form" => FormAnswer::parse(rest).map(Self::Form),
            "list" => Some(Self::List),
            "delete" => Some(Self::Delete(rest.into())),
            "close" => Some(Self::Close),
            "archive" => Some(Self::Archive(rest.into())),
            "unarchive" => Some(Self::Unarchive(rest.into())),
            "status" => Some(Self::Status(rest.into())),
            "title" => Some(Self::Title(first.into(), second.into())),
            "login" => Some(Self::Login(rest.into())),
            "logout" => Some(Self::Logout),
            "account" => Some(Self::Account),
            "providers" => Some(Self::Providers),
            _ => None,
        };
        step.ok_or_else(|| format!("`{line}` is not a step of a script"))
    }
}

impl When {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "update" => Some(Self::Update),
            "permission" => Some(Self::Permission),
            "interrupt" => Some(Self::Interrupt),
            milliseconds => {
                milliseconds.parse().ok().map(|ms| Self::After(Duration::from_millis(ms)))
            }
        }
    }
}

impl Answer {
    fn parse(word: &str) -> Self {
        match word {
            "cancelled" => Self::Cancelled,
            "wait" => Self::Wait,
            kind => Self::Kind(kind.into()),
        }
    }
}

impl FormAnswer {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "accept" => Some(Self::Accept),
            "decline" => Some(Self::Decline),
            "cancel" => Some(Self::Cancel),
            "wait" => Some(Self::Wait),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, FormAnswer, Step, When};
    use std::time::Duration;

    #[test]
    fn steps_are_read_in_order() {
        let script = "# a comment\nprompt say hi; plan\n\nbool fast true\nprompt-cancel 20 wait\n\
                      prompt-cancel update wait\npermission allow_once\nform accept";
        let steps = vec![
            Step::Prompt("say hi; plan".into()),
            Step::Bool("fast".into(), true),
            Step::PromptCancel(When::After(Duration::from_millis(20)), "wait".into()),
            Step::PromptCancel(When::Update, "wait".into()),
            Step::Permission(Answer::Kind("allow_once".into())),
            Step::Form(FormAnswer::Accept),
        ];
        assert_eq!(Step::parse_all(script), Ok(steps));
    }

    #[test]
    fn an_invalid_step_is_named() {
        assert_eq!(
            Step::parse_all("bool fast maybe"),
            Err("`bool fast maybe` is not a step of a script".into())
        );
    }
}
