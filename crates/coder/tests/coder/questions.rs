//! Questions to the person: as forms, as text, and about leaving the mode `plan`.

use crate::client::Client;
use crate::projects::project;
use crate::provider::{anthropic, anthropic_at, bodies, coder, open, text, tool_use};
use crate::server::Server;
use serde_json::{Value, json};

fn ask() -> Value {
    let questions = json!([
        { "question": "Which colour?", "options": ["red", "blue"] },
        { "question": "Which sizes?", "options": ["S", "M"], "several": true },
        { "question": "Anything else?" },
    ]);
    tool_use("q", "ask", json!({ "questions": questions }))
}

async fn client_with_forms(server: &Server, folder: &std::path::Path) -> Client {
    let capabilities = json!({ "elicitation": { "form": {} } });
    let session = json!({ "cwd": folder, "mcpServers": [] });
    Client::serve_author(coder(&anthropic_at(&server.url)), capabilities, session).await
}

/// ELIC-07, ELIC-14: several questions become one form, and the model gets its answers.
#[tokio::test]
async fn questions_become_a_form_and_its_answers_go_to_the_model() {
    let accepted = json!({ "action": "accept", "content": { "answer1": "blue", "answer2": ["S", "M"], "answer3": "no" } });
    for (answer, said) in [
        (accepted, "Which colour?\n> blue\n\nWhich sizes?\n> S, M\n\nAnything else?\n> no"),
        (json!({ "action": "decline" }), "declined to answer"),
        (json!({ "action": "cancel" }), "dismissed the question"),
        (
            json!({ "action": "accept", "content": { "answer1": "green", "answer3": "" } }),
            "got no answer: ",
        ),
    ] {
        let replies = vec![anthropic(&[ask()], "tool_use"), anthropic(&[text("so")], "end_turn")];
        let (server, project) = (Server::start(replies).await, project(&[]));
        let mut client = client_with_forms(&server, project.path()).await;
        client.forms.push_back(answer);
        let turn = client.prompt("go").await;
        assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "so"), "{turn:?}");
        let call = &turn.tool_calls()[0];
        assert_eq!((&call["title"], &call["name"]), (&json!("Ask 3 questions"), &json!("ask")));
        let asked = &client.asked[0];
        assert_eq!(asked["toolCallId"], call["toolCallId"]);
        let fields = &asked["requestedSchema"]["properties"];
        assert_eq!(fields["answer1"]["enum"], json!(["red", "blue"]));
        assert_eq!(asked["requestedSchema"]["required"], json!(["answer1", "answer3"]));
        let messages = bodies(&server)[1]["messages"].clone();
        let result = messages[2]["content"][0]["content"].to_string();
        let result: String = result.replace("\\n", "\n");
        assert!(result.contains(said), "{result}");
    }
}

/// ELIC-03: without forms, the client gets the question as text, the turn ends, and the next prompt
/// is the answer.
#[tokio::test]
async fn without_forms_the_question_is_text_and_the_turn_ends() {
    let replies = vec![
        anthropic(&[text("Hm."), ask()], "tool_use"),
        anthropic(&[text("blue it is")], "end_turn"),
    ];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    let turn = client.prompt("go").await;
    assert_eq!(turn.stop_reason(), "end_turn");
    assert!(
        turn.text().starts_with("Hm.")
            && turn.text().contains("- **Which colour?** (one of these, required)"),
        "{}",
        turn.text()
    );
    assert_eq!(server.requests().len(), 1, "the model is not called before the answer");
    assert_eq!(client.prompt("blue").await.text(), "blue it is");
    assert!(bodies(&server)[1].to_string().contains("Their next prompt is the answer"));
}

/// CANCEL-22.
#[tokio::test]
async fn cancel_withdraws_a_question() {
    let replies = vec![anthropic(&[ask()], "tool_use"), anthropic(&[text("fine")], "end_turn")];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let mut client = client_with_forms(&server, project.path()).await;
    client.forms.push_back(json!("cancel"));
    assert_eq!(client.prompt("go").await.stop_reason(), "cancelled");
    assert_eq!(client.prompt("again").await.text(), "fine");
}

/// MODE-07, CONF-03: if the person agrees, the mode and the option change together. If not, the
/// mode stays `plan`.
#[tokio::test]
async fn leaving_plan_mode_asks_and_changes_the_option() {
    for (choice, mode) in [("ask", Some("ask")), ("edit", Some("edit")), ("reject", None)] {
        let exit = tool_use("e", "exit_plan", json!({ "plan": "1. Write `made`" }));
        let replies = vec![anthropic(&[exit], "tool_use"), anthropic(&[text("so")], "end_turn")];
        let (server, project) = (Server::start(replies).await, project(&[]));
        let mut client = open(project.path(), &anthropic_at(&server.url)).await;
        client.set("mode", "plan").await;
        client.choices.push_back(choice);
        let turn = client.prompt("go").await;
        assert_eq!(turn.stop_reason(), "end_turn", "{turn:?}");
        let call = &turn.tool_calls()[0];
        assert_eq!(
            (&call["kind"], &call["content"][0]["content"]["text"]),
            (&json!("switch_mode"), &json!("1. Write `made`"))
        );
        let kinds: Vec<&str> = client.asked[0]["options"]
            .as_array()
            .unwrap()
            .iter()
            .map(|option| option["kind"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["allow_once", "allow_always", "reject_once"]);
        let modes: Vec<&Value> =
            turn.all("current_mode_update").iter().map(|update| &update["currentModeId"]).collect();
        let options = turn.all("config_option_update");
        match mode {
            Some(mode) => {
                assert_eq!(
                    (modes, call["status"].as_str()),
                    (vec![&json!(mode)], Some("completed"))
                );
                assert_eq!(options[0]["configOptions"][0]["currentValue"], mode);
                assert!(
                    bodies(&server)[1]["messages"][2]
                        .to_string()
                        .contains(&format!("Mode now: {mode}"))
                );
            }
            None => assert_eq!(
                (modes.len(), options.len(), call["status"].as_str()),
                (0, 0, Some("failed"))
            ),
        }
    }
}

#[tokio::test]
async fn only_plan_mode_can_be_left() {
    let exit = tool_use("e", "exit_plan", json!({ "plan": "x" }));
    let replies = vec![anthropic(&[exit], "tool_use"), anthropic(&[text("so")], "end_turn")];
    let (server, project) = (Server::start(replies).await, project(&[]));
    let turn = open(project.path(), &anthropic_at(&server.url)).await.prompt("go").await;
    assert_eq!(turn.titles(), ["failed Leave the mode Plan"]);
    assert!(bodies(&server)[1].to_string().contains("the mode is ask already"));
}
