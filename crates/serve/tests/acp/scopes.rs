//! What a client may do by its scope and its place.

use crate::shared::{Shared, prompt};
use attache_client::AgentState;
use attache_serve::Scope;
use serde_json::json;

#[tokio::test]
async fn a_list_starts_the_first_agent_for_a_client_that_may_start_agents() {
    let mut shared = Shared::new();
    let state = |shared: &Shared| shared.hub.hub.agent("a").unwrap().state();
    let (mut phone, _scope) = shared.device(Scope::Answer).await;
    phone.call("session/list", json!({})).await;
    assert_eq!(state(&shared), AgentState::NotStarted);
    let mut local = shared.local(json!({})).await;
    let listing = local.start("session/list", json!({})).await;
    let _agent = shared.agent(0, json!({})).await;
    local.reply(listing).await;
    assert!(matches!(state(&shared), AgentState::Up { .. }));
}

#[tokio::test]
async fn a_method_beyond_the_scope_is_refused_and_names_it() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let _agent = shared.opened(&mut first).await;
    for scope in [Scope::Watch, Scope::Answer] {
        let (mut phone, _scope) = shared.device(scope).await;
        let params = shared.of("a/s1");
        phone.call("session/load", params.clone()).await;
        phone.call("session/resume", params).await;
        phone.call("session/list", json!({})).await;
        let id = json!({ "sessionId": "a/s1" });
        let title = json!({ "sessionId": "a/s1", "title": "t" });
        let option = json!({ "sessionId": "a/s1", "configId": "attache.agent", "value": "b" });
        let mode = json!({ "sessionId": "a/s1", "modeId": "m" });
        let refused = [
            ("session/new", shared.new_params()),
            ("session/fork", shared.of("a/s1")),
            ("session/prompt", prompt("go")),
            ("session/delete", id.clone()),
            ("session/archive", id.clone()),
            ("session/unarchive", id.clone()),
            ("session/set_title", title),
            ("session/set_config_option", option),
            ("session/set_mode", mode),
        ];
        for (method, params) in refused {
            let error = phone.refused(method, params).await;
            let why = format!("{method} needs the scope control");
            assert!(error.contains(&why) && error.contains(&scope.to_string()), "{error}");
        }
        // A cancel has no reply; it must not reach the agent either.
        phone.notify("session/cancel", id.clone()).await;
        phone.call("session/close", id).await;
    }
    assert!(shared.hub.hub.session("a", &"s1".into()).is_some());
}

/// Opening a stored session starts an agent, with folders and MCP servers of the client's choice.
#[tokio::test]
async fn opening_a_session_that_is_not_open_needs_the_scope_control() {
    let mut shared = Shared::new();
    for scope in [Scope::Watch, Scope::Answer] {
        let (mut phone, _scope) = shared.device(scope).await;
        for method in ["session/load", "session/resume"] {
            let error = phone.refused(method, shared.of("a/stored")).await;
            assert!(error.contains("needs the scope control"), "{method}: {error}");
        }
    }
    assert_eq!(shared.hub.hub.agent("a").unwrap().state(), AgentState::NotStarted);
}

#[tokio::test]
async fn a_device_cannot_choose_its_name_in_the_audit() {
    let mut shared = Shared::new();
    let (_phone, _scope) = shared.device(Scope::Watch).await;
    let names: Vec<String> = shared.hub.clients().iter().map(|client| client.name()).collect();
    assert!(names[0].ends_with("(device d, Test client)"), "{names:?}");
}

#[tokio::test]
async fn taking_a_session_over_needs_the_scope_to_answer() {
    let mut shared = Shared::new();
    let mut first = shared.local(json!({})).await;
    let _agent = shared.opened(&mut first).await;
    let (mut phone, scope) = shared.device(Scope::Watch).await;
    let mut params = shared.of("a/s1");
    params["_meta"] = json!({ "attache": { "takeOver": true } });
    let error = phone.refused("session/load", params.clone()).await;
    assert!(error.contains("needs the scope answer"), "{error}");
    scope.send_replace(Some(Scope::Answer));
    phone.call("session/load", params).await;
}

#[tokio::test]
async fn a_remote_client_opens_allowed_folders_only_and_defines_no_programs() {
    let mut shared = Shared::new();
    let (mut phone, _scope) = shared.device(Scope::Control).await;
    let outside = tempfile::tempdir().unwrap();
    let params = json!({ "cwd": outside.path(), "mcpServers": [] });
    let error = phone.refused("session/new", params).await;
    assert!(error.contains("--folder"), "{error}");
    let server = json!({ "name": "x", "command": "/bin/sh", "args": [], "env": [] });
    let params = json!({ "cwd": shared.cwd(), "mcpServers": [server] });
    let error = phone.refused("session/new", params).await;
    assert!(error.contains("MCP servers"), "{error}");
    let more = json!({
        "cwd": shared.cwd(), "mcpServers": [], "additionalDirectories": [outside.path()],
    });
    phone.refused("session/new", more).await;
    // A folder below an allowed one can be opened.
    let below = shared.folder.path().join("below");
    std::fs::create_dir(&below).unwrap();
    let call = phone.start("session/new", json!({ "cwd": below, "mcpServers": [] })).await;
    let mut agent = shared.agent(0, json!({})).await;
    let new = agent.expect("session/new").await;
    agent.reply(&new, json!({ "sessionId": "s1" })).await;
    assert_eq!(phone.reply(call).await["result"]["sessionId"], "a/s1");
}

/// A link could lead elsewhere after it was checked.
#[tokio::test]
async fn a_session_of_a_remote_client_gets_the_folders_that_were_checked() {
    let mut shared = Shared::new();
    let real = shared.folder.path().canonicalize().unwrap();
    for name in ["one", "two"] {
        std::fs::create_dir(real.join(name)).unwrap();
        std::os::unix::fs::symlink(real.join(name), real.join(format!("link-{name}"))).unwrap();
    }
    let params = json!({
        "cwd": real.join("link-one"), "mcpServers": [],
        "additionalDirectories": [real.join("one/../link-two")],
    });
    let (mut phone, _scope) = shared.device(Scope::Control).await;
    let call = phone.start("session/new", params.clone()).await;
    let offered = json!({ "additionalDirectories": {} });
    let mut agent = shared.agent(0, json!({ "sessionCapabilities": offered })).await;
    let new = agent.expect("session/new").await;
    assert_eq!(new["params"]["cwd"], json!(real.join("one")));
    assert_eq!(new["params"]["additionalDirectories"], json!([real.join("two")]));
    agent.reply(&new, json!({ "sessionId": "s1" })).await;
    phone.reply(call).await;
    // The person's own clients get the folder as they name it.
    let mut local = shared.local(json!({})).await;
    local.start("session/new", params).await;
    let new = agent.expect("session/new").await;
    assert_eq!(new["params"]["cwd"], json!(real.join("link-one")));
}

#[tokio::test]
async fn a_revoked_device_is_disconnected_at_once() {
    let mut shared = Shared::new();
    let (mut phone, scope) = shared.device(Scope::Control).await;
    scope.send_replace(None);
    phone.closed().await;
}
