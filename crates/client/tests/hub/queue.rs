//! Prompts that wait, and their races with the end of turns.

use crate::scripted_agent::soon;
use crate::started::{idle, started, started_with, texts, until};
use attache_client::{
    Answer, AnswerError, Decision, FormReply, HoldReason, HubOptions, HubSession, Permissions,
    QuestionAbout, QueuedPromptId, RestartPolicy, SessionState, UrlReply,
};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[tokio::test]
async fn waiting_prompts_can_be_edited_removed_and_reordered() {
    let mut it = started(json!({})).await;
    it.session.send("one").unwrap();
    let (call, _) = it.agent.prompted().await;
    let [a, b, c] = ["a", "b", "c"].map(|text| it.session.send(text).unwrap());
    assert!(it.session.edit(a, "A") && it.session.reorder(c, 0));
    assert_eq!(it.session.remove(b), Some("b".into()));
    let waiting: Vec<QueuedPromptId> = it.session.queue().iter().map(|queued| queued.id).collect();
    assert_eq!(waiting, [c, a]);
    it.agent.end_turn(&call).await;
    for expected in ["c", "A"] {
        let (call, text) = it.agent.prompted().await;
        assert_eq!(text, expected);
        it.agent.end_turn(&call).await;
    }
    idle(&it.session).await;
    assert!(!it.session.edit(a, "x") && !it.session.send_now(a) && it.session.remove(a).is_none());
}

#[tokio::test]
async fn the_first_prompt_is_the_title_until_the_agent_gives_one() {
    let mut it = started(json!({})).await;
    let title = |session: &HubSession| session.snapshot().info().title().map(str::to_owned);
    for prompt in ["  tidy\tup\nthe code", "more"] {
        it.session.send(prompt).unwrap();
        let (call, _) = it.agent.prompted().await;
        it.agent.end_turn(&call).await;
        idle(&it.session).await;
        until(&it.session, |session| title(session).as_deref() == Some("tidy up")).await;
    }
    it.session.send("again").unwrap();
    let (call, _) = it.agent.prompted().await;
    let info = json!({"sessionUpdate": "session_info_update", "title": "Cleanup"});
    it.agent.update(it.session.id().as_str(), info).await;
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    assert_eq!(title(&it.session).as_deref(), Some("Cleanup"));
}

/// Otherwise a short turn would end without a title, or the title would replace the agent's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_title_is_there_before_the_agent_has_the_prompt() {
    for _ in 0..200 {
        let mut it = started(json!({})).await;
        it.session.send("tidy up").unwrap();
        it.agent.prompted().await;
        assert_eq!(it.session.snapshot().info().title(), Some("tidy up"));
    }
}

/// Otherwise a front end would show the session as finished.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_not_idle_between_the_queue_and_the_turn() {
    let mut it = started(json!({})).await;
    for _ in 0..300 {
        it.session.send("one").unwrap();
        let session = it.session.clone();
        let running = Arc::new(AtomicBool::new(false));
        let seen = running.clone();
        let watching = tokio::task::spawn_blocking(move || {
            while !seen.load(Ordering::Acquire) {
                let rests = session.queue().is_empty() && session.state() == SessionState::Idle;
                assert!(!rests, "the prompt is not in the session yet");
            }
        });
        let (call, _) = it.agent.prompted().await;
        running.store(true, Ordering::Release);
        watching.await.unwrap();
        it.agent.end_turn(&call).await;
        idle(&it.session).await;
    }
}

#[tokio::test]
async fn a_prompt_sent_now_goes_before_all_others_and_the_queue_continues() {
    let mut it = started(json!({})).await;
    it.session.send("one").unwrap();
    let (running, _) = it.agent.prompted().await;
    it.session.send("later").unwrap();
    let now = it.session.send("now").unwrap();
    until(&it.session, |session| matches!(session.state(), SessionState::Running { .. })).await;
    assert!(it.session.send_now(now));
    it.agent.expect("session/cancel").await;
    it.agent.reply(&running, json!({ "stopReason": "cancelled" })).await;
    for expected in ["now", "later"] {
        let (call, text) = it.agent.prompted().await;
        assert_eq!(text, expected);
        it.agent.end_turn(&call).await;
    }
    idle(&it.session).await;
}

/// The cancel is for the running turn. If that turn ends first, the prompt that is sent at once
/// must not be cancelled instead.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sending_now_never_cancels_its_own_prompt() {
    let mut it = started(json!({})).await;
    for round in 0..100 {
        it.session.send("one").unwrap();
        let (running, _) = it.agent.prompted().await;
        let now = it.session.send("now").unwrap();
        let session = it.session.clone();
        let sending = tokio::task::spawn_blocking(move || session.send_now(now));
        if round % 2 == 0 {
            tokio::task::yield_now().await;
        }
        it.agent.end_turn(&running).await;
        let mut next = it.agent.next().await.unwrap();
        if next["method"] == "session/cancel" {
            next = it.agent.next().await.unwrap();
        }
        assert_eq!(next["params"]["prompt"][0]["text"], "now");
        sending.await.unwrap();
        it.agent.heard().await; // no cancel came after it
        it.agent.end_turn(&next).await;
        idle(&it.session).await;
    }
}

/// CANCEL-07.
#[tokio::test]
async fn a_cancelled_turn_holds_the_queue_until_it_is_released_or_added_to() {
    let mut it = started(json!({})).await;
    it.session.send("one").unwrap();
    let (call, _) = it.agent.prompted().await;
    it.session.send("two").unwrap();
    until(&it.session, |session| matches!(session.state(), SessionState::Running { .. })).await;
    it.session.cancel();
    it.agent.expect("session/cancel").await;
    it.agent.reply(&call, json!({ "stopReason": "cancelled" })).await;
    until(&it.session, |session| session.held() == Some(HoldReason::Cancelled)).await;
    it.agent.heard().await; // nothing was sent
    it.session.send("three").unwrap();
    for expected in ["two", "three"] {
        let (call, text) = it.agent.prompted().await;
        assert_eq!(text, expected);
        it.agent.end_turn(&call).await;
    }
    idle(&it.session).await;
}

#[tokio::test]
async fn a_failed_turn_and_a_prompt_that_the_agent_does_not_take_hold_the_queue() {
    let mut it = started(json!({})).await;
    it.session.send("one").unwrap();
    let (call, _) = it.agent.prompted().await;
    it.session.send("two").unwrap();
    it.agent.refuse(&call, -32603, "out of fuel").await;
    until(&it.session, |session| session.held() == Some(HoldReason::TurnFailed)).await;
    let image = attache_protocol::v1::ContentBlock::Image(attache_protocol::v1::ImageContent::new(
        "AA",
        "image/png",
    ));
    let two = it.session.queue()[0].id;
    let three = it.session.send(image).unwrap();
    let (call, _) = it.agent.prompted().await;
    it.agent.end_turn(&call).await;
    until(&it.session, |session| matches!(session.held(), Some(HoldReason::Refused(_)))).await;
    assert!(it.session.held().unwrap().to_string().contains("image"), "{:?}", it.session.held());
    assert!(it.session.edit(three, "three") && it.session.remove(two).is_none());
    it.session.release();
    assert_eq!(it.agent.prompted().await.1, "three");
}

/// PERM-12, CANCEL-05.
#[tokio::test]
async fn questions_are_answered_in_any_order_and_withdrawn_by_a_cancel() {
    let mut it = started(json!({})).await;
    it.session.send("one").unwrap();
    let (prompt, _) = it.agent.prompted().await;
    let options = json!([{ "optionId": "y", "name": "Yes", "kind": "allow_once" }, { "optionId": "n", "name": "No", "kind": "reject_once" }]);
    for (id, title) in [(1, "first"), (2, "second"), (3, "third")] {
        let params = json!({ "sessionId": "s1", "toolCall": { "toolCallId": title, "title": title }, "options": options });
        it.agent.call(id, "session/request_permission", params).await;
    }
    until(&it.session, |session| {
        session.state() == SessionState::WaitingForPerson { questions: 3 }
    })
    .await;
    let questions = it.session.questions();
    let title = |index: usize| match &questions[index].about {
        QuestionAbout::Permission(request) => request.title().to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!([title(0), title(1), title(2)], ["first", "second", "third"]);
    assert_eq!(
        it.session.answer(questions[1].id, Answer::Page(UrlReply::Accept)),
        Err(AnswerError::OtherKind)
    );
    it.session.answer(questions[1].id, Answer::Permission(Decision::Allow)).unwrap();
    assert_eq!(it.agent.answer_to(2).await["result"]["outcome"]["optionId"], "y");
    assert_eq!(
        it.session.answer(questions[1].id, Answer::Permission(Decision::Allow)),
        Err(AnswerError::NotOpen)
    );
    it.session.cancel();
    let mut cancelled = 0;
    while cancelled < 2 {
        let message = it.agent.next().await.unwrap();
        if message["result"]["outcome"]["outcome"] == "cancelled" {
            cancelled += 1;
        }
    }
    until(&it.session, |session| session.withdrawn().len() == 2).await;
    it.agent.reply(&prompt, json!({ "stopReason": "cancelled" })).await;
    idle(&it.session).await;
    assert_eq!(texts(&it.session).first().map(String::as_str), Some("one"));
}

#[tokio::test]
async fn the_end_of_an_agent_withdraws_its_questions_and_shows_them_as_withdrawn() {
    let mut it = started(json!({})).await;
    it.session.send("one").unwrap();
    it.agent.prompted().await;
    let params = json!({ "sessionId": "s1", "toolCall": { "toolCallId": "t", "title": "T" }, "options": [] });
    it.agent.call(1, "session/request_permission", params).await;
    until(&it.session, |session| session.questions().len() == 1).await;
    drop(it.agent);
    until(&it.session, |session| session.questions().is_empty()).await;
    assert_eq!(it.session.withdrawn().len(), 1);
    assert_eq!(it.session.snapshot().open_permissions().count(), 0);
    soon(it.hub.close()).await;
}

/// ELIC-14, ELIC-26: a form is listed with the questions of its session, and a form about a login
/// with those of the agent.
#[tokio::test]
async fn forms_are_questions_of_the_session_or_of_the_agent() {
    let mut it =
        started_with(HubOptions::default().elicitations(), json!({}), json!({ "sessionId": "s1" }))
            .await;
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    let form = |scope: serde_json::Value| {
        let mut params =
            json!({ "mode": "form", "message": "Who are you?", "requestedSchema": schema });
        params.as_object_mut().unwrap().extend(scope.as_object().unwrap().clone());
        params
    };
    it.agent.call(1, "elicitation/create", form(json!({ "sessionId": "s1" }))).await;
    until(&it.session, |session| session.questions().len() == 1).await;
    let question = it.session.questions().remove(0);
    let QuestionAbout::Form(request) = &question.about else { panic!() };
    assert_eq!(request.message, "Who are you?");
    let filled = attache_protocol::Map(
        [(
            "name".to_owned(),
            attache_protocol::v1::ElicitationContentValue::String("Ann".to_owned()),
        )]
        .into(),
    );
    it.session.answer(question.id, Answer::Form(FormReply::Accept(filled))).unwrap();
    assert_eq!(it.agent.answer_to(1).await["result"]["content"]["name"], "Ann");

    let agent = it.hub.agent("a").unwrap();
    let mut watch = it.hub.watch();
    it.agent.call(2, "elicitation/create", form(json!({ "requestId": 7 }))).await;
    while agent.questions().is_empty() {
        soon(watch.next()).await.unwrap();
    }
    agent.answer(agent.questions()[0].id, Answer::Form(FormReply::Decline)).unwrap();
    assert_eq!(it.agent.answer_to(2).await["result"]["action"], "decline");
    // An unanswered question is withdrawn when its agent ends.
    it.agent.call(3, "elicitation/create", form(json!({ "sessionId": "s1" }))).await;
    until(&it.session, |session| session.questions().len() == 1).await;
    drop(it.agent);
    until(&it.session, |session| session.questions().is_empty() && session.withdrawn().len() == 1)
        .await;
}

#[tokio::test]
async fn rules_decide_before_the_person_is_asked() {
    let decide = |agent: &str, _: &std::path::Path, person: Permissions| match agent {
        "a" => Permissions::AllowKinds(vec![attache_protocol::v1::ToolKind::Read]),
        _ => person,
    };
    let options = HubOptions::default().decide_first(decide);
    let mut it = started_with(options, json!({}), json!({ "sessionId": "s1" })).await;
    let options = json!([{ "optionId": "y", "name": "Yes", "kind": "allow_once" }]);
    let params = json!({ "sessionId": "s1", "toolCall": { "toolCallId": "t", "title": "T", "kind": "read" }, "options": options });
    it.agent.call(1, "session/request_permission", params).await;
    assert_eq!(it.agent.answer_to(1).await["result"]["outcome"]["optionId"], "y");
    assert!(it.session.questions().is_empty());
}

/// Setting an option while the agent is gone fails with the reason.
#[tokio::test]
async fn an_option_of_a_session_whose_agent_is_gone_is_not_set() {
    let it = started_with(
        HubOptions::default().restarts(RestartPolicy::NEVER),
        json!({}),
        json!({ "sessionId": "s1" }),
    )
    .await;
    drop(it.agent);
    until(&it.session, |session| matches!(session.state(), SessionState::Gone { .. })).await;
    let error = it.session.set("model", "x").await.unwrap_err();
    assert!(error.to_string().contains("the agent is gone"), "{error}");
}

/// An agent that asks without end fills neither the memory nor the list of questions.
#[tokio::test]
async fn questions_beyond_the_limit_are_rejected_with_one_notice() {
    let mut it = started(json!({})).await;
    it.session.send("one").unwrap();
    let (prompt, _) = it.agent.prompted().await;
    let options = json!([{ "optionId": "y", "name": "Yes", "kind": "allow_once" }, { "optionId": "n", "name": "No", "kind": "reject_once" }]);
    for id in 1..=100 {
        let title = format!("call {id}");
        let params = json!({ "sessionId": "s1", "toolCall": { "toolCallId": title, "title": title }, "options": options });
        it.agent.call(id, "session/request_permission", params).await;
        if id > 64 {
            assert_eq!(it.agent.answer_to(id).await["result"]["outcome"]["optionId"], "n");
        }
    }
    assert_eq!(it.session.questions().len(), 64);
    let notices = |session: &HubSession| {
        texts(session).iter().filter(|text| text.contains("too many questions")).count()
    };
    assert_eq!(notices(&it.session), 1);
    for question in it.session.questions() {
        it.session.answer(question.id, Answer::Permission(Decision::Allow)).unwrap();
    }
    for _ in 1..=64 {
        assert_eq!(it.agent.next().await.unwrap()["result"]["outcome"]["optionId"], "y");
    }
    let params = json!({ "sessionId": "s1", "toolCall": { "toolCallId": "last", "title": "last" }, "options": options });
    it.agent.call(101, "session/request_permission", params).await;
    until(&it.session, |session| session.questions().len() == 1).await;
    it.session.answer(it.session.questions()[0].id, Answer::Permission(Decision::Allow)).unwrap();
    assert_eq!(it.agent.answer_to(101).await["result"]["outcome"]["optionId"], "y");
    it.agent.end_turn(&prompt).await;
    idle(&it.session).await;
    assert_eq!(notices(&it.session), 1);
}
