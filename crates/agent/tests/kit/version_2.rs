//! The kit from the view of a client of version 2.

use super::acts::slow_to_cancel;
use super::client::{cancel, prompt};
use super::{Client, Notes, Tester, acts};
use attache_agent::{About, Error, ToolKind, serve};
use attache_protocol::v1::{
    AuthMethodAgent, ElicitationSchema, Notice, NoticeSeverity, PermissionOption,
    PermissionOptionKind, PromptCapabilities,
};
use serde_json::{Value, json};

/// Connects and initializes in version 2 with these client capabilities.
async fn connect(author: impl attache_agent::Author, capabilities: Value) -> Client {
    let mut client = Client::silent(serve(author));
    let info = json!({"name": "c", "version": "1"});
    let params = json!({"protocolVersion": 2, "info": info, "capabilities": capabilities});
    assert_eq!(client.result("initialize", params).await["protocolVersion"], 2);
    client
}

async fn session(client: &mut Client) -> String {
    let new = json!({"cwd": env!("CARGO_MANIFEST_DIR")});
    client.result("session/new", new).await["sessionId"].as_str().unwrap().to_owned()
}

/// Reads up to the next idle state. Returns the kinds of all messages, with the states and statuses
/// in brackets, and the idle state itself.
async fn until_idle(client: &mut Client) -> (Vec<String>, Value) {
    let mut kinds = Vec::new();
    loop {
        let message = client.next().await;
        let update = &message["params"]["update"];
        let kind = match (message["method"].as_str(), update["sessionUpdate"].as_str()) {
            (_, Some(kind)) => kind,
            (Some(method), None) => method,
            (None, None) => "reply",
        };
        let detail = update.get("state").or(update.get("status")).and_then(Value::as_str);
        kinds.push(match detail {
            Some(detail) => format!("{kind} ({detail})"),
            None => kind.to_owned(),
        });
        if update["state"] == "idle" {
            return (kinds, update.clone());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_handshake_has_the_shapes_of_version_2() {
    let prompts = PromptCapabilities { image: true, ..PromptCapabilities::default() };
    let about =
        About::new("a", "1").prompts(prompts).auth_method(AuthMethodAgent::new("key", "Key"));
    let mut client = Client::silent(serve(Tester::with(about)));
    let info = json!({"name": "c", "version": "1"});
    let answer = client.result("initialize", json!({"protocolVersion": 2, "info": info})).await;
    assert_eq!(answer["info"]["name"], "a");
    assert_eq!(answer["capabilities"]["session"]["prompt"], json!({"image": {}}));
    assert_eq!(answer["capabilities"]["session"]["mcp"], json!({"stdio": {}}));
    assert_eq!(answer["authMethods"][0]["methodId"], "key");
    assert_eq!(answer["authMethods"][0]["type"], "agent");
    for absent in ["agentInfo", "agentCapabilities"] {
        assert!(answer.get(absent).is_none(), "{absent}");
    }
}

/// Version 2 has `session/resume` without a capability, so an agent without a store serves it too.
#[tokio::test(start_paused = true)]
async fn an_agent_without_a_store_refuses_to_resume_unknown_and_open_sessions() {
    let mut client = connect(Tester::default(), json!({})).await;
    let open = session(&mut client).await;
    let folder = env!("CARGO_MANIFEST_DIR");
    let from_start = json!({"type": "start"});
    for replay in [Value::Null, from_start] {
        for (id, cwd, code) in
            [("nowhere", folder, -32002), (open.as_str(), folder, -32602), ("nowhere", ".", -32602)]
        {
            let params = json!({"sessionId": id, "cwd": cwd, "replayFrom": replay});
            let error = client.error("session/resume", params).await;
            assert_eq!(error["code"], code, "{id} {cwd} {error}");
        }
    }
}

/// V2-03, V2-04.
#[tokio::test(start_paused = true)]
async fn a_connection_keeps_version_2() {
    let mut client = connect(Tester::default(), json!({})).await;
    let error = client.error("initialize", json!({"protocolVersion": 1})).await;
    assert_eq!(error["code"], -32600);
    let info = json!({"name": "c", "version": "1"});
    let again = json!({"protocolVersion": 3, "info": info});
    assert_eq!(client.result("initialize", again).await["protocolVersion"], 2);
    session(&mut client).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_id_to_answer_is_refused() {
    let mut client = Client::silent(serve(Tester::default()));
    let info = json!({"name": "c", "version": "1"});
    let initialize = json!({"jsonrpc": "2.0", "id": null, "method": "initialize", "params": {"protocolVersion": 2, "info": info}});
    client.send(std::slice::from_ref(&initialize)).await;
    assert_eq!(client.next().await["error"]["code"], -32600);
    client.result("initialize", json!({"protocolVersion": 2, "info": info})).await;
    let list = json!({"jsonrpc": "2.0", "id": null, "method": "session/list"});
    client.send(&[list]).await;
    let answer = client.next().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(null), &json!(-32600)));
}

/// What version 2 removed is unknown, and so are its old params.
#[tokio::test(start_paused = true)]
async fn methods_of_version_1_are_unknown() {
    let mut client = connect(Tester::default(), json!({})).await;
    let id = session(&mut client).await;
    let cwd = env!("CARGO_MANIFEST_DIR");
    for (method, params) in [
        ("session/load", json!({"sessionId": id, "cwd": cwd, "mcpServers": []})),
        ("session/set_mode", json!({"sessionId": id, "modeId": "code"})),
        ("authenticate", json!({"methodId": "key"})),
        ("logout", json!({})),
    ] {
        assert_eq!(client.error(method, params).await["code"], -32601, "{method}");
    }
    let server = json!({"name": "s", "command": "/bin/true", "args": [], "env": []});
    let error = client.error("session/new", json!({"cwd": cwd, "mcpServers": [server]})).await;
    assert_eq!(error["code"], -32602, "the type of a server is required");
    let value = json!({"sessionId": id, "configId": "model", "value": "large"});
    assert_eq!(client.error("session/set_config_option", value).await["code"], -32602);
}

/// V2-28, V2-29, V2-31, V2-33.
#[tokio::test(start_paused = true)]
async fn a_state_update_ends_a_turn() {
    let mut client = connect(Tester::default(), json!({})).await;
    let id = session(&mut client).await;
    let reply = client.prompt(&id, "hello").await;
    let message = client.reply(reply).await["result"]["messageId"].clone();
    let before = client.updates();
    let echo = before.iter().find(|update| update["sessionUpdate"] == "user_message").unwrap();
    assert_eq!(echo["messageId"], message);
    assert_eq!(echo["content"], json!([{"type": "text", "text": "hello"}]));
    let (kinds, idle) = until_idle(&mut client).await;
    assert_eq!(kinds, ["agent_message_chunk", "state_update (idle)"]);
    assert_eq!(idle["stopReason"], "end_turn");

    client.prompt(&id, "report").await;
    let (kinds, idle) = until_idle(&mut client).await;
    let expected = [
        "state_update (running)",
        "user_message",
        "reply",
        "usage_update",
        "session_info_update",
        "notice",
        "plan_update",
        "state_update (idle)",
    ];
    assert_eq!(kinds, expected, "version 2 has no capabilities for notices");
    assert_eq!(idle["usage"]["totalTokens"], 30);
}

/// V2-33, V2-34.
#[tokio::test(start_paused = true)]
async fn a_failed_turn_says_why() {
    let mut client = connect(Tester::default(), json!({})).await;
    let id = session(&mut client).await;
    client.prompt(&id, "fail").await;
    let (_, idle) = until_idle(&mut client).await;
    assert_eq!(idle["stopReason"], "error");
    assert!(idle["error"]["message"].as_str().unwrap().contains("no luck"), "{idle}");
    // V2-15, V2-27: a prompt that cannot be used is not inserted.
    for content in [json!([]), json!([{"type": "video", "data": ""}])] {
        let params = json!({"sessionId": id, "prompt": content});
        assert_eq!(client.error("session/prompt", params).await["code"], -32602);
    }
    client.settle().await;
    assert_eq!(client.updates(), [] as [Value; 0]);
}

/// V2-30, V2-35. A prompt that waits for its turn is cancelled before it is inserted.
#[tokio::test(start_paused = true)]
async fn a_cancel_ends_the_turn_and_withdraws_waiting_prompts() {
    let mut client = connect(Tester::default(), json!({})).await;
    let id = session(&mut client).await;
    client.prompt(&id, "wait for cancel").await;
    while client.next().await["params"]["update"]["sessionUpdate"] != "agent_message_chunk" {}
    let waiting = client.prompt(&id, "never").await;
    client.send(&[cancel(&id)]).await;
    let (kinds, idle) = until_idle(&mut client).await;
    assert_eq!(kinds, ["state_update (idle)"]);
    assert_eq!(idle["stopReason"], "cancelled");
    assert_eq!(client.reply(waiting).await["error"]["code"], -32800);
    client.prompt(&id, "after").await;
    assert_eq!(until_idle(&mut client).await.1["stopReason"], "end_turn");
}

/// V2-23, V2-36.
#[tokio::test(start_paused = true)]
async fn closing_reports_the_end_of_the_turn_first() {
    let mut client = connect(Tester::default(), json!({})).await;
    let id = session(&mut client).await;
    client.prompt(&id, "wait for cancel").await;
    while client.next().await["params"]["update"]["sessionUpdate"] != "agent_message_chunk" {}
    let close = json!({"sessionId": id});
    client.result("session/close", close.clone()).await;
    let updates = client.updates();
    assert_eq!(updates.last().unwrap()["stopReason"], "cancelled");
    client.result("session/close", close).await;
    client.result("session/close", json!({"sessionId": "unknown"})).await;
    let error = client.error("session/prompt", prompt(&id, "late")).await;
    assert_eq!((&error["code"], &error["data"]["sessionId"]), (&json!(-32002), &json!(id)));
}

/// V2-23, V2-36: a second close answers when the first one has ended.
#[tokio::test(start_paused = true)]
async fn closing_twice_reports_the_end_of_the_turn_before_both_replies() {
    let mut client = connect(slow_to_cancel(), json!({})).await;
    let id = session(&mut client).await;
    client.prompt(&id, "go").await;
    while client.next().await["params"]["update"]["sessionUpdate"] != "agent_message_chunk" {}
    let close = json!({"sessionId": id});
    for _ in 0..2 {
        client.start("session/close", close.clone()).await;
    }
    let (mut replies, mut is_idle) = (0, false);
    while replies < 2 {
        let message = client.next().await;
        is_idle |= message["params"]["update"]["state"] == "idle";
        if message.get("method").is_none() {
            assert!(is_idle && message.get("error").is_none(), "{message}");
            replies += 1;
        }
    }
}

/// V2-37, V2-61, V2-64, V2-65.
#[tokio::test(start_paused = true)]
async fn a_permission_request_has_a_title_and_a_subject() {
    let outcomes = [
        (json!({"outcome": "selected", "optionId": "y"}), "completed"),
        (json!({"outcome": "selected", "optionId": "zzz"}), "failed"),
        (json!({"outcome": "cancelled"}), "failed"),
        (json!({"outcome": "postponed"}), "failed"),
    ];
    for (outcome, status) in outcomes {
        let mut client = connect(Tester::default(), json!({})).await;
        let id = session(&mut client).await;
        client.prompt(&id, "ask").await;
        let request = client.arrives("session/request_permission").await;
        let states: Vec<_> =
            client.updates().iter().filter_map(|update| update.get("state").cloned()).collect();
        assert_eq!(states, ["running", "requires_action"]);
        assert_eq!(request["params"]["title"], "Delete all");
        assert_eq!(request["params"]["subject"]["type"], "tool_call");
        assert_eq!(request["params"]["subject"]["toolCall"]["kind"], "delete");
        client.answer(&request, json!({"outcome": outcome})).await;
        let (kinds, idle) = until_idle(&mut client).await;
        assert_eq!(idle["stopReason"], "end_turn");
        assert!(kinds.contains(&"state_update (running)".to_owned()), "{kinds:?}");
        assert!(kinds.contains(&format!("tool_call_update ({status})")), "{outcome}: {kinds:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancel_withdraws_a_question() {
    let mut client = connect(Tester::default(), json!({})).await;
    let id = session(&mut client).await;
    client.prompt(&id, "ask").await;
    let request = client.arrives("session/request_permission").await;
    client.updates();
    client.send(&[cancel(&id)]).await;
    let withdrawn = client.arrives("$/cancel_request").await;
    assert_eq!(withdrawn["params"]["requestId"], request["id"], "V2-66");
    let (kinds, idle) = until_idle(&mut client).await;
    assert_eq!(idle["stopReason"], "cancelled");
    let last = kinds.split_last_chunk::<2>().unwrap().1;
    assert_eq!(last, &["tool_call_update (cancelled)", "state_update (idle)"], "{kinds:?}");
    assert!(!kinds.contains(&"state_update (running)".to_owned()), "{kinds:?}");
}

/// V2-43, V2-45, V2-46, V2-71.
#[tokio::test(start_paused = true)]
async fn the_user_cancels_one_tool_call() {
    let notes = Notes::default();
    let noted = notes.clone();
    let author = acts(move |turn| {
        let notes = noted.clone();
        async move {
            let other = turn.tool_call("Other", ToolKind::Other).start().await?;
            let call = turn.tool_call("Build", ToolKind::Execute).cancellable().start().await?;
            call.cancelled().await;
            notes.add(format!("cancelled {} {}", call.is_cancelled(), turn.is_cancelled()));
            call.fail("stopped").await?;
            other.complete().await?;
            turn.say("on").await
        }
    });
    let mut client = connect(author, json!({})).await;
    let id = session(&mut client).await;
    client.prompt(&id, "go").await;
    let mut calls = Vec::new();
    while calls.len() < 4 {
        let update = client.next().await["params"]["update"].clone();
        if update["sessionUpdate"] == "tool_call_update" {
            calls.push(update);
        }
    }
    let target = |call: &Value| json!({"sessionId": id, "toolCallId": call["toolCallId"]});
    assert_eq!(calls[2]["capabilities"], json!({"cancel": {}}));
    assert!(calls[0].get("capabilities").is_none(), "{}", calls[0]);
    for wrong in [target(&calls[0]), json!({"sessionId": id, "toolCallId": "unknown"})] {
        assert_eq!(client.error("tool_call/cancel", wrong).await["code"], -32602);
    }
    let unopened = json!({"sessionId": "s", "toolCallId": "c"});
    assert_eq!(client.error("tool_call/cancel", unopened).await["code"], -32002);
    client.result("tool_call/cancel", target(&calls[2])).await;
    let (kinds, idle) = until_idle(&mut client).await;
    let expected = [
        "tool_call_update (cancelled)",
        "tool_call_update (completed)",
        "agent_message_chunk",
        "state_update (idle)",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(idle["stopReason"], "end_turn");
    assert_eq!(notes.all(), ["cancelled true false"]);
    assert_eq!(client.error("tool_call/cancel", target(&calls[2])).await["code"], -32602);
    let terminal = json!({"sessionId": id, "terminalId": "t"});
    assert_eq!(client.error("terminal/cancel", terminal).await["code"], -32602);
}

/// A client of version 1 cannot cancel one tool call.
#[tokio::test(start_paused = true)]
async fn a_cancellable_tool_call_is_an_ordinary_one_in_version_1() {
    let author = acts(|turn| async move {
        let call = turn.tool_call("Build", ToolKind::Execute).cancellable().start().await?;
        call.complete().await
    });
    let mut client = Client::plain(author).await;
    let id = client.session().await;
    let (_, updates) = client.turn(&id, "go").await;
    assert_eq!(updates.len(), 3);
    assert!(updates.iter().all(|update| update.get("capabilities").is_none()), "{updates:?}");
}

/// V2-18, V2-51, V2-57, V2-59.
#[tokio::test(start_paused = true)]
async fn config_options_have_the_names_of_version_2() {
    let mut client = connect(Tester::default(), json!({})).await;
    let new = json!({"cwd": env!("CARGO_MANIFEST_DIR")});
    let opened = client.result("session/new", new).await;
    let ids: Vec<_> = opened["configOptions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| &option["configId"])
        .collect();
    assert_eq!(ids, ["model", "how", "web"]);
    assert!(opened.get("modes").is_none());
    assert_eq!(opened["configOptions"][2]["type"], "boolean");
    let id = opened["sessionId"].as_str().unwrap();
    let set = |config: &str, kind: &str, value: Value| {
        let mut set = json!({"sessionId": id, "configId": config, "value": value});
        set["type"] = json!(kind);
        set
    };
    let reply = client.result("session/set_config_option", set("how", "id", json!("code"))).await;
    assert_eq!(reply["configOptions"][1]["currentValue"], "code");
    for wrong in [
        set("how", "id", json!("never")),
        set("how", "colour", json!("red")),
        set("unknown", "id", json!("code")),
        set("how", "boolean", json!(true)),
    ] {
        let error = client.error("session/set_config_option", wrong.clone()).await;
        assert_eq!(error["code"], -32602, "{wrong}");
    }
    client.settle().await;
    let kinds: Vec<_> =
        client.updates().iter().map(|update| update["sessionUpdate"].clone()).collect();
    assert!(!kinds.contains(&json!("current_mode_update")), "{kinds:?}");
}

/// Version 2 replaces metadata by top-level key.
#[tokio::test(start_paused = true)]
async fn metadata_is_sent_by_top_level_key() {
    let author = acts(|turn| async move {
        let meta = |text: &str| {
            attache_protocol::Meta::new(attache_protocol::Raw::from_text(text).unwrap()).unwrap()
        };
        match turn.text() {
            "first" => turn.info(meta(r#"{"a":{"x":1,"y":2},"b":3}"#)).await,
            _ => turn.info(meta(r#"{"a":{"x":null},"b":null,"c":4}"#)).await,
        }
    });
    let mut client = connect(author, json!({})).await;
    let id = session(&mut client).await;
    for (text, expected) in [
        ("first", json!({"a": {"x": 1, "y": 2}, "b": 3})),
        ("second", json!({"a": {"y": 2}, "b": null, "c": 4})),
    ] {
        client.prompt(&id, text).await;
        let mut info = Value::Null;
        while info["sessionUpdate"] != "session_info_update" {
            info = client.next().await["params"]["update"].clone();
        }
        assert_eq!(info["_meta"], expected, "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn forms_and_notices_reach_a_client_of_version_2() {
    let notes = Notes::default();
    let noted = notes.clone();
    let author = acts(move |turn| {
        let notes = noted.clone();
        async move {
            turn.notice(Notice::new(NoticeSeverity::Info, "Soon")).await?;
            let answer = turn.elicit("Which?", ElicitationSchema::new()).await;
            notes.add(match answer {
                Ok(answer) => format!("{answer:?}"),
                Err(error @ Error::Client(_)) => error.to_string(),
                Err(error) => return Err(error),
            });
            Ok(())
        }
    });
    let mut client = connect(author, json!({"elicitation": {"form": {}}})).await;
    let id = session(&mut client).await;
    client.prompt(&id, "go").await;
    for answer in [json!({"action": "decline"}), json!({"action": "later"})] {
        let request = client.arrives("elicitation/create").await;
        assert_eq!(request["params"]["sessionId"], json!(id));
        let states: Vec<_> =
            client.updates().iter().filter_map(|update| update.get("state").cloned()).collect();
        assert_eq!(states.last().unwrap(), "requires_action");
        client.answer(&request, answer).await;
        until_idle(&mut client).await;
        client.prompt(&id, "go").await;
    }
    assert_eq!(notes.all()[..2], ["Declined", "Unknown(\"later\")"]);
}

#[tokio::test(start_paused = true)]
async fn a_question_fails_in_the_permission_request_of_an_author_without_options() {
    let author = acts(|turn| async move {
        let call = turn.tool_call("Run", ToolKind::Execute).announce().await?;
        let option = PermissionOption::new("y", "Yes", PermissionOptionKind::AllowOnce);
        assert!(turn.ask_permission(&call, Vec::new()).await.is_err());
        assert!(turn.ask_permission(&call, vec![option.clone(), option]).await.is_err());
        call.fail("no").await
    });
    let mut client = connect(author, json!({})).await;
    let id = session(&mut client).await;
    client.prompt(&id, "go").await;
    let (kinds, _) = until_idle(&mut client).await;
    assert!(!kinds.iter().any(|kind| kind.contains("permission")), "{kinds:?}");
}
