//! The background work for a session: adding notices about the context's size, and storing the log.

use super::session_entry::{SessionEntry, State};
use crate::lock::lock;
use attache_protocol::v1::NoticeSeverity;
use attache_session::{EventBody, Session, TurnState, UsageLevel};
use std::time::Duration;

/// How long a change of the draft may wait before it is written to the log.
const DRAFT: Duration = Duration::from_secs(1);

/// Runs as long as the session does. Waits until there is work. If the draft changed, it first
/// waits a moment, so that one write covers several changes.
pub(crate) async fn run(entry: &SessionEntry) {
    loop {
        entry.housekeeping.notified().await;
        report_context_level(entry);
        if entry.state().unsaved.draft {
            tokio::time::sleep(DRAFT).await;
        }
        let saved = save(entry);
        keep_checkpoint(entry);
        if saved {
            store(entry).await;
        }
    }
}

/// Adds a notice when the context has filled up to another level (USE-07).
fn report_context_level(entry: &SessionEntry) {
    let (level, percentage) =
        entry.fold.with(|session| (session.usage().level(), session.usage().percentage()));
    let told = entry.state().reported_level.replace(level).unwrap_or(UsageLevel::Normal);
    if !entry.hub.upgrade().is_some_and(|hub| hub.gives_context_notices()) {
        return;
    }
    if let (true, Some(advice), Some(percentage)) = (level > told, level.advice(), percentage) {
        let severity = if level == UsageLevel::Elevated {
            NoticeSeverity::Info
        } else {
            NoticeSeverity::Warning
        };
        entry.say(severity, format!("The context is {percentage} % full: {advice}"), None);
    }
}

/// Stores a checkpoint between two turns, if the log has grown enough since the last one.
fn keep_checkpoint(entry: &SessionEntry) {
    if entry.fold.with(Session::turn) == TurnState::Idle {
        entry.fold.keep_checkpoint(|| lock(&entry.records).all());
    }
}

/// Stores the log. Adds a notice when storing fails and when it works again. After a failure, the
/// next call retries.
async fn store(entry: &SessionEntry) {
    let Some(commit) = entry.fold.commit() else { return };
    let outcome = commit.await;
    let told = std::mem::replace(&mut entry.state().reported_unstored, outcome.is_err());
    match outcome {
        Err(error) if !told => {
            let why = Some(
                "the session continues in memory, and the hub keeps trying to store it".to_owned(),
            );
            entry.say(
                NoticeSeverity::Warning,
                format!("This session cannot be stored: {error}"),
                why,
            );
        }
        Ok(()) if told => entry.say(NoticeSeverity::Info, "This session is stored again", None),
        _ => {}
    }
}

/// Writes the unsent texts to the log, if they changed. Returns whether there is anything to
/// store.
pub(crate) fn save(entry: &SessionEntry) -> bool {
    // An unused session is not stored.
    if entry.fold.with(Session::sequence) == 0 {
        return false;
    }
    let _in_order = lock(&entry.saving);
    let (records, unsaved) = {
        let mut state = entry.state();
        let State { unsaved, saved, draft, queue, note, sending, .. } = &mut *state;
        let unsaved = std::mem::take(unsaved);
        let mut records = Vec::new();
        if unsaved.draft {
            records.extend(saved.draft(draft));
        }
        if unsaved.queue {
            let waiting = sending.iter().chain(queue.waiting());
            let waiting: Vec<_> = waiting.map(|queued| (queue.version(queued), queued)).collect();
            records.extend(saved.queue(&waiting));
        }
        if unsaved.note {
            records.extend(saved.note(note));
        }
        (records, unsaved)
    };
    for (name, value) in records {
        entry.fold.apply(EventBody::Record { name, value });
    }
    unsaved.draft || unsaved.queue || unsaved.note || unsaved.turn
}
