//! The summary of the older part of a conversation.

use crate::conversation::facts::Facts;
use serde::{Deserialize, Serialize};

/// The summary of the older part of a conversation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// The text, in Markdown.
    pub(crate) words: String,
    /// The files, commands and plan of the older part.
    pub(crate) facts: Facts,
}

/// How to shorten a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Compacted {
    pub(crate) summary: Summary,
    /// How many of the newest messages to keep.
    pub(crate) kept: usize,
    /// Whether to keep the last prompt before them too.
    pub(crate) with_prompt: bool,
}

impl Summary {
    /// The summary as Markdown.
    pub(crate) fn markdown(&self) -> String {
        format!("{}\n{}", self.words, self.facts.markdown())
    }

    /// The summary, worded for the model that continues from it.
    pub(crate) fn for_model(&self) -> String {
        format!(
            "The conversation was long. This summary replaces its older part; continue from it. Read files again before you rely on their content.\n\
             <summary>\n{}</summary>\n",
            self.markdown()
        )
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }
}
