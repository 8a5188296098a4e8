//! Rows of entries that are not in memory and are read in pages.

use crate::sequences::bodies_of_both_versions;
use attache_protocol::method::Side;
use attache_protocol::v1::{ContentBlock, SessionUpdate};
use attache_session::{
    EntryIndex, Event, EventBody, Log, MemoryStore, MessageAuthor, Session, SessionKey, Store,
    Timestamp,
};
use attache_view::{RowContent, SessionView};
use proptest::prelude::*;

fn key() -> SessionKey {
    SessionKey { side: Side::Client, agent: "a".to_owned(), session_id: "s".into() }
}

/// A log, the session of all its events, and one that lost its old entries.
struct Shortened {
    store: MemoryStore,
    log: Option<Box<dyn Log>>,
    index: EntryIndex,
    whole: Session,
    session: Session,
    view: SessionView,
}

impl Shortened {
    /// Restores the session of these events from a checkpoint with `tail` bytes of entries.
    fn new(bodies: Vec<EventBody>, tail: usize) -> Self {
        let store = MemoryStore::new();
        let log = Some(store.create(&key()).unwrap());
        let whole = Session::new("s");
        let session = whole.clone();
        let view = SessionView::new("/p");
        let mut it = Self { store, log, index: EntryIndex::new("s"), whole, session, view };
        bodies.into_iter().for_each(|body| it.apply(body));
        it.session = Session::restore("s", &it.whole.checkpoint_with(tail).unwrap()).unwrap();
        it.update();
        it
    }

    fn apply(&mut self, body: EventBody) {
        let event: Event = self.whole.next(Timestamp(self.whole.sequence() as i64), body);
        self.log.as_mut().unwrap().append(&event);
        self.whole.apply(&event);
        self.session.apply(&event);
    }

    fn update(&mut self) {
        while self.view.update(&self.session).more {}
    }

    /// Reads the last part that is not read, with at most `limit` entries. Returns whether there
    /// was one.
    fn read(&mut self, limit: usize) -> bool {
        let Some(part) = self.view.unread().next_back().cloned() else { return false };
        self.index.update(&self.store, &key()).unwrap();
        let page = self.index.page(&self.store, &key(), part.before, limit).unwrap();
        assert!(self.view.show_page(part.before, &page, &self.session));
        self.view.forget_pages(part.rows.end);
        self.update();
        true
    }

    fn shown(&self) -> Vec<RowContent> {
        contents(&self.view)
    }

    fn expected(&self) -> Vec<RowContent> {
        let mut view = SessionView::new("/p");
        while view.update(&self.whole).more {}
        contents(&view)
    }
}

/// The contents of the rows that have some.
fn contents(view: &SessionView) -> Vec<RowContent> {
    let rows = view.rows().iter().map(|row| row.content.clone());
    rows.filter(|content| !matches!(content, RowContent::Other { line } if line.is_empty()))
        .collect()
}

fn prompt(text: &str) -> EventBody {
    EventBody::Prompt { content: vec![ContentBlock::text(text)] }
}

fn say(text: &str) -> EventBody {
    let content = ContentBlock::text(text);
    EventBody::Message { author: MessageAuthor::Agent, message_id: None, content }
}

fn update(text: &str) -> EventBody {
    EventBody::from_update(attache_protocol::decode::<SessionUpdate>(text).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn all_pages_together_are_the_rows_of_the_whole_session(
        bodies in bodies_of_both_versions(),
        tail in 0..4000_usize,
        limit in 1..6_usize,
    ) {
        let mut it = Shortened::new(bodies, tail);
        while it.read(limit) {}
        prop_assert_eq!(it.shown(), it.expected());
    }

    #[test]
    fn late_updates_of_dropped_entries_are_shown_once(
        messages in proptest::collection::vec((0..4_usize, 0..4_usize), 1..30),
        // In memory, a piece without an id can continue another message than in the log.
        later in proptest::collection::vec((0..4_usize, 1..4_usize), 0..15),
        tail in 0..400_usize,
        limit in 1..6_usize,
        reads in proptest::collection::vec(any::<bool>(), 15),
    ) {
        let words = (0..).map(|number| format!("word{number}."));
        let mut bodies = words.zip(messages).map(|(word, (author, id))| message(author, id, &word));
        let bodies: Vec<EventBody> = bodies.by_ref().collect();
        let mut all = bodies.len();
        let mut it = Shortened::new(bodies, tail);
        for ((author, id), reads) in later.into_iter().zip(reads) {
            it.apply(message(author, id, &format!("word{all}.")));
            all += 1;
            it.update();
            if reads {
                it.read(limit);
            }
        }
        while it.read(limit) {}
        let shown = serde_json::to_string(&it.shown()).unwrap();
        for number in 0..all {
            let times = shown.matches(&format!("word{number}.")).count();
            prop_assert_eq!(times, 1, "word{}: {}", number, shown);
        }
    }
}

/// A piece of a message: of the person, the agent, or a thought, without an id or with one of
/// three. Of tool calls, the text is the title of a new one.
fn message(author: usize, id: usize, text: &str) -> EventBody {
    let authors = [MessageAuthor::User, MessageAuthor::Agent, MessageAuthor::Thought];
    let Some(author) = authors.get(author).copied() else {
        let id = text.trim_start_matches("word");
        return update(&format!(
            r#"{{"sessionUpdate":"tool_call","toolCallId":"{id}","title":"{text}","status":"completed"}}"#
        ));
    };
    let message_id = (id > 0).then(|| format!("m{id}").as_str().into());
    EventBody::Message { author, message_id, content: ContentBlock::text(text) }
}

/// Prompts and answers, and a tool call at the start.
fn long() -> Vec<EventBody> {
    let call = r#"{"sessionUpdate":"tool_call","toolCallId":"old","title":"make all","kind":"execute","status":"completed"}"#;
    let turns = (0..40).flat_map(|turn| [prompt(&format!("prompt {turn}")), say("answer")]);
    std::iter::once(update(call)).chain(turns).collect()
}

#[test]
fn a_late_update_of_a_dropped_call_is_shown_once() {
    let late =
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"old","title":"make all again"}"#;
    let titles = |it: &Shortened| -> Vec<String> {
        let calls = it.shown().into_iter().filter_map(|content| match content {
            RowContent::ToolCall(call) => Some(call.title.text()),
            _ => None,
        });
        calls.collect()
    };
    let mut it = Shortened::new(long(), 500);
    it.apply(update(late));
    it.update();
    assert_eq!(titles(&it), ["make all again"], "only the update is known");
    while it.read(10) {}
    assert_eq!(titles(&it), ["make all again"]);
    it.apply(update(&late.replace("again", "once more")));
    it.update();
    assert_eq!(it.view.unread().count(), 1, "its page must be read again");
    while it.read(10) {}
    assert_eq!(titles(&it), ["make all once more"]);
    assert_eq!(it.shown(), it.expected());
}

#[test]
fn pages_far_away_are_forgotten_and_read_again() {
    let mut bodies = long();
    (0..10).for_each(|_| bodies.extend(long()));
    let mut it = Shortened::new(bodies, 500);
    let all = it.expected().len();
    // One entry a page, so that not all pages are kept.
    for _ in 0..40 {
        assert!(it.read(1));
    }
    let shown = it.shown().len();
    assert!(shown < 60, "{shown} of {all} rows");
    assert!(it.read(1), "the first page is read again");
    let rest = it.view.unread().next().cloned().unwrap();
    assert_eq!(rest.rows.start, 0);
}

#[test]
fn a_page_of_another_history_is_refused() {
    let mut it = Shortened::new(long(), 500);
    let part = it.view.unread().next().cloned().unwrap();
    it.index.update(&it.store, &key()).unwrap();
    let page = it.index.page(&it.store, &key(), part.before, 5).unwrap();
    it.apply(EventBody::Replaced);
    it.apply(prompt("another history"));
    assert!(!it.view.show_page(part.before, &page, &it.session));
    it.update();
    assert_eq!(it.shown(), it.expected());
    assert_eq!(it.view.unread().count(), 0);
}
