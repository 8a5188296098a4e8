//! Tools never reach outside the session's folders, even if links appear while they run (DIR-11).

use super::files::{delete, moved};
use super::undo::{Session, write};
use super::{Call, call, edit, patch, read};
use proptest::prelude::{ProptestConfig, Strategy};
use proptest::sample::select;
use proptest::test_runner::{TestCaseError, TestRunner};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// Path components: files, folders, every kind of link to the outside, and odd names.
const PARTS: [&str; 18] = [
    "a",
    "deep",
    "swap",
    "known",
    "new",
    "out",
    "up",
    "chain",
    "loop",
    "dangling",
    "file-out",
    "..",
    ".",
    "...",
    " ",
    "odd\nname",
    "raw",
    "further",
];

fn path() -> impl Strategy<Value = String> {
    let parts = proptest::collection::vec(select(&PARTS[..]), 1..5);
    let begin = select(
        &["", "", "", "BASE/project/", "BASE/outside/", "BASE/further/", "/", "../outside/"][..],
    );
    (begin, parts).prop_map(|(begin, parts)| format!("{begin}{}", parts.join("/")))
}

/// The model's calls with these paths. It reads files before it changes them, as the tools require.
fn calls(tool: u8, path: &str, to: &str) -> Vec<Call> {
    let second = match tool {
        0 => call("list", json!({ "path": path })),
        1 => call("glob", json!({ "pattern": format!("{path}/*") })),
        2 => call("grep", json!({ "pattern": "hu.h", "path": path })),
        3 => edit(path, "h", "H"),
        4 => write(path, "written\n"),
        5 => patch(&format!("*** Add File: {path}\n+made")),
        6 => patch(&format!("*** Update File: {path}\n*** Move to: {to}\n+more")),
        7 => patch(&format!("*** Delete File: {path}")),
        8 => delete(path),
        _ => moved(path, to),
    };
    vec![read(path), second]
}

/// Everything below a folder: the contents of files, and the targets of links.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(snapshot(&path));
            found.insert(path, b"folder".to_vec());
        } else {
            let content = fs::read(&path).unwrap_or_default();
            found.insert(path, content);
        }
    }
    found
}

/// The folders `project` and `further` belong to the session, but `outside` does not.
fn folders() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    for name in ["project/deep", "project/swap", "further/deep", "outside/deep"] {
        fs::create_dir_all(base.join(name)).unwrap();
        for file in ["a", "known", "deep/a"] {
            let path = base.join(name).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, if name.starts_with("outside") { "hush\n" } else { "hello\n" })
                .unwrap();
        }
        fs::write(base.join(name).join("a"), "h\n").unwrap();
    }
    for file in ["outside/a", "outside/known", "outside/unlisted", "outside/deep/a"] {
        fs::write(base.join(file), "hush\n").unwrap();
    }
    fs::write(base.join("project/a"), "h\n").unwrap();
    for (link, to) in [
        ("out", base.join("outside")),
        ("up", "../outside".into()),
        ("chain", "up/deep".into()),
        ("loop", "loop".into()),
        ("dangling", "../outside/new".into()),
        ("file-out", "../outside/known".into()),
        ("further", "../further".into()),
    ] {
        symlink(to, base.join("project").join(link)).unwrap();
    }
    (folder, base)
}

/// Until stopped, replaces `project/swap` with a link to the outside and puts the original back,
/// again and again, as fast as possible.
fn race(base: &Path, stop: &Arc<AtomicBool>) -> JoinHandle<()> {
    let (stop, project, outside) = (stop.clone(), base.join("project"), base.join("outside"));
    thread::spawn(move || {
        let (swap, aside) = (project.join("swap"), project.join("aside"));
        while !stop.load(Ordering::Relaxed) {
            if fs::rename(&swap, &aside).is_ok() && symlink(&outside, &swap).is_ok() {
                thread::yield_now();
                let _gone = fs::remove_file(&swap);
            }
            let _back = fs::rename(&aside, &swap);
        }
    })
}

async fn stays_inside(operations: &[(u8, String, String)]) -> Result<(), TestCaseError> {
    let (_folder, base) = folders();
    let before = snapshot(&base.join("outside"));
    let further = json!([base.join("further")]);
    let params =
        json!({ "cwd": base.join("project"), "mcpServers": [], "additionalDirectories": further });
    let mut session = Session::open_in(json!({}), params).await;
    let stop = Arc::new(AtomicBool::new(false));
    let racing = race(&base, &stop);
    let place = |path: &str| path.replace("BASE", &base.display().to_string());
    let mut told = String::new();
    for (tool, path, to) in operations {
        let turn = session.turn("go", calls(*tool, &place(path), &place(to))).await;
        told.push_str(&turn.text());
        turn.updates.iter().for_each(|update| told.push_str(&update.to_string()));
    }
    told.push_str(&session.client.prompt("/undo force").await.text());
    stop.store(true, Ordering::Relaxed);
    racing.join().unwrap();
    proptest::prop_assert!(
        !told.contains("hush") && !told.contains("unlisted"),
        "read outside: {told}"
    );
    proptest::prop_assert_eq!(snapshot(&base.join("outside")), before);
    proptest::prop_assert_eq!(
        fs::read_dir(&base).unwrap().count(),
        3,
        "nothing changed outside the folders"
    );
    Ok(())
}

#[test]
fn no_tool_reads_or_changes_files_outside_the_folders() {
    let operations = proptest::collection::vec((0..10_u8, path(), path()), 1..24);
    let config = ProptestConfig {
        cases: 40,
        max_shrink_iters: 40,
        failure_persistence: None,
        ..Default::default()
    };
    let run = |operations: Vec<(u8, String, String)>| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(stays_inside(&operations))
    };
    TestRunner::new(config).run(&operations, run).unwrap();
}
