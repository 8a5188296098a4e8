//! Runs the sandbox tests again as another user, if they run as `root`.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// `nobody`, as most systems number it.
const NOBODY: u32 = 65_534;

#[test]
fn another_user_is_restricted_in_the_same_way() {
    // SAFETY: a system call without arguments.
    if unsafe { libc::geteuid() } != 0 {
        return;
    }
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let program = folder.path().join("tests");
    super::copy_of_this_program(&program);
    fs::create_dir(folder.path().join("tmp")).unwrap();
    for (path, mode) in [("", 0o755), ("tests", 0o755), ("tmp", 0o700)] {
        let path = folder.path().join(path);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let mut tests = Command::new(&program);
    tests.args(["--test-threads=2"]).current_dir(folder.path()).uid(NOBODY).gid(NOBODY);
    tests.env("HOME", folder.path().join("tmp")).env("TMPDIR", folder.path().join("tmp"));
    let output = tests.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    println!("as nobody: {said}");
}
