//! What the review shows over its changes.

use super::rejection::Rejection;
use crate::panel::choice_list::ChoiceList;
use crate::panel::line_input::LineInput;
use attache_checkpoint::HunkKey;
use std::collections::BTreeSet;

/// What the panel shows over the changes.
pub(super) enum Stage {
    /// The changes.
    Reading,
    /// The changes or an earlier preview, until the preview of rejecting these hunks comes.
    Planning(BTreeSet<HunkKey>, Option<Box<Rejection>>),
    /// The preview of a rejection.
    Rejecting(Box<Rejection>),
    /// The line for a comment about a hunk.
    Commenting(HunkKey, LineInput),
    /// Whether the agent is told.
    Telling(ChoiceList),
}

/// The rows of [`Stage::Telling`].
pub(super) const TELLING: [&str; 2] =
    ["Tell the agent with the next prompt what you decided", "Close, and tell nothing"];
