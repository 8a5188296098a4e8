//! The models that a user can choose: those of configured providers, those of servers on this
//! machine, and `offline`.

mod chosen;
pub(crate) mod configurable;
mod configured;
mod provided;
mod unusable;
mod variables;

pub use variables::provider_variables;

use crate::catalogue::known_model::KnownModel;
use crate::catalogue::local::{LocalServer, local_servers};
use crate::catalogue::provider_variables::ProviderVariables;
use crate::catalogue::{Catalogue, CatalogueError};
use crate::http::{Http, Limits};
use crate::model::Model;
use crate::offline::Offline;
use crate::provider::Provider;
use configured::ConfiguredProviders;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use variables::key_variables;

/// The id of the model without a provider.
pub const OFFLINE: &str = "offline";

/// The variable with the model of a new session.
const MODEL: &str = "ATTACHE_MODEL";

/// The variable with the fallback: the model that continues when the primary provider fails
/// permanently.
const FALLBACK: &str = "ATTACHE_FALLBACK";

/// The variable that turns titles by a model `off`.
const TITLES: &str = "ATTACHE_TITLES";

/// How long a new session waits for servers on this machine. It does not wait if no server runs.
const SEARCH_LIMIT: Duration = Duration::from_millis(300);

/// The variables of servers on this machine.
const LOCAL: [&str; 2] = ["OLLAMA_HOST", "OLLAMA_CONTEXT_LENGTH"];

/// The models that this process can use.
///
/// A provider is configured when the environment has its key: `ANTHROPIC_API_KEY`,
/// `OPENAI_API_KEY`, `GEMINI_API_KEY`, `OPENROUTER_API_KEY`, `DEEPSEEK_API_KEY`,
/// `DASHSCOPE_API_KEY`, `MOONSHOT_API_KEY`, `MISTRAL_API_KEY`. Each has another variable for the
/// base address. A new session uses the model of `ATTACHE_MODEL`, as `provider/name` or as a name,
/// else the first model of the first provider, else `offline`. `ATTACHE_FALLBACK` sets the model
/// that continues when the primary provider fails permanently. The cheapest model of the session's
/// provider writes titles; with `ATTACHE_TITLES=off` the title is the beginning of the first
/// prompt.
///
/// Keys are sent to their own provider only, and never printed.
///
/// ```
/// let environment = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "sk-…".to_owned());
/// let models = attache_models::Models::of(&environment, None)?;
/// assert_eq!(models.found()[0].name, "Anthropic");
/// # Ok::<(), attache_models::ModelsError>(())
/// ```
#[derive(Debug)]
pub struct Models {
    http: Http,
    catalogue: Catalogue,
    providers: Vec<Provider>,
    /// The providers that a client set.
    configured: ConfiguredProviders,
    /// The variables of all providers.
    variables: Vec<ProviderVariables>,
    wish: Option<String>,
    fallback: Option<String>,
    /// Whether a model writes titles.
    titles: bool,
    /// The variables of servers on this machine; `None` if they are not searched.
    local: Option<Vec<(&'static str, String)>>,
    servers: OnceCell<Vec<LocalServer>>,
    offline: Arc<dyn Model>,
}

/// A configured provider, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundProvider {
    /// The name, such as `Anthropic`.
    pub name: String,
    /// The ids of its models. Empty if only `ATTACHE_MODEL` can name one.
    pub models: Vec<String>,
    /// The prefix of the ids of its models, such as `anthropic/`.
    pub prefix: String,
}

/// The error of the user's own list of models, if it is unreadable.
#[derive(Debug)]
pub struct ModelsError(CatalogueError);

impl fmt::Display for ModelsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ModelsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// A provider with its models.
#[derive(Debug, Clone)]
pub struct Offered {
    provider: Provider,
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
}

/// Returns the id of the model that the user's words name: `provider/name`, a name, or `offline`.
fn named(wish: &str, offered: &[Offered]) -> Option<String> {
    if wish == OFFLINE {
        return Some(OFFLINE.to_owned());
    }
    let ids = || offered.iter().flat_map(|offered| &offered.models).map(|model| &model.id);
    let whole = ids().find(|id| id.to_string() == *wish);
    whole.or_else(|| ids().find(|id| id.name == *wish)).map(ToString::to_string)
}

impl Models {
    /// Returns only the model `offline`.
    pub fn offline_only() -> Self {
        Self::with_offline(Arc::new(Offline))
    }

    /// Replaces `offline` by this model and returns only it. For tests.
    pub fn with_offline(offline: Arc<dyn Model>) -> Self {
        Self {
            http: Http::new(&|_| None, Limits::default()),
            catalogue: Catalogue::default(),
            providers: Vec::new(),
            configured: ConfiguredProviders::default(),
            variables: Vec::new(),
            wish: None,
            fallback: None,
            titles: false,
            local: None,
            servers: OnceCell::new(),
            offline,
        }
    }

    /// Returns the models of the providers in `environment`, a function from the name of a variable
    /// to its value. `own` is the text of the user's own list of models and providers, in the
    /// format of the `models.json` of this crate. Sends nothing over the network.
    ///
    /// # Errors
    /// `own` does not have this format.
    pub fn of(
        environment: &(dyn Fn(&str) -> Option<String> + Sync),
        own: Option<&str>,
    ) -> Result<Self, ModelsError> {
        let mut catalogue = Catalogue::built_in();
        if let Some(own) = own {
            catalogue.extend(own).map_err(ModelsError)?;
        }
        let wish = |name| {
            environment(name)
                .map(|wish| wish.trim().to_owned())
                .filter(|wish: &String| !wish.is_empty())
        };
        Ok(Self {
            http: Http::new(environment, Limits::default()),
            providers: catalogue.providers(environment),
            configured: ConfiguredProviders::default(),
            catalogue,
            variables: provider_variables(own),
            wish: wish(MODEL),
            fallback: wish(FALLBACK),
            titles: wish(TITLES).is_none_or(|titles| titles != "off"),
            local: None,
            servers: OnceCell::new(),
            offline: Arc::new(Offline),
        })
    }

    /// Adds the models of servers on this machine: Ollama, llama.cpp, LM Studio and vLLM on their
    /// usual ports. [`Models::look`] finds them.
    #[must_use]
    pub fn and_local(mut self, environment: &(dyn Fn(&str) -> Option<String> + Sync)) -> Self {
        let value = |name: &'static str| Some((name, environment(name)?));
        self.local = Some(LOCAL.into_iter().filter_map(value).collect());
        self
    }

    /// Returns the providers of the environment and, after [`Models::look`], those on this machine.
    pub fn found(&self) -> Vec<FoundProvider> {
        let found = |offered: Offered| FoundProvider {
            models: offered.models.iter().map(|model| model.id.to_string()).collect(),
            prefix: format!("{}/", offered.provider.id),
            name: offered.provider.name,
        };
        self.offered().into_iter().map(found).collect()
    }

    /// Returns the month of the built-in prices, such as `2025-11`; empty without a list.
    pub fn prices_as_of(&self) -> &str {
        self.catalogue.as_of()
    }

    /// Looks for servers on this machine, once. A search that takes too long starts again with the
    /// next call.
    pub async fn look(&self) {
        let Some(local) = &self.local else { return };
        let value = |name: &str| {
            local.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone())
        };
        let looking = self.servers.get_or_init(|| local_servers(&self.http, &value));
        // A late server counts as missing.
        let _late = tokio::time::timeout(SEARCH_LIMIT, looking).await;
    }

    /// Returns the id of the model of a new session.
    pub fn default_model(&self) -> String {
        let offered = self.offered();
        if let Some(named) = self.wish.as_deref().and_then(|wish| named(wish, &offered)) {
            return named;
        }
        let set = self.configured.all();
        let mut with_key = offered.iter().filter(|offered| {
            offered.provider.key.is_some() || set.contains_key(&offered.provider.id)
        });
        let first = with_key.find_map(|offered| offered.models.first());
        first.map_or_else(|| OFFLINE.to_owned(), |model| model.id.to_string())
    }

    /// Returns the id of the fallback, if it is available.
    pub fn fallback(&self) -> Option<String> {
        named(self.fallback.as_deref()?, &self.offered())
    }

    /// Returns the value of `ATTACHE_FALLBACK` if no provider has this model.
    pub fn unknown_fallback(&self) -> Option<&str> {
        self.fallback.as_deref().filter(|_| self.fallback().is_none())
    }

    /// Returns the value of `ATTACHE_MODEL` if no provider has this model.
    pub fn unknown_wish(&self) -> Option<&str> {
        let wish = self.wish.as_deref().filter(|wish| *wish != OFFLINE)?;
        let default = self.default_model();
        (default != wish && !default.ends_with(&format!("/{wish}"))).then_some(wish)
    }

    /// Returns the providers with their models, in the order of display.
    pub fn offered(&self) -> Vec<Offered> {
        let configured = self.configured.all();
        let untouched =
            self.providers.iter().filter(|provider| !configured.contains_key(&provider.id));
        let mut offered: Vec<Offered> =
            untouched.map(|provider| self.of_provider(provider)).collect();
        // A provider that a client set has the models of its original.
        offered.extend(configured.into_values().flatten().map(|provider| {
            let models = self.catalogue.models(&provider.id).cloned().collect();
            Offered { provider, models }
        }));
        for server in self.servers.get().into_iter().flatten() {
            let known = server.models.iter().map(|model| {
                self.catalogue.model(&server.provider, &model.name).with_window(model.window)
            });
            let known: Vec<KnownModel> = known.collect();
            match offered
                .iter_mut()
                .find(|offered| offered.provider.base_url == server.provider.base_url)
            {
                Some(offered) => offered.models.extend(known),
                None => offered.push(Offered { provider: server.provider.clone(), models: known }),
            }
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
        }
        offered
    }

    fn of_provider(&self, provider: &Provider) -> Offered {
        // A server without a key is not the well-known provider, and does not have its models.
        let another =
            provider.key.is_none() && Catalogue::built_in().models(&provider.id).next().is_some();
        let models = self.catalogue.models(&provider.id).filter(|_| !another).cloned().collect();
        Offered { provider: provider.clone(), models }
    }

    /// Adds a model that the user names, even if it is unknown.
    fn add_wish(&self, wish: &str, offered: &mut Offered) {
        let Some((provider, name)) = wish.split_once('/') else { return };
        let known = offered.models.iter().any(|model| model.id.name == name);
        if provider != offered.provider.id || name.is_empty() || known {
            return;
        }
        // Ollama reads a name without a tag as the latest.
        let latest =
            offered.models.iter().find(|model| model.id.name.strip_suffix(":latest") == Some(name));
        let model = match latest {
            Some(latest) => KnownModel { id: offered.provider.model(name), ..latest.clone() },
            None => self.catalogue.model(&offered.provider, name),
        };
        offered.models.push(model);
    }

    /// Returns the known facts about the model with this value of the option `model`; `None` for
    /// `offline`, and for a model that is not available.
    pub fn find(&self, value: &str) -> Option<KnownModel> {
        self.find_with_provider(value).map(|(_, known)| known)
    }

    fn find_with_provider(&self, value: &str) -> Option<(Provider, KnownModel)> {
        self.offered().into_iter().find_map(|offered| {
            let known = offered.models.into_iter().find(|model| model.id.to_string() == value)?;
            Some((offered.provider, known))
        })
    }

    /// Returns whether any model accepts images, and whether any accepts sounds.
    pub fn takes(&self) -> (bool, bool) {
        let offered = self.offered();
        let mut models = offered.iter().flat_map(|offered| &offered.models);
        (models.clone().any(|model| model.takes_images), models.any(|model| model.takes_audio))
    }

    /// Returns whether a model writes titles.
    fn titles(&self) -> bool {
        self.titles
    }

    /// The variables of all providers.
    fn variables(&self) -> &[ProviderVariables] {
        &self.variables
    }

    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Returns whether the search for servers on this machine is over.
    fn has_looked(&self) -> bool {
        self.local.is_none() || self.servers.initialized()
    }

    /// Returns the HTTP client.
    pub fn http(&self) -> &Http {
        &self.http
    }

    /// Returns the environment variables of keys. Programs that the agent starts do not inherit
    /// them.
    pub fn key_variables(&self) -> Arc<[String]> {
        key_variables(&self.catalogue).into()
    }

    fn offline(&self) -> &Arc<dyn Model> {
        &self.offline
    }
}
