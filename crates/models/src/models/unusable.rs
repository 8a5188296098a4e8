//! Models that were chosen but cannot be used: the reason, and what to do.

use super::Models;
use crate::error::ModelError;
use crate::event::TokenUsage;
use crate::message::Part;
use crate::model::{Brief, EventStream, Model, ModelInput, NextEvent};

/// The ids of model servers on this machine. The models of a server are known only while it runs.
const LOCAL: [&str; 4] = ["ollama", "llama.cpp", "lmstudio", "vllm"];

/// The maximum number of searches for servers on this machine before a model counts as missing.
const MAX_SEARCHES: u32 = 5;

/// A model that cannot be used: every call fails with the reason. It is never replaced by the
/// offline model.
#[derive(Debug)]
pub(super) struct UnusableModel {
    pub(super) name: String,
    /// The reason, in one sentence without a full stop.
    pub(super) why: String,
}

struct Failure(Option<String>);

impl Model for UnusableModel {
    fn title(&self) -> &str {
        &self.name
    }

    fn window(&self) -> Option<u64> {
        Some(self.size())
    }

    fn size(&self) -> u64 {
        1 << 20
    }

    fn brief_tokens(&self, _: &Brief) -> u64 {
        0
    }

    fn writes(&self) -> bool {
        true
    }

    fn takes(&self, _: &Part) -> bool {
        true
    }

    fn cost(&self, _: &TokenUsage) -> Option<f64> {
        None
    }

    fn stream(&self, _: ModelInput) -> Box<dyn EventStream> {
        Box::new(Failure(Some(self.why.clone())))
    }
}

impl EventStream for Failure {
    fn next(&mut self) -> NextEvent<'_> {
        let failed = self.0.take().map(|why| Err(ModelError::Unusable { why }));
        Box::pin(std::future::ready(failed))
    }
}

impl Models {
    /// Returns why the model of `ATTACHE_MODEL` cannot be used and what to do, in one sentence
    /// without a full stop. `None` if it can be used or is not set. First searches for servers on
    /// this machine, if necessary.
    pub async fn unusable(&self) -> Option<String> {
        for _ in 0..MAX_SEARCHES {
            if self.unknown_wish().is_none() || self.has_looked() {
                break;
            }
            self.look().await;
        }
        self.unknown_wish().map(|wish| self.why_unusable(wish))
    }

    /// Returns why the model of this name cannot be used, and what to do.
    pub fn why_unusable(&self, name: &str) -> String {
        let of = name.split_once('/').map(|(provider, _)| provider);
        let id = |id: &str| self.variables().iter().find(|provider| provider.id == id);
        let has = |id: &str| self.catalogue().models(id).any(|model| model.id.name == name);
        let known =
            of.and_then(id).or_else(|| self.variables().iter().find(|provider| has(&provider.id)));
        if let Some(provider) = known {
            if self.configured.all().get(&provider.id).is_some_and(Option::is_none) {
                let title = &provider.name;
                return format!("the model {name:?} cannot be used: the client disabled {title}");
            }
            let is_there = self.providers.iter().any(|there| there.id == provider.id);
            if let (false, Some(variable)) = (is_there, provider.keys.first()) {
                let command = format!("attache config key {}", provider.id);
                return match self.in_hub {
                    // The agents of a hub have the environment of the login, and not of a shell.
                    true => format!(
                        "the model {name:?} needs a key: run \"{command}\", or set {variable} in the profile of your login shell; then run \"attache serve restart\""
                    ),
                    false => format!(
                        "the model {name:?} needs a key: set {variable} or run \"{command}\""
                    ),
                };
            }
        }
        if let Some(server) = of.filter(|of| LOCAL.contains(of)) {
            let where_ =
                if server == "ollama" { ", or set OLLAMA_HOST to its address" } else { "" };
            return format!(
                "the model {name:?} needs the server {server}, which does not respond on this machine: start it{where_}"
            );
        }
        let ids: Vec<&str> = self.variables().iter().map(|provider| provider.id.as_str()).collect();
        format!(
            "there is no model {name:?}: set ATTACHE_MODEL to PROVIDER/NAME, or run \"attache config set model PROVIDER/NAME\"; the \
             providers are {}",
            ids.join(", ")
        )
    }
}
