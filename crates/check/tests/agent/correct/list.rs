//! Listing sessions.

use super::store::Session;
use super::{Correct, Refusal, invalid};
use serde_json::{Value, json};

impl Correct {
    pub(super) fn list(&self, params: &Value) -> Result<Value, Refusal> {
        if !params["cursor"].is_null() {
            return Err(invalid());
        }
        let listed = self.store.sessions.iter().filter(|(_, session)| {
            session.is_listed && (params["cwd"].is_null() || params["cwd"] == session.cwd.as_str())
        });
        let entry = |(id, session): (&String, &Session)| json!({"sessionId": id, "cwd": session.cwd, "updatedAt": "2026-11-01T10:00:00Z"});
        Ok(json!({"sessions": listed.map(entry).collect::<Vec<_>>()}))
    }
}
