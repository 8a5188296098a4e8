//! The catalogue: the models in `models.json` and in the user's own file.

mod assumed;
pub(crate) mod known_model;
pub(crate) mod known_providers;
pub(crate) mod live;
pub(crate) mod local;
pub(crate) mod provider_variables;
use crate::catalogue::known_model::{KnownModel, Level, Prices};
use crate::catalogue::provider_variables::ProviderVariables;
use crate::environment::Environment;
use crate::message::{ModelId, Thinking};
use crate::provider::Provider;
use crate::secret::Secret;
use crate::wire::Wire;
use crate::wire::chat::dialect::Dialect;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

/// The built-in catalogue.
const BUILT_IN: &str = include_str!("../models.json");

/// Known models, and the providers from the user's own file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Catalogue {
    as_of: String,
    today: Today,
    models: Vec<KnownModel>,
    providers: Vec<OwnProvider>,
}

/// The day that decides which models have ended, if it is later than that of the list.
#[derive(Debug, Clone, Copy, Default)]
enum Today {
    /// Only the day of the list counts.
    #[default]
    Unknown,
    Given(Date),
    /// The day of the question: a process may run for weeks.
    Real,
}

/// The error for a catalogue that cannot be read.
#[derive(Debug)]
pub(crate) struct CatalogueError(serde_json::Error);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    as_of: String,
    /// Where the numbers of the built-in file come from.
    #[serde(default, rename = "source")]
    _source: String,
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
    #[serde(default, deserialize_with = "day")]
    retires: Option<String>,
    replaced_by: Option<String>,
}

/// Reads a day, such as `2026-12-11`.
fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let day = String::deserialize(deserializer)?;
    match day.parse::<Date>() {
        Ok(date) => Ok(Some(date.to_string())),
        Err(_) => Err(D::Error::custom(format!("{day:?} is no day such as \"2026-12-11\""))),
    }
}

/// A thinking level: `"high"`, which is sent as it is; `["high", 32000]`, a name and a budget in
/// tokens; or `{"id": "off", "between_tools": "high"}`, a name and the effort of a model that then
/// thinks only between its tool calls.
#[derive(Deserialize)]
#[serde(untagged)]
enum LevelRow {
    Effort(String),
    Budget(String, u64),
    BetweenTools(BetweenToolsRow),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BetweenToolsRow {
    id: String,
    between_tools: String,
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
    /// Returns the built-in catalogue.
    pub(crate) fn built_in() -> Self {
        let mut catalogue = Self::default();
        // This cannot fail: a test reads the built-in file.
        drop(catalogue.extend(BUILT_IN));
        catalogue
    }

    /// Adds the models and providers of the user's own file, which has the format of `models.json`.
    /// An entry replaces all data of an earlier model or provider with the same id.
    ///
    /// # Errors
    /// Returns an error, and adds nothing, if the text does not have this format.
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

    /// Leaves out the models that have ended on the day of the question.
    pub(crate) fn on_real_days(self) -> Self {
        Self { today: Today::Real, ..self }
    }

    /// Leaves out the models that have ended on this day.
    pub(crate) fn on_day(self, today: Date) -> Self {
        Self { today: Today::Given(today), ..self }
    }

    /// Returns the day that decides which models have ended.
    fn day(&self) -> String {
        let today = match self.today {
            Today::Unknown => return self.as_of.clone(),
            Today::Given(today) => today,
            Today::Real => Timestamp::now().to_zoned(TimeZone::UTC).date(),
        };
        today.to_string().max(self.as_of.clone())
    }

    /// Returns the day of the built-in list, such as `2026-11-28`.
    pub(crate) fn as_of(&self) -> &str {
        &self.as_of
    }

    /// Returns the providers in the user's own file, then those that only the environment
    /// configures.
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

    /// Returns the environment variables of the user's own providers.
    pub(crate) fn own_variables(&self) -> Vec<ProviderVariables> {
        let variables = |own: &OwnProvider| {
            let name = own.name.as_deref().unwrap_or(&own.id);
            Some(ProviderVariables::new(&own.id, name, own.key_variable.as_deref()?))
        };
        self.providers.iter().filter_map(variables).collect()
    }

    /// Returns the known models of a provider, in the order of the file, without those that have
    /// ended.
    pub(crate) fn models(&self, provider: &str) -> impl Iterator<Item = &KnownModel> {
        let day = self.day();
        let all = self.models.iter().filter(move |model| model.id.provider == provider);
        all.filter(move |model| !model.is_retired(&day))
    }

    /// Returns what is known about a model. A model that is not in the catalogue is assumed to
    /// accept only text, and its window is an assumption: see [`KnownModel::window_assumed`]. Dates
    /// in names, and OpenRouter's prefixes, are ignored in the search. A model that has ended has
    /// no prices, because another one may answer under its name.
    pub(crate) fn model(&self, provider: &Provider, name: &str) -> KnownModel {
        let id = provider.model(name);
        let found = self.models.iter().find(|model| model.id == id).or_else(|| {
            let (provider, name) = (provider.id == "openrouter")
                .then(|| provider_behind_openrouter(name))
                .flatten()
                .unwrap_or((&id.provider, name));
            let plain = plain_name(name);
            self.models
                .iter()
                .find(|model| model.id.provider == provider && plain_name(&model.id.name) == plain)
        });
        match found {
            Some(found) => {
                let prices = found.prices.clone().filter(|_| !found.is_retired(&self.day()));
                KnownModel { id, prices, ..found.clone() }
            }
            None => assumed::model(provider, name),
        }
    }
}

/// Returns the provider that OpenRouter forwards to, and that provider's name for the model.
fn provider_behind_openrouter(name: &str) -> Option<(&str, &str)> {
    let (vendor, name) = name.split_once('/')?;
    let provider = match vendor {
        "google" => "gemini",
        "moonshotai" => "moonshot",
        "mistralai" => "mistral",
        vendor => vendor,
    };
    Some((provider, name.split_once(':').map_or(name, |(name, _)| name)))
}

/// Returns the name with dashes in place of dots, and without a date or `latest` at its end.
pub(crate) fn plain_name(name: &str) -> String {
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

impl Row {
    fn model(self) -> KnownModel {
        let level = |row| match row {
            LevelRow::Effort(id) => Level { thinking: Thinking::Effort(id.clone()), id },
            LevelRow::Budget(id, tokens) => Level { id, thinking: Thinking::Budget(tokens) },
            LevelRow::BetweenTools(row) => {
                Level { id: row.id, thinking: Thinking::BetweenTools(row.between_tools) }
            }
        };
        let takes = |input| self.inputs.contains(&input);
        KnownModel {
            takes_images: takes(Input::Image),
            takes_audio: takes(Input::Audio),
            takes_documents: takes(Input::Pdf),
            title: self.title.unwrap_or_else(|| self.name.clone()),
            window: self.window.unwrap_or(known_model::ASSUMED_WINDOW),
            window_assumed: self.window.is_none(),
            is_cut_silently: false,
            max_output: self.max_output,
            prices: self.prices,
            levels: self.levels.into_iter().map(level).collect(),
            default_level: self.default_level,
            retires: self.retires,
            replaced_by: self.replaced_by,
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
