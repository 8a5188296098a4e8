//! A summary of a session, for the session that continues it.

use crate::info::title::{is_bidirectional, one_line};
use crate::{
    Block, Entry, EntryContent, MessageAuthor, PlanContent, Session, ToolCall, ToolCallContent,
    TurnOutcome, TurnState,
};
use attache_protocol::v1::{
    CompactionStatus, ContentBlock, EmbeddedResourceResource, PlanEntryStatus, ToolKind,
};
use attache_protocol::v2::ToolCallStatus;
use std::collections::HashMap;
use std::sync::Arc;

/// The longest line of a list, in characters.
const LINE_LIMIT: usize = 300;

/// The smallest room for a section, in bytes. A section that would get less room is left out.
const LEAST_ROOM: usize = 32;

impl Session {
    /// Returns a Markdown summary of the session. When the context is full, a new session can
    /// continue this one with the summary as part of its first prompt.
    ///
    /// The summary contains, most important first, the summary of the last compaction, the first
    /// and the last prompt, the current state, the open steps of the plan, the changed files, and
    /// the end of the last answer. Empty sections are left out. The summary has at most `limit`
    /// bytes: each section but the last takes at most half of the remaining room and ends with `…`
    /// if it was cut. Text from the session is quoted, so that it cannot look like a heading, and
    /// has no control characters except line feeds. The same session always gives the same text.
    pub fn hand_off(&self, limit: usize) -> String {
        let title = self.info().title().map_or_else(|| "a session".to_owned(), literal);
        let mut out = HandOff { text: String::new(), limit };
        out.line(&format!("# Continued from {title}\n"));
        out.quote("## Summary so far", &self.compacted().unwrap_or_default());
        self.prompts(&mut out);
        out.list("## Where things stand", &self.standing());
        self.open_steps(&mut out);
        out.list("## Files changed", &self.changed_files());
        out.last_quote("## End of the last answer", &self.last_answer().unwrap_or_default());
        out.text
    }

    fn compacted(&self) -> Option<String> {
        self.entries().iter().rev().find_map(|entry| match &entry.content {
            EntryContent::Compaction(compaction)
                if compaction.status == CompactionStatus::Completed =>
            {
                Some(written(&compaction.summary)).filter(|text| !text.is_empty())
            }
            _ => None,
        })
    }

    fn prompts(&self, out: &mut HandOff) {
        let mut prompts = self
            .entries()
            .iter()
            .filter(|entry| is_message_of(entry, MessageAuthor::User))
            .map(said);
        let (first, last) = (prompts.next(), prompts.next_back());
        // An entry that is no longer in memory may have been the first prompt.
        let first_heading = match self.entries().first().map(|entry| &entry.content) {
            Some(EntryContent::Dropped) => "## An early prompt",
            _ if last.is_none() => "## The prompt",
            _ => "## The first prompt",
        };
        out.quote(first_heading, &first.unwrap_or_default());
        out.quote("## The last prompt", &last.unwrap_or_default());
    }

    fn standing(&self) -> Vec<String> {
        let mut lines = Vec::new();
        match (self.turn(), self.last_outcome()) {
            (TurnState::Running { .. }, _) => lines.push("a turn is running".to_owned()),
            (TurnState::Idle, Some(TurnOutcome::Stopped(reason))) => {
                lines.push(format!("the last turn ended: {}", literal(reason.as_str())));
            }
            (TurnState::Idle, Some(TurnOutcome::Failed(error))) => {
                lines.push(format!("the last turn failed: {}", literal(&error.message)));
            }
            (TurnState::Idle, None) => {}
        }
        for call in self.tool_calls() {
            match call.status() {
                ToolCallStatus::Pending => {
                    lines.push(format!("not started: {}", literal(&call.title)))
                }
                ToolCallStatus::InProgress | ToolCallStatus::Paused => {
                    lines.push(format!("not finished: {}", literal(&call.title)))
                }
                _ => {}
            }
        }
        lines
    }

    fn open_steps(&self, out: &mut HandOff) {
        const HEADING: &str = "## Open steps";
        match self.plan() {
            Some(PlanContent::Items(entries)) => {
                let open =
                    entries.iter().filter(|entry| entry.status != PlanEntryStatus::Completed);
                let lines: Vec<_> = open
                    .map(|entry| match entry.status {
                        PlanEntryStatus::InProgress => {
                            format!("{} (in progress)", literal(&entry.content))
                        }
                        _ => literal(&entry.content),
                    })
                    .collect();
                out.list(HEADING, &lines);
            }
            Some(PlanContent::File(uri)) => out.list(HEADING, &[literal(uri)]),
            Some(PlanContent::Markdown(text)) => out.quote(HEADING, text),
            None => {}
        }
    }

    /// The files that tool calls changed, without duplicates, in the order of their first change.
    fn changed_files(&self) -> Vec<String> {
        let mut files: Vec<(String, &ToolKind)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for call in self.tool_calls().filter(|call| *call.status() == ToolCallStatus::Completed) {
            let changes = matches!(call.kind(), ToolKind::Edit | ToolKind::Delete | ToolKind::Move);
            let located =
                call.locations.iter().filter(|_| changes).map(|location| location.path.clone());
            let diffs = call.content.iter().flat_map(ToolCallContent::changed_paths);
            for path in located.chain(diffs) {
                let place = *places.entry(path.clone()).or_insert(files.len());
                match files.get_mut(place) {
                    Some(file) => file.1 = call.kind(),
                    None => files.push((path, call.kind())),
                }
            }
        }
        let line = |(path, kind): (String, &ToolKind)| match kind {
            ToolKind::Delete | ToolKind::Move => format!("{} ({})", literal(&path), kind.as_str()),
            _ => literal(&path),
        };
        files.into_iter().map(line).collect()
    }

    fn last_answer(&self) -> Option<String> {
        let entries = self.entries().iter().rev();
        entries
            .take_while(|entry| !is_message_of(entry, MessageAuthor::User))
            .filter(|entry| is_message_of(entry, MessageAuthor::Agent))
            .map(said)
            .find(|text| !text.trim().is_empty())
    }

    fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.entries().iter().filter_map(|entry| match &entry.content {
            EntryContent::ToolCall(call) => {
                let call: &ToolCall = call;
                Some(call)
            }
            _ => None,
        })
    }
}

fn is_message_of(entry: &Entry, of: MessageAuthor) -> bool {
    matches!(&entry.content, EntryContent::Message { author, .. } if *author == of)
}

fn said(entry: &Arc<Entry>) -> String {
    written(entry.blocks())
}

/// The text of the blocks, and the names of attachments.
fn written(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        match block {
            Block::Text(text) => out.extend(text.pieces()),
            Block::Other(content) => match &**content {
                ContentBlock::Text(text) => out.push_str(&text.text),
                ContentBlock::ResourceLink(link) => out.push_str(&format!(" [{}] ", link.uri)),
                ContentBlock::Resource(resource) => match &resource.resource {
                    EmbeddedResourceResource::Text(text) => {
                        out.push_str(&format!(" [{}] ", text.uri))
                    }
                    EmbeddedResourceResource::Blob(blob) => {
                        out.push_str(&format!(" [{}] ", blob.uri))
                    }
                },
                ContentBlock::Image(_) => out.push_str(" [an image] "),
                ContentBlock::Audio(_) => out.push_str(" [a recording] "),
                ContentBlock::Unknown(_) => {}
            },
        }
    }
    out
}

/// A text on one line, or a dash for an empty one.
fn literal(text: &str) -> String {
    one_line(text, LINE_LIMIT).unwrap_or_else(|| "–".to_owned())
}

/// The text under construction.
struct HandOff {
    text: String,
    limit: usize,
}

impl HandOff {
    fn room(&self) -> usize {
        self.limit.saturating_sub(self.text.len())
    }

    /// Adds a line, cut to the remaining room.
    fn line(&mut self, line: &str) {
        let room = self.room();
        self.text.push_str(start_of(line, room));
    }

    /// Adds a heading and returns the room for its section, or `None` if there is too little.
    fn begin(&mut self, heading: &str, share: usize) -> Option<usize> {
        let room = (self.room() / share)
            .checked_sub(heading.len() + 2)
            .filter(|room| *room >= LEAST_ROOM)?;
        self.text.push('\n');
        self.text.push_str(heading);
        self.text.push('\n');
        Some(room)
    }

    fn list(&mut self, heading: &str, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        let Some(room) = self.begin(heading, 2) else { return };
        let end = self.text.len() + room;
        for (index, line) in lines.iter().enumerate() {
            let line = format!("- {line}\n");
            let more = format!("- … and {} more\n", lines.len() - index);
            let is_last = index + 1 == lines.len();
            let needed = if is_last { line.len() } else { line.len() + more.len() };
            if self.text.len() + needed > end {
                self.text.push_str(start_of(&more, end.saturating_sub(self.text.len())));
                return;
            }
            self.text.push_str(&line);
        }
    }

    fn quote(&mut self, heading: &str, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let Some(room) = self.begin(heading, 2) else { return };
        let text = quoted(text.trim());
        self.text.push_str(&shortened(&text, room));
    }

    /// Adds the last section, which may take all remaining room. If its text is too long, the end
    /// is kept.
    fn last_quote(&mut self, heading: &str, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let Some(room) = self.begin(heading, 1) else { return };
        let text = quoted(text.trim());
        if text.len() <= room {
            self.text.push_str(&text);
            return;
        }
        const CUT: &str = "> …";
        let from = text.len() - room.saturating_sub(CUT.len()).min(text.len());
        let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        self.text.push_str(CUT);
        self.text
            .push_str(text.get(from..).unwrap_or_default().trim_start_matches(['>', ' ', '\n']));
    }
}

/// Prefixes every line with `> ` and removes control and bidirectional characters.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.lines() {
        out.push_str("> ");
        out.extend(line.chars().map(|char| if char == '\t' { ' ' } else { char }).filter(is_shown));
        out.push('\n');
    }
    out
}

fn is_shown(char: &char) -> bool {
    !char.is_control() && !is_bidirectional(*char)
}

/// Returns the text if it fits, or else its start, `…` and a line feed.
fn shortened(text: &str, room: usize) -> String {
    const END: &str = "…\n";
    if text.len() <= room {
        return text.to_owned();
    }
    format!("{}{END}", start_of(text, room.saturating_sub(END.len())))
}

/// Returns as many whole characters as fit.
fn start_of(text: &str, room: usize) -> &str {
    let end = (0..=room.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}
