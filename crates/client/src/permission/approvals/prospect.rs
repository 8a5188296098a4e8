//! The actions that a permission request would allow, and whether they touch protected files.

use super::approved::Approved;
use super::command::ApprovedCommand;
use crate::permission::file_action::{FileState, Found};
use crate::permission::request::PermissionRequest;
use crate::text_files::unsaved_text::UnsavedText;
use attache_policy::{Folders, Guard, guard, line_guard};
use attache_protocol::v1::{Diff, ToolKind};
use attache_session::ToolCallContent;
use std::path::{Path, PathBuf};

/// The largest file whose change is approved in advance, in bytes. Writing a larger file needs
/// permission again.
const LARGEST: usize = 4 << 20;

/// The number of files of one request that are inspected. Writing further files needs permission
/// again.
const FILES: usize = 64;

/// The actions that a request would allow.
#[derive(Debug, Default)]
pub(crate) struct Prospect {
    pub(crate) approved: Vec<Approved>,
    /// Why only a person may allow the request.
    pub(crate) protected: Option<Guard>,
}

/// Inspects what a request would change, read or run. Blocks on disk I/O.
pub(crate) fn prospects(
    request: &PermissionRequest,
    folders: &Folders,
    unsaved: Option<&dyn UnsavedText>,
) -> Prospect {
    let mut prospect = Prospect { protected: protected(request, folders), ..Prospect::default() };
    // A flag that allows calls of this kind approves only actions of the same kind.
    match request.kind() {
        None | Some(ToolKind::Other) => {
            prospect.approved = writes(request, folders, unsaved);
            prospect
                .approved
                .extend(ApprovedCommand::of(request, folders).into_iter().map(Approved::Command));
        }
        Some(ToolKind::Edit | ToolKind::Delete | ToolKind::Move) => {
            prospect.approved = writes(request, folders, unsaved);
        }
        Some(ToolKind::Execute) => {
            prospect
                .approved
                .extend(ApprovedCommand::of(request, folders).into_iter().map(Approved::Command));
        }
        Some(ToolKind::Read) => prospect.approved = reads(request, folders),
        Some(_) => {}
    }
    prospect
}

/// Why only a person may allow the request: it changes a protected file, or reads a file that holds
/// secrets, directly or by a command that names the file. Blocks on disk I/O.
pub(crate) fn protected(request: &PermissionRequest, folders: &Folders) -> Option<Guard> {
    let kind = request.kind();
    let changes = matches!(kind, Some(ToolKind::Edit | ToolKind::Delete | ToolKind::Move));
    // A command does not necessarily change the files in its locations.
    let is_command = matches!(kind, Some(ToolKind::Execute));
    let changed: Vec<String> =
        request.shown_content().flat_map(ToolCallContent::changed_paths).collect();
    let effect = request.effect();
    let lines = effect.commands.iter().map(|command| {
        let folder = command.folder.as_ref().map(|folder| folders.cwd().join(folder));
        line_guard(&command.line, folders, folder.as_deref().unwrap_or(folders.cwd()))
    });
    let stated = effect.stated.as_ref().and_then(|line| line_guard(line, folders, folders.cwd()));
    let of_commands = lines.fold(stated, Guard::strictest);
    let paths = effect.paths;
    let guards = paths.iter().take(FILES).map(|path| {
        let is_changed = changes || changed.contains(path);
        match guard_of(path, folders) {
            _ if is_command && !is_changed => None,
            Some(Guard::Obeyed) if !is_changed => None,
            guard => guard,
        }
    });
    guards.fold(of_commands, Guard::strictest)
}

fn guard_of(path: &str, folders: &Folders) -> Option<Guard> {
    let named = folders.cwd().join(path);
    match Found::at(folders, &named) {
        Ok(found) => found.guard(folders),
        // This client does not touch files outside of the folders, but the agent itself may, as far
        // as its own rules allow.
        Err(_) => guard(&crate::permission::file_action::below(folders, &named)),
    }
}

/// The diffs that show the whole change of a file.
fn diffs(request: &PermissionRequest) -> impl Iterator<Item = &Diff> {
    request.shown_content().filter_map(|content| match content {
        ToolCallContent::Diff(diff) => Some(diff),
        _ => None,
    })
}

fn reads(request: &PermissionRequest, folders: &Folders) -> Vec<Approved> {
    let paths = request.effect().paths.into_iter().take(FILES);
    let found = paths.filter_map(|path| Found::at(folders, &folders.cwd().join(path)).ok());
    found.map(|found| Approved::Read { path: found.action.resolved }).collect()
}

/// The content of a file before and after the diffs of a request. `applies` becomes false when a
/// diff does not fit.
struct Change {
    path: PathBuf,
    before: FileState,
    after: Option<String>,
    applies: bool,
}

/// The writes that apply the shown diffs.
fn writes(
    request: &PermissionRequest,
    folders: &Folders,
    unsaved: Option<&dyn UnsavedText>,
) -> Vec<Approved> {
    let mut changes: Vec<Change> = Vec::new();
    for diff in diffs(request).filter(|diff| Path::new(&diff.path).is_absolute()) {
        let Ok(found) = Found::at(folders, Path::new(&diff.path)) else { continue };
        let known = changes.iter().position(|change| change.path == found.action.resolved);
        let index = match known {
            Some(index) => index,
            None if changes.len() >= FILES => break,
            None => {
                changes.extend(Change::of(&found, folders, unsaved));
                changes.len().saturating_sub(1)
            }
        };
        if let Some(change) =
            changes.get_mut(index).filter(|change| change.path == found.action.resolved)
        {
            change.apply(diff);
        }
    }
    changes.into_iter().filter_map(Change::approved).collect()
}

impl Change {
    fn of(found: &Found, folders: &Folders, unsaved: Option<&dyn UnsavedText>) -> Option<Self> {
        let before = found.state(folders, unsaved).ok()?;
        let after = before.text().map(str::to_owned);
        let applies = match &before {
            FileState::Missing => true,
            FileState::Holds(bytes) => after.is_some() && bytes.len() <= LARGEST,
            FileState::Large { .. } => false,
        };
        Some(Self { path: found.action.resolved.clone(), before, after, applies })
    }

    fn apply(&mut self, diff: &Diff) {
        match applied(self.after.as_deref(), diff).filter(|after| after.len() <= LARGEST) {
            Some(after) => self.after = Some(after),
            None => self.applies = false,
        }
    }

    fn approved(self) -> Option<Approved> {
        let Self { path, before, after, applies } = self;
        let after = after.filter(|_| applies)?;
        Some(Approved::Write { path, before, after: after.into_bytes().into() })
    }
}

/// The text with a diff applied; `None` if the diff does not fit in exactly one place. The text is
/// `None` for a file that does not exist.
fn applied(text: Option<&str>, diff: &Diff) -> Option<String> {
    let (old, new) = (diff.old_text.as_deref().unwrap_or_default(), &diff.new_text);
    let text = text.unwrap_or_default();
    if old == text {
        return Some(new.clone());
    }
    // A diff that shows an existing file as new does not show the replaced text.
    let start = text.find(old).filter(|_| !old.is_empty())?;
    let first = old.chars().next().map_or(1, char::len_utf8);
    let is_only = !text.get(start + first..)?.contains(old);
    is_only.then(|| text.replacen(old, new, 1))
}

#[cfg(test)]
mod tests {
    use super::applied;
    use attache_protocol::v1::Diff;

    #[test]
    fn a_diff_applies_only_in_exactly_one_place() {
        let with = |text: Option<&str>, old: Option<&str>, new: &str| {
            let mut diff = Diff::new("/a", new);
            diff.old_text = old.map(str::to_owned);
            applied(text, &diff)
        };
        for (text, old, new, after) in [
            (None, None, "a", Some("a")),
            (None, Some(""), "a", Some("a")),
            (None, Some("x"), "a", None),
            (Some(""), None, "a", Some("a")),
            (Some("b"), None, "a", None),
            (Some("b"), Some("b"), "a", Some("a")),
            (Some("one two"), Some("two"), "2", Some("one 2")),
            (Some("two two"), Some("two"), "2", None),
            (Some("aaa"), Some("aa"), "b", None),
            (Some("\u{e9}\u{e8}"), Some("\u{e9}"), "e", Some("e\u{e8}")),
            (Some("\u{e9}\u{e9}"), Some("\u{e9}"), "e", None),
            (Some("one"), Some("1"), "2", None),
            (Some("one"), Some(""), "2", None),
        ] {
            assert_eq!(with(text, old, new).as_deref(), after, "{text:?} {old:?}");
        }
    }
}
