//! Limits on files and on the disk, secrets, and deletion.

use crate::project::{Project, is_on_disk, long};
use attache_checkpoint::{
    ContentId, Entry, NotKeptReason, Reason, StoreError, TakeError, TreePath,
};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Bytes that cannot be compressed.
fn noise(seed: u32, length: usize) -> Vec<u8> {
    let hashes = (0..).flat_map(|each: u32| {
        *ContentId::of(&[seed.to_le_bytes(), each.to_le_bytes()].concat()).as_bytes()
    });
    hashes.take(length).collect()
}

#[test]
fn a_large_file_is_hashed_and_listed() {
    let project = Project::with(|options| options.file_limit = 1000);
    project.write("large", vec![b'x'; 1001]);
    project.write("small", vec![b'x'; 1000]);
    let summary = project.take();
    assert!(summary.complete);
    assert_eq!(summary.not_kept_count, 1);
    let tree = project.tree(summary.id);
    let Some(Entry::FileNotKept { why, content, size, .. }) = tree.get(&TreePath::new(0, "large"))
    else {
        panic!("{tree:?}")
    };
    assert_eq!((*why, *size), (NotKeptReason::Large, 1001));
    assert_eq!(*content, Some(ContentId::of(&[b'x'; 1001])));
    assert_eq!(project.take().changed, 0);
    project.write("large", vec![b'y'; 1001]);
    assert_eq!(project.take().changed, 1);
}

#[test]
fn secrets_are_not_stored_unless_the_user_wants_it() {
    let secret = "PASSWORD=correct horse battery staple";
    let project = Project::new();
    project.write(".env", secret);
    project.write(".ssh/id_rsa", secret);
    let summary = project.take();
    assert!(summary.complete);
    assert!(summary.not_kept.iter().all(|each| each.why == NotKeptReason::Secret));
    assert_eq!(summary.not_kept_count, 2);
    assert!(!is_on_disk(project.store.folder(), b"correct horse"));
    assert!(!is_on_disk(project.store.folder(), ContentId::of(secret.as_bytes()).as_bytes()));

    let project = Project::with(|options| options.secret_files = true);
    project.write(".env", secret);
    assert_eq!(project.text(project.take().id, ".env").unwrap(), secret.as_bytes());
    // The next run does not keep it any more, although the cache knows it.
    let mut options = project.store.options().clone();
    options.secret_files = false;
    let store = attache_checkpoint::Store::open(project.store.folder(), options).unwrap();
    let project = Project { store, ..project };
    assert_eq!(project.take().not_kept_count, 1);
}

#[test]
fn only_the_user_can_read_the_store() {
    let project = Project::new();
    project.write("file", "x");
    project.take();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(project.store.folder()), 0o700);
    for entry in fs::read_dir(project.store.folder()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn forgotten_contents_are_gone_from_the_disk_and_shared_ones_stay() {
    let project = Project::new();
    let (own, shared) = (noise(1, 200), noise(2, 200));
    project.write("shared", &shared);
    let other = project.take_as("other", &long());
    project.write("own", &own);
    let first = project.take_as("first", &long());
    assert!(is_on_disk(project.store.folder(), &own));
    project.store.forget("first").unwrap();
    assert!(!is_on_disk(project.store.folder(), &own));
    assert!(is_on_disk(project.store.folder(), &shared));
    assert!(matches!(project.store.tree(first.id), Err(StoreError::NotFound { .. })));
    assert_eq!(project.text(other.id, "shared").unwrap(), shared);
    // The cache of files does not count on contents that are gone.
    let next = project.take_as("third", &long());
    assert_eq!(project.text(next.id, "own").unwrap(), own);
    assert!(project.store.verify().unwrap().damaged.is_empty());
}

#[test]
fn the_oldest_checkpoints_make_room() {
    let project = Project::with(|options| options.disk_limit = 3_000_000);
    let mut taken = Vec::new();
    for round in 0..12 {
        project.write("file", noise(round, 500_000));
        taken.push(project.take());
    }
    let left = project.store.list(None).unwrap();
    assert!((1..=5).contains(&left.len()), "{}", left.len());
    assert_eq!(left.last().unwrap().id, taken.last().unwrap().id);
    for summary in &left {
        assert_eq!(project.text(summary.id, "file").unwrap().len(), 500_000);
    }
    assert!(project.store.usage().unwrap().bytes < 4_000_000, "{:?}", project.store.usage());
    let verified = project.store.verify().unwrap();
    assert!(verified.damaged.is_empty() && verified.problems.is_empty(), "{verified:?}");
}

#[test]
fn a_checkpoint_that_does_not_fit_alone_lacks_its_largest_files() {
    let project = Project::with(|options| options.disk_limit = 2_500_000);
    for number in 0..10_u32 {
        project.write(&format!("small{number}"), noise(number, 50_000));
    }
    for number in 20..24_u32 {
        project.write(&format!("large{number}"), noise(number, 900_000));
    }
    let summary = project.take();
    assert!(!summary.complete);
    let lacking: Vec<_> = summary.not_kept.iter().map(|each| each.path.to_string()).collect();
    assert!(
        lacking.len() >= 2 && lacking.iter().all(|path| path.starts_with("large")),
        "{lacking:?}"
    );
    assert!(summary.not_kept.iter().all(|each| each.why == NotKeptReason::DiskLimit));
    for number in 0..10_u32 {
        let text = project.text(summary.id, &format!("small{number}"));
        assert_eq!(text.unwrap(), noise(number, 50_000));
    }
    assert!(project.store.verify().unwrap().affected.is_empty());
}

#[test]
fn an_id_is_found_by_a_unique_beginning() {
    let project = Project::new();
    let (one, two) = (project.take(), project.take());
    assert!(one.id < two.id);
    assert_eq!(project.store.find(&one.id.to_string()).unwrap(), one);
    assert!(matches!(
        project.store.find(&one.id.to_string()[..2]),
        Err(StoreError::Ambiguous { matches: 2, .. })
    ));
    for missing in ["", "zzz", "not an id at all"] {
        assert!(matches!(project.store.find(missing), Err(StoreError::NotFound { .. })));
    }
}

#[test]
fn one_large_checkpoint_does_not_displace_those_that_are_needed() {
    let project = Project::with(|options| options.disk_limit = 3_000_000);
    project.write("base", noise(0, 100_000));
    let other = project.take_as("other", &long());
    let before = project.take_for("session", Reason::BeforePrompt).unwrap();
    project.write("base", "new");
    for number in 1..=12 {
        project.write(&format!("made{number}"), noise(number, 500_000));
    }
    let after = project.take_for("session", Reason::AfterTurn).unwrap();
    assert!(!after.complete);
    let left: Vec<_> = project.store.list(None).unwrap().iter().map(|each| each.id).collect();
    assert_eq!(left, [other.id, before.id, after.id]);
    assert_eq!(project.text(before.id, "base").unwrap(), noise(0, 100_000));
}

#[test]
fn checkpoints_for_previews_go_before_older_ones_of_turns() {
    let project = Project::with(|options| options.disk_limit = 5_000_000);
    project.write("file", noise(0, 500_000));
    let first = project.take_for("other", Reason::AfterTurn).unwrap();
    let asked: Vec<_> = (1..=3)
        .map(|round| {
            project.write("file", noise(round, 500_000));
            project.take_as("other", &long()).id
        })
        .collect();
    for round in 4..=8 {
        project.write("file", noise(round, 500_000));
        project.take_for("session", Reason::AfterTurn).unwrap();
    }
    let left: Vec<_> = project.store.list(None).unwrap().iter().map(|each| each.id).collect();
    assert_eq!(left[0], first.id, "{left:?}");
    assert!(!left.contains(&asked[0]), "{left:?}");
}

#[test]
fn the_checkpoint_before_a_turn_outlives_older_and_newer_ones() {
    let project = Project::with(|options| options.disk_limit = 3_000_000);
    project.write("file", noise(0, 500_000));
    let before = project.take_for("session", Reason::BeforePrompt).unwrap();
    let restore = project.take_for("other", Reason::BeforeRestore).unwrap();
    for round in 1..12 {
        project.write("file", noise(round, 500_000));
        project.take_as("third", &long());
    }
    let left: Vec<_> = project.store.list(None).unwrap().iter().map(|each| each.id).collect();
    assert_eq!(left[..2], [before.id, restore.id]);
    assert!(left.len() <= 6, "{left:?}");
    assert_eq!(project.text(before.id, "file").unwrap(), noise(0, 500_000));
}

#[test]
fn a_checkpoint_that_follows_a_deletion_is_not_stored() {
    let project = Project::new();
    for number in 0..300_u32 {
        project.write(&format!("file{number}"), noise(number, 500));
    }
    project.take_for("session", Reason::BeforePrompt).unwrap();
    project.write("secret", noise(999, 300));
    let late = std::thread::scope(|scope| {
        let late = scope.spawn(|| project.take_for("session", Reason::AfterTurn));
        project.store.forget("session").unwrap();
        late.join().unwrap()
    });
    // The checkpoint was stored before the deletion, or not at all.
    if let Err(error) = late {
        assert!(matches!(error, TakeError::Store(StoreError::Forgotten { .. })), "{error}");
    }
    assert!(project.store.list(None).unwrap().is_empty());
    let error = project.take_for("session", Reason::AfterTurn).unwrap_err();
    assert!(matches!(error, TakeError::Store(StoreError::Forgotten { .. })), "{error}");
    assert_eq!(project.store.usage().unwrap().contents, 0);
    assert!(!is_on_disk(project.store.folder(), &noise(999, 300)));
    // The same session may begin again.
    project.take_for("session", Reason::BeforePrompt).unwrap();
    project.take_for("session", Reason::AfterTurn).unwrap();
    assert_eq!(project.store.list(Some("session")).unwrap().len(), 2);
}
