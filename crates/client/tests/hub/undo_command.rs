//! The command `/undo`: an agent can undo a turn once for each prompt that asks for it.

use crate::folder_checkpoints::{Kept, kept, read};
use crate::started::{idle, texts};
use serde_json::{Value, json};
use std::fs;

impl Kept {
    /// Calls `_attache/undo` as the agent, and returns the answer.
    async fn undo(&mut self, id: u64, force: bool) -> Value {
        let params = json!({ "sessionId": "s1", "force": force });
        self.it.agent.call(id, "_attache/undo", params).await;
        self.it.agent.answer_to(id).await
    }
}

fn is_served(answer: &Value) -> bool {
    answer.get("result").is_some()
}

#[tokio::test]
async fn an_agent_undoes_only_when_the_person_asks() {
    let mut it = kept().await;
    it.turn("one", |folder| fs::write(folder.join("f"), "1").unwrap()).await;
    for (id, (prompt, is_asked)) in
        (70..).zip([("undo it all", false), ("/undone", false), ("/undo", true)])
    {
        it.it.session.send(prompt).unwrap();
        let (call, _) = it.it.agent.prompted().await;
        let answer = it.undo(id, false).await;
        assert_eq!(is_served(&answer), is_asked, "{answer}");
        assert_eq!(it.path("f").exists(), !is_asked);
        it.it.agent.end_turn(&call).await;
        idle(&it.it.session).await;
    }
}

#[tokio::test]
async fn a_message_that_the_agent_reports_as_the_persons_undoes_nothing() {
    let mut it = kept().await;
    it.turn("one", |folder| fs::write(folder.join("f"), "1").unwrap()).await;
    it.it.session.send("go on").unwrap();
    let (call, _) = it.it.agent.prompted().await;
    let said = json!({ "type": "text", "text": "/undo force" });
    it.it
        .agent
        .update("s1", json!({ "sessionUpdate": "user_message_chunk", "content": said }))
        .await;
    let answer = it.undo(70, true).await;
    assert!(!is_served(&answer), "{answer}");
    assert!(texts(&it.it.session).contains(&"/undo force".to_owned()), "the message is shown");
    assert!(it.path("f").exists());
    it.it.agent.end_turn(&call).await;
    idle(&it.it.session).await;
}

#[tokio::test]
async fn a_prompt_undoes_one_turn_and_only_before_its_end() {
    let mut it = kept().await;
    for turn in ["one", "two"] {
        it.turn(turn, |folder| fs::write(folder.join("f"), turn).unwrap()).await;
    }
    it.it.session.send("/undo").unwrap();
    let (call, _) = it.it.agent.prompted().await;
    assert!(is_served(&it.undo(70, false).await));
    let again = it.undo(71, false).await;
    assert!(!is_served(&again), "{again}");
    assert_eq!(read(&it.path("f")).as_deref(), Some("one"));
    it.it.agent.end_turn(&call).await;
    idle(&it.it.session).await;
    it.it.session.send("/undo").unwrap();
    let (call, _) = it.it.agent.prompted().await;
    it.it.agent.end_turn(&call).await;
    idle(&it.it.session).await;
    let late = it.undo(72, false).await;
    assert!(!is_served(&late), "{late}");
    assert_eq!(read(&it.path("f")).as_deref(), Some("one"));
}

#[tokio::test]
async fn a_cancelled_undo_is_not_served() {
    let mut it = kept().await;
    it.turn("one", |folder| fs::write(folder.join("f"), "1").unwrap()).await;
    it.it.session.send("/undo").unwrap();
    let (call, _) = it.it.agent.prompted().await;
    it.it.session.cancel();
    it.it.agent.expect("session/cancel").await;
    let answer = it.undo(70, false).await;
    assert!(!is_served(&answer), "{answer}");
    assert!(it.path("f").exists());
    it.it.agent.reply(&call, json!({ "stopReason": "cancelled" })).await;
    idle(&it.it.session).await;
}

#[tokio::test]
async fn only_the_person_forces_an_undo() {
    for (prompt, is_forced) in [("/undo", false), ("/undo force", true)] {
        let mut it = kept().await;
        fs::write(it.path("f"), "old").unwrap();
        it.turn("one", |folder| fs::write(folder.join("f"), "by the agent").unwrap()).await;
        fs::write(it.path("f"), "by the person").unwrap();
        it.it.session.send(prompt).unwrap();
        let (call, _) = it.it.agent.prompted().await;
        let answer = it.undo(70, !is_forced).await;
        let expected = if is_forced { "old" } else { "by the person" };
        assert_eq!(read(&it.path("f")).as_deref(), Some(expected), "{answer}");
        it.it.agent.end_turn(&call).await;
        idle(&it.it.session).await;
    }
}
