//! The files of an editor that created a session.

use crate::client::Client;
use crate::scripted_agent::ScriptedAgent;
use crate::shared::{Shared, prompt, prompted};
use attache_client::{HubOptions, Permissions};
use attache_serve::Scope;
use serde_json::{Value, json};

fn files() -> Value {
    json!({ "fs": { "readTextFile": true, "writeTextFile": true } })
}

/// The hub allows everything, so that no question is asked.
fn allowing() -> Shared {
    Shared::with(HubOptions::default().decide_first(|_, _, _| Permissions::AllowAll))
}

#[tokio::test]
async fn the_agent_gets_the_text_in_the_editor_that_created_the_session() {
    let mut shared = allowing();
    let mut editor = shared.local(files()).await;
    let mut agent = shared.opened(&mut editor).await;
    let mut other = shared.local(files()).await;
    let params = shared.of("a/s1");
    other.call("session/load", params).await;
    let path = shared.folder.path().join("a.txt");
    std::fs::write(&path, "on disk").unwrap();
    agent.call(7, "fs/read_text_file", json!({ "sessionId": "s1", "path": path })).await;
    let asked = editor.asked("fs/read_text_file").await;
    assert_eq!(
        (&asked["params"]["sessionId"], &asked["params"]["path"]),
        (&json!("a/s1"), &json!(path))
    );
    editor.answer(&asked, json!({ "content": "unsaved" })).await;
    assert_eq!(agent.answer_to(7).await["result"]["content"], "unsaved");
    let params = json!({ "sessionId": "s1", "path": path, "content": "new" });
    agent.call(8, "fs/write_text_file", params).await;
    // The question whether to write shows the difference from the text in the editor.
    let asked = editor.asked("fs/read_text_file").await;
    editor.answer(&asked, json!({ "content": "unsaved" })).await;
    let asked = editor.asked("fs/write_text_file").await;
    assert_eq!(asked["params"]["content"], "new");
    editor.answer(&asked, json!({})).await;
    assert!(agent.answer_to(8).await.get("error").is_none());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "on disk");
    other.settle().await;
    assert!(!other.has_seen("fs/read_text_file"));
}

#[tokio::test]
async fn the_disk_serves_when_the_editor_fails_or_has_gone() {
    let mut shared = allowing();
    let mut editor = shared.local(files()).await;
    let mut agent = shared.opened(&mut editor).await;
    let path = shared.folder.path().join("a.txt");
    std::fs::write(&path, "on disk").unwrap();
    let params = json!({ "sessionId": "s1", "path": path });
    agent.call(7, "fs/read_text_file", params.clone()).await;
    let asked = editor.asked("fs/read_text_file").await;
    let error = json!({ "code": -32603, "message": "not open" });
    editor.send(json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error })).await;
    assert_eq!(agent.answer_to(7).await["result"]["content"], "on disk");
    drop(editor);
    agent.call(8, "fs/read_text_file", params).await;
    assert_eq!(agent.answer_to(8).await["result"]["content"], "on disk");
}

#[tokio::test]
async fn an_editor_that_does_not_answer_is_left_alone() {
    let mut shared = allowing();
    let mut editor = shared.local(files()).await;
    let mut agent = shared.opened(&mut editor).await;
    let path = shared.folder.path().join("a.txt");
    std::fs::write(&path, "on disk").unwrap();
    for id in 7..40 {
        let params = json!({ "sessionId": "s1", "path": path });
        agent.call(id, "fs/read_text_file", params).await;
        if id == 7 {
            editor.asked("fs/read_text_file").await;
        }
        assert_eq!(agent.answer_to(id).await["result"]["content"], "on disk");
    }
    editor.settle().await;
    assert!(!editor.has_seen("fs/read_text_file"));
}

#[tokio::test]
async fn the_hub_decides_before_the_editor_is_asked() {
    let mut shared = Shared::new();
    let mut editor = shared.local(files()).await;
    let mut agent = shared.opened(&mut editor).await;
    let outside = tempfile::tempdir().unwrap();
    let params = json!({ "sessionId": "s1", "path": outside.path().join("a.txt") });
    agent.call(7, "fs/read_text_file", params).await;
    assert!(agent.answer_to(7).await["error"].is_object());
    editor.settle().await;
    assert!(!editor.has_seen("fs/read_text_file"));
}

#[tokio::test]
async fn a_remote_client_never_serves_files() {
    let mut shared = allowing();
    let (mut phone, _scope) = shared
        .connect(attache_serve::Place::Device(attache_serve::DeviceId("d".into())), Scope::Control);
    crate::shared::hello(&mut phone, files()).await;
    let mut agent = shared.opened(&mut phone).await;
    phone.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    let path = shared.folder.path().join("a.txt");
    std::fs::write(&path, "on disk").unwrap();
    agent.call(7, "fs/read_text_file", json!({ "sessionId": "s1", "path": path })).await;
    assert_eq!(agent.answer_to(7).await["result"]["content"], "on disk");
    phone.settle().await;
    assert!(!phone.has_seen("fs/read_text_file"));
}

/// Opens the session with this key.
async fn opened_with_key(shared: &mut Shared, editor: &mut Client, key: &str) -> ScriptedAgent {
    let meta = json!({ "attache": { "editor": key } });
    let params = json!({ "cwd": shared.cwd(), "mcpServers": [], "_meta": meta });
    let call = editor.start("session/new", params).await;
    let mut agent = shared.agent(0, json!({ "loadSession": true })).await;
    let new = agent.expect("session/new").await;
    agent.reply(&new, json!({ "sessionId": "s1" })).await;
    editor.reply(call).await;
    agent
}

/// Attaches the session again with this key.
async fn resume(shared: &Shared, editor: &mut Client, key: &str) {
    let mut params = shared.of("a/s1");
    params["_meta"] = json!({ "attache": { "editor": key } });
    editor.call("session/resume", params).await;
}

/// Lets the agent read a file, which this editor must be asked for.
async fn reads_from(
    shared: &Shared,
    (agent, id): (&mut ScriptedAgent, u64),
    editor: &mut Client,
    text: &str,
) {
    let path = shared.folder.path().join("a.txt");
    agent.call(id, "fs/read_text_file", json!({ "sessionId": "s1", "path": path })).await;
    let asked = editor.asked("fs/read_text_file").await;
    editor.answer(&asked, json!({ "content": text })).await;
    assert_eq!(agent.answer_to(id).await["result"]["content"], text);
}

#[tokio::test]
async fn an_editor_serves_its_session_again_from_a_later_connection() {
    let mut shared = allowing();
    std::fs::write(shared.folder.path().join("a.txt"), "on disk").unwrap();
    let mut first = shared.local(files()).await;
    let mut agent = opened_with_key(&mut shared, &mut first, "mine").await;
    reads_from(&shared, (&mut agent, 7), &mut first, "unsaved").await;
    // The end of the first connection, which comes late, changes nothing.
    let mut second = shared.local(files()).await;
    resume(&shared, &mut second, "mine").await;
    reads_from(&shared, (&mut agent, 8), &mut second, "still unsaved").await;
    first.call("session/close", json!({ "sessionId": "a/s1" })).await;
    reads_from(&shared, (&mut agent, 9), &mut second, "yet unsaved").await;
    drop(first);
    let mut third = shared.local(files()).await;
    resume(&shared, &mut third, "mine").await;
    reads_from(&shared, (&mut agent, 10), &mut third, "saved").await;
}

#[tokio::test]
async fn another_editor_never_serves_a_session_that_has_one() {
    let mut shared = allowing();
    let path = shared.folder.path().join("a.txt");
    std::fs::write(&path, "on disk").unwrap();
    let mut editor = shared.local(files()).await;
    let mut agent = opened_with_key(&mut shared, &mut editor, "mine").await;
    let mut other = shared.local(files()).await;
    resume(&shared, &mut other, "other").await;
    reads_from(&shared, (&mut agent, 7), &mut editor, "unsaved").await;
    // Not even while the editor is away.
    drop(editor);
    resume(&shared, &mut other, "other").await;
    let params = json!({ "sessionId": "s1", "path": path });
    agent.call(8, "fs/read_text_file", params).await;
    assert_eq!(agent.answer_to(8).await["result"]["content"], "on disk");
    other.settle().await;
    assert!(!other.has_seen("fs/read_text_file"));
}

#[tokio::test]
async fn an_editor_without_a_key_keeps_its_session_while_it_is_connected() {
    let mut shared = allowing();
    let path = shared.folder.path().join("a.txt");
    std::fs::write(&path, "on disk").unwrap();
    let mut editor = shared.local(files()).await;
    let mut agent = shared.opened(&mut editor).await;
    let mut other = shared.local(files()).await;
    resume(&shared, &mut other, "other").await;
    reads_from(&shared, (&mut agent, 7), &mut editor, "unsaved").await;
    other.settle().await;
    assert!(!other.has_seen("fs/read_text_file"));
}

#[tokio::test]
async fn a_session_without_an_editor_believes_a_key_of_this_machine_only() {
    let mut shared = allowing();
    let path = shared.folder.path().join("a.txt");
    std::fs::write(&path, "on disk").unwrap();
    // As after a restart of the hub, no client is known to have opened the session.
    let mut opener = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut opener).await;
    let device = attache_serve::Place::Device(attache_serve::DeviceId("d".into()));
    let (mut phone, _scope) = shared.connect(device, Scope::Control);
    crate::shared::hello(&mut phone, files()).await;
    resume(&shared, &mut phone, "phone").await;
    let (mut watcher, _watching) = shared.connect(attache_serve::Place::Socket, Scope::Watch);
    crate::shared::hello(&mut watcher, files()).await;
    resume(&shared, &mut watcher, "watcher").await;
    let params = json!({ "sessionId": "s1", "path": path });
    agent.call(7, "fs/read_text_file", params).await;
    assert_eq!(agent.answer_to(7).await["result"]["content"], "on disk");
    let mut editor = shared.local(files()).await;
    resume(&shared, &mut editor, "mine").await;
    reads_from(&shared, (&mut agent, 8), &mut editor, "unsaved").await;
}

#[tokio::test]
async fn a_key_that_cannot_be_used_is_refused() {
    let mut shared = Shared::new();
    let mut editor = shared.local(files()).await;
    for key in [json!(7), json!(""), json!("x".repeat(129))] {
        let mut params = shared.of("a/s1");
        params["_meta"] = json!({ "attache": { "editor": key } });
        let why = editor.refused("session/resume", params).await;
        assert!(why.contains("_meta.attache.editor"), "{why}");
    }
}
