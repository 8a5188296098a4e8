//! A person's own agents: names for command lines, in one file of the configuration folder.

use crate::exit::{Exit, Failure};
use crate::show::sanitize;
use attache_host::Launch;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file, in the configuration folder: `{"agents": {"NAME": {"command": "CMD ARGS"}}}`.
const FILE: &str = "agents.json";

/// How long a name may be, in characters.
const NAME_LIMIT: usize = 40;

/// A person's own agents.
pub(crate) struct OwnAgents {
    path: PathBuf,
    /// The whole file: what this version does not know is kept.
    file: Map<String, Value>,
}

impl OwnAgents {
    /// The agents of the file; none if there is no file, or no folder for it.
    ///
    /// # Errors
    /// The file is there and cannot be used.
    pub(crate) fn read() -> Result<Self, Failure> {
        let Some(path) = crate::folder::configuration().map(|folder| folder.join(FILE)) else {
            return Ok(Self { path: PathBuf::new(), file: Map::new() });
        };
        let file = match fs::read_to_string(&path) {
            Ok(text) => of_text(&text).map_err(|why| broken(&path, &why))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Map::new(),
            Err(error) => return Err(broken(&path, &format!("cannot be read: {error}"))),
        };
        Ok(Self { path, file })
    }

    /// Names and command lines, by name.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        let agents = self.file.get("agents").and_then(Value::as_object);
        agents
            .into_iter()
            .flatten()
            .filter_map(|(name, agent)| Some((name.as_str(), agent.get("command")?.as_str()?)))
    }

    /// The command line of the agent with this name.
    pub(crate) fn command(&self, name: &str) -> Option<&str> {
        self.all().find_map(|(known, command)| (known == name).then_some(command))
    }

    /// Names a command line, which is read but not started.
    pub(super) fn add(&mut self, name: &str, command: &str) -> Result<(), Failure> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > NAME_LIMIT || name.starts_with('-') || !name.chars().all(plain) {
            return Err(Failure::usage(format!(
                "{} cannot be a name: use at most {NAME_LIMIT} letters, digits and - _ .",
                sanitize::line(name)
            )));
        }
        Launch::parse(command).map_err(|error| Failure::usage(format!("the command of {name}: {error}")))?;
        let agents = self.file.entry("agents").or_insert_with(|| json!({}));
        if let Some(agents) = agents.as_object_mut() {
            agents.insert(name.to_owned(), json!({ "command": command }));
        }
        self.write()
    }

    /// Forgets a name.
    pub(super) fn remove(&mut self, name: &str) -> Result<(), Failure> {
        let agents = self.file.get_mut("agents").and_then(Value::as_object_mut);
        if agents.and_then(|agents| agents.remove(name)).is_none() {
            return Err(Failure::usage(format!(
                "you have no agent of your own named {}: `attache agents` lists them",
                sanitize::line(name)
            )));
        }
        self.write()
    }

    /// Where the file is, for people.
    pub(super) fn shown(&self) -> String {
        shown(&self.path)
    }

    /// Writes the file whole or not at all. Only its owner may read it: a command may set keys.
    fn write(&self) -> Result<(), Failure> {
        let text = format!("{:#}\n", Value::Object(self.file.clone()));
        let written =
            self.path.parent().ok_or_else(|| io::Error::other("HOME is not set")).and_then(|folder| {
                fs::create_dir_all(folder)?;
                let mut file = tempfile::NamedTempFile::new_in(folder)?;
                file.write_all(text.as_bytes())?;
                file.as_file().sync_all()?;
                file.persist(&self.path).map(drop).map_err(|error| error.error)
            });
        written.map_err(|error| {
            Failure::new(
                Exit::Usage,
                format!("{} cannot be written: {error}; XDG_CONFIG_HOME names another folder", self.shown()),
            )
        })
    }
}

fn of_text(text: &str) -> Result<Map<String, Value>, String> {
    let shape = r#"expected {"agents": {"NAME": {"command": "CMD ARGS"}}}"#;
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("is no JSON (line {}, column {}): {shape}", error.line(), error.column()))?;
    let Value::Object(file) = value else { return Err(format!("holds no object: {shape}")) };
    let is_right = |agent: &Value| agent.get("command").is_some_and(Value::is_string);
    match file.get("agents") {
        None => Ok(file),
        Some(Value::Object(agents)) if agents.values().all(is_right) => Ok(file),
        Some(_) => Err(format!("is not as it should be: {shape}")),
    }
}

fn broken(path: &Path, why: &str) -> Failure {
    Failure::usage(format!("{} {why}; mend it or remove it", shown(path)))
}

fn shown(path: &Path) -> String {
    sanitize::line(&sanitize::visible(&path.display().to_string()))
}
