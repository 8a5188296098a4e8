//! `elicitation/create` and `elicitation/complete` (ELIC-01 to ELIC-26): the agent asks the person
//! for input.

pub(crate) mod form;
pub(crate) mod page_address;

use crate::elicitation::form::Form;
use crate::elicitation::page_address::{Outstanding, PageAddress, PageCompletion};
use crate::race::{Raced, race};
use crate::session::session_table::SessionTable;
use attache_connection::{Responder, Work};
use attache_protocol::method::ElicitationCreate;
use attache_protocol::v1::{
    CompleteElicitationNotification, CreateElicitationRequest, CreateElicitationResponse,
    ElicitationAcceptAction, ElicitationAction, ElicitationCapabilities, ElicitationContentValue,
    ElicitationFormCapabilities, ElicitationMode, ElicitationScope, ElicitationUrlCapabilities,
    SessionId, ToolCallId,
};
use attache_protocol::{Error, Map};
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use tokio::sync::oneshot;

/// Asks the person to fill in a form. Called on the connection's own task: it may await, but must
/// not block. Its future is dropped when the question is withdrawn.
pub type FormHandler =
    Arc<dyn Fn(FormRequest) -> Pin<Box<dyn Future<Output = FormReply> + Send>> + Send + Sync>;

/// Asks the person to open a page; otherwise like [`FormHandler`].
pub type UrlHandler =
    Arc<dyn Fn(UrlRequest) -> Pin<Box<dyn Future<Output = UrlReply> + Send>> + Send + Sync>;

/// A request to fill in a form. Show which agent asks, let the person decline or dismiss the form,
/// and let them review and change their answers before they are sent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FormRequest {
    /// The name that the agent gave, or `the agent` if it gave none.
    pub agent: String,
    /// The session that the request belongs to; `None` if it belongs to one of this client's own
    /// calls, such as a login.
    pub session_id: Option<SessionId>,
    /// The tool call that the request belongs to, if any.
    pub tool_call_id: Option<ToolCallId>,
    /// The question, for people.
    pub message: String,
    /// The form.
    pub form: Form,
}

/// A request to open a page. This crate does not open it. Show the whole address, its host, and the
/// reasons why the address is suspicious. Open the page only after the person agreed, in a place
/// that no model can read. Do not fetch it before that.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UrlRequest {
    /// The name that the agent gave, or `the agent` if it gave none.
    pub agent: String,
    /// The session that the request belongs to; `None` if it belongs to one of this client's own
    /// calls, such as a login.
    pub session_id: Option<SessionId>,
    /// The tool call that the request belongs to, if any.
    pub tool_call_id: Option<ToolCallId>,
    /// The question, for people.
    pub message: String,
    /// The page.
    pub address: PageAddress,
    /// Completes when the agent says that the person is done with the page, which may be long after
    /// the answer.
    pub completed: PageCompletion,
}

/// The person's answer to a form.
#[derive(Debug, Clone, PartialEq)]
pub enum FormReply {
    /// The person filled in the form. Values that do not fit the form are not sent, and the agent
    /// gets an error instead. To let the person correct them, call [`Form::check`] first.
    Accept(Map<ElicitationContentValue>),
    /// The person declined.
    Decline,
    /// The person dismissed the request without an answer.
    Cancel,
}

/// The person's answer to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlReply {
    /// The person agreed to open the page. This does not mean that they did anything there.
    Accept,
    /// The person declined.
    Decline,
    /// The person dismissed the request without an answer.
    Cancel,
}

/// The handlers of one connection.
pub(crate) struct Elicitations {
    pub(crate) form: Option<FormHandler>,
    pub(crate) url: Option<UrlHandler>,
    /// The agent's name, once it is known.
    pub(crate) agent: Arc<OnceLock<String>>,
    pub(crate) outstanding: Outstanding,
}

/// The advertised modes: those with a handler (ELIC-01).
pub(crate) fn capabilities(form: bool, url: bool) -> Option<ElicitationCapabilities> {
    let mut capabilities = ElicitationCapabilities::new();
    capabilities.form = form.then(ElicitationFormCapabilities::new);
    capabilities.url = url.then(ElicitationUrlCapabilities::new);
    (form || url).then_some(capabilities)
}

impl Elicitations {
    /// Takes a question from the agent. It stays open until the person answers, the session's turn
    /// is cancelled or ends, or the agent withdraws it.
    pub(crate) fn create(
        &self,
        sessions: &SessionTable,
        params: CreateElicitationRequest,
        answer: Responder<ElicitationCreate>,
    ) -> Work {
        let CreateElicitationRequest { mode, scope, message, .. } = params;
        let (session_id, tool_call_id) = match scope {
            ElicitationScope::Session(scope) => (Some(scope.session_id), scope.tool_call_id),
            ElicitationScope::Request(_) => (None, None),
        };
        let agent = self.agent.get().cloned().unwrap_or_else(|| "the agent".to_owned());
        let withdrawn = match &session_id {
            None => Withdrawn::Never,
            Some(id) => match sessions.get(id).map(|live| live.until_withdrawn()) {
                None => return answer.send(Err(Error::resource_not_found_session(id.as_str()))),
                Some(None) => Withdrawn::Already,
                Some(Some(withdrawn)) => Withdrawn::When(withdrawn),
            },
        };
        match (mode, &self.form, &self.url) {
            (ElicitationMode::Form(mode), Some(asked), _) => {
                let form = Form::new(mode.requested_schema);
                let asked = asked(FormRequest {
                    agent,
                    session_id,
                    tool_call_id,
                    message,
                    form: form.clone(),
                });
                put(answer, withdrawn, async move { checked(asked.await, &form) })
            }
            (ElicitationMode::Url(mode), _, Some(asked)) => {
                let address = match PageAddress::parse(&mode.url) {
                    Ok(address) => address,
                    Err(error) => {
                        return answer.send(Err(Error::invalid_params(error.to_string())));
                    }
                };
                let id = mode.elicitation_id;
                let Some(completed) = self.outstanding.begin(&id) else {
                    let why = format!(
                        "an elicitation with the id \"{id}\" is outstanding: give each its own"
                    );
                    return answer.send(Err(Error::invalid_params(why))); // ELIC-18
                };
                let unless_accepted =
                    Refused { outstanding: self.outstanding.clone(), id: Some(id) };
                let request =
                    UrlRequest { agent, session_id, tool_call_id, message, address, completed };
                let asked = asked(request);
                put(answer, withdrawn, async move { Ok(unless_accepted.settle(asked.await)) })
            }
            // ELIC-02, ELIC-22
            (mode, ..) => {
                let mode = mode.tag().to_owned();
                answer.send(Err(Error::invalid_params(format!(
                    "this client does not offer elicitations of the mode \"{mode}\""
                ))))
            }
        }
    }

    pub(crate) fn complete(&self, params: &CompleteElicitationNotification) {
        self.outstanding.complete(&params.elicitation_id);
    }
}

/// Whether and when an event in the session makes the answer unnecessary.
enum Withdrawn {
    Never,
    Already,
    When(oneshot::Receiver<()>),
}

/// Waits for the person's answer. If the answer is no longer needed before the person gives it,
/// returns `cancel` (ELIC-26, CANCEL-21).
fn put(
    answer: Responder<ElicitationCreate>,
    withdrawn: Withdrawn,
    asked: impl Future<Output = Result<ElicitationAction, Error>> + Send + 'static,
) -> Work {
    answer.later_with(move |answer| async move {
        let withdrawn = async move {
            match withdrawn {
                Withdrawn::Never => pending().await,
                Withdrawn::Already => {}
                Withdrawn::When(withdrawn) => drop(withdrawn.await),
            }
        };
        let needless = race(answer.cancelled().clone().wait(), withdrawn);
        // This check comes first: a turn that is being cancelled asks no question.
        let outcome = match race(needless, asked).await {
            Raced::First(_) => Ok(ElicitationAction::Cancel),
            Raced::Second(outcome) => outcome,
        };
        answer.send(outcome.map(CreateElicitationResponse::new));
    })
}

/// The answer, if it fits the form (ELIC-14); it has `content` only with `accept` (ELIC-13).
fn checked(elicited: FormReply, form: &Form) -> Result<ElicitationAction, Error> {
    match elicited {
        FormReply::Accept(content) => match form.check(&content) {
            Ok(()) => {
                let mut accepted = ElicitationAcceptAction::new();
                accepted.content = Some(content);
                Ok(ElicitationAction::Accept(accepted))
            }
            Err(misfilled) => {
                Err(Error::internal(format!("the answer does not fit the form: {misfilled}")))
            }
        },
        FormReply::Decline => Ok(ElicitationAction::Decline),
        FormReply::Cancel => Ok(ElicitationAction::Cancel),
    }
}

/// A page that the person has not agreed to open. Dropping this also drops the page's outstanding
/// completion.
struct Refused {
    outstanding: Outstanding,
    id: Option<attache_protocol::v1::ElicitationId>,
}

impl Refused {
    fn settle(mut self, elicited: UrlReply) -> ElicitationAction {
        match elicited {
            UrlReply::Accept => {
                self.id = None;
                ElicitationAction::Accept(ElicitationAcceptAction::new())
            }
            UrlReply::Decline => ElicitationAction::Decline,
            UrlReply::Cancel => ElicitationAction::Cancel,
        }
    }
}

impl Drop for Refused {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.outstanding.forget(id);
        }
    }
}
