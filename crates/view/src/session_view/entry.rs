//! The rows of entries that are neither messages nor tool calls.

use crate::block::Block;
use crate::content;
use crate::id;
use crate::markdown;
use crate::row::{
    CompactionRow, NoticeLevel, NoticeRow, PlanRow, PlanStep, RowContent, StepState, SubagentRow,
};
use crate::sanitize;
use crate::span::{Line, Role};
use attache_protocol::v1::{
    CompactionStatus, Notice, NoticeSeverity, PlanEntry, PlanEntryPriority, PlanEntryStatus,
    StateUpdate,
};
use attache_session::{
    Block as MessageBlock, Compaction, Entry, EntryContent, MessageBetweenSessions, PlanContent,
    Subagent,
};
use std::sync::Arc;

/// About how much work it takes to make the row of an entry, in bytes of content.
pub(super) fn cost(entry: &Entry) -> usize {
    const FIXED: usize = 512;
    let text = |block: &MessageBlock| match block {
        MessageBlock::Text(text) => text.len() - text.dropped(),
        MessageBlock::Other(_) => FIXED,
    };
    let content = match &entry.content {
        EntryContent::Message { blocks, .. } => blocks.iter().map(text).sum(),
        EntryContent::ToolCall(_) => 8 * FIXED,
        _ => 0,
    };
    FIXED + content
}

/// Returns the line in place of entries that are not in memory and were not read.
pub(super) fn dropped() -> Line {
    Line::of("earlier messages are stored, but not read yet", Role::Muted)
}

/// Returns the content of the row of an entry.
pub(super) fn content(content: &EntryContent) -> RowContent {
    match content {
        EntryContent::Plan { content, .. } => RowContent::Plan(plan(content.as_ref())),
        EntryContent::Compaction(compaction) => {
            RowContent::Compaction(self::compaction(compaction))
        }
        EntryContent::Notice(notice) => RowContent::Notice(self::notice(notice)),
        EntryContent::Subagent(subagent) => RowContent::Subagent(self::subagent(subagent)),
        EntryContent::BetweenSessions(message) => RowContent::Answer { blocks: between(message) },
        EntryContent::Unknown { name, .. } => {
            let name = sanitize::line(name);
            let text = format!("an update of a kind that this version does not know: {name}");
            RowContent::Other { line: Line::of(text, Role::Muted) }
        }
        _ => RowContent::Other { line: Line::default() },
    }
}

fn plan(plan: Option<&PlanContent>) -> PlanRow {
    match plan {
        Some(PlanContent::Items(entries)) => {
            PlanRow::Steps { steps: entries.iter().map(step).collect() }
        }
        Some(PlanContent::Markdown(text)) => PlanRow::Text { blocks: markdown::parse(text) },
        Some(PlanContent::File(uri)) => {
            let path = uri.strip_prefix("file://").unwrap_or(uri);
            PlanRow::File { line: Line::of(sanitize::visible_line(path), Role::Path) }
        }
        None => PlanRow::Dropped,
    }
}

fn step(entry: &PlanEntry) -> PlanStep {
    let state = match entry.status {
        PlanEntryStatus::Completed => StepState::Done,
        PlanEntryStatus::InProgress => StepState::Running,
        _ if entry.status.as_str() == "cancelled" => StepState::Cancelled,
        _ => StepState::Pending,
    };
    PlanStep {
        line: markdown::line(&entry.content),
        state,
        important: entry.priority == PlanEntryPriority::High,
    }
}

fn notice(notice: &Notice) -> NoticeRow {
    let level = match notice.severity {
        NoticeSeverity::Error => NoticeLevel::Error,
        NoticeSeverity::Warning => NoticeLevel::Warning,
        _ => NoticeLevel::Info,
    };
    let mut blocks = markdown::plain(&notice.title);
    blocks.extend(notice.description.as_deref().map(markdown::plain).unwrap_or_default());
    NoticeRow { level, blocks }
}

/// Describes a compaction in a few words, such as `the conversation was compacted`, with the error
/// if it failed.
pub fn compaction_words(status: &CompactionStatus, error: Option<&str>) -> String {
    let text = match status {
        CompactionStatus::InProgress => "compacting the conversation",
        CompactionStatus::Completed => "the conversation was compacted",
        CompactionStatus::Failed => "the compaction failed",
        CompactionStatus::Cancelled => "the compaction was cancelled",
        _ => "a compaction of the conversation",
    };
    match error.map(sanitize::line).filter(|error| !error.is_empty()) {
        Some(error) => format!("{text}: {error}"),
        None => text.to_owned(),
    }
}

fn compaction(compaction: &Compaction) -> CompactionRow {
    let role = match &compaction.status {
        CompactionStatus::InProgress => Role::Running,
        CompactionStatus::Completed => Role::Success,
        CompactionStatus::Failed => Role::Error,
        _ => Role::Muted,
    };
    let words = compaction_words(&compaction.status, compaction.error.as_deref());
    CompactionRow { line: Line::of(words, role), summary: message_blocks(&compaction.summary) }
}

fn subagent(subagent: &Subagent) -> SubagentRow {
    let title = subagent.title.as_deref().or(subagent.description.as_deref());
    let title = title.map(sanitize::line).filter(|title| !title.is_empty());
    let status = match &subagent.state {
        Some(StateUpdate::Running(_)) => Line::of("running", Role::Running),
        Some(StateUpdate::Idle(_)) => Line::of("idle", Role::Success),
        Some(StateUpdate::RequiresAction(_)) => Line::of("waiting", Role::Warning),
        _ => Line::default(),
    };
    SubagentRow {
        session: id::shown(subagent.session_id.as_str()),
        line: Line::of(title.unwrap_or_else(|| "a subagent".to_owned()), Role::Text),
        status,
    }
}

fn between(message: &MessageBetweenSessions) -> Vec<Arc<Block>> {
    let session = |id: &Option<attache_protocol::v1::SessionId>| {
        id.as_ref().map_or_else(|| "?".to_owned(), |id| sanitize::visible_line(id.as_str()))
    };
    let (from, to) = (session(&message.sender_session_id), session(&message.recipient_session_id));
    let line = Line::of(format!("message from session {from} to session {to}"), Role::Muted);
    let mut blocks = vec![Arc::new(Block::Paragraph { lines: vec![line] })];
    blocks.extend(message_blocks(&message.blocks));
    blocks
}

/// Returns the blocks of a message that rarely grows.
fn message_blocks(blocks: &[MessageBlock]) -> Vec<Arc<Block>> {
    let of = |block: &MessageBlock| match block {
        MessageBlock::Text(text) => markdown::parse(&text.to_string()),
        MessageBlock::Other(other) => content::blocks(other),
    };
    blocks.iter().flat_map(of).collect()
}
