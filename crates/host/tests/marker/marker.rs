//! Finds the processes of a test by a marker in their environment, which descendants and guardians
//! inherit.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// The variable that holds the marker.
pub(crate) const NAME: &str = "ATTACHE_HOST_TEST";

/// Returns a value that no other test has, in this process or another.
pub(crate) fn fresh() -> String {
    let folder = tempfile::tempdir().unwrap();
    format!("{}-{}", std::process::id(), folder.path().file_name().unwrap().display())
}

/// Whether a process other than this one has exactly this entry in its environment (zombies have
/// none).
fn has(process: &Path, entry: &[u8]) -> bool {
    fs::read(process.join("environ"))
        .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|each| each == entry))
}

/// The processes with the marker, each with its id and command line.
pub(crate) fn alive(marker: &str) -> Vec<(u32, String)> {
    let entry = format!("{NAME}={marker}");
    let mut found = Vec::new();
    for process in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = process.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        if pid != std::process::id() && has(&process.path(), entry.as_bytes()) {
            let words = fs::read(process.path().join("cmdline")).unwrap_or_default();
            found.push((pid, String::from_utf8_lossy(&words).replace('\0', " ")));
        }
    }
    found
}

/// Waits until the condition holds; fails the test after 20 seconds.
#[track_caller]
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until no process has the marker; fails the test after 20 seconds.
#[track_caller]
pub(crate) fn expect_none(marker: &str) {
    let mut last = Vec::new();
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let found = alive(marker);
        if found.is_empty() {
            return;
        }
        last.clone_from(&found);
        assert!(Instant::now() < deadline, "left behind: {last:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The children of this process that have ended and were not waited for.
pub(crate) fn zombies() -> Vec<String> {
    let own = std::process::id().to_string();
    let stats = fs::read_dir("/proc").unwrap().flatten().filter_map(|process| {
        process.file_name().as_bytes().first()?.is_ascii_digit().then_some(())?;
        fs::read_to_string(process.path().join("stat")).ok()
    });
    stats
        .filter(|stat| {
            let mut fields = stat.rsplit(") ").next().unwrap().split(' ');
            fields.next() == Some("Z") && fields.next() == Some(own.as_str())
        })
        .collect()
}
