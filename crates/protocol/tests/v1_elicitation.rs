//! Elicitations: the decode vectors of requirements §9 and their rules.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use attache_protocol::v1::*;
use attache_protocol::{
    Map, RequestId, UnknownValues, decode, decode_known, decode_reporting, encode,
};

const FORM: &str = r#""mode":"form","requestedSchema":{"type":"object","properties":{}}"#;

fn request(text: &str) -> Result<CreateElicitationRequest, String> {
    decode_known(text).map_err(|error| error.to_string())
}

fn property(text: &str) -> Result<String, String> {
    decode_known::<ElicitationPropertySchema>(text)
        .map(|read| encode(&read))
        .map_err(|error| error.to_string())
}

#[test]
fn mode_scope_and_message_are_required() {
    assert!(request(&format!(r#"{{"sessionId":"s","message":"m",{FORM}}}"#)).is_ok());
    assert_eq!(
        request(r#"{"sessionId":"s","message":"m"}"#).unwrap_err(),
        r#"the required field "mode" is missing"#
    );
    assert_eq!(
        request(&format!(r#"{{"message":"m",{FORM}}}"#)).unwrap_err(),
        r#"expected an object with "sessionId" or "requestId", found an object"#
    );
    assert_eq!(
        request(&format!(r#"{{"sessionId":"s",{FORM}}}"#)).unwrap_err(),
        r#"the required field "message" is missing"#
    );
    assert!(
        request(r#"{"sessionId":"s","message":"m","mode":"form"}"#).is_err(),
        "a form without a schema"
    );
}

#[test]
fn a_session_wins_over_a_request() {
    let both =
        request(&format!(r#"{{"requestId":1,"sessionId":"s","message":"m",{FORM}}}"#)).unwrap();
    assert!(
        matches!(both.scope, ElicitationScope::Session(scope) if scope.session_id.as_str() == "s")
    );
    let one = request(&format!(r#"{{"requestId":null,"message":"m",{FORM}}}"#)).unwrap();
    assert!(
        matches!(one.scope, ElicitationScope::Request(scope) if scope.request_id == RequestId::Null)
    );
}

#[test]
fn an_unknown_mode_is_written_back_unchanged() {
    let text = r#"{"mode":"_scan","code":[1],"sessionId":"s","toolCallId":"t","message":"m","_meta":{"a":1}}"#;
    assert_eq!(encode(&request(text).unwrap()), text);
}

#[test]
fn only_what_was_dropped_is_reported() {
    let text = format!(r#"{{"sessionId":"s","toolCallId":5,"message":"m",{FORM}}}"#);
    let (read, notices) =
        decode_reporting::<CreateElicitationRequest>(&text, UnknownValues::Refuse);
    assert!(read.is_ok());
    let paths: Vec<_> = notices.iter().map(|notice| notice.path.as_str()).collect();
    assert_eq!(paths, ["toolCallId"]);
}

#[test]
fn a_form_always_has_the_type_object() {
    let form = |text: &str| decode_known::<ElicitationSchema>(text);
    for text in ["{}", r#"{"type":"array"}"#, r#"{"type":5,"title":7}"#] {
        assert_eq!(encode(&form(text).unwrap()), r#"{"type":"object","properties":{}}"#);
    }
    assert!(form(r#"{"properties":null}"#).is_err());
    assert!(form(r#"{"required":"x"}"#).is_err());
    assert!(form(r#"{"properties":{"a":{}}}"#).is_err());
}

#[test]
fn limits_are_strict_and_defaults_lenient() {
    assert_eq!(
        property(r#"{"type":"string","default":5,"enum":["a"]}"#).unwrap(),
        r#"{"type":"string","enum":["a"]}"#
    );
    for bad in [
        r#"{"type":"string","format":"ipv4"}"#,
        r#"{"type":"string","minLength":-1}"#,
        r#"{"type":"string","oneOf":[{"const":"a"}]}"#,
        r#"{"type":"integer","minimum":1.5}"#,
        r#"{"type":"number","maximum":"1"}"#,
        r#"{"type":"array"}"#,
    ] {
        assert!(property(bad).is_err(), "accepted: {bad}");
    }
    let unknown: ElicitationPropertySchema =
        decode(r#"{"type":"string","format":"ipv4"}"#).unwrap();
    assert_eq!(encode(&unknown), r#"{"type":"string","format":"ipv4"}"#);
}

#[test]
fn unknown_property_types_are_kept() {
    let text = r#"{"type":"_color","alpha":true}"#;
    assert_eq!(property(text).unwrap(), text);
}

#[test]
fn several_choices_are_plain_titled_or_of_an_unknown_type() {
    for text in [
        r#"{"type":"array","items":{"type":"string","enum":["a"]},"default":["a"]}"#,
        r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}"#,
        r#"{"type":"array","items":{"type":"_x","y":1}}"#,
    ] {
        assert_eq!(property(text).unwrap(), text);
    }
    assert_eq!(
        property(r#"{"type":"array","items":{"type":"string","anyOf":[]},"default":[1,"a"]}"#)
            .unwrap(),
        r#"{"type":"array","items":{"anyOf":[]},"default":["a"]}"#
    );
    assert!(property(r#"{"type":"array","items":{"type":"string","enum":[1]}}"#).is_err());
}

#[test]
fn an_answer_is_read_by_its_action() {
    let answer =
        |text: &str| decode_known::<CreateElicitationResponse>(text).map(|read| encode(&read));
    let all = r#"{"action":"accept","content":{"a":"x","b":-3,"c":1.5,"d":true,"e":["y"]}}"#;
    assert_eq!(answer(all).unwrap(), all);
    assert!(answer(r#"{"action":"accept","content":{"a":null}}"#).is_err());
    assert!(answer(r#"{"action":"accept","content":{"a":{}}}"#).is_err());
    assert_eq!(
        answer(r#"{"content":{"a":null},"action":"decline"}"#).unwrap(),
        r#"{"action":"decline"}"#
    );
    let deferred = r#"{"action":"_defer","until":5,"_meta":{"a":1}}"#;
    assert_eq!(answer(deferred).unwrap(), deferred);
}

#[test]
fn an_accepted_form_is_made_of_its_values() {
    let mut accept = ElicitationAcceptAction::new();
    accept.content = Some(Map(vec![("age".to_owned(), ElicitationContentValue::Integer(4))]));
    assert_eq!(
        encode(&CreateElicitationResponse::new(accept)),
        r#"{"action":"accept","content":{"age":4}}"#
    );
    assert_eq!(
        encode(&CreateElicitationResponse::new(ElicitationAction::Cancel)),
        r#"{"action":"cancel"}"#
    );
}
