//! Random trees and random histories of two agents, the person and a third program.

use crate::world::{Snapshot, World, chmod, link};
use attache_checkpoint::{CheckpointId, KeptReason, Reason, Reviewer, Selection};
use proptest::prelude::*;
use proptest::test_runner::Config;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A change of the tree. Numbers choose among paths and contents.
#[derive(Debug, Clone)]
enum Change {
    Write(usize, usize),
    Edit(usize, usize),
    Remove(usize),
    Rename(usize, usize),
    Chmod(usize, usize),
    Link(usize, usize),
    Folder(usize),
}

/// What happens in a history.
#[derive(Debug, Clone)]
enum Event {
    /// A turn of the first agent.
    First(Vec<Change>),
    /// A turn of the second agent.
    Second(Vec<Change>),
    /// Turns of both that overlap.
    Both(Vec<Change>, Vec<Change>),
    /// The person, or a third program, between turns.
    Person(Vec<Change>),
}

const PATHS: [&[u8]; 8] = [b"a", b"b", b"d", b"d/a", b"d/e", b"d/e/f", b"g/caf\xe9", b"g/h i\n"];

fn content(number: usize) -> Vec<u8> {
    match number % 8 {
        0 => Vec::new(),
        1 => b"\0binary".to_vec(),
        2 => b"no line feed".to_vec(),
        3 => b"windows\r\nlines\r\n".to_vec(),
        _ => (0..12).flat_map(|line| format!("line {line}\n").into_bytes()).collect(),
    }
}

fn change() -> impl Strategy<Value = Change> {
    let (path, number) = (0..PATHS.len(), 0..24_usize);
    prop_oneof![
        3 => (path.clone(), number.clone()).prop_map(|(path, number)| Change::Write(path, number)),
        4 => (path.clone(), number.clone()).prop_map(|(path, number)| Change::Edit(path, number)),
        2 => path.clone().prop_map(Change::Remove),
        1 => (path.clone(), path.clone()).prop_map(|(from, to)| Change::Rename(from, to)),
        1 => (path.clone(), number.clone()).prop_map(|(path, number)| Change::Chmod(path, number)),
        1 => (path.clone(), number).prop_map(|(path, number)| Change::Link(path, number)),
        1 => path.prop_map(Change::Folder),
    ]
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    proptest::collection::vec(change(), 1..5)
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => changes().prop_map(Event::First),
        1 => changes().prop_map(Event::Second),
        1 => (changes(), changes()).prop_map(|(one, other)| Event::Both(one, other)),
        2 => changes().prop_map(Event::Person),
    ]
}

fn place(root: &Path, path: usize) -> PathBuf {
    root.join(OsStr::from_bytes(PATHS[path]))
}

/// Makes a change as a program would. Changes that are not possible are left out.
fn make(root: &Path, change: &Change) {
    let remove = |path: &Path| match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => drop(fs::remove_dir_all(path)),
        Ok(_) => drop(fs::remove_file(path)),
        Err(_) => {}
    };
    let parents = |path: &Path| fs::create_dir_all(path.parent().unwrap()).is_ok();
    match change {
        Change::Write(path, number) => {
            let path = place(root, *path);
            if parents(&path) {
                remove(&path);
                fs::write(path, content(*number)).unwrap();
            }
        }
        Change::Edit(path, number) => {
            let path = place(root, *path);
            let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
            if let Some(text) = fs::read(&path).ok().filter(|_| is_file) {
                let mut lines: Vec<Vec<u8>> =
                    text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
                let at = number % (lines.len() + 1);
                match number % 3 {
                    0 if at < lines.len() => drop(lines.remove(at)),
                    1 if at < lines.len() => lines[at] = format!("edit {number}\n").into_bytes(),
                    _ => lines.insert(at, format!("insert {number}\n").into_bytes()),
                }
                fs::write(path, lines.concat()).unwrap();
            }
        }
        Change::Remove(path) => remove(&place(root, *path)),
        Change::Rename(from, to) => {
            let (from, to) = (place(root, *from), place(root, *to));
            if parents(&to) {
                let _impossible = fs::rename(from, to);
            }
        }
        Change::Chmod(path, number) => {
            let path = place(root, *path);
            let mode = [0o644, 0o755, 0o600][number % 3];
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_file() => chmod(&path, mode),
                Ok(found) if found.is_dir() => chmod(&path, mode | 0o700),
                _ => {}
            }
        }
        Change::Link(path, number) => {
            let path = place(root, *path);
            if parents(&path) {
                remove(&path);
                link(format!("../outside/{number}"), &path);
            }
        }
        Change::Folder(path) => drop(fs::create_dir_all(place(root, *path))),
    }
}

/// A played history: the checkpoints of the first agent with what the folder held at each of them.
struct Played {
    world: World,
    checkpoints: Vec<(CheckpointId, Snapshot)>,
    /// For each time between two events, what the folder held and who changed it.
    segments: Vec<(CheckpointId, Snapshot, Snapshot, &'static str)>,
}

fn play(first: &[Change], events: &[Event]) -> Played {
    let world = World::new();
    let outside = world.base.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "outside").unwrap();
    first.iter().for_each(|change| make(&world.root(), change));
    let start = world.take("x", Reason::SessionStart, 0);
    let snapshot = world.snapshot();
    let mut played = Played { world, checkpoints: vec![(start, snapshot)], segments: Vec::new() };
    for (event, turn) in events.iter().zip(1..) {
        played.event(event, turn);
    }
    played
}

impl Played {
    fn work(&mut self, who: &'static str, at: CheckpointId, changes: &[Change]) {
        let before = self.world.snapshot();
        changes.iter().for_each(|change| make(&self.world.root(), change));
        self.segments.push((at, before, self.world.snapshot(), who));
    }

    fn begin(&mut self, owner: &str, turn: u64) -> CheckpointId {
        let id = self.world.take(owner, Reason::BeforePrompt, turn);
        if owner == "x" {
            self.checkpoints.push((id, self.world.snapshot()));
        }
        id
    }

    fn end(&self, owner: &str, turn: u64) {
        self.world.take(owner, Reason::AfterTurn, turn);
    }

    fn event(&mut self, event: &Event, turn: u64) {
        let newest = self.checkpoints.last().unwrap().0;
        match event {
            Event::Person(changes) => self.work("person", newest, changes),
            Event::First(changes) => {
                let id = self.begin("x", turn);
                self.work("x", id, changes);
                self.end("x", turn);
            }
            Event::Second(changes) => {
                let id = self.begin("y", turn);
                self.work("y", id, changes);
                self.end("y", turn);
            }
            Event::Both(one, other) => {
                let id = self.begin("x", turn);
                self.work("x", id, one);
                let id = self.begin("y", turn);
                self.work("both", id, other);
                self.end("x", turn);
                self.end("y", turn);
            }
        }
    }

    /// Returns the paths that others than the first agent changed since a checkpoint.
    fn touched_by_others(&self, since: CheckpointId) -> BTreeSet<PathBuf> {
        let mut touched = BTreeSet::new();
        for (at, before, after, who) in &self.segments {
            if *at >= since && *who != "x" {
                let paths = before.keys().chain(after.keys());
                touched.extend(paths.filter(|path| before.get(*path) != after.get(*path)).cloned());
            }
        }
        touched
    }
}

fn differing(one: &Snapshot, other: &Snapshot) -> BTreeSet<PathBuf> {
    let paths = one.keys().chain(other.keys());
    paths.filter(|path| one.get(*path) != other.get(*path)).cloned().collect()
}

fn config() -> Config {
    Config { cases: 40, failure_persistence: None, max_shrink_iters: 200, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn one_agent_alone_is_undone_exactly_from_every_checkpoint(
        first in changes(),
        turns in proptest::collection::vec(changes(), 1..5),
        choice in 0..10_usize,
    ) {
        let events: Vec<Event> = turns.into_iter().map(Event::First).collect();
        let played = play(&first, &events);
        let world = &played.world;
        let (id, then) = &played.checkpoints[choice % played.checkpoints.len()];
        let before = world.snapshot();
        let (plan, restored) = world.restore_since("x", *id);
        // On a slow machine, a file can be older than a checkpoint that was taken seconds later.
        prop_assume!(!restored.kept.iter().any(|(_, why)| *why == KeptReason::NotNew));
        prop_assert!(restored.kept.is_empty(), "{restored:?}");
        prop_assert_eq!(&world.snapshot(), then, "{:?}", plan);
        world.undo("x", &restored);
        prop_assert_eq!(world.snapshot(), before);
    }

    #[test]
    fn others_lose_nothing_and_nothing_outside_of_the_plan_changes(
        first in changes(),
        events in proptest::collection::vec(event(), 1..6),
        choice in 0..10_usize,
    ) {
        let played = play(&first, &events);
        let world = &played.world;
        let (id, then) = &played.checkpoints[choice % played.checkpoints.len()];
        let before = world.snapshot();
        let (plan, restored) = world.restore_since("x", *id);
        let after = world.snapshot();
        let planned: BTreeMap<PathBuf, _> =
            plan.restored().map(|file| (file.path.relative().to_owned(), file)).collect();
        for path in differing(&before, &after) {
            prop_assert!(planned.contains_key(&path), "{path:?} changed outside of {plan:?}");
        }
        let stays: BTreeMap<PathBuf, KeptReason> = restored
            .kept.iter().map(|(path, why)| (path.relative().to_owned(), *why)).collect();
        let others = played.touched_by_others(*id);
        for path in differing(&after, then) {
            // An exception is listed, or a merge that keeps lines of others.
            let is_merged = planned.get(&path).is_some_and(|_| others.contains(&path));
            prop_assert!(
                stays.contains_key(&path) || is_merged,
                "{path:?} is neither restored nor listed: {plan:?}"
            );
            let is_of_others = others.contains(&path);
            let is_in_the_way = matches!(
                stays.get(&path),
                Some(KeptReason::NotEmpty | KeptReason::InTheWay | KeptReason::NotNew)
            );
            prop_assert!(is_of_others || is_in_the_way, "{path:?} was only the agent's: {plan:?}");
        }
        prop_assert_eq!(
            fs::read_to_string(world.base.join("outside/file")).unwrap(), "outside"
        );
        world.undo("x", &restored);
        prop_assert_eq!(world.snapshot(), before);
    }

    #[test]
    fn rejecting_every_hunk_equals_restoring(
        first in changes(),
        events in proptest::collection::vec(
            prop_oneof![
                3 => changes().prop_map(Event::First),
                1 => changes().prop_map(Event::Person),
            ],
            1..5,
        ),
    ) {
        let mut events = events;
        events.insert(0, Event::First(vec![Change::Write(0, 5)]));
        let (restored, rejected) = (play(&first, &events), play(&first, &events));
        restored.world.restore_since("x", restored.checkpoints[0].0);
        let review =
            Reviewer::new(&rejected.world.store).review("x", (0, u64::MAX), false).unwrap();
        let mut request = review.rejection(review.keys());
        rejected.world.restore(&request);
        prop_assert_eq!(rejected.world.snapshot(), restored.world.snapshot());
        // Nothing is left to reject.
        request.selection = Selection::All;
        let plan = rejected.world.restorer().plan(&request).unwrap();
        prop_assert!(plan.restored().next().is_none(), "{plan:?}");
    }
}
