//! What a user may not read or write.
//!
//! Root may do anything, so a test starts its own program again for the test [`child`], which gives
//! up these rights.

use crate::project::{Project, long, paths};
use attache_checkpoint::{Label, Reason, Roots, Store, StoreError, StoreOptions, TakeError};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const VARIABLE: &str = "CHECKPOINT_TEST_OTHER_USER";

/// The user and group that owns nothing else.
const NOBODY: u32 = 65_534;

/// Takes a checkpoint as another user, and prints what it lacks or why it failed.
#[test]
fn child() {
    let Ok(folder) = std::env::var(VARIABLE) else { return };
    // SAFETY: these calls only take numbers, and change the ids of this process.
    unsafe {
        if libc::geteuid() == 0 {
            assert!(libc::setgid(NOBODY) == 0 && libc::setuid(NOBODY) == 0);
        }
    }
    let folder = Path::new(&folder);
    let roots = Roots::new([folder.join("root")]).unwrap();
    let label = Label::new("session", Reason::BeforePrompt);
    let store = match Store::open(&folder.join("store"), StoreOptions::default()) {
        Err(StoreError::ReadOnly { .. }) => return println!("RESULT open: read-only"),
        store => store.unwrap(),
    };
    match store.take(&roots, &label, &long()) {
        Ok(summary) => {
            let lacks = summary.not_kept.iter().map(|each| format!("{} {}", each.path, each.why));
            println!("RESULT {} {:?}", summary.complete, lacks.collect::<Vec<_>>());
        }
        Err(TakeError::Root { .. }) => println!("RESULT root"),
        Err(TakeError::Store(StoreError::ReadOnly { .. })) => println!("RESULT take: read-only"),
        Err(error) => panic!("{error}"),
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Lets another user take a checkpoint of a project, and returns what the child prints.
fn as_other_user(project: &Project) -> String {
    let folder = project.folder.path();
    // SAFETY: the call takes nothing.
    if unsafe { libc::geteuid() } == 0 {
        let owner = format!("{NOBODY}:{NOBODY}");
        let status = Command::new("chown").args(["-R", &owner]).arg(folder).status();
        assert!(status.unwrap().success());
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["other_user::child", "--exact", "--nocapture"])
        .env(VARIABLE, folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let result = text.lines().find_map(|line| line.split_once("RESULT "));
    result.unwrap_or_else(|| panic!("{output:?}")).1.to_owned()
}

#[test]
fn what_cannot_be_read_is_listed_and_the_rest_is_kept() {
    let project = Project::new();
    project.write("open", "text");
    project.write("closed", "text");
    project.write("dark/inside", "text");
    mode(&project.root().join("closed"), 0o000);
    mode(&project.root().join("dark"), 0o000);
    let result = as_other_user(&project);
    mode(&project.root().join("dark"), 0o700);
    let expected = r#"false ["closed could not be read", "dark could not be read"]"#;
    assert_eq!(result, expected);
    let taken = project.store.list(None).unwrap().pop().unwrap();
    assert_eq!(paths(&project.tree(taken.id)), ["closed", "dark", "open"]);
    assert_eq!(project.text(taken.id, "open").unwrap(), b"text");
}

#[test]
fn a_root_that_cannot_be_read_is_an_error() {
    let project = Project::new();
    project.write("file", "text");
    mode(&project.root(), 0o000);
    let result = as_other_user(&project);
    mode(&project.root(), 0o700);
    assert_eq!(result, "root");
    assert!(project.store.list(None).unwrap().is_empty());
}

#[test]
fn a_store_that_cannot_be_written_says_so() {
    let project = Project::new();
    project.write("file", "text");
    let store = project.store.folder().to_owned();
    for entry in fs::read_dir(&store).unwrap() {
        mode(&entry.unwrap().path(), 0o400);
    }
    mode(&store, 0o500);
    let result = as_other_user(&project);
    mode(&store, 0o700);
    assert!(result.ends_with("read-only"), "{result}");
    assert!(project.store.list(None).unwrap().is_empty());
}
