//! Recognizes the chunks of a streamed text without decoding each of them, and merges those that
//! arrive together.

use crate::session::session_table::SessionTable;
use attache_connection::{ConnectionEnd, Handler, IncomingCall, Peer, Unhandled, Work};
use attache_protocol::envelope::Message;
use attache_protocol::method::{Method as _, SessionUpdateNotification, Side};
use attache_protocol::v1::{ContentBlock, MessageId, SessionId};
use attache_protocol::{DecodeError, Reader, UnknownValues, encode};
use attache_session::{EventBody, MessageAuthor};
use std::sync::Arc;
use std::task::{Context, Poll};

/// The method of updates, in both versions of the protocol.
const METHOD: &str = SessionUpdateNotification::ROW.name;

/// The number of frames without the form after which another form is learned. Learning costs as
/// much as decoding two frames, so this bounds its share if the form changes all the time.
const PAUSE: u32 = 16;

/// The size in bytes at which a merged text stops growing. Merging longer texts saves nothing.
const MERGED: usize = 16 * 1024;

/// The size in bytes above which a form is not learned, because it stays in memory.
const FORM: usize = 4 * 1024;

/// Decodes the params of an update. Returns `None` if a value is dropped: each such value is
/// reported, so each such frame is decoded.
pub(super) type ReadUpdate = fn(&str) -> Option<(SessionId, EventBody)>;

/// A handler in front of another one. It takes the text chunks that it recognizes, and passes
/// everything else on.
///
/// An agent streams a text as many notifications that differ only in their text. Once such a frame
/// was decoded, later frames with the same bytes around the text need no decoding.
pub(super) struct TextChunks<H> {
    handler: H,
    sessions: Arc<SessionTable>,
    read: ReadUpdate,
    form: Option<ChunkForm>,
    /// The number of frames since the last one that had the form, less than [`PAUSE`]; at first
    /// [`PAUSE`], so that the first frame is learned.
    age: u32,
    /// The text of the recognized chunks that are not applied yet. `None` if there are none.
    merged: Option<String>,
}

/// The form of a text chunk: everything but its text.
struct ChunkForm {
    /// The bytes of the frame before the JSON string of the text.
    head: Vec<u8>,
    /// The bytes after it.
    tail: Vec<u8>,
    chunk: Chunk,
}

/// A chunk without its text.
#[derive(PartialEq)]
struct Chunk {
    session: SessionId,
    author: MessageAuthor,
    message_id: Option<MessageId>,
}

impl<H> TextChunks<H> {
    pub(super) fn new(handler: H, sessions: Arc<SessionTable>, read: ReadUpdate) -> Self {
        Self { handler, sessions, read, form: None, age: PAUSE, merged: None }
    }

    /// Adds the text of a frame that has the form. Returns whether the frame has it.
    fn merge(&mut self, frame: &[u8]) -> bool {
        let Some(form) = &self.form else { return false };
        let Some(rest) = frame.strip_prefix(form.head.as_slice()) else { return false };
        let Ok(rest) = std::str::from_utf8(rest) else { return false };
        let mut reader = Reader::new(rest, UnknownValues::Keep);
        let Ok(text) = reader.string() else { return false };
        if rest.as_bytes().get(reader.place()..) != Some(form.tail.as_slice()) {
            return false;
        }
        match &mut self.merged {
            Some(merged) if merged.len() + text.len() <= MERGED => {
                merged.push_str(&text);
            }
            _ => {
                let text = text.into_owned();
                self.apply();
                self.merged = Some(text);
            }
        }
        true
    }

    /// Applies the merged text.
    fn apply(&mut self) {
        if let (Some(text), Some(form)) = (self.merged.take(), &self.form) {
            let Chunk { session, author, message_id } = &form.chunk;
            let (author, message_id) = (*author, message_id.clone());
            let content = ContentBlock::text(text);
            self.sessions.updated(session, EventBody::Message { author, message_id, content });
        }
    }
}

impl ChunkForm {
    /// Returns the form of a frame, if the frame is a text chunk of the agent with little around
    /// its text.
    fn of(frame: &[u8], read: ReadUpdate) -> Option<Self> {
        let frame = std::str::from_utf8(frame).ok()?;
        let (chunk, text) = read_chunk(frame, read)?;
        let (head, tail) = frame.rsplit_once(&encode(&text))?;
        if head.len() + tail.len() > FORM {
            return None;
        }
        // The same bytes may stand elsewhere in the frame. They are the text of the chunk exactly
        // if a change of them changes the decoded text and nothing else.
        let other = format!("{text}.");
        let (same, changed) = read_chunk(&[head, &encode(&other), tail].concat(), read)?;
        (same == chunk && changed == other).then(|| Self {
            head: head.into(),
            tail: tail.into(),
            chunk,
        })
    }
}

/// Decodes a frame. Returns the chunk and its text if the frame is a plain text chunk of the agent.
fn read_chunk(frame: &str, read: ReadUpdate) -> Option<(Chunk, String)> {
    let Ok(Message::Notification { method, params }) = Message::read(frame.as_bytes()) else {
        return None;
    };
    if method != METHOD {
        return None;
    }
    let (session, body) = read(params?)?;
    match body {
        // A message of the user may repeat the prompt, chunk by chunk.
        EventBody::Message { author: MessageAuthor::User, .. } => None,
        EventBody::Message { author, message_id, content: ContentBlock::Text(text) }
            if text.annotations.is_none() && text.meta.is_none() =>
        {
            Some((Chunk { session, author, message_id }, text.text))
        }
        _ => None,
    }
}

impl<H: Handler> Handler for TextChunks<H> {
    const SIDE: Side = H::SIDE;

    fn recognize(&mut self, frame: &[u8]) -> Option<&'static str> {
        if self.merge(frame) {
            self.age = 0;
            return Some(METHOD);
        }
        self.age += 1;
        if self.age >= PAUSE {
            self.age = 0;
            self.apply();
            self.form = ChunkForm::of(frame, self.read);
        }
        None
    }

    fn flush(&mut self) {
        self.apply();
        self.handler.flush();
    }

    fn notification(
        &mut self,
        peer: &Peer,
        name: &str,
        params: Option<&str>,
    ) -> Result<(), DecodeError> {
        self.handler.notification(peer, name, params)
    }

    fn call(&mut self, call: IncomingCall<'_>) -> Work {
        self.handler.call(call)
    }

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.handler.poll_ready(context)
    }

    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        self.handler.unhandled(unhandled);
    }

    fn ended(&mut self, end: &ConnectionEnd) {
        self.handler.ended(end);
    }
}

#[cfg(test)]
mod tests;
