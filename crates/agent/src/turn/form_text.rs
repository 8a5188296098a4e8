//! A form as a message, for clients that cannot show forms (ELIC-03).

use crate::turn::form::{choices, range};
use attache_protocol::v1::{ElicitationPropertySchema as Field, ElicitationSchema, StringFormat};

/// Returns the question with its fields, choices and defaults as Markdown. Texts of the author are
/// escaped.
pub(crate) fn markdown(message: &str, schema: &ElicitationSchema) -> String {
    let mut text = format!("{}\n", message.trim_end());
    for heading in [&schema.title, &schema.description].into_iter().flatten() {
        text.push_str(&format!("\n{}\n", plain(heading)));
    }
    if !schema.properties.0.is_empty() {
        text.push('\n');
    }
    for (name, field) in &schema.properties.0 {
        let required = schema.required.iter().flatten().any(|required| required == name);
        text.push_str(&line(name, field, required));
    }
    text.push_str("\nPlease answer in your next message.\n");
    text
}

fn line(name: &str, field: &Field, required: bool) -> String {
    let (title, description, wanted, default) = parts(field);
    let mut line = format!("- **{}**", plain(title.unwrap_or(name)));
    let wanted = if required { format!("{wanted}, required") } else { wanted };
    line.push_str(&format!(" ({wanted})"));
    if let Some(description) = description {
        line.push_str(&format!(": {}", plain(description)));
    }
    if let Some(default) = default {
        line.push_str(&format!(" [default: {}]", plain(&default)));
    }
    line.push('\n');
    for (value, title) in choices(field).unwrap_or_default() {
        match value == title {
            true => line.push_str(&format!("  - {}\n", plain(value))),
            false => line.push_str(&format!("  - {}: {}\n", plain(value), plain(title))),
        }
    }
    line
}

/// Returns the title, the description, the expected value and the default.
fn parts(field: &Field) -> (Option<&str>, Option<&str>, String, Option<String>) {
    match field {
        Field::String(field) => {
            let one = field.enum_values.is_some() || field.one_of.is_some();
            let wanted = match &field.format {
                _ if one => "one of these".to_owned(),
                Some(StringFormat::Email) => "email address".to_owned(),
                Some(StringFormat::Uri) => "URI".to_owned(),
                Some(StringFormat::Date) => "date".to_owned(),
                Some(StringFormat::DateTime) => "date and time".to_owned(),
                Some(StringFormat::Unknown(_)) | None => {
                    match range(field.min_length, field.max_length) {
                        limits if limits.is_empty() => "text".to_owned(),
                        limits => format!("text{limits} characters"),
                    }
                }
            };
            (field.title.as_deref(), field.description.as_deref(), wanted, field.default.clone())
        }
        Field::Number(field) => {
            let wanted = format!("number{}", range(field.minimum, field.maximum));
            let default = field.default.map(|default| default.to_string());
            (field.title.as_deref(), field.description.as_deref(), wanted, default)
        }
        Field::Integer(field) => {
            let wanted = format!("whole number{}", range(field.minimum, field.maximum));
            let default = field.default.map(|default| default.to_string());
            (field.title.as_deref(), field.description.as_deref(), wanted, default)
        }
        Field::Boolean(field) => {
            let default =
                field.default.map(|default| if default { "yes" } else { "no" }.to_owned());
            (field.title.as_deref(), field.description.as_deref(), "yes or no".to_owned(), default)
        }
        Field::Array(field) => {
            let wanted = format!("any of these{}", range(field.min_items, field.max_items));
            let default = field.default.as_ref().map(|default| default.join(", "));
            (field.title.as_deref(), field.description.as_deref(), wanted, default)
        }
        Field::Unknown(_) => (None, None, "anything".to_owned(), None),
    }
}

/// Returns the text on one line, with Markdown escaped.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        for character in word.chars() {
            if "\\`*_[]<>#|~".contains(character) {
                plain.push('\\');
            }
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::markdown;

    /// ELIC-03.
    #[test]
    fn form_text_has_fields_choices_and_defaults() {
        let schema = attache_protocol::decode(
            r#"{"type":"object","required":["name"],"properties":{
                "name":{"type":"string","title":"Branch *name*","minLength":1},
                "kind":{"type":"string","oneOf":[{"const":"a","title":"Alpha"},{"const":"b","title":"Beta"}],"default":"a"},
                "deep":{"type":"integer","minimum":1,"maximum":9,"description":"how deep"},
                "sure":{"type":"boolean","default":true},
                "tags":{"type":"array","items":{"type":"string","enum":["x","y"]},"maxItems":2}}}"#,
        )
        .unwrap();
        let expected = "Where to?\n
- **Branch \\*name\\*** (text, at least 1 characters, required)
- **kind** (one of these) [default: a]
  - a: Alpha
  - b: Beta
- **deep** (whole number, 1 to 9): how deep
- **sure** (yes or no) [default: yes]
- **tags** (any of these, at most 2)
  - x
  - y

Please answer in your next message.
";
        assert_eq!(markdown("Where to?", &schema), expected);
    }
}
