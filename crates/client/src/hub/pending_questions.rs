//! The agents' questions to the person, in order.

use crate::elicitation::{FormReply, FormRequest, UrlReply, UrlRequest};
use crate::observe::session_status::QuestionId;
use crate::permission::{Decision, PermissionRequest};
use crate::session::session_fold::now;
use attache_session::Timestamp;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use tokio::sync::oneshot;

/// The number of withdrawn questions that are kept for display.
const WITHDRAWN: usize = 16;

/// The largest number of open questions of a session, and of an agent outside of its sessions.
/// Further questions are answered at once: a permission is rejected, a form or page is cancelled.
const OPEN: usize = 64;

/// A question from an agent to the person.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Question {
    /// The id by which the person answers the question.
    pub id: QuestionId,
    /// When the agent asked the question.
    pub asked_at: Timestamp,
    /// The subject of a question.
    pub about: QuestionAbout,
}

impl Question {
    /// Returns a question that was asked at this time.
    pub fn new(id: QuestionId, asked_at: Timestamp, about: QuestionAbout) -> Self {
        Self { id, asked_at, about }
    }
}

/// The subject of a question.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum QuestionAbout {
    /// A permission for a tool call or a command in a terminal. Answered by [`Answer::Permission`].
    Permission(Box<PermissionRequest>),
    /// A form to fill in. Answered by [`Answer::Form`].
    Form(Box<FormRequest>),
    /// A page to open. Answered by [`Answer::Page`].
    Page(Box<UrlRequest>),
}

impl QuestionAbout {
    /// The answer of somebody who does not agree.
    pub(crate) fn refusal(&self) -> Answer {
        match self {
            Self::Permission(_) => Answer::Permission(Decision::Reject),
            Self::Form(_) => Answer::Form(FormReply::Cancel),
            Self::Page(_) => Answer::Page(UrlReply::Cancel),
        }
    }
}

/// The person's answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// An answer to a permission request.
    Permission(Decision),
    /// An answer to a form.
    Form(FormReply),
    /// An answer to a page.
    Page(UrlReply),
}

/// Why an answer was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerError {
    /// The question has already been answered or withdrawn.
    NotOpen,
    /// The question needs a different kind of answer. It stays open.
    OtherKind,
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotOpen => "the question is no longer open: it was answered or withdrawn",
            Self::OtherKind => "the question needs a different kind of answer",
        })
    }
}

impl std::error::Error for AnswerError {}

/// The questions of one session, or those of an agent that do not belong to a session.
#[derive(Default)]
pub(crate) struct PendingQuestions {
    state: Mutex<Questions>,
    changed: OnceLock<Changed>,
    refused: OnceLock<Changed>,
}

type Changed = Box<dyn Fn() + Send + Sync>;

#[derive(Default)]
struct Questions {
    last: u64,
    open: Vec<(Arc<Question>, Reply)>,
    withdrawn: VecDeque<Arc<Question>>,
    /// Whether a question was refused since the last time that no question was open.
    has_refused: bool,
}

/// The channel to the caller that waits for the answer.
enum Reply {
    Permission(oneshot::Sender<Decision>),
    Form(oneshot::Sender<FormReply>),
    Page(oneshot::Sender<UrlReply>),
}

/// A future that resolves to the answer. Dropping it withdraws the question.
type Coming<A> = Pin<Box<dyn Future<Output = A> + Send>>;

impl PendingQuestions {
    /// Calls `changed` whenever a question is asked, answered or withdrawn. Only the first call of
    /// this function has an effect.
    pub(crate) fn on_change(&self, changed: impl Fn() + Send + Sync + 'static) {
        let _ = self.changed.set(Box::new(changed));
    }

    /// Calls `refused` when the limit is reached: for the first question that is not asked, and
    /// again only after all open questions were answered or withdrawn. Only the first call of this
    /// function has an effect.
    pub(crate) fn on_refusal(&self, refused: impl Fn() + Send + Sync + 'static) {
        let _ = self.refused.set(Box::new(refused));
    }

    pub(crate) fn ask_permission(self: &Arc<Self>, request: PermissionRequest) -> Coming<Decision> {
        self.put(QuestionAbout::Permission(Box::new(request)), Reply::Permission, Decision::Reject)
    }

    pub(crate) fn ask_form(self: &Arc<Self>, request: FormRequest) -> Coming<FormReply> {
        self.put(QuestionAbout::Form(Box::new(request)), Reply::Form, FormReply::Cancel)
    }

    pub(crate) fn ask_page(self: &Arc<Self>, request: UrlRequest) -> Coming<UrlReply> {
        self.put(QuestionAbout::Page(Box::new(request)), Reply::Page, UrlReply::Cancel)
    }

    /// Asks a question. `without` is the answer if the question is dropped, or if too many are
    /// open.
    fn put<A: Send + 'static>(
        self: &Arc<Self>,
        about: QuestionAbout,
        reply: impl FnOnce(oneshot::Sender<A>) -> Reply,
        without: A,
    ) -> Coming<A> {
        let (sender, answer) = oneshot::channel();
        let mut state = self.state();
        if state.open.len() >= OPEN {
            let is_first = !std::mem::replace(&mut state.has_refused, true);
            drop(state);
            if let Some(refused) = self.refused.get().filter(|_| is_first) {
                refused();
            }
            return Box::pin(std::future::ready(without));
        }
        if state.open.is_empty() {
            state.has_refused = false;
        }
        state.last += 1;
        let id = QuestionId(state.last);
        state.open.push((Arc::new(Question { id, asked_at: now(), about }), reply(sender)));
        drop(state);
        self.changed();
        let asked = Asked { pending: Arc::downgrade(self), id };
        Box::pin(async move {
            let answer = answer.await.unwrap_or(without);
            drop(asked);
            answer
        })
    }

    /// Answers a question. `by` names who answered.
    pub(crate) fn answer(
        &self,
        id: QuestionId,
        answer: Answer,
        by: Option<&str>,
    ) -> Result<(), AnswerError> {
        let mut state = self.state();
        let index = state.open.iter().position(|(question, _)| question.id == id);
        let index = index.ok_or(AnswerError::NotOpen)?;
        let fits = matches!(
            (state.open.get(index).map(|(_, reply)| reply), &answer),
            (Some(Reply::Permission(_)), Answer::Permission(_))
                | (Some(Reply::Form(_)), Answer::Form(_))
                | (Some(Reply::Page(_)), Answer::Page(_))
        );
        if !fits {
            return Err(AnswerError::OtherKind);
        }
        let (question, reply) = state.open.remove(index);
        if let (QuestionAbout::Permission(request), Some(name)) = (&question.about, by) {
            request.answered_by.set(name);
        }
        let taken = match (reply, answer) {
            (Reply::Permission(sender), Answer::Permission(decision)) => {
                sender.send(decision).is_ok()
            }
            (Reply::Form(sender), Answer::Form(elicited)) => sender.send(elicited).is_ok(),
            (Reply::Page(sender), Answer::Page(elicited)) => sender.send(elicited).is_ok(),
            _ => false,
        };
        if !taken {
            state.withdraw(question);
        }
        drop(state);
        self.changed();
        if taken { Ok(()) } else { Err(AnswerError::NotOpen) }
    }

    /// The open questions in the order in which they were asked.
    pub(crate) fn open(&self) -> Vec<Question> {
        self.state().open.iter().map(|(question, _)| Question::clone(question)).collect()
    }

    /// The open question that was asked first.
    pub(crate) fn first(&self) -> Option<Arc<Question>> {
        self.state().open.first().map(|(question, _)| question.clone())
    }

    /// The number of open questions.
    pub(crate) fn count(&self) -> usize {
        self.state().open.len()
    }

    /// The last questions that were withdrawn without an answer.
    pub(crate) fn withdrawn(&self) -> Vec<Question> {
        self.state().withdrawn.iter().map(|question| Question::clone(question)).collect()
    }

    /// Forgets the withdrawn questions.
    pub(crate) fn forget_withdrawn(&self) {
        self.state().withdrawn.clear();
    }

    fn state(&self) -> MutexGuard<'_, Questions> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        if let Some(changed) = self.changed.get() {
            changed();
        }
    }
}

impl Questions {
    fn withdraw(&mut self, question: Arc<Question>) {
        if self.withdrawn.len() >= WITHDRAWN {
            self.withdrawn.pop_front();
        }
        self.withdrawn.push_back(question);
    }
}

/// An open question. Dropping it withdraws the question, unless it was answered.
struct Asked {
    pending: Weak<PendingQuestions>,
    id: QuestionId,
}

impl Drop for Asked {
    fn drop(&mut self) {
        let Some(pending) = self.pending.upgrade() else { return };
        let mut state = pending.state();
        let Some(index) = state.open.iter().position(|(question, _)| question.id == self.id) else {
            return;
        };
        let (question, _) = state.open.remove(index);
        state.withdraw(question);
        drop(state);
        pending.changed();
    }
}
