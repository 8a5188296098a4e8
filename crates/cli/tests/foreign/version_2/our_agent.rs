//! The official clients of version 2 drive `attache agent` with its verbs on real files.

use super::Recording;
use crate::peers::{ATTACHE, Client};
use crate::process::{Ended, run};
use crate::project::{Project, text};
use serde_json::{Value, json};

const CLIENTS: [Client; 2] = [Client::OfficialRustV2, Client::OfficialTsV2];

const SCRIPT: &str = "
prompt help
prompt show notes.txt
permission reject_once
prompt run touch rejected.txt
permission allow_once
prompt run touch allowed.txt
permission allow_always
prompt rename one to ONE in notes.txt
mode auto
config mode ask
bool show_thoughts false
permission wait
prompt-cancel permission run touch never.txt
mode auto
permission allow_once
prompt-cancel update run sleep 600
prompt-cancel-call run sleep 600
prompt where is total used
list
";

/// Returns the command of our agent, with a store for its sessions.
fn our_agent(project: &Project) -> Vec<String> {
    let store = text(project.beside("sessions"));
    [ATTACHE, "agent", "--store", &store].map(str::to_owned).to_vec()
}

/// Runs a script in the session that `opening` names, and checks the recording.
async fn drives(client: Client, project: &Project, opening: &[&str], script: &str) -> Ended {
    let recording = Recording::new(project);
    let agent = recording.of(&our_agent(project));
    let ended = run(&client.in_session(opening, &agent, project, script)).await;
    recording.keeps_every_rule().await;
    ended
}

async fn works_through_the_script(client: Client) {
    let project = Project::new();
    let ended = drives(client, &project, &[], SCRIPT).await;
    assert_eq!(ended.code(), 0, "every call is answered and every update decoded: {ended:?}");
    let events = ended.events();

    let stops = ["end_turn"; 5].into_iter().chain(["cancelled", "cancelled"]);
    let stops = stops.chain(["end_turn", "end_turn"]);
    assert_eq!(events.member("stop", "stopReason"), stops.collect::<Vec<_>>(), "{ended:?}");
    let mut echoed = events.updates("user_message").into_iter().map(|update| &update["messageId"]);
    for accepted in events.member("accepted", "messageId") {
        assert_eq!(Some(accepted), echoed.next(), "each prompt is echoed once: {ended:?}");
    }
    assert!(project.file("allowed.txt").exists());
    assert!(!project.file("rejected.txt").exists() && !project.file("never.txt").exists());
    assert_eq!(project.text("notes.txt"), "ONE\ntwo\nthree\n");

    let permissions = events.of("permission");
    assert_eq!(permissions[0]["title"], "Run touch rejected.txt");
    assert!(permissions.iter().all(|asked| asked["subject"]["type"] == "tool_call"), "{ended:?}");
    let answers: Vec<_> =
        permissions.iter().map(|asked| asked["outcome"]["optionId"].as_str()).collect();
    let wanted = [Some("reject_once"), Some("allow_once"), Some("allow_session"), None];
    assert_eq!(answers[..4], wanted, "{ended:?}");
    let states = events.member("state", "state");
    assert!(states.contains(&&json!("requires_action")), "{ended:?}");
    assert_eq!(states.iter().filter(|state| **state == "idle").count(), 9, "{ended:?}");

    let modes = events.of("mode").len() + events.of("config").len();
    assert_eq!(modes, 4, "{ended:?}");
    let options = events.member("options", "options");
    let last = options.last().unwrap().as_array().unwrap();
    let current = |id: &str| {
        last.iter().find(|option| option["configId"] == id).unwrap()["currentValue"].clone()
    };
    assert_eq!((current("mode"), current("show_thoughts")), (json!("auto"), json!(false)));
    let session = events.of("session")[0]["sessionId"].clone();
    assert_eq!(events.of("sessions")[0]["sessions"][0]["sessionId"], session);
    shows_its_tool_calls(&ended, &project);
}

/// Each call ends with one final status. The edit has a patch, and the call that the client
/// cancelled ends as cancelled while its turn goes on.
fn shows_its_tool_calls(ended: &Ended, project: &Project) {
    let events = ended.events();
    let updates = events.updates("tool_call_update");
    let is_final = |update: &Value| {
        ["completed", "failed", "cancelled"].iter().any(|end| update["status"] == *end)
    };
    for update in &updates {
        let id = &update["toolCallId"];
        let ends = updates.iter().filter(|other| other["toolCallId"] == *id && is_final(other));
        assert_eq!(ends.count(), 1, "{update}");
    }
    let contents = updates.iter().flat_map(|update| update["content"].as_array()).flatten();
    let diff = contents.clone().find(|content| content["type"] == "diff").unwrap();
    let notes = text(project.file("notes.txt"));
    assert_eq!(
        (&diff["changes"][0]["operation"], &diff["changes"][0]["path"]),
        (&json!("modify"), &json!(notes))
    );
    assert_eq!(diff["patch"]["format"], "git_patch");
    let patch = diff["patch"]["text"].as_str().unwrap();
    assert!(
        patch.contains(&format!("--- {notes}\n")) && patch.contains("\n-one\n+ONE\n"),
        "{patch}"
    );

    assert_eq!(events.of("call-cancelled").len(), 1, "{ended:?}");
    let cancelled = updates.iter().rev().find(|update| update["status"] == "cancelled").unwrap();
    let mut shown = events.of("call").into_iter().rev();
    let shown = shown.find(|call| call["toolCallId"] == cancelled["toolCallId"]).unwrap();
    assert_eq!((&shown["title"], &shown["status"]), (&json!("Run sleep 600"), &json!("cancelled")));
}

#[tokio::test]
async fn the_official_rust_client_works_with_our_agent_on_version_2() {
    works_through_the_script(Client::OfficialRustV2).await;
}

#[tokio::test]
async fn the_official_typescript_client_works_with_our_agent_on_version_2() {
    works_through_the_script(Client::OfficialTsV2).await;
}

#[tokio::test]
async fn a_resumed_session_is_replayed_when_the_client_asks() {
    for client in CLIENTS {
        let project = Project::new();
        let ended = drives(client, &project, &[], "prompt show notes.txt\nclose").await;
        assert_eq!(ended.code(), 0, "{ended:?}");
        let events = ended.events();
        let id = events.of("session")[0]["sessionId"].as_str().unwrap().to_owned();
        let messages = events.of("messages")[0].clone();

        let ended = drives(client, &project, &["--load", &id], "prompt show notes.txt").await;
        assert_eq!(ended.code(), 0, "{ended:?}");
        let again = ended.events();
        assert_eq!(*again.of("messages")[0], messages, "{}: {ended:?}", client.name());
        let before = |name: &str| {
            let opened = again.all().iter().position(|event| event["event"] == "session").unwrap();
            again.all()[..opened].iter().filter(|event| event["event"] == name).count()
        };
        assert!(before("call") > 0 && before("state") == 1, "{ended:?}");

        let ended = drives(client, &project, &["--resume", &id], "list").await;
        assert_eq!(ended.code(), 0, "{ended:?}");
        let events = ended.events();
        assert_eq!(events.updates("user_message").len(), 0, "{ended:?}");
        assert_eq!(events.member("state", "state"), ["idle"], "{ended:?}");
        assert_eq!(events.of("sessions")[0]["sessions"][0]["sessionId"], id);
    }
}
