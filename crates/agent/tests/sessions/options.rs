use super::keeper::{Opens, effort, options};
use super::load::load;
use super::{Client, Keeper, TestStore};
use attache_protocol::v1::SessionConfigOption;
use serde_json::{Value, json};

async fn set(client: &mut Client, session: &str, id: &str, value: Value) -> Value {
    let mut params = json!({"sessionId": session, "configId": id, "value": value});
    if value.is_boolean() {
        params["type"] = json!("boolean");
    }
    client.result("session/set_config_option", params).await
}

fn values(reply: &Value) -> Vec<Value> {
    let options = reply["configOptions"].as_array().unwrap();
    options.iter().map(|option| option["currentValue"].clone()).collect()
}

/// CONF-01, CONF-05, MODE-01: a loaded session has the agent's current options with their stored
/// values, and matching modes.
#[tokio::test(start_paused = true)]
async fn options_are_restored_with_their_values() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.result("session/set_mode", json!({"sessionId": session, "modeId": "code"})).await;
    set(&mut client, &session, "model", json!("large")).await;
    set(&mut client, &session, "effort", json!("max")).await;
    let set = set(&mut client, &session, "web", json!(true)).await;
    assert_eq!(values(&set), [json!("code"), json!("large"), json!("max"), json!(true)]);
    for method in ["session/load", "session/resume", "session/fork"] {
        client.result("session/close", json!({"sessionId": session})).await;
        let back = client.result(method, load(&session)).await;
        assert_eq!(values(&back), values(&set), "{method}");
        assert_eq!(back["modes"]["currentModeId"], "code", "{method}");
        if method == "session/fork" {
            client.result("session/close", json!({"sessionId": back["sessionId"]})).await;
            client.result("session/load", load(&session)).await;
        }
    }
}

/// CONF-06: a stored value that the agent no longer has, or refuses, is replaced by the option's
/// default. The other values are kept.
#[tokio::test(start_paused = true)]
async fn a_value_that_no_longer_fits_falls_back_to_the_default() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    for (id, value) in [("model", json!("large")), ("effort", json!("max")), ("web", json!(true))] {
        set(&mut client, &session, id, value).await;
    }
    client.hang_up().await.unwrap();
    let mut today = options();
    today[1] = SessionConfigOption::select(
        "model",
        "Model",
        "small",
        vec![attache_protocol::v1::SessionConfigSelectOption::new("small", "Small")],
    );
    today[2] = effort("small");
    let author = Keeper { system_prompts: true, opens: Opens::With(today), ..Keeper::default() };
    let mut client = store.client(author).await;
    let back = client.result("session/load", load(&session)).await;
    assert_eq!(values(&back), [json!("ask"), json!("small"), json!("low"), json!(false)]);
    let wrong = json!({"sessionId": session, "configId": "effort", "value": "max"});
    assert_eq!(client.error("session/set_config_option", wrong).await["code"], -32602);
}

/// CONF-04, CONF-23: a loaded session may no longer have options. CONF-06: invalid options fail the
/// load.
#[tokio::test(start_paused = true)]
async fn a_loaded_session_may_have_no_options() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.hang_up().await.unwrap();
    let mut wrong = options();
    wrong[1] = wrong[0].clone();
    let mut client = store.client(Keeper::that(Opens::With(wrong))).await;
    let error = client.error("session/load", load(&session)).await;
    assert_eq!(error["code"], -32603);
    assert_eq!(error["message"], "two config options have the id mode");
    client.hang_up().await.unwrap();
    let mut client = store.client(Keeper::that(Opens::With(Vec::new()))).await;
    let back = client.result("session/load", load(&session)).await;
    assert_eq!(back, json!({}));
    assert!(store.session(&session).config().options().is_empty());
}
