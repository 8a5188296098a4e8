//! The store in memory, and the contract of every store.

use crate::laws::{check_same, folded, log};
use crate::sequences::bodies;
use crate::{chunk, say};
use attache_protocol::method::Side;
use attache_protocol::{Patch, Raw};
use attache_session::{
    ArchivedFilter, Event, EventBody, ListQuery, Log, MemoryStore, MessageAuthor, Origin,
    SessionKey, Store, StoreError, Timestamp,
};
use proptest::prelude::*;
use std::task::{Context, Poll, Waker};

fn key(id: &str) -> SessionKey {
    SessionKey { side: Side::Agent, agent: "echo".into(), session_id: id.into() }
}

fn opened(cwd: &str) -> EventBody {
    EventBody::Opened {
        cwd: cwd.into(),
        additional_directories: vec![],
        origin: Origin::New,
        agent: None,
    }
}

fn events(at: i64, bodies: Vec<EventBody>) -> Vec<Event> {
    (1..).zip(bodies).map(|(sequence, body)| Event { sequence, at: Timestamp(at), body }).collect()
}

fn append(log: &mut Box<dyn Log>, events: &[Event]) {
    events.iter().for_each(|event| log.append(event));
}

/// A stored session with these events, all with the same time.
fn stored(store: &MemoryStore, id: &str, at: i64, bodies: Vec<EventBody>) {
    append(&mut store.create(&key(id)).unwrap(), &events(at, bodies));
}

fn read(store: &MemoryStore, id: &str) -> Vec<Event> {
    let mut all: Vec<Event> = Vec::new();
    loop {
        let page = store.read(&key(id), all.last().map_or(0, |event| event.sequence)).unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

fn ids(store: &MemoryStore, query: &ListQuery) -> Vec<String> {
    let page = store.list(query).unwrap();
    page.sessions.iter().map(|listed| listed.key.session_id.to_string()).collect()
}

#[test]
fn a_session_is_stored_as_soon_as_something_is_appended() {
    let store = MemoryStore::new();
    let mut log = store.create(&key("a")).unwrap();
    assert!(matches!(store.summary(&key("a")), Err(StoreError::NotFound(_))));
    assert!(ids(&store, &ListQuery::default()).is_empty());
    append(&mut log, &events(5, vec![opened("/a"), say("hello")]));
    let mut commit = log.commit();
    let committed = commit.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(committed, Poll::Ready(Ok(()))));
    assert_eq!((log.backlog(), store.summary(&key("a")).unwrap().sequence), (0, 2));
    assert_eq!(ids(&store.clone(), &ListQuery::default()), ["a"]);
}

#[test]
fn a_session_without_events_is_not_stored() {
    let store = MemoryStore::new();
    drop(store.create(&key("a")).unwrap());
    assert!(matches!(store.open(&key("a")), Err(StoreError::NotFound(_))));
    assert!(store.create(&key("a")).is_ok());
}

#[test]
fn a_session_has_one_writer_at_a_time() {
    let store = MemoryStore::new();
    let mut log = store.create(&key("a")).unwrap();
    append(&mut log, &events(0, vec![say("x")]));
    assert!(matches!(store.open(&key("a")), Err(StoreError::InUse(_))));
    assert!(matches!(store.create(&key("a")), Err(StoreError::AlreadyExists(_))));
    assert!(matches!(store.delete(&key("a")), Err(StoreError::InUse(_))));
    assert!(store.append(&key("a"), Timestamp(0), say("y")).is_err());
    drop(log);
    let again = store.open(&key("a")).unwrap();
    assert!(store.open(&key("a")).is_err());
    drop(again);
    assert!(store.delete(&key("a")).is_ok());
    assert!(matches!(store.read(&key("a"), 0), Err(StoreError::NotFound(_))));
}

/// DEL-03.
#[test]
fn deleting_an_unknown_session_succeeds() {
    assert!(MemoryStore::new().delete(&key("a")).is_ok());
}

#[test]
fn one_event_can_be_appended_to_a_session_without_a_writer() {
    let store = MemoryStore::new();
    stored(&store, "a", 1, vec![opened("/a")]);
    let title = EventBody::StoredTitle { title: "T".into(), by_person: true };
    drop(store.append(&key("a"), Timestamp(9), title).unwrap());
    let summary = store.summary(&key("a")).unwrap();
    assert_eq!(
        (summary.info.title(), summary.sequence, summary.updated_at),
        (Some("T"), 2, Timestamp(9))
    );
    assert!(store.append(&key("b"), Timestamp(9), say("x")).is_err());
}

#[test]
fn sides_and_agents_have_separate_sessions() {
    let store = MemoryStore::new();
    stored(&store, "a", 1, vec![say("agent")]);
    let other = SessionKey { side: Side::Client, ..key("a") };
    append(&mut store.create(&other).unwrap(), &events(2, vec![say("client")]));
    let third = SessionKey { agent: "else".into(), ..key("a") };
    append(&mut store.create(&third).unwrap(), &events(3, vec![say("third")]));
    let count = |query| store.list(&query).unwrap().sessions.len();
    assert_eq!(count(ListQuery::default()), 3);
    assert_eq!(count(ListQuery { side: Some(Side::Client), ..ListQuery::default() }), 1);
    assert_eq!(count(ListQuery { agent: Some("echo".into()), ..ListQuery::default() }), 2);
    assert_eq!(folded(&read(&store, "a")).entries()[0].text(), "agent");
}

/// FORK-02.
#[test]
fn a_fork_has_the_events_up_to_its_position_and_then_its_own() {
    let store = MemoryStore::new();
    let mut log = store.create(&key("a")).unwrap();
    append(&mut log, &events(1, vec![opened("/a"), chunk(MessageAuthor::Agent, Some("m"), "one")]));
    let mut fork = store.fork(&key("a"), None, &key("b")).unwrap();
    let more = |text: &str| Event {
        sequence: 3,
        at: Timestamp(1),
        body: chunk(MessageAuthor::Agent, Some("m"), text),
    };
    log.append(&more(" two"));
    fork.append(&more(" three"));
    assert_eq!(folded(&read(&store, "a")).entries()[0].text(), "one two");
    assert_eq!(folded(&read(&store, "b")).entries()[0].text(), "one three");
    drop(store.fork(&key("a"), Some(1), &key("c")).unwrap());
    assert_eq!(store.summary(&key("c")).unwrap().sequence, 1);
    assert!(matches!(store.fork(&key("x"), None, &key("d")), Err(StoreError::NotFound(_))));
    assert!(matches!(store.fork(&key("a"), None, &key("b")), Err(StoreError::AlreadyExists(_))));
}

#[test]
fn a_text_that_was_read_continues_in_a_new_event() {
    let store = MemoryStore::new();
    let mut log = store.create(&key("a")).unwrap();
    let piece = |sequence| Event { sequence, at: Timestamp(0), body: say(&sequence.to_string()) };
    let texts = |events: Vec<Event>| {
        let texts = events
            .iter()
            .map(|event| (event.sequence, folded(std::slice::from_ref(event)).entries()[0].text()));
        texts.collect::<Vec<_>>()
    };
    append(&mut log, &[piece(1), piece(2)]);
    assert_eq!(texts(store.read(&key("a"), 0).unwrap()), [(2, "12".to_owned())]);
    append(&mut log, &[piece(3), piece(4)]);
    assert_eq!(texts(store.read(&key("a"), 2).unwrap()), [(4, "34".to_owned())]);
    assert_eq!(store.read(&key("a"), 4).unwrap(), []);
    append(&mut log, &[piece(5)]);
    let mut fork = store.fork(&key("a"), None, &key("b")).unwrap();
    drop(log);
    store.delete(&key("a")).unwrap();
    append(&mut fork, &[piece(6)]);
    assert_eq!(texts(store.read(&key("b"), 5).unwrap()), [(6, "6".to_owned())]);
}

/// LIST-03, LIST-04, ARCH-04.
#[test]
fn a_list_contains_matching_sessions_latest_first() {
    let store = MemoryStore::new();
    let titled = |title: &str| EventBody::StoredTitle { title: title.into(), by_person: false };
    let tags = attache_protocol::Meta::new(
        Raw::from_text(r#"{"attache/labels":{"tags":["bug"]}}"#).unwrap(),
    );
    let tagged = EventBody::Info {
        title: Patch::Keep,
        updated_at: Patch::Keep,
        meta: Patch::Set(tags.unwrap()),
    };
    stored(&store, "old", 1, vec![opened("/a"), titled("Äpfel"), tagged]);
    let (usage, second) =
        (EventBody::Usage { used: 1, size: None, cost: Patch::Keep }, say("DLE, found"));
    stored(&store, "new", 3, vec![opened("/b"), say("some Nee"), usage, second, titled("Pears")]);
    stored(&store, "away", 2, vec![opened("/a"), EventBody::Archived(true)]);
    let thought = chunk(MessageAuthor::Thought, None, "needle");
    stored(&store, "thought", 0, vec![opened("/c"), thought]);
    let list = |query: ListQuery| ids(&store, &query).join(" ");
    let all = ListQuery::default();
    assert_eq!(list(all.clone()), "new old thought");
    assert_eq!(
        list(ListQuery { archived: ArchivedFilter::Include, ..all.clone() }),
        "new away old thought"
    );
    assert_eq!(list(ListQuery { archived: ArchivedFilter::Only, ..all.clone() }), "away");
    assert_eq!(list(ListQuery { cwd: Some("/a".into()), ..all.clone() }), "old");
    assert_eq!(list(ListQuery { title: Some("äPF".into()), ..all.clone() }), "old");
    assert_eq!(list(ListQuery { tag: Some("bug".into()), ..all.clone() }), "old");
    assert_eq!(list(ListQuery { tag: Some("bu".into()), ..all.clone() }), "");
    assert_eq!(list(ListQuery { text: Some("nEEdle".into()), ..all.clone() }), "new");
    assert_eq!(list(ListQuery { text: Some("PEARS".into()), ..all }), "new");
}

/// LIST-05, LIST-08.
#[test]
fn pages_continue_where_they_ended_despite_writes() {
    let store = MemoryStore::new();
    for index in 0..120 {
        stored(&store, &format!("s{index:03}"), 7, vec![opened("/a")]);
    }
    let first = store.list(&ListQuery::default()).unwrap();
    assert_eq!(first.sessions.len(), 50);
    stored(&store, "later", 9, vec![opened("/a")]);
    drop(store.append(&key("s000"), Timestamp(9), say("up")).unwrap());
    store.delete(&key("s069")).unwrap();
    let mut seen: Vec<_> =
        first.sessions.into_iter().map(|listed| listed.key.session_id.to_string()).collect();
    let mut cursor = first.next;
    while let Some(next) = cursor {
        let page = store
            .list(&ListQuery { cursor: Some(next), limit: 7, ..ListQuery::default() })
            .unwrap();
        assert!(page.sessions.len() <= 7);
        seen.extend(page.sessions.into_iter().map(|listed| listed.key.session_id.to_string()));
        cursor = page.next;
    }
    let expected: Vec<_> =
        (1..120).rev().filter(|index| *index != 69).map(|index| format!("s{index:03}")).collect();
    assert_eq!(seen, expected);
    for garbage in ["", "x", "7", "7.", ".7", "7.x", "7.1.1", "99999999999999999999.1"] {
        let query = ListQuery { cursor: Some(garbage.into()), ..ListQuery::default() };
        assert!(matches!(store.list(&query), Err(StoreError::InvalidCursor)), "{garbage}");
    }
}

#[test]
fn a_long_log_is_read_in_pages() {
    let store = MemoryStore::new();
    let text = "x".repeat(100_000);
    stored(&store, "a", 0, (0..20).map(|_| say(&text)).collect());
    let page = store.read(&key("a"), 0).unwrap();
    assert_eq!(page.len(), 3, "a page ends with the event that fills it");
    assert_eq!(folded(&read(&store, "a")).entries()[0].text().len(), 2_000_000);
    assert_eq!(store.read(&key("a"), 20).unwrap(), []);
}

#[test]
fn the_size_of_a_session_does_not_depend_on_streaming() {
    let store = MemoryStore::new();
    let mut log = store.create(&key("a")).unwrap();
    let mut session = attache_session::Session::new("a");
    for sequence in 1..=1_000_000 {
        // A thousand chunks in one millisecond.
        let event = Event { sequence, at: Timestamp(sequence as i64 / 1_000), body: say("x") };
        session.apply(&event);
        log.append(&event);
    }
    assert_eq!(session.entries().len(), 1);
    assert!(session.memory() < 1_100_000, "{}", session.memory());
    let stored = read(&store, "a");
    assert!(stored.len() < 20, "{} events", stored.len());
    let bytes: usize = stored.iter().map(|event| event.encode().len()).sum();
    assert!(bytes < 1_100_000, "{bytes}");
    assert_eq!(folded(&stored).entries()[0].text().len(), 1_000_000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Two sessions are written alternately, and a reader follows the first.
    #[test]
    fn sessions_are_independent_and_a_following_reader_sees_every_event_once(
        one in bodies(),
        other in bodies(),
        pauses in prop::collection::vec(0u16..1500, 1..9),
        looks in any::<u64>(),
    ) {
        let store = MemoryStore::new();
        let (one, other) = (log(one, &pauses), log(other, &pauses));
        let mut logs = (store.create(&key("one")).unwrap(), store.create(&key("other")).unwrap());
        let mut followed: Vec<Event> = Vec::new();
        for index in 0..one.len().max(other.len()) {
            one.get(index).into_iter().for_each(|event| logs.0.append(event));
            other.get(index).into_iter().for_each(|event| logs.1.append(event));
            if looks >> (index % 64) & 1 == 1 && !one.is_empty() {
                let after = followed.last().map_or(0, |event| event.sequence);
                followed.extend(store.read(&key("one"), after).unwrap());
            }
        }
        for (id, log) in [("one", &one), ("other", &other)] {
            if !log.is_empty() {
                check_same(&folded(log), &folded(&read(&store, id)))?;
                let (summary, session) = (store.summary(&key(id)).unwrap(), folded(log));
                prop_assert_eq!(summary.updated_at, session.last_activity());
            }
        }
        if let Some(last) = followed.last() {
            followed.extend(store.read(&key("one"), last.sequence).unwrap());
            check_same(&folded(&one), &folded(&followed))?;
        }
    }
}
