//! The hunks of a changed entry: the parts that a person accepts or rejects.

use crate::changes::contents::Contents;
use crate::changes::lines::{Change, compare, is_binary, joined, lines};
use crate::snapshot::content_id::ContentId;
use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use crate::store::error::StoreError;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::HashMap;
use std::fmt;

/// The number of unchanged lines that a hunk shows before and after its change.
const CONTEXT: usize = 3;

/// Names a hunk by its path and its content: sixteen hexadecimal digits. A hunk keeps its name
/// while other parts of the file change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HunkKey(String);

impl HunkKey {
    /// Returns the key with this text.
    pub fn new(text: impl Into<String>) -> HunkKey {
        HunkKey(text.into())
    }

    fn of(parts: &[&[u8]]) -> HunkKey {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part);
        }
        let mut text = ContentId::of(&bytes).to_string();
        text.truncate(16);
        HunkKey(text)
    }

    /// The text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HunkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a hunk changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HunkKind {
    /// Some lines of a text file.
    Lines,
    /// The permissions.
    Mode,
    /// The whole entry: it is new, gone, binary, or of another type. Both paths of a renamed file
    /// have one such hunk with the same key.
    Whole,
}

/// A part of a change that can be accepted or rejected on its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hunk {
    /// Names the hunk.
    pub key: HunkKey,
    /// What it changes.
    pub kind: HunkKind,
    /// How many lines of the old content precede the hunk.
    pub old_start: usize,
    /// How many lines of the new content precede the hunk.
    pub new_start: usize,
    /// The lines that it removes, with their line feeds. Empty for a binary file.
    #[serde(serialize_with = "text")]
    pub removed: Vec<u8>,
    /// The lines that it adds.
    #[serde(serialize_with = "text")]
    pub added: Vec<u8>,
    /// At most three unchanged lines before it.
    #[serde(serialize_with = "text")]
    pub lines_before: Vec<u8>,
    /// At most three unchanged lines after it.
    #[serde(serialize_with = "text")]
    pub lines_after: Vec<u8>,
}

/// Writes lines as a text, with replacement characters where they are not UTF-8.
fn text<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&String::from_utf8_lossy(bytes))
}

/// An entry before and after a change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) path: &'a TreePath,
    pub(crate) before: Option<&'a Entry>,
    pub(crate) after: Option<&'a Entry>,
}

/// Counts equal hunks of a file, so that each gets a key of its own.
#[derive(Debug, Default)]
pub(crate) struct Counter(HashMap<HunkKey, u32>);

impl Counter {
    fn key(&mut self, parts: &[&[u8]]) -> HunkKey {
        let count = self.0.entry(HunkKey::of(parts)).or_default();
        *count += 1;
        HunkKey::of(&[&parts.concat(), &count.to_be_bytes()])
    }
}

/// A change divided into hunks, which can be undone one by one.
#[derive(Debug)]
pub(crate) struct Divided {
    pub(crate) hunks: Vec<Hunk>,
    /// The contents of a text file whose lines changed, with the changes in the order of the hunks.
    texts: Option<(Vec<u8>, Vec<u8>, Vec<Change>)>,
}

/// What remains of a change after some of its hunks are undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Remaining {
    /// Nothing: the entry before.
    Nothing,
    /// The content and the permissions of a text file.
    Text(Vec<u8>, u32),
    /// All of it.
    All,
}

/// Divides a change into hunks. `renamed` is the other path of a renamed file.
pub(crate) fn divide(
    pair: Pair<'_>,
    renamed: Option<&TreePath>,
    contents: &dyn Contents,
    counter: &mut Counter,
) -> Result<Divided, StoreError> {
    let path = [&pair.path.root().to_be_bytes(), pair.path.as_bytes()].concat();
    if let (Some(Entry::File { mode: old, .. }), Some(Entry::File { mode: new, .. })) =
        (pair.before, pair.after)
    {
        let mut hunks = Vec::new();
        let (before, after) = (text_of(pair.before, contents)?, text_of(pair.after, contents)?);
        let same = pair.before.and_then(Entry::content) == pair.after.and_then(Entry::content);
        let mut texts = None;
        match (before, after) {
            _ if same => {}
            (Some(before), Some(after)) => {
                let changes = line_hunks(&path, (&before, &after), counter, &mut hunks);
                texts = Some((before, after, changes));
            }
            _ => return whole(pair, renamed, contents, counter),
        }
        if old != new {
            let added = format!("{old:o} {new:o}");
            let key = counter.key(&[&path, b"mode", added.as_bytes()]);
            hunks.push(bare(key, HunkKind::Mode));
        }
        return Ok(Divided { hunks, texts });
    }
    whole(pair, renamed, contents, counter)
}

fn bare(key: HunkKey, kind: HunkKind) -> Hunk {
    let (removed, added, lines_before, lines_after) = Default::default();
    Hunk { key, kind, old_start: 0, new_start: 0, removed, added, lines_before, lines_after }
}

fn line_hunks(
    path: &[u8],
    (before, after): (&[u8], &[u8]),
    counter: &mut Counter,
    hunks: &mut Vec<Hunk>,
) -> Vec<Change> {
    let (old, new) = (lines(before), lines(after));
    let changes = compare(&old, &new);
    let mut floor = 0;
    for (index, change) in changes.iter().enumerate() {
        let (removed, added) =
            (joined(&old, change.before.clone()), joined(&new, change.after.clone()));
        let key = counter.key(&[path, b"lines", &removed, &added]);
        let start = change.before.start.saturating_sub(CONTEXT).max(floor);
        let next = changes.get(index + 1).map_or(old.len(), |next| next.before.start);
        let end = (change.before.end + CONTEXT).min(next);
        hunks.push(Hunk {
            key,
            kind: HunkKind::Lines,
            old_start: change.before.start,
            new_start: change.after.start,
            removed,
            added,
            lines_before: joined(&old, start..change.before.start),
            lines_after: joined(&old, change.before.end..end),
        });
        floor = change.before.end;
    }
    changes
}

/// The one hunk of a change that has no parts.
fn whole(
    pair: Pair<'_>,
    renamed: Option<&TreePath>,
    contents: &dyn Contents,
    counter: &mut Counter,
) -> Result<Divided, StoreError> {
    let known = |entry: Option<&Entry>| format!("{entry:?}").into_bytes();
    let mut paths = vec![pair.path];
    paths.extend(renamed);
    paths.sort();
    let mut parts = vec![b"whole".to_vec()];
    for path in paths {
        parts.push([&path.root().to_be_bytes(), path.as_bytes()].concat());
    }
    // The paths of a renamed file share their key, although their entries differ.
    if renamed.is_none() {
        parts.extend([known(pair.before), known(pair.after)]);
    }
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    let key = counter.key(&parts);
    let removed = text_of(pair.before, contents)?.unwrap_or_default();
    let added = text_of(pair.after, contents)?.unwrap_or_default();
    let hunk = Hunk { removed, added, ..bare(key, HunkKind::Whole) };
    Ok(Divided { hunks: vec![hunk], texts: None })
}

/// Returns the content of a kept text file.
fn text_of(entry: Option<&Entry>, contents: &dyn Contents) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(Entry::File { content, .. }) = entry else { return Ok(None) };
    let bytes = contents.content(*content)?;
    Ok(Some(bytes).filter(|bytes| !is_binary(bytes)))
}

impl Divided {
    /// Undoes the hunks that are chosen, and returns what remains of the change.
    pub(crate) fn without(&self, pair: Pair<'_>, chosen: &dyn Fn(&HunkKey) -> bool) -> Remaining {
        let is_chosen: Vec<bool> = self.hunks.iter().map(|hunk| chosen(&hunk.key)).collect();
        if is_chosen.iter().all(|chosen| *chosen) {
            return Remaining::Nothing;
        }
        if !is_chosen.contains(&true) {
            return Remaining::All;
        }
        let (Some(Entry::File { mode: old, .. }), Some(Entry::File { mode: new, content, .. })) =
            (pair.before, pair.after)
        else {
            return Remaining::All;
        };
        let _ = content;
        let Some((before, after, changes)) = &self.texts else { return Remaining::All };
        let (old_lines, new_lines) = (lines(before), lines(after));
        let (mut text, mut at) = (Vec::new(), 0);
        for (change, chosen) in changes.iter().zip(&is_chosen) {
            text.extend(joined(&old_lines, at..change.before.start));
            text.extend(match chosen {
                true => joined(&old_lines, change.before.clone()),
                false => joined(&new_lines, change.after.clone()),
            });
            at = change.before.end;
        }
        text.extend(joined(&old_lines, at..old_lines.len()));
        let is_mode_chosen = is_chosen.get(changes.len()) == Some(&true);
        Remaining::Text(text, if is_mode_chosen { *old } else { *new })
    }
}
