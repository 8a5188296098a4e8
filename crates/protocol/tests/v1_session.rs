//! Initialization, sessions, config options, usage: the decode vectors of requirements §9, and
//! further guarantees.
#![allow(
    clippy::panic,
    clippy::expect_used,
    reason = "the two functions below are part of the tests"
)]

use attache_protocol::v1::*;
use attache_protocol::{
    DroppedValue, Meta, Patch, Raw, UnknownValues, Wire, decode, decode_known, decode_reporting,
    encode,
};

/// Decodes as §9 requires.
fn known<T: Wire>(text: &str) -> T {
    decode_known(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The fault in `text` according to §9.
fn refused<T: Wire + std::fmt::Debug>(text: &str) -> String {
    decode_known::<T>(text).expect_err(text).to_string()
}

/// A select with these options, as text.
fn select(options: &str) -> String {
    format!(r#"{{"type":"select","id":"m","name":"M","currentValue":"v","options":{options}}}"#)
}

#[test]
fn a_version_is_a_whole_number() {
    assert_eq!(
        known::<InitializeRequest>(r#"{"protocolVersion":1}"#),
        InitializeRequest::new(ProtocolVersion::V1)
    );
    for bad in [
        r#"{"protocolVersion":"1"}"#,
        "{}",
        r#"{"protocolVersion":-1}"#,
        r#"{"protocolVersion":1.0}"#,
        r#"{"protocolVersion":65536}"#,
    ] {
        refused::<InitializeRequest>(bad);
    }
}

#[test]
fn malformed_names_and_capabilities_read_as_absent() {
    let request: InitializeRequest = known(
        r#"{"protocolVersion":2,"clientInfo":{"name":"x"},"clientCapabilities":{"fs":false,"terminal":{},"auth":{"terminal":true},"later":{}}}"#,
    );
    assert_eq!(request.client_info, None);
    let mut expected = ClientCapabilities::new();
    expected.auth.terminal = true;
    assert_eq!(request.client_capabilities, expected);
}

#[test]
fn object_markers_are_set_by_objects_alone() {
    let client: ClientCapabilities = known(
        r#"{"session":{"compaction":true,"configOptions":{"boolean":true}},"terminal":null}"#,
    );
    let session = client.session.unwrap();
    assert!(!client.terminal && session.compaction.is_none());
    assert_eq!(session.config_options, Some(SessionConfigOptionsCapabilities::new()));

    let response: InitializeResponse = known(
        r#"{"protocolVersion":1,"authMethods":null,"agentCapabilities":{"sessionCapabilities":{"list":true,"close":{},"resume":null}}}"#,
    );
    let mut expected = SessionCapabilities::new();
    expected.close = Some(SessionCloseCapabilities::new());
    assert_eq!(response.agent_capabilities.session_capabilities, expected);
    assert_eq!(response.auth_methods, []);
}

#[test]
fn capabilities_that_offer_nothing_are_not_written() {
    let mut response = InitializeResponse::new(1);
    assert_eq!(encode(&response), r#"{"protocolVersion":1}"#);
    response.agent_capabilities.load_session = true;
    response.agent_capabilities.auth.logout = Some(LogoutCapabilities::new());
    assert_eq!(
        encode(&response),
        r#"{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"auth":{"logout":{}}}}"#
    );
}

#[test]
fn login_methods_of_unknown_types_are_for_authenticate_and_keep_their_type() {
    let text = r#"{"protocolVersion":1,"authMethods":[{"id":"x"},{"id":"a","name":"A","type":"env_var"},{"id":"z","name":"Z","type":"oauth"},{"id":"n","name":"N"}]}"#;
    let response: InitializeResponse = known(text);
    let ids: Vec<&str> = response.auth_methods.iter().map(|method| method.id().as_str()).collect();
    assert_eq!(ids, ["a", "z", "n"]);
    assert!(response.auth_methods.iter().all(|method| matches!(method, AuthMethod::Agent(_))));
    assert_eq!(encode(&response), text.replace(r#"{"id":"x"},"#, ""));
}

#[test]
fn a_malformed_terminal_login_is_dropped_and_never_read_as_another() {
    let method = |args: &str| {
        format!(r#"{{"type":"terminal","id":"t","name":"T","args":{args},"env":null}}"#)
    };
    let AuthMethod::Terminal(terminal) = known(&method(r#"["login"]"#)) else {
        panic!("not a terminal method")
    };
    assert_eq!(terminal.args, ["login"]);
    assert_eq!(refused::<AuthMethod>(&method("5")), "args: expected an array, found a number");
    let response: InitializeResponse =
        known(&format!(r#"{{"protocolVersion":1,"authMethods":[{}]}}"#, method("[1]")));
    assert_eq!(response.auth_methods, []);
}

#[test]
fn a_session_needs_the_key_of_its_servers() {
    refused::<NewSessionRequest>(r#"{"cwd":"/w"}"#);
    let request: NewSessionRequest = known(r#"{"cwd":"relative","mcpServers":null}"#);
    assert_eq!((request.cwd.as_str(), request.mcp_servers.len()), ("relative", 0));
    refused::<LoadSessionRequest>(r#"{"sessionId":"s","cwd":"/w"}"#);
    known::<ResumeSessionRequest>(r#"{"sessionId":"s","cwd":"/w"}"#);
    refused::<NewSessionRequest>(
        r#"{"cwd":"/w","mcpServers":[],"additionalDirectories":["/a",1]}"#,
    );
    refused::<NewSessionRequest>(
        r#"{"cwd":"/w","mcpServers":[],"systemPrompt":{"mode":"append"}}"#,
    );
}

#[test]
fn malformed_modes_and_options_of_a_new_session_read_as_absent() {
    let response: NewSessionResponse =
        known(r#"{"sessionId":"s","modes":{"availableModes":[]},"configOptions":"x"}"#);
    assert_eq!(response, NewSessionResponse::new("s"));
    let response: NewSessionResponse = known(r#"{"sessionId":"s","configOptions":[1]}"#);
    assert_eq!(
        response.config_options,
        Some(vec![]),
        "an empty list means that there are no options"
    );
    assert_eq!(encode(&response), r#"{"sessionId":"s","configOptions":[]}"#);
}

#[test]
fn the_retired_models_are_read() {
    let text = r#"{"sessionId":"s","models":{"currentModelId":"a","availableModels":[{"modelId":"a","name":"A"}]}}"#;
    let response: NewSessionResponse = known(text);
    assert_eq!(response.models.as_ref().unwrap().available_models[0].name, "A");
    assert_eq!(encode(&response), text);
}

#[test]
fn bad_sessions_are_left_out_of_a_list() {
    let page: ListSessionsResponse = known(
        r#"{"sessions":[{"sessionId":"a"},{"sessionId":"b","cwd":"/b","title":5}],"nextCursor":5}"#,
    );
    assert_eq!(page, ListSessionsResponse::new(vec![SessionInfo::new("b", "/b")]));
    refused::<ListSessionsResponse>("{}");
    refused::<ListSessionsRequest>(r#"{"cursor":5}"#);
    refused::<ListSessionsRequest>(r#"{"archived":true}"#);
    let request: ListSessionsRequest = known(r#"{"archived":"lately","cwd":null}"#);
    assert_eq!(request.archived, Some(SessionArchiveFilter::from("lately")));
}

#[test]
fn options_that_cannot_be_shown_are_left_out() {
    let skipped = [
        select(r#"[{"value":"v"}]"#),
        select(r#"[{"value":"v","name":"V"},{"group":"g","name":"G","options":[]}]"#),
        select(r#"[{"group":"g","name":"G","options":[]},{"value":"v","name":"V"}]"#),
        select("null"),
        select(r#"[{"group":"g","options":[]}]"#),
        select("[]").replace(r#""type":"select","#, ""),
        select("[]").replace(r#""currentValue":"v""#, r#""currentValue":true"#),
        r#"{"type":"slider","id":"s","name":"S","currentValue":3}"#.to_owned(),
    ];
    let switch = r#"{"type":"boolean","id":"b","name":"B","currentValue":true}"#;
    for option in skipped {
        let text = format!(r#"{{"configOptions":[{option},{switch}]}}"#);
        let response: SetSessionConfigOptionResponse = known(&text);
        assert_eq!(
            response.config_options,
            [SessionConfigOption::boolean("b", "B", true)],
            "{option}"
        );
    }
}

#[test]
fn the_list_of_all_options_may_be_null_but_not_absent() {
    assert_eq!(
        known::<SetSessionConfigOptionResponse>(r#"{"configOptions":null}"#).config_options,
        []
    );
    refused::<SetSessionConfigOptionResponse>("{}");
    refused::<SetSessionConfigOptionResponse>("null");
}

#[test]
fn an_empty_select_is_kept_and_a_group_loses_only_its_bad_values() {
    let empty: SessionConfigOption = known(&select("[]"));
    assert_eq!(
        empty,
        SessionConfigOption::select("m", "M", "v", Vec::<SessionConfigSelectOption>::new())
    );
    let grouped: SessionConfigOption = known(&select(
        r#"[{"group":"g","name":"G","options":[{"value":"v","name":"V"},{"value":"w"}]},{"group":"h","name":"H","options":[]}]"#,
    ));
    assert_eq!(grouped.values().map(|option| option.value.as_str()).collect::<Vec<_>>(), ["v"]);
    assert!(matches!(
        grouped.kind,
        SessionConfigKind::Select(SessionConfigSelect {
            options: SessionConfigSelectOptions::Grouped(groups),
            ..
        }) if groups.len() == 2
    ));
}

#[test]
fn the_error_of_bad_options_is_the_more_specific_one() {
    let message = |options: &str| refused::<SessionConfigOption>(&select(options));
    assert_eq!(
        message(r#"[{"value":"v"}]"#),
        r#"options[0]: the required field "name" is missing"#
    );
    assert_eq!(
        message(r#"[{"group":"g","options":[]}]"#),
        r#"options[0]: the required field "name" is missing"#
    );
    assert_eq!(
        message(r#"[{"value":"v","name":"V"},{"group":"g","name":"G","options":[]}]"#),
        r#"options[1]: the required field "value" is missing"#
    );
    assert_eq!(message("null"), "options: expected an array, found null");
}

#[test]
fn a_group_without_a_name_is_shown_by_its_id() {
    let text = select(r#"[{"group":"g","options":[{"value":"v","name":"V"}],"_meta":{"a":1}}]"#);
    let (option, notices) = decode_reporting::<SessionConfigOption>(&text, UnknownValues::Keep);
    let SessionConfigKind::Select(select) = option.unwrap().kind else { panic!("not a select") };
    let SessionConfigSelectOptions::Grouped(groups) = select.options else { panic!("not grouped") };
    assert_eq!(
        (groups[0].name.as_str(), groups[0].options.len(), groups[0].meta.is_some()),
        ("g", 1, true)
    );
    assert_eq!(notices.len(), 1);
    assert_eq!(notices[0].path, "options[0]");
}

#[test]
fn an_option_of_an_unknown_type_is_kept_unchanged() {
    let text =
        r#"{"id":"s","name":"S","category":"_x","type":"slider","currentValue":3,"range":[0, 9]}"#;
    let option: SessionConfigOption = decode(text).unwrap();
    assert_eq!((option.current_value(), option.values().count()), (None, 0));
    assert_eq!(option.category(), Some(&SessionConfigOptionCategory::from("_x")));
    assert_eq!(encode(&option), text);
}

#[test]
fn a_category_is_kept_if_it_is_a_string() {
    let option = |category: &str| -> SessionConfigOption {
        known(&select("[]").replace(r#""id""#, &format!(r#""category":{category},"id""#)))
    };
    assert_eq!(option(r#""model""#).category(), Some(&SessionConfigOptionCategory::Model));
    assert_eq!(option("5").category(), None);
}

#[test]
fn an_option_accepts_its_own_values_only() {
    let model = SessionConfigOption::select(
        "model",
        "Model",
        "a",
        vec![SessionConfigSelectOption::new("a", "A")],
    );
    let switch = SessionConfigOption::boolean("b", "B", false);
    assert!(
        model.accepts(&"a".into()) && !model.accepts(&"b".into()) && !model.accepts(&true.into())
    );
    assert!(switch.accepts(&true.into()) && !switch.accepts(&"true".into()));
    assert_eq!(model.current_value(), Some("a".into()));
    assert_eq!(switch.current_value(), Some(false.into()));
}

#[test]
fn a_value_is_a_string_whatever_its_type_says_or_a_boolean_with_its_type() {
    let request = |rest: &str| format!(r#"{{"sessionId":"s","configId":"c",{rest}}}"#);
    let value = |rest: &str| known::<SetSessionConfigOptionRequest>(&request(rest)).value;
    assert_eq!(value(r#""value":"v""#), "v".into());
    assert_eq!(value(r#""type":"id","value":"v""#), "v".into());
    assert_eq!(value(r#""type":"boolean","value":"x""#), "x".into());
    assert_eq!(value(r#""value":false,"type":"boolean""#), false.into());
    for bad in [
        r#""value":true"#,
        r#""value":3"#,
        r#""type":"boolean""#,
        r#""type":"boolean","value":null"#,
    ] {
        refused::<SetSessionConfigOptionRequest>(&request(bad));
    }
    let written = SetSessionConfigOptionRequest::new("s", "c", true);
    assert_eq!(encode(&written), request(r#""type":"boolean","value":true"#));
    let written = SetSessionConfigOptionRequest::new("s", "c", "v");
    assert_eq!(encode(&written), request(r#""value":"v""#));
}

#[test]
fn session_info_has_three_states_for_every_field() {
    let update: SessionInfoUpdate = known(r#"{"title":null,"updatedAt":5,"_meta":null}"#);
    assert_eq!(
        (update.title, update.updated_at, update.meta),
        (Patch::Clear, Patch::Keep, Patch::Clear)
    );
    assert_eq!(
        known::<SessionInfoUpdate>(r#"{"title":7,"_meta":[]}"#),
        SessionInfoUpdate::default()
    );
    let text = r#"{"title":"T","_meta":{"a":null}}"#;
    let update: SessionInfoUpdate = known(text);
    assert_eq!(
        update.meta,
        Patch::Set(Meta::new(Raw::from_text(r#"{"a":null}"#).unwrap()).unwrap())
    );
    assert_eq!(encode(&update), text);
}

#[test]
fn a_bad_cost_is_dropped_and_a_bad_count_is_not() {
    let update: UsageUpdate =
        known(r#"{"used":1,"size":2,"cost":{"amount":"x","currency":"USD"}}"#);
    assert_eq!(update, UsageUpdate::new(1_u64, 2_u64));
    for bad in [
        r#"{"used":-1,"size":2}"#,
        r#"{"used":1.0,"size":2}"#,
        r#"{"used":1}"#,
        r#"{"used":null,"size":2}"#,
        r#"{"used":1,"size":"2"}"#,
    ] {
        refused::<UsageUpdate>(bad);
    }
}

#[test]
fn a_size_of_null_is_an_unknown_size() {
    assert_eq!(decode::<UsageUpdate>(r#"{"used":1,"size":null}"#).unwrap().size, None);
}

#[test]
fn tokens_are_read_in_both_spellings_and_written_in_one() {
    let draft = r#"{"stopReason":"end_turn","usage":{"total_tokens":3,"input_tokens":1,"output_tokens":2,"thought_tokens":"x","cached_read_tokens":4}}"#;
    let response: PromptResponse = decode(draft).unwrap();
    let usage = Usage { cached_read_tokens: Some(4), ..Usage::new(3_u64, 1_u64, 2_u64) };
    assert_eq!(response.usage, Some(usage));
    let today = r#"{"stopReason":"end_turn","usage":{"totalTokens":3,"inputTokens":1,"outputTokens":2,"cachedReadTokens":4}}"#;
    assert_eq!(encode(&response), today);
    assert_eq!(known::<PromptResponse>(today), response);
    assert_eq!(known::<PromptResponse>(draft).usage, None, "the schema knows one spelling");
}

#[test]
fn tokens_survive_one_bad_optional_count() {
    let text = r#"{"stopReason":"refusal","usage":{"totalTokens":3,"inputTokens":1,"outputTokens":2,"thoughtTokens":"x"}}"#;
    assert_eq!(known::<PromptResponse>(text).usage, Some(Usage::new(3_u64, 1_u64, 2_u64)));
}

#[test]
fn an_unknown_stop_reason_is_refused_or_kept() {
    for reason in ["pause", "error"] {
        let text = format!(r#"{{"stopReason":"{reason}"}}"#);
        refused::<PromptResponse>(&text);
        assert_eq!(
            decode::<PromptResponse>(&text).unwrap().stop_reason,
            StopReason::Unknown(reason.into())
        );
    }
    refused::<PromptResponse>("null");
}

#[test]
fn providers_skip_bad_protocols_but_not_a_bad_current_one() {
    let provider = |current: &str| {
        format!(
            r#"{{"providers":[{{"providerId":"p","supported":["openai",5,"new"],"required":false,"current":{current}}}]}}"#
        )
    };
    let list: ListProvidersResponse = known(&provider("null"));
    assert_eq!(list.providers[0].supported, [LlmProtocol::OpenAi, LlmProtocol::from("new")]);
    refused::<ListProvidersResponse>(&provider(r#"{"apiType":"openai"}"#));
    refused::<SetProviderRequest>(
        r#"{"providerId":"p","apiType":"openai","baseUrl":"u","headers":{"a":1}}"#,
    );
}

#[test]
fn an_account_without_a_label_is_left_out() {
    let status: AuthStatusResponse =
        known(r#"{"state":"dozing","accounts":[{"name":"x"},{"label":"l","active":"yes"}]}"#);
    assert_eq!(status.state, AuthState::from("dozing"));
    assert_eq!(status.accounts, [AuthAccount::new("l")]);
}

#[test]
fn values_dropped_by_hand_written_types_are_reported() {
    let paths = |notices: Vec<DroppedValue>| {
        notices.into_iter().map(|notice| notice.path).collect::<Vec<_>>()
    };
    let set = r#"{"sessionId":"s","configId":"c","type":"id","value":"v","more":1}"#;
    let (_, notices) = decode_reporting::<SetSessionConfigOptionRequest>(set, UnknownValues::Keep);
    assert_eq!(paths(notices), ["type", "more"]);
    let boolean = r#"{"sessionId":"s","configId":"c","type":"boolean","value":true}"#;
    let (_, notices) =
        decode_reporting::<SetSessionConfigOptionRequest>(boolean, UnknownValues::Keep);
    assert_eq!(paths(notices), [""; 0]);
    let terminal = r#"{"type":"terminal","id":"t","name":"T","more":1}"#;
    let (_, notices) = decode_reporting::<AuthMethod>(terminal, UnknownValues::Keep);
    assert_eq!(paths(notices), ["more"]);
    let option =
        select(r#"[{"group":"g","name":"G","options":[{"value":"v","name":"V","more":1}]}]"#);
    let (_, notices) = decode_reporting::<SessionConfigOption>(&option, UnknownValues::Keep);
    assert_eq!(paths(notices), ["options[0].options[0].more"]);
}
