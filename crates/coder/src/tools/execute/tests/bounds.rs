//! What a sandboxed command may change and read in the session's folders and in the person's home.

use super::{coder, execute, open, sandboxes};
use attache_host::Sandbox;
use serde_json::json;
use std::fs;
use std::path::Path;

/// A project that has protected files at several depths, and secrets.
fn project() -> tempfile::TempDir {
    // The project is not in `/tmp`, because bubblewrap hides that folder.
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let at = |name: &str| folder.path().join("project").join(name);
    for name in [".git/hooks", ".github/workflows", ".husky", ".cargo", "sub/lib/.git/hooks", "src"]
    {
        fs::create_dir_all(at(name)).unwrap();
    }
    for name in [
        "AGENTS.md",
        ".github/workflows/ci.yml",
        ".husky/pre-commit",
        ".cargo/config.toml",
        "sub/AGENTS.md",
    ] {
        fs::write(at(name), "before\n").unwrap();
    }
    for name in [".env", "sub/deploy.pem", "sub/credentials.json"] {
        fs::write(at(name), "hush\n").unwrap();
    }
    fs::create_dir_all(folder.path().join("private")).unwrap();
    fs::write(folder.path().join("private/keys.toml"), "hush\n").unwrap();
    fs::write(folder.path().join("sessions.db"), "hush\n").unwrap();
    folder
}

/// Every path below a folder, with the contents of the files, in order.
fn below(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.push((path.display().to_string(), fs::read_to_string(&path).unwrap_or_default()));
        }
    }
    found.sort();
    found
}

/// Runs a script whose effects the policy cannot see, like any program of a project. Returns the
/// result that the model received.
async fn runs(sandbox: Sandbox, folder: &Path, script: &str) -> String {
    // The script is a program of the project, so the policy does not see what it does.
    fs::write(folder.join("project/src/program"), script).unwrap();
    let private = [folder.join("private"), folder.join("sessions.db")];
    let coder = coder().sandbox(Some(sandbox)).private(private);
    let mut client = open(coder, &folder.join("project"), json!({})).await;
    let said = client.prompt(&execute(json!({ "command": "sh src/program" }))).await.text();
    assert_eq!(client.asked.len(), 0, "{:?}", client.asked);
    said
}

#[tokio::test]
async fn program_cannot_change_or_create_protected_files() {
    for sandbox in sandboxes().await {
        let (folder, name) = (project(), sandbox.name());
        let script = "for f in AGENTS.md .github/workflows/ci.yml .husky/pre-commit .cargo/config.toml sub/AGENTS.md \
            sub/lib/.git/hooks/pre-commit .git/hooks/pre-commit .claude/settings.json .vscode/tasks.json .envrc CLAUDE.md .mcp.json; do
              mkdir -p $(dirname $f); echo evil > $f; rm -rf $f; mv src/program $f; ln -s ../src $f; done
            mv sub old; mv sub/lib sub/new; mkdir -p sub/lib/.git/hooks; echo evil > sub/lib/.git/hooks/pre-commit; rm -rf .husky sub/AGENTS.md; true";
        fs::write(folder.path().join("project/src/program"), script).unwrap();
        let before = below(&folder.path().join("project"));
        let said = runs(sandbox, folder.path(), script).await;
        let after = below(&folder.path().join("project"));
        assert_eq!(after, before, "{name}: {said}");
        assert!(!said.contains("protected files changed"), "{name}: {said}");
    }
}

#[tokio::test]
async fn program_cannot_read_secrets_of_the_project_or_the_person() {
    for sandbox in sandboxes().await {
        let (folder, name) = (project(), sandbox.name());
        let script = format!(
            "cat .env sub/deploy.pem sub/credentials.json '{0}/private/keys.toml' '{0}/sessions.db'; grep -r hush . ; exit 3",
            folder.path().display()
        );
        let script = script.replace("grep -r hush", "grep -r hus[h]");
        let said = runs(sandbox, folder.path(), &script).await;
        assert!(!said.contains("hush\n"), "{name}: {said}");
        assert!(
            said.contains(".env, ") || said.contains(", .env"),
            "{name}: the model is told why: {said}"
        );
    }
}

#[tokio::test]
async fn command_allowed_by_the_person_reads_the_secret_it_names() {
    for sandbox in sandboxes().await {
        let (folder, name) = (project(), sandbox.name());
        let mut client =
            open(coder().sandbox(Some(sandbox)), &folder.path().join("project"), json!({})).await;
        client.choices = vec!["allow_once"].into();
        let said = client.prompt(&execute(json!({ "command": "cat .env" }))).await.text();
        assert_eq!((said.as_str(), client.asked.len()), ("hush\n[exit code 0]", 1), "{name}");
    }
}

/// Creates what a program leaves behind if it is killed together with its guardian.
fn leave_placeholders(project: &Path) {
    // No process can have this id.
    for name in [
        ".envrc",
        "CLAUDE.md",
        ".fleet",
        ".fleet/run.json",
        ".config",
        ".config/git",
        ".config/fish",
        "rust-toolchain.toml",
    ] {
        fs::create_dir_all(project.join(name).join(".attache-placeholder-4194305-78")).unwrap();
    }
}

#[tokio::test]
async fn leftovers_of_killed_programs_are_removed_by_the_next_command_or_session() {
    for sandbox in sandboxes().await {
        let (folder, name) = (project(), sandbox.name());
        let project = folder.path().join("project");
        let before = below(&project);
        leave_placeholders(&project);
        let mut client = open(coder().sandbox(Some(sandbox.clone())), &project, json!({})).await;
        assert_eq!(below(&project), before, "{name}: a session begins");
        for mode in ["plan", "ask", "auto"] {
            client.set("mode", mode).await;
            leave_placeholders(&project);
            let turn = client.prompt(&execute(json!({ "command": "cat AGENTS.md" }))).await;
            assert_eq!(turn.text(), "before\n[exit code 0]", "{name} {mode}");
            assert_eq!(below(&project), before, "{name} {mode}: a command that only reads");
        }
        leave_placeholders(&project);
        runs(sandbox, folder.path(), "true").await;
        fs::remove_file(project.join("src/program")).unwrap();
        assert_eq!(below(&project), before, "{name}");
    }
}

#[tokio::test]
async fn protected_file_that_a_sandbox_missed_is_reported_once() {
    for sandbox in sandboxes().await {
        let (folder, name) = (project(), sandbox.name());
        let mut client =
            open(coder().sandbox(Some(sandbox)), &folder.path().join("project"), json!({})).await;
        let make = "mkdir -p src/app/.vscode; echo x > src/app/.vscode/tasks.json; cp -r src/app/. src/other";
        fs::write(folder.path().join("project/src/program"), make).unwrap();
        let turn = client.prompt(&execute(json!({ "command": "sh src/program" }))).await;
        let expected = "protected files changed while the command ran: src/app/.vscode (new), src/other/.vscode (new)";
        assert!(turn.text().contains(expected), "{name}: {}", turn.text());
        let shown = turn.tool_calls()[0]["content"].to_string();
        assert!(shown.contains("Protected files changed"), "{name}: the person sees it: {shown}");
        let said =
            client.prompt(&execute(json!({ "command": "sh src/program; true" }))).await.text();
        assert!(!said.contains("protected files changed"), "{name}: {said}");
    }
}

#[tokio::test]
async fn report_lists_files_that_matter_in_any_project_first() {
    for sandbox in sandboxes().await {
        let (folder, name) = (project(), sandbox.name());
        let make = "mkdir -p src/a src/z; for f in 1 2 3 4 5 6 7 8 9 10 11 12; do mkdir src/a/$f; echo > src/a/$f/.bashrc; done
            mkdir src/z/.vscode src/z/.husky";
        let said = runs(sandbox, folder.path(), make).await;
        let (_, report) = said.split_once("while the command ran: ").unwrap_or_default();
        assert!(report.starts_with("src/z/.husky (new), src/z/.vscode (new), "), "{name}: {said}");
        assert_eq!(report.matches("/.bashrc (new)").count(), 12, "{name}: {said}");
    }
}

#[tokio::test]
async fn key_made_by_a_command_stays_readable() {
    for sandbox in sandboxes().await {
        let (folder, name) = (project(), sandbox.name());
        let mut client =
            open(coder().sandbox(Some(sandbox)), &folder.path().join("project"), json!({})).await;
        fs::write(
            folder.path().join("project/src/program"),
            "cat src/test.pem; echo own > src/test.pem",
        )
        .unwrap();
        let run = execute(json!({ "command": "sh src/program" }));
        client.prompt(&run).await;
        let said = client.prompt(&run).await.text();
        assert!(said.starts_with("own\n"), "{name}: {said}");
    }
}

#[tokio::test]
async fn tracked_files_stay_readable() {
    for sandbox in sandboxes().await {
        let (folder, name) = (project(), sandbox.name());
        // This is how an index of version 2 stores a path: it ends with a zero byte.
        fs::write(folder.path().join("project/.git/index"), b"DIRC\0\0sub/deploy.pem\0\0").unwrap();
        let said = runs(sandbox, folder.path(), "cat sub/deploy.pem .env").await;
        assert_eq!(said.matches("hush").count(), 1, "{name}: {said}");
    }
}

/// The id of the user `nobody` on most systems.
const NOBODY: u32 = 65_534;

/// If the tests run as `root`, runs those of this file again as another user.
#[test]
fn another_user_has_the_same_limits() {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;
    if attache_host::user() != 0 {
        return;
    }
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let program = folder.path().join("tests");
    // Another process makes the copy. If this process made it, a child that is forked at the same
    // moment could still have the copy open for writing, and a file that is open for writing cannot
    // be executed.
    let copied = Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&program).status();
    assert!(copied.unwrap().success());
    fs::create_dir(folder.path().join("tmp")).unwrap();
    for (path, mode) in [("", 0o755), ("tests", 0o755), ("tmp", 0o700)] {
        let path = folder.path().join(path);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let mut tests = Command::new(&program);
    tests
        .args(["execute::tests::bounds", "execute::bounds", "--test-threads=2"])
        .current_dir(folder.path());
    tests.env("HOME", folder.path().join("tmp")).env("TMPDIR", folder.path().join("tmp"));
    let output = tests.uid(NOBODY).gid(NOBODY).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    println!("as nobody: {said}");
}
