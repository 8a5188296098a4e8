//! Asking the user before a tool runs.

use crate::author::erased_parts::BoxFuture;
use crate::turn::user_wait::UserWait;
use crate::{Error, Result, ToolCallHandle, Turn};
use attache_connection::CallError;
use attache_protocol::method::{SessionRequestPermission, v2};
use attache_protocol::v1::{
    PermissionOption, PermissionOptionId, PermissionOptionKind, ProtocolVersion,
    RequestPermissionOutcome,
};
use attache_session::{EventBody, PermissionId, PermissionQuestion};

/// The decision about a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Permission {
    /// The tool may run.
    AllowOnce(PermissionOptionId),
    /// The tool may run, and the choice should be remembered. The author defines what it covers.
    // PERM-07.
    AllowAlways(PermissionOptionId),
    /// The tool must not run.
    RejectOnce(PermissionOptionId),
    /// The tool must not run, and the choice should be remembered.
    // PERM-07.
    RejectAlways(PermissionOptionId),
    /// The client withdrew the question. The tool must not run.
    // PERM-11.
    Cancelled,
    /// The client's answer was an error, could not be decoded, or named an option that was not
    /// offered; the text says which. The tool must not run.
    // PERM-04.
    Unusable(String),
}

impl Permission {
    /// Returns whether the tool may run.
    pub fn allowed(&self) -> bool {
        matches!(self, Self::AllowOnce(_) | Self::AllowAlways(_))
    }

    /// Returns the chosen option.
    pub fn option_id(&self) -> Option<&PermissionOptionId> {
        match self {
            Self::AllowOnce(id)
            | Self::AllowAlways(id)
            | Self::RejectOnce(id)
            | Self::RejectAlways(id) => Some(id),
            Self::Cancelled | Self::Unusable(_) => None,
        }
    }

    fn of(
        answer: std::result::Result<RequestPermissionOutcome, CallError>,
        options: &[PermissionOption],
    ) -> Result<Self> {
        let outcome = match answer {
            Ok(outcome) => outcome,
            Err(CallError::Disconnected(end)) => return Err(Error::Disconnected(end)),
            Err(error) => return Ok(Self::Unusable(error.to_string())),
        };
        Ok(match outcome {
            RequestPermissionOutcome::Cancelled => Self::Cancelled,
            RequestPermissionOutcome::Selected(selected) => {
                let id = selected.option_id;
                match options
                    .iter()
                    .find(|option| option.option_id == id)
                    .map(|option| &option.kind)
                {
                    Some(PermissionOptionKind::AllowOnce) => Self::AllowOnce(id),
                    Some(PermissionOptionKind::AllowAlways) => Self::AllowAlways(id),
                    Some(PermissionOptionKind::RejectOnce) => Self::RejectOnce(id),
                    Some(PermissionOptionKind::RejectAlways) => Self::RejectAlways(id),
                    Some(PermissionOptionKind::Unknown(_)) | None => {
                        Self::Unusable(format!("the client chose {id}, which was not offered"))
                    }
                }
            }
            RequestPermissionOutcome::Unknown(unknown) => Self::Unusable(format!(
                "the client answered with the unknown outcome {}",
                unknown.tag
            )),
        })
    }
}

impl Turn {
    /// Asks the user whether `call` may run, and waits for the answer without a time limit. Several
    /// questions can be open at once. When the turn is cancelled the question is withdrawn, and a
    /// late answer has no effect.
    ///
    /// # Errors
    /// Returns [`Error::Cancelled`], [`Error::Over`] or [`Error::Disconnected`], or
    /// [`Error::Invalid`] if there are no options, if two have the same id, or if one is of an
    /// unknown kind. An answer of the client is never an error here.
    // PERM-02, PERM-12, CANCEL-22, CANCEL-23.
    pub async fn ask_permission(
        &self,
        call: &ToolCallHandle,
        options: Vec<PermissionOption>,
    ) -> Result<Permission> {
        check(&options)?;
        self.ready().await?;
        let waiting = UserWait::begin(self);
        let (mut open, reply) = self.open_session().in_turn(self.accepted(), |state| {
            let id = state.open_question();
            let question = PermissionQuestion::new(call.patch(), options.clone());
            let reply = self.send(&question, id);
            state.record(EventBody::PermissionAsked { id, question: Box::new(question) });
            (OpenQuestion { turn: self, id, outcome: None }, reply)
        })?;
        let answer = self.unless_cancelled(reply).await?;
        drop(waiting);
        if let Ok(outcome) = &answer {
            open.outcome = Some(outcome.clone());
        }
        drop(open);
        let permission = Permission::of(answer, &options)?;
        // The answer and the cancel may both have arrived before this task ran again.
        self.check()?;
        Ok(permission)
    }

    /// Sends the question in the version of the client. The returned future waits for the answer.
    fn send(
        &self,
        question: &PermissionQuestion,
        id: PermissionId,
    ) -> BoxFuture<'static, std::result::Result<RequestPermissionOutcome, CallError>> {
        let (peer, session) = (&self.open_session().peer, self.session_id().clone());
        match peer.version() {
            ProtocolVersion::V2 => {
                let reply = peer.call::<v2::SessionRequestPermission>(&question.to_v2(session));
                Box::pin(async { Ok(reply.await?.outcome.into()) })
            }
            _ => {
                let reply = peer.call::<SessionRequestPermission>(&question.to_v1(session, id));
                Box::pin(async { Ok(reply.await?.outcome) })
            }
        }
    }

    /// Asks with the two options "Allow" and "Reject", and returns whether `call` may run.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::ask_permission`].
    pub async fn allowed(&self, call: &ToolCallHandle) -> Result<bool> {
        let options = vec![
            PermissionOption::new("allow", "Allow", PermissionOptionKind::AllowOnce),
            PermissionOption::new("reject", "Reject", PermissionOptionKind::RejectOnce),
        ];
        Ok(self.ask_permission(call, options).await?.allowed())
    }
}

/// An open permission question. Dropping it records in the session that the question is settled:
/// with the client's answer, or as cancelled if there was none.
struct OpenQuestion<'t> {
    turn: &'t Turn,
    id: PermissionId,
    outcome: Option<RequestPermissionOutcome>,
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        let id = self.id;
        let outcome = self.outcome.take().unwrap_or(RequestPermissionOutcome::Cancelled);
        self.turn.open_session().defer_in_turn(self.turn.accepted(), move |state| {
            let questions = state.turn().map(|turn| &mut turn.open_questions);
            if let Some(questions) = questions
                && let Some(index) = questions.iter().position(|open| *open == id)
            {
                questions.swap_remove(index);
                state.record(EventBody::PermissionSettled { id, outcome });
            }
        });
    }
}

fn check(options: &[PermissionOption]) -> Result<()> {
    if options.is_empty() {
        return Err(Error::invalid("a permission request needs at least one option"));
    }
    for (index, option) in options.iter().enumerate() {
        if matches!(option.kind, PermissionOptionKind::Unknown(_)) {
            return Err(Error::invalid(format!(
                "the permission option {} has an unknown kind",
                option.option_id
            )));
        }
        if options.iter().take(index).any(|earlier| earlier.option_id == option.option_id) {
            return Err(Error::invalid(format!(
                "two permission options have the id {}",
                option.option_id
            )));
        }
    }
    Ok(())
}
