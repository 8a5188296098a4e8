//! Diffs of changes for the person, small enough for one message.

use crate::tools::files::file_access::State;
use crate::tools::files::step::Step;
use crate::tools::fit::{MESSAGE_TEXT, code, counted, json_text_length, start_within};
use attache_agent::diff;
use attache_protocol::v1::{ContentBlock, ToolCallContent};
use gix_imara_diff::{Algorithm, Diff, Hunk, InternedInput};
use std::path::Path;

/// The number of context lines around a change, if the whole file is too long for one message.
const LINES_AROUND: u32 = 3;

/// The overhead of a part, in addition to its text and path, in bytes of JSON.
const AROUND_PART: usize = 256;

/// The room for diffs in one message.
#[derive(Debug)]
pub(crate) struct Room {
    left: usize,
    left_out: u64,
}

impl Room {
    pub(crate) fn of_message() -> Self {
        Self { left: MESSAGE_TEXT, left_out: 0 }
    }

    /// A note about how many parts did not fit, or `None` if all did.
    pub(crate) fn left_out(&self) -> Option<String> {
        let words =
            || format!("{} of this change did not fit here.", counted(self.left_out, "part"));
        (self.left_out > 0).then(words)
    }

    /// The content that shows as much of a step as there is room for.
    pub(crate) fn shown(&mut self, step: &Step) -> Vec<ToolCallContent> {
        match step {
            Step::Write { place, old: Some(old), new } => {
                self.changed(&place.absolute, &old.text, &new.text)
            }
            Step::Write { place, old: None, new } => self.made(&place.absolute, &new.text),
            Step::Delete { place, old } => {
                let what = match old {
                    State::Text(old) if !old.text.is_empty() => {
                        return self.changed(&place.absolute, &old.text, "");
                    }
                    State::Text(_) => "an empty file".to_owned(),
                    State::Folder => "an empty folder".to_owned(),
                    State::Picture(picture, bytes) => {
                        format!("{} ({})", picture.words(), counted(bytes.len() as u64, "byte"))
                    }
                    State::Other { what, stamp } => {
                        let what = what.split(':').next().unwrap_or_default();
                        format!("{what} ({})", counted(stamp.length, "byte"))
                    }
                    State::Nothing => "nothing".to_owned(),
                };
                self.said(format!("Deletes {}: {what}.", code(&place.shown)))
            }
            Step::Move { from, to, .. } => {
                self.said(format!("{} becomes {}.", code(&from.shown), code(&to.shown)))
            }
        }
    }

    /// Takes this much room, if there is enough left.
    fn take(&mut self, needed: usize) -> bool {
        let fits = needed <= self.left;
        match fits {
            true => self.left -= needed,
            false => self.left_out += 1,
        }
        fits
    }

    fn said(&mut self, text: String) -> Vec<ToolCallContent> {
        let fits = self.take(json_text_length(&text) + AROUND_PART);
        fits.then(|| ContentBlock::text(text).into()).into_iter().collect()
    }

    /// The content that shows a new file, without an old text (TOOL-11).
    fn made(&mut self, path: &Path, new: &str) -> Vec<ToolCallContent> {
        let around = overhead(path);
        if around + json_text_length(new) <= self.left {
            self.left -= around + json_text_length(new);
            return vec![diff(path, None, new)];
        }
        let start = start_within(new, self.left.saturating_sub(2 * around));
        if start.is_empty() {
            self.left_out += 1;
            return Vec::new();
        }
        self.left = 0;
        let left = counted(new.len().saturating_sub(start.len()) as u64, "byte");
        let more = format!("The rest of the file does not fit here: {left}.");
        vec![diff(path, None, start), ContentBlock::text(more).into()]
    }

    /// The whole texts if they fit, or else as many changed parts as fit, each with some lines of
    /// context.
    fn changed(&mut self, path: &Path, old: &str, new: &str) -> Vec<ToolCallContent> {
        let around = overhead(path);
        let whole = around + json_text_length(old) + json_text_length(new);
        if whole <= self.left {
            self.left -= whole;
            return vec![diff(path, Some(old), new)];
        }
        let mut shown = Vec::new();
        for part in parts(old, new) {
            let before = lines(old, part.before.start, part.before.end);
            let after = lines(new, part.after.start, part.after.end);
            if self.take(around + json_text_length(&before) + json_text_length(&after)) {
                shown.push(diff(path, Some(&before), &after));
            }
        }
        shown
    }
}

fn overhead(path: &Path) -> usize {
    json_text_length(&path.to_string_lossy()) + AROUND_PART
}

/// The parts in which two texts differ, with some lines of context. Parts that touch are merged.
fn parts(old: &str, new: &str) -> Vec<Hunk> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let length = input.before.len() as u32;
    let mut parts: Vec<Hunk> = Vec::new();
    for Hunk { before, after } in diff.hunks() {
        let lead = before.start.min(LINES_AROUND);
        let trail = (length - before.end).min(LINES_AROUND);
        let before = before.start - lead..before.end + trail;
        let after = after.start - lead..after.end + trail;
        match parts.last_mut().filter(|last| last.before.end >= before.start) {
            Some(last) => (last.before.end, last.after.end) = (before.end, after.end),
            None => parts.push(Hunk { before, after }),
        }
    }
    parts
}

fn lines(text: &str, start: u32, end: u32) -> String {
    let length = end.saturating_sub(start) as usize;
    text.split_inclusive('\n').skip(start as usize).take(length).collect()
}

#[cfg(test)]
mod tests {
    use super::{MESSAGE_TEXT, Room};
    use attache_protocol::v1::ToolCallContent;
    use std::path::Path;

    #[test]
    fn long_change_is_shown_in_parts_that_fit_in_one_message() {
        let old: String = (0..20_000).map(|line| format!("line {line}\n")).collect();
        let new = old.replace("line 7\n", "LINE 7\n").replace("line 19000\n", "LINE 19000\n");
        let mut room = Room::of_message();
        let parts = room.changed(Path::new("/f"), &old, &new);
        assert_eq!((parts.len(), room.left_out()), (2, None));
        let ToolCallContent::Diff(part) = &parts[0] else { panic!("{parts:?}") };
        assert!(
            part.new_text.starts_with("line 4\n") && part.new_text.contains("LINE 7\n"),
            "{}",
            part.new_text
        );
        let every = old.replace("line", "LINE");
        assert!(room.changed(Path::new("/f"), &old, &every).is_empty());
        assert!(room.left_out().unwrap().starts_with("1 part"));
    }

    #[test]
    fn several_files_share_the_room_of_one_message() {
        let mut room = Room::of_message();
        let text = "x".repeat(MESSAGE_TEXT / 2 - 1_000);
        assert_eq!(room.made(Path::new("/a"), &text).len(), 1);
        assert_eq!(room.changed(Path::new("/b"), &text, "").len(), 1);
        assert_eq!(
            room.made(Path::new("/c"), &text).len(),
            2,
            "its beginning and a note about the rest"
        );
        assert!(room.made(Path::new("/d"), &text).is_empty() && room.left_out().is_some());
    }
}
