//! The updates of `session/resume` with a replay, in version 2.

use crate::fold;
use crate::laws::{check_same, folded, log};
use crate::sequences::bodies_of_both_versions;
use attache_protocol::v2::{SessionUpdate, ToolCallUpdate};
use attache_protocol::{Patch, decode, encode};
use attache_session::{Entry, EntryContent, Event, EventBody, ReplayV2, Session};
use proptest::prelude::*;

/// All updates for a log, and the session of the replay.
fn replayed(log: &[Event]) -> (Vec<SessionUpdate>, Session) {
    let mut replay = ReplayV2::new("s");
    let mut updates = Vec::new();
    log.iter().for_each(|event| replay.apply(event, &mut updates));
    let session = replay.end(&mut updates);
    (updates, session)
}

/// The session that a client of version 2 folds.
pub(crate) fn seen(updates: &[SessionUpdate]) -> Session {
    let lines = updates.iter().map(encode);
    fold(lines.map(|line| EventBody::from_v2_update(decode(&line).unwrap())))
}

/// Returns what a client of version 2 sees of an entry, as text.
pub(crate) fn shown(entry: &Entry) -> Option<String> {
    Some(match &entry.content {
        EntryContent::Notice(_) => return None,
        EntryContent::Message { author, blocks, .. } => format!("{author:?} {blocks:?}"),
        // Metadata of version 1 replaces all keys, which version 2 cannot express.
        EntryContent::ToolCall(call) => {
            encode(&ToolCallUpdate { meta: Patch::Keep, ..call.to_v2() })
        }
        EntryContent::Plan { id, content } => {
            let id = id.as_ref().map_or("plan", |id| id.as_str());
            format!("plan {id} {content:?}")
        }
        other => format!("{other:?}"),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn folding_a_replay_gives_the_session(bodies in bodies_of_both_versions()) {
        let log = log(bodies, &[]);
        let (updates, original) = replayed(&log);
        check_same(&original, &folded(&log))?;
        let seen = seen(&updates);
        let expected: Vec<_> = original.entries().iter().filter_map(|entry| shown(entry)).collect();
        let got: Vec<_> = seen.entries().iter().filter_map(|entry| shown(entry)).collect();
        prop_assert_eq!(got, expected);
        prop_assert_eq!(original.terminals(), seen.terminals());
        prop_assert_eq!(original.config().options(), seen.config().options());
        prop_assert_eq!(original.commands(), seen.commands());
        prop_assert_eq!(original.info().title(), seen.info().title());
        prop_assert_eq!(original.info().updated_at(), seen.info().updated_at());
        prop_assert_eq!(original.info().meta(), seen.info().meta());
    }
}
