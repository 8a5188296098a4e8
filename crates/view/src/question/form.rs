//! A form to fill in.

use super::choices::{Choice, ChoiceAction};
use super::text::{label, stated};
use crate::block::Block;
use crate::sanitize;
use crate::span::{Line, Role};
use attache_client::Form;
use attache_protocol::v1::{
    ElicitationContentValue as Value, ElicitationPropertySchema as Field,
    MultiSelectPropertySchema, StringFormat, StringPropertySchema,
};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::sync::Arc;

/// A form to fill in. [`Form::read`] reads what the person types for a field, and [`Form::check`]
/// checks all values before they are sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FormView {
    /// The agent's message.
    pub message: Vec<Arc<Block>>,
    /// The title of the form.
    pub title: Option<Line>,
    /// The purpose of the form.
    pub description: Option<Line>,
    /// The fields, in the order of [`Form::schema`].
    pub fields: Vec<FormField>,
    /// Why the form can only be declined, if a required field is of an unknown type.
    pub problem: Option<Line>,
    /// The answers.
    pub choices: Vec<Choice>,
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FormField {
    /// The name by which a value is sent. From outside: not to be shown.
    pub name: String,
    /// The title, or else the name.
    pub label: Line,
    /// What the field is for.
    pub description: Option<Line>,
    /// Whether the field must be filled in.
    pub required: bool,
    /// The type of the values.
    pub kind: FieldKind,
    /// Which values are allowed, in words, such as `at least 3 characters`; empty if all are.
    pub allowed: Line,
    /// The value that the agent suggests.
    pub default: Option<FieldValue>,
}

/// The type of a field's values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum FieldKind {
    /// Text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// Yes or no.
    Boolean,
    /// One of several choices.
    Choice {
        /// The choices.
        choices: Vec<FieldChoice>,
    },
    /// Any of several choices.
    Choices {
        /// The choices.
        choices: Vec<FieldChoice>,
    },
    /// A type that this version does not know. The field stays empty.
    Unknown,
}

/// A choice of a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FieldChoice {
    /// The value that is sent. From outside: not to be shown.
    pub value: String,
    /// The choice in words.
    pub label: Line,
    /// The key that chooses it, if the form has only this field and few choices.
    pub key: Option<char>,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum FieldValue {
    /// Text or a number, as the person would type it.
    Text(String),
    /// Yes or no.
    Boolean(bool),
    /// The indices of choices.
    Choices(Vec<usize>),
}

/// The number of choices that have keys.
const KEYS: usize = 9;

impl FormView {
    /// Returns the view of a form of an agent.
    pub fn new(message: &str, form: &Form) -> Self {
        let schema = form.schema();
        let fields = &schema.properties.0;
        let is_only = fields.len() == 1;
        let unknown = fields
            .iter()
            .find(|(name, field)| matches!(field, Field::Unknown(_)) && form.is_required(name));
        let missing = schema
            .required
            .iter()
            .flatten()
            .find(|name| fields.iter().all(|(known, _)| known != *name));
        let problem = unknown.map(|(name, _)| name).or(missing).map(|name| {
            let name = sanitize::visible_line(name);
            format!("the field {name} has an unknown type, so the form can only be declined")
        });
        let choice =
            |key, label: &str, action| Choice { key, label: Line::of(label, Role::Text), action };
        let mut choices = vec![
            choice('n', "decline", ChoiceAction::Decline),
            choice('c', "dismiss without an answer", ChoiceAction::Cancel),
        ];
        if problem.is_none() {
            choices.insert(0, choice('y', "send the answer", ChoiceAction::Accept));
        }
        Self {
            message: stated(message),
            title: schema.title.as_deref().map(label),
            description: schema.description.as_deref().map(label),
            fields: fields.iter().map(|(name, field)| of(form, name, field, is_only)).collect(),
            problem: problem.map(|problem| Line::of(problem, Role::Warning)),
            choices,
        }
    }
}

fn of(form: &Form, name: &str, field: &Field, is_only: bool) -> FormField {
    let (title, description) = match field {
        Field::String(field) => (&field.title, &field.description),
        Field::Number(field) => (&field.title, &field.description),
        Field::Integer(field) => (&field.title, &field.description),
        Field::Boolean(field) => (&field.title, &field.description),
        Field::Array(field) => (&field.title, &field.description),
        Field::Unknown(_) => (&None, &None),
    };
    let mut allowed = allowed(field);
    if form.is_unchecked(name) {
        allowed.push("the agent checks the pattern".to_owned());
    }
    let choices = || {
        let choices = Form::choices(field).unwrap_or_default();
        let has_keys = is_only && choices.len() <= KEYS && matches!(field, Field::String(_));
        let choice = |(key, (value, title)): (char, &(&str, &str))| FieldChoice {
            value: (*value).to_owned(),
            label: label(title),
            key: has_keys.then_some(key),
        };
        ('1'..='9').chain(std::iter::repeat(' ')).zip(&choices).map(choice).collect::<Vec<_>>()
    };
    let kind = match field {
        Field::String(_) if Form::choices(field).is_some() => {
            FieldKind::Choice { choices: choices() }
        }
        Field::String(_) => FieldKind::Text,
        Field::Number(_) => FieldKind::Number,
        Field::Integer(_) => FieldKind::Integer,
        Field::Boolean(_) => FieldKind::Boolean,
        Field::Array(_) if Form::choices(field).is_some() => {
            FieldKind::Choices { choices: choices() }
        }
        Field::Array(_) | Field::Unknown(_) => FieldKind::Unknown,
    };
    FormField {
        name: name.to_owned(),
        label: label(title.as_deref().unwrap_or(name)),
        description: description.as_deref().map(label),
        required: form.is_required(name),
        kind,
        allowed: Line::of(allowed.join(", "), Role::Muted),
        default: form.defaults().get(name).map(|value| self::value(field, value)),
    }
}

fn value(field: &Field, value: &Value) -> FieldValue {
    let choices = Form::choices(field).unwrap_or_default();
    let index = |text: &str| choices.iter().position(|(value, _)| *value == text);
    match value {
        Value::String(text) if !choices.is_empty() => {
            FieldValue::Choices(index(text).into_iter().collect())
        }
        Value::String(text) => FieldValue::Text(sanitize::visible_line(text)),
        Value::Integer(number) => FieldValue::Text(number.to_string()),
        Value::Number(number) => FieldValue::Text(number.to_string()),
        Value::Boolean(yes) => FieldValue::Boolean(*yes),
        Value::StringArray(texts) => {
            FieldValue::Choices(texts.iter().filter_map(|text| index(text)).collect())
        }
    }
}

/// Returns which values a field allows, in words.
fn allowed(field: &Field) -> Vec<String> {
    match field {
        Field::String(field) if field.enum_values.is_none() && field.one_of.is_none() => {
            allowed_text(field)
        }
        Field::Number(field) => range(field.minimum, field.maximum, ""),
        Field::Integer(field) => range(field.minimum, field.maximum, ""),
        Field::Array(MultiSelectPropertySchema { min_items, max_items, .. }) => {
            range(*min_items, *max_items, " choices")
        }
        _ => Vec::new(),
    }
}

fn allowed_text(field: &StringPropertySchema) -> Vec<String> {
    let mut allowed = range(field.min_length, field.max_length, " characters");
    let format = field.format.as_ref().and_then(|format| match format {
        StringFormat::Email => Some("an email address"),
        StringFormat::Uri => Some("an address such as https://example.org/"),
        StringFormat::Date => Some("a date such as 2026-11-21"),
        StringFormat::DateTime => Some("a date with a time such as 2026-11-21T08:30:00Z"),
        StringFormat::Unknown(_) => None,
    });
    allowed.extend(format.map(str::to_owned));
    let pattern = field.pattern.as_deref().map(sanitize::visible_line);
    allowed.extend(pattern.map(|pattern| format!("matching {pattern}")));
    allowed
}

fn range<T: Display>(least: Option<T>, most: Option<T>, of: &str) -> Vec<String> {
    match (least, most) {
        (Some(least), Some(most)) => vec![format!("{least} to {most}{of}")],
        (Some(least), None) => vec![format!("at least {least}{of}")],
        (None, Some(most)) => vec![format!("at most {most}{of}")],
        (None, None) => Vec::new(),
    }
}
