//! Titles that a model writes in the background, and tags.

use crate::client::Client;
use crate::projects::project;
use crate::provider::{FAILURE, KEY, anthropic, anthropic_begin, bodies, coder, text, variables};
use crate::server::{Reply, Server};
use attache_agent::serve;
use attache_session::MemoryStore;
use serde_json::{Value, json};

fn given(url: &str) -> Vec<(String, String)> {
    variables(&[("ANTHROPIC_API_KEY", KEY), ("ANTHROPIC_BASE_URL", url), ("ATTACHE_TITLES", "on")])
}

async fn open(server: &Server, cwd: &std::path::Path) -> Client {
    Client::serve_author(
        coder(&given(&server.url)),
        json!({}),
        json!({ "cwd": cwd, "mcpServers": [] }),
    )
    .await
}

/// Returns the next update of this kind, and drops all updates before it.
async fn next(client: &mut Client, kind: &str) -> Value {
    loop {
        let update = client.receive().await["params"]["update"].clone();
        if update["sessionUpdate"] == kind {
            return update;
        }
    }
}

/// The reply to the prompt does not wait for the title. The provider's cheapest model writes it,
/// without tools, and its cost is added to the session's.
#[tokio::test]
async fn model_writes_the_title_after_the_first_exchange() {
    let server = Server::start(vec![
        anthropic(&[text("It is 4.")], "end_turn"),
        anthropic(&[text("\"Two and two.\"")], "end_turn"),
        anthropic(&[text("yes")], "end_turn"),
    ])
    .await;
    let project = project(&[]);
    let mut client = open(&server, project.path()).await;
    let turn = client.prompt("what is 2 and 2?").await;
    let first = turn.all("session_info_update")[0]["title"].clone();
    assert_eq!(first, "what is 2 and 2?");
    assert_eq!(next(&mut client, "session_info_update").await["title"], "Two and two");
    let cost = |update: &Value| update["cost"]["amount"].as_f64().unwrap();
    let after = cost(&next(&mut client, "usage_update").await);
    assert!(after > cost(turn.all("usage_update")[0]), "{after}");
    let asked = &bodies(&server)[1];
    assert_eq!(asked["model"], "claude-haiku-5-5");
    assert!(
        asked["tools"].as_array().is_none_or(Vec::is_empty)
            && asked.to_string().contains("It is 4.")
    );
    let second = client.prompt("sure?").await;
    assert_eq!(second.text(), "yes", "a title is not requested each time");
    assert!(cost(second.all("usage_update")[0]) > after);
    assert_eq!(
        second.result["result"]["usage"]["totalTokens"], 22,
        "the title is not part of the turn"
    );
}

/// The next prompt cancels the writing of a title. Neither a cancelled nor a failed attempt is
/// shown.
#[tokio::test]
async fn hanging_or_failing_title_search_is_invisible() {
    let mut server = Server::start(vec![
        anthropic(&[text("one")], "end_turn"),
        Reply::stream("event: ping\ndata: {\"type\":\"ping\"}\n\n").then_hang(),
        anthropic(&[text("two")], "end_turn"),
    ])
    .await;
    let project = project(&[]);
    let mut client = open(&server, project.path()).await;
    client.prompt("first").await;
    while server.requests().len() < 2 {
        tokio::task::yield_now().await;
    }
    let turn = client.prompt("second").await;
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "two"));
    server.closed.recv().await.unwrap();
    assert!(turn.all("session_info_update").iter().all(|update| update.get("title").is_none()));
}

/// The provider bills the beginning of a title too.
#[tokio::test]
async fn title_that_fails_is_charged() {
    let failing = anthropic_begin(&[text("half a title")]) + FAILURE;
    let mut server = Server::start(vec![
        anthropic(&[text("one")], "end_turn"),
        Reply::stream(&failing).then_hang(),
        anthropic(&[text("two")], "end_turn"),
    ])
    .await;
    let project = project(&[]);
    let mut client = open(&server, project.path()).await;
    client.prompt("first").await;
    // The agent closes the connection after the error.
    server.closed.recv().await.unwrap();
    client.prompt("second").await;
    // Two answers of 7 tokens, and 1 of the title.
    let said = client.prompt("/usage").await.text();
    assert!(said.contains("| Written so far | 15 tokens"), "{said}");
}

/// The title changes with the subject, and stays the same while the model replies KEEP.
#[tokio::test]
async fn title_follows_the_subject() {
    let mut replies = Vec::new();
    for title in ["The first", "KEEP", "The second"] {
        let turns = if title == "The first" { 1 } else { 6 };
        replies.extend((0..turns).map(|_| anthropic(&[text("so")], "end_turn")));
        replies.push(anthropic(&[text(title)], "end_turn"));
    }
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(&server, project.path()).await;
    client.prompt("first").await;
    assert_eq!(next(&mut client, "session_info_update").await["title"], "The first");
    next(&mut client, "usage_update").await;
    for _ in 0..6 {
        client.prompt("more").await;
    }
    next(&mut client, "usage_update").await;
    assert!(bodies(&server)[8].to_string().contains("The current title is: "));
    for _ in 0..6 {
        client.prompt("something else").await;
    }
    assert_eq!(next(&mut client, "session_info_update").await["title"], "The second");
}

/// TITLE-03: a model does not write a title if a person has set one.
#[tokio::test]
async fn title_of_a_person_prevents_a_search() {
    let server =
        Server::start((0..2).map(|_| anthropic(&[text("so")], "end_turn")).collect()).await;
    let project = project(&[]);
    let mut client = open(&server, project.path()).await;
    client.prompt("/title Mine").await;
    client.prompt("one").await;
    assert_eq!(client.prompt("two").await.text(), "so");
}

/// INFO-09, META-07: the project and the branch are tags of the session. The branch is always the
/// one that is checked out.
#[tokio::test]
async fn project_and_branch_are_tags() {
    let project = project(&[("grid/.git/HEAD", "ref: refs/heads/main\n")]);
    let (cwd, store) = (project.path().join("grid"), MemoryStore::new());
    let mut client = Client::connect(serve(coder(&[])).store(store), json!({})).await;
    client.begin("session/new", json!({ "cwd": cwd, "mcpServers": [] })).await;
    let tags = |turn: &crate::client::Turn| {
        let tags = |update: &&Value| update["_meta"]["attache/labels"]["tags"].as_array().cloned();
        turn.all("session_info_update").iter().find_map(tags)
    };
    assert_eq!(
        tags(&client.prompt("help").await),
        Some(vec![json!("project:grid"), json!("branch:main")])
    );
    assert_eq!(tags(&client.prompt("help").await), None);
    std::fs::write(cwd.join(".git/HEAD"), "ref: refs/heads/next\n").unwrap();
    assert_eq!(
        tags(&client.prompt("help").await),
        Some(vec![json!("project:grid"), json!("branch:next")])
    );
    let listed = client.call("session/list", json!({})).await.result;
    assert_eq!(
        listed["result"]["sessions"][0]["_meta"]["attache/labels"]["tags"][1],
        "branch:next"
    );
}
