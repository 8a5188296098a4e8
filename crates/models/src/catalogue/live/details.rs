//! The details of a model, as its provider tells them.

use super::compatible;
use super::list_format::ListFormat;
use crate::catalogue::known_model::{KnownModel, Level, LongPromptPrices, Prices};
use crate::message::Thinking;
use crate::text::one_line;
use serde_json::Value;

/// The levels that OpenRouter accepts for a model without a list of levels.
const COMMON_EFFORTS: [&str; 3] = ["low", "medium", "high"];

/// The levels of a model whose provider takes a budget: the same as those of the catalogue's rows.
const BUDGETS: [(&str, u64); 3] = [("low", 4096), ("medium", 16384), ("high", 32000)];

/// The maximum length of a text, in characters.
const MAX_TEXT: usize = 100;

/// The details of a model, as its provider tells them. Each may be missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ModelDetails {
    pub(crate) title: Option<String>,
    pub(crate) window: Option<u64>,
    pub(crate) max_output: Option<u64>,
    pub(crate) prices: Option<Prices>,
    pub(crate) levels: Vec<Level>,
    pub(crate) default_level: Option<String>,
    pub(crate) takes_images: bool,
    pub(crate) takes_audio: bool,
    pub(crate) takes_documents: bool,
    /// The date from which the model does not answer any more.
    pub(crate) retires: Option<String>,
    /// Whether the model does not answer any more.
    pub(crate) is_retired: bool,
    /// Whether the model's server is Ollama, which silently cuts long conversations.
    pub(crate) is_ollama: bool,
}

impl ModelDetails {
    /// Reads an entry of a provider's list.
    pub(crate) fn read(format: ListFormat, entry: &Value) -> Self {
        match format {
            // The answers of gateways are in the same form, whatever their wire.
            _ if entry.get("window").is_some() || entry.get("ollama").is_some() => {
                of_gateway(entry)
            }
            ListFormat::Anthropic => anthropic(entry),
            ListFormat::Gemini => gemini(entry),
            ListFormat::OpenRouter => openrouter(entry),
            ListFormat::Compatible => Self { window: compatible::window(entry), ..Self::default() },
        }
    }

    /// Adds these details to what is known about a model. What is known stays, except for an
    /// assumed window, and the other assumptions about a model without a row.
    pub(crate) fn add_to(&self, known: KnownModel) -> KnownModel {
        let is_unnamed = known.title == known.id.name;
        let known = match (self.window, self.is_ollama) {
            (None, true) if known.window_assumed => known.with_window_of_ollama(),
            (window, _) => known.with_window(window),
        };
        let (levels, default_level) = match self.levels.is_empty() {
            true => (known.levels, known.default_level),
            false => (self.levels.clone(), self.default_level.clone()),
        };
        KnownModel {
            title: self.title.clone().filter(|_| is_unnamed).unwrap_or(known.title),
            max_output: self.max_output.or(known.max_output),
            prices: known.prices.or_else(|| self.prices.clone()),
            levels,
            default_level,
            takes_images: known.takes_images || self.takes_images,
            takes_audio: known.takes_audio || self.takes_audio,
            takes_documents: known.takes_documents || self.takes_documents,
            retires: known.retires.or_else(|| self.retires.clone()),
            ..known
        }
    }

    fn with_efforts(mut self, efforts: Vec<&str>, default: Option<&str>) -> Self {
        let default = default
            .filter(|default| efforts.contains(default))
            .or_else(|| efforts.iter().copied().find(|effort| *effort == "high"))
            .or_else(|| efforts.last().copied());
        self.default_level = default.map(str::to_owned);
        let level =
            |id: &str| Level { id: id.to_owned(), thinking: Thinking::Effort(id.to_owned()) };
        self.levels = efforts.into_iter().map(level).collect();
        self
    }
}

/// Returns a short text on one line, because it is shown to the user.
fn text(value: &Value, path: &str) -> Option<String> {
    Some(one_line(value.pointer(path)?.as_str()?, MAX_TEXT)).filter(|text| !text.is_empty())
}

fn positive(value: &Value, path: &str) -> Option<u64> {
    value.pointer(path)?.as_u64().filter(|number| *number > 0)
}

fn is_true(value: &Value, path: &str) -> bool {
    value.pointer(path).and_then(Value::as_bool).unwrap_or_default()
}

fn of_gateway(entry: &Value) -> ModelDetails {
    ModelDetails {
        window: positive(entry, "/window"),
        max_output: positive(entry, "/max_output"),
        takes_images: is_true(entry, "/vision"),
        is_ollama: is_true(entry, "/ollama"),
        ..ModelDetails::default()
    }
}

fn anthropic(entry: &Value) -> ModelDetails {
    let can = |name: &str| is_true(entry, &format!("/capabilities/{name}/supported"));
    let details = ModelDetails {
        title: text(entry, "/display_name"),
        window: positive(entry, "/max_input_tokens"),
        max_output: positive(entry, "/max_tokens"),
        takes_images: can("image_input"),
        takes_documents: can("pdf_input"),
        retires: text(entry, "/retires_at").map(|date| date.chars().take(10).collect()),
        is_retired: text(entry, "/lifecycle").as_deref() == Some("retired"),
        ..ModelDetails::default()
    };
    let off = can("thinking/types/disabled")
        .then(|| Level { id: "off".to_owned(), thinking: Thinking::Budget(0) });
    if can("thinking/types/adaptive") && can("effort") {
        let all = ["low", "medium", "high", "xhigh", "max"];
        let efforts = all.into_iter().filter(|effort| can(&format!("effort/{effort}"))).collect();
        let mut details = details.with_efforts(efforts, Some("high"));
        details.levels.splice(0..0, off);
        return details;
    }
    if !can("thinking/types/enabled") {
        return details;
    }
    let budget =
        |(id, tokens): (&str, u64)| Level { id: id.to_owned(), thinking: Thinking::Budget(tokens) };
    let levels = off.into_iter().chain(BUDGETS.map(budget)).collect();
    ModelDetails { levels, default_level: Some("medium".to_owned()), ..details }
}

/// Reads an entry of Gemini. The answer has its own limit, and the list contains no levels.
fn gemini(entry: &Value) -> ModelDetails {
    ModelDetails {
        title: text(entry, "/displayName"),
        window: positive(entry, "/inputTokenLimit"),
        max_output: positive(entry, "/outputTokenLimit"),
        ..ModelDetails::default()
    }
}

fn openrouter(entry: &Value) -> ModelDetails {
    let list = |path: &str| {
        let values = entry.pointer(path).and_then(Value::as_array).into_iter().flatten();
        values.filter_map(Value::as_str).collect::<Vec<&str>>()
    };
    let inputs = list("/architecture/input_modalities");
    let details = ModelDetails {
        title: text(entry, "/name"),
        window: positive(entry, "/context_length"),
        max_output: positive(entry, "/top_provider/max_completion_tokens"),
        prices: openrouter_prices(entry),
        takes_images: inputs.contains(&"image"),
        takes_audio: inputs.contains(&"audio"),
        takes_documents: inputs.contains(&"file"),
        retires: text(entry, "/expiration_date"),
        ..ModelDetails::default()
    };
    let thinks = entry.get("reasoning").is_some_and(Value::is_object)
        || list("/supported_parameters").contains(&"reasoning");
    if !thinks {
        return details;
    }
    // The highest effort comes first.
    let mut efforts = list("/reasoning/supported_efforts");
    efforts.reverse();
    if efforts.is_empty() {
        efforts = COMMON_EFFORTS.to_vec();
        if !is_true(entry, "/reasoning/mandatory") {
            efforts.insert(0, "none");
        }
    }
    if is_true(entry, "/reasoning/mandatory") {
        efforts.retain(|effort| *effort != "none");
    }
    let default = text(entry, "/reasoning/default_effort");
    details.with_efforts(efforts, default.as_deref().or(Some("medium")))
}

/// Reads the prices, which are US dollars per token, as text.
fn openrouter_prices(entry: &Value) -> Option<Prices> {
    let pricing = entry.get("pricing")?;
    let price = |of: &Value, name: &str| {
        let dollars: f64 = of.get(name)?.as_str()?.trim().parse().ok()?;
        // A negative price means that it varies.
        (dollars.is_finite() && dollars >= 0.0).then_some(dollars * 1e6)
    };
    let (input, output) = (price(pricing, "prompt")?, price(pricing, "completion")?);
    let (cache_read, cache_write) =
        (price(pricing, "input_cache_read"), price(pricing, "input_cache_write"));
    let cache_write_1h = price(pricing, "input_cache_write_1h");
    let overrides = pricing.get("overrides").and_then(Value::as_array).into_iter().flatten();
    // A price that depends on the time of day is left out: the others are the normal ones.
    let always = overrides.filter(|each| {
        ["utc_days", "utc_start", "utc_end"].iter().all(|name| each.get(name).is_none())
    });
    let above = always.filter_map(|each| {
        Some(LongPromptPrices {
            tokens: each.get("min_prompt_tokens")?.as_u64()?,
            input: price(each, "prompt").unwrap_or(input),
            output: price(each, "completion").unwrap_or(output),
            cache_read: price(each, "input_cache_read").or(cache_read),
            cache_write: price(each, "input_cache_write").or(cache_write),
            cache_write_1h: price(each, "input_cache_write_1h").or(cache_write_1h),
        })
    });
    let mut above: Vec<LongPromptPrices> = above.collect();
    above.sort_by_key(|above| above.tokens);
    Some(Prices { input, output, cache_read, cache_write, cache_write_1h, above })
}
