//! `fs/read_text_file` and `fs/write_text_file`: files as they are in the client's editor.

use super::SessionId;
use crate::wire::declare::wire_struct;

wire_struct! {
    /// Asks for the text of a file, including unsaved changes. Allowed only with `fs.readTextFile`.
    pub struct ReadTextFileRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The file, absolute.
        must path: String = "path",
        /// The first line to read. The file's first line is 1. A malformed value is answered with
        /// -32602.
        strict line: Option<u32> = "line",
        /// The largest number of lines to read. A malformed value is answered with -32602.
        strict limit: Option<u32> = "limit",
    }
}

wire_struct! {
    /// The requested text.
    pub struct ReadTextFileResponse {
        /// The text, unchanged.
        must content: String = "content",
    }
}

wire_struct! {
    /// Asks the client to replace a file's text, or to create the file if it does not exist.
    /// Allowed only with `fs.writeTextFile`.
    pub struct WriteTextFileRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The file, absolute.
        must path: String = "path",
        /// The whole new text, to be written unchanged.
        must content: String = "content",
    }
}

wire_struct! {
    /// The file was written. A null result means the same.
    pub struct WriteTextFileResponse {
    }
}
