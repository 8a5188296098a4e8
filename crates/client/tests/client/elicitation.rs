//! The rules about elicitations (ELIC) for clients.

use crate::scripted_agent::{ScriptedAgent, connected_with, connecting, opened, soon};
use attache_client::{
    AgentConnection, FormReply, FormRequest, Options, SessionHandle, UrlReply, UrlRequest,
};
use attache_protocol::decode;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

type Asked<R, A> = mpsc::Receiver<(R, oneshot::Sender<A>)>;

/// Hands each form to the test.
fn forms(options: Options) -> (Options, Asked<FormRequest, FormReply>) {
    let (requests, asked) = mpsc::channel(8);
    let options = options.forms(move |request| {
        let requests = requests.clone();
        async move {
            let (answer, answered) = oneshot::channel();
            requests.send((request, answer)).await.unwrap();
            answered.await.unwrap()
        }
    });
    (options, asked)
}

/// Hands each page to the test.
fn pages(options: Options) -> (Options, Asked<UrlRequest, UrlReply>) {
    let (requests, asked) = mpsc::channel(8);
    let options = options.pages(move |request| {
        let requests = requests.clone();
        async move {
            let (answer, answered) = oneshot::channel();
            requests.send((request, answer)).await.unwrap();
            answered.await.unwrap()
        }
    });
    (options, asked)
}

async fn ready(
    options: Options,
) -> (AgentConnection, ScriptedAgent, SessionHandle, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let answer = json!({ "protocolVersion": 1, "agentInfo": { "name": "probe", "version": "1" } });
    let (connection, mut agent) = connected_with(options, answer).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    (connection, agent, session, folder)
}

fn form(schema: Value) -> Value {
    json!({ "sessionId": "s1", "mode": "form", "message": "Who?", "requestedSchema": schema })
}

fn name_form() -> Value {
    form(json!({
        "type": "object",
        "properties": { "name": { "type": "string", "minLength": 2, "default": "Ann" } },
        "required": ["name"],
    }))
}

fn page(id: &str, url: &str) -> Value {
    json!({ "sessionId": "s1", "mode": "url", "message": "Log in", "elicitationId": id, "url": url })
}

async fn elicit(agent: &mut ScriptedAgent, id: u64, params: Value) {
    agent.call(id, "elicitation/create", params).await;
}

/// ELIC-01, ELIC-02, ELIC-22.
#[tokio::test]
async fn only_the_modes_that_were_switched_on_are_offered() {
    let with_forms = || forms(Options::default()).0;
    let with_pages = || pages(Options::default()).0;
    for (options, advertised, codes) in [
        (Options::default(), Value::Null, [-32601, -32601, -32601]),
        (with_forms(), json!({ "form": {} }), [0, -32602, -32602]),
        (with_pages(), json!({ "url": {} }), [-32602, 0, -32602]),
    ] {
        let (mut agent, attempt) = connecting(options);
        let greeting = async {
            let call = agent.expect("initialize").await;
            assert_eq!(call["params"]["clientCapabilities"]["elicitation"], advertised);
            agent.reply(&call, json!({ "protocolVersion": 1 })).await;
        };
        let (connection, ()) = tokio::join!(attempt, greeting);
        let connection = connection.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let _session = opened(&connection, &mut agent, folder.path()).await;
        let other = json!({ "sessionId": "s1", "mode": "voice", "message": "Say it" });
        let asked = [name_form(), page("e", "https://example.org/"), other];
        for (params, code) in asked.into_iter().zip(codes).filter(|(_, code)| *code != 0) {
            elicit(&mut agent, 1, params).await;
            assert_eq!(agent.answer_to(1).await["error"]["code"], code, "{advertised}");
        }
    }
}

/// ELIC-08, ELIC-13, ELIC-14, ELIC-15.
#[tokio::test]
async fn an_answer_is_sent_only_if_it_fits_the_form() {
    let (options, mut asked) = forms(Options::default());
    let (_connection, mut agent, _session, _folder) = ready(options).await;
    let mut about = name_form();
    about["toolCallId"] = json!("t");
    elicit(&mut agent, 1, about).await;
    let (request, answer) = soon(asked.recv()).await.unwrap();
    assert_eq!((request.agent.as_str(), request.message.as_str()), ("probe", "Who?"));
    assert_eq!(request.session_id, Some("s1".into()));
    assert_eq!(request.tool_call_id, Some("t".into()));
    answer.send(FormReply::Accept(request.form.defaults())).unwrap();
    assert_eq!(
        agent.answer_to(1).await["result"],
        json!({ "action": "accept", "content": { "name": "Ann" } })
    );

    for wrong in [r#"{"name":"A"}"#, r#"{}"#, r#"{"name":"Ann","more":1}"#] {
        elicit(&mut agent, 2, name_form()).await;
        let (_, answer) = soon(asked.recv()).await.unwrap();
        answer.send(FormReply::Accept(decode(wrong).unwrap())).unwrap();
        let answer = agent.answer_to(2).await;
        assert_eq!(
            (&answer["error"]["code"], answer.get("result")),
            (&json!(-32603), None),
            "{wrong}"
        );
    }
    for (elicited, action) in [(FormReply::Decline, "decline"), (FormReply::Cancel, "cancel")] {
        elicit(&mut agent, 3, name_form()).await;
        let (_, answer) = soon(asked.recv()).await.unwrap();
        answer.send(elicited).unwrap();
        assert_eq!(agent.answer_to(3).await["result"], json!({ "action": action }));
    }
}

/// ELIC-05, ELIC-25.
#[tokio::test]
async fn malformed_questions_are_refused_without_asking() {
    let (options, mut asked) = forms(Options::default());
    let (_connection, mut agent, _session, _folder) = ready(options).await;
    let mut no_scope = name_form();
    no_scope.as_object_mut().unwrap().remove("sessionId");
    let mut no_mode = name_form();
    no_mode.as_object_mut().unwrap().remove("mode");
    let mut no_form = name_form();
    no_form.as_object_mut().unwrap().remove("requestedSchema");
    let bad_field = form(
        json!({ "type": "object", "properties": { "a": { "type": "string", "minLength": "x" } } }),
    );
    for params in [no_scope, no_mode, no_form, bad_field] {
        elicit(&mut agent, 1, params.clone()).await;
        assert_eq!(agent.answer_to(1).await["error"]["code"], -32602, "{params}");
    }
    let mut unknown = name_form();
    unknown["sessionId"] = json!("zzz");
    elicit(&mut agent, 1, unknown).await;
    assert_eq!(agent.answer_to(1).await["error"]["code"], -32002);
    assert!(asked.try_recv().is_err());
}

/// ELIC-04: a question about one of this client's calls, without a session.
#[tokio::test]
async fn a_question_may_be_about_a_call() {
    let (options, mut asked) = forms(Options::default());
    let (_connection, mut agent, _session, _folder) = ready(options).await;
    let mut params = name_form();
    params.as_object_mut().unwrap().remove("sessionId");
    params["requestId"] = json!(7);
    elicit(&mut agent, 1, params).await;
    let (request, answer) = soon(asked.recv()).await.unwrap();
    assert_eq!(request.session_id, None);
    answer.send(FormReply::Decline).unwrap();
    assert_eq!(agent.answer_to(1).await["result"], json!({ "action": "decline" }));
}

/// ELIC-26, CANCEL-21.
#[tokio::test]
async fn withdrawn_questions_are_answered_with_cancel() {
    let (options, mut asked) = forms(Options::default());
    let (options, mut pages) = pages(options);
    let (_connection, mut agent, session, _folder) = ready(options).await;
    let turn = session.prompt("go").await.unwrap();
    let prompt = agent.expect("session/prompt").await;
    elicit(&mut agent, 1, name_form()).await;
    elicit(&mut agent, 2, page("e", "https://example.org/")).await;
    elicit(&mut agent, 3, name_form()).await;
    let mut first = soon(asked.recv()).await.unwrap();
    let (page_request, _page) = soon(pages.recv()).await.unwrap();
    let _third = soon(asked.recv()).await.unwrap();
    agent
        .send(
            json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": 3 } }),
        )
        .await;
    assert_eq!(agent.answer_to(3).await["result"], json!({ "action": "cancel" }), "CANCEL-21");
    turn.cancel();
    agent.expect("session/cancel").await;
    let mut answers = [agent.next().await.unwrap(), agent.next().await.unwrap()];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    for (answer, id) in answers.iter().zip([1, 2]) {
        assert_eq!(
            (&answer["id"], &answer["result"]),
            (&json!(id), &json!({ "action": "cancel" }))
        );
    }
    soon(first.1.closed()).await;
    assert!(!soon(page_request.completed.wait()).await, "the person did not agree to open it");
    elicit(&mut agent, 4, name_form()).await;
    assert_eq!(
        agent.answer_to(4).await["result"],
        json!({ "action": "cancel" }),
        "while it is being cancelled"
    );
    agent.reply(&prompt, json!({ "stopReason": "cancelled" })).await;
}

/// ELIC-09, ELIC-17, ELIC-19, ELIC-20.
#[tokio::test]
async fn a_page_shows_its_whole_address_and_is_completed_by_its_id() {
    let (options, mut pages) = pages(Options::default());
    let (_connection, mut agent, _session, _folder) = ready(options).await;
    let url = "https://Example.org/login?state=1";
    elicit(&mut agent, 1, page("e1", url)).await;
    elicit(&mut agent, 2, page("e2", url)).await;
    let (first, answer) = soon(pages.recv()).await.unwrap();
    assert_eq!((first.address.as_str(), first.address.host()), (url, "example.org"));
    answer.send(UrlReply::Accept).unwrap();
    assert_eq!(agent.answer_to(1).await["result"], json!({ "action": "accept" }), "no content");
    let (second, answer) = soon(pages.recv()).await.unwrap();
    answer.send(UrlReply::Accept).unwrap();
    agent.answer_to(2).await;

    let complete = |id: &str| json!({ "jsonrpc": "2.0", "method": "elicitation/complete", "params": { "elicitationId": id } });
    agent.send(complete("unknown")).await;
    agent.heard().await;
    assert!(!first.completed.is_completed() && !second.completed.is_completed());
    for _ in 0..2 {
        agent.send(complete("e2")).await;
        agent.heard().await;
        assert!(!first.completed.is_completed() && second.completed.is_completed());
    }
    assert!(soon(second.completed.wait()).await);
    drop(agent);
    assert!(!soon(first.completed.wait()).await, "the connection is over");
}

/// ELIC-09, ELIC-12, ELIC-18.
#[tokio::test]
async fn invalid_addresses_and_ids_in_use_are_refused() {
    let (options, mut pages) = pages(Options::default());
    let (_connection, mut agent, _session, _folder) = ready(options).await;
    for url in ["file:///etc/passwd", "javascript:alert(1)", "https:// x", "example.org"] {
        elicit(&mut agent, 1, page("e", url)).await;
        assert_eq!(agent.answer_to(1).await["error"]["code"], -32602, "{url}");
    }
    elicit(&mut agent, 2, page("e", "https://example.org/")).await;
    let (_, answer) = soon(pages.recv()).await.unwrap();
    elicit(&mut agent, 3, page("e", "https://example.org/")).await;
    assert_eq!(agent.answer_to(3).await["error"]["code"], -32602);
    answer.send(UrlReply::Decline).unwrap();
    assert_eq!(agent.answer_to(2).await["result"], json!({ "action": "decline" }));
    elicit(&mut agent, 4, page("e", "https://example.org/")).await;
    let _again = soon(pages.recv()).await.unwrap();
}

/// ELIC-16 is about agents: if a dialog fails, they receive an error and never an answer.
#[tokio::test]
async fn a_failing_dialog_gives_no_answer() {
    let options = Options::default().forms(|_| async { panic!("the dialog broke") });
    let (_connection, mut agent, _session, _folder) = ready(options).await;
    elicit(&mut agent, 1, name_form()).await;
    assert_eq!(agent.answer_to(1).await["error"]["code"], -32603);
    agent.heard().await;
}
