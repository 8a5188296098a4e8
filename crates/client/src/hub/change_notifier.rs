//! Who is told that something in a hub changed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::watch;

/// Counts the changes of a hub; its watchers wait for it to grow.
#[derive(Debug)]
pub(crate) struct ChangeNotifier(watch::Sender<u64>);

/// When something that is watched changed last, and whether anybody has looked since. A flood of
/// changes rings once.
#[derive(Debug, Default)]
pub(crate) struct ChangeMark {
    at: AtomicU64,
    told: AtomicBool,
}

impl Default for ChangeNotifier {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl ChangeNotifier {
    /// Something changed.
    pub(crate) fn notify(&self, what: &ChangeMark) {
        if !what.told.swap(true, Ordering::AcqRel) {
            // Under the sender's lock, so that who sees the new number sees when this changed.
            self.0.send_modify(|now| {
                *now += 1;
                what.at.store(*now, Ordering::Release);
            });
        }
    }

    /// How often something changed until now.
    pub(crate) fn now(&self) -> u64 {
        *self.0.borrow()
    }

    pub(crate) fn listen(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }
}

impl ChangeMark {
    /// A watcher begins, which has seen everything until now: what changes from here on rings.
    pub(crate) fn looked(&self) {
        self.told.store(false, Ordering::Release);
    }

    /// Whether it changed after the bell rang for the `seen`th time. What changes from here on
    /// rings again.
    ///
    /// A change either finds that somebody has looked since the one before, and gets a number that
    /// nobody has seen, or joins one that nobody has looked at since it rang.
    pub(crate) fn since(&self, seen: u64) -> bool {
        let changed = self.at.load(Ordering::Acquire) > seen;
        if changed {
            self.told.store(false, Ordering::Release);
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_rings_once_and_every_watcher_sees_it() {
        let (notifier, one, other) =
            (ChangeNotifier::default(), ChangeMark::default(), ChangeMark::default());
        let listener = notifier.listen();
        (0..1000).for_each(|_| notifier.notify(&one));
        assert_eq!(*listener.borrow(), 1);
        assert!(one.since(0) && !other.since(0));
        notifier.notify(&one);
        notifier.notify(&other);
        assert_eq!(*listener.borrow(), 3);
        assert!(one.since(1) && other.since(1), "whoever looked at the first");
        one.looked();
        notifier.notify(&one);
        assert_eq!(*listener.borrow(), 4, "whoever began in between");
        assert!(
            one.since(0) && !one.since(4),
            "whoever has not looked yet, and whoever has seen all"
        );
    }
}
