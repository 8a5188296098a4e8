//! Modes and config options, which share one state and stay consistent (MODE-05).

use agent_client_protocol::v1::schema::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue,
    SessionConfigSelectGroup, SessionConfigSelectOption, SessionMode, SessionModeState,
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
    effort: String,
    fast: bool,
}

impl Default for Values {
    fn default() -> Self {
        Self { mode: "ask".into(), model: "m1".into(), effort: "low".into(), fast: false }
    }
}

fn named(ids: &[&'static str]) -> Vec<SessionConfigSelectOption> {
    ids.iter().map(|id| SessionConfigSelectOption::new(*id, *id)).collect()
}

impl Values {
    pub(crate) fn modes(&self) -> SessionModeState {
        SessionModeState::new(self.mode.clone(), MODES.map(|id| SessionMode::new(id, id)).to_vec())
    }

    /// The available efforts depend on the model.
    fn efforts(&self) -> &'static [&'static str] {
        if self.model == "m1" { &["low", "high"] } else { &["low", "high", "max"] }
    }

    /// Returns the complete list, without the boolean option if the client does not support
    /// booleans (CONF-08).
    pub(crate) fn config_options(&self, takes_booleans: bool) -> Vec<SessionConfigOption> {
        let groups = vec![
            SessionConfigSelectGroup::new("small", "Small", named(&["m1"])),
            SessionConfigSelectGroup::new("large", "Large", named(&["m2"])),
        ];
        let model = SessionConfigOption::select("model", "Model", self.model.clone(), groups)
            .category(SessionConfigOptionCategory::Model);
        let mode = SessionConfigOption::select("mode", "Mode", self.mode.clone(), named(&MODES))
            .category(SessionConfigOptionCategory::Mode);
        let effort = SessionConfigOption::select(
            "effort",
            "Effort",
            self.effort.clone(),
            named(self.efforts()),
        )
        .category(SessionConfigOptionCategory::ThoughtLevel);
        let fast = SessionConfigOption::boolean("fast", "Fast", self.fast)
            .category(SessionConfigOptionCategory::ModelConfig);
        [model, mode, effort].into_iter().chain(takes_booleans.then_some(fast)).collect()
    }

    /// Sets one value and its dependents; returns true if the mode changed. An invalid value
    /// changes nothing (CONF-07).
    pub(crate) fn set(
        &mut self,
        id: &str,
        value: &SessionConfigOptionValue,
        takes_booleans: bool,
    ) -> Result<bool> {
        let chosen = match value {
            SessionConfigOptionValue::ValueId { value } => value.to_string(),
            _ => String::new(),
        };
        match (id, value) {
            ("model", _) if MODELS.contains(&chosen.as_str()) => self.model = chosen,
            ("effort", _) if self.efforts().contains(&chosen.as_str()) => self.effort = chosen,
            ("mode", _) if MODES.contains(&chosen.as_str()) => {
                let is_change = self.mode != chosen;
                self.mode = chosen;
                return Ok(is_change);
            }
            ("fast", SessionConfigOptionValue::Boolean { value }) if takes_booleans => {
                self.fast = *value
            }
            _ => return Err(Error::invalid_params().data(format!("option {id} has no such value"))),
        }
        if !self.efforts().contains(&self.effort.as_str()) {
            self.effort = "high".into();
        }
        Ok(false)
    }
}
