//! A model and what is known about it.

use crate::event::TokenUsage;
use crate::message::{ModelId, Thinking};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// The assumed context window of a model, in tokens.
pub(crate) const ASSUMED_WINDOW: u64 = 128_000;

/// The assumed context window of a model of Ollama, in tokens: its smallest default.
const OLLAMA_WINDOW: u64 = 4096;

/// A model, with its context window, its prices and the kinds of input that it accepts.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownModel {
    /// The provider and the name of the model.
    pub id: ModelId,
    /// The display name.
    pub title: String,
    /// The context window in tokens, for input and answer together.
    pub window: u64,
    /// Whether the window is only assumed, which the user should be told.
    pub window_assumed: bool,
    /// Whether the model's server silently cuts what is longer than the assumed window, as Ollama
    /// does. Other servers report an error.
    pub is_cut_silently: bool,
    /// The maximum length of an answer, in tokens.
    pub max_output: Option<u64>,
    /// The prices, if they are known.
    pub prices: Option<Prices>,
    /// The thinking levels, the lowest first; empty if the model has none.
    pub levels: Vec<Level>,
    /// The id of the default level.
    pub default_level: Option<String>,
    /// Whether the model accepts images.
    pub takes_images: bool,
    /// Whether the model accepts audio.
    pub takes_audio: bool,
    /// Whether the model accepts documents.
    pub takes_documents: bool,
    /// The day on which the provider ends the model, such as `2026-12-11`, if it has announced one.
    pub retires: Option<String>,
    /// The provider's name for the model that replaces this one, if it retires.
    pub replaced_by: Option<String>,
}

/// The prices of a model, in US dollars per million tokens.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// The price of input.
    pub input: f64,
    /// The price of output.
    pub output: f64,
    /// The price of input that is read from the cache. `None` means the same as `input`.
    pub cache_read: Option<f64>,
    /// The price of input that is written to the cache. `None` means the same as `input`.
    pub cache_write: Option<f64>,
    /// The price of input that is written to the cache for an hour. `None` means the same as
    /// `cache_write`.
    pub cache_write_1h: Option<f64>,
    /// The prices that apply to long prompts, the shortest prompts first. A user's list may contain
    /// a single object instead of a list.
    #[serde(default, deserialize_with = "one_or_many")]
    pub above: Vec<LongPromptPrices>,
}

/// The prices of a call that reads more than `tokens` tokens.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPromptPrices {
    /// The number of tokens above which these prices apply.
    pub tokens: u64,
    /// The price of input.
    pub input: f64,
    /// The price of output.
    pub output: f64,
    /// The price of input that is read from the cache. `None` means the same as `input`.
    pub cache_read: Option<f64>,
    /// The price of input that is written to the cache. `None` means the same as `input`.
    pub cache_write: Option<f64>,
    /// The price of input that is written to the cache for an hour. `None` means the same as
    /// `cache_write`.
    pub cache_write_1h: Option<f64>,
}

/// Reads a list of prices, or a single object in place of the list.
fn one_or_many<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<LongPromptPrices>, D::Error> {
    // An untagged enum would not say which field is wrong.
    let value = serde_json::Value::deserialize(deserializer)?;
    let values = match value {
        serde_json::Value::Array(values) => values,
        serde_json::Value::Null => Vec::new(),
        single => vec![single],
    };
    let prices = values.into_iter().map(serde_json::from_value::<LongPromptPrices>);
    let mut prices = prices.collect::<Result<Vec<_>, _>>().map_err(D::Error::custom)?;
    prices.sort_by_key(|above| above.tokens);
    Ok(prices)
}

/// A thinking level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// The id, such as `high`.
    pub id: String,
    /// How a request asks for this level.
    pub thinking: Thinking,
}

impl KnownModel {
    /// Returns a model about which only the name is known, with this assumed window.
    pub(crate) fn unknown(id: ModelId, window: u64) -> Self {
        Self {
            title: id.name.clone(),
            id,
            window,
            window_assumed: true,
            is_cut_silently: false,
            max_output: None,
            prices: None,
            levels: Vec::new(),
            default_level: None,
            takes_images: false,
            takes_audio: false,
            takes_documents: false,
            retires: None,
            replaced_by: None,
        }
    }

    /// Returns whether the provider has ended the model by this day, such as `2026-11-28`.
    pub fn is_retired(&self, day: &str) -> bool {
        self.retires.as_deref().is_some_and(|retires| retires <= day)
    }

    /// Sets the context window to what the server reports, if it reports one.
    pub fn with_window(self, window: Option<u64>) -> Self {
        match window {
            Some(window) => Self { window, window_assumed: false, is_cut_silently: false, ..self },
            None => self,
        }
    }

    /// Assumes the window of a model of Ollama.
    pub(crate) fn with_window_of_ollama(self) -> Self {
        Self { window: OLLAMA_WINDOW, window_assumed: true, is_cut_silently: true, ..self }
    }

    /// Returns how a request asks for the level with this id.
    pub fn thinking(&self, level: &str) -> Option<Thinking> {
        self.levels.iter().find(|each| each.id == level).map(|level| level.thinking.clone())
    }

    /// Returns the cost of a call in US dollars: as the provider reports it, otherwise as computed
    /// from the prices. `None` if neither is known.
    pub fn cost(&self, usage: &TokenUsage) -> Option<f64> {
        usage.billed.or_else(|| Some(self.prices.as_ref()?.cost(usage)))
    }
}

impl Prices {
    fn cost(&self, usage: &TokenUsage) -> f64 {
        let read = usage.input.saturating_add(usage.cached_read).saturating_add(usage.cached_write);
        let base = LongPromptPrices {
            tokens: 0,
            input: self.input,
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            cache_write_1h: self.cache_write_1h,
        };
        let above = self.above.iter().rev().find(|above| read > above.tokens);
        above.unwrap_or(&base).cost(usage)
    }
}

impl LongPromptPrices {
    fn cost(&self, usage: &TokenUsage) -> f64 {
        let write = self.cache_write.unwrap_or(self.input);
        let for_an_hour = usage.cached_write_1h.min(usage.cached_write);
        let rows = [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cached_read, self.cache_read.unwrap_or(self.input)),
            (usage.cached_write - for_an_hour, write),
            (for_an_hour, self.cache_write_1h.unwrap_or(write)),
        ];
        rows.iter().map(|(tokens, price)| *tokens as f64 * price).sum::<f64>() / 1e6
    }
}
