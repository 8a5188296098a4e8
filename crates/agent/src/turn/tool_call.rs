//! Tool calls of a turn: announced, run, settled exactly once.

use crate::session::state::State;
use crate::{Error, Result, Turn};
use attache_protocol::v1::{
    ContentBlock, Diff, ToolCall, ToolCallContent, ToolCallId, ToolCallLocation, ToolCallStatus,
    ToolCallUpdate, ToolKind,
};
use attache_protocol::{Meta, Raw};
use attache_session::EventBody;
use std::path::Path;

/// A tool call that the client has not seen yet: fill it in, then
/// [`announce`](NewToolCall::announce) or [`start`](NewToolCall::start) it.
#[derive(Debug)]
#[must_use = "the client sees nothing of a tool call that is not announced"]
pub struct NewToolCall {
    turn: Turn,
    call: ToolCall,
}

impl Turn {
    /// A tool call with a title for people (TOOL-01). Its id is the kit's.
    pub fn tool_call(&self, title: impl Into<String>, kind: ToolKind) -> NewToolCall {
        let mut call = ToolCall::new("", title);
        call.kind = kind;
        NewToolCall { turn: self.clone(), call }
    }
}

impl NewToolCall {
    /// The tool's name in the program (TOOL-15).
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.call.name = Some(name.into());
        self
    }

    /// A file that the tool works on: an absolute path, and a line, the first of which is 1
    /// (TOOL-10).
    pub fn location(mut self, path: impl AsRef<Path>, line: Option<u32>) -> Self {
        self.call.locations.push(location(path.as_ref(), line));
        self
    }

    /// The tool's input as the model gave it.
    pub fn raw_input(mut self, input: Raw) -> Self {
        self.call.raw_input = Some(input);
        self
    }

    /// Something to show with the call: a text, another block, a [`diff`].
    pub fn content(mut self, content: impl Into<ToolCallContent>) -> Self {
        self.call.content.push(content.into());
        self
    }

    /// Shows the call as pending: its input is known, and it may need permission.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a path that is not absolute or a line 0; [`Error::Cancelled`],
    /// [`Error::Over`], [`Error::Gone`].
    pub async fn announce(self) -> Result<ToolCallHandle> {
        let Self { turn, mut call } = self;
        check(&call.content, &call.locations)?;
        call.meta = turn.stand_in().and_then(child_of);
        turn.ready().await?;
        call.status = ToolCallStatus::Pending;
        turn.open_session().in_turn(turn.accepted(), |state| {
            // The sequence is unique in the session, also after it was loaded again (TOOL-02).
            call.tool_call_id = ToolCallId::from(format!("call{}", state.session.sequence() + 1));
            state.opened_call(call.tool_call_id.clone());
            state.post(EventBody::ToolCall(call.clone()))
        })??;
        Ok(ToolCallHandle { turn, call })
    }

    /// [`announce`](NewToolCall::announce) and [`ToolCallHandle::start`] in one.
    ///
    /// # Errors
    /// As those two.
    pub async fn start(self) -> Result<ToolCallHandle> {
        let mut handle = self.announce().await?;
        handle.start().await?;
        Ok(handle)
    }
}

/// A tool call that the client sees. It is settled exactly once, by
/// [`complete`](ToolCallHandle::complete) or [`fail`](ToolCallHandle::fail); one that is dropped,
/// or still open when its turn ends, has failed (TOOL-07 to TOOL-09).
#[derive(Debug)]
#[must_use = "a tool call that is dropped has failed"]
pub struct ToolCallHandle {
    turn: Turn,
    /// The call as the client knows it.
    call: ToolCall,
}

impl ToolCallHandle {
    /// Its id.
    pub fn id(&self) -> &ToolCallId {
        &self.call.tool_call_id
    }

    /// The call as the client knows it.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// The tool runs from now on.
    ///
    /// # Errors
    /// [`Error::Cancelled`], [`Error::Over`], [`Error::Gone`].
    pub async fn start(&mut self) -> Result<()> {
        if self.call.status == ToolCallStatus::InProgress {
            return Ok(());
        }
        let mut update = ToolCallUpdate::new(self.id().clone());
        update.status = Some(ToolCallStatus::InProgress);
        self.send(update).await
    }

    /// Changes what `update` names: title, kind, input, output, all content, all locations
    /// (TOOL-05, TOOL-06). Its id and status are not looked at: a status has its own functions.
    ///
    /// # Errors
    /// As [`NewToolCall::announce`].
    pub async fn update(&mut self, update: ToolCallUpdate) -> Result<()> {
        self.send(ToolCallUpdate { tool_call_id: self.id().clone(), status: None, ..update }).await
    }

    /// Shows `content` behind what the call shows already.
    ///
    /// # Errors
    /// As [`NewToolCall::announce`].
    pub async fn content(&mut self, content: impl Into<ToolCallContent>) -> Result<()> {
        let mut all = self.call.content.clone();
        all.push(content.into());
        self.replace_content(all).await
    }

    /// Shows a text behind what the call shows already. Output that grows piece by piece is cheaper
    /// with [`replace_content`](ToolCallHandle::replace_content): v1 sends all content each time.
    ///
    /// # Errors
    /// As [`NewToolCall::announce`].
    pub async fn text(&mut self, text: impl Into<String>) -> Result<()> {
        let block = ContentBlock::text(text);
        self.content(block).await
    }

    /// Shows a change to a file; `old` is `None` for a new one (TOOL-11).
    ///
    /// # Errors
    /// As [`NewToolCall::announce`].
    pub async fn diff(
        &mut self,
        path: impl AsRef<Path>,
        old: Option<&str>,
        new: &str,
    ) -> Result<()> {
        let diff = diff(path, old, new);
        self.content(diff).await
    }

    /// Shows `content` in place of what the call shows (TOOL-06).
    ///
    /// # Errors
    /// As [`NewToolCall::announce`].
    pub async fn replace_content(&mut self, content: Vec<ToolCallContent>) -> Result<()> {
        let mut update = ToolCallUpdate::new(self.id().clone());
        update.content = Some(content);
        self.send(update).await
    }

    /// The same as [`update`](ToolCallHandle::update) for what must be told also after a cancel,
    /// such as the end of a program that the client shows. It never waits, so it is for one update
    /// or two.
    ///
    /// # Errors
    /// As [`ToolCallHandle::complete`]; [`Error::Invalid`] as [`NewToolCall::announce`].
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
            state.post(EventBody::ToolCallUpdate(update))
        })?
    }

    /// The tool did what it was asked to. Works also after a cancel: it says what happened.
    ///
    /// # Errors
    /// [`Error::Over`], [`Error::Gone`].
    pub async fn complete(self) -> Result<()> {
        self.settle(ToolCallStatus::Completed, None)
    }

    /// The tool failed, or was not allowed to run; `why` is shown behind what the call shows
    /// already. Works also after a cancel.
    ///
    /// # Errors
    /// [`Error::Over`], [`Error::Gone`].
    pub async fn fail(self, why: impl Into<String>) -> Result<()> {
        let mut content = self.call.content.clone();
        content.push(ContentBlock::text(why).into());
        self.settle(ToolCallStatus::Failed, Some(content))
    }

    /// What a permission request says about the call (PERM-10).
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
            state.post(EventBody::ToolCallUpdate(update))
        })?
    }

    /// Never waits, as a settled call is owed and there is one of it. Whoever comes first settles;
    /// the drop that follows finds nothing open.
    fn settle(&self, status: ToolCallStatus, content: Option<Vec<ToolCallContent>>) -> Result<()> {
        let session = self.turn.open_session();
        session.in_turn_even_cancelled(self.turn.accepted(), |state| {
            state.settle_call(self.id(), status, content)
        })?
    }
}

impl State {
    /// The last update of a tool call that is open.
    fn settle_call(
        &mut self,
        id: &ToolCallId,
        status: ToolCallStatus,
        content: Option<Vec<ToolCallContent>>,
    ) -> Result<()> {
        if !self.settles_call(id) {
            return Ok(());
        }
        let mut update = ToolCallUpdate::new(id.clone());
        update.status = Some(status);
        update.content = content;
        self.post(EventBody::ToolCallUpdate(update))
    }
}

impl Drop for ToolCallHandle {
    fn drop(&mut self) {
        let id = self.id().clone();
        // If the turn is over, its end settled the call.
        self.turn.open_session().defer_in_turn(self.turn.accepted(), move |state| {
            let _ = state.settle_call(&id, ToolCallStatus::Failed, None);
        });
    }
}

/// A change to a file, to be shown with a tool call; `old` is `None` for a new file (TOOL-11). The
/// path must be absolute.
pub fn diff(path: impl AsRef<Path>, old: Option<&str>, new: &str) -> ToolCallContent {
    let mut diff = Diff::new(path.as_ref().to_string_lossy(), new);
    diff.old_text = old.map(str::to_owned);
    ToolCallContent::Diff(diff)
}

/// What says that a call is one of a subagent, for which another call stands (META-07).
fn child_of(parent: &ToolCallId) -> Option<Meta> {
    let parent = attache_protocol::encode(parent);
    Meta::new(Raw::from_text(&format!(r#"{{"attache/parentToolCallId":{parent}}}"#)).ok()?)
}

fn location(path: &Path, line: Option<u32>) -> ToolCallLocation {
    let mut location = ToolCallLocation::new(path.to_string_lossy());
    location.line = line;
    location
}

/// What the wire wants of paths and lines (RPC-31, RPC-32).
fn check(content: &[ToolCallContent], locations: &[ToolCallLocation]) -> Result<()> {
    let diffs = content.iter().filter_map(|content| match content {
        ToolCallContent::Diff(diff) => Some(&diff.path),
        _ => None,
    });
    for path in diffs.chain(locations.iter().map(|location| &location.path)) {
        if !Path::new(path).is_absolute() {
            return Err(Error::invalid(format!(
                "a tool call names the path {path:?}, which is not absolute"
            )));
        }
    }
    if locations.iter().any(|location| location.line == Some(0)) {
        return Err(Error::invalid("a tool call names the line 0: the first line is 1"));
    }
    Ok(())
}
