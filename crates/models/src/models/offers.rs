//! Offers the models of configured providers and of servers on this machine.

use super::Models;
use super::offered::Offered;
use crate::address::is_same_server;
use crate::catalogue::Catalogue;
use crate::catalogue::known_model::KnownModel;
use crate::catalogue::local::LocalServer;
use crate::provider::Provider;
use std::time::Instant;

impl Models {
    /// Returns the providers with their models, in the order of display.
    pub fn offered(&self) -> Vec<Offered> {
        let configured = self.configured.all();
        let untouched =
            self.providers.iter().filter(|provider| !configured.contains_key(&provider.id));
        let mut offered: Vec<Offered> =
            untouched.map(|provider| self.of_provider(provider)).collect();
        // A provider that a client has set keeps the models of the original provider.
        offered.extend(configured.into_values().flatten().map(|provider| {
            let models = self.catalogue.models(&provider.id).cloned().collect();
            Offered { provider, models }
        }));
        for server in self.servers.get().into_iter().flatten() {
            self.add_server(server, &mut offered);
        }
        for offered in &mut offered {
            for wish in [&self.wish, &self.fallback].into_iter().flatten() {
                self.add_wish(wish, offered);
            }
            let mut seen = Vec::new();
            offered.models.retain(|model| {
                let new = !seen.contains(&model.id);
                seen.push(model.id.clone());
                new
            });
            for model in &mut offered.models {
                let told = self.live.details(&offered.provider, model.clone());
                *model = self.learnt.apply(told, Instant::now());
            }
        }
        offered
    }

    fn of_provider(&self, provider: &Provider) -> Offered {
        // A server that needs no key is not the well-known provider itself, and does not have that
        // provider's models.
        let another =
            provider.key.is_none() && Catalogue::built_in().models(&provider.id).next().is_some();
        let models = self.catalogue.models(&provider.id).filter(|_| !another).cloned().collect();
        Offered { provider: provider.clone(), models }
    }

    /// Adds a server that was found on this machine. Its models are offered under its own id, and
    /// under the id of each provider that the user configured with the address of this server.
    fn add_server(&self, server: &LocalServer, offered: &mut Vec<Offered>) {
        let id = &server.provider.id;
        let mut is_offered = false;
        for other in offered.iter_mut() {
            if is_same_server(&other.provider.base_url, &server.provider.base_url) {
                other.add_models(&self.catalogue, server);
                is_offered |= other.provider.id == *id;
            }
        }
        if is_offered || self.configured.is_disabled(id) {
            return;
        }
        let mut provider = server.provider.clone();
        // The user's own provider at another address has the id already.
        if offered.iter().any(|other| other.provider.id == *id) {
            provider.id = format!("local-{id}");
            provider.name = format!("{} on this machine", provider.name);
        }
        let mut found = Offered { provider, models: Vec::new() };
        found.add_models(&self.catalogue, server);
        offered.push(found);
    }

    /// Adds a model that the user names, even if it is unknown.
    fn add_wish(&self, wish: &str, offered: &mut Offered) {
        let Some((provider, name)) = wish.split_once('/') else { return };
        let known = offered.models.iter().any(|model| model.id.name == name);
        if provider != offered.provider.id || name.is_empty() || known {
            return;
        }
        // Ollama uses the tag `latest` if a name has none.
        let latest =
            offered.models.iter().find(|model| model.id.name.strip_suffix(":latest") == Some(name));
        let model = match latest {
            Some(latest) => KnownModel { id: offered.provider.model(name), ..latest.clone() },
            None => self.catalogue.model(&offered.provider, name),
        };
        offered.models.push(model);
    }

    /// Returns what is known about the model with this id. `None` for `offline`, and for a model
    /// that is not available.
    pub fn find(&self, value: &str) -> Option<KnownModel> {
        self.find_with_provider(value).map(|(_, known)| known)
    }

    pub(super) fn find_with_provider(&self, value: &str) -> Option<(Provider, KnownModel)> {
        self.offered().into_iter().find_map(|offered| {
            let known = offered.models.into_iter().find(|model| model.id.to_string() == value)?;
            Some((offered.provider, known))
        })
    }
}

#[cfg(test)]
mod tests;
