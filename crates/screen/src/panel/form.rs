//! A form of an agent.

use super::drawing::{cut, put, wrap};
use super::line_input::LineInput;
use super::request::{PanelAnswer, Request};
use super::{Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::theme::Theme;
use attache_client::{Form, FormReply, FormRequest};
use attache_protocol::Map;
use attache_protocol::v1::{
    ElicitationContentValue as Value, ElicitationPropertySchema as Property,
};
use attache_view::{Role, sanitize};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;

/// A field, with what the person typed.
struct Field {
    name: String,
    title: String,
    description: String,
    required: bool,
    /// The titles of the choices; empty if the field takes text.
    choices: Vec<String>,
    /// Whether several choices may be chosen.
    several: bool,
    input: LineInput,
    /// The value that the agent proposes.
    proposed: String,
    error: Option<String>,
}

/// A form of an agent.
pub(crate) struct FormPanel {
    title: String,
    message: String,
    form: Form,
    fields: Vec<Field>,
    selected: usize,
    /// Why the form cannot be sent.
    error: Option<String>,
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Boolean(on) => if *on { "yes" } else { "no" }.to_owned(),
        Value::StringArray(texts) => texts.join(", "),
    }
}

fn titles(property: &Property) -> (Option<&str>, Option<&str>) {
    let (title, description) = match property {
        Property::String(it) => (&it.title, &it.description),
        Property::Number(it) => (&it.title, &it.description),
        Property::Integer(it) => (&it.title, &it.description),
        Property::Boolean(it) => (&it.title, &it.description),
        Property::Array(it) => (&it.title, &it.description),
        Property::Unknown(_) => return (None, None),
    };
    (title.as_deref(), description.as_deref())
}

impl Field {
    fn of(form: &Form, name: &str, property: &Property, defaults: &Map<Value>) -> Self {
        let (title, description) = titles(property);
        let mut choices: Vec<String> = Form::choices(property)
            .unwrap_or_default()
            .into_iter()
            .map(|(_, title)| sanitize::line(title))
            .collect();
        if matches!(property, Property::Boolean(_)) {
            choices = vec!["yes".to_owned(), "no".to_owned()];
        }
        let value = defaults.get(name).map(text_of).unwrap_or_default();
        let mut description = description.map(sanitize::line).unwrap_or_default();
        if form.is_unchecked(name) {
            description.push_str(" (only the agent can check this)");
        }
        Self {
            name: name.to_owned(),
            title: sanitize::line(title.unwrap_or(name)),
            description,
            required: form.is_required(name),
            choices,
            several: matches!(property, Property::Array(_)),
            input: LineInput::with(sanitize::line(&value)),
            proposed: sanitize::line(&value),
            error: None,
        }
    }

    fn is_changed(&self) -> bool {
        !self.input.is_empty() && self.input.text() != self.proposed
    }

    fn step(&mut self, by: isize) {
        let count = self.choices.len();
        if count == 0 || self.several {
            return;
        }
        let now = self.choices.iter().position(|choice| choice == self.input.text());
        let next = match now {
            Some(now) => (now + count).saturating_add_signed(by) % count,
            None if by > 0 => 0,
            None => count - 1,
        };
        self.input = LineInput::with(self.choices.get(next).cloned().unwrap_or_default());
    }
}

impl FormPanel {
    /// Makes the panel. `who` names the agent, and the session if it is another one.
    pub(crate) fn new(request: &FormRequest, who: &str) -> Self {
        let form = request.form.clone();
        let defaults = form.defaults();
        let fields = form.schema().properties.0.iter();
        let fields = fields
            .filter(|(_, property)| !matches!(property, Property::Unknown(_)))
            .map(|(name, property)| Field::of(&form, name, property, &defaults))
            .collect();
        Self {
            title: format!("{who} asks"),
            message: sanitize::visible(&request.message).into_owned(),
            form,
            fields,
            selected: 0,
            error: None,
        }
    }

    /// Returns the values, or marks the fields that are wrong.
    fn values(&mut self) -> Option<Map<Value>> {
        let mut values = Vec::new();
        let mut wrong = None;
        for (index, field) in self.fields.iter_mut().enumerate() {
            field.error = None;
            let typed = field.input.text();
            if typed.is_empty() && !field.required {
                continue;
            }
            // An empty text may be valid for the agent, but is rarely what the person means.
            if typed.is_empty() && field.choices.is_empty() {
                field.error = Some("this field is required: write its value".to_owned());
                wrong = wrong.or(Some(index));
                continue;
            }
            match self.form.read(&field.name, typed) {
                Ok(value) => values.push((field.name.clone(), value)),
                Err(error) => {
                    field.error = Some(sanitize::visible_line(&error.problem));
                    wrong = wrong.or(Some(index));
                }
            }
        }
        if let Some(wrong) = wrong {
            self.selected = wrong;
            return None;
        }
        let values = Map(values);
        match self.form.check(&values) {
            Ok(()) => Some(values),
            Err(error) => {
                self.error = Some(sanitize::visible_line(&error.to_string()));
                None
            }
        }
    }

    fn lines(&self, width: u16) -> Vec<(Option<usize>, String, Role)> {
        let width = usize::from(width).max(10);
        let mut lines: Vec<(Option<usize>, String, Role)> =
            wrap(&self.message, width).into_iter().map(|line| (None, line, Role::Text)).collect();
        for (index, field) in self.fields.iter().enumerate() {
            let needed = if field.required { " (required)" } else { "" };
            let chosen = index == self.selected;
            let cursor = if chosen { "_" } else { "" };
            let typed = format!("{}: {}{cursor}{needed}", field.title, field.input.text());
            let role = if chosen { Role::Name } else { Role::Text };
            lines.push((Some(index), cut(&typed, width.saturating_sub(2)), role));
            let mut more = |text: String, role| {
                lines.extend(
                    wrap(&text, width.saturating_sub(4))
                        .into_iter()
                        .map(|line| (None, format!("    {line}"), role)),
                );
            };
            if let Some(error) = &field.error {
                more(error.clone(), Role::Error);
            }
            if chosen && !field.description.is_empty() {
                more(field.description.clone(), Role::Muted);
            }
            if chosen && !field.choices.is_empty() {
                let numbered = (1..).zip(&field.choices);
                let choices: Vec<String> =
                    numbered.map(|(number, choice)| format!("{number} {choice}")).collect();
                more(choices.join("  "), Role::Muted);
            }
        }
        lines.extend(self.error.iter().map(|error| (None, error.clone(), Role::Error)));
        lines
    }
}

impl Panel for FormPanel {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn context(&self) -> Context {
        Context::Form
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        vec![
            (Action::Accept, "send"),
            (Action::NextField, "next field"),
            (Action::NextValue, "next choice"),
            (Action::Deny, "decline"),
            (Action::Cancel, "dismiss"),
        ]
    }

    fn height(&self, width: u16) -> u16 {
        self.lines(width).len().try_into().unwrap_or(u16::MAX)
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let lines = self.lines(area.width);
        let at = lines.iter().position(|(field, ..)| *field == Some(self.selected)).unwrap_or(0);
        let first = (at + 3).saturating_sub(usize::from(area.height));
        let first = first.min(lines.len().saturating_sub(usize::from(area.height)));
        for ((field, line, role), y) in lines.iter().skip(first).zip(area.y..area.bottom()) {
            let pointer = match field {
                Some(field) if *field == self.selected => "> ",
                Some(_) => "  ",
                None => "",
            };
            let x = put(buffer, area.x, y, area.right(), pointer, theme.role(Role::Name));
            put(buffer, x, y, area.right(), line, theme.role(*role));
        }
    }

    fn key(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome {
        let last = self.fields.len().saturating_sub(1);
        let reply = |reply| Outcome::CloseAnd(Request::Answer(PanelAnswer::Form(reply)));
        let is_choice = |field: &Field| !field.choices.is_empty() && !field.several;
        match action {
            Some(Action::Accept) => match self.values() {
                Some(values) => return reply(FormReply::Accept(values)),
                None => return Outcome::Stay,
            },
            Some(Action::Deny) => return reply(FormReply::Decline),
            Some(Action::Cancel) => return reply(FormReply::Cancel),
            Some(Action::NextField) => {
                self.selected = if self.selected >= last { 0 } else { self.selected + 1 }
            }
            Some(Action::PreviousField) => {
                self.selected = self.selected.checked_sub(1).unwrap_or(last)
            }
            _ => {
                let Some(field) = self.fields.get_mut(self.selected) else { return Outcome::Stay };
                match action {
                    Some(Action::PreviousValue) if is_choice(field) => field.step(-1),
                    Some(Action::NextValue) if is_choice(field) => field.step(1),
                    _ if is_choice(field) => {
                        if let KeyCode::Char(digit) = key.code
                            && let Some(index) = digit.to_digit(10).and_then(|it| it.checked_sub(1))
                            && let Some(choice) = field.choices.get(index as usize)
                        {
                            field.input = LineInput::with(choice.clone());
                        } else if matches!(key.code, KeyCode::Backspace | KeyCode::Delete) {
                            field.input.clear();
                        }
                    }
                    _ => {
                        field.input.key(key);
                    }
                }
                field.error = None;
                self.error = None;
            }
        }
        Outcome::Stay
    }

    fn paste(&mut self, text: &str) -> bool {
        let Some(field) = self.fields.get_mut(self.selected) else { return false };
        field.input.insert(text);
        true
    }

    fn typed_text(&self) -> String {
        let typed = self.fields.iter().filter(|it| it.choices.is_empty() && it.is_changed());
        typed.map(|it| format!("{}: {}", it.title, it.input.text())).collect::<Vec<_>>().join("\n")
    }
}
