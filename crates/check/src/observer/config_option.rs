//! Config options and modes, which must be complete and consistent (CONF, MODE), and commands
//! (CMD-05).

use super::finding::Report;
use super::seen::{Asked, OpenCall, Seen, entries, has, quoted, text};
use attache_protocol::method::{SessionPrompt, SessionSetConfigOption, SessionSetMode};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The categories of the specification; others begin with `_`.
pub(super) const CATEGORIES: [&str; 4] = ["mode", "model", "thought_level", "model_config"];

/// The options and modes of each session.
#[derive(Debug, Default)]
pub(super) struct Judge {
    sessions: HashMap<String, Settings>,
}

#[derive(Debug, Default)]
struct Settings {
    /// Every option that any list contained, and the line of the last list. A client may set any of
    /// them: an option may have disappeared, but an incomplete list (CONF-03) looks the same.
    options: Option<(HashMap<String, Kind>, usize)>,
    modes: HashSet<String>,
    mode: Option<String>,
    /// The value of the option in the category `mode`, if the values of that option are exactly the
    /// modes.
    option_mode: Option<String>,
    /// The line of a mode change that the options do not show yet.
    unshown: Option<usize>,
    /// The line that gave the option a new mode, which was not yet reported as a mode change.
    unannounced: Option<usize>,
}

/// The type of an option, with the values of a select option.
#[derive(Debug)]
enum Kind {
    Boolean,
    Select(HashSet<String>),
    Other,
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
            self.of(session)
                .mode_changed(text(update, "currentModeId").unwrap_or_default(), report);
        }
        if let Some((_, update)) = seen.update_of("available_commands_update") {
            let mut names = entries(update, "availableCommands")
                .iter()
                .filter_map(|command| text(command, "name"));
            let slashed = names.find(|name| name.starts_with('/'));
            report.keeps("CMD-05", slashed.is_none(), || {
                format!("the name {} has a slash", quoted(slashed.unwrap_or_default()))
            });
        }
        if let Some(asked) = seen.asked::<SessionSetConfigOption>() {
            self.of(text(&asked.params, "sessionId").unwrap_or_default()).setting(asked, report);
        }
        if let Some((call, outcome)) = seen.reply::<SessionSetConfigOption>() {
            self.set(call, outcome, report);
        }
        if let Some(asked) = seen.asked::<SessionSetMode>() {
            let settings = self.of(text(&asked.params, "sessionId").unwrap_or_default());
            let is_ignored = settings.option_mode.is_none();
            report.keeps("MODE-06", is_ignored, || {
                "the mode is set by its method although it is also an option".to_owned()
            });
        }
        if let Some((call, outcome)) = seen.reply::<SessionSetMode>() {
            self.of(text(&call.params, "sessionId").unwrap_or_default())
                .mode_set(call, outcome, report);
        }
        if let Some((call, _)) = seen.reply::<SessionPrompt>() {
            let settings = self.of(text(&call.params, "sessionId").unwrap_or_default());
            let late = settings.unshown.or(settings.unannounced).filter(|line| *line < call.line);
            if let Some(line) = late {
                (settings.unshown, settings.unannounced) = (None, None);
                report.contradicts(
                    "MODE-07",
                    line,
                    "the mode and its option still differ a turn later",
                );
            }
        }
    }

    /// Judges the reply to a change. It must contain all options with the new value. A value that
    /// is not offered must be refused.
    fn set(&mut self, call: &OpenCall, outcome: Result<&Value, &Value>, report: &mut Report) {
        let settings = self.of(text(&call.params, "sessionId").unwrap_or_default());
        let id = text(&call.params, "configId").unwrap_or_default();
        let Ok(result) = outcome else { return };
        let has_list = result.get("configOptions").is_some_and(Value::is_array);
        report.keeps("CONF-21", has_list, || "the result has no list of options".to_owned());
        let now = entries(result, "configOptions");
        if let Some((known, line)) = &settings.options {
            report.agrees("CONF-23", known.is_empty().then_some(*line), || {
                "setting an option succeeds although the session has none".to_owned()
            });
            let value = text(&call.params, "value");
            let is_offered = |kind: &Kind| match (kind, value) {
                (Kind::Select(values), Some(value)) => values.contains(value),
                _ => true,
            };
            let shows = |option: &Value| {
                text(option, "id") == Some(id) && text(option, "currentValue") == value
            };
            let is_right = known.is_empty()
                || known.get(id).is_some_and(|kind| is_offered(kind) || now.iter().any(shows));
            report.agrees("CONF-07", (!is_right).then_some(*line), || {
                format!(
                    "setting the option {} succeeds although it does not have this value",
                    quoted(id)
                )
            });
        }
        let is_there = now.iter().any(|option| text(option, "id") == Some(id));
        report.agrees("CONF-02", (!is_there).then_some(call.line), || {
            format!("the result lacks the option {} that was set", quoted(id))
        });
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
            self.mode_changed(text(modes, "currentModeId").unwrap_or_default(), report);
        }
        self.listed(result, report);
        if let (Some(mode), Some(shown)) = (&self.mode, &self.option_mode) {
            report.keeps("MODE-05", mode == shown, || {
                format!("the mode is {}, but its option shows {}", quoted(mode), quoted(shown))
            });
        }
        (self.unshown, self.unannounced) = (None, None);
    }

    fn mode_changed(&mut self, mode: &str, report: &mut Report) {
        if !self.modes.is_empty() {
            report.keeps("MODE-02", self.modes.contains(mode), || {
                format!("the current mode {} is not one of the modes", quoted(mode))
            });
            if !self.modes.contains(mode) {
                // The resulting value is unknown, so there is nothing to compare.
                self.mode = self.option_mode.clone().or(self.mode.take());
                return self.judge_agreement(report);
            }
        }
        self.mode = Some(mode.to_owned());
        self.changed(report);
    }

    /// Judges a mode change.
    fn changed(&mut self, report: &mut Report) {
        if self.option_mode.is_some() && self.option_mode != self.mode {
            self.unshown.get_or_insert(report.line());
        } else {
            self.judge_agreement(report);
        }
    }

    /// Judges whether the mode and its option agree.
    fn judge_agreement(&mut self, report: &mut Report) {
        if self.unshown.take().or(self.unannounced.take()).is_some() {
            report.tests(&["MODE-07"]);
        }
        self.unannounced = None;
    }

    /// Judges the reply to the method that sets a mode.
    fn mode_set(&mut self, call: &OpenCall, outcome: Result<&Value, &Value>, report: &mut Report) {
        let mode = text(&call.params, "modeId").unwrap_or_default();
        if outcome.is_err() {
            return;
        }
        if !self.modes.is_empty() && !self.modes.contains(mode) {
            return report.contradicts(
                "MODE-02",
                call.line,
                format!("there is no mode {}", quoted(mode)),
            );
        }
        report.tests(&["MODE-02"]);
        self.mode = Some(mode.to_owned());
        self.changed(report);
    }

    /// Judges whether the value in a request to set an option has the type of the option.
    fn setting(&self, asked: &Asked<'_>, report: &mut Report) {
        let id = text(&asked.params, "configId").unwrap_or_default();
        let kind = self.options.as_ref().and_then(|(known, _)| known.get(id));
        let (form, value) =
            (asked.params.get("type"), asked.params.get("value").unwrap_or(&Value::Null));
        let is_right = match kind {
            Some(Kind::Boolean) => form.is_some_and(|form| form == "boolean") && value.is_boolean(),
            Some(Kind::Select(_)) => form.is_none() && value.is_string(),
            Some(Kind::Other) | None => return,
        };
        report.keeps("CONF-09", is_right, || {
            format!("the value of {} does not have the type of its option", quoted(id))
        });
    }

    /// Judges a list of all options and keeps it.
    fn listed(&mut self, holder: &Value, report: &mut Report) {
        let mut known = HashMap::new();
        let before = self.option_mode.take();
        for option in entries(holder, "configOptions") {
            let id = text(option, "id").unwrap_or_default();
            if known.insert(id.to_owned(), Kind::of(option)).is_some() {
                report.breaks("CONF-19", format!("two options have the id {}", quoted(id)));
            }
            self.option(id, option, report);
        }
        let earlier = self.options.take().map(|(earlier, _)| earlier).unwrap_or_default();
        for (id, kind) in earlier {
            known.entry(id).and_modify(|now| now.join(&kind)).or_insert(kind);
        }
        self.options = Some((known, report.line()));
        if self.option_mode.is_none() || self.option_mode == self.mode {
            return self.judge_agreement(report);
        }
        match self.unshown {
            Some(line) if self.option_mode == before => {
                let shown = quoted(self.option_mode.as_deref().unwrap_or_default());
                report.contradicts(
                    "MODE-05",
                    line,
                    format!("the mode was changed, but its option still shows {shown}"),
                );
            }
            _ => {
                self.unannounced.get_or_insert(report.line());
            }
        }
    }

    fn option(&mut self, id: &str, option: &Value, report: &mut Report) {
        report.tests(&["CONF-05", "CONF-06", "CONF-14", "CONF-19"]);
        let values = values(option);
        if let Some(category) = text(option, "category") {
            if !CATEGORIES.contains(&category) && !category.starts_with('_') {
                let seen = format!("the category {} is not in the specification", quoted(category));
                report.breaks("CONF-14", seen);
            }
            let are_modes = self.modes.len() == values.len()
                && values.iter().all(|value| self.modes.contains(*value));
            if category == "mode" && are_modes && !values.is_empty() {
                self.option_mode = text(option, "currentValue").map(str::to_owned);
            }
        }
        if text(option, "type") == Some("boolean") {
            return;
        }
        let groups = entries(option, "options").iter().filter_map(|entry| text(entry, "group"));
        for names in [values.clone(), groups.collect()] {
            let mut seen = HashSet::new();
            if let Some(twice) = names.iter().find(|name| !seen.insert(**name)) {
                report.breaks(
                    "CONF-19",
                    format!("the option {} has the value {} twice", quoted(id), quoted(twice)),
                );
            }
        }
        match text(option, "currentValue") {
            None => {
                report.breaks("CONF-05", format!("the option {} has no current value", quoted(id)))
            }
            Some(current) if !values.contains(&current) => {
                let seen = format!(
                    "the value {} of the option {} is not offered",
                    quoted(current),
                    quoted(id)
                );
                report.breaks("CONF-06", seen);
            }
            Some(_) => {}
        }
    }
}

impl Kind {
    /// Adds the values of an earlier list, because those are accepted too.
    fn join(&mut self, earlier: &Self) {
        if let (Self::Select(values), Self::Select(earlier)) = (self, earlier) {
            values.extend(earlier.iter().cloned());
        }
    }

    fn of(option: &Value) -> Self {
        match text(option, "type") {
            Some("boolean") => Self::Boolean,
            Some("select") => Self::Select(values(option).into_iter().map(str::to_owned).collect()),
            _ => Self::Other,
        }
    }
}

/// Returns the values that a select option offers, grouped or not.
pub(super) fn values(option: &Value) -> Vec<&str> {
    let options = entries(option, "options").iter();
    options
        .flat_map(|entry| match has(entry, "options") {
            true => entries(entry, "options"),
            false => std::slice::from_ref(entry),
        })
        .filter_map(|value| text(value, "value"))
        .collect()
}
