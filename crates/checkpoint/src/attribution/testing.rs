//! Checkpoints for tests.

use crate::store::id::CheckpointId;
use crate::store::label::{Label, Reason};
use crate::store::summary::Summary;
use std::time::{Duration, SystemTime};

/// Returns summaries with the ids 0, 1, 2, … of owners, reasons and turns.
pub(crate) fn summaries(labels: &[(&str, Reason, u64)]) -> Vec<Summary> {
    let numbered = labels.iter().zip(0..);
    let summary = |((owner, reason, turn), number): (&(&str, Reason, u64), u64)| Summary {
        id: CheckpointId::from_number(number),
        at: SystemTime::UNIX_EPOCH + Duration::from_millis(number),
        label: Label { turn: Some(*turn), ..Label::new(*owner, *reason) },
        roots: vec!["/project".into()],
        files: 0,
        changed: 0,
        complete: true,
        not_kept: Vec::new(),
        not_kept_count: 0,
        ignored: 0,
    };
    numbered.map(summary).collect()
}
