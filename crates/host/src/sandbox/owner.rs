//! The marks of placeholders, which name the process that made them, and whether that process has
//! ended.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The prefix of the name of a command's own folder in a placeholder.
pub(super) const MARK: &str = ".attache-placeholder-";

/// The age at which a mark is removed if its process belongs to another machine or container. Such
/// a process always seems to have ended.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the name of a new mark. It contains this process's id and start time, the machine and
/// container, and a counter.
pub(super) fn new_mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let process = std::process::id();
    let life = life(process).unwrap_or_default();
    format!("{MARK}{process}-{life:x}-{:x}-{}", place(), COUNT.fetch_add(1, Ordering::Relaxed))
}

pub(super) fn is_mark(entry: &fs::DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(MARK.as_bytes())
}

/// Returns whether the mark's process has ended.
pub(super) fn is_dead(entry: &fs::DirEntry) -> bool {
    if !is_mark(entry) {
        return false;
    }
    let name = entry.file_name().to_string_lossy().into_owned();
    let parts: Vec<&str> = name.strip_prefix(MARK).unwrap_or_default().split('-').collect();
    match parts.as_slice() {
        [process, life_then, place_then, _] if *place_then == format!("{:x}", place()) => {
            let Ok(process) = process.parse() else { return is_old(entry) };
            match life(process) {
                Some(now) => *life_then != format!("{now:x}"),
                // `/proc` may hide the processes of other users.
                None if is_another_users(process) => is_old(entry),
                None => true,
            }
        }
        // A mark from an earlier version, which does not say when its process started. Another
        // process may have its id by now.
        [process, _] if !Path::new("/proc").join(process).exists() => true,
        _ => is_old(entry),
    }
}

fn is_old(entry: &fs::DirEntry) -> bool {
    let changed = entry.metadata().and_then(|found| found.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > STALE))
}

/// Returns whether a process with this id exists that this process may not signal.
fn is_another_users(process: u32) -> bool {
    let Ok(process) = libc::pid_t::try_from(process) else { return false };
    // SAFETY: a system call; signal 0 only checks whether the process exists.
    let refused = unsafe { libc::kill(process, 0) } == -1;
    refused && std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

/// Returns a number that distinguishes the processes that have this id at different times. It
/// depends on when the system and the process started. `None` if there is no such process.
fn life(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    // A process that has ended but was not waited for no longer has a command.
    fields.next().filter(|state| !matches!(*state, "Z" | "X"))?;
    let started = fields.nth(18)?;
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    Some(hash(&[&boot, started]))
}

/// Returns a number that distinguishes this machine and container from others. It stays the same
/// after a restart.
fn place() -> u64 {
    static PLACE: OnceLock<u64> = OnceLock::new();
    *PLACE.get_or_init(|| {
        let text = |file: &str| fs::read_to_string(file).unwrap_or_default();
        let numbers = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        let (machine, name) = (text("/etc/machine-id"), text("/proc/sys/kernel/hostname"));
        hash(&[&machine, &name, &numbers.to_string_lossy()])
    })
}

/// A hash (FNV-1a) that must be the same in every version of this program.
fn hash(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
