#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use super::*;
use crate::model::acts;

fn tool(name: &str, properties: Value, required: &[&str]) -> Tool {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    Tool { name: name.to_owned(), schema }
}

/// Returns the name of the tool for an act, and its arguments.
fn call(tools: &[Tool], wanted: Value) -> Option<(String, Value)> {
    let (tool, arguments) = found(tools, &wanted, &ToolNames::default())?;
    let Arguments::Object(arguments) = arguments else { panic!("{arguments:?}") };
    Some((tool.name.clone(), arguments))
}

fn text() -> Value {
    json!({"type": "string"})
}

#[test]
fn tools_are_found_by_name_and_filled_by_parameter_names() {
    let run = acts::run("ls");
    for (tool, wanted, found) in [
        (
            tool(
                "read_file",
                json!({"absolute_path": text(), "offset": {"type": "number"}}),
                &["absolute_path"],
            ),
            acts::read("/a"),
            json!({"absolute_path": "/a"}),
        ),
        (
            tool(
                "Write",
                json!({"file_path": text(), "content": text()}),
                &["file_path", "content"],
            ),
            acts::write("/a", "x"),
            json!({"file_path": "/a", "content": "x"}),
        ),
        (
            tool(
                "replace",
                json!({"file_path": {"type": "STRING"}, "old_string": text(), "new_string": text(),
                "instruction": text(), "expected_replacements": {"type": "INTEGER", "minimum": 1}}),
                &["file_path", "old_string", "new_string", "instruction"],
            ),
            acts::edit("/a", "x", "y"),
            json!({"file_path": "/a", "old_string": "x", "new_string": "y", "instruction": "Attache checks this agent"}),
        ),
        (
            tool(
                "StrReplaceFile",
                json!({"path": text(), "edit": {"type": "object",
                "properties": {"old": text(), "new": text()}, "required": ["old", "new"]}}),
                &["path", "edit"],
            ),
            acts::edit("/a", "x", "y"),
            json!({"path": "/a", "edit": {"old": "x", "new": "y"}}),
        ),
        (
            tool(
                "edit",
                json!({"path": text(), "replacements": {"type": "array", "items": {"type": "object",
                "properties": {"old": text(), "new": text(), "every": {"type": "boolean"}}, "required": ["old", "new"]}}}),
                &["path"],
            ),
            acts::edit("/a", "x", "y"),
            json!({"path": "/a", "replacements": [{"old": "x", "new": "y"}]}),
        ),
        (
            tool(
                "str_replace_editor",
                json!({"command": {"type": "string", "enum": ["view", "create", "str_replace"]},
                "path": text(), "file_text": text()}),
                &["command", "path"],
            ),
            acts::write("/a", "x"),
            json!({"command": "create", "path": "/a", "file_text": "x"}),
        ),
        (
            tool("shell", json!({"command": {"type": "array", "items": text()}}), &["command"]),
            run.clone(),
            json!({"command": ["bash", "-c", "ls"]}),
        ),
        (
            tool(
                "developer__shell",
                json!({"command": text(), "description": text()}),
                &["command"],
            ),
            run,
            json!({"command": "ls"}),
        ),
        (
            tool(
                "TodoWrite",
                json!({"todos": {"type": "array", "items": {"type": "object", "properties":
                {"content": text(), "status": text(), "activeForm": text(), "id": text()},
                "required": ["content", "status", "activeForm", "id"]}}}),
                &["todos"],
            ),
            acts::plan(json!([{"content": "c", "status": "pending", "priority": "high"}])),
            json!({"todos": [{"content": "c", "status": "pending", "activeForm": "c", "id": "1"}]}),
        ),
        (
            tool(
                "TodoList",
                json!({"todos": {"type": "array", "items": {"type": "object", "properties":
                {"title": text(), "status": {"type": "string", "enum": ["pending", "in_progress", "done"]}},
                "required": ["title", "status"]}}}),
                &[],
            ),
            acts::plan(json!([{"content": "c", "status": "completed", "priority": "low"}])),
            json!({"todos": [{"title": "c", "status": "done"}]}),
        ),
        (
            tool("TodoWrite", json!({"todos": text()}), &["todos"]),
            acts::plan(
                json!([{"content": "c", "status": "pending"}, {"content": "d", "status": "completed"}]),
            ),
            json!({"todos": "1. [pending] c\n2. [completed] d\n"}),
        ),
        (
            tool(
                "ask",
                json!({"questions": {"type": "array", "items": {"type": "object", "properties":
                {"question": text(), "options": {"type": "array", "minItems": 2, "items": text()}}, "required": ["question", "options"]}}}),
                &["questions"],
            ),
            acts::ask("why?"),
            json!({"questions": [{"question": "why?", "options": ["Attache checks this agent", "Attache checks this agent"]}]}),
        ),
        (
            tool("mcp__probe__reached", json!({}), &[]),
            json!({"tool": "mcp", "name": "reached", "arguments": {"a": 1}}),
            json!({"a": 1}),
        ),
    ] {
        let name = tool.name.clone();
        assert_eq!(call(&[tool], wanted), Some((name, found)));
    }
}

#[test]
fn the_first_name_wins_if_its_parameters_match() {
    let both =
        [tool("view", json!({"path": text()}), &[]), tool("read", json!({"path": text()}), &[])];
    assert_eq!(call(&both, acts::read("/a")).unwrap().0, "read");
    let other = [
        tool("read", json!({"url": text()}), &["url"]),
        tool("grep", json!({"path": text()}), &[]),
    ];
    assert_eq!(call(&other, acts::read("/a")), None);
}

#[test]
fn a_tool_that_takes_a_text_gets_a_patch() {
    let patch = Tool { name: "apply_patch".to_owned(), schema: Value::Null };
    let (_, arguments) =
        found(std::slice::from_ref(&patch), &acts::edit("/a", "x", "y"), &ToolNames::default())
            .unwrap();
    let text = "*** Begin Patch\n*** Update File: /a\n@@\n-x\n+y\n*** End Patch\n";
    assert_eq!(arguments, Arguments::Text(text.to_owned()));
    let (_, arguments) =
        found(std::slice::from_ref(&patch), &acts::write("/a", "x\r\n\n"), &ToolNames::default())
            .unwrap();
    let text = "*** Begin Patch\n*** Add File: /a\n+x\r\n+\n*** End Patch\n";
    assert_eq!(arguments, Arguments::Text(text.to_owned()));
    assert_eq!(found(&[patch], &acts::write("/a", "no line end"), &ToolNames::default()), None);
}

#[test]
fn a_mapped_tool_comes_first() {
    let schema = json!({"file": text()});
    let tools = [tool("read", schema.clone(), &["file"]), tool("My-Read", schema, &["file"])];
    let mut names = ToolNames::default();
    names.add("read=My-Read").unwrap();
    let (found, arguments) = found(&tools, &acts::read("/a"), &names).unwrap();
    assert_eq!(
        (found.name.as_str(), arguments),
        ("My-Read", Arguments::Object(json!({"file": "/a"})))
    );
    assert!(
        names.add("read=").is_err() && names.add("fly=x").is_err() && names.add("read").is_err()
    );
}
