use super::client::cancel;
use super::{Client, Notes, acts};
use attache_agent::{ElicitedUrl, Error, ToolKind};
use attache_protocol::v1::{ElicitationPropertySchema, ElicitationSchema};
use attache_protocol::{UnknownVariant, decode};
use serde_json::{Value, json};

fn form() -> ElicitationSchema {
    let form = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 4},
        "mail": {"type": "string", "format": "email"},
        "when": {"type": "string", "format": "date-time"},
        "day": {"type": "string", "format": "date"},
        "page": {"type": "string", "format": "uri"},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "deep": {"type": "integer", "minimum": 1, "maximum": 9},
        "part": {"type": "number", "maximum": 1.0},
        "sure": {"type": "boolean"},
        "tags": {"type": "array", "items": {"anyOf": [{"const": "x", "title": "X"}, {"const": "y", "title": "Y"}]}, "minItems": 1}}});
    decode(&form.to_string()).unwrap()
}

fn asker(notes: &Notes) -> impl attache_agent::Author {
    let notes = notes.clone();
    acts(move |turn| {
        let notes = notes.clone();
        async move {
            match turn.text() {
                "page" => {
                    let answer = turn.elicit_url("Log in", "https://example.com/login").await?;
                    notes.add(format!("{answer:?}"));
                    if let ElicitedUrl::Consented(page) = answer {
                        page.complete()?;
                    }
                }
                "about" => {
                    let call = turn.tool_call("Branch", ToolKind::Other).start().await?;
                    notes.add(format!("{:?}", turn.elicit_about(&call, "Which?", form()).await?));
                    call.complete().await?;
                }
                "ask" => notes.add(format!("{:?}", turn.ask("Which?", form()).await?)),
                _ => notes.add(format!("{:?}", turn.elicit("Which?", form()).await?)),
            }
            Ok(())
        }
    })
}

fn both() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}})
}

async fn asked(text: &str) -> (Client, Notes, String, i64, Value) {
    let notes = Notes::default();
    let mut client = Client::with(asker(&notes), both()).await;
    let session = client.session().await;
    let turn = client.prompt(&session, text).await;
    let call = client.arrives("elicitation/create").await;
    (client, notes, session, turn, call)
}

/// ELIC-04, ELIC-07.
#[tokio::test(start_paused = true)]
async fn a_form_has_its_mode_and_one_scope() {
    let (mut client, notes, session, turn, call) = asked("about").await;
    let params = &call["params"];
    assert_eq!(params["mode"], "form");
    assert_eq!(params["sessionId"], session.as_str());
    assert!(params["toolCallId"].is_string() && params["requestId"].is_null());
    assert_eq!(params["requestedSchema"]["type"], "object");
    assert!(params["requestedSchema"]["properties"].is_object());
    client.answer(&call, json!({"action": "accept", "content": {"name": "Ada", "else": 1}})).await;
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "end_turn");
    assert_eq!(
        notes.all(),
        [r#"Accepted(Map([("name", String("Ada"))]))"#],
        "values outside of the form are left out"
    );
}

/// ELIC-14, ELIC-16, ELIC-23.
#[tokio::test(start_paused = true)]
async fn only_a_fitting_accept_is_accepted() {
    let accept = |content: Value| json!({"action": "accept", "content": content});
    let good = json!({"name": "Ada", "mail": "a@b.c", "when": "2026-11-21T02:03:04.5+01:00", "day": "2024-02-29",
        "page": "https://x.y", "kind": "b", "deep": 9, "part": 1, "sure": false, "tags": ["x", "y"]});
    let mut cases = vec![
        (accept(good.clone()), "Accepted"),
        (json!({"action": "decline", "content": {"name": "Ada"}}), "Declined"),
        (json!({"action": "cancel"}), "Cancelled"),
        (json!({"action": "_defer"}), "Unknown(\"_defer\")"),
        (json!({"action": "accept"}), "Unusable"),
        (json!({"action": "accept", "content": {"name": {"nested": 1}}}), "Unusable"),
        (json!(7), "Unusable"),
    ];
    for (field, value) in [
        ("name", json!("A")),
        ("name", json!("Adaaa")),
        ("name", json!(5)),
        ("mail", json!("nobody")),
        ("when", json!("2026-11-21 at noon")),
        ("when", json!("2026-13-21T02:03:04Z")),
        ("day", json!("2023-02-29")),
        ("page", json!("no uri")),
        ("kind", json!("c")),
        ("deep", json!(10)),
        ("deep", json!(1.5)),
        ("part", json!(1.25)),
        ("sure", json!("yes")),
        ("tags", json!([])),
        ("tags", json!(["z"])),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        cases.push((accept(bad), "Unusable"));
    }
    for (answer, expected) in cases {
        let (mut client, notes, _, turn, call) = asked("form").await;
        client.answer(&call, answer.clone()).await;
        client.reply(turn).await;
        let noted = notes.all();
        assert!(noted[0].starts_with(expected), "{answer}: {noted:?}");
    }
    let (mut client, notes, _, turn, call) = asked("form").await;
    client.refuse(&call, -32602).await;
    client.reply(turn).await;
    assert!(notes.all()[0].starts_with("Unusable"));
}

/// CANCEL-22, ELIC-26.
#[tokio::test(start_paused = true)]
async fn a_cancel_withdraws_the_question() {
    for text in ["form", "page"] {
        let (mut client, notes, session, turn, call) = asked(text).await;
        client.send(&[cancel(&session)]).await;
        assert_eq!(client.arrives("$/cancel_request").await["params"]["requestId"], call["id"]);
        assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
        client.answer(&call, json!({"action": "accept", "content": {"name": "Ada"}})).await;
        client.settle().await;
        assert_eq!(notes.all(), [] as [&str; 0], "a late answer has no effect");
        assert!(client.seen.is_empty());
    }
}

/// CANCEL-22.
#[tokio::test(start_paused = true)]
async fn an_answer_directly_after_the_cancel_starts_nothing() {
    let (mut client, notes, session, turn, call) = asked("form").await;
    let accept = json!({"action": "accept", "content": {"name": "Ada"}});
    client
        .send(&[cancel(&session), json!({"jsonrpc": "2.0", "id": call["id"], "result": accept})])
        .await;
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
    assert_eq!(notes.all(), [] as [&str; 0]);
}

/// ELIC-17, ELIC-18, ELIC-19.
#[tokio::test(start_paused = true)]
async fn the_completion_of_a_page_has_the_same_id() {
    let notes = Notes::default();
    let mut client = Client::with(asker(&notes), both()).await;
    let session = client.session().await;
    let mut ids = std::collections::HashSet::new();
    for _ in 0..10 {
        let turn = client.prompt(&session, "page").await;
        let call = client.arrives("elicitation/create").await;
        assert_eq!(call["params"]["mode"], "url");
        assert_eq!(call["params"]["url"], "https://example.com/login");
        let id = call["params"]["elicitationId"].clone();
        client.answer(&call, json!({"action": "accept"})).await;
        assert_eq!(client.arrives("elicitation/complete").await["params"]["elicitationId"], id);
        client.reply(turn).await;
        assert!(ids.insert(id.to_string()));
    }
    let turn = client.prompt(&session, "page").await;
    let call = client.arrives("elicitation/create").await;
    client.answer(&call, json!({"action": "decline"})).await;
    client.reply(turn).await;
    assert!(client.seen.is_empty(), "a declined page is never completed");
}

/// ELIC-01, ELIC-03, ELIC-11.
#[tokio::test(start_paused = true)]
async fn a_question_is_sent_as_text_without_forms_but_a_page_is_not() {
    for capabilities in
        [json!({}), json!({"elicitation": {}}), json!({"elicitation": {"form": null}})]
    {
        let notes = Notes::default();
        let mut client = Client::with(asker(&notes), capabilities).await;
        let session = client.session().await;
        let (reply, updates) = client.turn(&session, "ask").await;
        assert_eq!(reply["result"]["stopReason"], "end_turn");
        assert_eq!(notes.all(), ["AskedInText"]);
        let text = updates[0]["content"]["text"].as_str().unwrap();
        assert!(text.starts_with("Which?\n") && text.contains("**name**"), "{text}");
        for text in ["form", "page"] {
            let (reply, updates) = client.turn(&session, text).await;
            assert_eq!(reply["error"]["code"], -32603);
            assert!(updates.is_empty());
        }
        assert!(client.seen.is_empty());
    }
    let notes = Notes::default();
    let mut client = Client::with(asker(&notes), json!({"elicitation": {"url": {}}})).await;
    let session = client.session().await;
    client.turn(&session, "form").await;
    assert!(client.seen.is_empty(), "the other mode does not allow it");
}

/// ELIC-07, ELIC-12, X18.
#[tokio::test(start_paused = true)]
async fn forms_and_pages_that_the_protocol_does_not_allow_are_not_sent() {
    let bad = [
        json!({"properties": {"a": {"type": "string", "format": "hostname"}}}),
        json!({"properties": {"a": {"type": "object"}}}),
        json!({"properties": {"a": {"type": "array", "items": {"type": "integer"}}}}),
        json!({"properties": {"a": {"type": "string", "enum": []}}}),
        json!({"properties": {}, "required": ["a"]}),
    ];
    let notes = Notes::default();
    let noted = notes.clone();
    let author = acts(move |turn| {
        let (notes, bad) = (noted.clone(), bad.clone());
        async move {
            for schema in bad {
                let schema: ElicitationSchema = decode(&schema.to_string()).unwrap();
                notes.add(format!(
                    "{}",
                    matches!(turn.ask("?", schema).await, Err(Error::Invalid(_)))
                ));
            }
            let unknown =
                UnknownVariant { tag: "secret".into(), raw: json!({"type": "secret"}).into() };
            let mut schema = form();
            schema.properties.0.push(("s".into(), ElicitationPropertySchema::Unknown(unknown)));
            notes.add(format!("{}", matches!(turn.ask("?", schema).await, Err(Error::Invalid(_)))));
            for url in ["http://", "ftp://a.b", "https://user:pass@a.b/", "javascript:alert(1)"] {
                notes.add(format!(
                    "{}",
                    matches!(turn.elicit_url("?", url).await, Err(Error::Invalid(_)))
                ));
            }
            Ok(())
        }
    });
    let mut client = Client::with(author, both()).await;
    let session = client.session().await;
    client.turn(&session, "x").await;
    assert!(client.seen.is_empty());
    assert_eq!(notes.all(), vec!["true"; 10]);
}
