//! The contract of stores: the same tests for the store in memory and the one in a file.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

#[path = "logs/logs.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod logs;

use attache_protocol::method::Side;
use attache_protocol::v1::SessionId;
use attache_session::{
    ArchivedFilter, Event, EventBody, ListPage, ListQuery, MemoryStore, MessageAuthor, Origin,
    READ_PAGE, Session, SessionKey, Store, StoreError, Summary, Timestamp,
};
use attache_store::Sqlite;
use logs::{
    all, commit, event, key, message, meta, opened, prompt, record, said, stored, text, title, wait,
};

/// The name of a test, and the test.
type Clause = (&'static str, fn(&dyn Store));

const CONTRACT: &[Clause] = &[
    ("appended events are read back", appended_events_are_read_back),
    ("keys differ in each of their parts", keys_differ_in_each_of_their_parts),
    ("a session has only one writer", one_writer_for_a_session),
    ("a dropped log stores the rest", a_dropped_log_stores_the_rest),
    ("a number that is not greater is not stored", a_number_that_is_not_greater_is_not_stored),
    ("pages join to the whole log", pages_join_to_the_whole_log),
    ("the summary is that of the folded events", the_summary_is_the_fold),
    ("append stores one event", append_stores_one_event),
    ("a fork is the beginning of its origin", a_fork_is_the_beginning_of_the_other),
    ("a deleted session is gone and its key is free", a_deleted_session_is_gone_and_its_key_free),
    ("lists select sessions", lists_select),
    ("a list can leave out empty sessions", a_list_can_leave_out_empty_sessions),
    ("a search finds messages", a_search_finds_messages),
    ("wildcards and quotes are plain characters", wildcards_and_quotes_are_letters),
    ("pages of a list are stable under writes", pages_of_a_list_are_stable_under_writes),
    ("a cursor is valid only for its list", a_cursor_is_valid_only_for_its_list),
];

#[test]
fn the_store_in_memory_keeps_the_contract() {
    for (name, test) in CONTRACT {
        println!("{name}");
        test(&MemoryStore::new());
    }
}

#[test]
fn the_store_in_a_file_keeps_the_contract() {
    for (name, test) in CONTRACT {
        println!("{name}");
        let folder = tempfile::tempdir().unwrap();
        test(&Sqlite::open(folder.path().join("sessions.db")).unwrap());
    }
}

fn appended_events_are_read_back(store: &dyn Store) {
    let raw = attache_protocol::Raw::from_text(r#"{"from":["later",1.50]}"#).unwrap();
    let newer = EventBody::Newer { name: "fromLater".to_owned(), value: raw };
    let bodies = vec![
        opened("/work"),
        prompt("a\"b\\c\n\u{1F600}"),
        newer,
        record("{\"x\":1.10}"),
        message("end"),
    ];
    let events: Vec<Event> =
        (1..).zip(bodies.clone()).map(|(number, body)| event(number, body)).collect();
    let _log = stored(store, &key("s"), bodies);
    assert_eq!(all(store, &key("s")), events);
    assert_eq!(store.read(&key("s"), 5).unwrap(), []);
    assert_eq!(store.read(&key("s"), u64::MAX).unwrap(), []);
    assert_eq!(store.read(&key("s"), 3).unwrap(), events[3..]);
}

fn keys_differ_in_each_of_their_parts(store: &dyn Store) {
    let keys = [
        key("s"),
        key("S"),
        key(""),
        SessionKey { side: Side::Client, ..key("s") },
        SessionKey { agent: "Echo".to_owned(), ..key("s") },
    ];
    let _logs = keys.clone().map(|key| stored(store, &key, vec![prompt(&format!("{key:?}"))]));
    for key in &keys {
        assert_eq!(all(store, key)[0].body, prompt(&format!("{key:?}")));
    }
    assert_eq!(list(store, ListQuery::default()).sessions.len(), keys.len());
}

fn one_writer_for_a_session(store: &dyn Store) {
    assert!(
        matches!(store.open(&key("s")), Err(StoreError::NotFound(unknown)) if unknown == key("s"))
    );
    assert!(matches!(store.read(&key("s"), 0), Err(StoreError::NotFound(_))));
    assert!(matches!(store.summary(&key("s")), Err(StoreError::NotFound(_))));
    let log = stored(store, &key("s"), vec![opened("/")]);
    assert!(matches!(store.create(&key("s")), Err(StoreError::AlreadyExists(_))));
    assert!(matches!(store.open(&key("s")), Err(StoreError::InUse(_))));
    assert!(matches!(store.delete(&key("s")), Err(StoreError::InUse(_))));
    drop(log);
    assert!(matches!(store.create(&key("s")), Err(StoreError::AlreadyExists(_))));
    let _log = store.open(&key("s")).unwrap();
    assert!(matches!(store.open(&key("s")), Err(StoreError::InUse(_))));
}

fn a_dropped_log_stores_the_rest(store: &dyn Store) {
    let mut log = stored(store, &key("s"), vec![opened("/")]);
    log.append(&event(2, message("left")));
    drop(log);
    let mut log = store.open(&key("s")).unwrap();
    assert_eq!(said(&all(store, &key("s"))), "left");
    log.append(&event(3, message(" and more")));
    commit(&*log).unwrap();
    assert_eq!(said(&all(store, &key("s"))), "left and more");
    assert_eq!(log.backlog(), 0);
}

fn a_number_that_is_not_greater_is_not_stored(store: &dyn Store) {
    let mut log = stored(store, &key("s"), vec![opened("/"), prompt("two")]);
    log.append(&event(2, prompt("again")));
    log.append(&event(1, prompt("again")));
    log.append(&event(9, prompt("nine")));
    commit(&*log).unwrap();
    let numbers: Vec<u64> = all(store, &key("s")).iter().map(|event| event.sequence).collect();
    assert_eq!(numbers, [1, 2, 9]);
}

fn pages_join_to_the_whole_log(store: &dyn Store) {
    let mut log = store.create(&key("s")).unwrap();
    let mut said_whole = String::new();
    let mut whole = Session::new("s");
    for number in 1..=600 {
        let piece = format!("{number} ").repeat(1_000);
        let body = if number % 50 == 0 { record("1") } else { message(&piece) };
        if number % 50 != 0 {
            said_whole += &piece;
        }
        let event = event(number, body);
        whole.apply(&event);
        log.append(&event);
        if number % 7 == 0 {
            commit(&*log).unwrap();
        }
    }
    commit(&*log).unwrap();
    let first = store.read(&key("s"), 0).unwrap();
    assert!(first.iter().map(|event| event.encode().len()).sum::<usize>() < 2 * READ_PAGE);
    let events = all(store, &key("s"));
    assert_eq!(said(&events), said_whole);
    assert!(events.windows(2).all(|pair| pair[0].sequence < pair[1].sequence));
    assert_eq!(events.last().unwrap().sequence, 600);
    let mut folded = Session::new("s");
    events.iter().for_each(|event| {
        folded.apply(event);
    });
    assert_eq!(folded.entries().len(), whole.entries().len());
}

fn the_summary_is_the_fold(store: &dyn Store) {
    let bodies = vec![
        opened("/work"),
        prompt("one"),
        meta(r#"{"attache/labels":{"tags":["bug","ui"]},"x":{"y":1}}"#),
        title("  A \u{202E} title "),
        meta(r#"{"x":{"z":[2]}}"#),
        EventBody::Archived(true),
        prompt("two"),
    ];
    let mut folded = Summary::default();
    (1..).zip(&bodies).for_each(|(number, body)| folded.apply(&event(number, body.clone())));
    let log = stored(store, &key("s"), bodies);
    assert_eq!(store.summary(&key("s")).unwrap(), folded);
    drop(log);
    // A log that is opened again continues from its stored summary.
    let mut log = store.open(&key("s")).unwrap();
    let cleared = EventBody::StoredTitle { title: String::new(), by_person: true };
    for (number, body) in [(8, EventBody::Archived(false)), (9, cleared), (10, prompt("three"))] {
        folded.apply(&event(number, body.clone()));
        log.append(&event(number, body));
    }
    assert_eq!(store.summary(&key("s")).unwrap(), folded, "before the commit");
    commit(&*log).unwrap();
    assert_eq!(store.summary(&key("s")).unwrap(), folded);
    assert_eq!((folded.prompts, folded.archived, folded.info.title()), (3, false, None));
}

fn append_stores_one_event(store: &dyn Store) {
    let log = stored(store, &key("s"), vec![opened("/"), prompt("x")]);
    assert!(matches!(store.append(&key("s"), Timestamp(9), title("T")), Err(StoreError::InUse(_))));
    drop(log);
    wait(store.append(&key("s"), Timestamp(5_000), title("T")).unwrap()).unwrap();
    let summary = store.summary(&key("s")).unwrap();
    assert_eq!((summary.sequence, summary.info.title()), (3, Some("T")));
    assert_eq!(summary.updated_at, Timestamp(5_000));
    assert!(matches!(
        store.append(&key("t"), Timestamp(9), title("T")),
        Err(StoreError::NotFound(_))
    ));
}

/// FORK-02.
fn a_fork_is_the_beginning_of_the_other(store: &dyn Store) {
    let bodies =
        vec![opened("/"), title("T"), prompt("one"), record("1"), prompt("two"), prompt("three")];
    let mut from = stored(store, &key("from"), bodies);
    assert!(matches!(store.fork(&key("none"), None, &key("to")), Err(StoreError::NotFound(_))));
    assert!(matches!(
        store.fork(&key("from"), None, &key("from")),
        Err(StoreError::AlreadyExists(_))
    ));
    let whole = store.fork(&key("from"), None, &key("whole")).unwrap();
    commit(&*whole).unwrap();
    assert_eq!(all(store, &key("whole")), all(store, &key("from")));
    assert_eq!(store.summary(&key("whole")).unwrap(), store.summary(&key("from")).unwrap());

    let mut part = store.fork(&key("from"), Some(4), &key("part")).unwrap();
    let forked = EventBody::Opened {
        cwd: "/part".to_owned(),
        additional_directories: Vec::new(),
        origin: Origin::Forked(SessionId::from("from")),
        agent: None,
    };
    part.append(&event(5, forked));
    part.append(&event(6, prompt("other")));
    from.append(&event(7, prompt("later")));
    commit(&*part).unwrap();
    commit(&*from).unwrap();
    assert_eq!(all(store, &key("part"))[..4], all(store, &key("from"))[..4]);
    assert_eq!(all(store, &key("part")).len(), 6);
    let summary = store.summary(&key("part")).unwrap();
    assert_eq!((summary.sequence, summary.prompts, summary.cwd.as_str()), (6, 2, "/part"));
    assert_eq!(summary.info.title(), Some("T"));
    assert!(matches!(store.open(&key("part")), Err(StoreError::InUse(_))));

    let nothing = store.fork(&key("from"), Some(0), &key("nothing")).unwrap();
    commit(&*nothing).unwrap();
    assert!(matches!(store.summary(&key("nothing")), Err(StoreError::NotFound(_))));
}

/// DEL-03.
fn a_deleted_session_is_gone_and_its_key_free(store: &dyn Store) {
    store.delete(&key("s")).unwrap();
    let bodies =
        vec![opened("/"), title("T"), meta(r#"{"attache/labels":{"tags":["bug"]}}"#), prompt("x")];
    drop(stored(store, &key("s"), bodies));
    store.delete(&key("s")).unwrap();
    assert!(matches!(store.read(&key("s"), 0), Err(StoreError::NotFound(_))));
    assert_eq!(list(store, ListQuery::default()), ListPage::default());
    let _log = stored(store, &key("s"), vec![opened("/new")]);
    let summary = store.summary(&key("s")).unwrap();
    assert_eq!((summary.sequence, summary.info.title(), summary.cwd.as_str()), (1, None, "/new"));
    let tagged = ListQuery { tag: Some("bug".to_owned()), ..ListQuery::default() };
    assert_eq!(list(store, tagged), ListPage::default());
}

fn list(store: &dyn Store, query: ListQuery) -> ListPage {
    store.list(&query).unwrap()
}

/// The ids of the sessions of a query, in order.
fn ids(store: &dyn Store, query: ListQuery) -> Vec<String> {
    let sessions = list(store, query).sessions;
    sessions.iter().map(|listed| listed.key.session_id.as_str().to_owned()).collect()
}

/// LIST-03, ARCH-04.
fn lists_select(store: &dyn Store) {
    let any = ListQuery::default;
    let mut a = stored(store, &key("a"), vec![opened("/one"), title("Größe ÄNDERN")]);
    let tags = meta(r#"{"attache/labels":{"tags":["bug","big"]}}"#);
    let _b = stored(store, &key("b"), vec![opened("/two"), title("x"), tags, prompt("b")]);
    let archived =
        vec![opened("/one"), prompt("c"), prompt("c"), prompt("c"), EventBody::Archived(true)];
    let _c = stored(store, &key("c"), archived);
    let other =
        SessionKey { side: Side::Client, agent: "other".to_owned(), session_id: "d".into() };
    let _d = stored(
        store,
        &other,
        vec![opened("/one/"), prompt("d"), prompt("d"), prompt("d"), prompt("d"), prompt("d")],
    );

    assert_eq!(ids(store, any()), ["d", "b", "a"]);
    assert_eq!(
        ids(store, ListQuery { archived: ArchivedFilter::Include, ..any() }),
        ["d", "c", "b", "a"]
    );
    assert_eq!(ids(store, ListQuery { archived: ArchivedFilter::Only, ..any() }), ["c"]);
    assert_eq!(ids(store, ListQuery { cwd: Some("/one".to_owned()), ..any() }), ["a"]);
    assert_eq!(ids(store, ListQuery { side: Some(Side::Client), ..any() }), ["d"]);
    assert_eq!(ids(store, ListQuery { agent: Some("echo".to_owned()), ..any() }), ["b", "a"]);
    assert_eq!(ids(store, ListQuery { title: Some("grÖSSE".to_owned()), ..any() }), [""; 0]);
    assert_eq!(ids(store, ListQuery { title: Some("GRÖßE änd".to_owned()), ..any() }), ["a"]);
    assert_eq!(ids(store, ListQuery { tag: Some("big".to_owned()), ..any() }), ["b"]);
    assert_eq!(ids(store, ListQuery { tag: Some("bi".to_owned()), ..any() }), [""; 0]);
    let both = ListQuery { cwd: Some("/two".to_owned()), tag: Some("bug".to_owned()), ..any() };
    assert_eq!(ids(store, both), ["b"]);
    assert_eq!(ids(store, ListQuery { limit: 1, ..any() }), ["d"]);
    // Appended events appear in lists at once.
    a.append(&event(
        90,
        EventBody::Info {
            title: attache_protocol::Patch::Keep,
            updated_at: attache_protocol::Patch::Set("2026-01-01T00:00:00Z".to_owned()),
            meta: attache_protocol::Patch::Keep,
        },
    ));
    assert_eq!(ids(store, any()), ["a", "d", "b"]);
    assert_eq!(
        list(store, any()).sessions[0].summary.info.updated_at(),
        Some("2026-01-01T00:00:00Z")
    );
}

fn a_list_can_leave_out_empty_sessions(store: &dyn Store) {
    let by_agent = EventBody::Info {
        title: attache_protocol::Patch::Set("made up".to_owned()),
        updated_at: attache_protocol::Patch::Keep,
        meta: attache_protocol::Patch::Keep,
    };
    let by_person = EventBody::StoredTitle { title: "mine".to_owned(), by_person: true };
    let tags = meta(r#"{"attache/labels":{"tags":["bug"]}}"#);
    let _logs = [
        ("empty", vec![opened("/")]),
        ("titled by the agent", vec![opened("/"), by_agent]),
        ("titled", vec![opened("/"), by_person]),
        ("tagged", vec![opened("/"), tags]),
        ("replayed", vec![opened("/"), message("said before")]),
        ("prompted", vec![opened("/"), prompt("p")]),
    ]
    .map(|(name, bodies)| stored(store, &key(name), bodies));
    let mut used = ids(store, ListQuery { used: true, ..ListQuery::default() });
    used.sort_unstable();
    assert_eq!(used, ["prompted", "replayed", "tagged", "titled"]);
    assert_eq!(ids(store, ListQuery::default()).len(), 6);
}

fn a_search_finds_messages(store: &dyn Store) {
    let find =
        |text: &str| ids(store, ListQuery { text: Some(text.to_owned()), ..ListQuery::default() });
    let _title = stored(store, &key("title"), vec![opened("/needle"), title("A Needle")]);
    let _prompt = stored(store, &key("prompt"), vec![prompt("x"), prompt("the \"NEEDLE\"\nin it")]);
    let mut pieces =
        stored(store, &key("pieces"), vec![opened("/"), prompt("x"), message("the nee")]);
    pieces.append(&event(4, message("dle")));
    let thought = EventBody::Message {
        author: MessageAuthor::Thought,
        message_id: None,
        content: text("needle"),
    };
    let _thought = stored(store, &key("thought"), vec![opened("/"), thought, record("\"needle\"")]);
    assert_eq!(find("needle"), ["pieces", "prompt", "title"]);
    assert_eq!(find("\"needle\"\nin"), ["prompt"]);
    assert_eq!(find("content"), [""; 0]);
    assert_eq!(find("note"), [""; 0]);
}

fn wildcards_and_quotes_are_letters(store: &dyn Store) {
    let _plain = stored(store, &key("plain"), vec![title("100 percent"), prompt("100 percent")]);
    let _wild =
        stored(store, &key("wild%'\";--"), vec![title("100 %_*'\" --"), prompt("100 %_*'\" --")]);
    for text in ["%", "_", "*", "'", "\"", "%_*'\" --"] {
        let found = |query| assert_eq!(ids(store, query), ["wild%'\";--"], "{text}");
        found(ListQuery { title: Some(text.to_owned()), ..ListQuery::default() });
        found(ListQuery { text: Some(text.to_owned()), ..ListQuery::default() });
    }
    for text in ["' OR 1=1 --", "%%%", "\0"] {
        let nothing = |query| assert_eq!(ids(store, query), [""; 0], "{text}");
        nothing(ListQuery { cwd: Some(text.to_owned()), ..ListQuery::default() });
        nothing(ListQuery { agent: Some(text.to_owned()), ..ListQuery::default() });
        nothing(ListQuery { tag: Some(text.to_owned()), ..ListQuery::default() });
        nothing(ListQuery { title: Some(text.to_owned()), ..ListQuery::default() });
        nothing(ListQuery { text: Some(text.to_owned()), ..ListQuery::default() });
    }
}

/// LIST-05.
fn pages_of_a_list_are_stable_under_writes(store: &dyn Store) {
    // All sessions have the same time, so that only the second part of the cursor distinguishes
    // them.
    let mut logs: Vec<_> = (0..25)
        .map(|number| stored(store, &key(&format!("{number:02}")), vec![opened("/")]))
        .collect();
    let mut query = ListQuery { limit: 7, ..ListQuery::default() };
    let mut seen = Vec::new();
    loop {
        let page = list(store, query.clone());
        seen.extend(page.sessions.iter().map(|listed| listed.key.session_id.as_str().to_owned()));
        let Some(next) = page.next else { break };
        query.cursor = Some(next);
        // One of the listed sessions moves to the front, and a new session is added there.
        let touched: usize = seen.last().unwrap().parse().unwrap();
        logs[touched].append(&event(9, prompt("again")));
        logs.push(stored(store, &key(&format!("new {}", seen.len())), vec![opened("/")]));
    }
    let expected: Vec<String> = (0..25).rev().map(|number| format!("{number:02}")).collect();
    assert_eq!(seen, expected);
}

fn a_cursor_is_valid_only_for_its_list(store: &dyn Store) {
    let _logs = ["a", "b", "c"].map(|id| stored(store, &key(id), vec![opened("/")]));
    let cursor = list(store, ListQuery { limit: 1, ..ListQuery::default() }).next.unwrap();
    let of = |cursor: &str| {
        store.list(&ListQuery { cursor: Some(cursor.to_owned()), ..ListQuery::default() })
    };
    assert_eq!(of(&cursor).unwrap().sessions.len(), 2);
    for garbage in ["", "x", "ünï", "' OR 1=1", &"9".repeat(48), &"é".repeat(24)] {
        assert!(matches!(of(garbage), Err(StoreError::InvalidCursor)), "{garbage}");
    }
}
