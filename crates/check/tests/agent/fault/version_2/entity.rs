//! Faults in tool calls, diffs and terminals.

use crate::fault::{Fault, Heard, fault, give, refuse, update, updates};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    fault("V2-19", &[], |_, s| {
        for update in updates(s, "tool_call_update") {
            if let Some(place) = update.pointer_mut("/locations/0/path") {
                *place = json!("relative")
            }
        }
    }),
    fault("V2-42", &[], |h, s| {
        if h.is("session/prompt") && s[0].get("error").is_none() {
            let chunk = json!({"sessionUpdate": "terminal_output_chunk", "terminalId": "ghost", "data": "b2sK"});
            s.insert(3, update(&h.params()["sessionId"], chunk))
        }
    }),
    fault("V2-43", &[], |_, s| {
        for update in
            updates(s, "terminal_update").filter(|update| update["exitStatus"].is_object())
        {
            update["capabilities"] = json!({"cancel": {}})
        }
    }),
    fault("V2-45", &[], |h, s| {
        if cancels(h) && s[0].get("error").is_some() {
            give(h, s, json!({}))
        }
    }),
    fault("V2-46", &[], |h, s| {
        if h.is("tool_call/cancel") {
            refuse_accepted(h, s)
        }
    }),
    fault("V2-46", &[], |h, s| {
        if h.is("terminal/cancel") {
            refuse_accepted(h, s)
        }
    }),
    fault("V2-47", &[], |_, s| {
        for update in updates(s, "terminal_output_chunk") {
            update["data"] = json!("***")
        }
    }),
    fault("V2-48", &["V2-49"], |_, s| {
        diffs(s, |diff| diff["patch"]["text"] = json!("--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n"))
    }),
    fault("V2-49", &[], |_, s| {
        diffs(s, |diff| diff["changes"][0]["path"] = json!("/another/file"))
    }),
    fault("V2-71", &[], |h, s| {
        if h.is("tool_call/cancel") {
            s.retain(|line| line["params"]["update"]["status"] != "cancelled")
        }
    }),
    fault("V2-71", &[], |h, s| {
        if h.is("terminal/cancel") {
            s.retain(|line| !line["params"]["update"]["exitStatus"].is_object())
        }
    }),
    fault("V2-81", &[], |_, s| {
        for update in updates(s, "terminal_update") {
            update["size"] = json!({"cols": 0, "rows": 24})
        }
    }),
];

fn cancels(heard: Heard<'_>) -> bool {
    heard.is("tool_call/cancel") || heard.is("terminal/cancel")
}

/// Answers an accepted cancel as if the method did not exist.
fn refuse_accepted(heard: Heard<'_>, said: &mut Vec<Value>) {
    let is_accepted = said.iter().any(|line| line.get("result").is_some());
    if is_accepted {
        said.retain(|line| line.get("result").is_none());
        let mut reply = Vec::new();
        refuse(heard, &mut reply, -32601);
        said.extend(reply)
    }
}

/// Changes every diff.
fn diffs(said: &mut [Value], change: fn(&mut Value)) {
    for update in updates(said, "tool_call_update") {
        if let Some(diff) = update.pointer_mut("/content/0").filter(|it| it["type"] == "diff") {
            change(diff)
        }
    }
}
