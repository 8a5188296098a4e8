//! The tool calls of a turn: announced, run, and settled exactly once.

use crate::session::running_turn::OpenCall;
use crate::session::state::State;
use crate::{Error, Result, Turn};
use attache_protocol::v1::{
    ContentBlock, Diff, ProtocolVersion, ToolCall, ToolCallContent, ToolCallId, ToolCallLocation,
    ToolCallStatus, ToolCallUpdate, ToolKind,
};
use attache_protocol::{Meta, Patch, Raw, v2};
use attache_session::{EventBody, ToolCallPatch};
use std::path::Path;
use tokio::sync::watch;

/// A tool call that the client does not know yet: fill it in, then
/// [`announce`](NewToolCall::announce) or [`start`](NewToolCall::start) it.
#[derive(Debug)]
#[must_use = "the client sees nothing of a tool call that is not announced"]
pub struct NewToolCall {
    turn: Turn,
    call: ToolCall,
    cancellable: bool,
}

impl Turn {
    /// Prepares a tool call with a title for the user. The kit chooses its id.
    // TOOL-01.
    pub fn tool_call(&self, title: impl Into<String>, kind: ToolKind) -> NewToolCall {
        let mut call = ToolCall::new("", title);
        call.kind = kind;
        NewToolCall { turn: self.clone(), call, cancellable: false }
    }
}

impl NewToolCall {
    /// Sets the tool's name for programs.
    // TOOL-15.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.call.name = Some(name.into());
        self
    }

    /// Adds a file that the tool works on: an absolute path and a line. The first line is 1.
    // TOOL-10.
    pub fn location(mut self, path: impl AsRef<Path>, line: Option<u32>) -> Self {
        self.call.locations.push(location(path.as_ref(), line));
        self
    }

    /// Sets the input of the tool, as the model sent it.
    pub fn raw_input(mut self, input: Raw) -> Self {
        self.call.raw_input = Some(input);
        self
    }

    /// Adds content to show with the call: text, another block, or a [`diff`].
    pub fn content(mut self, content: impl Into<ToolCallContent>) -> Self {
        self.call.content.push(content.into());
        self
    }

    /// Lets the user cancel this call alone: see [`ToolCallHandle::cancelled`]. Only clients of
    /// version 2 can do that.
    pub fn cancellable(mut self) -> Self {
        self.cancellable = true;
        self
    }

    /// Sends the call as pending: its input is known, and it may need permission.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] if a path is not absolute or a line is 0; or
    /// [`Error::Cancelled`], [`Error::Over`] or [`Error::Disconnected`].
    pub async fn announce(self) -> Result<ToolCallHandle> {
        let Self { turn, mut call, cancellable } = self;
        check(&call.content, &call.locations)?;
        call.meta = turn.stand_in().and_then(child_of);
        turn.ready().await?;
        call.status = ToolCallStatus::Pending;
        // A client of version 2 can name only the sessions that it opened, not those of subagents.
        let cancellable = cancellable
            && turn.open_session().peer.version() == ProtocolVersion::V2
            && turn.open_session().id == turn.root().open_session().id;
        let (cancelled, cancel) = watch::channel(false);
        turn.open_session().in_turn(turn.accepted(), |state| {
            // The sequence is unique in the session, even after a load (TOOL-02).
            call.tool_call_id = ToolCallId::from(format!("call{}", state.session.sequence() + 1));
            let id = call.tool_call_id.clone();
            state.opened_call(OpenCall { id, cancelled: cancellable.then_some(cancelled) });
            let mut announced = attache_session::ToolCall::from(call.clone());
            announced.capabilities = cancellable.then(can_cancel);
            state.post(EventBody::ToolCall(announced))
        })??;
        Ok(ToolCallHandle { turn, call, cancelled: cancel })
    }

    /// Announces the call and marks it as in progress.
    ///
    /// # Errors
    /// Returns the same errors as [`NewToolCall::announce`] and [`ToolCallHandle::start`].
    pub async fn start(self) -> Result<ToolCallHandle> {
        let mut handle = self.announce().await?;
        handle.start().await?;
        Ok(handle)
    }
}

/// A tool call that the client knows. It is settled exactly once, by
/// [`complete`](ToolCallHandle::complete) or [`fail`](ToolCallHandle::fail). If it is dropped, or
/// still open when its turn ends, it has failed.
// TOOL-07 to TOOL-09.
#[derive(Debug)]
#[must_use = "a tool call that is dropped has failed"]
pub struct ToolCallHandle {
    turn: Turn,
    /// The call as the client knows it.
    call: ToolCall,
    /// True once the client cancelled this call.
    cancelled: watch::Receiver<bool>,
}

impl ToolCallHandle {
    /// Returns whether the user cancelled this call alone.
    pub fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }

    /// Waits until the user cancels this call alone; forever if that never happens. Stop the work
    /// then, and settle the call with [`fail`](ToolCallHandle::fail) or drop it: its status becomes
    /// `cancelled`. The turn goes on. A cancel of the whole turn does not end this future.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut cancelled = self.cancelled.clone();
        async move {
            if cancelled.wait_for(|cancelled| *cancelled).await.is_err() {
                // The call is settled.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Returns its id.
    pub fn id(&self) -> &ToolCallId {
        &self.call.tool_call_id
    }

    /// The call as the client knows it.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Marks the call as in progress.
    ///
    /// # Errors
    /// Returns [`Error::Cancelled`], [`Error::Over`] or [`Error::Disconnected`].
    pub async fn start(&mut self) -> Result<()> {
        if self.call.status == ToolCallStatus::InProgress {
            return Ok(());
        }
        let mut update = ToolCallUpdate::new(self.id().clone());
        update.status = Some(ToolCallStatus::InProgress);
        self.send(update).await
    }

    /// Changes the fields that `update` sets: title, kind, input, output, all content, all
    /// locations. The id and the status in `update` are ignored; other functions set the status.
    ///
    /// # Errors
    /// Returns the same errors as [`NewToolCall::announce`].
    // TOOL-05, TOOL-06.
    pub async fn update(&mut self, update: ToolCallUpdate) -> Result<()> {
        self.send(ToolCallUpdate { tool_call_id: self.id().clone(), status: None, ..update }).await
    }

    /// Adds `content` after the content of the call.
    ///
    /// # Errors
    /// Returns the same errors as [`NewToolCall::announce`].
    pub async fn content(&mut self, content: impl Into<ToolCallContent>) -> Result<()> {
        let mut all = self.call.content.clone();
        all.push(content.into());
        self.replace_content(all).await
    }

    /// Adds text after the content of the call. For output that grows piece by piece,
    /// [`replace_content`](ToolCallHandle::replace_content) is cheaper, because ACP v1 sends all
    /// content each time.
    ///
    /// # Errors
    /// Returns the same errors as [`NewToolCall::announce`].
    pub async fn text(&mut self, text: impl Into<String>) -> Result<()> {
        let block = ContentBlock::text(text);
        self.content(block).await
    }

    /// Adds a change to a file; `old` is `None` for a new file.
    ///
    /// # Errors
    /// Returns the same errors as [`NewToolCall::announce`].
    // TOOL-11.
    pub async fn diff(
        &mut self,
        path: impl AsRef<Path>,
        old: Option<&str>,
        new: &str,
    ) -> Result<()> {
        let diff = diff(path, old, new);
        self.content(diff).await
    }

    /// Replaces the content of the call.
    ///
    /// # Errors
    /// Returns the same errors as [`NewToolCall::announce`].
    // TOOL-06.
    pub async fn replace_content(&mut self, content: Vec<ToolCallContent>) -> Result<()> {
        let mut update = ToolCallUpdate::new(self.id().clone());
        update.content = Some(content);
        self.send(update).await
    }

    /// Like [`update`](ToolCallHandle::update), and also works after a cancel: for example to
    /// report the end of a program that the client shows. It never waits, so use it for one or two
    /// updates only.
    ///
    /// # Errors
    /// Returns the same errors as [`ToolCallHandle::complete`], or [`Error::Invalid`] if a path is
    /// not absolute or a line is 0.
    pub fn late_update(&mut self, update: ToolCallUpdate) -> Result<()> {
        let update = ToolCallUpdate { tool_call_id: self.id().clone(), status: None, ..update };
        check(
            update.content.as_deref().unwrap_or_default(),
            update.locations.as_deref().unwrap_or_default(),
        )?;
        let session = self.turn.open_session();
        let call = &mut self.call;
        session.in_turn_even_cancelled(self.turn.accepted(), |state| {
            call.apply(&update);
            state.post(EventBody::ToolCallUpdate(update.into()))
        })?
    }

    /// Settles the call as completed. Also works after a cancel.
    ///
    /// # Errors
    /// Returns [`Error::Over`] or [`Error::Disconnected`].
    pub async fn complete(self) -> Result<()> {
        self.settle(v2::ToolCallStatus::Completed, None)
    }

    /// Settles the call as failed or refused; `why` is shown after its content. Also works after a
    /// cancel.
    ///
    /// # Errors
    /// Returns [`Error::Over`] or [`Error::Disconnected`].
    pub async fn fail(self, why: impl Into<String>) -> Result<()> {
        let mut content = self.call.content.clone();
        content.push(ContentBlock::text(why).into());
        self.settle(v2::ToolCallStatus::Failed, Some(content))
    }

    /// Returns the description of the call in a permission request (PERM-10).
    pub(crate) fn patch(&self) -> ToolCallUpdate {
        let call = &self.call;
        let mut patch = ToolCallUpdate::new(call.tool_call_id.clone());
        patch.title = Some(call.title.clone());
        patch.kind = Some(call.kind.clone());
        patch.status = Some(call.status.clone());
        patch.content = (!call.content.is_empty()).then(|| call.content.clone());
        patch.locations = (!call.locations.is_empty()).then(|| call.locations.clone());
        patch.raw_input.clone_from(&call.raw_input);
        patch
    }

    async fn send(&mut self, update: ToolCallUpdate) -> Result<()> {
        check(
            update.content.as_deref().unwrap_or_default(),
            update.locations.as_deref().unwrap_or_default(),
        )?;
        self.turn.ready().await?;
        let session = self.turn.open_session();
        let call = &mut self.call;
        session.in_turn(self.turn.accepted(), |state| {
            call.apply(&update);
            state.post(EventBody::ToolCallUpdate(update.into()))
        })?
    }

    /// Settles the call, at most once: the drop that follows does nothing. Never waits, because
    /// there is only one such update for each call.
    fn settle(
        &self,
        status: v2::ToolCallStatus,
        content: Option<Vec<ToolCallContent>>,
    ) -> Result<()> {
        let session = self.turn.open_session();
        session.in_turn_even_cancelled(self.turn.accepted(), |state| {
            state.settle_call(self.id(), status, content)
        })?
    }
}

impl State {
    /// Sends the last update of a tool call that is open.
    fn settle_call(
        &mut self,
        id: &ToolCallId,
        status: v2::ToolCallStatus,
        content: Option<Vec<ToolCallContent>>,
    ) -> Result<()> {
        let Some(call) = self.settles_call(id) else { return Ok(()) };
        let mut patch = call.last_patch(status);
        patch.content = content.map_or(Patch::Keep, |content| {
            Patch::Set(content.into_iter().map(Into::into).collect())
        });
        self.post(EventBody::ToolCallUpdate(patch))
    }
}

impl OpenCall {
    /// Returns the patch that ends the call with this status, or as cancelled if it failed because
    /// the client cancelled it.
    pub(crate) fn last_patch(&self, status: v2::ToolCallStatus) -> ToolCallPatch {
        let status = match status {
            v2::ToolCallStatus::Failed if self.is_cancelled() => v2::ToolCallStatus::Cancelled,
            status => status,
        };
        let mut patch = ToolCallPatch::with_status(self.id.clone(), status);
        if self.cancelled.is_some() {
            // V2-43.
            patch.capabilities = Patch::Clear;
        }
        patch
    }
}

/// The capabilities of a tool call that the client can cancel.
fn can_cancel() -> v2::ToolCallCapabilities {
    v2::ToolCallCapabilities {
        cancel: Some(v2::ToolCallCancelCapabilities::default()),
        ..v2::ToolCallCapabilities::default()
    }
}

impl Drop for ToolCallHandle {
    fn drop(&mut self) {
        let (id, accepted) = (self.id().clone(), self.turn.accepted().clone());
        // If the turn is over, its end settled the call.
        self.turn.open_session().defer_in_turn(self.turn.accepted(), move |state| {
            let status = state.cut_off_status(accepted.is_cancelled());
            let _ = state.settle_call(&id, status, None);
        });
    }
}

/// Returns content that shows a change to a file; `old` is `None` for a new file. The path must be
/// absolute.
// TOOL-11.
pub fn diff(path: impl AsRef<Path>, old: Option<&str>, new: &str) -> ToolCallContent {
    let mut diff = Diff::new(path.as_ref().to_string_lossy(), new);
    diff.old_text = old.map(str::to_owned);
    ToolCallContent::Diff(diff)
}

/// Returns the metadata of a call by a subagent that a tool call represents (META-07).
fn child_of(parent: &ToolCallId) -> Option<Meta> {
    let parent = attache_protocol::encode(parent);
    Meta::new(Raw::from_text(&format!(r#"{{"attache/parentToolCallId":{parent}}}"#)).ok()?)
}

fn location(path: &Path, line: Option<u32>) -> ToolCallLocation {
    let mut location = ToolCallLocation::new(path.to_string_lossy());
    location.line = line;
    location
}

/// Checks the conditions of ACP for paths and lines (RPC-31, RPC-32).
fn check(content: &[ToolCallContent], locations: &[ToolCallLocation]) -> Result<()> {
    let diffs = content.iter().filter_map(|content| match content {
        ToolCallContent::Diff(diff) => Some(&diff.path),
        _ => None,
    });
    for path in diffs.chain(locations.iter().map(|location| &location.path)) {
        if !Path::new(path).is_absolute() {
            return Err(Error::invalid(format!(
                "the path {path:?} of a tool call is not absolute"
            )));
        }
    }
    if locations.iter().any(|location| location.line == Some(0)) {
        return Err(Error::invalid("a tool call has the line 0: the first line is 1"));
    }
    Ok(())
}
