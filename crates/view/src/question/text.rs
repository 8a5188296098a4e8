//! Text of agents in questions.

use crate::block::Block;
use crate::markdown;
use crate::sanitize;
use crate::span::{Line, Role};
use std::sync::Arc;

/// Returns plain text of an agent as blocks.
pub(super) fn stated(text: &str) -> Vec<Arc<Block>> {
    markdown::plain(text)
}

/// Returns a name or label of an agent on one line.
pub(super) fn label(text: &str) -> Line {
    Line::of(sanitize::visible_line(text), Role::Text)
}
