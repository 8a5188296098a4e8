//! Providers that a client lists, sets and disables (PROV-02 to PROV-04).

use super::Models;
use crate::address::without_login;
use crate::catalogue::known_providers::{elsewhere, known_providers};
use crate::http::check_request;
use crate::provider::Provider;
use crate::secret::Secret;
use crate::wire::Wire;

/// A provider whose address a client may set.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigurableProvider {
    /// The id, such as `anthropic`.
    pub id: String,
    /// The wire that the provider uses at its own address.
    pub wire: Wire,
    /// The wire and the address in use, without user name and password; `None` if the provider is
    /// not in use.
    pub current: Option<(Wire, String)>,
}

impl Models {
    /// Returns the providers that a client may set: those in use, and the well-known ones. None of
    /// them is required, because the offline model is always available.
    pub fn configurable(&self) -> Vec<ConfigurableProvider> {
        let configured = self.configured.all();
        let configurable = |provider: Provider| {
            let now = match configured.get(&provider.id) {
                Some(set) => set.clone(),
                None => self.providers.iter().find(|found| found.id == provider.id).cloned(),
            };
            let current = now.map(|now| (now.wire, without_login(&now.base_url)));
            ConfigurableProvider { id: provider.id, wire: provider.wire, current }
        };
        self.templates().into_iter().map(configurable).collect()
    }

    /// The providers that a client may set. Setting one changes only its address and its headers,
    /// and removes its key.
    fn templates(&self) -> Vec<Provider> {
        let known = known_providers();
        let own = self.providers.iter().filter(|own| known.iter().all(|known| known.id != own.id));
        let own: Vec<Provider> = own.cloned().collect();
        known.into_iter().chain(own).collect()
    }

    /// Sets the address of a provider. From now on its requests contain these headers, and no key
    /// from the environment.
    ///
    /// # Errors
    /// Returns a message if the provider is unknown, if the address is not a web address, or if a
    /// header is invalid.
    pub fn set_provider(
        &self,
        id: &str,
        base_url: &str,
        headers: Vec<(String, Secret)>,
    ) -> Result<(), String> {
        let Some(template) = self.templates().into_iter().find(|provider| provider.id == id) else {
            return Err(format!("unknown provider {id}: see providers/list"));
        };
        check_request(base_url, &headers)
            .map_err(|why| format!("the provider {id} cannot be set: {why}"))?;
        let provider =
            Provider { key: None, key_variable: None, bearer: false, headers, ..template };
        self.configured.set(id, Some(elsewhere(provider, base_url)));
        Ok(())
    }

    /// Disables a provider.
    pub fn disable_provider(&self, id: &str) {
        self.configured.set(id, None);
    }
}
