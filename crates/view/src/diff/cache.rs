//! Diffs that were made before.

use crate::row::diff_row::FileDiff;
use attache_protocol::v1::Diff;
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// The number of diffs that are kept.
const KEPT: usize = 16;

/// The latest diffs, because agents repeat the texts of a file with every update of a tool call.
#[derive(Debug, Default)]
pub(crate) struct DiffCache {
    /// An agent cannot find texts that have the same hash, because it is seeded at random.
    hasher: RandomState,
    diffs: VecDeque<(u64, Arc<FileDiff>)>,
}

impl DiffCache {
    /// Returns the diff of these texts, which `make` makes if it is new.
    pub(crate) fn get(&mut self, diff: &Diff, make: impl FnOnce() -> FileDiff) -> Arc<FileDiff> {
        let hash = self.hasher.hash_one((&diff.path, &diff.old_text, &diff.new_text));
        if let Some((_, known)) = self.diffs.iter().find(|(known, _)| *known == hash) {
            return known.clone();
        }
        let made = Arc::new(make());
        if self.diffs.len() == KEPT {
            self.diffs.pop_front();
        }
        self.diffs.push_back((hash, made.clone()));
        made
    }
}
