//! `attache new`: the created project builds, passes its own test and answers.

use crate::project::{Ended, Project};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn a_new_agent_builds_passes_its_test_and_answers() {
    let project = Project::empty();
    let agent = create_and_test(&project, "agent", "hello-there");
    let command = format!("'{}'", agent.display());
    let ended = project.run(&["run", "--quiet", "--agent", &command, "good", "morning"]);
    assert_eq!(
        (ended.code, ended.stdout.trim_end()),
        (Some(0), "That is number 1: good morning"),
        "{ended:?}"
    );
}

#[test]
fn a_new_client_builds_passes_its_test_and_asks_an_agent() {
    let project = Project::empty();
    let client = create_and_test(&project, "client", "ask-there");
    let asked =
        project.program(&client, &[concat!(env!("CARGO_BIN_EXE_attache"), " agent"), "hello"]);
    assert_eq!((asked.code, asked.stderr.as_str()), (Some(0), ""), "{asked:?}");
    assert!(!asked.stdout.trim().is_empty(), "{asked:?}");
    let alone = project.program(&client, &[]);
    assert!(alone.code == Some(1) && alone.stderr.contains("usage: ask-there"), "{alone:?}");
}

/// Creates a project of this kind, runs its own test, and returns its program.
fn create_and_test(project: &Project, kind: &str, name: &str) -> PathBuf {
    let libraries = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let ended = project.run(&["new", kind, name, "--libraries", libraries]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains(&format!("cd {name} && cargo test")), "{ended:?}");
    // The target folder is kept between runs, like everything else that is built here.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-agent");
    let tested = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--quiet"])
        .current_dir(project.path().join(name))
        .env("CARGO_TARGET_DIR", &built)
        .output()
        .unwrap();
    let tested = Ended::from(tested);
    assert_eq!(tested.code, Some(0), "{tested:?}");
    assert!(tested.stdout.contains("1 passed"), "{tested:?}");
    built.join("debug").join(name)
}

#[test]
fn existing_files_stay_and_an_invalid_name_creates_nothing() {
    let project = Project::new();
    std::fs::create_dir(project.path().join("here")).unwrap();
    for (name, said) in [
        ("here", "already exists"),
        ("No Good", "lower-case letter"),
        ("../out", "lower-case letter"),
    ] {
        let ended = project.run(&["new", "agent", name]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(said), "{ended:?}");
    }
    assert_eq!(std::fs::read_dir(project.path()).unwrap().count(), 3);
    let ended = project.run(&["new", "agent", "hello", "--libraries", "."]);
    assert!(
        ended.code == Some(2) && ended.stderr.contains("not a checkout of Attaché"),
        "{ended:?}"
    );
    assert!(!project.path().join("hello").exists());
}

/// The programs of the tutorials compile exactly as printed.
#[test]
fn the_examples_of_the_documentation_compile_as_printed() {
    let examples: Vec<&str> = [
        include_str!("../../../../docs/write-an-agent.md"),
        include_str!("../../../../docs/write-a-client.md"),
    ]
    .into_iter()
    .flat_map(|page| page.split("```rust\n").skip(1))
    .map(|behind| behind.split_once("```").unwrap().0)
    .collect();
    assert_eq!(examples.len(), 5, "two agents and three clients");
    let project = Project::empty();
    let libraries = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let ended = project.run(&["new", "agent", "printed", "--libraries", libraries]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let folder = project.path().join("printed");
    // The dev-dependencies of the new project contain both kits, so its examples can use them.
    std::fs::create_dir(folder.join("examples")).unwrap();
    for (number, example) in examples.iter().enumerate() {
        std::fs::write(folder.join(format!("examples/example{number}.rs")), example).unwrap();
    }
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-agent");
    let checked = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "--examples"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", &built)
        .output()
        .unwrap();
    let checked = Ended::from(checked);
    assert_eq!((checked.code, checked.stderr.as_str()), (Some(0), ""), "{checked:?}");
}

/// A copy of the program outside of the checkout uses the libraries of its version from Cargo's
/// registry. `scripts/release/crates` builds such projects from packages.
#[test]
fn outside_a_checkout_the_libraries_come_from_the_registry() {
    let project = Project::empty();
    let program = project.path().join("attache");
    std::fs::copy(env!("CARGO_BIN_EXE_attache"), &program).unwrap();
    let created = |arguments: &[&str]| {
        let ended = project.program(&program, arguments);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        std::fs::read_to_string(project.path().join(arguments[2]).join("Cargo.toml")).unwrap()
    };
    let version = concat!("attache-client = \"", env!("CARGO_PKG_VERSION"), "\"\n");
    for kind in ["agent", "client"] {
        let manifest = created(&["new", kind, kind]);
        assert!(manifest.contains(version) && !manifest.contains("{{"), "{manifest}");
    }
    let manifest = created(&["new", "agent", "hello", "--git", "https://example.org/attache.git"]);
    assert!(
        manifest.contains(r#"attache-agent = { git = "https://example.org/attache.git" }"#),
        "{manifest}"
    );
    project
        .program(&program, &["new", "agent", "other", "--git", "nonsense"])
        .failed(2, &["https://"]);
    assert!(!project.path().join("other").exists());
}
