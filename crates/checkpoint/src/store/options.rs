//! The options of a store.

/// The options of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreOptions {
    /// How many bytes the store may use. The oldest checkpoints go first.
    pub disk_limit: u64,
    /// Larger files are hashed and listed, but not kept.
    pub file_limit: u64,
    /// Whether files that usually hold secrets are kept.
    pub secret_files: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { disk_limit: 2_000_000_000, file_limit: 5_000_000, secret_files: false }
    }
}
