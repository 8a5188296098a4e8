//! A running prompt: its actions and its end.

use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, MessageId, PromptResponse, SessionUpdate, StopReason, ToolCallId,
    ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, Usage,
};
use agent_client_protocol::{Error, JsonRpcRequest, Result};
use official_peers::acts::{self, Tokens};
use official_peers::command::Command;
use serde_json::Value;

use crate::session::{Hold, Session};
use crate::slash;
use crate::{commands, performed};

/// How long a client may take to answer cancelled requests. After that, the turn ends anyway.
const GRACE: Duration = Duration::from_secs(2);

pub(crate) struct Turn {
    pub(crate) session: Arc<Session>,
    hold: Hold,
    /// Unfinished tool calls.
    pub(crate) open_calls: Vec<ToolCallId>,
    usage: Option<Usage>,
    /// Whether the current message is a thought, and its id.
    message: Option<(bool, String)>,
}

impl Turn {
    pub(crate) fn new(session: Arc<Session>, hold: Hold) -> Self {
        Self { session, hold, open_calls: Vec::new(), usage: None, message: None }
    }

    /// Runs to the end. If the turn was cancelled, it ends as cancelled, whatever failed
    /// (CANCEL-02).
    pub(crate) async fn run(&mut self, prompt: Vec<ContentBlock>) -> Result<PromptResponse> {
        let id = self.session.record().new_message_id();
        for block in &prompt {
            let chunk = ContentChunk::new(block.clone()).message_id(MessageId::new(id.clone()));
            self.session.record().remember(SessionUpdate::UserMessageChunk(chunk));
        }
        let performed = self.perform(&prompt).await;
        for call in std::mem::take(&mut self.open_calls) {
            let failed = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
            self.session
                .update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call, failed)))?;
        }
        self.session.save();
        let stop_reason = if self.is_cancelled() { StopReason::Cancelled } else { performed? };
        Ok(PromptResponse::new(stop_reason).usage(self.usage.take()))
    }

    async fn perform(&mut self, prompt: &[ContentBlock]) -> Result<StopReason> {
        let texts = prompt.iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        if let Some(acts) = acts::parse(&text) {
            return performed::perform_all(self, acts).await;
        }
        match slash::parse(&text) {
            Some(command) => commands::slash(self, command)?,
            None if text.trim().is_empty() => self.say("seen")?,
            None => match Command::parse_all(&text) {
                Ok(commands) => commands::perform_all(self, commands).await?,
                Err(why) => self.say(&why)?,
            },
        }
        Ok(StopReason::EndTurn)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        *self.hold.cancel.borrow()
    }

    /// Fails if the turn is cancelled.
    pub(crate) fn go_on(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::request_cancelled()) } else { Ok(()) }
    }

    pub(crate) async fn cancelled(&self) {
        // The wait cannot fail, because the session keeps the sender while the turn runs.
        let _ = self.hold.cancel.clone().wait_for(|cancelled| *cancelled).await;
    }

    /// Calls the client. A cancellation is passed on, and the response may take a little longer
    /// (CANCEL-19, CANCEL-22).
    pub(crate) async fn request<R: JsonRpcRequest>(&self, request: R) -> Result<R::Response> {
        self.go_on()?;
        let sent = self.session.client.send_request(request);
        let cancellation = sent.cancellation_handle();
        let mut answer = std::pin::pin!(sent.block_task());
        tokio::select! {
            answer = &mut answer => return answer,
            () = self.cancelled() => cancellation.cancel()?,
        }
        tokio::time::timeout(GRACE, answer)
            .await
            .unwrap_or_else(|_| Err(Error::request_cancelled()))
    }

    /// Calls the client even if the turn is cancelled, to clean up.
    pub(crate) async fn request_to_settle<R: JsonRpcRequest>(&self, request: R) {
        let method = request.method().to_owned();
        let answer = self.session.client.send_request(request).block_task();
        if let Ok(Err(error)) = tokio::time::timeout(GRACE, answer).await {
            eprintln!("{method}: {error}");
        }
    }

    /// The next text starts a new message.
    pub(crate) fn end_message(&mut self) {
        self.message = None;
    }

    /// Sends one piece of a message; another kind of message gets another id (MSG-02).
    fn chunk(&mut self, is_thought: bool, text: &str) -> Result<()> {
        let id = match &self.message {
            Some((of, id)) if *of == is_thought => id.clone(),
            _ => self.session.record().new_message_id(),
        };
        self.message = Some((is_thought, id.clone()));
        let chunk = ContentChunk::new(ContentBlock::from(text)).message_id(MessageId::new(id));
        self.session.update(match is_thought {
            true => SessionUpdate::AgentThoughtChunk(chunk),
            false => SessionUpdate::AgentMessageChunk(chunk),
        })
    }

    pub(crate) fn say(&mut self, text: &str) -> Result<()> {
        self.chunk(false, text)
    }

    pub(crate) fn think(&mut self, text: &str) -> Result<()> {
        self.chunk(true, text)
    }

    /// Yields, so that the connection can read a cancellation. Sending alone never yields.
    pub(crate) async fn breathe(&self) -> Result<()> {
        tokio::task::yield_now().await;
        self.go_on()
    }

    /// Returns whether a text is in the session's conversation, outside of acts.
    pub(crate) fn recalls(&self, text: &str) -> bool {
        fn holds(value: &Value, text: &str) -> bool {
            match value {
                Value::String(known) => acts::without(known).contains(text),
                Value::Array(values) => values.iter().any(|value| holds(value, text)),
                Value::Object(members) => members.values().any(|value| holds(value, text)),
                _ => false,
            }
        }
        let record = self.session.record();
        let known = serde_json::to_value((&record.transcript, &record.system_prompt));
        known.is_ok_and(|known| holds(&known, text))
    }

    /// Counts one response of the model, and sends the new usage.
    pub(crate) fn used(&mut self, tokens: Tokens) -> Result<()> {
        let Tokens { input, output, cached, reasoning } = tokens;
        let sum = self.usage.take().unwrap_or_else(|| Usage::new(0, 0, 0));
        let more = |before: Option<u64>, now| before.unwrap_or(0) + now;
        let (thought, read) =
            (more(sum.thought_tokens, reasoning), more(sum.cached_read_tokens, cached));
        let (fresh, all) =
            (sum.input_tokens + input.saturating_sub(cached), sum.total_tokens + input + output);
        let usage = Usage::new(all, fresh, sum.output_tokens + output);
        self.usage = Some(usage.thought_tokens(thought).cached_read_tokens(read));
        {
            let mut record = self.session.record();
            record.used = Some(input + output);
            record.cost += (input + output) as f64 / 1e6;
        }
        let Some(update) = self.session.usage_update() else { return Ok(()) };
        self.session.update(SessionUpdate::UsageUpdate(update))
    }
}
