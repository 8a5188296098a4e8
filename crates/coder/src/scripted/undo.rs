//! `/undo` reverts the changes of the tools.

use super::client::Client;
use super::{Call, ScriptedModel, TurnView, call, calls_or_replies, edit, read, run};
use crate::Coder;
use crate::models::Models;
use serde_json::json;
use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A session whose model takes the steps that a test gives it.
pub(super) struct Session {
    pub(super) client: Client,
    /// The steps that the model has yet to take.
    queue: Arc<Mutex<VecDeque<Call>>>,
}

impl Session {
    pub(super) async fn open(folder: &Path) -> Self {
        Self::open_with(json!({}), folder).await
    }

    pub(super) async fn open_with(capabilities: serde_json::Value, folder: &Path) -> Self {
        Self::open_in(capabilities, json!({ "cwd": folder, "mcpServers": [] })).await
    }

    /// Opens a session with these `session/new` params.
    pub(super) async fn open_in(
        capabilities: serde_json::Value,
        session: serde_json::Value,
    ) -> Self {
        let queue = Arc::<Mutex<VecDeque<Call>>>::default();
        let left = queue.clone();
        let model = ScriptedModel(move |seen: &TurnView<'_>| {
            calls_or_replies(left.lock().unwrap().pop_front(), seen)
        });
        let author = Coder::with(Models::with_offline(Arc::new(model)));
        let mut client = Client::serve_author(author, capabilities, session).await;
        client.set("mode", "auto").await;
        Self { client, queue }
    }

    /// A turn in which the model takes these steps.
    pub(super) async fn turn(
        &mut self,
        prompt: &str,
        actions: impl IntoIterator<Item = Call>,
    ) -> super::client::Turn {
        self.queue.lock().unwrap().extend(actions);
        self.client.prompt(prompt).await
    }

    /// Runs a turn in which the model takes these steps, and returns the result of the last one.
    pub(super) async fn does(&mut self, actions: impl IntoIterator<Item = Call>) -> String {
        self.turn("go", actions).await.text()
    }
}

pub(super) fn write(path: &str, text: &str) -> Call {
    call("write", json!({ "path": path, "text": text }))
}

#[tokio::test]
async fn undo_reverts_the_last_turn_with_changes_and_then_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a"), b"\xe9one\r\n").unwrap();
    let mut session = Session::open(folder.path()).await;
    session.turn("first", [read("a"), edit("a", "one", "two"), edit("a", "two", "three")]).await;
    session.turn("second", [edit("a", "three", "four"), write("new/below/b", "b")]).await;
    session.turn("third", [read("a")]).await;
    assert_eq!(fs::read(path("a")).unwrap(), b"\xe9four\r\n");

    let said = session.client.prompt("/undo").await.text();
    assert!(said.starts_with("2 files reverted to before the turn “second”:\n\n- `new/below/b`: deleted, because the turn created it\n- `a`: restored\n"), "{said}");
    assert!(said.contains("Changes by commands are not recorded"), "{said}");
    assert_eq!(fs::read(path("a")).unwrap(), b"\xe9three\r\n");
    assert!(!path("new").exists(), "the folders created for it are removed too");
    let said = session.does([edit("a", "three", "x")]).await;
    assert_eq!(said, "a changed since it was read: read it again, then edit");

    assert!(session.client.prompt("/undo").await.text().contains("the turn “first”"));
    assert_eq!(fs::read(path("a")).unwrap(), b"\xe9one\r\n");
    assert!(session.client.prompt("/undo").await.text().starts_with("There is nothing to undo"));
}

#[tokio::test]
async fn file_that_changed_since_is_restored_only_by_force() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["a", "b"] {
        fs::write(path(name), "one").unwrap();
    }
    let mut session = Session::open(folder.path()).await;
    let actions =
        [read("a"), edit("a", "one", "two"), read("b"), edit("b", "one", "two"), write("c", "c")];
    session.turn("change", actions).await;
    session.turn("other", [run("printf mine > a; printf mine > c", None)]).await;
    let said = session.client.prompt("/undo").await.text();
    assert!(
        said.contains("1 file reverted to before the turn “change”:\n\n- `b`: restored"),
        "{said}"
    );
    assert!(
        said.contains("- `a`: it changed since; `/undo force`") && said.contains("- `c`: it"),
        "{said}"
    );
    assert_eq!(
        ["a", "b", "c"].map(|name| fs::read_to_string(path(name)).unwrap()),
        ["mine", "one", "mine"]
    );
    session.client.prompt("/undo force").await;
    assert_eq!(fs::read_to_string(path("a")).unwrap(), "one");
    assert!(!path("c").exists());
}

#[tokio::test]
async fn undo_does_not_follow_a_link_that_appeared_later() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(folder.path().join("deep")).unwrap();
    for file in [folder.path().join("deep/a"), outside.path().join("a")] {
        fs::write(file, "one").unwrap();
    }
    let mut session = Session::open(folder.path()).await;
    session.does([read("deep/a"), edit("deep/a", "one", "two"), write("deep/new", "x")]).await;
    fs::rename(folder.path().join("deep"), folder.path().join("aside")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("deep")).unwrap();
    fs::write(outside.path().join("new"), "x").unwrap();
    fs::write(outside.path().join("a"), "two").unwrap();
    let said = session.client.prompt("/undo force").await.text();
    assert!(
        said.contains("No file of the turn") && said.contains("outside the session's folders"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(outside.path().join("a")).unwrap(), "two");
    assert!(outside.path().join("new").exists());
}

#[tokio::test]
async fn undo_goes_through_the_client_that_made_the_change() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "on the disk").unwrap();
    let capabilities = json!({ "fs": { "readTextFile": true, "writeTextFile": true } });
    let mut session = Session::open_with(capabilities, folder.path()).await;
    let key = folder.path().join("a").to_str().unwrap().to_owned();
    session.client.buffers.insert(key.clone(), "unsaved".to_owned());
    session.does([read("a"), edit("a", "unsaved", "changed")]).await;
    assert_eq!(session.client.buffers[&key], "changed");
    let said = session.client.prompt("/undo").await.text();
    assert!(said.contains("- `a`: restored"), "{said}");
    assert_eq!(session.client.buffers[&key], "unsaved");
    assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "on the disk");
}
