//! Permission requests of both versions: in the log, in the session and in the other version.

use crate::fold;
use attache_protocol::{decode, encode, v1, v2};
use attache_session::{
    Event, EventBody, PermissionId, PermissionQuestion, PermissionSubject, Replay, Timestamp,
};
use std::sync::Arc;

const OPTIONS: &str = r#"[{"optionId":"y","name":"Yes","kind":"allow_once","_meta":{"k":1}}]"#;

/// Requests of version 2 with every member and kind of subject.
fn v2_requests() -> Vec<v2::RequestPermissionRequest> {
    let subjects = [
        "",
        r#""subject":{"type":"tool_call","toolCall":{"toolCallId":"t","title":"Edit","status":"paused","content":null,"_meta":{"a":1}},"_meta":{"b":2}},"#,
        r#""subject":{"type":"tool_call","toolCall":{"toolCallId":"t"}},"#,
        r#""subject":{"type":"command","command":"ls","cwd":"/w","toolCallId":"t","terminalId":"x","_meta":{"c":3}},"#,
        r#""subject":{"type":"command","command":"ls","cwd":"/w"},"#,
        r#""subject":{"type":"flight","to":"Paris","seats":[1e400]},"#,
    ];
    let members = [("", ""), (r#""description":"Careful.","#, r#","_meta":{"d":[4]}"#)];
    let request = |subject: &str, (description, meta): (&str, &str)| {
        decode(&format!(
            r#"{{"sessionId":"s","title":"Run?",{description}{subject}"options":{OPTIONS}{meta}}}"#
        ))
        .unwrap()
    };
    let requests = subjects.map(|subject| members.map(|members| request(subject, members)));
    requests.into_iter().flatten().collect()
}

/// The version of a line of a log.
fn form(line: &str) -> char {
    line.trim_start_matches(r#"{"v":"#).chars().next().unwrap()
}

fn through_the_log(question: impl Into<PermissionQuestion>) -> (String, PermissionQuestion) {
    let body = EventBody::permission_asked(PermissionId(7), question);
    let line = Event { sequence: 1, at: Timestamp(0), body }.encode();
    let read = Event::decode(&line).unwrap();
    assert_eq!(read.encode(), line);
    match read.body {
        EventBody::PermissionAsked { id: PermissionId(7), question } => (line, *question),
        other => panic!("{other:?}"),
    }
}

#[test]
fn requests_of_version_2_survive_the_log() {
    for request in v2_requests() {
        let (line, question) = through_the_log(request.clone());
        assert_eq!(question.to_v2("s"), request);
        assert_eq!(encode(&question.to_v2("s")), encode(&request));
        assert_eq!(form(&line), '2', "{line}");
    }
}

#[test]
fn requests_of_version_1_survive_the_log_in_its_first_form() {
    for meta in ["", r#","_meta":{"d":[4]}"#] {
        let request: v1::RequestPermissionRequest = decode(&format!(
            r#"{{"sessionId":"s","toolCall":{{"toolCallId":"t","title":"Edit","status":"pending"}},"options":{OPTIONS}{meta}}}"#
        ))
        .unwrap();
        let (line, question) = through_the_log(request.clone());
        assert_eq!(question.to_v1("s", PermissionId(7)), request);
        assert_eq!(form(&line), '1', "{line}");
        let v2 = question.to_v2("s");
        assert_eq!((v2.title.as_str(), v2.description), ("Edit", None));
    }
}

#[test]
fn lines_of_earlier_programs_are_read() {
    for (line, upserts) in [
        (
            r#"{"v":1,"sequence":1,"at":0,"permissionAsked":{"id":1,"toolCall":{"toolCallId":"t"},"options":[]}}"#,
            false,
        ),
        (
            r#"{"v":2,"sequence":1,"at":0,"permissionAsked":{"id":1,"toolCall":{"toolCallId":"t","upserts":true},"options":[]}}"#,
            true,
        ),
    ] {
        let event = Event::decode(line).unwrap();
        assert_eq!(event.encode(), line);
        let EventBody::PermissionAsked { question, .. } = event.body else { panic!() };
        assert_eq!(question.tool_call().unwrap().upserts, upserts);
    }
    let broken = r#"{"v":2,"sequence":1,"at":0,"permissionAsked":{"id":1,"subject":{"type":"command","cwd":"/"},"options":[]}}"#;
    assert!(Event::decode(broken).is_err());
}

#[test]
fn the_session_keeps_the_question() {
    for request in v2_requests() {
        let question = PermissionQuestion::from(request);
        let session = fold([EventBody::permission_asked(PermissionId(1), question.clone())]);
        assert_eq!(session.permissions()[0].question, question);
        let is_tool_call = matches!(question.subject, Some(PermissionSubject::ToolCall { .. }));
        assert_eq!(session.tool_call(&"t".into()).is_some(), is_tool_call);
        let mut replay = Replay::new("s", Arc::default());
        let mut updates = Vec::new();
        let event = replay
            .session()
            .next(Timestamp(0), EventBody::permission_asked(PermissionId(1), question));
        replay.apply(&event, &mut updates);
        assert_eq!(updates.len(), usize::from(is_tool_call));
    }
}

/// Version 1 can only ask about a tool call, so each question becomes one.
#[test]
fn version_1_asks_every_question_of_version_2() {
    let asked: Vec<_> = v2_requests()
        .into_iter()
        .map(|request| {
            let request = PermissionQuestion::from(request).to_v1("s", PermissionId(7));
            assert_eq!(request.options.len(), 1);
            encode(&request.tool_call)
        })
        .collect();
    let described = r#""content":[{"type":"content","content":{"type":"text","text":"Careful."}}]"#;
    assert_eq!(
        asked,
        [
            r#"{"toolCallId":"permission-7","title":"Run?"}"#.to_owned(),
            format!(r#"{{"toolCallId":"permission-7","title":"Run?",{described}}}"#),
            r#"{"toolCallId":"t","status":"in_progress","title":"Edit","content":[],"_meta":{"a":1}}"#
                .to_owned(),
            r#"{"toolCallId":"t","status":"in_progress","title":"Edit","content":[],"_meta":{"a":1}}"#
                .to_owned(),
            r#"{"toolCallId":"t","title":"Run?"}"#.to_owned(),
            r#"{"toolCallId":"t","title":"Run?"}"#.to_owned(),
            r#"{"toolCallId":"t","kind":"execute","title":"Run?","rawInput":{"command":"ls","cwd":"/w"}}"#.to_owned(),
            format!(r#"{{"toolCallId":"t","kind":"execute","title":"Run?",{described},"rawInput":{{"command":"ls","cwd":"/w"}}}}"#),
            r#"{"toolCallId":"permission-7","kind":"execute","title":"Run?","rawInput":{"command":"ls","cwd":"/w"}}"#.to_owned(),
            format!(r#"{{"toolCallId":"permission-7","kind":"execute","title":"Run?",{described},"rawInput":{{"command":"ls","cwd":"/w"}}}}"#),
            r#"{"toolCallId":"permission-7","title":"Run?","rawInput":{"type":"flight","to":"Paris","seats":[1e400]}}"#.to_owned(),
            format!(r#"{{"toolCallId":"permission-7","title":"Run?",{described},"rawInput":{{"type":"flight","to":"Paris","seats":[1e400]}}}}"#),
        ]
    );
}

#[test]
fn answers_are_the_same_in_both_versions() {
    for text in [
        r#"{"outcome":"cancelled"}"#,
        r#"{"outcome":"selected","optionId":"y","_meta":{"a":1}}"#,
        r#"{"outcome":"postponed","until":"noon"}"#,
    ] {
        let outcome: v2::RequestPermissionOutcome = decode(text).unwrap();
        let through =
            v2::RequestPermissionOutcome::from(v1::RequestPermissionOutcome::from(outcome.clone()));
        assert_eq!(through, outcome);
    }
}
