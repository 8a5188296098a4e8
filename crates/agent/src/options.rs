//! Config options and modes, in step (requirements §4.11, §4.12). The options are the one truth; modes are a view of the first select of
//! the category `mode`.

use crate::open_session::OpenSession;
use crate::{Error, Result};
use attache_protocol::v1::{
    SessionConfigId, SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigOptionValue, SessionConfigValueId, SessionMode, SessionModeState,
};
use attache_session::EventBody;
use std::sync::PoisonError;

/// How the client learns of new options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// By `config_option_update`.
    ByUpdate,
    /// By the reply to its own call (CONF-22); an update goes out only where the mode changed with them (MODE-07).
    ByReply,
}

impl OpenSession {
    /// Changes the options and hands all of them, or the refusal, to `then`, which queues the reply if one is owed. Changes do not
    /// overlap, so what the client is told last is what holds (CONF-24). On an error nothing has changed (CONF-07).
    pub(crate) fn change_options<T>(
        &self,
        told: Told,
        change: impl FnOnce(&mut Vec<SessionConfigOption>) -> Result<()>,
        then: impl FnOnce(Result<Vec<SessionConfigOption>>) -> T,
    ) -> T {
        let _alone = self.changing_options.lock().unwrap_or_else(PoisonError::into_inner);
        let mut options = self.state().session.config().options().to_vec();
        let changed = change(&mut options).and_then(|()| check(&options));
        then(changed.and_then(|()| self.adopt(told, options)))
    }

    fn adopt(&self, told: Told, options: Vec<SessionConfigOption>) -> Result<Vec<SessionConfigOption>> {
        let mut state = self.state();
        let old = state.session.config().options();
        if old == options {
            return Ok(options);
        }
        let old_mode = modes_of(old).map(|modes| modes.current_mode_id);
        // A mode is announced only in sessions that showed modes when they began (MODE-04).
        let new_mode = modes_of(&options).map(|modes| modes.current_mode_id).filter(|_| old_mode.is_some());
        let mode_changed = new_mode != old_mode;
        let body = EventBody::ConfigOptions(options.clone());
        if told == Told::ByUpdate || mode_changed {
            self.post(&mut state, body)?;
        } else {
            state.record(body);
        }
        if let Some(mode) = new_mode.filter(|_| mode_changed) {
            self.post(&mut state, EventBody::CurrentMode(mode))?;
        }
        Ok(options)
    }
}

/// The modes that the options say, if one of them is about modes (MODE-05).
pub(crate) fn modes_of(options: &[SessionConfigOption]) -> Option<SessionModeState> {
    let option = of_category(options, &SessionConfigOptionCategory::Mode)?;
    let Some(SessionConfigOptionValue::ValueId(current)) = option.current_value() else { return None };
    let modes = option.values().map(|value| {
        let mut mode = SessionMode::new(value.value.as_str(), value.name.as_str());
        mode.description.clone_from(&value.description);
        mode
    });
    Some(SessionModeState::new(current.as_str(), modes.collect::<Vec<_>>()))
}

/// The first select of a category.
pub(crate) fn of_category<'o>(
    options: &'o [SessionConfigOption],
    category: &SessionConfigOptionCategory,
) -> Option<&'o SessionConfigOption> {
    options
        .iter()
        .find(|option| option.category() == Some(category) && matches!(option.kind, SessionConfigKind::Select(_)))
}

/// Gives an option a value, if both exist (CONF-07). A switch also takes what its select for simple clients shows (CONF-08).
pub(crate) fn set(
    options: &mut [SessionConfigOption],
    id: &SessionConfigId,
    value: &SessionConfigOptionValue,
) -> Result<()> {
    let known: Vec<String> = options.iter().map(|option| option.id.to_string()).collect();
    let Some(option) = options.iter_mut().find(|option| option.id == *id) else {
        return Err(Error::invalid(match known.as_slice() {
            [] => format!("there is no option {id}: this session has none"),
            known => format!("there is no option {id}: this session has {}", known.join(", ")),
        }));
    };
    match (&mut option.kind, value) {
        (SessionConfigKind::Boolean(switch), SessionConfigOptionValue::Boolean(on)) => switch.current_value = *on,
        (SessionConfigKind::Boolean(switch), SessionConfigOptionValue::ValueId(value)) => {
            switch.current_value = switched(value)
                .ok_or_else(|| Error::invalid(format!("the option {id} is a switch: use true or false, not {value:?}")))?;
        }
        (SessionConfigKind::Select(select), SessionConfigOptionValue::ValueId(value))
            if select.options.values().any(|allowed| allowed.value == *value) =>
        {
            select.current_value = value.clone();
        }
        (_, value) => {
            let value = match value {
                SessionConfigOptionValue::ValueId(value) => format!("{value:?}"),
                SessionConfigOptionValue::Boolean(on) => on.to_string(),
            };
            let allowed: Vec<&str> = option.values().map(|allowed| allowed.value.as_str()).collect();
            let allowed = allowed.join(", ");
            return Err(Error::invalid(format!("{value} is no value of the option {id}: use one of {allowed}")));
        }
    }
    Ok(())
}

fn switched(value: &SessionConfigValueId) -> Option<bool> {
    match value.as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// What the wire wants of options (CONF-06, CONF-14, CONF-19).
pub(crate) fn check(options: &[SessionConfigOption]) -> Result<()> {
    for (index, option) in options.iter().enumerate() {
        let id = &option.id;
        if options.iter().take(index).any(|earlier| earlier.id == *id) {
            return Err(Error::failed(format!("two config options have the id {id}")));
        }
        if let Some(SessionConfigOptionCategory::Unknown(name)) = option.category()
            && !name.starts_with('_')
        {
            return Err(Error::failed(format!("the category {name} of the option {id} must begin with \"_\"")));
        }
        let Some(current) = option.current_value() else {
            return Err(Error::failed(format!("the option {id} has a type that ACP does not have")));
        };
        if !option.accepts(&current) {
            return Err(Error::failed(format!("the current value of the option {id} is none of its values")));
        }
        let values: Vec<_> = option.values().map(|value| &value.value).collect();
        if values.iter().enumerate().any(|(index, value)| values.iter().take(index).any(|earlier| earlier == value)) {
            return Err(Error::failed(format!("the option {id} has the same value twice")));
        }
    }
    Ok(())
}
