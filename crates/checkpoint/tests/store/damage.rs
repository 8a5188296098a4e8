//! Damaged stores, and stores of a newer version.

use crate::project::Project;
use attache_checkpoint::{Store, StoreError, StoreOptions};
use std::fs;

#[test]
fn a_store_that_is_no_database_is_set_aside() {
    let project = Project::new();
    let folder = project.store.folder().to_owned();
    drop(project.store);
    for entry in fs::read_dir(&folder).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    fs::write(folder.join("checkpoints.db"), vec![b'?'; 10_000]).unwrap();
    let store = Store::open(&folder, StoreOptions::default()).unwrap();
    let aside = store.set_aside().unwrap().to_owned();
    assert_eq!(fs::read(&aside).unwrap().len(), 10_000);
    let project = Project { store, ..project };
    project.write("file", "x");
    project.take();
    let again = Store::open(&folder, StoreOptions::default()).unwrap();
    assert_eq!(again.set_aside(), None);
    assert_eq!(again.list(None).unwrap().len(), 1);
    // It may have contents of any session, so it goes with the first that is deleted.
    again.forget("anyone").unwrap();
    assert!(!aside.exists());
}

#[test]
fn verify_finds_a_damaged_content() {
    let project = Project::new();
    project.write("file", "the text of the file, which is plain in the store 0123456789");
    project.write("other", "another text");
    let summary = project.take();
    let folder = project.store.folder().to_owned();
    drop(project.store);
    let path = folder.join("checkpoints.db");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(15).position(|window| window == b"plain in the st").unwrap();
    bytes[at] = b'P';
    fs::write(&path, bytes).unwrap();
    let store = Store::open(&folder, StoreOptions::default()).unwrap();
    let verified = store.verify().unwrap();
    assert_eq!(verified.damaged.len(), 1, "{verified:?}");
    assert_eq!(verified.affected, [summary.id]);
    let error = store.content(verified.damaged[0]).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

/// It may lack tables.
#[test]
fn a_store_of_an_earlier_version_is_set_aside() {
    let project = Project::new();
    project.write("file", "x");
    project.take();
    let folder = project.store.folder().to_owned();
    drop(project.store);
    let path = folder.join("checkpoints.db");
    let mut bytes = fs::read(&path).unwrap();
    bytes[60..64].copy_from_slice(&1_u32.to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    let store = Store::open(&folder, StoreOptions::default()).unwrap();
    assert_eq!(fs::read(store.set_aside().unwrap()).unwrap(), bytes);
    assert!(store.list(None).unwrap().is_empty());
    let project = Project { store, ..project };
    project.take();
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let project = Project::new();
    let folder = project.store.folder().to_owned();
    drop(project.store);
    let path = folder.join("checkpoints.db");
    let mut bytes = fs::read(&path).unwrap();
    // The version of the tables is at this place of the header.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    let error = Store::open(&folder, StoreOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Newer { .. }), "{error}");
    assert!(error.to_string().contains("newer version"));
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_damaged_or_missing_cache_costs_only_time() {
    let project = Project::new();
    project.write("file", "x");
    let first = project.take();
    let cache = fs::read_dir(project.store.folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "cache"))
        .unwrap();
    let mut bytes = fs::read(&cache).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&cache, bytes).unwrap();
    assert_eq!(project.take().changed, 0);
    fs::remove_file(&cache).unwrap();
    let last = project.take();
    assert_eq!(last.changed, 0);
    assert_eq!(project.tree(first.id), project.tree(last.id));
}
