//! A quote or an item that may get more lines.

use crate::block::Marker;

/// A quote or an item that the current line is in.
#[derive(Debug, Clone)]
pub(super) struct Container {
    /// A number that no other container of the text has.
    pub(super) id: u64,
    pub(super) kind: Kind,
    /// The list that the last part of the container belongs to.
    pub(super) list: Option<List>,
}

/// The kind of a container.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    Quote,
    Item(OpenItem),
}

/// An item that may get more parts.
#[derive(Debug, Clone)]
pub(super) struct OpenItem {
    /// How far the lines of the item are indented.
    pub(super) indent: usize,
    pub(super) depth: u8,
    pub(super) marker: Marker,
    /// Whether the item has no text yet.
    pub(super) empty: bool,
    /// Whether a block with its marker exists.
    pub(super) shown: bool,
}

/// A list that may get more items.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    /// The character that its items share.
    pub(super) kind: char,
    /// The number of the next item.
    pub(super) next: u64,
}
