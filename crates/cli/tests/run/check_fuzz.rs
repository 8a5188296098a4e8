//! `attache check fuzz`.

use crate::project::{Ended, Project};

const OURS: &str = env!("CARGO_BIN_EXE_attache");

fn fuzz(project: &Project, arguments: &[&str], command: &[&str]) -> Ended {
    project.run(&[&["check", "fuzz", "agent"], arguments, &["--"], command].concat())
}

#[test]
fn our_agent_survives_malformed_conversations() {
    let ended = fuzz(&Project::empty(), &["--runs", "120", "--seed", "11"], &[OURS, "agent"]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert_eq!(ended.stdout, "120 cases of seed 11 were run, and nothing broke.\n");
}

/// An agent behind `sed`, which ends the agent's input after the first line that is not an object.
#[test]
fn a_failure_of_an_agent_is_minimized_and_can_be_replayed() {
    let project = Project::empty();
    let touchy = format!("sed -u '/^[^{{]/q' | '{OURS}' agent");
    let touchy = ["sh", "-c", &touchy];
    let ended = fuzz(&project, &["--runs", "300", "--output", "found.jsonl"], &touchy);
    assert_eq!(ended.code, Some(4), "{ended:#?}");
    assert!(ended.stdout.contains("of seed 0: it ends: the agent ended"), "{ended:#?}");
    let said = ended.stdout.lines().filter(|line| line.starts_with("  ->")).count();
    assert!(said <= 2, "{ended:#?}");
    let again = fuzz(&project, &["--replay", "found.jsonl"], &touchy);
    assert_eq!(again.code, Some(4), "{again:#?}");
    assert!(again.stdout.starts_with("The recording: it ends"), "{again:#?}");
    let sound = fuzz(&project, &["--replay", "found.jsonl"], &[OURS, "agent"]);
    assert_eq!(sound.code, Some(0), "{sound:#?}");
    let judged = project.run(&["check", "trace", "found.jsonl"]);
    assert!(judged.stdout.contains(" lines, "), "{judged:#?}");
}

/// A folder of others can contain a link of this name.
#[test]
fn a_failure_replaces_no_file_that_was_not_named() {
    let project = Project::empty();
    let (kept, link) = (project.path().join("kept"), project.path().join("fuzz.jsonl"));
    std::fs::write(&kept, "mine").unwrap();
    std::os::unix::fs::symlink(&kept, &link).unwrap();
    let ended = fuzz(&project, &["--runs", "1"], &["sh", "-c", "read -r line; exit 1"]);
    assert_eq!(ended.code, Some(4), "{ended:#?}");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "mine");
    assert!(ended.stdout.contains("written to fuzz-2.jsonl."), "{ended:#?}");
    assert!(project.path().join("fuzz-2.jsonl").is_file());
}

#[test]
fn a_broken_recording_and_a_missing_peer_are_reported() {
    let project = Project::empty();
    for (arguments, command, code, said) in [
        (&["--replay", "nothing.jsonl"][..], OURS, 2, "nothing.jsonl cannot be read"),
        (&[], "/attache/no-such-agent", 3, "no-such-agent"),
    ] {
        let ended = fuzz(&project, arguments, &[command]);
        assert_eq!(ended.code, Some(code), "{ended:#?}");
        assert!(ended.stderr.contains(said), "{ended:#?}");
    }
}

#[test]
fn our_client_survives_malformed_conversations() {
    let command = [
        "check", "fuzz", "client", "--runs", "120", "--seed", "11", "--", OURS, "run", "--agent",
        "{agent}", "{prompt}",
    ];
    let ended = Project::empty().run(&command);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert_eq!(ended.stdout, "120 cases of seed 11 were run, and nothing broke.\n");
}

/// A client whose agent is behind `sed`, which ends the client's input after the first line that is
/// not an object.
#[test]
fn a_failure_of_a_client_is_minimized_and_can_be_replayed() {
    let project = Project::empty();
    let touchy =
        format!("exec '{OURS}' run --agent \"sh -c \\\"$1 | sed -u '/^[^{{]/q'\\\"\" hello");
    let command = ["--timeout", "2", "--", "sh", "-c", &touchy, "sh", "{agent}"];
    let ended = project.run(&[&["check", "fuzz", "client"], &command[..]].concat());
    assert_eq!(ended.code, Some(4), "{ended:#?}");
    assert!(ended.stdout.contains("of seed 0: it hangs: it does not answer a call"), "{ended:#?}");
    let again = project
        .run(&[&["check", "fuzz", "client", "--replay", "fuzz.jsonl"], &command[..]].concat());
    assert_eq!(again.code, Some(4), "{again:#?}");
}
