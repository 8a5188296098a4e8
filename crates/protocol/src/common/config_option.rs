//! Parts of config options that both versions share.

use crate::wire::declare::{wire_id, wire_string, wire_struct};

wire_id! {
    /// The id of one config option of a session.
    pub struct SessionConfigId;
    /// The id of one value of a select.
    pub struct SessionConfigValueId;
    /// The id of one group of a select's values.
    pub struct SessionConfigGroupId;
}

wire_struct! {
    /// A switch.
    pub plain struct SessionConfigBoolean {
        /// Whether it is on.
        must current_value: bool = "currentValue",
    }
}

wire_struct! {
    /// One value of a select.
    pub struct SessionConfigSelectOption {
        /// The value for `session/set_config_option`.
        must value: SessionConfigValueId = "value",
        /// A human-readable name.
        must name: String = "name",
        /// A human-readable description.
        lenient description: Option<String> = "description",
    }
}

wire_string! {
    /// The category of a config option. Names that begin with `_` may be used freely; all others
    /// are reserved.
    pub enum SessionConfigOptionCategory open {
        /// How the agent works.
        Mode = "mode",
        /// Which model it uses.
        Model = "model",
        /// A setting of that model, to be shown next to it.
        ModelConfig = "model_config",
        /// How much the model reasons.
        ThoughtLevel = "thought_level",
    }
}
