//! Options and modes of a session.

use super::{Correct, Refusal, invalid};
use serde_json::{Value, json};

impl Correct {
    /// Returns the options and modes in the reply that opens a session.
    pub(super) fn state(&mut self, id: &str) -> Value {
        let options = self.options(id);
        let mode = &self.store.session(id).mode;
        let modes = json!([{"id": "ask", "name": "Ask"}, {"id": "free", "name": "Do not ask"}]);
        json!({"modes": {"currentModeId": mode, "availableModes": modes}, "configOptions": options})
    }

    fn options(&mut self, id: &str) -> Value {
        let takes_boolean = self.client_has("/session/configOptions/boolean");
        let session = self.store.session(id);
        let modes =
            json!([{"value": "ask", "name": "Ask"}, {"value": "free", "name": "Do not ask"}]);
        let values = json!([{"value": "m1", "name": "M1"}, {"value": "m2", "name": "M2"}]);
        let mut options = vec![
            json!({"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": session.model, "options": values}),
            json!({"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": session.mode, "options": modes}),
        ];
        if takes_boolean {
            options.push(
                json!({"id": "fast", "name": "Fast", "type": "boolean", "currentValue": session.is_fast}),
            );
        }
        json!(options)
    }

    pub(super) fn set_mode(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = self.opened(params)?;
        if self.change_mode(&id, &params["modeId"])? {
            let options = self.options(&id);
            self.update(
                &id,
                json!({"sessionUpdate": "config_option_update", "configOptions": options}),
            );
        }
        Ok(json!({}))
    }

    /// Sets the mode. Returns whether the mode changed.
    fn change_mode(&mut self, id: &str, mode: &Value) -> Result<bool, Refusal> {
        let mode =
            mode.as_str().filter(|mode| ["ask", "free"].contains(mode)).ok_or_else(invalid)?;
        let before = std::mem::replace(&mut self.store.session(id).mode, mode.to_owned());
        if before != mode {
            self.update(id, json!({"sessionUpdate": "current_mode_update", "currentModeId": mode}));
        }
        Ok(before != mode)
    }

    pub(super) fn set_option(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = self.opened(params)?;
        let takes_boolean = self.client_has("/session/configOptions/boolean");
        let session = self.store.session(&id);
        match (params["configId"].as_str(), &params["value"]) {
            (Some("model"), Value::String(value)) if ["m1", "m2"].contains(&value.as_str()) => {
                session.model.clone_from(value);
            }
            (Some("mode"), value) => {
                self.change_mode(&id, value)?;
            }
            (Some("fast"), Value::Bool(value)) if takes_boolean && params["type"] == "boolean" => {
                session.is_fast = *value;
            }
            _ => return Err(invalid()),
        }
        Ok(json!({"configOptions": self.options(&id)}))
    }
}
