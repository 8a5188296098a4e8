//! Questions from an agent to the person at the terminal.

use crate::permission::Verdict;
use crate::permission::rules::Rules;
use crate::{elicitation, permission};
use attache_client::{Answer, HubSession, PermissionBroker, Question, QuestionAbout};
use std::io;

/// Waits for the person's answer, and returns it with the verdict if it is about a permission;
/// `None` if the question is withdrawn first.
///
/// # Errors
/// Returns an error if the terminal cannot be read.
pub(crate) async fn put(
    session: &HubSession,
    question: &Question,
    rules: &PermissionBroker,
) -> io::Result<Option<(Answer, Option<Verdict>)>> {
    let rules = Rules::of(rules, session);
    let is_open = || session.questions().iter().any(|open| open.id == question.id);
    let mut watch = session.watch();
    let withdrawn = async { while is_open() && watch.next().await.is_some() {} };
    let answered = async {
        Ok(match &question.about {
            QuestionAbout::Permission(request) => {
                permission::ask(request, session.cwd(), Some(&rules))?;
                let verdict = permission::answer(request, Some(&rules)).await?;
                let decision = verdict.decision.clone();
                decision.map(|decision| (Answer::Permission(decision), Some(verdict)))
            }
            QuestionAbout::Form(request) => {
                Some((Answer::Form(elicitation::fill(request).await?), None))
            }
            QuestionAbout::Page(request) => {
                Some((Answer::Page(elicitation::open(request).await?), None))
            }
            _ => None,
        })
    };
    tokio::select! {
        biased;
        () = withdrawn => Ok(None),
        answer = answered => answer,
    }
}
