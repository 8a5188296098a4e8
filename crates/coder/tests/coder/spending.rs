//! The cost of a session, and the usage that follows from the model.

use crate::client::{Client, Turn};
use crate::projects::project;
use crate::provider::{
    anthropic, anthropic_at, anthropic_begin, chat_at, text, thinking, tool_use, variables,
};
use crate::server::{Reply, Server};
use attache_coder::{Coder, Models};
use serde_json::{Value, json};
use std::path::Path;

/// A model whose prices are known, and one with another window and without prices.
fn coder(url: &str) -> Coder {
    let prices = json!({ "input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75 });
    let own = json!({ "models": [
        { "provider": "anthropic", "name": "priced", "title": "Priced", "window": 100_000,
          "max_output": 500, "prices": prices },
        { "provider": "anthropic", "name": "unpriced", "title": "Unpriced", "window": 200_000,
          "max_output": 500 },
    ] });
    let given = [
        anthropic_at(url),
        variables(&[("ATTACHE_MODEL", "anthropic/priced"), ("ATTACHE_TITLES", "off")]),
    ]
    .concat();
    let environment =
        |name: &str| given.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
    Coder::with(Models::of(&environment, Some(&own.to_string())).unwrap())
}

async fn open(server: &Server, cwd: &Path) -> Client {
    let session = json!({ "cwd": cwd, "mcpServers": [] });
    let capabilities = json!({ "session": { "notices": {} } });
    Client::serve_author(coder(&server.url), capabilities, session).await
}

async fn set_model(client: &mut Client, model: &str) -> Turn {
    let params = json!({ "sessionId": client.session, "configId": "model", "value": model });
    client.call("session/set_config_option", params).await
}

fn answer() -> Reply {
    anthropic(&[text("fine")], "end_turn")
}

/// The last cost that the client received in this turn.
fn cost(turn: &Turn) -> Value {
    turn.all("usage_update").last().unwrap()["cost"]["amount"].clone()
}

/// USE-04: a call without a known price does not hide the known cost. The person is told once.
#[tokio::test]
async fn known_cost_stays_after_a_call_without_a_price() {
    let server = Server::start((0..4).map(|_| answer()).collect()).await;
    let project = project(&[]);
    let mut client = open(&server, project.path()).await;
    // 10 tokens read, 5 from the cache, 7 written: (10 × 3 + 5 × 0.3 + 7 × 15) / 1,000,000.
    assert_eq!(cost(&client.prompt("one").await), json!(0.0001365));
    set_model(&mut client, "anthropic/unpriced").await;
    let turn = client.prompt("two").await;
    assert_eq!(cost(&turn), json!(0.0001365));
    let told = turn.all("notice");
    let expected = "The cost of the session does not include the calls of Unpriced";
    assert_eq!((told.len(), &told[0]["title"]), (1, &json!(expected)));
    assert_eq!(client.prompt("three").await.all("notice").len(), 0);
    let said = client.prompt("/usage").await.text();
    let row = "| Cost so far | at least 0.0001 USD: the calls of Unpriced are not included |";
    assert!(said.contains(row), "{said}");
    set_model(&mut client, "anthropic/priced").await;
    assert_eq!(cost(&client.prompt("four").await), json!(0.000273));
}

/// A session whose costs are all unknown has no cost that could be too low.
#[tokio::test]
async fn nothing_is_said_while_no_cost_is_shown() {
    let server = Server::start(vec![answer(), answer()]).await;
    let project = project(&[]);
    let mut client = open(&server, project.path()).await;
    set_model(&mut client, "anthropic/unpriced").await;
    let turn = client.prompt("one").await;
    assert_eq!((cost(&turn), turn.all("notice").len()), (Value::Null, 0));
    set_model(&mut client, "anthropic/priced").await;
    let turn = client.prompt("two").await;
    assert_eq!((cost(&turn), turn.all("notice").len()), (json!(0.0001365), 1), "{turn:?}");
}

/// Thoughts without an answer cost too.
#[tokio::test]
async fn answer_of_thoughts_alone_is_charged() {
    let thoughts = anthropic(&[thinking("hm", "s")], "end_turn");
    let server = Server::start(vec![thoughts, answer()]).await;
    let project = project(&[]);
    let mut client = open(&server, project.path()).await;
    let turn = client.prompt("one").await;
    assert!(turn.result.to_string().contains("empty response"), "{turn:?}");
    assert_eq!(cost(&turn), json!(0.0001365));
    assert_eq!(cost(&client.prompt("two").await), json!(0.000273));
}

/// A gateway may state the cost of a model whose window is unknown.
#[tokio::test]
async fn stated_cost_is_reported_without_a_window() {
    let choice = json!({ "index": 0, "delta": { "content": "one" }, "finish_reason": "stop" });
    let reply = |cost: Value| {
        let usage = json!({ "prompt_tokens": 20, "completion_tokens": 4, "cost": cost });
        let event = json!({ "choices": [choice], "usage": usage });
        Reply::stream(&format!("data: {event}\n\ndata: [DONE]\n\n"))
    };
    let server = Server::start(vec![reply(json!(0.25)), reply(json!(0.5)), reply(json!(0))]).await;
    let project = project(&[]);
    let model = variables(&[("ATTACHE_MODEL", "openai/next-big-thing")]);
    let mut client =
        crate::provider::open(project.path(), &[chat_at(&server.url), model].concat()).await;
    for dollars in [0.25, 0.75] {
        let turn = client.prompt("go").await;
        assert_eq!(cost(&turn), json!(dollars));
        let usage = turn.all("usage_update")[0];
        assert!(usage["used"] == 24 && usage["size"].as_u64().unwrap() > 24, "{usage}");
    }
    assert!(client.prompt("go").await.all("usage_update").is_empty(), "the cost is the same");
}

/// The costs of two subagents, of an answer that was cut off, and of an answer with several usage
/// events add up.
#[tokio::test]
async fn costs_of_all_calls_add_up() {
    let task = |id: &str| tool_use(id, "task", json!({ "title": "Look", "prompt": "Look at it." }));
    let delta = |tokens: u64, reason: Value| {
        let usage = json!({ "output_tokens": tokens });
        let delta =
            json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": usage });
        format!("event: message_delta\ndata: {delta}\n\n")
    };
    let several = [
        anthropic_begin(&[text("a report")]),
        delta(3, Value::Null),
        delta(5, Value::Null),
        delta(9, json!("end_turn")),
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n".to_owned(),
    ];
    let replies = vec![
        anthropic(&[task("t1"), task("t2")], "tool_use"),
        Reply::broken(&anthropic_begin(&[text("half a rep")])),
        Reply::stream(&several.concat()),
        anthropic(&[text("another report")], "end_turn"),
        answer(),
    ];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(&server, project.path()).await;
    let turn = client.prompt("go").await;
    assert_eq!(turn.stop_reason(), "end_turn", "{turn:?}");
    // Each call reads 10 tokens and 5 from the cache, and writes 7, 1, 9, 7 and 7 tokens:
    // (5 × (10 × 3 + 5 × 0.3) + 31 × 15) / 1,000,000.
    assert_eq!(cost(&turn), json!(0.0006225));
    let usage = &turn.result["result"]["usage"];
    assert_eq!((&usage["inputTokens"], &usage["outputTokens"]), (&json!(50), &json!(31)));
}

/// USE-03: the size of the window follows from the model, so the client gets it when the model
/// changes, by the option or by the command.
#[tokio::test]
async fn usage_follows_the_model() {
    let server = Server::start(vec![answer()]).await;
    let project = project(&[]);
    let mut client = open(&server, project.path()).await;
    let usages = |turn: &Turn| -> Vec<Value> {
        let all = turn.all("usage_update").into_iter();
        all.map(|usage| json!([usage["used"], usage["size"]])).collect()
    };
    let nothing: [Value; 0] = [];
    assert_eq!(usages(&set_model(&mut client, "anthropic/unpriced").await), nothing);
    assert_eq!(usages(&set_model(&mut client, "anthropic/priced").await), nothing);
    assert_eq!(usages(&client.prompt("one").await), [json!([22, 100_000])]);
    let changed = set_model(&mut client, "anthropic/unpriced").await;
    assert_eq!(usages(&changed), [json!([22, 200_000])]);
    assert_eq!(usages(&set_model(&mut client, "anthropic/unpriced").await), nothing);
    set_model(&mut client, "anthropic/priced").await;
    let changed = client.prompt("/model anthropic/unpriced").await;
    assert_eq!(usages(&changed), [json!([22, 200_000])], "{changed:?}");
}
