//! The findings of `attache doctor`, as lines.

use crate::show::paint::{BOLD, DIM, GREEN, Paint, RED};

/// The mark of a finding.
#[derive(Clone, Copy)]
pub(super) enum Mark {
    Good,
    Missing,
    Bad,
    Fact,
}

/// The findings so far, as lines.
pub(super) struct Findings {
    pub(super) lines: Vec<String>,
    pub(super) paint: Paint,
}

impl Findings {
    /// Starts a part of the report.
    pub(super) fn part(&mut self, name: &str) {
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
        self.lines.push(self.paint.paint(BOLD, name));
    }

    /// Adds a finding to the current part.
    pub(super) fn found(&mut self, mark: Mark, name: &str, what: &str) {
        let mark = match mark {
            Mark::Good => self.paint.paint(GREEN, "✓"),
            Mark::Missing => self.paint.paint(DIM, "-"),
            Mark::Bad => self.paint.paint(RED, "✗"),
            Mark::Fact => " ".to_owned(),
        };
        let what = attache_view::sanitize::visible(what);
        self.lines.push(format!("{mark} {name:<20} {what}"));
    }
}
