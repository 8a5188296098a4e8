//! The keys of entries.

use crate::MessageAuthor;
use attache_protocol::v1::{CompactionId, MessageId, PlanId, SessionId, ToolCallId};
use std::collections::HashMap;
use std::sync::Arc;

/// The key of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Message(MessageAuthor, MessageId),
    ToolCall(ToolCallId),
    Plan(Option<PlanId>),
    Compaction(CompactionId),
    Subagent(SessionId),
    BetweenSessions(MessageId),
}

/// The indices of the entries that have a key. Snapshots share them, and a new key copies only the
/// recent ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keys {
    recent: Arc<HashMap<Key, usize>>,
    others: Arc<HashMap<Key, usize>>,
}

impl Keys {
    /// The largest number of recent keys.
    const RECENT: usize = 1024;

    pub(crate) fn find(&self, key: &Key) -> Option<usize> {
        self.recent.get(key).or_else(|| self.others.get(key)).copied()
    }

    pub(crate) fn insert(&mut self, key: Key, index: usize) {
        let recent = Arc::make_mut(&mut self.recent);
        if recent.len() >= Self::RECENT {
            Arc::make_mut(&mut self.others).extend(recent.drain());
        }
        recent.insert(key, index);
    }

    /// Forgets the entries that are not kept.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(usize) -> bool) {
        for keys in [&mut self.recent, &mut self.others] {
            Arc::make_mut(keys).retain(|_, index| is_kept(*index));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_until_they_are_forgotten() {
        let key = |index: usize| Key::ToolCall(index.to_string().as_str().into());
        let mut keys = Keys::default();
        for index in 0..3000 {
            keys.insert(key(index), index);
        }
        let snapshot = keys.clone();
        keys.retain(|index| index >= 2500);
        keys.insert(key(1), 3000);
        assert!((0..3000).all(|index| snapshot.find(&key(index)) == Some(index)));
        let found = |index: usize| keys.find(&key(index));
        assert_eq!((found(0), found(1), found(2499)), (None, Some(3000), None));
        assert!((2500..3000).all(|index| found(index) == Some(index)));
    }
}
