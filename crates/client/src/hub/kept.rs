//! What a session's log has for its hub: the history, and what the person has not sent yet.

use super::queue::{Hold, Queue, Queued};
use super::spending::Spending;
use crate::prompt::Prompt;
use attache_protocol::method::Side;
use attache_protocol::v1::ContentBlock;
use attache_protocol::{Raw, decode, encode};
use attache_session::{Archived, EventBody, ListQuery, Session, SessionKey, Store, StoreError};

/// The names of the private records.
const DRAFT: &str = "hub/draft";
const QUEUE: &str = "hub/queue";

/// A session as its log has it.
pub(crate) struct Kept {
    pub(crate) session: Session,
    pub(crate) draft: String,
    pub(crate) queue: Queue,
}

/// Reads a session's log to its end. Blocks.
pub(crate) fn read(store: &dyn Store, key: &SessionKey) -> Result<Kept, StoreError> {
    let mut session = Session::new(key.session_id.clone());
    let (mut draft, mut waiting) = (String::new(), Vec::new());
    loop {
        let page = store.read(key, session.sequence())?;
        if page.is_empty() {
            break;
        }
        for event in &page {
            session.apply(event);
            match &event.body {
                EventBody::Record { name, value } if name == DRAFT => {
                    draft = decode(value.get()).unwrap_or_default()
                }
                EventBody::Record { name, value } if name == QUEUE => waiting = prompts(value),
                _ => {}
            }
        }
    }
    let mut queue = Queue::default();
    for prompt in waiting {
        queue.add(prompt);
    }
    queue.hold(Hold::Restored);
    Ok(Kept { session, draft, queue })
}

fn prompts(value: &Raw) -> Vec<Prompt> {
    let prompts: Vec<Vec<ContentBlock>> = decode(value.get()).unwrap_or_default();
    prompts.into_iter().map(Prompt).collect()
}

/// The record of a draft.
pub(crate) fn draft(draft: &str) -> Option<(String, Raw)> {
    record(DRAFT, &encode(&draft.to_owned()))
}

/// The record of the prompts that wait.
pub(crate) fn queue(waiting: &[Queued]) -> Option<(String, Raw)> {
    let prompts: Vec<Vec<ContentBlock>> = waiting.iter().map(|queued| queued.prompt.0.clone()).collect();
    record(QUEUE, &encode(&prompts))
}

/// What is encoded is JSON, so this is never `None`.
fn record(name: &str, json: &str) -> Option<(String, Raw)> {
    Some((name.to_owned(), Raw::from_text(json).ok()?))
}

/// What the sessions of a store took. Blocks.
pub(crate) fn spending(store: &dyn Store) -> Result<Spending, StoreError> {
    let mut spending = Spending::default();
    let mut query = ListQuery {
        side: Some(Side::Client),
        archived: Archived::Include,
        limit: 1000,
        ..ListQuery::default()
    };
    loop {
        let page = store.list(&query)?;
        for listed in page.sessions {
            let key = listed.key;
            let mut after = 0;
            loop {
                let events = store.read(&key, after)?;
                let Some(last) = events.last() else { break };
                after = last.sequence;
                events.iter().for_each(|event| spending.apply(&key.agent, &key.session_id, event));
            }
        }
        match page.next {
            Some(next) => query.cursor = Some(next),
            None => return Ok(spending),
        }
    }
}
