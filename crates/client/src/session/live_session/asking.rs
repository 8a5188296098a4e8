//! Permission requests from the agent, and this client's own questions about a file, a command, a
//! form or a page.

use super::LiveSession;
use super::agent_question::AgentQuestion;
use crate::permission::approvals::{Approvals, Prospect, prospects};
use crate::permission::asked_action;
use crate::permission::{Decision, PermissionRequest, Permissions};
use crate::race::{Raced, race};
use crate::text_files::unsaved_text::UnsavedText;
use attache_connection::{Cancelled, Responder};
use attache_policy::Folders;
use attache_protocol::method::SessionRequestPermission;
use attache_protocol::v1::{
    PermissionOptionKind, RequestPermissionOutcome, RequestPermissionResponse, SessionId,
};
use attache_session::{EventBody, PermissionId, PermissionQuestion};
use std::sync::Arc;
use tokio::sync::oneshot;

/// A question to decide, until its answer is no longer needed.
pub(crate) struct Asking {
    pub(crate) request: PermissionRequest,
    permissions: Permissions,
    folders: Option<Arc<Folders>>,
    cancelled: Cancelled,
    withdrawn: oneshot::Receiver<()>,
}

/// The outcome of asking for a permission.
pub(crate) enum Permitted {
    Yes,
    No,
    /// The answer is no longer needed.
    Withdrawn,
}

impl Permitted {
    fn by(decision: &Decision, request: &PermissionRequest) -> Self {
        if decision.allows(&request.options) { Self::Yes } else { Self::No }
    }
}

impl LiveSession {
    /// Takes a permission request: patches the call (PERM-10) and folds the question. If the turn
    /// is being cancelled, answers it; otherwise returns it to be decided.
    pub(crate) fn ask(
        &self,
        question: PermissionQuestion,
        answer: Responder<SessionRequestPermission>,
    ) -> Option<Asking> {
        let mut state = self.state();
        state.questions += 1;
        let id = PermissionId(state.questions);
        let tool_call = question.tool_call_id().cloned();
        state.hear(EventBody::PermissionAsked { id, question: Box::new(question.clone()) });
        let known = tool_call
            .and_then(|tool_call| self.fold.with(|session| session.tool_call(&tool_call).cloned()));
        let (permissions, folders) = (state.permissions.clone(), state.folders.clone());
        let asking = if state.is_cancelling() {
            let outcome = RequestPermissionOutcome::Cancelled; // PERM-06
            state.apply(EventBody::PermissionSettled { id, outcome: outcome.clone() });
            drop(state);
            answer.send(Ok(RequestPermissionResponse::new(outcome)));
            None
        } else {
            let (sender, withdrawn) = oneshot::channel();
            let cancelled = answer.cancelled().clone();
            state.asked.insert(id, AgentQuestion { answer, _withdrawn: sender });
            drop(state);
            let request = asked_action::request(question, id, self.id.clone(), known);
            let request = self.fold.with(|session| request.with_terminals(session.terminals()));
            Some(Asking { request, permissions, folders, cancelled, withdrawn })
        };
        self.fold.wake();
        asking
    }

    /// Answers an open question and keeps what it allows. Has no effect on a settled question.
    pub(crate) fn settle(
        &self,
        id: PermissionId,
        outcome: RequestPermissionOutcome,
        allowed: Option<Allowed>,
    ) {
        let mut state = self.state();
        let Some(question) = state.asked.remove(&id) else { return };
        state.apply(EventBody::PermissionSettled { id, outcome: outcome.clone() });
        if let Some(Allowed { prospect, always }) = allowed {
            state.approvals.add(prospect, always);
        }
        drop(state);
        question.answer.send(Ok(RequestPermissionResponse::new(outcome)));
        self.fold.wake();
    }

    /// Returns a receiver that resolves when answers are no longer needed, because the turn is
    /// cancelled or ends, or the connection ends. `None` if the turn is being cancelled already
    /// (CANCEL-05, ELIC-26).
    pub(crate) fn until_withdrawn(&self) -> Option<oneshot::Receiver<()>> {
        let mut state = self.state();
        if state.is_cancelling() {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        state.asked_aside.retain(|asked| !asked.is_closed());
        state.asked_aside.push(sender);
        Some(receiver)
    }

    /// The id of the next question that the client itself asks. Such questions are not part of the
    /// transcript.
    pub(crate) fn next_question(&self) -> (PermissionId, SessionId) {
        let mut state = self.state();
        state.questions += 1;
        (PermissionId(state.questions), self.id.clone())
    }

    /// The id of a request that is only checked against the permissions, without asking anybody.
    pub(crate) fn no_question(&self) -> (PermissionId, SessionId) {
        (PermissionId(0), self.id.clone())
    }

    /// The permissions of the session as they are now.
    pub(crate) fn permissions(&self) -> Permissions {
        self.state().permissions.clone()
    }

    /// Reads or changes the approvals of the session.
    pub(crate) fn approved<T>(&self, look: impl FnOnce(&mut Approvals) -> T) -> T {
        look(&mut self.state().approvals)
    }

    /// Whether the session's permissions decide a request without asking; `None` if the person must
    /// be asked.
    pub(crate) fn permits_at_once(&self, request: &PermissionRequest) -> Option<Permitted> {
        let state = self.state();
        if state.is_cancelling() {
            return Some(Permitted::Withdrawn);
        }
        let decision = state.permissions.decided(request).ok()?;
        Some(Permitted::by(&decision, request))
    }

    /// Whether the session's permissions allow one of this client's own requests. Holds no lock
    /// while the person is asked.
    pub(crate) async fn permits(&self, request: PermissionRequest) -> Permitted {
        let Some(withdrawn) = self.until_withdrawn() else { return Permitted::Withdrawn };
        let decided = self.state().permissions.decided(&request);
        let decision = match decided {
            Ok(decision) => decision,
            Err(asked) => match race(asked(request.clone()), withdrawn).await {
                Raced::First(decision) => decision,
                Raced::Second(_) => return Permitted::Withdrawn,
            },
        };
        Permitted::by(&decision, &request)
    }
}

/// The actions that an allowed request approves, and whether the chosen option allows always.
pub(crate) struct Allowed {
    prospect: Prospect,
    always: bool,
}

/// A permission request that is being decided. If this is dropped before the decision, for example
/// by a panic, the request is settled as cancelled.
pub(crate) struct OpenQuestion {
    pub(crate) live: Arc<LiveSession>,
    pub(crate) id: PermissionId,
}

impl OpenQuestion {
    pub(crate) async fn decide(self, asking: Asking, unsaved: Option<Arc<dyn UnsavedText>>) {
        let Asking { request, permissions, folders, cancelled, withdrawn } = asking;
        let options = request.options.clone();
        let deciding = async {
            let (request, prospect) = looked_at(request, folders, unsaved).await;
            let decision = match permissions.decided(&request) {
                Ok(decision) => decision,
                Err(asked) => asked(request).await,
            };
            (decision, prospect)
        };
        // CANCEL-21 and CANCEL-05: the decision is no longer needed, and dropping the future
        // withdraws the question.
        let needless = race(cancelled.wait(), withdrawn);
        if let Raced::First((decision, prospect)) = race(deciding, needless).await {
            let outcome = decision.outcome(&options);
            let chosen =
                options.iter().find(|option| Some(&option.option_id) == outcome.selected());
            let allowed = match chosen.map(|option| &option.kind) {
                Some(PermissionOptionKind::AllowOnce) => Some(Allowed { prospect, always: false }),
                // A flag or a rule chooses this option only if the agent offers no other option
                // that allows; a person chooses it by its name.
                Some(PermissionOptionKind::AllowAlways) => {
                    Some(Allowed { prospect, always: matches!(decision, Decision::Choose(_)) })
                }
                _ => None,
            };
            self.live.settle(self.id, outcome, allowed);
        }
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.live.settle(self.id, RequestPermissionOutcome::Cancelled, None);
    }
}

/// Completes a request with facts from the disk, and returns the actions that it would allow. Reads
/// the disk on another thread, so that the connection's task does not wait.
async fn looked_at(
    mut request: PermissionRequest,
    folders: Option<Arc<Folders>>,
    unsaved: Option<Arc<dyn UnsavedText>>,
) -> (PermissionRequest, Prospect) {
    let Some(folders) = folders.filter(|_| says_more_than_a_title(&request)) else {
        return (request, Prospect::default());
    };
    let looking = request.clone();
    let looked =
        tokio::task::spawn_blocking(move || prospects(&looking, &folders, unsaved.as_deref()))
            .await;
    // The task fails only when the program is ending. Nothing is approved in advance then.
    let prospect = looked.unwrap_or_default();
    request.protected = prospect.protected;
    (request, prospect)
}

/// Whether the request names paths or commands.
fn says_more_than_a_title(request: &PermissionRequest) -> bool {
    let effect = request.effect();
    !effect.paths.is_empty() || !effect.commands.is_empty() || effect.stated.is_some()
}
