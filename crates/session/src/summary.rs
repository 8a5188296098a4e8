//! What a list says of a stored session.

use crate::{Event, EventBody, Info, Labels, Origin, Timestamp};

/// The fold of a log to what a list shows: a few fields, none of the transcript.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// The number of the last event.
    pub sequence: u64,
    /// When the session began.
    pub began_at: Timestamp,
    /// When anything last happened in it: something was said, done, asked or decided, or it was
    /// named or labelled. See [`EventBody::is_activity`].
    pub updated_at: Timestamp,
    /// The working directory.
    pub cwd: String,
    /// The further roots.
    pub additional_directories: Vec<String>,
    /// Title, stated time and metadata.
    pub info: Info,
    /// Whether it is archived.
    pub archived: bool,
    /// How many prompts it has had.
    pub prompts: u64,
}

impl Summary {
    /// Whether there is something to come back to, as far as the summary knows: a prompt, a tag, or
    /// a title that a person gave it.
    pub fn is_used(&self) -> bool {
        let tagged = || !Labels::of(&self.info).tags.is_empty();
        self.prompts > 0 || self.info.titled_by_person() || tagged()
    }

    /// Applies one event; one whose number is not greater than the last one's has no effect.
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
