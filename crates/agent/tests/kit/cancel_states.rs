//! A cancel in every state a turn can be in.

use super::client::cancel;
use super::{Client, Notes, acts};
use attache_agent::{Author, Result, ToolKind, Turn};
use attache_protocol::decode;
use serde_json::{Value, json};

/// The states, each with the message that shows that the turn has reached it. The state before the
/// first byte has no such message.
const STATES: &[(&str, Option<&str>)] = &[
    ("before the first byte", None),
    ("streaming", Some("session/update")),
    ("in a tool", Some("session/update")),
    ("at a permission", Some("session/request_permission")),
    ("in an elicitation", Some("elicitation/create")),
    ("at a page", Some("elicitation/create")),
    ("reading", Some("fs/read_text_file")),
    ("writing", Some("fs/write_text_file")),
    ("creating a terminal", Some("terminal/create")),
    ("in a subagent", Some("session/update")),
    ("compacting", Some("session/update")),
];

fn author(notes: &Notes) -> impl Author {
    let notes = notes.clone();
    acts(move |turn| {
        let notes = notes.clone();
        async move {
            notes.add(format!("began {}", turn.text()));
            let outcome = play(&turn).await;
            notes.add(format!("{outcome:?}"));
            outcome
        }
    })
}

async fn play(turn: &Turn) -> Result<()> {
    match turn.text() {
        "streaming" => loop {
            turn.say("word ").await?;
            tokio::task::yield_now().await;
        },
        "in a tool" => {
            let _call = turn.tool_call("Endless", ToolKind::Execute).start().await?;
            turn.cancelled().await;
        }
        "at a permission" => {
            let call = turn.tool_call("Delete", ToolKind::Delete).announce().await?;
            turn.allowed(&call).await?;
        }
        "in an elicitation" => {
            let form = decode(r#"{"type":"object","properties":{}}"#).unwrap();
            turn.elicit("Which?", form).await?;
        }
        "at a page" => drop(turn.elicit_url("Log in", "https://example.com").await?),
        "reading" => drop(turn.read_text_file("/a", None, None).await?),
        "writing" => turn.write_text_file("/a", "b").await?,
        "creating a terminal" => drop(turn.terminal("x").create().await?),
        "in a subagent" => {
            let child = turn.subagent("Child", "").await?;
            let _call = child.turn().tool_call("Endless", ToolKind::Execute).start().await?;
            child.turn().cancelled().await;
        }
        "compacting" => {
            let _compaction = turn.compaction().await?;
            turn.cancelled().await;
        }
        _ => turn.cancelled().await,
    }
    turn.say("too late").await
}

fn everything() -> Value {
    json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true, "subagents": {},
        "elicitation": {"form": {}, "url": {}}, "session": {"compaction": {}}})
}

/// CANCEL-02, CANCEL-04, CANCEL-11, CANCEL-20, CANCEL-22, TOOL-09, PROMPT-08.
#[tokio::test(start_paused = true)]
async fn a_cancel_in_every_state_ends_the_turn_as_cancelled() {
    for (state, shown) in STATES {
        for by_request in [false, true] {
            let notes = Notes::default();
            let mut client = Client::with(author(&notes), everything()).await;
            let session = client.session().await;
            let turn = client.prompt(&session, state).await;
            let call = match shown {
                Some(method) => Some(client.arrives(method).await),
                None => None,
            };
            let queued = client.prompt(&session, "queued").await;
            client.settle().await;
            let request = |id: i64| json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": id}});
            let messages = match by_request {
                false => vec![cancel(&session); 3],
                true => vec![request(turn), request(queued), request(turn)],
            };
            client.send(&messages).await;
            let mut open = call.filter(|call| call["id"].is_number());
            for id in [turn, queued] {
                let reply = client.reply(id).await;
                assert_eq!(reply["result"]["stopReason"], "cancelled", "{state}: {reply}");
            }
            assert!(!notes.all().contains(&"began queued".to_owned()), "{state}");
            assert_eq!(notes.all()[1], "Err(Cancelled)", "{state}");
            let updates = client.updates();
            let last = |key: &str| {
                updates
                    .iter()
                    .rfind(|update| update["status"].is_string())
                    .map(|update| update[key].clone())
            };
            match *state {
                "in a tool" | "at a permission" | "in a subagent" => {
                    assert_eq!(last("status").unwrap(), "failed", "{state}");
                }
                "compacting" => assert_eq!(last("status").unwrap(), "cancelled"),
                _ => {}
            }
            if let Some(call) = open.take() {
                let withdrawn = client.arrives("$/cancel_request").await;
                assert_eq!(withdrawn["params"]["requestId"], call["id"], "{state}");
                // A late answer changes nothing.
                client.refuse(&call, -32800).await;
            }
            client.settle().await;
            assert!(client.seen.is_empty(), "{state}: {:?}", client.seen);
        }
    }
}
