//! What a person learns of a restore that an earlier run of a program left unfinished.

use attache_checkpoint::{Restored, TreePath};

/// The number of files that a report names.
const NAMED: usize = 20;

/// The report about a restore that an earlier run left unfinished, after
/// [`attache_checkpoint::Restorer::recover`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecoveryReport {
    /// What happened, in one line.
    pub title: String,
    /// The files that were not restored, each with the reason.
    pub not_restored: Vec<String>,
}

impl RecoveryReport {
    /// Returns the report about a restore.
    pub fn new(restored: &Restored) -> Self {
        let count = restored.done.len();
        let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        let mut title = match (&restored.unopened, restored.is_interrupted) {
            (Some(why), _) => {
                let folders = restored.roots.iter().map(|root| root.display().to_string());
                let folders = folders.collect::<Vec<_>>().join(", ");
                format!(
                    "An interrupted restore of {folders} could not be completed: {why}; the next \
                     start tries again"
                )
            }
            (None, true) => format!(
                "An interrupted restore could not be completed, because the disk is full: {files} \
                 restored; free space, then start again"
            ),
            (None, false) => format!("An interrupted restore was completed: {files}"),
        };
        let path = |path: &TreePath| match (restored.roots.len(), restored.roots.get(path.root())) {
            (2.., Some(root)) => format!("{}/{path}", root.display()),
            _ => path.to_string(),
        };
        let failed = restored.failed.iter().map(|it| format!("{}: {}", path(&it.path), it.message));
        let kept = restored.kept.iter().map(|(kept, why)| format!("{}: {why}", path(kept)));
        let mut not_restored: Vec<String> = failed.chain(kept).collect();
        match not_restored.len() {
            0 => {}
            1 => title.push_str("; 1 file was not restored"),
            more => title.push_str(&format!("; {more} files were not restored")),
        }
        if let more @ 1.. = not_restored.len().saturating_sub(NAMED) {
            not_restored.truncate(NAMED);
            not_restored.push(format!("and {more} more"));
        }
        Self { title, not_restored }
    }
}
