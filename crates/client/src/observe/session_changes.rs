//! The changes of a session since a position.

use super::change::{Change, OpenPermission, TurnChange, UsageChange};
use super::watch_position::WatchPosition;
use attache_protocol::Patch;
use attache_protocol::v1::CompactionUpdate;
use attache_session::{
    Block, Compaction, Entry, EntryChange, EntryContent, MessageAuthor, Parts, Position, Session,
    TurnOutcome, TurnState, UsageState,
};
use std::sync::Arc;

/// Returns the changes of `session` since `position`, and moves the position to the end. Entries
/// come first, in the order of the transcript.
pub(crate) fn session_changes(session: &Session, position: &mut WatchPosition) -> Vec<Change> {
    // The query uses only the sequence number: `position` itself records how much of each message
    // was seen.
    let changed = session.changes_since(&Position::after(position.sequence));
    position.sequence = session.sequence();
    let mut changes = Vec::new();
    for change in changed.entries {
        match change {
            EntryChange::Began { entry, content } | EntryChange::Replaced { entry, content } => {
                push_entry(entry, &content, position, &mut changes);
            }
            // Only a position that records the length of a text leads here.
            EntryChange::TextGrew { author, new_text, .. } => changes.push(text(author, new_text)),
        }
    }
    push_parts(session, changed.parts, &mut changes);
    changes
}

fn push_entry(
    index: usize,
    entry: &Arc<Entry>,
    position: &mut WatchPosition,
    changes: &mut Vec<Change>,
) {
    let other = |name: &str| Change::Other { entry: index, name: name.to_owned(), raw: None };
    changes.push(match &entry.content {
        EntryContent::Message { author, blocks, .. } => {
            return push_message(index, *author, blocks, position, changes);
        }
        EntryContent::ToolCall(call) => Change::ToolCall(call.clone()),
        EntryContent::Plan { id, content } => {
            Change::Plan { id: id.clone(), content: content.clone() }
        }
        EntryContent::Notice(notice) => Change::Notice(notice.clone()),
        EntryContent::Compaction(compaction) => {
            Change::Compaction(Box::new(compaction_update(compaction)))
        }
        EntryContent::Subagent(_) => other("subagent"),
        EntryContent::BetweenSessions(_) => other("session_message"),
        EntryContent::Unknown { name, raw } => {
            Change::Other { entry: index, name: name.clone(), raw: Some(raw.clone()) }
        }
        EntryContent::Dropped => return,
        _ => other("entry"),
    });
}

/// Adds the unseen part of a message.
fn push_message(
    index: usize,
    author: MessageAuthor,
    blocks: &[Block],
    position: &mut WatchPosition,
    changes: &mut Vec<Change>,
) {
    let seen = position.seen(index);
    if seen.is_none() {
        changes.push(Change::Began(author));
    }
    let (seen_bytes, seen_others) =
        seen.map_or((0, 0), |extent| (extent.text_bytes, extent.other_blocks));
    let (mut bytes, mut others) = (0, 0);
    for block in blocks {
        match block {
            Block::Text(content) => {
                let new = content.suffix(seen_bytes.saturating_sub(bytes));
                bytes += content.len();
                if !new.is_empty() {
                    changes.push(text(author, new));
                }
            }
            Block::Other(block) => {
                others += 1;
                if others > seen_others {
                    changes.push(Change::Content { author, block: block.clone() });
                }
            }
        }
    }
    position.see(index, bytes, others);
}

fn text(author: MessageAuthor, new: String) -> Change {
    match author {
        MessageAuthor::Agent => Change::Text(new),
        MessageAuthor::Thought => Change::Thought(new),
        MessageAuthor::User => Change::UserText(new),
    }
}

fn push_parts(session: &Session, parts: Parts, changes: &mut Vec<Change>) {
    if parts.contains(Parts::COMMANDS) {
        changes.push(Change::Commands(session.commands().to_vec()));
    }
    if parts.contains(Parts::CONFIG) {
        changes.push(Change::Config(session.config().visible().cloned().collect()));
    }
    if parts.contains(Parts::INFO) {
        changes.push(Change::Info {
            title: session.info().title().map(str::to_owned),
            updated_at: session.info().updated_at().map(str::to_owned),
            archived: session.is_archived(),
        });
    }
    if parts.contains(Parts::USAGE) {
        changes.push(Change::Usage(usage(session.usage())));
    }
    if parts.contains(Parts::PERMISSION) {
        changes.push(Change::Permissions(open_permissions(session)));
    }
    if parts.contains(Parts::ROOTS) {
        changes.push(Change::Folders {
            cwd: session.cwd().to_owned(),
            additional_directories: session.additional_directories().to_vec(),
        });
    }
    if parts.contains(Parts::TURN) {
        changes.push(Change::Turn(turn(session)));
    }
}

fn usage(usage: &UsageState) -> UsageChange {
    UsageChange {
        used: usage.used(),
        size: usage.size(),
        costs: usage.costs().to_vec(),
        last_turn: usage.last_turn().cloned(),
        total_tokens: usage.total().total,
    }
}

fn open_permissions(session: &Session) -> Vec<OpenPermission> {
    let open = session.open_permissions().map(|permission| OpenPermission {
        id: permission.id.0,
        tool_call: permission.question.call_to_show(permission.id),
        options: permission.question.options.clone(),
        asked_at: permission.asked_at,
    });
    open.collect()
}

fn turn(session: &Session) -> TurnChange {
    match (session.turn(), session.last_outcome()) {
        (TurnState::Running { since }, _) => TurnChange::Running { since },
        (TurnState::Idle, None) => TurnChange::Idle,
        (TurnState::Idle, Some(TurnOutcome::Stopped(reason))) => {
            TurnChange::Stopped(reason.clone())
        }
        (TurnState::Idle, Some(TurnOutcome::Failed(error))) => TurnChange::Failed(error.clone()),
    }
}

fn compaction_update(compaction: &Compaction) -> CompactionUpdate {
    let mut update = CompactionUpdate::new(compaction.id.clone(), compaction.status.clone());
    update.summary = Patch::Set(compaction.summary.iter().map(Block::to_content).collect());
    update.error = compaction.error.clone().map_or(Patch::Clear, Patch::Set);
    update.meta = compaction.meta.clone().map_or(Patch::Clear, Patch::Set);
    update
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::v1::{
        ContentBlock, Cost, Notice, NoticeSeverity, ResourceLink, StopReason,
    };
    use attache_session::{
        EventBody, Origin, PermissionId, PermissionQuestion, PlanContent, Timestamp, ToolCall,
        ToolCallPatch,
    };

    fn say(session: &mut Session, content: impl Into<ContentBlock>) {
        let body = EventBody::Message {
            author: MessageAuthor::Agent,
            message_id: None,
            content: content.into(),
        };
        session.apply(&session.next(Timestamp(0), body));
    }

    #[test]
    fn each_part_of_a_message_is_delivered_once() {
        let mut session = Session::new("s");
        let mut position = WatchPosition::default();
        let mut received = String::new();
        let link = || ContentBlock::ResourceLink(ResourceLink::new("file:///a", "a"));
        let mut listen = |session: &Session| {
            // A front end may keep its position as JSON between two requests.
            let stored = serde_json::to_string(&position).unwrap();
            position = serde_json::from_str(&stored).unwrap();
            for change in session_changes(session, &mut position) {
                let sent = serde_json::to_string(&change).unwrap();
                assert_eq!(serde_json::from_str::<Change>(&sent).unwrap(), change);
                match change {
                    Change::Text(new) => received.push_str(&new),
                    Change::Content { .. } => received.push('@'),
                    Change::Began(_) => received.push('|'),
                    other => panic!("{other:?}"),
                }
            }
        };
        say(&mut session, "a");
        say(&mut session, "b");
        listen(&session);
        say(&mut session, "c");
        listen(&session);
        say(&mut session, link());
        say(&mut session, "d");
        listen(&session);
        say(&mut session, "e");
        say(&mut session, link());
        listen(&session);
        listen(&session);
        assert_eq!(received, "|abc@de@");
    }

    #[test]
    fn a_position_at_the_end_of_a_session_delivers_only_suffixes() {
        let mut session = Session::new("s");
        say(&mut session, "ab");
        let mut position = WatchPosition::end_of(&session);
        assert_eq!(session_changes(&session, &mut position), []);
        say(&mut session, "c");
        assert_eq!(session_changes(&session, &mut position), [Change::Text("c".to_owned())]);
    }

    #[test]
    fn every_change_survives_serialization() {
        let mut session = Session::new("s");
        let bodies = [
            EventBody::Opened {
                cwd: "/a".to_owned(),
                additional_directories: vec!["/b".to_owned()],
                origin: Origin::New,
                agent: None,
            },
            EventBody::Prompt { content: vec!["go".into()] },
            EventBody::TurnBegan,
            EventBody::ToolCall(ToolCall::new("c", "Look")),
            EventBody::permission_asked(
                PermissionId(1),
                PermissionQuestion::new(ToolCallPatch::new("c"), Vec::new()),
            ),
            EventBody::Plan { id: None, content: PlanContent::Markdown("# Plan".to_owned()) },
            EventBody::Notice(Notice::new(NoticeSeverity::Info, "hello")),
            EventBody::Commands(Vec::new()),
            EventBody::StoredTitle { title: "Tidy up".to_owned(), by_person: false },
            EventBody::Usage { used: 1, size: Some(2), cost: Patch::Set(Cost::new(0.5, "USD")) },
            EventBody::TurnEnded {
                outcome: TurnOutcome::Stopped(StopReason::EndTurn),
                usage: None,
            },
        ];
        for body in bodies {
            session.apply(&session.next(Timestamp(7), body));
        }
        let changes = session_changes(&session, &mut WatchPosition::default());
        assert!(changes.len() >= 10, "{changes:?}");
        let sent = serde_json::to_string(&changes).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Change>>(&sent).unwrap(), changes);
    }
}
