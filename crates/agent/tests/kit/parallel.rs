//! Several things at once on one connection.

use super::client::{cancel, new, prompt};
use super::{Client, Tester};
use serde_json::{Value, json};

async fn session(client: &mut Client) -> String {
    let session = client.session().await;
    client.settle().await;
    client.updates();
    session
}

/// SESS-06: each session has its own memory, title and options.
#[tokio::test(start_paused = true)]
async fn sessions_of_one_connection_share_nothing() {
    let author = Tester::default();
    let mut client = Client::plain(author.clone()).await;
    let (one, two) = (session(&mut client).await, session(&mut client).await);
    let waiting = client.prompt(&one, "wait").await;
    client.turn(&two, "beside").await;
    author.go.notify_one();
    client.reply(waiting).await;
    client.updates();
    let set = json!({"sessionId": one, "configId": "model", "value": "large"});
    client.result("session/set_config_option", set).await;
    client.result("session/set_title", json!({"sessionId": two, "title": "Two"})).await;
    for (session, remembered, other) in
        [(&one, "1,wait,remembered", &two), (&two, "1,beside,remembered", &one)]
    {
        let id = client.prompt(session, "remembered").await;
        client.reply(id).await;
        let said = client.seen.pop().unwrap();
        assert_eq!(said["params"]["sessionId"], session.as_str());
        assert_ne!(said["params"]["sessionId"], other.as_str());
        assert_eq!(said["params"]["update"]["content"]["text"], remembered);
    }
    let set = json!({"sessionId": two, "configId": "how", "value": "code"});
    let options = client.result("session/set_config_option", set).await;
    assert_eq!(options["configOptions"][0]["currentValue"], "small");
    let listed = client.result("session/list", json!({})).await;
    let titles: Vec<&Value> =
        listed["sessions"].as_array().unwrap().iter().map(|info| &info["title"]).collect();
    assert!(titles.contains(&&json!("Two")) && titles.contains(&&Value::Null), "{titles:?}");
}

/// RPC-28, PERM-01: calls are answered while a turn waits for the author, and while one waits for
/// the client.
#[tokio::test(start_paused = true)]
async fn calls_are_answered_while_turns_wait() {
    for text in ["wait", "ask"] {
        let author = Tester::default();
        let mut client = Client::plain(author.clone()).await;
        let (one, two) = (session(&mut client).await, session(&mut client).await);
        let waiting = client.prompt(&one, text).await;
        let question = match text {
            "ask" => Some(client.arrives("session/request_permission").await),
            _ => None,
        };
        client.result("session/set_mode", json!({"sessionId": one, "modeId": "code"})).await;
        client.result("session/list", json!({})).await;
        client.result("session/new", new()).await;
        let (reply, _) = client.turn(&two, "beside").await;
        assert_eq!(reply["result"]["stopReason"], "end_turn");
        assert!(
            !client.seen.iter().any(|line| line["id"] == waiting && line.get("method").is_none())
        );
        match question {
            Some(question) => {
                client.answer(&question, json!({"outcome": {"outcome": "cancelled"}})).await
            }
            None => author.go.notify_one(),
        }
        assert_eq!(client.reply(waiting).await["result"]["stopReason"], "end_turn");
    }
}

/// RPC-29, PROMPT-06, PROMPT-08: a turn has one answer, which follows all its updates.
#[tokio::test(start_paused = true)]
async fn a_turn_is_answered_once_after_all_its_updates() {
    let mut client = Client::plain(Tester::default()).await;
    let session = session(&mut client).await;
    let turn = client.prompt(&session, "long").await;
    let mut said = 0;
    loop {
        let line = client.next().await;
        if line["id"] == turn {
            assert_eq!(line["result"]["stopReason"], "end_turn");
            break;
        }
        said += line["params"]["update"]["content"]["text"].as_str().unwrap().len();
    }
    assert_eq!(said, "ä\n".len() * 60_000);
    client.settle().await;
    assert!(client.seen.is_empty(), "{:?}", client.seen);
}

/// CANCEL-08, CANCEL-09: a cancel that is late or names no running turn changes nothing.
#[tokio::test(start_paused = true)]
async fn a_cancel_directly_after_the_answer_is_ignored() {
    let mut client = Client::plain(Tester::default()).await;
    let session = session(&mut client).await;
    for _ in 0..3 {
        let (reply, _) = client.turn(&session, "hello").await;
        assert_eq!(reply["result"]["stopReason"], "end_turn");
        let (next, call) = client.call("session/prompt", prompt(&session, "hello"));
        client.send(&[cancel(&session), cancel("nope"), call]).await;
        assert_eq!(client.reply(next).await["result"]["stopReason"], "end_turn");
        client.updates();
        assert!(client.seen.is_empty(), "{:?}", client.seen);
    }
}
