//! The request for version 2, to agents that are shell scripts.

use crate::scripted_agent::soon;
use attache_client::{AgentProcess, Launch, Options, Version2Answer};
use attache_connection::ConnectionEnd;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// The answer of an agent that is this script.
async fn answer_of(script: impl Into<std::ffi::OsString>, options: Options) -> Version2Answer {
    let launch = Launch::new("/bin/sh").arg("-c").arg(script);
    soon(AgentProcess::ask_for_version_2(launch, options)).await.unwrap()
}

/// The answer of an agent that replies with this member: a result or an error.
async fn answer_to(member: &str) -> Version2Answer {
    let reply = format!(r#"{{"jsonrpc":"2.0","id":0,{member}}}"#);
    answer_of(format!("read line; echo '{reply}'; cat >/dev/null"), Options::default()).await
}

#[tokio::test]
async fn a_valid_answer_says_whether_the_agent_speaks_version_2() {
    let two = r#""result":{"protocolVersion":2,"info":{"name":"a","version":"1"}}"#;
    assert!(matches!(answer_to(two).await, Version2Answer::Agreed));
    for declined in [
        r#""result":{"protocolVersion":1}"#,
        r#""error":{"code":-32022,"message":"no","data":{"requested":2,"supported":[1]}}"#,
        r#""error":{"code":-32602,"message":"protocolVersion must be 1"}"#,
    ] {
        let answer = answer_to(declined).await;
        assert!(matches!(answer, Version2Answer::Declined), "{declined}: {answer}");
    }
}

#[tokio::test]
async fn an_invalid_answer_is_reported_with_its_field() {
    let number = "expected a whole number from 0 to 65535";
    for (result, path, message) in [
        (r#"{"protocolVersion":3}"#, "result.protocolVersion", "expected 1 or 2, found 3"),
        (r#"{"protocolVersion":0}"#, "result.protocolVersion", "expected 1 or 2, found 0"),
        (r#"{"protocolVersion":"2"}"#, "result.protocolVersion", number),
        (r#"{"protocolVersion":2.5}"#, "result.protocolVersion", number),
        (r#"{"protocolVersion":-1}"#, "result.protocolVersion", number),
        (r#"{"protocolVersion":65536}"#, "result.protocolVersion", number),
        (r#"{"protocolVersion":null}"#, "result.protocolVersion", number),
        ("{}", "result", "\"protocolVersion\" is missing"),
        ("null", "result", "expected an object"),
        // The shape of version 1.
        (
            r#"{"protocolVersion":2,"agentInfo":{"name":"a","version":"1"}}"#,
            "result",
            "\"info\" is missing",
        ),
    ] {
        let answer = answer_to(&format!("\"result\":{result}")).await;
        let Version2Answer::Invalid { error } = &answer else { panic!("{result}: {answer}") };
        assert!(error.path == path && error.message.contains(message), "{result}: {answer}");
        assert!(answer.to_string().contains("version 2 is invalid: result"), "{answer}");
    }
    let answer = answer_to(r#""error":5"#).await;
    assert!(matches!(answer, Version2Answer::Invalid { .. }), "{answer}");
}

#[tokio::test]
async fn the_request_has_the_shape_of_version_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("request");
    let script = format!("read -r line; printf %s \"$line\" >{}", path.display());
    let answer = answer_of(script, Options::default().about("tester", "9")).await;
    assert!(matches!(answer, Version2Answer::Ended { .. }), "{answer}");
    let request: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(request["method"], "initialize");
    assert_eq!(request["params"]["protocolVersion"], 2);
    assert_eq!(request["params"]["info"]["name"], "tester");
    assert!(request["params"].get("clientInfo").is_none(), "{request}");
}

#[tokio::test]
async fn an_agent_without_an_answer_is_reported_in_time() {
    let brief = || Options::default().handshake(Duration::from_millis(200));
    // The second agent writes without a pause.
    for script in ["sleep 600", "yes"] {
        let answer = answer_of(script, brief()).await;
        assert!(matches!(answer, Version2Answer::Silent { .. }), "{script}: {answer}");
        assert!(answer.to_string().contains("did not answer"), "{answer}");
    }
    let answer = answer_of("read line; exit 9", Options::default()).await;
    assert!(
        matches!(answer, Version2Answer::Ended { exit: Some(exit), .. } if exit.code == Some(9)),
        "{answer}"
    );
    let long = "head -c 3000000 /dev/zero | tr '\\0' x; cat >/dev/null";
    let answer = answer_of(long, Options::default()).await;
    assert!(
        matches!(answer, Version2Answer::Ended { end: ConnectionEnd::FrameTooLong { .. }, .. }),
        "{answer}"
    );
}

#[tokio::test]
async fn the_agent_and_what_it_started_are_gone_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pids");
    // The agent ignores SIGTERM and the end of its stdin. Its child runs in the background.
    let script = format!(
        "trap '' TERM; sleep 600 & echo $$ $! >{}; while :; do sleep 1; done",
        path.display()
    );
    let answer = answer_of(script, Options::default().handshake(Duration::from_millis(200))).await;
    assert!(matches!(answer, Version2Answer::Silent { .. }), "{answer}");
    let pids = std::fs::read_to_string(path).unwrap();
    assert_eq!(pids.split_whitespace().count(), 2, "{pids}");
    for pid in pids.split_whitespace() {
        let status = std::fs::read_to_string(Path::new("/proc").join(pid).join("status"));
        assert!(status.is_err(), "{pid} still runs: {status:?}");
    }
}

#[tokio::test]
async fn a_program_that_does_not_start_is_an_error() {
    let launch = Launch::new("/no/such/agent");
    let error = AgentProcess::ask_for_version_2(launch, Options::default()).await.unwrap_err();
    assert!(error.to_string().contains("/no/such/agent"), "{error}");
}
