//! Where the changes of a review come from.

use attache_checkpoint::Review;
use attache_session::Entry;
use attache_view::{DiffRow, file_changes};
use std::path::PathBuf;
use std::sync::Arc;

/// Where the changes of a review come from, such as the tool calls of a session.
pub(crate) trait ChangeSource: Send {
    /// Names the parts of the work whose changes can be shown, such as `the last turn`. There is at
    /// least one.
    fn scopes(&self) -> &[&'static str];

    /// Returns the changes of a part, by its index in [`scopes`](Self::scopes). Called when the
    /// person chooses the part, not for each frame.
    fn changes(&self, scope: usize) -> DiffRow;

    /// Returns the review of a part if the person can decide about its hunks. Its files and hunks
    /// are those of [`changes`](Self::changes), in the same order.
    fn decidable(&self, _scope: usize) -> Option<Decidable> {
        None
    }

    /// Says that a part with this name has no changes.
    fn nothing(&self, scope: &str) -> String {
        format!("No tool call of {scope} changed a file.")
    }
}

/// A review about whose hunks the person can decide.
#[derive(Debug, Clone)]
pub(crate) struct Decidable {
    pub(crate) review: Arc<Review>,
    /// The number of the turn from which the person opened the review.
    pub(crate) turn: u64,
}

/// The changes that the tool calls of a turn and of its session report, from their entries.
pub(crate) struct ReportedChanges {
    pub(crate) turn: Vec<Arc<Entry>>,
    pub(crate) session: Vec<Arc<Entry>>,
    /// The folder of the session.
    pub(crate) cwd: PathBuf,
}

impl ChangeSource for ReportedChanges {
    fn scopes(&self) -> &[&'static str] {
        &["this turn", "the session"]
    }

    fn changes(&self, scope: usize) -> DiffRow {
        let entries = match scope {
            0 => &self.turn,
            _ => &self.session,
        };
        file_changes(entries, &self.cwd)
    }
}
