//! What the agent learns about rejected hunks.

use crate::review::decision::{Decision, Decisions, HunkState};
use crate::review::reviewer::Reviewer;
use crate::store::error::StoreError;
use std::fmt::Write;

/// The number of bytes up to which hunks are described.
const MOST_BYTES: usize = 8_000;

impl Reviewer<'_> {
    /// Returns a short text about hunks that were rejected or commented since the agent was told
    /// last, for the next prompt, or `None` if there are none. Call [`told`](Self::told) when the
    /// prompt was sent.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn feedback(&self, owner: &str) -> Result<Option<String>, StoreError> {
        let decisions = self.untold(owner)?;
        Ok((!decisions.is_empty()).then(|| text(&decisions)))
    }

    /// Records that the agent was told about every rejected hunk and every comment.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub fn told(&self, owner: &str) -> Result<(), StoreError> {
        let mut decisions = self.untold(owner)?;
        decisions.iter_mut().for_each(|decision| decision.is_told = true);
        Decisions(self.store()).keep(owner, &decisions)
    }

    fn untold(&self, owner: &str) -> Result<Vec<Decision>, StoreError> {
        let mut decisions = Decisions(self.store()).of(owner)?;
        decisions.retain(|decision| {
            !decision.is_told
                && (decision.state == HunkState::Rejected || decision.comment.is_some())
        });
        decisions.sort_by(|one, other| (&one.path, one.line).cmp(&(&other.path, other.line)));
        Ok(decisions)
    }
}

fn text(decisions: &[Decision]) -> String {
    let mut text = String::from("The user reviewed your changes.\n");
    let mut left = 0;
    for decision in decisions {
        let described = described(decision);
        match text.len() + described.len() <= MOST_BYTES {
            true => text.push_str(&described),
            false => left += 1,
        }
    }
    if left > 0 {
        let _ = write!(text, "\n{left} more are not described here.\n");
    }
    text
}

fn described(decision: &Decision) -> String {
    let verdict = match decision.state {
        HunkState::Rejected => "rejected and undone",
        HunkState::Accepted => "accepted",
        HunkState::Open => "not decided yet",
    };
    let mut text = format!("\n{}, line {}: {verdict}\n", decision.path, decision.line + 1);
    for (mark, lines) in [('-', &decision.removed), ('+', &decision.added)] {
        for line in lines.lines() {
            let _ = writeln!(text, "{mark}{line}");
        }
    }
    if let Some(comment) = &decision.comment {
        let _ = writeln!(text, "Comment: {comment}");
    }
    text
}
