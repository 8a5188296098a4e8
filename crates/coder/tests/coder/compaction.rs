//! Summaries that replace the older part of a conversation. They are shown and stored, but are
//! never part of the agent's text.

use crate::client::{Client, Turn};
use crate::projects::project;
use crate::provider::{
    FAILURE, anthropic, anthropic_at, anthropic_begin, bodies, coder, text, thinking, tool_use,
    variables,
};
use crate::server::{Reply, Server};
use attache_agent::serve;
use attache_coder::{Coder, Models};
use attache_session::MemoryStore;
use serde_json::{Value, json};
use std::path::Path;

/// The content of the summary, which must not appear anywhere else.
const SECRET: &str = "the summary that nobody says";

/// A model with a context window of this many tokens, which uses the Anthropic API.
fn small(url: &str, window: u64) -> Coder {
    let own = json!({ "models": [
        { "provider": "anthropic", "name": "small", "title": "Small", "window": window, "max_output": 500,
          "prices": { "input": 1, "output": 1 } }
    ] });
    let given = [
        anthropic_at(url),
        variables(&[("ATTACHE_MODEL", "anthropic/small"), ("ATTACHE_TITLES", "off")]),
    ]
    .concat();
    let environment =
        |name: &str| given.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
    Coder::with(Models::of(&environment, Some(&own.to_string())).unwrap())
}

fn shows() -> Value {
    json!({ "session": { "compaction": {}, "notices": {} } })
}

async fn open(server: &Server, window: u64, capabilities: Value, cwd: &Path) -> Client {
    Client::serve_author(
        small(&server.url, window),
        capabilities,
        json!({ "cwd": cwd, "mcpServers": [] }),
    )
    .await
}

/// Checks that no piece of a summary is in the agent's text or thoughts.
fn nothing_leaks(turn: &Turn) {
    for kind in ["agent_message_chunk", "agent_thought_chunk", "notice"] {
        assert!(!format!("{:?}", turn.all(kind)).contains(SECRET), "{:?}", turn.all(kind));
    }
}

/// The statuses of compactions, and their summary.
fn compactions(turn: &Turn) -> (Vec<String>, String) {
    let statuses = turn
        .all("compaction_update")
        .iter()
        .map(|update| update["status"].as_str().unwrap().to_owned())
        .collect();
    let pieces = turn.all("compaction_summary_chunk");
    (statuses, pieces.iter().map(|piece| piece["content"]["text"].as_str().unwrap()).collect())
}

/// The text of all messages of a request.
fn given(body: &Value) -> String {
    body["messages"].to_string()
}

/// COMP-01, COMP-03, COMP-08: a tool result fills the window, so a summary replaces the older part
/// before the model continues. The current turn is kept, and the next usage is that of the shorter
/// conversation.
#[tokio::test]
async fn full_window_is_summarized_and_the_turn_continues() {
    let long = "a line of some text that is long enough\n".repeat(300);
    let reads = [thinking("I read it", "sig"), tool_use("t1", "read", json!({ "path": "a.txt" }))];
    let server = Server::start(vec![
        anthropic(&[text(&"one ".repeat(10_000))], "end_turn"),
        anthropic(&reads, "tool_use"),
        anthropic(&[text(SECRET)], "end_turn"),
        anthropic(&[text("done")], "end_turn"),
    ])
    .await;
    let project = project(&[("a.txt", &long)]);
    let mut client = open(&server, 12_000, shows(), project.path()).await;
    client.prompt("the first prompt").await;
    let turn = client.prompt("read it").await;
    assert_eq!(
        (turn.stop_reason(), turn.text().as_str()),
        ("end_turn", "done"),
        "{:?}",
        turn.result
    );
    let (statuses, summary) = compactions(&turn);
    assert_eq!(statuses, ["in_progress", "completed"]);
    assert!(summary.starts_with(SECRET), "{summary}");
    nothing_leaks(&turn);
    let bodies = bodies(&server);
    assert!(
        given(&bodies[2]).contains("the first prompt") && !given(&bodies[2]).contains("read it")
    );
    assert!(bodies[2]["tools"].as_array().is_none_or(Vec::is_empty));
    let last = given(&bodies[3]);
    assert!(
        last.contains(SECRET) && last.contains("read it") && !last.contains("one one"),
        "{last}"
    );
    assert!(
        last.contains("\"signature\":\"sig\"") && last.contains("a line of some text"),
        "calls and results stay together"
    );
    let used: Vec<_> =
        turn.all("usage_update").iter().map(|usage| usage["used"].as_u64().unwrap()).collect();
    assert!(used.len() >= 3, "{used:?}");
    // The reply counts three calls of 10 + 5 + 7 tokens.
    assert_eq!(turn.result["result"]["usage"]["totalTokens"], 66);
}

/// COMP-01, NOTE-01: a client that does not show compactions gets one line without the summary, as
/// a notice or else as a thought. It is never in the agent's text.
#[tokio::test]
async fn client_without_compactions_is_told_in_one_line() {
    for notices in [true, false] {
        let server = Server::start(vec![
            anthropic(&[text(&"one ".repeat(14_000))], "end_turn"),
            anthropic(&[text(SECRET)], "end_turn"),
            anthropic(&[text("done")], "end_turn"),
        ])
        .await;
        let project = project(&[]);
        let capabilities =
            if notices { json!({ "session": { "notices": {} } }) } else { json!({}) };
        let mut client = open(&server, 12_000, capabilities, project.path()).await;
        client.prompt("the first prompt").await;
        let turn = client.prompt("go on").await;
        assert_eq!(turn.text(), "done");
        let told = match notices {
            true => turn.all("notice")[0]["title"].as_str().unwrap(),
            false => turn.all("agent_thought_chunk")[0]["content"]["text"].as_str().unwrap(),
        };
        assert!(told.starts_with("The conversation filled the context window:"), "{told}");
        nothing_leaks(&turn);
        assert!(
            turn.all("compaction_update").is_empty()
                && turn.all("compaction_summary_chunk").is_empty()
        );
    }
}

/// A person who asks for a summary learns the result from the compaction, from a notice, or from
/// the reply. The message contains numbers only if they matter.
#[tokio::test]
async fn requested_summary_is_reported_once() {
    let both = json!({ "session": { "compaction": {}, "notices": {} } });
    for (capabilities, said, noticed) in [
        (both, false, false),
        (json!({ "session": { "compaction": {} } }), false, false),
        (json!({ "session": { "notices": {} } }), false, true),
        (json!({}), true, false),
    ] {
        for (answer, numbers) in [("one".to_owned(), false), ("one ".repeat(2_000), true)] {
            let replies = vec![
                anthropic(&[text(&answer)], "end_turn"),
                anthropic(&[text(SECRET)], "end_turn"),
            ];
            let (server, project) = (Server::start(replies).await, project(&[]));
            let mut client = open(&server, 100_000, capabilities.clone(), project.path()).await;
            client.prompt("the first prompt").await;
            let turn = client.prompt("/compact").await;
            assert_eq!(turn.stop_reason(), "end_turn");
            let words = "A summary replaces the older part of the conversation";
            assert_eq!(turn.text().starts_with(words), said, "{capabilities}: {}", turn.text());
            assert!(said || turn.text().is_empty(), "{}", turn.text());
            let titles: Vec<_> =
                turn.all("notice").iter().map(|notice| notice["title"].to_string()).collect();
            assert_eq!(
                titles.iter().any(|title| title.contains(words)),
                noticed,
                "{capabilities}: {titles:?}"
            );
            let told = format!("{}{titles:?}", turn.text());
            assert_eq!(told.contains("instead of"), numbers && (said || noticed), "{told}");
        }
    }
}

/// A summary that would save almost nothing is not written, and the person is not told.
#[tokio::test]
async fn summary_that_saves_almost_nothing_is_not_announced() {
    let too_long = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 13 tokens > 12 maximum\"}}";
    let replies = vec![
        anthropic(&[text("short")], "end_turn"),
        Reply::status(400, "", too_long),
        anthropic(&[text("done")], "end_turn"),
    ];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(&server, 100_000, shows(), project.path()).await;
    client.prompt("the first prompt").await;
    let turn = client.prompt("go on").await;
    assert_eq!((turn.text().as_str(), bodies(&server).len()), ("done", 3), "{:?}", turn.result);
    assert!(turn.all("compaction_update").is_empty());
    let told =
        turn.all("notice").iter().map(|notice| notice["title"].to_string()).collect::<String>();
    assert!(!told.contains("summary"), "{told}");
}

/// COMP-03, COMP-08: if no summary can be written, the oldest part is removed, the person is told,
/// and the turn continues.
#[tokio::test]
async fn oldest_part_is_removed_if_no_summary_can_be_written() {
    let server = Server::start(vec![
        anthropic(&[text(&"one ".repeat(14_000))], "end_turn"),
        Reply::status(
            400,
            "",
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"no\"}}",
        ),
        anthropic(&[text("done")], "end_turn"),
    ])
    .await;
    let project = project(&[]);
    let mut client = open(&server, 12_000, shows(), project.path()).await;
    client.prompt("the first prompt").await;
    let turn = client.prompt("go on").await;
    let (statuses, _) = compactions(&turn);
    assert_eq!(statuses, ["in_progress", "failed"]);
    assert!(
        turn.all("compaction_update")[1]["error"].as_str().unwrap().contains("rejects the request")
    );
    assert_eq!(turn.text(), "done");
    let told = format!("{:?}{:?}", turn.all("notice"), turn.all("agent_thought_chunk"));
    assert!(told.contains("the oldest 1 turn was removed"), "{told}");
    assert!(!given(&bodies(&server)[2]).contains("one one"));
}

/// CANCEL-02: a cancel ends the turn at once while a summary is being written. The conversation is
/// unchanged.
#[tokio::test]
async fn compaction_is_cancelled_at_once() {
    let mut server = Server::start(vec![
        anthropic(&[text("one")], "end_turn"),
        Reply::stream("event: ping\ndata: {\"type\":\"ping\"}\n\n").then_hang(),
        anthropic(&[text("done")], "end_turn"),
    ])
    .await;
    let project = project(&[]);
    let mut client = open(&server, 12_000, shows(), project.path()).await;
    client.prompt("the first prompt").await;
    let prompt = json!([{ "type": "text", "text": "/compact" }]);
    let id = client
        .start("session/prompt", json!({ "sessionId": client.session, "prompt": prompt }))
        .await;
    loop {
        if client.receive().await["params"]["update"]["sessionUpdate"] == "compaction_update" {
            break;
        }
    }
    while server.requests().len() < 2 {
        tokio::task::yield_now().await;
    }
    client.cancel().await;
    let turn = client.finish(id).await;
    assert_eq!(turn.stop_reason(), "cancelled");
    assert_eq!(compactions(&turn).0, ["cancelled"]);
    server.closed.recv().await.unwrap();
    assert_eq!(client.prompt("go on").await.text(), "done");
    assert!(given(&bodies(&server)[2]).contains("the first prompt"));
}

/// The provider bills the beginning of a summary too.
#[tokio::test]
async fn summary_that_fails_is_charged() {
    let server = Server::start(vec![
        anthropic(&[text("one")], "end_turn"),
        Reply::stream(&(anthropic_begin(&[text("half a summary")]) + FAILURE)),
        anthropic(&[text("done")], "end_turn"),
    ])
    .await;
    let project = project(&[]);
    let mut client = open(&server, 12_000, shows(), project.path()).await;
    client.prompt("the first prompt").await;
    assert_eq!(compactions(&client.prompt("/compact").await).0, ["in_progress", "failed"]);
    client.prompt("go on").await;
    // Two answers of 7 tokens, and 1 of the summary.
    let said = client.prompt("/usage").await.text();
    assert!(said.contains("| Written so far | 15 tokens"), "{said}");
}

/// If the provider reports an overflow before the agent expects one, the agent summarizes once, and
/// the turn continues.
#[tokio::test]
async fn overflow_compacts_once_and_continues() {
    let overflow = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 13000 tokens > 12000 maximum\"}}";
    let server = Server::start(vec![
        anthropic(&[text("one")], "end_turn"),
        Reply::status(400, "", overflow),
        anthropic(&[text(SECRET)], "end_turn"),
        anthropic(&[text("done")], "end_turn"),
    ])
    .await;
    let project = project(&[]);
    let mut client = open(&server, 12_000, shows(), project.path()).await;
    client.prompt(&"the first prompt ".repeat(800)).await;
    let turn = client.prompt("go on").await;
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "done"));
    assert_eq!(compactions(&turn).0, ["in_progress", "completed"]);
    nothing_leaks(&turn);
    assert!(!given(&bodies(&server)[3]).contains("the first prompt"));
}

/// SESS-13, SESS-18, FORK-01: a summary outlives the process. A session that is loaded, resumed or
/// forked continues from it.
#[tokio::test]
async fn summary_survives_load_resume_and_fork() {
    let mut replies =
        vec![anthropic(&[text("one")], "end_turn"), anthropic(&[text(SECRET)], "end_turn")];
    replies.extend((0..3).map(|_| anthropic(&[text("done")], "end_turn")));
    let (server, project, store) = (Server::start(replies).await, project(&[]), MemoryStore::new());
    let connect =
        || Client::connect(serve(small(&server.url, 12_000)).store(store.clone()), shows());
    let mut client = connect().await;
    client.begin("session/new", json!({ "cwd": project.path(), "mcpServers": [] })).await;
    client.prompt("the first prompt").await;
    let turn = client.prompt("/compact the names above all").await;
    assert_eq!(compactions(&turn).0, ["in_progress", "completed"]);
    nothing_leaks(&turn);
    assert!(given(&bodies(&server)[1]).contains("the names above all"));
    let session = client.session.clone();
    drop(client);
    for (index, method) in
        ["session/load", "session/resume", "session/fork"].into_iter().enumerate()
    {
        let mut client = connect().await;
        client
            .begin(method, json!({ "sessionId": session, "cwd": project.path(), "mcpServers": [] }))
            .await;
        if method == "session/fork" {
            client.session = client.opened["result"]["sessionId"].as_str().unwrap().to_owned();
        }
        assert_eq!(client.prompt("go on").await.text(), "done", "{method}");
        let body = given(&bodies(&server)[2 + index]);
        assert!(body.contains(SECRET) && !body.contains("the first prompt"), "{method}: {body}");
    }
}

/// USE-02: as the window fills up, the person is told once for each level, with advice.
#[tokio::test]
async fn each_level_of_the_window_is_reported_once() {
    let used = |tokens: u64| {
        let usage = json!({ "input_tokens": tokens - 1, "output_tokens": 1 });
        let start = json!({ "type": "message_start", "message": { "usage": usage } });
        let delta = json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "x" } });
        let end = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 1 } });
        let stop = json!({ "type": "message_stop" });
        let block = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } });
        let events = [start, block, delta, end, stop];
        let line = |event: &Value| {
            format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
        };
        Reply::stream(&events.iter().map(line).collect::<String>())
    };
    // A count of more than four times the estimate is ignored, so the window seems less full at the
    // next call.
    let levels = [500_000, 749_999, 750_000, 899_999, 900_000, 950_000, 950_001, 960_000];
    let server = Server::start(levels.iter().map(|level| used(*level)).collect()).await;
    let project = project(&[]);
    let mut client = open(&server, 1_000_000, shows(), project.path()).await;
    let mut told = Vec::new();
    for level in levels {
        let turn = client.prompt("x").await;
        let notices = turn.all("notice");
        told.extend(
            notices.iter().map(|notice| (level, notice["title"].as_str().unwrap().to_owned())),
        );
    }
    let expected = [
        (750_000, "The context window of Small is 75 % full: the context is filling up".to_owned()),
        (
            900_000,
            "The context window of Small is 90 % full: start a new session or compact".to_owned(),
        ),
        (
            950_001,
            "The context window of Small is 95 % full: the next prompt may fail: hand off"
                .to_owned(),
        ),
    ];
    assert_eq!(told, expected);
}

/// The summary of the offline model lists the prompts, and the files that were read.
#[tokio::test]
async fn offline_model_compacts_without_writing_text() {
    let project = project(&[("a.txt", &"a line of some text\n".repeat(900))]);
    let session = json!({ "cwd": project.path(), "mcpServers": [] });
    let mut client = Client::serve_author(coder(&[]), shows(), session).await;
    let mut compacted = 0;
    for _ in 0..12 {
        let turn = client.prompt("show a.txt").await;
        assert_eq!(turn.stop_reason(), "end_turn");
        let (statuses, summary) = compactions(&turn);
        if !statuses.is_empty() {
            compacted += 1;
            assert_eq!(statuses, ["in_progress", "completed"]);
            assert!(
                summary.contains("- show a.txt → ") && summary.contains("Files read: `a.txt`"),
                "{summary}"
            );
        }
        for usage in turn.all("usage_update") {
            assert!(usage["used"].as_u64().unwrap() <= 32_768, "{usage}");
        }
    }
    assert!(compacted > 0);
}
