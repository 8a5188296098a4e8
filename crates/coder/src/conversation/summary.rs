//! The summary of the older part of a conversation.

use crate::conversation::facts::Facts;
use serde::{Deserialize, Serialize};

/// The summary of the older part of a conversation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// The text, in Markdown.
    pub(crate) words: String,
    /// The files, commands and plan of that part.
    pub(crate) facts: Facts,
}

/// How a conversation was shortened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Compacted {
    pub(crate) summary: Summary,
    /// How many messages stay, the youngest ones.
    pub(crate) kept: usize,
    /// Whether the last prompt before them stays too.
    pub(crate) with_prompt: bool,
}

impl Summary {
    /// The summary as Markdown.
    pub(crate) fn markdown(&self) -> String {
        format!("{}\n{}", self.words, self.facts.markdown())
    }

    /// The summary for the model that continues from it.
    pub(crate) fn for_model(&self) -> String {
        format!(
            "The conversation so far was long. This is what is left of its older part; go on from it. What files hold now is to be read anew.\n\
             <summary>\n{}</summary>\n",
            self.markdown()
        )
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }
}
