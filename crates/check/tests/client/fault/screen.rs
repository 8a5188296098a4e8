//! Faults in the output of a session.

use super::Fault;
use crate::correct::Said;
use serde_json::{Value, json};

pub(crate) const FAULTS: &[Fault] = &[
    IGNORES_NEW_CALLS,
    Fault::says("TOOL-05", &[], |h, s| {
        if is_update(h.message, "tool_call_update")
            && update(h.message).get("title") == Some(&Value::Null)
        {
            show(s, "tool completed\n");
        }
    }),
    Fault::hears("TOOL-06", &[], |client, message| {
        if is_update(message, "tool_call_update")
            && let Some(old) =
                client.screen.calls.get("judged").and_then(|call| call["content"].as_array())
            && let Some(content) = message["params"]["update"]["content"].as_array_mut()
        {
            content.splice(0..0, old.iter().cloned());
        }
    }),
    Fault::hears("TOOL-14", &[], |_, message| {
        if update(message)["kind"] == "teleport" {
            forget(message);
        }
    }),
    Fault::hears("PERM-10", &[], |_, message| {
        if let Some(call) = message.pointer_mut("/params/toolCall").filter(|call| call.is_object())
        {
            *call = json!({"toolCallId": "judged"});
        }
    }),
    Fault::hears("PLAN-03", &[], |client, message| {
        if let Some(entries) =
            message.pointer_mut("/params/update/entries").and_then(Value::as_array_mut)
        {
            entries.splice(0..0, client.screen.plan.iter().cloned());
        }
    }),
    Fault::hears("PLAN-05", &[], |_, message| {
        if update(message)["entries"][0]["priority"] == "urgent" {
            forget(message);
        }
    }),
    Fault::hears("PLANU-02", &[], |client, message| {
        let old =
            client.screen.plans.get(update(message)["plan"]["planId"].as_str().unwrap_or_default());
        if let Some(old) = old.and_then(Value::as_array)
            && let Some(entries) = message["params"]["update"]["plan"]["entries"].as_array_mut()
        {
            entries.extend(old.iter().cloned());
        }
    }),
    Fault::hears("CMD-02", &[], |client, message| {
        if let Some(commands) =
            message.pointer_mut("/params/update/availableCommands").and_then(Value::as_array_mut)
        {
            commands.extend(client.screen.commands.iter().cloned());
        }
    }),
    Fault::says("CMD-03", &[], |_, s| {
        super::change(s, "session/prompt", |params| {
            let text = params["prompt"][0]["text"].as_str().unwrap_or_default();
            params["prompt"][0]["text"] = text.trim_start_matches('/').into();
        });
    }),
    Fault::hears("CMD-05", &[], |_, message| {
        if !update(message)["availableCommands"][0]["input"].is_null() {
            forget(message);
        }
    }),
    Fault::says("NOTE-04", &[], |h, s| {
        if is_update(h.message, "notice") && update(h.message)["severity"] == "error" {
            s.push(Said::Left(1));
        }
    }),
    Fault::hears("NOTE-05", &[], |_, message| {
        if is_update(message, "notice") && update(message)["severity"] == "_flash" {
            forget(message);
        }
    }),
    Fault::hears("COMP-05", &[], |_, message| {
        if is_update(message, "compaction_update")
            && update(message).get("summary") == Some(&Value::Null)
        {
            message["params"]["update"]["summary"] = json!("no list");
        }
    }),
    Fault::hears("COMP-06", &[], |client, message| {
        if is_update(message, "compaction_update")
            && let Some(old) = client.screen.compactions.get("judged")
            && let Some(text) = message["params"]["update"]["summary"][0]["text"].as_str()
        {
            message["params"]["update"]["summary"][0]["text"] =
                format!("{}{text}", old["summary"].as_str().unwrap()).into();
        }
    }),
    Fault::says("COMP-10", &[], |h, s| {
        if is_update(h.message, "compaction_update")
            && update(h.message)["status"].as_str().is_some_and(|status| status.starts_with('_'))
        {
            s.push(Said::Left(1));
        }
    }),
    Fault::says("SUB-02", &[], |h, s| {
        if h.message.is_null()
            && h.client.is_cancelled
            && h.client.screen.is_child("attache-check-child")
        {
            let params = json!({"sessionId": "attache-check-child"});
            s.push(Said::Line(
                json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}),
            ));
        }
    }),
    Fault::hears("SUB-03", &[], |_, message| {
        if is_update(message, "subagent_update") && update(message)["state"]["state"] == "unknown" {
            message["params"]["update"]["state"] = json!("no state");
        }
    }),
];

fn update(message: &Value) -> &Value {
    &message["params"]["update"]
}

fn is_update(message: &Value, kind: &str) -> bool {
    update(message)["sessionUpdate"] == kind
}

/// Replaces the update with a malformed one.
fn forget(message: &mut Value) {
    message["params"]["update"] = json!({"sessionUpdate": "attache_forgotten"});
}

/// Prints only this text.
fn show(said: &mut Vec<Said>, text: &str) {
    said.retain(|said| !matches!(said, Said::Shown(_)));
    said.push(Said::Shown(text.to_owned()));
}

/// Ignores an update of an unknown tool call.
pub(crate) const IGNORES_NEW_CALLS: Fault = Fault::hears("TOOL-04", &[], |client, message| {
    let is_judged = update(message)["toolCallId"] == "judged";
    if is_update(message, "tool_call_update")
        && is_judged
        && !client.screen.calls.contains_key("judged")
    {
        forget(message);
    }
});
