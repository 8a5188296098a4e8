//! The JSON form of events: one object on one line, `{"v":1,"sequence":…,"at":…,"<name>":…}`. The
//! last member is the body of the event.
//!
//! Every version of this crate reads these names and members. New ones may be added; existing ones
//! never change.

pub(crate) mod object;

use self::object::{EVENT_VERSION, EventError, Object, read, write_patch};
use crate::question::json::{read_question, write_question};
use crate::tool_call::json::{read_call, read_call_patch, read_part, write_call, write_call_patch};
use crate::{
    Event, EventBody, MessageAuthor, Origin, PermissionId, PlanContent, Timestamp, TurnOutcome,
};
use attache_protocol::v1::SessionInfoUpdate;
use attache_protocol::{Patch, Raw, Wire, Writer};

impl Event {
    /// Returns the event as one line of JSON, without a line break.
    pub fn encode(&self) -> String {
        let mut out = Vec::new();
        Writer::new(&mut out).object(|event| {
            event.member("v", &form(&self.body));
            event.member("sequence", &self.sequence);
            event.member("at", &self.at.0);
            write_body(&self.body, event.key(name(&self.body)));
        });
        // Writers append only whole UTF-8 strings.
        String::from_utf8(out).unwrap_or_default()
    }

    /// Decodes the output of [`Event::encode`]. A body that this version does not know becomes
    /// [`EventBody::Newer`].
    pub fn decode(line: &str) -> Result<Self, EventError> {
        let event = Object::of(line, "")?;
        let version: u64 = event.must("v")?;
        if version == 0 || version > EVENT_VERSION {
            return Err(EventError::Newer { version });
        }
        let (name, value) = event.members.0.last().ok_or(EventError::Missing("v"))?;
        if ["v", "sequence", "at"].contains(&name.as_str()) {
            return Err(EventError::Missing("name of the event"));
        }
        let body = read_body(name, value)?;
        Ok(Self { sequence: event.must("sequence")?, at: Timestamp(event.must("at")?), body })
    }
}

/// The lowest version of the format that has all of a body, so that older programs read whatever
/// they understand.
fn form(body: &EventBody) -> u64 {
    let is_new = match body {
        EventBody::WholeMessage { .. }
        | EventBody::ToolCallContent { .. }
        | EventBody::Terminal(_)
        | EventBody::TerminalOutput { .. }
        | EventBody::CommandsOfKinds(_)
        | EventBody::InfoByKey { .. }
        | EventBody::Usage { cost: Patch::Clear, .. }
        | EventBody::State(_) => true,
        EventBody::ToolCall(call) => call.is_of_version_2(),
        EventBody::ToolCallUpdate(patch) => patch.is_of_version_2(),
        EventBody::PermissionAsked { question, .. } => question.is_of_version_2(),
        _ => false,
    };
    if is_new { EVENT_VERSION } else { 1 }
}

/// The name of a body in the log.
pub(crate) fn name(body: &EventBody) -> &str {
    match body {
        EventBody::Opened { .. } => "opened",
        EventBody::Replaced => "replaced",
        EventBody::Prompt { .. } => "prompt",
        EventBody::Message { .. } => "message",
        EventBody::WholeMessage { .. } => "wholeMessage",
        EventBody::ToolCall(_) => "toolCall",
        EventBody::ToolCallUpdate(_) => "toolCallUpdate",
        EventBody::ToolCallContent { .. } => "toolCallContent",
        EventBody::Terminal(_) => "terminal",
        EventBody::TerminalOutput { .. } => "terminalOutput",
        EventBody::Plan { .. } => "plan",
        EventBody::PlanRemoved(_) => "planRemoved",
        EventBody::Commands(_) => "commands",
        EventBody::CommandsOfKinds(_) => "commandsOfKinds",
        EventBody::ConfigOptions(_) => "configOptions",
        EventBody::Modes(_) => "modes",
        EventBody::CurrentMode(_) => "currentMode",
        EventBody::Models(_) => "models",
        EventBody::Info { .. } => "info",
        EventBody::InfoByKey { .. } => "infoByKey",
        EventBody::StoredTitle { .. } => "storedTitle",
        EventBody::Archived(_) => "archived",
        EventBody::Usage { .. } => "usage",
        EventBody::Notice(_) => "notice",
        EventBody::Compaction(_) => "compaction",
        EventBody::CompactionSummary(_) => "compactionSummary",
        EventBody::Subagent(_) => "subagent",
        EventBody::SessionMessage(_) => "sessionMessage",
        EventBody::SessionMessageChunk(_) => "sessionMessageChunk",
        EventBody::PermissionAsked { .. } => "permissionAsked",
        EventBody::PermissionSettled { .. } => "permissionSettled",
        EventBody::TurnBegan => "turnBegan",
        EventBody::TurnEnded { .. } => "turnEnded",
        EventBody::State(_) => "state",
        EventBody::Record { .. } => "record",
        EventBody::Unknown { .. } => "unknown",
        EventBody::Newer { name, .. } => name,
    }
}

pub(crate) fn write_body(body: &EventBody, mut writer: Writer<'_>) {
    let to = &mut writer;
    match body {
        EventBody::Prompt { content } => content.write(to),
        EventBody::ToolCall(call) => to.object(|object| write_call(call, object)),
        EventBody::ToolCallUpdate(patch) => to.object(|object| write_call_patch(patch, object)),
        EventBody::Terminal(update) => update.write(to),
        EventBody::State(state) => state.write(to),
        EventBody::PlanRemoved(id) => id.write(to),
        EventBody::Commands(commands) => commands.write(to),
        EventBody::CommandsOfKinds(commands) => commands.write(to),
        EventBody::ConfigOptions(options) => options.write(to),
        EventBody::Modes(modes) => modes.write(to),
        EventBody::CurrentMode(mode) => mode.write(to),
        EventBody::Models(models) => models.write(to),
        EventBody::Info { title, updated_at, meta }
        | EventBody::InfoByKey { title, updated_at, meta } => {
            let (title, updated_at, meta) = (title.clone(), updated_at.clone(), meta.clone());
            SessionInfoUpdate { title, updated_at, meta }.write(to);
        }
        EventBody::Archived(archived) => archived.write(to),
        EventBody::Notice(notice) => notice.write(to),
        EventBody::Compaction(update) => update.write(to),
        EventBody::CompactionSummary(chunk) => chunk.write(to),
        EventBody::Subagent(update) => update.write(to),
        EventBody::SessionMessage(message) => message.write(to),
        EventBody::SessionMessageChunk(chunk) => chunk.write(to),
        EventBody::Newer { value, .. } => value.write(to),
        body => to.object(|object| write_members(body, object)),
    }
}

/// Writes the bodies whose form this crate defines.
fn write_members(body: &EventBody, object: &mut attache_protocol::ObjectWriter<'_>) {
    match body {
        EventBody::Opened { cwd, additional_directories, origin, agent } => {
            object.member("cwd", cwd);
            object.member("additionalDirectories", additional_directories);
            match origin {
                Origin::New => object.key("origin").string("new"),
                Origin::Loaded => object.key("origin").string("loaded"),
                Origin::Resumed => object.key("origin").string("resumed"),
                Origin::Forked(from) => {
                    object.key("origin").string("forked");
                    object.member("from", from);
                }
            }
            if let Some(agent) = agent {
                object.member("agent", agent);
            }
        }
        EventBody::Message { author, message_id, content } => {
            object.key("author").string(author_name(*author));
            if let Some(id) = message_id {
                object.member("messageId", id);
            }
            object.member("content", content);
        }
        EventBody::WholeMessage { author, message_id, content, meta } => {
            object.key("author").string(author_name(*author));
            object.member("messageId", message_id);
            write_patch(object, "content", content, |content, mut to| content.write(&mut to));
            write_patch(object, "_meta", meta, |meta, mut to| meta.write(&mut to));
        }
        EventBody::ToolCallContent { tool_call_id, content } => {
            object.member("toolCallId", tool_call_id);
            object.key("content").raw(&content.encode());
        }
        EventBody::TerminalOutput { terminal_id, data } => {
            object.member("terminalId", terminal_id);
            object.member("data", data);
        }
        EventBody::Plan { id, content } => {
            if let Some(id) = id {
                object.member("id", id);
            }
            match content {
                PlanContent::Items(entries) => object.member("items", entries),
                PlanContent::File(uri) => object.member("file", uri),
                PlanContent::Markdown(text) => object.member("markdown", text),
            }
        }
        EventBody::StoredTitle { title, by_person } => {
            object.member("title", title);
            object.member("byPerson", by_person);
        }
        EventBody::Usage { used, size, cost } => {
            object.member("used", used);
            if let Some(size) = size {
                object.member("size", size);
            }
            write_patch(object, "cost", cost, |cost, mut to| cost.write(&mut to));
        }
        EventBody::PermissionAsked { id, question } => {
            object.member("id", &id.0);
            write_question(question, object);
        }
        EventBody::PermissionSettled { id, outcome } => {
            object.member("id", &id.0);
            object.member("outcome", outcome);
        }
        EventBody::TurnEnded { outcome, usage } => {
            match outcome {
                TurnOutcome::Stopped(reason) => object.member("stopReason", reason),
                TurnOutcome::Failed(error) => object.member("error", error),
            }
            if let Some(usage) = usage {
                object.member("usage", usage);
            }
        }
        EventBody::Record { name, value } => {
            object.member("name", name);
            object.member("value", value);
        }
        EventBody::Unknown { name, raw } => {
            object.member("name", name);
            object.member("raw", raw);
        }
        // `TurnBegan` and `Replaced` have no members. All others are written above.
        _ => {}
    }
}

pub(crate) fn read_body(name: &str, raw: &Raw) -> Result<EventBody, EventError> {
    Ok(match name {
        "prompt" => EventBody::Prompt { content: read(name, raw)? },
        "toolCall" => EventBody::ToolCall(read_call(&Object::of(raw.get(), name)?)?),
        "toolCallUpdate" => {
            EventBody::ToolCallUpdate(read_call_patch(&Object::of(raw.get(), name)?)?)
        }
        "planRemoved" => EventBody::PlanRemoved(read(name, raw)?),
        "commands" => EventBody::Commands(read(name, raw)?),
        "commandsOfKinds" => EventBody::CommandsOfKinds(read(name, raw)?),
        "configOptions" => EventBody::ConfigOptions(read(name, raw)?),
        "modes" => EventBody::Modes(read(name, raw)?),
        "currentMode" => EventBody::CurrentMode(read(name, raw)?),
        "models" => EventBody::Models(read(name, raw)?),
        "info" => {
            let SessionInfoUpdate { title, updated_at, meta } = read(name, raw)?;
            EventBody::Info { title, updated_at, meta }
        }
        "infoByKey" => {
            let SessionInfoUpdate { title, updated_at, meta } = read(name, raw)?;
            EventBody::InfoByKey { title, updated_at, meta }
        }
        "terminal" => EventBody::Terminal(Box::new(read(name, raw)?)),
        "state" => EventBody::State(Box::new(read(name, raw)?)),
        "archived" => EventBody::Archived(read(name, raw)?),
        "notice" => EventBody::Notice(read(name, raw)?),
        "compaction" => EventBody::Compaction(read(name, raw)?),
        "compactionSummary" => EventBody::CompactionSummary(read(name, raw)?),
        "subagent" => EventBody::Subagent(Box::new(read(name, raw)?)),
        "sessionMessage" => EventBody::SessionMessage(Box::new(read(name, raw)?)),
        "sessionMessageChunk" => EventBody::SessionMessageChunk(Box::new(read(name, raw)?)),
        "turnBegan" => EventBody::TurnBegan,
        "replaced" => EventBody::Replaced,
        "opened" | "message" | "wholeMessage" | "toolCallContent" | "terminalOutput" | "plan"
        | "storedTitle" | "usage" | "permissionAsked" | "permissionSettled" | "turnEnded"
        | "record" | "unknown" => {
            read_members(name, &Object::of(raw.get(), name)?)?.unwrap_or_else(|| newer(name, raw))
        }
        _ => newer(name, raw),
    })
}

/// Reads the bodies whose form this crate defines. Returns `None` for a form that a newer
/// version added.
fn read_members(name: &str, object: &Object<'_>) -> Result<Option<EventBody>, EventError> {
    Ok(Some(match name {
        "opened" => EventBody::Opened {
            cwd: object.must("cwd")?,
            additional_directories: object.must("additionalDirectories")?,
            origin: match object.must::<String>("origin")?.as_str() {
                "new" => Origin::New,
                "loaded" => Origin::Loaded,
                "resumed" => Origin::Resumed,
                "forked" => Origin::Forked(object.must("from")?),
                _ => return Ok(None),
            },
            agent: object.may("agent")?,
        },
        "message" => EventBody::Message {
            author: match author_named(&object.must::<String>("author")?) {
                Some(author) => author,
                None => return Ok(None),
            },
            message_id: object.may("messageId")?,
            content: object.must("content")?,
        },
        "wholeMessage" => EventBody::WholeMessage {
            author: match author_named(&object.must::<String>("author")?) {
                Some(author) => author,
                None => return Ok(None),
            },
            message_id: object.must("messageId")?,
            content: object.patch("content")?,
            meta: object.patch("_meta")?,
        },
        "toolCallContent" => EventBody::ToolCallContent {
            tool_call_id: object.must("toolCallId")?,
            content: read_part(&object.must("content")?)?,
        },
        "terminalOutput" => EventBody::TerminalOutput {
            terminal_id: object.must("terminalId")?,
            data: object.must("data")?,
        },
        "plan" => {
            let items = object.may("items")?.map(PlanContent::Items);
            let file = object.may("file")?.map(PlanContent::File);
            let markdown = object.may("markdown")?.map(PlanContent::Markdown);
            let Some(content) = items.or(file).or(markdown) else { return Ok(None) };
            EventBody::Plan { id: object.may("id")?, content }
        }
        "storedTitle" => EventBody::StoredTitle {
            title: object.must("title")?,
            by_person: object.must("byPerson")?,
        },
        "usage" => EventBody::Usage {
            used: object.must("used")?,
            size: object.may("size")?,
            cost: object.patch("cost")?,
        },
        "permissionAsked" => EventBody::PermissionAsked {
            id: PermissionId(object.must("id")?),
            question: Box::new(read_question(object)?),
        },
        "permissionSettled" => EventBody::PermissionSettled {
            id: PermissionId(object.must("id")?),
            outcome: object.must("outcome")?,
        },
        "turnEnded" => {
            let stopped = object.may("stopReason")?.map(TurnOutcome::Stopped);
            let failed = object.may("error")?.map(TurnOutcome::Failed);
            let Some(outcome) = stopped.or(failed) else { return Ok(None) };
            EventBody::TurnEnded { outcome, usage: object.may("usage")? }
        }
        "record" => EventBody::Record { name: object.must("name")?, value: object.must("value")? },
        "unknown" => EventBody::Unknown { name: object.must("name")?, raw: object.must("raw")? },
        _ => return Ok(None),
    }))
}

fn newer(name: &str, value: &Raw) -> EventBody {
    EventBody::Newer { name: name.to_owned(), value: value.clone() }
}

pub(crate) fn author_named(name: &str) -> Option<MessageAuthor> {
    Some(match name {
        "user" => MessageAuthor::User,
        "agent" => MessageAuthor::Agent,
        "thought" => MessageAuthor::Thought,
        _ => return None,
    })
}

pub(crate) fn author_name(author: MessageAuthor) -> &'static str {
    match author {
        MessageAuthor::User => "user",
        MessageAuthor::Agent => "agent",
        MessageAuthor::Thought => "thought",
    }
}
