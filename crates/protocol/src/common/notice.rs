//! Notices: messages to the user that are not part of the conversation.

use crate::wire::declare::{wire_string, wire_struct};

wire_struct! {
    /// A notice. It is not part of the history and changes no state. In version 1, it is sent only
    /// to clients with `session.notices`.
    pub struct Notice {
        /// How the notice is presented.
        must severity: NoticeSeverity = "severity",
        /// Plain text that can be understood by itself. Senders must not leave it empty, but
        /// decoding does not check that.
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
        /// Something that needs attention.
        Warning = "warning",
        /// An error. The notice itself does not make anything fail.
        Error = "error",
    }
}
