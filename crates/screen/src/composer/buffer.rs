//! The text of the composer, its cursor, and what was changed.

use super::grapheme;
use std::ops::Range;

/// The maximum number of steps that can be undone.
const STEPS: usize = 1000;

/// The maximum size of the texts that the steps keep, in bytes.
const STEP_BYTES: usize = 8 << 20;

/// A text with a cursor, which is always between two characters, and the steps that can be undone.
#[derive(Debug, Default, Clone)]
pub(super) struct Buffer {
    text: String,
    cursor: usize,
    /// The number of the state of the text; different texts have different numbers.
    revision: u64,
    done: Vec<Step>,
    undone: Vec<Step>,
    /// Whether the next edit belongs to the step before it.
    open: bool,
}

/// Edits that are undone together.
#[derive(Debug, Clone, Default)]
struct Step {
    edits: Vec<Edit>,
    cursor: usize,
}

/// The replacement of a part of the text.
#[derive(Debug, Clone)]
struct Edit {
    at: usize,
    removed: String,
    inserted: String,
}

impl Step {
    fn bytes(&self) -> usize {
        self.edits.iter().map(|edit| edit.removed.len() + edit.inserted.len()).sum()
    }
}

impl Buffer {
    /// Returns a buffer with this text, which no undo removes.
    #[cfg(test)]
    pub(super) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn cursor(&self) -> usize {
        self.cursor
    }

    /// Moves the cursor to the character at or before `at`.
    pub(super) fn move_to(&mut self, at: usize) {
        self.cursor = grapheme::floor(&self.text, at);
    }

    /// Returns a part of the text; empty if the range is not a part.
    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// Ends the current step: the next edit can be undone alone.
    pub(super) fn end_step(&mut self) {
        self.open = false;
    }

    /// Replaces a part of the text and puts the cursor behind the new part. The edit belongs to the
    /// current step.
    pub(super) fn replace(&mut self, range: Range<usize>, with: &str) {
        let Some(removed) = self.text.get(range.clone()) else { return };
        if removed.is_empty() && with.is_empty() {
            return;
        }
        let edit = Edit { at: range.start, removed: removed.to_owned(), inserted: with.to_owned() };
        if !self.open {
            self.done.push(Step { edits: Vec::new(), cursor: self.cursor });
            self.forget_old_steps();
        }
        self.open = true;
        self.undone.clear();
        self.apply(range, with);
        self.move_to(edit.at + edit.inserted.len());
        let Some(step) = self.done.last_mut() else { return };
        match step.edits.last_mut() {
            // Typing on makes one edit.
            Some(last) if edit.removed.is_empty() && last.at + last.inserted.len() == edit.at => {
                last.inserted.push_str(&edit.inserted);
            }
            _ => step.edits.push(edit),
        }
    }

    fn apply(&mut self, range: Range<usize>, with: &str) {
        self.text.replace_range(range, with);
        self.revision += 1;
    }

    fn forget_old_steps(&mut self) {
        let mut bytes = 0;
        let kept = self.done.iter().rev().take(STEPS).take_while(|step| {
            bytes += step.bytes();
            bytes <= STEP_BYTES
        });
        let forgotten = self.done.len() - kept.count();
        self.done.drain(..forgotten);
    }

    /// Inserts text at the cursor.
    pub(super) fn insert(&mut self, text: &str) {
        self.replace(self.cursor..self.cursor, text);
    }

    /// Reverts the last step. Returns whether there was a step to revert.
    pub(super) fn undo(&mut self) -> bool {
        self.open = false;
        let Some(step) = self.done.pop() else { return false };
        for edit in step.edits.iter().rev() {
            self.apply(edit.at..edit.at + edit.inserted.len(), &edit.removed);
        }
        self.move_to(step.cursor);
        self.undone.push(step);
        true
    }

    /// Repeats the step that was undone last. Returns whether there was such a step.
    pub(super) fn redo(&mut self) -> bool {
        self.open = false;
        let Some(step) = self.undone.pop() else { return false };
        let mut end = self.cursor;
        for edit in &step.edits {
            self.apply(edit.at..edit.at + edit.removed.len(), &edit.inserted);
            end = edit.at + edit.inserted.len();
        }
        self.move_to(end);
        self.done.push(step);
        true
    }

    /// Returns all texts that an undo or redo can bring back, and the text itself.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let steps = self.done.iter().chain(&self.undone).flat_map(|step| &step.edits);
        let parts = steps.flat_map(|edit| [edit.removed.as_str(), edit.inserted.as_str()]);
        parts.chain([self.text.as_str()])
    }

    /// Returns where the line that contains `at` begins.
    pub(super) fn line_start(&self, at: usize) -> usize {
        self.slice(0..at).rfind('\n').map_or(0, |found| found + 1)
    }

    /// Returns where the line that contains `at` ends, before its line feed.
    pub(super) fn line_end(&self, at: usize) -> usize {
        self.slice(at..self.len()).find('\n').map_or(self.len(), |found| at + found)
    }

    /// Returns the position after the character at `at`.
    pub(super) fn next(&self, at: usize) -> usize {
        grapheme::next(&self.text, at)
    }

    /// Returns the position before the character before `at`.
    pub(super) fn previous(&self, at: usize) -> usize {
        grapheme::previous(&self.text, at)
    }

    /// Returns the first code point of the character at `at`.
    pub(super) fn char_at(&self, at: usize) -> Option<char> {
        grapheme::char_at(&self.text, at)
    }

    /// Returns the first code point of the character before `at`.
    pub(super) fn char_before(&self, at: usize) -> Option<char> {
        (at > 0).then(|| self.char_at(self.previous(at))).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn undo_of_everything_gives_the_beginning(
            begin in "[a é\n漢]{0,8}",
            edits in prop::collection::vec(
                (0..40usize, 0..6usize, "[b \u{301}👩🇩🇪\n]{0,3}", any::<bool>()),
                0..20,
            ),
        ) {
            let mut buffer = Buffer::default();
            buffer.insert(&begin);
            buffer.end_step();
            buffer.done.clear();
            for (at, length, with, end) in edits {
                let start = grapheme::floor(buffer.text(), at % (buffer.len() + 1));
                let end_at = grapheme::floor(buffer.text(), start + length).max(start);
                buffer.replace(start..end_at, &with);
                prop_assert!(grapheme::is_boundary(buffer.text(), buffer.cursor()));
                if end {
                    buffer.end_step();
                }
            }
            let last = buffer.text().to_owned();
            while buffer.undo() {
                prop_assert!(grapheme::is_boundary(buffer.text(), buffer.cursor()));
            }
            prop_assert_eq!(buffer.text(), begin);
            while buffer.redo() {}
            prop_assert_eq!(buffer.text(), last);
        }
    }

    #[test]
    fn steps_have_a_limit() {
        let mut buffer = Buffer::default();
        for _ in 0..STEPS + 10 {
            buffer.insert("x");
            buffer.end_step();
        }
        assert!(buffer.done.len() <= STEPS + 1);
        for _ in 0..20 {
            buffer.insert(&"x".repeat(1 << 20));
            buffer.end_step();
        }
        assert!(buffer.done.iter().map(Step::bytes).sum::<usize>() <= STEP_BYTES + (2 << 20));
    }
}
