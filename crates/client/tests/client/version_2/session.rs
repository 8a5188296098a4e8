//! Opening, loading and listing sessions, options, and cancelling one tool call.

use super::scripted::{connected, ready};
use crate::scripted_agent::{opened_with, soon};
use attache_client::Prompt;
use attache_protocol::v1::{ContentBlock, McpServer, McpServerStdio};
use attache_session::{ArchivedFilter, EntryContent, TurnState};
use serde_json::{Value, json};

fn model(current: &str) -> Value {
    json!([{ "configId": "model", "name": "Model", "category": "model", "type": "select",
        "currentValue": current, "options": [
            { "value": "slow", "name": "Slow" }, { "value": "fast", "name": "Fast" }] }])
}

#[tokio::test]
async fn a_new_session_has_its_options_and_commands() {
    let (connection, mut agent) = connected(json!({ "session": {} })).await;
    let folder = tempfile::tempdir().unwrap();
    let commands = json!([{ "type": "command", "name": "review", "description": "Review it" }]);
    let result =
        json!({ "sessionId": "s1", "configOptions": model("slow"), "availableCommands": commands });
    let session = opened_with(connection.open(folder.path()), &mut agent, result).await;
    assert_eq!(session.snapshot().commands()[0].name, "review");
    assert_eq!(session.snapshot().config().value("model").unwrap(), "slow".into());
    let (set, ()) = tokio::join!(session.set("model", "fast"), async {
        let call = agent.expect("session/set_config_option").await;
        let expected =
            json!({ "sessionId": "s1", "configId": "model", "type": "id", "value": "fast" });
        assert_eq!(call["params"], expected);
        agent.reply(&call, json!({ "configOptions": model("fast") })).await;
    });
    set.unwrap();
    assert_eq!(session.snapshot().config().value("model").unwrap(), "fast".into());
}

#[tokio::test]
async fn a_state_before_the_reply_to_a_new_session_is_kept() {
    let (connection, mut agent) = connected(json!({ "session": {} })).await;
    let folder = tempfile::tempdir().unwrap();
    let answering = async {
        let call = agent.expect("session/new").await;
        agent.update("s1", json!({ "sessionUpdate": "state_update", "state": "running" })).await;
        agent.reply(&call, json!({ "sessionId": "s1" })).await;
        agent.heard().await;
    };
    let (session, ()) = tokio::join!(connection.open(folder.path()), answering);
    assert!(matches!(session.unwrap().snapshot().turn(), TurnState::Running { .. }));
}

#[tokio::test]
async fn a_load_is_a_resume_with_a_replay() {
    let (connection, mut agent) = connected(json!({ "session": {} })).await;
    let folder = tempfile::tempdir().unwrap();
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let answering = async {
        let call = agent.expect("session/resume").await;
        assert_eq!(call["params"]["replayFrom"], json!({ "type": "start" }));
        for (kind, id, content) in
            [("user_message", "m1", text("hello")), ("agent_message", "m2", text("hi"))]
        {
            let update = json!({ "sessionUpdate": kind, "messageId": id, "content": content });
            agent.update("old", update).await;
        }
        agent.update("old", json!({ "sessionUpdate": "state_update", "state": "idle" })).await;
        agent.reply(&call, json!({ "configOptions": model("fast") })).await;
    };
    let (session, ()) = tokio::join!(connection.load("old", folder.path()), answering);
    let session = session.unwrap().snapshot();
    let texts: Vec<String> =
        session.entries().iter().map(|entry| entry.text().to_string()).collect();
    assert_eq!(texts, ["hello", "hi"]);
    assert_eq!(session.turn(), TurnState::Idle);

    let (resumed, ()) = tokio::join!(connection.resume("other", folder.path()), async {
        let call = agent.expect("session/resume").await;
        assert_eq!(call["params"].get("replayFrom"), None);
        agent.reply(&call, json!({})).await;
    });
    assert!(resumed.unwrap().snapshot().entries().is_empty());
}

#[tokio::test]
async fn lists_and_closes_have_their_form_of_version_2() {
    let (connection, mut agent) = connected(json!({ "session": { "delete": {} } })).await;
    let (listed, ()) = tokio::join!(connection.list().all(), async {
        let call = agent.expect("session/list").await;
        let sessions = json!([{ "sessionId": "a", "cwd": "/", "title": "A" }, { "cwd": 1 }]);
        agent.reply(&call, json!({ "sessions": sessions })).await;
    });
    let listed = listed.unwrap();
    assert_eq!((listed.len(), listed[0].title.as_deref()), (1, Some("A")));
    let (deleted, ()) = tokio::join!(connection.delete("a"), async {
        let call = agent.expect("session/delete").await;
        agent.reply(&call, json!({})).await;
    });
    deleted.unwrap();
    let error = connection.set_title("a", "B").await.unwrap_err();
    assert!(error.to_string().contains("capabilities.session.title"), "{error}");
    agent.heard().await;
}

#[tokio::test]
async fn servers_over_stdio_need_their_capability() {
    for (mcp, is_sent) in [(json!({}), false), (json!({ "stdio": {} }), true)] {
        let (connection, mut agent) = connected(json!({ "session": { "mcp": mcp } })).await;
        let folder = tempfile::tempdir().unwrap();
        let server = McpServerStdio::new("tools", "/bin/tools", [], []);
        let opening = connection.open(folder.path());
        let opening = opening.mcp_servers([attache_protocol::v1::McpServer::Stdio(server)]);
        if is_sent {
            opened_with(opening, &mut agent, json!({ "sessionId": "s1" })).await;
        } else {
            let error = soon(opening.into_future()).await.unwrap_err();
            assert!(error.to_string().contains("session.mcp.stdio"), "{error}");
            agent.heard().await;
        }
    }
}

#[tokio::test]
async fn one_tool_call_is_cancelled_if_it_offers_that() {
    let mut ready = ready().await;
    let (_turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    let update = |id: &str, more: Value| {
        let mut update =
            json!({ "sessionUpdate": "tool_call_update", "toolCallId": id, "title": id });
        update.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        update
    };
    let cancel = json!({ "capabilities": { "cancel": {} }, "status": "in_progress" });
    ready.agent.update("s1", update("yes", cancel)).await;
    ready.agent.update("s1", update("no", json!({ "status": "in_progress" }))).await;
    let over = json!({ "capabilities": { "cancel": {} }, "status": "completed" });
    ready.agent.update("s1", update("over", over)).await;
    ready.agent.heard().await;
    for id in ["no", "over", "unknown"] {
        let error = ready.session.cancel_tool_call(&id.into()).await.unwrap_err();
        assert!(error.to_string().contains("capabilities.cancel"), "{error}");
    }
    let (agent, session) = (&mut ready.agent, &ready.session);
    let id = "yes".into();
    let (cancelled, ()) = tokio::join!(session.cancel_tool_call(&id), async {
        let call = agent.expect("tool_call/cancel").await;
        assert_eq!(call["params"], json!({ "sessionId": "s1", "toolCallId": "yes" }));
        agent.reply(&call, json!({})).await;
    });
    cancelled.unwrap();
    ready.agent.update("s1", update("yes", json!({ "status": "cancelled" }))).await;
    ready.agent.heard().await;
    assert!(ready.session.snapshot().tool_call(&"yes".into()).unwrap().is_settled());
}

#[tokio::test]
async fn a_terminal_of_the_agent_is_shown_and_cancelled() {
    let mut ready = ready().await;
    let update = |more: Value| {
        let mut update = json!({ "sessionUpdate": "terminal_update", "terminalId": "t" });
        update.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        update
    };
    ready
        .agent
        .update("s1", update(json!({ "command": "make", "capabilities": { "cancel": {} } })))
        .await;
    for data in ["b2s=", "not base64!"] {
        let chunk =
            json!({ "sessionUpdate": "terminal_output_chunk", "terminalId": "t", "data": data });
        ready.agent.update("s1", chunk).await;
    }
    ready.agent.heard().await;
    let output = ready.session.terminal(&"t".into()).unwrap();
    assert_eq!((output.output.as_str(), output.truncated), ("ok", false));
    let (agent, session) = (&mut ready.agent, &ready.session);
    let id = "t".into();
    let (cancelled, ()) = tokio::join!(session.cancel_terminal(&id), async {
        let call = agent.expect("terminal/cancel").await;
        assert_eq!(call["params"], json!({ "sessionId": "s1", "terminalId": "t" }));
        agent.refuse(&call, -32602, "it has ended").await;
    });
    assert!(cancelled.unwrap_err().to_string().contains("it has ended"));
    ready.agent.update("s1", update(json!({ "exitStatus": { "signal": "SIGTERM" } }))).await;
    ready.agent.heard().await;
    let output = ready.session.terminal(&"t".into()).unwrap();
    assert_eq!(output.exit_status.unwrap().signal.as_deref(), Some("SIGTERM"));
    let error = ready.session.cancel_terminal(&"t".into()).await.unwrap_err();
    assert!(error.to_string().contains("capabilities.cancel"), "{error}");
}

#[tokio::test]
async fn patches_and_unknown_parts_of_a_tool_call_are_kept() {
    let mut ready = ready().await;
    let path = ready.folder.path().join("a.txt");
    let change = json!({ "operation": "modify", "path": path });
    let diff = json!({ "type": "diff", "changes": [change], "patch": { "format": "git_patch", "text": "not a patch" } });
    let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "Edit",
        "content": [diff, { "type": "hologram", "of": 1 }] });
    ready.agent.update("s1", update).await;
    ready.agent.heard().await;
    let session = ready.session.snapshot();
    let EntryContent::ToolCall(call) = &session.entries()[0].content else { panic!("no call") };
    assert_eq!(call.content.len(), 2);
}

/// INIT-16: an error about a missing capability names it as version 2 does.
#[tokio::test]
async fn a_missing_capability_has_its_name_of_version_2() {
    let ready = ready().await;
    let (connection, folder) = (&ready.connection, ready.folder.path());
    for (block, path) in [
        (json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" }), "image"),
        (json!({ "type": "audio", "data": "aGk=", "mimeType": "audio/wav" }), "audio"),
        (
            json!({ "type": "resource", "resource": { "uri": "file:///a", "text": "a" } }),
            "embeddedContext",
        ),
    ] {
        let block: ContentBlock = attache_protocol::decode(&block.to_string()).unwrap();
        let error = ready.session.prompt(Prompt(vec![block])).await.unwrap_err().to_string();
        assert!(
            error.contains(&format!("advertise capabilities.session.prompt.{path};")),
            "{error}"
        );
    }
    let http: McpServer =
        attache_protocol::decode(r#"{"type":"http","name":"h","url":"http://h","headers":[]}"#)
            .unwrap();
    let error = connection.open(folder).mcp_servers([http]).await.unwrap_err().to_string();
    assert!(error.ends_with("capabilities.session.mcp.http"), "{error}");
    let error = connection.open(folder).additional_directories([folder]).await.unwrap_err();
    assert!(error.to_string().ends_with(" capabilities.session.additionalDirectories"), "{error}");
    let error = connection.fork("s1", folder).await.unwrap_err().to_string();
    assert!(error.ends_with(" capabilities.session.fork"), "{error}");
    let listing = connection.list().archived(ArchivedFilter::Only);
    let error = listing.all().await.unwrap_err().to_string();
    assert!(error.ends_with(" capabilities.session.archive"), "{error}");
    let (delete, title) =
        (connection.delete("s1").await, connection.set_title("s1", "title").await.map(drop));
    for (outcome, path) in [(delete, "delete"), (title, "title")] {
        let error = outcome.unwrap_err().to_string();
        assert!(error.ends_with(&format!(" capabilities.session.{path}")), "{error}");
    }
}
