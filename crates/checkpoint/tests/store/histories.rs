//! Random trees and histories: every checkpoint gives exactly what the folder held.

use crate::project::{Project, long};
use attache_checkpoint::{CheckpointId, Entry, Reason};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

#[derive(Debug, Clone)]
enum Step {
    Write(u8, u8),
    Link(u8, u8),
    Remove(u8),
    Folder(u8),
    Ignore(u8),
    Take(u8),
    Forget(u8),
    Complete,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0_u8..12, any::<u8>()).prop_map(|(place, text)| Step::Write(place, text)),
        1 => (0_u8..12, any::<u8>()).prop_map(|(place, text)| Step::Link(place, text)),
        2 => (0_u8..12).prop_map(Step::Remove),
        1 => (0_u8..12).prop_map(Step::Folder),
        1 => (0_u8..4).prop_map(Step::Ignore),
        5 => (0_u8..3).prop_map(Step::Take),
        1 => (0_u8..3).prop_map(Step::Forget),
        1 => Just(Step::Complete),
    ]
}

const PLACES: [&str; 12] =
    ["a", "a-b", "a/b", "a/b/c", "a/b/d", "b", "b/x.o", "b/y", "c/c/c", "c/c", "d.o", "a.b"];

const IGNORED: [&str; 4] = ["", "*.o\n", "b/\n", "a\n"];

fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}

/// Makes room for a file: nothing at the path, and folders above it.
fn make_room(root: &Path, place: &str) -> std::path::PathBuf {
    let path = root.join(place);
    for above in Path::new(place).ancestors().skip(1).filter(|above| above != &Path::new("")) {
        if fs::symlink_metadata(root.join(above)).is_ok_and(|found| !found.is_dir()) {
            remove(&root.join(above));
        }
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    remove(&path);
    path
}

type State = BTreeMap<String, Vec<u8>>;

/// What the folder holds, as a checkpoint should have it.
fn held(root: &Path, folder: &Path, state: &mut State) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let found = fs::symlink_metadata(&path).unwrap();
        if found.is_dir() {
            state.insert(name, b"folder".to_vec());
            held(root, &path, state);
        } else if found.is_symlink() {
            state.insert(name, fs::read_link(&path).unwrap().to_str().unwrap().into());
        } else {
            state.insert(name, fs::read(&path).unwrap());
        }
    }
}

fn kept(project: &Project, id: CheckpointId) -> (State, Vec<String>) {
    let (mut state, mut unknown) = (State::new(), Vec::new());
    for (path, entry) in project.tree(id).iter() {
        let path = path.to_string();
        match entry {
            Entry::File { content, .. } => {
                state.insert(path, project.store.content(*content).unwrap());
            }
            Entry::Link { target } => drop(state.insert(path, target.clone())),
            Entry::Folder { .. } => drop(state.insert(path, b"folder".to_vec())),
            _ => unknown.push(path),
        }
    }
    (state, unknown)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn every_checkpoint_gives_what_the_folder_held(
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let project = Project::new();
        let root = project.root();
        let mut expected: Vec<(CheckpointId, u8, State, Vec<String>)> = Vec::new();
        for step in steps {
            match step {
                Step::Write(place, text) => {
                    let path = make_room(&root, PLACES[usize::from(place)]);
                    fs::write(path, vec![text; usize::from(text) * 20]).unwrap();
                }
                Step::Link(place, text) => {
                    let path = make_room(&root, PLACES[usize::from(place)]);
                    symlink(format!("to{text}"), path).unwrap();
                }
                Step::Remove(place) => remove(&root.join(PLACES[usize::from(place)])),
                Step::Folder(place) => {
                    fs::create_dir(make_room(&root, PLACES[usize::from(place)])).unwrap();
                }
                Step::Ignore(rules) => {
                    fs::write(root.join(".gitignore"), IGNORED[usize::from(rules)]).unwrap();
                }
                Step::Take(owner) => {
                    let taken = project.take_for(&owner.to_string(), Reason::SessionStart);
                    let summary = taken.unwrap();
                    prop_assert!(summary.complete, "{:?}", summary);
                    let (state, unknown) = kept(&project, summary.id);
                    let mut real = State::new();
                    held(&root, &root, &mut real);
                    let is_ignored = |path: &str| unknown.iter().any(|each| {
                        path == each || path.starts_with(&format!("{each}/"))
                    });
                    real.retain(|path, _| !is_ignored(path));
                    prop_assert_eq!(&state, &real);
                    expected.push((summary.id, owner, state, unknown));
                }
                Step::Forget(owner) => {
                    project.store.forget(&owner.to_string()).unwrap();
                    expected.retain(|each| each.1 != owner);
                }
                Step::Complete => {
                    if let Some((id, ..)) = expected.last() {
                        project.store.complete(*id, &long()).unwrap();
                    }
                }
            }
        }
        for (id, _, state, unknown) in &expected {
            prop_assert_eq!(&kept(&project, *id), &(state.clone(), unknown.clone()));
        }
        let ids: Vec<_> = expected.iter().map(|each| each.0).collect();
        let listed: Vec<_> =
            project.store.list(None).unwrap().iter().map(|summary| summary.id).collect();
        prop_assert_eq!(listed, ids);
        let verified = project.store.verify().unwrap();
        prop_assert!(verified.affected.is_empty() && verified.problems.is_empty());
    }
}
