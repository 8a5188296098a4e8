//! Tests each of the offline model's verbs on three projects and on an empty one.

use crate::client::{Client, Turn};
use crate::projects::{empty, mixed, python, read, rust};
use serde_json::json;
use tempfile::TempDir;

async fn ask(project: &TempDir, text: &str) -> Turn {
    let mut client = Client::open(project.path()).await;
    client.choices.extend(["allow_session"]);
    let turn = client.prompt(text).await;
    assert_eq!(turn.stop_reason(), "end_turn", "{text}: {}", turn.result);
    turn
}

#[tokio::test]
async fn summary_uses_the_readme_and_the_manifest() {
    let turn = ask(&rust(), "summarize this project").await;
    assert_eq!(
        turn.text(),
        "The project has 4 files: 2 `.rs`, 1 `.md`, 1 `.toml`.\nFolders: `src/` (2 files).\n\n\
         `README.md` is titled “Glider” and begins:\n\n> A small game of life, in two files.\n\n\
         `Cargo.toml` says:\n- `name = \"glider\"`\n- `version = \"0.3.1\"`\n- `description = \"Cells on a grid\"`\n"
    );
    assert_eq!(
        turn.titles(),
        [
            "completed List files",
            "completed Read README.md lines 1-60",
            "completed Read Cargo.toml lines 1-60"
        ]
    );
    let statuses = |plan: &serde_json::Value| {
        let entries = plan["entries"].as_array().unwrap().clone();
        entries.iter().map(|entry| entry["status"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let plans = turn.all("plan");
    assert_eq!(statuses(plans[0]), ["in_progress", "pending"]);
    assert_eq!(statuses(plans[plans.len() - 1]), ["completed", "completed", "completed"]);

    let text = ask(&python(), "Please summarise this project!").await.text();
    assert!(text.contains("titled “Ledger” and begins:\n\n> Keeps books."), "{text}");
    assert!(text.contains("`name = \"ledger\"`") && text.contains("3 `.py`"), "{text}");

    let text = ask(&mixed(), "/summarize").await.text();
    assert!(
        text.contains("The project has 5 files") && text.contains("`日本/` (1 file)"),
        "{text}"
    );

    let text = ask(&empty(), "summarize this project").await.text();
    assert_eq!(
        text,
        "There are no files in `.` (hidden files and files that `.gitignore` names are left out).\n"
    );
}

#[tokio::test]
async fn file_is_shown_by_path_name_or_block() {
    let rust = rust();
    let turn = ask(&rust, "show src/main.rs:3-4").await;
    assert_eq!(
        turn.text(),
        "`src/main.rs`, lines 3-4 of 6:\n\n```\nfn main() {\n    let grid = grid::Grid::new(8);\n```\n\n\
         For more: `show src/main.rs:5`.\n"
    );
    let call = &turn.tool_calls()[0];
    assert_eq!((call["kind"].as_str(), call["name"].as_str()), (Some("read"), Some("read")));
    assert_eq!(call["locations"], json!([{ "path": rust.path().join("src/main.rs"), "line": 3 }]));

    let turn = ask(&rust, "show me grid.rs, please").await;
    assert!(turn.text().starts_with("`src/grid.rs`, lines 1-15 of 15:"), "{}", turn.text());
    assert_eq!(turn.titles()[0], "failed Read grid.rs");

    let text = ask(&python(), "lines 2-2 of @ledger/book.py").await.text();
    assert!(
        text.starts_with("`ledger/book.py`, line 2 of 3:\n\n```\n    def total(self):\n```"),
        "{text}"
    );
    assert!(ask(&python(), "show tests").await.text().contains("- `tests/test_book.py`"));

    let text = ask(&mixed(), "show `with space/a file.txt`").await.text();
    assert_eq!(text, "`with space/a file.txt`, lines 1-3 of 3:\n\n```\none\ntwo\nthree\n```\n");
    assert!(ask(&mixed(), "SHOW 日本/メモ.md").await.text().contains("# メモ\n\nGröße と 色\n"));

    let text = ask(&empty(), "show main.rs").await.text();
    assert!(text.starts_with("There is no file `main.rs` in any folder"), "{text}");
}

#[tokio::test]
async fn file_may_be_a_link_or_an_embedded_resource() {
    let project = mixed();
    let mut client = Client::open(project.path()).await;
    let uri = format!("file://{}/with%20space/a%20file.txt", project.path().display());
    for blocks in [
        json!([{ "type": "text", "text": "show" }, { "type": "resource_link", "uri": uri, "name": "a file.txt" }]),
        json!([{ "type": "text", "text": "show " }, { "type": "resource", "resource": { "uri": uri, "text": "one" } }]),
        json!([{ "type": "resource_link", "uri": uri, "name": "a file.txt" }]),
    ] {
        let text = client.prompt_blocks(blocks).await.text();
        assert!(text.contains("one\ntwo\nthree"), "{text}");
    }
    let gone = json!([
        { "type": "text", "text": "show" },
        { "type": "resource", "resource": { "uri": "untitled:1", "text": "draft" } },
    ]);
    let text = client.prompt_blocks(gone).await.text();
    assert!(text.contains("as it was attached to the prompt") && text.contains("draft"), "{text}");
}

#[tokio::test]
async fn uses_are_whole_words_outside_ignored_files() {
    let turn = ask(&rust(), "where is Grid used?").await;
    let text = turn.text();
    assert!(text.starts_with("The word `Grid` is on 5 lines of 2 files:"), "{text}");
    assert!(text.contains("- `src/main.rs:4`: `let grid = grid::Grid::new(8);`"), "{text}");
    assert!(!text.contains("Gridlock") && !text.contains("target"), "{text}");
    assert_eq!(turn.titles(), ["completed Search for `Grid`"]);

    let text = ask(&python(), "Where is `Book` used").await.text();
    assert!(
        text.contains("3 files")
            && text.contains("`tests/test_book.py:4`")
            && !text.contains(".venv"),
        "{text}"
    );

    let text = ask(&mixed(), "where is Größe used").await.text();
    assert!(text.contains("`büro/keep.log:1`") && !text.contains("old.log"), "{text}");
    assert!(text.contains("`日本/メモ.md:3`") && text.contains("on 6 lines of 4 files"), "{text}");

    let text = ask(&empty(), "where is Grid used").await.text();
    assert!(text.starts_with("I found no use of `Grid` (0 files searched in `.`;"), "{text}");
}

#[tokio::test]
async fn find_searches_names_and_text() {
    let text = ask(&rust(), "find grid").await.text();
    assert!(text.contains("1 file with `grid` in the name:\n\n- `src/grid.rs`"), "{text}");
    assert!(text.contains("Gridlock"), "small letters match any case: {text}");
    assert!(!ask(&rust(), "find Gridl").await.text().contains("gridl`"));

    let text = ask(&python(), "search for total").await.text();
    assert!(
        text.contains("No file has `total` in its name.") && text.contains("`ledger/book.py:2`"),
        "{text}"
    );

    let text = ask(&mixed(), "find メモ").await.text();
    assert!(
        text.contains("- `日本/メモ.md`") && text.contains("`日本/メモ.md:1`: `# メモ`"),
        "{text}"
    );

    let text = ask(&empty(), "find Grid[*").await.text();
    assert!(
        text.contains("No file has `Grid[*` in its name.") && text.contains("in its text (0 files"),
        "{text}"
    );
}

#[tokio::test]
async fn rename_changes_only_whole_words() {
    let project = rust();
    let turn = ask(&project, "rename Grid to Board in src").await;
    assert!(
        turn.text().starts_with("`Grid` is now `Board` in 5 places of 2 files:"),
        "{}",
        turn.text()
    );
    assert!(
        read(&project, "src/grid.rs").contains("Board { size }"),
        "{}",
        read(&project, "src/grid.rs")
    );
    assert!(read(&project, "src/grid.rs").contains("A Gridlock is no grid."));
    assert!(read(&project, "src/main.rs").contains("grid::Board::new"));
    assert_eq!(read(&project, "target/debug/out.rs"), "Grid Grid Grid\n");

    let project = python();
    ask(&project, "rename `total` to `sum_up` in ledger/book.py.").await;
    assert!(read(&project, "ledger/book.py").contains("def sum_up(self)"));
    assert!(
        read(&project, "tests/test_book.py").contains("total()"),
        "only the file that was named"
    );

    let project = mixed();
    ask(&project, "rename Größe to Maß in .").await;
    assert_eq!(
        read(&project, "büro/größe.py"),
        "\u{feff}# Maß\r\nMaß = 3\r\nprint(Maß, GrößeX)\r\n"
    );
    assert_eq!(read(&project, "LIESMICH.txt"), "Maß ist wichtig.\r\nGrößer nicht.\r\n");
    assert_eq!(read(&project, "büro/old.log"), "Größe\n");

    let project = empty();
    let turn = ask(&project, "rename Grid to Board in .").await;
    assert!(
        turn.text().starts_with("Nothing was changed: the word `Grid` is not in `.` (0 files"),
        "{}",
        turn.text()
    );
    assert_eq!(read(&project, "hidden.txt"), "Grid Book Größe\n");
}

#[tokio::test]
async fn a_command_runs_in_the_sessions_folder() {
    for (project, file) in [(rust(), "src"), (python(), "ledger"), (mixed(), "日本")] {
        let turn = ask(&project, "run ls").await;
        assert!(turn.text().starts_with("`ls`: exit code 0.\n\n```\n"), "{}", turn.text());
        assert!(turn.text().contains(file), "{}", turn.text());
        assert_eq!(turn.titles(), ["completed Run ls"]);
    }
    assert_eq!(
        ask(&empty(), "run ls").await.text(),
        "`ls`: exit code 0.\n\n```\nhidden.txt\n```\n"
    );
    assert_eq!(ask(&empty(), "run true").await.text(), "`true` wrote nothing: exit code 0.\n");
    let turn = ask(&empty(), "run `exit 3`").await;
    assert_eq!(
        (turn.text().as_str(), turn.titles()[0].as_str()),
        ("`exit 3` wrote nothing: exit code 3.\n", "failed Run exit 3")
    );
}

#[tokio::test]
async fn what_is_not_understood_is_said_with_what_is() {
    for text in ["help", "write me a poem", "rename a to b", "", "/unknown"] {
        let turn = ask(&empty(), text).await;
        let expected =
            if text.starts_with("rename") { "rename A to B in PATH" } else { "where is X used" };
        assert!(turn.text().contains(expected), "{text}: {}", turn.text());
        assert!(turn.tool_calls().is_empty());
    }
    assert!(ask(&empty(), "hi").await.text().contains("how to choose a model of a provider"));
}
