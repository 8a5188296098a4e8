//! The questions of a session of a hub.

use super::hub_session::HubSession;
use super::pending_questions::{Answer, AnswerError, Question};
use crate::observe::session_status::QuestionId;
use attache_protocol::v1::NoticeSeverity;
use std::sync::Arc;

/// The notice about a question that the hub refused.
const REFUSED: &str = "The agent's question was refused: no client can answer it";

impl HubSession {
    /// The agent's open questions, in the order in which it asked them. At most 64 are open at a
    /// time: the hub rejects further permission requests, cancels further forms and pages, and adds
    /// a notice.
    pub fn questions(&self) -> Vec<Question> {
        self.entry.pending.open()
    }

    /// The open question that the agent asked first. Unlike [`HubSession::questions`], this copies
    /// no question.
    pub fn first_question(&self) -> Option<Arc<Question>> {
        self.entry.pending.first()
    }

    /// The last questions of the current turn that were withdrawn without an answer, because the
    /// turn was cancelled or the agent ended.
    pub fn withdrawn(&self) -> Vec<Question> {
        self.entry.pending.withdrawn()
    }

    /// Answers one of [`HubSession::questions`].
    ///
    /// # Errors
    /// Returns an [`AnswerError`] if the answer is not accepted.
    pub fn answer(&self, question: QuestionId, answer: Answer) -> Result<(), AnswerError> {
        self.entry.pending.answer(question, answer, None)
    }

    /// Like [`HubSession::answer`]. The log of decisions names `by` as who answered, such as a
    /// device.
    ///
    /// # Errors
    /// Returns the same errors.
    pub fn answer_as(
        &self,
        question: QuestionId,
        answer: Answer,
        by: &str,
    ) -> Result<(), AnswerError> {
        self.entry.pending.answer(question, answer, Some(by))
    }

    /// Refuses one of [`HubSession::questions`] that no client can answer, so that the turn goes
    /// on: rejects a permission, cancels a form or a page. Adds a notice. The log of decisions
    /// names `nobody` as who answered.
    ///
    /// # Errors
    /// Returns an [`AnswerError`] if the question is no longer open.
    pub fn refuse(&self, question: QuestionId) -> Result<(), AnswerError> {
        let open = self.questions();
        let found = open.iter().find(|open| open.id == question).ok_or(AnswerError::NotOpen)?;
        self.answer_as(question, found.about.refusal(), "nobody")?;
        self.entry.say(NoticeSeverity::Warning, REFUSED, None);
        Ok(())
    }
}
