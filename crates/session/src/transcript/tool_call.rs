//! Turns tool calls into entries.

use super::Transcript;
use super::entry::Now;
use crate::tool_call::content::ToolCallContent;
use crate::tool_call::{ToolCall, ToolCallPatch};
use crate::transcript::keys::Key;
use crate::{Change, EntryContent, Parts};
use attache_protocol::Raw;
use attache_protocol::v1::ToolCallId;

impl Transcript {
    /// Creates a tool call. If its id is known, it replaces that call in its place (§2.1).
    pub(crate) fn tool_call(&mut self, now: Now, call: &ToolCall) -> Change {
        let key = Key::ToolCall(call.tool_call_id.clone());
        let weight = tool_call_weight(call);
        let content = EntryContent::ToolCall(Box::new(call.clone()));
        match self.find(&key) {
            Some(index) => self.replace(now, index, Parts::TOOL_CALL, |entry| {
                *entry = content;
                weight
            }),
            None => Change::entry(Parts::TOOL_CALL, self.begin(now, Some(key), content, weight)),
        }
    }

    /// Patches a tool call, whatever its status (TOOL-05). An unknown tool call is created if the
    /// patch has a title (TOOL-04) or upserts.
    pub(crate) fn tool_call_update(&mut self, now: Now, patch: &ToolCallPatch) -> Change {
        let Some(index) = self.find(&Key::ToolCall(patch.tool_call_id.clone())) else {
            let created = patch.to_tool_call();
            return created.map_or(Change::NONE, |call| self.tool_call(now, &call));
        };
        self.replace(now, index, Parts::TOOL_CALL, |entry| match entry {
            EntryContent::ToolCall(call) => {
                call.apply(patch);
                tool_call_weight(call)
            }
            _ => 0,
        })
    }

    /// Appends content to a tool call. An unknown tool call does not change.
    pub(crate) fn tool_call_content(
        &mut self,
        now: Now,
        id: &ToolCallId,
        content: &ToolCallContent,
    ) -> Change {
        let Some(index) = self.find(&Key::ToolCall(id.clone())) else { return Change::NONE };
        self.change(now, index, |entry| {
            if let EntryContent::ToolCall(call) = &mut entry.content {
                call.content.push(content.clone());
            }
            entry.reshaped_at = now.sequence;
            entry.weight + content_weight(content)
        });
        Change::entry(Parts::TOOL_CALL, index)
    }
}

pub(super) fn tool_call_weight(call: &ToolCall) -> usize {
    let raw = |raw: &Option<Raw>| raw.as_ref().map_or(0, |raw| raw.get().len());
    let locations: usize = call.locations.iter().map(|location| location.path.len() + 64).sum();
    call.content.iter().map(content_weight).sum::<usize>()
        + locations
        + raw(&call.raw_input)
        + raw(&call.raw_output)
        + call.meta.as_ref().map_or(0, |meta| meta.raw().get().len())
        + call.title.len()
}

pub(super) fn content_weight(content: &ToolCallContent) -> usize {
    match content {
        ToolCallContent::Content(content) => crate::transcript::block::weight(&content.content),
        ToolCallContent::Diff(diff) => {
            diff.new_text.len() + diff.old_text.as_ref().map_or(0, String::len)
        }
        ToolCallContent::Changes(diff) => {
            let lines = ToolCallContent::change_lines(diff);
            let paths: usize = lines.iter().map(|line| line.len() + 128).sum();
            paths + diff.patch.as_ref().map_or(0, |patch| patch.text.len())
        }
        ToolCallContent::Terminal(terminal) => 64 + terminal.terminal_id.as_str().len(),
        ToolCallContent::Unknown(unknown) => unknown.raw.get().len(),
    }
}
