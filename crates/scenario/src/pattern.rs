//! Patterns over JSON, with names for what only the conversation itself can tell, such as a session's id.

use serde_json::Value;
use std::collections::BTreeMap;

/// What the names of a scenario stand for so far.
#[derive(Debug, Default, Clone)]
pub struct Bindings(BTreeMap<String, Value>);

impl Bindings {
    /// Gives a name a value before the play, such as the folder of a session.
    pub fn bind(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Whether `value` matches; on success new names are bound, on failure the path and what differs is given.
    pub(crate) fn matches(&mut self, pattern: &Value, value: &Value) -> Result<(), String> {
        let mut bound = self.clone();
        bound.compare(pattern, value, "")?;
        *self = bound;
        Ok(())
    }

    fn compare(&mut self, pattern: &Value, value: &Value, path: &str) -> Result<(), String> {
        match (pattern, value) {
            (Value::String(text), _) if text == "*" => Ok(()),
            (Value::String(text), _) if text.starts_with('$') && text.len() > 1 => {
                self.named(text, value, path)
            }
            (Value::Object(wanted), Value::Object(members)) => {
                wanted.iter().try_for_each(|(key, wanted)| match members.get(key) {
                    Some(member) => self.compare(wanted, member, &format!("{path}.{key}")),
                    None => Err(format!("{path}.{key} is missing")),
                })
            }
            (Value::Array(wanted), Value::Array(items)) if wanted.len() == items.len() => {
                let mut pairs = wanted.iter().zip(items).enumerate();
                pairs.try_for_each(|(index, (wanted, item))| {
                    self.compare(wanted, item, &format!("{path}[{index}]"))
                })
            }
            _ if pattern == value => Ok(()),
            _ => Err(format!("{path} is {value}, not {pattern}")),
        }
    }

    fn named(&mut self, name: &str, value: &Value, path: &str) -> Result<(), String> {
        let known = self.0.entry(name.trim_start_matches('$').to_owned()).or_insert_with(|| value.clone());
        if known == value { Ok(()) } else { Err(format!("{path} is {value}, but {name} was {known}")) }
    }

    /// `line` with every bound `$name` replaced: a whole JSON string by the value, inside a string by its text.
    pub(crate) fn fill(&self, line: &str) -> String {
        // Longer names first, so that $session does not eat the start of $session2.
        let mut names: Vec<_> = self.0.iter().collect();
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        names.into_iter().fold(line.to_owned(), |line, (name, value)| {
            let text = value.to_string();
            let inner = text.trim_matches('"');
            line.replace(&format!("\"${name}\""), &text).replace(&format!("${name}"), inner)
        })
    }
}
