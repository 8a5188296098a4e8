//! A planned path together with what is needed to restore it.

use crate::attribution::author::Author;
use crate::attribution::timeline::Step;
use crate::changes::state::State;
use crate::restore::disk::Present;
use crate::restore::kept::KeptReason;
use crate::restore::plan::{Action, PlannedFile};
use crate::restore::value::Value;
use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use attache_host::EntryInfo;
use std::collections::BTreeSet;

/// The permission bits that are restored: never those for another user or group, or sticky.
const PERMISSIONS: u32 = 0o777;

/// A planned path together with what is needed to restore it.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) planned: PlannedFile,
    /// The metadata of the present entry.
    pub(crate) info: Option<EntryInfo>,
    /// The content of the result, if it was merged.
    pub(crate) merged: Option<Vec<u8>>,
}

impl Draft {
    /// Returns a draft that leads from the present entry to `wanted`, or `None` if they are the
    /// same.
    pub(crate) fn new(
        path: &TreePath,
        present: &Present,
        wanted: Value,
        steps: &[Step],
        is_merge: bool,
    ) -> Option<Draft> {
        let result = wanted.state.entry().map(permitted);
        let now = present.state.entry();
        let is_same = match (now, &result) {
            (None, None) => true,
            (Some(now), Some(result)) => {
                present.state.is_same(&wanted.state) || now.is_same(result)
            }
            _ => false,
        };
        if is_same {
            return None;
        }
        let action = match (now, &result) {
            (None, _) => Action::Create,
            (Some(_), None) => Action::Remove,
            (Some(now), Some(result)) if differ_in_mode(now, result) => Action::SetMode,
            _ if is_merge => Action::Merge,
            _ => Action::Replace,
        };
        let planned = PlannedFile { action: Some(action), result, ..planned(path, present, steps) };
        Some(Draft { planned, info: present.info.clone(), merged: wanted.merged })
    }

    /// Returns a draft of a path that stays as it is, because nothing can be done.
    pub(crate) fn kept(
        path: &TreePath,
        present: &Present,
        steps: &[Step],
        why: KeptReason,
    ) -> Draft {
        let result = present.state.entry().cloned();
        let planned = PlannedFile { kept: Some(why), result, ..planned(path, present, steps) };
        Draft { planned, info: present.info.clone(), merged: None }
    }

    /// Returns a draft that creates a missing folder.
    pub(crate) fn folder(path: TreePath, mode: u32) -> Draft {
        let planned = PlannedFile {
            path,
            action: Some(Action::Create),
            kept: None,
            authors: Vec::new(),
            is_protected: false,
            has_hard_links: false,
            present: None,
            result: Some(Entry::Folder { mode: mode & PERMISSIONS }),
        };
        Draft { planned, info: None, merged: None }
    }

    /// Keeps the path, unless it is kept for another reason already.
    pub(crate) fn keep(&mut self, why: KeptReason) {
        self.planned.kept.get_or_insert(why);
    }

    /// Returns the path as one that stays, because nothing can be done.
    pub(crate) fn without_action(mut self, why: KeptReason) -> Draft {
        let result = self.planned.present.clone();
        self.planned = PlannedFile { action: None, kept: Some(why), result, ..self.planned };
        self.merged = None;
        self
    }

    /// Takes the size of the merged content from what is left in memory for those of a plan. Keeps
    /// the path if that does not suffice.
    pub(crate) fn within(mut self, left: &mut usize) -> Draft {
        if !self.planned.is_restored() {
            self.merged = None;
        }
        let size = self.merged.as_ref().map_or(0, Vec::len);
        match left.checked_sub(size) {
            Some(rest) => *left = rest,
            None => return self.without_action(KeptReason::MergeLimit),
        }
        self
    }

    /// Whether restoring other paths leaves the metadata of the entry as it is. Replacing a hard
    /// link changes the other ones, and an entry of a folder the folder.
    pub(crate) fn has_own_metadata(&self) -> bool {
        !self.planned.has_hard_links && !matches!(self.planned.present, Some(Entry::Folder { .. }))
    }

    /// Whether the path is a folder now, and no folder afterwards.
    pub(crate) fn ends_folder(&self) -> bool {
        let is_folder = |entry: &Option<Entry>| matches!(entry, Some(Entry::Folder { .. }));
        is_folder(&self.planned.present) && !is_folder(&self.planned.result)
    }
}

fn planned(path: &TreePath, present: &Present, steps: &[Step]) -> PlannedFile {
    let authors: BTreeSet<Author> = steps.iter().map(|step| step.author.clone()).collect();
    let is_file = matches!(present.state, State::Present(Entry::File { .. }));
    PlannedFile {
        path: path.clone(),
        action: None,
        kept: None,
        authors: authors.into_iter().collect(),
        is_protected: false,
        has_hard_links: is_file && present.info.as_ref().is_some_and(|info| info.links > 1),
        present: present.state.entry().cloned(),
        result: None,
    }
}

/// Returns the entry with permissions that may be set.
fn permitted(entry: &Entry) -> Entry {
    let mut entry = entry.clone();
    if let Entry::File { mode, .. } | Entry::Folder { mode } = &mut entry {
        *mode &= PERMISSIONS;
    }
    entry
}

/// Returns whether two entries differ, but only in their permissions.
pub(crate) fn differ_in_mode(one: &Entry, other: &Entry) -> bool {
    match (one, other) {
        (Entry::Folder { mode: one }, Entry::Folder { mode: other }) => one != other,
        (Entry::File { .. }, Entry::File { .. }) => {
            one.content() == other.content() && one.mode() != other.mode()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Draft;
    use crate::changes::state::State;
    use crate::restore::disk::Present;
    use crate::restore::kept::KeptReason;
    use crate::restore::value::Value;
    use crate::snapshot::path::TreePath;

    #[test]
    fn merged_contents_beyond_the_limit_are_not_held() {
        let present = Present { state: State::Absent, info: None };
        let draft = |content: &[u8]| {
            let value = Value::file(content.to_vec(), 0o644);
            Draft::new(&TreePath::new(0, "a"), &present, value, &[], true).unwrap()
        };
        let mut left = 5;
        assert!(draft(b"123").within(&mut left).planned.is_restored());
        let refused = draft(b"456").within(&mut left);
        assert_eq!(refused.planned.kept, Some(KeptReason::MergeLimit));
        assert_eq!((refused.merged, left), (None, 2));
        let mut kept = draft(b"456");
        kept.keep(KeptReason::Protected);
        assert_eq!(kept.within(&mut left).planned.kept, Some(KeptReason::Protected));
        assert!(draft(b"45").within(&mut left).merged.is_some());
    }
}
