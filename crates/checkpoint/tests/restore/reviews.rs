//! Reviews of turns.

use crate::world::{World, chmod, kept, tree_path};
use attache_checkpoint::{HunkKey, HunkState, KeptReason, Review, Reviewer, Store, StoreOptions};
use std::collections::BTreeSet;
use std::fs;

fn numbered(change: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let changed = change.iter().find(|(at, _)| *at == number);
        format!("{}\n", changed.map_or(number.to_string(), |(_, text)| (*text).to_owned()))
    };
    (0..30).map(line).collect()
}

fn review(world: &World) -> Review {
    Reviewer::new(&world.store).review("x", (0, u64::MAX), false).unwrap()
}

fn states(review: &Review) -> Vec<(String, HunkState)> {
    let hunks = review.files.iter().flat_map(|file| &file.hunks);
    hunks.map(|each| (String::from_utf8_lossy(&each.hunk.added).into_owned(), each.state)).collect()
}

fn key(review: &Review, added: &str) -> BTreeSet<HunkKey> {
    let mut hunks = review.files.iter().flat_map(|file| &file.hunks);
    let hunk = hunks.find(|each| each.hunk.added == added.as_bytes()).unwrap();
    BTreeSet::from([hunk.hunk.key.clone()])
}

fn reject(world: &World, review: &Review, hunks: BTreeSet<HunkKey>) -> BTreeSet<HunkKey> {
    let (plan, restored) = world.restore(&review.rejection(hunks));
    Reviewer::new(&world.store).rejected(review, &plan, &restored).unwrap()
}

#[test]
fn decisions_survive_a_restart_and_other_edits_of_the_file() {
    let world = World::new();
    world.write("f", numbered(&[]));
    world.turn("x", 1, |world| world.write("f", numbered(&[(5, "five"), (15, "fifteen")])));
    let first = review(&world);
    assert_eq!(states(&first).len(), 2);
    let reviewer = Reviewer::new(&world.store);
    reviewer.accept(&first, &key(&first, "five\n")).unwrap();
    let rejected = reject(&world, &first, key(&first, "fifteen\n"));
    assert_eq!(rejected, key(&first, "fifteen\n"));
    assert_eq!(world.read("f"), numbered(&[(5, "five")]));
    let expected =
        [("five\n".to_owned(), HunkState::Accepted), ("fifteen\n".to_owned(), HunkState::Rejected)];
    assert_eq!(states(&review(&world)), expected);

    // The person and the agent change other parts of the file.
    world.write("f", numbered(&[(0, "person"), (5, "five")]));
    world.turn("x", 2, |world| {
        world.write("f", numbered(&[(0, "person"), (5, "five"), (25, "late")]));
    });
    let store = Store::open(&world.base.join("store"), StoreOptions::default()).unwrap();
    let later = Reviewer::new(&store).review("x", (0, u64::MAX), false).unwrap();
    let expected =
        [("five\n".to_owned(), HunkState::Accepted), ("late\n".to_owned(), HunkState::Open)];
    assert_eq!(states(&later), expected);

    // A rejected hunk that the agent makes once more is open again.
    world.turn("x", 3, |world| {
        let lines = [(0, "person"), (5, "five"), (15, "fifteen"), (25, "late")];
        world.write("f", numbered(&lines));
    });
    let again = states(&review(&world));
    assert!(again.contains(&("fifteen\n".to_owned(), HunkState::Open)), "{again:?}");
}

#[test]
fn a_review_shows_one_turn_whichever_way_it_changed_files() {
    let world = World::new();
    world.write("a", "1\n");
    world.write("b", "1\n");
    world.turn("x", 1, |world| world.write("a", "2\n"));
    world.write("b", "person\n");
    world.turn("x", 2, |world| {
        fs::rename(world.path("a"), world.path("c")).unwrap();
        chmod(&world.path("b"), 0o700);
    });
    let reviewer = Reviewer::new(&world.store);
    let paths = |first, last| -> Vec<String> {
        let review = reviewer.review("x", (first, last), false).unwrap();
        review.files.iter().map(|file| file.path.to_string()).collect()
    };
    assert_eq!(paths(1, 1), ["a"]);
    assert_eq!(paths(2, 2), ["a", "b", "c"]);
    assert_eq!(paths(1, 2), ["a", "b", "c"]);
    assert!(reviewer.review("y", (0, 9), false).is_err());

    // Both paths of a renamed file have one hunk.
    let second = reviewer.review("x", (2, 2), false).unwrap();
    assert_eq!(second.files[0].hunks[0].hunk.key, second.files[2].hunks[0].hunk.key);
    reject(&world, &second, BTreeSet::from([second.files[2].hunks[0].hunk.key.clone()]));
    assert_eq!(world.read("a"), "2\n");
    assert!(!world.path("c").exists());
    assert_eq!(world.read("b"), "person\n");
}

#[test]
fn a_hunk_whose_lines_others_changed_stays_open_and_is_listed() {
    let world = World::new();
    world.write("f", numbered(&[]));
    world.turn("x", 1, |world| world.write("f", numbered(&[(5, "five")])));
    world.write("f", numbered(&[(5, "mine")]));
    let shown = review(&world);
    let (plan, restored) = world.restore(&shown.rejection(shown.keys()));
    assert_eq!(kept(&restored, "f"), Some(KeptReason::Conflict));
    assert!(Reviewer::new(&world.store).rejected(&shown, &plan, &restored).unwrap().is_empty());
    assert_eq!(world.read("f"), numbered(&[(5, "mine")]));
    assert_eq!(states(&review(&world))[0].1, HunkState::Open);
    assert!(plan.files.iter().any(|file| file.path == tree_path("f")));
}

#[test]
fn the_agent_learns_of_rejected_hunks_and_comments_once() {
    let world = World::new();
    world.write("f", numbered(&[]));
    world.turn("x", 1, |world| world.write("f", numbered(&[(5, "five"), (15, "fifteen")])));
    let reviewer = Reviewer::new(&world.store);
    assert_eq!(reviewer.feedback("x").unwrap(), None);
    let shown = review(&world);
    let five = key(&shown, "five\n");
    reviewer.comment(&shown, five.first().unwrap(), "use a constant").unwrap();
    let shown = review(&world);
    assert_eq!(shown.files[0].hunks[0].comment.as_deref(), Some("use a constant"));
    reject(&world, &shown, key(&shown, "fifteen\n"));
    let text = reviewer.feedback("x").unwrap().unwrap();
    assert!(text.contains("f, line 16: rejected and undone\n-15\n+fifteen\n"), "{text}");
    assert!(text.contains("f, line 6: not decided yet\n-5\n+five\nComment: use a constant\n"));
    reviewer.told("x").unwrap();
    assert_eq!(reviewer.feedback("x").unwrap(), None);
    reviewer.reopen(&shown, &five).unwrap();
}

#[test]
fn an_undone_rejection_is_open_again() {
    let world = World::new();
    world.write("f", "1\n");
    world.turn("x", 1, |world| world.write("f", "2\n"));
    let shown = review(&world);
    let (plan, restored) = world.restore(&shown.rejection(shown.keys()));
    Reviewer::new(&world.store).rejected(&shown, &plan, &restored).unwrap();
    assert_eq!(states(&review(&world))[0].1, HunkState::Rejected);
    world.undo("x", &restored);
    assert_eq!(world.read("f"), "2\n");
    assert_eq!(states(&review(&world))[0].1, HunkState::Open);
}

#[test]
fn all_hunks_of_turns_are_rejected_although_the_person_took_one_change_back() {
    let world = World::new();
    world.write("gone", "the same\n");
    world.write("twice", "first\n");
    world.turn("x", 1, |world| {
        world.write("new", "the same\n");
        world.write("twice", "second\n");
    });
    // The review pairs the removed file with a new one of the same content.
    world.turn("x", 2, |world| {
        fs::remove_file(world.root().join("gone")).unwrap();
        world.write("twice", "third\n");
    });
    let review = review(&world);
    world.write("gone", "the same\n");
    world.write("twice", "second\n");

    assert_eq!(reject(&world, &review, review.keys()), review.keys());
    assert!(!world.root().join("new").exists());
    assert_eq!(world.read("gone"), "the same\n");
    assert_eq!(world.read("twice"), "first\n");
}

#[test]
fn one_of_two_hunks_is_kept_if_a_line_of_it_was_taken_back_in_part() {
    let world = World::new();
    world.write("f", numbered(&[]));
    world.turn("x", 1, |world| world.write("f", numbered(&[(5, "five")])));
    world.turn("x", 2, |world| world.write("f", numbered(&[(5, "FIVE"), (25, "late")])));
    let review = review(&world);
    world.write("f", numbered(&[(5, "five")]));

    let (plan, restored) = world.restore(&review.rejection(key(&review, "FIVE\n")));
    assert_eq!(kept(&restored, "f"), Some(KeptReason::Conflict));
    let undone = Reviewer::new(&world.store).rejected(&review, &plan, &restored).unwrap();
    assert!(undone.is_empty());
    assert_eq!(world.read("f"), numbered(&[(5, "five")]));
}
