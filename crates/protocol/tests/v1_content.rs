//! Agents' messages, tool output and questions to people: the decode vectors of requirements §9 and
//! their rules.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use attache_protocol::v1::*;
use attache_protocol::{
    Error, ErrorCode, Patch, RequestId, UnknownValues, Wire, decode, decode_known,
    decode_reporting, encode,
};

/// Decodes as §4.17 requires, and encodes again.
fn known<T: Wire>(text: &str) -> String {
    encode(&decode_known::<T>(text).unwrap())
}

fn refused<T: Wire>(text: &str) {
    assert!(decode_known::<T>(text).is_err(), "accepted: {text}");
}

fn update(text: &str) -> SessionUpdate {
    decode_known(text).unwrap()
}

#[test]
fn a_tool_call_with_unknown_values_is_created_with_their_meaning() {
    let text = r#"{"sessionUpdate":"tool_call","toolCallId":"a","title":"t","kind":"zap","status":"cancelled",
        "content":[{"type":"weird"},{"type":"content","content":{"type":"text","text":"x"}}],"locations":"no"}"#;
    let SessionUpdate::ToolCall(call) = update(text) else { panic!() };
    assert_eq!((call.kind(), call.status()), (&ToolKind::Other, &ToolCallStatus::Pending));
    assert_eq!(call.content, [ContentBlock::text("x").into()]);
    assert!(call.locations.is_empty());

    let SessionUpdate::ToolCall(call) = decode(text).unwrap() else { panic!() };
    assert_eq!(call.kind, ToolKind::Unknown("zap".into()));
    assert_eq!((call.kind(), call.status()), (&ToolKind::Other, &ToolCallStatus::Pending));
    assert_eq!(call.content.len(), 2, "an unknown item is kept");
}

#[test]
fn a_tool_call_needs_a_title() {
    refused::<SessionUpdate>(r#"{"sessionUpdate":"tool_call","toolCallId":"a"}"#);
    refused::<SessionUpdate>(r#"{"sessionUpdate":"tool_call","toolCallId":"a","title":null}"#);
}

#[test]
fn a_tool_call_update_changes_only_what_it_supplies() {
    let tool_call_update = |text: &str| decode_known::<ToolCallUpdate>(text).unwrap();
    let update = tool_call_update(
        r#"{"toolCallId":"a","status":"cancelled","content":null,"locations":[{"path":"/a","line":-1},{"line":2}]}"#,
    );
    assert_eq!((update.status(), &update.content), (None, &None));
    assert_eq!(update.locations, Some(vec![ToolCallLocation::new("/a")]));

    let content =
        |text: &str| tool_call_update(&format!(r#"{{"toolCallId":"a","content":{text}}}"#)).content;
    assert_eq!(content("[]"), Some(vec![]));
    assert_eq!(content(r#""x""#), None);
    assert_eq!(content("[1,2]"), Some(vec![]));
}

#[test]
fn applying_an_update_replaces_lists_and_ignores_an_unknown_status() {
    let mut call: ToolCall = decode(
        r#"{"toolCallId":"a","title":"t","name":"n","status":"in_progress","rawInput":{"x":1},
            "content":[{"type":"terminal","terminalId":"1"}],"locations":[{"path":"/a"}]}"#,
    )
    .unwrap();
    let before = call.clone();
    call.apply(
        &decode(r#"{"toolCallId":"a","status":"cancelled","title":null,"rawInput":null}"#).unwrap(),
    );
    assert_eq!(call, before);

    call.apply(
        &decode(r#"{"toolCallId":"a","kind":"edit","status":"completed","content":[],"rawOutput":[null]}"#)
            .unwrap(),
    );
    assert_eq!((call.kind(), call.status()), (&ToolKind::Edit, &ToolCallStatus::Completed));
    assert!(call.content.is_empty());
    assert_eq!((call.locations.len(), call.name.as_deref()), (1, Some("n")));
    assert_eq!(
        (call.raw_input.unwrap().get(), call.raw_output.unwrap().get()),
        (r#"{"x":1}"#, "[null]")
    );
}

#[test]
fn an_update_with_a_title_can_create_its_call() {
    let mut update = ToolCallUpdate::new("a");
    assert_eq!(update.clone().into_tool_call(), None);
    update.title = Some("t".into());
    update.status = Some("cancelled".into());
    let call = update.into_tool_call().unwrap();
    assert_eq!((call.title.as_str(), call.status()), ("t", &ToolCallStatus::Pending));
}

#[test]
fn a_chunk_without_readable_content_is_dropped_whole() {
    refused::<SessionUpdate>(
        r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"video"}}"#,
    );
    let kept: SessionUpdate =
        decode(r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"video"}}"#).unwrap();
    assert!(
        matches!(kept, SessionUpdate::AgentMessageChunk(chunk) if chunk.content.tag() == "video")
    );
}

#[test]
fn bad_hints_do_not_cost_a_chunk() {
    let text = r#"{"sessionUpdate":"user_message_chunk","messageId":5,
        "content":{"type":"text","text":"x","annotations":{"audience":["user","robot"],"priority":"x"}}}"#;
    assert_eq!(
        encode(&update(text)),
        r#"{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"x","annotations":{"audience":["user"]}}}"#
    );
}

#[test]
fn plan_entries_with_unknown_values_are_skipped() {
    let text = r#"{"entries":[{"content":"a","priority":"urgent","status":"pending"},
        {"content":"b","priority":"low","status":"blocked"},{"content":"c","priority":"high","status":"completed"}]}"#;
    assert_eq!(
        known::<Plan>(text),
        r#"{"entries":[{"content":"c","priority":"high","status":"completed"}]}"#
    );
    assert_eq!(decode::<Plan>(text).unwrap().entries.len(), 3);
    assert_eq!(known::<Plan>(r#"{"entries":null}"#), r#"{"entries":[]}"#);
    assert_eq!(known::<Plan>(r#"{"entries":7}"#), r#"{"entries":[]}"#);
    refused::<Plan>("{}");
    refused::<PlanUpdate>(r#"{"plan":{"type":"graph","planId":"p"}}"#);
    assert_eq!(
        known::<PlanUpdate>(r#"{"plan":{"planId":"p","type":"items","entries":[1]}}"#),
        r#"{"plan":{"type":"items","planId":"p","entries":[]}}"#
    );
}

#[test]
fn commands_are_skipped_or_lose_an_unknown_input() {
    let text = r#"{"availableCommands":[{"name":"a"},{"name":"b","description":"d","input":{"weird":1}},
        {"name":"c","description":"d","input":{"hint":"h"}}]}"#;
    assert_eq!(
        known::<AvailableCommandsUpdate>(text),
        r#"{"availableCommands":[{"name":"b","description":"d"},{"name":"c","description":"d","input":{"hint":"h"}}]}"#
    );
}

#[test]
fn retired_spellings_are_read_only_if_unknown_values_are_kept() {
    let mode = r#"{"sessionUpdate":"current_mode_update","modeId":"ask"}"#;
    refused::<SessionUpdate>(mode);
    assert_eq!(
        encode(&decode::<SessionUpdate>(mode).unwrap()),
        r#"{"sessionUpdate":"current_mode_update","currentModeId":"ask"}"#
    );
    let options = r#"{"sessionUpdate":"config_options_update","configOptions":[]}"#;
    refused::<SessionUpdate>(options);
    assert_eq!(
        encode(&decode::<SessionUpdate>(options).unwrap()),
        r#"{"sessionUpdate":"config_option_update","configOptions":[]}"#
    );
}

#[test]
fn an_unknown_update_is_refused_or_kept() {
    let text = r#"{"sessionId":"s","update":{"sessionUpdate":"zzz","x":[1]}}"#;
    refused::<SessionNotification>(text);
    assert_eq!(encode(&decode::<SessionNotification>(text).unwrap()), text);
    refused::<SessionUpdate>(r#"{"toolCallId":"a"}"#);
}

#[test]
fn config_options_null_reads_as_none_and_absent_is_fatal() {
    assert_eq!(
        known::<SessionUpdate>(r#"{"sessionUpdate":"config_option_update","configOptions":null}"#),
        r#"{"sessionUpdate":"config_option_update","configOptions":[]}"#
    );
    refused::<SessionUpdate>(r#"{"sessionUpdate":"config_option_update"}"#);
}

#[test]
fn notices_keep_unknown_severities_and_accept_empty_titles() {
    let text = r#"{"sessionUpdate":"notice","severity":"_acme","title":""}"#;
    assert_eq!(known::<SessionUpdate>(text), text);
    refused::<Notice>(r#"{"severity":1,"title":"t"}"#);
}

#[test]
fn a_compaction_update_patches_by_field() {
    let compaction = |rest: &str| {
        decode_known::<CompactionUpdate>(&format!(
            r#"{{"compactionId":"c","status":"paused"{rest}}}"#
        ))
        .unwrap()
    };
    let update =
        compaction(r#","summary":[{"type":"video"},{"type":"text","text":"x"}],"error":4"#);
    assert_eq!(update.summary, Patch::Set(vec!["x".into()]));
    assert_eq!((&update.error, update.status.as_str()), (&Patch::Keep, "paused"));
    assert_eq!(compaction(r#","summary":null"#).summary, Patch::Clear);
    assert_eq!(compaction(r#","summary":3,"_meta":null"#).meta, Patch::Clear);
}

#[test]
fn text_wins_over_blob_and_one_of_them_is_needed() {
    let resource =
        |members: &str| format!(r#"{{"type":"resource","resource":{{"uri":"u"{members}}}}}"#);
    assert_eq!(
        known::<ContentBlock>(&resource(r#","blob":"Yg==","text":"t""#)),
        r#"{"type":"resource","resource":{"text":"t","uri":"u"}}"#
    );
    assert_eq!(
        known::<ContentBlock>(&resource(r#","blob":"Yg==","mimeType":"a/b""#)),
        r#"{"type":"resource","resource":{"blob":"Yg==","uri":"u","mimeType":"a/b"}}"#
    );
    let error = decode_known::<ContentBlock>(&resource("")).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"resource: expected an object with "text" or "blob", found an object"#
    );
    let error = decode_known::<ContentBlock>(&resource(r#","text":1"#)).unwrap_err();
    assert_eq!(error.to_string(), "resource.text: expected a string, found a number");
}

#[test]
fn a_resource_link_needs_a_name_but_no_good_size() {
    assert_eq!(
        known::<ContentBlock>(r#"{"type":"resource_link","uri":"u","name":"n","size":"x"}"#),
        r#"{"type":"resource_link","uri":"u","name":"n"}"#
    );
    refused::<ContentBlock>(r#"{"type":"resource_link","uri":"u"}"#);
}

#[test]
fn a_permission_request_is_read_whole_or_not_at_all() {
    let request = |call: &str, options: &str| {
        format!(r#"{{"sessionId":"s","toolCall":{call},"options":{options}}}"#)
    };
    let call = r#"{"toolCallId":"a"}"#;
    assert!(decode_known::<RequestPermissionRequest>(&request(call, "[]")).is_ok());
    let option = r#"[{"optionId":"o","name":"n","kind":"allow_session"}]"#;
    refused::<RequestPermissionRequest>(&request(call, option));
    refused::<RequestPermissionRequest>(&request(call, "null"));
    refused::<RequestPermissionRequest>(&request("{}", "[]"));
    let kept: RequestPermissionRequest = decode(&request(call, option)).unwrap();
    assert_eq!(kept.options[0].kind.as_str(), "allow_session");
}

#[test]
fn a_permission_outcome_is_cancelled_or_selected() {
    refused::<RequestPermissionResponse>(r#"{"outcome":{"outcome":"rejected"}}"#);
    let cancelled = r#"{"outcome":{"outcome":"cancelled"}}"#;
    assert_eq!(known::<RequestPermissionResponse>(cancelled), cancelled);
    let selected = RequestPermissionResponse::new(SelectedPermissionOutcome::new("o"));
    assert_eq!(encode(&selected), r#"{"outcome":{"outcome":"selected","optionId":"o"}}"#);
    assert_eq!(selected.outcome.selected().unwrap().as_str(), "o");
}

#[test]
fn terminal_output_needs_truncated_and_tolerates_a_bad_exit_status() {
    let output = |rest: &str| format!(r#"{{"output":"o"{rest}}}"#);
    let read =
        |rest: &str| decode_known::<TerminalOutputResponse>(&output(rest)).unwrap().exit_status;
    assert_eq!(
        read(r#","truncated":false,"exitStatus":{"exitCode":-1,"signal":9}"#),
        Some(TerminalExitStatus::new())
    );
    assert_eq!(read(r#","truncated":false,"exitStatus":5"#), None);
    refused::<TerminalOutputResponse>(&output(""));
}

#[test]
fn malformed_request_options_are_fatal_and_null_is_absent() {
    let create = |rest: &str| format!(r#"{{"sessionId":"s","command":"c"{rest}}}"#);
    let plain = r#"{"sessionId":"s","command":"c"}"#;
    assert_eq!(
        known::<CreateTerminalRequest>(&create(
            r#","args":null,"env":null,"cwd":null,"outputByteLimit":null"#
        )),
        plain
    );
    for bad in [
        r#","args":"x""#,
        r#","args":[1]"#,
        r#","env":[{"name":"a"}]"#,
        r#","cwd":1"#,
        r#","outputByteLimit":1.0"#,
    ] {
        refused::<CreateTerminalRequest>(&create(bad));
    }
    refused::<ReadTextFileRequest>(r#"{"sessionId":"s","path":"/a","line":-1}"#);
    assert_eq!(
        known::<ReadTextFileRequest>(r#"{"sessionId":"s","path":"C:\\a","line":null,"limit":3}"#),
        r#"{"sessionId":"s","path":"C:\\a","limit":3}"#
    );
}

const STDIO: &str = r#""name":"n","command":"/c","args":[],"env":[{"name":"A","value":"1"}]"#;

#[test]
fn an_mcp_server_of_unknown_type_is_stdio_if_it_has_its_fields() {
    let stdio = format!("{{{STDIO}}}");
    for kind in ["stdio", "pipe"] {
        assert_eq!(known::<McpServer>(&format!(r#"{{"type":"{kind}",{STDIO}}}"#)), stdio);
    }
    assert_eq!(known::<McpServer>(&stdio), stdio);
    assert_eq!(
        known::<McpServer>(r#"{"name":"n","command":"/c","args":null,"env":null}"#),
        r#"{"name":"n","command":"/c","args":[],"env":[]}"#
    );
    refused::<McpServer>(r#"{"name":"n","command":"/c","args":[]}"#);
    let error = decode::<McpServer>(r#"{"type":"websocket","name":"n","url":"u"}"#).unwrap_err();
    assert!(error.to_string().starts_with("not a known McpServer"), "{error}");
}

#[test]
fn an_http_server_needs_its_headers_key() {
    refused::<McpServer>(r#"{"type":"http","name":"n","url":"u"}"#);
    assert_eq!(
        known::<McpServer>(r#"{"name":"n","url":"u","headers":null,"type":"sse"}"#),
        r#"{"type":"sse","name":"n","url":"u","headers":[]}"#
    );
    let acp = r#"{"type":"acp","name":"n","serverId":"1"}"#;
    assert_eq!(known::<McpServer>(acp), acp);
}

#[test]
fn an_mcp_answer_prefers_its_result_and_keeps_all_of_its_error() {
    assert_eq!(known::<MessageMcpResponse>(r#"{"error":{},"result":null}"#), r#"{"result":null}"#);
    let failed = r#"{"error":{"code":-1,"message":"m","data":null,"hint":{"a":1}}}"#;
    assert_eq!(known::<MessageMcpResponse>(failed), failed);
    refused::<MessageMcpResponse>(r#"{"error":null}"#);
    refused::<MessageMcpResponse>("{}");
    refused::<MessageMcpRequest>(r#"{"serverId":"s","requestId":"r","method":"m","params":[]}"#);
}

#[test]
fn a_childs_state_keeps_what_it_does_not_know() {
    let state = |text: &str| known::<StateUpdate>(text);
    for same in [
        r#"{"state":"running"}"#,
        r#"{"state":"unknown"}"#,
        r#"{"state":"_acme","x":1}"#,
        r#"{"state":"idle","stopReason":"error","error":{"code":1,"message":"m"}}"#,
        r#"{"state":"idle","stopReason":"_acme","x":1,"_meta":{"a":1}}"#,
    ] {
        assert_eq!(state(same), same);
    }
    assert_eq!(state(r#"{"state":"idle","stopReason":5}"#), r#"{"state":"idle"}"#);
    assert_eq!(
        state(r#"{"stopReason":"end_turn","error":{"code":1,"message":"m"},"state":"idle"}"#),
        r#"{"state":"idle","stopReason":"end_turn"}"#
    );
    let (_, notices) =
        decode_reporting::<StateUpdate>(r#"{"state":"idle","stopReason":5}"#, UnknownValues::Keep);
    assert_eq!(notices.len(), 1);
}

#[test]
fn a_subagents_paths_are_strict_and_its_other_fields_lenient() {
    let child = |rest: &str| format!(r#"{{"sessionId":"c"{rest}}}"#);
    let update: SubagentUpdate =
        decode_known(&child(r#","title":5,"state":{},"capabilities":null,"cwd":null"#)).unwrap();
    assert_eq!((&update.title, &update.state), (&Patch::Keep, &Patch::Keep));
    assert_eq!((&update.capabilities, &update.cwd), (&Patch::Clear, &Patch::Clear));
    refused::<SubagentUpdate>(&child(r#","cwd":5"#));
    refused::<SubagentUpdate>(&child(r#","additionalDirectories":[1]"#));
}

#[test]
fn request_ids_are_whole_numbers_strings_or_null() {
    for id in ["null", r#""1""#, "-5", "9223372036854775807"] {
        assert_eq!(known::<RequestId>(id), id);
    }
    for id in ["1.0", "1.5", "18446744073709551615", "true", "[]"] {
        refused::<RequestId>(id);
    }
}

#[test]
fn an_error_needs_code_and_message_and_keeps_unknown_codes() {
    assert_eq!(
        known::<Error>(r#"{"code":-1,"message":"m","data":null}"#),
        r#"{"code":-1,"message":"m"}"#
    );
    refused::<Error>(r#"{"code":-1}"#);
    refused::<Error>(r#"{"code":"-1","message":"m"}"#);
    let missing = Error::resource_not_found_session("s");
    assert_eq!(missing.code, ErrorCode::RESOURCE_NOT_FOUND);
    assert_eq!(missing.data.unwrap().get(), r#"{"sessionId":"s"}"#);
}
