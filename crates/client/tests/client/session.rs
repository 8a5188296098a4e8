//! Opening sessions, and setting their options.

use crate::scripted_agent::{connected, connected_with, opened, opened_with, soon};
use attache_client::{OpenError, Options, Permissions, SetError};
use attache_protocol::v1::{McpServer, McpServerHttp};
use serde_json::{Value, json};

#[tokio::test]
async fn a_session_is_opened_in_an_absolute_existing_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    let missing = connection.open(folder.path().join("none")).await.unwrap_err();
    assert!(
        matches!(missing, OpenError::Folder(_)) && missing.to_string().contains("does not exist"),
        "{missing}"
    );
    assert!(matches!(connection.open("").await, Err(OpenError::Folder(_))));
    let opening = async {
        let call = agent.expect("session/new").await;
        let here = std::env::current_dir().unwrap();
        assert_eq!(call["params"], json!({ "cwd": here.to_str().unwrap(), "mcpServers": [] }));
        agent.reply(&call, json!({ "sessionId": "s1" })).await;
    };
    let (session, ()) = tokio::join!(connection.open(".").into_future(), opening);
    let session = session.unwrap();
    assert_eq!(
        (session.id().as_str(), session.snapshot().cwd()),
        ("s1", std::env::current_dir().unwrap().to_str().unwrap())
    );
}

#[tokio::test]
async fn parameters_that_the_agent_does_not_take_are_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    let here = folder.path();
    let error = connection.open(here).additional_directories([here.join("a")]).await.unwrap_err();
    assert!(error.to_string().contains("additionalDirectories"), "{error}");
    let server = McpServer::Http(McpServerHttp::new("m", "http://localhost", Vec::new()));
    let error = connection.open(here).mcp_servers([server]).await.unwrap_err();
    assert!(error.to_string().contains("mcpCapabilities.http"), "{error}");
    assert!(connection.load("old", here).await.is_err(), "SESS-12");
    assert!(connection.resume("old", here).await.is_err(), "SESS-18");
    assert!(connection.list().all().await.is_err(), "LIST-01");
    let session = opened(&connection, &mut agent, here).await;
    assert!(session.close().await.is_err(), "SESS-22");
    drop((connection, session));
    assert_eq!(agent.next().await, None, "nothing else was sent");
}

#[tokio::test]
async fn additional_folders_are_sent_once_and_without_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let (connection, mut agent) =
        connected(json!({ "sessionCapabilities": { "additionalDirectories": {} } })).await;
    let opening = connection.open(folder.path()).additional_directories([
        other.path(),
        folder.path(),
        other.path(),
    ]);
    let answering = async {
        let call = agent.expect("session/new").await;
        assert_eq!(
            call["params"]["additionalDirectories"],
            json!([other.path().to_str().unwrap()])
        ); // DIR-02
        agent.reply(&call, json!({ "sessionId": "s1" })).await;
    };
    let (session, ()) = tokio::join!(opening.into_future(), answering);
    session.unwrap();
}

#[tokio::test]
async fn updates_before_the_reply_that_names_the_session_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    agent
        .update(
            "s1",
            json!({ "sessionUpdate": "session_info_update", "title": "nobody waits for it" }),
        )
        .await;
    agent.heard().await;
    let answering = async {
        let call = agent.expect("session/new").await;
        agent.update("s1", json!({ "sessionUpdate": "available_commands_update", "availableCommands": [{ "name": "a", "description": "b" }] })).await;
        agent
            .update("s9", json!({ "sessionUpdate": "session_info_update", "title": "no session" }))
            .await;
        agent.reply(&call, json!({ "sessionId": "s1" })).await;
        agent
            .update("s9", json!({ "sessionUpdate": "session_info_update", "title": "no session" }))
            .await;
    };
    let (session, ()) = tokio::join!(connection.open(folder.path()).into_future(), answering);
    let session = session.unwrap().snapshot();
    assert_eq!(session.commands().len(), 1, "SESS-26");
    assert_eq!(session.info().title(), None, "SESS-28");
    assert!(!session.cwd().is_empty());
}

#[tokio::test]
async fn a_needed_login_is_reported_with_its_methods() {
    let folder = tempfile::tempdir().unwrap();
    let methods =
        json!({ "protocolVersion": 1, "authMethods": [{ "id": "key", "name": "API key" }] });
    let (connection, mut agent) = connected_with(Options::default(), methods).await;
    let answering = async {
        let call = agent.expect("session/new").await;
        agent.refuse(&call, -32000, "who are you").await;
    };
    let (error, ()) = tokio::join!(connection.open(folder.path()).into_future(), answering);
    let error = error.unwrap_err();
    assert!(error.to_string().contains("API key"), "{error}");
    assert!(matches!(error, OpenError::AuthRequired { methods, .. } if methods.len() == 1));
}

fn model(current: &str) -> Value {
    let values = json!([{ "value": "pro", "name": "Pro" }, { "value": "flash", "name": "Flash" }]);
    json!({ "id": "llm", "name": "Model", "category": "model", "type": "select", "currentValue": current, "options": values })
}

fn switch(on: bool) -> Value {
    json!({ "id": "web", "name": "Web", "type": "boolean", "currentValue": on })
}

#[tokio::test]
async fn options_are_set_by_id_or_category_in_the_form_they_have() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    let result = json!({ "sessionId": "s1", "configOptions": [model("pro"), switch(false)] });
    let session = opened_with(connection.open(folder.path()), &mut agent, result).await;
    let error = session.set("model", "turbo").await.unwrap_err();
    assert!(error.to_string().contains("pro") && error.to_string().contains("flash"), "{error}");
    assert!(matches!(session.set("colour", "red").await, Err(SetError::Value(_))));
    for (name, value, params) in [
        ("model", "flash", json!({ "sessionId": "s1", "configId": "llm", "value": "flash" })),
        (
            "web",
            "true",
            json!({ "sessionId": "s1", "configId": "web", "type": "boolean", "value": true }),
        ),
    ] {
        let answering = async {
            let call = agent.expect("session/set_config_option").await;
            assert_eq!(call["params"], params); // CONF-09
            agent.reply(&call, json!({ "configOptions": [model("flash"), switch(true)] })).await;
        };
        let (set, ()) = tokio::join!(session.set(name, value), answering);
        set.unwrap();
    }
    assert_eq!(session.snapshot().config().value("model").unwrap(), "flash".into());
}

#[tokio::test]
async fn modes_and_models_are_set_if_there_are_no_options() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    let modes = json!({ "currentModeId": "ask", "availableModes": [{ "id": "ask", "name": "Ask" }, { "id": "code", "name": "Code" }] });
    let models = json!({ "currentModelId": "a", "availableModels": [{ "modelId": "a", "name": "A" }, { "modelId": "b", "name": "B" }] });
    let result = json!({ "sessionId": "s1", "modes": modes, "models": models });
    let session = opened_with(connection.open(folder.path()), &mut agent, result).await;
    assert!(matches!(session.set_mode("zen").await, Err(SetError::Value(_))), "MODE-02");
    let answering = async {
        let call = agent.expect("session/set_mode").await;
        assert_eq!(call["params"]["modeId"], "code");
        agent.reply(&call, json!({})).await;
        let call = agent.expect("session/set_model").await;
        assert_eq!(call["params"]["modelId"], "b");
        agent.reply(&call, json!(null)).await;
    };
    let setting = async {
        session.set_mode("code").await.unwrap();
        session.set("model", "b").await.unwrap();
    };
    tokio::join!(setting, answering);
    let config = session.snapshot();
    assert_eq!(config.config().current_mode().unwrap().as_str(), "code");
    assert_eq!(config.config().value("model").unwrap(), "b".into());
}

#[tokio::test]
async fn modes_are_not_set_if_there_are_config_options() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    let modes = json!({ "currentModeId": "ask", "availableModes": [{ "id": "ask", "name": "Ask" }, { "id": "code", "name": "Code" }] });
    let option = |current: &str| {
        let values =
            json!([{ "value": "ask", "name": "Ask" }, { "value": "code", "name": "Code" }]);
        json!({ "id": "m", "name": "Mode", "category": "mode", "type": "select", "currentValue": current, "options": values })
    };
    let result = json!({ "sessionId": "s1", "modes": modes, "configOptions": [option("ask")] });
    let session = opened_with(connection.open(folder.path()), &mut agent, result).await;
    let answering = async {
        let call = agent.expect("session/set_config_option").await; // MODE-06
        assert_eq!(call["params"]["configId"], "m");
        agent.reply(&call, json!({ "configOptions": [option("code")] })).await;
    };
    let (set, ()) = tokio::join!(session.set_mode("code"), answering);
    set.unwrap();
    assert_eq!(session.snapshot().config().current_mode().unwrap().as_str(), "code");
}

#[tokio::test]
async fn only_a_successful_load_replaces_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({ "loadSession": true })).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    let mut watch = session.watch();
    agent.say("live").await;
    soon(watch.next()).await.unwrap();

    let failing = async {
        let call = agent.expect("session/load").await;
        agent.say("stored 1").await;
        agent.refuse(&call, -32603, "disk on fire").await;
    };
    let (loaded, ()) = tokio::join!(connection.load("s1", folder.path()).into_future(), failing);
    assert!(loaded.is_err());
    assert_eq!(session.snapshot().entries()[0].text(), "live");

    let working = async {
        let call = agent.expect("session/load").await;
        agent.say("stored 1").await;
        agent.say(", 2").await;
        agent.reply(&call, json!({ "configOptions": [model("flash")] })).await;
        agent.say(", 3").await;
    };
    let (loaded, ()) = tokio::join!(
        connection.load("s1", folder.path()).permissions(Permissions::AllowAll).into_future(),
        working
    );
    let loaded = loaded.unwrap();
    let mut update = soon(watch.next()).await.unwrap();
    while !update.replaced {
        update = soon(watch.next()).await.unwrap();
    }
    while loaded.snapshot().entries()[0].text() != "stored 1, 2, 3" {
        soon(watch.next()).await.unwrap();
    }
    assert_eq!(loaded.snapshot().entries().len(), 1);
    assert_eq!(loaded.snapshot().config().value("llm").unwrap(), "flash".into());
    assert!(!loaded.snapshot().cwd().is_empty());
}

#[tokio::test]
async fn a_resume_keeps_the_transcript_and_applies_the_reply() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) =
        connected(json!({ "sessionCapabilities": { "resume": {} } })).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    let answering = async {
        agent.say("before").await;
        let call = agent.expect("session/resume").await;
        agent.reply(&call, json!({ "configOptions": [model("flash")] })).await;
    };
    let (resumed, ()) =
        tokio::join!(connection.resume("s1", folder.path()).into_future(), answering);
    assert_eq!(resumed.unwrap().snapshot().entries()[0].text(), "before");
    assert_eq!(session.snapshot().config().value("llm").unwrap(), "flash".into());
    let answering = async {
        let call = agent.expect("session/resume").await;
        agent.refuse(&call, -32002, "no such session").await;
    };
    let (resumed, ()) =
        tokio::join!(connection.resume("s2", folder.path()).into_future(), answering);
    assert!(matches!(resumed, Err(OpenError::Call(_))));
    agent.call(1, "fs/read_text_file", json!({ "sessionId": "s2", "path": "/x" })).await;
    assert_eq!(agent.answer_to(1).await["error"]["code"], -32002);
}

#[tokio::test]
async fn a_session_is_not_loaded_during_a_turn() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({ "loadSession": true })).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    let _turn = session.prompt("go").await.unwrap();
    agent.expect("session/prompt").await;
    assert!(matches!(connection.load("s1", folder.path()).await, Err(OpenError::Busy)));
}

#[tokio::test]
async fn a_new_session_does_not_get_an_open_one() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    let first = opened(&connection, &mut agent, folder.path()).await;
    let answering = async {
        let call = agent.expect("session/new").await;
        agent.reply(&call, json!({ "sessionId": "s1" })).await;
    };
    let (second, ()) = tokio::join!(connection.open(folder.path()).into_future(), answering);
    let error = second.unwrap_err();
    assert!(matches!(&error, OpenError::KnownSession(id) if id.as_str() == "s1"), "{error}");
    drop(first);
    // A closed session is forgotten, so its id is free.
    opened(&connection, &mut agent, folder.path()).await;
}

#[tokio::test]
async fn all_pages_of_a_list_are_read_with_unchanged_cursors() {
    let (connection, mut agent) = connected(json!({ "sessionCapabilities": { "list": {} } })).await;
    let item = |id: &str| json!({ "sessionId": id, "cwd": "/a" });
    let answering = async {
        let call = agent.expect("session/list").await;
        assert_eq!(call["params"], json!({ "cwd": "/a" }));
        agent
            .reply(
                &call,
                json!({ "sessions": [item("1"), { "bad": 1 }], "nextCursor": "\u{0}\"wéird" }),
            )
            .await;
        let call = agent.expect("session/list").await;
        assert_eq!(call["params"]["cursor"], "\u{0}\"wéird"); // LIST-07
        agent.reply(&call, json!({ "sessions": [item("2")], "nextCursor": null })).await;
    };
    let (listed, ()) = tokio::join!(connection.list().cwd("/a").all(), answering);
    let ids: Vec<String> = listed.unwrap().iter().map(|info| info.session_id.to_string()).collect();
    assert_eq!(ids, ["1", "2"]);
}

#[tokio::test]
async fn a_closed_session_is_no_longer_served() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) =
        connected(json!({ "sessionCapabilities": { "close": {} } })).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    let answering = async {
        let call = agent.expect("session/close").await;
        agent.reply(&call, json!(null)).await;
    };
    let (closed, ()) = tokio::join!(session.close(), answering);
    closed.unwrap();
    agent.call(1, "fs/read_text_file", json!({ "sessionId": "s1", "path": "/x" })).await;
    assert_eq!(agent.answer_to(1).await["error"]["data"], json!({ "sessionId": "s1" }));
}
