//! `fs/read_text_file` and `fs/write_text_file` (requirements §4.10): files as the client's editor
//! has them.

use super::SessionId;
use crate::wire::declare::wire_struct;

wire_struct! {
    /// Asks for the text of a file, unsaved changes included (FS-02). Only with `fs.readTextFile`
    /// (FS-01).
    pub struct ReadTextFileRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The file, absolute (FS-08).
        must path: String = "path",
        /// The first line wanted; the first of the file is 1 (FS-03). Malformed is -32602 (FS-05).
        strict line: Option<u32> = "line",
        /// At most this many lines (FS-03). Malformed is -32602 (FS-05).
        strict limit: Option<u32> = "limit",
    }
}

wire_struct! {
    /// The text asked for.
    pub struct ReadTextFileResponse {
        /// The text, exactly as it is (FS-12).
        must content: String = "content",
    }
}

wire_struct! {
    /// Asks to replace a file's text, and to create the file if it is missing (FS-06, FS-07). Only
    /// with `fs.writeTextFile` (FS-01).
    pub struct WriteTextFileRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The file, absolute (FS-08).
        must path: String = "path",
        /// The whole new text, to be kept exactly (FS-12).
        must content: String = "content",
    }
}

wire_struct! {
    /// The file was written. A null result reads as this (FS-11, DEC-14).
    pub struct WriteTextFileResponse {
    }
}
