//! Options that depend on each other: a choice changes the values of another option.

use crate::config::choose;
use attache_protocol::v1::{SessionConfigId, SessionConfigOption};

/// Gives each of `options` the value that the option with the same id has in `before`, if the
/// option accepts it. The other options keep their own values.
///
/// Thus a value is kept while it is among the available values. When it no longer is, the author's
/// value replaces it. If the author's own values are valid, so are those of the result.
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

/// Returns the options of a restored session: the author's current options with the stored values.
///
/// Sets each stored value that is valid, in the order stored, and calls `dependent` with that
/// option's id. `dependent` may change the available values and returns whether it did; then values
/// are kept as described at [`keep_values`]. If a value becomes valid only after another one is
/// set, it is set later. A value that never becomes valid is replaced by the option's own. Each
/// option is set at most once, so this terminates.
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
