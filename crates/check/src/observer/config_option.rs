//! Config options and modes: always whole, always in step (CONF, MODE).

use super::finding::Report;
use super::seen::{OpenCall, Seen, entries, has, quoted, text};
use attache_protocol::method::{SessionSetConfigOption, SessionSetMode};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The categories of the specification; others begin with `_`.
const CATEGORIES: [&str; 4] = ["mode", "model", "thought_level", "model_config"];

/// The options and modes of each session.
#[derive(Debug, Default)]
pub(super) struct Judge {
    sessions: HashMap<String, Settings>,
}

#[derive(Debug, Default)]
struct Settings {
    /// The ids of the last full list, and its line.
    options: Option<(HashSet<String>, usize)>,
    modes: HashSet<String>,
    mode: Option<String>,
    /// The mode that the options show.
    option_mode: Option<String>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((session, result)) = seen.opened() {
            let settings = self.sessions.entry(session).or_default();
            settings.opened(result, report);
        }
        if let Some((session, update)) = seen.update_of("config_option_update") {
            let has_list = update.get("configOptions").is_some_and(Value::is_array);
            report.keeps("CONF-21", has_list, || "the update has no list of options".to_owned());
            self.of(session).listed(update, report);
        }
        if let Some((session, update)) = seen.update_of("current_mode_update") {
            self.of(session).mode_became(text(update, "currentModeId").unwrap_or_default(), report);
        }
        if let Some((call, outcome)) = seen.reply::<SessionSetConfigOption>() {
            self.set(call, outcome, report);
        }
        if let Some((call, outcome)) = seen.reply::<SessionSetMode>() {
            let settings = self.of(text(&call.params, "sessionId").unwrap_or_default());
            let mode = text(&call.params, "modeId").unwrap_or_default();
            match outcome {
                Ok(_) if !settings.modes.is_empty() && !settings.modes.contains(mode) => {
                    report.contradicts("MODE-02", call.line, format!("there is no mode {}", quoted(mode)));
                }
                Ok(_) => settings.mode = Some(mode.to_owned()),
                Err(_) => {}
            }
        }
    }

    /// The reply to a change: the full list, with the new value in it; a value that is not offered is refused.
    fn set(&mut self, call: &OpenCall, outcome: Result<&Value, &Value>, report: &mut Report) {
        let settings = self.of(text(&call.params, "sessionId").unwrap_or_default());
        let id = text(&call.params, "configId").unwrap_or_default();
        let Ok(result) = outcome else { return };
        let before = settings.options.take();
        if let Some((known, line)) = &before
            && !known.contains(id)
        {
            report.contradicts(
                "CONF-07",
                *line,
                format!("there is no option {}, and setting it succeeds", quoted(id)),
            );
        }
        let now = entries(result, "configOptions");
        if !now.iter().any(|option| text(option, "id") == Some(id)) {
            let seen = format!("the result does not hold the option {} that was set", quoted(id));
            report.contradicts("CONF-02", call.line, seen);
        }
        settings.options = before;
        settings.listed(result, report);
    }

    fn of(&mut self, session: &str) -> &mut Settings {
        self.sessions.entry(session.to_owned()).or_default()
    }
}

impl Settings {
    fn opened(&mut self, result: &Value, report: &mut Report) {
        *self = Self::default();
        if let Some(modes) = result.get("modes").filter(|modes| modes.is_object()) {
            let all = entries(modes, "availableModes").iter().filter_map(|mode| text(mode, "id"));
            self.modes = all.map(str::to_owned).collect();
            self.mode_became(text(modes, "currentModeId").unwrap_or_default(), report);
        }
        if has(result, "configOptions") {
            self.listed(result, report);
        }
    }

    fn mode_became(&mut self, mode: &str, report: &mut Report) {
        if !self.modes.is_empty() && !self.modes.contains(mode) {
            report.breaks("MODE-02", format!("the current mode {} is none of the modes", quoted(mode)));
        }
        self.mode = Some(mode.to_owned());
    }

    /// Judges a full list of options and keeps it.
    fn listed(&mut self, holder: &Value, report: &mut Report) {
        let options = entries(holder, "configOptions");
        let mut ids = HashSet::new();
        for option in options {
            let id = text(option, "id").unwrap_or_default();
            if !ids.insert(id.to_owned()) {
                report.breaks("CONF-19", format!("two options have the id {}", quoted(id)));
            }
            self.option(id, option, report);
        }
        self.options = Some((ids, report.line()));
    }

    fn option(&mut self, id: &str, option: &Value, report: &mut Report) {
        report.tests(&["CONF-05", "CONF-06", "CONF-14", "CONF-19"]);
        if let Some(category) = text(option, "category") {
            if !CATEGORIES.contains(&category) && !category.starts_with('_') {
                report.breaks(
                    "CONF-14",
                    format!("the category {} is not in the specification", quoted(category)),
                );
            }
            if category == "mode" {
                self.option_mode = text(option, "currentValue").map(str::to_owned);
            }
        }
        if text(option, "type") == Some("boolean") {
            return;
        }
        let values = values(option);
        let mut seen = HashSet::new();
        if let Some(twice) = values.iter().find(|value| !seen.insert(**value)) {
            report.breaks("CONF-19", format!("the option {} offers {} twice", quoted(id), quoted(twice)));
        }
        match text(option, "currentValue") {
            None => report.breaks("CONF-05", format!("the option {} has no current value", quoted(id))),
            Some(current) if !values.contains(&current) => {
                let seen =
                    format!("the value {} of the option {} is not offered", quoted(current), quoted(id));
                report.breaks("CONF-06", seen);
            }
            Some(_) => {}
        }
    }
}

/// The values that a select offers, groups or not.
fn values(option: &Value) -> Vec<&str> {
    let options = entries(option, "options").iter();
    options
        .flat_map(|entry| match entries(entry, "options") {
            [] => std::slice::from_ref(entry),
            group => group,
        })
        .filter_map(|value| text(value, "value"))
        .collect()
}
