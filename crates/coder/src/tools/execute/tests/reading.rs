//! Commands that run without a question because they only read.

use super::{coder, execute, open, project, sandboxes};
use serde_json::json;
use std::fs;
use std::path::Path;

fn git(folder: &Path, arguments: &[&str]) {
    let name = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    let done = std::process::Command::new("git")
        .args(name)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

/// A program that leaves a file in the project.
fn write_program(place: &Path) -> String {
    let file = place.join("evil.sh");
    fs::write(&file, format!("touch '{}'\n", place.join("changed").display())).unwrap();
    format!("sh '{}'", file.display())
}

/// The bare repository is an ordinary folder inside another repository, so a checkout can contain
/// it.
#[tokio::test]
async fn embedded_bare_repository_runs_nothing_and_shows_nothing() {
    let folder = project();
    let place = folder.path().join("project");
    fs::remove_dir_all(place.join(".git")).unwrap();
    git(&place, &["init", "-q"]);
    let embedded = place.join("vendor/lib");
    fs::create_dir_all(&embedded).unwrap();
    git(&embedded, &["init", "-q", "--bare", "."]);
    for (key, value) in [
        ("core.bare", "false"),
        ("core.worktree", "../.."),
        ("core.fsmonitor", &write_program(&place)),
    ] {
        git(&place, &["--git-dir", "vendor/lib", "config", key, value]);
    }
    let seen =
        std::process::Command::new("git").arg("status").current_dir(&embedded).output().unwrap();
    assert!(
        seen.status.success() && place.join("changed").exists(),
        "the repository works: {seen:?}"
    );
    fs::remove_file(place.join("changed")).unwrap();
    for sandbox in sandboxes().await {
        let name = sandbox.name();
        let mut client = open(coder().sandbox(Some(sandbox)), &place, json!({})).await;
        client.otherwise = Some("reject_once");
        for mode in ["plan", "ask", "edit", "auto"] {
            client.set("mode", mode).await;
            let said = client
                .prompt(&execute(json!({ "command": "cd vendor/lib && git status" })))
                .await
                .text();
            assert!(!place.join("changed").exists(), "{name} {mode}: {said}");
            assert!(
                said.contains("safe.bareRepository") || said.contains("Not done"),
                "{name} {mode}: {said}"
            );
        }
    }
    let mut client = open(coder().sandbox(None), &place, json!({})).await;
    client.otherwise = Some("reject_once");
    client.prompt(&execute(json!({ "command": "cd vendor/lib && git status" }))).await;
    assert_eq!(client.asked.len(), 1, "it asks if no sandbox works");
    assert!(!place.join("changed").exists());
}

#[tokio::test]
async fn programs_named_by_a_repository_do_not_run_when_git_shows_something() {
    let folder = project();
    let place = folder.path().join("project");
    fs::remove_dir_all(place.join(".git")).unwrap();
    git(&place, &["init", "-q"]);
    fs::write(place.join(".gitattributes"), "*.x diff=x filter=x\n").unwrap();
    fs::write(place.join("a.x"), "one\n").unwrap();
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "one"]);
    fs::write(place.join("a.x"), "two\n").unwrap();
    let program = write_program(&place);
    for key in ["core.fsmonitor", "core.pager", "pager.log"] {
        git(&place, &["config", key, &program]);
    }
    let shows = ["git status", "git diff", "git log -p", "git show"]
        .map(|command| execute(json!({ "command": command, "terminal": true })));
    for sandbox in sandboxes().await {
        let name = sandbox.name();
        let mut client = open(coder().sandbox(Some(sandbox)), &place, json!({})).await;
        client.otherwise = Some("reject_once");
        client.set("mode", "plan").await;
        let said = client.prompt(&shows.join("\n")).await.text();
        assert!(client.asked.is_empty() && said.contains("+two"), "{name}: {said}");
        assert!(!place.join("changed").exists(), "{name}: {said}");
    }
    for (key, asked) in
        [("diff.external", 3), ("diff.x.textconv", 3), ("diff.x.command", 3), ("filter.x.clean", 4)]
    {
        git(&place, &["config", key, &program]);
        let mut client = open(coder(), &place, json!({})).await;
        client.otherwise = Some("reject_once");
        client.set("mode", "plan").await;
        client.prompt(&shows.join("\n")).await;
        assert_eq!(client.asked.len(), asked, "{key}");
        git(&place, &["config", "--unset", key]);
    }
    assert!(!place.join("changed").exists());
}

#[tokio::test]
async fn unsandboxed_run_asks_in_every_mode_unless_a_rule_covers_unsandboxed_runs() {
    for sandbox in sandboxes().await {
        let folder = project();
        let rules = folder.path().join("permissions.toml");
        let allowed = "[[allow]]\ncommand = \"touch\"\n\n[[allow]]\ncommand = \"mkdir\"\nunsandboxed = true\n";
        fs::write(&rules, allowed).unwrap();
        let coder = coder().sandbox(Some(sandbox)).permissions(rules);
        let mut client = open(coder, &folder.path().join("project"), json!({})).await;
        client.otherwise = Some("reject_once");
        for mode in ["ask", "edit", "auto"] {
            client.set("mode", mode).await;
            client.asked.clear();
            for (command, asked) in
                [("ls", 1), ("cat src/a", 2), ("touch src/b", 3), ("mkdir -p src/c", 3)]
            {
                client.prompt(&execute(json!({ "command": command, "unsandboxed": "why" }))).await;
                assert_eq!(client.asked.len(), asked, "{mode} {command}");
            }
            let offered = client.asked[2].to_string();
            assert!(
                offered.contains("commands that start with `touch` without a sandbox"),
                "{offered}"
            );
            client.prompt(&execute(json!({ "command": "touch src/b" }))).await;
            assert_eq!(client.asked.len(), 3, "{mode}: the rule covers the sandboxed run");
        }
        client.set("mode", "plan").await;
        client.prompt(&execute(json!({ "command": "ls", "unsandboxed": "why" }))).await;
        assert_eq!(client.asked.len(), 4);
    }
}

/// A program that prints a line when git runs it.
const SAYS: &str = "sh -c 'echo RAN >&2; cat'";

#[tokio::test]
async fn nested_repository_runs_nothing() {
    for (key, value) in [
        ("filter.x.clean", SAYS),
        ("filter.x.process", SAYS),
        ("diff.external", SAYS),
        ("core.fsmonitor", SAYS),
    ] {
        let folder = project();
        let (place, lib) = (folder.path().join("project"), folder.path().join("project/lib"));
        fs::remove_dir_all(place.join(".git")).unwrap();
        fs::create_dir_all(&lib).unwrap();
        for repository in [&lib, &place] {
            git(repository, &["init", "-q"]);
            fs::write(repository.join("file"), "old\n").unwrap();
            git(repository, &["-c", "advice.addEmbeddedRepo=false", "add", "."]);
            git(repository, &["commit", "-q", "-m", "first"]);
        }
        git(&place, &["config", "diff.submodule", "diff"]);
        fs::write(lib.join(".gitattributes"), "* filter=x\n").unwrap();
        fs::write(lib.join("file"), "new\n").unwrap();
        git(&lib, &["config", key, value]);
        for sandbox in sandboxes().await {
            let name = sandbox.name();
            let mut client = open(coder().sandbox(Some(sandbox)), &place, json!({})).await;
            client.otherwise = Some("reject_once");
            for mode in ["plan", "ask"] {
                client.set("mode", mode).await;
                for command in [
                    "git status",
                    "git status -vv",
                    "git diff",
                    "git diff HEAD",
                    "git log -p",
                    "git show",
                ] {
                    let said = client.prompt(&execute(json!({ "command": command }))).await.text();
                    assert!(said.contains("Not done"), "{name} {mode} {key} {command}: {said}");
                }
            }
        }
    }
}

#[tokio::test]
async fn git_help_opens_no_viewer() {
    let folder = project();
    let place = folder.path().join("project");
    fs::remove_dir_all(place.join(".git")).unwrap();
    git(&place, &["init", "-q"]);
    git(&place, &["config", "man.viewer", "x"]);
    git(&place, &["config", "man.x.cmd", SAYS]);
    for sandbox in sandboxes().await {
        let name = sandbox.name();
        let mut client = open(coder().sandbox(Some(sandbox)), &place, json!({})).await;
        client.otherwise = Some("reject_once");
        for mode in ["plan", "ask"] {
            client.set("mode", mode).await;
            for command in ["git log --help", "git status --help", "git help log", "git --help log"]
            {
                let said = client.prompt(&execute(json!({ "command": command }))).await.text();
                assert!(
                    !said.contains("RAN") && !said.contains("exit code"),
                    "{name} {mode} {command}: {said}"
                );
            }
            let said = client.prompt(&execute(json!({ "command": "git log -h" }))).await.text();
            assert!(said.contains("usage: git log"), "{name} {mode}: {said}");
        }
    }
}
