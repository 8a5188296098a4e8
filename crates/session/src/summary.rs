//! The summary of a stored session in a list.

use crate::{Event, EventBody, Info, Labels, Origin, Timestamp};

/// The fold of a log to the fields that a list shows, without the transcript.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// The number of the last event.
    pub sequence: u64,
    /// When the session began.
    pub began_at: Timestamp,
    /// When the session was last active: something was said, done, asked or decided, or the session
    /// was renamed or labelled. See [`EventBody::is_activity`].
    pub updated_at: Timestamp,
    /// The working directory.
    pub cwd: String,
    /// The additional directories.
    pub additional_directories: Vec<String>,
    /// The title, the time that the agent sent, and the metadata.
    pub info: Info,
    /// Whether the session is archived.
    pub archived: bool,
    /// The number of prompts.
    pub prompts: u64,
}

impl Summary {
    /// Returns whether the session has content to return to, as far as the summary knows: a prompt,
    /// a tag, or a title that a user chose.
    pub fn is_used(&self) -> bool {
        let tagged = || !Labels::of(&self.info).tags.is_empty();
        self.prompts > 0 || self.info.titled_by_person() || tagged()
    }

    /// Applies one event. An event whose number is not greater than the last one's has no effect.
    pub fn apply(&mut self, event: &Event) {
        if event.sequence <= self.sequence {
            return;
        }
        self.sequence = event.sequence;
        match &event.body {
            EventBody::Opened { cwd, additional_directories, origin, .. } => {
                self.cwd.clone_from(cwd);
                self.additional_directories.clone_from(additional_directories);
                if matches!(origin, Origin::New | Origin::Forked(_)) {
                    self.began_at = event.at;
                }
            }
            EventBody::Info { title, updated_at, meta } => {
                self.info.patch(title, updated_at, meta);
            }
            EventBody::InfoByKey { title, updated_at, meta } => {
                self.info.patch_by_key(title, updated_at, meta);
            }
            EventBody::StoredTitle { title, by_person } => {
                self.info.store_title(title, *by_person);
            }
            EventBody::Archived(archived) => self.archived = *archived,
            EventBody::Prompt { .. } => self.prompts += 1,
            _ => {}
        }
        if event.body.is_activity() {
            self.updated_at = self.updated_at.max(event.at);
        }
    }
}
