//! Lists the sessions of a [`crate::MemoryStore`].

use crate::{
    ArchivedFilter, Event, EventBody, Labels, ListEntry, ListPage, ListQuery, MessageAuthor,
    SessionKey, StoreError, Summary, Timestamp,
};
use attache_protocol::v1::ContentBlock;
use std::sync::Arc;

/// The default page size.
const PAGE: usize = 50;

/// A session that may be listed.
pub(crate) struct Candidate {
    pub(crate) key: SessionKey,
    pub(crate) serial: u64,
    pub(crate) summary: Summary,
    /// The session's log, if the query searches messages.
    pub(crate) events: Vec<Arc<Event>>,
}

/// The position of a session in the list, which begins with the greatest.
type Place = (Timestamp, u64);

impl Candidate {
    fn place(&self) -> Place {
        (self.summary.updated_at, self.serial)
    }
}

/// Returns whether a session with this summary matches the query, as far as the summary can tell.
pub(crate) fn fits(summary: &Summary, query: &ListQuery) -> bool {
    let archived = match query.archived {
        ArchivedFilter::Exclude => !summary.archived,
        ArchivedFilter::Include => true,
        ArchivedFilter::Only => summary.archived,
    };
    let title = || summary.info.title().unwrap_or_default().to_lowercase();
    archived
        && query.cwd.as_ref().is_none_or(|cwd| *cwd == summary.cwd)
        && query.title.as_ref().is_none_or(|text| title().contains(&text.to_lowercase()))
        && query.tag.as_ref().is_none_or(|tag| Labels::of(&summary.info).tags.contains(tag))
}

/// Returns the query's page of all matching sessions.
pub(crate) fn page(mut all: Vec<Candidate>, query: &ListQuery) -> Result<ListPage, StoreError> {
    if let Some(cursor) = &query.cursor {
        let end = place(cursor).ok_or(StoreError::InvalidCursor)?;
        all.retain(|candidate| candidate.place() < end);
    }
    all.sort_unstable_by_key(|candidate| std::cmp::Reverse(candidate.place()));
    let mut found = all.into_iter().filter(|candidate| match &query.text {
        Some(text) => says(candidate, &text.to_ascii_lowercase()),
        None => true,
    });
    let limit = if query.limit == 0 { PAGE } else { query.limit };
    let page: Vec<_> = found.by_ref().take(limit).collect();
    let more = found.next().is_some();
    let next = page.last().filter(|_| more).map(|last| cursor(last.place()));
    let sessions =
        page.into_iter().map(|Candidate { key, summary, .. }| ListEntry { key, summary }).collect();
    Ok(ListPage { sessions, next })
}

fn cursor((at, serial): Place) -> String {
    format!("{}.{serial}", at.0)
}

fn place(cursor: &str) -> Option<Place> {
    let (at, serial) = cursor.split_once('.')?;
    Some((Timestamp(at.parse().ok()?), serial.parse().ok()?))
}

/// Returns whether `text`, in lower case, is in the title or in a message from either side.
fn says(candidate: &Candidate, text: &str) -> bool {
    let contains = |said: &str| said.to_ascii_lowercase().contains(text);
    if contains(candidate.summary.info.title().unwrap_or_default()) {
        return true;
    }
    // A message can consist of several events, and the text can span more than one of them.
    let mut message = None;
    let mut said = String::new();
    for event in &candidate.events {
        match &event.body {
            EventBody::Message { author, message_id, content }
                if *author != MessageAuthor::Thought =>
            {
                if message != Some((author, message_id)) {
                    if contains(&said) {
                        return true;
                    }
                    said.clear();
                    message = Some((author, message_id));
                }
                push(&mut said, content);
            }
            EventBody::Prompt { content } => {
                let mut prompt = String::new();
                content.iter().for_each(|block| push(&mut prompt, block));
                if contains(&prompt) {
                    return true;
                }
            }
            _ => {}
        }
    }
    contains(&said)
}

fn push(said: &mut String, content: &ContentBlock) {
    if let ContentBlock::Text(text) = content {
        said.push_str(&text.text);
    }
}
