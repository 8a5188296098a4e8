//! What the file system says of a file without reading it.

use rustix::fs::Stat;
use std::time::{SystemTime, UNIX_EPOCH};

const SECOND: i64 = 1_000_000_000;

/// How much older than the clock the time of a change may be: the system's timer has steps of up to
/// 10 ms.
const STEP: i64 = SECOND / 50;

/// The same for file systems that keep whole or even seconds.
const COARSE_STEP: i64 = 2 * SECOND;

/// Size, times and identity of a file. If they are the same as when the file was read, its content
/// is too, unless it was read within one step of the clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    /// Nanoseconds since 1970, like `changed`.
    pub(crate) modified: i64,
    pub(crate) changed: i64,
    pub(crate) inode: u64,
    /// The permission bits.
    pub(crate) mode: u32,
}

#[allow(
    clippy::unnecessary_cast,
    clippy::cast_lossless,
    reason = "the types of these fields differ between systems"
)]
impl Stamp {
    pub(crate) fn of(stat: &Stat) -> Self {
        let time = |seconds: i64, nanos: i64| seconds.saturating_mul(SECOND).saturating_add(nanos);
        Self {
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: time(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: time(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            inode: stat.st_ino as u64,
            mode: stat.st_mode as u32 & 0o7777,
        }
    }

    /// Returns whether the file may have changed at or after this time, without a later change
    /// time. Only the system sets the change time, so the modification time does not matter.
    pub(crate) fn may_change_unseen(&self, read_at: i64) -> bool {
        self.changed >= read_at.saturating_sub(step(self.changed))
    }

    /// Returns whether the file changed after a prompt was sent, or may have. A modification time
    /// in the future was set by a program and says nothing.
    pub(crate) fn is_after(&self, sent: i64, now: i64) -> bool {
        let after = |time: i64| time >= sent.saturating_sub(step(time));
        after(self.changed) || (after(self.modified) && self.modified <= now)
    }
}

fn step(time: i64) -> i64 {
    if time % SECOND == 0 { COARSE_STEP } else { STEP }
}

/// Returns a time as nanoseconds since 1970.
pub(crate) fn nanos(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
    }
}

#[cfg(test)]
mod tests {
    use super::{SECOND, Stamp};

    #[test]
    fn a_change_within_a_step_of_the_clock_may_be_unseen() {
        let at = |changed| Stamp { changed, ..Stamp::default() };
        assert!(at(100 * SECOND + 1).may_change_unseen(100 * SECOND + 2));
        assert!(!at(99 * SECOND + 1).may_change_unseen(100 * SECOND + 2));
        // Whole seconds: the file system may keep no more.
        assert!(at(99 * SECOND).may_change_unseen(100 * SECOND + 2));
    }

    #[test]
    fn a_modification_time_in_the_future_is_no_change_after_the_prompt() {
        let sent = 100 * SECOND;
        let file = |modified| Stamp { changed: 5 * SECOND, modified, ..Stamp::default() };
        assert!(!file(200 * SECOND).is_after(sent, sent + SECOND));
        assert!(file(sent + 5).is_after(sent, sent + SECOND));
        assert!(!file(5).is_after(sent, sent + SECOND));
    }
}
