//! Asks providers about models that are in no list.

use super::Models;
use crate::address::is_same_server;
use crate::provider::Provider;

/// The maximum number of models about which providers are asked at once.
const MAX_ASKED: usize = 16;

impl Models {
    /// Asks providers about the models whose context window is unknown.
    pub(super) async fn ask_providers(&self) {
        if !self.live.is_enabled {
            return;
        }
        let offered = self.offered();
        let unknown = offered.iter().flat_map(|offered| {
            let unknown = offered.models.iter().filter(|model| model.window_assumed);
            unknown.map(|model| (&offered.provider, &model.id.name))
        });
        let unknown = unknown.filter(|(provider, name)| !self.has_found(provider, name));
        let mut has_asked = false;
        for (provider, name) in unknown.take(MAX_ASKED) {
            self.live.ask(&self.http, provider.clone(), name.clone());
            has_asked = true;
        }
        if has_asked {
            self.live.settle().await;
        }
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
