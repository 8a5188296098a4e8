//! Notifying the watchers of a hub.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::watch;

/// Counts the changes of a hub. Its watchers wait until the count grows.
#[derive(Debug)]
pub(crate) struct ChangeNotifier(watch::Sender<u64>);

/// When a watched thing last changed, and whether a watcher has looked since. Changes that no
/// watcher has seen count as one.
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
    /// Counts a change of the thing with this mark.
    pub(crate) fn notify(&self, what: &ChangeMark) {
        if !what.told.swap(true, Ordering::AcqRel) {
            // This happens under the sender's lock, so that a watcher that sees the new number also
            // sees the mark.
            self.0.send_modify(|now| {
                *now += 1;
                what.at.store(*now, Ordering::Release);
            });
        }
    }

    /// The number of changes so far.
    pub(crate) fn now(&self) -> u64 {
        *self.0.borrow()
    }

    pub(crate) fn listen(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }
}

impl ChangeMark {
    /// Notes that a watcher has seen everything so far. The next change gets a new number.
    pub(crate) fn looked(&self) {
        self.told.store(false, Ordering::Release);
    }

    /// Whether the thing changed after change number `seen`. If so, the next change gets a new
    /// number.
    ///
    /// Until a watcher sees a change, further changes share its number.
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
    fn a_flood_of_changes_wakes_watchers_once_and_all_see_it() {
        let (notifier, one, other) =
            (ChangeNotifier::default(), ChangeMark::default(), ChangeMark::default());
        let listener = notifier.listen();
        (0..1000).for_each(|_| notifier.notify(&one));
        assert_eq!(*listener.borrow(), 1);
        assert!(one.since(0) && !other.since(0));
        notifier.notify(&one);
        notifier.notify(&other);
        assert_eq!(*listener.borrow(), 3);
        assert!(one.since(1) && other.since(1), "for a watcher that saw the first change");
        one.looked();
        notifier.notify(&one);
        assert_eq!(*listener.borrow(), 4, "for a watcher that began in between");
        assert!(
            one.since(0) && !one.since(4),
            "for a watcher that has seen nothing, and one that has seen all"
        );
    }
}
