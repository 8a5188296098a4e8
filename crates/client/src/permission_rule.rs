//! A remembered rule about what may run: what it is about, and its line in a file.

mod subject;
mod text;

use crate::permission::{Decision, PermissionRequest};
use attache_protocol::v1::{SessionId, ToolKind};
use std::fmt;
use std::path::{Path, PathBuf};

pub(crate) use subject::Subject;

/// What a rule makes of what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It is allowed without asking.
    Allow,
    /// It is rejected without asking; this goes before every rule that allows.
    Reject,
}

/// How long a title or text in a rule may be, in bytes.
const LONGEST_STATEMENT: usize = 2000;

/// For how long and where a rule holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// In this session; such a rule is never written to a file.
    Session(SessionId),
    /// In sessions whose folder is this one or one below it.
    Project(PathBuf),
    /// Everywhere.
    Always,
}

/// A remembered rule. It is about a request of which everything holds that the rule names; it names
/// at least a kind, a tool, a path or a command.
///
/// A rule trusts what the agent says about its calls: its kind, its name, its files, its command. A
/// tool's name is a label that agents choose (TOOL-16).
///
/// As text it is one line of words, values quoted as in JSON:
///
/// ```
/// use attache_client::{Effect, PermissionRule};
///
/// let line = r#"allow agent="gemini-cli" project="/home/ann/app" command="cargo test""#;
/// let rule: PermissionRule = line.parse()?;
/// assert_eq!((rule.effect, rule.command.as_deref()), (Effect::Allow, Some("cargo test")));
/// assert_eq!(rule.to_string(), line);
/// # Ok::<(), attache_client::RuleError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionRule {
    /// What it makes of them.
    pub effect: Effect,
    /// Where it holds.
    pub scope: Scope,
    /// Calls of the agent with this name; of every agent without one.
    pub agent: Option<String>,
    /// Calls of this kind.
    pub kind: Option<ToolKind>,
    /// Calls of the tool with this name; with a `*` at its end, of all whose names begin so, such
    /// as those of one MCP server.
    pub tool: Option<String>,
    /// Calls about files that are this one or below it, symbolic links and `..` followed: all of
    /// them to be allowed, any of them, or of the words of a command, to be rejected.
    pub path: Option<PathBuf>,
    /// Commands that begin with these words, read as a shell reads them. One is allowed only if it
    /// surely is this command: one plain command without variables, redirections and the like, in
    /// the session's folder, or these words exactly. One is rejected if it may run the command in
    /// any spelling, also as `sudo`, `sh -c` or `xargs` run it, or if its programs cannot be read.
    pub command: Option<String>,
    /// Calls with exactly this title, if the agent says nothing else about them than `text`: some
    /// agents name a command only in their words.
    pub title: Option<String>,
    /// Calls that show exactly this text.
    pub text: Option<String>,
}

/// Why a line is no rule. The fault of whoever wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleError {
    /// It does not begin with `allow` or `reject`.
    Effect,
    /// What stands here is not `name="value"` with a name that rules have, once.
    Part(String),
    /// It names neither a kind, a tool, a path nor a command, so it would be about everything.
    Everything,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Effect => f.write_str("a rule begins with the word allow or reject"),
            Self::Part(part) => write!(
                f,
                "\"{part}\" is no part of a rule: write each once, as agent=\"…\", project=\"…\", kind=\"…\", tool=\"…\", path=\"…\", command=\"…\", title=\"…\" or text=\"…\""
            ),
            Self::Everything => f.write_str(
                "the rule is about everything: name a kind, a tool, a path or a command",
            ),
        }
    }
}

impl std::error::Error for RuleError {}

impl PermissionRule {
    /// A rule that names nothing yet.
    fn about_anything(effect: Effect, scope: Scope) -> Self {
        Self {
            effect,
            scope,
            agent: None,
            kind: None,
            tool: None,
            path: None,
            command: None,
            title: None,
            text: None,
        }
    }

    /// The narrowest rule about a request: its command, else the tool with its one file, else the
    /// tool, else its kind with its one file, else what the agent says of a command in its title
    /// and text. `None` if the agent says too little about the call, or if the rule would allow
    /// more than this call.
    pub fn about(request: &PermissionRequest, effect: Effect, scope: Scope) -> Option<Self> {
        Self::about_in(request, effect, scope, Path::new(""))
    }

    /// The same in a session in this folder, from which relative paths of the agent begin.
    pub fn about_in(
        request: &PermissionRequest,
        effect: Effect,
        scope: Scope,
        cwd: &Path,
    ) -> Option<Self> {
        let subject = Subject::of(request, cwd);
        let mut rule = Self::about_anything(effect, scope);
        match (subject.effect.commands.as_slice(), effect) {
            ([], _) => {}
            ([command], Effect::Allow) if Subject::is_changed(command) => return None,
            ([command], _) | ([command, ..], Effect::Reject) => {
                rule.command = Some(command.line.clone());
                return Some(rule);
            }
            _ => return None,
        }
        match subject.files().as_slice() {
            [path] if path.is_absolute() => rule.path = Some(path.clone()),
            files if files.iter().any(|path| path.is_relative()) => return None,
            _ => {}
        }
        rule.tool = subject.tool;
        rule.kind =
            subject.kind.filter(|kind| !matches!(kind, ToolKind::Unknown(_) | ToolKind::Other));
        if rule.tool.is_some() || (rule.kind.is_some() && rule.path.is_some()) {
            return Some(rule);
        }
        rule.title = subject.effect.stated.filter(|title| title.len() <= LONGEST_STATEMENT);
        rule.text = Some(subject.text).filter(|text| !text.is_empty());
        let is_label =
            |title: &String| !title.trim().contains(char::is_whitespace) && rule.text.is_none();
        let says_enough =
            rule.title.as_ref().is_some_and(|title| effect == Effect::Reject || !is_label(title));
        (says_enough && rule.text.as_ref().is_none_or(|text| text.len() <= LONGEST_STATEMENT))
            .then_some(rule)
    }

    /// Whether the rule is about this request of the agent with this name, in a session in this
    /// folder. Blocks on the disk if the rule names a path.
    pub fn is_about(&self, request: &PermissionRequest, agent: &str, cwd: &Path) -> bool {
        self.covers(&Subject::of(request, cwd), &request.session_id, agent, cwd)
    }

    /// What is decided about a request that the rule is about.
    pub fn decision(&self) -> Decision {
        match self.effect {
            Effect::Allow => Decision::Allow,
            Effect::Reject => Decision::Reject,
        }
    }

    /// Whether the rule is about this subject in a session in this folder.
    pub(crate) fn covers(
        &self,
        subject: &Subject,
        session: &SessionId,
        agent: &str,
        cwd: &Path,
    ) -> bool {
        let here = match &self.scope {
            Scope::Session(own) => own == session,
            Scope::Project(folder) => cwd.is_absolute() && cwd.starts_with(folder),
            Scope::Always => true,
        };
        if !here
            || self.agent.as_deref().is_some_and(|name| name != agent)
            || self.is_about_everything()
        {
            return false;
        }
        self.kind.as_ref().is_none_or(|kind| subject.kind.as_ref() == Some(kind))
            && self.tool.as_ref().is_none_or(|name| {
                subject.tool.as_ref().is_some_and(|tool| match name.strip_suffix('*') {
                    Some(start) => tool.starts_with(start),
                    None => tool == name,
                })
            })
            && match self.effect {
                Effect::Allow => self.surely_covers(subject),
                Effect::Reject => self.may_cover(subject),
            }
    }

    fn surely_covers(&self, subject: &Subject) -> bool {
        // A rule for files alone was never about commands.
        let names_files_alone =
            self.kind.is_none() && self.tool.is_none() && self.command.is_none();
        let says =
            |said: &Option<String>, wanted: &str| said.as_deref().unwrap_or_default() == wanted;
        let states = self.title.is_some() || self.text.is_some();
        self.path.as_ref().is_none_or(|path| {
            subject.is_all_inside(path)
                && (!names_files_alone || subject.effect.commands.is_empty())
        }) && self.command.as_ref().is_none_or(|words| subject.surely_runs(words))
            && (!states
                || (subject.effect.is_empty()
                    && says(&self.title, &subject.title)
                    && says(&self.text, &subject.text)))
    }

    fn may_cover(&self, subject: &Subject) -> bool {
        self.path.as_ref().is_none_or(|path| subject.may_touch(path))
            && self.command.as_ref().is_none_or(|words| subject.may_run(words))
            && self.title.as_ref().is_none_or(|title| *title == subject.title)
            && self.text.as_ref().is_none_or(|text| *text == subject.text)
    }

    fn is_about_everything(&self) -> bool {
        self.kind.is_none()
            && self.tool.is_none()
            && self.path.is_none()
            && self.command.is_none()
            && self.title.is_none()
            && self.text.is_none()
    }
}

#[cfg(test)]
mod tests;
