//! Time: checkpoints that stop early, and changes after the prompt was sent.

use crate::project::{Project, long};
use attache_checkpoint::{Budget, Entry, NotKeptReason, TakeControl, TreePath};
use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

fn path(relative: &str) -> TreePath {
    TreePath::new(0, relative)
}

/// Longer than a step of the clock of files.
fn pause() {
    std::thread::sleep(Duration::from_millis(60));
}

#[test]
fn without_time_nothing_is_kept_and_completing_keeps_what_did_not_change() {
    let project = Project::new();
    project.write("old", "before");
    project.write("folder/removed", "before");
    project.write("changed", "before");
    pause();
    let summary = project.take_as("session", &Budget::lasting(Duration::ZERO));
    assert!(!summary.complete);
    assert_eq!(summary.not_kept[0].why, NotKeptReason::Time);
    assert!(project.tree(summary.id).is_unknown(&path("old")));
    let sent = SystemTime::now();
    pause();
    project.write("changed", "by the agent");
    project.write("new", "by the agent");
    let completed = project.store.complete(summary.id, &long().after_prompt(sent)).unwrap();
    assert_eq!(completed.id, summary.id);
    assert!(!completed.complete);
    assert_eq!(project.text(summary.id, "old").unwrap(), b"before");
    assert_eq!(project.text(summary.id, "folder/removed").unwrap(), b"before");
    let tree = project.tree(summary.id);
    for name in ["changed", "new"] {
        let why = tree.get(&path(name)).unwrap().not_kept();
        assert_eq!(why, Some(NotKeptReason::ChangedAfterPrompt), "{name}");
    }
    assert_eq!(project.store.list(None).unwrap(), [completed]);
}

#[test]
fn what_was_kept_in_time_stays_when_the_checkpoint_is_completed() {
    let project = Project::new();
    project.write("file", "before");
    project.write("gone", "before");
    let summary = project.take();
    pause();
    let sent = SystemTime::now();
    pause();
    project.write("file", "after");
    fs::remove_file(project.root().join("gone")).unwrap();
    let completed = project.store.complete(summary.id, &long().after_prompt(sent)).unwrap();
    assert!(completed.complete, "{completed:?}");
    assert_eq!(project.text(summary.id, "file").unwrap(), b"before");
    assert_eq!(project.text(summary.id, "gone").unwrap(), b"before");
    // The next checkpoint has the new state.
    let next = project.take();
    assert_eq!(project.text(next.id, "file").unwrap(), b"after");
    assert_eq!(project.text(next.id, "gone"), None);
}

#[test]
fn names_that_vanish_after_the_prompt_are_unknown_not_absent() {
    let project = Project::new();
    project.write("gone", "before");
    project.write("folder/file", "before");
    project.take();
    pause();
    let sent = SystemTime::now();
    pause();
    fs::remove_file(project.root().join("gone")).unwrap();
    fs::remove_dir_all(project.root().join("folder")).unwrap();
    let summary = project.take_as("session", &long().after_prompt(sent));
    assert!(!summary.complete);
    let tree = project.tree(summary.id);
    let why = NotKeptReason::ChangedAfterPrompt;
    assert_eq!(tree.get(&path("gone")), Some(&Entry::Unknown { why }));
    assert_eq!(tree.get(&path("folder")), Some(&Entry::FolderNotKept { why }));
    assert!(tree.is_unknown(&path("folder/file")));
}

#[test]
fn a_rewrite_of_the_same_size_within_one_step_of_the_clock_is_noticed() {
    let project = Project::new();
    for round in 0..50_u8 {
        project.write("file", [b'a' + round % 26; 4]);
        let summary = project.take();
        assert_eq!(project.text(summary.id, "file").unwrap(), [b'a' + round % 26; 4]);
    }
}

#[test]
fn a_file_that_never_rests_is_listed_as_changed_while_read() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let project = Project::new();
    project.write("quiet", "x");
    project.write("log", vec![b'x'; 3_000_000]);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let log = project.root().join("log");
            let mut file = fs::File::options().append(true).open(log).unwrap();
            while !stop.load(Ordering::Relaxed) {
                std::io::Write::write_all(&mut file, b"line\n").unwrap();
            }
        });
        for _ in 0..5 {
            let summary = project.take();
            match project.tree(summary.id).get(&path("log")).unwrap() {
                Entry::File { content, size, .. } => {
                    // It was read between two writes, or the clock made no step; then it is whole.
                    assert_eq!(project.store.content(*content).unwrap().len() as u64, *size);
                }
                entry => assert!(
                    matches!(
                        entry.not_kept(),
                        Some(NotKeptReason::ChangedWhileRead | NotKeptReason::Large)
                    ),
                    "{entry:?}"
                ),
            }
            assert_eq!(project.text(summary.id, "quiet").unwrap(), b"x");
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_running_take_learns_that_the_prompt_was_sent_or_that_it_must_stop() {
    let project = Project::new();
    project.write("old", "before");
    pause();
    let control = Arc::<TakeControl>::default();
    control.prompt_sent(SystemTime::now());
    pause();
    control.prompt_sent(SystemTime::now());
    project.write("changed", "by the agent");
    let summary = project.take_as("session", &long().with_control(control.clone()));
    assert_eq!(project.text(summary.id, "old").unwrap(), b"before");
    let why = project.tree(summary.id).get(&path("changed")).unwrap().not_kept();
    assert_eq!(why, Some(NotKeptReason::ChangedAfterPrompt), "the first prompt counts");
    control.stop();
    assert!(!project.take_as("another", &long().with_control(control)).complete);
}
