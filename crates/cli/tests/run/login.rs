//! `attache login` and `attache logout`.

use crate::project::Project;
use crate::script::Script;
use crate::terminal::Terminal;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Shell code that opens sessions once the file `in` exists.
const NEW: &str = r#"if [ -e in ]; then reply '{"sessionId":"s"}'; else refuse '{"code":-32000,"message":"Who are you?"}'; fi"#;

/// Returns shell code that offers these login methods and stores the client's `initialize` request.
fn initialize(methods: &str) -> String {
    format!(
        r#"printf '%s\n' "$line" >>seen; reply '{{"protocolVersion":1,"agentCapabilities":{{"auth":{{"logout":{{}}}}}},"authMethods":[{methods}]}}'"#
    )
}

const OAUTH: &str = r#"{"id":"oauth","name":"Robot account"}"#;
const KEY: &str = r#"{"id":"key","name":"Key","type":"env_var","description":"Requires setting `ROBOT_NO_SUCH_KEY`"}"#;
const TERMINAL: &str =
    r#"{"id":"term","name":"By hand","type":"terminal","args":["log in"],"env":{"SET":"s3cret"}}"#;

/// Shell code that implements login and logout.
const CALLS: &str = r#"*'"authenticate"'*) touch in called; reply '{}' ;;
    *'"logout"'*) rm -f in; reply '{}' ;;"#;

/// A program that is an agent, but logs the user in interactively if it is started with `log in`.
fn robot(project: &Project, methods: &str, other: &str) -> String {
    let script = Script { initialize: &initialize(methods), new: NEW, other, ..Script::default() };
    let start = script.install(project);
    let by_hand = r#"printf 'name? '; read -r name; [ "$name" = no ] && exit 3; printf '%s %s' "$name" "$SET" >in; exit 0"#;
    let path = project.path().join("robot");
    fs::write(
        &path,
        format!("#!/bin/sh\nif [ \"$2\" = 'log in' ]; then {by_hand}; fi\nexec {start}\n"),
    )
    .unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    "./robot --acp".to_owned()
}

/// AUTH-01: a person who needs a login sees what to type.
#[test]
fn a_run_that_needs_a_login_shows_the_command() {
    let project = Project::new();
    let agent = robot(&project, &[OAUTH, KEY].join(","), CALLS);
    let ended = project.run(&["run", "--agent", &agent, "hello"]);
    ended.failed(5, &["needs a login first (Who are you?)", "attache login './robot --acp' oauth"]);
    ended.failed(5, &["Robot account", "set ROBOT_NO_SUCH_KEY first"]);
    project.run(&["agents", "check", &agent]).failed(5, &["attache login './robot --acp' oauth"]);
}

/// AUTH-02, AUTH-04: the agent's own login, checked by opening a session.
#[test]
fn a_login_of_the_agent_is_run_and_checked() {
    let project = Project::new();
    let agent = robot(&project, &[OAUTH, KEY].join(","), CALLS);
    project
        .run(&["login", &agent])
        .failed(2, &["several logins", "attache login './robot --acp' key"]);
    project.run(&["login", &agent, "none"]).failed(2, &["offers no login none", "oauth"]);
    assert!(!project.path().join("called").exists());
    project.run(&["login", &agent, "oauth"]).failed(0, &["is logged in: it opened a session"]);
    project.run(&["login", &agent]).failed(0, &["needs no login"]);
    assert_eq!(project.run(&["run", "--agent", &agent, "hello"]).code, Some(0));
}

#[test]
fn a_login_without_effect_is_reported() {
    let project = Project::new();
    let agent = robot(&project, OAUTH, r#"*'"authenticate"'*) reply '{}' ;;"#);
    project.run(&["login", &agent]).failed(5, &["still needs a login (Who are you?)"]);
    let refusing = r#"*'"authenticate"'*) refuse '{"code":-32603,"message":"no licence"}' ;;"#;
    let agent = robot(&project, KEY, refusing);
    project
        .run(&["login", &agent])
        .failed(5, &["the login failed", "no licence", "set ROBOT_NO_SUCH_KEY first"]);
    let agent = robot(&project, "", "");
    project.run(&["login", &agent]).failed(2, &["offers no login to its clients"]);
}

/// AUTH-05 to AUTH-08: the same program runs in the person's terminal with the arguments and
/// variables of the login method; then a new process starts, without `authenticate`.
#[test]
fn a_login_in_a_terminal_runs_there() {
    let project = Project::new();
    let agent = robot(&project, TERMINAL, CALLS);
    let piped = project.run(&["login", &agent]);
    piped.failed(2, &["needs a terminal", "./robot --acp 'log in'"]);
    assert!(!piped.stderr.contains("s3cret"));
    let seen = || fs::read_to_string(project.path().join("seen")).unwrap();
    assert!(
        !seen().contains(r#""auth":{"terminal":true}"#),
        "no terminal login is offered without a terminal"
    );

    let mut terminal = Terminal::start(&project, &["login", &agent], &[]);
    terminal.wait_for("name? ");
    terminal.press("no\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(5), "{shown}");
    assert!(shown.contains("the login failed") && shown.contains("exit status: 3"), "{shown}");

    let before = seen().lines().count();
    let mut terminal = Terminal::start(&project, &["login", &agent, "term"], &[]);
    terminal.wait_for("name? ");
    terminal.press("robin\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("is logged in") && !shown.contains("s3cret"), "{shown}");
    assert_eq!(fs::read_to_string(project.path().join("in")).unwrap(), "robin s3cret");
    assert_eq!(
        seen().lines().count(),
        before + 2,
        "the agent is started before and after the login"
    );
    assert!(
        seen().contains(r#""auth":{"terminal":true}"#)
            && seen().contains(r#""terminal-auth":true"#)
    );
    assert!(!project.path().join("called").exists(), "AUTH-06");
}

/// AUTH-10, AUTH-11.
#[test]
fn logout_is_called_only_if_it_is_offered() {
    let project = Project::new();
    let agent = robot(&project, OAUTH, CALLS);
    project.run(&["login", &agent]).failed(0, &["is logged in"]);
    project.run(&["logout", &agent]).failed(0, &["is logged out"]);
    assert!(!project.path().join("in").exists());
    let free = Script { other: CALLS, ..Script::default() }.install(&project);
    fs::write(project.path().join("in"), "").unwrap();
    project.run(&["logout", &free]).failed(2, &["offers no logout"]);
    assert!(project.path().join("in").exists());
}
