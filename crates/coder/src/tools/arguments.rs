//! The arguments of a call, as a model writes them.

use super::fit::one_line;
use super::repair;
use serde::Deserialize;

/// How much of unreadable arguments an error message quotes, in characters.
const QUOTED: usize = 200;

/// Reads the arguments of the tool `name`, repaired where their meaning is plain.
///
/// # Errors
/// One sentence for the model: the text is no JSON, or has not the fields of the tool.
pub(super) fn parse<T: for<'de> Deserialize<'de>>(
    name: &str,
    arguments: &str,
) -> Result<T, String> {
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    let read = repair::value(arguments).and_then(|value| {
        let read = T::deserialize(&value);
        read.or_else(|error| T::deserialize(repair::with_fields_read(value)).map_err(|_| error))
    });
    read.map_err(|error| {
        let quoted = one_line(arguments, QUOTED);
        match error.is_data() {
            true => format!(
                "the arguments of {name} are not those of this tool: {error}; call it again with its fields"
            ),
            false => format!(
                "the arguments of {name} are no JSON: {error} in {quoted}; call it again with one JSON object"
            ),
        }
    })
}
