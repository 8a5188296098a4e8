//! What an agent asks, put to the person at the terminal.

use crate::{elicitation, permission};
use attache_client::{Answer, HubSession, Question, QuestionAbout};
use std::io;

/// Waits for the person's answer; `None` if the question is withdrawn first.
///
/// # Errors
/// The terminal cannot be read; nothing is answered then.
pub(crate) async fn put(session: &HubSession, question: &Question) -> io::Result<Option<Answer>> {
    let is_open = || session.questions().iter().any(|open| open.id == question.id);
    let mut watch = session.watch();
    let withdrawn = async { while is_open() && watch.next().await.is_some() {} };
    let answered = async {
        Ok(match &question.about {
            QuestionAbout::Permission(request) => {
                permission::ask(request, session.cwd())?;
                permission::answer(request).await?.decision.map(Answer::Permission)
            }
            QuestionAbout::Form(request) => Some(Answer::Form(elicitation::fill(request).await?)),
            QuestionAbout::Page(request) => Some(Answer::Page(elicitation::open(request).await?)),
            _ => None,
        })
    };
    tokio::select! {
        biased;
        () = withdrawn => Ok(None),
        answer = answered => answer,
    }
}
