//! Images, audio and documents that a provider would refuse, or refuses.

use crate::client::{Client, Turn};
use crate::mcp_place::Place;
use crate::projects::{project, write};
use crate::provider::{
    anthropic, anthropic_at, bodies, chat_at, chat_text, coder, error, stored, text, tool_use,
};
use crate::server::{Reply, Server};
use attache_session::MemoryStore;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::path::Path;

/// A PNG picture of this size, padded to a number of bytes.
fn png(width: u32, height: u32, bytes: usize) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    png.extend(width.to_be_bytes());
    png.extend(height.to_be_bytes());
    png.resize(bytes.max(png.len()), 0);
    png
}

fn image(bytes: &[u8]) -> Value {
    let data = BASE64_STANDARD.encode(bytes);
    json!({ "type": "image", "mimeType": "image/png", "uri": "file:///pictures/big.png", "data": data })
}

fn refused(message: &str) -> Reply {
    let error = json!({ "type": "invalid_request_error", "message": message });
    Reply::status(400, "", &json!({ "error": error }).to_string())
}

/// Opens a session in `cwd`, for a client that shows notices.
async fn open(cwd: &Path, variables: &[(String, String)]) -> Client {
    let session = json!({ "cwd": cwd, "mcpServers": [] });
    let capabilities = json!({ "session": { "notices": {} } });
    Client::serve_author(coder(variables), capabilities, session).await
}

fn look_at(block: Value) -> Value {
    json!([{ "type": "text", "text": "look" }, block])
}

/// The titles of the notices.
fn notices(turn: &Turn) -> Vec<String> {
    let titles = turn.all("notice").into_iter();
    titles.map(|notice| notice["title"].as_str().unwrap().to_owned()).collect()
}

/// The number of pictures in a request.
fn pictures(body: &Value) -> usize {
    let body = body.to_string();
    ["\"media_type\":\"image/", "\"image_url\":"]
        .iter()
        .map(|name| body.matches(name).count())
        .sum()
}

/// One bad picture is not sent, in both formats. The model and the person get the reason, the
/// person once, and the session goes on.
#[tokio::test]
async fn bad_picture_is_not_sent_and_the_session_goes_on() {
    for chat in [false, true] {
        for (bytes, why) in [
            (&b"hello"[..], "its content is not a PNG, JPEG, GIF or WebP picture"),
            (b"", "it is empty"),
            (&png(0, 0, 0), "its header has no size"),
            (b"\0\0\0\x18ftypheic\0\0\0\0", "does not accept this format"),
        ] {
            let reply = || match chat {
                true => chat_text("fine"),
                false => anthropic(&[text("fine")], "end_turn"),
            };
            let server = Server::start(vec![reply(), reply()]).await;
            let variables = if chat { chat_at(&server.url) } else { anthropic_at(&server.url) };
            let project = project(&[]);
            let mut client = open(project.path(), &variables).await;
            let turn = client.prompt_blocks(look_at(image(bytes))).await;
            assert_eq!(turn.text(), "fine", "{turn:?}");
            let told = notices(&turn);
            assert_eq!(told.len(), 1, "{told:?}");
            assert!(told[0].contains("/pictures/big.png") && told[0].contains(why), "{told:?}");
            let turn = client.prompt("plain text").await;
            assert_eq!((turn.text().as_str(), notices(&turn).len()), ("fine", 0));
            for body in bodies(&server) {
                assert_eq!(pictures(&body), 0, "{body}");
                assert!(body.to_string().contains(why), "{body}");
            }
        }
    }
}

#[tokio::test]
async fn limits_of_the_provider_apply_before_sending() {
    for (bytes, why) in [
        (png(100, 100, 4_500_138), "it has 4,500,138 bytes"),
        (png(1, 30_000, 0), "at most 8,000 pixels on a side"),
        (png(50_000, 50_000, 0), "at most 8,000 pixels on a side"),
    ] {
        let server = Server::start(vec![anthropic(&[text("fine")], "end_turn")]).await;
        let project = project(&[]);
        let mut client = open(project.path(), &anthropic_at(&server.url)).await;
        let turn = client.prompt_blocks(look_at(image(&bytes))).await;
        assert!(notices(&turn)[0].contains(why), "{turn:?}");
        assert_eq!((turn.text().as_str(), pictures(&bodies(&server)[0])), ("fine", 0));
    }
}

/// 25 screenshots of 2,500 × 1,400: the newest are sent, and never more than 20.
#[tokio::test]
async fn many_large_screenshots_never_exceed_the_limit() {
    let server =
        Server::start((0..25).map(|_| anthropic(&[text("fine")], "end_turn")).collect()).await;
    let project = project(&[]);
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    for number in 0..25_u32 {
        let turn = client.prompt_blocks(look_at(image(&png(2_500, 1_400 + number, 0)))).await;
        assert_eq!(turn.text(), "fine");
        let told = notices(&turn).join("\n");
        let expected = number == 20;
        let says = told.contains("5 × ") && told.contains("at most 20 pictures");
        assert_eq!(says, expected, "{number}: {told}");
    }
    let sent: Vec<_> = bodies(&server).iter().map(pictures).collect();
    assert_eq!(sent[19..], [20, 16, 17, 18, 19, 20]);
    let newest = BASE64_STANDARD.encode(png(2_500, 1_424, 0));
    assert!(bodies(&server)[24].to_string().contains(&newest));
}

/// The content decides about the type, also of an embedded file without a type.
#[tokio::test]
async fn type_comes_from_the_content() {
    let webp = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x20\x03\x58\x02";
    let data = BASE64_STANDARD.encode(webp);
    let blob = json!({ "uri": "file:///a.bin", "blob": data });
    for block in [
        image(webp),
        json!({ "type": "image", "mimeType": "text/plain", "data": data }),
        json!({ "type": "resource", "resource": blob }),
    ] {
        let server = Server::start(vec![anthropic(&[text("fine")], "end_turn")]).await;
        let project = project(&[]);
        let mut client = open(project.path(), &anthropic_at(&server.url)).await;
        let turn = client.prompt_blocks(look_at(block)).await;
        assert_eq!((turn.text().as_str(), notices(&turn).len()), ("fine", 0));
        let content = bodies(&server)[0]["messages"][0]["content"].clone();
        let content = content.as_array().unwrap();
        let source = content.iter().find_map(|block| block.get("source")).unwrap();
        assert_eq!((&source["media_type"], &source["data"]), (&json!("image/webp"), &json!(data)));
    }
}

/// A picture that the provider refuses is dropped, the request is repeated, and the picture stays
/// out of later requests, also after `session/load`.
#[tokio::test]
async fn refused_picture_is_dropped_for_good() {
    let store = MemoryStore::default();
    let ok = |words: &str| anthropic(&[text(words)], "end_turn");
    let server = Server::start(vec![
        refused("messages.0.content.1.image.source.base64: Could not process image"),
        ok("a text only"),
        ok("still here"),
        ok("loaded"),
    ])
    .await;
    let project = project(&[]);
    let variables = anthropic_at(&server.url);
    let mut client = stored(&store, &variables).await;
    client.begin("session/new", json!({ "cwd": project.path(), "mcpServers": [] })).await;
    let turn = client.prompt_blocks(look_at(image(&png(10, 10, 0)))).await;
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "a text only"), "{turn:?}");
    let told = format!("{:?}", turn.all("agent_thought_chunk"));
    assert!(
        told.contains("The provider refused /pictures/big.png") && told.contains("process image"),
        "{told}"
    );
    client.prompt("plain text").await;
    let id = client.session.clone();
    client.close().await;
    let mut client = stored(&store, &variables).await;
    let params = json!({ "sessionId": id, "cwd": project.path(), "mcpServers": [] });
    client.begin("session/load", params).await;
    assert_eq!(client.prompt("and now").await.text(), "loaded");
    let bodies = bodies(&server);
    assert_eq!(bodies.iter().map(pictures).collect::<Vec<_>>(), [1, 0, 0, 0]);
    for body in &bodies[1..] {
        assert!(body.to_string().contains("left out: /pictures/big.png, an image"), "{body}");
    }
}

/// The newest pictures are dropped first. If that does not help, all are dropped.
#[tokio::test]
async fn older_pictures_are_dropped_only_if_necessary() {
    for (why, sent) in [("once", [1, 2, 1, 1]), ("twice", [1, 2, 1, 0])] {
        let ok = || anthropic(&[text("fine")], "end_turn");
        let mut replies = vec![ok(), refused("image exceeds the maximum")];
        if why == "twice" {
            replies.push(refused("image exceeds the maximum"));
        }
        replies.extend([ok(), ok()]);
        let server = Server::start(replies).await;
        let project = project(&[]);
        let mut client = open(project.path(), &anthropic_at(&server.url)).await;
        client.prompt_blocks(look_at(image(&png(10, 10, 0)))).await;
        let turn = client.prompt_blocks(look_at(image(&png(20, 20, 0)))).await;
        assert_eq!((turn.text().as_str(), notices(&turn).len()), ("fine", 1), "{turn:?}");
        assert_eq!(client.prompt("more").await.text(), "fine");
        let bodies = bodies(&server);
        assert_eq!(bodies.iter().map(pictures).collect::<Vec<_>>()[..4], sent, "{why}");
    }
}

/// If the request is refused without the picture too, the picture is not to blame and stays.
#[tokio::test]
async fn innocent_picture_stays() {
    let server = Server::start(vec![
        refused("tools.3: image_size is no property"),
        refused("tools.3: image_size is no property"),
        anthropic(&[text("fine")], "end_turn"),
    ])
    .await;
    let project = project(&[]);
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    let turn = client.prompt_blocks(look_at(image(&png(10, 10, 0)))).await;
    assert!(error(&turn).1.contains("image_size is no property"), "{turn:?}");
    assert_eq!(notices(&turn), [""; 0]);
    assert_eq!(client.prompt("again").await.text(), "fine");
    assert_eq!(bodies(&server).iter().map(pictures).collect::<Vec<_>>(), [1, 0, 1]);
}

/// A picture that the tool `read` returned is dropped too if the provider refuses it, also in the
/// conversation of a subagent.
#[tokio::test]
async fn refused_picture_of_a_tool_is_dropped() {
    let read = || anthropic(&[tool_use("r", "read", json!({ "path": "a.png" }))], "tool_use");
    let ok = |words: &str| anthropic(&[text(words)], "end_turn");
    let task = tool_use("t", "task", json!({ "title": "Look", "prompt": "look at a.png" }));
    for replies in [
        vec![read(), refused("Could not process image"), ok("fine"), ok("fine")],
        vec![
            anthropic(&[task], "tool_use"),
            read(),
            refused("Could not process image"),
            ok("a report"),
            ok("fine"),
            ok("fine"),
        ],
    ] {
        let server = Server::start(replies).await;
        let project = project(&[]);
        write(project.path(), "a.png", png(10, 10, 0));
        let mut client = open(project.path(), &anthropic_at(&server.url)).await;
        let turn = client.prompt("look at a.png").await;
        assert_eq!(turn.text(), "fine", "{turn:?}");
        assert_eq!(client.prompt("more").await.text(), "fine");
        let bodies = bodies(&server);
        let sent: Vec<_> = bodies.iter().map(pictures).collect();
        assert_eq!(sent.iter().sum::<usize>(), 1, "{sent:?}");
    }
}

/// Pictures of MCP servers are checked like all others.
#[tokio::test]
async fn bad_picture_of_a_server_is_not_sent() {
    let place = Place::new();
    let (turn, told) = place.calls("mixed", json!({})).await;
    assert_eq!(turn.stop_reason(), "end_turn");
    let told = told.to_string();
    assert!(told.contains("a picture was left out: its content is not a PNG"), "{told}");
}

/// Audio and PDF documents are checked by their content too.
#[tokio::test]
async fn bad_document_is_not_sent() {
    let server = Server::start(vec![anthropic(&[text("fine")], "end_turn")]).await;
    let project = project(&[]);
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    let blob = json!({ "uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": "aGVsbG8=" });
    let turn = client.prompt_blocks(look_at(json!({ "type": "resource", "resource": blob }))).await;
    assert_eq!(turn.text(), "fine");
    assert!(notices(&turn)[0].contains("its content is not a PDF document"), "{turn:?}");
    let body = bodies(&server)[0].to_string();
    assert!(!body.contains("\"document\"") && !body.contains("aGVsbG8="), "{body}");
}
