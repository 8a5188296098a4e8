//! Sends the changes of a session to a client.

use super::agent_option;
use super::context::{Attached, Context};
use attache_client::SentPrompt;
use attache_connection::{ConnectionEnd, Peer};
use attache_protocol::method::{self, v2 as methods};
use attache_protocol::v1::{ProtocolVersion, SessionUpdate};
use attache_protocol::{v1, v2};
use attache_session::{
    EntryPage, FollowedTerminal, FollowedUpdate, Follower, Session, prompt_message_id, to_v2_option,
};
use std::sync::Arc;
use std::time::Duration;

/// The number of entries that are read from the log at a time.
const PAGE: usize = 200;

/// How often the output of running commands is read. The second duration applies to commands that
/// write nothing.
const PERIOD: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(2));

/// A client that follows a session.
pub(super) struct Following {
    context: Arc<Context>,
    attached: Arc<Attached>,
    peer: Peer,
    follower: Follower,
}

impl Following {
    /// Follows a session of which the client has seen nothing.
    pub(super) fn new(context: Arc<Context>, attached: Arc<Attached>, peer: Peer) -> Self {
        let id = attached.wire.clone();
        let follower = match peer.version() {
            ProtocolVersion::V2 => Follower::version_2(id),
            _ => Follower::version_1(id, peer.client_capabilities().unwrap_or_default()),
        };
        let of = Arc::clone(&attached);
        let follower = follower.terminals(move |id| match of.own_terminal(id) {
            Some(own) => Some(FollowedTerminal::Own(own)),
            None => of.session.terminal(id).map(FollowedTerminal::Output),
        });
        Self { context, attached, peer, follower }
    }

    /// Sends the options, commands, info and usage of the session without its history.
    ///
    /// # Errors
    /// Returns an error if the connection has ended.
    pub(super) async fn skip_history(&mut self) -> Result<(), ConnectionEnd> {
        let now = self.attached.session.snapshot();
        let updates = self.follower.skip_history(&now);
        self.send(&now, updates).await?;
        self.attached.sent.send_replace(now.sequence());
        Ok(())
    }

    /// Sends the whole history, at the pace of the client.
    ///
    /// # Errors
    /// Returns an error if the connection has ended.
    pub(super) async fn replay(&mut self) -> Result<(), ConnectionEnd> {
        let now = self.attached.session.snapshot();
        if now.truncated_before() > 0 {
            self.replay_log(&now).await?;
        }
        self.follow(&now).await.map(drop)
    }

    /// Sends the entries that are no longer in memory, from the log. The log is read backwards
    /// first, so that only the places of its pages are in memory.
    async fn replay_log(&mut self, now: &Session) -> Result<(), ConnectionEnd> {
        let mut places = Vec::new();
        let mut before = now.in_memory_since();
        loop {
            let page = self.earlier(now, before).await;
            let Some(first) = page.entries.first() else { break };
            places.push(before);
            before = first.began_at;
            if page.first == 0 {
                break;
            }
        }
        for before in places.into_iter().rev() {
            let page = self.earlier(now, before).await;
            let updates = self.follower.earlier(page.first, &page.entries);
            self.send(now, updates).await?;
        }
        Ok(())
    }

    /// Reads a page of the log; empty if that fails, which the follower then states.
    async fn earlier(&self, now: &Session, before: u64) -> EntryPage {
        let page = self.attached.session.earlier_entries(before, PAGE).await.unwrap_or_default();
        match page.generation == now.generation() {
            true => page,
            false => EntryPage::default(),
        }
    }

    /// Sends every change from now on, until the session is closed or the connection ends. A client
    /// that is slow gets fewer, larger updates.
    pub(super) async fn run(mut self) {
        let mut pause = PERIOD.0;
        loop {
            // The watch begins before the snapshot, so that no change is missed.
            let watch = self.attached.session.watch();
            let now = self.attached.session.snapshot();
            match self.follow(&now).await {
                Ok(true) => pause = PERIOD.0,
                Ok(false) => pause = (pause * 2).min(PERIOD.1),
                Err(_) => break,
            }
            let awaits_output = self.follower.awaits_output();
            let goes_on = tokio::select! {
                goes_on = watch.woken() => goes_on,
                () = tokio::time::sleep(pause), if awaits_output => true,
            };
            if !goes_on {
                break;
            }
        }
        let now = self.attached.session.snapshot();
        drop(self.follow(&now).await);
        self.attached.sent.send_replace(u64::MAX);
    }

    /// Sends what changed. Returns whether anything did.
    async fn follow(&mut self, now: &Session) -> Result<bool, ConnectionEnd> {
        let updates = self.follower.follow(now);
        let has_changed = !updates.is_empty();
        self.send(now, updates).await?;
        self.attached.sent.send_replace(now.sequence());
        Ok(has_changed)
    }

    async fn send(&self, now: &Session, updates: Vec<FollowedUpdate>) -> Result<(), ConnectionEnd> {
        let own = self.attached.prompts();
        for update in updates {
            if is_own_prompt(&update, &own, now) {
                continue;
            }
            self.peer.wait_for_room().await?;
            send(&self.context, &self.attached, &self.peer, update)?;
        }
        Ok(())
    }
}

/// Whether an update shows one of these prompts of the client itself. A client of version 1 shows
/// its prompts by itself.
fn is_own_prompt(
    update: &FollowedUpdate,
    own: &[(SentPrompt, Vec<v1::ContentBlock>)],
    now: &Session,
) -> bool {
    let FollowedUpdate::V1(SessionUpdate::UserMessageChunk(chunk)) = update else {
        return false;
    };
    own.iter().any(|(sent, content)| match sent.began_at() {
        Some(at) => chunk.message_id.is_some() && prompt_message_id(now, at) == chunk.message_id,
        // The prompt is in the session a moment before its turn begins.
        None => content.contains(&chunk.content),
    })
}

/// Sends one update. The option for the agent is added to the session's options.
fn send(
    context: &Context,
    attached: &Attached,
    peer: &Peer,
    update: FollowedUpdate,
) -> Result<(), ConnectionEnd> {
    let id = attached.wire.clone();
    let agent = || agent_option::offered(context, attached.session.agent().name());
    match update {
        FollowedUpdate::V1(mut update) => {
            if let SessionUpdate::ConfigOptionUpdate(options) = &mut update {
                options.config_options.splice(0..0, agent());
            }
            let params = v1::SessionNotification::new(id, update);
            peer.notify::<method::SessionUpdateNotification>(&params)
        }
        FollowedUpdate::V2(mut update) => {
            if let v2::SessionUpdate::ConfigOptionUpdate(options) = &mut update {
                options.config_options.splice(0..0, agent().as_ref().map(to_v2_option));
            }
            let params = v2::UpdateSessionNotification::new(id, update);
            peer.notify::<methods::SessionUpdateNotification>(&params)
        }
    }
}
