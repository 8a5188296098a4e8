//! The models to choose from, by their providers.

use crate::catalogue::Catalogue;
use crate::catalogue::known_model::KnownModel;
use crate::catalogue::local::LocalServer;
use crate::provider::Provider;

/// A provider with its models.
#[derive(Debug, Clone)]
pub struct Offered {
    pub(super) provider: Provider,
    /// The models to choose from.
    pub models: Vec<KnownModel>,
}

impl Offered {
    /// Returns the id of the provider, such as `anthropic`.
    pub fn id(&self) -> &str {
        &self.provider.id
    }

    /// Returns the display name of the provider, such as `Anthropic`.
    pub fn name(&self) -> &str {
        &self.provider.name
    }

    /// Adds the models of a server to those that this provider has.
    pub(super) fn add_models(&mut self, catalogue: &Catalogue, server: &LocalServer) {
        for model in &server.models {
            let id = self.provider.model(&model.name);
            let is_ollama = model.window.is_none() && server.provider.is_ollama();
            let told = |known: KnownModel| match known.window_assumed && is_ollama {
                true => known.with_window_of_ollama(),
                false => known.with_window(model.window),
            };
            match self.models.iter_mut().find(|known| known.id == id) {
                Some(known) if known.window_assumed => *known = told(known.clone()),
                Some(_) => {}
                None => self.models.push(told(catalogue.model(&self.provider, &model.name))),
            }
        }
    }
}
