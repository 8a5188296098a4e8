//! Rules about requests: which ones they match, and how they are written.

use crate::permission::request::PermissionRequest;
use attache_policy::{Effect, Rule, RuleScope, Subject};
use attache_session::{PermissionId, ToolCallPatch};
use serde_json::Value;
use std::path::Path;

fn request(tool_call: &str) -> PermissionRequest {
    let asked = ToolCallPatch::decode(tool_call).unwrap();
    PermissionRequest::new(PermissionId(1), "s".into(), asked, Vec::new())
}

fn rule(line: &str) -> Rule {
    Rule::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn is_about(rule: &Rule, tool_call: &str, cwd: &str) -> bool {
    request(tool_call).asked_call("probe", Path::new(cwd)).is_about(rule)
}

/// The narrowest rule about a call in a session in this folder.
fn about_in(tool_call: &str, effect: Effect, cwd: &str) -> Option<Rule> {
    let request = request(tool_call);
    request.asked_call("probe", Path::new(cwd)).narrowest_rule(effect, RuleScope::Always)
}

/// A part of a rule about calls.
fn call_of(rule: &Rule) -> &attache_policy::CallPattern {
    let Subject::Call(call) = &rule.subject else { panic!("{rule:?}") };
    call
}

fn matches(line: &str, tool_call: &str) -> bool {
    is_about(&rule(line), tool_call, "/home/app/src")
}

fn command(line: &str) -> String {
    format!(
        r#"{{"toolCallId":"t","kind":"execute","rawInput":{{"command":{}}}}}"#,
        Value::from(line)
    )
}

#[test]
fn a_command_rule_covers_more_words_but_no_shell_syntax() {
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
fn a_command_is_denied_anywhere_in_the_line() {
    let reject = r#"reject command="rm""#;
    for line in ["rm x", "cd a; rm x", "a && rm", "echo $(rm x)", "x | rm"] {
        assert!(matches(reject, &command(line)), "{line}");
    }
    assert!(!matches(reject, &command("rmdir x")));
}

#[test]
fn a_path_rule_covers_calls_whose_files_are_all_below_it() {
    let call = |paths: &[&str]| {
        let locations: Vec<Value> =
            paths.iter().map(|path| serde_json::json!({ "path": path })).collect();
        serde_json::json!({ "toolCallId": "t", "kind": "edit", "locations": locations }).to_string()
    };
    let allow = r#"allow kind="edit" path="/home/app""#;
    for paths in
        [&["/home/app/a", "/home/app"][..], &["a", "./b"], &["../c"], &["/home/x/../app/a"]]
    {
        assert!(matches(allow, &call(paths)), "{paths:?}");
    }
    for paths in [
        &["/home/app/a", "/etc/passwd"][..],
        &["/home/app/../x"],
        &["/home/apple"],
        &["../../x"],
        &["~/x"],
        &[],
    ] {
        assert!(!matches(allow, &call(paths)), "{paths:?}");
    }
    let reject = r#"reject path="/etc""#;
    assert!(matches(reject, &call(&["/home/app/a", "/etc/passwd"])));
    assert!(!matches(allow, &call(&["/home/app/a"]).replace("edit", "delete")));
    let diff = r#"{"toolCallId":"t","kind":"edit","content":[{"type":"diff","path":"/etc/x","newText":""}]}"#;
    assert!(matches(reject, diff), "a diff names its file too");
}

#[test]
fn a_path_rule_follows_links_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["inside", "outside"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    std::os::unix::fs::symlink(at("outside"), at("inside/link")).unwrap();
    std::os::unix::fs::symlink(at("outside/new"), at("inside/dangling")).unwrap();
    std::os::unix::fs::symlink(at("inside"), at("other")).unwrap();
    let decided = |effect: &str, rule: &str, path: &str| {
        let line = format!("{effect} kind=\"edit\" path={:?}", at(rule));
        let call = serde_json::json!({"toolCallId": "t", "kind": "edit", "rawInput": {"file_path": at(path)}});
        matches(&line, &call.to_string())
    };
    assert!(decided("allow", "inside", "inside/new/a") && decided("allow", "other", "inside/a"));
    assert!(decided("allow", "inside", "other/a"), "the folder by another name");
    for path in ["inside/link/a", "inside/dangling", "inside/link/../a", "outside/a"] {
        assert!(!decided("allow", "inside", path), "{path}");
    }
    for path in ["outside/a", "inside/link/a", "inside/../outside/a", "other/link/a"] {
        assert!(decided("reject", "outside", path), "{path}");
    }
    assert!(!decided("reject", "outside", "inside/a"));
}

#[test]
fn a_path_is_denied_wherever_a_command_names_it() {
    let reject = r#"reject path="/home/app/private""#;
    for line in [
        "cat /home/app/private/key",
        "cat ../private/key",
        "cat '../private/key'",
        "cd ..; cat /home/app/private",
        "wc < /home/app/private/key",
        "sh -c 'cat /home/app/private/key'",
        "cat /home/app/pri*/key",
        "cat /home/app/private/*",
        "dd if=/home/app/private/key",
    ] {
        assert!(matches(reject, &command(line)), "{line}");
    }
    for line in ["cat /home/app/public", "cat /home/app/*.rs", "ls"] {
        assert!(!matches(reject, &command(line)), "{line}");
    }
    let allow = r#"allow path="/home/app""#;
    let call = r#"{"toolCallId":"t","locations":[{"path":"/home/app"}],"rawInput":{"command":"rm -rf /"}}"#;
    assert!(!matches(allow, call), "a rule for files does not cover a command");
}

/// An agent chooses the shape of its input.
#[test]
fn a_command_is_found_in_every_shape_of_input() {
    let (allow, reject) = (r#"allow command="git status""#, r#"reject command="rm""#);
    let call = |input: Value| {
        serde_json::json!({"toolCallId": "t", "title": "mock", "kind": "execute", "rawInput": input})
            .to_string()
    };
    let shapes = |line: &str| {
        [
            serde_json::json!({"command": line}),
            serde_json::json!({"cmd": line}),
            serde_json::json!({"command": ["bash", "-lc", line], "cwd": "/home/app/src/a"}),
            serde_json::json!({"command": line, "commands": [line]}),
            serde_json::json!({"arguments": {"command": line}}),
            serde_json::json!({"command": line, "env": {"TERM": "dumb"}}),
        ]
    };
    for input in shapes("git status -s") {
        assert!(
            matches(allow, &call(input.clone())) && !matches(reject, &call(input.clone())),
            "{input}"
        );
    }
    for input in shapes("FOO=1 \"rm\" x") {
        assert!(
            !matches(allow, &call(input.clone())) && matches(reject, &call(input.clone())),
            "{input}"
        );
    }
    for input in [
        serde_json::json!({"command": "git status", "cmd": "rm x"}),
        serde_json::json!({"commands": ["git status", "rm x"]}),
        serde_json::json!([{"command": "git status"}, {"command": "rm x"}]),
    ] {
        assert!(
            !matches(allow, &call(input.clone())) && matches(reject, &call(input.clone())),
            "{input}"
        );
    }
    for input in [
        serde_json::json!({"command": "git status", "env": {"PATH": "/evil"}}),
        serde_json::json!({"command": "git status", "env": ["LD_PRELOAD=/evil"]}),
        serde_json::json!({"command": "git status", "cwd": "/elsewhere"}),
        serde_json::json!({"command": "git status", "cwd": "/home/app/src/../.."}),
    ] {
        assert!(!matches(allow, &call(input.clone())), "{input}");
    }
    let large = r#"{"toolCallId":"t","kind":"other","rawInput":{"command":"rm x","n":1e999}}"#;
    assert!(matches(reject, large), "an input that cannot be represented cannot hide a command");
    for titled in [
        r#"{"toolCallId":"t","title":"rm x","kind":"execute"}"#,
        r#"{"toolCallId":"t","title":"Running: rm x","kind":"execute","rawInput":{}}"#,
        r#"{"toolCallId":"t","title":"Bash","kind":"execute","content":[{"type":"content","content":{"type":"text","text":"Running: rm x"}}]}"#,
    ] {
        assert!(matches(reject, titled), "{titled}");
    }
    let titled = r#"{"toolCallId":"t","title":"git status","kind":"execute"}"#;
    assert!(!matches(allow, titled), "a title is not certainly the command");
}

/// Rule files of old versions contain a list's words in quotes.
#[test]
fn a_rule_of_an_old_build_keeps_its_meaning() {
    let listed = r#"{"toolCallId":"t","kind":"execute","rawInput":{"command":["bash","-lc","cd a && make"]}}"#;
    assert!(matches(r#"allow command="bash -lc 'cd a && make'""#, listed));
    assert!(matches(r#"allow command="cd a && make""#, listed));
    assert!(
        !matches(r#"allow command="bash -lc 'cd a'""#, listed)
            && !matches(r#"allow command="bash""#, listed)
    );
    assert!(
        matches(r#"reject command="bash""#, listed) && matches(r#"reject command="make""#, listed)
    );
}

#[test]
fn a_command_that_an_agent_names_only_in_words_can_be_remembered() {
    let call = |title: &str, text: &str| {
        let content =
            serde_json::json!([{"type": "content", "content": {"type": "text", "text": text}}]);
        serde_json::json!({"toolCallId": "t", "title": title, "kind": "execute", "content": content})
            .to_string()
    };
    let asked = call("Bash", "Requesting approval to Running: make");
    let about = |call: &str, effect| about_in(call, effect, "");
    let rule = about(&asked, Effect::Allow).unwrap();
    let line = r#"allow kind="execute" title="Bash" text="Requesting approval to Running: make""#;
    assert_eq!((rule.to_line().as_str(), Rule::from_line(line).as_ref()), (line, Ok(&rule)));
    assert!(matches(line, &asked));
    for other in [
        call("Bash", "Requesting approval to Running: rm x"),
        call("Bash", ""),
        call("bash", "Requesting approval to Running: make"),
        asked.replace("execute", "other"),
        asked.replace("\"kind\"", "\"rawInput\":{\"command\":\"rm x\"},\"kind\""),
    ] {
        assert!(!matches(line, &other), "{other}");
    }
    let label = r#"{"toolCallId":"t","title":"Bash","kind":"execute"}"#;
    assert_eq!(about(label, Effect::Allow), None, "a label would cover every command");
    assert!(about(label, Effect::Deny).is_some());
    let changed =
        r#"{"toolCallId":"t","kind":"execute","rawInput":{"command":"make","env":{"PATH":"/x"}}}"#;
    assert_eq!(about(changed, Effect::Allow), None);
    assert_eq!(call_of(&about(changed, Effect::Deny).unwrap()).command.as_deref(), Some("make"));
}

#[test]
fn a_rule_applies_only_to_its_agent_tool_and_scope() {
    let call = r#"{"toolCallId":"t","name":"mcp__github__list","kind":"fetch"}"#;
    assert!(
        matches(r#"allow tool="mcp__github__*""#, call)
            && matches(r#"allow tool="mcp__github__list""#, call)
    );
    assert!(
        !matches(r#"allow tool="mcp__github__""#, call)
            && !matches(r#"allow tool="mcp__gitlab__*""#, call)
    );
    assert!(matches(r#"allow agent="probe" kind="fetch""#, call));
    assert!(!matches(r#"allow agent="other" kind="fetch""#, call));
    assert!(matches(r#"allow project="/home/app" kind="fetch""#, call));
    assert!(!matches(r#"allow project="/home/ap" kind="fetch""#, call));
    assert!(
        !matches(r#"allow kind="fetch""#, r#"{"toolCallId":"t"}"#),
        "a call without a kind matches no kind"
    );
    let mut in_session = rule(r#"allow kind="fetch""#);
    for (session, expected) in [("s", true), ("other", false)] {
        in_session.scope = RuleScope::Session(session.into());
        assert_eq!(is_about(&in_session, call, "/"), expected);
    }
}

#[test]
fn the_narrowest_rule_covers_its_request_and_little_else() {
    let about = |call: &str| {
        let rule = about_in(call, Effect::Allow, "")?;
        assert!(is_about(&rule, call, "/a"));
        Some(rule.to_line())
    };
    assert_eq!(about(&command("ls -l")).as_deref(), Some(r#"allow command="ls -l""#));
    let edit = r#"{"toolCallId":"t","kind":"edit","locations":[{"path":"/a/b"}]}"#;
    assert_eq!(about(edit).as_deref(), Some(r#"allow kind="edit" path="/a/b""#));
    let both = edit.replace("\"kind\"", "\"name\":\"e\",\"rawInput\":{\"path\":\"b\"},\"kind\"");
    assert_eq!(about(&both).as_deref(), Some(r#"allow kind="edit" tool="e" path="/a/b""#));
    let relative = r#"{"toolCallId":"t","name":"e","kind":"edit","rawInput":{"path":"b"}}"#;
    assert_eq!(about(relative), None, "the request was not about all files of the tool");
    let known = about_in(relative, Effect::Allow, "/a");
    assert_eq!(call_of(&known.unwrap()).path.as_deref(), Some(Path::new("/a/b")));
    assert_eq!(about(r#"{"toolCallId":"t","name":"n"}"#).as_deref(), Some(r#"allow tool="n""#));
    assert_eq!(
        about(r#"{"toolCallId":"t","kind":"edit"}"#),
        None,
        "the request was not about all edits"
    );
}

#[test]
fn a_rule_reads_back_as_it_was_written() {
    for line in [
        r#"allow agent="a \"b\"" project="/p q" kind="edit" tool="t*" path="/x/ü" command="a\nb""#,
        r#"reject command="rm""#,
    ] {
        assert_eq!(rule(line).to_line(), line);
    }
}

#[test]
fn invalid_rules_are_refused() {
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
        assert!(Rule::from_line(line).is_err(), "{line}");
    }
}
