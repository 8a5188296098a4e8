//! Notices: messages to the user that are not part of the conversation.

use crate::wire::declare::{wire_string, wire_struct};

wire_struct! {
    /// A notice. It is not part of the history and changes no state. Only with `session.notices`.
    pub struct Notice {
        /// How it is presented.
        must severity: NoticeSeverity = "severity",
        /// Plain text that is complete by itself. Senders must not leave it empty, but decoding
        /// does not check that.
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
        /// An error; the notice itself makes nothing fail.
        Error = "error",
    }
}
