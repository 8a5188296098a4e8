//! `attache new`: what it writes builds, passes its own test and answers.

use crate::project::{Ended, Project};
use std::path::Path;
use std::process::Command;

#[test]
fn a_new_agent_builds_passes_its_test_and_answers() {
    let project = Project::empty();
    let libraries = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let ended = project.run(&["new", "agent", "hello-there", "--libraries", libraries]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("cd hello-there && cargo test"), "{ended:?}");
    // Kept from run to run, like everything else that is built here.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-agent");
    let tested = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--quiet"])
        .current_dir(project.path().join("hello-there"))
        .env("CARGO_TARGET_DIR", &built)
        .output()
        .unwrap();
    let tested = Ended::from(tested);
    assert_eq!(tested.code, Some(0), "{tested:?}");
    assert!(tested.stdout.contains("1 passed"), "{tested:?}");
    let agent = built.join("debug/hello-there");
    let command = format!("'{}'", agent.display());
    let ended = project.run(&["run", "--quiet", "--agent", &command, "good", "morning"]);
    assert_eq!(
        (ended.code, ended.stdout.trim_end()),
        (Some(0), "That is number 1: good morning"),
        "{ended:?}"
    );
}

#[test]
fn nothing_that_exists_is_overwritten_and_an_unfit_name_makes_nothing() {
    let project = Project::new();
    std::fs::create_dir(project.path().join("here")).unwrap();
    for (name, said) in [("here", "exists already"), ("No Good", "small letter"), ("../out", "small letter")]
    {
        let ended = project.run(&["new", "agent", name]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(said), "{ended:?}");
    }
    assert_eq!(std::fs::read_dir(project.path()).unwrap().count(), 3);
    let ended = project.run(&["new", "agent", "hello", "--libraries", "."]);
    assert!(ended.code == Some(2) && ended.stderr.contains("no checkout of Attaché"), "{ended:?}");
    assert!(!project.path().join("hello").exists());
}
