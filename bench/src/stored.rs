//! Stored sessions for the measurements. Each session is created in the file when it is first
//! needed.

use crate::{filler, runtime};
use attache_protocol::Patch;
use attache_protocol::method::Side;
use attache_protocol::v1::{ContentBlock, ToolCallId};
use attache_protocol::v2::ToolCallStatus;
use attache_session::{
    Event, EventBody, ListQuery, Log, MessageAuthor, Origin, SessionKey, Store, StoreError,
    Timestamp, ToolCall, ToolCallPatch, TurnOutcome,
};
use attache_store::Sqlite;

/// The name of the agent in the keys of these sessions.
pub const AGENT: &str = "bench";

/// Milliseconds between two updates of a streaming agent.
const PACE: u64 = 5;

/// Returns the key of the session `id`.
pub fn key(id: &str) -> SessionKey {
    SessionKey { side: Side::Agent, agent: AGENT.to_owned(), session_id: id.into() }
}

/// Returns the first event of a session.
pub fn opened(cwd: &str) -> EventBody {
    let (cwd, origin) = (cwd.to_owned(), Origin::New);
    EventBody::Opened { cwd, additional_directories: Vec::new(), origin, agent: None }
}

/// Returns a chunk of a message.
pub fn piece(author: MessageAuthor, id: u64, text: &str) -> EventBody {
    EventBody::Message {
        author,
        message_id: Some(format!("m{id}").into()),
        content: ContentBlock::text(text),
    }
}

/// A log under construction.
struct Making {
    log: Box<dyn Log>,
    sequence: u64,
}

impl Making {
    fn append(&mut self, body: EventBody) {
        self.sequence += 1;
        let at = Timestamp((self.sequence * PACE).cast_signed());
        self.log.append(&Event { sequence: self.sequence, at, body });
        if self.log.backlog() > 1 << 20 {
            runtime().block_on(self.log.commit()).unwrap();
        }
    }

    fn say(&mut self, author: MessageAuthor, text: &str, pieces: u64) {
        let id = self.sequence;
        for _ in 0..pieces {
            self.append(piece(author, id, text));
        }
    }

    fn end_turn(&mut self) {
        let outcome = TurnOutcome::Stopped(attache_protocol::v1::StopReason::EndTurn);
        self.append(EventBody::TurnEnded { outcome, usage: None });
    }
}

/// Creates the session `id` of the agent if it does not exist: `messages-N`, `turns-N` or
/// `updates-N`.
pub fn make(store: &Sqlite, id: &str) {
    make_for(store, Side::Agent, AGENT, id);
}

/// Creates the session `id` in the log of an agent or of its client. Returns whether it is new.
pub fn make_for(store: &Sqlite, side: Side, agent: &str, id: &str) -> bool {
    let key = SessionKey { side, agent: agent.to_owned(), session_id: id.into() };
    match store.summary(&key) {
        Err(StoreError::NotFound(_)) => {}
        found => {
            found.unwrap();
            return false;
        }
    }
    let (kind, count) = id.split_once('-').unwrap();
    let count: u64 = count.parse().unwrap();
    let mut making = Making { log: store.create(&key).unwrap(), sequence: 0 };
    making.append(opened("/"));
    match kind {
        "messages" => messages(&mut making, count),
        "turns" => turns(&mut making, count),
        "updates" => updates(&mut making, count),
        other => panic!("no kind {other}"),
    }
    runtime().block_on(making.log.commit()).unwrap();
    true
}

/// Adds prompts and answers alternately. An answer has 1,000 bytes, in chunks of 40 bytes.
fn messages(making: &mut Making, count: u64) {
    let text = filler(40);
    for _ in 0..count / 2 {
        making.append(EventBody::Prompt {
            content: vec![ContentBlock::text("What is in the next file?")],
        });
        making.append(EventBody::TurnBegan);
        making.say(MessageAuthor::Agent, &text, 25);
        making.end_turn();
    }
}

/// Adds turns of a coding agent: a thought, three tool calls in four updates each, and an answer of
/// 1,000 bytes.
fn turns(making: &mut Making, count: u64) {
    for _ in 0..count {
        making
            .append(EventBody::Prompt { content: vec![ContentBlock::text("Now the next part.")] });
        making.append(EventBody::TurnBegan);
        making.say(MessageAuthor::Thought, &filler(40), 10);
        (0..3).for_each(|_| call(making, 500));
        making.say(MessageAuthor::Agent, &filler(40), 25);
        making.append(EventBody::Usage { used: 1000, size: Some(200_000), cost: Patch::Keep });
        making.end_turn();
    }
}

/// Adds a tool call and three updates of it, each with this much content in bytes.
fn call(making: &mut Making, size: usize) {
    let id = ToolCallId::from(format!("call{}", making.sequence));
    making.append(EventBody::ToolCall(ToolCall::new(id.clone(), "Read src/main.rs")));
    for status in
        [ToolCallStatus::InProgress, ToolCallStatus::InProgress, ToolCallStatus::Completed]
    {
        making.append(EventBody::ToolCallUpdate(ToolCallPatch {
            content: Patch::Set(vec![ContentBlock::text(filler(size)).into()]),
            ..ToolCallPatch::with_status(id.clone(), status)
        }));
    }
}

/// Adds `count` updates, 500 per turn, as a streaming agent would: 20 chunks of a thought, then ten
/// times a tool call in four updates followed by 44 chunks of an answer. A chunk has 32 bytes.
fn updates(making: &mut Making, count: u64) {
    let text = filler(32);
    for _ in 0..count / 500 {
        making
            .append(EventBody::Prompt { content: vec![ContentBlock::text("Now the next part.")] });
        making.append(EventBody::TurnBegan);
        making.say(MessageAuthor::Thought, &text, 20);
        for _ in 0..10 {
            call(making, 200);
            making.say(MessageAuthor::Agent, &text, 44);
        }
        making.end_turn();
    }
}

/// Creates this many small sessions of the agent, unless they exist.
pub fn create_many(store: &Sqlite, count: u64) {
    create_many_for(store, Side::Agent, AGENT, count);
}

/// Creates this many small sessions of an agent or of its client, unless they exist.
pub fn create_many_for(store: &Sqlite, side: Side, agent: &str, count: u64) {
    if !store.list(&ListQuery { limit: 1, ..ListQuery::default() }).unwrap().sessions.is_empty() {
        return;
    }
    for number in 0..count {
        let mut making = Making {
            log: store
                .create(&SessionKey {
                    side,
                    agent: agent.to_owned(),
                    session_id: format!("s{number}").into(),
                })
                .unwrap(),
            sequence: number * 10,
        };
        making.append(opened(&format!("/project/{}", number % 500)));
        making.append(EventBody::Prompt { content: vec![ContentBlock::text("a question")] });
        let title = Patch::Set(format!("Session {number}"));
        making.append(EventBody::Info { title, updated_at: Patch::Keep, meta: Patch::Keep });
        // A commit also stores the earlier sessions, so one per 1,000 sessions is enough.
        if number % 1_000 == 999 {
            runtime().block_on(making.log.commit()).unwrap();
        }
    }
}
