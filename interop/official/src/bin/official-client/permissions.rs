//! How permission requests are answered: as the script last said.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::Result;
use agent_client_protocol::v1::Responder;
use agent_client_protocol::v1::schema::{
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, SelectedPermissionOutcome,
};
use official_peers::script::Answer;
use serde_json::json;

use crate::events::Events;

pub(crate) struct Permissions {
    events: Arc<Events>,
    answer: Mutex<Answer>,
    /// Requests left open under `Answer::Wait`.
    waiting: Mutex<Vec<Responder<RequestPermissionResponse>>>,
}

impl Permissions {
    pub(crate) fn new(events: Arc<Events>) -> Self {
        let answer = Mutex::new(Answer::Kind("reject_once".into()));
        Self { events, answer, waiting: Mutex::default() }
    }

    pub(crate) fn set(&self, answer: Answer) {
        *locked(&self.answer) = answer;
    }

    pub(crate) fn ask(
        &self,
        request: &RequestPermissionRequest,
        responder: Responder<RequestPermissionResponse>,
    ) -> Result<()> {
        let answer = locked(&self.answer).clone();
        let outcome = match &answer {
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
        let (call, options) = (&request.tool_call, &request.options);
        let event = json!({"toolCall": call, "options": options, "outcome": outcome});
        self.events.print("permission", event);
        match outcome {
            Some(outcome) => responder.respond(RequestPermissionResponse::new(outcome))?,
            None => locked(&self.waiting).push(responder),
        }
        self.events.seen.send_modify(|seen| seen.permissions += 1);
        Ok(())
    }

    /// Answers what is still open, as a client must when it cancels a turn (CANCEL-05).
    pub(crate) fn cancel(&self) -> Result<()> {
        for responder in locked(&self.waiting).drain(..) {
            responder.respond(RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled))?;
        }
        Ok(())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
