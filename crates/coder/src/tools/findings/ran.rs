//! A command that ran.

use serde::{Deserialize, Serialize};

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ran {
    /// The output, perhaps without its middle.
    pub(crate) output: String,
    /// The number of bytes that it wrote.
    pub(crate) bytes: u64,
    /// How it ended, in words.
    pub(crate) end: String,
    /// Whether it ended by itself with exit code 0.
    pub(crate) success: bool,
    /// Further notes for the model, in sentences.
    #[serde(default)]
    pub(crate) notes: Vec<String>,
}

impl Ran {
    /// The text for the model.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}\n[{}]", self.output.trim_end_matches('\n'), self.end);
        for note in &self.notes {
            text.push_str(&format!("\n[{note}]"));
        }
        text
    }
}
