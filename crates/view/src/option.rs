//! The config options and the commands of a session.

use crate::id;
use crate::sanitize;
use crate::span::{Line, Role};
use attache_protocol::v1::{
    AvailableCommand, AvailableCommandInput, SessionConfigKind, SessionConfigOption,
    SessionConfigSelectOption, SessionConfigSelectOptions,
};
use attache_session::Session;
use serde::{Deserialize, Serialize};

/// A config option that the person can set with [`attache_client::HubSession::set`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OptionItem {
    /// The id.
    pub id: String,
    /// The name.
    pub name: Line,
    /// What the option does.
    pub description: Option<Line>,
    /// The category, such as `model`; empty if the agent does not say it.
    pub category: String,
    /// The current value, in words.
    pub value: Line,
    /// The values to choose from. A switch has the values `true` and `false`.
    pub choices: Vec<OptionValue>,
}

/// A value of a config option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OptionValue {
    /// The id of the value.
    pub id: String,
    /// The name.
    pub name: Line,
    /// What the value means.
    pub description: Option<Line>,
    /// The group of values that it belongs to; empty if there are no groups.
    pub group: String,
    /// Whether it is the current value.
    pub current: bool,
}

/// A command of the agent, which a prompt begins with, such as `/compact`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CommandItem {
    /// The name without the slash.
    pub name: String,
    /// What the command does.
    pub description: Line,
    /// What can follow the name; `None` if nothing can.
    pub hint: Option<Line>,
}

impl OptionItem {
    /// Returns the options of a session that the person can set, the most important first. Options
    /// can appear and disappear whenever one is set.
    pub fn of(session: &Session) -> Vec<Self> {
        session.config().visible().filter_map(item).collect()
    }
}

impl CommandItem {
    /// Returns the commands of the agent of a session, in its order.
    pub fn of(session: &Session) -> Vec<Self> {
        let item = |command: &AvailableCommand| Self {
            name: id::shown(&command.name),
            description: text(&command.description),
            hint: command.input.as_ref().map(hint),
        };
        session.commands().iter().map(item).collect()
    }
}

fn hint(input: &AvailableCommandInput) -> Line {
    let AvailableCommandInput::Unstructured(input) = input;
    text(&input.hint)
}

fn item(option: &SessionConfigOption) -> Option<OptionItem> {
    let choices = match &option.kind {
        SessionConfigKind::Select(select) => {
            let current = select.current_value.as_str();
            match &select.options {
                SessionConfigSelectOptions::Ungrouped(values) => {
                    values.iter().map(|each| value(each, "", current)).collect()
                }
                SessionConfigSelectOptions::Grouped(groups) => {
                    let values = groups.iter().flat_map(|group| {
                        group.options.iter().map(|each| value(each, &group.name, current))
                    });
                    values.collect()
                }
            }
        }
        SessionConfigKind::Boolean(switch) => {
            let value = |is_on: bool| OptionValue {
                id: is_on.to_string(),
                name: text(if is_on { "on" } else { "off" }),
                description: None,
                group: String::new(),
                current: switch.current_value == is_on,
            };
            vec![value(true), value(false)]
        }
        SessionConfigKind::Unknown(_) => return None,
    };
    let current = choices.iter().find(|choice: &&OptionValue| choice.current);
    let category = option.category().map(|category| category.as_str());
    Some(OptionItem {
        id: id::shown(option.id.as_str()),
        name: text(&option.name),
        description: option.description.as_deref().map(text),
        category: id::shown(category.unwrap_or_default()),
        value: current.map(|choice| choice.name.clone()).unwrap_or_default(),
        choices,
    })
}

fn value(value: &SessionConfigSelectOption, group: &str, current: &str) -> OptionValue {
    OptionValue {
        id: id::shown(value.value.as_str()),
        name: text(&value.name),
        description: value.description.as_deref().map(text),
        group: sanitize::line(group),
        current: value.value.as_str() == current,
    }
}

fn text(text: &str) -> Line {
    Line::of(sanitize::line(text), Role::Text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::v1::{SessionConfigSelectGroup, SessionConfigSelectOption};
    use attache_session::{EventBody, Timestamp};

    #[test]
    fn options_and_commands_are_listed() {
        let value = |id: &str| SessionConfigSelectOption::new(id, format!("Name of {id}"));
        let group = |name: &str, values: Vec<SessionConfigSelectOption>| {
            SessionConfigSelectGroup::new(name, name, values)
        };
        let groups = vec![group("fast", vec![value("a")]), group("smart", vec![value("b")])];
        let options = vec![
            SessionConfigOption::select("model", "Model", "b", groups),
            SessionConfigOption::boolean("web", "Web\u{1b}[2J search", true),
        ];
        let mut session = Session::new("s");
        let command = AvailableCommand::new("compact", "Compacts the conversation");
        for body in [EventBody::ConfigOptions(options), EventBody::Commands(vec![command])] {
            let event = session.next(Timestamp(0), body);
            session.apply(&event);
        }
        let items = OptionItem::of(&session);
        let shown: Vec<_> =
            items.iter().map(|item| (item.id.as_str(), item.value.text())).collect();
        assert_eq!(shown, [("model", "Name of b".to_owned()), ("web", "on".to_owned())]);
        let values: Vec<_> = items[0]
            .choices
            .iter()
            .map(|value| (value.id.as_str(), value.group.as_str(), value.current))
            .collect();
        assert_eq!(values, [("a", "fast", false), ("b", "smart", true)]);
        let commands = CommandItem::of(&session);
        assert_eq!(commands[0].name, "compact");
        assert_eq!(commands[0].description.text(), "Compacts the conversation");
    }
}
