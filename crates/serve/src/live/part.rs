//! A part of a state, as JSON, with the number of its last change.

use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// A part of a state, as JSON, with the number of its last change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    /// The number of the last change; 0 if there was none.
    pub(crate) changed: u64,
    json: Option<Arc<RawValue>>,
}

impl Part {
    /// Sets the value. Returns whether it differs from the one before.
    pub(crate) fn set(&mut self, value: &impl Serialize, number: u64) -> bool {
        let Some(json) = json(value) else { return false };
        if self.json.as_ref().is_some_and(|known| known.get() == json.get()) {
            return false;
        }
        (self.changed, self.json) = (number, Some(json));
        true
    }

    /// Returns the value if it changed after the change with this number.
    pub(crate) fn since(&self, number: Option<u64>) -> Option<Arc<RawValue>> {
        let is_new = number.is_none_or(|number| self.changed > number);
        self.json.clone().filter(|_| is_new)
    }
}

/// Returns a value as JSON. The values of views have no maps with keys that are not text, which
/// JSON could not express.
pub(super) fn json(value: &(impl Serialize + ?Sized)) -> Option<Arc<RawValue>> {
    serde_json::value::to_raw_value(value).ok().map(Arc::from)
}
