//! Forms of elicitations: their validity, and the check of the answers (ELIC-07, ELIC-14).

use crate::{Error, Result};
use attache_protocol::Map;
use attache_protocol::v1::{
    ElicitationContentValue as Value, ElicitationPropertySchema as Field, ElicitationSchema,
    MultiSelectItems, StringFormat, StringPropertySchema,
};

/// Checks that ACP allows a form (ELIC-07, EXT-05, X18).
pub(crate) fn check(schema: &ElicitationSchema) -> Result<()> {
    let fields = &schema.properties.0;
    for (index, (name, field)) in fields.iter().enumerate() {
        if fields.iter().take(index).any(|(earlier, _)| earlier == name) {
            return Err(Error::invalid(format!("two fields of the form have the name {name}")));
        }
        match field {
            Field::Unknown(unknown) => {
                let kind = &unknown.tag;
                return Err(Error::invalid(format!(
                    "the field {name} has the type {kind}, which ACP does not define"
                )));
            }
            Field::String(StringPropertySchema {
                format: Some(StringFormat::Unknown(format)),
                ..
            }) => {
                return Err(Error::invalid(format!(
                    "the field {name} has the format {format}: ACP has email, uri, date and date-time"
                )));
            }
            Field::Array(field) if matches!(field.items, MultiSelectItems::Unknown(_)) => {
                return Err(Error::invalid(format!(
                    "the choices of the field {name} have a type that ACP does not define"
                )));
            }
            _ => {}
        }
        let choices = choices(field);
        if choices.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::invalid(format!("the field {name} has no choices")));
        }
    }
    let required = schema.required.iter().flatten();
    match required.into_iter().find(|name| schema.properties.get(name).is_none()) {
        Some(name) => Err(Error::invalid(format!(
            "the form requires the field {name}, but has no field of this name"
        ))),
        None => Ok(()),
    }
}

/// Returns the values to choose from and their labels; `None` for a field without choices.
pub(crate) fn choices(field: &Field) -> Option<Vec<(&str, &str)>> {
    match field {
        Field::String(StringPropertySchema { one_of: Some(options), .. }) => Some(
            options.iter().map(|option| (option.value.as_str(), option.title.as_str())).collect(),
        ),
        Field::String(StringPropertySchema { enum_values: Some(values), .. }) => {
            Some(values.iter().map(|value| (value.as_str(), value.as_str())).collect())
        }
        Field::Array(field) => match &field.items {
            MultiSelectItems::String(items) => Some(
                items.enum_values.iter().map(|value| (value.as_str(), value.as_str())).collect(),
            ),
            MultiSelectItems::Titled(items) => Some(
                items
                    .any_of
                    .iter()
                    .map(|option| (option.value.as_str(), option.title.as_str()))
                    .collect(),
            ),
            MultiSelectItems::Unknown(_) => None,
        },
        _ => None,
    }
}

/// Returns the values that belong to fields of the form, each checked against its field; other
/// values are left out. A `pattern` is not checked, because evaluating one in bounded time is not
/// worth its cost here.
pub(crate) fn values(
    schema: &ElicitationSchema,
    content: Map<Value>,
) -> std::result::Result<Map<Value>, String> {
    let mut values = Map::default();
    for (name, value) in content.0 {
        let Some(field) = schema.properties.get(&name) else { continue };
        let value = fitting(field, value)
            .map_err(|wanted| format!("the value of the field {name} must be {wanted}"))?;
        values.0.push((name, value));
    }
    let required = schema.required.iter().flatten();
    match required.into_iter().find(|name| values.get(name).is_none()) {
        Some(name) => Err(format!("the required field {name} is not filled in")),
        None => Ok(values),
    }
}

/// Returns the value, or a description of what the field expects.
fn fitting(field: &Field, value: Value) -> std::result::Result<Value, String> {
    match (field, value) {
        (Field::String(wanted), Value::String(text)) => {
            string(wanted, &text, field).map(|()| Value::String(text))
        }
        (Field::Boolean(_), Value::Boolean(value)) => Ok(Value::Boolean(value)),
        (Field::Integer(wanted), Value::Integer(number)) => {
            let least = wanted.minimum.is_none_or(|least| number >= least);
            let most = wanted.maximum.is_none_or(|most| number <= most);
            match least && most {
                true => Ok(Value::Integer(number)),
                false => Err(format!("a whole number{}", range(wanted.minimum, wanted.maximum))),
            }
        }
        (Field::Number(wanted), value @ (Value::Integer(_) | Value::Number(_))) => {
            #[allow(
                clippy::cast_precision_loss,
                reason = "JSON has one kind of number; the field asked for any"
            )]
            let number = match value {
                Value::Integer(number) => number as f64,
                Value::Number(number) => number,
                _ => f64::NAN,
            };
            let least = wanted.minimum.is_none_or(|least| number >= least);
            let most = wanted.maximum.is_none_or(|most| number <= most);
            match least && most {
                true => Ok(Value::Number(number)),
                false => Err(format!("a number{}", range(wanted.minimum, wanted.maximum))),
            }
        }
        (Field::Array(wanted), Value::StringArray(chosen)) => {
            let choices = choices(field).unwrap_or_default();
            let known =
                chosen.iter().all(|value| choices.iter().any(|(choice, _)| choice == value));
            let count = chosen.len() as u64;
            let least = wanted.min_items.is_none_or(|least| count >= least);
            let most = wanted.max_items.is_none_or(|most| count <= most);
            match known && least && most {
                true => Ok(Value::StringArray(chosen)),
                false => Err(format!(
                    "a list of its choices{}",
                    range(wanted.min_items, wanted.max_items)
                )),
            }
        }
        (field, _) => Err(format!("of the type {}", field.tag())),
    }
}

fn string(
    wanted: &StringPropertySchema,
    text: &str,
    field: &Field,
) -> std::result::Result<(), String> {
    if let Some(choices) = choices(field) {
        return match choices.iter().any(|(choice, _)| *choice == text) {
            true => Ok(()),
            false => Err("one of its choices".to_owned()),
        };
    }
    let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let least = wanted.min_length.is_none_or(|least| length >= least);
    let most = wanted.max_length.is_none_or(|most| length <= most);
    if !least || !most {
        return Err(format!(
            "text with a number of characters{}",
            range(wanted.min_length, wanted.max_length)
        ));
    }
    match &wanted.format {
        Some(StringFormat::Email) if !is_email(text) => Err("an email address".to_owned()),
        Some(StringFormat::Uri) if !is_uri(text) => Err("a URI".to_owned()),
        Some(StringFormat::Date) if !is_date(text) => Err("a date as 2026-11-21".to_owned()),
        Some(StringFormat::DateTime) if !is_date_time(text) => {
            Err("a date with a time as 2026-11-21T02:03:04Z".to_owned())
        }
        _ => Ok(()),
    }
}

pub(crate) fn range<N: std::fmt::Display>(least: Option<N>, most: Option<N>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!(", {least} to {most}"),
        (Some(least), None) => format!(", at least {least}"),
        (None, Some(most)) => format!(", at most {most}"),
        (None, None) => String::new(),
    }
}

/// Checks that there is text on both sides of an `@`; only the mail host knows which addresses
/// exist.
fn is_email(text: &str) -> bool {
    let parts = text.rsplit_once('@');
    parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
        && !text.contains(char::is_whitespace)
}

/// Checks for a scheme and text after it.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let allowed = |character: char| character.is_ascii_alphanumeric() || "+-.".contains(character);
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(allowed)
        && !rest.is_empty()
        && !text.contains(char::is_whitespace)
}

/// Returns the numbers in a text of the given shape, in which `0` matches any digit.
fn digits(text: &str, shape: &str) -> Option<Vec<u32>> {
    let same = text.len() == shape.len()
        && text.chars().zip(shape.chars()).all(|(found, wanted)| match wanted {
            '0' => found.is_ascii_digit(),
            wanted => found == wanted,
        });
    same.then(|| {
        text.split(|character: char| !character.is_ascii_digit())
            .filter_map(|part| part.parse().ok())
            .collect()
    })
}

fn is_date(text: &str) -> bool {
    let Some([year, month, day]) =
        digits(text, "0000-00-00").and_then(|parts| <[u32; 3]>::try_from(parts).ok())
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=12).contains(&month) && (1..=days).contains(&day)
}

/// Checks that the text is a date with a time, in the format of RFC 3339.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't', ' ']) else { return false };
    let Some((clock, rest)) = time.split_at_checked(8) else { return false };
    let clock = digits(clock, "00:00:00").and_then(|parts| <[u32; 3]>::try_from(parts).ok());
    let zone = match rest.strip_prefix('.') {
        Some(rest) => {
            let zone = rest.trim_start_matches(|character: char| character.is_ascii_digit());
            if zone.len() == rest.len() {
                return false;
            }
            zone
        }
        None => rest,
    };
    let offset = zone.strip_prefix(['+', '-']).and_then(|zone| digits(zone, "00:00"));
    let offset = offset.and_then(|parts| <[u32; 2]>::try_from(parts).ok());
    is_date(date)
        && clock.is_some_and(|[hour, minute, second]| hour < 24 && minute < 60 && second <= 60)
        && (matches!(zone, "Z" | "z")
            || offset.is_some_and(|[hour, minute]| hour < 24 && minute < 60))
}
