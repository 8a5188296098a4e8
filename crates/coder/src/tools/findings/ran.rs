//! A command that ran.

use serde::{Deserialize, Serialize};

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ran {
    /// The output, which may lack its middle.
    pub(crate) output: String,
    /// The number of bytes that the command wrote.
    pub(crate) bytes: u64,
    /// How the command ended, in words.
    pub(crate) end: String,
    /// Whether the command ended by itself with exit code 0.
    pub(crate) success: bool,
    /// Further notes for the model. Each note consists of one or more sentences.
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
