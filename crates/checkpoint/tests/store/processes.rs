//! Several processes, processes that are killed, and disks that are full.
//!
//! A test starts its own program again for the test [`child`], which does what a variable says.

use crate::project::{Project, long};
use attache_checkpoint::{Label, Reason, Roots, Store, StoreError, StoreOptions, TakeError};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const VARIABLE: &str = "CHECKPOINT_TEST_CHILD";

/// The exit code of a child that finds the disk full.
const DISK_FULL: i32 = 7;

fn start(project: &Project, owner: &str, change: impl FnOnce(&mut Command)) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["processes::child", "--exact", "--nocapture"])
        .env(VARIABLE, format!("{}\n{owner}", project.folder.path().display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    change(&mut command);
    command.spawn().unwrap()
}

/// Takes checkpoints while it changes files, until it is killed or has taken forty.
#[test]
fn child() {
    let Ok(what) = std::env::var(VARIABLE) else { return };
    let (folder, owner) = what.split_once('\n').unwrap();
    let folder = Path::new(folder);
    let store = Store::open(&folder.join("store"), StoreOptions::default()).unwrap();
    let roots = Roots::new([folder.join("root")]).unwrap();
    for round in 0..40 {
        for number in 0..20 {
            let path = folder.join(format!("root/{owner}{number}"));
            fs::write(path, format!("{owner} {round} {number} ").repeat(200)).unwrap();
        }
        match store.take(&roots, &Label::new(owner, Reason::BeforePrompt), &long()) {
            Ok(_) => {}
            Err(TakeError::Store(StoreError::DiskFull { .. })) => std::process::exit(DISK_FULL),
            Err(error) => panic!("{error}"),
        }
        match (round % 7 == 6).then(|| store.forget(owner)) {
            None | Some(Ok(())) => {}
            Some(Err(StoreError::DiskFull { .. })) => std::process::exit(DISK_FULL),
            Some(Err(error)) => panic!("{error}"),
        }
    }
}

fn assert_whole(project: &Project) {
    let verified = project.store.verify().unwrap();
    assert!(verified.affected.is_empty() && verified.problems.is_empty(), "{verified:?}");
    let summary = project.take();
    assert!(summary.complete, "{summary:?}");
    let tree = project.tree(summary.id);
    for (path, entry) in tree.iter() {
        if let attache_checkpoint::Entry::File { content, .. } = entry {
            let bytes = fs::read(project.root().join(path.relative())).unwrap();
            assert!(project.store.content(*content).unwrap() == bytes, "{path}");
        }
    }
}

#[test]
fn a_process_killed_at_any_time_leaves_a_whole_store() {
    let project = Project::new();
    for round in 0..25 {
        let mut child = start(&project, "killed", |_| {});
        std::thread::sleep(Duration::from_millis(20 + round * 17));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_whole(&project);
    }
}

#[test]
fn two_processes_use_one_store_at_once() {
    let project = Project::new();
    let children = ["one", "two", "three"].map(|owner| start(&project, owner, |_| {}));
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_whole(&project);
    let owners: Vec<_> =
        project.store.list(None).unwrap().into_iter().map(|each| each.label.owner).collect();
    for owner in ["one", "two", "three"] {
        // The last five were taken after the last deletion.
        assert_eq!(owners.iter().filter(|each| *each == owner).count(), 5, "{owners:?}");
    }
}

#[test]
fn a_full_disk_is_an_error_that_says_so_and_leaves_a_whole_store() {
    let project = Project::new();
    project.write("file", "x");
    let before = project.take();
    let mut child = start(&project, "full", |command| {
        let limit = libc::rlimit { rlim_cur: 1_500_000, rlim_max: 1_500_000 };
        // SAFETY: these calls are safe between fork and exec, and only take numbers.
        unsafe {
            command.pre_exec(move || {
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                match libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            })
        };
    });
    assert_eq!(child.wait().unwrap().code(), Some(DISK_FULL));
    assert_eq!(project.text(before.id, "file").unwrap(), b"x");
    assert_whole(&project);
}

/// The locks belong to open files, so that another thread stands for another process.
#[test]
fn a_checkpoint_waits_for_the_one_that_another_process_takes() {
    let project = Project::new();
    project.write("file", "x");
    let held = (0..64).map(|number| {
        let path = project.store.folder().join(format!("take-{number}.lock"));
        let file = fs::File::create(path).unwrap();
        file.lock().unwrap();
        file
    });
    let held: Vec<fs::File> = held.collect();
    std::thread::scope(|scope| {
        let (sender, taken) = std::sync::mpsc::channel();
        let project = &project;
        scope.spawn(move || sender.send(project.take()).unwrap());
        taken.recv_timeout(Duration::from_millis(300)).unwrap_err();
        drop(held);
        assert!(taken.recv().unwrap().complete);
    });
}
