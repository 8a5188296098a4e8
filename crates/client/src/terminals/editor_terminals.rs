//! Terminals of an editor, in which commands of the agent run.

use attache_protocol::Error;
use attache_protocol::v1::{
    CreateTerminalRequest, TerminalExitStatus, TerminalId, TerminalOutputResponse,
};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// What an editor answers, or why it does not, as an error for the agent.
pub type EditorReply<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// The terminals of an editor, in which the commands of a session's agent run instead of on this
/// machine. See [`crate::HubSession::set_editor_terminals`].
pub trait EditorTerminals: Send + Sync + 'static {
    /// Starts a command that the session's permissions allow. The agent will know the terminal as
    /// `id`. The request names the session as the agent does, and its folder without symbolic
    /// links. It always has a limit for the output, and no whole line for a shell as its command.
    /// Returns `None` if the editor has gone; the command then runs on this machine.
    fn create(
        &self,
        id: TerminalId,
        request: CreateTerminalRequest,
    ) -> Option<EditorReply<Arc<dyn EditorTerminal>>>;
}

/// A terminal of an editor. If the last reference is dropped before
/// [`EditorTerminal::release`] was called, the implementation must release the terminal.
pub trait EditorTerminal: Send + Sync + 'static {
    /// The output so far.
    fn output(&self) -> EditorReply<TerminalOutputResponse>;

    /// Waits until the command has ended, for any reason.
    fn wait_for_exit(&self) -> EditorReply<TerminalExitStatus>;

    /// Ends the command. The terminal stays valid.
    fn kill(&self) -> EditorReply<()>;

    /// Ends the command, if it runs, and makes the terminal invalid.
    fn release(&self) -> EditorReply<()>;
}
