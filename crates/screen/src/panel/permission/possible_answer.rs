//! The answers to a request for permission.

use attache_client::{Decision, Effect};
use attache_protocol::v1::PermissionOption;
use attache_view::{Choice, ChoiceAction, RuleReach};

/// What an answer does.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    Decide(Decision),
    Remember(Effect, RuleReach),
    SayWhy,
}

impl Answer {
    /// Whether the call can run after this answer. An option of the agent can have any meaning.
    pub(super) fn may_allow(&self) -> bool {
        match self {
            Self::Decide(decision) => *decision != Decision::Reject,
            Self::Remember(effect, _) => *effect == Effect::Allow,
            Self::SayWhy => false,
        }
    }
}

/// An answer that the person can give.
#[derive(Debug, Clone)]
pub(super) struct PossibleAnswer {
    pub(super) key: char,
    pub(super) text: String,
    pub(super) answer: Answer,
}

/// The answers, those of the view, with one for each rule that can be remembered.
pub(super) fn answers(choices: &[Choice], options: &[PermissionOption]) -> Vec<PossibleAnswer> {
    let mut answers: Vec<PossibleAnswer> = Vec::new();
    let mut more: Vec<PossibleAnswer> = Vec::new();
    for Choice { key, label, action } in choices {
        let text = label.text();
        let mut add =
            |answer| answers.push(PossibleAnswer { key: *key, text: text.clone(), answer });
        match action {
            ChoiceAction::Allow => add(Answer::Decide(Decision::Allow)),
            ChoiceAction::Reject => add(Answer::Decide(Decision::Reject)),
            ChoiceAction::RejectAndSay => add(Answer::SayWhy),
            ChoiceAction::Option { index } => {
                if let Some(option) = options.get(*index) {
                    add(Answer::Decide(Decision::Choose(option.option_id.clone())));
                }
            }
            ChoiceAction::AllowAlways { rules } => {
                if let Some(first) = rules.first() {
                    add(Answer::Remember(Effect::Allow, first.reach));
                }
                more.extend(rules.iter().skip(1).map(|rule| PossibleAnswer {
                    key: rule.key,
                    text: format!("always: {}", rule.meaning.text()),
                    answer: Answer::Remember(Effect::Allow, rule.reach),
                }));
            }
            ChoiceAction::RejectAlways { rules } => {
                if let Some(first) = rules.first() {
                    add(Answer::Remember(Effect::Deny, first.reach));
                }
            }
            _ => {}
        }
    }
    answers.extend(more);
    answers
}
