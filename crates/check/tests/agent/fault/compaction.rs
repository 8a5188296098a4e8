//! Faults in compactions, notices and forms.

use crate::fault::{Fault, fault, update, updates};
use serde_json::{Value, json};

/// Whether the client has session capabilities, but not this one.
fn lacks(client: &Value, capability: &str) -> bool {
    client.get("session").is_some_and(|session| session.get(capability).is_none())
}

fn is_compaction(line: &Value, status: &str) -> bool {
    let update = &line["params"]["update"];
    update["sessionUpdate"] == "compaction_update" && update["status"] == status
}

pub(super) const FAULTS: &[Fault] = &[
    fault("COMP-01", &["INIT-16"], |h, s| {
        if h.text.contains("/compact") && lacks(&h.before.client, "compaction") {
            let payload = json!({"sessionUpdate": "compaction_update", "compactionId": "c", "status": "completed"});
            s.insert(0, update(&h.params()["sessionId"], payload));
        }
    }),
    fault("COMP-02", &[], |_, s| {
        updates(s, "compaction").for_each(|update| update["compactionId"] = json!("always"));
    }),
    fault("COMP-03", &[], |_, s| {
        if let Some(end) = s.iter().position(|line| is_compaction(line, "completed")) {
            s.insert(end, s[end].clone());
        }
    }),
    fault("COMP-04", &[], |_, s| {
        if let Some(end) = s.iter().position(|line| is_compaction(line, "completed")) {
            s.swap(end - 1, end);
        }
    }),
    fault("COMP-08", &[], |_, s| {
        for update in
            updates(s, "compaction_update").filter(|update| update["status"] == "in_progress")
        {
            update["summary"] = json!([{"type": "text", "text": "soon"}]);
        }
    }),
    fault("NOTE-01", &["INIT-16"], |h, s| {
        let has_servers =
            h.params()["mcpServers"].as_array().is_some_and(|servers| !servers.is_empty());
        if h.is("session/new") && has_servers && lacks(&h.before.client, "notices") {
            let session = s[0]["result"]["sessionId"].clone();
            let payload = json!({"sessionUpdate": "notice", "severity": "warning", "title": "x"});
            s.push(update(&session, payload));
        }
    }),
    // The same fault breaks both rules.
    fault("NOTE-03", &["SESS-16"], report_again),
    fault("SESS-16", &["NOTE-03"], report_again),
    fault("ELIC-01", &["INIT-16"], |h, s| {
        if h.text.contains(r#"\"tool\":\"ask\""#)
            && h.before.client["elicitation"] == json!({"url": {}})
        {
            let form = json!({"type": "object", "properties": {"word": {"type": "string"}}});
            let params = json!({"sessionId": h.params()["sessionId"], "mode": "form", "message": "?", "requestedSchema": form});
            s.insert(
                0,
                json!({"jsonrpc": "2.0", "id": 88_001, "method": "elicitation/create", "params": params}),
            );
        }
    }),
];

/// Makes `session/load` send the notice about a missing server again.
fn report_again(h: crate::fault::Heard<'_>, s: &mut Vec<Value>) {
    if h.is("session/load") && s.last().is_some_and(|reply| reply["result"].is_object()) {
        let payload = json!({"sessionUpdate": "notice", "severity": "warning", "title": "A server cannot be started."});
        s.insert(0, update(&h.params()["sessionId"], payload));
    }
}
