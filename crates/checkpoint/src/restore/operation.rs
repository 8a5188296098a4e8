//! The single changes of a restore, in the order in which they are made.

use crate::restore::draft::Draft;
use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use serde::{Deserialize, Serialize};

/// The permissions that the user needs to change the entries of a folder.
const WRITABLE: u32 = 0o300;

/// A change of one path that the system makes whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Operation {
    pub(crate) path: TreePath,
    /// The entry before, if there was one.
    pub(crate) from: Option<Entry>,
    /// The entry afterwards, if there is one.
    pub(crate) to: Option<Entry>,
}

/// When an operation is made, compared with those of other paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// Folders become writable.
    Open,
    /// Entries are removed, the innermost first.
    Remove,
    /// Folders are created, the outermost first.
    MakeFolder,
    /// Files and links are created or replaced.
    Put,
    /// Folders get their last permissions, the innermost first.
    Close,
}

/// Returns the operations that restore the drafts that are not kept.
pub(crate) fn operations(drafts: &[Draft]) -> Vec<Operation> {
    let mut found: Vec<(Phase, Operation)> = Vec::new();
    for draft in drafts.iter().filter(|draft| draft.planned.is_restored()) {
        let planned = &draft.planned;
        let mut from = planned.present.clone();
        for (phase, to) in phases(planned.present.as_ref(), planned.result.as_ref()) {
            let path = planned.path.clone();
            found.push((phase, Operation { path, from, to: to.clone() }));
            from = to;
        }
    }
    found.sort_by(|(one, first), (other, second)| {
        one.cmp(other).then_with(|| match one {
            Phase::Remove | Phase::Close => second.path.cmp(&first.path),
            Phase::Open | Phase::MakeFolder | Phase::Put => first.path.cmp(&second.path),
        })
    });
    found.into_iter().map(|(_, operation)| operation).collect()
}

/// Returns the entries that a path has one after the other.
fn phases(from: Option<&Entry>, to: Option<&Entry>) -> Vec<(Phase, Option<Entry>)> {
    let mut phases = Vec::new();
    match (from, to) {
        (Some(Entry::Folder { .. }), Some(Entry::Folder { mode })) => {
            let phase = if mode & WRITABLE == WRITABLE { Phase::Open } else { Phase::Close };
            phases.push((phase, to.cloned()));
        }
        (_, Some(Entry::Folder { mode })) => {
            if from.is_some() {
                phases.push((Phase::Remove, None));
            }
            phases.push((Phase::MakeFolder, Some(Entry::Folder { mode: mode | WRITABLE })));
            if mode & WRITABLE != WRITABLE {
                phases.push((Phase::Close, to.cloned()));
            }
        }
        (Some(Entry::Folder { .. }), Some(_)) => {
            phases.extend([(Phase::Remove, None), (Phase::Put, to.cloned())]);
        }
        (_, Some(_)) => phases.push((Phase::Put, to.cloned())),
        (_, None) => phases.push((Phase::Remove, None)),
    }
    phases
}

#[cfg(test)]
mod tests {
    use super::operations;
    use crate::changes::state::State;
    use crate::restore::disk::Present;
    use crate::restore::draft::Draft;
    use crate::restore::value::Value;
    use crate::snapshot::content_id::ContentId;
    use crate::snapshot::entry::Entry;
    use crate::snapshot::path::TreePath;

    fn draft(path: &str, from: Option<Entry>, to: Option<Entry>) -> Draft {
        let state = |entry: Option<Entry>| entry.map_or(State::Absent, State::Present);
        let present = Present { state: state(from), info: None };
        let path = TreePath::new(0, path);
        Draft::new(&path, &present, Value::from(state(to)), &[], false).unwrap()
    }

    #[test]
    fn entries_are_removed_from_the_inside_and_created_from_the_outside() {
        let file = Some(Entry::File { content: ContentId::of(b""), size: 0, mode: 0o644 });
        let folder = |mode| Some(Entry::Folder { mode });
        let drafts = [
            draft("a", folder(0o755), file.clone()),
            draft("a/b", file.clone(), None),
            draft("c", file.clone(), folder(0o555)),
            draft("c/d", None, file.clone()),
            draft("e", folder(0o500), folder(0o755)),
            draft("e/f", file.clone(), None),
        ];
        let done: Vec<String> = operations(&drafts)
            .iter()
            .map(|each| format!("{}{}", each.path, if each.to.is_some() { "+" } else { "-" }))
            .collect();
        assert_eq!(done, ["e+", "e/f-", "c-", "a/b-", "a-", "c+", "a+", "c/d+", "c+"]);
    }
}
