//! What one connection holds: its client and the sessions that it has attached.

use super::refusal;
use super::tasks::Tasks;
use crate::acp_sessions::{Attachment, SessionName};
use crate::extension::Extension;
use crate::participant::Participant;
use crate::session_editors::Serving;
use crate::{AttachedClient, SharedHub};
use attache_client::{HubError, HubSession, SentPrompt};
use attache_protocol::Error;
use attache_protocol::v1::{ContentBlock, McpServer, SessionId, TerminalId};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// How many of the client's own terminals are remembered.
const TERMINALS: usize = 256;

/// One connection.
pub(super) struct Context {
    pub(super) shared: Arc<SharedHub>,
    pub(super) client: Arc<AttachedClient>,
    pub(super) tasks: Tasks,
    /// The methods `_attache/*`.
    pub(super) extension: Extension,
    attached: Mutex<HashMap<SessionId, Arc<Attached>>>,
}

/// A session that a client has attached.
pub(super) struct Attached {
    /// The id by which the client knows the session.
    pub(super) wire: SessionId,
    pub(super) session: HubSession,
    pub(super) folders: Folders,
    pub(super) participant: Arc<Participant>,
    /// The number of the last event whose updates were sent.
    pub(super) sent: watch::Sender<u64>,
    /// The prompts of this client whose turns have not ended, with their content.
    own: Mutex<Vec<(SentPrompt, Vec<ContentBlock>)>>,
    tasks: Mutex<Vec<AbortHandle>>,
    /// Held while the agent uses the texts or the terminals of the client.
    serving: Mutex<Option<Serving>>,
    /// The client's terminals in which commands of the agent ran, the latest at the end: the id
    /// that the agent knows, and the client's.
    terminals: Mutex<VecDeque<(TerminalId, TerminalId)>>,
    /// Counts the session as attached until it is detached.
    attachment: Mutex<Option<Attachment>>,
}

/// What a session was opened with besides its folder.
#[derive(Debug, Clone, Default)]
pub(super) struct Folders {
    pub(super) additional: Vec<String>,
    pub(super) mcp_servers: Vec<McpServer>,
    /// The key with which the client can serve the session again from a later connection.
    pub(super) editor: Option<String>,
}

impl Context {
    pub(super) fn new(shared: Arc<SharedHub>, client: Arc<AttachedClient>) -> Arc<Self> {
        let extension = Extension::new(Arc::clone(&shared), Arc::clone(&client));
        let (tasks, attached) = (Tasks::new(), Mutex::default());
        Arc::new(Self { shared, client, tasks, extension, attached })
    }

    /// Attaches a session under this id. A session that had the id is detached.
    pub(super) fn attach(
        &self,
        wire: SessionId,
        session: HubSession,
        folders: Folders,
        is_active: bool,
    ) -> Arc<Attached> {
        let participant = Participant::new(Arc::clone(&self.client), is_active);
        let attachment = self.shared.acp.attach(name(&session), Arc::clone(&participant));
        let attached = Arc::new(Attached {
            wire: wire.clone(),
            session,
            folders,
            participant,
            sent: watch::Sender::new(0),
            own: Mutex::default(),
            tasks: Mutex::default(),
            serving: Mutex::default(),
            terminals: Mutex::default(),
            attachment: Mutex::new(Some(attachment)),
        });
        let before = self.attached().insert(wire, Arc::clone(&attached));
        if let Some(before) = before {
            before.stop();
        }
        attached
    }

    /// Returns the session that the client attached under this id.
    pub(super) fn get(&self, wire: &SessionId) -> Result<Arc<Attached>, Error> {
        self.attached().get(wire).cloned().ok_or_else(|| refusal::not_attached(wire))
    }

    /// The id by which the client knows a session.
    pub(super) fn wire(&self, name: &SessionName) -> SessionId {
        match self.client.only_agent() {
            Some(_) => name.id.clone(),
            None => name.to_wire(),
        }
    }

    /// Returns the session that the client means by this id.
    pub(super) fn find(&self, wire: &SessionId) -> Option<SessionName> {
        match self.client.only_agent() {
            Some(agent) => Some(SessionName { agent: agent.to_owned(), id: wire.clone() }),
            None => self.shared.acp.find(wire),
        }
    }

    /// Detaches a session, and returns it. The client gets no further update of it.
    pub(super) fn detach(&self, wire: &SessionId) -> Option<Detached> {
        let attached = self.attached().remove(wire)?;
        attached.stop();
        let session = attached.session.clone();
        Some(Detached { is_last: self.shared.acp.attached(&name(&session)) == 0, session })
    }

    /// Asks the client nothing more: it has closed the connection. Its calls may still be running.
    pub(super) fn client_left(&self) {
        self.attached().values().for_each(|attached| attached.participant.deactivate());
    }

    /// Ends all tasks and detaches all sessions.
    pub(super) fn end(&self) {
        self.tasks.end();
        self.extension.ended();
        let attached = std::mem::take(&mut *self.attached());
        attached.values().for_each(|attached| attached.stop());
    }

    fn attached(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Attached>>> {
        self.attached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session that was detached.
pub(super) struct Detached {
    pub(super) session: HubSession,
    /// Whether no client has it attached any more.
    pub(super) is_last: bool,
}

impl Attached {
    /// Adds tasks that end when the session is detached.
    pub(super) fn own_tasks(&self, tasks: impl IntoIterator<Item = AbortHandle>) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).extend(tasks);
    }

    /// Queues a prompt of this client. It is known as the client's own before any of its updates
    /// can be sent.
    pub(super) fn queue_prompt(&self, prompt: Vec<ContentBlock>) -> Result<SentPrompt, HubError> {
        let mut own = self.own();
        let sent = self.session.send_tracked(prompt.clone())?;
        own.push((sent.clone(), prompt));
        Ok(sent)
    }

    pub(super) fn forget_prompt(&self, sent: &SentPrompt) {
        self.own().retain(|(own, _)| own.id() != sent.id());
    }

    /// The prompts of this client whose turns have not ended.
    pub(super) fn prompts(&self) -> Vec<(SentPrompt, Vec<ContentBlock>)> {
        self.own().clone()
    }

    /// Waits until the updates of all events up to this number were sent.
    pub(super) async fn wait_sent(&self, sequence: u64) {
        let mut sent = self.sent.subscribe();
        // The sender lives as long as `self`.
        drop(sent.wait_for(|sent| *sent >= sequence).await);
    }

    /// Keeps what makes the client serve the session until the session is detached.
    pub(super) fn keep_serving(&self, serving: Serving) {
        *self.serving() = Some(serving);
    }

    /// Notes that the client runs the terminal that the agent knows as `id`.
    pub(super) fn add_terminal(&self, id: TerminalId, own: TerminalId) {
        let mut terminals = self.terminals();
        if terminals.len() >= TERMINALS {
            terminals.pop_front();
        }
        terminals.push_back((id, own));
    }

    /// The client's id of the terminal that the agent knows as `id`, if the client runs it.
    pub(super) fn own_terminal(&self, id: &TerminalId) -> Option<TerminalId> {
        let terminals = self.terminals();
        terminals.iter().find(|(known, _)| known == id).map(|(_, own)| own.clone())
    }

    fn terminals(&self) -> MutexGuard<'_, VecDeque<(TerminalId, TerminalId)>> {
        self.terminals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn own(&self) -> MutexGuard<'_, Vec<(SentPrompt, Vec<ContentBlock>)>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serving(&self) -> MutexGuard<'_, Option<Serving>> {
        self.serving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        drop(self.serving().take());
        drop(self.attachment.lock().unwrap_or_else(PoisonError::into_inner).take());
        // Otherwise replies would wait for updates that are not sent any more.
        self.sent.send_replace(u64::MAX);
        let tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        tasks.iter().for_each(AbortHandle::abort);
    }
}

/// The name of a session.
pub(super) fn name(session: &HubSession) -> SessionName {
    SessionName { agent: session.agent().name().to_owned(), id: session.id().clone() }
}
