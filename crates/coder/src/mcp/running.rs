//! One call of a tool while it runs.

use rmcp::ServiceError;
use rmcp::model::{
    CallToolResult, ElicitResult, ProgressNotificationParam, ProgressToken, ServerResult,
};
use rmcp::service::{RequestHandle, RoleClient};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How long a cancellation may take to be on its way; a server that takes nothing is not waited
/// for.
const CANCELLED: Duration = Duration::from_millis(20);

/// What a server says while a call runs.
#[derive(Debug)]
pub(crate) enum Word {
    /// How far it is.
    Progress(ProgressNotificationParam),
    /// It wants to know something from the person.
    Asks(Question),
}

/// What a server wants to know.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) message: String,
    /// The form, a JSON schema.
    pub(crate) schema: String,
    pub(crate) answer: oneshot::Sender<ElicitResult>,
}

/// The calls of one server that run, by the tokens of their progress.
#[derive(Debug, Default)]
pub(super) struct Listeners(Mutex<Vec<(ProgressToken, mpsc::Sender<Word>)>>);

impl Listeners {
    pub(super) fn add(&self, token: ProgressToken) -> mpsc::Receiver<Word> {
        let (words, listening) = mpsc::channel(16);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((token, words));
        listening
    }

    /// The call with this token.
    pub(super) fn of(&self, token: &ProgressToken) -> Option<mpsc::Sender<Word>> {
        let listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.iter().find(|(other, _)| other == token).map(|(_, words)| words.clone())
    }

    /// The call that began last.
    pub(super) fn last(&self) -> Option<mpsc::Sender<Word>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).last().map(|(_, words)| words.clone())
    }

    fn remove(&self, token: &ProgressToken) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(other, _)| other != token);
    }
}

/// One call of a tool while it runs. Dropping it without [`Running::cancel`] leaves the server to
/// its work.
#[derive(Debug)]
pub(crate) struct Running {
    handle: Option<RequestHandle<RoleClient>>,
    token: ProgressToken,
    words: mpsc::Receiver<Word>,
    listeners: Arc<Listeners>,
}

/// What happens next in a call.
#[derive(Debug)]
pub(crate) enum Next {
    /// The server says something.
    Word(Word),
    /// The call is over.
    Answer(Result<Box<CallToolResult>, ServiceError>),
}

impl Running {
    pub(super) fn new(handle: RequestHandle<RoleClient>, listeners: Arc<Listeners>) -> Self {
        let token = handle.progress_token.clone();
        let words = listeners.add(token.clone());
        Self { handle: Some(handle), token, words, listeners }
    }

    /// What happens next. When the returned future is dropped nothing is lost. After an answer
    /// there is nothing more.
    pub(crate) async fn next(&mut self) -> Next {
        let Some(handle) = &mut self.handle else {
            return Next::Answer(Err(ServiceError::TransportClosed));
        };
        tokio::select! {
            biased;
            Some(word) = self.words.recv() => Next::Word(word),
            answer = &mut handle.rx => Next::Answer(match answer {
                Ok(Ok(ServerResult::CallToolResult(result))) => Ok(Box::new(result)),
                Ok(Ok(_)) => Err(ServiceError::UnexpectedResponse),
                Ok(Err(error)) => Err(error),
                Err(_) => Err(ServiceError::TransportClosed),
            }),
        }
    }

    /// Cancels the call at the server.
    pub(crate) async fn cancel(&mut self, why: &str) {
        if let Some(handle) = self.handle.take() {
            // It is on its way once this was polled; the rest is the server's.
            drop(tokio::time::timeout(CANCELLED, handle.cancel(Some(why.to_owned()))).await);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.listeners.remove(&self.token);
    }
}
