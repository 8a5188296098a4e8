//! A session's MCP servers: those that are ready, those that are missing, and those that come and
//! go.

use crate::client::Client;
use crate::mcp_place::{Place, call, lives, offered, state, thoughts, told};
use crate::provider::{bodies, chat_at, chat_text, coder};
use crate::server::{Reply, Server};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// SESS-09: all supported transports are advertised.
#[tokio::test]
async fn all_transports_are_advertised() {
    let client =
        Client::connect(attache_agent::serve(attache_coder::Coder::new()), json!({})).await;
    let capabilities = &client.initialized["result"]["agentCapabilities"]["mcpCapabilities"];
    assert_eq!(*capabilities, json!({ "http": true, "sse": true }));
}

/// A server that never responds does not delay the session. The first prompt waits for it until
/// its deadline, and it is reported once.
#[tokio::test]
async fn hung_server_is_awaited_once_and_reported_once() {
    let place = Place::new();
    let provider = Server::start(vec![chat_text("fine"), chat_text("again")]).await;
    let author = coder(&chat_at(&provider.url)).mcp_deadline(Duration::from_secs(3));
    let mut client = place.open_with(author, &[place.server("stuck", "hang")], json!({})).await;
    let first = client.prompt("one").await;
    let said = thoughts(&first);
    assert_eq!(first.text(), "fine");
    assert!(
        said.starts_with("Waiting for the MCP server stuck, for at most 3 seconds.\n\nThe MCP server stuck did not respond within 3 seconds"),
        "{said}"
    );
    assert!(state(&bodies(&provider)[0]).contains("- stuck: no reply so far"));
    assert_eq!(thoughts(&client.prompt("more").await), "");
}

/// The first turn waits for a slow server, and says so. Without its tools, the answer may be wrong.
#[tokio::test]
async fn first_turn_waits_for_its_servers() {
    let place = Place::new();
    let provider = Server::start(vec![chat_text("done")]).await;
    let servers = [place.server("late", "late"), place.server("slow", "late")];
    let author = coder(&chat_at(&provider.url)).mcp_deadline(Duration::from_secs(60));
    let mut client = place.open_with(author, &servers, json!({})).await;
    let id = place.start(&mut client).await;
    let waits = "Waiting for the MCP servers late and slow, for at most 60 seconds";
    client.until(|message| message.to_string().contains(waits)).await;
    assert!(bodies(&provider).is_empty());
    std::fs::write(place.beside("go"), "").unwrap();
    assert_eq!(client.finish(id).await.text(), "done");
    let body = &bodies(&provider)[0];
    assert!(offered(body).contains(&"late__echo") && offered(body).contains(&"slow__echo"));
    assert!(state(body).contains("- late: ready") && state(body).contains("- slow: ready"));
}

#[tokio::test]
async fn cancelled_turn_ends_the_wait_for_servers() {
    let place = Place::new();
    let provider = Server::start(vec![chat_text("done")]).await;
    let author = coder(&chat_at(&provider.url)).mcp_deadline(Duration::from_secs(60));
    let mut client = place.open_with(author, &[place.server("late", "late")], json!({})).await;
    let id = place.start(&mut client).await;
    client.until(|message| message.to_string().contains("Waiting for the MCP server late")).await;
    client.cancel().await;
    assert_eq!(client.finish(id).await.stop_reason(), "cancelled");
    assert!(bodies(&provider).is_empty());
    std::fs::write(place.beside("go"), "").unwrap();
    assert_eq!(client.prompt("go on").await.text(), "done", "the next turn waits again");
    assert!(offered(&bodies(&provider)[0]).contains(&"late__echo"));
}

/// NOTE-01: if the client supports notices, it gets one at once, without secrets.
#[tokio::test]
async fn server_that_ends_is_reported_with_its_last_line() {
    let place = Place::new();
    let provider = Server::start(vec![chat_text("one")]).await;
    let notices = json!({ "session": { "notices": {} } });
    let missing = json!({ "name": "missing", "command": "no-such-program", "args": ["--key=hush-hush"], "env": [] });
    let stray = place.server("stray", "garbage");
    let author = coder(&chat_at(&provider.url)).mcp_deadline(Duration::from_millis(1500));
    let mut client =
        place.open_with(author, &[place.server("gone", "exit"), missing, stray], notices).await;
    let mut told = Vec::new();
    while told.len() < 3 {
        let update = client.receive().await["params"]["update"].clone();
        if update["sessionUpdate"] == "notice" {
            told.push(format!(
                "{} {}",
                update["title"].as_str().unwrap(),
                update["description"].as_str().unwrap()
            ));
        }
    }
    told.sort();
    assert!(
        told[0].contains(
            "gone is not available It ended: exit code 3 (its last line: the database of <hidden>"
        ),
        "{told:?}"
    );
    assert!(
        told[1].contains("missing is not available Its PATH has no program no-such-program"),
        "{told:?}"
    );
    assert!(told[2].contains("stray did not respond within 2 seconds"), "{told:?}");
    assert!(
        told[2].contains("it wrote this to stdout, which is not a message: Welcome to the server!"),
        "{told:?}"
    );
    let turn = client.prompt("one").await;
    assert!(!format!("{told:?} {turn:?}").contains("hush"));
    assert!(
        state(&bodies(&provider)[0]).contains("- gone: not available (\"it ended: exit code 3")
    );
}

/// A server that rejects its key is reported with the HTTP status. The header appears nowhere.
#[tokio::test]
async fn server_that_refuses_its_key_is_reported() {
    let place = Place::new();
    let refusals = || vec![Reply::status(401, "", "no hush-hush here")];
    let (http, sse) = (Server::start(refusals()).await, Server::start(refusals()).await);
    let provider = Server::start(vec![chat_text("one"), chat_text("two")]).await;
    let headers = [json!({ "name": "Authorization", "value": "Bearer hush-hush" })];
    let servers = [
        json!({ "type": "http", "name": "web", "url": format!("{}?key=query-key", http.url), "headers": headers }),
        json!({ "type": "sse", "name": "old", "url": sse.url, "headers": headers }),
        json!({ "type": "http", "name": "nowhere", "url": "http://127.0.0.1:1/mcp?key=query-key", "headers": [] }),
    ];
    let mut client = place.open(&servers, &provider, json!({})).await;
    let (one, two) = (client.prompt("one").await, client.prompt("two").await);
    let said = thoughts(&one) + &thoughts(&two);
    for name in [
        "web is not available: HTTP 401",
        "old is not available: HTTP 401",
        "nowhere is not available: No response from its address",
    ] {
        assert!(said.contains(name), "{said}");
    }
    let seen = format!("{one:?} {two:?} {:?}", bodies(&provider));
    assert!(!seen.contains("hush") && !seen.contains("query-key"), "{seen}");
    assert!(http.requests()[0].contains("hush-hush"), "the server itself received it");
}

/// The tools appear when the server is ready, even during a turn.
#[tokio::test]
async fn tools_of_a_late_server_appear_during_the_turn() {
    let place = Place::new();
    let provider = Server::start(vec![call("hand__progress", &json!({})), chat_text("done")]).await;
    let servers = [place.server_that_waits("hand"), place.server("late", "late")];
    let author = coder(&chat_at(&provider.url)).mcp_deadline(Duration::from_secs(3));
    let mut client = place.open_with(author, &servers, json!({})).await;
    place.traced("listed plain").await;
    client.choices.push_back("allow_once");
    let id = place.start(&mut client).await;
    client.until(|message| message.to_string().contains("a quarter")).await;
    std::fs::write(place.beside("go"), "").unwrap();
    place.traced("listed late").await;
    std::fs::write(place.beside("seen"), "").unwrap();
    assert_eq!(client.finish(id).await.text(), "done");
    let late = |body: &Value| offered(body).iter().any(|name| name.starts_with("late__"));
    let bodies = bodies(&provider);
    assert!(!late(&bodies[0]) && late(&bodies[1]));
    assert!(state(&bodies[0]).contains("- late: no reply so far"));
    let told = told(&bodies[1])["content"].to_string();
    assert!(
        told.contains("[Attaché ") && told.contains(": - late: ready"),
        "told at the place where it happens: {told}"
    );
}

/// The agent notices when a server's list of tools changes.
#[tokio::test]
async fn changed_list_of_tools_is_used() {
    let place = Place::new();
    let replies = vec![call("hand__grow", &json!({})), chat_text("done"), chat_text("again")];
    let provider = Server::start(replies).await;
    let mut client = place.open(&[place.server("hand", "plain")], &provider, json!({})).await;
    place.traced("listed").await;
    client.choices.push_back("allow_once");
    assert_eq!(client.prompt("go").await.text(), "done");
    place.traced("listed plain again").await;
    client.prompt("again").await;
    assert!(!offered(&bodies(&provider)[0]).contains(&"hand__grown"));
    assert!(offered(&bodies(&provider)[2]).contains(&"hand__grown"));
}

#[tokio::test]
async fn tools_are_limited_and_the_person_is_told() {
    let place = Place::new();
    let provider = Server::start(vec![chat_text("one")]).await;
    let mut client = place.open(&[place.server("hand", "many")], &provider, json!({})).await;
    let turn = client.prompt("go").await;
    let bodies = bodies(&provider);
    let of_server = offered(&bodies[0]).iter().filter(|name| name.starts_with("hand__")).count();
    assert_eq!(of_server, 104, "the other 24 of 128 places are for built-in tools");
    assert!(thoughts(&turn).contains("offer 200 tools"), "{}", thoughts(&turn));
    let told = state(&bodies[0]);
    assert!(told.contains(r#"- hand: ready. It says: "Echo\nfirst.""#), "{told}");
}

/// One bad tool does not take the whole server with it, and the person is told once.
#[tokio::test]
async fn tools_that_cannot_be_used_are_left_out_and_named() {
    let place = Place::new();
    let provider = Server::start(vec![chat_text("one"), chat_text("two")]).await;
    let servers = [place.server("odd", "odd"), place.server("hand", "tasks")];
    let mut client = place.open(&servers, &provider, json!({})).await;
    let said = thoughts(&client.prompt("go").await);
    for told in [
        "The MCP server odd has 4 tools that cannot be used: bare has no inputSchema, text has an inputSchema that is not an object, \
         yes has an inputSchema that is not an object, research needs MCP tasks, which are not supported",
        "The MCP server hand has 1 tool that cannot be used: research needs MCP tasks, which are not supported",
    ] {
        assert_eq!(said.matches(told).count(), 1, "{said}");
    }
    assert_eq!(thoughts(&client.prompt("more").await), "");
    let bodies = bodies(&provider);
    let offered = offered(&bodies[0]);
    for name in ["odd__echo", "odd__either", "hand__echo"] {
        assert!(offered.contains(&name), "{name} is missing: {offered:?}");
    }
    for name in ["odd__bare", "odd__text", "odd__yes", "odd__research", "hand__research"] {
        assert!(!offered.contains(&name), "{name}: {offered:?}");
    }
    let sent = bodies[0]["tools"].to_string();
    assert!(!sent.contains("leftOut"));
}

/// SESS-20: servers start and end with their session.
#[tokio::test]
async fn servers_end_with_their_session() {
    let place = Place::new();
    let provider = Server::start(vec![]).await;
    let mut client = place.open(&[place.server("hand", "plain")], &provider, json!({})).await;
    let traces = place.traced("listed").await;
    assert!(lives(&traces));
    client.close().await;
    let deadline = Instant::now() + Duration::from_secs(10);
    while lives(&traces) {
        assert!(Instant::now() < deadline, "it still runs");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
