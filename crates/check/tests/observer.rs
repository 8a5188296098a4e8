//! Tests the observer on faulty and correct conversations. Each rule has one short conversation
//! that breaks only that rule, and a similar one that keeps the rule.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "kept/list.rs"]
mod list;

use attache_check::{Finding, Observer, trace};
use attache_protocol::method::Side;
use std::collections::BTreeSet;

/// One section of the file: the rule and its companions, and the lines of both conversations.
struct Case {
    rule: String,
    companions: BTreeSet<String>,
    breaks: Vec<&'static str>,
    keeps: Vec<&'static str>,
}

/// The conversations by topic. `before.md` contains the lines that precede each conversation.
const CASES: &[&str] = &[
    include_str!("observer/before.md"),
    include_str!("observer/rpc.md"),
    include_str!("observer/extension_and_decoding.md"),
    include_str!("observer/initialize.md"),
    include_str!("observer/session.md"),
    include_str!("observer/turn.md"),
    include_str!("observer/tool_call.md"),
    include_str!("observer/config_option.md"),
    include_str!("observer/update.md"),
    include_str!("observer/service.md"),
    include_str!("observer/unstable.md"),
    include_str!("observer/version_2.md"),
    include_str!("observer/version_2/handshake.md"),
    include_str!("observer/version_2/session.md"),
    include_str!("observer/version_2/state.md"),
    include_str!("observer/version_2/background.md"),
    include_str!("observer/version_2/entity.md"),
    include_str!("observer/version_2/config_option.md"),
    include_str!("observer/version_2/permission.md"),
    include_str!("observer/version_2/limit.md"),
];

fn cases() -> Vec<Case> {
    let sections = CASES.iter().flat_map(|file| file.split("\n## ").skip(1));
    let case = |section: &'static str| {
        let heading = section.lines().next().unwrap();
        let mut rules = heading.split(" with ").map(str::to_owned);
        let block = |name: &str| {
            let block = section
                .split_once(&format!("```{name}\n"))
                .and_then(|(_, rest)| rest.split_once("```"));
            block.map_or_else(Vec::new, |(block, _)| block.lines().collect())
        };
        let rule = rules.next().unwrap();
        Case { rule, companions: rules.collect(), breaks: block("breaks"), keeps: block("keeps") }
    };
    sections.map(case).collect()
}

/// Returns the findings in these lines.
fn findings(lines: &[&str]) -> Vec<Finding> {
    let (mut observer, mut found) = (Observer::default(), Vec::new());
    for (number, line) in (1..).zip(lines) {
        let (from, text) = line.split_at(1);
        let from = if from == ">" { Side::Client } else { Side::Agent };
        found.extend(observer.line(number, from, text.as_bytes()));
    }
    found.extend(observer.end());
    found
}

/// Returns the rules that `lines` break, with the lines at fault.
fn broken(lines: &[&str]) -> Vec<(String, usize)> {
    findings(lines).iter().map(|finding| (finding.rule.id.to_owned(), finding.line)).collect()
}

/// Returns a conversation with the lines before and after it.
fn whole(cases: &[Case], lines: &[&'static str]) -> Vec<&'static str> {
    if lines.iter().any(|line| line.contains("\"initialize\"")) {
        return lines.to_vec();
    }
    let (before, lines) = match lines {
        ["bare", rest @ ..] => ("Bare", rest),
        ["v2", rest @ ..] => ("Open in version 2", rest),
        all => ("Open", all),
    };
    let mut all = cases.iter().find(|case| case.rule == before).unwrap().keeps.clone();
    all.extend(lines);
    let is_answered = all.iter().any(|line| line.starts_with(r#"<{"jsonrpc":"2.0","id":2,"#));
    if before == "Open" && !is_answered {
        all.push(END);
    }
    all
}

const END: &str = r#"<{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#;

#[test]
fn each_rule_is_broken_by_one_conversation_and_kept_by_another() {
    let (cases, mut wrong, mut rules) = (cases(), Vec::new(), BTreeSet::new());
    for case in cases.iter().filter(|case| case.rule.contains('-')) {
        let found = broken(&whole(&cases, &case.breaks)).into_iter().map(|(rule, _)| rule);
        let mut found: BTreeSet<_> = found.collect();
        if !found.remove(&case.rule) || !found.is_subset(&case.companions) {
            wrong.push(format!("{} is broken, but the findings are {found:?}", case.rule));
        }
        let found = broken(&whole(&cases, &case.keeps));
        if !found.is_empty() {
            wrong.push(format!("{} is kept, but the findings are {found:?}", case.rule));
        }
        rules.insert(&case.rule);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(rules.len() >= 238, "{} rules", rules.len());
}

#[test]
fn a_finding_names_its_line_and_the_earlier_line() {
    let mut lines = whole(&cases(), &[]);
    lines.pop();
    lines.push(r#"<{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","status":"completed"}}}"#);
    lines.push(r#"<{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"pending"}}}"#);
    lines.push(END);
    let findings = findings(&lines);
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((finding.rule.id, finding.line, finding.earlier), ("TOOL-08", 7, Some(6)));
}

/// Of the rules without a finding, only those that some line could have broken count as tested.
/// Each side is judged by its own lines.
#[test]
fn a_rule_is_tested_if_a_line_of_the_side_could_break_it() {
    let mut observer = Observer::default();
    observer.line(
        1,
        Side::Client,
        br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#,
    );
    let tested = observer.tested(Side::Client);
    assert!(
        ["RPC-01", "RPC-04", "RPC-12", "INIT-03"].iter().all(|rule| tested.contains(rule)),
        "{tested:?}"
    );
    assert!(!tested.contains("LIST-07") && observer.tested(Side::Agent).is_empty(), "{tested:?}");
    assert_eq!(observer.end(), [], "a recording may end at any line");
}

/// Returns every conversation that keeps the rules, with the lines before and after it.
fn kept() -> Vec<(String, Vec<&'static str>)> {
    let cases = cases();
    let of_rules = cases.iter().filter(|case| case.rule.contains('-'));
    of_rules.map(|case| (case.rule.clone(), whole(&cases, &case.keeps))).collect()
}

/// RPC-15: a recording may end in the middle of a turn, because the process ended or the recorder
/// was stopped.
#[test]
fn a_recording_may_end_at_any_line() {
    for (rule, lines) in kept() {
        for end in 0..lines.len() {
            assert_eq!(broken(&lines[..end]), [], "{rule}, its first {end} lines");
        }
    }
}

/// A reply is missing. It causes one finding, and must cause no others.
#[test]
fn a_missing_reply_causes_one_finding() {
    let is_reply = |line: &str| !line.contains("\"method\":") && line.contains("\"id\":");
    let mut wrong = Vec::new();
    for (rule, mut lines) in kept() {
        // Further turns follow if the session is still open, because a missing reply could cause
        // findings in them.
        let has = |part: &str| lines.iter().any(|line| line.contains(part));
        let is_open = has(r#""result":{"sessionId":"s""#) && !has("session/close");
        let is_version_2 = has(r#""result":{"protocolVersion":2"#);
        // A reused id belongs to two calls, so it is unknown which of them has no reply.
        if ["RPC-13", "CANCEL-19"].contains(&rule.as_str()) {
            continue;
        }
        for id in ["90", "91"].into_iter().filter(|_| is_open) {
            match is_version_2 {
                true => lines.extend(another_turn_in_version_2(id)),
                false => lines.extend(another_turn(id)),
            }
        }
        for missing in (0..lines.len()).filter(|number| is_reply(lines[*number])) {
            let mut rest = lines.clone();
            let line = rest.remove(missing);
            let found = broken(&rest);
            if found.len() > 1 || found.iter().any(|(found, _)| found != "RPC-15") {
                wrong.push(format!("{rule} without {line}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns the lines of another turn of the open session.
fn another_turn(id: &str) -> [&'static str; 2] {
    let reply = format!(r#"<{{"jsonrpc":"2.0","id":{id},"result":{{"stopReason":"end_turn"}}}}"#);
    [another_prompt(id), reply.leak()]
}

/// Returns the lines of another turn of the open session of version 2.
fn another_turn_in_version_2(id: &str) -> [&'static str; 5] {
    let update = |update: &str| {
        format!(
            r#"<{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}}}}"#
        )
    };
    let reply = format!(r#"<{{"jsonrpc":"2.0","id":{id},"result":{{"messageId":"u{id}"}}}}"#);
    [
        another_prompt(id),
        update(&format!(r#"{{"sessionUpdate":"user_message","messageId":"u{id}"}}"#)).leak(),
        reply.leak(),
        update(r#"{"sessionUpdate":"state_update","state":"running","background":[]}"#).leak(),
        update(r#"{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[]}"#).leak(),
    ]
}

fn another_prompt(id: &str) -> &'static str {
    let prompt = format!(
        r#">{{"jsonrpc":"2.0","id":{id},"method":"session/prompt","params":{{"sessionId":"s","prompt":[{{"type":"text","text":"more"}}]}}}}"#
    );
    prompt.leak()
}

/// A later version has other rules, so only its JSON-RPC messages are judged.
#[test]
fn only_the_envelopes_of_another_version_are_judged() {
    let lines = [
        r#">{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":3,"info":{"name":"c"}}}"#,
        r#"<{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":3,"info":{"name":"a"}}}"#,
        r#"<{"jsonrpc":"2.0","method":"session/zzz","params":{"cwd":"relative"}}"#,
        r#"<nothing"#,
    ];
    assert_eq!(broken(&lines), [("RPC-03".to_owned(), 4)]);
}

#[test]
fn the_error_for_a_malformed_recording_has_line_and_column() {
    let ours = r#"{"at":"2026-11-01T00:00:00Z","direction":"received","text":"Welcome"}"#;
    let recorded = trace(3, ours).unwrap().unwrap();
    assert_eq!(
        (recorded.from, recorded.text.as_str(), recorded.at.as_deref()),
        (Side::Agent, "Welcome", Some("2026-11-01T00:00:00Z"))
    );
    assert_eq!(trace(1, "  ").unwrap(), None);
    for (line, said) in [
        ("{\"from\":\"agent\",", "line 9, column 16: this is not a JSON object"),
        ("[1]", "line 9, column 1: this is not a JSON object"),
        ("{\"from\":\"moon\",\"message\":{}}", "neither \"client\" nor \"agent\""),
        ("{\"from\":\"agent\"}", "\"message\" or \"text\" is missing"),
    ] {
        let error = trace(9, line).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn the_list_of_faults_is_up_to_date() {
    let head = "# Faults in traffic that the judge detects\n\nEach item has the broken rule, the side at fault, and the other rules that the fault breaks. The faults are conversations in `tests/observer`.";
    let cases = cases();
    let line = |case: &Case| {
        let found = findings(&whole(&cases, &case.breaks));
        let by = found.iter().find(|finding| finding.rule.id == case.rule)?.by.as_str();
        let companions: Vec<&str> = case.companions.iter().map(String::as_str).collect();
        let with = if companions.is_empty() {
            String::new()
        } else {
            format!(" with {}", companions.join(", "))
        };
        Some(format!("{} by {by}{with}", case.rule))
    };
    let lines = cases.iter().filter(|case| case.rule.contains('-')).filter_map(line).collect();
    list::is_kept("traffic.md", head, lines);
}
