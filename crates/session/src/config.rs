//! Config options, modes and models of a session, kept consistent.

pub(crate) mod dependent;
pub(crate) mod set;

use crate::change::{Change, Parts};
use attache_protocol::v1::{
    SessionConfigId, SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigOptionValue, SessionConfigSelectOption, SessionConfigSelectOptions, SessionId,
    SessionMode, SessionModeId, SessionModeState, SessionModelState,
};

/// The choices that a user has in a session.
///
/// An agent sends config options, modes, or (until June 2026) models. Modes and the first select of
/// the category `mode` are one choice and always have the same value. The same is true of models
/// and the first select of the category `model`. Modes without any config option, and models
/// without an option for them, also appear as options; [`ConfigOptions::source`] returns which call
/// sets them.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigOptions {
    pub(crate) session_id: SessionId,
    pub(crate) stated: Vec<SessionConfigOption>,
    pub(crate) modes: Option<SessionModeState>,
    pub(crate) models: Option<SessionModelState>,
    /// Options made from modes or models for which the agent sent no option.
    derived: Vec<(OptionSource, SessionConfigOption)>,
}

/// The id of the option made from models.
const MODEL: &str = "model";

/// The form in which the agent sent an option. It determines the call that sets the option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OptionSource {
    /// A config option: `session/set_config_option`.
    ConfigOption,
    /// Modes: `session/set_mode`.
    Modes,
    /// Models (retired): `session/set_model`.
    Models,
}

impl ConfigOptions {
    pub(crate) fn new(session_id: SessionId) -> Self {
        Self { session_id, stated: Vec::new(), modes: None, models: None, derived: Vec::new() }
    }

    /// The options that the agent sent, in its order and including those of unknown types. A relay
    /// sends these to clients.
    pub fn options(&self) -> &[SessionConfigOption] {
        &self.stated
    }

    /// The options for a client that knows no modes: those that the agent sent, or else those made
    /// from its modes and models.
    pub fn options_without_modes(&self) -> Vec<SessionConfigOption> {
        match self.stated.is_empty() {
            true => self.visible().cloned().collect(),
            false => self.stated.clone(),
        }
    }

    /// The options to show, most important first: those of known types that the agent sent, then
    /// those made from modes and models. If there is little room, show as many from the start as
    /// fit.
    pub fn visible(&self) -> impl Iterator<Item = &SessionConfigOption> {
        let known =
            |option: &&SessionConfigOption| !matches!(option.kind, SessionConfigKind::Unknown(_));
        self.stated.iter().filter(known).chain(self.derived.iter().map(|(_, option)| option))
    }

    /// The visible option with this id, or else the first one of this category.
    pub fn option_by_id_or_category(&self, name: &str) -> Option<&SessionConfigOption> {
        let of_category = |option: &&SessionConfigOption| {
            option.category().is_some_and(|category| category.as_str() == name)
        };
        self.visible()
            .find(|option| option.id == *name)
            .or_else(|| self.visible().find(of_category))
    }

    /// The current value of the option with this id, or else of the first one of this category.
    pub fn value(&self, name: &str) -> Option<SessionConfigOptionValue> {
        self.option_by_id_or_category(name)?.current_value()
    }

    /// Returns which call sets the option with this id.
    pub fn source(&self, id: &SessionConfigId) -> OptionSource {
        if self.stated.iter().any(|option| option.id == *id) {
            return OptionSource::ConfigOption;
        }
        let derived = self.derived.iter().find(|(_, option)| option.id == *id);
        derived.map_or(OptionSource::ConfigOption, |(source, _)| *source)
    }

    /// The modes that the agent sent, or else those of the option of the category `mode`, for
    /// clients that know only modes.
    pub fn modes(&self) -> Option<SessionModeState> {
        self.modes.clone().or_else(|| {
            let mut option = self.stated_mode_option()?.clone();
            list_current(&mut option);
            let current = select_value(&option)?;
            let mode = |value: &SessionConfigSelectOption| SessionMode {
                description: value.description.clone(),
                ..SessionMode::new(value.value.as_str(), value.name.as_str())
            };
            Some(SessionModeState::new(
                current.as_str(),
                option.values().map(mode).collect::<Vec<_>>(),
            ))
        })
    }

    /// The current mode.
    pub fn current_mode(&self) -> Option<SessionModeId> {
        if let Some(modes) = &self.modes {
            return Some(modes.current_mode_id.clone());
        }
        self.stated_mode_option().and_then(select_value).map(|value| value.as_str().into())
    }

    /// The models in the retired form.
    pub fn models(&self) -> Option<&SessionModelState> {
        self.models.as_ref()
    }

    /// Replaces all options that the agent sent (CONF-04).
    pub(crate) fn replace(&mut self, options: &[SessionConfigOption]) -> Change {
        self.stated = options.to_vec();
        let chosen = self.stated_mode_option().and_then(select_value);
        if let (Some(modes), Some(chosen)) = (&mut self.modes, chosen)
            && modes.available_modes.iter().any(|mode| mode.id == *chosen)
        {
            modes.current_mode_id = chosen.as_str().into();
        }
        let chosen =
            self.stated.iter().find(|option| is_model_option(option)).and_then(select_value);
        if let (Some(models), Some(chosen)) = (&mut self.models, chosen)
            && models.available_models.iter().any(|model| model.model_id == *chosen)
        {
            models.current_model_id = chosen.as_str().into();
        }
        self.derive()
    }

    /// Replaces all modes and updates the option for them.
    pub(crate) fn replace_modes(&mut self, modes: &SessionModeState) -> Change {
        self.modes = Some(modes.clone());
        self.choose_mode(&modes.current_mode_id)
    }

    /// Changes the current mode, in the modes and in the option for them (MODE-07). Has no effect
    /// if the session has neither.
    pub(crate) fn choose_mode(&mut self, mode: &SessionModeId) -> Change {
        if let Some(modes) = &mut self.modes {
            modes.current_mode_id = mode.clone();
        }
        let value = SessionConfigOptionValue::from(mode.as_str());
        let option = self.stated.iter_mut().find(|option| is_mode_option(option));
        if let Some(option) = option.filter(|option| option.accepts(&value)) {
            choose(option, &value);
        } else if self.modes.is_none() {
            return Change::NONE;
        }
        self.derive()
    }

    /// Replaces all models and updates the option for them.
    pub(crate) fn replace_models(&mut self, models: &SessionModelState) -> Change {
        self.models = Some(models.clone());
        let value = SessionConfigOptionValue::from(models.current_model_id.as_str());
        let option = self.stated.iter_mut().find(|option| is_model_option(option));
        if let Some(option) = option.filter(|option| option.accepts(&value)) {
            choose(option, &value);
        }
        self.derive()
    }

    /// If there are config options, modes are not shown (MODE-06). Models are shown, unless the
    /// category or the id of one of the options says that it is for models.
    pub(crate) fn derive(&mut self) -> Change {
        self.derived.clear();
        if let Some(modes) = self.modes.as_ref().filter(|_| self.stated.is_empty()) {
            self.derived.push((OptionSource::Modes, option_of_modes(modes)));
        }
        let has_model = self.stated.iter().any(|option| {
            option.category() == Some(&SessionConfigOptionCategory::Model) || option.id == *MODEL
        });
        if let Some(models) = self.models.as_ref().filter(|_| !has_model) {
            self.derived.push((OptionSource::Models, option_of_models(models)));
        }
        Change::of(Parts::CONFIG)
    }

    fn stated_mode_option(&self) -> Option<&SessionConfigOption> {
        self.stated.iter().find(|option| is_mode_option(option))
    }
}

fn is_mode_option(option: &SessionConfigOption) -> bool {
    is_select_of(option, &SessionConfigOptionCategory::Mode)
}

fn is_model_option(option: &SessionConfigOption) -> bool {
    is_select_of(option, &SessionConfigOptionCategory::Model)
}

fn is_select_of(option: &SessionConfigOption, category: &SessionConfigOptionCategory) -> bool {
    option.category() == Some(category) && matches!(option.kind, SessionConfigKind::Select(_))
}

fn select_value(option: &SessionConfigOption) -> Option<String> {
    match option.current_value()? {
        SessionConfigOptionValue::ValueId(id) => Some(id.as_str().to_owned()),
        SessionConfigOptionValue::Boolean(_) => None,
    }
}

/// Sets a value that the option accepts.
pub(crate) fn choose(option: &mut SessionConfigOption, value: &SessionConfigOptionValue) {
    match (&mut option.kind, value) {
        (SessionConfigKind::Select(select), SessionConfigOptionValue::ValueId(id)) => {
            select.current_value = id.clone();
        }
        (SessionConfigKind::Boolean(boolean), SessionConfigOptionValue::Boolean(on)) => {
            boolean.current_value = *on;
        }
        _ => {}
    }
}

/// Appends a select's current value to its values if it is not among them, so that the option may
/// be sent (CONF-06).
pub(crate) fn list_current(option: &mut SessionConfigOption) {
    let listed = option.current_value().is_none_or(|current| option.accepts(&current));
    let SessionConfigKind::Select(select) = &mut option.kind else { return };
    if listed {
        return;
    }
    let current = select.current_value.as_str();
    let value = SessionConfigSelectOption::new(current, current);
    match &mut select.options {
        SessionConfigSelectOptions::Ungrouped(values) => values.push(value),
        SessionConfigSelectOptions::Grouped(groups) => match groups.last_mut() {
            Some(group) => group.options.push(value),
            None => select.options = vec![value].into(),
        },
    }
}

fn option_of_modes(modes: &SessionModeState) -> SessionConfigOption {
    let value = |mode: &SessionMode| SessionConfigSelectOption {
        description: mode.description.clone(),
        ..SessionConfigSelectOption::new(mode.id.as_str(), mode.name.as_str())
    };
    let values: Vec<_> = modes.available_modes.iter().map(value).collect();
    SessionConfigOption {
        category: Some(SessionConfigOptionCategory::Mode),
        ..SessionConfigOption::select("mode", "Mode", modes.current_mode_id.as_str(), values)
    }
}

fn option_of_models(models: &SessionModelState) -> SessionConfigOption {
    let values: Vec<_> = models
        .available_models
        .iter()
        .map(|model| SessionConfigSelectOption {
            description: model.description.clone(),
            ..SessionConfigSelectOption::new(model.model_id.as_str(), model.name.as_str())
        })
        .collect();
    SessionConfigOption {
        category: Some(SessionConfigOptionCategory::Model),
        ..SessionConfigOption::select(MODEL, "Model", models.current_model_id.as_str(), values)
    }
}
