//! Sessions and events for the tests of this crate.

use attache_protocol::method::Side;
use attache_protocol::v1::{ContentBlock, TextContent};
use attache_protocol::{Meta, Patch, Raw};
use attache_session::{
    Event, EventBody, Log, MessageAuthor, Origin, SessionKey, Store, StoreError, Timestamp,
};
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::Thread;

pub(crate) fn key(session: &str) -> SessionKey {
    SessionKey { side: Side::Agent, agent: "echo".to_owned(), session_id: session.into() }
}

pub(crate) fn event(sequence: u64, body: EventBody) -> Event {
    Event { sequence, at: Timestamp(1_000 + sequence.cast_signed()), body }
}

pub(crate) fn opened(cwd: &str) -> EventBody {
    EventBody::Opened {
        cwd: cwd.to_owned(),
        additional_directories: vec!["/more".to_owned()],
        origin: Origin::New,
        agent: None,
    }
}

pub(crate) fn text(text: &str) -> ContentBlock {
    ContentBlock::Text(TextContent::new(text))
}

pub(crate) fn prompt(said: &str) -> EventBody {
    EventBody::Prompt { content: vec![text(said)] }
}

pub(crate) fn message(said: &str) -> EventBody {
    EventBody::Message { author: MessageAuthor::Agent, message_id: None, content: text(said) }
}

pub(crate) fn record(value: &str) -> EventBody {
    EventBody::Record { name: "note".to_owned(), value: Raw::from_text(value).unwrap() }
}

pub(crate) fn title(title: &str) -> EventBody {
    EventBody::StoredTitle { title: title.to_owned(), by_person: true }
}

pub(crate) fn meta(object: &str) -> EventBody {
    let meta = Meta::new(Raw::from_text(object).unwrap()).unwrap();
    EventBody::Info { title: Patch::Keep, updated_at: Patch::Keep, meta: Patch::Set(meta) }
}

/// Runs a future to completion on this thread.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let mut future = std::pin::pin!(future);
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(done) => return done,
            Poll::Pending => std::thread::park(),
        }
    }
}

pub(crate) fn commit(log: &dyn Log) -> Result<(), StoreError> {
    wait(log.commit())
}

/// A new session with these events, numbered from 1, all stored.
pub(crate) fn stored(store: &dyn Store, key: &SessionKey, bodies: Vec<EventBody>) -> Box<dyn Log> {
    let mut log = store.create(key).unwrap();
    for (number, body) in (1..).zip(bodies) {
        log.append(&event(number, body));
    }
    commit(&*log).unwrap();
    log
}

/// All events of a session, read page by page.
pub(crate) fn all(store: &dyn Store, key: &SessionKey) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let after = events.last().map_or(0, |event| event.sequence);
        let page = store.read(key, after).unwrap();
        if page.is_empty() {
            return events;
        }
        events.extend(page);
    }
}

/// All text from the agent.
pub(crate) fn said(events: &[Event]) -> String {
    let texts = events.iter().map(|event| match &event.body {
        EventBody::Message { content: ContentBlock::Text(text), .. } => text.text.as_str(),
        _ => "",
    });
    texts.collect()
}
