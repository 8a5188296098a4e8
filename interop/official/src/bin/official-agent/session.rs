//! An open session: its record, its MCP servers, and its current turn.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AvailableCommandsUpdate, ClientCapabilities, ConfigOptionUpdate, Cost, CurrentModeUpdate,
    Notice, NoticeSeverity, SessionConfigOption, SessionConfigOptionValue, SessionId,
    SessionModeState, SessionNotification, SessionUpdate, UsageUpdate,
};
use agent_client_protocol::{Client, Error, Result};
use tokio::sync::{OwnedMutexGuard, watch};

use crate::mcp::McpServers;
use crate::offers;
use crate::slash;
use crate::store::{Record, Shared, Store, locked, now};

pub(crate) struct Session {
    pub(crate) id: SessionId,
    pub(crate) client: ConnectionTo<Client>,
    pub(crate) offered: Arc<ClientCapabilities>,
    pub(crate) mcp: McpServers,
    /// A message for each MCP server that is unavailable.
    missing: Vec<String>,
    record: Shared,
    store: Arc<Store>,
    /// Held by the current turn.
    running: Arc<tokio::sync::Mutex<()>>,
    /// The sender that cancels the last turn. Each turn has its own.
    cancel: Mutex<watch::Sender<bool>>,
}

/// A turn's lock on its session, and the receiver of its cancellation.
pub(crate) struct Hold {
    pub(crate) cancel: watch::Receiver<bool>,
    _running: OwnedMutexGuard<()>,
}

impl Session {
    pub(crate) fn new(
        record: Shared,
        store: Arc<Store>,
        client: ConnectionTo<Client>,
        offered: Arc<ClientCapabilities>,
        mcp: McpServers,
        missing: Vec<String>,
    ) -> Self {
        let id = SessionId::new(locked(&record).id.clone());
        let (running, cancel) = (Arc::default(), Mutex::new(watch::Sender::new(false)));
        Self { id, client, offered, mcp, missing, record, store, running, cancel }
    }

    pub(crate) fn record(&self) -> MutexGuard<'_, Record> {
        locked(&self.record)
    }

    pub(crate) fn cwd(&self) -> PathBuf {
        self.record().cwd.clone()
    }

    pub(crate) fn save(&self) {
        self.record().updated_at = now();
        self.store.save(&self.record);
    }

    /// Sends an update without storing it.
    pub(crate) fn notify(&self, update: SessionUpdate) -> Result<()> {
        self.client.send_notification(SessionNotification::new(self.id.clone(), update))
    }

    /// Sends an update and stores it for later loads.
    pub(crate) fn update(&self, update: SessionUpdate) -> Result<()> {
        self.record().remember(update.clone());
        self.notify(update)
    }

    pub(crate) fn modes(&self) -> SessionModeState {
        self.record().options.modes()
    }

    pub(crate) fn config_options(&self) -> Vec<SessionConfigOption> {
        self.record().options.config_options(offers::takes_booleans(&self.offered))
    }

    /// Sets an option for the client, and sends the changes that are not in the reply (MODE-07).
    pub(crate) fn set(
        &self,
        id: &str,
        value: &SessionConfigOptionValue,
        is_by_mode: bool,
    ) -> Result<()> {
        let takes_booleans = offers::takes_booleans(&self.offered);
        let changes_mode = self.record().options.set(id, value, takes_booleans)?;
        if changes_mode {
            let mode = CurrentModeUpdate::new(self.record().options.mode.clone());
            self.notify(SessionUpdate::CurrentModeUpdate(mode))?;
        }
        if changes_mode && is_by_mode {
            self.notify(SessionUpdate::ConfigOptionUpdate(ConfigOptionUpdate::new(
                self.config_options(),
            )))?;
        }
        self.save();
        Ok(())
    }

    pub(crate) fn usage_update(&self) -> Option<UsageUpdate> {
        let record = self.record();
        let cost = (record.cost > 0.0).then(|| Cost::new(record.cost, "USD"));
        record.used.map(|used| UsageUpdate::new(used, 200_000).cost(cost))
    }

    /// Sends the first updates of a session that is new to the client.
    pub(crate) fn greet(&self) -> Result<()> {
        let commands = AvailableCommandsUpdate::new(slash::commands());
        self.notify(SessionUpdate::AvailableCommandsUpdate(commands))?;
        if let Some(usage) = self.usage_update() {
            self.notify(SessionUpdate::UsageUpdate(usage))?;
        }
        for title in &self.missing {
            eprintln!("{title}");
            if offers::takes_notices(&self.offered) {
                self.notify(SessionUpdate::Notice(Notice::new(
                    NoticeSeverity::Warning,
                    title.clone(),
                )))?;
            }
        }
        Ok(())
    }

    /// Starts a turn that a cancellation can reach. Only one turn runs at a time (PROMPT-13).
    pub(crate) fn begin(&self) -> Result<Hold> {
        let running = self.running.clone().try_lock_owned();
        let running = running
            .map_err(|_| Error::invalid_request().data("a turn of this session is running"))?;
        let (sender, cancel) = watch::channel(false);
        *locked(&self.cancel) = sender;
        Ok(Hold { cancel, _running: running })
    }

    pub(crate) fn is_running(&self) -> bool {
        self.running.try_lock().is_err()
    }

    /// Without a turn there is nothing to cancel (CANCEL-08).
    pub(crate) fn cancel(&self) {
        locked(&self.cancel).send_replace(true);
    }

    /// Cancels the turn, and waits until its response is on its way (SESS-25).
    pub(crate) async fn stop(&self) {
        self.cancel();
        drop(self.running.lock().await);
        self.mcp.close().await;
    }
}
