//! The clock and the source of ids, which tests can replace.

use attache_session::Timestamp;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A clock and a source of ids. Tests provide their own; the default is [`SystemEnvironment`].
pub trait Environment: Send + Sync + 'static {
    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Returns an id that is unique on this machine and on every other.
    // SESS-01.
    fn new_id(&self) -> String;
}

/// The machine's clock, and random ids in the form of a version 4 UUID.
#[derive(Debug, Default)]
pub struct SystemEnvironment {
    /// Two random keys of 64 bits each, which the standard library gets from the system.
    keys: RandomState,
    issued: AtomicU64,
}

impl Environment for SystemEnvironment {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn new_id(&self) -> String {
        let issued = self.issued.fetch_add(1, Ordering::Relaxed);
        let half = |which: u8| {
            let mut hasher = self.keys.build_hasher();
            hasher.write_u64(issued);
            hasher.write_u8(which);
            // A forked process inherits the keys of its parent, but has its own process id.
            hasher.write_u32(std::process::id());
            hasher.finish()
        };
        let (high, low) = (half(0), half(1));
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 48 & 0x3fff | 0x8000,
            low & 0xffff_ffff_ffff
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Environment, SystemEnvironment};

    #[test]
    fn ids_differ_and_look_like_uuids() {
        let environments = [SystemEnvironment::default(), SystemEnvironment::default()];
        let ids: std::collections::HashSet<String> =
            (0..1000).flat_map(|_| environments.iter().map(Environment::new_id)).collect();
        assert_eq!(ids.len(), 2000);
        for id in ids {
            let lengths: Vec<usize> = id.split('-').map(str::len).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        }
    }
}
