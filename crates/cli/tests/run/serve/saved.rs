//! Files of an earlier build through the hub: it lists, loads and continues the sessions.

use super::client::{Client, is_answer};
use super::hub::Home;
use crate::saved::{copy_home, moved, moved_folder};
use serde_json::{Value, json};
use std::fs;

/// The session in the saved store.
const SESSION: &str = "c5776501-17cd-401b-8bc9-80af8a149f44";

/// Returns the current value of a config option.
fn option<'a>(options: &'a Value, id: &str) -> &'a Value {
    let mut options = options.as_array().unwrap().iter();
    &options.find(|option| option["id"] == id).unwrap()["currentValue"]
}

#[test]
fn the_hub_continues_a_session_of_an_earlier_build() {
    let (home, folder) = (Home::new(), moved_folder());
    copy_home("config/attache", &home.path().join(".no-settings/attache"));
    let store = moved("home/data/attache/sessions.db", folder.path());
    fs::write(home.path().join("sessions.db"), store).unwrap();
    let mut client = Client::start(&home, &["--agent", "attache"]);
    // On a busy machine, the agent may start too slowly for the first list.
    let mut lists = (0..10).map(|_| client.call("session/list", json!({ "cwd": folder.path() })));
    let listed = lists.find(|listed| listed["sessions"] != json!([])).expect("a session");
    let sessions = listed["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 1, "{listed}");
    assert_eq!(
        (&sessions[0]["title"], &sessions[0]["cwd"]),
        (&json!("Renaming total"), &json!(folder.path()),)
    );
    let session = sessions[0]["sessionId"].as_str().unwrap().to_owned();
    assert!(session.contains(SESSION), "{session}");

    let about = json!({ "sessionId": session, "cwd": folder.path(), "mcpServers": [] });
    let loading = client.send("session/load", about);
    let mut replayed = Vec::new();
    let loaded = loop {
        let message = client.until(|_| true);
        if message["id"] == loading && message["method"].is_null() {
            break message["result"].clone();
        }
        replayed.push(message["params"]["update"].clone());
    };
    let has = |kind: &str, text: &str| {
        let mut updates = replayed.iter().filter(|update| update["sessionUpdate"] == kind);
        updates.any(|update| update.to_string().contains(text))
    };
    assert!(has("user_message_chunk", "rename total to sum in main.rs"), "{replayed:#?}");
    assert!(has("tool_call", "Edit main.rs"), "{replayed:#?}");
    assert!(has("agent_message_chunk", "is now `sum`"), "{replayed:#?}");
    assert!(has("usage_update", "32768"), "{replayed:#?}");
    let options = &loaded["configOptions"];
    assert_eq!(option(options, "mode"), "edit");
    // The client does not offer options with two states, so it gets a choice.
    assert_eq!(option(options, "show_thoughts"), "false");

    let turn = client.prompt(&session, "show README.md");
    let answer = client.until(is_answer);
    assert!(!answer["params"]["update"]["content"]["text"].is_null(), "{answer}");
    assert_eq!(client.result(turn)["stopReason"], "end_turn");
    client.end();
}
