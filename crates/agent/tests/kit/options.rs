use super::client::new;
use super::{Client, Tester};
use serde_json::{Value, json};

fn value_of(options: &Value, id: &str) -> Value {
    let mut found = options.as_array().expect("a list").iter().filter(|option| option["id"] == id);
    found.next().unwrap_or_else(|| panic!("no option {id} in {options}"))["currentValue"].clone()
}

fn kinds(updates: &[Value]) -> Vec<&str> {
    updates.iter().filter_map(|update| update["sessionUpdate"].as_str()).collect()
}

async fn session(client: &mut Client) -> String {
    let session = client.session().await;
    client.settle().await;
    client.updates();
    session
}

/// CONF-15.
#[tokio::test(start_paused = true)]
async fn modes_and_options_agree_at_the_start() {
    let mut client = Client::plain(Tester::default()).await;
    let opened = client.result("session/new", new()).await;
    assert_eq!(opened["modes"]["currentModeId"], "ask");
    assert_eq!(
        opened["modes"]["availableModes"],
        json!([{"id": "ask", "name": "ASK"}, {"id": "code", "name": "CODE"}])
    );
    assert_eq!(value_of(&opened["configOptions"], "how"), "ask");
    let order: Vec<&Value> =
        opened["configOptions"].as_array().unwrap().iter().map(|option| &option["id"]).collect();
    assert_eq!(order, ["model", "how", "web"], "CONF-15");
}

/// CONF-08.
#[tokio::test(start_paused = true)]
async fn switches_are_sent_only_to_clients_that_support_them() {
    let takes = json!({"session": {"configOptions": {"boolean": {}}}});
    for (capabilities, kind) in [(json!({}), "select"), (takes, "boolean")] {
        let mut client = Client::with(Tester::default(), capabilities).await;
        let opened = client.result("session/new", new()).await;
        let web = &opened["configOptions"][2];
        assert_eq!(web["type"], kind, "CONF-08");
        let session = &opened["sessionId"];
        let set = json!({"sessionId": session, "configId": "model", "value": "large"});
        let reply = client.result("session/set_config_option", set).await;
        assert_eq!(reply["configOptions"][2]["type"], kind);
        if kind == "select" {
            // A select replaces the switch. The client can set it to each value that it offers.
            // They reach the author's hook, which panics.
            for option in web["options"].as_array().unwrap() {
                let set =
                    json!({"sessionId": session, "configId": "web", "value": option["value"]});
                assert_eq!(client.error("session/set_config_option", set).await["code"], -32603);
            }
        }
    }
}

/// MODE-05, MODE-07.
#[tokio::test(start_paused = true)]
async fn a_mode_change_is_sent_as_mode_and_as_option() {
    let mut client = Client::plain(Tester::default()).await;
    let session = session(&mut client).await;
    client.result("session/set_mode", json!({"sessionId": session, "modeId": "code"})).await;
    let updates = client.updates();
    assert_eq!(
        kinds(&updates),
        ["config_option_update", "current_mode_update"],
        "MODE-05, MODE-07"
    );
    assert_eq!(value_of(&updates[0]["configOptions"], "how"), "code");
    assert_eq!(updates[1]["currentModeId"], "code");

    let set = json!({"sessionId": session, "configId": "how", "value": "ask"});
    let reply = client.result("session/set_config_option", set).await;
    assert_eq!(value_of(&reply["configOptions"], "how"), "ask");
    let updates = client.updates();
    assert_eq!(kinds(&updates), ["config_option_update", "current_mode_update"], "MODE-07");

    client.turn(&session, "code").await;
    client.settle().await;
    let (_, updates) = client.turn(&session, "code").await;
    assert_eq!(updates, [] as [Value; 0], "the second call changed nothing");
}

/// CONF-02, CONF-10, CONF-22.
#[tokio::test(start_paused = true)]
async fn the_reply_to_a_set_option_contains_all_options() {
    let mut client = Client::plain(Tester::default()).await;
    let session = session(&mut client).await;
    let set = json!({"sessionId": session, "configId": "model", "value": "large", "type": "id"});
    let reply = client.result("session/set_config_option", set).await; // CONF-10
    assert_eq!(reply["configOptions"].as_array().unwrap().len(), 3, "CONF-02");
    assert_eq!(value_of(&reply["configOptions"], "model"), "large");
    assert_eq!(
        reply["configOptions"][0]["name"], "Large model",
        "the author's hook changed the name"
    );
    client.settle().await;
    assert_eq!(client.updates(), [] as [Value; 0], "CONF-22: the reply contains it");
}

/// CONF-07, CONF-11, MODE-02.
#[tokio::test(start_paused = true)]
async fn an_invalid_value_changes_nothing_and_the_error_names_the_valid_ones() {
    let takes = json!({"session": {"configOptions": {"boolean": {}}}});
    let mut client = Client::with(Tester::default(), takes).await;
    let session = session(&mut client).await;
    for (id, value, named) in [
        ("model", json!("huge"), r#""small", "large""#),
        ("models", json!("large"), r#""model", "how", "web""#),
        ("model", json!(true), ""),
        ("model", json!(7), ""),
        ("web", json!("maybe"), "true, false"),
    ] {
        let set = json!({"sessionId": session, "configId": id, "value": value});
        let error = client.error("session/set_config_option", set).await;
        assert_eq!(error["code"], -32602, "CONF-07, CONF-11: {id} {value}");
        assert!(error["message"].as_str().unwrap().contains(named), "{error}");
    }
    let set = json!({"sessionId": session, "configId": "model", "type": "boolean", "value": true});
    assert_eq!(client.error("session/set_config_option", set).await["code"], -32602);
    let error =
        client.error("session/set_mode", json!({"sessionId": session, "modeId": "zzz"})).await;
    assert_eq!(error["code"], -32602, "MODE-02");
    assert!(error["message"].as_str().unwrap().contains(r#""ask", "code""#), "{error}");
    // The author's hook panics on this value: again nothing changes, and the connection lives.
    let set = json!({"sessionId": session, "configId": "web", "type": "boolean", "value": false});
    assert_eq!(client.error("session/set_config_option", set).await["code"], -32603);
    let set = json!({"sessionId": session, "configId": "model", "value": "small"});
    let reply = client.result("session/set_config_option", set).await;
    for (id, value) in [("model", json!("small")), ("how", json!("ask")), ("web", json!(true))] {
        assert_eq!(value_of(&reply["configOptions"], id), value);
    }
    assert_eq!(client.updates(), [] as [Value; 0]);
}

/// CONF-23, DEC-19.
#[tokio::test(start_paused = true)]
async fn a_session_without_options_has_no_options_in_its_reply() {
    let folder = tempfile::tempdir().unwrap();
    let bare = folder.path().join("bare");
    std::fs::create_dir(&bare).unwrap();
    let mut client = Client::plain(Tester::default()).await;
    let opened = client.result("session/new", json!({"cwd": bare, "mcpServers": []})).await;
    assert_eq!(opened.as_object().unwrap().len(), 1, "DEC-19: {opened}");
    let session = &opened["sessionId"];
    for (method, params) in [
        ("session/set_mode", json!({"sessionId": session, "modeId": "ask"})),
        ("session/set_model", json!({"sessionId": session, "modelId": "large"})),
        ("session/set_config_option", json!({"sessionId": session, "configId": "a", "value": "b"})),
    ] {
        assert_eq!(client.error(method, params).await["code"], -32602, "CONF-23: {method}");
    }
}

#[tokio::test(start_paused = true)]
async fn two_option_calls_in_one_write_are_answered_in_order() {
    let mut client = Client::plain(Tester::default()).await;
    let session = session(&mut client).await;
    let set = |value: &str| json!({"sessionId": session, "configId": "model", "value": value});
    let (first, one) = client.call("session/set_config_option", set("large"));
    let (second, two) = client.call("session/set_config_option", set("small"));
    client.send(&[one, two]).await;
    let replies = [client.next().await, client.next().await];
    assert_eq!([&replies[0]["id"], &replies[1]["id"]], [&json!(first), &json!(second)]);
    assert_eq!(value_of(&replies[0]["result"]["configOptions"], "model"), "large");
    assert_eq!(value_of(&replies[1]["result"]["configOptions"], "model"), "small");
}

#[tokio::test(start_paused = true)]
async fn the_retired_method_for_models_still_works() {
    let mut client = Client::plain(Tester::default()).await;
    let session = session(&mut client).await;
    client.result("session/set_model", json!({"sessionId": session, "modelId": "large"})).await;
    let updates = client.updates();
    assert_eq!(kinds(&updates), ["config_option_update"]);
    assert_eq!(value_of(&updates[0]["configOptions"], "model"), "large");
    let error =
        client.error("session/set_model", json!({"sessionId": session, "modelId": "huge"})).await;
    assert_eq!(error["code"], -32602);
}

/// CONF-18, MODE-03.
#[tokio::test(start_paused = true)]
async fn a_turn_sees_options_that_change_during_it() {
    let author = Tester::default();
    let mut client = Client::plain(author.clone()).await;
    let session = session(&mut client).await;
    let turn = client.prompt(&session, "options").await;
    let set = json!({"sessionId": session, "configId": "model", "value": "large"});
    client.result("session/set_config_option", set).await; // CONF-18
    client.result("session/set_mode", json!({"sessionId": session, "modeId": "code"})).await; // MODE-03
    author.go.notify_one();
    client.reply(turn).await;
    let said = client.updates().pop().unwrap();
    assert_eq!(said["content"]["text"], r#"Some(ValueId("large")) Some("code")"#);
}
