//! Evidence about an agent that failed, to help a person fix it.

use attache_host::{ChildWatch, Exit};
use std::fmt;
use std::time::Duration;

/// How many of the last lines of stderr are shown.
const LINES: usize = 10;

/// How long to wait until an agent that closed its output exits. The connection waits for the
/// evidence for at most half a second.
const PATIENCE: Duration = Duration::from_millis(400);

/// Evidence about an agent that failed: how it ended, its last lines of stderr, and its stray
/// output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// How the agent's process ended; `None` while the process runs, or if there is none.
    pub exit: Option<Exit>,
    /// The last lines of the agent's stderr, without control characters.
    pub stderr: String,
    /// The first lines of the agent's stdout that are not messages, each cut to 400 bytes.
    pub stdout: Vec<String>,
}

impl Evidence {
    /// Collects the current evidence.
    pub(crate) fn of(child: Option<&ChildWatch>, stdout: Vec<String>) -> Self {
        let stderr = child.map(|child| last_lines(&child.stderr_tail())).unwrap_or_default();
        Self {
            exit: child.and_then(ChildWatch::exit),
            stderr,
            stdout: stdout.iter().map(|line| plain(line)).collect(),
        }
    }
}

impl fmt::Display for Evidence {
    /// Indented lines to show below a sentence; empty if nothing is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.stdout.is_empty() {
            f.write_str("\nit printed text that is not an ACP message:")?;
            self.stdout.iter().try_for_each(|line| write!(f, "\n  {line}"))?;
        }
        if !self.stderr.is_empty() {
            f.write_str("\nits last lines of stderr:")?;
            self.stderr.lines().try_for_each(|line| write!(f, "\n  {line}"))?;
        }
        Ok(())
    }
}

/// Describes how a child that closed its output ended. The text becomes part of the reason why the
/// connection ended.
pub(crate) async fn exit_probe(child: ChildWatch) -> String {
    let end = match tokio::time::timeout(PATIENCE, child.wait()).await {
        Ok(exit) => exit.to_string(),
        Err(_) => "it closed its output and still runs".to_owned(),
    };
    let stderr = last_lines(&child.stderr_tail());
    if stderr.is_empty() { end } else { format!("{end}; its last lines of stderr:\n{stderr}") }
}

fn last_lines(text: &str) -> String {
    let text = plain(text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default().join("\n")
}

/// The text without control characters, which could affect the terminal.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_control() || matches!(character, '\n' | '\t'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::Evidence;

    #[test]
    fn evidence_contains_no_terminal_controls() {
        let evidence = Evidence::of(None, vec!["\u{1b}[31mred\u{7}".to_owned()]);
        assert_eq!(evidence.stdout, ["[31mred"]);
        assert!(Evidence::default().to_string().is_empty());
    }
}
