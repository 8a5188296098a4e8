//! What rules are about, and how they are written.

use super::*;
use attache_protocol::decode;
use attache_session::PermissionId;

fn request(tool_call: &str) -> PermissionRequest {
    PermissionRequest {
        id: PermissionId(1),
        session_id: "s".into(),
        asked: decode(tool_call).unwrap(),
        tool_call: None,
        options: Vec::new(),
        command: None,
        file: None,
        protected: None,
        covered: false,
    }
}

fn rule(line: &str) -> PermissionRule {
    line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn matches(line: &str, tool_call: &str) -> bool {
    rule(line).matches(&request(tool_call), "probe", Path::new("/home/app/src"))
}

fn command(line: &str) -> String {
    format!(r#"{{"toolCallId":"t","kind":"execute","rawInput":{{"command":{}}}}}"#, Value::from(line))
}

#[test]
fn a_command_rule_covers_more_words_and_nothing_that_a_shell_adds() {
    let allow = r#"allow command="git status""#;
    for covered in ["git status", "git status -s", "git status\tx"] {
        assert!(matches(allow, &command(covered)), "{covered}");
    }
    for other in [
        "git statusx",
        "git",
        "git status; rm -rf /",
        "git status && rm x",
        "git status | sh",
        "git status $(rm x)",
        "git status `rm x`",
        "git status > /etc/passwd",
        "git status\nrm x",
        "git status \\\nx",
        "sudo git status",
    ] {
        assert!(!matches(allow, &command(other)), "{other}");
    }
    assert!(matches(r#"allow command="a | b""#, &command("a | b")), "exactly the words");
    assert!(matches(allow, r#"{"toolCallId":"t","rawInput":{"command":["git","status"]}}"#));
    assert!(!matches(allow, r#"{"toolCallId":"t","title":"git status"}"#), "a title is no command");
}

#[test]
fn a_command_is_rejected_wherever_it_stands_in_the_line() {
    let reject = r#"reject command="rm""#;
    for line in ["rm x", "cd a; rm x", "a && rm", "echo $(rm x)", "x | rm"] {
        assert!(matches(reject, &command(line)), "{line}");
    }
    assert!(!matches(reject, &command("rmdir x")));
}

#[test]
fn a_path_rule_covers_calls_whose_files_all_lie_there() {
    let call = |paths: &[&str]| {
        let locations: Vec<Value> = paths.iter().map(|path| serde_json::json!({ "path": path })).collect();
        serde_json::json!({ "toolCallId": "t", "kind": "edit", "locations": locations }).to_string()
    };
    let allow = r#"allow kind="edit" path="/home/app""#;
    assert!(matches(allow, &call(&["/home/app/a", "/home/app"])));
    for paths in [&["/home/app/a", "/etc/passwd"][..], &["/home/app/../x"], &["/home/apple"], &["a"], &[]] {
        assert!(!matches(allow, &call(paths)), "{paths:?}");
    }
    let reject = r#"reject path="/etc""#;
    assert!(matches(reject, &call(&["/home/app/a", "/etc/passwd"])));
    assert!(!matches(allow, &call(&["/home/app/a"]).replace("edit", "delete")));
    let diff = r#"{"toolCallId":"t","kind":"edit","content":[{"type":"diff","path":"/etc/x","newText":""}]}"#;
    assert!(matches(reject, diff), "a diff names its file too");
}

#[test]
fn agent_tool_and_scope_are_held_to() {
    let call = r#"{"toolCallId":"t","name":"mcp__github__list","kind":"fetch"}"#;
    assert!(
        matches(r#"allow tool="mcp__github__*""#, call) && matches(r#"allow tool="mcp__github__list""#, call)
    );
    assert!(
        !matches(r#"allow tool="mcp__github__""#, call) && !matches(r#"allow tool="mcp__gitlab__*""#, call)
    );
    assert!(matches(r#"allow agent="probe" kind="fetch""#, call));
    assert!(!matches(r#"allow agent="other" kind="fetch""#, call));
    assert!(matches(r#"allow project="/home/app" kind="fetch""#, call));
    assert!(!matches(r#"allow project="/home/ap" kind="fetch""#, call));
    assert!(
        !matches(r#"allow kind="fetch""#, r#"{"toolCallId":"t"}"#),
        "a call without a kind is of no kind"
    );
    let mut in_session = rule(r#"allow kind="fetch""#);
    for (session, expected) in [("s", true), ("other", false)] {
        in_session.scope = Scope::Session(session.into());
        assert_eq!(in_session.matches(&request(call), "probe", Path::new("/")), expected);
    }
}

#[test]
fn the_narrowest_rule_is_about_its_request_and_little_else() {
    let about = |call: &str| {
        let rule = PermissionRule::about(&request(call), Effect::Allow, Scope::Always)?;
        assert!(rule.matches(&request(call), "probe", Path::new("/")));
        Some(rule.to_string())
    };
    assert_eq!(about(&command("ls -l")).as_deref(), Some(r#"allow command="ls -l""#));
    let edit = r#"{"toolCallId":"t","kind":"edit","locations":[{"path":"/a/b"}]}"#;
    assert_eq!(about(edit).as_deref(), Some(r#"allow kind="edit" path="/a/b""#));
    assert_eq!(about(r#"{"toolCallId":"t","name":"n"}"#).as_deref(), Some(r#"allow tool="n""#));
    assert_eq!(about(r#"{"toolCallId":"t","kind":"edit"}"#), None, "all edits were never asked about");
}

#[test]
fn a_rule_reads_back_as_it_was_written() {
    for line in [
        r#"allow agent="a \"b\"" project="/p q" kind="edit" tool="t*" path="/x/ü" command="a\nb""#,
        r#"reject command="rm""#,
    ] {
        assert_eq!(rule(line).to_string(), line);
    }
}

#[test]
fn what_is_no_rule_is_refused() {
    for line in [
        "",
        "permit kind=\"edit\"",
        "allow",
        "allow agent=\"x\" project=\"/p\"",
        "allow kind=edit",
        "allow kind=\"write\"",
        "allow kind=\"edit\"kind=\"read\"",
        "allow kind=\"edit\" kind=\"read\"",
        "allow command=\"\"",
        "allow path=\"relative\"",
        "allow session=\"s\" kind=\"edit\"",
        "allow colour=\"red\"",
        "allow kind=\"edit",
    ] {
        assert!(line.parse::<PermissionRule>().is_err(), "{line}");
    }
}
