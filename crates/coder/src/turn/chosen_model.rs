//! The model that a session's options name.

use crate::models::{Model, Models};
use crate::session::options::{MODEL, THOUGHT_LEVEL};
use attache_agent::Turn;
use attache_protocol::v1::SessionConfigOptionValue;
use std::sync::Arc;

/// The model that the session's options name. A turn keeps the same model unless the model fails.
pub(crate) fn chosen(models: &Models, turn: &Turn) -> Arc<dyn Model> {
    let value = |id: &str| match turn.option(id) {
        Some(SessionConfigOptionValue::ValueId(value)) => Some(value.to_string()),
        _ => None,
    };
    let (model, level) = (value(MODEL).unwrap_or_default(), value(THOUGHT_LEVEL));
    models.chosen(&model, level.as_deref(), turn.session_id().as_str())
}
