//! Prompts: sending, queueing, drafts and mentions.

use super::caller::Caller;
use super::messages::{
    ChangeQueue, Files, FindFiles, OfSession, QueueChange, SendPrompt, SetDraft, StopCall, Unsent,
};
use super::refusal;
use super::reply::Reply;
use attache_client::{Prompt, QueuedPromptId};
use attache_connection::Peer;
use attache_protocol::Error;
use attache_protocol::v1::{ContentBlock, ToolCallId};
use std::sync::Arc;

/// The largest size of a prompt, in bytes. Agents read messages of at most 32 MiB.
const PROMPT: usize = 24 << 20;

/// The largest size of a draft, in bytes.
const DRAFT: usize = 1 << 20;

/// The largest number of files that are found.
const FILES: usize = 50;

/// Sends a prompt, which waits while a turn runs.
pub(super) async fn prompt(
    caller: Arc<Caller>,
    _peer: Peer,
    params: SendPrompt,
) -> Result<Reply, Error> {
    let session = caller.session(&params.agent, &params.session_id)?;
    let size: usize = params.content.iter().map(|block| block.get().len()).sum();
    if params.content.is_empty() {
        return Err(refusal::wrong("the field `content` is empty: write at least one block"));
    }
    if size > PROMPT {
        return Err(refusal::wrong("the field `content` is larger than 24 MiB: send less"));
    }
    let decoded = params.content.iter().enumerate().map(|(index, block)| {
        attache_protocol::decode::<ContentBlock>(block.get())
            .map_err(|error| refusal::wrong(format!("the field `content[{index}]`: {error}")))
    });
    let content: Vec<ContentBlock> = decoded.collect::<Result<_, Error>>()?;
    session.send(Prompt(content)).map_err(|error| refusal::failed(&error))?;
    Reply::done()
}

/// Cancels the running turn.
pub(super) async fn cancel(
    caller: Arc<Caller>,
    _peer: Peer,
    params: OfSession,
) -> Result<Reply, Error> {
    caller.session(&params.agent, &params.session_id)?.cancel();
    Reply::done()
}

/// Stops a tool call alone.
pub(super) async fn stop_call(
    caller: Arc<Caller>,
    _peer: Peer,
    params: StopCall,
) -> Result<Reply, Error> {
    let session = caller.session(&params.agent, &params.session_id)?;
    let stopped = session.cancel_tool_call(&ToolCallId::from(params.call.as_str())).await;
    stopped.map_err(|error| refusal::failed(&error))?;
    Reply::done()
}

/// Changes the prompts that wait.
pub(super) async fn queue(
    caller: Arc<Caller>,
    _peer: Peer,
    params: ChangeQueue,
) -> Result<Reply, Error> {
    let session = caller.session(&params.agent, &params.session_id)?;
    let (id, is_done) = match params.change {
        QueueChange::Edit { id, text } => (id, session.edit(QueuedPromptId(id), text)),
        QueueChange::Remove { id } => (id, session.remove(QueuedPromptId(id)).is_some()),
        QueueChange::Move { id, to } => (id, session.reorder(QueuedPromptId(id), to)),
        QueueChange::SendNow { id } => (id, session.send_now(QueuedPromptId(id))),
        QueueChange::Release => {
            session.release();
            return Reply::done();
        }
    };
    match is_done {
        true => Reply::done(),
        false => Err(refusal::wrong(format!(
            "the prompt {id} (field `change.id`) no longer waits: it was sent or removed"
        ))),
    }
}

/// Stores the text that is not sent yet.
pub(super) async fn draft(
    caller: Arc<Caller>,
    _peer: Peer,
    params: SetDraft,
) -> Result<Reply, Error> {
    let session = caller.session(&params.agent, &params.session_id)?;
    if params.text.len() > DRAFT {
        return Err(refusal::wrong("the field `text` is larger than 1 MiB: attach a file instead"));
    }
    caller.shared.live.session(&session).set_draft(caller.client.id, params.text);
    Reply::done()
}

/// Reads what the agent did not get.
pub(super) async fn unsent(
    caller: Arc<Caller>,
    _peer: Peer,
    params: OfSession,
) -> Result<Reply, Error> {
    let session = caller.session(&params.agent, &params.session_id)?;
    Reply::of(&Unsent { draft: session.draft(), waiting: session.queue().len() })
}

/// Finds files for a mention.
pub(super) async fn files(
    caller: Arc<Caller>,
    _peer: Peer,
    params: FindFiles,
) -> Result<Reply, Error> {
    let session = caller.session(&params.agent, &params.session_id)?;
    let found = caller.shared.services.files(session.cwd(), &params.letters, FILES);
    Reply::of(&Files { paths: found.await })
}
