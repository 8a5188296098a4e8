//! Ids for front ends.

use crate::sanitize;

/// Returns an id with every character visible. It is the id itself, unless the id has control
/// characters or characters that change the direction of text; no such id is known to exist.
pub(crate) fn shown(id: &str) -> String {
    sanitize::visible(id).replace(['\n', '\t'], "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn usual_ids_stay_and_others_are_visible() {
        assert_eq!(shown("a b-1_é"), "a b-1_é");
        assert_eq!(shown("a\n\tb\u{1b}\u{202e}"), "a\u{fffd}\u{fffd}b␛\u{fffd}");
    }
}
