//! What asks, what is remembered, and that only what was allowed happens.

use crate::client::Client;
use crate::projects::{project, read, rust, write};
use serde_json::json;

const RENAME: &str = "rename Grid to Board in src/main.rs";

#[tokio::test]
async fn an_edit_is_shown_before_it_happens_and_happens_when_allowed_once() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["allow_once", "reject_once"]);
    let path = project.path().join("src/main.rs");
    let before = path.clone();
    client.meanwhile = Some(Box::new(move || {
        assert!(
            std::fs::read_to_string(&before)
                .is_ok_and(|text| text.contains("Grid::") || text.contains("Board::"))
        )
    }));
    let turn = client.prompt(RENAME).await;
    assert!(read(&project, "src/main.rs").contains("grid::Board::new"));
    let asked = &client.asked[0];
    let kinds: Vec<_> =
        asked["options"].as_array().unwrap().iter().map(|option| option["kind"].clone()).collect();
    assert_eq!(kinds, ["allow_once", "allow_always", "reject_once", "reject_always"]);
    let diff = &asked["toolCall"]["content"][0];
    assert_eq!((diff["type"].as_str(), diff["path"].as_str()), (Some("diff"), path.to_str()));
    assert!(
        diff["oldText"].as_str().unwrap().contains("Grid::")
            && diff["newText"].as_str().unwrap().contains("Board::")
    );
    assert_eq!(asked["toolCall"]["status"], "pending");
    assert_eq!(turn.titles().last().unwrap(), "completed Edit src/main.rs");
    // Once is once.
    client.prompt("rename Board to Grid in src/main.rs").await;
    assert_eq!(client.asked.len(), 2);
    assert!(read(&project, "src/main.rs").contains("grid::Board::new"));
}

#[tokio::test]
async fn a_rejected_edit_leaves_the_file_and_ends_the_turn_normally() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["reject_once"]);
    let turn = client.prompt("rename Grid to Board in src").await;
    assert_eq!(turn.stop_reason(), "end_turn");
    let text = turn.text();
    assert!(text.contains("Nothing was changed") && text.contains("the person rejected it"), "{text}");
    assert!(text.contains("Not tried: 1 more file."), "{text}");
    assert!(turn.titles().contains(&"failed Edit src/grid.rs".to_owned()), "{:?}", turn.titles());
    assert!(read(&project, "src/main.rs").contains("Grid") && read(&project, "src/grid.rs").contains("Grid"));
}

#[tokio::test]
async fn a_choice_for_always_is_remembered_in_its_session_only() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["allow_always"]);
    client.prompt("rename Grid to Board in src").await;
    client.prompt("rename Board to Table in src").await;
    assert_eq!(client.asked.len(), 1);
    assert!(read(&project, "src/grid.rs").contains("Table { size }"));
    assert_eq!(client.asked[0]["options"][1]["name"], "Always allow edits in this session");

    let mut client = Client::open(project.path()).await;
    client.choices.extend(["reject_always"]);
    client.prompt("rename Table to Grid in src").await;
    let turn = client.prompt("rename Table to Grid in src").await;
    assert_eq!(client.asked.len(), 1, "asked once in the new session, then never");
    assert!(turn.text().contains("were refused for the rest of this session"), "{}", turn.text());
    assert!(read(&project, "src/grid.rs").contains("Table { size }"));
}

#[tokio::test]
async fn a_command_allowed_always_is_that_program_alone() {
    let project = project(&[]);
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["allow_always", "reject_once"]);
    client.prompt("run touch a").await;
    assert_eq!(
        client.asked[0]["options"][1]["name"],
        "Always allow commands that start with `touch` in this session"
    );
    client.prompt("run touch b").await;
    assert_eq!(client.asked.len(), 1);
    let turn = client.prompt("run touch c; touch d").await;
    assert_eq!((client.asked.len(), turn.stop_reason()), (2, "end_turn"));
    assert_eq!(
        client.asked[1]["options"][1]["name"],
        "Always allow exactly `touch c; touch d` in this session"
    );
    let there = ["a", "b", "c", "d"].map(|name| project.path().join(name).exists());
    assert_eq!(there, [true, true, false, false]);
}

#[tokio::test]
async fn an_answer_that_was_not_offered_allows_nothing() {
    let project = project(&[]);
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["zzz"]);
    let turn = client.prompt("run touch a").await;
    assert_eq!(turn.stop_reason(), "end_turn");
    assert!(turn.text().contains("nobody allowed it"), "{}", turn.text());
    assert!(!project.path().join("a").exists());
}

#[tokio::test]
async fn each_mode_lets_run_what_it_says() {
    for (mode, edits, commands) in [("edit", true, false), ("auto", true, true), ("plan", false, false)] {
        let project = rust();
        let mut client = Client::open(project.path()).await;
        client.set("mode", mode).await;
        if mode == "edit" {
            client.choices.extend(["reject_once"]);
        }
        let edit = client.prompt(RENAME).await;
        let command = client.prompt("run touch made").await;
        assert_eq!(read(&project, "src/main.rs").contains("Board"), edits, "{mode}");
        assert_eq!(project.path().join("made").exists(), commands, "{mode}");
        assert_eq!(client.asked.len(), usize::from(mode == "edit"), "{mode}");
        if mode == "plan" {
            for turn in [edit, command] {
                assert!(
                    turn.text().contains("mode is Plan") && turn.stop_reason() == "end_turn",
                    "{}",
                    turn.text()
                );
            }
        }
    }
}

#[tokio::test]
async fn cancelling_while_asked_ends_the_turn_and_changes_nothing() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["cancel"]);
    let turn = client.prompt(RENAME).await;
    assert_eq!(turn.stop_reason(), "cancelled");
    assert_eq!(turn.titles().last().unwrap(), "failed Edit src/main.rs");
    assert!(read(&project, "src/main.rs").contains("Grid"));
    client.choices.extend(["allow_once"]);
    assert_eq!(client.prompt(RENAME).await.stop_reason(), "end_turn");
    assert!(read(&project, "src/main.rs").contains("Board"));
}

#[tokio::test]
async fn an_edit_allowed_for_another_content_is_not_made() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["allow_once"]);
    let folder = project.path().to_owned();
    client.meanwhile =
        Some(Box::new(move || write(&folder, "src/main.rs", "Grid, saved by somebody else\n")));
    let turn = client.prompt(RENAME).await;
    assert!(turn.text().contains("changed meanwhile and was left alone"), "{}", turn.text());
    assert_eq!(read(&project, "src/main.rs"), "Grid, saved by somebody else\n");
}

#[tokio::test]
async fn unsaved_text_is_read_and_written_through_the_client() {
    let project = rust();
    let capabilities = json!({ "fs": { "readTextFile": true, "writeTextFile": true } });
    let mut client =
        Client::open_with(capabilities, json!({ "cwd": project.path(), "mcpServers": [] })).await;
    let path = project.path().join("src/main.rs").to_str().unwrap().to_owned();
    client.buffers.insert(path.clone(), "unsaved Grid\r\n".to_owned());
    assert!(client.prompt("show src/main.rs").await.text().contains("unsaved Grid"));
    client.choices.extend(["allow_once"]);
    client.prompt(RENAME).await;
    assert_eq!(client.buffers[&path], "unsaved Board\r\n");
    assert!(read(&project, "src/main.rs").contains("grid::Grid::new"), "saving is the client's");
}
