//! The tools that change files, on real files.

use super::undo::{Session, write};
use super::{Call, call, edit, patch, read, run};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// A project with `a`, `b`, `deep/c` and a binary file.
fn project() -> (TempDir, impl Fn(&str) -> PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().to_owned();
    fs::create_dir(base.join("deep")).unwrap();
    for (name, text) in [("a", "one\ntwo\nthree\n"), ("b", "one\r\ntwo\r\n"), ("deep/c", "see\n")] {
        fs::write(base.join(name), text).unwrap();
    }
    fs::write(base.join("logo.bin"), b"\x1f\x8b\x08\0").unwrap();
    (folder, move |name: &str| base.join(name))
}

pub(super) fn delete(path: &str) -> Call {
    call("delete", json!({ "path": path }))
}

pub(super) fn moved(path: &str, to: &str) -> Call {
    call("move", json!({ "path": path, "to": to }))
}

#[tokio::test]
async fn patch_of_several_files_is_shown_made_and_undone_as_a_whole() {
    let (folder, path) = project();
    fs::set_permissions(path("b"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut session = Session::open(folder.path()).await;
    session.client.set("mode", "ask").await;
    session.client.choices.extend(["allow_once"]);
    let change = patch(
        "*** Add File: new/n\n+new\n*** Update File: a\n@@\n one\n-two\n+zwei\n*** Delete File: deep/c\n*** Update File: b\n*** Move to: moved/b\n-two\n+2",
    );
    let turn = session.turn("go", [read("a"), read("b"), read("deep/c"), change]).await;
    assert_eq!(turn.text(), "new/n created\na changed\ndeep/c deleted\nb moved to moved/b");
    let call = turn.tool_calls().pop().unwrap();
    assert_eq!((call["kind"].as_str(), call["status"].as_str()), (Some("edit"), Some("completed")));
    let locations =
        call["locations"].as_array().unwrap().iter().map(|each| each["path"].as_str().unwrap());
    let expected = ["new/n", "a", "deep/c", "b", "b", "moved/b"].map(&path);
    assert_eq!(locations.map(PathBuf::from).collect::<Vec<_>>(), expected);
    // The question showed the whole patch.
    let shown = session.client.asked[0]["toolCall"]["content"].as_array().unwrap();
    let old_and_new = |each: &Value| (each["oldText"].clone(), each["newText"].clone());
    assert_eq!(old_and_new(&shown[0]), (Value::Null, json!("new\n")));
    assert_eq!(old_and_new(&shown[1]), (json!("one\ntwo\nthree\n"), json!("one\nzwei\nthree\n")));
    assert_eq!(old_and_new(&shown[2]), (json!("see\n"), json!("")));
    assert_eq!(old_and_new(&shown[3]), (json!("one\r\ntwo\r\n"), json!("one\r\n2\r\n")));
    assert_eq!(shown[4]["content"]["text"], "`b` becomes `moved/b`.");

    assert_eq!(fs::read_to_string(path("a")).unwrap(), "one\nzwei\nthree\n");
    assert_eq!(fs::read_to_string(path("moved/b")).unwrap(), "one\r\n2\r\n");
    assert_eq!(path("moved/b").metadata().unwrap().permissions().mode() & 0o777, 0o755);
    assert!(!path("b").exists() && !path("deep/c").exists() && path("new/n").exists());

    let said = session.client.prompt("/undo").await.text();
    assert!(said.starts_with("5 files reverted to before the turn"), "{said}");
    assert_eq!(fs::read_to_string(path("a")).unwrap(), "one\ntwo\nthree\n");
    assert_eq!(fs::read_to_string(path("b")).unwrap(), "one\r\ntwo\r\n");
    assert_eq!(path("b").metadata().unwrap().permissions().mode() & 0o777, 0o755);
    assert!(!path("new").exists() && !path("moved").exists() && path("deep/c").exists());
}

#[tokio::test]
async fn patch_with_an_impossible_part_changes_nothing() {
    let (folder, path) = project();
    fs::write(path("unread"), "x\n").unwrap();
    symlink("a", path("link")).unwrap();
    let mut session = Session::open(folder.path()).await;
    for (part, said) in [
        ("*** Update File: b\n-none\n+x", "hunk 1 for b has no place"),
        ("*** Update File: unread\n-x\n+y", "unread was not read yet: read it, then patch"),
        ("*** Add File: b\n+x", "b already exists: update it instead"),
        ("*** Delete File: none", "none does not exist"),
        ("*** Delete File: deep", "the folder deep is not empty"),
        ("*** Delete File: link", "link is a symbolic link"),
        ("*** Update File: logo.bin\n-x\n+y", "logo.bin is a gzip archive"),
        ("*** Update File: b\n*** Move to: deep/c", "deep/c already exists"),
        ("*** Update File: b\n*** Move to: deep", "deep names a folder"),
        ("*** Update File: a\n-three\n+x", "a occurs twice"),
        ("*** Add File: ../outside\n+x", "outside the session's folders"),
        ("*** Update File: b\n*** Move to: /tmp/outside", "outside the session's folders"),
    ] {
        let change = patch(&format!("*** Update File: a\n-two\n+2\n*** Add File: new\n+x\n{part}"));
        let text = session.does([read("a"), read("b"), change]).await;
        assert!(text.contains(said), "{part}: {text}");
    }
    assert_eq!(fs::read_to_string(path("a")).unwrap(), "one\ntwo\nthree\n");
    assert!(!path("new").exists());
    assert!(session.client.prompt("/undo").await.text().starts_with("There is nothing to undo"));
}

#[tokio::test]
async fn patch_that_fails_midway_is_rolled_back() {
    let (folder, path) = project();
    let mut session = Session::open(folder.path()).await;
    let long = "n".repeat(256);
    let change = patch(&format!(
        "*** Update File: a\n-two\n+2\n*** Add File: new/n\n+x\n*** Delete File: deep/c\n*** Add File: {long}\n+x"
    ));
    let text = session.does([read("a"), read("deep/c"), change]).await;
    assert!(text.contains("too long"), "{text}");
    assert_eq!(fs::read_to_string(path("a")).unwrap(), "one\ntwo\nthree\n");
    assert!(!path("new").exists() && path("deep/c").exists());
}

#[tokio::test]
async fn file_must_be_read_before_deletion_and_undo_restores_it() {
    let (folder, path) = project();
    fs::set_permissions(path("logo.bin"), fs::Permissions::from_mode(0o700)).unwrap();
    let mut session = Session::open(folder.path()).await;
    assert_eq!(session.does([delete("a")]).await, "a was not read yet: read it, then delete");
    assert!(session.does([delete("deep")]).await.contains("the folder deep is not empty"));
    assert!(session.does([delete(".")]).await.contains("is not empty"));
    session.client.set("mode", "ask").await;
    session.client.choices.extend(["allow_once"; 4]);
    let actions = [
        read("a"),
        delete("a"),
        delete("logo.bin"),
        read("deep/c"),
        delete("deep/c"),
        delete("deep"),
    ];
    let turn = session.turn("go", actions).await;
    assert_eq!(turn.text(), "deep deleted");
    let call = turn.tool_calls().pop().unwrap();
    assert_eq!(
        (call["kind"].as_str(), call["title"].as_str()),
        (Some("delete"), Some("Delete deep"))
    );
    let asked = |index: usize| session.client.asked[index]["toolCall"]["content"][0].clone();
    assert_eq!(asked(0)["oldText"], "one\ntwo\nthree\n");
    assert_eq!(asked(1)["content"]["text"], "Deletes `logo.bin`: a gzip archive (4 bytes).");
    assert_eq!(asked(3)["content"]["text"], "Deletes `deep`: an empty folder.");
    assert!(!path("a").exists() && !path("logo.bin").exists() && !path("deep").exists());
    let said = session.client.prompt("/undo").await.text();
    assert!(said.contains("- `logo.bin`: restored"), "{said}");
    assert_eq!(fs::read(path("logo.bin")).unwrap(), b"\x1f\x8b\x08\0");
    assert_eq!(path("logo.bin").metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::read_to_string(path("deep/c")).unwrap(), "see\n");
}

#[tokio::test]
async fn move_replaces_nothing_and_reports_both_paths() {
    let (folder, path) = project();
    symlink("a", path("link")).unwrap();
    let mut session = Session::open(folder.path()).await;
    for (action, said) in [
        (moved("a", "b"), "b already exists"),
        (moved("a", "deep"), "deep names a folder: give the complete new path"),
        (moved("a", "new/"), "new names a folder"),
        (moved("a", "link"), "link is a symbolic link"),
        (moved("link", "new"), "link is a symbolic link"),
        (moved("deep", "new"), "is not empty"),
        (moved("none", "new"), "none does not exist"),
        (moved("a", "../new"), "outside the session's folders"),
    ] {
        let text = session.does([read("a"), action]).await;
        assert!(text.contains(said), "{said}: {text}");
    }
    let turn =
        session.turn("go", [read("a"), moved("a", "x/y/a"), edit("x/y/a", "two", "2")]).await;
    assert_eq!(turn.text(), "1 place replaced in x/y/a", "the model still knows the moved file");
    let call = &turn.tool_calls()[1];
    assert_eq!(
        (call["kind"].as_str(), call["title"].as_str()),
        (Some("move"), Some("Move a to x/y/a"))
    );
    assert_eq!(call["locations"][0]["path"], json!(path("a")));
    assert_eq!(call["locations"][1]["path"], json!(path("x/y/a")));
    session.client.prompt("/undo").await;
    assert_eq!(fs::read_to_string(path("a")).unwrap(), "one\ntwo\nthree\n");
    assert!(!path("x").exists());
}

#[tokio::test]
async fn file_that_changes_during_the_question_stays_unchanged() {
    for action in [
        delete("a"),
        moved("a", "new"),
        patch("*** Update File: a\n-two\n+2\n*** Update File: b\n-two\n+2"),
    ] {
        let (folder, path) = project();
        let mut session = Session::open(folder.path()).await;
        session.client.set("mode", "ask").await;
        session.client.choices.extend(["allow_once"]);
        let mine = path("a");
        session.client.meanwhile = Some(Box::new(move || fs::write(&mine, "mine").unwrap()));
        let text = session.does([read("a"), read("b"), action]).await;
        assert!(text.contains("a changed before this call ran, so it was not modified"), "{text}");
        assert_eq!(fs::read_to_string(path("a")).unwrap(), "mine");
        assert_eq!(fs::read_to_string(path("b")).unwrap(), "one\r\ntwo\r\n");
        assert!(!path("new").exists());
    }
}

#[tokio::test]
async fn edits_writes_and_patches_keep_the_encoding() {
    let (folder, path) = project();
    let utf_16: Vec<u8> =
        "\u{feff}größe\r\nzwei\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(path("wide"), &utf_16).unwrap();
    fs::write(path("latin"), b"gr\xf6\xdfe\r\nzwei").unwrap();
    fs::write(path("marked"), "\u{feff}größe\nzwei\n").unwrap();
    let fs_of_client = json!({ "fs": { "readTextFile": true, "writeTextFile": true } });
    for capabilities in [json!({}), fs_of_client] {
        let mut session = Session::open_with(capabilities, folder.path()).await;
        let text = session.does([read("wide")]).await;
        assert_eq!(text, "[lines 1-2 of 2 in UTF-16 (little-endian)]\n\u{feff}größe\r\nzwei\r\n");
        session.does([read("wide"), edit("wide", "größe\nzwei", "1\n2\n3")]).await;
        let now: Vec<u8> =
            "\u{feff}1\r\n2\r\n3\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(fs::read(path("wide")).unwrap(), now);
        session.does([read("wide"), write("wide", "größe\nzwei\n")]).await;
        assert_eq!(fs::read(path("wide")).unwrap(), utf_16, "mark and line ends stay");
        session.does([read("latin"), patch("*** Update File: latin\n größe\n-zwei\n+zwö")]).await;
        assert_eq!(fs::read(path("latin")).unwrap(), b"gr\xf6\xdfe\r\nzw\xf6");
        let text = session.does([edit("latin", "zwö", "日本")]).await;
        assert!(text.contains("latin is in Windows-1252, which has no '日'"), "{text}");
        session.does([edit("latin", "zwö", "zwei")]).await;
    }
    let mut session = Session::open(folder.path()).await;
    session.does([read("marked"), write("marked", "neu\n")]).await;
    assert_eq!(fs::read_to_string(path("marked")).unwrap(), "\u{feff}neu\n");
}

#[tokio::test]
async fn line_end_that_a_client_leaves_out_stays() {
    let (folder, path) = project();
    let fs_of_client = json!({ "fs": { "readTextFile": true, "writeTextFile": true } });
    let mut session = Session::open_with(fs_of_client, folder.path()).await;
    for (name, edited) in [("a", "1\ntwo\nthree\n"), ("b", "1\r\ntwo\r\n")] {
        let read_by_lines = fs::read_to_string(path(name)).unwrap().trim_end().to_owned();
        let key = path(name).to_str().unwrap().to_owned();
        session.client.buffers.insert(key.clone(), read_by_lines);
        session.does([read(name), edit(name, "one", "1")]).await;
        assert_eq!(session.client.buffers[&key], edited);
    }
}

#[tokio::test]
async fn picture_goes_to_the_model_and_to_the_person_if_it_fits() {
    let (folder, path) = project();
    let gif = |length: usize| [b"GIF89a\x02\0\x01\0\0".to_vec(), vec![7; length]].concat();
    fs::write(path("small.gif"), gif(100)).unwrap();
    fs::write(path("large.gif"), gif(100_000)).unwrap();
    fs::write(path("huge.gif"), gif(3_800_000)).unwrap();
    fs::write(path("wide.gif"), b"GIF89a\xff\xff\x01\0\0").unwrap();
    let mut session = Session::open(folder.path()).await;
    let turn = session.turn("go", [read("small.gif")]).await;
    assert_eq!(turn.text(), "[small.gif is a GIF picture of 2 × 1 pixels]");
    let content = turn.tool_calls()[0]["content"].clone();
    assert_eq!(
        content[0]["content"]["text"],
        "small.gif is a GIF picture of 2 × 1 pixels, 111 bytes."
    );
    assert_eq!(content[1]["content"]["mimeType"], "image/gif");
    assert_eq!(content[1]["content"]["data"], BASE64_STANDARD.encode(gif(100)));
    let turn = session.turn("go", [read("large.gif")]).await;
    assert_eq!(turn.tool_calls()[0]["content"].as_array().unwrap().len(), 1);
    assert!(session.does([read("huge.gif")]).await.contains("the limit is 3,750,000 bytes"));
    assert!(
        session
            .does([read("wide.gif")])
            .await
            .contains("65535 × 1 pixels: the limit is 8000 on a side")
    );
    assert!(session.does([edit("small.gif", "a", "b")]).await.contains("only text can be changed"));
    assert!(session.does([write("small.gif", "b")]).await.contains("only text can be written"));
}

#[tokio::test]
async fn glob_lists_the_newest_files_first() {
    let (folder, path) = project();
    fs::create_dir_all(path(".github/workflows")).unwrap();
    for (age, name) in
        [(30, "deep/old.rs"), (10, "new.rs"), (20, "deep/mid.RS"), (5, ".github/workflows/ci.yml")]
    {
        fs::write(path(name), "").unwrap();
        let file = File::options().write(true).open(path(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }
    let glob = |pattern: &str| call("glob", json!({ "pattern": pattern }));
    let mut session = Session::open(folder.path()).await;
    let turn = session.turn("go", [glob("*.rs")]).await;
    assert_eq!(turn.text(), "new.rs\ndeep/mid.RS\ndeep/old.rs");
    let call = &turn.tool_calls()[0];
    assert_eq!(
        (call["kind"].as_str(), call["title"].as_str()),
        (Some("read"), Some("Find files `*.rs`"))
    );
    assert_eq!(session.does([glob("deep/*.rs")]).await, "deep/mid.RS\ndeep/old.rs");
    assert_eq!(session.does([glob(".github/**/*.yml")]).await, ".github/workflows/ci.yml");
    assert!(session.does([glob("**/*.yml")]).await.starts_with("no file matches **/*.yml in ."));
    assert!(session.does([glob("/etc/*")]).await.contains("outside the session's folders"));
    assert!(session.does([glob("{a")]).await.contains("is invalid"));
}

/// Invalid names, deleted folders and endless files yield an error message, and the session
/// continues.
#[tokio::test]
async fn odd_names_and_vanished_folders_do_not_end_the_session() {
    let (folder, path) = project();
    let raw = folder.path().join(std::ffi::OsStr::from_bytes(b"raw\xff"));
    fs::write(&raw, "raw\n").unwrap();
    symlink(&raw, path("to raw")).unwrap();
    let fs_of_client = json!({ "fs": { "readTextFile": true, "writeTextFile": true } });
    let mut session = Session::open_with(fs_of_client, folder.path()).await;
    assert!(
        session.does([read("to raw"), edit("to raw", "raw", "done")]).await.starts_with("1 place")
    );
    assert_eq!(fs::read_to_string(&raw).unwrap(), "done\n", "no client can be asked for that name");
    let mut session = Session::open(folder.path()).await;
    for name in ["new\nline", "bell\u{7}", " trailing ", "-rf", "é\u{301}", &"n".repeat(255)] {
        let text =
            session.does([write(name, "x\n"), edit(name, "x", "y"), moved(name, "aside")]).await;
        assert!(
            text.ends_with(" moved to aside") && !text.contains(['\n', '\u{7}']),
            "{name:?}: {text}"
        );
        session.does([delete("aside")]).await;
    }
    let text = session.does([write(&"n".repeat(256), "x")]).await;
    assert!(text.contains("too long"), "{text}");
    assert!(session.does([read("a\0b")]).await.contains("is not a path"));
    assert!(
        session
            .does([read("deep/c"), run("rm -r deep", None), edit("deep/c", "see", "x")])
            .await
            .contains("does not exist")
    );
    assert!(session.does([write("deep/c", "back")]).await.contains("deep/c created"));
    fs::remove_dir_all(folder.path()).unwrap();
    for action in [read("a"), call("glob", json!({ "pattern": "*" })), write("x", "x"), delete("a")]
    {
        let text = session.does([action]).await;
        assert!(text.contains("does not exist") || text.contains("no file"), "{text}");
    }
    assert!(!folder.path().exists());
}
