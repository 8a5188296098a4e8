//! A running call of a tool.

use rmcp::ServiceError;
use rmcp::model::{
    CallToolResult, ElicitResult, ProgressNotificationParam, ProgressToken, ServerResult,
};
use rmcp::service::{RequestHandle, RoleClient};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// The time limit for sending a cancellation. It is needed because a server may have stopped
/// reading.
const CANCELLED: Duration = Duration::from_millis(20);

/// A message from a server during a tool call.
#[derive(Debug)]
pub(crate) enum ServerMessage {
    /// The progress of the call.
    Progress(ProgressNotificationParam),
    /// A question to the person.
    Asks(Question),
}

/// A server's question to the person.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) message: String,
    /// The form, as a JSON schema.
    pub(crate) schema: String,
    pub(crate) answer: oneshot::Sender<ElicitResult>,
}

/// The channels to the calls that one server is running, by the calls' progress tokens.
#[derive(Debug, Default)]
pub(super) struct Listeners(Mutex<Vec<(ProgressToken, mpsc::Sender<ServerMessage>)>>);

impl Listeners {
    pub(super) fn add(&self, token: ProgressToken) -> mpsc::Receiver<ServerMessage> {
        let (words, listening) = mpsc::channel(16);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((token, words));
        listening
    }

    /// The channel to the call with this token.
    pub(super) fn of(&self, token: &ProgressToken) -> Option<mpsc::Sender<ServerMessage>> {
        let listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.iter().find(|(other, _)| other == token).map(|(_, words)| words.clone())
    }

    /// The channel to the most recent call.
    pub(super) fn last(&self) -> Option<mpsc::Sender<ServerMessage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).last().map(|(_, words)| words.clone())
    }

    fn remove(&self, token: &ProgressToken) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(other, _)| other != token);
    }
}

/// A running call of a tool. Dropping it without [`Running::cancel`] leaves the call running on the
/// server.
#[derive(Debug)]
pub(crate) struct Running {
    handle: Option<RequestHandle<RoleClient>>,
    token: ProgressToken,
    words: mpsc::Receiver<ServerMessage>,
    listeners: Arc<Listeners>,
}

/// The next event of a call.
#[derive(Debug)]
pub(crate) enum Next {
    /// A message that the server sent.
    ServerMessage(ServerMessage),
    /// The call has ended, with this result.
    Answer(Result<Box<CallToolResult>, ServiceError>),
}

impl Running {
    pub(super) fn new(handle: RequestHandle<RoleClient>, listeners: Arc<Listeners>) -> Self {
        let token = handle.progress_token.clone();
        let words = listeners.add(token.clone());
        Self { handle: Some(handle), token, words, listeners }
    }

    /// Returns the next event. The last one is the result of the call. This method is cancel safe.
    pub(crate) async fn next(&mut self) -> Next {
        let Some(handle) = &mut self.handle else {
            return Next::Answer(Err(ServiceError::TransportClosed));
        };
        tokio::select! {
            biased;
            Some(word) = self.words.recv() => Next::ServerMessage(word),
            answer = &mut handle.rx => Next::Answer(match answer {
                Ok(Ok(ServerResult::CallToolResult(result))) => Ok(Box::new(result)),
                Ok(Ok(_)) => Err(ServiceError::UnexpectedResponse),
                Ok(Err(error)) => Err(error),
                Err(_) => Err(ServiceError::TransportClosed),
            }),
        }
    }

    /// Asks the server to cancel the call.
    pub(crate) async fn cancel(&mut self, why: &str) {
        if let Some(handle) = self.handle.take() {
            // The error is ignored: it only means that the server no longer reads.
            drop(tokio::time::timeout(CANCELLED, handle.cancel(Some(why.to_owned()))).await);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.listeners.remove(&self.token);
    }
}
