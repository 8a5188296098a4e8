//! Files that the agent cannot use, and places outside the session's folders.

use crate::client::Client;
use crate::projects::{project, read, write};
use serde_json::json;

#[tokio::test]
async fn files_outside_the_folders_are_not_read_searched_or_changed() {
    let outside = project(&[("secret.txt", "hush word\n")]);
    let project = project(&[("a.txt", "word\n")]);
    std::os::unix::fs::symlink(outside.path(), project.path().join("link")).unwrap();
    let mut client = Client::open(project.path()).await;
    client.set("mode", "auto").await;
    let secret = outside.path().join("secret.txt");
    for prompt in [
        format!("show {}", secret.display()),
        "show link/secret.txt".to_owned(),
        "show ../../etc/passwd".to_owned(),
        format!("rename word to bird in {}", outside.path().display()),
        "rename word to bird in link/secret.txt".to_owned(),
    ] {
        let turn = client.prompt(&prompt).await;
        assert!(turn.text().contains("outside the session's folders"), "{prompt}: {}", turn.text());
        assert!(
            !turn.text().contains("hush") && turn.titles()[0].starts_with("failed"),
            "{prompt}"
        );
    }
    assert!(!client.prompt("find hush").await.text().contains("secret"));
    client.prompt("rename word to bird in .").await;
    assert_eq!(
        (read(&project, "a.txt"), read(&outside, "secret.txt")),
        ("bird\n".into(), "hush word\n".into())
    );
}

#[tokio::test]
async fn locations_use_the_clients_paths_and_edits_follow_links() {
    let project = project(&[("real/a.txt", "word\n")]);
    let cwd = project.path().join("linked");
    std::os::unix::fs::symlink(project.path().join("real"), &cwd).unwrap();
    let mut client = Client::open(&cwd).await;
    client.set("mode", "auto").await;
    let turn = client.prompt("rename word to bird in a.txt").await;
    for call in turn.tool_calls() {
        assert_eq!(call["locations"][0]["path"], cwd.join("a.txt").to_str().unwrap(), "{call}");
    }
    assert_eq!(read(&project, "real/a.txt"), "bird\n");
}

#[tokio::test]
async fn additional_roots_belong_to_the_session() {
    let (first, second) = (project(&[]), project(&[("b.txt", "word\n")]));
    let session =
        json!({ "cwd": first.path(), "mcpServers": [], "additionalDirectories": [second.path()] });
    let mut client = Client::open_with(json!({}), session).await;
    client.set("mode", "auto").await;
    let path = second.path().join("b.txt");
    let turn = client.prompt(&format!("show {}", path.display())).await;
    assert!(turn.text().contains("word\n"), "{}", turn.text());
    client.prompt(&format!("rename word to bird in {}", second.path().display())).await;
    assert_eq!(read(&second, "b.txt"), "bird\n");
}

#[tokio::test]
async fn binary_and_large_files_are_described() {
    let project = project(&[("empty.txt", "")]);
    write(project.path(), "image.png", b"\x89PNG\0\0word\0");
    write(project.path(), "picture.gif", b"GIF89a\x02\0\x01\0\0");
    write(project.path(), "book.pdf", b"%PDF-1.7\n\x80\0\n");
    write(project.path(), "latin.txt", b"caf\xe9 word\n");
    write(project.path(), "large.txt", "word\n".repeat(2_000_000));
    for capabilities in [json!({}), json!({ "fs": { "readTextFile": true } })] {
        let session = json!({ "cwd": project.path(), "mcpServers": [] });
        let mut client = Client::open_with(capabilities, session).await;
        let mut text = async |prompt: &str| client.prompt(prompt).await.text();
        assert!(text("show image.png").await.contains("is a binary file: only text and pictures"));
        assert!(
            text("show picture.gif")
                .await
                .contains("is a GIF picture of 2 × 1 pixels: Offline does not")
        );
        assert!(text("show book.pdf").await.contains("is a PDF document: only text"));
        assert!(text("show large.txt").await.contains("too large: it has 10000000 bytes"));
        assert_eq!(text("show empty.txt").await, "`empty.txt` is empty.\n");
        assert!(
            text("show latin.txt").await.contains("café word\n"),
            "the client is not asked for it"
        );
        let found = text("where is word used").await;
        assert!(
            found.contains("2,000,001 lines of 2 files") && found.contains("more lines"),
            "{found}"
        );
        assert!(found.len() < 10_000);
    }
}

#[tokio::test]
async fn rename_reports_the_files_that_it_could_not_change() {
    let project = project(&[("a.txt", "word\n")]);
    write(project.path(), "large.txt", "word\n".repeat(1_000_000));
    let mut client = Client::open(project.path()).await;
    client.set("mode", "auto").await;
    let text = client.prompt("rename word to bird in .").await.text();
    assert!(
        text.contains("in 1 place of 1 file") && text.contains("Not done:\n\n- `large.txt`: "),
        "{text}"
    );
    assert_eq!(read(&project, "a.txt"), "bird\n");
}

#[tokio::test]
async fn rename_counts_the_files_beyond_its_limit() {
    let project = project(&[]);
    for number in 0..45 {
        write(project.path(), &format!("{number:02}.txt"), "word\n");
    }
    let mut client = Client::open(project.path()).await;
    client.set("mode", "edit").await;
    let turn = client.prompt("rename word to bird in .").await;
    assert_eq!(turn.stop_reason(), "end_turn");
    assert!(turn.text().contains("40 places of 40 files"), "{}", turn.text());
    assert!(
        turn.text().contains("Still to do: 5 more files. Repeat the request to continue."),
        "{}",
        turn.text()
    );
    assert!(client.prompt("rename word to bird in .").await.text().contains("5 places of 5 files"));
}

#[tokio::test]
async fn huge_request_is_refused_with_a_small_message() {
    let project = project(&[("a.txt", "word\n")]);
    let mut client = Client::open(project.path()).await;
    let (long, longer) = ("x".repeat(10_000), "x".repeat(60_000));
    for prompt in [
        format!("show {long}"),
        format!("find {long}"),
        format!("rename a.txt to b in {long}"),
        format!("run {longer}"),
    ] {
        let turn = client.prompt(&prompt).await;
        assert!(turn.text().contains("bytes and the limit is"), "{}", turn.text());
        assert_eq!(turn.stop_reason(), "end_turn");
    }
}
