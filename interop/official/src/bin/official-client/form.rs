//! Fills in a form: with its defaults, otherwise with the simplest valid value (ELIC-14, ELIC-15).

use std::collections::BTreeMap;

use agent_client_protocol::v1::schema::{
    ElicitationContentValue as Content, ElicitationPropertySchema as Property, ElicitationSchema,
    MultiSelectItems, MultiSelectPropertySchema, StringFormat, StringPropertySchema,
};

/// Returns the content of the form; `None` if a required field has no value.
pub(crate) fn fill(schema: &ElicitationSchema) -> Option<BTreeMap<String, Content>> {
    let required = schema.required.as_deref().unwrap_or_default();
    let mut content = BTreeMap::new();
    for (name, property) in &schema.properties {
        match value(property) {
            Some(value) => drop(content.insert(name.clone(), value)),
            None if required.contains(name) => return None,
            None => {}
        }
    }
    Some(content)
}

/// Returns a value for a property, or `None` if no valid value is known.
fn value(property: &Property) -> Option<Content> {
    match property {
        Property::String(string) => text(string).map(Content::String),
        Property::Integer(integer) => {
            let (low, high) =
                (integer.minimum.unwrap_or(i64::MIN), integer.maximum.unwrap_or(i64::MAX));
            let value = integer.default.or(integer.minimum).unwrap_or_else(|| high.min(0));
            (low..=high).contains(&value).then_some(Content::Integer(value))
        }
        Property::Number(number) => {
            let (low, high) =
                (number.minimum.unwrap_or(f64::MIN), number.maximum.unwrap_or(f64::MAX));
            let value = number.default.or(number.minimum).unwrap_or_else(|| high.min(0.0));
            (low..=high).contains(&value).then_some(Content::Number(value))
        }
        Property::Boolean(boolean) => Some(Content::Boolean(boolean.default.unwrap_or(false))),
        Property::Array(array) => choices(array).map(Content::StringArray),
        _ => None,
    }
}

fn text(string: &StringPropertySchema) -> Option<String> {
    let titled = string
        .one_of
        .as_ref()
        .map(|options| options.iter().map(|option| option.value.clone()).collect());
    if let Some(choices) = string.enum_values.clone().or(titled) {
        let choices: Vec<String> = choices;
        let given = string.default.clone().filter(|given| choices.contains(given));
        return given.or_else(|| choices.into_iter().next());
    }
    // A pattern can take forever to match, so a field that has one gets only values that the form
    // itself contains (ELIC-24).
    if string.pattern.is_some() {
        return string.default.clone();
    }
    let (low, high) = (
        string.min_length.unwrap_or(0) as usize,
        string.max_length.map_or(usize::MAX, |high| high as usize),
    );
    let sample = match string.format {
        Some(StringFormat::Email) => "person@example.org".into(),
        Some(StringFormat::Uri) => "https://example.org/".into(),
        Some(StringFormat::Date) => "2026-01-01".into(),
        Some(StringFormat::DateTime) => "2026-01-01T00:00:00Z".into(),
        _ => "x".repeat(low.max(1)),
    };
    let value = string.default.clone().unwrap_or(sample);
    (low..=high).contains(&value.chars().count()).then_some(value)
}

fn choices(array: &MultiSelectPropertySchema) -> Option<Vec<String>> {
    let choices: Vec<String> = match &array.items {
        MultiSelectItems::String(items) => items.values.clone(),
        MultiSelectItems::Titled(items) => {
            items.options.iter().map(|option| option.value.clone()).collect()
        }
        _ => return None,
    };
    let (low, high) = (array.min_items.unwrap_or(0), array.max_items.unwrap_or(u64::MAX));
    let least = || choices.iter().take(low as usize).cloned().collect();
    let value: Vec<String> = array.default.clone().unwrap_or_else(least);
    let fits = (low..=high).contains(&(value.len() as u64))
        && value.iter().all(|one| choices.contains(one));
    fits.then_some(value)
}
