//! A running prompt: it performs the commands of `official_peers::command`.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use agent_client_protocol::v2::schema::{
    self, AgentMessage, AgentThought, CompactionStatus, CompactionUpdate, Content, ContentBlock,
    ContentChunk, Cost, ErrorStopReason, IdleStateUpdate, Notice, NoticeSeverity, PermissionOption,
    PermissionOptionKind, PlanEntry, PlanEntryPriority, PlanEntryStatus, PlanItems, PlanUpdate,
    PlanUpdateContent, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionSubject, SessionInfoUpdate, SessionUpdate, StopReason,
    ToolCallCancelCapabilities, ToolCallCapabilities, ToolCallContent, ToolCallLocation,
    ToolCallPermissionSubject, ToolCallStatus, ToolCallUpdate, ToolKind, Usage, UsageUpdate,
};
use agent_client_protocol::{Error, JsonRpcRequest, Result};
use official_peers::acts::{self, Tokens};
use official_peers::command::Command;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::patch::diff;
use crate::session::Session;

/// How a command failed.
pub(crate) enum Failure {
    Cancelled,
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

pub(crate) type Outcome<T = ()> = std::result::Result<T, Failure>;

/// A message that is not complete yet: whether it is a thought, its id and its text.
type Message = (bool, String, String);

pub(crate) struct Turn<'a> {
    pub(crate) session: &'a Session,
    cancelled: watch::Receiver<u64>,
    message: Option<Message>,
    /// The tool calls that have not ended.
    open: Vec<String>,
    usage: Option<Usage>,
}

impl<'a> Turn<'a> {
    /// `cancelled` has not changed since the prompt arrived, unless the turn is cancelled.
    pub(crate) fn new(session: &'a Session, cancelled: watch::Receiver<u64>) -> Self {
        Self { session, cancelled, message: None, open: Vec::new(), usage: None }
    }

    /// Runs to the end. Fails only if the client is gone.
    pub(crate) async fn run(mut self, prompt: &[ContentBlock]) -> Result<IdleStateUpdate> {
        let texts = prompt.iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        let done = match acts::parse(&text) {
            Some(acts) => self.perform_acts(acts).await,
            None => self.obey(&text).await.map(|()| StopReason::EndTurn),
        };
        let stop = match done {
            _ if self.is_cancelled() => StopReason::Cancelled,
            Ok(stop) => stop,
            Err(Failure::Cancelled) => StopReason::Cancelled,
            Err(Failure::Error(error)) => {
                let error = schema::Error::new(i32::from(error.code), error.message);
                StopReason::Error(ErrorStopReason::new().error(error))
            }
        };
        for id in std::mem::take(&mut self.open) {
            self.session.end_call(&id);
            let end = ToolCallUpdate::new(id).status(ToolCallStatus::Cancelled);
            self.session.update(SessionUpdate::ToolCallUpdate(end))?;
        }
        self.end_message()?;
        Ok(IdleStateUpdate::new().stop_reason(stop).usage(self.usage))
    }

    pub(crate) fn go_on(&self) -> Outcome {
        if self.is_cancelled() { Err(Failure::Cancelled) } else { Ok(()) }
    }

    pub(crate) fn think(&mut self, text: &str) -> Outcome {
        self.chunk(true, text)
    }

    /// Returns whether a text is in the session's conversation, outside of acts.
    pub(crate) fn recalls(&self, text: &str) -> bool {
        fn texts(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::String(text) => found.push(acts::without(text)),
                Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
                Value::Object(members) => members.values().for_each(|value| texts(value, found)),
                _ => {}
            }
        }
        let mut found = Vec::new();
        texts(&json!(self.session.record().transcript), &mut found);
        found.iter().any(|known| known.contains(text))
    }

    /// Counts the tokens of one response of the model; `input` includes cached tokens.
    pub(crate) fn add_usage(&mut self, tokens: Tokens) {
        let sum = self.usage.get_or_insert_with(|| Usage::new(0, 0, 0));
        sum.total_tokens += tokens.input + tokens.output;
        sum.input_tokens += tokens.input - tokens.cached;
        sum.output_tokens += tokens.output;
        *sum.thought_tokens.get_or_insert(0) += tokens.reasoning;
        *sum.cached_read_tokens.get_or_insert(0) += tokens.cached;
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.has_changed().unwrap_or(true)
    }

    /// Waits until the turn is cancelled.
    pub(crate) async fn cancellation(&self) {
        // An error means that the session is gone.
        let _ = self.cancelled.clone().changed().await;
    }

    async fn obey(&mut self, text: &str) -> Outcome {
        match Command::parse_all(text) {
            Ok(commands) => {
                for command in commands {
                    if self.is_cancelled() {
                        return Err(Failure::Cancelled);
                    }
                    self.perform(command).await?;
                }
                Ok(())
            }
            Err(why) => self.say(&why),
        }
    }

    async fn perform(&mut self, command: Command) -> Outcome {
        match command {
            Command::Say(text) => self.say(&text),
            Command::Think(text) => self.chunk(true, &text),
            Command::Tool(title) => self.tool(&title),
            Command::Cancellable(title) => self.cancellable(&title).await,
            Command::Ask => self.ask().await,
            Command::Read(path) => self.read(&path),
            Command::Write(path, text) => self.write(&path, &text).await,
            Command::Plan | Command::Plans => self.plan(),
            Command::Question(text) => self.say(&format!("No form can be shown here: {text}")),
            Command::Subagent(title) => self.say(&format!("subagent: {title}")),
            Command::Notice(severity, title) => {
                let severity: NoticeSeverity =
                    serde_json::from_value(json!(severity)).unwrap_or(NoticeSeverity::Info);
                self.notify(SessionUpdate::Notice(Notice::new(severity, title)))
            }
            Command::Compact => {
                let id = self.session.new_id("compaction");
                let update = CompactionUpdate::new(id, CompactionStatus::Completed);
                Ok(self.session.update(SessionUpdate::CompactionUpdate(update))?)
            }
            Command::Usage(used, size) => {
                let usage = UsageUpdate::new(used, size).cost(Cost::new(0.25, "USD"));
                self.notify(SessionUpdate::UsageUpdate(usage))
            }
            Command::Title(title) => {
                self.session.record().title = Some(title.clone());
                let info = SessionInfoUpdate::new().title(title);
                self.notify(SessionUpdate::SessionInfoUpdate(info))
            }
            Command::Flood(count, size) => self.flood(count, size).await,
            Command::Sleep(milliseconds) => {
                let time = tokio::time::sleep(Duration::from_millis(milliseconds));
                tokio::select! {
                    () = time => {}
                    () = self.cancellation() => {}
                }
                Ok(())
            }
            Command::Wait => {
                self.cancellation().await;
                Ok(())
            }
            Command::Error => Err(Error::new(-32603, "the prompt asked for an error").into()),
            Command::Exit(code) => std::process::exit(code),
            Command::Stderr(text) => {
                eprintln!("{text}");
                Ok(())
            }
        }
    }

    pub(crate) fn notify(&self, update: SessionUpdate) -> Outcome {
        Ok(self.session.notify(update)?)
    }

    pub(crate) fn say(&mut self, text: &str) -> Outcome {
        self.chunk(false, text)
    }

    /// Sends one piece of a message; another kind of message gets another id.
    fn chunk(&mut self, is_thought: bool, text: &str) -> Outcome {
        if self.message.as_ref().is_none_or(|(thought, ..)| *thought != is_thought) {
            self.end_message()?;
            self.message = Some((is_thought, self.session.new_id("message"), String::new()));
        }
        let Some((_, id, all)) = &mut self.message else { return Ok(()) };
        all.push_str(text);
        let chunk = ContentChunk::new(text.into(), id.clone());
        self.session.notify(if is_thought {
            SessionUpdate::AgentThoughtChunk(chunk)
        } else {
            SessionUpdate::AgentMessageChunk(chunk)
        })?;
        Ok(())
    }

    /// Sends the complete message, which a replay sends again.
    pub(crate) fn end_message(&mut self) -> Result<()> {
        let Some((is_thought, id, text)) = self.message.take() else { return Ok(()) };
        let content: Vec<ContentBlock> = vec![text.into()];
        self.session.update(if is_thought {
            SessionUpdate::AgentThought(AgentThought::new(id).content(content))
        } else {
            SessionUpdate::AgentMessage(AgentMessage::new(id).content(content))
        })
    }

    /// Announces a tool call, and returns its id.
    pub(crate) fn begin(
        &mut self,
        with: impl FnOnce(ToolCallUpdate) -> ToolCallUpdate,
    ) -> Outcome<String> {
        self.end_message()?;
        let id = self.session.new_id("call");
        self.open.push(id.clone());
        let call = with(ToolCallUpdate::new(id.clone()).status(ToolCallStatus::Pending));
        self.session.update(SessionUpdate::ToolCallUpdate(call))?;
        Ok(id)
    }

    pub(crate) fn change(&self, call: ToolCallUpdate) -> Outcome {
        Ok(self.session.update(SessionUpdate::ToolCallUpdate(call))?)
    }

    pub(crate) fn end(&mut self, call: ToolCallUpdate) -> Outcome {
        self.open.retain(|id| **id != *call.tool_call_id.0);
        self.change(call)
    }

    fn tool(&mut self, title: &str) -> Outcome {
        let place = ToolCallLocation::new(self.path(Path::new("notes.txt"))).line(1);
        let id =
            self.begin(|call| call.title(title).kind(ToolKind::Other).locations(vec![place]))?;
        self.change(ToolCallUpdate::new(id.clone()).status(ToolCallStatus::InProgress))?;
        let content = vec![text_content(format!("{title}: done"))];
        self.end(ToolCallUpdate::new(id).status(ToolCallStatus::Completed).content(content))
    }

    async fn cancellable(&mut self, title: &str) -> Outcome {
        let cancel = ToolCallCapabilities::new().cancel(ToolCallCancelCapabilities::new());
        // The client can cancel the call as soon as it knows the call, so it is registered before.
        let id = self.begin(|call| call.title(title).kind(ToolKind::Execute))?;
        let mut stop = self.session.begin_call(&id);
        let running = ToolCallUpdate::new(id.clone()).status(ToolCallStatus::InProgress);
        self.change(running.capabilities(cancel))?;
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => {}
            () = self.cancellation() => return Err(Failure::Cancelled),
        }
        self.session.end_call(&id);
        self.end(ToolCallUpdate::new(id).status(ToolCallStatus::Cancelled))?;
        self.say(&format!("{title}: cancelled"))
    }

    async fn ask(&mut self) -> Outcome {
        let id = self.begin(|call| call.title("ask").kind(ToolKind::Other))?;
        let shown = ToolCallUpdate::new(id.clone()).title("ask").kind(ToolKind::Other);
        let answer = self.permission("May it run?", shown).await?;
        let status = if answer.starts_with("allow_") {
            ToolCallStatus::Completed
        } else {
            ToolCallStatus::Failed
        };
        self.end(ToolCallUpdate::new(id).status(status))?;
        self.say(&format!("permission: {answer}"))
    }

    /// Returns the chosen option, or `cancelled` for one that was not offered.
    async fn permission(&self, title: &str, call: ToolCallUpdate) -> Outcome<String> {
        let options = options();
        let subject =
            RequestPermissionSubject::ToolCall(Box::new(ToolCallPermissionSubject::new(call)));
        let request = RequestPermissionRequest::new(self.session.id(), title, options.clone())
            .subject(subject);
        let answered = self.request(request).await?;
        Ok(match answered.map(|answer| answer.outcome) {
            Ok(RequestPermissionOutcome::Selected(selected))
                if options.iter().any(|option| option.option_id == selected.option_id) =>
            {
                selected.option_id.to_string()
            }
            _ => "cancelled".into(),
        })
    }

    /// Asks the person through the client. The end of the turn withdraws the question.
    pub(crate) async fn request<R: JsonRpcRequest>(
        &self,
        request: R,
    ) -> Outcome<Result<R::Response>> {
        self.go_on()?;
        self.session.requires_action()?;
        let sent = self.session.client.send_request(request);
        let answered = tokio::select! {
            answered = sent.block_task() => answered,
            () = self.cancellation() => return Err(Failure::Cancelled),
        };
        self.go_on()?;
        self.session.running()?;
        Ok(answered)
    }

    /// Returns whether a tool of this kind may run: by earlier decisions, the mode, or the answer.
    pub(crate) async fn allows(
        &self,
        kind: ToolKind,
        title: &str,
        call: ToolCallUpdate,
    ) -> Outcome<bool> {
        {
            let record = self.session.record();
            if let Some((_, allowed)) = record.decided.iter().find(|(known, _)| *known == kind) {
                return Ok(*allowed);
            }
            if record.options.mode == "code" {
                return Ok(true);
            }
        }
        let answer = self.permission(&format!("{title}?"), call).await?;
        let allowed = answer.starts_with("allow_");
        if answer.ends_with("_always") {
            self.session.record().decided.push((kind, allowed));
        }
        Ok(allowed)
    }

    pub(crate) fn path(&self, file: &Path) -> PathBuf {
        self.session.record().cwd.join(file)
    }

    /// Returns the path if it is inside of the session's folder.
    fn inside(&self, file: &Path) -> std::io::Result<PathBuf> {
        let leaves = file.components().any(|part| part == Component::ParentDir);
        if leaves || file.is_absolute() {
            return Err(std::io::Error::other("this is outside of the folder"));
        }
        Ok(self.path(file))
    }

    pub(crate) fn read(&mut self, file: &Path) -> Outcome {
        let title = format!("Read {}", file.display());
        let place = ToolCallLocation::new(self.path(file));
        let id =
            self.begin(|call| call.title(title).kind(ToolKind::Read).locations(vec![place]))?;
        match self.inside(file).and_then(std::fs::read_to_string) {
            Ok(text) => {
                let size = text.len();
                let end = ToolCallUpdate::new(id).status(ToolCallStatus::Completed);
                self.end(end.content(vec![text_content(text)]))?;
                self.say(&format!("read: {size}"))
            }
            Err(error) => {
                self.end(ToolCallUpdate::new(id).status(ToolCallStatus::Failed))?;
                self.say(&format!("read: {error}"))
            }
        }
    }

    pub(crate) async fn write(&mut self, file: &Path, text: &str) -> Outcome {
        let (title, path) = (format!("Write {}", file.display()), self.path(file));
        let before = std::fs::read_to_string(&path).ok();
        let changes = ToolCallContent::Diff(diff(&path, before.as_deref(), text));
        let shown = |call: ToolCallUpdate| {
            let places = vec![ToolCallLocation::new(path.clone())];
            call.title(title.clone())
                .kind(ToolKind::Edit)
                .locations(places)
                .content(vec![changes.clone()])
        };
        let id = self.begin(shown)?;
        let asked = shown(ToolCallUpdate::new(id.clone()));
        let allowed = self.allows(ToolKind::Edit, &title, asked).await?;
        let written = match allowed {
            true => self.inside(file).and_then(|path| std::fs::write(path, text)),
            false => Err(std::io::Error::other("rejected")),
        };
        let status =
            if written.is_ok() { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
        self.end(ToolCallUpdate::new(id).status(status))?;
        match written {
            Ok(()) => self.say("write: done"),
            Err(error) => self.say(&format!("write: {error}")),
        }
    }

    fn plan(&mut self) -> Outcome {
        use PlanEntryPriority::{High, Low, Medium};
        use PlanEntryStatus::{Completed, InProgress, Pending};
        let entries = vec![
            PlanEntry::new("look", High, Completed),
            PlanEntry::new("change", Medium, InProgress),
            PlanEntry::new("test", Low, Pending),
        ];
        self.show_plan(entries)
    }

    pub(crate) fn show_plan(&mut self, entries: Vec<PlanEntry>) -> Outcome {
        let plan = PlanUpdate::new(PlanUpdateContent::Items(PlanItems::new("first", entries)));
        Ok(self.session.update(SessionUpdate::PlanUpdate(plan))?)
    }

    async fn flood(&mut self, count: u64, size: usize) -> Outcome {
        let text: String = "0123456789abcdef".chars().cycle().take(size).collect();
        for _ in 0..count {
            if self.is_cancelled() {
                return Err(Failure::Cancelled);
            }
            self.say(&text)?;
            tokio::task::yield_now().await;
        }
        Ok(())
    }
}

fn options() -> Vec<PermissionOption> {
    use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let options = [
        ("allow_once", "Allow once", AllowOnce),
        ("allow_always", "Allow always", AllowAlways),
        ("reject_once", "Reject once", RejectOnce),
        ("reject_always", "Reject always", RejectAlways),
    ];
    options.map(|(id, name, kind)| PermissionOption::new(id, name, kind)).to_vec()
}

pub(crate) fn text_content(text: String) -> ToolCallContent {
    ToolCallContent::Content(Box::new(Content::new(text)))
}
