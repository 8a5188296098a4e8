//! The folders in which commands find their programs.

use crate::folders::Folders;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The `PATH` for commands if this process has none.
const USUAL: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Built-in commands of the shell.
const BUILT_IN: &[&str] = &[
    ":", "[", "break", "cd", "command", "continue", "echo", "exit", "false", "printf", "pwd",
    "return", "set", "test", "true",
];

/// The `PATH` for commands: this process's `PATH` without relative and empty entries, because with
/// them the folder in which a command runs could provide its programs.
pub fn safe_path() -> OsString {
    cleaned(std::env::var_os("PATH").as_deref())
}

fn cleaned(path: Option<&OsStr>) -> OsString {
    let absolute =
        path.into_iter().flat_map(std::env::split_paths).filter(|folder| folder.is_absolute());
    let joined = std::env::join_paths(absolute).unwrap_or_default();
    if joined.is_empty() { USUAL.into() } else { joined }
}

/// Whether a file in the session's folders replaces this program in the `PATH` for commands. Blocks
/// on the disk.
pub(crate) fn is_replaced(program: &str, folders: &Folders) -> bool {
    !BUILT_IN.contains(&program) && is_replaced_in(&safe_path(), program, folders)
}

fn is_replaced_in(path: &OsStr, program: &str, folders: &Folders) -> bool {
    if program.contains('/') {
        return false;
    }
    for folder in std::env::split_paths(path) {
        let file = folder.join(program);
        if is_inside(&file, folders) {
            return true;
        }
        if file
            .metadata()
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        {
            return false;
        }
    }
    false
}

/// Whether the file exists and is in the session's folders, as written or with links followed.
fn is_inside(file: &Path, folders: &Folders) -> bool {
    let Ok(real) = file.canonicalize() else { return false };
    let within = |root: &PathBuf| real.starts_with(root) || file.starts_with(root);
    folders.roots().all().iter().chain(folders.given()).any(within)
}

#[cfg(test)]
mod tests {
    use super::{USUAL, cleaned, is_replaced_in};
    use crate::folders::Folders;
    use std::ffi::OsStr;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn relative_and_empty_entries_are_left_out() {
        for (path, wanted) in [
            (Some(".:/usr/bin:/bin"), "/usr/bin:/bin"),
            (Some(":/bin:"), "/bin"),
            (Some("/bin::/usr/bin"), "/bin:/usr/bin"),
            (Some("bin:../x:/bin"), "/bin"),
            (Some("."), USUAL),
            (Some(""), USUAL),
            (None, USUAL),
        ] {
            assert_eq!(cleaned(path.map(OsStr::new)), OsStr::new(wanted), "{path:?}");
        }
    }

    #[test]
    fn a_program_in_the_session_s_folders_can_replace_another() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for (file, mode) in [
            ("project/bin/ls", 0o755),
            ("project/bin/wc", 0o755),
            ("usr/wc", 0o755),
            ("usr/cat", 0o644),
        ] {
            std::fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            std::fs::write(at(file), "").unwrap();
            std::fs::set_permissions(at(file), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        symlink(at("project/bin/ls"), at("usr/head")).unwrap();
        symlink(at("project/bin"), at("linked")).unwrap();
        let folders = Folders::new(&[at("project")]).unwrap();
        let path =
            |names: &[&str]| std::env::join_paths(names.iter().map(|name| at(name))).unwrap();
        for (entries, program, wanted) in [
            (&["project/bin", "usr"][..], "ls", true),
            (&["linked"][..], "ls", true),
            (&["usr"][..], "head", true),
            (&["usr", "project/bin"][..], "wc", false),
            (&["project/bin", "usr"][..], "wc", true),
            (&["usr"][..], "cat", false),
            (&["project/bin"][..], "missing", false),
        ] {
            assert_eq!(
                is_replaced_in(&path(entries), program, &folders),
                wanted,
                "{entries:?} {program}"
            );
        }
    }
}
