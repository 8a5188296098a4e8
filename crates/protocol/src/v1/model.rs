//! Models to choose from, in a retired form that old peers still send. New agents use a config
//! option of the category `model`.

use super::SessionId;
use crate::wire::declare::{wire_id, wire_struct};

wire_id! {
    /// The id of one model of a session; retired.
    pub struct ModelId;
}

wire_struct! {
    /// The models of a session and the one in use; retired.
    pub struct SessionModelState {
        /// The model in use.
        must current_model_id: ModelId = "currentModelId",
        /// All models to choose from.
        must_items available_models: Vec<ModelInfo> = "availableModels",
    }
}

wire_struct! {
    /// One model; retired.
    pub struct ModelInfo {
        /// The id for `session/set_model`.
        must model_id: ModelId = "modelId",
        /// A human-readable name.
        must name: String = "name",
        /// A human-readable description.
        lenient description: Option<String> = "description",
    }
}

wire_struct! {
    /// Params of `session/set_model`; retired.
    pub struct SetSessionModelRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// One of its models.
        must model_id: ModelId = "modelId",
    }
}

wire_struct! {
    /// Result of `session/set_model`; retired.
    pub struct SetSessionModelResponse {}
}
