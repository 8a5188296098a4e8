//! What the user decided about hunks. Decisions are kept by the content of the hunk, so they hold
//! after a restart and while other parts of the file change.

use crate::changes::hunk::{Hunk, HunkKey};
use crate::snapshot::path::TreePath;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

/// The number of bytes of a hunk that a decision keeps.
const MOST_BYTES: usize = 4_000;

/// What the user decided about a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HunkState {
    /// Nothing yet.
    Open,
    /// It stays.
    Accepted,
    /// It was undone.
    Rejected,
}

/// A decision about a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The hunk.
    pub hunk: HunkKey,
    /// The path of the file, for people.
    pub path: String,
    /// What was decided.
    pub state: HunkState,
    /// The user's comment.
    pub comment: Option<String>,
    /// How many lines precede the hunk.
    pub line: usize,
    /// The lines that the hunk removes, shortened if they are long.
    pub removed: String,
    /// The lines that the hunk adds, shortened if they are long.
    pub added: String,
    /// The newest checkpoint when it was decided.
    pub at: CheckpointId,
    /// The restore that undid the hunk.
    pub restore: Option<CheckpointId>,
    /// Whether the agent was told.
    pub is_told: bool,
}

impl Decision {
    /// Returns a decision about a hunk.
    pub(crate) fn new(path: &TreePath, hunk: &Hunk, state: HunkState, at: CheckpointId) -> Self {
        Decision {
            hunk: hunk.key.clone(),
            path: path.to_string(),
            state,
            comment: None,
            line: hunk.old_start,
            removed: shortened(&hunk.removed),
            added: shortened(&hunk.added),
            at,
            restore: None,
            is_told: false,
        }
    }

    /// Returns the state of a hunk that lies between two checkpoints. A hunk that was rejected and
    /// made once more later is open again.
    pub(crate) fn state_of(&self, from: CheckpointId, until: CheckpointId) -> HunkState {
        let holds = match self.state {
            HunkState::Open => false,
            HunkState::Accepted => from < self.at,
            HunkState::Rejected => until <= self.at,
        };
        if holds { self.state } else { HunkState::Open }
    }
}

/// Returns the first lines of a text.
fn shortened(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(MOST_BYTES) {
        Some((end, _)) => format!("{}…\n", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}

/// The decisions of a store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decisions<'a>(pub(crate) &'a Store);

impl Decisions<'_> {
    /// Keeps decisions of an owner, in place of earlier ones about the same hunks. Fails if the
    /// owner was deleted.
    pub(crate) fn keep(self, owner: &str, decisions: &[Decision]) -> Result<(), StoreError> {
        let texts: Result<Vec<String>, StoreError> =
            decisions.iter().map(|each| self.text(each)).collect();
        let rows: Vec<_> = decisions.iter().zip(texts?).collect();
        self.0.write_records_of(owner, |connection| {
            let insert = "INSERT OR REPLACE INTO decision (owner, hunk, record) VALUES (?, ?, ?)";
            for (decision, text) in &rows {
                connection.execute(insert, params![owner, decision.hunk.as_str(), text])?;
            }
            Ok(())
        })
    }

    /// Returns the decisions of an owner.
    pub(crate) fn of(self, owner: &str) -> Result<Vec<Decision>, StoreError> {
        let texts: Vec<String> = self.0.read_records(|connection| {
            let query = "SELECT record FROM decision WHERE owner = ? ORDER BY hunk";
            let mut statement = connection.prepare(query)?;
            statement.query_map([owner], |row: &Row<'_>| row.get(0))?.collect()
        })?;
        let read = |text: &String| serde_json::from_str(text).map_err(|error| self.damaged(&error));
        texts.iter().map(read).collect()
    }

    /// Deletes the decisions that a restore carried out, because it is undone.
    pub(crate) fn reopen(self, owner: &str, restore: CheckpointId) -> Result<(), StoreError> {
        let mut decisions = self.of(owner)?;
        decisions.retain(|decision| decision.restore == Some(restore));
        self.delete(owner, decisions.iter().map(|decision| &decision.hunk))
    }

    /// Deletes decisions about hunks.
    pub(crate) fn delete<'h>(
        self,
        owner: &str,
        hunks: impl Iterator<Item = &'h HunkKey>,
    ) -> Result<(), StoreError> {
        let hunks: Vec<&HunkKey> = hunks.collect();
        self.0.write_records(|connection| {
            for hunk in &hunks {
                let delete = "DELETE FROM decision WHERE owner = ? AND hunk = ?";
                connection.execute(delete, params![owner, hunk.as_str()])?;
            }
            Ok(())
        })
    }

    fn text(self, decision: &Decision) -> Result<String, StoreError> {
        serde_json::to_string(decision).map_err(|error| self.damaged(&error))
    }

    fn damaged(self, error: &serde_json::Error) -> StoreError {
        let reason = format!("a decision about a hunk: {error}");
        StoreError::Damaged { path: self.0.folder().to_owned(), reason }
    }
}
