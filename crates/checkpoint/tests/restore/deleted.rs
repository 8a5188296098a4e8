//! After the deletion of an owner, nothing of it is stored again.

use crate::world::{World, tree_path};
use attache_checkpoint::{Goal, Reason, RestoreError, RestoreRequest, Reviewer, StoreError};
use std::cell::Cell;

fn has_nothing(world: &World) -> bool {
    let checkpoints = world.store.list(Some("x")).unwrap();
    let restores = world.restorer().restores("x").unwrap();
    checkpoints.is_empty() && restores.is_empty()
}

#[test]
fn a_restore_that_was_planned_before_the_deletion_changes_and_stores_nothing() {
    let world = World::new();
    world.write("f", "1");
    let start = world.turn("x", 1, |world| world.write("f", "2"));
    let plan = world.plan_since("x", start);
    world.store.forget("x").unwrap();
    world.restorer().restore(&plan).unwrap_err();
    assert_eq!(world.read("f"), "2");
    assert!(has_nothing(&world));
}

#[test]
fn a_restore_during_which_the_owner_is_deleted_leaves_no_record() {
    let world = World::new();
    world.write("f", "1");
    let start = world.turn("x", 1, |world| world.write("f", "2"));
    let plan = world.plan_since("x", start);
    let was_called = Cell::new(false);
    let forget = |_: attache_checkpoint::Progress<'_>| {
        was_called.set(true);
        world.store.forget("x").unwrap();
    };
    let restored = world.restorer().with_progress(&forget).restore(&plan).unwrap();
    assert!(was_called.get());
    // The content was deleted too.
    assert_eq!(restored.failed[0].path, tree_path("f"));
    assert_eq!((restored.after, world.read("f").as_str()), (None, "2"));
    assert!(has_nothing(&world));
    assert!(world.restorer().recover().unwrap().is_empty());
}

#[test]
fn a_checkpoint_for_a_preview_does_not_begin_a_deleted_owner_again() {
    let world = World::new();
    world.turn("x", 1, |world| world.write("f", "2"));
    world.store.forget("x").unwrap();
    let roots = attache_checkpoint::Roots::new([world.root()]).unwrap();
    for reason in [Reason::Asked, Reason::BeforeRestore] {
        let label = attache_checkpoint::Label::new("x", reason);
        let budget = attache_checkpoint::Budget::lasting(std::time::Duration::from_secs(60));
        world.store.take(&roots, &label, &budget).unwrap_err();
    }
    assert!(has_nothing(&world));
}

#[test]
fn decisions_about_an_earlier_review_are_not_stored() {
    let world = World::new();
    world.write("f", "1\n");
    world.turn("x", 1, |world| world.write("f", "2\n"));
    let reviewer = Reviewer::new(&world.store);
    let review = reviewer.review("x", (1, 1), false).unwrap();
    let hunk = review.keys().into_iter().next().unwrap();
    reviewer.comment(&review, &hunk, "an earlier comment").unwrap();
    world.store.forget("x").unwrap();
    let error = reviewer.comment(&review, &hunk, "a late comment").unwrap_err();
    assert!(matches!(error, StoreError::Forgotten { .. }), "{error}");
    reviewer.accept(&review, &review.keys()).unwrap_err();
    // The session begins again, and has no decisions.
    world.turn("x", 1, |world| world.write("f", "3\n"));
    assert_eq!(reviewer.feedback("x").unwrap(), None);
    let undo = RestoreRequest::new("x", Goal::Undo(review.newest));
    let error = world.restorer().plan(&undo).unwrap_err();
    assert!(matches!(error, RestoreError::NoRestore { .. }), "{error}");
}
