//! Selection of the agent's own tool for an act by its name, with arguments that match its schema.

use super::tool_names::ToolNames;
use super::tool_table::{KINDS, Kind};
use crate::json::json;
use serde_json::{Map, Value};

/// A tool that an agent offers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tool {
    pub(super) name: String,
    /// The JSON schema of its arguments, or null for a tool that takes a text.
    pub(super) schema: Value,
}

/// The arguments of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Arguments {
    Object(Value),
    /// A text, for a tool without a schema.
    Text(String),
}

/// Returns the tool for an act, with its arguments: the first that has a known name and whose
/// schema accepts the arguments.
pub(super) fn found<'t>(
    tools: &'t [Tool],
    wanted: &Value,
    names: &ToolNames,
) -> Option<(&'t Tool, Arguments)> {
    let kind = wanted.get("tool")?.as_str()?;
    if kind == "mcp" {
        return of_server(tools, wanted);
    }
    let kind = KINDS.iter().find(|known| known.tool == kind)?;
    let mapped =
        names.of(kind.tool).flat_map(|name| tools.iter().filter(move |tool| tool.name == name));
    let known = kind
        .names
        .iter()
        .flat_map(|name| tools.iter().filter(move |tool| is_named(&tool.name, name)));
    mapped.chain(known).filter_map(|tool| Some((tool, kind.arguments(tool, wanted)?))).next()
}

/// Returns the tool of an MCP server. The agent's name for it ends with the tool's name.
fn of_server<'t>(tools: &'t [Tool], wanted: &Value) -> Option<(&'t Tool, Arguments)> {
    let name = plain(wanted.get("name")?.as_str()?);
    let tool = tools.iter().find(|tool| plain(&tool.name).ends_with(&name))?;
    let arguments = wanted.get("arguments").cloned().unwrap_or_else(|| json!({}));
    Some((tool, Arguments::Object(arguments)))
}

fn is_named(name: &str, wanted: &str) -> bool {
    plain(name) == wanted || name.rsplit_once("__").is_some_and(|(_, last)| plain(last) == wanted)
}

/// Normalizes a name.
fn plain(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

impl Kind {
    fn arguments(&self, tool: &Tool, wanted: &Value) -> Option<Arguments> {
        let facts = self.facts(wanted);
        if tool.schema.is_null() {
            return Some(Arguments::Text(facts.get("patch")?.as_str()?.to_owned()));
        }
        let (arguments, found) = self.object(&tool.schema, &facts);
        // A tool that accepts none of the arguments is a different tool.
        (found > 0 || facts.is_empty()).then_some(Arguments::Object(arguments))
    }

    /// Returns the arguments of the act, and values derived from them.
    fn facts(&self, wanted: &Value) -> Map<String, Value> {
        let mut facts = wanted.as_object().cloned().unwrap_or_default();
        facts.remove("tool");
        let text = |key: &str| wanted.get(key).and_then(Value::as_str).unwrap_or_default();
        let (path, old, new) = (text("path"), text("old"), text("new"));
        match self.tool {
            // A patch consists of whole lines, so a tool that takes a patch cannot write a file
            // without a final line break.
            "write" if text("content").ends_with('\n') => {
                facts.insert("patch".to_owned(), json!(added(path, text("content"))));
            }
            "edit" => {
                let blocks = format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE");
                facts.insert("blocks".to_owned(), json!(blocks));
                facts.insert("patch".to_owned(), json!(changed(path, old, new)));
            }
            _ => {}
        }
        facts
    }

    /// Returns an object that matches a schema, and the number of its members whose value comes
    /// from the act.
    fn object(&self, schema: &Value, facts: &Map<String, Value>) -> (Value, usize) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        let is_required =
            |name: &str| required.is_some_and(|names| names.iter().any(|it| it == name));
        let (mut object, mut found) = (Map::new(), 0);
        for (name, schema) in properties.into_iter().flatten() {
            let (value, is_found) = match self.fact(name, facts) {
                Some(fact) => (self.fitted(schema, fact), true),
                None => self.nested(name, schema, facts),
            };
            found += usize::from(is_found);
            if is_found || is_required(name) {
                object.insert(name.clone(), value);
            }
        }
        (Value::Object(object), found)
    }

    /// Returns the value of the act for a parameter with this name.
    fn fact<'f>(&self, name: &str, facts: &'f Map<String, Value>) -> Option<&'f Value> {
        let name = plain(name);
        let takes = self.parameters.iter().filter(|(_, names)| names.contains(&name.as_str()));
        takes.filter_map(|(key, _)| facts.get(*key)).next()
    }

    /// Returns a value for a parameter that the act does not name, although it may name members
    /// nested in the parameter.
    fn nested(&self, name: &str, schema: &Value, facts: &Map<String, Value>) -> (Value, bool) {
        let (inner, found) = match kind_of(schema) {
            "object" => self.object(schema, facts),
            "array" => {
                let (item, found) = self.object(schema.get("items").unwrap_or(&Value::Null), facts);
                (json!([item]), found)
            }
            _ => return (self.fitting(name, schema), false),
        };
        if found > 0 { (inner, true) } else { (self.fitting(name, schema), false) }
    }

    /// Converts a value of the act to the type of a schema.
    fn fitted(&self, schema: &Value, fact: &Value) -> Value {
        let items = schema.get("items").unwrap_or(&Value::Null);
        match (kind_of(schema), fact) {
            ("array", Value::Array(facts)) => {
                let entry = |fact: &Value| {
                    fact.as_object().map_or(fact.clone(), |fact| self.object(items, fact).0)
                };
                facts.iter().map(entry).collect()
            }
            ("array", fact) if self.tool == "run" => json!(["bash", "-c", fact]),
            ("array", fact) if kind_of(items) == "object" => {
                let facts = Map::from_iter([("question".to_owned(), fact.clone())]);
                json!([self.object(items, &facts).0])
            }
            ("array", fact) => json!([fact]),
            ("string", Value::Array(entries)) => {
                (1..).zip(entries).map(numbered).collect::<String>().into()
            }
            _ => as_word_of(schema, fact).clone(),
        }
    }

    /// Returns a value for a required parameter: its default, the first of its allowed values, or
    /// the smallest value of its type.
    fn fitting(&self, name: &str, schema: &Value) -> Value {
        if let Some(value) = schema.get("default").or_else(|| schema.get("const")) {
            return value.clone();
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            // An editor tool with several commands may have one that is named after this kind of
            // tool.
            let meant: &[&str] = match self.tool {
                "read" => &["view", "read"],
                "write" => &["create", "write"],
                "edit" => &["str_replace", "edit"],
                _ => &[],
            };
            let is_meant =
                |value: &&Value| value.as_str().is_some_and(|value| meant.contains(&value));
            return values.iter().find(is_meant).or(values.first()).cloned().unwrap_or_default();
        }
        match kind_of(schema) {
            "boolean" => json!(false),
            "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
            "array" => {
                let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(8);
                (0..least)
                    .map(|_| self.fitting(name, schema.get("items").unwrap_or(&Value::Null)))
                    .collect()
            }
            "object" => self.object(schema, &Map::new()).0,
            _ if plain(name) == "id" => json!("1"),
            // Some tools show this text to a person, so it is a sentence.
            _ => json!("Attache checks this agent"),
        }
    }
}

/// Returns a plan entry as a line of a numbered list.
fn numbered((number, entry): (usize, &Value)) -> String {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    format!("{number}. [{}] {}\n", text("status"), text("content"))
}

/// Words with the same meaning, because a schema may list any of them.
const SAME: [&[&str]; 3] = [
    &["completed", "complete", "done", "finished"],
    &["in_progress", "doing", "active"],
    &["pending", "todo", "open", "not_started"],
];

/// Returns the schema's word for this value, if the schema lists allowed words.
fn as_word_of<'v>(schema: &'v Value, fact: &'v Value) -> &'v Value {
    let listed = schema.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let words =
        SAME.into_iter().find(|words| words.iter().any(|word| fact == word)).unwrap_or_default();
    let same = listed.iter().find(|value| words.iter().any(|word| value == word));
    if listed.contains(fact) { fact } else { same.unwrap_or(fact) }
}

/// Returns the type of a schema in lower case. If there are several, returns the first that is not
/// null.
fn kind_of(schema: &Value) -> &'static str {
    let kind = schema.get("type");
    let alone = || schema.get("anyOf").and_then(Value::as_array).and_then(|any| any.first());
    let name = match kind {
        Some(Value::String(name)) => name.as_str(),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or_default()
        }
        _ if schema.get("properties").is_some() => "object",
        _ => alone().and_then(|it| it.get("type")).and_then(Value::as_str).unwrap_or_default(),
    };
    let known = ["object", "array", "boolean", "integer", "number"];
    known.into_iter().find(|known| known.eq_ignore_ascii_case(name)).unwrap_or("string")
}

/// Returns a patch that creates a file.
fn added(path: &str, content: &str) -> String {
    format!("*** Begin Patch\n*** Add File: {path}\n{}*** End Patch\n", marked('+', content))
}

/// Returns a patch that replaces lines of a file.
fn changed(path: &str, old: &str, new: &str) -> String {
    let (old, new) = (marked('-', old), marked('+', new));
    format!("*** Begin Patch\n*** Update File: {path}\n@@\n{old}{new}*** End Patch\n")
}

fn marked(mark: char, text: &str) -> String {
    text.split_terminator('\n').map(|line| format!("{mark}{line}\n")).collect()
}

#[cfg(test)]
mod tests;
