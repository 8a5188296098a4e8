//! A prompt, and why it was not sent.

use crate::agent::capability::Capability;
use attache_connection::ConnectionEnd;
use attache_protocol::v1::{ContentBlock, PromptCapabilities};
use std::fmt;

/// A prompt to an agent: one or more content blocks. Made from a text, a block or a list of blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt(pub Vec<ContentBlock>);

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self(vec![text.into()])
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self(vec![text.into()])
    }
}

impl From<ContentBlock> for Prompt {
    fn from(block: ContentBlock) -> Self {
        Self(vec![block])
    }
}

impl From<Vec<ContentBlock>> for Prompt {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self(blocks)
    }
}

impl Prompt {
    /// Checks that the agent accepts every block (PROMPT-02). An error names the capability in the
    /// version of the connection.
    pub(crate) fn check(&self, taken: &PromptCapabilities, is_v2: bool) -> Result<(), PromptError> {
        if self.0.is_empty() {
            return Err(PromptError::Empty); // PROMPT-17
        }
        for block in &self.0 {
            let (offered, capability) = match block {
                ContentBlock::Text(_) | ContentBlock::ResourceLink(_) => continue,
                ContentBlock::Image(_) => (taken.image, Capability::IMAGE.path(is_v2)),
                ContentBlock::Audio(_) => (taken.audio, Capability::AUDIO.path(is_v2)),
                ContentBlock::Resource(_) => {
                    (taken.embedded_context, Capability::EMBEDDED_CONTEXT.path(is_v2))
                }
                // No capability covers a kind that this version does not know.
                ContentBlock::Unknown(_) => (false, "any capability that this program knows"),
            };
            if !offered {
                return Err(PromptError::NotOffered { kind: block.tag().to_owned(), capability });
            }
        }
        Ok(())
    }
}

/// Why a prompt was not sent. The session has not changed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum PromptError {
    /// A turn of this session is in flight.
    TurnRunning,
    /// The session is being loaded.
    Loading,
    /// The prompt is empty.
    Empty,
    /// The agent does not accept this kind of content.
    NotOffered {
        /// The kind, as its `type` says.
        kind: String,
        /// The capability that would allow it.
        capability: &'static str,
    },
    /// The agent is gone, or the connection was closed.
    Disconnected(ConnectionEnd),
}

impl fmt::Display for PromptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TurnRunning => {
                f.write_str("a turn of this session is running: wait for its end, or cancel it")
            }
            Self::Loading => f.write_str("the session is being loaded: wait for the load"),
            Self::Empty => f.write_str("the prompt is empty: write a text"),
            Self::NotOffered { kind, capability } => {
                write!(
                    f,
                    "the agent does not accept {kind} in prompts: it does not advertise {capability}; leave it out or send a link"
                )
            }
            Self::Disconnected(end) => {
                write!(f, "the prompt was not sent because the agent is gone: {end}")
            }
        }
    }
}

impl std::error::Error for PromptError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Disconnected(end) => Some(end),
            Self::TurnRunning | Self::Loading | Self::Empty | Self::NotOffered { .. } => None,
        }
    }
}
