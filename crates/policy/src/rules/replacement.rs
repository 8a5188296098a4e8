//! Replaces a whole file and keeps the old one as a backup.

use super::rule_set::LONGEST;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// The suffix of the backup of a file from an older version.
const BACKUP: &str = "v1";

/// The text of a file; empty if the file does not exist.
pub(super) fn text_of(file: &Path) -> io::Result<String> {
    match attache_host::read_plain_text(file, LONGEST) {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(String::new())
        }
        read => read,
    }
}

/// The file's path with a suffix.
fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.to_owned().into_os_string();
    name.push(".");
    name.push(end);
    name.into()
}

/// Returns the first unused name for a backup.
fn free_backup(file: &Path) -> PathBuf {
    let numbered = (2..).map(|number| beside(file, &format!("{BACKUP}.{number}")));
    let mut names = std::iter::once(beside(file, BACKUP)).chain(numbered);
    names.find(|name| name.symlink_metadata().is_err()).unwrap_or_else(|| beside(file, BACKUP))
}

/// Stores the text of a file from an older version as a backup, unless an equal backup exists.
pub(super) fn back_up(file: &Path, text: &str) -> io::Result<()> {
    let is_kept = text_of(&beside(file, BACKUP)).is_ok_and(|kept| kept == text);
    if is_kept {
        return Ok(());
    }
    let mut backup = OpenOptions::new();
    let mut backup = backup.write(true).create_new(true).mode(0o600).open(free_backup(file))?;
    backup.write_all(text.as_bytes())?;
    backup.sync_all()
}

/// Replaces a whole file.
pub(super) fn replace(file: &Path, text: &str) -> io::Result<()> {
    let name = beside(file, "new");
    let mut new =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&name)?;
    if let Ok(before) = fs::metadata(file) {
        new.set_permissions(fs::Permissions::from_mode(before.permissions().mode() & 0o777))?;
    }
    new.write_all(text.as_bytes())?;
    new.sync_all()?;
    fs::rename(&name, file)?;
    sync_folder(file)
}

/// Renames a file after its rules were moved to another one.
pub(super) fn set_aside(old: &Path) -> io::Result<()> {
    match fs::rename(old, free_backup(old)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => sync_folder(old),
    }
}

fn sync_folder(file: &Path) -> io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
