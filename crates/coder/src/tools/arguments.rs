//! Parses the arguments of a call, as a model writes them.

use super::fit::one_line;
use super::repair;
use serde::Deserialize;

/// The maximum length of a quotation from invalid arguments, in characters.
const QUOTED: usize = 200;

/// Parses arguments for the tool `name`, and repairs them if their meaning is clear.
///
/// # Errors
/// Returns a sentence for the model if the text is not JSON, or if its fields are not those of the
/// tool.
pub(super) fn parse<T: for<'de> Deserialize<'de>>(
    name: &str,
    arguments: &str,
) -> Result<T, String> {
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    let read = repair::value(arguments).and_then(|value| {
        let read = T::deserialize(&value);
        read.or_else(|error| T::deserialize(repair::parse_nested_fields(value)).map_err(|_| error))
    });
    read.map_err(|error| {
        let quoted = one_line(arguments, QUOTED);
        match error.is_data() {
            true => format!(
                "the arguments do not match the tool {name}: {error}; call it again with its fields"
            ),
            false => format!(
                "the arguments of {name} are not JSON: {error} in {quoted}; call it again with one JSON object"
            ),
        }
    })
}
