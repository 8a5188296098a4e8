//! Changes between two checkpoints.

use crate::world::{World, chmod, link};
use attache_checkpoint::{Author, ChangeKind, HunkKind, Reason};
use std::fs;

#[test]
fn every_kind_of_change_is_told_with_its_author() {
    let world = World::new();
    world.write("modified", "1\n2\n3\n");
    world.write("removed", "r\n");
    world.write("mode", "m\n");
    world.write("type", "t\n");
    world.write("old-name", "a\nb\nc\n");
    world.write("edited-name", "1\n2\n3\n4\n5\n6\n");
    world.write("binary", b"\0\x01");
    let from = world.turn("x", 1, |world| {
        world.write("modified", "1\nTWO\n3");
        fs::remove_file(world.path("removed")).unwrap();
        chmod(&world.path("mode"), 0o700);
        fs::remove_file(world.path("type")).unwrap();
        link("mode", &world.path("type"));
        fs::rename(world.path("old-name"), world.path("new-name")).unwrap();
        fs::remove_file(world.path("edited-name")).unwrap();
        world.write("edited-new", "1\n2\n3\n4\n5\nsix\n");
        world.write("binary", b"\0\x02");
        world.write("added", "a\n");
    });
    world.write("added", "person\n");
    let to = world.take("x", Reason::Asked, 0);
    let changes = world.store.changes(from, to).unwrap();
    let kinds: Vec<(String, ChangeKind)> =
        changes.files.iter().map(|file| (file.path.to_string(), file.kind)).collect();
    let expected = [
        ("added", ChangeKind::Added),
        ("binary", ChangeKind::Modified),
        ("edited-name", ChangeKind::Removed),
        ("edited-new", ChangeKind::Renamed),
        ("mode", ChangeKind::Mode),
        ("modified", ChangeKind::Modified),
        ("new-name", ChangeKind::Renamed),
        ("old-name", ChangeKind::Removed),
        ("removed", ChangeKind::Removed),
        ("type", ChangeKind::Type),
    ];
    assert_eq!(kinds, expected.map(|(path, kind)| (path.to_owned(), kind)));
    let turn = Author::Turn { owner: "x".into(), turn: Some(1) };
    assert_eq!(changes.files[0].authors, [turn.clone(), Author::Person]);
    assert_eq!(changes.files[5].authors, [turn]);
    assert_eq!(changes.files[6].renamed.as_ref().unwrap().to_string(), "old-name");

    let hunks = world.store.hunks(&changes.files[5]).unwrap();
    assert_eq!(hunks.len(), 1);
    assert_eq!(
        (hunks[0].removed.as_slice(), hunks[0].added.as_slice()),
        (b"2\n3\n".as_slice(), b"TWO\n3".as_slice())
    );
    assert_eq!((hunks[0].old_start, hunks[0].lines_before.as_slice()), (1, b"1\n".as_slice()));
    assert_eq!(world.store.hunks(&changes.files[1]).unwrap()[0].kind, HunkKind::Whole);
    assert_eq!(world.store.hunks(&changes.files[4]).unwrap()[0].kind, HunkKind::Mode);
    assert!(world.store.changes(to, to).unwrap().files.is_empty());
}
