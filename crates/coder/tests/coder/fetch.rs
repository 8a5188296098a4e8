//! Web pages from a server on this machine. The person allows each fetch.

use crate::client::{Client, Turn};
use crate::projects::project;
use crate::provider::{anthropic, anthropic_at, bodies, open, text, tool_use};
use crate::server::{Reply, Server};
use serde_json::json;
use std::time::{Duration, Instant};

fn page(content_type: &str, body: &str) -> Reply {
    Reply::status(200, &format!("content-type: {content_type}\r\n"), body)
}

/// Fetches these addresses one after the other. Returns the outcome of the prompt, and the last
/// result for the model.
async fn fetched(urls: &[String], choices: &[&'static str]) -> (Turn, String, Client) {
    let fetch = |(index, url): (usize, &String)| {
        anthropic(&[tool_use(&format!("f{index}"), "fetch", json!({ "url": url }))], "tool_use")
    };
    let mut replies: Vec<Reply> = urls.iter().enumerate().map(fetch).collect();
    replies.push(anthropic(&[text("so")], "end_turn"));
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    client.choices.extend(choices);
    let turn = client.prompt("go").await;
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "so"), "{turn:?}");
    let messages = bodies(&server).pop().unwrap()["messages"].as_array().unwrap().clone();
    let result = &messages.last().unwrap()["content"][0]["content"];
    let said = result.as_str().or_else(|| result[0]["text"].as_str()).unwrap_or_default();
    (turn, said.to_owned(), client)
}

/// TOOL-01, PERM-02: the question shows the address, the page becomes Markdown, and the title hides
/// the query.
#[tokio::test]
async fn page_is_fetched_after_a_question_as_markdown() {
    let html = "<html><script>no()</script><h1>Größe</h1><p>A <a href='/x'>link</a></p></html>";
    let web = Server::start(vec![page("text/html; charset=utf-8", html)]).await;
    let (turn, said, client) =
        fetched(&[format!("{}/a?token=secret#there", web.url)], &["allow_once"]).await;
    let call = &turn.tool_calls()[0];
    let host = web.url.trim_start_matches("http://");
    assert_eq!((call["kind"].as_str(), call["name"].as_str()), (Some("fetch"), Some("fetch")));
    assert_eq!(
        (call["title"].as_str().unwrap(), call["status"].as_str()),
        (&*format!("Fetch {host}/a?…"), Some("completed"))
    );
    let asked = client.asked[0]["toolCall"]["content"].to_string();
    assert!(
        asked.contains("token=secret") && asked.contains("an address of this machine"),
        "the whole address: {asked}"
    );
    assert!(
        said.contains("# Größe") && said.contains("[link](/x)") && !said.contains("no()"),
        "{said}"
    );
    assert!(
        web.requests()[0].starts_with("GET /v1/a?token=secret HTTP/1.1"),
        "{}",
        web.requests()[0]
    );
}

/// The agent sends nothing until the person allows it, and fetches only web pages.
#[tokio::test]
async fn only_allowed_web_pages_are_fetched() {
    let web = Server::start(Vec::new()).await;
    let (turn, said, _) = fetched(std::slice::from_ref(&web.url), &["reject_once"]).await;
    assert_eq!(turn.tool_calls()[0]["status"], "failed");
    assert!(said.contains("it was not allowed"), "{said}");
    let password = web.url.replace("http://", "http://me:pass@");
    for (url, why) in [
        ("file:///etc/passwd", "only http and https"),
        ("ftp://example.org/", "only http and https"),
        ("nonsense", "not a web address"),
        (password.as_str(), "user name or a password"),
    ] {
        let (_, said, client) = fetched(&[url.to_owned()], &["allow_once"]).await;
        assert!(said.contains(why), "{url}: {said}");
        assert!(client.asked.is_empty());
    }
    assert!(web.requests().is_empty());
}

/// A redirect is followed only to the same host. Another host needs a new call.
#[tokio::test]
async fn redirect_to_another_host_is_named_and_not_followed() {
    let moved = |to: &str| Reply::status(302, &format!("location: {to}\r\n"), "");
    let other = Server::start(Vec::new()).await;
    let elsewhere = other.url.replace("127.0.0.1", "localhost");
    let web = Server::start(vec![
        moved("/v1/b"),
        page("text/plain", "here"),
        moved(&elsewhere),
        moved("file:///etc/passwd"),
    ])
    .await;
    let at = |path: &str| format!("{}/{path}", web.url);
    let (_, said, _) = fetched(&[at("a")], &["allow_once"]).await;
    assert!(said.contains("/v1/b\n\nhere"), "{said}");
    let (turn, said, _) = fetched(&[at("c")], &["allow_once"]).await;
    assert!(said.contains(&format!("redirects to another host: fetch {elsewhere}")), "{said}");
    assert_eq!(turn.tool_calls()[0]["status"], "failed");
    let (_, said, _) = fetched(&[at("d")], &["allow_once"]).await;
    assert!(said.contains("only http and https are fetched, not file"), "{said}");
    assert!(other.requests().is_empty());
}

/// Tests encodings, JSON, binary data, missing pages, and a long page, of which the model gets the
/// beginning and the end.
#[tokio::test]
async fn pages_are_read_by_type_and_long_ones_are_cut_in_the_middle() {
    let long = format!("<p>begin</p>{}<p>end</p>", "<p>middle of the page</p>".repeat(20_000));
    let replies = vec![
        page("application/json", "{\"a\":[1,2]}"),
        page("image/png", "\u{1}"),
        Reply::status(404, "content-type: text/html\r\n", "<h1>Nothing here</h1>"),
        page("text/html", &long),
    ];
    let web = Server::start(replies).await;
    for (said, length) in [
        ("{\"a\":[1,2]}", 200),
        ("is not text (image/png, 1 byte)", 200),
        ("the server answered 404 Not Found: # Nothing here", 200),
        ("begin", 25 * 1024),
    ] {
        let (_, result, _) = fetched(std::slice::from_ref(&web.url), &["allow_once"]).await;
        assert!(
            result.contains(said) && result.len() < length,
            "{said}: {} bytes, {result}",
            result.len()
        );
        assert!(said != "begin" || (result.contains("end") && result.contains("[…]")), "{result}");
    }
}

/// CANCEL-02.
#[tokio::test]
async fn cancel_does_not_wait_for_a_page() {
    let mut web = Server::start(vec![Reply::nothing().then_hang()]).await;
    let replies = vec![
        anthropic(&[tool_use("f", "fetch", json!({ "url": web.url }))], "tool_use"),
        anthropic(&[text("fine")], "end_turn"),
    ];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    client.set("mode", "auto").await;
    client.choices.push_back("allow_once");
    client.cancel_when_in_progress = true;
    let began = Instant::now();
    assert_eq!(client.prompt("go").await.stop_reason(), "cancelled");
    assert!(began.elapsed() < Duration::from_secs(5));
    web.closed.recv().await;
    assert_eq!(client.prompt("again").await.text(), "fine");
}
