//! Options that depend on each other: which values there are to choose from changes with another
//! choice.

use crate::config::choose;
use attache_protocol::v1::{SessionConfigId, SessionConfigOption};

/// Gives each of `options` the value that the option with its id has in `before`, if it takes it;
/// all others keep their own.
///
/// So a value outlives a change of what there is to choose from as long as it can, and then falls
/// back to what the author states. If the author's own values fit (CONF-06), those of the result
/// do.
///
/// ```
/// use attache_protocol::v1::{SessionConfigOption, SessionConfigSelectOption};
///
/// let level = |current: &str, values: &[&str]| {
///     let values: Vec<_> = values.iter().map(|value| SessionConfigSelectOption::new(*value, *value)).collect();
///     SessionConfigOption::select("level", "Level", current, values)
/// };
/// let before = [level("high", &["low", "high"])];
/// let mut still = [level("low", &["low", "medium", "high"])];
/// attache_session::keep_values(&before, &mut still);
/// assert_eq!(still[0].current_value(), Some("high".into()));
/// let mut gone = [level("low", &["low"])];
/// attache_session::keep_values(&before, &mut gone);
/// assert_eq!(gone[0].current_value(), Some("low".into()));
/// ```
pub fn keep_values(before: &[SessionConfigOption], options: &mut [SessionConfigOption]) {
    for option in options {
        let before = before.iter().find(|before| before.id == option.id);
        if let Some(value) = before.and_then(SessionConfigOption::current_value)
            && option.accepts(&value)
        {
            choose(option, &value);
        }
    }
}

/// The options of a session that comes back: the author's options of today with the values that are
/// stored.
///
/// Each stored value that fits is set, in the order stored, and `dependent` is called with that
/// option's id; it changes what there is to choose from and says whether it did, and then values
/// are kept as [`keep_values`] says. A value that fits only after another one was set is set then;
/// one that never fits gives way to the option's own. Each option is set at most once, so this
/// ends.
pub fn restored_options(
    now: Vec<SessionConfigOption>,
    stored: &[SessionConfigOption],
    mut dependent: impl FnMut(&SessionConfigId, &mut Vec<SessionConfigOption>) -> bool,
) -> Vec<SessionConfigOption> {
    let mut options = now;
    let mut waiting: Vec<_> =
        stored.iter().filter_map(|option| Some((&option.id, option.current_value()?))).collect();
    loop {
        let before = waiting.len();
        waiting.retain(|(id, value)| {
            let fits = options.iter_mut().find(|option| option.id == **id && option.accepts(value));
            let Some(option) = fits else { return true };
            choose(option, value);
            let chosen = options.clone();
            if dependent(id, &mut options) {
                keep_values(&chosen, &mut options);
            }
            false
        });
        if waiting.is_empty() || waiting.len() == before {
            return options;
        }
    }
}
