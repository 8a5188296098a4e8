//! Config options: a select, a grouped select and a boolean.

use agent_client_protocol::v2::schema::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue,
    SessionConfigSelectGroup, SessionConfigSelectOption,
};
use agent_client_protocol::{Error, Result};
use serde::{Deserialize, Serialize};

const MODES: [&str; 2] = ["ask", "code"];
const MODELS: [&str; 2] = ["m1", "m2"];

/// The values of a session's options.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Values {
    pub(crate) mode: String,
    model: String,
    fast: bool,
}

impl Default for Values {
    fn default() -> Self {
        Self { mode: "ask".into(), model: "m1".into(), fast: false }
    }
}

fn named(ids: &[&'static str]) -> Vec<SessionConfigSelectOption> {
    ids.iter().map(|id| SessionConfigSelectOption::new(*id, *id)).collect()
}

impl Values {
    pub(crate) fn options(&self) -> Vec<SessionConfigOption> {
        let groups = vec![
            SessionConfigSelectGroup::new("small", "Small", named(&["m1"])),
            SessionConfigSelectGroup::new("large", "Large", named(&["m2"])),
        ];
        let model = SessionConfigOption::select("model", "Model", self.model.clone(), groups)
            .category(SessionConfigOptionCategory::Model);
        let mode = SessionConfigOption::select("mode", "Mode", self.mode.clone(), named(&MODES))
            .category(SessionConfigOptionCategory::Mode);
        vec![model, mode, SessionConfigOption::boolean("fast", "Fast", self.fast)]
    }

    /// An invalid value changes nothing.
    pub(crate) fn set(&mut self, id: &str, value: &SessionConfigOptionValue) -> Result<()> {
        let chosen = match value {
            SessionConfigOptionValue::Id { value } => value.to_string(),
            _ => String::new(),
        };
        match (id, value) {
            ("model", _) if MODELS.contains(&chosen.as_str()) => self.model = chosen,
            ("mode", _) if MODES.contains(&chosen.as_str()) => self.mode = chosen,
            ("fast", SessionConfigOptionValue::Boolean { value }) => self.fast = *value,
            _ => return Err(Error::invalid_params().data(format!("option {id} has no such value"))),
        }
        Ok(())
    }
}
