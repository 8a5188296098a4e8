//! Messages of the screen itself. A warning or an error stays until the person has seen it.

use crate::panel::drawing::beginning;
use attache_view::{NoticeLevel, sanitize};
use std::collections::VecDeque;

/// The number of messages that are kept for reading later.
const KEPT: usize = 200;

/// The longest message, in bytes.
const LONGEST: usize = 4096;

/// A message of the screen.
#[derive(Debug, Clone)]
pub(crate) struct Notice {
    pub(crate) level: NoticeLevel,
    pub(crate) text: String,
}

/// Messages of the screen.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    all: VecDeque<Notice>,
    /// How many of the newest ones are shown.
    shown: usize,
}

impl Notices {
    /// Adds a message. Repeating the last one has no effect.
    pub(crate) fn add(&mut self, level: NoticeLevel, text: &str) {
        let shown = beginning(text, LONGEST);
        let ellipsis = if shown.len() < text.len() { " …" } else { "" };
        let text = format!("{}{ellipsis}", sanitize::visible(shown).trim_end());
        if text.is_empty() {
            return;
        }
        if self.shown > 0 && self.all.back().is_some_and(|last| last.text == text) {
            return;
        }
        // Information gives way to the next message.
        if self.shown > 0 && self.all.back().is_some_and(|last| last.level == NoticeLevel::Info) {
            self.shown -= 1;
        }
        if self.all.len() >= KEPT {
            self.all.pop_front();
        }
        self.all.push_back(Notice { level, text });
        self.shown = (self.shown + 1).min(self.all.len());
    }

    pub(crate) fn info(&mut self, text: &str) {
        self.add(NoticeLevel::Info, text);
    }

    pub(crate) fn warning(&mut self, text: &str) {
        self.add(NoticeLevel::Warning, text);
    }

    pub(crate) fn error(&mut self, text: &str) {
        self.add(NoticeLevel::Error, text);
    }

    /// The messages that are shown, the oldest first.
    pub(crate) fn shown(&self) -> impl DoubleEndedIterator<Item = &Notice> {
        self.all.iter().skip(self.all.len().saturating_sub(self.shown))
    }

    /// All messages that are kept, the oldest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Notice> {
        self.all.iter()
    }

    /// Hides the messages; `false` if none was shown.
    pub(crate) fn dismiss(&mut self) -> bool {
        std::mem::take(&mut self.shown) > 0
    }

    /// Hides the last message if it is only information, because the person went on.
    pub(crate) fn dismiss_info(&mut self) {
        if self.shown > 0 && self.all.back().is_some_and(|last| last.level == NoticeLevel::Info) {
            self.shown -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(notices: &Notices) -> Vec<&str> {
        notices.shown().map(|notice| notice.text.as_str()).collect()
    }

    #[test]
    fn errors_stay_until_they_are_dismissed_and_information_gives_way() {
        let mut notices = Notices::default();
        notices.error("one\x1b[2J");
        notices.info("two");
        notices.info("three");
        assert_eq!(shown(&notices).len(), 2);
        assert!(!shown(&notices)[0].contains('\x1b') && shown(&notices)[1] == "three");
        notices.dismiss_info();
        assert_eq!(shown(&notices).len(), 1);
        assert!(notices.dismiss() && !notices.dismiss());
        assert_eq!(notices.all().count(), 3);
        notices.error(&"é".repeat(1_000_000));
        assert!(shown(&notices)[0].len() <= LONGEST + " …".len());
    }
}
