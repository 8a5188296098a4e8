//! Where models are reached, as the client says (requirements §4.18, PROV).

use crate::guard::{after_reading, calmly, guarded};
use crate::kit::Parts;
use crate::{Author, Error, Result};
use attache_connection::{Responder, Work};
use attache_protocol::method::{ProvidersDisable, ProvidersList, ProvidersSet};
use attache_protocol::v1::{
    DisableProviderRequest, DisableProviderResponse, ListProvidersResponse, ProviderInfo,
    SetProviderRequest, SetProviderResponse,
};
use std::sync::Arc;

/// What stands in an error in place of a secret.
const HIDDEN: &str = "<hidden>";

/// `providers/list`: disabled ones too (PROV-04).
pub(crate) fn list<A: Author>(parts: &Parts<A>, answer: Responder<ProvidersList>) -> Work {
    let providers = known(parts).map_err(|error| error.to_reply());
    answer.send(providers.map(ListProvidersResponse::new))
}

/// `providers/set`: protocol, address and headers together (PROV-02).
pub(crate) fn set<A: Author>(
    parts: &Arc<Parts<A>>,
    params: SetProviderRequest,
    answer: Responder<ProvidersSet>,
) -> Work {
    if let Err(error) = settable(parts, &params) {
        return answer.send(Err(error.to_reply()));
    }
    let parts = Arc::clone(parts);
    answer.later(async move {
        after_reading().await;
        let secrets: Vec<String> =
            params.headers.0.iter().map(|(_, value)| value.expose().to_owned()).collect();
        let set =
            guarded(async { parts.author.set_provider(params).await }, std::future::pending())
                .await;
        set.map(|()| SetProviderResponse::new()).map_err(|error| {
            let mut reply = error.to_reply();
            reply.message = scrubbed(reply.message, &secrets);
            reply
        })
    })
}

/// `providers/disable` (PROV-03).
pub(crate) fn disable<A: Author>(
    parts: &Arc<Parts<A>>,
    params: DisableProviderRequest,
    answer: Responder<ProvidersDisable>,
) -> Work {
    let provider = match known(parts) {
        Ok(providers) => {
            providers.into_iter().find(|provider| provider.provider_id == params.provider_id)
        }
        Err(error) => return answer.send(Err(error.to_reply())),
    };
    match provider {
        // One that is not known is not used.
        None => answer.send(Ok(DisableProviderResponse::new())),
        Some(provider) if provider.required => {
            let message =
                format!("the provider {} is needed and cannot be disabled", params.provider_id);
            answer.send(Err(attache_protocol::Error::invalid_params(message)))
        }
        Some(_) => {
            let parts = Arc::clone(parts);
            answer.later(async move {
                after_reading().await;
                let disabled = async { parts.author.disable_provider(&params.provider_id).await };
                let disabled = guarded(disabled, std::future::pending()).await;
                disabled.map(|()| DisableProviderResponse::new()).map_err(|error| error.to_reply())
            })
        }
    }
}

fn known<A: Author>(parts: &Parts<A>) -> Result<Vec<ProviderInfo>> {
    calmly(|| Ok(parts.author.providers()))
}

/// Whether the provider can be reached so; the refusal names neither address nor headers.
fn settable<A: Author>(parts: &Parts<A>, params: &SetProviderRequest) -> Result<()> {
    let providers = known(parts)?;
    let id = &params.provider_id;
    let Some(provider) = providers.iter().find(|provider| provider.provider_id == *id) else {
        return Err(Error::invalid(format!("there is no provider {id}: see providers/list")));
    };
    if !provider.supported.contains(&params.api_type) {
        let supported: Vec<&str> = provider.supported.iter().map(|api| api.as_str()).collect();
        return Err(Error::invalid(format!(
            "the provider {id} does not speak {}, only {}",
            params.api_type.as_str(),
            supported.join(", ")
        )));
    }
    if params.base_url.trim().is_empty() {
        return Err(Error::invalid(format!("the provider {id} needs a baseUrl")));
    }
    Ok(())
}

/// The message without the secrets, should the author have put one in (PROV-05). Empty and very
/// short values hide nothing.
fn scrubbed(message: String, secrets: &[String]) -> String {
    secrets
        .iter()
        .filter(|secret| secret.len() > 2)
        .fold(message, |message, secret| message.replace(secret, HIDDEN))
}
