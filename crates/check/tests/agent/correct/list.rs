//! Lists sessions.

use super::store::Session;
use super::{Correct, Refusal, invalid};
use serde_json::{Value, json};

impl Correct {
    pub(super) fn list(&self, params: &Value) -> Result<Value, Refusal> {
        let is_folder = params["cwd"].is_null() || params["cwd"].is_string();
        if !params["cursor"].is_null() || !is_folder {
            return Err(invalid());
        }
        let holds: fn(bool) -> bool = match params["archived"].as_str() {
            Some("include") => |_| true,
            Some("only") => |is_archived| is_archived,
            Some("exclude") => |is_archived| !is_archived,
            None if params["archived"].is_null() => |is_archived| !is_archived,
            _ => return Err(invalid()),
        };
        let listed = self.store.sessions.iter().filter(|(_, session)| {
            let is_of_folder = params["cwd"].is_null() || params["cwd"] == session.cwd.as_str();
            session.is_listed && is_of_folder && holds(session.is_archived)
        });
        Ok(json!({"sessions": listed.map(entry).collect::<Vec<_>>()}))
    }
}

fn entry((id, session): (&String, &Session)) -> Value {
    let mut entry = json!({
        "sessionId": id, "cwd": session.cwd, "updatedAt": "2026-11-01T10:00:00Z", "archived": session.is_archived,
        "additionalDirectories": session.directories,
    });
    if let Some(title) = &session.title {
        entry["title"] = json!(title);
    }
    entry
}
