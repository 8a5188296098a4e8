//! The methods for sessions that need not be open: archive, status and title.

use super::{Correct, Refusal, invalid};
use serde_json::{Value, json};

impl Correct {
    pub(super) fn archive(&mut self, params: &Value, is_archived: bool) -> Result<Value, Refusal> {
        let id = self.store.named(params)?;
        if is_archived {
            self.cancel(&id);
            self.open.retain(|open| *open != id);
        }
        self.store.session(&id).is_archived = is_archived;
        Ok(json!({}))
    }

    pub(super) fn status(&self, params: &Value) -> Result<Value, Refusal> {
        let id = self.store.named(params)?;
        Ok(json!({"status": if self.open.contains(&id) { "open" } else { "saved" }}))
    }

    pub(super) fn set_title(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = self.store.named(params)?;
        let title = params["title"].as_str().ok_or_else(invalid)?.trim();
        if title.is_empty() {
            return Err(invalid());
        }
        self.store.session(&id).title = Some(title.to_owned());
        Ok(json!({"title": title}))
    }
}
