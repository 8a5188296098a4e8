//! The numbers of an entry of a folder.

/// The numbers that each system reports in its own way.
pub(crate) struct Numbers {
    pub(crate) mode: u32,
    pub(crate) links: u64,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) modified: (i64, i64),
    pub(crate) changed: (i64, i64),
}
