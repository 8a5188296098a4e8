//! The changes of the file tools, turn by turn, for `/undo`.
//!
//! The changes are kept in memory while the session is open. Changes by commands are not recorded.
//! If the client keeps checkpoints, this agent keeps nothing, and `/undo` asks the client.

use crate::tools::FileAccess;
use crate::tools::files::document::Document;
use crate::tools::files::file_access::{Fingerprint, State, fingerprint};
use crate::tools::fit::{code, counted, one_line};
use attache_agent::{Result, Turn};
use attache_host::{FileError, Reason};
use attache_policy::{Folders, Place};
use std::collections::VecDeque;
use std::fmt;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

/// The maximum size of the files kept for one session, in bytes. Beyond it, the oldest turns are
/// removed.
const MAX_KEPT: usize = 64 * 1024 * 1024;

/// The maximum size of a file whose content is kept, in bytes.
pub(crate) const MAX_KEPT_FILE: u64 = 16 * 1024 * 1024;

/// The maximum length of a prompt in a report, in characters. The prompt identifies the turn.
const MAX_PROMPT: usize = 60;

/// The changes of a session, the latest turn last.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    turns: VecDeque<TurnChanges>,
    /// The prompt of the current turn, until the turn changes something.
    begun: Option<String>,
    /// The size of the kept files, in bytes.
    held: usize,
    /// Whether older turns were removed.
    forgotten: bool,
    /// Whether the client keeps checkpoints of all changes, so that nothing is kept here.
    pub(crate) by_client: bool,
}

/// The changes of one turn.
#[derive(Debug)]
struct TurnChanges {
    prompt: String,
    /// The files, in the order of their first change.
    files: Vec<KeptFile>,
}

/// One file or folder before the turn's first change and after its last change.
#[derive(Debug)]
struct KeptFile {
    place: Place,
    before: Before,
    after: Fingerprint,
}

/// The state of a place before a change.
#[derive(Debug, Clone)]
pub(crate) enum Before {
    Nothing,
    Folder,
    File {
        content: Content,
        /// The file's permissions, or `None` if it existed only in the client's editor.
        mode: Option<u32>,
    },
    /// A file whose content was not kept, for this reason.
    Lost(String),
}

/// The content of a file.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Text(Document),
    Bytes(Vec<u8>),
}

impl Before {
    /// The content's fingerprint, or `None` if the content was not kept.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        match self {
            Self::Nothing | Self::Lost(_) => Fingerprint::Nothing,
            Self::Folder => Fingerprint::Folder,
            Self::File { content: Content::Text(document), .. } => {
                fingerprint(document.text.as_bytes())
            }
            Self::File { content: Content::Bytes(bytes), .. } => fingerprint(bytes),
        }
    }

    fn length(&self) -> usize {
        match self {
            Self::File { content: Content::Text(document), .. } => document.text.len(),
            Self::File { content: Content::Bytes(bytes), .. } => bytes.len(),
            Self::Nothing | Self::Folder | Self::Lost(_) => 0,
        }
    }
}

impl Changes {
    /// Makes a record of changes that is empty, and stays empty if the client keeps checkpoints.
    pub(crate) fn new(by_client: bool) -> Self {
        Self { by_client, ..Self::default() }
    }

    /// Starts a turn with this prompt.
    pub(crate) fn begin(&mut self, prompt: &str) {
        self.begun = Some(one_line(prompt, MAX_PROMPT));
    }

    /// Records the state of a place before its first change in this turn.
    pub(crate) fn keep(&mut self, place: &Place, before: Before) {
        if self.by_client {
            return;
        }
        if let Some(prompt) = self.begun.take() {
            self.turns.push_back(TurnChanges { prompt, files: Vec::new() });
        }
        let path = place.resolved.path();
        let Some(turn) = self.turns.back_mut() else { return };
        if turn.files.iter().any(|kept| kept.place.resolved.path() == path) {
            return;
        }
        self.held += before.length();
        // Until the tool's change is recorded, both states are the same.
        let after = before.fingerprint();
        turn.files.push(KeptFile { place: place.clone(), before, after });
        while self.held > MAX_KEPT {
            self.make_room();
        }
    }

    /// Records the state after a tool's change.
    pub(crate) fn changed(&mut self, place: &Place, now: Fingerprint) {
        let path = place.resolved.path();
        let turn = self.turns.back_mut();
        let kept = turn
            .and_then(|turn| turn.files.iter_mut().find(|kept| kept.place.resolved.path() == path));
        if let Some(kept) = kept {
            kept.after = now;
        }
    }

    /// Removes the oldest turn, or the largest file if there is only one turn.
    fn make_room(&mut self) {
        if self.turns.len() > 1 {
            let oldest = self.turns.pop_front();
            let files = oldest.map(|turn| turn.files).unwrap_or_default();
            self.held -=
                files.iter().map(|kept| kept.before.length()).sum::<usize>().min(self.held);
            self.forgotten = true;
            return;
        }
        let files = self.turns.iter_mut().flat_map(|turn| &mut turn.files);
        match files.max_by_key(|kept| kept.before.length()) {
            Some(kept) if kept.before.length() > 0 => {
                self.held -= kept.before.length().min(self.held);
                kept.before =
                    Before::Lost("its turn changed more than the limit for undo".to_owned());
            }
            _ => self.held = 0,
        }
    }
}

/// The report of an undo. `Display` gives Markdown for the person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct UndoReport {
    /// The prompt of the reverted turn, or `None` if no turn was reverted.
    pub(crate) prompt: Option<String>,
    /// The files with their display names and the result for each, such as `restored`.
    pub(crate) restored: Vec<(String, &'static str)>,
    /// The files that were not reverted, each with the reason.
    pub(crate) left: Vec<(String, String)>,
    /// Whether older turns can no longer be reverted.
    pub(crate) forgotten: bool,
}

impl fmt::Display for UndoReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(prompt) = &self.prompt else {
            f.write_str(
                "There is nothing to undo: the agent's file tools have not changed any file",
            )?;
            return f.write_str(match self.forgotten {
                true => " in the turns that can still be undone.\n",
                false => " since this session was opened.\n",
            });
        };
        match self.restored.len() as u64 {
            0 => writeln!(f, "No file of the turn “{prompt}” was reverted.")?,
            count => {
                writeln!(f, "{} reverted to before the turn “{prompt}”:\n", counted(count, "file"))?
            }
        }
        for (path, what) in &self.restored {
            writeln!(f, "- {}: {what}", code(path))?;
        }
        if !self.left.is_empty() {
            writeln!(f, "\nNot reverted:\n")?;
        }
        for (path, why) in &self.left {
            writeln!(f, "- {}: {why}", code(path))?;
        }
        writeln!(f, "\nChanges by commands are not recorded, so they remain.")
    }
}

/// Reverts the file changes of the last turn that made any. A file that has changed since that turn
/// is skipped unless the call is `forced`, and a later call can still revert it. Reverted changes
/// are forgotten.
///
/// # Errors
/// Returns an error if the turn was cancelled or the client is gone. Another call can revert the
/// remaining files.
pub(crate) async fn undo(
    turn: &Turn,
    folders: &Folders,
    changes: &mut Changes,
    forced: bool,
) -> Result<UndoReport> {
    let mut report = UndoReport { forgotten: changes.forgotten, ..UndoReport::default() };
    let Some(TurnChanges { prompt, files }) = changes.turns.pop_back() else {
        return Ok(report);
    };
    report.prompt = Some(prompt.clone());
    let access = FileAccess { turn, folders, disk_only: false };
    let mut files = files;
    let (mut again, mut error) = (Vec::new(), None);
    // The first creation is undone last, so that a folder's content is removed before the folder.
    while let Some(kept) = files.pop() {
        let shown = kept.place.shown.clone();
        match revert_file(access, &kept, forced).await {
            Ok(Outcome::Done(what)) => report.restored.push((shown, what)),
            Ok(Outcome::Same) => {}
            Ok(Outcome::Left(why)) => {
                let hopeless = matches!(kept.before, Before::Lost(_));
                report.left.push((shown, why));
                if !hopeless {
                    again.push(kept);
                    continue;
                }
            }
            Err(of_turn) => {
                error = Some(of_turn);
                again.push(kept);
                break;
            }
        }
    }
    files.extend(again.into_iter().rev());
    if !files.is_empty() {
        changes.turns.push_back(TurnChanges { prompt, files });
    }
    let kept = changes.turns.iter().flat_map(|turn| &turn.files);
    changes.held = kept.map(|kept| kept.before.length()).sum();
    error.map_or(Ok(report), Err)
}

/// The outcome of reverting one file.
enum Outcome {
    Done(&'static str),
    /// There is nothing to report: the file is already as it was before the turn, or the place is a
    /// folder that the turn created.
    Same,
    Left(String),
}

async fn revert_file(access: FileAccess<'_>, kept: &KeptFile, forced: bool) -> Result<Outcome> {
    let place = match resolve_again(access, &kept.place).await? {
        Ok(place) => place,
        Err(why) => return Ok(Outcome::Left(why)),
    };
    let now = match access.state(&place).await? {
        Ok(now) => now,
        Err(why) => return Ok(Outcome::Left(why)),
    };
    if is_before(&now, &kept.before) {
        return Ok(Outcome::Same);
    }
    if now.fingerprint() != kept.after && !forced {
        return Ok(Outcome::Left("it changed since; `/undo force` reverts it anyway".to_owned()));
    }
    let done = match (&kept.before, &now) {
        (Before::Nothing, State::Folder) => {
            // Another program may have created a file in the folder.
            let _empty = restore(access, &place, &kept.before).await?;
            return Ok(Outcome::Same);
        }
        (Before::Nothing, _) => "deleted, because the turn created it",
        _ => "restored",
    };
    let restored = restore(access, &place, &kept.before).await?;
    Ok(restored.map_or_else(Outcome::Left, |()| Outcome::Done(done)))
}

/// Restores a place.
pub(crate) async fn restore(
    access: FileAccess<'_>,
    place: &Place,
    before: &Before,
) -> Result<std::result::Result<(), String>> {
    match before {
        Before::Nothing => {
            let is_folder = |folders: &Folders, place: &Place| {
                Ok(folders.roots().resolve_entry(place.resolved.path())?.path().is_dir())
            };
            match access.on_disk(place, is_folder).await? {
                Ok(is_folder) => access.remove(place, is_folder).await,
                Err(why) => Ok(Err(why)),
            }
        }
        Before::Folder => access.on_disk(place, |_, place| place.resolved.make_folder()).await,
        Before::File { content, mode } => written(access, place, content, *mode).await,
        Before::Lost(why) => Ok(Err(format!("it is not kept: {why}"))),
    }
}

/// Resolves the same path again. It does not follow a symbolic link that was created since.
async fn resolve_again(
    access: FileAccess<'_>,
    place: &Place,
) -> Result<std::result::Result<Place, String>> {
    let looked = |folders: &Folders, place: &Place| {
        let path: PathBuf = place.resolved.path();
        let now = folders.place(&path)?;
        match now.resolved.path() == path {
            true => Ok(now),
            false => Err(FileError::new(&path, Reason::Link)),
        }
    };
    access.on_disk(place, looked).await
}

fn is_before(now: &State, before: &Before) -> bool {
    match (now, before) {
        (State::Nothing, Before::Nothing) | (State::Folder, Before::Folder) => true,
        (State::Text(now), Before::File { content: Content::Text(before), .. }) => now == before,
        (State::Picture(_, now), Before::File { content: Content::Bytes(before), .. }) => {
            now == before
        }
        _ => false,
    }
}

async fn written(
    access: FileAccess<'_>,
    place: &Place,
    content: &Content,
    mode: Option<u32>,
) -> Result<std::result::Result<(), String>> {
    let written = match content {
        Content::Text(document) => access.write(place, document).await?,
        Content::Bytes(bytes) => access.write_bytes(place, bytes.clone()).await?,
    };
    let (Ok(()), Some(mode)) = (&written, mode) else { return Ok(written) };
    let set = move |_: &Folders, place: &Place| {
        let path = place.resolved.path();
        let set = place.resolved.open_read()?.set_permissions(Permissions::from_mode(mode));
        set.map_err(|error| FileError::new(&path, error.into()))
    };
    // If the client keeps the file only in its editor, there are no permissions to set.
    let _set = access.on_disk(place, set).await?;
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::{Before, Changes, Content, MAX_KEPT, MAX_KEPT_FILE, UndoReport};
    use attache_policy::Folders;

    #[test]
    fn oldest_turns_are_removed_before_the_largest_files() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::new(&[folder.path().to_owned()]).unwrap();
        let mut changes = Changes::default();
        let keep = |changes: &mut Changes, name: String| {
            let before = Before::File {
                content: Content::Bytes(vec![0; MAX_KEPT_FILE as usize]),
                mode: None,
            };
            changes.keep(&folders.place(name).unwrap(), before);
        };
        for turn in 0..3 {
            changes.begin("change");
            for file in 0..3 {
                keep(&mut changes, format!("{turn}-{file}"));
            }
        }
        assert!(changes.held <= MAX_KEPT && changes.forgotten);
        assert_eq!((changes.turns.len(), changes.turns[0].files.len()), (1, 3));
        for file in 3..6 {
            keep(&mut changes, format!("2-{file}"));
        }
        let lost =
            changes.turns[0].files.iter().filter(|kept| matches!(kept.before, Before::Lost(_)));
        assert_eq!((lost.count(), changes.held), (2, MAX_KEPT));
    }

    #[test]
    fn report_lists_reverted_and_skipped_files() {
        let nothing = UndoReport::default().to_string();
        assert!(nothing.starts_with("There is nothing to undo"), "{nothing}");
        let report = UndoReport {
            prompt: Some("rename it".into()),
            restored: vec![("a".into(), "restored")],
            left: vec![("b".into(), "it changed since".into())],
            forgotten: false,
        };
        assert_eq!(
            report.to_string(),
            "1 file reverted to before the turn “rename it”:\n\n- `a`: restored\n\nNot reverted:\n\n- `b`: it changed since\n\n\
             Changes by commands are not recorded, so they remain.\n"
        );
    }
}
