//! Folds, joins and replays recorded traffic of real agents.

use crate::laws::{check_same, folded, log};
use crate::replay::{CLIENTS, replayed};
use attache_protocol::v1::SessionNotification;
use attache_protocol::{Map, Raw, decode};
use attache_session::{EventBody, Summary};
use std::path::Path;

/// The updates of a recording whose lines are `{"from": "agent|client", "message": {…}}`, as
/// events.
fn bodies(text: &str) -> Vec<EventBody> {
    let updates = text.lines().filter_map(|line| {
        let line: Map<Raw> = decode(line).unwrap();
        let message: Map<Raw> = decode(line.get("message")?.get()).ok()?;
        let is_update = message.get("method")?.get() == r#""session/update""#;
        let params = message.get("params").filter(|_| is_update)?;
        let notification: SessionNotification = decode(params.get()).ok()?;
        Some(EventBody::from_update(notification.update))
    });
    updates.collect()
}

/// SESS-13.
#[test]
fn recorded_sessions_are_folded_and_replayed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/protocol/captures");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("no recordings next to this checkout: random events replace them");
        return;
    };
    let mut count = 0;
    for file in files {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let log = log(bodies(&std::fs::read_to_string(&path).unwrap()), &[1]);
        count += log.len();
        let session = folded(&log);
        let mut joined = log.clone();
        joined.dedup_by(|next, event| event.join(next));
        check_same(&session, &folded(&joined)).unwrap();
        let mut summary = Summary::default();
        log.iter().for_each(|event| summary.apply(event));
        assert_eq!(summary.info, *session.info());
        for client in CLIENTS {
            let (updates, again) = replayed(&log, client);
            check_same(&session, &again).unwrap();
            assert!(!updates.iter().any(|update| update.tag() == "notice"), "{}", path.display());
        }
    }
    assert!(count > 300, "only {count} updates");
}
