//! The terminals of a client on this machine, for the agent of a session that it created.

use super::context::{Attached, Context};
use super::session_folder::SessionFolder;
use attache_client::{EditorReply, EditorTerminal, EditorTerminals};
use attache_connection::{CallError, Peer};
use attache_protocol::Error;
use attache_protocol::method::{
    Call, TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease, TerminalWaitForExit,
};
use attache_protocol::v1::{
    CreateTerminalRequest, KillTerminalRequest, ReleaseTerminalRequest, SessionId,
    TerminalExitStatus, TerminalId, TerminalOutputRequest, TerminalOutputResponse,
    WaitForTerminalExitRequest,
};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// How long a client may take to start a command, to return the output, or to end a command.
const PATIENCE: Duration = Duration::from_secs(30);

/// The terminals of a client.
pub(super) struct TerminalsOfEditor {
    /// Weak, because terminals can outlive the connection.
    context: Weak<Context>,
    attached: Weak<Attached>,
    peer: Peer,
    session: SessionId,
    folder: SessionFolder,
}

impl TerminalsOfEditor {
    pub(super) fn new(
        context: &Arc<Context>,
        attached: &Arc<Attached>,
        peer: Peer,
        folder: SessionFolder,
    ) -> Self {
        let session = attached.wire.clone();
        let (context, attached) = (Arc::downgrade(context), Arc::downgrade(attached));
        Self { context, attached, peer, session, folder }
    }
}

impl EditorTerminals for TerminalsOfEditor {
    fn create(
        &self,
        id: TerminalId,
        mut request: CreateTerminalRequest,
    ) -> Option<EditorReply<Arc<dyn EditorTerminal>>> {
        request.session_id = self.session.clone();
        if let Some(cwd) = &mut request.cwd {
            *cwd = self.folder.named(Path::new(cwd.as_str()))?;
        }
        let (sender, created) = oneshot::channel();
        let (context, attached) = (self.context.clone(), self.attached.clone());
        let (peer, session) = (self.peer.clone(), self.session.clone());
        let is_gone = Arc::new(AtomicBool::new(false));
        let noting = Arc::clone(&is_gone);
        // A terminal that comes after the agent gave up is dropped, which releases it.
        let creating = self.peer.call_with_callback::<TerminalCreate>(&request, move |reply| {
            let created = match reply {
                Ok(created) => created.terminal_id.clone(),
                Err(CallError::Disconnected(_)) => return noting.store(true, Ordering::Release),
                Err(_) => return,
            };
            if let Some(attached) = attached.upgrade() {
                attached.add_terminal(id, created.clone());
            }
            let is_released = AtomicBool::new(false);
            let terminal = TerminalOfEditor { context, peer, session, id: created, is_released };
            drop(sender.send(terminal));
        });
        if is_gone.load(Ordering::Acquire) {
            return None;
        }
        Some(Box::pin(async move {
            creating.within(PATIENCE).await.map_err(|error| failure(&error))?;
            let created = created.await.map_err(|_| gone())?;
            Ok(Arc::new(created) as Arc<dyn EditorTerminal>)
        }))
    }
}

/// A terminal of a client.
struct TerminalOfEditor {
    context: Weak<Context>,
    peer: Peer,
    session: SessionId,
    /// The id by which the client knows the terminal.
    id: TerminalId,
    is_released: AtomicBool,
}

impl TerminalOfEditor {
    /// Sends a call, and waits a limited time for the reply.
    fn call<M: Call>(&self, params: &M::Params) -> EditorReply<M::Result>
    where
        M::Result: Send + 'static,
    {
        let reply = self.peer.call::<M>(params).within(PATIENCE);
        Box::pin(async move { reply.await.map_err(|error| failure(&error)) })
    }
}

impl EditorTerminal for TerminalOfEditor {
    fn output(&self) -> EditorReply<TerminalOutputResponse> {
        let params = TerminalOutputRequest::new(self.session.clone(), self.id.clone());
        self.call::<TerminalOutput>(&params)
    }

    fn wait_for_exit(&self) -> EditorReply<TerminalExitStatus> {
        let params = WaitForTerminalExitRequest::new(self.session.clone(), self.id.clone());
        let reply = self.peer.call::<TerminalWaitForExit>(&params);
        Box::pin(async move {
            let ended = reply.await.map_err(|error| failure(&error))?;
            let mut status = TerminalExitStatus::new();
            (status.exit_code, status.signal) = (ended.exit_code, ended.signal);
            Ok(status)
        })
    }

    fn kill(&self) -> EditorReply<()> {
        let params = KillTerminalRequest::new(self.session.clone(), self.id.clone());
        let killed = self.call::<TerminalKill>(&params);
        Box::pin(async move { killed.await.map(drop) })
    }

    fn release(&self) -> EditorReply<()> {
        self.is_released.store(true, Ordering::Release);
        let params = ReleaseTerminalRequest::new(self.session.clone(), self.id.clone());
        let released = self.call::<TerminalRelease>(&params);
        Box::pin(async move { released.await.map(drop) })
    }
}

impl Drop for TerminalOfEditor {
    fn drop(&mut self) {
        // Without a runtime, the program is ending.
        if self.is_released.load(Ordering::Acquire) || Handle::try_current().is_err() {
            return;
        }
        // With its connection, the client ends its terminals itself.
        if let Some(context) = self.context.upgrade() {
            let released = self.release();
            context.tasks.spawn(async move { drop(released.await) });
        }
    }
}

/// The error for the agent.
fn failure(error: &CallError) -> Error {
    match error {
        CallError::ErrorResponse(error) => error.clone(),
        CallError::Disconnected(_) => gone(),
        error => Error::internal(format!("the editor that runs the command failed: {error}")),
    }
}

fn gone() -> Error {
    Error::internal(
        "the editor that ran the command has disconnected, so its output and its end are not \
         known: run the command again if you need them",
    )
}
