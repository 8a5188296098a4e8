//! Slash commands, which the agent handles itself with every model.

use crate::client::{Client, Turn};
use crate::projects::{project, read, rust};
use crate::provider::{
    KEY, anthropic, anthropic_at, bodies, coder, open, text, tool_use, variables,
};
use crate::server::Server;
use attache_agent::serve;
use attache_session::MemoryStore;
use serde_json::{Value, json};
use std::process::Command;

fn option(turn: &Turn, id: &str) -> Option<Value> {
    let update = turn.all("config_option_update").last().map(|update| (*update).clone())?;
    let options = update["configOptions"].as_array().unwrap().clone();
    options.iter().find(|option| option["id"] == id).map(|option| option["currentValue"].clone())
}

/// CMD-04: `/help` lists every command that the client knows, with and without a provider, and does
/// not call a model.
#[tokio::test]
async fn help_lists_every_command() {
    let (server, project) = (Server::start(Vec::new()).await, rust());
    let mut provided = open(project.path(), &anthropic_at(&server.url)).await;
    for client in [&mut Client::open(project.path()).await, &mut provided] {
        let turn = client.prompt("/help").await;
        let commands = turn.all("available_commands_update")[0]["availableCommands"].clone();
        for command in commands.as_array().unwrap() {
            let name = format!("- `/{}`", command["name"].as_str().unwrap());
            assert!(turn.text().contains(&name), "{name}: {}", turn.text());
        }
        assert_eq!(turn.stop_reason(), "end_turn");
    }
    assert!(server.requests().is_empty());
}

/// MODE-07, CONF-03: the command `/mode` sets a mode by its name. The option and the mode change
/// together. For an unknown mode, the modes are listed.
#[tokio::test]
async fn mode_is_chosen_by_words() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    let turn = client.prompt("/mode Plan").await;
    assert_eq!(option(&turn, "mode"), Some(json!("plan")));
    assert_eq!(turn.all("current_mode_update")[0]["currentModeId"], "plan");
    assert!(turn.text().starts_with("The mode is now Plan (`plan`)."), "{}", turn.text());
    assert!(client.prompt("run touch a").await.text().contains("mode is Plan"));
    let wrong = client.prompt("/mode wild").await;
    assert!(
        wrong.text().starts_with("There is no mode `wild`. Choose one of these.\n\n- `ask` Ask"),
        "{}",
        wrong.text()
    );
    assert!(
        wrong.text().contains("- `plan` Plan (now)")
            && wrong.all("config_option_update").is_empty()
    );
    assert!(client.prompt("/mode").await.text().starts_with("Choose one with `/mode NAME`."));
}

/// CONF-02: the model is chosen by its value, its name or a part of its name. Options that depend
/// on it are adapted.
#[tokio::test]
async fn model_is_chosen_by_words() {
    let project = project(&[]);
    let given = variables(&[("ANTHROPIC_API_KEY", KEY), ("OPENAI_API_KEY", KEY)]);
    let mut client = open(project.path(), &given).await;
    for (words, model) in [
        ("claude-haiku-5-5", "anthropic/claude-haiku-5-5"),
        ("openai/gpt-6-luna", "openai/gpt-6-luna"),
        ("Claude Opus 5.5", "anthropic/claude-opus-5-5"),
        ("astra", "openai/gpt-6-astra"),
        ("offline", "offline"),
    ] {
        let turn = client.prompt(&format!("/model {words}")).await;
        assert_eq!(option(&turn, "model"), Some(json!(model)), "{}", turn.text());
        assert_eq!(option(&turn, "thought_level").is_some(), model != "offline");
    }
    let several = client.prompt("/model claude").await.text();
    assert!(
        several.starts_with("`claude` matches several.") && several.matches("\n- ").count() > 3,
        "{several}"
    );
    let none = client.prompt("/model gpt-9").await.text();
    assert!(
        none.starts_with("There is no model `gpt-9`.")
            && none.contains("- `offline` Offline (now)"),
        "{none}"
    );
}

/// TITLE-03: a title from a person is stored and never replaced automatically.
#[tokio::test]
async fn title_of_a_person_stays() {
    let (project, store) = (rust(), MemoryStore::new());
    let mut client = Client::connect(serve(coder(&[])).store(store.clone()), json!({})).await;
    client.begin("session/new", json!({ "cwd": project.path(), "mcpServers": [] })).await;
    let title = |turn: &Turn| {
        turn.all("session_info_update")
            .iter()
            .find_map(|update| update["title"].as_str().map(str::to_owned))
    };
    let turn = client.prompt("/title  The grid\n work").await;
    assert_eq!(
        (title(&turn).as_deref(), turn.text().as_str()),
        (Some("The grid work"), "The title of this session is now “The grid work”.\n")
    );
    assert_eq!(
        title(&client.prompt("find Grid").await),
        None,
        "the prompt does not replace the title"
    );
    assert_eq!(title(&client.prompt("call this \"Grids\"").await).as_deref(), Some("Grids"));
    assert!(client.prompt("/title").await.text().starts_with("Give the title as well"));
    let listed = client.call("session/list", json!({})).await.result;
    assert_eq!(listed["result"]["sessions"][0]["title"], "Grids");
}

/// `/clear` removes the conversation for the model, even after the session is loaded again. The
/// transcript keeps it.
#[tokio::test]
async fn clear_affects_only_the_model() {
    let server =
        Server::start((0..2).map(|_| anthropic(&[text("so")], "end_turn")).collect()).await;
    let (project, store, given) = (project(&[]), MemoryStore::new(), anthropic_at(&server.url));
    let mut client = crate::provider::stored(&store, &given).await;
    client.begin("session/new", json!({ "cwd": project.path(), "mcpServers": [] })).await;
    client.prompt("a secret").await;
    let cleared = client.prompt("/clear").await;
    assert!(
        cleared.text().starts_with("The model has forgotten the conversation"),
        "{}",
        cleared.text()
    );
    assert_eq!(cleared.all("usage_update")[0]["used"], 0);
    let session = client.session.clone();
    drop(client);
    let mut client = crate::provider::stored(&store, &given).await;
    let params = json!({ "sessionId": session, "cwd": project.path(), "mcpServers": [] });
    assert!(
        format!("{:?}", client.begin("session/load", params).await.updates).contains("a secret")
    );
    client.prompt("what was it?").await;
    assert!(!bodies(&server)[1].to_string().contains("a secret"));
}

#[tokio::test]
async fn usage_is_a_table_of_tokens_window_and_cost() {
    let server = Server::start(vec![anthropic(&[text("so")], "end_turn")]).await;
    let project = project(&[]);
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    client.prompt("hello").await;
    let text = client.prompt("/usage").await.text();
    for row in [
        "| Model | Claude Sonnet 5.5 |",
        "| Window | 1,000,000 tokens |",
        "| Read so far | 10 tokens, 5 more from the cache |",
        "| Written so far | 7 tokens |",
        "| Cost so far | 0.000091 USD |",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    let mut offline = Client::open(project.path()).await;
    assert!(offline.prompt("/usage").await.text().contains("| Cost so far | nothing |"));
}

#[tokio::test]
async fn handoff_contains_the_prompts() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.prompt("find Grid").await;
    let text = client.prompt("/handoff").await.text();
    assert!(
        text.starts_with("# Continued from find Grid") && text.contains("> find Grid"),
        "{text}"
    );
}

/// Without a model, AGENTS.md summarizes the project's files, after a question. An existing file is
/// not changed.
#[tokio::test]
async fn init_summarizes_the_files() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["allow_once"]);
    let turn = client.prompt("/init").await;
    assert!(turn.text().starts_with("AGENTS.md was written."), "{}", turn.text());
    let written = read(&project, "AGENTS.md");
    assert!(written.contains("titled “Glider”") && written.contains("- `cargo test`"), "{written}");
    assert!(client.prompt("/init").await.text().starts_with("AGENTS.md already exists."));
    assert!(client.prompt("/undo").await.text().contains("`AGENTS.md`: deleted"));
}

/// With a provider's model, `/init` and `/review` are tasks for the model.
#[tokio::test]
async fn init_and_review_are_tasks_for_a_model() {
    let write = tool_use("w", "write", json!({ "path": "AGENTS.md", "text": "All of it.\n" }));
    let server = Server::start(vec![
        anthropic(&[write], "tool_use"),
        anthropic(&[text("written")], "end_turn"),
        anthropic(&[text("fine")], "end_turn"),
    ])
    .await;
    let project = rust();
    let mut client = open(project.path(), &anthropic_at(&server.url)).await;
    client.set("mode", "auto").await;
    // A change to a file with instructions for agents needs approval in every mode.
    client.choices.push_back("allow_once");
    assert_eq!(client.prompt("/init").await.text(), "written");
    assert_eq!(read(&project, "AGENTS.md"), "All of it.\n");
    assert_eq!(client.prompt("/review the parser").await.text(), "fine");
    let asked = bodies(&server)[2]["messages"].to_string();
    assert!(
        asked.contains("uncommitted")
            && asked.contains("Pay special attention to this: the parser")
    );
}

#[tokio::test]
async fn review_without_a_model_lists_the_changes() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.set("mode", "auto").await;
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(project.path())
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments);
        assert!(git.output().unwrap().status.success(), "{arguments:?}");
    };
    assert!(client.prompt("/review").await.text().starts_with("Git could not list the changes"));
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "all"]);
    assert_eq!(
        client.prompt("/review").await.text(),
        "Nothing has changed since the last commit.\n"
    );
    std::fs::write(project.path().join("README.md"), "other\n").unwrap();
    std::fs::write(project.path().join("new.rs"), "").unwrap();
    let said = client.prompt("/review").await.text();
    assert!(
        said.contains("(2 files):")
            && said.contains("- `README.md`: 1 added, ")
            && said.contains("- `new.rs`: new"),
        "{said}"
    );
}
