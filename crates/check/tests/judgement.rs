//! Judgements: their content, their JSON form, and the features that a peer is seen to support.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use attache_check::{Answering, Baseline, Judgement, KnownFailure, Link, Run, Support, Topic};
use attache_protocol::method::Side;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// Answers like an agent that supports three methods and sends secrets.
fn agent(message: &Value) -> Vec<Value> {
    let reply = |result: Value| json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    let update = |update: Value| {
        let params = json!({"sessionId": "s", "update": update});
        json!({"jsonrpc": "2.0", "method": "session/update", "params": params})
    };
    match message["method"].as_str().unwrap_or_default() {
        "initialize" => {
            let session = json!({"list": {}, "close": null, "_meta": {"x": true}});
            let capabilities = json!({"loadSession": false, "promptCapabilities": {"image": true, "audio": false}, "sessionCapabilities": session});
            vec![reply(
                json!({"protocolVersion": 1, "agentInfo": {"name": "a\u{1b}", "version": "1.2"}, "agentCapabilities": capabilities}),
            )]
        }
        "session/new" => vec![
            update(json!({"sessionUpdate": "_vendor/thing"})),
            reply(json!({"sessionId": "s", "configOptions": [{
                "id": "m",
                "name": "M",
                "category": "model",
                "type": "select",
                "currentValue": "x",
                "options": [{"value": "x", "name": "X"}],
            }]})),
        ],
        "session/prompt" => vec![
            update(
                json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}),
            ),
            update(
                json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "kind": "read", "status": "completed", "_meta": {"secretive": 1}}),
            ),
            json!({"jsonrpc": "2.0", "id": "q", "method": "session/request_permission", "params": {
                "sessionId": "s",
                "toolCall": {"toolCallId": "t"},
                "options": [{"optionId": "1", "name": "N", "kind": "reject_once"}],
            }}),
            reply(json!({"stopReason": "end_turn"})),
        ],
        _ if message["id"].is_null() || message["method"].is_null() => Vec::new(),
        _ => vec![
            json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no", "data": {"token": "s3cret"}}}),
        ],
    }
}

fn judged(only: &[&str], command: &[&str]) -> Judgement {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (input, mut output) = tokio::io::split(theirs);
        let served = async move {
            let mut lines = BufReader::new(input).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                for said in agent(&serde_json::from_str(&line).unwrap_or_default()) {
                    output.write_all(format!("{said}\n").as_bytes()).await.unwrap();
                }
            }
        };
        let (output, input) = tokio::io::split(ours);
        let mut link = Some(Link::over(output, input));
        let gone = || Link::over(tokio::io::empty(), tokio::io::sink());
        let mut run = Run::new("/p", move || Ok(link.take().unwrap_or_else(gone)));
        let only = only.iter().map(|rule| attache_check::select(rule).unwrap());
        let judged = async {
            let verdicts = run.judge(only, |_| {}).await.unwrap();
            let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
            Judgement::new(&command, verdicts, run.support().clone())
        };
        tokio::select! {
            judgement = judged => judgement,
            () = served => panic!("the agent ended before it was judged"),
        }
    })
}

#[test]
fn support_is_recorded_from_traffic() {
    let support = judged(&["PROMPT-04"], &["agent"]).support;
    assert_eq!(
        (support.name.as_deref(), support.version.as_deref()),
        (Some("a\u{1b}"), Some("1.2"))
    );
    let capabilities: Vec<&str> = support.capabilities.iter().map(String::as_str).collect();
    assert_eq!(
        capabilities,
        [
            "agentCapabilities.promptCapabilities.image",
            "agentCapabilities.sessionCapabilities.list"
        ],
        "false, null and groups are not offered"
    );
    assert_eq!(support.answering("session/prompt"), Answering::Works);
    assert_eq!(support.answering("session/fork"), Answering::Untold);
    assert!(support.calls("session/request_permission") && !support.calls("fs/read_text_file"));
    let sent = |topic| support.sent[&topic].keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(sent(Topic::Update), ["_vendor/thing", "agent_message_chunk", "tool_call"]);
    assert_eq!(sent(Topic::ToolKind), ["read"]);
    assert_eq!(sent(Topic::PermissionOption), ["reject_once"]);
    assert_eq!(sent(Topic::StopReason), ["end_turn"]);
    assert_eq!(sent(Topic::OptionCategory), ["model"]);
    assert_eq!(sent(Topic::Meta), ["secretive"]);
    assert_eq!(support.taken[&Topic::Prompt].keys().collect::<Vec<_>>(), ["audio", "text"]);
}

#[test]
fn a_refused_method_differs_from_one_that_was_never_called() {
    let support = judged(&["LIST-02"], &["agent"]).support;
    assert_eq!(support.answering("session/list"), Answering::Unknown);
    assert!(
        !support.answered.keys().any(|method| method.starts_with('_')),
        "a method that the judge invented is not a method of the agent"
    );
}

#[test]
fn a_judgement_has_no_secrets_and_can_be_read_back() {
    let judgement = judged(&["LIST-02"], &["env", "agent", "--api-key", "s3cret", "a b"]);
    assert_eq!(judgement.command, "env agent --api-key <hidden> 'a b'");
    let text = judgement.to_json();
    assert!(
        judgement.fails().len() == 1 && text.contains("<hidden>") && !text.contains("s3cret"),
        "{text}"
    );
    let read = Judgement::read(&text).unwrap();
    assert_eq!(read, judgement);
    let later = text.replacen('{', "{\"later\": {\"x\": 1},", 1);
    assert_eq!(
        Judgement::read(&later).unwrap(),
        judgement,
        "members of a later version are ignored"
    );
}

#[test]
fn the_error_for_a_malformed_judgement_has_line_and_column() {
    let text = judged(&["LIST-02"], &["agent"]).to_json();
    for (from, to, why) in [
        ("\"version\": 1", "\"version\": 9", "it has version 9"),
        ("\"LIST-02\"", "\"LIST-99\"", "has no rule \"LIST-99\""),
        ("\"verdict\": \"fail\"", "\"verdict\": \"odd\"", "\"odd\" is not a verdict"),
        ("\"side\": \"agent\"", "\"side\": \"moon\"", "\"moon\" is neither"),
        ("\"grounds\":", "\"ground\":", "missing field `grounds`"),
        ("\"support\": {", "\"support\": [", "expected"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let error = Judgement::read(&text.replacen(from, to, 1)).unwrap_err();
        assert!(error.line > 1 && error.column > 1 && error.why.contains(why), "{error}");
    }
    let cut = text.get(..text.len() / 2).unwrap();
    let error = Judgement::read(cut).unwrap_err();
    assert_eq!(error.line, cut.lines().count(), "{error}");
}

#[test]
fn different_repeats_are_flaky_and_the_worst_counts() {
    let mut judgement = judged(&["PROMPT-17"], &["agent"]);
    let word = |judgement: &Judgement| judgement.verdict("PROMPT-17").unwrap().outcome.as_str();
    assert_eq!(word(&judgement), "pass");
    let mut again = judgement.verdicts.clone();
    judgement.repeated(again.clone(), Support::of(Side::Agent));
    assert!(judgement.flaky.is_empty());
    for verdict in &mut again {
        verdict.outcome = attache_check::Outcome::Fail { expected: "e".into(), seen: "s".into() };
    }
    judgement.repeated(again, Support::of(Side::Agent));
    assert_eq!((judgement.repeats, word(&judgement)), (3, "fail"));
    assert_eq!(judgement.flaky["PROMPT-17"].iter().copied().collect::<Vec<_>>(), ["fail", "pass"]);
    judgement.took = Duration::from_millis(1500);
    assert_eq!(Judgement::read(&judgement.to_json()).unwrap(), judgement);
}

#[test]
fn known_failures_differ_from_new_ones_and_from_passes() {
    let judgement = judged(&["LIST-02", "PROMPT-17"], &["agent"]);
    let read = |text: &str| Baseline::read(text).unwrap();
    let ids = |known: &[&KnownFailure]| known.iter().map(|known| known.rule.id).collect::<Vec<_>>();
    let nothing = Baseline::default();
    let against = nothing.against(&judgement);
    assert!(against.differs() && against.new[0].rule.id == "LIST-02", "{against:?}");
    let known = read("- LIST-02: it has none\n- LIST-03: not reached");
    let against = known.against(&judgement);
    assert!(!against.differs(), "{against:?}");
    assert_eq!((ids(&against.known), ids(&against.untold)), (vec!["LIST-02"], vec!["LIST-03"]));
    assert_eq!(
        known.rewritten(&judgement).lines().skip(2).collect::<Vec<_>>(),
        ["- LIST-02: it has none", "- LIST-03: not reached"]
    );
    let prompted = judged(&["PROMPT-17"], &["agent"]);
    let (gone, flaky) = (read("- PROMPT-17: it hangs"), read("- PROMPT-17, flaky: it hangs"));
    assert_eq!(ids(&gone.against(&prompted).healed), ["PROMPT-17"]);
    assert!(!flaky.against(&prompted).differs());
    assert!(gone.rewritten(&prompted).ends_with("\n\nNone.\n"));
    assert!(flaky.rewritten(&prompted).ends_with("\n- PROMPT-17, flaky: it hangs\n"));
}
