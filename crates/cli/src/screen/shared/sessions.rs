//! What the screen does with sessions of the shared hub besides ACP.

use super::SharedHub;
use super::calls::{call, call_of, of};
use attache_checkpoint::Reason;
use attache_client::{HubAgent, HubSession, ListedSession, Options, Prompt};
use attache_screen::{Served, SessionChange, SharedSessions};
use attache_serve::extension::messages::{
    ChangeQueue, ChangeSession, ConfirmRestore, DecideHunks, Decided, HunkDecision, ListChange,
    OfAgent, PreviewRestore, QueueChange, RestoreGoal, RestorePreview, RestoreWhat, Restored,
    SendPrompt, SetDraft, Unsent,
};
use serde_json::Value;
use serde_json::value::RawValue;

impl SharedSessions for SharedHub {
    fn rewind(&self, session: HubSession, position: u64) -> Served<Result<HubSession, String>> {
        Box::pin(async move {
            let point = point(&session, position).await?;
            let of_session = of(&session);
            let asked = PreviewRestore {
                agent: of_session.agent,
                session_id: of_session.session_id,
                goal: RestoreGoal::Point { id: point },
                force: false,
            };
            // Only the conversation of the preview is restored: the files were shown and restored
            // here.
            let preview: RestorePreview =
                call_of(&session, "_attache/restore_preview", &asked).await?;
            let confirmed =
                ConfirmRestore { preview: preview.preview, what: RestoreWhat::Conversation };
            let restored: Restored = call_of(&session, "_attache/restore", &confirmed).await?;
            if restored.session.session_id == session.id().as_str() {
                let why: Vec<String> = restored.lines.iter().map(|line| line.text()).collect();
                return Err(why.join("; "));
            }
            let new = session.switch_to(restored.session.session_id).await;
            let new = new.map_err(|error| error.to_string())?;
            let unsent: Unsent = call_of(&new, "_attache/unsent", &of(&new)).await?;
            new.set_draft(unsent.draft);
            Ok(new)
        })
    }

    fn tell_decisions(&self, session: HubSession) -> Served<Result<bool, String>> {
        Box::pin(async move {
            let of_session = of(&session);
            let decision = DecideHunks {
                agent: of_session.agent,
                session_id: of_session.session_id,
                hunks: Vec::new(),
                decision: HunkDecision::Tell,
            };
            let decided: Decided = call_of(&session, "_attache/decide", &decision).await?;
            Ok(decided.told)
        })
    }

    fn checkpoints_stored(&self, session: HubSession) -> Served<()> {
        Box::pin(async move {
            // The hub first waits for the checkpoints that it takes.
            drop(call_of::<Value>(&session, "_attache/checkpoints", &of(&session)).await);
        })
    }

    fn unsent(&self, session: HubSession) -> Served<Result<(String, usize), String>> {
        Box::pin(async move {
            let unsent: Unsent = call_of(&session, "_attache/unsent", &of(&session)).await?;
            Ok((unsent.draft, unsent.waiting))
        })
    }

    fn keep_draft(&self, session: HubSession, draft: String) -> Served<Result<(), String>> {
        Box::pin(async move {
            let of_session = of(&session);
            let draft = SetDraft {
                agent: of_session.agent,
                session_id: of_session.session_id,
                text: draft,
            };
            let kept = call_of::<Value>(&session, "_attache/draft", &draft).await;
            kept.map(drop)
                .inspect_err(|why| tracing::warn!(why, "the shared hub did not store a draft"))
        })
    }

    fn send(&self, session: HubSession, prompts: Vec<Prompt>) -> Served<Result<(), String>> {
        Box::pin(async move {
            for Prompt(content) in prompts {
                let of_session = of(&session);
                let blocks = content.iter().map(attache_protocol::encode);
                let content: Result<Vec<_>, _> = blocks.map(RawValue::from_string).collect();
                let prompt = SendPrompt {
                    agent: of_session.agent,
                    session_id: of_session.session_id,
                    content: content.map_err(|error| error.to_string())?,
                };
                call_of::<Value>(&session, "_attache/prompt", &prompt).await?;
            }
            Ok(())
        })
    }

    fn release(&self, session: HubSession) -> Served<Result<(), String>> {
        Box::pin(async move {
            let of_session = of(&session);
            let release = ChangeQueue {
                agent: of_session.agent,
                session_id: of_session.session_id,
                change: QueueChange::Release,
            };
            call_of::<Value>(&session, "_attache/queue", &release).await.map(drop)
        })
    }

    fn restart(&self, agent: HubAgent) -> Served<Result<(), String>> {
        Box::pin(async move {
            let connection = agent.connection();
            let connection = connection.ok_or("the shared hub is not connected: try again")?;
            let of_agent = OfAgent { agent: agent.name().to_owned() };
            call::<Value>(&connection, "_attache/restart", &of_agent).await.map(drop)
        })
    }
}

impl SharedHub {
    /// Changes a session that may not be open, at the shared hub.
    ///
    /// # Errors
    /// Returns a message for the person.
    pub(in crate::screen) async fn change(
        self,
        session: ListedSession,
        change: SessionChange,
    ) -> Result<(), String> {
        let connected = self.connect(&session.agent, Options::default()).await;
        let hub = connected.map_err(|error| error.to_string())?;
        let id = session.id.clone();
        let done = match change {
            SessionChange::Rename(title) => hub.set_title(id, title).await.map(drop),
            SessionChange::Archive(true) => hub.archive(id).await,
            SessionChange::Archive(false) => hub.unarchive(id).await,
            SessionChange::Delete => hub.delete(id).await,
            SessionChange::Tags(tags) => {
                // The hub changes only sessions of its list, which this renews.
                drop(hub.list().next_page().await);
                let change = ChangeSession {
                    agent: session.agent,
                    session_id: session.id.as_str().to_owned(),
                    change: ListChange::Tags { tags },
                };
                return call::<Value>(&hub, "_attache/change", &change).await.map(drop);
            }
        };
        done.map_err(|error| error.to_string())
    }
}

/// Returns the id of the last checkpoint before a prompt that has this position in the log.
async fn point(session: &HubSession, position: u64) -> Result<String, String> {
    let taken = session.checkpoints().await.map_err(|error| error.to_string())?;
    let is_point = |it: &&attache_checkpoint::Summary| {
        it.label.reason == Reason::BeforePrompt && it.label.position == Some(position)
    };
    let point = taken.iter().rev().find(is_point).map(|it| it.id.to_string());
    point.ok_or_else(|| "the checkpoint was deleted: the conversation stays as it is".to_owned())
}
