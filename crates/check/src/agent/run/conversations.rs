//! The conversations of a run: which capabilities the judge announces in them, and which ones later
//! probes may continue.

use super::Run;
use crate::agent::judge_client::{Client, initialize_params_of};
use crate::agent::services;
use crate::judging::boxed::Boxed;
use crate::judging::conversation::{Conversation, Session};
use crate::judging::probe_run::ProbeRun;
use crate::judging::verdict::{Outcome, Probed};
use crate::peer::link::Link;
use crate::peer::raw_peer::RawPeer;
use crate::peer::script::Script;
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;

/// The maximum number of parked conversations. Each keeps an agent process alive.
const PARKED: usize = 2;

impl Run {
    /// Returns a conversation in which the judge announces all capabilities. It may be a
    /// conversation of an earlier probe.
    pub(crate) fn talk<'a>(&'a mut self) -> Boxed<'a, Probed<&'a mut Conversation>> {
        Box::pin(async move {
            let capabilities = self.capabilities();
            self.continued(Client { capabilities, is_watched: true })
                .await
                .map_err(restart_not_tested)
        })
    }

    /// Opens a session in the run's folder, in the conversation that [`talk`](Self::talk) returns.
    pub(crate) fn session<'a>(&'a mut self) -> Boxed<'a, Probed<(&'a mut Conversation, Session)>> {
        Box::pin(async move {
            let folder = self.folder.clone();
            // If the first `session/new` failed, this returns at once instead of waiting again.
            if self.opened.is_some() {
                self.opens_sessions().await?;
            }
            let talk = self.talk().await?;
            let session = talk.open(&folder).await?;
            Ok((talk, session))
        })
    }

    /// Like [`talk`](Self::talk), but turns the observer off, for probes whose messages may get
    /// unusual answers.
    pub(crate) fn unwatched<'a>(&'a mut self) -> Boxed<'a, Probed<&'a mut Conversation>> {
        Box::pin(async move {
            let capabilities = self.capabilities();
            self.continued(Client { capabilities, is_watched: false })
                .await
                .map_err(restart_not_tested)
        })
    }

    /// Returns a conversation in which the judge announces these capabilities. It may be a
    /// conversation of an earlier probe.
    pub(crate) fn talk_with<'a>(
        &'a mut self,
        capabilities: Value,
    ) -> Boxed<'a, Probed<&'a mut Conversation>> {
        Box::pin(async move { self.continued(Client { capabilities, is_watched: true }).await })
    }

    /// Returns a conversation in which the judge plays this client. Continues the conversation of
    /// an earlier probe if it is still open.
    fn continued<'a>(&'a mut self, client: Client) -> Boxed<'a, Probed<&'a mut Conversation>> {
        Box::pin(async move {
            if self.client.as_ref() == Some(&client) && self.now().is_up() {
                self.now().is_watched = client.is_watched;
                return Ok(self.now());
            }
            self.park().await;
            if let Some(mut talk) = self.unpark(&client) {
                if talk.is_up() {
                    talk.begin_probe();
                    talk.is_watched = client.is_watched;
                    (self.now, self.client) = (Some(talk), Some(client));
                    return Ok(self.now());
                }
                self.end(talk).await;
            }
            let talk = self.fresh_with(client.capabilities.clone()).await?;
            talk.is_watched = client.is_watched;
            self.client = Some(client);
            Ok(self.now())
        })
    }

    /// Starts a new agent process and returns the conversation with it, in which nothing has been
    /// sent yet. The conversation ends with the probe.
    pub(crate) fn fresh<'a>(&'a mut self) -> Boxed<'a, Probed<&'a mut Conversation>> {
        Box::pin(async move {
            self.park().await;
            let link = (self.start)().map_err(|error| {
                Outcome::NotTested(format!("the agent does not start again: {error}"))
            })?;
            self.start_conversation(link);
            Ok(self.now())
        })
    }

    /// Returns a new conversation in which the judge announces these capabilities. The conversation
    /// ends with the probe.
    pub(crate) fn fresh_with<'a>(
        &'a mut self,
        capabilities: Value,
    ) -> Boxed<'a, Probed<&'a mut Conversation>> {
        Box::pin(async move {
            let params = initialize_params_of(self.version, capabilities);
            let talk = self.fresh().await?;
            talk.initialize(params).await?.result()?;
            Ok(talk)
        })
    }

    fn unpark(&mut self, client: &Client) -> Option<Conversation> {
        let place = self.parked.iter().position(|(other, _)| other == client)?;
        Some(self.parked.remove(place).1)
    }

    /// Parks the conversation if later probes may continue it, or ends it.
    async fn park(&mut self) {
        let Some(talk) = self.now.take() else { return };
        match self.client.take() {
            Some(client) if talk.is_settled() => {
                if self.parked.len() >= PARKED {
                    let (_, oldest) = self.parked.remove(0);
                    self.end(oldest).await;
                }
                self.parked.push((client, talk));
            }
            _ => self.end(talk).await,
        }
    }

    /// Ends a conversation and its process.
    pub(super) async fn end(&mut self, mut talk: Conversation) {
        talk.peer.stop().await;
        if talk.is_watched {
            self.watched.learn(&mut talk.peer, talk.patience, false);
        }
    }

    /// Ends every process of the agent. The next conversation starts a new process.
    pub(crate) fn restart<'a>(&'a mut self) -> Boxed<'a, ()> {
        Box::pin(async move {
            self.leave().await;
        })
    }

    pub(super) fn start_conversation(&mut self, link: Link) {
        self.client = None;
        // A client of version 2 has no methods for files and terminals.
        let script = match self.version {
            ProtocolVersion::V1 => services::script(&self.folder),
            _ => Script::default(),
        };
        let mut talk = Conversation::new(RawPeer::new(link, script), self.patience);
        talk.version = self.version;
        self.now = Some(talk);
    }

    /// Returns the current conversation, or an ended conversation if there is none.
    pub(super) fn now(&mut self) -> &mut Conversation {
        let patience = self.patience;
        self.now.get_or_insert_with(|| {
            let nothing = Link::over(tokio::io::empty(), tokio::io::sink());
            Conversation::new(RawPeer::new(nothing, Script::default()), patience)
        })
    }
}

/// Turns a failed `initialize` of a restarted agent into "not tested", because another rule covers
/// it.
fn restart_not_tested(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Fail { seen, .. } => {
            Outcome::NotTested(format!("the restarted agent does not answer initialize: {seen}"))
        }
        other => other,
    }
}
