//! The choices of the user for single paths.

use crate::world::{World, chmod, kept, tree_path};
use attache_checkpoint::{Goal, KeptReason, Reason, RestoreRequest};
use std::fs;
use std::path::Path;

#[test]
fn a_choice_for_a_folder_restores_nothing_else_in_it() {
    let world = World::new();
    for name in ["d/own", "d/overwritten", "d/gone", "d/shared"] {
        world.write(name, "1\n");
    }
    chmod(&world.path("d"), 0o755);
    let start = world.take("x", Reason::BeforePrompt, 1);
    world.write("d/own", "2\n");
    world.take("y", Reason::BeforePrompt, 1);
    chmod(&world.path("d"), 0o700);
    world.write("d/shared", "2\n");
    world.take("x", Reason::AfterTurn, 1);
    world.take("y", Reason::AfterTurn, 1);
    world.write("d/overwritten", "mine\n");
    world.write("d/new", "mine\n");
    fs::remove_file(world.path("d/gone")).unwrap();
    let mut request = RestoreRequest::new("x", Goal::Since(start));
    request.choices.overwrite.insert(tree_path("d"));
    request.choices.shared.insert(tree_path("d"));
    let (_, restored) = world.restore(&request);
    for name in ["d/overwritten", "d/new", "d/gone"] {
        assert_eq!(kept(&restored, name), Some(KeptReason::Others), "{name}");
    }
    assert_eq!(kept(&restored, "d/shared"), Some(KeptReason::Shared));
    assert_eq!((kept(&restored, "d"), world.read("d/own")), (None, "1\n".into()));
    assert_eq!(
        (world.read("d/overwritten"), world.read("d/new")),
        ("mine\n".into(), "mine\n".into())
    );
    assert!(!world.path("d/gone").exists());
}

#[test]
fn a_choice_for_a_protected_folder_leaves_the_protected_files_in_it() {
    let world = World::new();
    world.write("guarded/file", "1");
    chmod(&world.path("guarded"), 0o755);
    let start = world.turn("x", 1, |world| {
        world.write("guarded/file", "2");
        chmod(&world.path("guarded"), 0o700);
    });
    let is_protected = |path: &Path| path.starts_with("guarded");
    let mut request = RestoreRequest::new("x", Goal::Since(start));
    request.choices.protected.insert(tree_path("guarded"));
    let restorer = world.restorer().with_protected(&is_protected);
    let restored = restorer.restore(&restorer.plan(&request).unwrap()).unwrap();
    assert_eq!(kept(&restored, "guarded"), None);
    assert_eq!(kept(&restored, "guarded/file"), Some(KeptReason::Protected));
    assert_eq!(world.read("guarded/file"), "2");
}
