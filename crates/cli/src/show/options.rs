//! Config options as lines: the choices, and the current value.

use super::paint::{BOLD, Paint};
use attache_protocol::v1::{SessionConfigKind, SessionConfigOptionValue};
use attache_session::ConfigOptions;
use attache_view::sanitize;

/// Returns one line per option, with the current value in bold.
pub(crate) fn lines(options: &ConfigOptions, paint: Paint) -> Vec<String> {
    let line = |option: &attache_protocol::v1::SessionConfigOption| {
        let current = match options.value(option.id.as_str()) {
            Some(SessionConfigOptionValue::ValueId(value)) => value.to_string(),
            Some(SessionConfigOptionValue::Boolean(on)) => word(on).to_owned(),
            None => String::new(),
        };
        let values: Vec<String> = match &option.kind {
            SessionConfigKind::Select(select) => {
                select.options.values().map(|value| value.value.to_string()).collect()
            }
            _ => vec![word(true).to_owned(), word(false).to_owned()],
        };
        let shown = values.iter().map(|value| match *value == current {
            true => paint.paint(BOLD, format!("[{}]", sanitize::line(value))),
            false => sanitize::line(value),
        });
        format!(
            "  {:<16} {}",
            sanitize::line(option.id.as_str()),
            shown.collect::<Vec<_>>().join(" ")
        )
    };
    options.visible().map(line).collect()
}

fn word(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}
