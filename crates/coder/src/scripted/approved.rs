//! An approval covers only the call that was shown, and only on the files as they were then.

use super::client::Client;
use super::files::{delete, moved};
use super::{Call, call, client, edit, grep, patch, read, run};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A session in the mode `ask`, in a project with a file `a`. Its model takes these steps.
async fn asking(calls: Vec<Call>) -> (TempDir, Client) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "one\n").unwrap();
    let mut client = client(folder.path(), calls, false).await;
    client.set("mode", "ask").await;
    (folder, client)
}

/// Changes the files while the first question is waiting for an answer.
fn meanwhile(client: &mut Client, folder: &Path, act: impl Fn(PathBuf) + Send + 'static) {
    let (folder, mut done) = (folder.to_owned(), false);
    client.meanwhile = Some(Box::new(move || {
        if !std::mem::replace(&mut done, true) {
            act(folder.clone());
        }
    }));
}

fn write(path: &str, text: &str) -> Call {
    call("write", json!({ "path": path, "text": text }))
}

#[tokio::test]
async fn change_approved_for_an_older_state_is_not_made() {
    let changes = [
        edit("a", "one", "two"),
        write("a", "two\n"),
        patch("*** Update File: a\n-one\n+two"),
        delete("a"),
        moved("a", "b"),
    ];
    for change in changes {
        let (folder, mut client) = asking(vec![read("a"), change.clone()]).await;
        meanwhile(&mut client, folder.path(), |folder| {
            fs::write(folder.join("a"), "one, saved\n").unwrap()
        });
        client.choices.push_back("allow_once");
        let text = client.prompt("go").await.text();
        assert!(
            text.contains("a changed before this call ran, so it was not modified: read it"),
            "{change:?}: {text}"
        );
        assert_eq!(
            fs::read_to_string(folder.path().join("a")).unwrap(),
            "one, saved\n",
            "{change:?}"
        );
        assert!(!folder.path().join("b").exists(), "{change:?}");
    }
}

/// The folder of the file is replaced by a link to another folder, which contains the same file.
#[tokio::test]
async fn approval_does_not_follow_a_link_that_appears_later() {
    for (target, seen) in
        [(".git", "one\n"), ("other", "one\n"), ("../beside", "one\n"), (".git", "")]
    {
        let changes = [
            edit("d/a", "one", "two"),
            write("d/a", "two\n"),
            patch("*** Update File: d/a\n-one\n+two"),
            delete("d/a"),
            moved("d/a", "d/b"),
            write("d/new", "two\n"),
        ];
        for change in changes {
            let whole = tempfile::tempdir().unwrap();
            let folder = whole.path().join("project");
            for name in ["d", ".git", "other", "../beside"] {
                fs::create_dir_all(folder.join(name)).unwrap();
                let text = if name == "d" { "one\n" } else { seen };
                if !text.is_empty() {
                    fs::write(folder.join(name).join("a"), text).unwrap();
                }
            }
            let mut client = client(&folder, vec![read("d/a"), change.clone()], false).await;
            client.set("mode", "ask").await;
            meanwhile(&mut client, &folder, move |folder| {
                fs::rename(folder.join("d"), folder.join("aside")).unwrap();
                std::os::unix::fs::symlink(target, folder.join("d")).unwrap();
            });
            client.choices.push_back("allow_once");
            let text = client.prompt("go").await.text();
            let there: Vec<_> = fs::read_dir(folder.join(target)).unwrap().flatten().collect();
            assert_eq!(there.len(), usize::from(!seen.is_empty()), "{target} {change:?}: {text}");
            if !seen.is_empty() {
                assert_eq!(
                    fs::read_to_string(folder.join(target).join("a")).unwrap(),
                    seen,
                    "{target} {change:?}"
                );
            }
            assert_eq!(
                fs::read_to_string(folder.join("aside/a")).unwrap(),
                "one\n",
                "{target} {change:?}"
            );
        }
    }
}

/// The tool reads either the file that was shown or nothing.
#[tokio::test]
async fn approved_read_does_not_follow_a_link_that_appears_later() {
    let (folder, mut client) = asking(vec![read("secret/id_rsa")]).await;
    for (file, text) in [("secret/id_rsa", "shown\n"), ("other/id_rsa", "not shown\n")] {
        fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
        fs::write(folder.path().join(file), text).unwrap();
    }
    meanwhile(&mut client, folder.path(), |folder| {
        fs::rename(folder.join("secret"), folder.join("aside")).unwrap();
        std::os::unix::fs::symlink("other", folder.join("secret")).unwrap();
    });
    client.choices.push_back("allow_once");
    let text = client.prompt("go").await.text();
    assert!(client.asked.len() == 1 && !text.contains("not shown"), "{text}");
}

#[tokio::test]
async fn file_that_appears_during_the_question_is_not_overwritten() {
    for change in [write("b", "mine\n"), moved("a", "b")] {
        let (folder, mut client) = asking(vec![read("a"), change.clone()]).await;
        meanwhile(&mut client, folder.path(), |folder| {
            fs::write(folder.join("b"), "theirs\n").unwrap()
        });
        client.choices.push_back("allow_once");
        client.prompt("go").await;
        let left = ["a", "b"].map(|name| fs::read_to_string(folder.path().join(name)).unwrap());
        assert_eq!(left, ["one\n", "theirs\n"], "{change:?}");
    }
}

/// The model reads the file and tries again, and the person decides about the new diff.
#[tokio::test]
async fn next_try_asks_again_with_the_current_difference() {
    let change = edit("a", "one", "two");
    let (folder, mut client) = asking(vec![read("a"), change.clone(), read("a"), change]).await;
    meanwhile(&mut client, folder.path(), |folder| {
        fs::write(folder.join("a"), "one, saved\n").unwrap()
    });
    client.otherwise = Some("allow_once");
    client.prompt("go").await;
    let shown: Vec<_> = client
        .asked
        .iter()
        .map(|asked| asked["toolCall"]["content"][0]["oldText"].clone())
        .collect();
    assert_eq!(shown, ["one\n", "one, saved\n"]);
    assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "two, saved\n");
}

#[tokio::test]
async fn command_is_allowed_once_and_only_as_shown() {
    let line = "touch made\ntouch also";
    let (folder, mut client) =
        asking(vec![run(line, None), run(line, None), run("touch made2", None)]).await;
    client.choices.extend(["allow_once", "reject_once", "reject_once"]);
    client.prompt("go").await;
    assert_eq!(client.asked.len(), 3, "an approval is used up by its call");
    let call = &client.asked[0]["toolCall"];
    assert_eq!(call["rawInput"]["command"], line);
    assert!(call["content"].to_string().contains("touch made\\ntouch also"), "{call}");
    let made = ["made", "also", "made2"].map(|name| folder.path().join(name).exists());
    assert_eq!(made, [true, true, false]);
}

#[tokio::test]
async fn search_of_a_folder_leaves_out_protected_files_and_says_so() {
    let rules = "[[deny]]\nreads = \"private/**\"\n[[ask]]\nreads = \"asked.txt\"\n";
    let files = [
        "a.txt",
        "tls/server.pem",
        "id_rsa",
        "credentials",
        "private/plan.md",
        "asked.txt",
        "keys/id_rsa.pub",
    ];
    let (folder, mut client) = asking(vec![grep("needle")]).await;
    for (name, text) in
        files.iter().map(|name| (*name, "needle\n")).chain([(".attache/permissions.toml", rules)])
    {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    // The project's rules are read when a session is opened.
    drop(client);
    client = super::client(folder.path(), vec![grep("needle")], false).await;
    let text = client.prompt("go").await.text();
    assert_eq!(
        text,
        "a.txt:1: needle\nkeys/id_rsa.pub:1: needle\n[3 files searched, 5 files left out because of secrets or rules]"
    );
    assert!(client.asked.is_empty());
}

/// If the person allows the search of a secret file or folder, its content is searched.
#[tokio::test]
async fn search_of_a_secret_asks_and_then_searches_it() {
    for path in ["id_rsa", ".ssh"] {
        let search = call("grep", json!({ "pattern": "needle", "path": path }));
        let (folder, mut client) = asking(vec![search]).await;
        fs::write(folder.path().join("id_rsa"), "needle\n").unwrap();
        fs::create_dir(folder.path().join(".ssh")).unwrap();
        fs::write(folder.path().join(".ssh/config"), "needle\n").unwrap();
        client.choices.push_back("allow_once");
        let text = client.prompt("go").await.text();
        assert!(
            text.contains(":1: needle\n[1 file searched]") && client.asked.len() == 1,
            "{path}: {text}"
        );
    }
}
