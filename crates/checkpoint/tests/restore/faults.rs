//! Restores that are interrupted or refused: `kill -9`, a full disk, a folder that cannot be
//! written, and files that are locked or replaced.

use crate::world::{Seen, Snapshot, World, kept, link, tree_path};
use attache_checkpoint::{
    Author, CheckpointId, Goal, KeptReason, Progress, RestoreRequest, Restorer, Store, StoreOptions,
};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable that makes the test binary restore in a child process: the folder, the checkpoint,
/// what happens, and at which operation.
const CHILD: &str = "ATTACHE_TEST_RESTORE";

/// How large the restored files are, so that a limit is reached in the middle of each.
const SIZE: usize = 300_000;

fn text(name: &str, line: &str) -> String {
    format!("{name} {line}\n").repeat(SIZE / (name.len() + line.len() + 2))
}

/// A world in which a turn changed, added and removed files.
fn world() -> (World, CheckpointId, Snapshot, Snapshot) {
    let world = World::new();
    for name in ["a", "b", "c/removed"] {
        world.write(name, text(name, "old"));
    }
    world.write("type", text("type", "old"));
    let before = world.snapshot();
    let start = world.turn("x", 1, |world| {
        world.write("a", text("a", "new"));
        world.write("b", text("b", "new"));
        fs::remove_dir_all(world.path("c")).unwrap();
        world.write("d/added", "added");
        fs::remove_file(world.path("type")).unwrap();
        world.write("type/inner", "inner");
    });
    let after = world.snapshot();
    (world, start, before, after)
}

/// The number of operations that undo the turn.
const OPERATIONS: usize = 9;

fn child(world: &World, start: CheckpointId, fault: &str, at: usize) -> std::process::Output {
    let value = format!("{}\n{start}\n{fault}\n{at}", world.base.display());
    Command::new(std::env::current_exe().unwrap())
        .args(["faults::child_restores", "--exact", "--nocapture"])
        .env(CHILD, value)
        .output()
        .unwrap()
}

/// Runs in a child process of the other tests.
#[test]
fn child_restores() {
    let Ok(value) = std::env::var(CHILD) else { return };
    let fields: Vec<&str> = value.split('\n').collect();
    let [base, start, fault, at] = fields[..] else { panic!("{value}") };
    let at: usize = at.parse().unwrap();
    if fault == "other-user" {
        // SAFETY: these calls only change the ids of this process.
        assert!(unsafe { libc::setgid(65_534) == 0 && libc::setuid(65_534) == 0 });
    }
    let world = World::open(Path::new(base));
    let progress = |progress: Progress<'_>| {
        if progress.done == at {
            match fault {
                // SAFETY: the call takes only numbers.
                "kill" => drop(unsafe { libc::kill(libc::getpid(), libc::SIGKILL) }),
                "kill-in-write" => limit_files(false),
                "full" => limit_files(true),
                _ => {}
            }
        }
    };
    let restorer = world.restorer().with_progress(&progress);
    let request = RestoreRequest::new("x", Goal::Since(start.parse().unwrap()));
    let plan = restorer.plan(&request).unwrap();
    let restored = restorer.restore(&plan).unwrap();
    if fault == "memory" {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak < at, "the restore needed {peak} kB");
    }
    println!("RESULT {}", serde_json::to_string(&restored).unwrap());
}

/// Lets no file grow beyond a part of the restored ones. Without `survives`, the system kills the
/// process when it writes more; otherwise the write fails as on a full disk.
fn limit_files(survives: bool) {
    let limit = libc::rlimit { rlim_cur: 100_000, rlim_max: 100_000 };
    // SAFETY: the limit is a valid value, and the signal gets one of its two usual treatments.
    unsafe {
        libc::signal(libc::SIGXFSZ, if survives { libc::SIG_IGN } else { libc::SIG_DFL });
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
}

/// Fails unless each file is as before or as after. Folders and temporary files do not count.
fn assert_old_or_new(world: &World, one: &Snapshot, other: &Snapshot) {
    for (path, seen) in world.snapshot() {
        let is_draft = path.to_string_lossy().contains(".attache-restore-");
        if matches!(seen, Seen::File(..)) && !is_draft {
            let known = [one.get(&path), other.get(&path)];
            assert!(known.contains(&Some(&seen)), "{path:?} is neither old nor new");
        }
    }
}

/// Completes the restore as the next start does, and undoes it.
fn assert_completed(world: World, before: &Snapshot, after: &Snapshot) {
    let world = World::open(&world.base).with_folder_of(world);
    let recovered = world.restorer().recover().unwrap();
    assert_eq!(recovered.len(), 1, "{recovered:?}");
    assert!(recovered[0].kept.is_empty() && recovered[0].failed.is_empty(), "{recovered:?}");
    assert_eq!(&world.snapshot(), before);
    assert!(world.restorer().recover().unwrap().is_empty(), "it is complete");
    world.undo("x", &recovered[0]);
    assert_eq!(&world.snapshot(), after);
}

#[test]
fn a_killed_restore_leaves_each_file_old_or_new_and_is_completed() {
    for at in 0..OPERATIONS {
        let (world, start, before, after) = world();
        let output = child(&world, start, "kill", at);
        assert_eq!(output.status.signal(), Some(libc::SIGKILL), "operation {at}: {output:?}");
        assert_old_or_new(&world, &before, &after);
        assert_completed(world, &before, &after);
    }
}

#[test]
fn a_restore_killed_in_the_middle_of_a_write_is_completed() {
    let mut killed = 0;
    for at in 0..OPERATIONS {
        let (world, start, before, after) = world();
        let output = child(&world, start, "kill-in-write", at);
        assert_old_or_new(&world, &before, &after);
        if output.status.signal() == Some(libc::SIGXFSZ) {
            killed += 1;
            assert_completed(world, &before, &after);
        }
    }
    assert!(killed >= 4, "{killed} restores were killed");
}

#[test]
fn a_restore_on_a_full_disk_is_completed_when_there_is_room() {
    let mut full = 0;
    for at in 0..OPERATIONS {
        let (world, start, before, after) = world();
        let output = child(&world, start, "full", at);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_old_or_new(&world, &before, &after);
        if text.contains(r#""is_interrupted":true"#) {
            full += 1;
            let names: Vec<PathBuf> = world.snapshot().into_keys().collect();
            assert!(!names.iter().any(|name| name.to_string_lossy().contains(".attache-")));
            assert_completed(world, &before, &after);
        }
    }
    assert!(full >= 4, "{full} restores found a full disk");
}

#[test]
fn a_folder_that_cannot_be_written_fails_alone() {
    let world = World::new();
    world.write("closed/a", "old");
    world.write("open/a", "old");
    let start = world.turn("x", 1, |world| {
        world.write("closed/a", "new");
        world.write("open/a", "new");
    });
    fs::set_permissions(world.path("closed"), std::os::unix::fs::PermissionsExt::from_mode(0o555))
        .unwrap();
    // SAFETY: the call takes nothing.
    let is_root = unsafe { libc::geteuid() } == 0;
    if is_root {
        let status = Command::new("chown").args(["-R", "65534:65534"]).arg(&world.base).status();
        assert!(status.unwrap().success());
    }
    let output = child(&world, start, if is_root { "other-user" } else { "none" }, 0);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(r#""failed":[{"path":{"root":0,"path":"closed/a"}"#), "{output:?}");
    assert_eq!((world.read("closed/a"), world.read("open/a")), ("new".into(), "old".into()));
    fs::set_permissions(world.path("closed"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
}

#[test]
fn what_changed_or_was_locked_after_the_preview_stays() {
    let world = World::new();
    for name in ["changed", "locked", "linked", "folder/inside", "plain"] {
        world.write(name, "old");
    }
    let outside = world.base.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("inside"), "new").unwrap();
    let start = world.turn("x", 1, |world| {
        for name in ["changed", "locked", "linked", "folder/inside", "plain", "added"] {
            world.write(name, "new");
        }
    });
    let plan = world.plan_since("x", start);
    world.write("changed", "person");
    world.write("added", "person");
    fs::remove_file(world.path("linked")).unwrap();
    link("../outside/inside", &world.path("linked"));
    fs::rename(world.path("folder"), world.path("aside")).unwrap();
    link("../outside", &world.path("folder"));
    let locked = fs::File::open(world.path("locked")).unwrap();
    locked.lock().unwrap();
    let restored = world.restorer().restore(&plan).unwrap();
    for name in ["changed", "added", "linked", "folder/inside"] {
        assert!(kept(&restored, name).is_some(), "{name}: {restored:?}");
    }
    assert_eq!(kept(&restored, "locked"), Some(KeptReason::Locked));
    assert_eq!(restored.done, [tree_path("plain")]);
    assert_eq!((world.read("changed"), world.read("added")), ("person".into(), "person".into()));
    assert_eq!(fs::read_to_string(outside.join("inside")).unwrap(), "new");
}

#[test]
fn an_entry_that_is_replaced_while_files_are_restored_stays() {
    let world = World::new();
    let outside = world.base.join("outside");
    fs::create_dir(&outside).unwrap();
    for name in ["a/file", "b", "c"] {
        world.write(name, "old");
    }
    let start = world.turn("x", 1, |world| {
        for name in ["a/file", "b", "c"] {
            world.write(name, "new");
        }
        world.write("d/added", "new");
    });
    fs::write(outside.join("file"), "outside").unwrap();
    fs::write(outside.join("added"), "outside").unwrap();
    let (a, b, d) = (world.path("a"), world.path("b"), world.path("d"));
    let replace = |progress: Progress<'_>| {
        if progress.done == 0 {
            for folder in [&a, &d] {
                fs::rename(folder, folder.with_extension("aside")).unwrap();
                link("../outside", folder);
            }
            fs::write(&b, "person").unwrap();
        }
    };
    let plan = world.plan_since("x", start);
    let restored = Restorer::new(&world.store).with_progress(&replace).restore(&plan).unwrap();
    assert_eq!(restored.done, [tree_path("c")], "{restored:?}");
    assert_eq!(world.read("b"), "person");
    for name in ["file", "added"] {
        assert_eq!(fs::read_to_string(outside.join(name)).unwrap(), "outside");
    }
}

#[test]
fn a_completed_restore_does_not_touch_what_changed_since_it_was_interrupted() {
    let (world, start, ..) = world();
    let output = child(&world, start, "kill", 0);
    assert_eq!(output.status.signal(), Some(libc::SIGKILL));
    world.write("a", "person");
    let recovered = world.restorer().recover().unwrap();
    assert_eq!(kept(&recovered[0], "a"), Some(KeptReason::ChangedSincePreview));
    assert_eq!((world.read("a"), world.read("b")), ("person".into(), text("b", "old")));
}

#[test]
fn a_second_restore_waits_for_the_first() {
    let (world, start, ..) = world();
    let plan = world.plan_since("x", start);
    let lock = fs::File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(world.base.join("store/restore.lock"))
        .unwrap();
    lock.lock().unwrap();
    assert!(world.restorer().restore(&plan).is_err());
    assert!(world.restorer().recover().unwrap().is_empty());
    drop(lock);
    assert!(world.restorer().restore(&plan).unwrap().failed.is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_restore_does_not_hold_the_contents_of_all_its_files() {
    let world = World::new();
    let start = world.turn("x", 1, |world| {
        for number in 0..60_u64 {
            let file = fs::File::create(world.path(&number.to_string())).unwrap();
            file.set_len(4_900_000 + number).unwrap();
        }
    });
    let output = child(&world, start, "memory", 150_000);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(world.snapshot().is_empty());
}

#[test]
fn what_the_user_changed_before_a_restore_was_completed_is_not_of_the_restore() {
    let (world, start, ..) = world();
    let output = child(&world, start, "kill", 0);
    assert_eq!(output.status.signal(), Some(libc::SIGKILL));
    world.write("mine", "mine");
    let recovered = world.restorer().recover().unwrap();
    let plan = world.plan_since("x", start);
    let mine = plan.files.iter().find(|file| file.path == tree_path("mine")).unwrap();
    assert_eq!(mine.authors, [Author::Person]);
    world.undo("x", &recovered[0]);
    assert_eq!(world.read("mine"), "mine");
}

#[test]
fn a_restore_is_completed_after_its_checkpoints_were_deleted_for_room() {
    let (world, start, before, _) = world();
    let output = child(&world, start, "kill", 0);
    assert_eq!(output.status.signal(), Some(libc::SIGKILL));
    let mut options = StoreOptions::default();
    options.disk_limit = 1;
    Store::open(&world.base.join("store"), options).unwrap().prune().unwrap();
    let recovered = world.restorer().recover().unwrap();
    assert!(recovered[0].failed.is_empty(), "{recovered:?}");
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_restore_is_not_completed_in_another_folder_of_the_same_name() {
    let (world, start, ..) = world();
    let output = child(&world, start, "kill", 0);
    assert_eq!(output.status.signal(), Some(libc::SIGKILL));
    fs::rename(world.root(), world.base.join("aside")).unwrap();
    world.write("a", text("a", "new"));
    let other = world.snapshot();
    let recovered = world.restorer().recover().unwrap();
    assert!(recovered[0].done.is_empty(), "{recovered:?}");
    assert_eq!(kept(&recovered[0], "a"), Some(KeptReason::ChangedSincePreview));
    assert_eq!(world.snapshot(), other);
    assert!(world.restorer().recover().unwrap().is_empty(), "it is closed");
}
