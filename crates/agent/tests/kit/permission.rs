use super::client::cancel;
use super::{Client, Tester, acts};
use attache_agent::{Permission, ToolKind};
use attache_protocol::v1::{PermissionOption, PermissionOptionKind};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

/// Checks the note of the author.
type Noted = fn(&str) -> bool;
/// Makes the reply to a question.
type Answer<'a> = &'a dyn Fn(&Value) -> Value;

async fn asked(author: Tester) -> (Client, String, i64, Value) {
    let mut client = Client::plain(author).await;
    let session = client.session().await;
    let turn = client.prompt(&session, "ask").await;
    let call = client.arrives("session/request_permission").await;
    (client, session, turn, call)
}

fn selected(call: &Value, option: &str) -> Value {
    let outcome = json!({"outcome": "selected", "optionId": option});
    json!({"jsonrpc": "2.0", "id": call["id"], "result": {"outcome": outcome}})
}

/// PERM-02, PERM-10.
#[tokio::test(start_paused = true)]
async fn a_permission_request_describes_its_call_and_the_tool_runs_if_allowed() {
    for option in ["y", "Y"] {
        let author = Tester::default();
        let (mut client, session, turn, call) = asked(author.clone()).await;
        assert_eq!(call["params"]["sessionId"], session.as_str());
        assert_eq!(call["params"]["toolCall"]["title"], "Delete all", "PERM-10");
        assert_eq!(call["params"]["options"].as_array().unwrap().len(), 3);
        assert_eq!(author.noted(), ["began ask"], "PERM-02");
        client.send(&[selected(&call, option)]).await;
        assert_eq!(client.reply(turn).await["result"]["stopReason"], "end_turn");
        assert_eq!(author.noted().last().unwrap(), "tool ran");
    }
}

/// PERM-04.
#[tokio::test(start_paused = true)]
async fn every_answer_but_an_allowing_choice_is_a_denial() {
    let reply = |call: &Value, key: &str, value: Value| {
        let mut reply = json!({"jsonrpc": "2.0", "id": call["id"]});
        reply[key] = value;
        reply
    };
    let answers: [(Noted, Answer<'_>); 6] = [
        (|noted| noted.starts_with("RejectOnce"), &|call| selected(call, "n")),
        (|noted| noted.starts_with("Unusable"), &|call| selected(call, "zzz")),
        (|noted| noted.starts_with("Unusable"), &|call| {
            reply(call, "error", json!({"code": -32603, "message": "no"}))
        }),
        (|noted| noted.starts_with("Unusable"), &|call| reply(call, "result", json!(5))),
        (|noted| noted.starts_with("Unusable"), &|call| {
            reply(call, "result", json!({"outcome": {"outcome": "maybe"}}))
        }),
        (|noted| noted == "Cancelled", &|call| {
            reply(call, "result", json!({"outcome": {"outcome": "cancelled"}}))
        }),
    ];
    for (noted, answer) in answers {
        let author = Tester::default();
        let (mut client, _, turn, call) = asked(author.clone()).await;
        client.send(&[answer(&call)]).await;
        assert_eq!(client.reply(turn).await["result"]["stopReason"], "end_turn");
        let last = author.noted().pop().unwrap();
        assert!(noted(&last), "PERM-04: {last}");
        assert_eq!(client.updates().last().unwrap()["status"], "failed");
    }
}

/// CANCEL-22, CANCEL-23, TOOL-09.
#[tokio::test(start_paused = true)]
async fn a_cancel_withdraws_the_question_and_a_late_answer_starts_nothing() {
    let author = Tester::default();
    let (mut client, session, turn, call) = asked(author.clone()).await;
    client.send(&[cancel(&session)]).await;
    let withdrawn = client.arrives("$/cancel_request").await;
    assert_eq!(withdrawn["params"]["requestId"], call["id"], "CANCEL-22");
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
    assert_eq!(client.updates().last().unwrap()["status"], "failed", "TOOL-09");
    client.send(&[selected(&call, "y")]).await;
    client.settle().await;
    assert_eq!(author.noted(), ["began ask"], "CANCEL-23");
    assert!(client.seen.is_empty());
}

/// CANCEL-23.
#[tokio::test(start_paused = true)]
async fn an_answer_directly_after_the_cancel_starts_nothing() {
    let author = Tester::default();
    let (mut client, session, turn, call) = asked(author.clone()).await;
    client.send(&[cancel(&session), selected(&call, "y")]).await;
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
    assert_eq!(author.noted(), ["began ask"], "CANCEL-23");
}

/// PERM-12.
#[tokio::test(start_paused = true)]
async fn questions_of_several_sessions_are_open_at_once() {
    let author = Tester::default();
    let (mut client, _, first, one) = asked(author.clone()).await;
    let session = client.session().await;
    let second = client.prompt(&session, "ask").await;
    let two = client.arrives("session/request_permission").await;
    client.send(&[selected(&two, "y")]).await;
    assert_eq!(client.reply(second).await["result"]["stopReason"], "end_turn", "PERM-12");
    client.send(&[selected(&one, "n")]).await;
    assert_eq!(client.reply(first).await["result"]["stopReason"], "end_turn");
}

/// PERM-07: an author that remembers an "always" answer asks once. After an answer that applies
/// only once, it asks again.
#[tokio::test(start_paused = true)]
async fn an_author_can_distinguish_once_and_always() {
    for (option, asked) in [("y", 3), ("Y", 1)] {
        let always = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let author = acts(move |turn| {
            let always = always.clone();
            async move {
                if always.load(Ordering::SeqCst) {
                    return turn.say("allowed before").await;
                }
                let call = turn.tool_call("Delete", ToolKind::Delete).announce().await?;
                let option = PermissionOption::new;
                let options = vec![
                    option("y", "Yes", PermissionOptionKind::AllowOnce),
                    option("Y", "Always", PermissionOptionKind::AllowAlways),
                ];
                let answer = turn.ask_permission(&call, options).await?;
                always.store(matches!(answer, Permission::AllowAlways(_)), Ordering::SeqCst);
                assert!(answer.allowed());
                call.complete().await
            }
        });
        let mut client = Client::plain(author).await;
        let session = client.session().await;
        let mut questions = 0;
        for _ in 0..3 {
            let turn = client.prompt(&session, "go").await;
            loop {
                let line = client.next().await;
                if line["method"] == "session/request_permission" {
                    questions += 1;
                    client.send(&[selected(&line, option)]).await;
                } else if line["id"] == turn {
                    assert_eq!(line["result"]["stopReason"], "end_turn");
                    break;
                }
            }
        }
        assert_eq!(questions, asked, "{option}");
    }
}
