//! The numbers of the private records that still apply, which the checkpoint of a session names.

use crate::store::records::{REMEMBERED, REMEMBERED_ONLY, SYSTEM_PROMPT};
use attache_session::{Event, EventBody, Log, Session};

/// The numbers of the private records that still apply. The records themselves stay in the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordNumbers {
    remembered: Vec<u64>,
    system_prompt: Option<u64>,
}

impl RecordNumbers {
    pub(crate) fn apply(&mut self, event: &Event) {
        let EventBody::Record { name, .. } = &event.body else { return };
        match name.as_str() {
            REMEMBERED => self.remembered.push(event.sequence),
            REMEMBERED_ONLY => self.remembered = vec![event.sequence],
            SYSTEM_PROMPT => self.system_prompt = Some(event.sequence),
            _ => {}
        }
    }

    /// Returns all numbers.
    pub(crate) fn all(&self) -> Vec<u64> {
        self.remembered.iter().copied().chain(self.system_prompt).collect()
    }
}

/// Stores a checkpoint of a session; see [`keep_checkpoint()`].
pub(crate) type KeepCheckpoint = fn(&mut dyn Log, &Session, &RecordNumbers);

/// Stores a checkpoint of the session, if its log has grown enough since the last one.
pub(crate) fn keep_checkpoint(log: &mut dyn Log, session: &Session, records: &RecordNumbers) {
    attache_session::keep_checkpoint(log, session, || records.all());
}
