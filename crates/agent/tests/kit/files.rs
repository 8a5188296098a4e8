use super::{Client, Notes, acts};
use attache_agent::{Author, Command, ToolKind};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

fn worker(notes: &Notes) -> impl Author {
    let notes = notes.clone();
    acts(move |turn| {
        let notes = notes.clone();
        async move {
            let (what, rest) = turn.text().split_once(' ').unwrap_or((turn.text(), ""));
            let done = match what {
                "read" => turn.read_file(rest, Some(2), Some(1)).await,
                "write" => turn.write_file(rest, "new\r\n").await.map(|()| String::new()),
                _ => {
                    let mut call = turn.tool_call("Run", ToolKind::Execute).start().await?;
                    let command = Command::shell(rest).env("GREETING", "hi").output_limit(1000);
                    let ran =
                        turn.run(&command.time(Duration::from_secs(60)), Some(&mut call)).await;
                    call.complete().await?;
                    ran.map(|ran| format!("{ran:?}"))
                }
            };
            notes.add(done.unwrap_or_else(|error| error.to_string()));
            Ok(())
        }
    })
}

fn offered() -> Value {
    json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true})
}

async fn session(client: &mut Client, folder: &Path) -> String {
    let params = json!({"cwd": folder, "mcpServers": []});
    client.result("session/new", params).await["sessionId"].as_str().unwrap().to_owned()
}

/// FS-01, FS-03, FS-08, FS-11, FS-12, SESS-03.
#[tokio::test(start_paused = true)]
async fn files_are_read_and_written_through_a_client_that_offers_them() {
    let folder = tempfile::tempdir().unwrap();
    let notes = Notes::default();
    let mut client = Client::with(worker(&notes), offered()).await;
    let session = session(&mut client, folder.path()).await;
    let turn = client.prompt(&session, "read sub/../a.txt").await;
    let call = client.arrives("fs/read_text_file").await;
    let path = folder.path().join("a.txt");
    assert_eq!(call["params"], json!({"sessionId": session, "path": path, "line": 2, "limit": 1}));
    client.answer(&call, json!({"content": "second\r\n"})).await;
    client.reply(turn).await;
    let turn = client.prompt(&session, "write a.txt").await;
    let call = client.arrives("fs/write_text_file").await;
    assert_eq!(call["params"], json!({"sessionId": session, "path": path, "content": "new\r\n"}));
    client.answer(&call, json!(null)).await;
    client.reply(turn).await;
    assert_eq!(notes.all(), ["second\r\n", ""]);
    assert!(!path.exists(), "the agent writes nothing itself");
}

/// SESS-05.
#[tokio::test(start_paused = true)]
async fn paths_outside_of_the_roots_are_refused_before_any_call() {
    let folder = tempfile::tempdir().unwrap();
    for capabilities in [offered(), json!({})] {
        let notes = Notes::default();
        let mut client = Client::with(worker(&notes), capabilities).await;
        let session = session(&mut client, folder.path()).await;
        for text in ["read /etc/passwd", "write ../x", "read sub/../../x"] {
            client.turn(&session, text).await;
            let why = notes.all().pop().unwrap();
            assert!(why.contains("outside of the session's folders"), "{why}");
        }
        assert!(client.seen.is_empty());
    }
}

/// TERM-01, TERM-10, TOOL-13.
#[tokio::test(start_paused = true)]
async fn a_client_that_offers_terminals_runs_the_commands() {
    let notes = Notes::default();
    let mut client = Client::with(worker(&notes), offered()).await;
    let session = client.session().await;
    let turn = client.prompt(&session, "run make").await;
    let create = client.arrives("terminal/create").await;
    assert_eq!(
        (&create["params"]["command"], &create["params"]["args"]),
        (&json!("/bin/sh"), &json!(["-c", "make"]))
    );
    client.answer(&create, json!({"terminalId": "t"})).await;
    let wait = client.arrives("terminal/wait_for_exit").await;
    client.answer(&wait, json!({"signal": "SIGTERM"})).await;
    let output = client.arrives("terminal/output").await;
    client.answer(&output, json!({"output": "made", "truncated": false})).await;
    client.arrives("terminal/release").await;
    let shown = client.updates();
    assert!(
        shown
            .iter()
            .any(|update| update["content"] == json!([{"type": "terminal", "terminalId": "t"}])),
        "TOOL-13: before it is released"
    );
    client.reply(turn).await;
    let ran = notes.all().pop().unwrap();
    assert!(ran.contains("exit_code: None, signal: Some(\"SIGTERM\"), timed_out: false"), "{ran}");
}

#[tokio::test(start_paused = true)]
async fn a_command_of_the_client_is_killed_at_its_time_limit() {
    let notes = Notes::default();
    let mut client = Client::with(worker(&notes), offered()).await;
    let session = client.session().await;
    let turn = client.prompt(&session, "run sleep").await;
    let create = client.arrives("terminal/create").await;
    client.answer(&create, json!({"terminalId": "t"})).await;
    client.arrives("terminal/wait_for_exit").await;
    let kill = client.arrives("terminal/kill").await;
    client.answer(&kill, json!({})).await;
    let output = client.arrives("terminal/output").await;
    client
        .answer(
            &output,
            json!({"output": "", "truncated": false, "exitStatus": {"signal": "SIGKILL"}}),
        )
        .await;
    client.arrives("terminal/release").await;
    client.reply(turn).await;
    assert!(notes.all().pop().unwrap().contains("timed_out: true"));
}

#[cfg(not(feature = "host"))]
#[tokio::test(start_paused = true)]
async fn the_error_names_the_missing_client_capability() {
    let notes = Notes::default();
    let mut client = Client::with(worker(&notes), json!({})).await;
    let session = client.session().await;
    for text in ["read a", "write a", "run true"] {
        client.turn(&session, text).await;
    }
    let expected = ["fs.readTextFile", "fs.writeTextFile", "clientCapabilities.terminal"];
    for (noted, expected) in notes.all().iter().zip(expected) {
        assert!(noted.contains(expected), "{noted}");
    }
    assert!(client.seen.iter().all(|message| message["method"] == "session/update"));
}

#[cfg(feature = "host")]
mod host {
    use super::super::client::cancel;
    use super::*;

    /// FS-01, FS-12, SESS-05.
    #[tokio::test]
    async fn files_of_this_machine_are_used_if_the_client_has_none() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("a.txt"), "one\r\ntwo\r\nthree").unwrap();
        std::fs::write(outside.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("link")).unwrap();
        let notes = Notes::default();
        let mut client = Client::with(worker(&notes), json!({})).await;
        let session = session(&mut client, &root).await;
        for text in
            ["read a.txt", "write new/b.txt", "read link/secret", "write link/c.txt", "read none"]
        {
            client.turn(&session, text).await;
        }
        let noted = notes.all();
        assert_eq!(noted[0], "two\r\n");
        assert_eq!(std::fs::read_to_string(root.join("new/b.txt")).unwrap(), "new\r\n");
        assert!(noted[2].contains("outside") && !noted[2].contains("secret\n"), "{}", noted[2]);
        assert!(!outside.path().join("c.txt").exists());
        assert_eq!(noted.len(), 5);
        assert_eq!(client.seen.len(), 0);
    }

    #[tokio::test]
    async fn commands_run_in_the_session_and_their_output_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let notes = Notes::default();
        let mut client = Client::with(worker(&notes), json!({})).await;
        let session = session(&mut client, &root).await;
        let (_, updates) =
            client.turn(&session, "run pwd; echo $GREETING; echo '```' >&2; exit 3").await;
        let ran = notes.all().pop().unwrap();
        let output = format!("{}\nhi\n```\n", root.display());
        assert!(
            ran.contains(&format!("{output:?}")) && ran.contains("exit_code: Some(3)"),
            "{ran}"
        );
        let shown = updates.iter().rfind(|update| update["content"].is_array()).unwrap();
        assert_eq!(shown["content"][0]["content"]["text"], format!("````\n{output}````"));
        client.turn(&session, "run kill -9 $$").await;
        assert!(notes.all().pop().unwrap().contains("signal: Some(\"SIGKILL\")"));
    }

    /// CANCEL-03.
    #[tokio::test]
    async fn a_cancel_kills_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let mut client = Client::with(worker(&Notes::default()), json!({})).await;
        let session = session(&mut client, &root).await;
        let turn = client.prompt(&session, "run echo pid $$; sleep 1000").await;
        let pid = loop {
            let update = client.arrives("session/update").await.to_string();
            if let Some((_, rest)) = update.split_once("pid ") {
                break rest.chars().take_while(char::is_ascii_digit).collect::<String>();
            }
        };
        let process = Path::new("/proc").join(pid);
        assert!(process.exists());
        client.send(&[cancel(&session)]).await;
        assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
        while process.exists() {
            tokio::task::yield_now().await;
        }
    }
}
