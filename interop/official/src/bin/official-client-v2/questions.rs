//! The person's answers to permission requests, as set by the script.

use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::Result;
use agent_client_protocol::v2::Responder;
use agent_client_protocol::v2::schema::{
    CancelledPermissionOutcome, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, RequestPermissionSubject, SelectedPermissionOutcome,
};
use official_peers::client::events::Events;
use official_peers::script::Answer;
use serde_json::json;
use tokio::sync::watch;

use crate::state::State;

pub(crate) struct Questions {
    events: Arc<Events>,
    state: Arc<State>,
    answer: Mutex<Answer>,
    /// Whether the current turn was cancelled. If so, open and later questions are answered as
    /// cancelled.
    is_cancelled: watch::Sender<bool>,
}

impl Questions {
    pub(crate) fn new(events: Arc<Events>, state: Arc<State>) -> Self {
        let answer = Mutex::new(Answer::Kind("reject_once".into()));
        Self { events, state, answer, is_cancelled: watch::Sender::default() }
    }

    pub(crate) fn set(&self, answer: Answer) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = answer;
    }

    /// Starts a turn.
    pub(crate) fn begin(&self) {
        self.is_cancelled.send_replace(false);
    }

    pub(crate) fn cancel(&self) {
        self.is_cancelled.send_replace(true);
    }

    /// Returns the outcome; `None` while the question stays open.
    pub(crate) fn ask(
        &self,
        request: &RequestPermissionRequest,
    ) -> Option<RequestPermissionOutcome> {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let outcome = match &answer {
            _ if *self.is_cancelled.borrow() => Some(cancelled()),
            Answer::Wait => None,
            Answer::Cancelled => Some(cancelled()),
            Answer::Kind(kind) => {
                let kind = json!(kind);
                let option = request.options.iter().find(|option| json!(option.kind) == kind);
                Some(option.map_or_else(cancelled, |option| {
                    let selected = SelectedPermissionOutcome::new(option.option_id.clone());
                    RequestPermissionOutcome::Selected(selected)
                }))
            }
        };
        if let Some(RequestPermissionSubject::ToolCall(subject)) = &request.subject {
            self.state.asked(&subject.tool_call);
        }
        self.events.print(
            "permission",
            json!({"title": request.title, "subject": request.subject, "options": request.options, "outcome": outcome}),
        );
        self.events.seen.send_modify(|seen| seen.questions += 1);
        outcome
    }

    /// Answers a permission request. An open one is answered when the turn is cancelled or the
    /// agent withdraws it.
    pub(crate) async fn answer(
        self: Arc<Self>,
        outcome: Option<RequestPermissionOutcome>,
        responder: Responder<RequestPermissionResponse>,
    ) -> Result<()> {
        let outcome = match outcome {
            Some(outcome) => outcome,
            None => {
                let withdrawn = responder.cancellation();
                let mut is_cancelled = self.is_cancelled.subscribe();
                tokio::select! {
                    _ = is_cancelled.wait_for(|is_cancelled| *is_cancelled) => {}
                    () = withdrawn.cancelled() => self.events.print("withdrawn", json!({})),
                }
                cancelled()
            }
        };
        responder.respond(RequestPermissionResponse::new(outcome))
    }
}

fn cancelled() -> RequestPermissionOutcome {
    RequestPermissionOutcome::Cancelled(CancelledPermissionOutcome::new())
}
