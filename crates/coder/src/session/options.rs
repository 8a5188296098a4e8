//! The options of a session.

use crate::models::{KnownModel, Models, OFFLINE, Offered};
use attache_policy::Mode;
use attache_protocol::v1::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue,
    SessionConfigSelectGroup, SessionConfigSelectOption, SessionConfigSelectOptions,
};

/// The option that selects the model.
pub(crate) const MODEL: &str = "model";

/// The option that selects the mode.
pub(crate) const MODE: &str = "mode";

/// The option that selects the thinking level. It exists only for models with levels.
pub(crate) const THOUGHT_LEVEL: &str = "thought_level";

/// The option that shows or hides the model's thoughts.
pub(crate) const SHOW_THOUGHTS: &str = "show_thoughts";

/// The options of a new session, the most important first (CONF-15).
pub(crate) fn options(models: &Models) -> Vec<SessionConfigOption> {
    let modes = Mode::ALL.map(|mode| {
        let (name, description) = mode.words();
        value(mode.id(), name, description)
    });
    let mut mode = SessionConfigOption::select(MODE, "Mode", Mode::Ask.id(), modes.to_vec());
    mode.description = Some("Which actions run without asking".to_owned());
    mode.category = Some(SessionConfigOptionCategory::Mode);
    let mut thoughts = SessionConfigOption::boolean(SHOW_THOUGHTS, "Show thoughts", true);
    thoughts.description = Some("Whether the model's reasoning is shown".to_owned());
    thoughts.category = Some(SessionConfigOptionCategory::ModelConfig);
    let mut options = vec![mode, model(models), thoughts];
    depend(models, &mut options);
    options
}

/// The option that selects the model. If there are providers, the models are grouped by provider.
/// The model `offline` is the last one.
fn model(models: &Models) -> SessionConfigOption {
    let offline =
        value(OFFLINE, "Offline", "Understands a few fixed phrases; needs no key and no network");
    let default = models.default_model();
    let mut model =
        SessionConfigOption::select(MODEL, "Model", default.as_str(), vec![offline.clone()]);
    let mut groups: Vec<_> = models.offered().into_iter().filter_map(group).collect();
    if let (SessionConfigKind::Select(select), false) = (&mut model.kind, groups.is_empty()) {
        groups.push(SessionConfigSelectGroup::new("none", "No provider", vec![offline]));
        select.options = SessionConfigSelectOptions::Grouped(groups);
    }
    model.description = Some("The model that answers prompts".to_owned());
    model.category = Some(SessionConfigOptionCategory::Model);
    model
}

/// Adds the unusable model of a stored session, so that the session keeps it and does not switch to
/// another model.
pub(crate) fn keep_unusable(options: &mut [SessionConfigOption], name: &str, why: &str) {
    let Some(option) = options.iter_mut().find(|option| option.id.as_str() == MODEL) else {
        return;
    };
    let SessionConfigKind::Select(select) = &mut option.kind else { return };
    let unusable = value(name, name, &format!("Cannot be used: {why}"));
    match &mut select.options {
        SessionConfigSelectOptions::Grouped(groups) => {
            groups.push(SessionConfigSelectGroup::new("unusable", "Not usable", vec![unusable]));
        }
        SessionConfigSelectOptions::Ungrouped(values) => values.push(unusable),
    }
}

fn group(offered: Offered) -> Option<SessionConfigSelectGroup> {
    let values: Vec<_> = offered
        .models
        .iter()
        .map(|model| value(&model.id.to_string(), &model.title, &about(model)))
        .collect();
    let (id, name) = (offered.id().to_owned(), offered.name().to_owned());
    (!values.is_empty()).then(|| SessionConfigSelectGroup::new(id.as_str(), name, values))
}

/// The description of a model.
fn about(model: &KnownModel) -> String {
    let window = match model.window_assumed {
        true => "Its context window is unknown".to_owned(),
        false => format!("Context window of {} tokens", rounded(model.window)),
    };
    match &model.prices {
        Some(prices) => {
            format!("{window}; ${} per million tokens in, ${} out", prices.input, prices.output)
        }
        None => window,
    }
}

/// A rounded number of tokens, such as `200k`.
fn rounded(tokens: u64) -> String {
    match tokens {
        1_000_000.. => format!("{}M", tokens / 1_000_000),
        1_000.. => format!("{}k", tokens / 1_000),
        _ => tokens.to_string(),
    }
}

/// Sets a select option to one of its values.
pub(crate) fn choose(options: &mut [SessionConfigOption], id: &str, value: &str) {
    let Some(option) = options.iter_mut().find(|option| option.id.as_str() == id) else { return };
    let fits = option.accepts(&SessionConfigOptionValue::ValueId(value.into()));
    if let (SessionConfigKind::Select(select), true) = (&mut option.kind, fits) {
        select.current_value = value.into();
    }
}

/// Adapts the options to the chosen model: the option for the thinking level exists only if the
/// model has levels.
fn depend(models: &Models, options: &mut Vec<SessionConfigOption>) {
    options.retain(|option| option.id.as_str() != THOUGHT_LEVEL);
    let Some(at) = options.iter().position(|option| option.id.as_str() == MODEL) else { return };
    let chosen = options.get(at).and_then(SessionConfigOption::current_value);
    let Some(SessionConfigOptionValue::ValueId(chosen)) = chosen else { return };
    let level = models.find(chosen.as_str()).and_then(|known| thought_level(&known));
    options.splice(at + 1..at + 1, level);
}

/// Sets a select option to one of its values, and adapts dependent options.
pub(crate) fn set(models: &Models, options: &mut Vec<SessionConfigOption>, id: &str, value: &str) {
    choose(options, id, value);
    follow(models, options, id);
}

/// Adapts the options that depend on a changed option. They keep their values if possible.
pub(crate) fn follow(models: &Models, options: &mut Vec<SessionConfigOption>, id: &str) {
    if id == MODEL {
        let before = options.clone();
        depend(models, options);
        attache_session::keep_values(&before, options);
    }
}

/// The context window of the chosen model in tokens, if it is known.
pub(crate) fn window(models: &Models, options: &[SessionConfigOption]) -> Option<u64> {
    let model = options.iter().find(|option| option.id.as_str() == MODEL)?;
    match model.current_value()? {
        SessionConfigOptionValue::ValueId(model) => {
            models.chosen(model.as_str(), None, "").window()
        }
        _ => None,
    }
}

fn thought_level(model: &KnownModel) -> Option<SessionConfigOption> {
    let first = &model.levels.first()?.id;
    let default = model.default_level.as_ref().filter(|default| model.thinking(default).is_some());
    let levels = model.levels.iter();
    let values: Vec<_> = levels
        .map(|level| SessionConfigSelectOption::new(level.id.as_str(), capitalized(&level.id)))
        .collect();
    let current = default.unwrap_or(first).as_str();
    let mut level = SessionConfigOption::select(THOUGHT_LEVEL, "Thinking", current, values);
    level.description = Some(format!("How long {} thinks before it answers", model.title));
    level.category = Some(SessionConfigOptionCategory::ThoughtLevel);
    Some(level)
}

fn capitalized(id: &str) -> String {
    let mut letters = id.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn value(id: &str, name: &str, description: &str) -> SessionConfigSelectOption {
    let mut value = SessionConfigSelectOption::new(id, name);
    value.description = Some(description.to_owned());
    value
}
