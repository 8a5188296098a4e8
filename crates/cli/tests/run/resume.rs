//! `--resume` and `--session`: continuing sessions.

use crate::project::{Ended, Project};
use crate::script::Script;
use attache_protocol::method::Side;
use serde_json::Value;
use std::fs;

/// Runs the built-in agent, with sessions stored beside the project.
fn run(project: &Project, arguments: &[&str]) -> Ended {
    let store = project.path().join("sessions.db");
    project.attache(arguments).env("ATTACHE_STORE", store).output().unwrap().into()
}

fn session(ended: &Ended) -> Value {
    let lines = ended.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .into_iter()
        .find(|line| line["event"] == "session")
        .unwrap_or_else(|| panic!("{ended:#?}"))
}

#[test]
fn the_built_in_agent_continues_a_session() {
    let project = Project::new();
    let first = session(&run(&project, &["run", "--json", "summarize this project"]));
    let id = first["sessionId"].as_str().unwrap();
    assert_eq!(first["opened"], "new");
    for named in ["last", id, &id[..8]] {
        let ended = run(&project, &["run", "--json", "--resume", named, "help"]);
        let again = session(&ended);
        assert_eq!(
            (&again["sessionId"], &again["opened"]),
            (&first["sessionId"], &"loaded".into()),
            "{ended:#?}"
        );
        assert!(
            !ended.stdout.contains("\"text\":\"summarize"),
            "the history is not repeated: {ended:#?}"
        );
    }
    let shown = run(&project, &["sessions", "show", "last"]).stdout;
    assert_eq!(shown.matches("help").count().min(3), 3, "{shown}");
    run(&project, &["run", "--resume", "nonsense", "help"])
        .failed(2, &["session nonsense does not exist"]);
    run(&project, &["run", "--resume", id, "--cwd", "/", "help"])
        .failed(2, &["belongs to the folder", "--cwd"]);
    run(&project, &["run", "--resume", id, "--session", "x", "help"])
        .failed(2, &["cannot be used with"]);
}

#[test]
fn a_named_session_is_created_once() {
    let project = Project::new();
    let first = session(&run(&project, &["run", "--json", "--session", "review", "help"]));
    let again = session(&run(
        &project,
        &["run", "--json", "--session", "review", "summarize this project"],
    ));
    assert_eq!((&first["opened"], &again["opened"]), (&"new".into(), &"loaded".into()));
    assert_eq!((&first["sessionId"], &again["title"]), (&again["sessionId"], &"review".into()));
    let other = session(&run(&project, &["run", "--json", "--session", "Review", "help"]));
    assert_ne!(other["sessionId"], first["sessionId"]);
    // A session can also be named by its tag.
    let id = other["sessionId"].as_str().unwrap();
    assert_eq!(run(&project, &["sessions", "tag", id, "+bugs"]).code, Some(0));
    let tagged = session(&run(&project, &["run", "--json", "--session", "bugs", "help"]));
    assert_eq!(tagged["sessionId"], other["sessionId"]);
    // A name finds only sessions of the same folder.
    fs::create_dir(project.path().join("elsewhere")).unwrap();
    let elsewhere = session(&run(
        &project,
        &["run", "--json", "--cwd", "elsewhere", "--session", "review", "help"],
    ));
    assert_eq!(elsewhere["opened"], "new");
}

#[test]
fn a_session_that_is_open_elsewhere_ends_with_9() {
    let project = Project::new();
    let first = session(&run(&project, &["run", "--json", "help"]));
    let store = attache_store::Sqlite::open(project.path().join("sessions.db")).unwrap();
    let key = attache_session::SessionKey {
        side: Side::Agent,
        agent: "attache".to_owned(),
        session_id: first["sessionId"].as_str().unwrap().into(),
    };
    let open = attache_session::Store::open(&store, &key).unwrap();
    run(&project, &["run", "--resume", "last", "help"]).failed(9, &["open elsewhere"]);
    drop(open);
}

const LISTING: &str = r#"*'"session/list"'*) reply '{"sessions":[
{"sessionId":"aa-1","cwd":"/","title":"old","updatedAt":"2026-01-01T00:00:00Z"},
{"sessionId":"aa-2","cwd":"CWD","title":"review","updatedAt":"2026-03-01T00:00:00Z"},
{"sessionId":"bb","cwd":"/","title":"third","updatedAt":"2026-02-01T00:00:00+00:00"}]}' ;;
*'"session/load"'*|*'"session/resume"'*) printf '%s\n' "$line" >opened; reply '{}' ;;"#;

/// Runs a foreign agent with these capabilities. Returns the request that opened the session, if
/// any.
fn with_agent(capabilities: &str, arguments: &[&str]) -> (Ended, Option<Value>) {
    let project = Project::new();
    let initialize =
        format!(r#"reply '{{"protocolVersion":1,"agentCapabilities":{capabilities}}}'"#);
    let other = LISTING
        .replace("},\n", "},")
        .replace("[\n", "[")
        .replace("CWD", &project.path().to_string_lossy());
    let agent =
        Script { initialize: &initialize, other: &other, ..Script::default() }.install(&project);
    let ended = project.run(&[&["run", "--agent", &agent, "hello"], arguments].concat());
    let opened = fs::read_to_string(project.path().join("opened")).ok();
    (ended, opened.map(|line| serde_json::from_str(&line).unwrap()))
}

/// SESS-12, SESS-18, LIST-01.
#[test]
fn a_foreign_agent_loads_if_it_can_and_otherwise_resumes() {
    let both = r#"{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{}}}"#;
    let only_resume = r#"{"sessionCapabilities":{"list":{},"resume":{}}}"#;
    for (capabilities, named, method, id) in [
        (both, "last", "session/load", "aa-2"),
        (both, "b", "session/load", "bb"),
        (only_resume, "aa-1", "session/resume", "aa-1"),
        // If the agent does not list its sessions, the id is used as given.
        (r#"{"loadSession":true}"#, "any", "session/load", "any"),
    ] {
        let (ended, opened) = with_agent(capabilities, &["--resume", named]);
        let opened = opened.unwrap_or_else(|| panic!("{ended:#?}"));
        assert_eq!(
            (&opened["method"], &opened["params"]["sessionId"]),
            (&method.into(), &id.into()),
            "{ended:#?}"
        );
    }
    let (ended, opened) = with_agent(both, &["--session", "review"]);
    assert_eq!(opened.unwrap_or_else(|| panic!("{ended:#?}"))["params"]["sessionId"], "aa-2");
}

#[test]
fn a_session_that_cannot_be_continued_ends_with_2() {
    let list = r#"{"loadSession":true,"sessionCapabilities":{"list":{}}}"#;
    with_agent(list, &["--resume", "aa"])
        .0
        .failed(2, &["2 session ids begin with aa", "aa-1", "review"]);
    with_agent(list, &["--resume", "zz"]).0.failed(2, &["has no session zz", "bb"]);
    with_agent("{}", &["--resume", "any"]).0.failed(2, &["neither load nor resume"]);
    with_agent(r#"{"loadSession":true}"#, &["--resume", "last"])
        .0
        .failed(2, &["cannot list sessions", "full id"]);
}

#[test]
fn a_session_that_cannot_be_named_is_reported_with_its_id() {
    let (ended, opened) = with_agent(
        r#"{"loadSession":true,"sessionCapabilities":{"list":{}}}"#,
        &["--session", "other"],
    );
    assert!(opened.is_none(), "{opened:?}");
    ended.failed(0, &["could not be named other", "--resume s"]);
}
