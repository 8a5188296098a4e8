//! Questions go to every client that may answer, and the first accepted answer settles them.

use crate::client::Client;
use crate::scripted_agent::{ScriptedAgent, soon};
use crate::shared::{Shared, hello, prompt, prompted};
use attache_client::{HubOptions, PermissionBroker};
use attache_serve::devices::{Devices, Grant};
use attache_serve::{AttentionKind, Place, Scope, follow_attention};
use attache_session::{Entry, EntryContent};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

const ASK: &str = "session/request_permission";

/// Lets the agent ask for permission, with the id 7.
async fn ask(agent: &mut ScriptedAgent) {
    ask_about(agent, json!({ "toolCallId": "t", "title": "Run it", "kind": "execute" })).await;
}

/// Lets the agent ask for permission for this tool call, with the id 7.
async fn ask_about(agent: &mut ScriptedAgent, call: Value) {
    let options = json!([
        { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
        { "optionId": "always", "name": "Always", "kind": "allow_always" },
        { "optionId": "no", "name": "No", "kind": "reject_once" },
    ]);
    let params = json!({ "sessionId": "s1", "toolCall": call, "options": options });
    agent.call(7, ASK, params).await;
}

/// Lets the agent ask for a name in a form, with the id 7.
async fn ask_form(agent: &mut ScriptedAgent) {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let params = json!({
        "mode": "form", "sessionId": "s1", "message": "Who?", "requestedSchema": schema,
    });
    agent.call(7, "elicitation/create", params).await;
}

fn selected(option: &str) -> Value {
    json!({ "outcome": { "outcome": "selected", "optionId": option } })
}

fn options(call: &Value) -> Vec<String> {
    let options = call["params"]["options"].as_array().unwrap();
    options.iter().map(|option| option["optionId"].as_str().unwrap().to_owned()).collect()
}

/// A second client that took the session over.
async fn second(shared: &mut Shared) -> Client {
    let mut client = shared.local(json!({})).await;
    take_over(shared, &mut client).await;
    client
}

async fn take_over(shared: &Shared, client: &mut Client) {
    let mut params = shared.of("a/s1");
    params["_meta"] = json!({ "attache": { "takeOver": true } });
    client.call("session/load", params).await;
}

#[tokio::test]
async fn the_first_answer_settles_a_question_and_the_others_are_cancelled() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    let mut second = second(&mut shared).await;
    first.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    ask(&mut agent).await;
    let asked = first.asked(ASK).await;
    assert_eq!(asked["params"]["sessionId"], "a/s1");
    assert_eq!(options(&asked), ["yes", "always", "no"]);
    let other = second.asked(ASK).await;
    second.answer(&other, selected("yes")).await;
    assert_eq!(agent.answer_to(7).await["result"], selected("yes"));
    let cancelled = first.asked("$/cancel_request").await;
    assert_eq!(cancelled["params"]["requestId"], asked["id"]);
    // An answer that crosses changes nothing.
    first.answer(&asked, selected("no")).await;
    first.settle().await;
}

/// The ids of terminals are those of the hub, which the client does not know.
#[tokio::test]
async fn a_question_of_version_1_names_no_terminal() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut client).await;
    client.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    let content = json!([{ "type": "terminal", "terminalId": "x" }]);
    ask_about(&mut agent, json!({ "toolCallId": "t", "title": "Run it", "content": content }))
        .await;
    let asked = client.asked(ASK).await;
    assert_eq!(asked["params"]["toolCall"]["content"], Value::Null);
    assert_eq!(asked["params"]["toolCall"]["title"], "Run it");
    let shown = client.find(|message| message["params"]["update"]["toolCallId"] == "t").await;
    assert_eq!(shown["params"]["update"]["content"][0]["type"], "content");
}

#[tokio::test]
async fn a_client_that_only_watches_is_not_asked_until_it_prompts() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    let mut watcher = shared.local(json!({})).await;
    let params = shared.of("a/s1");
    watcher.call("session/load", params).await;
    first.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    ask(&mut agent).await;
    first.asked(ASK).await;
    watcher.update("tool_call").await;
    watcher.settle().await;
    assert!(!watcher.has_seen(ASK));
    watcher.start("session/prompt", prompt("more")).await;
    let asked = watcher.asked(ASK).await;
    watcher.answer(&asked, selected("no")).await;
    assert_eq!(agent.answer_to(7).await["result"], selected("no"));
}

#[tokio::test]
async fn an_error_a_cancel_or_an_option_that_was_not_offered_removes_only_that_client() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(second(&mut shared).await);
    }
    first.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    ask(&mut agent).await;
    let calls =
        [others[0].asked(ASK).await, others[1].asked(ASK).await, others[2].asked(ASK).await];
    others[0].answer(&calls[0], json!({ "outcome": { "outcome": "cancelled" } })).await;
    others[1].answer(&calls[1], selected("forever")).await;
    let error = json!({ "code": -32603, "message": "no window" });
    others[2].send(json!({ "jsonrpc": "2.0", "id": calls[2]["id"], "error": error })).await;
    for other in &mut others {
        other.settle().await;
    }
    assert_eq!(shared.hub.hub.sessions()[0].questions().len(), 1);
    let asked = first.asked(ASK).await;
    first.answer(&asked, selected("yes")).await;
    assert_eq!(agent.answer_to(7).await["result"], selected("yes"));
    for other in &mut others {
        other.settle().await;
        assert!(!other.has_seen(ASK));
    }
}

/// A session that this client opened: its agent, and the question that the agent asks in a turn.
async fn asked_in_turn(shared: &mut Shared, client: &mut Client) -> (ScriptedAgent, Value) {
    let mut agent = shared.opened(client).await;
    client.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    ask(&mut agent).await;
    (agent, client.asked(ASK).await)
}

/// Lets the only client of a session respond to a question in this way. A second client only
/// watches. Returns what the agent gets.
async fn responded_alone(response: Value) -> Value {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let (mut agent, asked) = asked_in_turn(&mut shared, &mut client).await;
    let mut watcher = shared.local(json!({})).await;
    let params = shared.of("a/s1");
    watcher.call("session/load", params).await;
    respond(&mut client, &asked, response).await;
    let answer = agent.answer_to(7).await;
    let session = shared.hub.hub.sessions()[0].snapshot();
    let is_notice = |entry: &Arc<Entry>| matches!(entry.content, EntryContent::Notice(_));
    assert!(session.entries().iter().any(is_notice), "{session:?}");
    answer["result"].clone()
}

/// Sends a response with this member.
async fn respond(client: &mut Client, call: &Value, member: Value) {
    let mut response = json!({ "jsonrpc": "2.0", "id": call["id"] });
    response.as_object_mut().unwrap().extend(member.as_object().unwrap().clone());
    client.send(response).await;
}

fn no_window() -> Value {
    json!({ "error": { "code": -32603, "message": "no window" } })
}

/// Waits until a question that nobody can answer would have been refused.
async fn wait() {
    tokio::time::sleep(Duration::from_secs(4)).await;
}

/// Nobody would see the question, and the turn would wait without an end.
#[tokio::test]
async fn a_question_that_the_only_client_fails_to_answer_is_refused() {
    let cancelled = json!({ "result": { "outcome": { "outcome": "cancelled" } } });
    let not_offered = json!({ "result": selected("forever") });
    let answers = tokio::join!(
        responded_alone(no_window()),
        responded_alone(cancelled),
        responded_alone(not_offered),
        responded_alone(json!({ "result": "yes" })),
    );
    assert_eq!(answers, (selected("no"), selected("no"), selected("no"), selected("no")));
}

#[tokio::test]
async fn a_form_that_the_only_client_cannot_show_is_cancelled() {
    let mut shared = Shared::new();
    let mut client = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut client).await;
    client.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    ask_form(&mut agent).await;
    assert_eq!(agent.answer_to(7).await["result"]["action"], "cancel");
}

/// The screen answers `cancelled` when it quits.
#[tokio::test]
async fn a_client_that_cancels_and_leaves_keeps_the_question_open() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let (mut agent, asked) = asked_in_turn(&mut shared, &mut first).await;
    first.answer(&asked, json!({ "outcome": { "outcome": "cancelled" } })).await;
    drop(first);
    wait().await;
    let mut next = second(&mut shared).await;
    let asked = next.asked(ASK).await;
    next.answer(&asked, selected("yes")).await;
    assert_eq!(agent.answer_to(7).await["result"], selected("yes"));
}

#[tokio::test]
async fn a_question_is_refused_when_the_last_client_that_may_answer_has_left() {
    let mut shared = Shared::new();
    let mut failing = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut failing).await;
    let mut other = second(&mut shared).await;
    failing.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    ask(&mut agent).await;
    let asked = failing.asked(ASK).await;
    other.asked(ASK).await;
    respond(&mut failing, &asked, no_window()).await;
    wait().await;
    assert_eq!(shared.hub.hub.sessions()[0].questions().len(), 1);
    drop(other);
    assert_eq!(agent.answer_to(7).await["result"], selected("no"));
}

#[tokio::test]
async fn a_question_stays_open_while_a_front_end_may_answer_it() {
    let mut shared = Shared::new();
    let mut editor = shared.local(json!({})).await;
    let (mut agent, asked) = asked_in_turn(&mut shared, &mut editor).await;
    let (mut page, scope) = shared.connect(Place::Socket, Scope::Answer);
    watch_hub(&mut page).await;
    respond(&mut editor, &asked, no_window()).await;
    wait().await;
    assert_eq!(shared.hub.hub.sessions()[0].questions().len(), 1);
    scope.send_replace(Some(Scope::Watch));
    assert_eq!(agent.answer_to(7).await["result"], selected("no"));
}

/// Introduces a front end, and lets it watch the hub.
async fn watch_hub(client: &mut Client) {
    hello(client, json!({ "_meta": { "attache": { "version": 1 } } })).await;
    client.call("_attache/watch_hub", json!({ "words": "", "archived": false })).await;
}

/// VS Code opens sessions on the connection of its front end, where it takes no calls.
#[tokio::test]
async fn a_front_end_that_opened_the_session_may_refuse_to_be_asked() {
    let mut shared = Shared::new();
    let (mut window, _scope) = shared.connect(Place::Socket, Scope::Control);
    watch_hub(&mut window).await;
    let (_agent, asked) = asked_in_turn(&mut shared, &mut window).await;
    respond(&mut window, &asked, no_window()).await;
    wait().await;
    assert_eq!(shared.hub.hub.sessions()[0].questions().len(), 1);
}

#[tokio::test]
async fn a_question_of_which_the_person_is_notified_stays_open() {
    let mut shared = Shared::new();
    let (notices, mut received) = mpsc::channel(4);
    let mut following = JoinSet::new();
    following.spawn(follow_attention(shared.hub.clone(), Duration::ZERO, None, notices));
    let mut editor = shared.local(json!({})).await;
    let (_agent, asked) = asked_in_turn(&mut shared, &mut editor).await;
    respond(&mut editor, &asked, no_window()).await;
    assert_eq!(soon(received.recv()).await.unwrap().kind, AttentionKind::Question);
    wait().await;
    assert_eq!(shared.hub.hub.sessions()[0].questions().len(), 1);
}

#[tokio::test]
async fn a_client_that_dies_with_a_question_open_leaves_it_to_the_others() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    let mut dying = second(&mut shared).await;
    let mut watcher = shared.local(json!({})).await;
    let params = shared.of("a/s1");
    watcher.call("session/load", params).await;
    first.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    ask(&mut agent).await;
    let asked = first.asked(ASK).await;
    dying.asked(ASK).await;
    drop((dying, watcher));
    first.settle().await;
    assert!(!first.has_seen("$/cancel_request"));
    assert_eq!(shared.hub.hub.sessions()[0].questions().len(), 1);
    first.answer(&asked, selected("yes")).await;
    assert_eq!(agent.answer_to(7).await["result"], selected("yes"));
}

#[tokio::test]
async fn a_question_stays_open_when_everyone_leaves() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    first.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    ask(&mut agent).await;
    first.asked(ASK).await;
    drop(first);
    let mut next = second(&mut shared).await;
    let asked = next.asked(ASK).await;
    next.answer(&asked, selected("yes")).await;
    assert_eq!(agent.answer_to(7).await["result"], selected("yes"));
}

#[tokio::test]
async fn a_remote_client_is_offered_nothing_that_lasts_or_that_is_protected() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    let (mut phone, scope) = shared.device(Scope::Answer).await;
    take_over(&shared, &mut phone).await;
    first.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    ask(&mut agent).await;
    let asked = phone.asked(ASK).await;
    assert_eq!(options(&asked), ["yes", "no"]);
    // An option that was not offered does not count, although the agent offers it.
    phone.answer(&asked, selected("always")).await;
    phone.settle().await;
    let asked = first.asked(ASK).await;
    first.answer(&asked, selected("no")).await;
    agent.answer_to(7).await;
    // A file with secrets: only the person at the machine may approve, whatever the device may do.
    let file = shared.folder.path().join(".env");
    std::fs::write(&file, "KEY=1").unwrap();
    let params = json!({ "sessionId": "s1", "path": file });
    agent.call(8, "fs/read_text_file", params.clone()).await;
    let asked = phone.asked(ASK).await;
    assert_eq!(options(&asked), ["reject"]);
    let here = first.asked(ASK).await;
    assert_eq!(options(&here), ["allow", "reject"]);
    phone.answer(&asked, selected("reject")).await;
    assert!(agent.answer_to(8).await["error"].is_object());
    scope.send_replace(Some(Scope::Control));
    agent.call(9, "fs/read_text_file", params).await;
    let asked = phone.asked(ASK).await;
    assert_eq!(options(&asked), ["reject"]);
    let here = first.asked(ASK).await;
    first.answer(&here, selected("allow")).await;
    assert_eq!(agent.answer_to(9).await["result"]["content"], "KEY=1");
}

#[tokio::test]
async fn a_device_may_allow_protected_files_while_it_is_granted_that() {
    let mut shared = Shared::new();
    let stored = tempfile::tempdir().unwrap();
    let devices = Arc::new(Devices::open(stored.path()).unwrap());
    let code = devices.new_code(Scope::Answer).unwrap();
    let id = devices.redeem(code.expose(), "phone").unwrap().device.id;
    let files = |allows| Grant { scope: None, protected_files: Some(allows) };
    devices.grant(&id, files(true)).unwrap();
    shared.hub.set_devices(devices.clone());
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    let (mut phone, _scope) = shared.device_of(id.clone(), Scope::Answer).await;
    take_over(&shared, &mut phone).await;
    first.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    let file = shared.folder.path().join(".env");
    std::fs::write(&file, "KEY=1").unwrap();
    let params = json!({ "sessionId": "s1", "path": file });
    agent.call(7, "fs/read_text_file", params.clone()).await;
    let asked = phone.asked(ASK).await;
    assert_eq!(options(&asked), ["allow", "reject"]);
    phone.answer(&asked, selected("allow")).await;
    assert_eq!(agent.answer_to(7).await["result"]["content"], "KEY=1");
    // The grant is withdrawn while the device decides: the question stays open for others.
    agent.call(8, "fs/read_text_file", params).await;
    let asked = phone.asked(ASK).await;
    devices.grant(&id, files(false)).unwrap();
    phone.answer(&asked, selected("allow")).await;
    phone.settle().await;
    first.asked(ASK).await;
    let here = first.asked(ASK).await;
    first.answer(&here, selected("reject")).await;
    assert!(agent.answer_to(8).await["error"].is_object());
}

#[tokio::test]
async fn a_scope_that_is_taken_away_withdraws_the_question() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    let (mut phone, scope) = shared.device(Scope::Answer).await;
    take_over(&shared, &mut phone).await;
    first.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    ask(&mut agent).await;
    let asked = phone.asked(ASK).await;
    scope.send_replace(Some(Scope::Watch));
    let cancelled = phone.asked("$/cancel_request").await;
    assert_eq!(cancelled["params"]["requestId"], asked["id"]);
    phone.answer(&asked, selected("yes")).await;
    phone.settle().await;
    assert_eq!(shared.hub.hub.sessions()[0].questions().len(), 1);
    scope.send_replace(None);
    phone.closed().await;
}

#[tokio::test]
async fn forms_go_to_clients_that_show_them() {
    let mut shared = Shared::new();
    let mut plain = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut plain).await;
    let mut able = shared.local(json!({ "elicitation": { "form": {} } })).await;
    take_over(&shared, &mut able).await;
    plain.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    ask_form(&mut agent).await;
    let asked = able.asked("elicitation/create").await;
    assert_eq!(asked["params"]["sessionId"], "a/s1");
    assert_eq!(asked["params"]["message"], "Who?");
    able.answer(&asked, json!({ "action": "accept", "content": { "name": "Ann" } })).await;
    let answer = agent.answer_to(7).await;
    assert_eq!(answer["result"]["content"]["name"], "Ann", "{answer}");
    plain.settle().await;
    assert!(!plain.has_seen("elicitation/create"));
}

#[tokio::test]
async fn the_log_of_decisions_names_who_answered() {
    let broker = PermissionBroker::in_memory();
    let deciding = broker.clone();
    let options = HubOptions::default()
        .decide_first(move |agent, cwd, rest| deciding.permissions(agent, cwd, rest));
    let mut shared = Shared::with(options);
    let mut first = shared.local(json!({})).await;
    let mut agent = shared.opened(&mut first).await;
    first.start("session/prompt", prompt("go")).await;
    prompted(&mut agent).await;
    ask(&mut agent).await;
    let asked = first.asked(ASK).await;
    first.answer(&asked, selected("yes")).await;
    agent.answer_to(7).await;
    let audit = broker.audit();
    assert_eq!(audit[0].answered_by.as_deref(), Some("Test client"));
    assert!(audit[0].to_string().contains(r#""answeredBy":"Test client""#), "{}", audit[0]);
}
