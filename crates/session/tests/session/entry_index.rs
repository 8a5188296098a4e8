//! Old entries of a session, read from its log in pages.

use crate::laws::folded;
use crate::sequences::bodies_of_both_versions;
use crate::{say, update};
use attache_protocol::method::Side;
use attache_session::{
    Entry, EntryContent, EntryIndex, Event, EventBody, MemoryStore, Session, SessionKey, Store,
    StoreError, Timestamp,
};
use proptest::prelude::*;
use std::sync::Arc;

fn key() -> SessionKey {
    SessionKey { side: Side::Client, agent: "a".to_owned(), session_id: "s".into() }
}

/// A store with a log of these events.
fn stored(bodies: Vec<EventBody>) -> MemoryStore {
    let store = MemoryStore::new();
    let mut log = store.create(&key()).unwrap();
    for (index, body) in bodies.into_iter().enumerate() {
        let sequence = index as u64 + 1;
        log.append(&Event { sequence, at: Timestamp(sequence.cast_signed()), body });
    }
    store
}

fn events(store: &MemoryStore) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let after = events.last().map_or(0, |event| event.sequence);
        let page = store.read(&key(), after).unwrap();
        if page.is_empty() {
            return events;
        }
        events.extend(page);
    }
}

/// All pages before the event `before`, joined.
fn pages(
    index: &EntryIndex,
    store: &MemoryStore,
    mut before: u64,
    limits: &[usize],
) -> Vec<Arc<Entry>> {
    let mut entries: Vec<Arc<Entry>> = Vec::new();
    for limit in limits.iter().cycle() {
        let page = index.page(store, &key(), before, *limit).unwrap();
        assert!(page.entries.len() <= *limit.max(&1));
        let Some(first) = page.entries.first() else {
            assert_eq!(page.first, 0);
            return entries;
        };
        before = first.began_at;
        entries.splice(..0, page.entries);
    }
    entries
}

fn check(store: &MemoryStore, index: &EntryIndex, limits: &[usize]) -> Result<(), TestCaseError> {
    let whole = folded(&events(store));
    let all: Vec<_> = whole.entries().iter().cloned().collect();
    prop_assert_eq!(pages(index, store, u64::MAX, limits), all);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn all_pages_together_are_the_entries_of_the_whole_log(
        mut bodies in bodies_of_both_versions(),
        more in bodies_of_both_versions(),
        replaced in prop::option::weighted(0.2, any::<prop::sample::Index>()),
        limits in prop::collection::vec(1..6_usize, 1..4),
        memory in 0..4000_usize,
    ) {
        bodies.push(say("x"));
        if let Some(replaced) = replaced {
            bodies.insert(replaced.index(bodies.len()), EventBody::Replaced);
        }
        let store = stored(bodies);
        let mut index = EntryIndex::with_memory("s", memory);
        index.update(&store, &key()).unwrap();
        check(&store, &index, &limits)?;

        let mut last = store.summary(&key()).unwrap().sequence;
        let mut log = store.open(&key()).unwrap();
        for body in more {
            last += 1;
            log.append(&Event { sequence: last, at: Timestamp(last.cast_signed()), body });
        }
        index.update(&store, &key()).unwrap();
        check(&store, &index, &limits)?;
    }

    #[test]
    fn a_restored_session_and_the_pages_before_it_have_every_entry(
        bodies in bodies_of_both_versions(),
        tail in 0..4000_usize,
    ) {
        let mut all = vec![say("x")];
        all.extend(bodies);
        let store = stored(all);
        let whole = folded(&events(&store));
        let text = whole.checkpoint_with(tail).unwrap();
        let restored = Session::restore("s", &text).unwrap();
        let mut index = EntryIndex::new("s");
        index.update(&store, &key()).unwrap();
        let mut entries = pages(&index, &store, restored.in_memory_since(), &[3]);
        prop_assert_eq!(entries.len(), restored.truncated_before());
        entries.extend(restored.entries().iter().skip(restored.truncated_before()).cloned());
        prop_assert!(entries.iter().eq(whole.entries()));
    }
}

#[test]
fn an_entry_that_changes_to_the_end_is_read_without_the_log_between() {
    let plan = |done: usize| {
        let status = if done.is_multiple_of(2) { "pending" } else { "completed" };
        update(&format!(
            r#"{{"sessionUpdate":"plan","entries":[{{"content":"{done}","priority":"low","status":"{status}"}}]}}"#
        ))
    };
    let mut bodies = vec![plan(0)];
    for turn in 1..200 {
        bodies.push(EventBody::Prompt { content: vec![format!("prompt {turn}").as_str().into()] });
        bodies.extend((0..100).map(|_| EventBody::Usage {
            used: 1,
            size: None,
            cost: attache_protocol::Patch::Keep,
        }));
        bodies.push(plan(turn));
    }
    let store = stored(bodies);
    let mut index = EntryIndex::with_memory("s", 1000);
    index.update(&store, &key()).unwrap();
    let page = index.page(&store, &key(), u64::MAX, 1000).unwrap();
    assert_eq!((page.first, page.entries.len()), (0, 200));
    assert_eq!(page.entries[0], folded(&events(&store)).entries()[0]);
}

#[test]
fn a_page_is_bounded_by_its_size_and_has_an_entry() {
    let prompt =
        |size: usize| EventBody::Prompt { content: vec!["x".repeat(size).as_str().into()] };
    let store = stored(vec![prompt(10), prompt(600_000), prompt(600_000), prompt(3_000_000)]);
    let mut index = EntryIndex::new("s");
    index.update(&store, &key()).unwrap();
    let page = |before| index.page(&store, &key(), before, 100).unwrap();
    assert_eq!((page(5).first, page(5).entries.len()), (3, 1));
    assert_eq!((page(4).first, page(4).entries.len()), (2, 1));
    assert_eq!((page(3).first, page(3).entries.len()), (0, 2));
    assert_eq!(page(1), attache_session::EntryPage::default());
}

/// An agent can update old tool calls, whose entries the index has dropped.
#[test]
fn late_updates_count_for_the_size_of_a_page() {
    let call = |number: usize, kind: &str, text: &str| {
        update(&format!(
            r#"{{"sessionUpdate":"{kind}","toolCallId":"t{number}","title":"x","content":[{{"type":"content","content":{{"type":"text","text":"{text}"}}}}]}}"#
        ))
    };
    let large = "x".repeat(600_000);
    let mut bodies: Vec<_> = (0..10).map(|number| call(number, "tool_call", "small")).collect();
    bodies.push(say(&large));
    bodies.extend((0..10).map(|number| call(number, "tool_call_update", &large)));
    let store = stored(bodies);
    let mut index = EntryIndex::new("s");
    index.update(&store, &key()).unwrap();
    let page = index.page(&store, &key(), 11, 100).unwrap();
    assert_eq!((page.first, page.entries.len()), (9, 1));
    check(&store, &index, &[100]).unwrap();
}

#[test]
fn a_page_names_the_history_that_it_belongs_to() {
    let store = stored(vec![say("x"), say("y")]);
    let mut index = EntryIndex::new("s");
    index.update(&store, &key()).unwrap();
    assert_eq!(index.page(&store, &key(), 2, 1).unwrap().generation, 0);
    let mut log = store.open(&key()).unwrap();
    log.append(&Event { sequence: 3, at: Timestamp(3), body: EventBody::Replaced });
    index.update(&store, &key()).unwrap();
    let page = index.page(&store, &key(), 2, 1).unwrap();
    assert_eq!((page.generation, page.entries.len()), (3, 0));
}

#[test]
fn a_log_that_is_gone_is_an_error() {
    let store = stored(vec![say("x")]);
    let mut index = EntryIndex::new("s");
    index.update(&store, &key()).unwrap();
    store.delete(&key()).unwrap();
    let page = index.page(&store, &key(), u64::MAX, 10);
    assert!(matches!(page, Err(StoreError::NotFound(_))));
    let short = stored(vec![EventBody::TurnBegan]);
    let page = index.page(&short, &key(), u64::MAX, 10).unwrap();
    assert_eq!(page.entries[0].content, EntryContent::Dropped, "another log of the same session");
}
