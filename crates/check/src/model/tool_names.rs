//! Mappings from the tools of acts to an agent's tools, given by a person.

use super::tool_table::KINDS;
use std::fmt;

/// Which of an agent's tools serve as the tools of acts, if the judge's model does not know their
/// names.
///
/// ```
/// use attache_check::ToolNames;
///
/// let mut names = ToolNames::default();
/// names.add("read=my_read")?;
/// assert!(names.add("look=my_read").unwrap_err().to_string().contains("read, write, edit"));
/// # Ok::<(), attache_check::ToolNameError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolNames(Vec<(&'static str, String)>);

/// The error for an invalid mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolNameError(String);

impl fmt::Display for ToolNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ToolNameError {}

impl ToolNames {
    /// Adds a mapping `TOOL=NAME`. The agent's tool with exactly this name then serves as the tool
    /// of the acts.
    ///
    /// # Errors
    /// Returns an error if the text has no `=`, or if acts have no such tool.
    pub fn add(&mut self, mapping: &str) -> Result<(), ToolNameError> {
        let tools = || KINDS.iter().map(|kind| kind.tool).collect::<Vec<_>>().join(", ");
        let (tool, name) =
            mapping.split_once('=').filter(|(_, name)| !name.is_empty()).ok_or_else(|| {
                ToolNameError(format!("{mapping:?} is not TOOL=NAME, such as read=my_read"))
            })?;
        let known = KINDS.iter().find(|kind| kind.tool == tool);
        let known = known.ok_or_else(|| {
            ToolNameError(format!("unknown tool {tool:?}; use one of {}", tools()))
        })?;
        self.0.push((known.tool, name.to_owned()));
        Ok(())
    }

    /// Returns the names that are mapped to a tool of the acts, the latest mapping first.
    pub(super) fn of(&self, tool: &str) -> impl Iterator<Item = &str> {
        self.0.iter().rev().filter(move |(known, _)| *known == tool).map(|(_, name)| name.as_str())
    }
}
