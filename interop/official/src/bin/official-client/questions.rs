//! The person's answers to permission requests and elicitations, as set by the script.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::v1::Responder;
use agent_client_protocol::v1::schema::{
    CreateElicitationRequest, CreateElicitationResponse, ElicitationAcceptAction,
    ElicitationAction, ElicitationMode, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome,
};
use agent_client_protocol::{Error, RequestCancellation, Result};
use official_peers::script::{Answer, FormAnswer};
use serde_json::json;
use tokio::sync::watch;

use crate::form;
use crate::state::State;
use official_peers::client::events::Events;

pub(crate) struct Questions {
    events: Arc<Events>,
    state: Arc<State>,
    /// Whether forms and pages are offered.
    offered: (bool, bool),
    answer: Mutex<Answer>,
    form: Mutex<FormAnswer>,
    /// Whether the current turn was cancelled. If so, open questions are answered as cancelled
    /// (CANCEL-05), and so are later ones (PERM-06, ELIC-26).
    is_cancelled: watch::Sender<bool>,
}

impl Questions {
    pub(crate) fn new(events: Arc<Events>, state: Arc<State>, offered: (bool, bool)) -> Self {
        let answer = Mutex::new(Answer::Kind("reject_once".into()));
        Self {
            events,
            state,
            offered,
            answer,
            form: Mutex::default(),
            is_cancelled: watch::Sender::default(),
        }
    }

    pub(crate) fn set(&self, answer: Answer) {
        *locked(&self.answer) = answer;
    }

    pub(crate) fn set_form(&self, answer: FormAnswer) {
        *locked(&self.form) = answer;
    }

    /// Starts a turn.
    pub(crate) fn begin(&self) {
        self.is_cancelled.send_replace(false);
    }

    pub(crate) fn cancel(&self) {
        self.is_cancelled.send_replace(true);
    }

    fn asked(&self) {
        self.events.seen.send_modify(|seen| seen.questions += 1);
    }

    /// Returns the outcome; `None` while the question stays open.
    pub(crate) fn ask(
        &self,
        request: &RequestPermissionRequest,
    ) -> Option<RequestPermissionOutcome> {
        let answer = locked(&self.answer).clone();
        let outcome = match &answer {
            _ if *self.is_cancelled.borrow() => Some(RequestPermissionOutcome::Cancelled),
            Answer::Wait => None,
            Answer::Cancelled => Some(RequestPermissionOutcome::Cancelled),
            Answer::Kind(kind) => {
                let kind = json!(kind);
                let option = request.options.iter().find(|option| json!(option.kind) == kind);
                Some(option.map_or(RequestPermissionOutcome::Cancelled, |option| {
                    let selected = SelectedPermissionOutcome::new(option.option_id.clone());
                    RequestPermissionOutcome::Selected(selected)
                }))
            }
        };
        self.state.asked(&request.tool_call);
        let (call, options) = (&request.tool_call, &request.options);
        self.events
            .print("permission", json!({"toolCall": call, "options": options, "outcome": outcome}));
        self.asked();
        outcome
    }

    /// Answers a permission request. An open one is answered when the turn is cancelled or the
    /// agent withdraws it (CANCEL-21).
    pub(crate) async fn answer(
        self: Arc<Self>,
        outcome: Option<RequestPermissionOutcome>,
        responder: Responder<RequestPermissionResponse>,
    ) -> Result<()> {
        let outcome = match outcome {
            Some(outcome) => outcome,
            None => {
                self.left_open(responder.cancellation()).await;
                RequestPermissionOutcome::Cancelled
            }
        };
        responder.respond(RequestPermissionResponse::new(outcome))
    }

    async fn left_open(&self, taken_back: RequestCancellation) {
        let mut is_cancelled = self.is_cancelled.subscribe();
        tokio::select! {
            _ = is_cancelled.wait_for(|is_cancelled| *is_cancelled) => {}
            () = taken_back.cancelled() => self.events.print("withdrawn", json!({})),
        }
    }

    /// An unknown mode or property never counts as a known one (ELIC-02, ELIC-22). Only the person
    /// opens the page of a url; this client fetches nothing (ELIC-09).
    pub(crate) fn elicited(
        &self,
        request: &CreateElicitationRequest,
    ) -> Result<Option<ElicitationAction>> {
        let answer = *locked(&self.form);
        let (mode, shown, accepted) = match &request.mode {
            ElicitationMode::Form(form) if self.offered.0 => {
                let filled = form::fill(&form.requested_schema);
                let accepted =
                    filled.map(|content| ElicitationAcceptAction::new().content(content));
                ("form", json!({"requestedSchema": form.requested_schema}), accepted)
            }
            ElicitationMode::Url(page) if self.offered.1 => {
                let rest = page.url.split_once("://").map_or(page.url.as_str(), |(_, rest)| rest);
                let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
                (
                    "url",
                    json!({"url": page.url, "host": host}),
                    Some(ElicitationAcceptAction::new()),
                )
            }
            _ => {
                return Err(
                    Error::invalid_params().data("elicitations of this mode are not offered")
                );
            }
        };
        let action = match answer {
            _ if *self.is_cancelled.borrow() => Some(ElicitationAction::Cancel),
            FormAnswer::Accept => {
                Some(accepted.map_or(ElicitationAction::Decline, ElicitationAction::Accept))
            }
            FormAnswer::Decline => Some(ElicitationAction::Decline),
            FormAnswer::Cancel => Some(ElicitationAction::Cancel),
            FormAnswer::Wait => None,
        };
        let answer = action.clone().map(CreateElicitationResponse::new);
        let body =
            json!({"mode": mode, "message": request.message, "shown": shown, "answer": answer});
        self.events.print("form", body);
        self.asked();
        Ok(action)
    }

    pub(crate) async fn answer_form(
        self: Arc<Self>,
        action: Option<ElicitationAction>,
        responder: Responder<CreateElicitationResponse>,
    ) -> Result<()> {
        let action = match action {
            Some(action) => action,
            None => {
                self.left_open(responder.cancellation()).await;
                ElicitationAction::Cancel
            }
        };
        responder.respond(CreateElicitationResponse::new(action))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
