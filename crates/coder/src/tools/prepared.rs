//! The effect of a call, determined before the person is asked.

use super::files::step::Step;
use super::tool_result::ToolResult;
use attache_agent::Error;
use attache_protocol::v1::{ContentBlock, ToolCallContent};

/// The reason why a call could not be prepared.
#[derive(Debug)]
pub(crate) enum PrepareError {
    /// The turn ends with this error.
    Turn(Error),
    /// The call fails, with a sentence for the model and the person.
    Call(String),
}

impl From<Error> for PrepareError {
    fn from(error: Error) -> Self {
        Self::Turn(error)
    }
}

impl From<String> for PrepareError {
    fn from(why: String) -> Self {
        Self::Call(why)
    }
}

/// The effect of a call, determined before the person is asked.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    /// The content for the person.
    pub(crate) content: Vec<ToolCallContent>,
    /// The file changes of the call. Either all of them are made, or none.
    pub(crate) steps: Vec<Step>,
    /// The result to return once these changes are made.
    pub(crate) result: Option<ToolResult>,
}

impl Prepared {
    /// Prepares a call that shows `text`, and has no file changes.
    pub(crate) fn showing(text: impl Into<String>) -> Self {
        let content = vec![ContentBlock::text(text.into()).into()];
        Self { content, ..Self::default() }
    }

    /// Prepares a call that makes these changes and returns this result.
    pub(crate) fn changing(steps: Vec<Step>, result: ToolResult) -> Self {
        Self { content: Vec::new(), steps, result: Some(result) }
    }
}
