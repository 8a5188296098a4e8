//! FS-02: an agent reads and changes the text in an editor.

use crate::scripted_agent::{connected_with, opened_with};
use attache_client::{Options, Permissions, UnsavedText};
use serde_json::json;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The texts that are open in the editor, and the files that were requested from it.
#[derive(Default)]
struct Editor {
    open: Mutex<HashMap<PathBuf, String>>,
    asked: Mutex<Vec<PathBuf>>,
}

struct Open(Arc<Editor>);

impl UnsavedText for Open {
    fn text(&self, path: &Path) -> Option<String> {
        self.0.asked.lock().unwrap().push(path.to_owned());
        self.0.open.lock().unwrap().get(path).cloned()
    }

    fn replace(&self, path: &Path, text: &str) -> bool {
        self.0.asked.lock().unwrap().push(path.to_owned());
        let mut open = self.0.open.lock().unwrap();
        open.get_mut(path).map(|open| *open = text.to_owned()).is_some()
    }
}

/// FS-02, FS-03, FS-04, FS-10, FS-12.
#[tokio::test]
async fn an_agent_reads_and_changes_the_text_of_the_editor() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "x").unwrap();
    std::fs::write(real.join("open"), "saved").unwrap();
    std::fs::write(real.join("closed"), "on disk").unwrap();
    std::os::unix::fs::symlink("open", real.join("link")).unwrap();

    let editor = Arc::new(Editor::default());
    editor.open.lock().unwrap().insert(real.join("open"), "one\r\ntwo\nthree".into());
    let options = Options::default().unsaved_text(Open(editor.clone()));
    let (connection, mut agent) = connected_with(options, json!({ "protocolVersion": 1 })).await;
    let opening = connection.open(folder.path()).permissions(Permissions::AllowAll);
    let _session = opened_with(opening, &mut agent, json!({ "sessionId": "s1" })).await;

    for (path, line, limit, content) in [
        ("open", None, None, "one\r\ntwo\nthree"),
        ("link", Some(1), Some(1), "one\r\n"),
        ("open", Some(2), Some(9), "two\nthree"),
        ("open", Some(0), Some(1), "one\r\n"),
        ("open", Some(9), None, ""),
        ("open", None, Some(0), ""),
        ("closed", None, None, "on disk"),
    ] {
        let params = json!({ "sessionId": "s1", "path": folder.path().join(path), "line": line, "limit": limit });
        agent.call(1, "fs/read_text_file", params).await;
        assert_eq!(
            agent.answer_to(1).await["result"]["content"],
            content,
            "{path} {line:?} {limit:?}"
        );
    }
    for (path, text) in [("link", "new\r\n"), ("closed", "written")] {
        let params =
            json!({ "sessionId": "s1", "path": folder.path().join(path), "content": text });
        agent.call(2, "fs/write_text_file", params).await;
        assert_eq!(agent.answer_to(2).await["result"], json!({}));
    }
    assert_eq!(editor.open.lock().unwrap()[&real.join("open")], "new\r\n");
    assert_eq!(
        std::fs::read_to_string(real.join("open")).unwrap(),
        "saved",
        "the editor will save it"
    );
    assert_eq!(std::fs::read_to_string(real.join("closed")).unwrap(), "written");

    editor.asked.lock().unwrap().clear();
    let params = json!({ "sessionId": "s1", "path": outside.path().join("secret") });
    agent.call(3, "fs/read_text_file", params).await;
    assert_eq!(agent.answer_to(3).await["error"]["code"], -32602);
    assert!(editor.asked.lock().unwrap().is_empty(), "the editor is not asked about other folders");
}
