//! Updates and permission requests that only version 2 defines (DEC, INIT-15): the turn continues.

use crate::client::probe::prompt::survives_updates;
use crate::client::run::ClientRun;
use crate::client::scenario::SESSION;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::Probed;
use attache_protocol::method::{Method, SessionRequestPermission, SessionUpdateNotification};
use serde_json::Value;

probes! { ClientRun:
    "DEC-13" unknown_members_of_every_update_are_ignored;
    "DEC-09" unknown_words_do_not_end_the_turn;
    "DEC-10" parts_of_unknown_types_do_not_end_the_turn;
    "DEC-10" a_permission_request_about_an_unknown_subject_is_answered;
    "DEC-08" malformed_updates_do_not_end_the_turn;
    "DEC-18" updates_of_version_1_are_ignored;
    "RPC-23" a_permission_request_of_version_1_is_invalid;
    "INIT-15" a_permission_request_without_a_tool_call_is_answered;
}

/// Returns an update of this kind with these members.
fn update(kind: &str, members: Value) -> Value {
    let mut update = json!({"sessionUpdate": kind});
    if let (Value::Object(update), Value::Object(members)) = (&mut update, members) {
        update.extend(members);
    }
    update
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Returns a conversation with every stable kind of update.
fn every_update() -> Vec<Value> {
    let diff = json!({
        "type": "diff",
        "changes": [{"operation": "modify", "path": "/check/a.txt", "fileType": "text"}],
        "patch": {"format": "git_patch", "text": "diff --git /check/a.txt /check/a.txt\n--- /check/a.txt\n+++ /check/a.txt\n@@ -1 +1 @@\n-a\n+b\n"},
    });
    let option =
        json!({"configId": "check", "name": "Check", "type": "boolean", "currentValue": true});
    let entry = json!({"content": "Check", "priority": "high", "status": "cancelled"});
    let command = json!({"type": "command", "name": "check", "description": "Check", "input": {"type": "text", "hint": "x"}});
    vec![
        update(
            "agent_thought",
            json!({"messageId": "check-thought", "content": [text("Thinking.")]}),
        ),
        update(
            "agent_thought_chunk",
            json!({"messageId": "check-thought", "content": text(" More.")}),
        ),
        update(
            "agent_message_chunk",
            json!({"messageId": "check-whole", "content": text("Begun.")}),
        ),
        update("agent_message", json!({"messageId": "check-whole", "content": [text("Whole.\n")]})),
        update("agent_message", json!({"messageId": "check-whole", "content": null})),
        update("user_message", json!({"messageId": "check-user", "content": [text("Asked.")]})),
        update("user_message_chunk", json!({"messageId": "check-user", "content": text(" More.")})),
        update(
            "terminal_update",
            json!({"terminalId": "check-terminal", "command": "true", "cwd": "/", "size": {"cols": 80, "rows": 24}, "capabilities": {"cancel": {}}}),
        ),
        update(
            "terminal_output_chunk",
            json!({"terminalId": "check-terminal", "data": "Q2hlY2s="}),
        ),
        update(
            "tool_call_update",
            json!({"toolCallId": "check-call", "title": "Check", "kind": "execute", "status": "in_progress", "capabilities": {"cancel": {}}}),
        ),
        update(
            "tool_call_content_chunk",
            json!({"toolCallId": "check-call", "content": {"type": "terminal", "terminalId": "check-terminal"}}),
        ),
        update("tool_call_content_chunk", json!({"toolCallId": "check-call", "content": diff})),
        update(
            "state_update",
            json!({"state": "running", "background": [{"type": "terminal", "terminalId": "check-terminal"}]}),
        ),
        update(
            "terminal_update",
            json!({"terminalId": "check-terminal", "output": {"data": "Q2hlY2s="}, "exitStatus": {"exitCode": 0}, "capabilities": null}),
        ),
        update(
            "tool_call_update",
            json!({"toolCallId": "check-call", "status": "cancelled", "capabilities": null, "locations": null}),
        ),
        update("state_update", json!({"state": "requires_action", "background": []})),
        update("state_update", json!({"state": "running", "background": []})),
        update(
            "plan_update",
            json!({"plan": {"type": "items", "planId": "check", "entries": [entry]}}),
        ),
        update("available_commands_update", json!({"availableCommands": [command]})),
        update("config_option_update", json!({"configOptions": [option]})),
        update(
            "session_info_update",
            json!({"title": "Check", "updatedAt": "2026-11-01T10:00:00Z"}),
        ),
        update("usage_update", json!({"used": 1, "size": 100, "cost": null})),
        update("notice", json!({"severity": "info", "title": "Check"})),
        update("compaction_update", json!({"compactionId": "check", "status": "in_progress"})),
        update(
            "compaction_summary_chunk",
            json!({"compactionId": "check", "content": text("Summary.")}),
        ),
        update("compaction_update", json!({"compactionId": "check", "status": "completed"})),
    ]
}

async fn unknown_members_of_every_update_are_ignored(run: &mut ClientRun) -> Probed {
    survives_updates(run, |_| {
        let with_unknown = |mut update: Value| {
            if let Value::Object(members) = &mut update {
                members.insert("attacheFuture".to_owned(), json!({"x": [null]}));
            }
            update
        };
        every_update().into_iter().chain(every_update().into_iter().map(with_unknown)).collect()
    })
    .await
}

async fn unknown_words_do_not_end_the_turn(run: &mut ClientRun) -> Probed {
    survives_updates(run, |_| {
        let entry = json!({"content": "Check", "priority": "check_urgent", "status": "check_paused"});
        vec![
            update(
                "tool_call_update",
                json!({"toolCallId": "check-odd", "title": "Check", "kind": "check_teleport", "status": "check_paused"}),
            ),
            update(
                "plan_update",
                json!({"plan": {"type": "items", "planId": "check-odd", "entries": [entry]}}),
            ),
            update("notice", json!({"severity": "check_flash", "title": "Check"})),
            update("compaction_update", json!({"compactionId": "odd", "status": "check_paused"})),
        ]
    })
    .await
}

async fn parts_of_unknown_types_do_not_end_the_turn(run: &mut ClientRun) -> Probed {
    survives_updates(run, |_| {
        let odd = json!({"type": "check_hologram", "x": [1]});
        let named = json!({"type": "check_macro", "name": "check", "description": "Check"});
        let option = json!({"configId": "check", "name": "Check", "type": "check_slider", "x": 1});
        vec![
            update("agent_message", json!({"messageId": "check-odd", "content": [odd]})),
            update(
                "tool_call_update",
                json!({"toolCallId": "check-parts", "title": "Check", "content": [odd]}),
            ),
            update("tool_call_content_chunk", json!({"toolCallId": "check-parts", "content": odd})),
            update("state_update", json!({"state": "running", "background": [odd]})),
            update("plan_update", json!({"plan": {"type": "check_map", "planId": "odd"}})),
            update("available_commands_update", json!({"availableCommands": [named]})),
            update("config_option_update", json!({"configOptions": [option]})),
            update("state_update", json!({"state": "running", "background": []})),
        ]
    })
    .await
}

/// Sends updates that break the rules of version 2 for agents, each in one place.
async fn malformed_updates_do_not_end_the_turn(run: &mut ClientRun) -> Probed {
    survives_updates(run, |_| {
        let patch = json!({"format": "git_patch", "text": "no patch"});
        let diff = json!({"type": "diff", "changes": [], "patch": patch});
        vec![
            update(
                "terminal_output_chunk",
                json!({"terminalId": "check-none", "data": "no base64"}),
            ),
            update("terminal_output_chunk", json!({"terminalId": "check-none", "data": 5})),
            update(
                "terminal_update",
                json!({"terminalId": "check-odd", "output": {"data": "%%%"}}),
            ),
            update(
                "terminal_update",
                json!({"terminalId": "check-odd", "exitStatus": {"exitCode": 0}}),
            ),
            update("terminal_output_chunk", json!({"terminalId": "check-odd", "data": "Q2hlY2s="})),
            update("terminal_update", json!({"terminalId": 5})),
            update("tool_call_content_chunk", json!({"toolCallId": "check-none", "content": diff})),
            update("tool_call_update", json!({"title": "Without an id"})),
            update("agent_message", json!({"content": [text("Without an id.")]})),
            update("agent_message_chunk", json!({"messageId": 5, "content": text("Wrong id.")})),
            update("state_update", json!({})),
            update("state_update", json!({"state": 5})),
            update("plan_update", json!({"plan": null})),
        ]
    })
    .await
}

/// Sends updates that version 2 does not define.
async fn updates_of_version_1_are_ignored(run: &mut ClientRun) -> Probed {
    let (talk, _) = run.turn(&["prompt"]).await?;
    let first = talk.wire.now();
    for update in [
        update(
            "tool_call",
            json!({"toolCallId": "check-old", "title": "Check", "status": "pending"}),
        ),
        update("plan", json!({"entries": []})),
        update("current_mode_update", json!({"currentModeId": "check"})),
        update("agent_message_chunk", json!({"content": text("Without an id.")})),
    ] {
        let params = json!({"sessionId": SESSION, "update": update});
        talk.wire.notify(SessionUpdateNotification::ROW.name, params);
    }
    talk.wire.is_ignored(first).await
}

async fn a_permission_request_of_version_1_is_invalid(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["reject", "prompt"]).await?;
    let options = json!([{"optionId": "no", "name": "No", "kind": "reject_once"}]);
    let params = json!({
        "sessionId": turn.session, "toolCall": {"toolCallId": "check-old", "title": "Check"},
        "options": options,
    });
    talk.wire.call::<SessionRequestPermission>(params).await?.is_error(-32602)
}

/// Sends permission requests with these subjects, which the client must answer with an outcome.
async fn answers(run: &mut ClientRun, subjects: &[Value]) -> Probed {
    let (talk, turn) = run.turn(&["reject", "prompt"]).await?;
    let options = json!([
        {"optionId": "no", "name": "No", "kind": "reject_once"},
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    ]);
    for subject in subjects {
        let question =
            json!({"title": "Attache check asks", "subject": subject, "options": options});
        let reply = talk.call::<SessionRequestPermission>(&turn, question).await?;
        reply.result().map_err(|outcome| outcome.about(&format!("the subject is {subject}")))?;
    }
    Ok(())
}

async fn a_permission_request_without_a_tool_call_is_answered(run: &mut ClientRun) -> Probed {
    answers(run, &[json!({"type": "command", "command": "true", "cwd": "/"}), Value::Null]).await
}

async fn a_permission_request_about_an_unknown_subject_is_answered(run: &mut ClientRun) -> Probed {
    answers(run, &[json!({"type": "check_purchase", "price": 5})]).await
}
