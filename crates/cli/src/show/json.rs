//! The output for programs: one JSON object per line. JSON.md documents the stable format.

use super::{Item, Show};
use crate::permission::Verdict;
use attache_client::PermissionRequest;
use attache_protocol::v1::{PermissionOption, PlanEntry, Usage};
use attache_protocol::{Wire, encode};
use attache_session::{
    MessageAuthor, PlanContent, ToolCall, ToolCallContent, UsageLevel, UsageState,
};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The version of the documented format. It increases if a member is removed or changes its
/// meaning, but not if one is added.
const VERSION: u32 = 1;

/// Writes one object per line.
pub(crate) struct Json<W> {
    out: W,
}

impl<W: Write> Json<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write + Send> Show for Json<W> {
    fn show(&mut self, item: Item<'_>) -> io::Result<()> {
        writeln!(self.out, "{}", escaped(&event(&item).end()))?;
        self.out.flush()
    }

    fn pause(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Escapes control and direction characters, which can occur only inside JSON strings.
pub(crate) fn escaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for character in line.chars() {
        match character {
            '\u{7f}'..='\u{9f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            character => out.push(character),
        }
    }
    out
}

/// Builds one line, member by member. Raw JSON from the wire is copied, not parsed, so neither its
/// depth nor its numbers can be too large.
struct Line(String);

impl Line {
    fn of(event: &str) -> Self {
        Self(format!("{{\"event\":\"{event}\""))
    }

    fn text(mut self, key: &str, json: &str) -> Self {
        self.0.push_str(&format!(",\"{key}\":{json}"));
        self
    }

    fn with(self, key: &str, value: impl Into<Value>) -> Self {
        let json = value.into().to_string();
        self.text(key, &json)
    }

    /// Returns a value in the protocol's form, or null for `None`.
    fn wire(self, key: &str, value: Option<&impl Wire>) -> Self {
        let json = value.map_or_else(|| "null".to_owned(), encode);
        self.text(key, &json)
    }

    fn wires<'v, T: Wire + 'v>(self, key: &str, values: impl Iterator<Item = &'v T>) -> Self {
        let json: Vec<String> = values.map(encode).collect();
        self.text(key, &format!("[{}]", json.join(",")))
    }

    fn end(self) -> String {
        self.0 + "}"
    }
}

fn event(item: &Item<'_>) -> Line {
    match item {
        Item::Agent(about) => Line::of("agent")
            .with("version", VERSION)
            .with("name", about.map(|about| about.name.clone()))
            .with("title", about.and_then(|about| about.title.clone()))
            .with("agentVersion", about.map(|about| about.version.clone())),
        Item::Session { id, cwd, opened, title } => Line::of("session")
            .with("sessionId", *id)
            .with("cwd", *cwd)
            .with("opened", opened.word())
            .with("title", *title),
        Item::Prompt { text, number, count } => {
            Line::of("prompt").with("number", *number).with("count", *count).with("text", *text)
        }
        Item::Warning(message) => Line::of("warning").with("message", *message),
        Item::Message(author) => Line::of("message").with("author", word(*author)),
        Item::Content { author, block } => {
            Line::of("content").with("author", word(*author)).wire("content", Some(*block))
        }
        Item::Text(text) => Line::of("text").with("text", *text),
        Item::Thought(text) => Line::of("thought").with("text", *text),
        Item::ToolCall(call) => tool_call(call),
        Item::Plan(content) => plan(content),
        Item::Permission { request, verdict } => permission(request, verdict),
        Item::Usage(state) => usage(state),
        Item::Title(title) => Line::of("title").with("title", *title),
        Item::Config(config) => Line::of("config")
            .wires("options", config.visible())
            .with("mode", config.current_mode().map(|mode| mode.to_string())),
        Item::Notice(notice) => Line::of("notice")
            .with("severity", notice.severity.as_str())
            .with("title", &*notice.title)
            .with("description", notice.description.clone()),
        Item::Compaction(compaction) => Line::of("compaction")
            .with("compactionId", compaction.compaction_id.as_str())
            .with("status", compaction.status.as_str())
            .wires("summary", compaction.summary.set().into_iter().flatten())
            .with("error", compaction.error.set().cloned()),
        Item::Stop { reason, usage, refused, .. } => Line::of("stop")
            .with("stopReason", reason.as_str())
            .with("usage", usage.map(tokens))
            .with("refused", *refused),
        Item::Error { exit, message } => {
            Line::of("error").with("exitCode", exit.code()).with("message", *message)
        }
    }
}

pub(crate) fn word(author: MessageAuthor) -> &'static str {
    match author {
        MessageAuthor::User => "user",
        MessageAuthor::Agent => "agent",
        MessageAuthor::Thought => "thought",
    }
}

fn content<'p>(parts: impl IntoIterator<Item = &'p ToolCallContent>) -> String {
    let parts: Vec<_> = parts.into_iter().map(ToolCallContent::encode).collect();
    format!("[{}]", parts.join(","))
}

fn tool_call(call: &ToolCall) -> Line {
    let locations: Vec<Value> = call
        .locations
        .iter()
        .map(|place| json!({ "path": place.path, "line": place.line }))
        .collect();
    Line::of("tool_call")
        .with("toolCallId", call.tool_call_id.as_str())
        .with("title", &*call.title)
        .with("kind", call.kind().as_str())
        .with("status", call.status().as_str())
        .with("locations", locations)
        .text("content", &content(&call.content))
        .wire("rawInput", call.raw_input.as_ref())
        .wire("rawOutput", call.raw_output.as_ref())
}

fn plan(content: &PlanContent) -> Line {
    let line = Line::of("plan");
    match content {
        PlanContent::Items(entries) => {
            let entry = |entry: &PlanEntry| {
                let (priority, status) = (entry.priority.as_str(), entry.status.as_str());
                json!({ "content": entry.content, "priority": priority, "status": status })
            };
            line.with("entries", entries.iter().map(entry).collect::<Vec<_>>())
        }
        PlanContent::File(uri) => line.with("uri", &**uri),
        PlanContent::Markdown(text) => line.with("markdown", &**text),
    }
}

fn permission(request: &PermissionRequest, verdict: &Verdict) -> Line {
    let option = |option: &PermissionOption| {
        let (id, kind) = (option.option_id.as_str(), option.kind.as_str());
        json!({ "optionId": id, "name": option.name, "kind": kind })
    };
    Line::of("permission")
        .with("toolCallId", request.asked.tool_call_id.as_str())
        .with("title", request.title())
        .with("kind", request.kind().map(|kind| kind.as_str()))
        .with("options", request.options.iter().map(option).collect::<Vec<_>>())
        .with("decision", verdict.word())
        .with("by", verdict.by.word())
        .with("rule", verdict.by.rule().map(attache_client::Rule::to_line))
        .with("effect", request.effect().to_json())
}

fn usage(state: &UsageState) -> Line {
    let level = match state.level() {
        UsageLevel::Normal => "normal",
        UsageLevel::Elevated => "elevated",
        UsageLevel::High => "high",
        UsageLevel::Critical => "critical",
    };
    let costs: Vec<Value> = state
        .costs()
        .iter()
        .map(|cost| cost.clone().rounded())
        .map(|cost| json!({ "amount": cost.amount, "currency": cost.currency }))
        .collect();
    Line::of("usage")
        .with("used", state.used())
        .with("size", state.size())
        .with("percentage", state.percentage())
        .with("level", level)
        .with("costs", costs)
}

fn tokens(usage: &Usage) -> Value {
    json!({
        "totalTokens": usage.total_tokens, "inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens,
        "thoughtTokens": usage.thought_tokens, "cachedReadTokens": usage.cached_read_tokens,
        "cachedWriteTokens": usage.cached_write_tokens,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::Raw;

    fn shown(item: Item<'_>) -> String {
        let mut out = Vec::new();
        Json::new(&mut out).show(item).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_line_is_one_object_without_control_characters() {
        let evil = "a\nb\u{1b}[2J\u{9b}1m\u{202e}\u{7f}\u{2028}";
        let line = shown(Item::Text(evil));
        assert_eq!(line.matches('\n').count(), 1);
        assert!(
            line.trim_end()
                .chars()
                .all(|c| !c.is_control() && !('\u{2028}'..='\u{202e}').contains(&c)),
            "{line:?}"
        );
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value, json!({ "event": "text", "text": evil }));
    }

    #[test]
    fn raw_input_is_copied_unchanged() {
        let mut call = ToolCall::new("c", "t");
        let deep = format!("{}1e999{}", "[".repeat(500), "]".repeat(500));
        call.raw_input = Some(Raw::from_text(&deep).unwrap());
        assert!(
            shown(Item::ToolCall(&call))
                .contains(&format!("\"rawInput\":{deep},\"rawOutput\":null}}"))
        );
    }
}
