//! The login. A new agent is logged in until the client logs it out.

use super::{Correct, Refusal, invalid};
use serde_json::{Value, json};

impl Correct {
    pub(super) fn methods(&self) -> Value {
        let mut methods = vec![json!({"id": "login", "name": "Log in"})];
        if self.client_has("/auth/terminal") {
            methods.push(
                json!({"id": "terminal", "name": "Log in here", "type": "terminal", "args": ["login"]}),
            );
        }
        json!(methods)
    }

    pub(super) fn authenticate(&mut self, params: &Value) -> Result<Value, Refusal> {
        params["methodId"].as_str().filter(|id| *id == "login").ok_or_else(invalid)?;
        self.log(false);
        Ok(json!({}))
    }

    pub(super) fn logout(&mut self) -> Value {
        self.log(true);
        json!({})
    }

    fn log(&mut self, is_out: bool) {
        if self.is_logged_out != is_out {
            self.is_logged_out = is_out;
            let params = self.login();
            self.said
                .push(json!({"jsonrpc": "2.0", "method": "auth/status_update", "params": params}));
        }
    }

    pub(super) fn login(&self) -> Value {
        json!({"state": if self.is_logged_out { "unauthenticated" } else { "authenticated" }})
    }
}
