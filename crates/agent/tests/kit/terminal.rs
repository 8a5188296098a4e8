use super::client::cancel;
use super::{Client, Notes, acts};
use attache_agent::{Author, Error, ToolKind};
use serde_json::{Value, json};

fn runner(notes: &Notes) -> impl Author {
    let notes = notes.clone();
    acts(move |turn| {
        let notes = notes.clone();
        async move {
            let new = turn.terminal("cargo").arg("test").env("K", "v").output_limit(100);
            let terminal = match turn.text() {
                "outside" => new.cwd("/elsewhere").create().await?,
                _ => new.create().await?,
            };
            match turn.text() {
                "forget" => std::mem::forget(terminal),
                "drop" => drop(terminal),
                "kill" => {
                    terminal.kill().await?;
                    terminal.release();
                }
                "wait" => {
                    notes.add(format!("{:?}", terminal.wait().await?));
                }
                _ => {
                    let mut call = turn.tool_call("Test", ToolKind::Execute).start().await?;
                    call.content(terminal.content()).await?;
                    let exit = terminal.wait().await?;
                    let output = terminal.output().await?;
                    notes.add(format!(
                        "{:?} {} {}",
                        exit.exit_code, output.output, output.truncated
                    ));
                    terminal.release();
                    call.complete().await?;
                }
            }
            Ok(())
        }
    })
}

async fn begun(text: &str) -> (Client, Notes, String, i64, Value) {
    let notes = Notes::default();
    let mut client = Client::with(runner(&notes), json!({"terminal": true})).await;
    let session = client.session().await;
    let turn = client.prompt(&session, text).await;
    let create = client.arrives("terminal/create").await;
    (client, notes, session, turn, create)
}

/// TERM-03, TERM-06, TERM-10, TOOL-13.
#[tokio::test(start_paused = true)]
async fn a_command_is_created_shown_awaited_read_and_released() {
    let (mut client, notes, session, turn, create) = begun("all").await;
    let expected = json!({"sessionId": session, "command": "cargo", "args": ["test"], "outputByteLimit": 100,
        "env": [{"name": "K", "value": "v"}], "cwd": env!("CARGO_MANIFEST_DIR")});
    assert_eq!(create["params"], expected);
    client.answer(&create, json!({"terminalId": "t1"})).await;
    let wait = client.arrives("terminal/wait_for_exit").await;
    client.answer(&wait, json!({"exitCode": 3})).await;
    let output = client.arrives("terminal/output").await;
    client.answer(&output, json!({"output": "late", "truncated": true})).await;
    let release = client.arrives("terminal/release").await;
    assert_eq!(release["params"], json!({"sessionId": session, "terminalId": "t1"}));
    client.answer(&release, json!({})).await;
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "end_turn");
    assert_eq!(notes.all(), ["Some(3) late true"]);
    let updates = client.updates();
    let shown = updates.iter().find(|update| update["content"].is_array()).unwrap();
    assert_eq!(shown["content"], json!([{"type": "terminal", "terminalId": "t1"}]));
    client.settle().await;
    assert!(client.seen.is_empty(), "{:?}", client.seen);
}

/// TERM-10.
#[tokio::test(start_paused = true)]
async fn a_terminal_is_released_exactly_once() {
    for text in ["drop", "forget", "kill"] {
        let (mut client, _, _, turn, create) = begun(text).await;
        client.answer(&create, json!({"terminalId": "t1"})).await;
        if text == "kill" {
            let kill = client.arrives("terminal/kill").await;
            client.answer(&kill, json!({})).await;
        }
        client.reply(turn).await;
        let release = client.arrives("terminal/release").await;
        client.answer(&release, json!(null)).await;
        client.settle().await;
        client.updates();
        assert!(client.seen.is_empty(), "{text}: {:?}", client.seen);
    }
}

/// TERM-10, CANCEL-22.
#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_stops_waiting_and_releases_the_terminal() {
    let (mut client, notes, session, turn, create) = begun("wait").await;
    client.answer(&create, json!({"terminalId": "t1"})).await;
    let wait = client.arrives("terminal/wait_for_exit").await;
    client.send(&[cancel(&session)]).await;
    assert_eq!(client.arrives("$/cancel_request").await["params"]["requestId"], wait["id"]);
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
    assert_eq!(client.arrives("terminal/release").await["params"]["terminalId"], "t1");
    assert!(notes.all().is_empty());
    assert!(client.seen.is_empty());
}

/// TERM-10.
#[tokio::test(start_paused = true)]
async fn a_terminal_created_after_the_cancel_is_released() {
    for answered_first in [false, true] {
        let (mut client, _, session, turn, create) = begun("wait").await;
        let created =
            json!({"jsonrpc": "2.0", "id": create["id"], "result": {"terminalId": "late"}});
        match answered_first {
            false => {
                client.send(&[cancel(&session)]).await;
                assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
                client.send(&[created]).await;
            }
            true => {
                client.send(&[created, cancel(&session)]).await;
                assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
            }
        }
        client.settle().await;
        let released = client.arrives("terminal/release").await;
        assert_eq!(released["params"]["terminalId"], "late");
        client.seen.retain(|message| message["method"] != "$/cancel_request");
        client.seen.retain(|message| message["method"] != "terminal/wait_for_exit");
        assert!(client.seen.is_empty(), "{:?}", client.seen);
    }
}

/// TERM-16, DEC-15.
#[tokio::test(start_paused = true)]
async fn an_unknown_exit_is_not_a_success() {
    for answer in [json!(null), json!({"exitCode": -1}), json!({"exitCode": 4_294_967_296_u64})] {
        let (mut client, notes, _, turn, create) = begun("wait").await;
        client.answer(&create, json!({"terminalId": "t1"})).await;
        let wait = client.arrives("terminal/wait_for_exit").await;
        client.answer(&wait, answer).await;
        client.reply(turn).await;
        assert!(notes.all()[0].contains("exit_code: None"), "{:?}", notes.all());
    }
}

/// TERM-01, SESS-05.
#[tokio::test(start_paused = true)]
async fn nothing_is_started_without_the_capability_or_outside_of_the_roots() {
    for (capabilities, text, code) in [
        (json!({}), "all", -32603),
        (json!({"terminal": {}}), "all", -32603),
        (json!({"terminal": true}), "outside", -32602),
    ] {
        let mut client = Client::with(runner(&Notes::default()), capabilities).await;
        let session = client.session().await;
        let (reply, _) = client.turn(&session, text).await;
        assert_eq!(reply["error"]["code"], code, "{reply}");
        assert!(client.seen.is_empty());
    }
}

/// PROMPT-08.
#[tokio::test(start_paused = true)]
async fn a_terminal_that_outlives_its_turn_does_nothing() {
    let kept = std::sync::Arc::new(std::sync::Mutex::new(None));
    let keeper = kept.clone();
    let author = acts(move |turn| {
        let kept = keeper.clone();
        async move {
            let terminal = turn.terminal("x").create().await?;
            *kept.lock().unwrap() = Some(terminal);
            Ok(())
        }
    });
    let mut client = Client::with(author, json!({"terminal": true})).await;
    let session = client.session().await;
    let turn = client.prompt(&session, "x").await;
    let create = client.arrives("terminal/create").await;
    client.answer(&create, json!({"terminalId": "t1"})).await;
    client.reply(turn).await;
    client.arrives("terminal/release").await;
    let terminal = kept.lock().unwrap().take().unwrap();
    assert!(matches!(terminal.output().await, Err(Error::Over)));
    drop(terminal);
    client.settle().await;
    assert!(client.seen.is_empty());
}
