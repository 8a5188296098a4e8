//! Notices (requirements §4.14): something to tell the person that is no part of the conversation.

use crate::wire::declare::{wire_string, wire_struct};

wire_struct! {
    /// A notice: shown or not, never history, never a change of state (NOTE-02, NOTE-05). Only with
    /// `session.notices` (NOTE-01).
    pub struct Notice {
        /// How it is presented.
        must severity: NoticeSeverity = "severity",
        /// Plain text that stands alone; senders must not leave it empty (NOTE-06), decoding does
        /// not check that.
        must title: String = "title",
        /// Plain text with details or advice.
        lenient description: Option<String> = "description",
    }
}

wire_string! {
    /// How a notice is presented. Unknown severities are kept and shown neutrally (NOTE-05).
    pub enum NoticeSeverity open {
        /// Good to know.
        Info = "info",
        /// Something to look at.
        Warning = "warning",
        /// Something went wrong; nothing fails because of the notice itself (NOTE-05).
        Error = "error",
    }
}
