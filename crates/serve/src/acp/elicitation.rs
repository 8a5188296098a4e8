//! Asks a client to show a form or to open a page.

use super::context::{Attached, Context};
use super::unsettled::Unsettled;
use attache_client::{Answer, FormReply, FormRequest, QuestionId, UrlReply, UrlRequest};
use attache_connection::Peer;
use attache_protocol::method::{ElicitationComplete, ElicitationCreate, v2 as methods};
use attache_protocol::v1::{
    CompleteElicitationNotification, CreateElicitationRequest, CreateElicitationResponse,
    ElicitationAction, ElicitationCapabilities, ElicitationFormMode, ElicitationId,
    ElicitationMode, ElicitationSessionScope, ElicitationUrlMode, ProtocolVersion, ToolCallId,
};

/// Asks for a form, if the client shows forms.
pub(super) async fn form(
    attached: &Attached,
    peer: &Peer,
    request: &FormRequest,
) -> Result<Answer, Unsettled> {
    modes(peer).form.ok_or(Unsettled::Unable)?;
    let mode = ElicitationMode::Form(ElicitationFormMode::new(request.form.schema().clone()));
    let about = (request.tool_call_id.as_ref(), request.message.as_str());
    let reply = match create(attached, peer, mode, about).await? {
        ElicitationAction::Accept(accepted) => {
            let content = accepted.content.unwrap_or_default();
            // Values that do not fit would end the agent's question with an error.
            request.form.check(&content).map_err(|_| Unsettled::Unable)?;
            FormReply::Accept(content)
        }
        ElicitationAction::Decline => FormReply::Decline,
        _ => return Err(Unsettled::Unable),
    };
    Ok(Answer::Form(reply))
}

/// Asks to open a page, if the client opens pages, and reports later that the person is done with
/// it.
pub(super) async fn page(
    context: &Context,
    attached: &Attached,
    peer: &Peer,
    (question, request): (QuestionId, &UrlRequest),
) -> Result<Answer, Unsettled> {
    modes(peer).url.ok_or(Unsettled::Unable)?;
    let id = ElicitationId::from(format!("{}#{}", attached.wire.as_str(), question.0));
    let mode = ElicitationMode::Url(ElicitationUrlMode::new(id.clone(), request.address.as_str()));
    let about = (request.tool_call_id.as_ref(), request.message.as_str());
    let reply = match create(attached, peer, mode, about).await? {
        ElicitationAction::Accept(_) => UrlReply::Accept,
        ElicitationAction::Decline => UrlReply::Decline,
        _ => return Err(Unsettled::Unable),
    };
    if reply == UrlReply::Accept {
        let (completed, peer) = (request.completed.clone(), peer.clone());
        context.tasks.spawn(async move {
            if completed.wait().await {
                // Without a connection, nobody waits for it.
                let params = CompleteElicitationNotification::new(id);
                drop(peer.notify::<ElicitationComplete>(&params));
            }
        });
    }
    Ok(Answer::Page(reply))
}

fn modes(peer: &Peer) -> ElicitationCapabilities {
    let capabilities = peer.client_capabilities();
    capabilities.and_then(|all| all.elicitation.clone()).unwrap_or_default()
}

async fn create(
    attached: &Attached,
    peer: &Peer,
    mode: ElicitationMode,
    (tool_call, message): (Option<&ToolCallId>, &str),
) -> Result<ElicitationAction, Unsettled> {
    let mut scope = ElicitationSessionScope::new(attached.wire.clone());
    scope.tool_call_id = tool_call.cloned();
    let request = CreateElicitationRequest::new(mode, scope, message);
    let response = match peer.version() {
        ProtocolVersion::V2 => {
            let response = peer.call::<methods::ElicitationCreate>(&request).await?;
            CreateElicitationResponse::try_from(response).map_err(|_| Unsettled::Unable)?
        }
        _ => peer.call::<ElicitationCreate>(&request).await?,
    };
    Ok(response.action)
}
