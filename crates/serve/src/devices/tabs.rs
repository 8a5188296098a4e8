//! The secrets of the open tabs of a device.

use super::secret::{SecretHash, random_secret};
use attache_protocol::Secret;
use std::collections::VecDeque;
use std::io;

/// The largest number of tabs of a device. A new tab takes the place of the oldest one.
const TABS: usize = 32;

/// The secrets of the open tabs of a device. They end with this process: the page then gets another
/// one with its origin key.
#[derive(Debug, Default)]
pub(super) struct Tabs {
    hashes: VecDeque<SecretHash>,
}

impl Tabs {
    /// Returns the secret of a new tab.
    pub(super) fn open(&mut self) -> io::Result<Secret> {
        let secret = random_secret()?;
        if self.hashes.len() >= TABS {
            self.hashes.pop_front();
        }
        self.hashes.push_back(SecretHash::of(secret.expose()));
        Ok(secret)
    }

    /// Whether a tab has this secret. Compares with all of them, so that the time does not depend
    /// on the tab.
    pub(super) fn has(&self, secret: &str) -> bool {
        self.hashes.iter().fold(false, |found, hash| hash.is_of(secret) | found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_tab_takes_the_place_of_the_oldest_one() {
        let mut tabs = Tabs::default();
        let first = tabs.open().unwrap();
        let second = tabs.open().unwrap();
        assert!(tabs.has(first.expose()) && tabs.has(second.expose()) && !tabs.has(""));
        for _ in 0..TABS - 1 {
            tabs.open().unwrap();
        }
        assert!(!tabs.has(first.expose()) && tabs.has(second.expose()));
    }
}
