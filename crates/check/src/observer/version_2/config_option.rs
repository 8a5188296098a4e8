//! Config options and commands (V2-51 to V2-60).

use super::super::config_option::{CATEGORIES, values};
use super::super::finding::Report;
use super::super::seen::{Asked, OpenCall, Seen, entries, has, quoted, text};
use attache_protocol::method::SessionSetConfigOption;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The error codes for an unknown method and for invalid params.
const UNKNOWN_METHOD: i64 = -32601;
const INVALID: i64 = -32602;

/// Error codes that do not depend on the option: unknown session, needed login, cancelled.
const UNRELATED: [i64; 3] = [-32002, -32000, -32800];

/// The options of each session.
#[derive(Debug, Default)]
pub(super) struct Judge {
    sessions: HashMap<String, Options>,
    /// The calls without a reply that set an option, by line, each with its session.
    setting: HashMap<usize, String>,
}

/// Every option that a list of the session contained, by id, each with the values that any list
/// offered. An option may have disappeared, but an incomplete list looks the same.
type Options = HashMap<String, Kind>;

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
            arrays(result, report);
            commands(result, report);
            self.listed(&session, result, report);
        }
        if let Some((session, update)) = seen.update() {
            match text(update, "sessionUpdate") {
                Some("config_option_update") => self.listed(session, update, report),
                Some("available_commands_update") => commands(update, report),
                _ => {}
            }
        }
        if let Some(asked) = seen.asked::<SessionSetConfigOption>() {
            let session = text(&asked.params, "sessionId").unwrap_or_default();
            self.setting.insert(report.line(), session.to_owned());
            self.value(asked, report);
        }
        if let Some((call, outcome)) = seen.reply::<SessionSetConfigOption>() {
            self.setting.remove(&call.line);
            self.set(call, outcome, report);
            if let (Ok(result), Some(session)) = (outcome, text(&call.params, "sessionId")) {
                self.listed(session, result, report);
            }
        }
    }

    fn option(&self, params: &Value) -> Option<&Kind> {
        let session = text(params, "sessionId")?;
        self.sessions.get(session)?.get(text(params, "configId")?)
    }

    /// Judges whether a new value has the type of its option.
    fn value(&self, asked: &Asked<'_>, report: &mut Report) {
        let (form, value) = (text(&asked.params, "type"), asked.params.get("value"));
        let value = value.unwrap_or(&Value::Null);
        let is_right = match self.option(&asked.params) {
            Some(Kind::Boolean) => form == Some("boolean") && value.is_boolean(),
            Some(Kind::Select(_)) => form == Some("id") && value.is_string(),
            Some(Kind::Other) | None => return,
        };
        report.keeps("V2-56", is_right, || {
            "the value does not have the type of its option".to_owned()
        });
    }

    /// Judges the reply to a new value.
    fn set(&self, call: &OpenCall, outcome: Result<&Value, &Value>, report: &mut Report) {
        let session = text(&call.params, "sessionId").unwrap_or_default();
        let id = text(&call.params, "configId").unwrap_or_default();
        let value = call.params.get("value").unwrap_or(&Value::Null);
        let Some(options) = self.sessions.get(session) else { return };
        let code = outcome.err().and_then(|error| error.get("code")?.as_i64());
        let shows = |option: &&Value| text(option, "configId") == Some(id);
        let listed = outcome.ok().map(|result| entries(result, "configOptions").iter().find(shows));
        if !options.is_empty() {
            report.agrees("V2-58", (code == Some(UNKNOWN_METHOD)).then_some(call.line), || {
                "the session has options, but the method that sets them is unknown".to_owned()
            });
        }
        let is_offered = match options.get(id) {
            Some(Kind::Select(values)) => value.as_str().is_none_or(|value| values.contains(value)),
            Some(Kind::Boolean) => true,
            Some(Kind::Other) => return,
            None => false,
        };
        if !is_offered {
            // The agent may add an option or a value by its reply.
            let is_new = listed.flatten().is_some_and(|option| option["currentValue"] == *value);
            let is_refused = code.is_some_and(|code| code == INVALID || UNRELATED.contains(&code));
            report.agrees("V2-57", (!is_new && !is_refused).then_some(call.line), || {
                format!("{} has no such value, but the answer is not -32602", quoted(id))
            });
        } else if let Some(listed) =
            listed.filter(|_| !self.setting.values().any(|of| of == session))
        {
            // The result may already show the value of another call that is open.
            let is_set = listed.is_some_and(|option| option["currentValue"] == *value);
            report.agrees("V2-59", (!is_set).then_some(call.line), || {
                format!("the result does not show {} with its new value", quoted(id))
            });
        }
    }

    /// Judges a list of all options and keeps it.
    fn listed(&mut self, session: &str, holder: &Value, report: &mut Report) {
        if !holder.get("configOptions").is_some_and(Value::is_array) {
            return;
        }
        let known = self.sessions.entry(session.to_owned()).or_default();
        let mut ids = HashSet::new();
        for option in entries(holder, "configOptions") {
            let id = text(option, "configId").unwrap_or_default();
            report.keeps("V2-53", ids.insert(id), || {
                format!("two options have the id {}", quoted(id))
            });
            if let Some(category) = text(option, "category") {
                let is_right = CATEGORIES.contains(&category) || category.starts_with('_');
                report.keeps("V2-54", is_right, || {
                    format!("the category {} is not in the specification", quoted(category))
                });
            }
            if text(option, "type") == Some("select") {
                select(id, option, report);
            }
            let kind = Kind::of(option);
            match known.get_mut(id) {
                Some(earlier) => earlier.join(kind),
                None => {
                    known.insert(id.to_owned(), kind);
                }
            }
        }
    }
}

/// Judges the values of a select option.
fn select(id: &str, option: &Value, report: &mut Report) {
    let values = values(option);
    let groups: Vec<&Value> =
        entries(option, "options").iter().filter(|group| has(group, "groupId")).collect();
    let is_empty =
        values.is_empty() || groups.iter().any(|group| entries(group, "options").is_empty());
    let unique = values.iter().collect::<HashSet<_>>().len() == values.len();
    let group_ids: HashSet<_> = groups.iter().filter_map(|group| text(group, "groupId")).collect();
    report.keeps("V2-51", !is_empty && unique && group_ids.len() == groups.len(), || {
        format!("the option {} has an empty list, or a value or a group twice", quoted(id))
    });
    if let Some(current) = text(option, "currentValue") {
        report.keeps("V2-52", values.contains(&current), || {
            format!("the value {} of the option {} is not offered", quoted(current), quoted(id))
        });
    }
}

/// Judges lists that must not be null.
fn arrays(result: &Value, report: &mut Report) {
    for key in ["configOptions", "availableCommands"] {
        if let Some(list) = result.get(key) {
            report.keeps("V2-55", !list.is_null(), || format!("{key} is null"));
        }
    }
}

/// Judges the names of commands.
fn commands(holder: &Value, report: &mut Report) {
    let mut names = HashSet::new();
    for name in
        entries(holder, "availableCommands").iter().filter_map(|command| text(command, "name"))
    {
        let is_right =
            !name.starts_with('/') && !name.contains(char::is_whitespace) && names.insert(name);
        report.keeps("V2-60", is_right, || {
            format!("the name {} has a slash or a space, or occurs twice", quoted(name))
        });
    }
}

impl Kind {
    fn of(option: &Value) -> Self {
        match text(option, "type") {
            Some("boolean") => Self::Boolean,
            Some("select") => Self::Select(values(option).into_iter().map(str::to_owned).collect()),
            _ => Self::Other,
        }
    }

    /// Adds a later list of values. If the type changes, nothing more is known about the option.
    fn join(&mut self, later: Self) {
        match (&mut *self, later) {
            (Self::Select(values), Self::Select(later)) => values.extend(later),
            (Self::Boolean, Self::Boolean) => {}
            _ => *self = Self::Other,
        }
    }
}
