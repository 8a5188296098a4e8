//! Compares two JSON values: finds the members that only one of them has, and removes them.

use serde_json::Value;

/// One step into a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

pub(crate) type Place = Vec<Step>;

/// The members that only `input` has, and those that only `output` has. Fails if they differ in any
/// other way; numbers are compared by value.
pub(crate) fn apart(input: &Value, output: &Value) -> Result<(Vec<Place>, Vec<Place>), String> {
    let mut apart = (Vec::new(), Vec::new());
    compare(input, output, &mut Vec::new(), &mut apart)?;
    Ok(apart)
}

fn compare(
    input: &Value,
    output: &Value,
    here: &mut Place,
    apart: &mut (Vec<Place>, Vec<Place>),
) -> Result<(), String> {
    match (input, output) {
        (Value::Object(input), Value::Object(output)) => {
            for key in output.keys().filter(|key| !input.contains_key(*key)) {
                apart.1.push(here.iter().cloned().chain([Step::Key(key.clone())]).collect());
            }
            for (key, value) in input {
                here.push(Step::Key(key.clone()));
                match output.get(key) {
                    Some(other) => compare(value, other, here, apart)?,
                    None => apart.0.push(here.clone()),
                }
                here.pop();
            }
            Ok(())
        }
        (Value::Array(input), Value::Array(output)) if input.len() == output.len() => {
            for (index, (value, other)) in input.iter().zip(output).enumerate() {
                here.push(Step::Index(index));
                compare(value, other, here, apart)?;
                here.pop();
            }
            Ok(())
        }
        (Value::Number(a), Value::Number(b)) if a == b || a.as_f64() == b.as_f64() => Ok(()),
        // Null in place of a required list counts as an empty list (DEC-05).
        (Value::Null, Value::Array(items)) if items.is_empty() => Ok(()),
        (a, b) if a == b => Ok(()),
        // The input has null where the output has a default (DEC-19 has exceptions, see the marks).
        (Value::Null, _) => {
            apart.0.push(here.clone());
            apart.1.push(here.clone());
            Ok(())
        }
        (a, b) => Err(format!("{a} became {b} at {here:?}")),
    }
}

/// Returns `value` without the values at `places`, which are in text order.
pub(crate) fn less(value: &Value, places: &[Place]) -> Value {
    let mut value = value.clone();
    for place in places.iter().rev() {
        let Some((last, parents)) = place.split_last() else { continue };
        let parent = parents.iter().try_fold(&mut value, |value, step| match step {
            Step::Key(key) => value.get_mut(key),
            Step::Index(index) => value.get_mut(*index),
        });
        match (parent, last) {
            (Some(Value::Object(members)), Step::Key(key)) => drop(members.remove(key)),
            (Some(Value::Array(items)), Step::Index(index)) if *index < items.len() => {
                drop(items.remove(*index))
            }
            _ => {}
        }
    }
    value
}
