//! Session modes: one choice of how the agent works. Modes are older than config options, and are
//! kept consistent with them.

use super::SessionId;
use crate::wire::declare::{wire_id, wire_struct};

wire_id! {
    /// The id of one mode of a session.
    pub struct SessionModeId;
}

wire_struct! {
    /// The modes of a session and the one in use.
    pub struct SessionModeState {
        /// The mode in use.
        must current_mode_id: SessionModeId = "currentModeId",
        /// All modes to choose from.
        must_items available_modes: Vec<SessionMode> = "availableModes",
    }
}

wire_struct! {
    /// One mode.
    pub struct SessionMode {
        /// The id for `session/set_mode`.
        must id: SessionModeId = "id",
        /// A human-readable name.
        must name: String = "name",
        /// A human-readable description.
        lenient description: Option<String> = "description",
    }
}

wire_struct! {
    /// Params of `session/set_mode`; works in a turn and between turns.
    pub struct SetSessionModeRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// One of its modes.
        must mode_id: SessionModeId = "modeId",
    }
}

wire_struct! {
    /// Result of `session/set_mode`.
    pub struct SetSessionModeResponse {}
}
