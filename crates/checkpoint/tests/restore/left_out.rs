//! Files of the program itself are neither kept nor restored.

use crate::world::{World, tree_path};
use attache_checkpoint::{Reason, TreePath};
use std::fs;

#[test]
fn files_of_the_program_are_neither_counted_nor_restored() {
    let world = World::new();
    world.write("a", "1");
    world.write("data/log", "1");
    let old = world.take("x", Reason::SessionStart, 0);
    assert!(world.store.tree(old).unwrap().get(&tree_path("data/log")).is_some());

    for path in ["data/log", "trace.jsonl", "new/cache"] {
        world.store.leave_out(world.path(path));
    }
    // A folder with the whole root in it would leave nothing.
    world.store.leave_out(&world.base);
    world.turn("x", 1, |world| {
        world.write("a", "2");
        world.write("data/log", "2");
        world.write("trace.jsonl", "2");
        world.write("new/cache/entry", "2");
    });
    let after = world.store.list(Some("x")).unwrap().pop().unwrap();
    assert_eq!((after.files, after.changed), (3, 2), "a, data and new; a and new changed");
    let paths = |id| {
        let tree = world.store.tree(id).unwrap();
        tree.iter().map(|(path, _)| path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(paths(after.id), ["a", "data", "new"]);
    assert_eq!(paths(old), ["a", "data"]);

    let (plan, restored) = world.restore_since("x", old);
    let planned: Vec<String> = plan.files.iter().map(|file| file.path.to_string()).collect();
    assert_eq!(planned, ["a", "new"]);
    assert_eq!(restored.done, [TreePath::new(0, "a")], "{restored:?}");
    assert_eq!(world.read("data/log"), "2");
    assert_eq!(world.read("new/cache/entry"), "2");
    assert!(fs::exists(world.path("trace.jsonl")).unwrap());
}
