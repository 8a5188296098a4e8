//! Protected names: those that exist, those that are missing, and the folders above them.

use super::{Place, ran, sandboxes};
use attache_host::{Launch, Sandbox, is_placeholder};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A place with protected names that are missing, and a protected name deeper inside.
fn place() -> Place {
    let mut place = Place::new();
    for folder in ["project/sub/deep/.git/hooks", "project/.config", "project/sub/other"] {
        fs::create_dir_all(place.at(folder)).unwrap();
    }
    fs::write(place.at("project/sub/AGENTS.md"), "before\n").unwrap();
    place
        .bounds
        .read_only
        .extend([place.at("project/sub/deep/.git"), place.at("project/sub/AGENTS.md")]);
    place.bounds.missing =
        [".claude", ".vscode", ".envrc", ".github/workflows", ".config/git", "sub/.cargo"]
            .iter()
            .map(|name| place.at("project").join(name))
            .collect();
    place
}

/// Returns every path below a folder, in order. A folder that disappears during the walk counts as
/// empty; the first one must exist.
pub(crate) fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = match fs::read_dir(&next) {
            Err(error) if error.kind() == ErrorKind::NotFound && next != folder => continue,
            entries => entries.unwrap(),
        };
        for entry in entries {
            let entry = entry.unwrap();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn a_missing_name_cannot_be_created_and_its_placeholder_is_removed() {
    for sandbox in sandboxes().await {
        let place = place();
        let before = below(&place.at("project"));
        let script = "mkdir .claude; echo evil > .claude/settings.json; mkdir .vscode; echo evil > .vscode/tasks.json
            echo evil > .envrc; mkdir -p .github/workflows; echo evil > .github/workflows/ci.yml; rm -rf .vscode .envrc
            mkdir x; echo evil > x/tasks.json; mv x .vscode; mv x/tasks.json .envrc; ln -s src .vscode; ln -s note .envrc
            rmdir .claude; mv .claude y; mv .github z; echo evil > .config/git/config; mkdir sub/.cargo; echo evil > sub/.cargo/config.toml
            rm -rf x; cat note";
        let (_, said) = place.run(&sandbox, script).await;
        assert!(said.ends_with("before\n"), "{}: {said}", sandbox.name());
        let left: Vec<PathBuf> =
            below(&place.at("project")).into_iter().filter(|path| !before.contains(path)).collect();
        assert_eq!(left, Vec::<PathBuf>::new(), "{}: {said}", sandbox.name());
        assert_eq!(below(&place.at("project")), before, "{}", sandbox.name());
    }
}

#[tokio::test]
async fn a_folder_above_a_protected_name_cannot_be_replaced() {
    for sandbox in sandboxes().await {
        let place = place();
        let before = below(&place.at("project"));
        let script = "mv sub old; mv sub/deep sub/old; mkdir -p sub/deep/.git/hooks; echo evil > sub/deep/.git/hooks/pre-commit
            rm -rf sub/deep; echo evil > sub/AGENTS.md; mv note sub/AGENTS.md; rm sub/AGENTS.md; true";
        let (_, said) = place.run(&sandbox, script).await;
        assert_eq!(below(&place.at("project")), before, "{}: {said}", sandbox.name());
        assert_eq!(
            fs::read_to_string(place.at("project/sub/AGENTS.md")).unwrap(),
            "before\n",
            "{}",
            sandbox.name()
        );
        if sandbox.name() == "bubblewrap" {
            let (_, said) = place
                .run(
                    &sandbox,
                    "echo new > sub/new; mkdir sub/deep/new; rm sub/new; rmdir sub/deep/new; echo ok",
                )
                .await;
            assert_eq!(said, "ok\n", "the other names in these folders are writable");
        }
    }
}

#[tokio::test]
async fn placeholders_are_removed_with_the_last_command_however_it_ends() {
    let Ok(sandbox) = Sandbox::bubblewrap().await else { return };
    let place = place();
    let before = below(&place.at("project"));
    let begin =
        || place.inside(&sandbox, Launch::shell("echo ready; exec sleep 1000")).run().unwrap();
    let (mut first, mut second) = (begin(), begin());
    for command in [&mut first, &mut second] {
        assert_eq!(command.chunk().await.unwrap(), b"ready\n");
    }
    let claude = place.at("project/.claude");
    assert!(is_placeholder(&claude) && !is_placeholder(&place.at("project/src")));
    first.kill();
    first.wait().await;
    assert!(is_placeholder(&claude), "the second command still needs it");
    second.kill();
    second.wait().await;
    assert_eq!(below(&place.at("project")), before);
    drop(place.inside(&sandbox, Launch::shell("true")));
    assert_eq!(below(&place.at("project")), before, "a launch that is not started leaves nothing");
    let missing = place.inside(&sandbox, Launch::shell("true")).cwd(place.at("nowhere"));
    assert!(missing.run().is_err());
    assert_eq!(below(&place.at("project")), before, "a start that fails leaves nothing");
}

#[tokio::test]
async fn an_empty_folder_of_the_person_is_kept() {
    for sandbox in sandboxes().await {
        let place = place();
        fs::create_dir(place.at("project/.claude")).unwrap();
        let before = below(&place.at("project"));
        let (_, said) =
            ran(place.inside(&sandbox, Launch::shell("cat note; echo evil > .claude/x"))).await;
        assert!(said.starts_with("before\n"), "{said}");
        assert!(
            below(&place.at("project")).contains(&place.at("project/.claude")),
            "{}",
            sandbox.name()
        );
        assert!(before.contains(&place.at("project/.claude")));
    }
}
