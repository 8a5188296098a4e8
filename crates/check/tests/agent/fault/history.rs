//! Faults in the history of a conversation, in commands and in forms.

use crate::fault::{Fault, change, fault, misdone, misheard, refuse};
use serde_json::{Value, json};

/// Whether a line is an update of this kind.
fn is_update(line: &Value, kind: &str) -> bool {
    line["params"]["update"]["sessionUpdate"] == kind
}

pub(super) const FAULTS: &[Fault] = &[
    fault("SESS-13", &["SESS-15"], |h, s| {
        if h.is("session/load") {
            s.retain(|line| !is_update(line, "agent_message_chunk"))
        }
    }),
    fault("SESS-13", &[], |h, s| {
        if h.is("session/load") && s.iter().any(|line| is_update(line, "tool_call")) {
            refuse(h, s, -32603)
        }
    }),
    // All turns after the first are replayed in reverse order.
    fault("SESS-13", &[], |h, s| {
        if h.is("session/load") {
            let said = |line: &Value, word| crate::fault::turn::says(line, word);
            let second = s.iter().position(|line| said(line, "attache-second-word"));
            let third = s.iter().position(|line| said(line, "attache-third-word"));
            if let (Some(second), Some(third)) = (second, third) {
                let end =
                    s.iter().position(|line| line.get("result").is_some()).unwrap_or_default();
                s[second..end].rotate_left(third - second)
            }
        }
    }),
    // The whole history is replayed twice.
    fault("SESS-13", &[], |h, s| {
        if h.is("session/load") {
            let index = |line: &&Value| {
                is_update(line, "user_message_chunk") || is_update(line, "agent_message_chunk")
            };
            let again: Vec<Value> = s.iter().filter(index).cloned().collect();
            let from = s.iter().position(|line| line.get("method").is_some()).unwrap_or_default();
            s.splice(from..from, again);
        }
    }),
    // Only the last turn is stored.
    fault("SESS-13", &[], |h, s| {
        if h.is("session/load")
            && let Some(third) =
                s.iter().position(|line| crate::fault::turn::says(line, "attache-third-word"))
        {
            let from = s.iter().position(|line| line.get("method").is_some()).unwrap_or_default();
            s.drain(from..third);
        }
    }),
    fault("SESS-14", &[], |h, s| {
        if h.is("session/load") {
            let late = s.iter().rposition(|line| is_update(line, "user_message_chunk"));
            s.extend(late.map(|place| s[place].clone()))
        }
    }),
    fault("SESS-15", &[], |h, s| {
        if h.is("session/load") {
            for line in s.iter_mut().filter(|line| is_update(line, "user_message_chunk")) {
                line["params"]["update"]["sessionUpdate"] = json!("agent_message_chunk")
            }
        }
    }),
    fault("SESS-17", &[], |h, s| {
        if h.is("session/load") || h.is("session/resume") {
            change(s, "configOptions", |all| {
                all.as_array_mut().unwrap().remove(0);
            })
        }
    }),
    fault("SESS-19", &[], |h, s| {
        if h.is("session/resume") && s.last().is_some_and(|reply| reply["result"].is_object()) {
            let content = json!({"type": "text", "text": "Where were we?"});
            let again = json!({"sessionUpdate": "agent_message_chunk", "content": content});
            s.insert(0, crate::fault::update(&h.params()["sessionId"], again))
        }
    }),
    misdone("SESS-20", &[], |h, agent| {
        if h.is("session/resume") {
            agent.keep_wrongly(&h.params()["sessionId"], |session| session.history.clear())
        }
    }),
    fault("SESS-27", &[], |h, s| {
        if h.is("session/new") && s[0].get("result").is_some() {
            let content = json!({"type": "text", "text": "Welcome!"});
            let welcome = json!({"sessionUpdate": "agent_message_chunk", "content": content});
            s.push(crate::fault::update(&s[0]["result"]["sessionId"], welcome))
        }
    }),
    misdone("TITLE-03", &["TITLE-01"], |h, agent| {
        if h.is("session/prompt") {
            agent.keep_wrongly(&h.params()["sessionId"], |session| {
                session.title = session.title.as_ref().map(|_| "A better title".to_owned())
            })
        }
    }),
    fault("CMD-01", &[], |h, s| {
        if h.is("session/new") {
            s.reverse()
        }
    }),
    misheard("CMD-04", &[], |_, m| {
        if let Some(text) = m.pointer_mut("/params/prompt/0/text")
            && *text == "/help"
        {
            *text = json!("help")
        }
    }),
    fault("ELIC-03", &["INIT-10", "INIT-16"], |h, s| {
        let asks =
            h.params()["prompt"][0]["text"].as_str().is_some_and(|text| text.contains("\"ask\""));
        if asks && !h.before.client["elicitation"]["form"].is_object() {
            refuse(h, s, -32603)
        }
    }),
    misheard("ELIC-16", &[], |h, m| {
        if h.answers == "elicitation/create" && m["result"]["action"] == "decline" {
            m["result"]["action"] = json!("accept")
        }
    }),
    misheard("ELIC-23", &[], |h, m| {
        if h.answers == "elicitation/create" && m["result"]["action"] == "_attache_defer" {
            m["result"]["action"] = json!("accept")
        }
    }),
];

/// An agent that asks with a permission request if the client has no forms, and ends its turn if
/// the client rejects the request.
pub(super) const ASKS_FOR_PERMISSION: Fault = fault("ELIC-03", &[], |h, s| {
    let is_reported = |line: &Value| is_update(line, "tool_call");
    if let (true, Some(index)) =
        (h.prompts_with("\"tool\":\"ask\""), s.iter().position(is_reported))
    {
        let forms = &h.before.client["elicitation"]["form"];
        if forms.is_object() {
            return;
        }
        let id = &s[index]["params"]["update"]["toolCallId"];
        let call = json!({"toolCallId": id, "title": "attache: which word?"});
        let options = json!([{"optionId": "no", "name": "Cancel", "kind": "reject_once"}]);
        let params =
            json!({"sessionId": h.params()["sessionId"], "toolCall": call, "options": options});
        let asks = json!({"jsonrpc": "2.0", "id": "leave", "method": "session/request_permission", "params": params});
        s.retain(|line| !is_update(line, "agent_message_chunk"));
        s.insert(index + 1, asks)
    }
});
