//! Where a client wants providers to be reached (PROV-02 to PROV-04). Nothing of it is kept beyond
//! the process (PROV-05).

use super::Models;
use attache_agent::{Error, Result};
use attache_models::{Provider, Secret, Wire, elsewhere, known_providers, sendable, without_login};
use attache_protocol::v1::{
    LlmProtocol, ProviderCurrentConfig, ProviderId, ProviderInfo, SetProviderRequest,
};
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// What clients have said of providers, by their ids: where one is reached, or nothing for one that
/// is not to be used.
#[derive(Debug, Default)]
pub(super) struct Configured(RwLock<BTreeMap<String, Option<Provider>>>);

impl Configured {
    /// What was said of each.
    pub(super) fn all(&self) -> BTreeMap<String, Option<Provider>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn say(&self, id: &str, provider: Option<Provider>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), provider);
    }
}

/// The wire's name in ACP, which has none for Gemini's own.
fn protocol(wire: Wire) -> LlmProtocol {
    match wire {
        Wire::Anthropic => LlmProtocol::Anthropic,
        Wire::Chat | Wire::Responses => LlmProtocol::OpenAi,
        Wire::Gemini => LlmProtocol::from("_gemini"),
    }
}

impl Models {
    /// The providers that a client may configure: those that are there, and those that everybody
    /// knows. None is required: there is always the offline model.
    pub(crate) fn configurable(&self) -> Vec<ProviderInfo> {
        let configured = self.configured.all();
        let info = |provider: Provider| {
            let mut info =
                ProviderInfo::new(provider.id.as_str(), vec![protocol(provider.wire)], false);
            let now = match configured.get(&provider.id) {
                Some(said) => said.clone(),
                None => self.providers.iter().find(|there| there.id == provider.id).cloned(),
            };
            info.current = now.map(|now| {
                ProviderCurrentConfig::new(protocol(now.wire), without_login(&now.base_url))
            });
            info
        };
        self.templates().into_iter().map(info).collect()
    }

    /// Providers by which others are made.
    fn templates(&self) -> Vec<Provider> {
        let known = known_providers();
        let own = self.providers.iter().filter(|own| known.iter().all(|known| known.id != own.id));
        let own: Vec<Provider> = own.cloned().collect();
        known.into_iter().chain(own).collect()
    }

    /// The provider is reached so from now on, with these headers and without a key of the
    /// environment.
    ///
    /// # Errors
    /// Not an address of the web, or a header that cannot be sent.
    pub(crate) fn set_provider(&self, request: &SetProviderRequest) -> Result<()> {
        let id = request.provider_id.as_str();
        let Some(template) = self.templates().into_iter().find(|provider| provider.id == id) else {
            return Err(Error::invalid(format!("there is no provider {id}: see providers/list")));
        };
        let secret = |(name, value): &(String, attache_protocol::Secret)| {
            (name.clone(), Secret::from(value.expose()))
        };
        let headers: Vec<_> = request.headers.0.iter().map(secret).collect();
        sendable(&request.base_url, &headers)
            .map_err(|why| Error::invalid(format!("the provider {id} cannot be set: {why}")))?;
        let provider =
            Provider { key: None, key_variable: None, bearer: false, headers, ..template };
        self.configured.say(id, Some(elsewhere(provider, &request.base_url)));
        Ok(())
    }

    /// The provider is not used any more.
    pub(crate) fn disable_provider(&self, id: &ProviderId) {
        self.configured.say(id.as_str(), None);
    }
}
