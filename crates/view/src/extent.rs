//! How much of a long content is shown.

use crate::tool_call::tail::Tail;

/// How much to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The end of outputs and the start of diffs, as a row shows them.
    Row,
    /// Everything that is in memory.
    Whole,
}

impl Extent {
    /// The numbers of lines and bytes of text.
    pub(crate) fn limits(self) -> (usize, usize) {
        match self {
            Self::Row => (Tail::LINES, Tail::BYTES),
            Self::Whole => (usize::MAX, usize::MAX),
        }
    }

    /// The number of parts of an output besides texts.
    pub(crate) fn parts(self) -> usize {
        match self {
            Self::Row => 100,
            Self::Whole => usize::MAX,
        }
    }
}
