//! Faults in the updates of tool calls.

use crate::fault::{Fault, change, fault, update, updates};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    fault("RPC-31", &["TOOL-10"], |h, s| {
        if h.is("session/prompt") {
            change(s, "locations", |all| all[0]["path"] = json!("a"))
        }
    }),
    fault("RPC-32", &["TOOL-10"], |h, s| {
        if h.is("session/prompt") {
            change(s, "locations", |all| all[0]["line"] = json!(0))
        }
    }),
    fault("TOOL-03", &["TOOL-01", "TOOL-07", "TOOL-09"], |_, s| {
        if let Some(first) = s.iter().position(is_of_a_tool) {
            let ghost = json!({"sessionUpdate": "tool_call_update", "toolCallId": "ghost", "status": "completed"});
            let ghost = update(&s[first]["params"]["sessionId"], ghost);
            s.insert(first, ghost)
        }
    }),
    fault("TOOL-01", &["TOOL-09"], |_, s| s.retain(|line| !is_of_a_tool(line))),
    fault("TOOL-01", &["TOOL-03"], |_, s| {
        if s.iter().any(|line| line["method"] == "session/request_permission") {
            s.retain(|line| line["params"]["update"]["sessionUpdate"] != "tool_call")
        }
    }),
    fault("TOOL-02", &["TOOL-07", "TOOL-08", "TOOL-09", "TOOL-15"], |_, s| {
        updates(s, "tool_call").for_each(|update| update["toolCallId"] = json!("t"))
    }),
    fault("TOOL-07", &[], |_, s| {
        s.retain(|line| !is_of_a_tool(line) || line["params"]["update"]["status"] != "in_progress")
    }),
    fault("TOOL-08", &[], |_, s| {
        let is_end =
            |line: &Value| is_of_a_tool(line) && line["params"]["update"]["status"] == "completed";
        let ended = s.iter().position(is_end);
        if let Some(ended) = ended {
            let mut again = s[ended].clone();
            again["params"]["update"]["status"] = json!("in_progress");
            s.insert(ended + 1, again);
        }
    }),
    fault("TOOL-09", &[], |_, s| {
        if s.iter().any(|line| line["result"]["stopReason"] == "cancelled") {
            s.retain(|line| !is_of_a_tool(line))
        }
    }),
    fault("TOOL-09", &[], |h, s| {
        if h.is("session/cancel") && h.before.client == json!({}) {
            change(s, "status", |status| *status = json!("completed"))
        }
    }),
    fault("TOOL-10", &["DEC-19", "DEC-20"], |_, s| {
        diffs(s).for_each(|diff| {
            diff.as_object_mut().unwrap().remove("path");
        })
    }),
    fault("TOOL-11", &["DEC-19"], |_, s| {
        diffs(s)
            .filter(|diff| diff["oldText"].is_null())
            .for_each(|diff| diff["oldText"] = json!(""))
    }),
    fault("TOOL-13", &["DEC-14", "TERM-11"], |h, s| {
        if h.answers == "terminal/create" && s.len() == 2 {
            let mut release = s[1].clone();
            (release["id"], release["method"]) = (json!("early"), json!("terminal/release"));
            s.insert(0, release)
        }
    }),
    fault("TOOL-15", &[], |_, s| {
        updates(s, "tool_call_update").for_each(|update| update["name"] = json!("renamed"))
    }),
];

fn is_of_a_tool(line: &Value) -> bool {
    line["params"]["update"]["sessionUpdate"]
        .as_str()
        .is_some_and(|kind| kind.starts_with("tool_call"))
}

fn diffs(said: &mut [Value]) -> impl Iterator<Item = &mut Value> {
    let content =
        updates(said, "tool_call").filter_map(|update| update["content"].as_array_mut()).flatten();
    content.filter(|content| content["type"] == "diff")
}
