//! The changes that checkpoints show, whichever tool or command made them.

use super::change_source::{ChangeSource, Decidable};
use attache_checkpoint::Review;
use attache_view::{DiffRow, reviewed_changes};
use std::sync::Arc;

/// The changes that the checkpoints of a turn and of its session show.
#[derive(Debug, Default)]
pub(crate) struct ReviewedChanges {
    /// The number of the turn.
    turn: u64,
    /// The turn and the session; `None` if no checkpoints of the part are stored.
    parts: [Option<(Arc<Review>, DiffRow)>; 2],
}

impl ReviewedChanges {
    /// Makes the changes of these reviews.
    pub(crate) fn new(turn: u64, of_turn: Option<Review>, of_session: Option<Review>) -> Self {
        let part = |review: Option<Review>| {
            review.map(|review| {
                let changes = reviewed_changes(&review);
                (Arc::new(review), changes)
            })
        };
        Self { turn, parts: [part(of_turn), part(of_session)] }
    }
}

impl ChangeSource for ReviewedChanges {
    fn scopes(&self) -> &[&'static str] {
        &["this turn", "the session"]
    }

    fn changes(&self, scope: usize) -> DiffRow {
        let part = self.parts.get(scope).and_then(Option::as_ref);
        part.map(|(_, changes)| changes.clone()).unwrap_or_default()
    }

    fn decidable(&self, scope: usize) -> Option<Decidable> {
        let (review, _) = self.parts.get(scope)?.as_ref()?;
        Some(Decidable { review: review.clone(), turn: self.turn })
    }

    fn nothing(&self, scope: &str) -> String {
        format!("The checkpoints of {scope} show no changed file.")
    }
}
