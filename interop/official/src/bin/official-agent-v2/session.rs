//! An open session: its prompts run one after the other, and `state_update` reports what it is
//! doing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use agent_client_protocol::v2::schema::{
    ContentBlock, IdleStateUpdate, PromptResponse, RequiresActionStateUpdate, RunningStateUpdate,
    SessionConfigOption, SessionConfigOptionValue, SessionId, SessionUpdate, StateUpdate,
    UpdateSessionNotification, UserMessage,
};
use agent_client_protocol::v2::{ConnectionTo, Responder};
use agent_client_protocol::{Client, Error, Result};
use tokio::sync::watch;

use crate::sessions::{Record, Sessions, locked};
use crate::turn::Turn;

pub(crate) struct Session {
    record: Mutex<Record>,
    sessions: Arc<Sessions>,
    pub(crate) client: ConnectionTo<Client>,
    /// Held by the current turn. Waiting prompts get it in order.
    running: tokio::sync::Mutex<()>,
    /// The number of cancellations so far. Each one cancels the turn and all waiting prompts.
    cancelled: watch::Sender<u64>,
    /// The tool calls that can be cancelled.
    calls: Mutex<HashMap<String, watch::Sender<bool>>>,
}

impl Session {
    pub(crate) fn new(
        record: Record,
        sessions: Arc<Sessions>,
        client: ConnectionTo<Client>,
    ) -> Self {
        Self {
            record: Mutex::new(record),
            sessions,
            client,
            running: tokio::sync::Mutex::default(),
            cancelled: watch::Sender::default(),
            calls: Mutex::default(),
        }
    }

    pub(crate) fn record(&self) -> MutexGuard<'_, Record> {
        locked(&self.record)
    }

    pub(crate) fn id(&self) -> SessionId {
        SessionId::new(self.record().id.clone())
    }

    pub(crate) fn options(&self) -> Vec<SessionConfigOption> {
        self.record().options.options()
    }

    pub(crate) fn save(&self) {
        let record = self.record().clone();
        self.sessions.save(&record);
    }

    pub(crate) fn set(
        &self,
        id: &str,
        value: &SessionConfigOptionValue,
    ) -> Result<Vec<SessionConfigOption>> {
        self.record().options.set(id, value)?;
        self.save();
        Ok(self.options())
    }

    pub(crate) fn new_id(&self, kind: &str) -> String {
        let mut record = self.record();
        record.last += 1;
        format!("{kind}-{}", record.last)
    }

    /// Sends an update without storing it.
    pub(crate) fn notify(&self, update: SessionUpdate) -> Result<()> {
        self.client.send_notification(UpdateSessionNotification::new(self.id(), update))
    }

    /// Sends an update and stores it for a replay.
    pub(crate) fn update(&self, update: SessionUpdate) -> Result<()> {
        self.record().transcript.push(update.clone());
        self.notify(update)
    }

    fn state(&self, state: StateUpdate) -> Result<()> {
        self.notify(SessionUpdate::StateUpdate(state))
    }

    pub(crate) fn running(&self) -> Result<()> {
        self.state(StateUpdate::Running(RunningStateUpdate::new()))
    }

    pub(crate) fn requires_action(&self) -> Result<()> {
        self.state(StateUpdate::RequiresAction(RequiresActionStateUpdate::new()))
    }

    /// Tells the state of a session that is new to the client.
    pub(crate) fn greet(&self) -> Result<()> {
        self.state(StateUpdate::Idle(IdleStateUpdate::new()))
    }

    pub(crate) fn is_running(&self) -> bool {
        self.running.try_lock().is_err()
    }

    /// Inserts a prompt once no turn is running, replies then, and runs the turn. A prompt that is
    /// cancelled or withdrawn before it is inserted gets an error.
    ///
    /// A cancellation counts from the call of this function, before the future is polled.
    pub(crate) fn prompt(
        self: Arc<Self>,
        prompt: Vec<ContentBlock>,
        responder: Responder<PromptResponse>,
    ) -> impl Future<Output = Result<()>> + Send {
        let cancelled = self.cancelled.subscribe();
        async move { self.insert(prompt, responder, cancelled).await }
    }

    async fn insert(
        &self,
        prompt: Vec<ContentBlock>,
        responder: Responder<PromptResponse>,
        mut cancelled: watch::Receiver<u64>,
    ) -> Result<()> {
        if let Err(error) = check(&prompt) {
            return responder.respond_with_error(error);
        }
        let withdrawn = responder.cancellation();
        let hold = tokio::select! {
            hold = self.running.lock() => hold,
            _ = cancelled.changed() => {
                return responder.respond_with_error(Error::request_cancelled());
            }
            () = withdrawn.cancelled() => {
                return responder.respond_with_error(Error::request_cancelled());
            }
        };
        let message = self.new_id("message");
        self.running()?;
        let echo = UserMessage::new(message.clone()).content(prompt.clone());
        self.update(SessionUpdate::UserMessage(echo))?;
        responder.respond(PromptResponse::new(message))?;
        let idle = Turn::new(self, cancelled).run(&prompt).await?;
        self.save();
        self.state(StateUpdate::Idle(idle))?;
        drop(hold);
        Ok(())
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.send_modify(|cancelled| *cancelled += 1);
    }

    /// Cancels the turn, and waits until its end is on its way.
    pub(crate) async fn stop(&self) {
        self.cancel();
        drop(self.running.lock().await);
    }

    /// Makes a tool call cancellable, until `end_call`.
    pub(crate) fn begin_call(&self, id: &str) -> watch::Receiver<bool> {
        let (sender, receiver) = watch::channel(false);
        locked(&self.calls).insert(id.to_owned(), sender);
        receiver
    }

    pub(crate) fn end_call(&self, id: &str) {
        locked(&self.calls).remove(id);
    }

    pub(crate) fn cancel_call(&self, id: &str) -> Result<()> {
        match locked(&self.calls).get(id) {
            Some(call) => {
                call.send_replace(true);
                Ok(())
            }
            None => Err(Error::invalid_params().data("this tool call cannot be cancelled")),
        }
    }
}

/// Fails if the prompt is empty or has content that was not offered.
fn check(prompt: &[ContentBlock]) -> Result<()> {
    let is_taken = |block: &ContentBlock| {
        matches!(
            block,
            ContentBlock::Text(_) | ContentBlock::ResourceLink(_) | ContentBlock::Image(_)
        )
    };
    if prompt.is_empty() || !prompt.iter().all(is_taken) {
        return Err(Error::invalid_params().data("the prompt is empty or has unknown content"));
    }
    Ok(())
}
