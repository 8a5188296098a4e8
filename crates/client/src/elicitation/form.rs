//! Forms: default values, reading typed values, checking answers (ELIC-14, ELIC-15, ELIC-22,
//! ELIC-24).

use crate::pattern::Pattern;
use attache_protocol::Map;
use attache_protocol::v1::{
    ElicitationContentValue as Value, ElicitationPropertySchema as Field, ElicitationSchema,
    EnumOption, MultiSelectItems, MultiSelectPropertySchema, StringFormat, StringPropertySchema,
};
use std::collections::HashMap;
use std::fmt;

/// A form of an agent: its fields and their allowed values.
#[derive(Debug, Clone)]
pub struct Form {
    schema: ElicitationSchema,
    /// The patterns by field; `None` for a pattern that cannot be evaluated here.
    patterns: HashMap<String, Option<Pattern>>,
}

/// Why an answer does not fit a form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormError {
    /// The field.
    pub field: String,
    /// The problem and the expected value, to show after the field's name.
    pub problem: String,
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the field \"{}\" {}", self.field, self.problem)
    }
}

impl std::error::Error for FormError {}

impl Form {
    /// Makes the form of a request.
    pub fn new(schema: ElicitationSchema) -> Self {
        let patterns = schema.properties.0.iter().filter_map(|(name, field)| match field {
            Field::String(StringPropertySchema { pattern: Some(pattern), .. }) => {
                Some((name.clone(), Pattern::new(pattern)))
            }
            _ => None,
        });
        let patterns = patterns.collect();
        Self { schema, patterns }
    }

    /// The schema: title, description and fields in the agent's order.
    pub fn schema(&self) -> &ElicitationSchema {
        &self.schema
    }

    /// Whether the field is required.
    pub fn is_required(&self, field: &str) -> bool {
        self.schema.required.iter().flatten().any(|required| required == field)
    }

    /// Whether a field has a `pattern` that cannot be checked here in bounded time. Its values are
    /// sent unchecked, so say so where the field is shown.
    pub fn is_unchecked(&self, field: &str) -> bool {
        self.patterns.get(field).is_some_and(Option::is_none)
    }

    /// The initial values: the fields' defaults, where they fit the form.
    pub fn defaults(&self) -> Map<Value> {
        let defaults = self.schema.properties.0.iter().filter_map(|(name, field)| {
            let value = match field {
                Field::String(field) => Value::String(field.default.clone()?),
                Field::Number(field) => Value::Number(field.default?),
                Field::Integer(field) => Value::Integer(field.default?),
                Field::Boolean(field) => Value::Boolean(field.default?),
                Field::Array(field) => Value::StringArray(field.default.clone()?),
                Field::Unknown(_) => return None,
            };
            self.check_value(name, field, &value).is_ok().then(|| (name.clone(), value))
        });
        Map(defaults.collect())
    }

    /// The choices of a field, with the titles for people; `None` if the field has no choices, or
    /// is of an unknown type.
    pub fn choices(field: &Field) -> Option<Vec<(&str, &str)>> {
        match field {
            Field::String(field) => one_choice(field),
            Field::Array(field) => several_choices(field),
            _ => None,
        }
    }

    /// Reads what a person typed for a field: a text, a number, `yes` or `no`, or a choice by its
    /// value, its title or its number, counted from 1; several choices are separated by commas.
    ///
    /// # Errors
    /// Returns an error if the text is not a value of that field.
    pub fn read(&self, name: &str, typed: &str) -> Result<Value, FormError> {
        let misfilled =
            |problem: &str| FormError { field: name.to_owned(), problem: problem.to_owned() };
        let field =
            self.schema.properties.get(name).ok_or_else(|| misfilled("is not in the form"))?;
        let word = typed.trim();
        let chosen = |word: &str| Self::choices(field).and_then(|choices| chosen(&choices, word));
        let value = match field {
            Field::String(_) if Self::choices(field).is_some() => {
                Value::String(chosen(word).ok_or_else(|| {
                    misfilled("is a choice: type the number or the name of a choice")
                })?)
            }
            Field::String(_) => Value::String(typed.to_owned()),
            Field::Number(_) => {
                let number = word.parse().ok().filter(|number: &f64| number.is_finite());
                Value::Number(number.ok_or_else(|| misfilled("is a number, such as 2.5"))?)
            }
            Field::Integer(_) => {
                Value::Integer(word.parse().map_err(|_| misfilled("is a whole number, such as 7"))?)
            }
            Field::Boolean(_) => match word.to_ascii_lowercase().as_str() {
                "y" | "yes" | "true" => Value::Boolean(true),
                "n" | "no" | "false" => Value::Boolean(false),
                _ => return Err(misfilled("is yes or no")),
            },
            Field::Array(_) => {
                let words = word.split(',').map(str::trim).filter(|word| !word.is_empty());
                let all: Option<Vec<String>> = words.map(chosen).collect();
                Value::StringArray(all.ok_or_else(|| {
                    misfilled("has choices: type their numbers, separated by commas")
                })?)
            }
            Field::Unknown(_) => {
                return Err(misfilled("is of a type that this program does not know"));
            }
        };
        self.check_value(name, field, &value)?;
        Ok(value)
    }

    /// Checks that an answer fits the form.
    ///
    /// # Errors
    /// Returns an error about the first field that is missing, unknown or duplicate, or does not
    /// fit. A field of an unknown type accepts no value, so a form that requires one can only be
    /// declined.
    pub fn check(&self, content: &Map<Value>) -> Result<(), FormError> {
        let misfilled = |field: &str, problem: &str| FormError {
            field: field.to_owned(),
            problem: problem.to_owned(),
        };
        for name in self.schema.required.iter().flatten() {
            if content.get(name).is_none() {
                return Err(misfilled(name, "must be filled in"));
            }
        }
        for (index, (name, value)) in content.0.iter().enumerate() {
            let field = self
                .schema
                .properties
                .get(name)
                .ok_or_else(|| misfilled(name, "is not in the form"))?;
            if content.0.iter().take(index).any(|(earlier, _)| earlier == name) {
                return Err(misfilled(name, "is filled in twice"));
            }
            self.check_value(name, field, value)?;
        }
        Ok(())
    }

    fn check_value(&self, name: &str, field: &Field, value: &Value) -> Result<(), FormError> {
        let problem = match (field, value) {
            (Field::String(field), Value::String(text)) => self.string_problem(name, field, text),
            (Field::Number(field), Value::Number(number)) => {
                range_problem(number, field.minimum.as_ref(), field.maximum.as_ref())
            }
            (Field::Number(field), Value::Integer(number)) => {
                range_problem(&(*number as f64), field.minimum.as_ref(), field.maximum.as_ref())
            }
            (Field::Integer(field), Value::Integer(number)) => {
                range_problem(number, field.minimum.as_ref(), field.maximum.as_ref())
            }
            (Field::Boolean(_), Value::Boolean(_)) => None,
            (Field::Array(field), Value::StringArray(values)) => choices_problem(field, values),
            (Field::Unknown(_), _) => {
                Some("is of a type that this program does not know".to_owned())
            }
            (Field::String(_), _) => Some("must be a text".to_owned()),
            (Field::Number(_), _) => Some("must be a number".to_owned()),
            (Field::Integer(_), _) => Some("must be a whole number".to_owned()),
            (Field::Boolean(_), _) => Some("must be yes or no".to_owned()),
            (Field::Array(_), _) => Some("must be a list of choices".to_owned()),
        };
        problem.map_or(Ok(()), |problem| Err(FormError { field: name.to_owned(), problem }))
    }

    fn string_problem(
        &self,
        name: &str,
        field: &StringPropertySchema,
        text: &str,
    ) -> Option<String> {
        if let Some(choices) = one_choice(field) {
            let known = choices.iter().any(|(value, _)| *value == text);
            return (!known).then(|| "must be one of its choices".to_owned());
        }
        let length = text.chars().count();
        let at_least = |least: &u32| length < *least as usize;
        let at_most = |most: &u32| length > *most as usize;
        if let Some(least) = field.min_length.filter(at_least) {
            return Some(format!("must have at least {least} characters"));
        }
        if let Some(most) = field.max_length.filter(at_most) {
            return Some(format!("must have at most {most} characters"));
        }
        if let Some(problem) = field.format.as_ref().and_then(|format| format_problem(format, text))
        {
            return Some(problem.to_owned());
        }
        match self.patterns.get(name) {
            Some(Some(pattern)) if !pattern.matches(text) => Some(format!(
                "must match the pattern {}",
                field.pattern.as_deref().unwrap_or_default()
            )),
            _ => None,
        }
    }
}

fn one_choice(field: &StringPropertySchema) -> Option<Vec<(&str, &str)>> {
    match (&field.one_of, &field.enum_values) {
        (Some(options), _) => Some(titled(options)),
        (None, Some(values)) => Some(plain(values)),
        (None, None) => None,
    }
}

fn several_choices(field: &MultiSelectPropertySchema) -> Option<Vec<(&str, &str)>> {
    match &field.items {
        MultiSelectItems::String(items) => Some(plain(&items.enum_values)),
        MultiSelectItems::Titled(items) => Some(titled(&items.any_of)),
        MultiSelectItems::Unknown(_) => None,
    }
}

fn titled(options: &[EnumOption]) -> Vec<(&str, &str)> {
    options.iter().map(|option| (option.value.as_str(), option.title.as_str())).collect()
}

fn plain(values: &[String]) -> Vec<(&str, &str)> {
    values.iter().map(|value| (value.as_str(), value.as_str())).collect()
}

/// Finds a choice by its value, its title or its number, counted from 1.
fn chosen(choices: &[(&str, &str)], word: &str) -> Option<String> {
    let by_name = choices
        .iter()
        .find(|(value, _)| *value == word)
        .or_else(|| choices.iter().find(|(_, title)| *title == word));
    let by_number = || choices.get(word.parse::<usize>().ok()?.checked_sub(1)?);
    by_name.or_else(by_number).map(|(value, _)| (*value).to_owned())
}

fn range_problem<T: PartialOrd + fmt::Display>(
    number: &T,
    least: Option<&T>,
    most: Option<&T>,
) -> Option<String> {
    if let Some(least) = least.filter(|least| number < *least) {
        return Some(format!("must be {least} or more"));
    }
    most.filter(|most| number > *most).map(|most| format!("must be {most} or less"))
}

fn choices_problem(field: &MultiSelectPropertySchema, values: &[String]) -> Option<String> {
    let Some(choices) = several_choices(field) else {
        return Some("has choices of a type that this program does not know".to_owned());
    };
    let known = |value: &String| choices.iter().any(|(choice, _)| choice == value);
    if !values.iter().all(known) {
        return Some("must contain only its choices".to_owned());
    }
    let count = values.len() as u64;
    if let Some(least) = field.min_items.filter(|least| count < *least) {
        return Some(format!("must have at least {least} choices"));
    }
    field
        .max_items
        .filter(|most| count > *most)
        .map(|most| format!("must have at most {most} choices"))
}

/// A rough check of a format, which rejects only values that are certainly wrong. The agent checks
/// the rest.
fn format_problem(format: &StringFormat, text: &str) -> Option<&'static str> {
    let (fits, problem) = match format {
        StringFormat::Email => (
            text.split_once('@').is_some_and(|(name, host)| {
                !name.is_empty()
                    && !host.is_empty()
                    && !host.contains('@')
                    && !text.contains(char::is_whitespace)
            }),
            "must be an email address",
        ),
        StringFormat::Uri => (
            text.split_once(':').is_some_and(|(scheme, rest)| {
                let mut letters = scheme.chars();
                letters.next().is_some_and(|first| first.is_ascii_alphabetic())
                    && letters
                        .all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
                    && !rest.is_empty()
                    && !text.contains(char::is_whitespace)
            }),
            "must be an address with its scheme, such as https://example.org/",
        ),
        StringFormat::Date => (is_date(text), "must be a date such as 2026-11-21"),
        StringFormat::DateTime => (
            text.split_once(['T', 't', ' '])
                .is_some_and(|(date, time)| is_date(date) && is_time(time)),
            "must be a date with a time such as 2026-11-21T08:30:00Z",
        ),
        StringFormat::Unknown(_) => return None,
    };
    (!fits).then_some(problem)
}

/// Whether the text is a date that exists, such as `2026-11-21`.
fn is_date(text: &str) -> bool {
    let number = |range| {
        text.get(range).filter(|digits: &&str| digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let part = |range| number(range).and_then(|digits| digits.parse::<u32>().ok());
    let (Some(year), Some(month), Some(day)) = (part(0..4), part(5..7), part(8..10)) else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let dashes = text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    text.len() == 10 && dashes && (1..=12).contains(&month) && (1..=days).contains(&day)
}

/// Whether the text is a time such as `08:30:00`, optionally with a fraction, and with `Z` or an
/// offset such as `+01:00`.
fn is_time(text: &str) -> bool {
    let clock = |text: &str, most: [u32; 2]| {
        let part = |range| {
            text.get(range).filter(|digits: &&str| digits.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let part = |range, most| {
            part(range)
                .and_then(|digits| digits.parse().ok())
                .is_some_and(|number: u32| number <= most)
        };
        let [first, second] = most;
        part(0..2, first) && text.get(2..3) == Some(":") && part(3..5, second)
    };
    let (Some(minutes), Some(rest)) = (text.get(..5), text.get(5..)) else { return false };
    let seconds = rest.get(..1) == Some(":")
        && rest
            .get(1..3)
            .and_then(|digits| digits.parse::<u32>().ok())
            .is_some_and(|seconds| seconds <= 60);
    let zone = rest.get(3..).unwrap_or_default();
    let zone = match zone.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|digit: char| digit.is_ascii_digit()),
        None => zone,
    };
    let offset = zone
        .strip_prefix(['+', '-'])
        .is_some_and(|offset| offset.len() == 5 && clock(offset, [23, 59]));
    clock(minutes, [23, 59]) && seconds && (zone.eq_ignore_ascii_case("z") || offset)
}

#[cfg(test)]
mod tests;
