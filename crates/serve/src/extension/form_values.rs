//! The values of a form.

use super::refusal;
use attache_client::Form;
use attache_protocol::v1::{ElicitationContentValue as Value, ElicitationPropertySchema as Field};
use attache_protocol::{Error, Map};
use serde_json::Value as Json;

/// Reads the values of a form and checks that they fit it. Values that are `null`, and empty texts
/// of fields that may be left out, are left out.
pub(super) fn read(
    form: &Form,
    values: &serde_json::Map<String, Json>,
) -> Result<Map<Value>, Error> {
    let mut read = Vec::with_capacity(values.len());
    for (name, value) in values {
        let field = form.schema().properties.0.iter().find(|(known, _)| known == name);
        let Some((name, field)) = field else {
            let name = attache_view::sanitize::line(name);
            return Err(refusal::wrong(format!(
                "the form has no field \"{name}\" (field `answer.values`)"
            )));
        };
        let is_empty = value.is_null() || value == "" && !form.is_required(name);
        if !is_empty {
            read.push((name.clone(), self::value(form, name, field, value)?));
        }
    }
    let read = Map(read);
    form.check(&read).map_err(|error| refusal::wrong(error.to_string()))?;
    Ok(read)
}

fn value(form: &Form, name: &str, field: &Field, value: &Json) -> Result<Value, Error> {
    let is_text = matches!(field, Field::String(_));
    let read = match (field, value) {
        (_, Json::String(text)) if is_text => Some(Value::String(text.clone())),
        (_, Json::String(text)) => {
            return form.read(name, text).map_err(|error| refusal::wrong(error.to_string()));
        }
        (_, Json::Bool(yes)) => Some(Value::Boolean(*yes)),
        (Field::Integer(_), Json::Number(number)) => number.as_i64().map(Value::Integer),
        (_, Json::Number(number)) => number.as_f64().map(Value::Number),
        (_, Json::Array(texts)) => {
            let texts = texts.iter().map(|text| text.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<String>>>().map(Value::StringArray)
        }
        _ => None,
    };
    read.ok_or_else(|| {
        let name = attache_view::sanitize::line(name);
        refusal::wrong(format!(
            "the field `answer.values.{name}` must be a text, a number, true or false, or an \
             array of texts"
        ))
    })
}
