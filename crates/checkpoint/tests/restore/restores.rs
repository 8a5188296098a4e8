//! Restores of single situations.

use crate::world::{World, chmod, kept, link, tree_path};
use attache_checkpoint::{
    Action, Author, Goal, KeptReason, Reason, RestoreError, RestoreRequest, Selection,
};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_turn_is_undone_exactly_and_the_undo_is_undone_too() {
    let world = World::new();
    let odd = world.root().join(OsStr::from_bytes(b"caf\xe9\n"));
    world.write("text", b"one\r\ntwo\nthree");
    world.write("binary", b"\0\x01");
    world.write("gone/deep/file", "kept");
    world.write("script", "run");
    world.write("becomes-folder", "file");
    world.write("becomes-file/inside", "inside");
    fs::create_dir(world.path("empty")).unwrap();
    fs::write(&odd, "odd").unwrap();
    link("text", &world.path("link"));
    let before = world.snapshot();
    let start = world.turn("x", 1, |world| {
        world.write("text", b"one\ntwo\nthree\n");
        world.write("binary", b"\0\x02");
        fs::remove_dir_all(world.path("gone")).unwrap();
        chmod(&world.path("script"), 0o755);
        fs::remove_file(world.path("becomes-folder")).unwrap();
        world.write("becomes-folder/new", "new");
        fs::remove_dir_all(world.path("becomes-file")).unwrap();
        world.write("becomes-file", "now a file");
        fs::remove_dir(world.path("empty")).unwrap();
        fs::remove_file(&odd).unwrap();
        fs::remove_file(world.path("link")).unwrap();
        link(b"else\xff", &world.path("link"));
        world.write("new/deep/file", "new");
    });
    let after = world.snapshot();
    let plan = world.plan_since("x", start);
    assert_eq!(world.snapshot(), after, "a plan changes nothing");
    assert!(plan.kept().next().is_none(), "{plan:?}");
    let json = serde_json::to_string(&plan).unwrap();
    assert!(json.contains(r#""action":"set-mode""#), "{json}");
    let restored = world.restorer().restore(&plan).unwrap();
    assert_eq!(world.snapshot(), before, "{restored:?}");
    assert_eq!(restored.done.len(), plan.restored().count());

    let (_, redone) = world.undo("x", &restored);
    assert_eq!(world.snapshot(), after);
    world.undo("x", &redone);
    assert_eq!(world.snapshot(), before);
    assert_eq!(world.restorer().restores("x").unwrap().len(), 3);
}

#[test]
fn what_the_person_changed_is_kept_merged_or_listed() {
    let world = World::new();
    for name in ["merged", "conflict", "person"] {
        world.write(name, "1\n2\n3\n4\n5\n");
    }
    let start = world.turn("x", 1, |world| {
        world.write("merged", "one\n2\n3\n4\n5\n");
        world.write("conflict", "one\n2\n3\n4\n5\n");
        world.write("new", "new\n");
        world.write("folder/new", "new\n");
    });
    world.write("merged", "one\n2\n3\n4\nFIVE\n");
    world.write("conflict", "ONE\n2\n3\n4\n5\n");
    world.write("person", "mine\n");
    world.write("new", "new\nmine\n");
    world.write("folder/mine", "mine\n");
    let plan = world.plan_since("x", start);
    let file = |name: &str| plan.files.iter().find(|file| file.path == tree_path(name)).unwrap();
    assert_eq!(file("merged").action, Some(Action::Merge));
    assert_eq!(file("person").authors, [Author::Person]);
    let restored = world.restorer().restore(&plan).unwrap();
    assert_eq!(world.read("merged"), "1\n2\n3\n4\nFIVE\n");
    assert_eq!(world.read("conflict"), "ONE\n2\n3\n4\n5\n");
    assert_eq!(world.read("new"), "new\nmine\n");
    assert_eq!(world.read("folder/mine"), "mine\n");
    assert!(!world.path("folder/new").exists());
    assert_eq!(kept(&restored, "conflict"), Some(KeptReason::Conflict));
    assert_eq!(kept(&restored, "new"), Some(KeptReason::Conflict));
    assert_eq!(kept(&restored, "person"), Some(KeptReason::Others));
    assert_eq!(kept(&restored, "folder"), Some(KeptReason::NotEmpty));

    let mut request = RestoreRequest::new("x", Goal::Since(start));
    request.choices.overwrite.extend([tree_path("conflict"), tree_path("new")]);
    let (_, overwritten) = world.restore(&request);
    assert_eq!(world.read("conflict"), "1\n2\n3\n4\n5\n");
    assert!(!world.path("new").exists());
    world.undo("x", &overwritten);
    assert_eq!(world.read("conflict"), "ONE\n2\n3\n4\n5\n");
    assert_eq!(world.read("new"), "new\nmine\n");
}

#[test]
fn a_path_of_which_only_changes_of_others_remain_is_listed() {
    let world = World::new();
    world.write("f", "old");
    let start = world.take("x", Reason::BeforePrompt, 1);
    chmod(&world.path("f"), 0o755);
    world.take("y", Reason::BeforePrompt, 1);
    world.write("f", "new");
    chmod(&world.path("f"), 0o644);
    world.take("x", Reason::AfterTurn, 1);
    world.take("y", Reason::AfterTurn, 1);
    let (_, restored) = world.restore_since("x", start);
    assert_eq!(kept(&restored, "f"), Some(KeptReason::Shared));
    assert_eq!(world.read("f"), "new");
}

#[test]
fn changes_of_overlapping_turns_are_reverted_only_by_choice() {
    let world = World::new();
    world.write("a", "1\n");
    world.write("b", "1\n");
    let start = world.take("x", Reason::BeforePrompt, 1);
    world.write("a", "x\n");
    world.take("y", Reason::BeforePrompt, 1);
    world.write("b", "?\n");
    world.take("x", Reason::AfterTurn, 1);
    world.write("c", "y\n");
    world.take("y", Reason::AfterTurn, 1);
    let (_, restored) = world.restore_since("x", start);
    assert_eq!((world.read("a"), world.read("b")), ("1\n".into(), "?\n".into()));
    assert_eq!(kept(&restored, "b"), Some(KeptReason::Shared));
    assert_eq!(kept(&restored, "c"), Some(KeptReason::Others));
    let mut request = RestoreRequest::new("x", Goal::Since(start));
    request.choices.shared.insert(tree_path("b"));
    world.restore(&request);
    assert_eq!((world.read("b"), world.read("c")), ("1\n".into(), "y\n".into()));
}

#[test]
fn protected_files_need_a_choice_and_only_selected_paths_are_restored() {
    let world = World::new();
    for name in [".envrc", "src/a", "src/b", "other"] {
        world.write(name, "1");
    }
    let start = world.turn("x", 1, |world| {
        for name in [".envrc", "src/a", "src/b", "other"] {
            world.write(name, "2");
        }
    });
    let is_protected = |path: &std::path::Path| path.ends_with("other");
    let mut request = RestoreRequest::new("x", Goal::Since(start));
    request.selection = Selection::Paths(BTreeSet::from([tree_path("src"), tree_path("other")]));
    let restorer = world.restorer().with_protected(&is_protected);
    let restored = restorer.restore(&restorer.plan(&request).unwrap()).unwrap();
    assert_eq!(kept(&restored, "other"), Some(KeptReason::Protected));
    assert_eq!((world.read("src/a"), world.read("src/b")), ("1".into(), "1".into()));
    assert_eq!((world.read("other"), world.read(".envrc")), ("2".into(), "2".into()));
    request.choices.protected.insert(tree_path("other"));
    let restored = restorer.restore(&restorer.plan(&request).unwrap()).unwrap();
    assert_eq!((world.read("other"), kept(&restored, "other")), ("1".into(), None));
}

#[test]
fn a_file_that_an_ignore_file_left_out_is_not_removed_as_new() {
    let world = World::new();
    world.write(".gitignore", "secret-notes\nbuild/\n");
    fs::create_dir(world.path(".git")).unwrap();
    world.write("secret-notes", "mine");
    world.write("build/out", "mine");
    let start = world.turn("x", 1, |world| {
        world.write(".gitignore", "");
        fs::write(world.path("build/out"), "changed").unwrap();
    });
    let (_, restored) = world.restore_since("x", start);
    assert_eq!(world.read("secret-notes"), "mine");
    assert_eq!(world.read("build/out"), "changed");
    assert_eq!(world.read(".gitignore"), "secret-notes\nbuild/\n");
    assert!(restored.failed.is_empty());
}

#[test]
fn a_file_from_outside_with_an_old_time_is_not_removed_but_a_renamed_one_is() {
    let world = World::new();
    world.write("old", "a\nb\nc\n");
    fs::write(world.base.join("outside"), "from outside").unwrap();
    // The clock of the file system counts as different within two seconds.
    std::thread::sleep(std::time::Duration::from_millis(2_300));
    let start = world.turn("x", 1, |world| {
        fs::rename(world.base.join("outside"), world.path("moved")).unwrap();
        fs::rename(world.path("old"), world.path("renamed")).unwrap();
        fs::OpenOptions::new().append(true).open(world.path("renamed")).unwrap();
    });
    let (_, restored) = world.restore_since("x", start);
    assert_eq!(world.read("old"), "a\nb\nc\n");
    assert!(!world.path("renamed").exists());
    let has_creation_time = fs::metadata(world.path("moved")).is_ok_and(|at| at.created().is_ok());
    if has_creation_time {
        assert_eq!(kept(&restored, "moved"), Some(KeptReason::NotNew));
        let mut request = RestoreRequest::new("x", Goal::Since(start));
        request.choices.overwrite.insert(tree_path("moved"));
        world.restore(&request);
    }
    assert!(!world.path("moved").exists());
}

#[test]
fn setuid_bits_are_never_restored_and_hard_links_are_shown() {
    let world = World::new();
    world.write("tool", "1");
    world.write("one", "1");
    fs::hard_link(world.path("one"), world.path("two")).unwrap();
    chmod(&world.path("tool"), 0o4755);
    let start = world.turn("x", 1, |world| {
        world.write("tool", "2");
        chmod(&world.path("tool"), 0o700);
        fs::write(world.path("one"), "2").unwrap();
    });
    let (plan, _) = world.restore_since("x", start);
    let mode = fs::metadata(world.path("tool")).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode, world.read("tool")), (0o755, "1".into()));
    let linked: Vec<_> = plan.files.iter().filter(|file| file.has_hard_links).collect();
    assert_eq!(linked.len(), 2);
    assert_eq!((world.read("one"), world.read("two")), ("1".into(), "1".into()));
}

#[test]
fn permissions_of_other_hard_links_stay() {
    let world = World::new();
    let outside = world.base.join("outside");
    fs::write(&outside, "1").unwrap();
    for name in ["one", "two"] {
        fs::hard_link(&outside, world.path(name)).unwrap();
    }
    chmod(&outside, 0o600);
    let before = world.snapshot();
    let start = world.turn("x", 1, |world| chmod(&world.path("one"), 0o644));
    let (plan, _) = world.restore_since("x", start);
    assert!(plan.restored().all(|file| file.action == Some(Action::SetMode)), "{plan:?}");
    assert_eq!(world.snapshot(), before);
    let mode = fs::metadata(&outside).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode, 0o644);
}

#[test]
fn a_folder_that_becomes_read_only_again_gets_its_entries_first() {
    let world = World::new();
    world.write("closed/a", "old");
    chmod(&world.path("closed"), 0o555);
    let before = world.snapshot();
    let start = world.turn("x", 1, |world| {
        chmod(&world.path("closed"), 0o755);
        world.write("closed/a", "new");
        world.write("closed/b", "new");
    });
    world.restore_since("x", start);
    assert_eq!(world.snapshot(), before);
    chmod(&world.path("closed"), 0o755);
}

#[test]
fn large_files_and_missing_checkpoints_are_reported() {
    let world = World::new();
    world.write("grows", "small");
    let start = world.turn("x", 1, |world| {
        world.write("grows", vec![b'x'; 6_000_000]);
        world.write("large", vec![b'y'; 6_000_000]);
    });
    let (_, restored) = world.restore_since("x", start);
    assert_eq!(kept(&restored, "grows"), Some(KeptReason::PresentNotKept));
    assert_eq!(kept(&restored, "large"), Some(KeptReason::PresentNotKept));
    assert!(world.path("large").exists());
    let request = RestoreRequest::new("x", Goal::Turns { first: 7, last: 7 });
    assert!(matches!(world.restorer().plan(&request), Err(RestoreError::NoTurn { turn: 7 })));
    let request = RestoreRequest::new("x", Goal::Undo(start));
    assert!(matches!(world.restorer().plan(&request), Err(RestoreError::NoRestore { .. })));
    world.store.forget("x").unwrap();
    assert!(world.restorer().restores("x").unwrap().is_empty());
}

#[test]
fn commits_and_ignored_files_are_listed_as_not_restored() {
    let world = World::new();
    world.write(".gitignore", "out\n");
    world.write("out", "ignored");
    fs::create_dir_all(world.path(".git/logs")).unwrap();
    let start = world.turn("x", 1, |world| {
        let line = format!("0 1 A <a@b> {} +0000\tcommit: work\n", u32::MAX);
        fs::write(world.path(".git/logs/HEAD"), line).unwrap();
        world.write("a", "1");
    });
    let plan = world.plan_since("x", start);
    let json = serde_json::to_string(&plan.not_restored).unwrap();
    assert!(json.contains("commit: work") && json.contains(r#""type":"ignored""#), "{json}");
}

#[test]
fn the_turn_that_goes_on_is_undone_only_as_the_running_one() {
    let world = World::new();
    world.write("a", "1");
    let start = world.take("x", Reason::BeforePrompt, 1);
    world.write("a", "2");
    let (_, restored) = world.restore_since("x", start);
    assert_eq!(kept(&restored, "a"), Some(KeptReason::Shared));
    let mut request = RestoreRequest::new("x", Goal::Since(start));
    request.is_running = true;
    world.restore(&request);
    assert_eq!(world.read("a"), "1");
}
