//! A JSON settings file of an editor, with comments: the entry of one agent changes, everything
//! else stays as it is.

use super::repeated;
use crate::exit::Failure;
use crate::folder::is_missing;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What some editors of Windows write before a text.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The member with the agents.
const AGENTS: &str = "agent_servers";

/// The maximum size of the file, in bytes.
const LONGEST: u64 = 4 << 20;

/// The highest number of a backup.
const BACKUPS: usize = 1000;

/// The file as it was read.
#[derive(Debug)]
pub(super) struct JsonSettings {
    path: PathBuf,
    /// `None` if the file does not exist.
    text: Option<String>,
}

/// What an entry changes in the file, with the new text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    Added(String),
    Replaced(String),
}

impl JsonSettings {
    /// Reads the file, if it exists.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = match attache_host::read_plain_text(path, LONGEST) {
            Ok(text) => Some(text),
            Err(error) if is_missing(&error) => None,
            Err(error) => {
                return Err(Failure::usage(format!("{} cannot be read: {error}", path.display())));
            }
        };
        Ok(Self { path: path.to_owned(), text })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the change that gives the agent `name` this entry. An entry of this name keeps its
    /// `env`, its other fields and its comments.
    ///
    /// # Errors
    /// Returns an error if the file is not JSON with comments, has something else at the place of
    /// the agents, or has a key twice on the way to the entry.
    pub(super) fn with_agent(&self, name: &str, entry: &Value) -> Result<Change, Failure> {
        let text = self.text.as_deref().unwrap_or_default();
        let (mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(text) => (BYTE_ORDER_MARK, text),
            None => ("", text),
        };
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        let shown = self.path.display();
        if let Some(repeated) = repeated::key(text, &[AGENTS, name]) {
            return Err(Failure::usage(format!("{shown}: {repeated}; remove all but one")));
        }
        let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| {
            Failure::usage(format!("{shown} is not valid: {error}; fix it, then try again"))
        })?;
        let no_object = |what: &str| {
            Failure::usage(format!("{shown}: {what} must be a JSON object; fix it, then try again"))
        };
        let whole = root.object_value().ok_or_else(|| no_object("the file"))?;
        let agents = whole
            .object_value_or_create(AGENTS)
            .ok_or_else(|| no_object(&format!("\"{AGENTS}\"")))?;
        let text = |root: &CstRootNode| format!("{mark}{root}");
        let Some(member) = agents.get(name) else {
            append(&agents, name, entry);
            return Ok(Change::Added(text(&root)));
        };
        let is_changed = match (member.object_value(), entry) {
            (Some(before), Value::Object(fields)) => update(&before, fields),
            _ => {
                member.set_value(input(entry));
                true
            }
        };
        Ok(if is_changed { Change::Replaced(text(&root)) } else { Change::None })
    }

    /// Replaces the file, after a copy of it. Returns the path of the copy.
    ///
    /// # Errors
    /// Returns an error if the file changed since it was read, or cannot be copied or written.
    pub(super) fn write(&self, text: &str) -> Result<Option<PathBuf>, Failure> {
        let shown = self.path.display();
        // The path is that of the file itself. A link in its place appeared since.
        let is_link = fs::symlink_metadata(&self.path).is_ok_and(|found| found.is_symlink());
        if is_link || Self::read(&self.path)?.text != self.text {
            return Err(Failure::usage(format!("{shown} changed meanwhile; try again")));
        }
        let failed = |error: io::Error| {
            Failure::usage(format!("{shown} cannot be written: {error}; nothing has changed"))
        };
        let backup = match self.text.is_some() {
            true => Some(backup(&self.path).map_err(failed)?),
            false => None,
        };
        replace(&self.path, text).map_err(failed)?;
        Ok(backup)
    }
}

/// Changes the fields of an entry that differ. An `env` stays. Returns whether any field changed.
fn update(entry: &CstObject, fields: &serde_json::Map<String, Value>) -> bool {
    let mut is_changed = false;
    for (name, value) in fields {
        match entry.get(name) {
            Some(before) if name == "env" && before.object_value().is_some() => {}
            Some(before) if before.to_serde_value().as_ref() == Some(value) => {}
            Some(before) => {
                before.set_value(input(value));
                is_changed = true;
            }
            None => {
                entry.append(name, input(value));
                is_changed = true;
            }
        }
    }
    is_changed
}

fn append(agents: &CstObject, name: &str, entry: &Value) {
    agents.append(name, input(entry));
    agents.ensure_multiline();
}

/// Copies the file next to itself, with its permissions, under a name that is free.
fn backup(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for number in 1..=BACKUPS {
        let copy = path.with_file_name(format!("{name}.before-attache-{number}"));
        match OpenOptions::new().write(true).create_new(true).open(&copy) {
            Ok(_) => return fs::copy(path, &copy).map(|_| copy),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many copies of it"))
}

/// Replaces a file as a whole, and keeps its permissions.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("it has no folder"))?;
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(before) = fs::metadata(path) {
        fs::set_permissions(file.path(), before.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(members) => CstInputValue::Object(
            members.iter().map(|(name, value)| (name.clone(), input(value))).collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, JsonSettings};
    use serde_json::json;
    use std::path::PathBuf;

    fn settings(text: &str) -> JsonSettings {
        JsonSettings { path: PathBuf::from("/none/settings.json"), text: Some(text.to_owned()) }
    }

    const COMMENTED: &str = "\
// My settings.
{
  \"theme\": \"One Dark\", // dark
  /* agents */
  \"agent_servers\": {
    \"gemini\": { \"command\": \"gemini\", \"args\": [\"--acp\"], },
  },
  \"url\": \"https://example.org/*x*/\",
}
";

    #[test]
    fn everything_but_the_entry_stays() {
        let entry = json!({"command": "/bin/attache", "args": ["agent"]});
        let Change::Added(text) = settings(COMMENTED).with_agent("Attaché", &entry).unwrap()
        else {
            panic!("it is new");
        };
        for line in COMMENTED.lines() {
            assert!(text.contains(line), "{line} is missing in {text}");
        }
        assert!(text.contains("\"Attaché\": {"), "{text}");
        assert_eq!(settings(&text).with_agent("Attaché", &entry).unwrap(), Change::None);
        let other = json!({"command": "/usr/bin/attache", "args": ["attach"]});
        let Change::Replaced(text) = settings(&text).with_agent("Attaché", &other).unwrap() else {
            panic!("it is there");
        };
        assert!(text.contains("/usr/bin/attache") && !text.contains("/bin/attache\", \"agent"));
        assert_eq!(text.matches("Attaché").count(), 1, "{text}");
        for line in COMMENTED.lines() {
            assert!(text.contains(line), "{line} is missing in {text}");
        }
    }

    #[test]
    fn an_entry_keeps_its_env_and_other_fields() {
        let before = "{ \"agent_servers\": { \"Attaché\": {
            \"command\": \"/old\", \"args\": [\"agent\"], // mine
            \"env\": { \"KEY\": \"1\" }, \"default_mode\": \"plan\" } } }";
        let entry = json!({"command": "/new", "args": ["agent"], "env": {}, "type": "custom"});
        let Change::Replaced(text) = settings(before).with_agent("Attaché", &entry).unwrap()
        else {
            panic!("it is there");
        };
        for kept in ["// mine", "{ \"KEY\": \"1\" }", "\"default_mode\": \"plan\"", "\"/new\""] {
            assert!(text.contains(kept), "{kept} is missing in {text}");
        }
        assert!(text.contains("\"type\": \"custom\"") && !text.contains("/old"), "{text}");
        assert_eq!(settings(&text).with_agent("Attaché", &entry).unwrap(), Change::None);
    }

    #[test]
    fn a_key_that_is_there_twice_is_refused_with_its_lines() {
        for (text, why) in [
            ("{\n\"agent_servers\": {},\n\"agent_servers\": {}\n}", "on the lines 2 and 3"),
            (
                "{\"agent_servers\": {\n\"Attaché\": {}, \"x\": {},\n\n\"Attach\\u00e9\": {}}}",
                "on the lines 2 and 4",
            ),
            (
                "{\"agent_servers\": {\"Attaché\": {\"env\": {},\n\"env\": {}}}}",
                "\"env\" is there 2 times, on the lines 1 and 2",
            ),
        ] {
            let error = settings(text).with_agent("Attaché", &json!({})).unwrap_err();
            assert!(error.message.contains(why), "{text}: {}", error.message);
        }
        let elsewhere = "{\"a\": 1, \"a\": 2, \"agent_servers\": {}}";
        assert!(settings(elsewhere).with_agent("Attaché", &json!({})).is_ok());
    }

    #[test]
    fn a_byte_order_mark_stays() {
        let marked = "\u{feff}{ \"theme\": \"dark\" }";
        let Change::Added(text) = settings(marked).with_agent("Attaché", &json!({})).unwrap()
        else {
            panic!("it is new");
        };
        assert!(text.starts_with("\u{feff}{") && text.contains("\"theme\": \"dark\""), "{text}");
        assert_eq!(text.matches('\u{feff}').count(), 1);
    }

    #[test]
    fn a_file_of_another_shape_is_refused() {
        for (text, why) in [
            ("[]", "the file must be a JSON object"),
            ("{\"agent_servers\": 7}", "\"agent_servers\" must be a JSON object"),
            ("{", "is not valid"),
        ] {
            let error = settings(text).with_agent("Attaché", &json!({})).unwrap_err();
            assert!(error.message.contains(why), "{text}: {}", error.message);
        }
        for empty in ["", "\n"] {
            let change = settings(empty).with_agent("Attaché", &json!({})).unwrap();
            assert!(matches!(change, Change::Added(text) if text.contains("agent_servers")));
        }
    }
}
