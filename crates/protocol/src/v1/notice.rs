//! Notices: something to tell the user that is no part of the conversation.

use crate::wire::declare::{wire_string, wire_struct};

wire_struct! {
    /// A notice: shown or not, never history, never a change of state. Only with `session.notices`.
    pub struct Notice {
        /// How it is presented.
        must severity: NoticeSeverity = "severity",
        /// Plain text that stands alone; senders must not leave it empty, decoding does not check
        /// that.
        must title: String = "title",
        /// Plain text with details or advice.
        lenient description: Option<String> = "description",
    }
}

wire_string! {
    /// How a notice is presented. Unknown severities are kept and shown without emphasis.
    pub enum NoticeSeverity open {
        /// Information.
        Info = "info",
        /// Something to look at.
        Warning = "warning",
        /// Something went wrong; nothing fails because of the notice itself.
        Error = "error",
    }
}
