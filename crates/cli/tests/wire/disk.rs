//! A full disk: the agent reports it, and continues when there is room again.

use crate::agent::{Agent, end, is_update, said, update};
use crate::model::{Answer, Model, text, tool};
use serde_json::json;
use std::fs;

/// The tool call fails with a message for the person and the model. The file is unchanged, no
/// temporary file is left, and the next turn succeeds.
#[test]
fn a_tool_call_on_a_full_disk_fails_with_the_reason() {
    let read = tool("read", &json!({ "path": "large.txt", "limit": 5 }));
    let edit = tool(
        "edit",
        &json!({ "path": "large.txt", "replacements": [{ "old": "line 1\n", "new": "first\n" }] }),
    );
    let answers = [read, edit.clone(), text("There is no room."), edit, text("Done.")];
    let model = Model::start(answers.map(Answer::Whole));
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let file = agent.path().join("large.txt");
    let before: String = (0..150_000).map(|number| format!("line {number}\n")).collect();
    fs::write(&file, &before).unwrap();
    let session = agent.session("edit");
    agent.largest_file(Some(1_000_000));
    let id = agent.prompt(&session, "change the first line");
    let turn = agent.turn(id);
    assert_eq!(
        (end(&turn).as_str(), said(&turn).as_str()),
        ("end_turn", "There is no room."),
        "{turn:?}"
    );
    let updates = turn.iter().map(|line| &line.message);
    let failed: Vec<_> = updates
        .filter(|message| {
            is_update(message, "tool_call_update") && update(message)["status"] == "failed"
        })
        .map(|message| update(message)["content"].to_string())
        .collect();
    assert!(
        failed.len() == 1 && failed[0].contains("there is no room for large.txt"),
        "{failed:?}"
    );
    let (_, _, told) = (model.asked(), model.asked(), model.asked());
    assert!(told["messages"].to_string().contains("there is no room for large.txt"), "{told}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    assert_eq!(fs::read_dir(agent.path()).unwrap().count(), 1, "no temporary file is left");

    agent.largest_file(None);
    let id = agent.prompt(&session, "once more");
    assert_eq!(said(&agent.turn(id)), "Done.");
    assert!(fs::read_to_string(&file).unwrap().starts_with("line 0\nfirst\n"));
}

/// A turn that cannot be stored fails, and the reply has the reason. The session continues, and the
/// text of the failed turn is stored with the next one.
#[test]
fn a_store_on_a_full_disk_is_reported_and_the_session_continues() {
    let model = Model::start(["One.", "Two.", "Three."].map(|words| Answer::Whole(text(words))));
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let session = agent.session("ask");
    let id = agent.prompt(&session, "first");
    assert_eq!(end(&agent.turn(id)), "end_turn");
    agent.largest_file(Some(0));
    let id = agent.prompt(&session, "second");
    let turn = agent.turn(id);
    assert!(
        end(&turn).contains(
            "cannot be written (disk I/O error): check whether its disk or your quota is full"
        ),
        "{turn:?}"
    );
    agent.largest_file(None);
    let id = agent.prompt(&session, "third");
    assert_eq!(end(&agent.turn(id)), "end_turn");

    let mut agent = agent.killed_and_started_again(Some(&model.url));
    let cwd = agent.path().to_owned();
    let load =
        agent.begin("session/load", json!({ "sessionId": session, "cwd": cwd, "mcpServers": [] }));
    let replayed = agent.turn(load);
    assert_eq!(said(&replayed), "One.Two.Three.");
}
