//! Reviews, decisions, and going back.

use crate::attached::{Client, Shared, shared_with};
use crate::started::idle;
use attache_checkpoint::{Store, StoreOptions};
use attache_client::{CheckpointOptions, HubOptions};
use attache_serve::Scope;
use attache_session::MemoryStore;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A hub with checkpoints, whose store is in a folder of its own.
struct Kept {
    it: Shared,
    _store: tempfile::TempDir,
}

impl Kept {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoints");
        let store = Store::open(&path, StoreOptions::default()).unwrap();
        let checkpoints = CheckpointOptions::new(store).wait(Duration::from_secs(20));
        let options =
            HubOptions::default().store(Arc::new(MemoryStore::default())).checkpoints(checkpoints);
        let it = shared_with(options, json!({}), json!({ "sessionId": "s1" })).await;
        Self { it, _store: folder }
    }

    /// Runs a turn in which `work` changes files.
    async fn turn(&mut self, prompt: &str, work: impl FnOnce(&Path)) {
        self.it.session.send(prompt).unwrap();
        let (call, _) = self.it.agent.prompted().await;
        work(self.it.folder.path());
        let before = self.it.session.checkpoints().await.unwrap().len();
        self.it.agent.end_turn(&call).await;
        idle(&self.it.session).await;
        while self.it.session.checkpoints().await.unwrap().len() == before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.it.folder.path().join(name)).ok()
    }
}

fn with(more: Value) -> Value {
    let mut params = json!({ "agent": "a", "sessionId": "s1" });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    params
}

/// Asks for a preview.
async fn previewed(client: &mut Client, goal: Value, force: bool) -> Value {
    let params = with(json!({ "goal": goal, "force": force }));
    client.call("_attache/restore_preview", params).await.unwrap()
}

async fn confirmed(client: &mut Client, preview: &Value, what: &str) -> Result<Value, Value> {
    let params = json!({ "preview": preview["preview"], "what": what });
    client.call("_attache/restore", params).await
}

#[tokio::test]
async fn hunks_are_reviewed_accepted_commented_and_rejected() {
    let mut kept = Kept::new().await;
    kept.turn("make", |folder| {
        fs::write(folder.join("a"), "one\n").unwrap();
        fs::write(folder.join("b"), "two\n").unwrap();
    })
    .await;
    let mut watcher = kept.it.device(Scope::Watch);
    let review = watcher.call("_attache/review", with(json!({}))).await.unwrap();
    assert_eq!(review["files"][0]["change"]["path"][0]["text"], "a");
    assert_eq!(review["files"][0]["change"]["hunks"][0]["lines"][0]["change"], "added");
    let ids = [0, 1].map(|file| review["files"][file]["hunks"][0]["id"].clone());
    assert_eq!(review["files"][0]["hunks"][0]["state"], "open");
    let mut client = kept.it.device(Scope::Control);
    let accept = with(json!({ "hunks": [ids[0]], "decision": { "type": "accept" } }));
    let decided = client.call("_attache/decide", accept).await.unwrap();
    assert_eq!(decided["review"]["files"][0]["hunks"][0]["state"], "accepted");
    let comment = json!({ "type": "comment", "text": "shorter" });
    let comment = with(json!({ "hunks": [ids[1]], "decision": comment }));
    let decided = client.call("_attache/decide", comment).await.unwrap();
    assert_eq!(decided["review"]["files"][1]["hunks"][0]["comment"], "shorter");
    let reopen = with(json!({ "hunks": [ids[0]], "decision": { "type": "reopen" } }));
    let decided = client.call("_attache/decide", reopen).await.unwrap();
    assert_eq!(decided["review"]["files"][0]["hunks"][0]["state"], "open");
    let unknown = with(json!({ "hunks": ["x"], "decision": { "type": "accept" } }));
    let refused = client.refused("_attache/decide", unknown).await;
    assert!(refused.contains("no hunk \"x\""), "{refused}");
    let goal = json!({ "type": "hunks", "hunks": [ids[1]] });
    let preview = previewed(&mut client, goal, false).await;
    let lines = preview["lines"].as_array().unwrap().iter().map(|line| &line[0]["text"]);
    assert!(lines.into_iter().any(|line| line == "  - two"), "{preview}");
    confirmed(&mut client, &preview, "files").await.unwrap();
    assert_eq!((kept.read("a"), kept.read("b")), (Some("one\n".into()), None));
    let review = client.call("_attache/review", with(json!({}))).await.unwrap();
    assert_eq!(review["files"][1]["hunks"][0]["state"], "rejected");
    let tell = with(json!({ "hunks": [], "decision": { "type": "tell" } }));
    client.call("_attache/decide", tell).await.unwrap();
    let note = kept.it.session.next_prompt_note().unwrap();
    assert!(note.contains("rejected and undone") && note.contains("shorter"), "{note}");
}

#[tokio::test]
async fn the_points_include_the_turn_that_has_just_ended() {
    let mut kept = Kept::new().await;
    let mut client = kept.it.device(Scope::Watch);
    kept.it.session.send("make").unwrap();
    let (call, _) = kept.it.agent.prompted().await;
    for number in 0..300 {
        fs::write(kept.it.folder.path().join(format!("f{number}")), "1").unwrap();
    }
    kept.it.agent.end_turn(&call).await;
    idle(&kept.it.session).await;
    let points = client.call("_attache/checkpoints", with(json!({}))).await.unwrap();
    assert_eq!(points["points"][0]["files"], 300, "{points}");
}

#[tokio::test]
async fn only_what_the_same_client_saw_is_restored_and_once() {
    let mut kept = Kept::new().await;
    kept.turn("make", |folder| fs::write(folder.join("made"), "1").unwrap()).await;
    let mut client = kept.it.local();
    let points = client.call("_attache/checkpoints", with(json!({}))).await.unwrap();
    let point = &points["points"][0];
    assert_eq!((&point["prompt"][0]["text"], &point["files"]), (&json!("make"), &json!(1)));
    assert_eq!(points["forks"], false);
    let goal = json!({ "type": "point", "id": point["id"] });
    let first = previewed(&mut client, goal.clone(), false).await;
    assert_eq!((&first["is_empty"], &first["isEmpty"]), (&Value::Null, &json!(false)));
    assert!(first["lines"].to_string().contains("made"), "{first}");
    let mut other = kept.it.local();
    let error = confirmed(&mut other, &first, "files").await.unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("`preview`"), "{error}");
    let second = previewed(&mut client, goal, false).await;
    confirmed(&mut client, &first, "files").await.unwrap_err();
    assert!(kept.read("made").is_some());
    let restored = confirmed(&mut client, &second, "files").await.unwrap();
    assert_eq!(restored["session"]["sessionId"], "s1");
    assert_eq!(kept.read("made"), None);
    confirmed(&mut client, &second, "files").await.unwrap_err();
    let undo = previewed(&mut client, json!({ "type": "last_restore" }), false).await;
    confirmed(&mut client, &undo, "files").await.unwrap();
    assert_eq!(kept.read("made").as_deref(), Some("1"));
}

#[tokio::test]
async fn a_cancelled_restore_restores_nothing_more_and_can_be_made_again() {
    let mut kept = Kept::new().await;
    kept.turn("make", |folder| fs::write(folder.join("made"), "1").unwrap()).await;
    let mut client = kept.it.local();
    let points = client.call("_attache/checkpoints", with(json!({}))).await.unwrap();
    let goal = json!({ "type": "point", "id": points["points"][0]["id"] });
    let preview = previewed(&mut client, goal.clone(), false).await;
    let params = json!({ "preview": preview["preview"], "what": "both" });
    let refused = client.cancelled("_attache/restore", params).await;
    assert_eq!(refused["code"], -32800, "{refused}");
    assert_eq!(kept.read("made").as_deref(), Some("1"));
    let preview = previewed(&mut client, goal, false).await;
    confirmed(&mut client, &preview, "files").await.unwrap();
    assert_eq!(kept.read("made"), None);
}

#[tokio::test]
async fn the_conversation_goes_back_in_a_new_session() {
    let mut kept = Kept::new().await;
    kept.turn("make", |folder| fs::write(folder.join("made"), "1").unwrap()).await;
    let mut client = kept.it.local();
    let points = client.call("_attache/checkpoints", with(json!({}))).await.unwrap();
    let goal = json!({ "type": "point", "id": points["points"][0]["id"] });
    let preview = previewed(&mut client, goal, false).await;
    let answering = async {
        let call = kept.it.agent.expect("session/new").await;
        kept.it.agent.reply(&call, json!({ "sessionId": "s2" })).await;
    };
    let (restored, ()) = tokio::join!(confirmed(&mut client, &preview, "both"), answering);
    assert_eq!(restored.unwrap()["session"]["sessionId"], "s2");
    assert_eq!(kept.read("made"), None);
}

#[tokio::test]
async fn devices_do_not_restore_protected_files() {
    let mut kept = Kept::new().await;
    kept.turn("make", |folder| fs::write(folder.join("AGENTS.md"), "1").unwrap()).await;
    let points = kept.it.local().call("_attache/checkpoints", with(json!({}))).await.unwrap();
    let goal = json!({ "type": "point", "id": points["points"][0]["id"] });
    let mut device = kept.it.device(Scope::Control);
    let preview = previewed(&mut device, goal.clone(), true).await;
    assert_eq!((&preview["isEmpty"], &preview["needsForce"]), (&json!(true), &json!(true)));
    confirmed(&mut device, &preview, "files").await.ok();
    assert!(kept.read("AGENTS.md").is_some());
    let mut local = kept.it.local();
    let preview = previewed(&mut local, goal, true).await;
    assert_eq!((&preview["isEmpty"], &preview["needsForce"]), (&json!(false), &json!(false)));
    confirmed(&mut local, &preview, "files").await.unwrap();
    assert_eq!(kept.read("AGENTS.md"), None);
}

#[tokio::test]
async fn without_checkpoints_the_error_says_so() {
    let mut it = crate::attached::shared().await;
    let mut client = it.local();
    for method in ["_attache/review", "_attache/checkpoints"] {
        let error = client.call(method, with(json!({}))).await.unwrap_err();
        assert!(error["message"].as_str().unwrap().contains("checkpoint"), "{error}");
    }
}
