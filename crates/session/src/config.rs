//! Config options, modes and models of a session, kept in step.

pub(crate) mod dependent;
pub(crate) mod set;

use crate::change::{Change, Parts};
use attache_protocol::v1::{
    SessionConfigId, SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigOptionValue, SessionConfigSelectOption, SessionConfigSelectOptions, SessionId,
    SessionMode, SessionModeId, SessionModeState, SessionModelState,
};

/// What a person can choose for a session.
///
/// An agent may state config options, modes, or, until June 2026, models. Modes and the first
/// select of the category `mode` are one choice and are kept in step both ways (MODE-05); so are
/// models and the first select of the category `model`. Modes without any config option, and models
/// without an option for them, are shown as options too; [`ConfigOptions::source`] says by which
/// call they are set.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigOptions {
    pub(crate) session_id: SessionId,
    stated: Vec<SessionConfigOption>,
    modes: Option<SessionModeState>,
    models: Option<SessionModelState>,
    /// Options made of modes or models that no stated option stands for.
    derived: Vec<(OptionSource, SessionConfigOption)>,
}

/// The id of the option made of models.
const MODEL: &str = "model";

/// What an option was stated as, and so by which call it is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OptionSource {
    /// A config option: `session/set_config_option`.
    ConfigOption,
    /// Modes: `session/set_mode`.
    Modes,
    /// Models, retired: `session/set_model`.
    Models,
}

impl ConfigOptions {
    pub(crate) fn new(session_id: SessionId) -> Self {
        Self { session_id, stated: Vec::new(), modes: None, models: None, derived: Vec::new() }
    }

    /// The options as they were stated, in their order, those of unknown types too: what goes to a
    /// client.
    pub fn options(&self) -> &[SessionConfigOption] {
        &self.stated
    }

    /// The options to show, in the order in which they matter (CONF-16): the stated ones of known
    /// types (CONF-12), then those made of modes and models. Where room is short, show as many as
    /// fit from the start.
    pub fn visible(&self) -> impl Iterator<Item = &SessionConfigOption> {
        let known =
            |option: &&SessionConfigOption| !matches!(option.kind, SessionConfigKind::Unknown(_));
        self.stated.iter().filter(known).chain(self.derived.iter().map(|(_, option)| option))
    }

    /// The visible option with this id, else the first of this category (CONF-16).
    pub fn option_by_id_or_category(&self, name: &str) -> Option<&SessionConfigOption> {
        let of_category = |option: &&SessionConfigOption| {
            option.category().is_some_and(|category| category.as_str() == name)
        };
        self.visible()
            .find(|option| option.id == *name)
            .or_else(|| self.visible().find(of_category))
    }

    /// The current value of the option with this id, else of the first of this category.
    pub fn value(&self, name: &str) -> Option<SessionConfigOptionValue> {
        self.option_by_id_or_category(name)?.current_value()
    }

    /// By which call the option with this id is set.
    pub fn source(&self, id: &SessionConfigId) -> OptionSource {
        if self.stated.iter().any(|option| option.id == *id) {
            return OptionSource::ConfigOption;
        }
        let derived = self.derived.iter().find(|(_, option)| option.id == *id);
        derived.map_or(OptionSource::ConfigOption, |(source, _)| *source)
    }

    /// The modes: those stated, else those of the option of the category `mode`, for clients that
    /// know modes only (MODE-05).
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

    /// The mode in use.
    pub fn current_mode(&self) -> Option<SessionModeId> {
        if let Some(modes) = &self.modes {
            return Some(modes.current_mode_id.clone());
        }
        self.stated_mode_option().and_then(select_value).map(|value| value.as_str().into())
    }

    /// The models as they were stated in the retired shape.
    pub fn models(&self) -> Option<&SessionModelState> {
        self.models.as_ref()
    }

    /// Replaces the stated options whole (CONF-04).
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

    /// Replaces the modes whole; the option for them follows.
    pub(crate) fn replace_modes(&mut self, modes: &SessionModeState) -> Change {
        self.modes = Some(modes.clone());
        self.choose_mode(&modes.current_mode_id)
    }

    /// Puts another mode in use, in the modes and in the option for them (MODE-07). Without modes
    /// and such an option it says nothing.
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

    /// Replaces the models whole; the option for them follows.
    pub(crate) fn replace_models(&mut self, models: &SessionModelState) -> Change {
        self.models = Some(models.clone());
        let value = SessionConfigOptionValue::from(models.current_model_id.as_str());
        let option = self.stated.iter_mut().find(|option| is_model_option(option));
        if let Some(option) = option.filter(|option| option.accepts(&value)) {
            choose(option, &value);
        }
        self.derive()
    }

    /// With config options, modes are not shown beside them (MODE-06); models are, unless one of
    /// the options is for them by its category or by its id.
    fn derive(&mut self) -> Change {
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

/// Puts a value that the option accepts in use.
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

/// Adds the current value of a select to its values if it is none of them, behind all others: what
/// is stated can then be sent (CONF-06).
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
