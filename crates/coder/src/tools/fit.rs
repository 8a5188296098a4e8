//! The room for text in one message.

pub(crate) use attache_models::text::{
    code, code_block, counted, end_within, ends_within, grouped, json_text_length, one_line,
    start_within,
};

/// The maximum text of one tool result, in bytes of JSON. This limit keeps the whole message under
/// 64 KiB.
pub(crate) const MESSAGE_TEXT: usize = 40 * 1024;
