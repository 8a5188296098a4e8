//! The tasks of a client under test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A task of a client: a name, the folder of its session, and a value for each placeholder of its
/// command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientTask {
    name: &'static str,
    cwd: PathBuf,
    values: BTreeMap<&'static str, String>,
    goes_on: bool,
}

/// The name of every task, and what the client does in it.
pub const CLIENT_TASKS: &[(&str, &str)] = &[
    ("prompt", "open a session in {cwd} and send {prompt}"),
    (
        "cancel",
        "open a session and send {prompt}, leave every permission request open, and cancel the turn at its first update or on SIGINT",
    ),
    (
        "cancel_call",
        "send {prompt}, and cancel each tool call and terminal that can be cancelled, but not the turn (version 2)",
    ),
    ("load", "load the session {session} with its history, then send {prompt}"),
    ("resume", "resume the session {session} without its history, then send {prompt}"),
    ("list", "list all sessions of the agent, from every page"),
    ("delete", "delete the session {session}"),
    ("close", "open a session, send {prompt}, and close the session"),
    ("fork", "fork the session {session}, then send {prompt}"),
    ("unarchive", "unarchive the session {session}"),
    ("set_mode", "open a session, set its mode {mode}, then send {prompt}"),
    ("set_option", "open a session, set its config option {option} to {value}, then send {prompt}"),
    (
        "set_options",
        "open a session, set its config option {option} to {value}, then {option2} to {value2} after the reply, then send {prompt}",
    ),
    (
        "set_boolean",
        "open a session, set its boolean option {option} to {value}, then send {prompt}",
    ),
    ("allow", "send {prompt}, and allow every permission request once"),
    ("reject", "send {prompt}, and reject every permission request once"),
    ("image", "send {prompt} with the image in the file {image}"),
    ("mcp", "open a session with the MCP servers in the file {mcp}, then send {prompt}"),
    (
        "directories",
        "open a session in {cwd} with the additional directory {directory}, then send {prompt}",
    ),
    (
        "system_prompt",
        "open a session with {text} added to the agent's system prompt, then send {prompt}",
    ),
    ("login", "log in to the agent with the method {method}"),
    ("logout", "log out of the agent"),
    ("status", "ask whether the agent is logged in"),
    ("form", "send {prompt}, and accept every form with its default values"),
    ("decline", "send {prompt}, and decline every form"),
    ("twice", "send {prompt}, then {prompt2} in the same session and process"),
];

impl ClientTask {
    /// Creates the task of this name, with its session in this folder.
    pub(crate) fn new(name: &'static str, cwd: &Path) -> Self {
        let cwd = cwd.to_owned();
        let values = BTreeMap::from([("cwd", cwd.to_string_lossy().into_owned())]);
        Self { name, cwd, values, goes_on: false }
    }

    /// Sets the value of this placeholder.
    #[must_use]
    pub fn with(mut self, placeholder: &'static str, value: impl Into<String>) -> Self {
        self.values.insert(placeholder, value.into());
        self
    }

    /// Marks the task as one that the person performs in the client's open session.
    #[must_use]
    pub(crate) fn in_open_session(mut self) -> Self {
        self.goes_on = true;
        self
    }

    /// Whether the person performs the task in the client's open session, not on a new connection.
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Returns the name, one of [`CLIENT_TASKS`].
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the folder of the session.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Returns the value of a placeholder, such as `cwd`, `prompt` or `session`, if the task sets
    /// it.
    pub fn value(&self, placeholder: &str) -> Option<&str> {
        self.values.get(placeholder).map(String::as_str)
    }

    /// Returns the text with each known `{placeholder}` replaced by its value.
    pub fn fill(&self, text: &str) -> String {
        let (mut filled, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let value =
                after.split_once('}').and_then(|(name, left)| Some((self.value(name)?, left)));
            match value {
                Some((value, left)) => {
                    filled.push_str(value);
                    rest = left;
                }
                None => {
                    filled.push('{');
                    rest = after;
                }
            }
        }
        filled + rest
    }

    /// Returns the description of the task, with the placeholders of its command.
    pub fn description(&self) -> &'static str {
        CLIENT_TASKS
            .iter()
            .find(|(name, _)| *name == self.name)
            .map_or(self.name, |(_, description)| description)
    }
}

#[cfg(test)]
mod tests {
    use super::ClientTask;
    use std::path::Path;

    #[test]
    fn only_known_placeholders_are_replaced_and_only_once() {
        let task = ClientTask::new("prompt", Path::new("/p")).with("prompt", "say {cwd} {");
        assert_eq!(task.fill("{cwd}:{prompt}{x} {"), "/p:say {cwd} {{x} {");
        assert_eq!(task.description(), "open a session in {cwd} and send {prompt}");
    }
}
