//! Questions of agents to the person.

mod choices;
mod form;
mod page;
mod permission;
mod permission_answer;
mod rule_words;
mod text;

pub use choices::{Choice, ChoiceAction, RuleChoice, RuleReach};
pub use form::{FieldChoice, FieldKind, FieldValue, FormField, FormView};
pub use page::PageView;
pub use permission::{PermissionView, rule_about};
pub use permission_answer::PermissionAnswer;
pub use rule_words::rule_meaning;

use crate::sanitize;
use crate::span::{Line, Role};
use attache_client::{Question, QuestionAbout};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A question of an agent to the person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct QuestionView {
    /// The id, with which the hub takes the answer.
    pub id: u64,
    /// When the agent asked, in milliseconds since 1970.
    pub asked_at: i64,
    /// Who asks for what, such as `gemini asks for permission: execute`.
    pub headline: Line,
    /// The question.
    pub about: QuestionBody,
}

/// What a question asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum QuestionBody {
    /// A permission.
    Permission(Box<PermissionView>),
    /// A form to fill in.
    Form(Box<FormView>),
    /// A page to open.
    Page(Box<PageView>),
    /// A question of a kind that this version does not know.
    Other,
}

impl QuestionView {
    /// Returns the view of a question of an agent with this name, in a session in this folder.
    ///
    /// Blocks on disk I/O if the call names paths, because a rule is offered only if it covers the
    /// call.
    pub fn new(question: &Question, agent: &str, cwd: &Path) -> Self {
        let agent_name = sanitize::line(agent);
        let (words, about) = match &question.about {
            QuestionAbout::Permission(request) => {
                let view = PermissionView::new(request, agent, cwd);
                let words = format!("asks for permission: {}", view.kind);
                (words, QuestionBody::Permission(Box::new(view)))
            }
            QuestionAbout::Form(request) => {
                let view = FormView::new(&request.message, &request.form);
                ("asks".to_owned(), QuestionBody::Form(Box::new(view)))
            }
            QuestionAbout::Page(request) => {
                let view = PageView::new(&request.message, &request.address);
                ("wants you to open a page".to_owned(), QuestionBody::Page(Box::new(view)))
            }
            _ => ("asks something that this version does not know".to_owned(), QuestionBody::Other),
        };
        Self {
            id: question.id.0,
            asked_at: question.asked_at.0,
            headline: Line::of(format!("{agent_name} {words}"), Role::Text),
            about,
        }
    }
}

#[cfg(test)]
mod tests;
