//! The MCP servers' tools, under names that every provider accepts.

use crate::models::ToolSpec;
use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// The maximum length of a tool's name, in characters.
const NAME: usize = 64;

/// The maximum length of the server's part of a tool's name, in characters.
const SERVER: usize = 28;

/// The maximum number of tools for a model. Providers do not accept more.
const ALL: usize = 128;

/// How many of a model's tools are reserved for built-in ones.
pub(crate) const RESERVED: usize = 24;

/// The maximum length of a description, in bytes.
const DESCRIPTION: usize = 4 * 1024;

/// The maximum length of a schema, in bytes.
const SCHEMA: usize = 16 * 1024;

/// One tool of a server.
#[derive(Debug)]
pub(super) struct OfferedTool {
    /// The name by which a model knows the tool.
    pub(super) name: String,
    /// The index of the tool's server.
    pub(super) server: usize,
    pub(super) tool: Tool,
}

/// The maximum number of tools from servers.
pub(super) fn most() -> usize {
    ALL - RESERVED
}

/// Adds the tools of these servers to those that are offered already, each with a unique name. New
/// tools are added at the end, first those that are in `order`. If a server lists a tool twice, the
/// first one counts. If there is no room for a new tool, those that their servers no longer list
/// are removed. Returns the number of tools for which there is no room.
pub(super) fn extend<S: AsRef<str>>(
    offered: &mut Vec<OfferedTool>,
    lists: &[(S, Arc<Vec<Tool>>)],
    order: &[String],
) -> usize {
    let is_listed = |each: &OfferedTool| {
        let tools = lists.get(each.server).map(|(_, tools)| tools);
        tools.is_some_and(|tools| tools.iter().any(|tool| tool.name == each.tool.name))
    };
    let known: HashSet<_> = offered.iter().map(|each| (each.server, &each.tool.name)).collect();
    let listed = lists.iter().enumerate();
    let listed =
        listed.flat_map(|(server, (_, tools))| tools.iter().map(move |t| (server, &t.name)));
    let new: HashSet<_> = listed.filter(|tool| !known.contains(tool)).collect();
    if offered.len() + new.len() > most() {
        offered.retain(is_listed);
    }
    let mut left_out = 0;
    let mut taken: HashSet<String> = offered.iter().map(|each| each.name.clone()).collect();
    let mut new = Vec::new();
    for (server, (server_name, tools)) in lists.iter().enumerate() {
        let mut listed = HashSet::new();
        for tool in tools.iter().filter(|tool| listed.insert(&tool.name)) {
            let is_same =
                |each: &&mut OfferedTool| each.server == server && each.tool.name == tool.name;
            match offered.iter_mut().find(is_same) {
                // The server has changed the tool.
                Some(known) if known.tool != *tool => known.tool = tool.clone(),
                Some(_) => {}
                None if taken.len() < most() => {
                    let name = unused_name(&mut taken, &joined(server_name.as_ref(), &tool.name));
                    new.push(OfferedTool { name, server, tool: tool.clone() });
                }
                None => left_out += 1,
            }
        }
    }
    let place = |name: &str| order.iter().position(|other| other == name);
    new.sort_by_key(|tool| place(&tool.name).unwrap_or(usize::MAX));
    offered.extend(new);
    left_out
}

/// `server__tool` of letters, digits, `_` and `-`; it does not begin with a digit.
fn joined(server: &str, tool: &str) -> String {
    let clean = |text: &str, most: usize| -> String {
        let plain =
            |each: char| if each.is_ascii_alphanumeric() || each == '-' { each } else { '_' };
        text.chars().map(plain).take(most).collect()
    };
    let mut name = clean(server, SERVER);
    if !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        name.insert(0, '_');
    }
    name.push_str("__");
    name.push_str(&clean(tool, NAME - name.len()));
    name
}

/// Returns the name, with a number appended if it is taken.
fn unused_name(taken: &mut HashSet<String>, name: &str) -> String {
    let numbered = (2_u32..).map(|number| {
        let end = format!("_{number}");
        // The name is ASCII, so every index is a character boundary.
        format!("{}{end}", name.get(..name.len().min(NAME - end.len())).unwrap_or_default())
    });
    let free =
        std::iter::once(name.to_owned()).chain(numbered).find(|name| taken.insert(name.clone()));
    free.unwrap_or_default()
}

impl OfferedTool {
    /// The description for the model.
    pub(super) fn spec(&self) -> ToolSpec {
        let given = self.tool.description.as_deref().unwrap_or_default();
        let (schema, whole) = schema(&self.tool.input_schema);
        let mut description = cut(given, DESCRIPTION).to_owned();
        if !whole {
            let all = serde_json::to_string(&*self.tool.input_schema).unwrap_or_default();
            let arguments = cut(&all, DESCRIPTION);
            description =
                format!("{description}\nIts arguments have this JSON schema: {arguments}");
        }
        ToolSpec { name: self.name.clone(), description, schema }
    }
}

fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

/// Returns a schema that all providers accept: an object with properties, and without alternatives
/// at the top level. The flag says whether the whole schema could be kept.
fn schema(given: &JsonObject) -> (Value, bool) {
    let mut schema = given.clone();
    let mut whole = true;
    schema.remove("$schema");
    for choice in ["oneOf", "anyOf", "allOf", "not", "enum", "$ref"] {
        whole &= schema.remove(choice).is_none();
    }
    schema.insert("type".to_owned(), json!("object"));
    if !schema.get("properties").is_some_and(Value::is_object) {
        schema.insert("properties".to_owned(), json!({}));
    }
    let schema = Value::Object(schema);
    match schema.to_string().len() > SCHEMA {
        true => (json!({"type": "object", "properties": {}}), false),
        false => (schema, whole),
    }
}

#[cfg(test)]
mod tests {
    use super::{OfferedTool, extend, most, schema};
    use rmcp::model::Tool;
    use serde_json::{Value, json};
    use std::collections::HashSet;
    use std::sync::Arc;

    fn tools(names: &[&str]) -> Arc<Vec<Tool>> {
        let tool = |name: &&str| -> Tool {
            serde_json::from_value(json!({ "name": name, "inputSchema": {} })).unwrap()
        };
        Arc::new(names.iter().map(tool).collect())
    }

    fn offered(lists: &[(&str, Arc<Vec<Tool>>)]) -> Vec<OfferedTool> {
        let mut offered = Vec::new();
        extend(&mut offered, lists, &[]);
        offered
    }

    fn names(offered: &[OfferedTool]) -> Vec<&str> {
        offered.iter().map(|each| each.name.as_str()).collect()
    }

    #[test]
    fn tools_keep_their_names_and_places_when_others_come_and_go() {
        let mut offered = Vec::new();
        extend(&mut offered, &[("git", tools(&[])), ("git", tools(&["log", "diff"]))], &[]);
        assert_eq!(names(&offered), ["git__log", "git__diff"]);
        extend(&mut offered, &[("git", tools(&["log"])), ("git", tools(&["log"]))], &[]);
        assert_eq!(names(&offered), ["git__log", "git__diff", "git__log_2"]);
        assert_eq!(offered[2].server, 0);
        let order = ["b__one".to_owned(), "a__one".to_owned()];
        let mut loaded = Vec::new();
        extend(&mut loaded, &[("a", tools(&["new", "one"])), ("b", tools(&["one"]))], &order);
        assert_eq!(names(&loaded), ["b__one", "a__one", "a__new"], "a loaded session");
    }

    #[test]
    fn every_tool_has_a_unique_name_that_providers_accept() {
        let long = "x".repeat(200);
        let lists = [
            ("git", tools(&["log", "l.g", "l/g"])),
            ("1 st ü", tools(&["", "log", &long, &long])),
            ("git", tools(&["log"])),
            (long.as_str(), tools(&[&long, &long])),
        ];
        let offered = offered(&lists);
        let names = names(&offered);
        assert_eq!(names[..5], ["git__log", "git__l_g", "git__l_g_2", "_1_st____", "_1_st____log"]);
        assert_eq!(names[6], "git__log_2", "a tool that is listed twice is offered once");
        for name in &names {
            assert!(
                name.len() <= 64 && !name.starts_with(|first: char| first.is_ascii_digit()),
                "{name}"
            );
            assert!(
                name.chars().all(|each| each.is_ascii_alphanumeric() || "_-".contains(each)),
                "{name}"
            );
        }
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    }

    #[test]
    fn at_most_as_many_tools_are_offered_as_providers_accept() {
        let many: Vec<_> = (0..200).map(|number| format!("t{number}")).collect();
        let many: Vec<_> = many.iter().map(String::as_str).collect();
        assert_eq!(offered(&[("a", tools(&many))]).len(), most());
    }

    #[test]
    fn tools_that_are_no_longer_listed_make_room() {
        let many: Vec<_> = (0..most()).map(|number| format!("t{number}")).collect();
        let many: Vec<_> = many.iter().map(String::as_str).collect();
        let mut offered = Vec::new();
        assert_eq!(extend(&mut offered, &[("a", tools(&many))], &[]), 0);
        assert_eq!(extend(&mut offered, &[("a", tools(&many[..2]))], &[]), 0);
        assert_eq!(offered.len(), most(), "a changed list costs the cache");
        assert_eq!(extend(&mut offered, &[("a", tools(&[many[0], "new"]))], &[]), 0);
        assert_eq!(names(&offered), ["a__t0", "a__new"]);
        let all = [&many[..], &["new"]].concat();
        assert_eq!(extend(&mut offered, &[("a", tools(&all))], &[]), 1);
        assert_eq!(offered.len(), most());
    }

    #[test]
    fn schema_becomes_an_object_and_lost_parts_go_into_the_description() {
        let of = |given: Value| schema(given.as_object().unwrap());
        assert_eq!(
            of(json!({"$schema": "x"})),
            (json!({"type": "object", "properties": {}}), true)
        );
        let nested = json!({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}]}}, "required": ["a"]});
        assert_eq!(of(nested.clone()), (nested, true));
        assert_eq!(
            of(json!({"anyOf": [{"required": ["a"]}]})),
            (json!({"type": "object", "properties": {}}), false)
        );
        let long = json!({"properties": {"a": {"description": "x".repeat(20_000)}}});
        assert_eq!(of(long), (json!({"type": "object", "properties": {}}), false));
    }
}
