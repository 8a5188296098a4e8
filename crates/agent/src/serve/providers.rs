//! `providers/list`, `set` and `disable`: model providers that the client configures.

use crate::author::erased_parts::ErasedProviders;
use crate::serve::context::Context;
use crate::serve::guard::{catch_panic, read_first, run_guarded};
use crate::{Error, Result};
use attache_connection::{Responder, Work};
use attache_protocol::method::{ProvidersDisable, ProvidersList, ProvidersSet};
use attache_protocol::v1::{
    DisableProviderRequest, DisableProviderResponse, ListProvidersResponse, ProviderInfo,
    SetProviderRequest, SetProviderResponse,
};
use std::sync::Arc;

/// The text that replaces a secret in an error.
const HIDDEN: &str = "<hidden>";

/// Serves `providers/list`, which includes disabled ones (PROV-04).
pub(crate) fn list(context: &Context, responder: Responder<ProvidersList>) -> Work {
    let listed = part(context).and_then(|providers| known(&**providers));
    responder.send(listed.map(ListProvidersResponse::new).map_err(|error| error.to_reply()))
}

/// Serves `providers/set`: protocol, address and headers together (PROV-02).
pub(crate) fn set(
    context: &Context,
    params: SetProviderRequest,
    responder: Responder<ProvidersSet>,
) -> Work {
    let providers = match part(context).and_then(|part| check(&**part, &params).map(|()| part)) {
        Ok(providers) => Arc::clone(providers),
        Err(error) => return responder.send(Err(error.to_reply())),
    };
    responder.later(async move {
        read_first().await;
        let secrets: Vec<String> =
            params.headers.0.iter().map(|(_, value)| value.expose().to_owned()).collect();
        let set = run_guarded(providers.set_provider(params), Box::pin(std::future::pending()));
        set.await.map(|()| SetProviderResponse::new()).map_err(|error| {
            let mut reply = error.to_reply();
            reply.message = without_secrets(reply.message, &secrets);
            reply
        })
    })
}

/// Serves `providers/disable` (PROV-03).
pub(crate) fn disable(
    context: &Context,
    params: DisableProviderRequest,
    responder: Responder<ProvidersDisable>,
) -> Work {
    let id = params.provider_id;
    let found = part(context).and_then(|part| {
        let mut all = known(&**part)?.into_iter();
        Ok((Arc::clone(part), all.find(|provider| provider.provider_id == id)))
    });
    match found {
        Err(error) => responder.send(Err(error.to_reply())),
        // An unknown provider is not used.
        Ok((_, None)) => responder.send(Ok(DisableProviderResponse::new())),
        Ok((_, Some(provider))) if provider.required => {
            let message = format!("the provider {id} is required and cannot be disabled");
            responder.send(Err(attache_protocol::Error::invalid_params(message)))
        }
        Ok((providers, Some(_))) => responder.later(async move {
            read_first().await;
            let disabled = providers.disable_provider(&id);
            let disabled = run_guarded(disabled, Box::pin(std::future::pending())).await;
            disabled.map(|()| DisableProviderResponse::new()).map_err(|error| error.to_reply())
        }),
    }
}

/// Returns the author's implementation of providers. Without one, the methods are not advertised
/// and not served.
fn part(context: &Context) -> Result<&Arc<dyn ErasedProviders>> {
    let missing = || Error::failed("this agent has no configurable providers");
    context.parts.providers.as_ref().ok_or_else(missing)
}

fn known(providers: &dyn ErasedProviders) -> Result<Vec<ProviderInfo>> {
    catch_panic(|| Ok(providers.providers()))
}

/// Checks that the provider can be set in this way. The error names neither address nor headers.
fn check(providers: &dyn ErasedProviders, params: &SetProviderRequest) -> Result<()> {
    let providers = known(providers)?;
    let id = &params.provider_id;
    let Some(provider) = providers.iter().find(|provider| provider.provider_id == *id) else {
        return Err(Error::invalid(format!("there is no provider {id}: see providers/list")));
    };
    if !provider.supported.contains(&params.api_type) {
        let supported: Vec<&str> = provider.supported.iter().map(|api| api.as_str()).collect();
        return Err(Error::invalid(format!(
            "the provider {id} does not support {}, only {}",
            params.api_type.as_str(),
            supported.join(", ")
        )));
    }
    if params.base_url.trim().is_empty() {
        return Err(Error::invalid(format!("the provider {id} needs a baseUrl")));
    }
    Ok(())
}

/// Removes the secrets from a message of the author (PROV-05). Empty and very short values are
/// ignored.
fn without_secrets(message: String, secrets: &[String]) -> String {
    secrets
        .iter()
        .filter(|secret| secret.len() > 2)
        .fold(message, |message, secret| message.replace(secret, HIDDEN))
}
