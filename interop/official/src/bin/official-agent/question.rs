//! Questions to the person: a form if the client supports forms, otherwise text.

use agent_client_protocol::Result;
use agent_client_protocol::v1::schema::{
    CreateElicitationRequest, ElicitationAction, ElicitationContentValue, ElicitationFormMode,
    ElicitationSchema, ElicitationSessionScope, ToolCallId,
};

use crate::offers;
use crate::turn::Turn;

/// Returns the result of a question in words. An invalid answer never counts as an answer (ELIC-16,
/// ELIC-23).
pub(crate) async fn elicit(
    turn: &Turn,
    question: &str,
    call: Option<ToolCallId>,
) -> Result<String> {
    if !offers::shows_forms(&turn.session.offered) {
        return Ok(format!("No form can be shown here: {question}"));
    }
    let scope = ElicitationSessionScope::new(turn.session.id.clone()).tool_call_id(call);
    let form = ElicitationFormMode::new(scope, ElicitationSchema::new().string("answer", true));
    let answered = turn.request(CreateElicitationRequest::new(form, question)).await?;
    Ok(match answered.action {
        ElicitationAction::Accept(accept) => {
            match accept.content.as_ref().and_then(|content| content.get("answer")) {
                Some(ElicitationContentValue::String(answer)) => format!("answer: {answer}"),
                _ => "the answer does not fit the form".into(),
            }
        }
        ElicitationAction::Decline => "declined".into(),
        ElicitationAction::Cancel => "dismissed".into(),
        _ => "not answered".into(),
    })
}
