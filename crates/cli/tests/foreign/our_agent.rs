//! Whole programs: the official clients drive `attache agent` with its verbs on real files.

use crate::peers::{Agent, Client};
use crate::process::{Ended, run};
use crate::project::Project;
use serde_json::{Value, json};

const SCRIPT: &str = "
prompt help
prompt show notes.txt
permission reject_once
prompt run touch rejected.txt
permission allow_once
prompt run touch allowed.txt
permission allow_always
prompt rename one to ONE in notes.txt
permission reject_once
prompt rename two to TWO in notes.txt
permission allow_once
mode auto
prompt run touch free.txt
config mode ask
bool show_thoughts false
permission wait
prompt-cancel permission run touch never.txt
mode auto
prompt-cancel update run sleep 600
prompt where is total used
";

async fn drives(client: Client, script: &str, project: &Project) -> Ended {
    run(&client.with_script(&Agent::ours().command, project, script)).await
}

async fn works_through_the_script(client: Client) {
    let project = Project::new();
    let ended = drives(client, SCRIPT, &project).await;
    assert_eq!(ended.code(), 0, "every call is answered and every update decoded: {ended:?}");
    let events = ended.events();

    let stops = ["end_turn"; 7].into_iter().chain(["cancelled", "cancelled", "end_turn"]);
    assert_eq!(events.member("stop", "stopReason"), stops.collect::<Vec<_>>(), "{ended:?}");
    assert!(project.file("allowed.txt").exists() && project.file("free.txt").exists());
    assert!(!project.file("rejected.txt").exists() && !project.file("never.txt").exists());
    assert_eq!(
        project.text("notes.txt"),
        "ONE\nTWO\nthree\n",
        "the first answer covers the second rename"
    );

    let mut answers: Vec<_> = events
        .member("permission", "outcome")
        .iter()
        .map(|outcome| outcome["optionId"].as_str())
        .collect();
    // Without a sandbox the agent asks before the command in the mode `auto` too.
    if answers.len() == 5 {
        assert_eq!(answers.remove(3), Some("allow_once"));
    }
    let wanted = [Some("reject_once"), Some("allow_once"), Some("allow_session"), None];
    assert_eq!(answers, wanted, "asked when it must be, and only then");
    let paths = |name| events.member(name, "path");
    let notes = json!(project.file("notes.txt"));
    assert!(
        paths("read").contains(&&notes) && paths("write").contains(&&notes),
        "files go through the client: {ended:?}"
    );

    let modes: Vec<_> = events
        .updates("current_mode_update")
        .iter()
        .map(|update| &update["currentModeId"])
        .collect();
    assert_eq!(modes, ["auto", "ask", "auto"], "modes and options in step: {ended:?}");
    for options in events.member("config", "configOptions") {
        let option = options.as_array().unwrap().iter().find(|option| option["id"] == "mode");
        assert_eq!(option.unwrap()["currentValue"], "ask");
    }
    assert_eq!(events.updates("session_info_update")[0]["title"], "help");
    assert!(
        events
            .updates("usage_update")
            .iter()
            .all(|usage| usage["size"] == 32768 && usage["used"].as_u64() > Some(0))
    );
    shows_its_tool_calls(
        &events.updates("tool_call"),
        &events.updates("tool_call_update"),
        &project,
    );
}

/// Each call is announced once, ends with one final status, and has absolute paths (TOOL-02,
/// TOOL-07, TOOL-10).
fn shows_its_tool_calls(calls: &[&Value], updates: &[&Value], project: &Project) {
    let id = |update: &Value| update["toolCallId"].as_str().unwrap().to_owned();
    let mut ids: Vec<_> = calls.iter().map(|call| id(call)).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), calls.len(), "every tool call has its own id");
    for call in calls {
        let statuses =
            updates.iter().filter(|update| id(update) == id(call)).map(|update| &update["status"]);
        let last = statuses.filter(|status| {
            ["completed", "failed"].contains(&status.as_str().unwrap_or_default())
        });
        assert_eq!(last.count(), 1, "{call}");
    }
    for update in calls.iter().chain(updates) {
        for location in update["locations"].as_array().into_iter().flatten() {
            assert!(location["path"].as_str().unwrap().starts_with('/'), "{update}");
            assert!(location["line"].is_null() || location["line"].as_u64() >= Some(1), "{update}");
        }
    }
    let contents =
        calls.iter().chain(updates).flat_map(|update| update["content"].as_array()).flatten();
    let diffs: Vec<_> = contents.filter(|content| content["type"] == "diff").collect();
    let notes = json!(project.file("notes.txt"));
    let first = diffs.iter().find(|diff| diff["newText"] == "ONE\ntwo\nthree\n").unwrap();
    assert_eq!((&first["path"], &first["oldText"]), (&notes, &json!("one\ntwo\nthree\n")));
}

#[tokio::test]
async fn the_official_rust_client_works_with_our_agent() {
    works_through_the_script(Client::OfficialRust).await;
}

#[tokio::test]
async fn the_official_typescript_client_works_with_our_agent() {
    works_through_the_script(Client::OfficialTs).await;
}

#[tokio::test]
async fn wrong_settings_are_refused_and_the_session_continues() {
    for client in [Client::OfficialRust, Client::OfficialTs] {
        let project = Project::new();
        let script = "mode bogus\nconfig mode bogus\nconfig bogus ask\nbool mode true\nprompt help";
        let ended = drives(client, script, &project).await;
        let events = ended.events();
        assert_eq!(ended.code(), 1, "{ended:?}");
        assert_eq!(events.member("error", "code"), [-32602; 4], "{ended:?}");
        assert_eq!(events.member("stop", "stopReason"), ["end_turn"], "{ended:?}");
    }
}
