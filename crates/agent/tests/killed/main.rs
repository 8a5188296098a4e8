//! Everything that the agent has confirmed survives `kill -9` (SESS-13, PROMPT-08, CONF-18,
//! TITLE-01): 200 times, while four sessions stream into SQLite.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, in its helper functions too"
)]

mod author;
mod known_session;
mod process;
mod round;
mod script;

use attache_agent::serve;
use attache_protocol::method::Side;
use attache_session::{EventBody, SessionKey, Store, TurnOutcome};
use attache_store::Sqlite;
use known_session::KnownSession;
use process::Process;
use round::Round;
use script::Random;
use serde_json::json;
use std::path::Path;

const ROUNDS: u64 = 200;

/// The number of rounds after which a new session replaces an old one, so that each round takes the
/// same time. The old sessions are checked at the end.
const LIFE: u64 = 6;

/// Not a test of its own: this is the process that is killed.
#[test]
fn agent() {
    let Some(path) = std::env::var_os(process::STORE) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(serve(author::Streamer).store(Sqlite::open(path).unwrap()).stdio()).unwrap();
}

/// SESS-13, SESS-14, PROMPT-08, CONF-18, TITLE-01, TITLE-03, TOOL-09.
#[test]
fn confirmed_events_survive_kill_9() {
    if std::env::var_os(process::STORE).is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    let mut random = Random::new("seed 1");
    let (mut live, mut old): (Vec<KnownSession>, Vec<KnownSession>) = (Vec::new(), Vec::new());
    let mut cut = 0;
    for round in 0..ROUNDS {
        let mut process = Process::start(&path);
        // Sometimes in the middle of a load.
        if random.below(10) == 0 {
            process.dies_after(Some(1 + random.below(200)));
        }
        for slot in 0..4 {
            let replaced = round % LIFE == slot;
            match usize::try_from(slot).ok().filter(|slot| *slot < live.len()) {
                Some(index) if replaced && process.is_alive() => {
                    let Some(new) = KnownSession::begin(&mut process, slot % 2 == 1) else {
                        continue;
                    };
                    old.push(std::mem::replace(&mut live[index], new));
                }
                Some(index) => live[index].load(&mut process),
                None => live.extend(KnownSession::begin(&mut process, slot % 2 == 1)),
            }
        }
        if live.len() == 4 && process.is_alive() {
            process.dies_after(None);
            live.iter_mut().for_each(|session| session.recall(&mut process));
            process.dies_after(Some(1 + random.below(400)));
            Round::new(&mut process, &mut live, &mut random).stream();
        }
        process.kill();
        cut += live.iter().filter(|session| session.is_prompted()).count();
    }
    assert!(cut > 0);
    let mut process = Process::start(&path);
    let sessions: Vec<KnownSession> = live.into_iter().chain(old).collect();
    let sessions: Vec<KnownSession> = sessions
        .into_iter()
        .map(|mut session| {
            session.load(&mut process);
            session.recall(&mut process);
            session
        })
        .collect();
    let listed = listed(&mut process);
    assert!(sessions.iter().all(|session| listed.contains(&session.id)));
    process.end();
    sessions.iter().for_each(|session| logged(&path, session));
    let stored: usize = sessions.iter().map(|session| session.cut).sum();
    let part: usize = sessions.iter().map(|session| session.failed).sum();
    println!(
        "{} sessions; {cut} turns cut, {stored} of them stored, {part} in part",
        sessions.len()
    );
}

/// The ids of all sessions.
fn listed(process: &mut Process) -> Vec<String> {
    let (mut cursor, mut ids) = (json!(null), Vec::new());
    loop {
        let mut page = process.result("session/list", json!({"cursor": cursor})).unwrap();
        let sessions = page["sessions"].as_array().unwrap();
        ids.extend(sessions.iter().map(|info| info["sessionId"].as_str().unwrap().to_owned()));
        cursor = page["nextCursor"].take();
        if cursor.is_null() {
            return ids;
        }
    }
}

/// Checks the log of a session: it is in order, every turn has one end, and cut turns have failed.
fn logged(path: &Path, session: &KnownSession) {
    let store = Sqlite::open(path).unwrap();
    let key = SessionKey {
        side: Side::Agent,
        agent: author::NAME.to_owned(),
        session_id: session.id.as_str().into(),
    };
    let (mut last, mut prompts, mut turns, mut running, mut failed) = (0, 0, 0, false, 0);
    loop {
        let page = store.read(&key, last).unwrap();
        for event in &page {
            assert!(event.sequence > last);
            last = event.sequence;
            match &event.body {
                EventBody::Prompt { .. } => prompts += 1,
                EventBody::TurnBegan => {
                    turns += 1;
                    assert!(!std::mem::replace(&mut running, true));
                }
                EventBody::TurnEnded { outcome, .. } => {
                    assert!(std::mem::replace(&mut running, false));
                    failed += usize::from(matches!(outcome, TurnOutcome::Failed(_)));
                }
                _ => {}
            }
        }
        if page.is_empty() {
            break;
        }
    }
    assert!(!running);
    // The agent may have died after the prompt was stored and before the beginning of its turn, or
    // after the end of the turn and before its reply.
    let cut = failed + prompts - turns;
    assert!(
        (session.failed..=session.cut).contains(&cut),
        "{}: {failed} of {turns} turns failed, {prompts} prompts, cut {}..={}",
        session.id,
        session.failed,
        session.cut
    );
}
