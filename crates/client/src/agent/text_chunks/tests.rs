use super::TextChunks;
use crate::agent::{incoming_handler, incoming_v2};
use crate::session::session_table::SessionTable;
use attache_connection::transport::MemoryTransport;
use attache_connection::{Builder, Client, ClientHandler, Handler as _, Peer};
use attache_protocol::envelope::Message;
use attache_protocol::method::{Method as _, SessionUpdateNotification};
use attache_protocol::v1::{SessionId, SessionNotification};
use attache_session::{Entry, EntryContent, EventBody, MessageAuthor};
use std::sync::Arc;

/// A client that folds every update, without merging.
struct Folding(Arc<SessionTable>);

impl Client for Folding {
    fn session_update(&mut self, params: SessionNotification, _peer: &Peer) {
        self.0.updated(&params.session_id, EventBody::from_update(params.update));
    }
}

/// The messages of two sessions, and how many frames were recognized.
type Outcome = ([Vec<(MessageAuthor, String)>; 2], usize);

/// Passes frames to the handler as a connection does, or to the decoder alone if `plain` is true.
fn folded(frames: &[String], plain: bool) -> Outcome {
    let sessions = Arc::new(SessionTable::new(true));
    let (here, _there) = MemoryTransport::pair(1024);
    let (peer, _connection) =
        Builder::new().connect_over(here, ClientHandler(Folding(sessions.clone())));
    let inner = ClientHandler(Folding(sessions.clone()));
    let mut handler = TextChunks::new(inner, sessions.clone(), incoming_handler::read_update);
    let mut recognized = 0;
    for frame in frames {
        if !plain && let Some(method) = handler.recognize(frame.as_bytes()) {
            assert_eq!(method, SessionUpdateNotification::ROW.name);
            recognized += 1;
            continue;
        }
        handler.flush();
        let Ok(Message::Notification { method, params }) = Message::read(frame.as_bytes()) else {
            continue;
        };
        let _ = handler.notification(&peer, &method, params);
    }
    handler.flush();
    let messages = ["s1", "s2"].map(|id| {
        let live = sessions.get_or_add(&SessionId::from(id), &peer, None);
        let message = |entry: &Arc<Entry>| match &entry.content {
            EntryContent::Message { author, .. } => Some((*author, entry.text())),
            _ => None,
        };
        live.fold.with(|session| session.entries().iter().filter_map(message).collect())
    });
    (messages, recognized)
}

fn chunk(session: &str, kind: &str, id: &str, text: &str) -> String {
    let method = SessionUpdateNotification::ROW.name;
    format!(
        r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"sessionId":"{session}","update":{{"sessionUpdate":"{kind}","content":{{"type":"text","text":{text}}},"messageId":"{id}"}}}}}}"#
    )
}

#[test]
fn recognized_chunks_fold_to_the_same_session_as_decoded_ones() {
    let texts = [
        r#""a""#,
        r#""""#,
        r#""\n\"\\""#,
        r#""\u00e9 é""#,
        r#""m1""#,
        r#""s1""#,
        r#""type""#,
        r#""agent_message_chunk""#,
        r#""}}}}""#,
        "7",
        "null",
        r#""open"#,
        r#""a","text":"b""#,
        r#""a","annotations":{"priority":1}"#,
        "\"control \u{1}\"",
    ];
    let mut frames = Vec::new();
    for round in 0..40 {
        for (index, text) in texts.iter().enumerate() {
            let id = if round % 7 == 6 { "m2" } else { "m1" };
            let kind = if round % 11 == 10 { "agent_thought_chunk" } else { "agent_message_chunk" };
            let session = if round % 5 == 4 && index % 3 == 0 { "s2" } else { "s1" };
            frames.push(chunk(session, kind, id, text));
            if round % 13 == 12 {
                frames.push(chunk("s1", "user_message_chunk", "u", r#""hello""#));
            }
        }
    }
    let ((merged, recognized), (decoded, _)) = (folded(&frames, false), folded(&frames, true));
    assert_eq!(merged, decoded);
    assert!(recognized > 100, "{recognized} of {}", frames.len());
}

#[test]
fn only_the_text_of_a_chunk_is_taken_for_its_text() {
    let with = |text: &str, meta: &str| {
        let chunk = chunk("s1", "agent_message_chunk", "m", &format!(r#""{text}""#));
        chunk.replace(r#""messageId""#, &format!(r#""_meta":{{"text":"{meta}"}},"messageId""#))
    };
    // The metadata differs, and at first equals the text.
    let mut frames: Vec<String> = (0..40).map(|_| with("same", "same")).collect();
    frames.extend((0..40).map(|number| with("same", &number.to_string())));
    let (merged, _) = folded(&frames, false);
    assert_eq!(merged, folded(&frames, true).0);
    assert_eq!(merged[0], [(MessageAuthor::Agent, "same".repeat(80))]);
}

#[test]
fn a_form_that_is_large_or_drops_values_is_not_learned() {
    let chunk = chunk("s1", "agent_message_chunk", "m", r#""a""#);
    let with = |more: &str| chunk.replace(r#""type":"text""#, &format!(r#""type":"text",{more}"#));
    let recognized = |frame: String| folded(&vec![frame; 40], false).1;
    let spaces = |count: usize| chunk.replace(r#""type""#, &(" ".repeat(count) + r#""type""#));
    assert!(recognized(spaces(3000)) > 0);
    assert_eq!(recognized(spaces(5000)), 0);
    assert_eq!(recognized(with(r#""annotations":7"#)), 0);
}

#[test]
fn chunks_of_version_2_are_recognized() {
    let sessions = Arc::new(SessionTable::new(true));
    let inner = ClientHandler(Folding(sessions.clone()));
    let mut handler = TextChunks::new(inner, sessions, incoming_v2::read_update);
    let frame = chunk("s1", "agent_message_chunk", "m", r#""a""#);
    assert_eq!(handler.recognize(frame.as_bytes()), None, "the first frame is decoded");
    assert_eq!(handler.recognize(frame.as_bytes()), Some(SessionUpdateNotification::ROW.name));
}
