//! The person's own agents: names for command lines, in a file in the configuration folder.

use crate::args::value;
use crate::exit::{Exit, Failure};
use crate::folder::is_missing;
use attache_host::Launch;
use attache_protocol::v1::ProtocolVersion;
use attache_view::sanitize;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The file in the configuration folder: one table per agent, with `command` and optionally
/// `title`, `version` and `protocol`.
const FILE: &str = "agents.toml";

/// The maximum size of the file, in bytes.
const LONGEST: u64 = 1 << 20;

/// The longest name, in characters.
const NAME_LIMIT: usize = 40;

/// The person's own agents.
pub(crate) struct OwnAgents {
    path: PathBuf,
    text: String,
    file: Table,
}

/// One of the person's own agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OwnAgent {
    /// The command line that starts the agent.
    pub(crate) command: String,
    /// The display name from a registry.
    pub(crate) title: Option<String>,
    /// The version from a registry.
    pub(crate) version: Option<String>,
    /// The version of the protocol to ask the agent for.
    pub(crate) protocol: Option<ProtocolVersion>,
}

impl OwnAgents {
    /// Reads the agents. A missing file or folder means no agents.
    ///
    /// # Errors
    /// Returns an error if the file exists but cannot be used.
    pub(crate) fn read() -> Result<Self, Failure> {
        let Some(path) = crate::folder::configuration().map(|folder| folder.join(FILE)) else {
            return Ok(Self { path: PathBuf::new(), text: String::new(), file: Table::new() });
        };
        let text = match attache_host::read_plain_text(&path, LONGEST) {
            Ok(text) => text,
            Err(error) if is_missing(&error) => String::new(),
            Err(error) => return Err(broken(&path, &format!("cannot be read: {error}"))),
        };
        let file = of_text(&text).map_err(|why| broken(&path, &why))?;
        Ok(Self { path, text, file })
    }

    /// Iterates over the agents, sorted by name.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, OwnAgent)> {
        let agents = self.file.get("agents").and_then(Value::as_table);
        agents.into_iter().flatten().map(|(name, agent)| {
            let text = |key: &str| agent.get(key).and_then(Value::as_str).map(str::to_owned);
            let own = OwnAgent {
                command: text("command").unwrap_or_default(),
                title: text("title"),
                version: text("version"),
                protocol: protocol(agent).ok().flatten(),
            };
            (name.as_str(), own)
        })
    }

    /// Returns the agent with this name.
    pub(crate) fn named(&self, name: &str) -> Option<OwnAgent> {
        self.all().find_map(|(known, agent)| (known == name).then_some(agent))
    }

    /// Adds an agent, or replaces the one with this name. The command line is parsed but not
    /// started.
    pub(super) fn add(&mut self, name: &str, agent: &OwnAgent) -> Result<(), Failure> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty()
            || name.len() > NAME_LIMIT
            || name.starts_with('-')
            || !name.chars().all(plain)
        {
            return Err(Failure::usage(format!(
                "{:?} cannot be a name: use at most {NAME_LIMIT} letters, digits, `-`, `_` and `.`, and no `-` at the start",
                sanitize::line(name)
            )));
        }
        let OwnAgent { command, title, version, protocol } = agent;
        Launch::parse(command)
            .map_err(|error| Failure::usage(format!("the command of {name}: {error}")))?;
        let text = |text: &String| Value::String(text.clone());
        let members = [
            ("command", Some(text(command))),
            ("title", title.as_ref().map(text)),
            ("version", version.as_ref().map(text)),
            ("protocol", protocol.map(|version| Value::Integer(version.0.into()))),
        ];
        let members: Table =
            members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        let mut file = self.file.clone();
        let agents = file.entry("agents").or_insert_with(|| Value::Table(Table::new()));
        if let Some(agents) = agents.as_table_mut() {
            agents.insert(name.to_owned(), Value::Table(members.clone()));
        }
        let before = without(&self.text, name);
        let gap = if before.is_empty() || before.ends_with("\n\n") { "" } else { "\n" };
        let text = format!("{before}{gap}[agents.\"{name}\"]\n{members}");
        self.write(text, file)
    }

    /// Removes an agent.
    pub(super) fn remove(&mut self, name: &str) -> Result<(), Failure> {
        let mut file = self.file.clone();
        let agents = file.get_mut("agents").and_then(Value::as_table_mut);
        if agents.and_then(|agents| agents.remove(name)).is_none() {
            return Err(Failure::usage(format!(
                "there is no agent of your own named {}: `attache agents` lists yours",
                sanitize::line(name)
            )));
        }
        self.write(without(&self.text, name), file)
    }

    /// Returns the path of the file for people.
    pub(super) fn shown(&self) -> String {
        shown(&self.path)
    }

    /// Writes the file atomically. Writes `text`, which keeps the person's comments, if it defines
    /// the same agents as `file`; otherwise writes `file`. Only the owner can read it, because a
    /// command can contain keys.
    fn write(&mut self, text: String, file: Table) -> Result<(), Failure> {
        let kept = text.parse::<Table>().is_ok_and(|read| agents_of(&read) == agents_of(&file));
        self.text = if kept { text } else { file.to_string() };
        self.file = file;
        let written =
            self.path.parent().ok_or_else(|| io::Error::other("HOME is not set")).and_then(
                |folder| {
                    fs::create_dir_all(folder)?;
                    let mut file = tempfile::NamedTempFile::new_in(folder)?;
                    file.write_all(self.text.as_bytes())?;
                    file.as_file().sync_all()?;
                    file.persist(&self.path).map(drop).map_err(|error| error.error)
                },
            );
        written.map_err(|error| {
            Failure::new(
                Exit::Usage,
                format!(
                    "{} cannot be written: {error}; set XDG_CONFIG_HOME to use another folder",
                    self.shown()
                ),
            )
        })
    }
}

/// Parses the agents of a file.
fn agents_of(file: &Table) -> Table {
    file.get("agents").and_then(Value::as_table).cloned().unwrap_or_default()
}

/// Removes the table of this agent from the text, if the table has its own header.
fn without(text: &str, name: &str) -> String {
    let heads = [format!("[agents.{name}]"), format!("[agents.\"{name}\"]")];
    let mut within = false;
    let kept = text.split_inclusive('\n').filter(|line| {
        let line = line.trim();
        if line.starts_with('[') {
            within = heads.iter().any(|head| line == head);
        }
        !within
    });
    kept.collect()
}

fn of_text(text: &str) -> Result<Table, String> {
    const SHAPE: &str = "expected a table [agents.NAME] with command = 'CMD ARGS' for each agent";
    let file: Table = text.parse().map_err(|error: toml::de::Error| {
        // The parser's full message quotes the line, which can hold a key.
        let line = error
            .span()
            .map_or(1, |span| text.get(..span.start).unwrap_or_default().lines().count().max(1));
        format!("is not valid TOML (line {line}): {SHAPE}")
    })?;
    let Some(agents) = file.get("agents") else { return Ok(file) };
    let agents =
        agents.as_table().ok_or_else(|| format!("has agents that are not tables: {SHAPE}"))?;
    for (name, agent) in agents {
        let name = sanitize::line(name);
        if !agent.get("command").is_some_and(Value::is_str) {
            return Err(format!("has no command for {name}: {SHAPE}"));
        }
        protocol(agent).map_err(|why| format!("has a wrong protocol for {name}: {why}"))?;
    }
    Ok(file)
}

/// Returns the version of the protocol in the table of an agent, if it has one.
fn protocol(agent: &Value) -> Result<Option<ProtocolVersion>, String> {
    let Some(version) = agent.get("protocol") else { return Ok(None) };
    value::protocol(&version.to_string()).map(Some)
}

fn broken(path: &Path, why: &str) -> Failure {
    Failure::usage(format!("{} {why}; fix it or remove it", shown(path)))
}

fn shown(path: &Path) -> String {
    sanitize::visible_line(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# mine\n[agents.a]\ncommand = 'a --acp' # for work\n\n[agents.\"b.c\"]\ncommand = 'b'\n\n[other]\nx = 1\n";

    #[test]
    fn other_parts_of_the_file_stay() {
        let left = without(FILE, "b.c");
        assert_eq!(left, FILE.replace("[agents.\"b.c\"]\ncommand = 'b'\n\n", ""));
        assert_eq!(without(&left, "a"), "# mine\n[other]\nx = 1\n");
        assert_eq!(without(FILE, "c"), FILE);
    }

    #[test]
    fn a_broken_file_is_reported_by_line_without_its_text() {
        for (text, says) in [
            ("a = 1\nb = s3cret", "line 2"),
            ("agents = 's3cret'", "are not tables"),
            ("[agents.x]\ncmd = 's3cret'", "no command for x"),
            ("[agents.x]\ncommand = 's3cret'\nprotocol = 3", "wrong protocol for x: expected 1"),
        ] {
            let why = of_text(text).unwrap_err();
            assert!(
                why.contains(says) && why.contains("expected") && !why.contains("s3cret"),
                "{why}"
            );
        }
        assert!(of_text("").is_ok() && of_text("other = 1").is_ok());
    }
}
