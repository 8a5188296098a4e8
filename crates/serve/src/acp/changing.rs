//! Changes of sessions: options, mode, title, archive, delete and close.

use super::context::{Attached, Context, Folders};
use super::opening::{self, listed};
use super::{agent_option, refusal};
use crate::SessionChange;
use attache_connection::CallError;
use attache_protocol::Error;
use attache_protocol::v1::{SessionConfigId, SessionConfigOptionValue, SessionId};
use attache_session::{EntryContent, MessageAuthor};
use std::sync::Arc;

/// Sets an option. Returns the session that replaces the attached one if the option for the agent
/// changed.
pub(super) async fn set_option(
    context: &Context,
    id: &SessionId,
    option: &SessionConfigId,
    value: SessionConfigOptionValue,
) -> Result<(Arc<Attached>, bool), Error> {
    let attached = context.get(id)?;
    if option.as_str() == agent_option::ID && context.client.only_agent().is_none() {
        return choose_agent(context, attached, value).await;
    }
    let set = attached.session.set(option.as_str(), value).await;
    set.map_err(|error| refusal::set(&error))?;
    Ok((attached, false))
}

/// Moves a session without prompts to another agent. The client keeps its id for the session.
async fn choose_agent(
    context: &Context,
    attached: Arc<Attached>,
    value: SessionConfigOptionValue,
) -> Result<(Arc<Attached>, bool), Error> {
    let SessionConfigOptionValue::ValueId(agent) = value else {
        return Err(Error::invalid_params("the option for the agent takes the name of an agent"));
    };
    if agent.as_str() == attached.session.agent().name() {
        return Ok((attached, false));
    }
    let is_known = agent_option::option(context, attached.session.agent().name())
        .values()
        .any(|value| value.value == agent);
    if !is_known {
        let why = format!("there is no agent {:?}: choose one of the option's", agent.as_str());
        return Err(Error::invalid_params(why));
    }
    if has_prompts(&attached) {
        let why = "the session has prompts, so its agent cannot change: open a new session";
        return Err(Error::invalid_request(why));
    }
    let cwd = attached.session.cwd().to_string_lossy().into_owned();
    let folders: Folders = attached.folders.clone();
    let session = opening::open(context, agent.as_str(), &cwd, &folders).await?;
    let (wire, before) = (attached.wire.clone(), attached.session.clone());
    let name = super::context::name(&before);
    context.shared.acp.note_move(&wire, super::context::name(&session));
    let moved = context.attach(wire, session, folders, true);
    if context.shared.acp.attached(&name) == 0 {
        // An agent that does not close the session keeps an empty one.
        drop(before.close().await);
    }
    Ok((moved, true))
}

fn has_prompts(attached: &Attached) -> bool {
    let snapshot = attached.session.snapshot();
    let is_prompt = |content: &EntryContent| {
        matches!(content, EntryContent::Message { author: MessageAuthor::User, .. })
    };
    let has_prompt = snapshot.entries().iter().any(|entry| is_prompt(&entry.content));
    has_prompt || snapshot.truncated_before() > 0 || !attached.session.queue().is_empty()
}

pub(super) async fn set_mode(context: &Context, id: &SessionId, mode: &str) -> Result<(), Error> {
    let attached = context.get(id)?;
    attached.session.set_mode(mode).await.map_err(|error| refusal::set(&error))
}

/// Sets the title: at the agent, or in the hub's store if the agent does not take titles. Returns
/// the title as it was stored.
pub(super) async fn set_title(
    context: &Context,
    id: &SessionId,
    title: &str,
) -> Result<String, Error> {
    let Some(title) = attache_session::title(title) else {
        return Err(Error::invalid_params("a title must not be blank"));
    };
    let name = context.find(id).ok_or_else(|| refusal::not_attached(id))?;
    if let Some(session) = context.shared.hub.session(&name.agent, &name.id) {
        match session.set_title(title.as_str()).await {
            Ok(title) => return Ok(title),
            Err(CallError::NotOffered { .. }) => {}
            Err(error) => return Err(refusal::call(&error)),
        }
    }
    change(context, id, SessionChange::Rename(title.clone())).await?;
    Ok(title)
}

/// Changes a session that may not be open. One that is deleted is detached first.
pub(super) async fn change(
    context: &Context,
    id: &SessionId,
    change: SessionChange,
) -> Result<(), Error> {
    let name = context.find(id).ok_or_else(|| refusal::not_attached(id))?;
    if change == SessionChange::Delete {
        drop(context.detach(id));
        if let Some(session) = context.shared.hub.session(&name.agent, &name.id) {
            session.close().await.map_err(|error| refusal::call(&error))?;
        }
    }
    let changed = context.shared.services.change(listed(context, &name), change).await;
    changed.map_err(Error::internal)
}

/// Detaches a session. It ends if no other client has it attached. Returns whether it was attached.
pub(super) async fn close(context: &Context, id: &SessionId) -> Result<bool, Error> {
    let Some(detached) = context.detach(id) else { return Ok(false) };
    // Without the scope "control", a client only leaves.
    if detached.is_last && context.client.may(crate::Scope::Control) {
        detached.session.close().await.map_err(|error| refusal::call(&error))?;
    }
    Ok(true)
}
