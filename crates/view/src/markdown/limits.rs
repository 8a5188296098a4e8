//! The sizes after which blocks are divided.

/// The number of bytes after which a paragraph, a line or code is divided.
pub(super) const PIECE: usize = 8 * 1024;

/// The number of lines, rows or parts after which a block is divided.
pub(super) const PARTS: usize = 128;
