//! One tool call: pending, then in progress, then one final status (TOOL-07).

use agent_client_protocol::v1::schema::{
    Content, ContentBlock, SessionUpdate, ToolCall as Shown, ToolCallContent, ToolCallId,
    ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use agent_client_protocol::{Error, Result};
use serde_json::Value;

use crate::turn::Turn;

pub(crate) struct ToolCall {
    id: ToolCallId,
    pub(crate) kind: ToolKind,
    /// Its description in a permission request.
    shown: ToolCallUpdateFields,
    is_started: bool,
}

pub(crate) fn text(words: impl Into<String>) -> Vec<ToolCallContent> {
    blocks([ContentBlock::from(words.into())])
}

pub(crate) fn blocks(blocks: impl IntoIterator<Item = ContentBlock>) -> Vec<ToolCallContent> {
    blocks.into_iter().map(|block| ToolCallContent::Content(Content::new(block))).collect()
}

impl ToolCall {
    pub(crate) fn begin(
        turn: &mut Turn,
        name: Option<&str>,
        title: &str,
        kind: ToolKind,
        input: Option<Value>,
    ) -> Result<Self> {
        let number = {
            let mut record = turn.session.record();
            record.last.call += 1;
            record.last.call
        };
        let id = ToolCallId::new(format!("call-{number}"));
        turn.end_message();
        turn.open_calls.push(id.clone());
        let name = name.map(str::to_owned);
        let call = Shown::new(id.clone(), title)
            .name(name.clone())
            .kind(kind)
            .status(ToolCallStatus::Pending)
            .raw_input(input.clone());
        turn.session.update(SessionUpdate::ToolCall(call))?;
        let shown = ToolCallUpdateFields::new()
            .title(title.to_owned())
            .name(name)
            .kind(kind)
            .raw_input(input);
        Ok(Self { id, kind, shown, is_started: false })
    }

    pub(crate) fn id(&self) -> ToolCallId {
        self.id.clone()
    }

    pub(crate) fn shown(&self) -> ToolCallUpdate {
        ToolCallUpdate::new(self.id.clone(), self.shown.clone())
    }

    fn update(&self, fields: ToolCallUpdateFields) -> SessionUpdate {
        SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(self.id.clone(), fields))
    }

    /// Shows the intended action, here and in a permission request.
    pub(crate) fn show(&mut self, turn: &Turn, fields: ToolCallUpdateFields) -> Result<()> {
        self.shown.content.clone_from(&fields.content);
        self.shown.locations.clone_from(&fields.locations);
        turn.session.update(self.update(fields))
    }

    pub(crate) fn start(&mut self, turn: &Turn, fields: ToolCallUpdateFields) -> Result<()> {
        if std::mem::replace(&mut self.is_started, true) {
            return Ok(());
        }
        turn.session.update(self.update(fields.status(ToolCallStatus::InProgress)))
    }

    /// Starts the call in a terminal. The terminal is not stored, because it does not exist after a
    /// load.
    pub(crate) fn start_in(&mut self, turn: &Turn, terminal: ToolCallContent) -> Result<()> {
        self.is_started = true;
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
        turn.session.record().remember(self.update(fields.clone()));
        turn.session.notify(self.update(fields.content(vec![terminal])))
    }

    /// Ends the call. If `kept` is given, later loads show it instead of `fields`.
    pub(crate) fn end(
        &self,
        turn: &mut Turn,
        status: ToolCallStatus,
        fields: ToolCallUpdateFields,
        kept: Option<ToolCallUpdateFields>,
    ) -> Result<()> {
        turn.open_calls.retain(|open| *open != self.id);
        let kept = kept.unwrap_or_else(|| fields.clone());
        turn.session.record().remember(self.update(kept.status(status)));
        turn.session.notify(self.update(fields.status(status)))
    }

    pub(crate) fn complete(&self, turn: &mut Turn, fields: ToolCallUpdateFields) -> Result<()> {
        self.end(turn, ToolCallStatus::Completed, fields, None)
    }

    pub(crate) fn fail(&self, turn: &mut Turn, why: &str) -> Result<()> {
        let fields = ToolCallUpdateFields::new().content(text(why));
        self.end(turn, ToolCallStatus::Failed, fields, None)
    }

    /// A failure of its work fails the call, and the turn continues; a cancellation ends the turn.
    pub(crate) fn settle(&self, turn: &mut Turn, worked: Result<()>) -> Result<()> {
        match worked {
            Err(error) if turn.is_cancelled() => Err(error),
            Err(error) => self.fail(turn, &in_words(&error)),
            Ok(()) => Ok(()),
        }
    }
}

/// Describes an error, with its details if they are text.
pub(crate) fn in_words(error: &Error) -> String {
    match error.data.as_ref().and_then(Value::as_str) {
        Some(data) => format!("{}: {data}", error.message),
        None => error.message.clone(),
    }
}
