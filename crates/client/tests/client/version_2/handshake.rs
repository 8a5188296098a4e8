//! The choice of the version.

use super::scripted::{asking, connected, greeting};
use crate::scripted_agent::{connected_with, connecting};
use attache_client::{Options, StartError};
use attache_protocol::v1::ProtocolVersion;
use serde_json::{Value, json};

/// The error of a client whose `initialize` gets this answer. The client then closes the
/// connection.
async fn start_error(options: Options, member: &str, answer: Value) -> StartError {
    let (mut agent, connecting) = connecting(options);
    let greeting = async {
        let call = agent.expect("initialize").await;
        agent.send(json!({ "jsonrpc": "2.0", "id": call["id"], member: answer })).await;
    };
    let (error, ()) = tokio::join!(connecting, greeting);
    assert_eq!(agent.next().await, None, "the client sends nothing more and closes the stream");
    error.unwrap_err()
}

#[tokio::test]
async fn the_handshake_has_the_form_of_version_2() {
    let (mut agent, connecting) = connecting(asking().terminals());
    let answering = async {
        let call = agent.expect("initialize").await;
        let params = &call["params"];
        assert_eq!(params["protocolVersion"], 2);
        assert_eq!(params["info"]["name"], "attache");
        // Version 2 has no files, no terminals and no markers for updates.
        assert_eq!(params.get("capabilities"), None, "{call}");
        let session = json!({ "prompt": { "image": {} }, "mcp": { "http": {} }, "fork": {} });
        let methods = json!([
            { "methodId": "key", "type": "agent", "name": "Key" },
            { "methodId": "odd", "type": "dance", "name": "Dance" },
        ]);
        agent.reply(&call, greeting(json!({ "session": session }), methods)).await;
    };
    let (connection, ()) = tokio::join!(connecting, answering);
    let connection = connection.unwrap();
    assert_eq!(connection.protocol(), ProtocolVersion::V2);
    assert_eq!(connection.about().unwrap().name, "scripted");
    let capabilities = connection.capabilities();
    assert!(capabilities.load_session && capabilities.prompt_capabilities.image);
    assert!(capabilities.mcp_capabilities.http && !capabilities.mcp_capabilities.sse);
    assert!(capabilities.session_capabilities.fork.is_some());
    assert!(capabilities.session_capabilities.delete.is_none());
    let ids: Vec<&str> =
        connection.auth_methods().iter().map(|method| method.id().as_str()).collect();
    assert_eq!(ids, ["key"], "a login of an unknown type is left out");
    assert!(capabilities.auth.logout.is_some());
}

#[tokio::test]
async fn an_agent_without_sessions_opens_none() {
    let (connection, mut agent) = connected(json!({})).await;
    let folder = tempfile::tempdir().unwrap();
    let error = connection.open(folder.path()).await.unwrap_err();
    assert!(error.to_string().contains("capabilities.session"), "{error}");
    agent.heard().await;
}

#[tokio::test]
async fn logins_have_their_methods_of_version_2() {
    let methods = json!([{ "methodId": "key", "type": "agent", "name": "Key" }]);
    let (connection, mut agent) = connected_with(asking(), greeting(json!({}), methods)).await;
    let (done, ()) = tokio::join!(connection.authenticate("key"), async {
        let call = agent.expect("auth/login").await;
        assert_eq!(call["params"], json!({ "methodId": "key" }));
        agent.reply(&call, json!({})).await;
    });
    done.unwrap();
    let (done, ()) = tokio::join!(connection.logout(), async {
        let call = agent.expect("auth/logout").await;
        agent.reply(&call, json!({})).await;
    });
    done.unwrap();
}

#[tokio::test]
async fn an_agent_of_another_version_is_named() {
    for (answer, says) in [
        (1, "the agent speaks only version 1 of ACP, and this client asked for version 2"),
        (3, "the agent speaks version 3 of ACP, and this client asked for version 2"),
        (0, "the agent speaks version 0 of ACP, and this client asked for version 2"),
    ] {
        // A reply may have the members of both versions: the version decides.
        let both = json!({ "protocolVersion": answer, "agentCapabilities": {}, "capabilities": {}, "info": {} });
        let error = start_error(asking(), "result", both).await;
        assert!(matches!(&error, StartError::Version { answered, .. } if answered.0 == answer));
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[tokio::test]
async fn a_refusal_names_the_versions_that_the_agent_speaks() {
    for (options, asked, supported, says) in [
        (asking(), 2, vec![1], "speaks only version 1 of ACP, and this client asked for version 2"),
        (
            Options::default(),
            1,
            vec![2],
            "speaks only version 2 of ACP, and this client asked for version 1",
        ),
        (asking(), 2, vec![3, 4], "speaks version 3, 4 of ACP"),
        (asking(), 2, vec![], "does not speak version 2 of ACP"),
    ] {
        let data = json!({ "requested": asked, "supported": supported });
        let refusal = json!({ "code": -32022, "message": "no", "data": data });
        let error = start_error(options, "error", refusal).await;
        assert!(matches!(error, StartError::UnsupportedVersion { .. }), "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    // Without usable data, the refusal itself is shown.
    for data in [json!(null), json!({ "supported": "2" })] {
        let refusal = json!({ "code": -32022, "message": "not this one", "data": data });
        let error = start_error(asking(), "error", refusal).await;
        assert!(error.to_string().contains("not this one"), "{error}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_version_names_the_field() {
    let number = "result.protocolVersion: expected a whole number from 0 to 65535, found";
    for (answer, says) in [
        (json!({ "protocolVersion": "2" }), format!("{number} a string")),
        (json!({ "protocolVersion": 2.5 }), format!("{number} 2.5")),
        (json!({ "protocolVersion": -1 }), format!("{number} -1")),
        (json!({ "protocolVersion": 2, "agentInfo": {} }), "\"info\" is missing".to_owned()),
        (json!([]), "result: expected an object".to_owned()),
    ] {
        let error = start_error(asking(), "result", answer.clone()).await;
        assert!(matches!(error, StartError::BadReply { .. }), "{answer}: {error}");
        assert!(error.to_string().contains(&says), "{answer}: {error}");
    }
}
