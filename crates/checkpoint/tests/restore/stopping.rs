//! Restores that the person stops.

use crate::world::{World, tree_path};
use attache_checkpoint::{KeptReason, Progress, Reason, RestoreControl, RestoreError};
use std::fs;

#[test]
fn a_stopped_restore_keeps_whole_files_and_can_be_undone_and_completed() {
    let world = World::new();
    let names: Vec<String> = (0..20).map(|number| format!("file{number:02}")).collect();
    names.iter().for_each(|name| world.write(name, "before"));
    let before = world.snapshot();
    let start = world.turn("x", 1, |world| names.iter().for_each(|name| world.write(name, "new")));
    let after = world.snapshot();

    let control = RestoreControl::default();
    let stopping = |progress: Progress<'_>| {
        if progress.done == 4 {
            control.stop();
        }
    };
    let plan = world.plan_since("x", start);
    let restorer = world.restorer().with_progress(&stopping).with_control(control.clone());
    let restored = restorer.restore(&plan).unwrap();
    assert!(restored.is_stopped() && !restored.is_interrupted, "{restored:?}");
    let done: Vec<_> = names[..5].iter().map(tree_path).collect();
    assert_eq!(restored.done, done);
    let stopped = names[5..].iter().map(|name| (tree_path(name), KeptReason::Stopped));
    assert_eq!(restored.kept, stopped.collect::<Vec<_>>());
    for (number, name) in names.iter().enumerate() {
        assert_eq!(world.read(name), if number < 5 { "before" } else { "new" }, "{name}");
    }
    assert!(world.restorer().recover().unwrap().is_empty(), "nothing waits to be completed");

    world.undo("x", &restored);
    assert_eq!(world.snapshot(), after);
    world.restore_since("x", start);
    assert_eq!(world.snapshot(), before);
}

/// A file in the place of a folder is removed first, and the folder is made later.
#[test]
fn a_path_that_was_begun_is_completed() {
    let world = World::new();
    world.write("was-folder/inside", "inside");
    world.write("other", "before");
    let start = world.turn("x", 1, |world| {
        fs::remove_dir_all(world.path("was-folder")).unwrap();
        world.write("was-folder", "now a file");
        world.write("other", "new");
    });
    let after = world.snapshot();
    let control = RestoreControl::default();
    let stopping = |progress: Progress<'_>| {
        assert_eq!(progress.path, &tree_path("was-folder"), "{progress:?}");
        control.stop();
    };
    let plan = world.plan_since("x", start);
    let restorer = world.restorer().with_progress(&stopping).with_control(control.clone());
    let restored = restorer.restore(&plan).unwrap();
    assert_eq!(restored.done, [tree_path("was-folder")]);
    assert!(world.path("was-folder").is_dir());
    assert!(!world.path("was-folder/inside").exists());
    assert_eq!(world.read("other"), "new");
    world.undo("x", &restored);
    assert_eq!(world.snapshot(), after);
}

#[test]
fn a_restore_that_is_stopped_before_its_first_file_changes_nothing() {
    let world = World::new();
    world.write("file", "before");
    let start = world.turn("x", 1, |world| world.write("file", "new"));
    let plan = world.plan_since("x", start);
    let control = RestoreControl::default();
    control.stop();
    let stopped = world.restorer().with_control(control.clone()).restore(&plan);
    assert!(matches!(stopped, Err(RestoreError::Stopped)), "{stopped:?}");
    let stopped = world.restorer().with_control(control).plan(&plan.request);
    assert!(matches!(stopped, Err(RestoreError::Stopped)), "{stopped:?}");
    assert_eq!(world.read("file"), "new");
    assert!(world.restorer().restores("x").unwrap().is_empty());
    world.take("x", Reason::Asked, 2);
    world.restore_since("x", start);
    assert_eq!(world.read("file"), "before");
}
