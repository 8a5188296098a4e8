//! How much a store keeps, and what of it is damaged.

use crate::snapshot::content_id::ContentId;
use crate::store::id::CheckpointId;

/// How much a store keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// How many bytes its files have on the disk.
    pub bytes: u64,
    /// How many bytes it may use.
    pub limit: u64,
    /// How many checkpoints there are.
    pub checkpoints: u64,
    /// How many contents there are.
    pub contents: u64,
}

/// What [`Store::verify`](crate::Store::verify) found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many contents were read.
    pub contents: u64,
    /// Contents whose bytes do not have their hash any more, or are missing.
    pub damaged: Vec<ContentId>,
    /// Checkpoints that cannot be read, or that need a damaged content.
    pub affected: Vec<CheckpointId>,
    /// What is wrong with the file of the store itself.
    pub problems: Vec<String>,
}
