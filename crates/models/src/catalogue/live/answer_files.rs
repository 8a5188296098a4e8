//! Files that keep the answers of providers about their models for a day.
//!
//! Each answer is a file of its own, so that several processes do not overwrite each other's. A
//! file that cannot be read counts as missing.

use serde_json::{Value, json};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher as _, DefaultHasher, Hash as _, Hasher as _, RandomState};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long an answer is used.
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// The maximum size of a file, in bytes.
const LONGEST: u64 = 256 << 10;

/// The suffix of the files.
const SUFFIX: &str = ".model.json";

/// Returns the answer with this key, if the folder has one that is not older than a day.
pub(crate) fn read(folder: &Path, key: &str) -> Option<Value> {
    let mut text = String::new();
    File::open(path(folder, key)).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
    let mut kept: Value = serde_json::from_str(&text).ok()?;
    let at = Duration::from_secs(kept.get("at")?.as_u64()?);
    let age = now().checked_sub(at)?;
    let is_used = age < KEPT_FOR && kept.get("of")?.as_str()? == key;
    kept.get_mut("answer").filter(|_| is_used).map(Value::take)
}

/// Keeps an answer, and removes those that are too old.
///
/// # Errors
/// Returns an error if the folder or the file cannot be written.
pub(crate) fn write(folder: &Path, key: &str, answer: &Value) -> io::Result<()> {
    let text = json!({"of": key, "at": now().as_secs(), "answer": answer}).to_string();
    if text.len() as u64 >= LONGEST {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    remove_old(folder);
    let path = path(folder, key);
    let random = RandomState::new().hash_one(key);
    let new = path.with_extension(format!("{}-{random:x}.new", std::process::id()));
    let mut options = OpenOptions::new();
    let written = options.write(true).create_new(true).mode(0o600).open(&new);
    let written = written.and_then(|mut file| file.write_all(text.as_bytes()));
    let renamed = written.and_then(|()| fs::rename(&new, path));
    if renamed.is_err() {
        // The file may not exist.
        drop(fs::remove_file(new));
    }
    renamed
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Returns the path of the file for this key. Two keys with the same path only replace each other.
fn path(folder: &Path, key: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    folder.join(format!("{:016x}{SUFFIX}", hasher.finish()))
}

/// Removes files of this module that have not been written for more than a day.
fn remove_old(folder: &Path) {
    let Ok(files) = fs::read_dir(folder) else { return };
    for file in files.flatten() {
        let name = file.file_name();
        let is_own = name.to_str().is_some_and(|name| name.contains(".model."));
        let written = file.metadata().and_then(|about| about.modified()).ok();
        let is_old = written.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > KEPT_FOR);
        if is_own && is_old {
            // Another process may have removed it.
            drop(fs::remove_file(file.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{path, read, write};
    use serde_json::json;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn an_answer_is_kept_for_a_day_in_a_private_file() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("cache");
        assert_eq!(read(&folder, "a"), None);
        write(&folder, "a", &json!({"window": 5})).unwrap();
        write(&folder, "b", &json!({"window": 6})).unwrap();
        assert_eq!(read(&folder, "a"), Some(json!({"window": 5})));
        assert_eq!(read(&folder, "b"), Some(json!({"window": 6})));
        let file = path(&folder, "a");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "no other file is left");

        let text = std::fs::read_to_string(&file).unwrap();
        let at = text.split_once("\"at\":").unwrap().1;
        let at: String = at.chars().take_while(char::is_ascii_digit).collect();
        let seconds: u64 = at.parse().unwrap();
        for (changed, is_used) in
            [(seconds - 86_000, true), (seconds - 86_401, false), (seconds + 9999, false)]
        {
            std::fs::write(&file, text.replace(&at, &changed.to_string())).unwrap();
            assert_eq!(read(&folder, "a").is_some(), is_used, "{changed}");
        }
    }

    #[test]
    fn a_corrupt_file_counts_as_missing_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for text in ["", "{", "null", r#"{"at":0}"#, r#"{"of":"other","at":1,"answer":{}}"#] {
            std::fs::write(path(folder, "a"), text).unwrap();
            assert_eq!(read(folder, "a"), None, "{text}");
            write(folder, "a", &json!(1)).unwrap();
            assert_eq!(read(folder, "a"), Some(json!(1)));
        }
    }

    #[test]
    fn an_old_file_is_removed_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write(folder, "old", &json!(1)).unwrap();
        std::fs::write(folder.join("other"), "").unwrap();
        let before = std::time::SystemTime::now() - std::time::Duration::from_secs(90_000);
        for file in [path(folder, "old"), folder.join("other")] {
            std::fs::File::options().write(true).open(file).unwrap().set_modified(before).unwrap();
        }
        write(folder, "new", &json!(1)).unwrap();
        assert!(!path(folder, "old").exists() && folder.join("other").exists());
    }
}
