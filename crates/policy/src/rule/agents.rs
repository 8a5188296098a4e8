//! The agents that a rule is about.

use serde::{Deserialize, Serialize};

/// The name of the built-in agent.
pub const BUILT_IN: &str = "attache";

/// The agents that a rule is about. A file writes `"all"`, one name, or a list of names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub enum Agents {
    /// Every agent.
    All,
    /// The agents with these names.
    Named(Vec<String>),
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Word(String),
    List(Vec<String>),
}

impl Agents {
    /// Returns a value that includes only the agent with this name.
    pub fn only(name: impl Into<String>) -> Self {
        Self::Named(vec![name.into()])
    }

    /// Returns a value that includes only the built-in agent.
    pub fn built_in() -> Self {
        Self::only(BUILT_IN)
    }

    /// Whether these agents include the one with this name.
    pub fn include(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.iter().any(|each| each == name),
        }
    }
}

impl From<Written> for Agents {
    fn from(written: Written) -> Self {
        match written {
            Written::Word(word) if word == "all" => Self::All,
            Written::Word(name) => Self::only(name),
            Written::List(names) => Self::Named(names),
        }
    }
}

impl From<Agents> for Written {
    fn from(agents: Agents) -> Self {
        match agents {
            Agents::All => Self::Word("all".to_owned()),
            Agents::Named(mut names) if names.len() == 1 && names != ["all"] => {
                Self::Word(names.pop().unwrap_or_default())
            }
            Agents::Named(names) => Self::List(names),
        }
    }
}
