//! Changes to a session's title, time and metadata.

use crate::wire::declare::wire_struct;
use crate::{Meta, Patch};

wire_struct! {
    /// The update `session_info_update`: the changes, field by field.
    pub plain struct SessionInfoUpdate {
        /// The session's title.
        patch title: Patch<String> = "title",
        /// When the session last changed (ISO 8601).
        patch updated_at: Patch<String> = "updatedAt",
        /// A patch of the session's metadata, which is merged into the stored metadata.
        patch meta: Patch<Meta> = "_meta",
    }
}

impl Default for SessionInfoUpdate {
    /// An update that changes nothing.
    fn default() -> Self {
        Self::new()
    }
}
