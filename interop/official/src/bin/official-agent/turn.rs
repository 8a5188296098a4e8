//! One running prompt: each command becomes the messages that it stands for.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use agent_client_protocol::v1::schema::{
    Content, ContentBlock, ContentChunk, Cost, PermissionOption, PermissionOptionKind, Plan, PlanEntry,
    PlanEntryPriority, PlanEntryStatus, PromptResponse, ReadTextFileRequest, RequestPermissionOutcome,
    RequestPermissionRequest, SessionId, SessionInfoUpdate, SessionUpdate, StopReason, ToolCall,
    ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
    UsageUpdate, WriteTextFileRequest,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Client, Error, Result};
use official_peers::command::Command;
use tokio::sync::watch;

use crate::sessions::{Sessions, notify};

/// One running prompt.
pub(crate) struct Turn {
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) client: ConnectionTo<Client>,
    pub(crate) session_id: SessionId,
    pub(crate) cwd: PathBuf,
    pub(crate) cancel: watch::Sender<bool>,
    pub(crate) commands: Vec<Command>,
}

impl Turn {
    /// Runs to the end and answers. An error of a task would end the connection, so it goes into the answer.
    pub(crate) async fn answer(self, responder: Responder<PromptResponse>) -> Result<()> {
        let cancellation = responder.cancellation();
        let outcome = {
            let mut run = std::pin::pin!(self.run());
            tokio::select! {
                outcome = &mut run => outcome,
                () = cancellation.cancelled() => {
                    self.cancel.send_replace(true);
                    run.await
                }
            }
        };
        self.sessions.with_session(&self.session_id, |session| {
            session.cancel = None;
            Ok(())
        })?;
        responder.respond_with_result(outcome.map(PromptResponse::new))
    }

    async fn run(&self) -> Result<StopReason> {
        for command in &self.commands {
            if *self.cancel.borrow() {
                break;
            }
            self.perform(command).await?;
        }
        Ok(if *self.cancel.borrow() { StopReason::Cancelled } else { StopReason::EndTurn })
    }

    async fn perform(&self, command: &Command) -> Result<()> {
        match command {
            Command::Say(text) => self.say(text),
            Command::Think(text) => self.update(SessionUpdate::AgentThoughtChunk(chunk(text))),
            Command::Tool(title) => self.tool(title),
            Command::Ask => self.ask().await,
            Command::Read(path) => self.read(path).await,
            Command::Write(path, text) => self.write(path, text).await,
            Command::Plan => self.plan(),
            Command::Usage(used, size) => {
                let usage = UsageUpdate::new(*used, *size).cost(Cost::new(0.25, "USD"));
                self.update(SessionUpdate::UsageUpdate(usage))
            }
            Command::Title(title) => {
                self.update(SessionUpdate::SessionInfoUpdate(SessionInfoUpdate::new().title(title.clone())))
            }
            Command::Flood(count, size) => self.flood(*count, *size).await,
            Command::Sleep(ms) => {
                // Ending early is no error: the caller looks at `cancel` before the next command.
                let _ = tokio::time::timeout(Duration::from_millis(*ms), self.cancelled()).await;
                Ok(())
            }
            Command::Wait => {
                self.cancelled().await;
                Ok(())
            }
            Command::Error => Err(Error::internal_error().data("the prompt asked for an error")),
            Command::Exit(code) => std::process::exit(*code),
            Command::Stderr(text) => {
                eprintln!("{text}");
                Ok(())
            }
        }
    }

    async fn cancelled(&self) {
        // The sender is ours, so the channel cannot close before the value comes.
        let _ = self.cancel.subscribe().wait_for(|cancelled| *cancelled).await;
    }

    fn update(&self, update: SessionUpdate) -> Result<()> {
        notify(&self.client, &self.session_id, update)
    }

    fn say(&self, text: &str) -> Result<()> {
        self.update(SessionUpdate::AgentMessageChunk(chunk(text)))
    }

    fn begin_tool_call(&self, title: &str) -> Result<ToolCallUpdate> {
        let number = self.sessions.with_session(&self.session_id, |session| {
            session.tool_calls += 1;
            Ok(session.tool_calls)
        })?;
        let id = format!("call-{number}");
        let location = ToolCallLocation::new(self.cwd.join("notes.txt")).line(1);
        let call = ToolCall::new(id.clone(), title)
            .kind(ToolKind::Other)
            .status(ToolCallStatus::Pending)
            .locations(vec![location]);
        self.update(SessionUpdate::ToolCall(call))?;
        Ok(ToolCallUpdate::new(id, ToolCallUpdateFields::new()))
    }

    fn patch(&self, call: &ToolCallUpdate, fields: ToolCallUpdateFields) -> Result<()> {
        let update = ToolCallUpdate::new(call.tool_call_id.clone(), fields);
        self.update(SessionUpdate::ToolCallUpdate(update))
    }

    fn tool(&self, title: &str) -> Result<()> {
        let call = self.begin_tool_call(title)?;
        self.patch(&call, ToolCallUpdateFields::new().status(ToolCallStatus::InProgress))?;
        let output = ToolCallContent::Content(Content::new(format!("{title}: done")));
        let done = ToolCallUpdateFields::new().status(ToolCallStatus::Completed).content(vec![output]);
        self.patch(&call, done)
    }

    /// A cancelled turn still waits here: the client owes an answer with the outcome `cancelled` (PERM-06).
    async fn ask(&self) -> Result<()> {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let mut call = self.begin_tool_call("ask")?;
        call.fields.title = Some("ask".into());
        let options = [
            ("allow_once", "Allow once", AllowOnce),
            ("allow_always", "Allow always", AllowAlways),
            ("reject_once", "Reject once", RejectOnce),
            ("reject_always", "Reject always", RejectAlways),
        ];
        let options = options.map(|(id, name, kind)| PermissionOption::new(id, name, kind)).to_vec();
        let request = RequestPermissionRequest::new(self.session_id.clone(), call.clone(), options);
        let outcome = self.client.send_request(request).block_task().await?.outcome;
        let answer = match outcome {
            RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string(),
            _ => "cancelled".into(),
        };
        let allowed = answer.starts_with("allow_");
        let status = if allowed { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
        self.patch(&call, ToolCallUpdateFields::new().status(status))?;
        self.say(&format!("permission: {answer}"))
    }

    async fn read(&self, path: &Path) -> Result<()> {
        if !self.sessions.reads.load(Relaxed) {
            return self.say("read: not offered");
        }
        let request = ReadTextFileRequest::new(self.session_id.clone(), self.cwd.join(path));
        match self.client.send_request(request).block_task().await {
            Ok(file) => self.say(&format!("read: {}", file.content.len())),
            Err(error) => self.say(&format!("read: error {}", i32::from(error.code))),
        }
    }

    async fn write(&self, path: &Path, text: &str) -> Result<()> {
        if !self.sessions.writes.load(Relaxed) {
            return self.say("write: not offered");
        }
        let request = WriteTextFileRequest::new(self.session_id.clone(), self.cwd.join(path), text);
        match self.client.send_request(request).block_task().await {
            Ok(_) => self.say("write: done"),
            Err(error) => self.say(&format!("write: error {}", i32::from(error.code))),
        }
    }

    fn plan(&self) -> Result<()> {
        use PlanEntryPriority::{High, Low, Medium};
        use PlanEntryStatus::{Completed, InProgress, Pending};
        let entries = [("look", High, Completed), ("change", Medium, InProgress), ("test", Low, Pending)];
        let entries = entries.map(|(content, priority, status)| PlanEntry::new(content, priority, status));
        self.update(SessionUpdate::Plan(Plan::new(entries.to_vec())))
    }

    async fn flood(&self, count: u64, size: usize) -> Result<()> {
        let text = "0123456789abcdef".chars().cycle().take(size).collect::<String>();
        for _ in 0..count {
            if *self.cancel.borrow() {
                break;
            }
            self.say(&text)?;
            // Sending never waits, and the connection reads a cancel only when this task lets it.
            tokio::task::yield_now().await;
        }
        Ok(())
    }
}

fn chunk(text: &str) -> ContentChunk {
    ContentChunk::new(ContentBlock::from(text))
}
