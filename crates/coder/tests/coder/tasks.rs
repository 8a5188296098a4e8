//! Subagents, to which the agent delegates a task and from which it gets only a report.

use crate::client::Client;
use crate::projects::project;
use crate::provider::{
    anthropic, anthropic_at, anthropic_begin, bodies, coder, open, stored, text, tool_use,
};
use crate::server::{Reply, Server};
use attache_session::MemoryStore;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn task(read_only: bool) -> Value {
    let input =
        json!({ "title": "Look for it", "prompt": "Where is main?", "read_only": read_only });
    tool_use("t1", "task", input)
}

/// The replies of the models: the agent delegates a task, the subagent runs a command and reports,
/// and the agent answers.
fn replies() -> Vec<Reply> {
    vec![
        anthropic(&[text("I will delegate this."), task(false)], "tool_use"),
        anthropic(
            &[text("Let me see."), tool_use("s1", "execute", json!({ "command": "touch seen" }))],
            "tool_use",
        ),
        anthropic(&[text("It is in a.rs.")], "end_turn"),
        anthropic(&[text("In a.rs.")], "end_turn"),
    ]
}

/// The agent continues if a subagent needs a login.
#[tokio::test]
async fn subagent_that_needs_a_login_is_a_failed_call() {
    let refusal = r#"{"type":"error","error":{"type":"authentication_error","message":"bad key"}}"#;
    let replies = vec![
        anthropic(&[task(false)], "tool_use"),
        Reply::status(401, "", refusal),
        anthropic(&[text("I will do it myself.")], "end_turn"),
    ];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    let turn = client.prompt("where is main?").await;
    assert_eq!(turn.text(), "I will do it myself.", "{turn:?}");
    assert!(bodies(&server)[2].to_string().contains("The subagent failed: "));
}

/// SUB-01, SUB-04: a subagent's text and calls are in its own session, its questions reach the
/// person, and its tokens count towards the turn.
#[tokio::test]
async fn subagent_has_its_own_session_and_returns_only_a_report() {
    let (server, project) = (Server::start(replies()).await, project(&[("a.rs", "fn main() {}")]));
    let session = json!({ "cwd": project.path(), "mcpServers": [] });
    let capabilities = json!({ "subagents": {} });
    let mut client =
        Client::serve_author(coder(&anthropic_at(&server.url)), capabilities, session).await;
    client.choices.push_back("allow_once");
    let turn = client.prompt("where is main?").await;
    assert_eq!(
        (turn.stop_reason(), turn.text().as_str()),
        ("end_turn", "I will delegate this.In a.rs."),
        "{turn:?}"
    );
    let subagents = turn.all("subagent_update");
    let child = subagents[0]["sessionId"].as_str().unwrap();
    assert_eq!(
        (&subagents[0]["title"], &subagents[0]["description"]),
        (&json!("Look for it"), &json!("Where is main?"))
    );
    assert_eq!(subagents[1]["state"]["stopReason"], "end_turn");
    assert_eq!(client.asked[0]["sessionId"], child, "the question names the subagent's session");
    assert!(turn.of_subagents.iter().all(|(id, _)| id == child));
    let of_child = |kind: &str| -> Vec<&Value> {
        let updates = turn.of_subagents.iter().map(|(_, update)| update);
        updates.filter(|update| update["sessionUpdate"] == kind).collect()
    };
    let words: String = of_child("agent_message_chunk")
        .iter()
        .map(|update| update["content"]["text"].as_str().unwrap())
        .collect();
    assert_eq!(words, "Let me see.It is in a.rs.");
    assert_eq!(of_child("tool_call")[0]["title"], "Run touch seen");
    let usage = &turn.result["result"]["usage"];
    assert_eq!(
        (&usage["inputTokens"], &usage["outputTokens"]),
        (&json!(40), &json!(28)),
        "four calls"
    );
    let bodies = bodies(&server);
    let (of_child, after) = (&bodies[1], &bodies[3]);
    assert_eq!(of_child["messages"].as_array().unwrap().len(), 1, "it knows only its task");
    assert!(of_child["system"].to_string().contains("You are a subagent"));
    let tools = |body: &Value| -> Vec<String> {
        let names = body["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned());
        names.collect()
    };
    assert!(
        tools(&bodies[0]).contains(&"task".to_owned())
            && !tools(of_child).contains(&"task".to_owned())
    );
    assert!(after.to_string().contains("It is in a.rs."), "the report");
    assert!(
        !after.to_string().contains("Let me see.") && !after.to_string().contains("touch seen"),
        "{after}"
    );
}

/// SUB-01, TOOL-01: if a client does not support subagents, a tool call represents the subagent,
/// with its title and its report.
#[tokio::test]
async fn tool_call_represents_the_subagent_for_other_clients() {
    let (server, project) = (Server::start(replies()).await, project(&[]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    client.choices.push_back("allow_once");
    let turn = client.prompt("where is main?").await;
    assert_eq!(
        (turn.stop_reason(), turn.text().as_str()),
        ("end_turn", "I will delegate this.In a.rs.")
    );
    let calls = turn.tool_calls();
    assert_eq!(turn.titles(), ["completed Look for it", "completed Run touch seen"]);
    assert_eq!((&calls[0]["kind"], &calls[0]["name"]), (&json!("think"), &json!("task")));
    assert_eq!(calls[0]["rawInput"]["prompt"], "Where is main?");
    assert_eq!(calls[0]["content"][1]["content"]["text"], "It is in a.rs.");
    assert_eq!(calls[1]["_meta"]["attache/parentToolCallId"], calls[0]["toolCallId"]);
}

/// A permanent choice in reply to a subagent's question applies to the whole session. Files that
/// the subagent has read do not count as read by the agent.
#[tokio::test]
async fn subagent_shares_choices_but_not_read_files() {
    let edit = json!({ "path": "a", "replacements": [{ "old": "one", "new": "two" }] });
    let replies = vec![
        anthropic(&[task(false)], "tool_use"),
        anthropic(
            &[
                tool_use("s1", "read", json!({ "path": "a" })),
                tool_use("s2", "execute", json!({ "command": "touch 1" })),
            ],
            "tool_use",
        ),
        anthropic(&[text("done")], "end_turn"),
        anthropic(
            &[
                tool_use("p1", "execute", json!({ "command": "touch 2" })),
                tool_use("p2", "edit", edit),
            ],
            "tool_use",
        ),
        anthropic(&[text("so")], "end_turn"),
    ];
    let (server, project) = (Server::start(replies).await, project(&[("a", "one")]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    client.choices.push_back("allow_session");
    let turn = client.prompt("go").await;
    assert_eq!(client.asked.len(), 1, "the second command is allowed: {turn:?}");
    assert_eq!(turn.titles().last().unwrap(), "failed Edit a");
    assert!(bodies(&server)[4].to_string().contains("a was not read yet"));
}

/// A read-only subagent cannot change anything, in any mode.
#[tokio::test]
async fn read_only_subagent_changes_nothing() {
    let replies = vec![
        anthropic(&[task(true)], "tool_use"),
        anthropic(
            &[
                tool_use("s1", "write", json!({ "path": "made", "text": "" })),
                tool_use("s2", "exit_plan", json!({ "plan": "x" })),
                tool_use("s3", "task", json!({ "title": "deeper", "prompt": "x" })),
            ],
            "tool_use",
        ),
        anthropic(&[text("no")], "end_turn"),
        anthropic(&[text("so")], "end_turn"),
    ];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    client.set("mode", "auto").await;
    client.otherwise = Some("allow_once");
    let turn = client.prompt("go").await;
    assert_eq!(
        turn.titles(),
        [
            "completed Look for it",
            "failed Write made",
            "failed Leave the mode Plan",
            "failed deeper"
        ]
    );
    assert!(!project.path().join("made").exists());
    let answers = bodies(&server)[2].to_string();
    assert!(
        answers.contains("a subagent cannot change the mode")
            && answers.contains("a subagent cannot start subagents")
    );
}

/// The call and the report are stored; the subagent's text and actions are not.
#[tokio::test]
async fn loaded_session_knows_only_the_report() {
    let mut all = replies();
    all.push(anthropic(&[text("still in a.rs")], "end_turn"));
    let (server, project, store) = (Server::start(all).await, project(&[]), MemoryStore::default());
    let variables = anthropic_at(&server.url);
    let mut client = stored(&store, &variables).await;
    client.begin("session/new", json!({ "cwd": project.path(), "mcpServers": [] })).await;
    client.set("mode", "auto").await;
    client.otherwise = Some("allow_once");
    client.prompt("where is main?").await;
    let id = client.session.clone();
    client.call("session/close", json!({ "sessionId": id })).await;
    let mut client = stored(&store, &variables).await;
    client
        .begin("session/load", json!({ "sessionId": id, "cwd": project.path(), "mcpServers": [] }))
        .await;
    assert_eq!(client.prompt("again").await.text(), "still in a.rs");
    let body = &bodies(&server)[4];
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 5, "prompt, call, report, answer, prompt: {messages:?}");
    assert!(
        messages[2].to_string().contains("It is in a.rs.")
            && !body.to_string().contains("touch seen")
    );
}

/// CANCEL-02, SUB-03: a cancel ends the subagent and its commands, and the session continues with
/// its own conversation.
#[tokio::test]
async fn cancel_ends_a_subagent_and_its_tools() {
    let sleep = tool_use("s1", "execute", json!({ "command": "echo begun; sleep 1000" }));
    let replies = vec![
        anthropic(&[text("I will delegate this."), task(false)], "tool_use"),
        anthropic(&[sleep], "tool_use"),
        anthropic(&[text("fine")], "end_turn"),
        anthropic(&[task(false)], "tool_use"),
        Reply::stream(&anthropic_begin(&[text("thinking")])).then_hang(),
        anthropic(&[text("good")], "end_turn"),
    ];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let session = json!({ "cwd": project.path(), "mcpServers": [] });
    let capabilities = json!({ "subagents": {} });
    let mut client =
        Client::serve_author(coder(&anthropic_at(&server.url)), capabilities, session).await;
    client.set("mode", "auto").await;
    client.otherwise = Some("allow_once");
    let prompt = json!([{ "type": "text", "text": "go" }]);
    for (sign, next) in [("begun", "fine"), ("thinking", "good")] {
        let params = json!({ "sessionId": client.session, "prompt": prompt });
        let id = client.start("session/prompt", params).await;
        loop {
            let update = client.receive().await["params"]["update"].clone();
            if update["content"].to_string().contains(sign) {
                break;
            }
        }
        let began = Instant::now();
        client.cancel().await;
        let turn = client.finish(id).await;
        assert_eq!(turn.stop_reason(), "cancelled");
        // A generous limit, which shows that the cancel did not wait.
        assert!(began.elapsed() < Duration::from_secs(5));
        let ended = turn.all("subagent_update").last().unwrap()["state"]["stopReason"].clone();
        assert_eq!(ended, "cancelled");
        assert_eq!(client.prompt("again").await.text(), next);
    }
    let last = bodies(&server).pop().unwrap();
    assert_eq!(
        last["messages"][0]["content"][0]["text"], "go",
        "the session's own conversation: {last}"
    );
}
