//! Takes a conversation back to an earlier prompt, in a new session.

use crate::hub::hub_error::HubError;
use crate::hub::hub_events::HubEvents as _;
use crate::hub::hub_session::{HAND_OFF, HubSession};
use crate::hub::hub_shared::HubShared;
use crate::hub::pending_questions::PendingQuestions;
use crate::hub::session_entry::{SessionEntry, State};
use crate::hub::stored_session;
use crate::session::session_handle::SessionHandle;
use attache_protocol::v1::{ContentBlock, NoticeSeverity};
use attache_session::{EventBody, Log, Session, SessionKey, Store, StoreError};
use std::sync::Arc;

/// How a conversation was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RewindMethod {
    /// The agent made a copy of the session without the later prompts.
    Forked,
    /// The agent cannot do that. A new session gets a summary of the conversation up to there, with
    /// the next prompt.
    Summarized,
}

/// A conversation as it was before a prompt.
#[derive(Debug)]
#[non_exhaustive]
pub struct RewoundConversation {
    /// The new session. The old one does not change.
    pub session: HubSession,
    /// How the new session got the conversation.
    pub method: RewindMethod,
}

impl HubSession {
    /// Opens a session with the conversation of this one up to a position of its log, such as that
    /// of a checkpoint, and leaves this session as it is. The agent makes a copy without the later
    /// prompts, if it offers that. Otherwise, the first prompt of the new session begins with a
    /// summary of the conversation up to there. Either way, a notice of the new session says so.
    ///
    /// The draft of the new session is the first prompt that it leaves out.
    ///
    /// # Errors
    /// Returns an error if the session is not stored, or if the agent does not open a session.
    pub async fn rewind_conversation(
        &self,
        position: u64,
    ) -> Result<RewoundConversation, HubError> {
        let hub = self.hub.upgrade().ok_or(HubError::Closed)?;
        self.commit().await.map_err(HubError::Store)?;
        let key = hub.key(&self.entry.agent.name, &self.entry.id);
        let past = hub.with_store(move |store| Past::read(store, &key, position)).await;
        let past = past.map_err(HubError::Store)?.ok_or(HubError::NotStored)?;
        let forks = self.entry.agent.up().await?.connection.forks_without_prompts();
        let (entry, method) = match forks {
            true => (hub.fork(&self.entry, position, past.left_out).await?, RewindMethod::Forked),
            false => {
                let params = self.entry.params.clone();
                let new = hub.open(self.entry.agent.clone(), params).await?;
                let summary = past.session.hand_off(HAND_OFF);
                HubSession::new(new.clone(), &hub).add_to_next_prompt(summary);
                (new, RewindMethod::Summarized)
            }
        };
        let (title, description) = match method {
            RewindMethod::Forked => {
                ("The conversation continues from an earlier prompt, in a new session", None)
            }
            RewindMethod::Summarized => (
                "The agent cannot go back in a conversation: this is a new session",
                Some("your next prompt begins with a summary of the conversation".to_owned()),
            ),
        };
        entry.say(NoticeSeverity::Info, title, description);
        let session = HubSession::new(entry, &hub);
        session.set_draft(past.prompt);
        session.entry.state().budget.clone_from(&self.entry.state().budget);
        Ok(RewoundConversation { session, method })
    }
}

/// A session up to a position of its log.
struct Past {
    session: Session,
    /// The number of prompts after the position.
    left_out: u64,
    /// The text of the first of them.
    prompt: String,
}

impl Past {
    fn read(store: &dyn Store, key: &SessionKey, position: u64) -> Result<Self, StoreError> {
        let session = Session::new(key.session_id.clone());
        let mut past = Self { session, left_out: 0, prompt: String::new() };
        let mut after = 0;
        loop {
            let page = store.read(key, after)?;
            let Some(last) = page.last() else { return Ok(past) };
            after = last.sequence;
            for event in &page {
                match &event.body {
                    _ if event.sequence <= position => drop(past.session.apply(event)),
                    EventBody::Prompt { content, .. } => {
                        past.left_out += 1;
                        if past.left_out == 1 {
                            let texts = content.iter().filter_map(ContentBlock::as_text);
                            past.prompt = texts.collect::<Vec<_>>().join("\n");
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

impl HubSession {
    /// Lets the agent copy the session with its whole history, and opens the copy in the same
    /// folders.
    ///
    /// # Errors
    /// Returns an error if the agent does not run, does not offer forks or refuses.
    pub async fn fork(&self) -> Result<HubSession, HubError> {
        let hub = self.hub.upgrade().ok_or(HubError::Closed)?;
        // Without the last events in the store, the copy would lack them.
        self.commit().await.map_err(HubError::Store)?;
        let position = self.entry.fold.with(Session::sequence);
        Ok(HubSession::new(hub.fork(&self.entry, position, 0).await?, &hub))
    }
}

impl HubShared {
    /// Lets the agent copy a session without its last prompts, and copies its log up to `position`.
    async fn fork(
        &self,
        from: &Arc<SessionEntry>,
        position: u64,
        without_prompts: u64,
    ) -> Result<Arc<SessionEntry>, HubError> {
        let agent = from.agent.clone();
        let up = agent.up().await?;
        let params = from.params.clone();
        let pending = Arc::<PendingQuestions>::default();
        let opening = up
            .connection
            .fork(from.id.clone(), &params.cwd)
            .without_last_prompts(without_prompts)
            .logged()
            .additional_directories(params.additional_directories.iter().cloned())
            .mcp_servers(params.mcp_servers.iter().cloned())
            .permissions(self.permissions(&agent.name, &params.cwd, &pending));
        let handle: SessionHandle = opening.await.map_err(|error| HubError::Open {
            agent: agent.name.clone(),
            error: Arc::new(error),
        })?;
        let (id, fold) = (handle.id().clone(), handle.live.fold.clone());
        let (old, new) = (self.key(&agent.name, &from.id), self.key(&agent.name, &id));
        let copying = self.with_store(move |store| {
            let log: Box<dyn Log> = store.fork(&old, Some(position), &new)?;
            Ok((log, stored_session::read(store, &new)?))
        });
        let mut state = State { attached: Some((up.generation, handle)), ..State::default() };
        let mut failure = None;
        match copying.await {
            Ok(Some((log, copy))) => {
                fold.log_fork(log, copy.session);
                // The unsent texts belong to the other session.
                state.saved = copy.saved;
                for (name, value) in state.saved.clear() {
                    fold.apply(EventBody::Record { name, value });
                }
            }
            Ok(None) => fold.log_to(None),
            Err(error) => {
                fold.log_to(None);
                failure = Some(error);
            }
        }
        let entry = SessionEntry::new((id, fold, pending), agent, params, state);
        if let Some(error) = failure {
            let title = format!("This session is not stored: {error}");
            entry.say(NoticeSeverity::Warning, title, None);
        }
        Ok(self.adopt(entry))
    }
}
