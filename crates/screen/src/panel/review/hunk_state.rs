//! How hunks show their state.

use super::change_source::Decidable;
use crate::theme::Glyphs;
use attache_checkpoint::{HunkState, ReviewedFile, ReviewedHunk};
use attache_view::{Hunk, Line, Role, Span, change_without_lines, sanitize};

/// Returns the mark, the word and the role of the state of a hunk.
pub(super) fn state(
    file: &ReviewedFile,
    hunk: &ReviewedHunk,
    glyphs: &Glyphs,
) -> (&'static str, &'static str, Role) {
    match hunk.state {
        HunkState::Accepted => (glyphs.done, "accepted", Role::Added),
        HunkState::Rejected => (glyphs.failed, "rejected", Role::Removed),
        HunkState::Open if file.is_shared => (glyphs.asking, "shared", Role::Warning),
        HunkState::Open => (glyphs.open, "open", Role::Name),
    }
}

/// Returns the lines about a changed place: its state and its comment, if the person can decide
/// about it.
pub(super) fn about(
    of: Option<&Decidable>,
    (file, hunk): (usize, usize),
    shown: &Hunk,
    glyphs: &Glyphs,
) -> Vec<Line> {
    let file = of.and_then(|of| of.review.files.get(file));
    let reviewed = file.and_then(|file| Some((file, file.hunks.get(hunk)?)));
    let Some((file, reviewed)) = reviewed else {
        return vec![Line::of(shown.header(), Role::Muted)];
    };
    let (mark, word, role) = state(file, reviewed, glyphs);
    let what = match shown.lines.is_empty() {
        true => change_without_lines(file, &reviewed.hunk),
        false => shown.header(),
    };
    let spans = vec![Span::new(format!("{mark} {word}  "), role), Span::new(what, Role::Muted)];
    let mut lines = vec![Line { spans }];
    if let Some(comment) = &reviewed.comment {
        let comment = sanitize::visible_line(comment);
        lines.push(Line::of(format!("  Comment: {comment}"), Role::Text));
    }
    lines
}
