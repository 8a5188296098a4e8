//! The file of remembered rules: one a line, which a person can read and change.

use super::BrokerError;
use crate::permission_rule::PermissionRule;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// How large the file may be, in bytes.
const FILE: u64 = 1 << 20;

/// How long another program may lock the file, and how often it is looked whether it still does.
const PATIENCE: Duration = Duration::from_secs(2);
const AGAIN: Duration = Duration::from_millis(10);

/// What a new file begins with.
const BEGINS: &str = "# What agents may do without asking, and may not: one rule a line. Remove a line to be asked again.\n";

/// The rules of the file; one that does not exist has none.
pub(super) fn read(file: &Path) -> Result<Vec<PermissionRule>, BrokerError> {
    let failed = |source| BrokerError::File { file: file.to_owned(), source };
    let text = text(file).map_err(failed)?;
    let mut rules = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        rules.push(line.parse().map_err(|source| BrokerError::Line {
            file: file.to_owned(),
            line: index + 1,
            source,
        })?);
    }
    Ok(rules)
}

fn text(file: &Path) -> io::Result<String> {
    match attache_host::read_plain_text(file, FILE) {
        // Below a file there is none either.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(String::new())
        }
        read => read,
    }
}

/// Adds a rule.
pub(super) fn add(file: &Path, rule: &PermissionRule) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let _held = lock(file)?;
    let before = text(file)?;
    let begins = match (before.is_empty(), before.ends_with('\n')) {
        (true, _) => BEGINS,
        (false, true) => "",
        // A line that a person left without its end stays a line.
        (false, false) => "\n",
    };
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(file)?;
    file.write_all(format!("{begins}{rule}\n").as_bytes())
}

/// Takes a rule out; everything else in the file stays as it is. The file is replaced as a whole,
/// and is never without a rule that rejects.
pub(super) fn remove(file: &Path, rule: &PermissionRule) -> io::Result<()> {
    let _held = lock(file)?;
    // A link to a file that is kept elsewhere stays one.
    let file = file.canonicalize()?;
    let is_other = |line: &&str| line.trim().parse().as_ref() != Ok(rule);
    let left: String = text(&file)?.split_inclusive('\n').filter(is_other).collect();
    let mut name = file.clone().into_os_string();
    name.push(".new");
    let mut new =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&name)?;
    new.write_all(left.as_bytes())?;
    new.sync_all()?;
    fs::rename(&name, &file)
}

/// Holds off other programs that would change files beside this one, until it is dropped. Waits for
/// them, but not for long.
pub(super) fn lock(file: &Path) -> io::Result<File> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new(".")))?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(folder),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "another program locks its folder",
                ));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(AGAIN),
        }
    }
}
