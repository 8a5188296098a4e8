//! INIT-01 to INIT-07, and agents that do not start.

use crate::scripted_agent::{connected_with, connecting, soon};
use attache_client::{LoginError, Options, StartError};
use attache_protocol::v1::AgentCapabilities;
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn the_first_message_advertises_exactly_what_is_served() {
    let (mut agent, connecting) = connecting(Options::default().about("tester", "9"));
    let greeting = async {
        let call = agent.expect("initialize").await;
        let params = &call["params"];
        assert_eq!(params["protocolVersion"], 1);
        assert_eq!(params["clientInfo"], json!({ "name": "tester", "version": "9" }));
        assert_eq!(
            params["clientCapabilities"]["fs"],
            json!({ "readTextFile": true, "writeTextFile": true })
        );
        let session =
            json!({ "compaction": {}, "configOptions": { "boolean": {} }, "notices": {} });
        assert_eq!(params["clientCapabilities"]["session"], session);
        assert_eq!(params["clientCapabilities"]["plan"], json!({}));
        let offered = |name: &str| {
            params["clientCapabilities"]
                .get(name)
                .is_some_and(|value| !value.is_null() && *value != json!(false))
        };
        assert!(
            !offered("terminal") && !offered("elicitation") && !offered("subagents"),
            "{params}"
        );
        assert_ne!(params["clientCapabilities"]["auth"]["terminal"], true);
        agent
            .reply(
                &call,
                json!({ "protocolVersion": 1, "agentInfo": { "name": "a", "version": "2" } }),
            )
            .await;
    };
    let (connection, ()) = tokio::join!(connecting, greeting);
    assert_eq!(connection.unwrap().about().unwrap().version, "2");
}

#[tokio::test]
async fn an_unknown_version_closes_the_connection_and_is_named() {
    let (mut agent, connecting) = connecting(Options::default());
    let greeting = async {
        let call = agent.expect("initialize").await;
        agent.reply(&call, json!({ "protocolVersion": 7 })).await;
    };
    let (error, ()) = tokio::join!(connecting, greeting);
    let error = error.unwrap_err();
    assert!(matches!(error, StartError::Version { .. }));
    assert!(error.to_string().contains("version 7"), "{error}");
    assert_eq!(
        agent.next().await,
        None,
        "INIT-07: the client sends nothing more and closes the stream"
    );
}

/// INIT-07. A number that is a version fails with [`StartError::Version`], and everything else with
/// [`StartError::BadReply`], which names the field. The client sends nothing more.
#[tokio::test(start_paused = true)]
async fn every_answer_except_version_1_ends_the_connection() {
    for version in [0, 2, 3, 65535] {
        let error = start_error(json!({ "protocolVersion": version })).await;
        assert!(
            matches!(&error, StartError::Version { answered, .. } if answered.0 == version),
            "{version}: {error}"
        );
        let says = match version {
            2 => "speaks only version 2 of ACP, and this client asked for version 1".to_owned(),
            _ => format!("speaks version {version} of ACP, and this client asked for version 1"),
        };
        assert!(error.to_string().contains(&says), "{error}");
    }
    let number = "result.protocolVersion: expected a whole number from 0 to 65535, found";
    for (answer, says) in [
        (json!({ "protocolVersion": "2" }), format!("{number} a string")),
        (json!({ "protocolVersion": "1" }), format!("{number} a string")),
        (json!({ "protocolVersion": 2.5 }), format!("{number} 2.5")),
        (json!({ "protocolVersion": -1 }), format!("{number} -1")),
        (json!({ "protocolVersion": 65536 }), format!("{number} 65536")),
        (json!({ "protocolVersion": null }), format!("{number} null")),
        (json!({ "protocolVersion": [1] }), format!("{number} an array")),
        (json!({}), "result: the required field \"protocolVersion\" is missing".to_owned()),
        (json!(null), "result: expected an object, found null".to_owned()),
    ] {
        let error = start_error(answer.clone()).await;
        assert!(matches!(error, StartError::BadReply { .. }), "{answer}: {error}");
        assert!(error.to_string().contains(&says), "{answer}: {error}");
    }
}

/// The error of a client whose `initialize` gets this answer. The client then closes the connection
/// without another message.
async fn start_error(answer: Value) -> StartError {
    let (mut agent, connecting) = connecting(Options::default());
    let greeting = async {
        let call = agent.expect("initialize").await;
        agent.reply(&call, answer).await;
    };
    let (error, ()) = tokio::join!(connecting, greeting);
    assert_eq!(agent.next().await, None, "the client sends nothing more and closes the stream");
    error.unwrap_err()
}

#[tokio::test(start_paused = true)]
async fn connecting_to_a_silent_agent_fails_at_the_deadline() {
    let (_agent, connecting) = connecting(Options::default().handshake(Duration::from_secs(5)));
    let error = connecting.await.unwrap_err();
    assert!(
        matches!(error, StartError::Silent { after, .. } if after == Duration::from_secs(5)),
        "{error}"
    );
    assert!(error.to_string().contains("--acp"), "{error}");
}

#[tokio::test]
async fn stray_lines_before_the_answer_are_kept_and_not_answered() {
    let (mut agent, connecting) = connecting(Options::default());
    let greeting = async {
        agent.send_text("Welcome to Agent 3000!\n\n[1, 2]\n\u{1b}[1mready\n").await;
        let call = agent.expect("initialize").await;
        agent.reply(&call, json!({ "protocolVersion": 1 })).await;
    };
    let (connection, ()) = tokio::join!(connecting, greeting);
    let connection = connection.unwrap();
    assert_eq!(connection.stray_output(), ["Welcome to Agent 3000!", "[1, 2]", "\u{1b}[1mready"]);
    drop(connection);
    assert_eq!(agent.next().await, None);
}

#[tokio::test]
async fn errors_distinguish_agents_that_end_refuse_or_send_malformed_answers() {
    let (agent, gone) = connecting(Options::default());
    drop(agent);
    assert!(matches!(soon(gone).await, Err(StartError::Ended { .. })));

    let (mut agent, refused) = connecting(Options::default());
    let refusing = async {
        let call = agent.expect("initialize").await;
        agent.refuse(&call, -32603, "no licence").await;
    };
    let (error, ()) = tokio::join!(refused, refusing);
    let error = error.unwrap_err();
    assert!(
        matches!(error, StartError::Refused { .. }) && error.to_string().contains("no licence"),
        "{error}"
    );

    let (mut agent, nonsense) = connecting(Options::default());
    let answering = async {
        let call = agent.expect("initialize").await;
        agent.reply(&call, json!({ "protocolVersion": "one" })).await;
    };
    let (error, ()) = tokio::join!(nonsense, answering);
    assert!(matches!(error, Err(StartError::BadReply { .. })));
}

#[tokio::test]
async fn only_offered_logins_are_sent() {
    let methods = json!([
        { "id": "key", "name": "API key" },
        { "id": "tty", "name": "In a terminal", "type": "terminal" },
    ]);
    let answer = json!({ "protocolVersion": 1, "authMethods": methods });
    let (connection, mut agent) = connected_with(Options::default(), answer).await;
    let unknown = connection.authenticate("nope").await.unwrap_err();
    assert!(
        matches!(unknown, LoginError::UnknownMethod { .. }) && unknown.to_string().contains("key"),
        "{unknown}"
    );
    assert!(matches!(connection.authenticate("tty").await, Err(LoginError::InTerminal(_))));
    let answering = async {
        let call = agent.expect("authenticate").await;
        assert_eq!(call["params"]["methodId"], "key");
        agent.reply(&call, json!(null)).await;
    };
    let (login, ()) = tokio::join!(connection.authenticate("key"), answering);
    login.unwrap();
    assert!(connection.logout().await.is_err(), "AUTH-10: not advertised");
}

/// INIT-20, INIT-10.
#[tokio::test(start_paused = true)]
async fn nothing_is_requested_from_an_agent_without_capabilities() {
    let (connection, mut agent) =
        connected_with(Options::default(), json!({ "protocolVersion": 1 })).await;
    assert_eq!(connection.capabilities(), &AgentCapabilities::default());
    assert!(connection.list().next_page().await.is_err());
    assert!(connection.delete("old").await.is_err());
    drop(connection);
    assert_eq!(agent.next().await, None, "nothing was sent");
}
