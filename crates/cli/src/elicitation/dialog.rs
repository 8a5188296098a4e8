//! Input and output of the dialog in which a person answers an agent.

use crate::key;
use crate::show::paint::{Paint, YELLOW};
use crate::show::width;
use attache_protocol::v1::{ElicitationContentValue as Value, ElicitationPropertySchema as Field};
use attache_view::sanitize;
use std::io::{self, Write};

pub(super) fn asks(agent: &str, what: &str, message: &str, paint: Paint) -> Vec<String> {
    let columns = crate::terminal::columns().unwrap_or(80).saturating_sub(2);
    let mut lines = vec![format!("{} {} {what}:", paint.paint(YELLOW, "?"), shown(agent))];
    let message = sanitize::text(message);
    let message = message.lines().flat_map(|line| width::wrap(line, columns));
    lines.extend(message.map(|line| format!("  {line}")));
    lines
}

pub(super) fn titles(field: &Field) -> (Option<&str>, Option<&str>) {
    let (title, description) = match field {
        Field::String(field) => (&field.title, &field.description),
        Field::Number(field) => (&field.title, &field.description),
        Field::Integer(field) => (&field.title, &field.description),
        Field::Boolean(field) => (&field.title, &field.description),
        Field::Array(field) => (&field.title, &field.description),
        Field::Unknown(_) => (&None, &None),
    };
    (title.as_deref(), description.as_deref())
}

pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => shown(text),
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Boolean(true) => "yes".to_owned(),
        Value::Boolean(false) => "no".to_owned(),
        Value::StringArray(values) => {
            values.iter().map(|value| shown(value)).collect::<Vec<_>>().join(", ")
        }
    }
}

pub(super) fn shown(text: &str) -> String {
    sanitize::visible_line(text)
}

pub(super) fn say(lines: &[String]) {
    let mut stderr = io::stderr().lock();
    // An error is ignored: if stderr is closed, the terminal cannot be read either.
    let _ = lines.iter().try_for_each(|line| writeln!(stderr, "{line}"));
}

pub(super) async fn pressed(prompt: &str, keys: &[u8]) -> io::Result<char> {
    let key = char::from(key::pressed(keys.to_vec(), prompt.to_owned()).await?);
    // The terminal does not echo single keys.
    let _ = writeln!(io::stderr(), "{key}");
    Ok(key)
}
