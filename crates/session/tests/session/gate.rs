//! The updates that a client receives.

use crate::{say, update};
use attache_protocol::Patch;
use attache_protocol::method::{FIELDS, UPDATES};
use attache_protocol::v1::{ClientCapabilities, SessionUpdate};
use attache_protocol::{decode, encode};
use attache_session::EventBody;

pub(crate) const ALL: &str = r#"{"session":{"compaction":{},"notices":{},"configOptions":{"boolean":{}}},"plan":{},"subagents":{}}"#;

const GATED: &[&str] = &[
    r#"{"sessionUpdate":"notice","severity":"info","title":"x"}"#,
    r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"}"#,
    r#"{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"x"}}"#,
    r#"{"sessionUpdate":"subagent_update","sessionId":"c"}"#,
    r#"{"sessionUpdate":"session_message","messageId":"m"}"#,
    r#"{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}"#,
];

fn sent(body: &EventBody, client: &str) -> Option<String> {
    body.to_update_for(&decode::<ClientCapabilities>(client).unwrap()).map(|update| encode(&update))
}

/// NOTE-01, COMP-01, SUB-01.
#[test]
fn updates_that_the_client_did_not_advertise_are_not_sent() {
    for text in GATED {
        assert_eq!(sent(&update(text), "{}"), None, "{text}");
        assert_eq!(sent(&update(text), ALL).as_deref(), Some(*text));
    }
    assert!(sent(&say("x"), "{}").is_some());
}

/// PLANU-01.
#[test]
fn a_client_without_plan_ids_gets_the_plan() {
    let items = update(
        r#"{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"a","priority":"high","status":"pending"}]}}"#,
    );
    let plan = r#"{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"}]}"#;
    assert_eq!(sent(&items, "{}").as_deref(), Some(plan));
    assert!(sent(&items, ALL).unwrap().contains("plan_update"));
    let removed = update(r#"{"sessionUpdate":"plan_removed","planId":"p"}"#);
    assert_eq!(sent(&removed, "{}").as_deref(), Some(r#"{"sessionUpdate":"plan","entries":[]}"#));
}

/// CONF-08.
#[test]
fn a_switch_becomes_a_choice_for_clients_without_switches() {
    let options = update(
        r#"{"sessionUpdate":"config_option_update","configOptions":[{"id":"w","name":"Web","category":"_x","type":"boolean","currentValue":true}]}"#,
    );
    assert_eq!(
        sent(&options, "{}").as_deref(),
        Some(
            r#"{"sessionUpdate":"config_option_update","configOptions":[{"id":"w","name":"Web","category":"_x","type":"select","currentValue":"true","options":[{"value":"true","name":"On"},{"value":"false","name":"Off"}]}]}"#
        )
    );
    assert!(sent(&options, ALL).unwrap().contains("boolean"));
    assert!(
        FIELDS.iter().any(|field| field.rule == "CONF-08"),
        "the gate is looked up by its rule"
    );
}

/// USE-02, USE-03.
#[test]
fn usage_without_a_size_is_not_sent() {
    assert_eq!(sent(&EventBody::Usage { used: 1, size: None, cost: Patch::Keep }, ALL), None);
}

/// INIT-16: unknown updates cannot have been advertised.
#[test]
fn unknown_updates_are_not_passed_on() {
    let bodies = [
        update(r#"{"sessionUpdate":"sparkle"}"#),
        update(r#"{"sessionUpdate":"plan_update","plan":{"type":"dance","planId":"p"}}"#),
    ];
    for body in bodies {
        assert!(matches!(body, EventBody::Unknown { .. }));
        assert_eq!(sent(&body, ALL), None);
    }
}

#[test]
fn every_update_of_the_table_survives_conversion_to_an_event_and_back() {
    let others = [
        r#"{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"x"},"messageId":"m"}"#,
        r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"AA","mimeType":"image/png"}}"#,
        r#"{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"x"}}"#,
        r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","status":"failed"}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[]}"#,
        r#"{"sessionUpdate":"plan","entries":[]}"#,
        r#"{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"x"}}"#,
        r#"{"sessionUpdate":"plan_removed","planId":"p"}"#,
        r#"{"sessionUpdate":"available_commands_update","availableCommands":[]}"#,
        r#"{"sessionUpdate":"current_mode_update","currentModeId":"m"}"#,
        r#"{"sessionUpdate":"config_option_update","configOptions":[{"id":"a","name":"A","type":"odd","x":1}]}"#,
        r#"{"sessionUpdate":"session_info_update","title":null,"updatedAt":"2026-01-01T00:00:00Z","_meta":{"a":null}}"#,
        r#"{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":0.5,"currency":"EUR"}}"#,
    ];
    let mut seen = Vec::new();
    for text in GATED.iter().chain(&others) {
        let update: SessionUpdate = decode(text).unwrap();
        seen.push(update.tag().to_owned());
        assert_eq!(EventBody::from_update(update.clone()).to_update(), Some(update), "{text}");
    }
    for row in UPDATES {
        assert!(seen.iter().any(|name| name == row.name), "{} is not tried here", row.name);
    }
    let unknown: SessionUpdate = decode(r#"{"x":1,"sessionUpdate":"sparkle"}"#).unwrap();
    assert_eq!(EventBody::from_update(unknown.clone()).to_update(), Some(unknown));
}
