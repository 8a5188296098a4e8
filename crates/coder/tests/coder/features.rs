//! The offline model's verbs that exercise the features of a client.

use crate::client::{Client, Turn};
use crate::projects::project;
use crate::server::{Reply, Server};
use attache_coder::Coder;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

async fn client(capabilities: Value, folder: &std::path::Path) -> Client {
    Client::serve_author(Coder::new(), capabilities, json!({ "cwd": folder, "mcpServers": [] }))
        .await
}

async fn says(prompt: &str) -> Turn {
    let project = project(&[("a.txt", "one\n")]);
    let turn = client(json!({}), project.path()).await.prompt(prompt).await;
    assert_eq!(turn.stop_reason(), "end_turn", "{turn:?}");
    turn
}

/// PLAN-01: each update contains the whole list, advanced by one step.
#[tokio::test]
async fn plan_is_shown_and_completed() {
    let turn = says("plan read, write").await;
    let statuses: Vec<Vec<&str>> = turn
        .all("plan")
        .iter()
        .map(|plan| {
            plan["entries"]
                .as_array()
                .unwrap()
                .iter()
                .map(|entry| entry["status"].as_str().unwrap())
                .collect()
        })
        .collect();
    assert_eq!(
        statuses,
        [["in_progress", "pending"], ["completed", "in_progress"], ["completed", "completed"]]
    );
    assert_eq!(turn.text(), "A plan of 2 steps, all completed:\n\n- read\n- write\n");
}

#[tokio::test]
async fn thoughts_precede_the_answer_and_a_failing_tool_fails() {
    let turn = says("think about `the sea`").await;
    let thoughts: String = turn
        .all("agent_thought_chunk")
        .iter()
        .map(|chunk| chunk["content"]["text"].as_str().unwrap())
        .collect();
    assert!(
        thoughts.starts_with("First I think of what `the sea` is.\nThen")
            && thoughts.ends_with("and stop."),
        "{thoughts}"
    );
    let turn = says("fail").await;
    assert_eq!(turn.titles(), ["failed Read there is no such file"]);
    assert!(turn.text().starts_with("The tool failed, as requested: "), "{}", turn.text());
}

/// CANCEL-02: a long answer arrives in pieces and ends at once when it is cancelled.
#[tokio::test]
async fn long_answer_streams_and_can_be_cancelled() {
    assert_eq!(says("count to 3").await.text(), "1\n2\n3\n");
    let project = project(&[]);
    let mut client = client(json!({}), project.path()).await;
    let prompt = json!([{ "type": "text", "text": "count to 1000" }]);
    let id = client
        .start("session/prompt", json!({ "sessionId": client.session, "prompt": prompt }))
        .await;
    while client.receive().await["params"]["update"]["content"]["text"] != "2\n" {}
    let began = Instant::now();
    client.cancel().await;
    let turn = client.finish(id).await;
    assert_eq!(turn.stop_reason(), "cancelled");
    // A generous limit: counting to the end takes a minute and a half.
    assert!(began.elapsed() < Duration::from_secs(5) && !turn.text().contains("1000"));
}

/// ELIC-03, ELIC-14: the answer comes from a form or, without forms, from the next prompt.
#[tokio::test]
async fn question_is_answered_by_a_form_or_the_next_prompt() {
    let project = project(&[]);
    let mut with_forms = client(json!({ "elicitation": { "form": {} } }), project.path()).await;
    for (answer, said) in [
        (json!({ "action": "accept", "content": { "answer1": "red" } }), "Your answer is `red`.\n"),
        (
            json!({ "action": "decline" }),
            "The person declined to answer. Continue without an answer, or say what is missing.\n",
        ),
    ] {
        with_forms.forms.push_back(answer);
        assert_eq!(with_forms.prompt("ask Which colour?: red, blue").await.text(), said);
    }
    let mut without = client(json!({}), project.path()).await;
    let asked = without.prompt("ask Which colour?: red, blue").await;
    assert!(
        asked.stop_reason() == "end_turn" && asked.text().contains("  - red\n  - blue\n"),
        "{}",
        asked.text()
    );
    assert_eq!(without.prompt("blue").await.text(), "Your answer is `blue`.\n");
    assert!(without.prompt("blue").await.text().starts_with("I cannot do that"), "once");
}

/// SUB-01: a subagent uses the same model, and cannot start another subagent.
#[tokio::test]
async fn subagent_runs_a_prompt() {
    let turn = says("delegate show a.txt").await;
    assert_eq!(turn.titles(), ["completed show a.txt", "completed Read a.txt"]);
    assert!(
        turn.text().starts_with("The subagent reports:\n\n`a.txt`, line 1 of 1:")
            && turn.text().contains("one"),
        "{}",
        turn.text()
    );
    let turn = says("delegate delegate help").await;
    assert_eq!(turn.titles(), ["completed delegate help", "failed help"]);
    assert!(turn.text().contains("A subagent cannot start subagents"), "{}", turn.text());
}

#[tokio::test]
async fn fetching_a_page_and_leaving_plan_mode_ask_first() {
    let web =
        Server::start(vec![Reply::status(200, "content-type: text/html\r\n", "<h1>Hello</h1>")])
            .await;
    let project = project(&[]);
    let mut client = client(json!({}), project.path()).await;
    client.choices.push_back("allow_once");
    let turn = client.prompt(&format!("fetch {}/x", web.url)).await;
    assert!(turn.text().contains("# Hello"), "{turn:?}");
    assert!(client.prompt("leave plan mode").await.text().contains("The mode is ask already"));
    client.set("mode", "plan").await;
    client.choices.push_back("edit");
    let turn = client.prompt("leave plan mode").await;
    assert_eq!(turn.all("current_mode_update")[0]["currentModeId"], "edit");
    assert!(turn.text().contains("The mode is now edit"), "{}", turn.text());
}
