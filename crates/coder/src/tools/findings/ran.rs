//! A command that ran.

use serde::{Deserialize, Serialize};

/// How a command went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ran {
    /// What it wrote, perhaps without its middle.
    pub(crate) output: String,
    /// How many bytes it wrote.
    pub(crate) bytes: u64,
    /// How it ended, in words.
    pub(crate) end: String,
    /// Whether it ended by itself with code 0.
    pub(crate) success: bool,
    /// What else the model has to know, in sentences.
    #[serde(default)]
    pub(crate) notes: Vec<String>,
}

impl Ran {
    /// What the model reads.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}\n[{}]", self.output.trim_end_matches('\n'), self.end);
        for note in &self.notes {
            text.push_str(&format!("\n[{note}]"));
        }
        text
    }
}
