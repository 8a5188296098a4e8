//! Whole programs: `attache run` with the official agents.

use crate::peers::{ATTACHE, Agent, attache_run};
use crate::process::{Ended, run};
use crate::project::Project;
use serde_json::{Value, json};

fn foreign_agents() -> [Agent; 2] {
    [Agent::official_rust(), Agent::official_ts()]
}

async fn prompted(agent: &Agent, project: &Project, arguments: &[&str]) -> Ended {
    run(&attache_run(&agent.command, project, arguments)).await
}

fn said(ended: &Ended) -> String {
    ended.events().member("text", "text").iter().filter_map(|text| text.as_str()).collect()
}

#[tokio::test]
async fn every_update_of_an_agent_is_shown() {
    for agent in foreign_agents() {
        let project = Project::new();
        let prompt = "say hel; say lo; think hm; tool Look; plan; usage 100 32768; title A title";
        let ended = prompted(&agent, &project, &["--json", prompt]).await;
        let events = ended.events();
        assert_eq!(ended.code(), 0, "{}: {ended:?}", agent.name);
        assert_eq!(said(&ended), "hello", "{ended:?}");
        let thought: String =
            events.member("thought", "text").iter().filter_map(|text| text.as_str()).collect();
        assert_eq!(thought, "hm", "{ended:?}");
        let call = *events.of("tool_call").last().unwrap();
        assert_eq!(
            (&call["title"], &call["status"]),
            (&json!("Look"), &json!("completed")),
            "{ended:?}"
        );
        assert_eq!(events.of("plan")[0]["entries"].as_array().map(Vec::len), Some(3), "{ended:?}");
        let usage = events.of("usage")[0];
        assert_eq!(
            (&usage["used"], &usage["size"], &usage["costs"][0]["amount"]),
            (&json!(100), &json!(32768), &json!(0.25))
        );
        // Until the agent gives a title, the session has that of its first prompt. It is not shown
        // if both come together.
        let titles = events.member("title", "title");
        assert_eq!(titles.last(), Some(&&json!("A title")), "{ended:?}");
        assert_eq!(events.member("stop", "stopReason"), ["end_turn"], "{ended:?}");
    }
}

#[tokio::test]
async fn a_pipe_gets_the_answer_and_nothing_else() {
    for agent in foreign_agents() {
        let ended =
            prompted(&agent, &Project::new(), &["say hel; think hm; tool Look; say lo"]).await;
        assert_eq!(ended.code(), 0, "{}: {ended:?}", agent.name);
        assert_eq!(ended.stdout.split_whitespace().collect::<String>(), "hello", "{ended:?}");
        assert!(ended.stderr.contains("Look"), "{ended:?}");
    }
}

#[tokio::test]
async fn permission_requests_are_rejected_unless_a_flag_allows_them() {
    for agent in foreign_agents() {
        for (arguments, answer, decision) in [
            (&["--json", "ask"][..], "permission: reject_once", "rejected"),
            (&["--json", "--allow", "edit", "ask"], "permission: reject_once", "rejected"),
            (&["--json", "--allow", "other", "ask"], "permission: allow_once", "allowed"),
            (&["--json", "--yes", "ask"], "permission: allow_once", "allowed"),
        ] {
            let ended = prompted(&agent, &Project::new(), arguments).await;
            let code = if decision == "allowed" { 0 } else { 11 };
            assert_eq!(ended.code(), code, "{}: {ended:?}", agent.name);
            assert_eq!(said(&ended), answer, "{arguments:?}: {ended:?}");
            assert_eq!(ended.events().member("permission", "decision"), [decision], "{ended:?}");
        }
    }
}

#[tokio::test]
async fn files_are_served_inside_the_folder_only() {
    for agent in foreign_agents() {
        let project = Project::new();
        let prompt = "read notes.txt; read none.txt; read ../outside.txt; write new.txt some text; write ../outside.txt mine";
        let ended = prompted(&agent, &project, &["--json", "--allow", "edit", prompt]).await;
        assert_eq!(ended.code(), 0, "{}: {ended:?}", agent.name);
        let said = said(&ended);
        assert!(said.starts_with("read: 14read: error -32002read: error "), "{said}");
        assert!(said.contains("write: donewrite: error "), "{said}");
        assert_eq!(project.text("new.txt"), "some text");
        assert_eq!(std::fs::read_to_string(project.outside()).unwrap(), "not yours\n");
    }
}

#[tokio::test]
async fn modes_and_options_are_set_before_the_prompt() {
    for agent in foreign_agents() {
        let project = Project::new();
        let ended = prompted(
            &agent,
            &project,
            &["--json", "--mode", "code", "--set", "model=m2", "say hello"],
        )
        .await;
        assert_eq!(ended.code(), 0, "{}: {ended:?}", agent.name);
        let config = ended.events();
        let config = *config.of("config").last().unwrap();
        let current = |id: &str| {
            let options = config["options"].as_array().unwrap();
            options
                .iter()
                .find(|option| option["id"] == id)
                .map(|option| option["currentValue"].clone())
        };
        assert_eq!(
            (current("mode"), current("model")),
            (Some(json!("code")), Some(json!("m2"))),
            "{ended:?}"
        );
        for wrong in [["--mode", "bogus"], ["--set", "model=bogus"], ["--set", "bogus=1"]] {
            let ended =
                prompted(&agent, &project, &[&wrong[..], &["--json", "say hello"]].concat()).await;
            assert_eq!(ended.code(), 2, "{}: {ended:?}", agent.name);
            assert!(said(&ended).is_empty(), "{ended:?}");
        }
    }
}

#[tokio::test]
async fn each_end_has_its_exit_code() {
    for agent in foreign_agents() {
        for (arguments, code, words) in [
            (&["say begun; wait", "--timeout", "4"][..], 8, "4 s"),
            (&["error"], 4, "the prompt asked for an error"),
            (&["stderr out of paper; exit 7"], 4, "out of paper"),
            (&["say begun; exit 7"], 4, "7"),
        ] {
            let ended = prompted(&agent, &Project::new(), &[arguments, &["--json"]].concat()).await;
            assert_eq!(ended.code(), code, "{}, {arguments:?}: {ended:?}", agent.name);
            let error = ended
                .events()
                .of("error")
                .last()
                .map(|error| (*error).clone())
                .unwrap_or(Value::Null);
            assert_eq!(error["exitCode"], code, "{ended:?}");
            assert!(error["message"].as_str().unwrap().contains(words), "{words}: {ended:?}");
        }
    }
}

/// INIT-13, INIT-20: an agent that reports almost nothing about itself and opens no session is
/// reported as such.
#[tokio::test]
async fn the_official_example_agent_connects_and_opens_no_session() {
    let agent = Agent::official_example();
    let ended = prompted(&agent, &Project::new(), &["--json", "hello"]).await;
    assert_eq!(ended.code(), 4, "{ended:?}");
    assert_eq!(ended.events().of("agent").len(), 1, "the handshake is done: {ended:?}");
    assert!(ended.stderr.contains("session/new (-32601)"), "{ended:?}");
    let check = [ATTACHE, "agents", "check", &agent.command[0], "--json"].map(str::to_owned);
    let ended = run(&check).await;
    assert_eq!(ended.code(), 4, "{ended:?}");
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&told["protocolVersion"], &told["session"]["opened"]), (&json!(1), &json!(false)));
}
