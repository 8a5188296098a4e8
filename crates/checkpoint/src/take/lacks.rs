//! Collects what a checkpoint lacks.

use crate::snapshot::entry::NotKeptReason;
use crate::snapshot::path::TreePath;
use crate::store::summary::{NotKept, Summary};

/// Collects what is not kept, up to the limit of a summary.
#[derive(Debug, Default)]
pub(crate) struct Lacks {
    incomplete: Vec<NotKept>,
    expected: Vec<NotKept>,
}

impl Lacks {
    pub(crate) fn add(&mut self, root: usize, path: Vec<u8>, why: NotKeptReason) {
        let list = match why.is_incomplete() {
            _ if why == NotKeptReason::Ignored => return,
            true => &mut self.incomplete,
            false => &mut self.expected,
        };
        if list.len() < Summary::NOT_KEPT_LIMIT {
            list.push(NotKept { path: TreePath::new(root, path), why });
        }
    }

    pub(crate) fn finish(self) -> (Vec<NotKept>, bool) {
        let complete = self.incomplete.is_empty();
        let mut all = self.incomplete;
        all.extend(self.expected);
        all.truncate(Summary::NOT_KEPT_LIMIT);
        (all, complete)
    }
}
