//! Tells the model the state of its session before each call.

use crate::conversation::message::Message;
use crate::models::Model;
use crate::session::memory::{Memory, Record};
use crate::session::state::{SessionState, state_note};
use crate::tools::mode;
use attache_agent::{Result, Turn};

/// Offers the tools of MCP servers that became ready, and adds a note about what changed to the
/// conversation. The system prompt and the tools before stay the same.
pub(super) async fn tell_state(memory: &mut Memory, turn: &Turn, model: &dyn Model) -> Result<()> {
    if let Some(names) = memory.mcp.offer() {
        turn.remember(&Record::Tools(names)).await?;
    }
    if model.reads_data() {
        return Ok(());
    }
    if !memory.instructions.is_stored {
        let stored = Record::Instructions(memory.instructions.in_prompt.clone());
        turn.remember(&stored).await?;
        memory.instructions.is_stored = true;
    }
    let token = &mut memory.conversation.token;
    if !token.is_stored {
        turn.remember(&Record::NoteToken(token.as_str().to_owned())).await?;
        token.is_stored = true;
    }
    // A note cannot follow an answer: the model may have to continue the answer.
    if let Some(Message::Assistant(_) | Message::OfflineText(_)) | None =
        memory.conversation.messages().last()
    {
        return Ok(());
    }
    let now = SessionState {
        mode: mode(memory, turn),
        servers: memory.mcp.states(),
        instructions: memory.instructions.in_prompt_and_now(),
    };
    match state_note(&memory.conversation.known_state(), &now) {
        Some(note) => memory.add_message(turn, Message::State(note)).await,
        None => Ok(()),
    }
}
