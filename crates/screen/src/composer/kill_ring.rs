//! The texts that were cut.

use std::collections::VecDeque;

/// The maximum number of texts.
const TEXTS: usize = 16;

/// The last texts that were cut, the newest first.
#[derive(Debug, Default)]
pub(super) struct KillRing {
    texts: VecDeque<String>,
    /// Whether the next cut text joins the newest one.
    open: bool,
}

impl KillRing {
    /// Adds a text that was cut before or behind the cursor. Texts that are cut in a row become
    /// one.
    pub(super) fn cut(&mut self, text: &str, before: bool) {
        match self.texts.front_mut().filter(|_| self.open) {
            Some(newest) if before => newest.insert_str(0, text),
            Some(newest) => newest.push_str(text),
            None => {
                self.texts.truncate(TEXTS - 1);
                self.texts.push_front(text.to_owned());
            }
        }
        self.open = true;
    }

    /// Ends a row of cuts.
    pub(super) fn end(&mut self) {
        self.open = false;
    }

    /// Returns the newest text.
    pub(super) fn newest(&self) -> Option<&str> {
        self.texts.front().map(String::as_str)
    }

    /// Makes the text before the newest one the newest.
    pub(super) fn rotate(&mut self) {
        if !self.texts.is_empty() {
            self.texts.rotate_left(1);
        }
    }

    /// Keeps only these texts.
    pub(super) fn retain(&mut self, kept: impl Fn(&str) -> bool) {
        self.texts.retain(|text| kept(text));
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }
}
