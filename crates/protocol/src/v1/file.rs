//! `fs/read_text_file` and `fs/write_text_file`: files as they are in the client's editor.

use super::SessionId;
use crate::wire::declare::wire_struct;

wire_struct! {
    /// Asks for the text of a file, unsaved changes included. Only with `fs.readTextFile`.
    pub struct ReadTextFileRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The file, absolute.
        must path: String = "path",
        /// The first line wanted; the first of the file is 1. Malformed is -32602.
        strict line: Option<u32> = "line",
        /// At most this many lines. Malformed is -32602.
        strict limit: Option<u32> = "limit",
    }
}

wire_struct! {
    /// The requested text.
    pub struct ReadTextFileResponse {
        /// The text, exactly as it is.
        must content: String = "content",
    }
}

wire_struct! {
    /// Asks to replace a file's text, and to create the file if it is missing. Only with
    /// `fs.writeTextFile`.
    pub struct WriteTextFileRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The file, absolute.
        must path: String = "path",
        /// The whole new text, to be kept exactly.
        must content: String = "content",
    }
}

wire_struct! {
    /// The file was written. A null result reads as this.
    pub struct WriteTextFileResponse {
    }
}
