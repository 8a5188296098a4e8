//! Turns tool calls into entries.

use super::Transcript;
use super::entry::Now;
use crate::transcript::keys::Key;
use crate::{Change, EntryContent, Parts};
use attache_protocol::Raw;
use attache_protocol::v1::{ToolCall, ToolCallContent, ToolCallUpdate};

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
    /// patch has a title (TOOL-04).
    pub(crate) fn tool_call_update(&mut self, now: Now, update: &ToolCallUpdate) -> Change {
        let Some(index) = self.find(&Key::ToolCall(update.tool_call_id.clone())) else {
            // Only a patch with a title can create a call, so no other patch is copied.
            let created = update.title.as_ref().and_then(|_| update.clone().into_tool_call());
            return created.map_or(Change::NONE, |call| self.tool_call(now, &call));
        };
        self.replace(now, index, Parts::TOOL_CALL, |entry| match entry {
            EntryContent::ToolCall(call) => {
                call.apply(update);
                tool_call_weight(call)
            }
            _ => 0,
        })
    }
}

fn tool_call_weight(call: &ToolCall) -> usize {
    let content = call.content.iter().map(|content| match content {
        ToolCallContent::Content(content) => crate::transcript::block::weight(&content.content),
        ToolCallContent::Diff(diff) => {
            diff.new_text.len() + diff.old_text.as_ref().map_or(0, String::len)
        }
        ToolCallContent::Terminal(_) => 0,
        ToolCallContent::Unknown(unknown) => unknown.raw.get().len(),
    });
    let raw = |raw: &Option<Raw>| raw.as_ref().map_or(0, |raw| raw.get().len());
    let locations: usize = call.locations.iter().map(|location| location.path.len() + 64).sum();
    content.sum::<usize>()
        + locations
        + raw(&call.raw_input)
        + raw(&call.raw_output)
        + call.title.len()
}
