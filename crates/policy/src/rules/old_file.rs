//! The file in which older versions stored client rules, one per line.

use super::line_form::LineError;
use super::rule_fault::RuleFault;
use crate::rule::Rule;
use std::path::Path;

/// The first line of a file from an older version.
const BEGAN: &str = "# What agents may do without asking, and may not: one rule a line. Remove a line to be asked again.";

/// A line of a file from an older version: a rule, or a comment.
pub(super) struct Line {
    pub(super) comment: String,
    pub(super) rule: Option<Rule>,
}

/// The lines of a file from an older version.
pub(super) fn lines(file: &Path, text: &str) -> Result<Vec<Line>, RuleFault> {
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            let is_comment = !line.is_empty() && line != BEGAN;
            let comment = if is_comment { format!("{line}\n") } else { String::new() };
            lines.push(Line { comment, rule: None });
            continue;
        }
        let fault = |source: LineError| RuleFault {
            file: file.display().to_string(),
            line: Some(index + 1),
            what: format!("it is not a rule: {source}; correct the line or remove it"),
        };
        let rule = Rule::from_line(line).map_err(fault)?;
        let file = Some(file.display().to_string());
        lines.push(Line { comment: String::new(), rule: Some(Rule { file, ..rule }) });
    }
    Ok(lines)
}
