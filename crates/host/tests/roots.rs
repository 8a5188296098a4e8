//! Resolves paths inside and outside of the roots.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use attache_host::{FileError, Reason, Resolved, Roots, RootsError};
use tempfile::TempDir;

/// The folders `project`, `library` and `outside`, each with a file of the same name.
struct Folders {
    base: PathBuf,
    roots: Roots,
    _folder: TempDir,
}

fn folders() -> Folders {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    for name in ["project", "library", "outside"] {
        fs::create_dir(base.join(name)).unwrap();
        fs::write(base.join(name).join("file"), name).unwrap();
    }
    let roots = Roots::new(base.join("project"), [base.join("library")]).unwrap();
    Folders { base, roots, _folder: folder }
}

impl Folders {
    fn resolved(&self, path: impl AsRef<Path>) -> Resolved {
        self.roots.resolve(path).unwrap()
    }

    #[track_caller]
    fn expect_outside(&self, path: impl AsRef<Path>) {
        let path = path.as_ref();
        let outside = |error: FileError| matches!(error.reason(), Reason::Outside { .. });
        assert!(self.roots.resolve(path).is_err_and(outside), "resolve {}", path.display());
        assert!(
            self.roots.read_text(path, None, None).is_err_and(outside),
            "read {}",
            path.display()
        );
        assert!(self.roots.write(path, "no").is_err_and(outside), "write {}", path.display());
    }
}

#[test]
fn roots_are_absolute_existing_folders() {
    let test = folders();
    let none: [&Path; 0] = [];
    assert!(matches!(Roots::new("relative", none), Err(RootsError::Relative(_))));
    assert!(matches!(Roots::new(test.base.join("none"), none), Err(RootsError::NotFound(_))));
    assert!(matches!(
        Roots::new(test.base.join("project/file"), none),
        Err(RootsError::NotAFolder(_))
    ));
    assert!(matches!(Roots::new(&test.base, [""]), Err(RootsError::Relative(_))), "DIR-03");
    assert!(matches!(Roots::new(&test.base, ["/no/such"]), Err(RootsError::NotFound(_))), "DIR-04");
    let twice =
        Roots::new(&test.base, [test.base.clone(), test.base.join("library/../library")]).unwrap();
    assert_eq!(twice.all(), [test.base.clone(), test.base.join("library")]);
}

#[test]
fn relative_paths_start_at_the_cwd_only() {
    let test = folders();
    assert_eq!(test.resolved("file").path(), test.base.join("project/file"));
    assert_eq!(test.resolved(".").path(), test.base.join("project"));
    fs::write(test.base.join("library/only-there"), "").unwrap();
    assert!(!test.resolved("only-there").exists(), "DIR-07: not looked for in other roots");
    assert_eq!(test.resolved(test.base.join("library/file")).root(), test.base.join("library"));
}

#[test]
fn paths_outside_of_the_roots_are_refused() {
    let test = folders();
    test.expect_outside("../outside/file");
    test.expect_outside(test.base.join("outside/file"));
    test.expect_outside("/etc/passwd");
    test.expect_outside("..");
    test.expect_outside("/");
    test.expect_outside("none/../../outside/new");
    test.expect_outside(test.base.join("project-b/file"));
    test.expect_outside("/no/such/place/at/all");
    assert_eq!(test.resolved("../library/file").root(), test.base.join("library"));
    assert_eq!(test.resolved("../outside/../project/file").path(), test.base.join("project/file"));
}

#[test]
fn a_refusal_names_the_path_and_the_roots() {
    let test = folders();
    let error = test.roots.resolve("/etc/passwd").unwrap_err();
    assert_eq!(error.path(), Path::new("/etc/passwd"));
    let text = error.to_string();
    for part in [
        "/etc/passwd".into(),
        test.base.join("project").display().to_string(),
        test.base.join("library").display().to_string(),
    ] {
        assert!(text.contains(&part), "{text}");
    }
}

#[test]
fn links_are_followed_and_checked() {
    let test = folders();
    let project = test.base.join("project");
    fs::create_dir(project.join("deep")).unwrap();
    symlink("../outside", project.join("out")).unwrap();
    symlink(test.base.join("outside/file"), project.join("out-file")).unwrap();
    symlink("../outside/new", project.join("dangling-out")).unwrap();
    symlink("out/..", project.join("out-and-up")).unwrap();
    symlink("new", project.join("dangling-in")).unwrap();
    symlink("../library", project.join("other-root")).unwrap();
    symlink("loop-b", project.join("loop-a")).unwrap();
    symlink("loop-a", project.join("loop-b")).unwrap();
    for path in [
        "out/file",
        "out/new",
        "out",
        "out-file",
        "dangling-out",
        "out-and-up/outside/file",
        "out/../outside/file",
    ] {
        test.expect_outside(path);
    }
    assert!(!test.base.join("outside/new").exists());
    // The system follows the link before it goes up.
    test.expect_outside("out/../file");
    assert_eq!(test.resolved("other-root/file").path(), test.base.join("library/file"));
    assert_eq!(test.roots.read_text("other-root/file", None, None).unwrap(), "library");
    test.roots.write("dangling-in", "through").unwrap();
    assert_eq!(fs::read_to_string(project.join("new")).unwrap(), "through");
    assert!(fs::symlink_metadata(project.join("dangling-in")).unwrap().is_symlink());
    assert!(matches!(test.roots.resolve("loop-a").unwrap_err().reason(), Reason::LinkLoop));
}

#[test]
fn a_root_may_itself_be_a_link() {
    let test = folders();
    let link = test.base.join("link");
    symlink("project", &link).unwrap();
    let none: [&Path; 0] = [];
    let roots = Roots::new(&link, none).unwrap();
    assert_eq!(roots.cwd(), test.base.join("project"));
    assert_eq!(roots.read_text(link.join("file"), None, None).unwrap(), "project");
    assert_eq!(roots.read_text("file", None, None).unwrap(), "project");
}

#[test]
fn a_missing_path_resolves_by_its_nearest_existing_folder() {
    let test = folders();
    let new = test.resolved("a/b/../c");
    assert_eq!((new.path(), new.exists()), (test.base.join("project/a/c"), false));
    assert!(test.resolved("file").exists());
    assert!(matches!(test.roots.resolve("file/below").unwrap_err().reason(), Reason::NotAFolder));
}

#[test]
fn names_in_any_script_and_with_any_bytes_are_accepted() {
    use std::os::unix::ffi::OsStrExt;
    let test = folders();
    for name in ["日本語 ファイル.txt", "é e\u{301} 🎉", "-rf", "new\nline", "..."] {
        test.roots.write(name, name).unwrap();
        assert_eq!(test.roots.read_text(name, None, None).unwrap(), name);
    }
    let raw = Path::new(std::ffi::OsStr::from_bytes(b"raw\xFF"));
    test.roots.write(raw, "raw").unwrap();
    assert_eq!(test.roots.read_text(raw, None, None).unwrap(), "raw");
}

#[test]
fn empty_paths_and_zero_bytes_are_refused() {
    let test = folders();
    for path in ["", "a\0b"] {
        assert!(matches!(test.roots.resolve(path).unwrap_err().reason(), Reason::NoPath));
        assert!(matches!(
            test.roots.read_text(path, None, None).unwrap_err().reason(),
            Reason::NoPath
        ));
    }
}
