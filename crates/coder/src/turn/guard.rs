//! Stops a model that repeats the same failing call.

use crate::tools::ToolResult;

/// How many times in a row the same call may fail before the model gets a warning.
const WARN_AFTER: u32 = 3;

/// Counts identical calls that fail in a row, in one turn.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    /// The name and the arguments of the last failed call.
    last: Option<(String, String)>,
    times: u32,
}

impl Guard {
    /// Records the result of a call, and adds a warning to a repeated failure.
    pub(crate) fn record(&mut self, name: &str, arguments: &str, result: &mut ToolResult) {
        if !result.failed {
            *self = Self::default();
            return;
        }
        let same = self.last.as_ref().is_some_and(|last| last.0 == name && last.1 == arguments);
        self.times = if same { self.times + 1 } else { 1 };
        if !same {
            self.last = Some((name.to_owned(), arguments.to_owned()));
        }
        if self.times == WARN_AFTER {
            result.text.push_str(&format!(
                "\n[The same call failed {WARN_AFTER} times in a row. If you repeat it, the turn ends: do something else, or say what is \
                 missing.]"
            ));
        }
    }

    /// The message for the person if the model repeats the call despite the warning.
    pub(crate) fn stuck(&self) -> Option<String> {
        let (name, _) = self.last.as_ref().filter(|_| self.times > WARN_AFTER)?;
        let name = crate::tools::fit::code(name);
        Some(format!(
            "\n\nThe turn was stopped: the same call of {name} failed {} times in a row.\n",
            self.times
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::Guard;
    use crate::tools::{Finding, ToolResult};

    #[test]
    fn only_consecutive_equal_failures_count() {
        let result = |failed| ToolResult {
            text: "no".to_owned(),
            failed,
            finding: Finding::Nothing,
            images: Vec::new(),
        };
        let mut guard = Guard::default();
        for (arguments, failed) in [
            ("a", true),
            ("a", true),
            ("b", true),
            ("a", true),
            ("a", false),
            ("a", true),
            ("a", true),
        ] {
            let mut result = result(failed);
            guard.record("read", arguments, &mut result);
            assert_eq!((result.text.as_str(), guard.stuck()), ("no", None));
        }
        let (mut third, mut fourth) = (result(true), result(true));
        guard.record("read", "a", &mut third);
        assert!(
            third.text.contains("3 times in a row") && guard.stuck().is_none(),
            "{}",
            third.text
        );
        guard.record("read", "a", &mut fourth);
        assert!(guard.stuck().unwrap().contains("`read` failed 4 times"));
    }
}
