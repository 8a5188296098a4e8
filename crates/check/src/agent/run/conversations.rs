//! The conversations of a run: which client the agent is told of, and which of them later probes go
//! on with.

use super::Run;
use crate::agent::judge_client::{Client, capabilities, initialize_params};
use crate::agent::services;
use crate::judging::boxed::Boxed;
use crate::judging::conversation::{Conversation, Session};
use crate::judging::probe_run::ProbeRun;
use crate::judging::verdict::{Outcome, Probed};
use crate::peer::link::Link;
use crate::peer::raw_peer::RawPeer;
use crate::peer::script::Script;
use serde_json::Value;

/// How many conversations wait for probes to go on with them: each is a process of the agent.
const PARKED: usize = 2;

impl Run {
    /// A conversation in which both sides have told all that they can do. It may be one that
    /// earlier probes had.
    pub(crate) fn talk<'a>(&'a mut self) -> Boxed<'a, Probed<&'a mut Conversation>> {
        Box::pin(async move {
            self.go_on(Client { capabilities: capabilities(), is_watched: true })
                .await
                .map_err(not_again)
        })
    }

    /// The same, with a session in the folder.
    pub(crate) fn session<'a>(&'a mut self) -> Boxed<'a, Probed<(&'a mut Conversation, Session)>> {
        Box::pin(async move {
            let folder = self.folder.clone();
            // One that never answers is not waited for again and again.
            if self.opened.is_some() {
                self.opens_sessions().await?;
            }
            let talk = self.talk().await?;
            let session = talk.open(&folder).await?;
            Ok((talk, session))
        })
    }

    /// The same as [`talk`](Self::talk), but the observer does not watch, for what an agent answers
    /// oddly when it is asked oddly.
    pub(crate) fn unwatched<'a>(&'a mut self) -> Boxed<'a, Probed<&'a mut Conversation>> {
        Box::pin(async move {
            self.go_on(Client { capabilities: capabilities(), is_watched: false })
                .await
                .map_err(not_again)
        })
    }

    /// A conversation with a client that has these capabilities. It may be one that earlier probes
    /// had.
    pub(crate) fn talk_with<'a>(
        &'a mut self,
        capabilities: Value,
    ) -> Boxed<'a, Probed<&'a mut Conversation>> {
        Box::pin(async move { self.go_on(Client { capabilities, is_watched: true }).await })
    }

    /// A conversation with this client: that of an earlier probe, unless it has ended.
    fn go_on<'a>(&'a mut self, client: Client) -> Boxed<'a, Probed<&'a mut Conversation>> {
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

    /// A conversation with the agent as it has just started, to which nothing was said. It ends
    /// with the probe.
    pub(crate) fn fresh<'a>(&'a mut self) -> Boxed<'a, Probed<&'a mut Conversation>> {
        Box::pin(async move {
            self.park().await;
            let link = (self.start)().map_err(|error| {
                Outcome::NotTested(format!("the agent does not start again: {error}"))
            })?;
            self.meet(link);
            Ok(self.now())
        })
    }

    /// A conversation of its own with a client that has these capabilities. It ends with the probe.
    pub(crate) fn fresh_with<'a>(
        &'a mut self,
        capabilities: Value,
    ) -> Boxed<'a, Probed<&'a mut Conversation>> {
        Box::pin(async move {
            let talk = self.fresh().await?;
            talk.initialize(initialize_params(capabilities)).await?.result()?;
            Ok(talk)
        })
    }

    fn unpark(&mut self, client: &Client) -> Option<Conversation> {
        let place = self.parked.iter().position(|(other, _)| other == client)?;
        Some(self.parked.remove(place).1)
    }

    /// Leaves the conversation for another one: it is kept if later probes may go on with it.
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

    /// Ends a conversation, and the agent with it.
    pub(super) async fn end(&mut self, mut talk: Conversation) {
        talk.peer.stop().await;
        if talk.is_watched {
            self.watched.learn(&mut talk.peer, talk.patience, false);
        }
    }

    /// Ends every process of the agent: the next conversation is with a new one.
    pub(crate) fn restart<'a>(&'a mut self) -> Boxed<'a, ()> {
        Box::pin(async move {
            self.leave().await;
        })
    }

    pub(super) fn meet(&mut self, link: Link) {
        self.client = None;
        let script = services::script(&self.folder);
        self.now = Some(Conversation::new(RawPeer::new(link, script), self.patience));
    }

    /// The conversation that goes on. One that has ended stands in where there is none.
    pub(super) fn now(&mut self) -> &mut Conversation {
        let patience = self.patience;
        self.now.get_or_insert_with(|| {
            let nothing = Link::over(tokio::io::empty(), tokio::io::sink());
            Conversation::new(RawPeer::new(nothing, Script::default()), patience)
        })
    }
}

/// What became of a new start of the agent that does not initialize: another rule is about that.
fn not_again(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Fail { seen, .. } => {
            Outcome::NotTested(format!("a new start of the agent does not initialize: {seen}"))
        }
        other => other,
    }
}
