//! A pattern for tool calls as agents describe them.

use attache_protocol::v1::ToolKind;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// A pattern for tool calls, as agents describe them when they ask for permission. A call matches
/// if every part that is set matches.
///
/// A pattern trusts the agent's description of its calls: their kind, tool, files and command.
/// Agents choose the names of their tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallPattern {
    /// Calls of this kind.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "kind")]
    pub kind: Option<ToolKind>,
    /// Calls of the tool with this name. A `*` at the end stands for any text, so one pattern can
    /// name all tools of an MCP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Calls about this file, or files below it, after symbolic links and `..` are resolved. An
    /// allowing rule matches if all files of the call are such files. A rule that asks or denies
    /// matches if one of the call's files, or a word of one of its commands, is such a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Commands that begin with these words, as a shell reads them. An allowing rule covers one
    /// plain command (without variables, redirections and the like) in the session's folder, or
    /// exactly this line. A rule that asks or denies covers every line that could run the command,
    /// in any spelling and also after `sudo`, `sh -c` or `xargs`, and lines whose programs cannot
    /// be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Calls with exactly this title, if the agent describes them only by their title and `text`.
    /// Some agents name a command only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Calls that show exactly this text: the lines of the question and the description that differ
    /// from the title, then the text of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Serializes a kind as text.
mod kind {
    use attache_protocol::v1::ToolKind;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        kind: &Option<ToolKind>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        kind.as_ref().map(ToolKind::as_str).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<ToolKind>, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.as_deref().map(ToolKind::from))
    }
}

impl CallPattern {
    /// Whether no part is set, so that the pattern would match every call.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns why a rule must not have this pattern; `None` if it may.
    pub(crate) fn fault(&self) -> Option<String> {
        let texts = [&self.tool, &self.command, &self.title, &self.text];
        if self.is_empty() {
            return Some(
                "`call` is about every call: name a kind, a tool, a path or a command".to_owned(),
            );
        }
        if texts.into_iter().flatten().any(String::is_empty) {
            return Some("a part of `call` is empty: remove it or write what it names".to_owned());
        }
        if let Some(ToolKind::Unknown(kind)) = &self.kind {
            let known: Vec<&str> = ToolKind::KNOWN.iter().map(ToolKind::as_str).collect();
            return Some(format!("`{kind}` is not a kind: use one of {}", known.join(", ")));
        }
        let is_relative = self.path.as_ref().is_some_and(|path| !path.is_absolute());
        is_relative.then(|| "`call.path` must be a whole path, from /".to_owned())
    }
}

/// Describes the calls in words for people.
impl fmt::Display for CallPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (&self.command, &self.tool) {
            (Some(command), _) => format!("commands that start with `{command}`"),
            (None, Some(tool)) => match tool.strip_suffix('*') {
                Some(start) => format!("tools whose names start with {start}"),
                None => format!("the tool {tool}"),
            },
            (None, None) => "tool calls".to_owned(),
        };
        f.write_str(&what)?;
        let mut part = |text: Option<String>| text.map_or(Ok(()), |text| f.write_str(&text));
        part(self.title.as_ref().map(|title| format!(" titled `{title}`")))?;
        part(self.text.as_ref().map(|text| format!(", that say `{text}`")))?;
        part(self.kind.as_ref().map(|kind| format!(", of the kind {}", kind.as_str())))?;
        part(self.path.as_ref().map(|path| format!(", on {} and below", path.display())))
    }
}
