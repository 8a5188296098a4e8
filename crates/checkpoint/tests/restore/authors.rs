//! Who changed a path, when sessions, restores and the user change files at the same time.

use crate::world::{World, kept, tree_path};
use attache_checkpoint::{Author, KeptReason, Plan, Progress, Reason, Restorer};
use std::fs;

fn authors(plan: &Plan, name: &str) -> Vec<Author> {
    let file = plan.files.iter().find(|file| file.path == tree_path(name));
    file.unwrap_or_else(|| panic!("{name} is not in {plan:?}")).authors.clone()
}

#[test]
fn a_restore_is_the_author_of_only_the_paths_that_it_changed() {
    let world = World::new();
    world.write("a", "old");
    let start = world.turn("x", 1, |world| world.write("a", "new"));
    let plan = world.plan_since("x", start);
    let mine = world.path("mine");
    let write = |_: Progress<'_>| fs::write(&mine, "mine").unwrap();
    let restored = Restorer::new(&world.store).with_progress(&write).restore(&plan).unwrap();
    assert_eq!(
        (restored.done.as_slice(), world.read("a")),
        ([tree_path("a")].as_slice(), "old".into())
    );
    let plan = world.plan_since("x", restored.id);
    assert_eq!(authors(&plan, "mine"), [Author::Person]);
    assert_eq!(authors(&plan, "a"), [Author::Restore { owner: "x".to_owned() }]);
    let restored = world.restorer().restore(&plan).unwrap();
    assert_eq!(kept(&restored, "mine"), Some(KeptReason::Others));
    assert_eq!(world.read("mine"), "mine");
}

#[test]
fn a_change_in_a_turn_of_a_deleted_session_stays_shared() {
    let world = World::new();
    world.write("both", "old");
    let start = world.take("x", Reason::BeforePrompt, 1);
    world.turn("deleted", 1, |world| world.write("both", "new"));
    world.write("own", "new");
    world.take("x", Reason::AfterTurn, 1);
    assert_eq!(authors(&world.plan_since("x", start), "both"), [Author::Shared]);
    world.store.forget("deleted").unwrap();
    let plan = world.plan_since("x", start);
    assert_eq!(authors(&plan, "both"), [Author::Shared]);
    // A later turn does not overlap the deleted one.
    let later = world.turn("x", 2, |world| world.write("later", "new"));
    let plan = world.plan_since("x", later);
    assert_eq!(authors(&plan, "later"), [Author::Turn { owner: "x".to_owned(), turn: Some(2) }]);
}
