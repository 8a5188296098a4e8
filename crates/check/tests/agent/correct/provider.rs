//! Model providers: a required one and an optional one. Their URLs are stored only in the state of
//! the connection.

use super::{Correct, Refusal, invalid};
use serde_json::{Value, json};

const PROTOCOLS: [&str; 2] = ["openai", "anthropic"];

impl Correct {
    pub(super) fn providers(&self) -> Value {
        let all = [("main", true), ("other", false)].map(|(id, is_required)| {
            let mut provider =
                json!({"providerId": id, "supported": PROTOCOLS, "required": is_required});
            if let Some(current) = self.providers.get(id) {
                provider["current"] = current.clone();
            }
            provider
        });
        json!({"providers": all})
    }

    pub(super) fn set_provider(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = params["providerId"]
            .as_str()
            .filter(|id| ["main", "other"].contains(id))
            .ok_or_else(invalid)?;
        let protocol =
            params["apiType"].as_str().filter(|it| PROTOCOLS.contains(it)).ok_or_else(invalid)?;
        let address = params["baseUrl"].as_str().ok_or_else(invalid)?;
        if !params["headers"].is_null() && !params["headers"].is_object() {
            return Err(invalid());
        }
        self.providers.insert(id.to_owned(), json!({"apiType": protocol, "baseUrl": address}));
        Ok(json!({}))
    }

    pub(super) fn disable_provider(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = params["providerId"].as_str().filter(|id| *id != "main").ok_or_else(invalid)?;
        self.providers.remove(id);
        Ok(json!({}))
    }
}
