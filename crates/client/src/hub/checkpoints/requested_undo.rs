//! The undo for which a prompt asks.

use crate::session::prompt::Prompt;

/// The prompt with which a person asks for it.
pub(super) const COMMAND: &str = "/undo";

/// The word after the command that also reverts what others changed.
const FORCE: &str = "force";

/// The undo for which the prompt of a turn asks. The hub reads it from the prompt that it sends,
/// because the agent can add messages to the transcript that look like prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestedUndo {
    pub(super) is_forced: bool,
}

impl RequestedUndo {
    /// Returns the undo for which this prompt asks; `None` if it does not begin with the command.
    pub(crate) fn of(prompt: &Prompt) -> Option<Self> {
        let mut words = prompt.0.first()?.as_text()?.split_whitespace();
        let is_command = words.next() == Some(COMMAND);
        is_command.then(|| Self { is_forced: words.eq([FORCE]) })
    }
}

#[cfg(test)]
mod tests {
    use super::RequestedUndo;
    use crate::session::prompt::Prompt;

    #[test]
    fn only_the_first_words_of_a_prompt_ask_for_an_undo() {
        let forced = |text: &str| RequestedUndo::of(&text.into()).map(|undo| undo.is_forced);
        assert_eq!(forced("/undo"), Some(false));
        assert_eq!(forced(" /undo  force\n"), Some(true));
        assert_eq!(forced("/undo force it"), Some(false));
        assert_eq!(["/undone", "undo", "please /undo", ""].map(forced), [None; 4]);
        let second = Prompt(vec!["look at this".into(), "/undo".into()]);
        assert_eq!(RequestedUndo::of(&second), None);
    }
}
