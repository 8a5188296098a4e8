use super::{Client, Tester};
use attache_agent::{About, serve};
use attache_protocol::v1::{AuthMethodAgent, AuthMethodTerminal, PromptCapabilities};
use serde_json::json;

/// INIT-05, INIT-06, INIT-09, V2-02, V2-05. After each error, the connection serves the next
/// `initialize`.
#[tokio::test(start_paused = true)]
async fn every_requested_version_has_one_outcome() {
    let number = "params.protocolVersion: expected a whole number from 0 to 65535, found";
    let refused = |found: &str| Err((-32602, format!("{number} {found}")));
    let older = "initialize asks for version 2 with the fields of version 1";
    let name = json!({"name": "c", "version": "1"});
    for (params, outcome) in [
        (json!({"protocolVersion": 1}), Ok(1)),
        (json!({"protocolVersion": 1, "info": name, "capabilities": {}}), Ok(1)),
        (json!({"protocolVersion": 2, "info": name}), Ok(2)),
        (json!({"protocolVersion": 2, "info": name, "clientInfo": name}), Ok(2)),
        (json!({"protocolVersion": 3, "info": name}), Ok(2)),
        (json!({"protocolVersion": 3, "about": "c"}), Ok(2)),
        (json!({"protocolVersion": 65535}), Ok(2)),
        (json!({"protocolVersion": 0}), Err((-32022, "use version 1 or 2".to_owned()))),
        (json!({"protocolVersion": 2, "clientInfo": name}), Err((-32602, older.to_owned()))),
        (
            json!({"protocolVersion": 2}),
            Err((-32602, "params: the required field \"info\" is missing".to_owned())),
        ),
        (
            json!({"protocolVersion": 2, "info": "x", "capabilities": []}),
            Err((-32602, "params.info: expected an object, found a string".to_owned())),
        ),
        (json!({"protocolVersion": "2"}), refused("a string")),
        (json!({"protocolVersion": 2.5}), refused("2.5")),
        (json!({"protocolVersion": -1}), refused("-1")),
        (json!({"protocolVersion": 65536}), refused("65536")),
        (json!({"protocolVersion": null}), refused("null")),
        (
            json!({}),
            Err((-32602, "params: the required field \"protocolVersion\" is missing".to_owned())),
        ),
        (json!([1]), Err((-32602, "params: expected an object, found an array".to_owned()))),
    ] {
        let mut client = Client::silent(serve(Tester::default()));
        match outcome {
            Ok(version) => {
                let answer = client.result("initialize", params.clone()).await;
                assert_eq!(answer["protocolVersion"], version, "{params}");
                let info = if version == 1 { "agentInfo" } else { "info" };
                assert_eq!(answer[info], json!({"name": "tester", "version": "1"}), "{params}");
            }
            Err((code, says)) => {
                let error = client.error("initialize", params.clone()).await;
                assert_eq!(error["code"], code, "{params}");
                assert!(error["message"].as_str().unwrap().contains(&says), "{params}: {error}");
                let early = client.error("session/new", super::client::new()).await;
                assert_eq!(early["code"], -32600, "INIT-02: {params} did not initialize");
                client.result("initialize", json!({"protocolVersion": 1})).await;
            }
        }
        client.session().await;
    }
}

/// RPC-21. No entry of a batch runs.
#[tokio::test(start_paused = true)]
async fn a_batch_gets_one_error_and_the_connection_goes_on() {
    let mut client = Client::silent(serve(Tester::default()));
    let initialize = json!({
        "jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {"protocolVersion": 1},
    });
    let new = json!({
        "jsonrpc": "2.0", "id": 8, "method": "session/new", "params": super::client::new(),
    });
    for is_initialized in [false, true] {
        for batch in [json!([]), json!([initialize]), json!([initialize, new]), json!([1, [2]])] {
            client.send(std::slice::from_ref(&batch)).await;
            let answer = client.next().await;
            assert_eq!(answer["error"]["code"], -32600, "{batch}");
            assert!(answer["error"]["message"].as_str().unwrap().contains("batches"), "{answer}");
            assert_eq!(answer.get("id"), Some(&json!(null)), "{batch}");
            assert!(answer.get("result").is_none(), "{batch}");
        }
        if !is_initialized {
            let early = client.error("session/new", super::client::new()).await;
            assert_eq!(early["code"], -32600, "RPC-21: the batches did not initialize");
            client.result("initialize", json!({"protocolVersion": 1})).await;
        }
    }
    client.session().await;
    client.settle().await;
    let second = client.seen.iter().find(|message| message.get("method").is_none());
    assert_eq!(second, None, "each batch gets one answer");
}

/// INIT-18. The capabilities of the last valid `initialize` count, also in open sessions.
#[tokio::test(start_paused = true)]
async fn a_second_initialize_replaces_the_capabilities_of_the_client() {
    let mut client = Client::silent(serve(Tester::default()));
    client.result("initialize", json!({"protocolVersion": 1})).await;
    let session = client.session().await;
    let switch = async |client: &mut Client| {
        let set = json!({"sessionId": session, "configId": "model", "value": "large"});
        let mut reply = client.result("session/set_config_option", set).await;
        reply["configOptions"][2]["type"].take()
    };
    assert_eq!(switch(&mut client).await, "select");
    let takes = json!({"session": {"configOptions": {"boolean": {}}}});
    for (asked, capabilities, kind) in [(1, &takes, "boolean"), (2, &json!({}), "select")] {
        // A connection keeps its version.
        let params = json!({"protocolVersion": asked, "clientCapabilities": capabilities});
        let answer = client.result("initialize", params).await;
        assert_eq!(answer["protocolVersion"], 1, "INIT-18");
        assert_eq!(switch(&mut client).await, kind);
    }
    let invalid = json!({"protocolVersion": "1", "clientCapabilities": takes});
    assert_eq!(client.error("initialize", invalid).await["code"], -32602);
    assert_eq!(switch(&mut client).await, "select", "an invalid repetition changes nothing");
}

/// INIT-02.
#[tokio::test(start_paused = true)]
async fn nothing_is_served_before_initialize() {
    let mut client = Client::silent(serve(Tester::default()));
    for method in
        ["session/new", "session/prompt", "session/list", "_mine", "nonsense", "authenticate"]
    {
        assert_eq!(
            client.error(method, json!({"bad": 1})).await["code"],
            -32600,
            "INIT-02: {method}"
        );
    }
    client.result("initialize", json!({"protocolVersion": 1})).await;
    assert_eq!(client.error("nonsense", json!({})).await["code"], -32601);
    assert_eq!(client.error("_mine", json!({})).await["code"], -32601);
}

/// INIT-13, INIT-18.
#[tokio::test(start_paused = true)]
async fn unusual_params_of_other_versions_do_no_harm() {
    let mut client = Client::silent(serve(Tester::default()));
    let params = json!({"protocolVersion": 1, "clientInfo": {"name": 1}, "clientCapabilities": {"fs": false, "terminal": {}}});
    client.result("initialize", params).await; // INIT-13, INIT-18
    client.session().await;
}

/// INIT-17.
#[tokio::test(start_paused = true)]
async fn exactly_the_advertised_methods_are_served() {
    let prompts = PromptCapabilities { image: true, ..PromptCapabilities::default() };
    let about = About::new("a", "1").title("A").prompts(prompts).additional_directories();
    let mut client = Client::silent(serve(Tester::with(about)));
    let answer = client.result("initialize", json!({"protocolVersion": 1})).await;
    let capabilities = &answer["agentCapabilities"];
    assert_eq!(capabilities["promptCapabilities"]["image"], true);
    assert_ne!(capabilities["promptCapabilities"]["audio"], true);
    assert_ne!(capabilities["loadSession"], true);
    let offered: Vec<&String> =
        capabilities["sessionCapabilities"].as_object().unwrap().keys().collect();
    assert_eq!(offered.len(), 5, "{offered:?}");
    for name in ["list", "close", "delete", "title", "additionalDirectories"] {
        assert!(capabilities["sessionCapabilities"][name].is_object(), "{name}");
    }
    for method in [
        "session/load",
        "session/resume",
        "session/fork",
        "session/archive",
        "logout",
        "providers/list",
    ] {
        let params = json!({"sessionId": "s", "cwd": "/", "mcpServers": []});
        assert_eq!(client.error(method, params).await["code"], -32601, "INIT-17: {method}");
    }
}

/// AUTH-03, AUTH-05, AUTH-06.
#[tokio::test(start_paused = true)]
async fn logins_are_shown_to_clients_that_support_them() {
    let about = || {
        let about = About::new("a", "1").auth_method(AuthMethodAgent::new("key", "Key"));
        about.auth_method(AuthMethodTerminal::new("shell", "Shell"))
    };
    for (terminal, shown) in [(false, 1), (true, 2)] {
        let mut client = Client::silent(serve(Tester::with(about())));
        let params =
            json!({"protocolVersion": 1, "clientCapabilities": {"auth": {"terminal": terminal}}});
        let answer = client.result("initialize", params).await;
        assert_eq!(answer["authMethods"].as_array().unwrap().len(), shown, "AUTH-05");
        for id in ["nope", "shell", "key"] {
            let error = client.error("authenticate", json!({"methodId": id})).await;
            assert_eq!(error["code"], -32602, "AUTH-03, AUTH-06; this author has no login: {id}");
        }
    }
}
