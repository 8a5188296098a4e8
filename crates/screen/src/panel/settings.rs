//! The options of the agent: model, mode, thought level and any other, and the settings of the
//! screen, in one panel.

use super::choice_list::{Choice, ChoiceList};
use super::request::Request;
use super::{Facts, Outcome, Panel};
use crate::app::screen_settings::ScreenValue;
use crate::keymap::{Action, Context};
use crate::theme::Theme;
use attache_protocol::v1::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue,
};
use attache_view::{Role, sanitize};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

/// The most columns by which the names of options move their values to the right.
const LONGEST_NAME: usize = 40;

/// Whose setting it is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// An option of the agent, by its id.
    Agent(String),
    /// A setting of the screen, by its key.
    Screen(&'static str),
}

impl Target {
    /// Returns the request that sets this value.
    fn set(&self, value: SessionConfigOptionValue) -> Request {
        match (self, value) {
            (Self::Screen(key), SessionConfigOptionValue::ValueId(value)) => {
                Request::SetScreen { key, value: value.to_string() }
            }
            (Self::Screen(key), _) => Request::SetScreen { key, value: String::new() },
            (Self::Agent(id), value) => Request::SetOption { id: id.clone(), value },
        }
    }
}

/// A value that can be chosen.
#[derive(Debug, Clone)]
struct Value {
    value: SessionConfigOptionValue,
    name: String,
    description: String,
}

/// An option with its values.
#[derive(Debug, Clone)]
struct Setting {
    target: Target,
    name: String,
    description: String,
    category: Option<SessionConfigOptionCategory>,
    values: Vec<Value>,
    /// The index of the current value; `None` if the agent does not offer it.
    current: Option<usize>,
    /// The current value as it is shown.
    shown: String,
}

impl Setting {
    fn of(option: &SessionConfigOption) -> Option<Self> {
        let line = sanitize::line;
        let current = option.current_value()?;
        let values: Vec<Value> = match &option.kind {
            SessionConfigKind::Select(select) => select
                .options
                .values()
                .map(|value| Value {
                    value: SessionConfigOptionValue::ValueId(value.value.clone()),
                    name: line(&value.name),
                    description: value.description.as_deref().map(line).unwrap_or_default(),
                })
                .collect(),
            _ => [(false, "off"), (true, "on")]
                .map(|(value, name)| Value {
                    value: SessionConfigOptionValue::Boolean(value),
                    name: name.to_owned(),
                    description: String::new(),
                })
                .into(),
        };
        let raw = match &current {
            SessionConfigOptionValue::ValueId(id) => line(id.as_str()),
            SessionConfigOptionValue::Boolean(true) => "on".to_owned(),
            _ => "off".to_owned(),
        };
        let current = values.iter().position(|value| value.value == current);
        let shown = current.and_then(|current| values.get(current));
        let shown = shown.map_or(raw, |value| value.name.clone());
        Some(Self {
            target: Target::Agent(option.id.as_str().to_owned()),
            name: line(&option.name),
            description: option.description.as_deref().map(line).unwrap_or_default(),
            category: option.category().cloned(),
            values,
            current,
            shown,
        })
    }

    fn of_screen(screen: &ScreenValue) -> Self {
        let setting = screen.setting;
        let value = |name: &&str| Value {
            value: SessionConfigOptionValue::ValueId((*name).into()),
            name: (*name).to_owned(),
            description: String::new(),
        };
        Self {
            target: Target::Screen(setting.key),
            name: setting.name.to_owned(),
            description: setting.description.to_owned(),
            category: None,
            values: setting.values.iter().map(value).collect(),
            current: setting.values.iter().position(|value| *value == screen.value),
            shown: screen.value.to_owned(),
        }
    }
}

/// The options of the agent and the settings of the screen.
pub(crate) struct SettingsPanel {
    settings: Vec<Setting>,
    list: ChoiceList,
    /// The values of one option, if the person chooses among them.
    values: Option<(Target, ChoiceList)>,
    /// The category of the option whose values are shown first.
    first: Option<SessionConfigOptionCategory>,
    /// The number of settings that are options of the agent.
    of_agent: usize,
    /// What the panel shows if the agent has no options.
    none: String,
}

impl SettingsPanel {
    /// Makes the panel. With a category, it begins with the values of its option.
    pub(crate) fn new(first: Option<SessionConfigOptionCategory>) -> Self {
        Self {
            settings: Vec::new(),
            list: ChoiceList::default(),
            values: None,
            first,
            of_agent: 0,
            none: String::new(),
        }
    }

    fn chosen(&self) -> Option<&Setting> {
        self.settings.get(self.list.selected())
    }

    /// The option whose values are shown, with the values that the filter leaves.
    fn choosing(&self) -> Option<(&Setting, Vec<&Value>)> {
        let (target, list) = self.values.as_ref()?;
        let setting = self.settings.iter().find(|setting| setting.target == *target)?;
        let filter = list.filter.text().trim().to_lowercase();
        let matches = |value: &&Value| value.name.to_lowercase().contains(&filter);
        Some((setting, setting.values.iter().filter(matches).collect()))
    }

    fn open_values(&mut self, index: usize) {
        let Some(setting) = self.settings.get(index) else { return };
        self.values =
            Some((setting.target.clone(), ChoiceList::selecting(setting.current.unwrap_or(0))));
    }

    fn step(&self, by: isize) -> Outcome {
        let Some(setting) = self.chosen().filter(|setting| !setting.values.is_empty()) else {
            return Outcome::Stay;
        };
        let count = setting.values.len();
        let next = match setting.current {
            Some(current) => (current + count).saturating_add_signed(by) % count,
            None if by > 0 => 0,
            None => count - 1,
        };
        match setting.values.get(next) {
            Some(value) => Outcome::Do(setting.target.set(value.value.clone())),
            None => Outcome::Stay,
        }
    }

    fn key_in_values(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome {
        let count = self.choosing().map_or(0, |(_, values)| values.len());
        let Some((target, list)) = &mut self.values else { return Outcome::Stay };
        list.set_count(count);
        let selected = list.selected();
        match action {
            Some(Action::Dismiss) => {
                self.values = None;
                if self.first.is_some() {
                    return Outcome::Close;
                }
            }
            Some(Action::Accept) => {
                let target = target.clone();
                let value = self.choosing();
                let value = value.and_then(|(_, values)| Some(values.get(selected)?.value.clone()));
                self.values = None;
                let Some(value) = value else { return Outcome::Stay };
                let request = target.set(value);
                return match self.first.is_some() {
                    true => Outcome::CloseAnd(request),
                    false => Outcome::Do(request),
                };
            }
            Some(action) if list.act(action) => {}
            _ => {
                list.edit_filter(key);
            }
        }
        Outcome::Stay
    }

    fn value_rows(&self) -> Vec<Choice> {
        let Some((setting, values)) = self.choosing() else { return Vec::new() };
        let current = setting.current.and_then(|current| setting.values.get(current));
        let current = current.map(|value| &value.value);
        let row = |value: &&Value| Choice {
            mark: match Some(&value.value) == current {
                true => ("*".to_owned(), Role::Success),
                false => (" ".to_owned(), Role::Muted),
            },
            text: value.name.clone(),
            note: value.description.clone(),
        };
        values.iter().map(row).collect()
    }
}

impl Panel for SettingsPanel {
    fn title(&self) -> String {
        match self.choosing() {
            Some((setting, _)) => setting.name.clone(),
            None => "Settings".to_owned(),
        }
    }

    fn context(&self) -> Context {
        if self.values.is_some() { Context::Picker } else { Context::Settings }
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        match self.values {
            Some(_) => vec![(Action::Accept, "choose"), (Action::Dismiss, "back")],
            None => vec![
                (Action::PreviousValue, "previous"),
                (Action::NextValue, "next"),
                (Action::Accept, "all values"),
                (Action::Dismiss, "close"),
            ],
        }
    }

    fn refresh(&mut self, facts: &Facts<'_>) {
        let snapshot = facts.session.map(|session| session.snapshot());
        self.settings = match &snapshot {
            Some(session) => session.config().visible().filter_map(Setting::of).collect(),
            None => Vec::new(),
        };
        self.of_agent = self.settings.len();
        self.settings.extend(facts.screen.iter().map(Setting::of_screen));
        self.none = match facts.session {
            Some(session) => {
                format!("{} offers no options.", sanitize::line(session.agent().name()))
            }
            None => "The session is not open yet.".to_owned(),
        };
        self.list.set_count(self.settings.len());
        if let (Some(first), None) = (&self.first, &self.values) {
            let index = self.settings.iter().position(|it| it.category.as_ref() == Some(first));
            if let Some(index) = index {
                self.open_values(index);
            }
        }
    }

    fn height(&self, _width: u16) -> u16 {
        let rows = match self.choosing() {
            Some((_, values)) => values.len() + 1,
            None => self.settings.len() + 2,
        };
        rows.max(3).try_into().unwrap_or(u16::MAX)
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let muted = theme.role(Role::Muted);
        if self.values.is_some() {
            let rows = self.value_rows();
            let Some((_, list)) = &mut self.values else { return };
            let text = format!("Filter: {}_", list.filter.text());
            super::drawing::put(buffer, area.x, area.y, area.right(), &text, muted);
            let rest = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
            return list.render(&rows, rest, buffer, theme);
        }
        let width = self.settings.iter().map(|it| crate::layout::width(&it.name)).max();
        let row = |setting: &Setting| Choice {
            text: format!(
                "{:<1$}  {2}",
                setting.name,
                width.unwrap_or(0).min(LONGEST_NAME),
                setting.shown
            ),
            note: match (setting.values.len(), setting.current) {
                (0 | 1, _) | (_, None) => String::new(),
                (count, Some(current)) => format!("{} of {count}", current + 1),
            },
            ..Choice::default()
        };
        let rows: Vec<Choice> = self.settings.iter().map(row).collect();
        let rest = Rect { height: area.height.saturating_sub(2), ..area };
        self.list.render(&rows, rest, buffer, theme);
        let about = match self.chosen() {
            Some(Setting { target: Target::Screen(_), .. }) if self.of_agent == 0 => {
                let about = self.chosen().map(|setting| setting.description.as_str());
                format!("{}. {}", about.unwrap_or_default(), self.none)
            }
            chosen => chosen.map(|setting| setting.description.clone()).unwrap_or_default(),
        };
        let y = area.bottom().saturating_sub(1);
        let about = super::drawing::cut(&about, usize::from(area.width));
        super::drawing::put(buffer, area.x, y, area.right(), &about, muted);
    }

    fn key(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome {
        if self.values.is_some() {
            return self.key_in_values(action, key);
        }
        match action {
            Some(Action::Dismiss) => return Outcome::Close,
            Some(Action::Accept) => self.open_values(self.list.selected()),
            Some(Action::PreviousValue) => return self.step(-1),
            Some(Action::NextValue) => return self.step(1),
            Some(action) => {
                self.list.act(action);
            }
            None => {}
        }
        Outcome::Stay
    }

    fn click(&mut self, row: u16) -> Outcome {
        if let Some((_, list)) = &mut self.values {
            let Some(index) = row.checked_sub(1).and_then(|row| list.at(row)) else {
                return Outcome::Stay;
            };
            if index != list.selected() {
                list.select(index);
                return Outcome::Stay;
            }
            let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
            return self.key_in_values(Some(Action::Accept), enter);
        }
        let Some(index) = self.list.at(row) else { return Outcome::Stay };
        if index == self.list.selected() {
            self.open_values(index);
        }
        self.list.select(index);
        Outcome::Stay
    }

    fn scroll(&mut self, rows: i32) {
        match &mut self.values {
            Some((_, list)) => list.scroll(rows),
            None => self.list.scroll(rows),
        }
    }
}

/// Returns the name of an option's current value.
pub(crate) fn shown_value(option: &SessionConfigOption) -> Option<String> {
    Setting::of(option).map(|setting| setting.shown).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::v1::SessionConfigSelectOption;

    #[test]
    fn a_current_value_that_is_not_offered_is_shown_as_it_is() {
        let offered = vec![
            SessionConfigSelectOption::new("a", "First"),
            SessionConfigSelectOption::new("b", "Second"),
        ];
        let option = SessionConfigOption::select("model", "Model", "x\x1b[2J", offered.clone());
        assert_eq!(shown_value(&option).as_deref(), Some("x"));
        let setting = Setting::of(&option).unwrap();
        assert_eq!(setting.current, None);
        let option = SessionConfigOption::select("model", "Model", "b", offered);
        assert_eq!(shown_value(&option).as_deref(), Some("Second"));
    }
}
