//! The title of a session whose agent gives it none.

use super::session_entry::SessionEntry;
use attache_session::{Entry, EntryContent, EventBody, MessageAuthor, title};

/// The longest title made from a prompt, in characters.
const LIMIT: usize = 80;

/// Makes the first line of the first prompt the title of the session if the agent gave it none. A
/// title that the agent sends later replaces it.
pub(super) fn give(entry: &SessionEntry) {
    let Some(handle) = entry.handle() else { return };
    let session = handle.snapshot();
    // The first prompt of a long session may be out of memory.
    if session.info().title().is_some() || session.truncated_before() > 0 {
        return;
    }
    let prompt = session.entries().iter().find(|entry| is_prompt(entry));
    let text = prompt.map(|entry| entry.text()).unwrap_or_default();
    let line = text.trim().lines().next().and_then(title);
    if let Some(title) = line.map(|line| line.chars().take(LIMIT).collect()) {
        handle.live.apply([EventBody::StoredTitle { title, by_person: false }]);
    }
}

fn is_prompt(entry: &Entry) -> bool {
    matches!(&entry.content, EntryContent::Message { author: MessageAuthor::User, .. })
}
