//! Exit codes and their messages.

use crate::project::{Ended, Project};
use crate::script::Script;

fn with_agent(agent: &str) -> Ended {
    Project::new().run(&["run", "--agent", agent, "hello"])
}

fn with_script(script: &Script<'_>) -> Ended {
    let project = Project::new();
    let agent = script.install(&project);
    project.run(&["run", "--agent", &agent, "hello"])
}

#[test]
fn a_completed_turn_ends_with_0() {
    let ended = Project::new().run(&["run", "summarize this project"]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert_eq!(with_script(&Script::default()).code, Some(0));
}

#[test]
fn invalid_arguments_end_with_2() {
    let project = Project::new();
    project
        .run(&["run", "--cwd", "nowhere", "help"])
        .failed(2, &["nowhere does not exist", "--cwd"]);
    project.run(&["run", "--cwd", "main.rs", "help"]).failed(2, &["main.rs is not a folder"]);
    project.run(&["run", "--agent", "'open quote", "help"]).failed(2, &["--agent"]);
    project.run(&["run"]).failed(2, &["the prompt is empty"]);
    project
        .run(&["run", "--mode", "nonsense", "help"])
        .failed(2, &["--mode", "nonsense", "use one of"]);
    project.run(&["run", "--set", "nonsense=1", "help"]).failed(2, &["--set", "nonsense"]);
    project.run(&["run", "--allow", "nonsense", "help"]).failed(2, &["use one of read, edit"]);
    project.run(&["fly"]).failed(2, &["needs a terminal", "attache run"]);
    project.run(&["agnets"]).failed(2, &["agnets", "agents"]);
}

#[test]
fn an_agent_that_does_not_exist_ends_with_3() {
    with_agent("no-such-agent-anywhere --acp")
        .failed(3, &["no-such-agent-anywhere", "attache agents"]);
    with_agent("./README.md").failed(3, &["README.md"]);
}

#[test]
fn an_agent_that_exits_at_once_is_quoted() {
    with_agent("sh -c 'echo no licence found >&2; exit 9'")
        .failed(3, &["exit code 9", "no licence found"]);
}

#[test]
fn other_output_of_an_agent_is_quoted() {
    let ended = with_agent("sh -c 'echo Welcome to Robot; echo press a key'");
    ended.failed(3, &["not an ACP message", "Welcome to Robot", "press a key"]);
}

#[test]
fn a_banner_before_acp_is_tolerated() {
    let script = Script {
        initialize: r#"echo Welcome; reply '{"protocolVersion":1}'"#,
        ..Script::default()
    };
    assert_eq!(with_script(&script).code, Some(0));
}

#[test]
fn an_agent_of_another_version_ends_with_3() {
    let script = Script { initialize: r#"reply '{"protocolVersion":77}'"#, ..Script::default() };
    with_script(&script).failed(3, &["version 77", "update"]);
}

#[test]
fn an_agent_that_answers_no_usable_version_ends_with_3() {
    for (answered, says) in [
        ("3", &["version 3 of ACP", "version 1", "update the older"][..]),
        ("0", &["version 0 of ACP", "version 1", "update the older"]),
        ("\"2\"", &["result.protocolVersion", "expected a whole number", "found a string"]),
        ("2.5", &["result.protocolVersion", "expected a whole number", "found 2.5"]),
    ] {
        let initialize = format!(r#"reply '{{"protocolVersion":{answered}}}'"#);
        with_script(&Script { initialize: &initialize, ..Script::default() }).failed(3, says);
    }
}

#[test]
fn an_agent_that_dies_in_a_turn_ends_with_4() {
    let script = Script { prompt: "echo out of cheese >&2; exit 7", ..Script::default() };
    with_script(&script).failed(4, &["exit code 7", "out of cheese"]);
}

#[test]
fn an_invalid_response_ends_with_4() {
    with_script(&Script { prompt: r#"reply '{"stopReason":"bored"}'"#, ..Script::default() })
        .failed(4, &["bored"]);
    with_script(&Script { prompt: "reply 5", ..Script::default() })
        .failed(4, &["expected an object, found a number"]);
    let error = r#"refuse '{"code":-32603,"message":"the model is down"}'"#;
    with_script(&Script { prompt: error, ..Script::default() }).failed(4, &["the model is down"]);
}

#[test]
fn a_required_login_ends_with_5_and_lists_the_methods() {
    let initialize =
        r#"reply '{"protocolVersion":1,"authMethods":[{"id":"oauth","name":"Robot account"}]}'"#;
    let refused = r#"refuse '{"code":-32000,"message":"Authentication required"}'"#;
    with_script(&Script { initialize, new: refused, ..Script::default() })
        .failed(5, &["login", "Robot account"]);
    with_script(&Script { prompt: refused, ..Script::default() }).failed(5, &["login"]);
}

#[test]
fn a_refusal_ends_with_6_and_a_limit_with_7() {
    with_script(&Script { prompt: r#"reply '{"stopReason":"refusal"}'"#, ..Script::default() })
        .failed(6, &["refused"]);
    for limit in ["max_tokens", "max_turn_requests"] {
        let prompt = format!(r#"reply '{{"stopReason":"{limit}"}}'"#);
        with_script(&Script { prompt: &prompt, ..Script::default() }).failed(7, &["limit"]);
    }
}

#[test]
fn the_help_lists_the_codes_and_has_examples() {
    let project = Project::empty();
    let help = project.run(&["run", "--help"]).stdout;
    for text in ["Exit codes:", "130  cancelled", "8    timeout", "Examples:", "--allow <KIND>"] {
        assert!(help.contains(text), "{help}");
    }
    for task in ["demo", "agent", "doctor", "sessions"] {
        assert!(project.run(&[task, "--help"]).stdout.contains("Example"), "{task}");
    }
    assert_eq!(project.run(&["--version"]).code, Some(0));
}

/// Wrong commands and broken agents: one sentence with the problem and the next step, and the exit
/// code. INIT-07, AUTH-01.
#[test]
fn every_broken_agent_is_reported_with_the_next_step() {
    let project = Project::new();
    std::fs::write(project.path().join("not-a-program"), "text").unwrap();
    let script = |text: &str| {
        let path = project.path().join("bad.sh");
        std::fs::write(&path, text).unwrap();
        "sh bad.sh".to_owned()
    };
    let with = |initialize: &str| {
        script(&format!("read -r line; printf '%s\\n' '{initialize}'; cat >/dev/null"))
    };
    for (agent, code, says) in [
        (
            "no-such-agent --acp".to_owned(),
            3,
            &["no-such-agent", "install it, or give its full path", "attache agents"][..],
        ),
        ("./nowhere".to_owned(), 3, &["./nowhere", "check the path"]),
        ("./not-a-program".to_owned(), 3, &["not-a-program cannot be executed", "chmod +x"]),
        (
            script("echo 'Usage: robot [OPTIONS]'"),
            3,
            &["ended before it answered", "--acp", "Usage: robot"],
        ),
    ] {
        project.run(&["run", "--agent", &agent, "hello"]).failed(code, says);
    }
    for (answer, says) in [
        (
            r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}}"#,
            &["only version 2", "--protocol 2"][..],
        ),
        (r#"{"jsonrpc":"2.0","id":0,"result":"nonsense"}"#, &["cannot be read", "report it"]),
        (
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no licence"}}"#,
            &["no licence", "update"],
        ),
    ] {
        project.run(&["run", "--agent", &with(answer), "hello"]).failed(3, says);
    }
    with_script(&Script { new: "reply 5", ..Script::default() })
        .failed(4, &["was not opened", "cannot be read"]);
}

#[test]
fn an_unusable_folder_is_reported() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let project = Project::new();
    symlink("loop", project.path().join("loop")).unwrap();
    project.run(&["run", "--cwd", "loop", "help"]).failed(2, &["loop cannot be used", "--cwd"]);
    let shut = project.path().join("shut");
    std::fs::create_dir(&shut).unwrap();
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o000)).unwrap();
    let ended = project.run(&["run", "--cwd", "shut", "help"]);
    // Root can read everything.
    match std::fs::read_dir(&shut) {
        Ok(_) => assert_eq!(ended.code, Some(0), "{ended:#?}"),
        Err(_) => ended.failed(2, &["shut cannot be used", "--cwd"]),
    }
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o755)).unwrap();
}
