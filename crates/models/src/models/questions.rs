//! Asks providers about models that are in no list.

use super::Models;
use crate::address::is_same_server;
use crate::message::ModelId;
use crate::provider::Provider;

/// The maximum number of models about which providers are asked at once.
const MAX_ASKED: usize = 16;

impl Models {
    /// Asks providers about the models whose context window is unknown, first about those that the
    /// user names.
    pub(super) async fn ask_providers(&self) {
        if !self.live.is_enabled {
            return;
        }
        let offered = self.offered();
        let unknown = offered.iter().flat_map(|offered| {
            let unknown = offered.models.iter().filter(|model| model.window_assumed);
            unknown.map(|model| (&offered.provider, &model.id))
        });
        let unknown = unknown.filter(|(provider, id)| {
            !self.has_found(provider, &id.name) && !self.live.is_answered(provider, &id.name)
        });
        let mut unknown: Vec<(&Provider, &ModelId)> = unknown.collect();
        unknown.sort_by_key(|(_, id)| !self.is_wished(id));
        for (provider, id) in unknown.iter().take(MAX_ASKED) {
            self.live.ask(&self.http, (*provider).clone(), id.name.clone());
        }
        if !unknown.is_empty() {
            self.live.settle().await;
        }
    }

    /// Returns whether the user names this model for new sessions or as the fallback.
    fn is_wished(&self, id: &ModelId) -> bool {
        let mut wishes = [&self.wish, &self.fallback].into_iter().flatten();
        wishes.any(|wish| *wish == id.name || *wish == id.to_string())
    }

    /// Returns whether this is a server on this machine that was still loading its model.
    pub(super) fn is_loading(&self, provider: &Provider) -> bool {
        let mut servers = self.servers.get().into_iter().flatten();
        servers.any(|server| {
            server.is_loading && is_same_server(&server.provider.base_url, &provider.base_url)
        })
    }

    /// Returns whether the search for servers on this machine has found this model.
    fn has_found(&self, provider: &Provider, name: &str) -> bool {
        let mut servers = self.servers.get().into_iter().flatten();
        servers.any(|server| {
            is_same_server(&server.provider.base_url, &provider.base_url)
                && server.models.iter().any(|model| model.name == name)
        })
    }
}

#[cfg(test)]
mod tests;
