//! Which calls need approval, which choices are remembered, and that only allowed calls run.

use crate::client::Client;
use crate::projects::{project, read, rust, write};
use attache_agent::serve;
use attache_coder::Coder;
use serde_json::json;

const RENAME: &str = "rename Grid to Board in src/main.rs";

#[tokio::test]
async fn edit_is_shown_first_and_made_when_allowed_once() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["allow_once", "reject_once"]);
    let path = project.path().join("src/main.rs");
    let before = path.clone();
    client.meanwhile = Some(Box::new(move || {
        assert!(
            std::fs::read_to_string(&before)
                .is_ok_and(|text| text.contains("Grid::") || text.contains("Board::"))
        )
    }));
    let turn = client.prompt(RENAME).await;
    assert!(read(&project, "src/main.rs").contains("grid::Board::new"));
    let asked = &client.asked[0];
    let kinds: Vec<_> =
        asked["options"].as_array().unwrap().iter().map(|option| option["kind"].clone()).collect();
    assert_eq!(kinds, ["allow_once", "allow_always", "reject_once", "reject_always"]);
    let diff = &asked["toolCall"]["content"][0];
    assert_eq!((diff["type"].as_str(), diff["path"].as_str()), (Some("diff"), path.to_str()));
    assert!(
        diff["oldText"].as_str().unwrap().contains("Grid::")
            && diff["newText"].as_str().unwrap().contains("Board::")
    );
    assert_eq!(asked["toolCall"]["status"], "pending");
    assert_eq!(turn.titles().last().unwrap(), "completed Edit src/main.rs");
    // An approval with "allow once" covers a single call.
    client.prompt("rename Board to Grid in src/main.rs").await;
    assert_eq!(client.asked.len(), 2);
    assert!(read(&project, "src/main.rs").contains("grid::Board::new"));
}

#[tokio::test]
async fn rejected_edit_leaves_the_file_and_ends_the_turn_normally() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["reject_once"]);
    let turn = client.prompt("rename Grid to Board in src").await;
    assert_eq!(turn.stop_reason(), "end_turn");
    let text = turn.text();
    assert!(text.contains("Nothing was changed") && text.contains("It was not allowed"), "{text}");
    assert!(text.contains("Not tried: 1 more file."), "{text}");
    assert!(turn.titles().contains(&"failed Edit src/grid.rs".to_owned()), "{:?}", turn.titles());
    assert!(
        read(&project, "src/main.rs").contains("Grid")
            && read(&project, "src/grid.rs").contains("Grid")
    );
}

#[tokio::test]
async fn session_choice_is_remembered_in_its_session_only() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["allow_session"]);
    client.prompt("rename Grid to Board in src").await;
    client.prompt("rename Board to Table in src").await;
    assert_eq!(client.asked.len(), 1);
    assert!(read(&project, "src/grid.rs").contains("Table { size }"));
    assert_eq!(client.asked[0]["options"][1]["name"], "Always allow edits in this session");

    let mut client = Client::open(project.path()).await;
    client.choices.extend(["reject_session"]);
    client.prompt("rename Table to Grid in src").await;
    let turn = client.prompt("rename Table to Grid in src").await;
    assert_eq!(client.asked.len(), 1, "the new session asks only once");
    assert!(turn.text().contains("were refused for the rest of this session"), "{}", turn.text());
    assert!(read(&project, "src/grid.rs").contains("Table { size }"));
}

#[tokio::test]
async fn permanent_choice_for_a_command_covers_only_that_program() {
    let project = project(&[]);
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["allow_session", "reject_once"]);
    client.prompt("run touch a").await;
    assert_eq!(
        client.asked[0]["options"][1]["name"],
        "Always allow commands that start with `touch` in this session"
    );
    client.prompt("run touch b").await;
    assert_eq!(client.asked.len(), 1);
    let turn = client.prompt("run touch c; mkdir d").await;
    assert_eq!((client.asked.len(), turn.stop_reason()), (2, "end_turn"));
    assert_eq!(
        client.asked[1]["options"][1]["name"],
        "Always allow exactly `touch c; mkdir d` in this session"
    );
    client.prompt("run cd . && touch e 2>&1 | cat").await;
    assert_eq!(client.asked.len(), 2, "every part is allowed or only reads");
    let there = ["a", "b", "c", "d", "e"].map(|name| project.path().join(name).exists());
    assert_eq!(there, [true, true, false, false, true]);
}

#[tokio::test]
async fn unknown_choice_allows_nothing() {
    let project = project(&[]);
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["zzz"]);
    let turn = client.prompt("run touch a").await;
    assert_eq!(turn.stop_reason(), "end_turn");
    assert!(turn.text().contains("it was not allowed"), "{}", turn.text());
    assert!(!project.path().join("a").exists());
}

#[tokio::test]
async fn each_mode_runs_what_it_allows() {
    for (mode, edits, commands) in
        [("edit", true, false), ("auto", true, true), ("plan", false, false)]
    {
        let project = rust();
        let mut client = Client::open(project.path()).await;
        client.set("mode", mode).await;
        match mode {
            "edit" => client.choices.extend(["reject_once"]),
            // Without a sandbox, a command needs approval in this mode too.
            "auto" => client.otherwise = Some("allow_once"),
            _ => {}
        }
        let edit = client.prompt(RENAME).await;
        let command = client.prompt("run touch made").await;
        assert_eq!(read(&project, "src/main.rs").contains("Board"), edits, "{mode}");
        assert_eq!(project.path().join("made").exists(), commands, "{mode}");
        let asked_for_commands =
            client.asked.iter().all(|asked| asked["toolCall"]["title"] == "Run touch made");
        assert!(asked_for_commands && client.asked.len() <= 1, "{mode}: {:?}", client.asked);
        assert!(client.asked.len() == 1 || mode != "edit", "{mode}");
        if mode == "plan" {
            for turn in [edit, command] {
                assert!(
                    turn.text().contains("mode is Plan") && turn.stop_reason() == "end_turn",
                    "{}",
                    turn.text()
                );
            }
        }
    }
}

#[tokio::test]
async fn cancelling_while_asked_ends_the_turn_and_changes_nothing() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["cancel"]);
    let turn = client.prompt(RENAME).await;
    assert_eq!(turn.stop_reason(), "cancelled");
    assert_eq!(turn.titles().last().unwrap(), "failed Edit src/main.rs");
    assert!(read(&project, "src/main.rs").contains("Grid"));
    client.choices.extend(["allow_once"]);
    assert_eq!(client.prompt(RENAME).await.stop_reason(), "end_turn");
    assert!(read(&project, "src/main.rs").contains("Board"));
}

#[tokio::test]
async fn edit_approved_for_an_older_content_is_not_made() {
    let project = rust();
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["allow_once"]);
    let folder = project.path().to_owned();
    client.meanwhile =
        Some(Box::new(move || write(&folder, "src/main.rs", "Grid, saved by another program\n")));
    let turn = client.prompt(RENAME).await;
    assert!(
        turn.text().contains("changed before this call ran, so it was not modified"),
        "{}",
        turn.text()
    );
    assert_eq!(read(&project, "src/main.rs"), "Grid, saved by another program\n");
}

#[tokio::test]
async fn unsaved_text_goes_through_the_client() {
    let project = rust();
    let capabilities = json!({ "fs": { "readTextFile": true, "writeTextFile": true } });
    let mut client =
        Client::open_with(capabilities, json!({ "cwd": project.path(), "mcpServers": [] })).await;
    let path = project.path().join("src/main.rs").to_str().unwrap().to_owned();
    client.buffers.insert(path.clone(), "unsaved Grid\r\n".to_owned());
    assert!(client.prompt("show src/main.rs").await.text().contains("unsaved Grid"));
    client.choices.extend(["allow_once"]);
    client.prompt(RENAME).await;
    assert_eq!(client.buffers[&path], "unsaved Board\r\n");
    assert!(
        read(&project, "src/main.rs").contains("grid::Grid::new"),
        "the client saves files itself"
    );
}

/// An agent whose user has a file of permission rules.
async fn with_rules(cwd: &std::path::Path, file: &std::path::Path) -> Client {
    let author = Coder::new().permissions(file.to_owned());
    Client::serve_author(author, json!({}), json!({ "cwd": cwd, "mcpServers": [] })).await
}

fn offered(asked: &serde_json::Value) -> Vec<(&str, &str)> {
    let options = asked["options"].as_array().unwrap().iter();
    options
        .map(|option| (option["optionId"].as_str().unwrap(), option["name"].as_str().unwrap()))
        .collect()
}

/// PERM-07, PERM-08: each permanent choice names its rule and its scope. Choices that apply beyond
/// the session are stored in the person's file. The widest scope is neither the first nor the last,
/// because codecompanion.nvim and avante.nvim send the last choice of a kind without its name.
#[tokio::test]
async fn choice_is_kept_for_the_session_the_project_or_the_person() {
    let (one, other, home) = (project(&[]), project(&[]), project(&[]));
    let file = home.path().join("attache/permissions.toml");
    let mut client = with_rules(one.path(), &file).await;
    client.choices.extend(["allow_project", "allow_user"]);
    client.prompt("run mkdir a").await;
    assert_eq!(
        offered(&client.asked[0]),
        [
            ("allow_once", "Allow once"),
            ("allow_session", "Always allow commands that start with `mkdir` in this session"),
            ("allow_user", "Always allow commands that start with `mkdir` in all projects"),
            ("allow_project", "Always allow commands that start with `mkdir` in this project"),
            ("reject_once", "Reject"),
            (
                "reject_session",
                "Reject commands that start with `mkdir` for the rest of this session"
            ),
        ]
    );
    client.prompt("run cargo new x --quiet").await;
    client.prompt("run mkdir b").await;
    assert_eq!(client.asked.len(), 2);
    let text = std::fs::read_to_string(&file).unwrap();
    let cwd = one.path().canonicalize().unwrap();
    let (_, rules) = text.split_once("version = 2\n").unwrap();
    assert_eq!(
        rules,
        format!(
            "\n[[allow]]\nagents = [\"attache\"]\ncommand = \"mkdir\"\nproject = \"{}\"\n\n\
             [[allow]]\nagents = [\"attache\"]\ncommand = \"cargo new\"\n",
            cwd.display()
        )
    );
    // Another session in the project does not ask. A session in another folder asks only about
    // commands that were allowed for the project.
    let mut again = with_rules(one.path(), &file).await;
    again.prompt("run mkdir c").await;
    assert!(one.path().join("c").exists() && again.asked.is_empty());
    let mut elsewhere = with_rules(other.path(), &file).await;
    elsewhere.choices.push_back("reject_once");
    elsewhere.prompt("run mkdir d").await;
    assert!(!other.path().join("d").exists() && elsewhere.asked.len() == 1);
}

/// If two sessions are open, a permanent choice in one applies in the other from its next prompt.
#[tokio::test]
async fn rule_of_another_session_applies_from_the_next_prompt() {
    let (project, home) = (project(&[]), project(&[]));
    let file = home.path().join("permissions.toml");
    let mut open = with_rules(project.path(), &file).await;
    let mut adding = with_rules(project.path(), &file).await;
    adding.choices.push_back("allow_user");
    adding.prompt("run touch a").await;
    open.prompt("run touch b").await;
    assert!(open.asked.is_empty() && project.path().join("b").exists());
}

/// A project's own file may forbid but never allow, and its folder is protected.
#[tokio::test]
async fn project_cannot_allow_anything_for_itself() {
    let rules = "[[allow]]\ncommand = \"touch\"\n[[deny]]\ncommand = \"mkdir\"\n";
    let project = project(&[(".attache/permissions.toml", rules)]);
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["reject_once", "reject_once"]);
    client.prompt("run touch a").await;
    assert_eq!((client.asked.len(), project.path().join("a").exists()), (1, false));
    let turn = client.prompt("run mkdir b").await;
    assert!(turn.text().contains("forbidden by .attache/permissions.toml"), "{}", turn.text());
    client.set("mode", "edit").await;
    client.prompt("show .attache/permissions.toml").await;
    client.prompt("rename mkdir to none in .attache/permissions.toml").await;
    assert_eq!(read(&project, ".attache/permissions.toml"), rules);
    assert_eq!(client.asked.len(), 2, "a change of it asks in the mode that edits");
}

/// NOTE-01: an invalid rule in the person's file is reported when a session opens, and it allows
/// nothing.
#[tokio::test]
async fn rule_that_fails_its_example_is_reported_and_allows_nothing() {
    let (project, home) = (project(&[]), project(&[]));
    let file = home.path().join("permissions.toml");
    std::fs::write(&file, "[[allow]]\ncommand = \"touch\"\nexamples.matches = [\"mkdir a\"]\n")
        .unwrap();
    let author = Coder::new().permissions(file.clone());
    let session = json!({ "cwd": project.path(), "mcpServers": [] });
    let mut client = Client::connect(serve(author), json!({ "session": { "notices": {} } })).await;
    client.begin("session/new", session).await;
    let said = loop {
        let update = client.receive().await["params"]["update"].clone();
        if update["sessionUpdate"] == "notice" {
            break update["description"].as_str().unwrap().to_owned();
        }
    };
    assert!(said.contains("permissions.toml, line 1: ") && said.contains("`mkdir a`"), "{said}");
    client.choices.push_back("reject_once");
    client.prompt("run touch a").await;
    assert!(!project.path().join("a").exists());
    // An invalid file is not changed.
    assert!(
        offered(&client.asked[0])
            .iter()
            .all(|(id, _)| !["allow_project", "allow_user"].contains(id))
    );
}

/// Reading a secret file needs approval. The question gives the reason, and does not show any part
/// of the file.
#[tokio::test]
async fn reading_a_secret_file_asks_in_every_mode() {
    let project = project(&[(".env", "KEY=hunter2\n")]);
    for mode in ["ask", "edit", "auto", "plan"] {
        let mut client = Client::open(project.path()).await;
        client.set("mode", mode).await;
        client.choices.extend(["reject_once", "allow_session"]);
        let turn = client.prompt("show .env").await;
        assert!(!format!("{turn:?}").contains("hunter2") && client.asked.len() == 1, "{mode}");
        assert!(
            client.asked[0]["toolCall"].to_string().contains("holds secrets"),
            "{}",
            client.asked[0]
        );
        assert_eq!(offered(&client.asked[0])[1].1, "Always allow reads of `.env` in this session");
        assert!(client.prompt("show .env").await.text().contains("hunter2"), "{mode}");
        client.prompt("show .env").await;
        assert_eq!(client.asked.len(), 2, "{mode}");
    }
}
