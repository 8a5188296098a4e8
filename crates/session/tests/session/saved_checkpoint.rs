//! A checkpoint that an earlier build wrote. Every later build must read it, or change the version
//! of checkpoints: a text of the same version that is read wrongly would change a session.

use crate::outline;
use attache_session::{Event, Session, TurnOutcome, TurnState};

/// The events of the session, one line each.
const LOG: &str = include_str!("saved/log.jsonl");

/// The checkpoint after these events.
const CHECKPOINT: &str = include_str!("saved/checkpoint.json");

fn written() -> Session {
    let mut session = Session::new("s");
    for line in LOG.lines() {
        session.apply(&Event::decode(line).unwrap());
    }
    session
}

#[test]
fn a_saved_checkpoint_is_read() {
    let restored = Session::restore("s", CHECKPOINT.trim_end()).unwrap();
    let whole = written();
    assert_eq!(restored.sequence(), whole.sequence());
    assert_eq!(
        outline(&restored),
        [
            "User: hello",
            "Thought: hmm",
            "tool open: Read in_progress",
            "tool done: Edit completed",
            "plan ",
            "subagent child",
            "compaction in_progress: so far",
            "notice careful",
            "between m1",
            "User: again",
            "Agent: half an answer",
        ]
    );
    assert!(restored.entries().iter().eq(whole.entries()));
    assert_eq!((restored.cwd(), restored.additional_directories()), ("/w", &["/x".to_owned()][..]));
    assert_eq!((restored.info(), restored.config()), (whole.info(), whole.config()));
    assert_eq!(restored.info().title(), Some("A title"));
    assert_eq!((restored.usage(), restored.permissions()), (whole.usage(), whole.permissions()));
    assert_eq!(restored.permissions().len(), 2);
    assert_eq!(
        (restored.all_commands(), restored.terminals()),
        (whole.all_commands(), whole.terminals())
    );
    assert_eq!(restored.terminals()[0].text(), "hi");
    assert_eq!(restored.background(), whole.background());
    assert!(matches!(restored.turn(), TurnState::Running { .. }));
    assert!(matches!(restored.last_outcome(), Some(TurnOutcome::Stopped(_))));
}

#[test]
fn this_build_writes_the_saved_checkpoint() {
    assert_eq!(
        written().checkpoint_with(usize::MAX).unwrap(),
        CHECKPOINT.trim_end(),
        "if the text changes, older builds may read it wrongly: change its version"
    );
}
