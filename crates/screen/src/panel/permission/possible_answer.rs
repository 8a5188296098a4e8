//! The answers to a request for permission.

use attache_protocol::v1::PermissionOption;
use attache_view::{Choice, ChoiceAction, PermissionAnswer};

/// An answer that the person can give.
#[derive(Debug, Clone)]
pub(super) struct PossibleAnswer {
    pub(super) key: char,
    pub(super) text: String,
    pub(super) answer: PermissionAnswer,
}

/// The answers, those of the view, with one for each rule that can be remembered.
pub(super) fn answers(choices: &[Choice], options: &[PermissionOption]) -> Vec<PossibleAnswer> {
    let mut answers: Vec<PossibleAnswer> = Vec::new();
    let mut more: Vec<PossibleAnswer> = Vec::new();
    for Choice { key, label, action } in choices {
        if let Some(answer) = PermissionAnswer::of(action, 0, options) {
            answers.push(PossibleAnswer { key: *key, text: label.text(), answer });
        }
        if let ChoiceAction::AllowAlways { rules } = action {
            let further = rules.iter().enumerate().skip(1);
            more.extend(further.filter_map(|(index, rule)| {
                let answer = PermissionAnswer::of(action, index, options)?;
                let text = format!("always: {}", rule.meaning.text());
                Some(PossibleAnswer { key: rule.key, text, answer })
            }));
        }
    }
    answers.extend(more);
    answers
}
