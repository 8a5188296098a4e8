//! Answers to questions.

use crate::attached::{Client, Shared, Shown, shared};
use attache_client::{DecidedBy, Verdict};
use attache_serve::devices::{Devices, Grant};
use attache_serve::{Place, Scope};
use serde_json::{Value, json};
use std::sync::Arc;

/// Asks for permission to call something, and returns what a watching client is shown.
async fn asked(it: &mut Shared, client: &mut Client, call: Value, options: Value) -> Value {
    it.session.send("go").unwrap();
    it.agent.prompted().await;
    let params = json!({ "sessionId": "s1", "toolCall": call, "options": options });
    it.agent.call(7, "session/request_permission", params).await;
    shown(client).await
}

/// Watches the session until a question is shown, and returns it.
async fn shown(client: &mut Client) -> Value {
    client.watch(Value::Null).await;
    let mut shown = Shown::default();
    let has_question = |shown: &Shown| {
        shown.parts.get("questions").is_some_and(|questions| questions[0].is_object())
    };
    shown.until(client, has_question).await;
    shown.parts["questions"][0].clone()
}

fn options() -> Value {
    json!([
        { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
        { "optionId": "always", "name": "Always", "kind": "allow_always" },
        { "optionId": "no", "name": "No", "kind": "reject_once" },
    ])
}

fn run() -> Value {
    let input = json!({ "command": "ls" });
    json!({ "toolCallId": "c1", "title": "Run", "kind": "execute", "rawInput": input })
}

/// The index of the choice with this action.
fn choice(question: &Value, action: &str) -> usize {
    let choices = question["about"]["choices"].as_array().unwrap();
    choices.iter().position(|choice| choice["action"]["type"] == action).unwrap()
}

fn chooses(question: &Value, action: &str) -> Value {
    json!({
        "agent": "a", "sessionId": "s1", "question": question["id"],
        "answer": { "type": "choose", "choice": choice(question, action) },
    })
}

#[tokio::test]
async fn a_device_answers_by_the_index_of_the_choice_and_the_log_names_it() {
    let mut it = shared().await;
    let mut client = it.device(Scope::Answer);
    let question = asked(&mut it, &mut client, run(), options()).await;
    let mut wrong = chooses(&question, "allow");
    wrong["answer"]["choice"] = json!(99);
    let refused = client.refused("_attache/answer", wrong).await;
    assert!(refused.contains("`answer.choice` is 99"), "{refused}");
    let answer = chooses(&question, "allow");
    client.call("_attache/answer", answer.clone()).await.unwrap();
    let reply = it.agent.answer_to(7).await;
    assert_eq!(reply["result"]["outcome"]["optionId"], "yes");
    let audit = it.services.rules.audit();
    let [audited] = audit.as_slice() else { panic!("{audit:?}") };
    assert_eq!((audited.verdict, &audited.by), (Verdict::Allowed, &DecidedBy::Asked));
    assert_eq!(audited.answered_by.as_deref(), Some("phone"));
    let refused = client.refused("_attache/answer", answer).await;
    assert!(refused.contains("is not open"), "{refused}");
}

#[tokio::test]
async fn two_answers_settle_a_question_once() {
    let mut it = shared().await;
    let (mut one, mut other) = (it.local(), it.device(Scope::Answer));
    let question = asked(&mut it, &mut one, run(), options()).await;
    let (first, second) = tokio::join!(
        one.call("_attache/answer", chooses(&question, "allow")),
        other.call("_attache/answer", chooses(&question, "reject")),
    );
    assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
    let chosen = it.agent.answer_to(7).await["result"]["outcome"]["optionId"].clone();
    assert_eq!(chosen, if first.is_ok() { "yes" } else { "no" });
    assert_eq!(it.services.rules.audit().len(), 1);
}

#[tokio::test]
async fn devices_make_no_rules_beyond_the_session_and_the_question_stays_open() {
    let mut it = shared().await;
    let (mut device, mut local) = (it.device(Scope::Control), it.local());
    let question = asked(&mut it, &mut device, run(), options()).await;
    let always = &question["about"]["choices"][choice(&question, "allow_always")];
    let rules = always["action"]["rules"].as_array().unwrap();
    let rule = rules.iter().position(|rule| rule["reach"] == "everywhere").unwrap();
    let mut answer = chooses(&question, "allow_always");
    answer["answer"]["rule"] = json!(rule);
    let refused = device.refused("_attache/answer", answer.clone()).await;
    assert!(refused.contains("beyond this session"), "{refused}");
    assert!(it.services.rules.rules().is_empty());
    let mut missing = answer.clone();
    missing["answer"]["rule"] = json!(9);
    assert!(local.refused("_attache/answer", missing).await.contains("`answer.rule`"));
    local.call("_attache/answer", answer).await.unwrap();
    assert_eq!(it.agent.answer_to(7).await["result"]["outcome"]["optionId"], "yes");
    assert_eq!(it.services.rules.rules().len(), 1);
}

#[tokio::test]
async fn devices_do_not_choose_options_that_the_agent_may_remember() {
    let mut it = shared().await;
    let mut device = it.device(Scope::Control);
    let options = json!([
        { "optionId": "always", "name": "Always", "kind": "allow_always" },
        { "optionId": "no", "name": "No", "kind": "reject_once" },
    ]);
    let question = asked(&mut it, &mut device, run(), options).await;
    let refused = device.refused("_attache/answer", chooses(&question, "option")).await;
    assert!(refused.contains("beyond this session"), "{refused}");
    device.call("_attache/answer", chooses(&question, "reject")).await.unwrap();
    assert_eq!(it.agent.answer_to(7).await["result"]["outcome"]["optionId"], "no");
}

#[tokio::test]
async fn devices_do_not_allow_protected_files() {
    let mut it = shared().await;
    let mut device = it.device(Scope::Control);
    let path = it.folder.path().join(".env");
    it.session.send("go").unwrap();
    it.agent.prompted().await;
    let params = json!({ "sessionId": "s1", "path": path, "content": "KEY=1" });
    it.agent.call(7, "fs/write_text_file", params).await;
    let question = shown(&mut device).await;
    assert!(question["about"]["protected"].is_array(), "{question}");
    let refused = device.refused("_attache/answer", chooses(&question, "allow")).await;
    assert!(refused.contains("because it is protected"), "{refused}");
    device.call("_attache/answer", chooses(&question, "reject")).await.unwrap();
    assert!(it.agent.answer_to(7).await["error"].is_object());
    assert!(!path.exists());
}

#[tokio::test]
async fn a_device_allows_protected_files_once_if_it_was_granted_that() {
    let mut it = shared().await;
    let stored = tempfile::tempdir().unwrap();
    let devices = Arc::new(Devices::open(stored.path()).unwrap());
    let code = devices.new_code(Scope::Answer).unwrap();
    let id = devices.redeem(code.expose(), "phone").unwrap().device.id;
    it.hub.set_devices(devices.clone());
    let mut device = it.attach(Place::Device(id.clone()), Scope::Answer);
    let path = it.folder.path().join(".env");
    it.session.send("go").unwrap();
    it.agent.prompted().await;
    let params = json!({ "sessionId": "s1", "path": path, "content": "KEY=1" });
    it.agent.call(7, "fs/write_text_file", params.clone()).await;
    let question = shown(&mut device).await;
    let refused = device.refused("_attache/answer", chooses(&question, "allow")).await;
    assert!(refused.contains("because it is protected"), "{refused}");
    let files = |allows| Grant { scope: None, protected_files: Some(allows) };
    devices.grant(&id, files(true)).unwrap();
    device.call("_attache/answer", chooses(&question, "allow")).await.unwrap();
    assert!(it.agent.answer_to(7).await["error"].is_null());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "KEY=1");
    let audit = it.services.rules.audit();
    assert!(audit.last().unwrap().to_string().contains("\"answeredBy\":\"phone\""));

    // The grant is taken away while the next question is open.
    it.agent.call(8, "fs/write_text_file", params).await;
    let mut device = it.attach(Place::Device(id.clone()), Scope::Answer);
    let question = shown(&mut device).await;
    devices.grant(&id, files(false)).unwrap();
    let refused = device.refused("_attache/answer", chooses(&question, "allow")).await;
    assert!(refused.contains("because it is protected"), "{refused}");
}

#[tokio::test]
async fn the_reason_is_the_next_prompt_and_needs_control() {
    let mut it = shared().await;
    let mut device = it.device(Scope::Answer);
    let question = asked(&mut it, &mut device, run(), options()).await;
    let mut answer = chooses(&question, "reject_and_say");
    answer["answer"]["why"] = json!("use make");
    let refused = device.refused("_attache/answer", answer.clone()).await;
    assert!(refused.contains("needs the scope \"control\""), "{refused}");
    it.local().call("_attache/answer", answer).await.unwrap();
    // The turn is cancelled, so that the answer may come as the cancellation.
    let (one, other) = (it.agent.next().await.unwrap(), it.agent.next().await.unwrap());
    let (cancel, reply) = if one["id"] == 7 { (other, one) } else { (one, other) };
    assert_eq!(cancel["method"], "session/cancel");
    assert_ne!(reply["result"]["outcome"]["optionId"], "yes");
    assert_eq!(it.session.queue().len(), 1);
}

#[tokio::test]
async fn a_question_that_was_not_shown_cannot_be_answered() {
    let mut it = shared().await;
    let mut client = it.local();
    let params = json!({
        "agent": "a", "sessionId": "s1", "question": 1,
        "answer": { "type": "choose", "choice": 0 },
    });
    let refused = client.refused("_attache/answer", params).await;
    assert!(refused.contains("no client was shown it"), "{refused}");
}

#[tokio::test]
async fn a_form_is_filled_in_by_the_names_of_its_fields() {
    let mut it = shared().await;
    let mut client = it.device(Scope::Answer);
    it.session.send("go").unwrap();
    it.agent.prompted().await;
    let properties = json!({
        "name": { "type": "string", "minLength": 2 }, "count": { "type": "integer" },
        "loud": { "type": "boolean" }, "note": { "type": "string" },
    });
    let schema =
        json!({ "type": "object", "properties": properties, "required": ["name", "count"] });
    let params = json!({
        "mode": "form", "sessionId": "s1", "message": "Who?", "requestedSchema": schema,
    });
    it.agent.call(7, "elicitation/create", params).await;
    let question = shown(&mut client).await;
    let names = question["about"]["fields"].as_array().unwrap().iter().map(|field| &field["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["count", "loud", "name", "note"]);
    let fill = |values: Value| {
        json!({
            "agent": "a", "sessionId": "s1", "question": question["id"],
            "answer": { "type": "fill", "values": values },
        })
    };
    for (values, expected) in [
        (json!({ "name": "Ann" }), "count"),
        (json!({ "name": "A", "count": 1 }), "name"),
        (json!({ "name": "Ann", "count": "x" }), "count"),
        (json!({ "name": "Ann", "count": 1, "age": 2 }), "no field \"age\""),
    ] {
        let refused = client.refused("_attache/answer", fill(values)).await;
        assert!(refused.contains(expected), "{refused}");
    }
    let values = json!({ "name": "Ann", "count": 3, "loud": true, "note": "" });
    client.call("_attache/answer", fill(values)).await.unwrap();
    let reply = it.agent.answer_to(7).await;
    assert_eq!(reply["result"]["action"], "accept");
    assert_eq!(reply["result"]["content"], json!({ "name": "Ann", "count": 3, "loud": true }));
}

#[tokio::test]
async fn a_page_is_declined_by_its_choice() {
    let mut it = shared().await;
    let mut client = it.device(Scope::Answer);
    it.session.send("go").unwrap();
    it.agent.prompted().await;
    let params = json!({
        "mode": "url", "sessionId": "s1", "message": "Log in", "elicitationId": "e1",
        "url": "https://example.org/",
    });
    it.agent.call(7, "elicitation/create", params).await;
    let question = shown(&mut client).await;
    client.call("_attache/answer", chooses(&question, "decline")).await.unwrap();
    assert_eq!(it.agent.answer_to(7).await["result"]["action"], "decline");
}
