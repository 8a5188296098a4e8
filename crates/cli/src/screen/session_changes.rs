//! Changes of stored sessions, and the search in their texts.

use crate::checkpoints;
use crate::exit::Failure;
use crate::sessions::text_search;
use attache_client::ListedSession;
use attache_protocol::Patch;
use attache_protocol::method::Side;
use attache_screen::{FoundText, SessionChange};
use attache_session::{EventBody, Labels, ListQuery, SessionKey, Store, StoreError, Timestamp};

/// The most sessions that a search finds.
const FOUND: usize = 200;

/// Returns the logs of a session: that of its agent, if it is stored here too, and the client's.
fn logs(store: &dyn Store, session: &ListedSession) -> Result<Vec<SessionKey>, Failure> {
    let mut keys = Vec::new();
    for side in [Side::Agent, Side::Client] {
        let key = SessionKey { side, agent: session.agent.clone(), session_id: session.id.clone() };
        match store.summary(&key) {
            Ok(_) => keys.push(key),
            Err(StoreError::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    match keys.is_empty() {
        true => {
            Err(Failure::usage(format!("only {} has this session: change it there", session.agent)))
        }
        false => Ok(keys),
    }
}

/// Changes a session that is not open.
///
/// # Errors
/// Returns an error if the session is not stored, or the store fails.
pub(crate) async fn change(
    store: &dyn Store,
    session: &ListedSession,
    change: &SessionChange,
) -> Result<(), Failure> {
    if *change == SessionChange::Delete {
        checkpoints::forget(&session.agent, &session.id)?;
    }
    let now = Timestamp(jiff::Timestamp::now().as_millisecond());
    for key in logs(store, session)? {
        let body = match change {
            SessionChange::Delete => {
                store.delete(&key)?;
                continue;
            }
            SessionChange::Rename(title) => {
                let title = attache_session::title(title).ok_or_else(|| {
                    Failure::usage("the title is empty: write at least one visible character")
                })?;
                EventBody::StoredTitle { title, by_person: true }
            }
            SessionChange::Archive(archived) => EventBody::Archived(*archived),
            SessionChange::Tags(tags) => {
                let summary = store.summary(&key)?;
                let before = Labels::of(&summary.info);
                let mut after = before.clone();
                after.tags.clone_from(tags);
                let Some(meta) = Labels::change(&before, &after.normalised()) else { continue };
                let meta = Patch::Set(meta);
                attache_session::check_meta(summary.info.meta(), &meta).map_err(Failure::usage)?;
                EventBody::Info { title: Patch::Keep, updated_at: Patch::Keep, meta }
            }
        };
        store.append(&key, now, body)?.await?;
    }
    Ok(())
}

/// Finds the stored sessions with this text in their title or a message.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn search(store: &dyn Store, text: &str) -> Result<Vec<FoundText>, Failure> {
    let query = ListQuery { text: Some(text.to_owned()), limit: FOUND, ..ListQuery::default() };
    let mut found: Vec<FoundText> = Vec::new();
    for listed in store.list(&query)?.sessions {
        let SessionKey { agent, session_id: id, .. } = listed.key.clone();
        if found.iter().any(|other| other.agent == agent && other.id == id) {
            continue;
        }
        let around = text_search::find(store, &listed.key, text)?;
        let around = around.map(|it| format!("{}{}{}", it.before, it.text, it.behind));
        found.push(FoundText { agent, id, around: around.unwrap_or_default() });
    }
    Ok(found)
}
