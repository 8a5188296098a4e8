//! The edit tool: exact replacements in one file, shown before they happen.

use super::fit::{MESSAGE_TEXT, counted, json_text_length, one_line};
use super::read::Unreadable;
use super::thread::blocking;
use super::{ToolResult, Toolbox};
use crate::folders::Place;
use attache_agent::{Error, NewToolCall, Result, ToolCallHandle, diff};
use attache_protocol::v1::{ContentBlock, ToolCallContent};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use similar::TextDiff;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::time::Duration;

/// How many lines around a change are shown when the whole file is too long for one message.
const LINES_AROUND: usize = 3;

/// How long a comparison of two long texts may take before it gets coarser.
const COMPARISON: Duration = Duration::from_millis(300);

/// What to change in one file; the replacements happen one after the other, and all or none of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Edit {
    /// The file.
    pub(crate) path: String,
    /// What to replace.
    pub(crate) replacements: Vec<Replacement>,
}

/// One exact replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Replacement {
    /// The text that goes; it must be there. Its line ends fit those of the file.
    pub(crate) old: String,
    /// The text that comes.
    pub(crate) new: String,
    /// Whether it is replaced wherever it stands; else it must stand once.
    pub(crate) every: bool,
    /// Whether only whole words count.
    pub(crate) word: bool,
}

/// What an edit did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Edited {
    /// The file, for people.
    pub(crate) path: String,
    /// How many places were replaced.
    pub(crate) places: u64,
}

impl Edit {
    pub(crate) fn raw_input(&self) -> Value {
        let replacements = self.replacements.iter().map(|each| {
            json!({
                "old": one_line(&each.old, 200), "new": one_line(&each.new, 200), "every": each.every, "word": each.word,
            })
        });
        json!({ "path": self.path, "replacements": replacements.collect::<Vec<_>>() })
    }

    /// The text after the edit and how many places it replaced, or why it cannot be made.
    pub(crate) fn apply(&self, text: &str, shown: &str) -> std::result::Result<(String, u64), String> {
        let (mut text, mut places) = (text.to_owned(), 0);
        for replacement in &self.replacements {
            let (changed, count) = replacement.apply(&text, shown)?;
            text = changed;
            places += count;
        }
        Ok((text, places))
    }
}

impl Replacement {
    fn apply(&self, text: &str, shown: &str) -> std::result::Result<(String, u64), String> {
        let quoted = one_line(&self.old, 80);
        if self.old.is_empty() {
            return Err(format!("the text to replace in {shown} is empty: give the exact text"));
        }
        let mut found = self.places(text, &self.old);
        let (mut old, mut new) = (self.old.clone(), self.new.clone());
        if found.is_empty() && old.contains('\n') && text.contains("\r\n") {
            // The model wrote line feeds; the file's lines end otherwise.
            (old, new) = (with_crlf(&old), with_crlf(&new));
            found = self.places(text, &old);
        }
        match found.len() {
            0 => return Err(format!("`{quoted}` is not in {shown}: read the file and give the exact text")),
            1 => {}
            _ if self.every => {}
            count => {
                return Err(format!(
                    "`{quoted}` is in {shown} {count} times: give more of the text around it, or replace every one"
                ));
            }
        }
        let mut changed = String::with_capacity(text.len());
        let mut end = 0;
        for at in &found {
            changed.push_str(text.get(end..*at).unwrap_or_default());
            changed.push_str(&new);
            end = at + old.len();
        }
        changed.push_str(text.get(end..).unwrap_or_default());
        Ok((changed, found.len() as u64))
    }

    /// Where `old` stands, in bytes.
    fn places(&self, text: &str, old: &str) -> Vec<usize> {
        let whole = |at: &usize| {
            let before = text.get(..*at).and_then(|before| before.chars().next_back());
            let after = text.get(at + old.len()..).and_then(|after| after.chars().next());
            !self.word || !(before.is_some_and(in_word) || after.is_some_and(in_word))
        };
        text.match_indices(old).map(|(at, _)| at).filter(whole).collect()
    }
}

fn in_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn with_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// What a text is known by, to see whether it changed.
pub(crate) fn fingerprint(text: &str) -> (u64, u64) {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    (text.len() as u64, hasher.finish())
}

/// The change as it is shown: whole when it fits in one message, else its parts with some lines around, as many as fit.
pub(crate) fn diffs(path: &Path, old: &str, new: &str) -> Vec<ToolCallContent> {
    if json_text_length(old) + json_text_length(new) <= MESSAGE_TEXT {
        return vec![diff(path, Some(old), new)];
    }
    let (mut shown, mut length, mut left_out) = (Vec::new(), 0, 0);
    let lines = TextDiff::configure().timeout(COMPARISON).diff_lines(old, new);
    for group in lines.grouped_ops(LINES_AROUND) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let (before, after) = (
            slice(old, first.old_range().start, last.old_range().end),
            slice(new, first.new_range().start, last.new_range().end),
        );
        let needed = json_text_length(&before) + json_text_length(&after) + 256;
        if length + needed > MESSAGE_TEXT {
            left_out += 1;
            continue;
        }
        length += needed;
        shown.push(diff(path, Some(&before), &after));
    }
    if left_out > 0 {
        let text = format!("{} of this change too long to be shown here.", counted(left_out, "part"));
        shown.push(ContentBlock::text(text).into());
    }
    shown
}

fn slice(text: &str, start: usize, end: usize) -> String {
    text.split_inclusive('\n').skip(start).take(end.saturating_sub(start)).collect()
}

impl Toolbox<'_> {
    /// Edits one file: what it will be is shown, allowed, compared with the file once more, and written.
    pub(crate) async fn edit(&mut self, edit: &Edit, call: NewToolCall, place: &Place) -> Result<ToolResult> {
        let old = match self.text(place).await? {
            Ok(old) => old,
            Err(reason) => return self.failed(call.announce().await?, reason.sentence()).await,
        };
        let key = place.resolved.path();
        let seen = self.memory.seen.get(&key);
        if seen != Some(&fingerprint(&old)) {
            let why = match seen {
                None => format!("{} was not read yet: read it, then edit", place.shown),
                Some(_) => format!("{} changed since it was read: read it again, then edit", place.shown),
            };
            return self.failed(call.announce().await?, &why).await;
        }
        let (new, places) = match edit.apply(&old, &place.shown) {
            Ok(changed) => changed,
            Err(why) => return self.failed(call.announce().await?, &why).await,
        };
        let mut call = call;
        for content in diffs(&place.absolute, &old, &new) {
            call = call.content(content);
        }
        let handle = call.announce().await?;
        // Judged by where it leads, not by how it was named.
        let action = super::Action::Edit(Edit { path: place.shown.clone(), ..edit.clone() });
        let mut handle = match self.permitted(handle, &action).await? {
            Ok(handle) => handle,
            Err(refused) => return Ok(refused),
        };
        handle.start().await?;
        // The permission is for the change that was shown, so the file must still be what it was made from.
        if self.text(place).await?.ok().as_ref() != Some(&old) {
            let why =
                format!("{} changed meanwhile and was left alone: read it again, then edit", place.shown);
            return self.failed(handle, &why).await;
        }
        if let Err(why) = self.write(place, &new).await? {
            return self.failed(handle, &why).await;
        }
        self.saw(key, &new);
        let edited = Edited { path: place.shown.clone(), places };
        self.edited(handle, edited).await
    }

    async fn edited(&mut self, mut handle: ToolCallHandle, edited: Edited) -> Result<ToolResult> {
        let told = super::output(&mut handle, json!({ "places": edited.places })).await;
        // The file is written, whether or not anybody still waits for it.
        handle.complete().await?;
        told?;
        let text = format!("{} replaced in {}", counted(edited.places, "place"), edited.path);
        Ok(ToolResult::done(text, super::Finding::Edited(edited)))
    }

    /// Writes the whole file: through the client when it offers that, so that its editor knows, else by an atomic replacement.
    pub(super) async fn write(&self, place: &Place, text: &str) -> Result<std::result::Result<(), String>> {
        if self.turn.client().fs.write_text_file {
            return match self.turn.write_text_file(&place.absolute, text).await {
                Err(Error::Client(error)) => {
                    Ok(Err(format!("the client could not write {}: {error}", place.shown)))
                }
                written => written.map(Ok),
            };
        }
        let (folders, here, text) = (self.memory.folders.clone(), place.clone(), text.to_owned());
        let written = blocking(move |_| folders.roots().write_text(here.resolved.path(), &text)).await?;
        Ok(written.map_err(|error| match super::read::unreadable(place, &error) {
            Unreadable::Missing(why) | Unreadable::Folder(why) | Unreadable::Other(why) => why,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::{Edit, Replacement, diffs};
    use attache_protocol::v1::ToolCallContent;
    use std::path::Path;

    fn edit(old: &str, new: &str, every: bool, word: bool, text: &str) -> Result<(String, u64), String> {
        let replacement = Replacement { old: old.into(), new: new.into(), every, word };
        Edit { path: "f".into(), replacements: vec![replacement] }.apply(text, "f")
    }

    #[test]
    fn only_whole_words_are_replaced_when_asked_for_in_any_script() {
        assert_eq!(
            edit("Maß", "Mass", true, true, "Maß Maßstab Maß_1 (Maß) éMaß Maß."),
            Ok(("Mass Maßstab Maß_1 (Mass) éMaß Mass.".into(), 3))
        );
        assert_eq!(edit("a", "b", true, false, "aXa"), Ok(("bXb".into(), 2)));
    }

    #[test]
    fn a_text_that_is_missing_or_ambiguous_is_refused() {
        assert!(edit("x", "y", true, false, "abc").unwrap_err().contains("is not in f"));
        assert!(edit("a", "y", false, false, "a a").unwrap_err().contains("2 times"));
        assert!(edit("", "y", false, false, "a").unwrap_err().contains("empty"));
        let edit = Edit {
            path: "f".into(),
            replacements: ["a", "zz"]
                .map(|old| Replacement { old: old.into(), new: "b".into(), every: false, word: false })
                .to_vec(),
        };
        assert!(edit.apply("a", "f").is_err(), "all or none");
    }

    #[test]
    fn byte_order_mark_line_ends_and_a_missing_last_one_stay() {
        assert_eq!(
            edit("a\nb", "c\nd", false, false, "\u{feff}a\r\nb\r\nx"),
            Ok(("\u{feff}c\r\nd\r\nx".into(), 1))
        );
    }

    #[test]
    fn a_long_change_is_shown_in_parts_that_fit_in_one_message() {
        let old: String = (0..20_000).map(|line| format!("line {line}\n")).collect();
        let new = old.replace("line 7\n", "LINE 7\n").replace("line 19000\n", "LINE 19000\n");
        let parts = diffs(Path::new("/f"), &old, &new);
        assert_eq!(parts.len(), 2);
        let ToolCallContent::Diff(part) = &parts[0] else { panic!("{parts:?}") };
        assert!(
            part.new_text.starts_with("line 4\n") && part.new_text.contains("LINE 7\n"),
            "{}",
            part.new_text
        );
        let every = old.replace("line", "LINE");
        let parts = diffs(Path::new("/f"), &old, &every);
        assert!(matches!(parts.as_slice(), [ToolCallContent::Content(_)]), "{} parts", parts.len());
    }
}
