//! A checkpoint of the files of a session, as watchers learn of it.

use super::wire;
use attache_session::Timestamp;
use serde::{Deserialize, Serialize};

/// A new checkpoint of the folders of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckpointChange {
    /// The id of the checkpoint.
    pub id: String,
    /// When the hub began to take it.
    #[serde(with = "wire::Milliseconds")]
    pub at: Timestamp,
    /// The number of the prompt that it belongs to, counted from 1; `None` for the start of a
    /// session and for a restore.
    pub turn: Option<u64>,
    /// The moment at which the hub took it.
    pub moment: CheckpointMoment,
    /// The number of files in the folders.
    pub files: u64,
    /// The number of files that differ from the checkpoint before.
    pub changed: u64,
    /// Whether the checkpoint has every file that it should have. A notice lists the files that it
    /// lacks.
    pub complete: bool,
}

/// The moment at which a hub takes a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CheckpointMoment {
    /// The session was opened.
    SessionStart,
    /// A prompt is about to be sent.
    BeforePrompt,
    /// A turn has ended.
    AfterTurn,
    /// Files are about to be restored.
    BeforeRestore,
    /// Files were restored.
    AfterRestore,
    /// The person asked for it.
    Asked,
}
