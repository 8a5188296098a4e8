//! The models that a user can choose: those of configured providers, those of servers on this
//! machine, and `offline`.

mod chosen;
pub(crate) mod compared;
pub(crate) mod configurable;
mod configured;
mod learnt;
mod live;
pub(crate) mod offered;
mod offers;
mod outdated;
mod provided;
mod questions;
mod replacement;
mod unusable;
mod variables;

pub use variables::provider_variables;

use crate::call::changes::KnownChanges;
use crate::catalogue::local::{LocalServer, local_servers};
use crate::catalogue::provider_variables::ProviderVariables;
use crate::catalogue::{Catalogue, CatalogueError};
use crate::http::{Http, Limits};
use crate::message::ModelId;
use crate::model::Model;
use crate::offline::Offline;
use crate::provider::Provider;
use configured::ConfiguredProviders;
use jiff::civil::Date;
use learnt::LearntWindows;
use live::LiveDetails;
use offered::Offered;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;
use variables::key_variables;

/// The id of the offline model.
pub const OFFLINE: &str = "offline";

/// The environment variable that sets the model of new sessions.
const MODEL: &str = "ATTACHE_MODEL";

/// The environment variable that sets the fallback: the model that continues when the primary
/// provider fails permanently.
const FALLBACK: &str = "ATTACHE_FALLBACK";

/// The variable that a shared hub sets for its agents.
const HUB: &str = "ATTACHE_HUB";

/// The environment variable that, if `off`, keeps models from writing titles.
const TITLES: &str = "ATTACHE_TITLES";

/// How long a new session waits for servers on this machine. It does not wait if no server runs.
const SEARCH_LIMIT: Duration = Duration::from_millis(300);

/// The environment variables of model servers on this machine.
const LOCAL: [&str; 2] = ["OLLAMA_HOST", "OLLAMA_CONTEXT_LENGTH"];

/// The models that this process can use.
///
/// A provider is configured when the environment has its key, such as `ANTHROPIC_API_KEY`;
/// [`provider_variables`] returns the variables of all providers. Another variable for each
/// provider sets its base URL. A new session uses the model that `ATTACHE_MODEL` names
/// (`provider/name` or only the name), else the first model of the first provider, else `offline`.
/// `ATTACHE_FALLBACK` sets the model that continues when the primary provider fails permanently.
/// The cheapest model of the session's provider writes titles; with `ATTACHE_TITLES=off` the title
/// is the beginning of the first prompt.
///
/// A key is sent only to its own provider, and is never printed.
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
    /// The providers that a client has set or disabled.
    configured: ConfiguredProviders,
    /// The environment variables of all providers.
    variables: Vec<ProviderVariables>,
    wish: Option<String>,
    fallback: Option<String>,
    /// Whether models write titles.
    titles: bool,
    /// Whether this process is an agent of a shared hub, which has the environment of a login.
    in_hub: bool,
    /// The values of the environment variables of model servers on this machine, or `None` if those
    /// servers are not used.
    local: Option<Vec<(&'static str, String)>>,
    servers: OnceCell<Vec<LocalServer>>,
    /// What providers told about models that are in no list.
    live: LiveDetails,
    /// The windows that providers stated in errors, or used.
    learnt: LearntWindows,
    offline: Arc<dyn Model>,
    /// What the refusals of providers have taught.
    known_changes: KnownChanges,
}

/// A configured provider, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundProvider {
    /// The name, such as `Anthropic`.
    pub name: String,
    /// The ids of its models. Empty if none is known, so that only `ATTACHE_MODEL` can select one.
    pub models: Vec<String>,
    /// The prefix of the ids of its models, such as `anthropic/`.
    pub prefix: String,
    /// Whether it is a server on this machine that is still loading its model.
    pub is_loading: bool,
}

/// The error for a user's own list of models that cannot be read.
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

/// Returns the id of the model that `wish` names: `provider/name`, only the name, or `offline`.
fn named(wish: &str, offered: &[Offered]) -> Option<String> {
    if wish == OFFLINE {
        return Some(OFFLINE.to_owned());
    }
    let ids = || offered.iter().flat_map(|offered| &offered.models).map(|model| &model.id);
    let whole = ids().find(|id| id.to_string() == *wish);
    whole.or_else(|| ids().find(|id| id.name == *wish)).map(ToString::to_string)
}

impl Models {
    /// Returns a set of models that contains only `offline`.
    pub fn offline_only() -> Self {
        Self::with_offline(Arc::new(Offline))
    }

    /// Returns a set of models that contains only this model, in place of `offline`. For tests.
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
            in_hub: false,
            local: None,
            servers: OnceCell::new(),
            live: LiveDetails::default(),
            learnt: LearntWindows::default(),
            offline,
            known_changes: KnownChanges::default(),
        }
    }

    /// Returns the models of the providers in `environment`, a function from the name of a variable
    /// to its value. `own` is the text of the user's own list of models and providers, in the
    /// format of this crate's `models.json`. Sends nothing over the network.
    ///
    /// # Errors
    /// Returns an error if `own` does not have this format.
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
            catalogue: catalogue.on_real_days(),
            variables: provider_variables(own),
            wish: wish(MODEL),
            fallback: wish(FALLBACK),
            titles: wish(TITLES).is_none_or(|titles| titles != "off"),
            in_hub: wish(HUB).is_some(),
            local: None,
            servers: OnceCell::new(),
            live: LiveDetails::default(),
            learnt: LearntWindows::default(),
            offline: Arc::new(Offline),
            known_changes: KnownChanges::default(),
        })
    }

    /// Offers the models that have not ended on this day, in place of the real one. For tests.
    #[must_use]
    pub fn on_day(mut self, today: Date) -> Self {
        self.catalogue = self.catalogue.on_day(today);
        self
    }

    /// Enables the models of servers on this machine: Ollama, llama.cpp, LM Studio and vLLM on
    /// their usual ports. [`Models::look`] searches for them.
    #[must_use]
    pub fn and_local(mut self, environment: &(dyn Fn(&str) -> Option<String> + Sync)) -> Self {
        let value = |name: &'static str| Some((name, environment(name)?));
        self.local = Some(LOCAL.into_iter().filter_map(value).collect());
        self
    }

    /// Lets providers be asked about models that are in no list, at the address of their calls and
    /// with their own keys. [`Models::look`] does that. `folder` keeps their answers for a day; it
    /// is created when needed.
    #[must_use]
    pub fn and_live(mut self, folder: Option<PathBuf>) -> Self {
        self.live = LiveDetails::kept_in(folder);
        self
    }

    /// Returns the providers of the environment and, after [`Models::look`], those on this machine.
    pub fn found(&self) -> Vec<FoundProvider> {
        let found = |offered: Offered| FoundProvider {
            models: offered.models.iter().map(|model| model.id.to_string()).collect(),
            prefix: format!("{}/", offered.provider.id),
            is_loading: self.is_loading(&offered.provider),
            name: offered.provider.name,
        };
        self.offered().into_iter().map(found).collect()
    }

    /// Returns the day of the built-in list, such as `2026-11-28`; empty without the built-in
    /// catalogue.
    pub fn prices_as_of(&self) -> &str {
        self.catalogue.as_of()
    }

    /// Searches for servers on this machine, and asks providers about models that are in no list.
    /// Both are done once. This takes at most 0.3 seconds, and another 1.5 seconds if a provider is
    /// asked. An answer that is later is used as soon as it arrives.
    pub async fn look(&self) {
        self.look_for_servers().await;
        self.ask_providers().await;
    }

    /// Searches for servers on this machine, unless an earlier search has finished. A search that
    /// takes too long is cancelled, and the next call starts a new one.
    async fn look_for_servers(&self) {
        let Some(local) = &self.local else { return };
        let value = |name: &str| {
            local.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone())
        };
        let looking = self.servers.get_or_init(|| local_servers(&self.http, &value));
        // Servers that were not found in time are missing until the next search.
        let _late = tokio::time::timeout(SEARCH_LIMIT, looking).await;
    }

    /// Records the limit that a provider stated when it refused a conversation as too long. From
    /// now on it is the context window of the model; a larger window from a list is used again
    /// after an hour. A limit below 1,000 tokens is ignored.
    pub fn learn_limit(&self, model: &ModelId, limit: u64) {
        self.learnt.set_stated(model, limit, Instant::now());
    }

    /// Records the number of tokens that a provider counted in a call. A window that is only
    /// assumed is not smaller, unless the server silently cuts what is longer.
    pub fn learn_size(&self, model: &ModelId, tokens: u64) {
        self.learnt.set_counted(model, tokens);
    }

    /// Returns the id of the model for new sessions.
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

    /// Returns whether any model accepts images, and whether any accepts audio.
    pub fn takes(&self) -> (bool, bool) {
        let offered = self.offered();
        let mut models = offered.iter().flat_map(|offered| &offered.models);
        (models.clone().any(|model| model.takes_images), models.any(|model| model.takes_audio))
    }

    /// Returns whether models write titles.
    fn titles(&self) -> bool {
        self.titles
    }

    /// The environment variables of all providers.
    fn variables(&self) -> &[ProviderVariables] {
        &self.variables
    }

    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Returns whether the search for servers on this machine has finished, or is not enabled.
    fn has_looked(&self) -> bool {
        self.local.is_none() || self.servers.initialized()
    }

    /// Returns the HTTP client.
    pub fn http(&self) -> &Http {
        &self.http
    }

    /// Returns the environment variables that contain keys, which programs that the agent starts
    /// must not inherit.
    pub fn key_variables(&self) -> Arc<[String]> {
        key_variables(&self.catalogue).into()
    }

    fn known_changes(&self) -> &KnownChanges {
        &self.known_changes
    }

    fn offline(&self) -> &Arc<dyn Model> {
        &self.offline
    }
}
