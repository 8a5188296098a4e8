//! What is known of models: `models.json`, and what a person's own file adds to it.

pub(crate) mod known_providers;
pub(crate) mod local;
pub(crate) mod provider_variables;
use crate::catalogue::provider_variables::ProviderVariables;
use crate::environment::Environment;
use crate::event::TokenUsage;
use crate::message::{ModelId, Thinking};
use crate::provider::Provider;
use crate::secret::Secret;
use crate::wire::Wire;
use crate::wire::chat::dialect::Dialect;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;

/// The catalogue that is built in.
const BUILT_IN: &str = include_str!("../models.json");

/// What a model of a provider in the network is taken to take in when nobody says, in tokens.
const ASSUMED_WINDOW: u64 = 128_000;

/// The same for a model on this machine: the least that servers give one.
const ASSUMED_LOCAL_WINDOW: u64 = 4096;

/// Models and providers as data.
#[derive(Debug, Clone, Default)]
pub(crate) struct Catalogue {
    as_of: String,
    models: Vec<KnownModel>,
    providers: Vec<OwnProvider>,
}

/// A model, and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownModel {
    pub id: ModelId,
    /// The name for people.
    pub title: String,
    /// How much it takes in and says in one call together, in tokens.
    pub window: u64,
    /// Nobody said how large the window is: it is a guess, which a person should be told.
    pub window_assumed: bool,
    /// The longest answer, in tokens.
    pub max_output: Option<u64>,
    pub prices: Option<Prices>,
    /// How much it can think, the least first; empty where there is no choice.
    pub levels: Vec<Level>,
    /// The id of the level that it has unless another is chosen.
    pub default_level: Option<String>,
    /// What it takes beside text.
    pub takes_images: bool,
    pub takes_audio: bool,
    pub takes_documents: bool,
}

/// What a model costs, in US dollars for a million tokens.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    pub input: f64,
    pub output: f64,
    /// Without one it costs as much as `input`.
    pub cache_read: Option<f64>,
    /// Without one it costs as much as `input`.
    pub cache_write: Option<f64>,
    /// The prices of a call that reads more than so many tokens.
    pub above: Option<Box<Above>>,
}

/// Prices of long prompts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Above {
    pub tokens: u64,
    pub input: f64,
    pub output: f64,
    pub cache_read: Option<f64>,
    pub cache_write: Option<f64>,
}

/// One choice of how much a model thinks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Such as `high`.
    pub id: String,
    pub thinking: Thinking,
}

/// A catalogue cannot be read.
#[derive(Debug)]
pub(crate) struct CatalogueError(serde_json::Error);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    as_of: String,
    #[serde(default)]
    models: Vec<Row>,
    #[serde(default)]
    providers: Vec<OwnProvider>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    provider: String,
    name: String,
    title: Option<String>,
    window: Option<u64>,
    max_output: Option<u64>,
    prices: Option<Prices>,
    #[serde(default)]
    levels: Vec<LevelRow>,
    default_level: Option<String>,
    #[serde(default)]
    inputs: Vec<Input>,
}

/// `"high"`, which goes to the provider as it is, or `["high", 32000]`, a budget in tokens.
#[derive(Deserialize)]
#[serde(untagged)]
enum LevelRow {
    Effort(String),
    Budget(String, u64),
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Input {
    Image,
    Audio,
    Pdf,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnProvider {
    id: String,
    name: Option<String>,
    wire: Wire,
    #[serde(default)]
    dialect: Dialect,
    base_url: String,
    key_variable: Option<String>,
    #[serde(default)]
    bearer: bool,
    #[serde(default)]
    headers: BTreeMap<String, HeaderValue>,
}

#[derive(Clone, Deserialize)]
struct HeaderValue(String);

impl fmt::Debug for HeaderValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<hidden>")
    }
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the list of models cannot be read: {}", self.0)
    }
}

impl std::error::Error for CatalogueError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

impl Catalogue {
    /// What is known without a person's own file.
    pub(crate) fn built_in() -> Self {
        let mut catalogue = Self::default();
        // A test reads it too.
        drop(catalogue.extend(BUILT_IN));
        catalogue
    }

    /// Adds the models and providers of a person's own file, which has the shape of `models.json`.
    /// A model that is known already is replaced; what the new one does not say of it is unknown.
    ///
    /// # Errors
    /// The text is no such file; nothing is added then.
    pub(crate) fn extend(&mut self, text: &str) -> Result<(), CatalogueError> {
        let file: File = serde_json::from_str(text).map_err(CatalogueError)?;
        if self.as_of.is_empty() {
            self.as_of = file.as_of;
        }
        for row in file.models {
            let model = row.model();
            self.models.retain(|other| other.id != model.id);
            self.models.push(model);
        }
        for provider in file.providers {
            self.providers.retain(|other| other.id != provider.id);
            self.providers.push(provider);
        }
        Ok(())
    }

    /// The month of the built-in prices, such as `2025-11`.
    pub(crate) fn as_of(&self) -> &str {
        &self.as_of
    }

    /// The providers of the person's own file, then those of the environment that it does not have.
    pub(crate) fn providers(&self, environment: Environment<'_>) -> Vec<Provider> {
        let mut providers: Vec<Provider> =
            self.providers.iter().map(|own| own.provider(environment)).collect();
        for found in known_providers::providers(environment) {
            if providers.iter().all(|provider| provider.id != found.id) {
                providers.push(found);
            }
        }
        providers
    }

    /// The variables of the person's own providers.
    pub(crate) fn own_variables(&self) -> Vec<ProviderVariables> {
        let variables = |own: &OwnProvider| {
            let name = own.name.as_deref().unwrap_or(&own.id);
            Some(ProviderVariables::new(&own.id, name, own.key_variable.as_deref()?))
        };
        self.providers.iter().filter_map(variables).collect()
    }

    /// The models of a provider that are known, in the order of the file.
    pub(crate) fn models(&self, provider: &str) -> impl Iterator<Item = &KnownModel> {
        self.models.iter().filter(move |model| model.id.provider == provider)
    }

    /// What is known of a model. Of one that is not in the catalogue nothing is known but that it
    /// takes text: see [`KnownModel::window_assumed`]. A name with a date, or that of a provider
    /// behind OpenRouter, is that of the model without.
    pub(crate) fn model(&self, provider: &Provider, name: &str) -> KnownModel {
        let id = provider.model(name);
        let found = self.models.iter().find(|model| model.id == id).or_else(|| {
            let (provider, name) = (provider.id == "openrouter")
                .then(|| behind(name))
                .flatten()
                .unwrap_or((&id.provider, name));
            let plain = plain_name(name);
            self.models
                .iter()
                .find(|model| model.id.provider == provider && plain_name(&model.id.name) == plain)
        });
        match found {
            Some(found) => KnownModel { id, ..found.clone() },
            None => KnownModel::unknown(id, provider.is_local()),
        }
    }
}

/// The provider behind OpenRouter, and its name of the model.
fn behind(name: &str) -> Option<(&str, &str)> {
    let (vendor, name) = name.split_once('/')?;
    let provider = match vendor {
        "google" => "gemini",
        "moonshotai" => "moonshot",
        "mistralai" => "mistral",
        vendor => vendor,
    };
    Some((provider, name.split_once(':').map_or(name, |(name, _)| name)))
}

/// The name without date and `latest`, dots as dashes.
fn plain_name(name: &str) -> String {
    let name = name.replace('.', "-");
    let dated = |digits: &str| {
        name.len().checked_sub(digits.len()).filter(|at| {
            name.as_bytes().iter().skip(*at).zip(digits.bytes()).all(|(byte, like)| match like {
                b'0' => byte.is_ascii_digit(),
                like => *byte == like,
            })
        })
    };
    let end =
        ["-00000000", "-0000-00-00"].iter().find_map(|digits| dated(digits)).unwrap_or(name.len());
    name.get(..end).unwrap_or(&name).trim_end_matches("-latest").to_owned()
}

impl KnownModel {
    fn unknown(id: ModelId, local: bool) -> Self {
        Self {
            title: id.name.clone(),
            id,
            window: if local { ASSUMED_LOCAL_WINDOW } else { ASSUMED_WINDOW },
            window_assumed: true,
            max_output: None,
            prices: None,
            levels: Vec::new(),
            default_level: None,
            takes_images: false,
            takes_audio: false,
            takes_documents: false,
        }
    }

    /// The same with the window that its server told.
    pub fn with_window(self, window: Option<u64>) -> Self {
        match window {
            Some(window) => Self { window, window_assumed: false, ..self },
            None => self,
        }
    }

    /// What the request says for a level, by its id.
    pub fn thinking(&self, level: &str) -> Option<Thinking> {
        self.levels.iter().find(|each| each.id == level).map(|level| level.thinking.clone())
    }

    /// What a call cost, in US dollars: as the provider billed it, else by the prices. `None` where
    /// neither is known.
    pub fn cost(&self, usage: &TokenUsage) -> Option<f64> {
        usage.billed.or_else(|| Some(self.prices.as_ref()?.cost(usage)))
    }
}

impl Prices {
    fn cost(&self, usage: &TokenUsage) -> f64 {
        let read = usage.input.saturating_add(usage.cached_read).saturating_add(usage.cached_write);
        let above = self.above.as_ref().filter(|above| read > above.tokens);
        let (input, output, cache_read, cache_write) = match above {
            Some(above) => (above.input, above.output, above.cache_read, above.cache_write),
            None => (self.input, self.output, self.cache_read, self.cache_write),
        };
        let rows = [
            (usage.input, input),
            (usage.output, output),
            (usage.cached_read, cache_read.unwrap_or(input)),
            (usage.cached_write, cache_write.unwrap_or(input)),
        ];
        rows.iter().map(|(tokens, price)| *tokens as f64 * price).sum::<f64>() / 1e6
    }
}

impl Row {
    fn model(self) -> KnownModel {
        let level = |row| match row {
            LevelRow::Effort(id) => Level { thinking: Thinking::Effort(id.clone()), id },
            LevelRow::Budget(id, tokens) => Level { id, thinking: Thinking::Budget(tokens) },
        };
        let takes = |input| self.inputs.contains(&input);
        KnownModel {
            takes_images: takes(Input::Image),
            takes_audio: takes(Input::Audio),
            takes_documents: takes(Input::Pdf),
            title: self.title.unwrap_or_else(|| self.name.clone()),
            window: self.window.unwrap_or(ASSUMED_WINDOW),
            window_assumed: self.window.is_none(),
            max_output: self.max_output,
            prices: self.prices,
            levels: self.levels.into_iter().map(level).collect(),
            default_level: self.default_level,
            id: ModelId { provider: self.provider, name: self.name },
        }
    }
}

impl OwnProvider {
    fn provider(&self, environment: Environment<'_>) -> Provider {
        let name = self.name.as_deref().unwrap_or(&self.id);
        let mut provider = Provider::new(&self.id, name, self.wire, &self.base_url);
        (provider.dialect, provider.bearer) = (self.dialect, self.bearer);
        provider.key_variable.clone_from(&self.key_variable);
        provider.key =
            self.key_variable.as_deref().and_then(environment).map(|key| Secret::from(key.trim()));
        let headers =
            self.headers.iter().map(|(name, value)| (name.clone(), Secret::from(value.0.as_str())));
        provider.headers = headers.collect();
        provider
    }
}

#[cfg(test)]
mod tests;
