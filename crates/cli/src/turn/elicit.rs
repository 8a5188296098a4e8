//! Forms and pages during a turn: the person answers, unless the turn ends first.

use super::{CANCELLING, Run, reached};
use crate::elicitation::{self, Elicitation};
use crate::exit::{Exit, Failure};
use attache_client::{FormReply, HubSession, Turn, UrlReply};
use std::io::{self, Write};
use tokio::sync::oneshot;
use tokio::time::Instant;

impl Run<'_> {
    /// Lets the person fill in a form or agree to a page.
    pub(super) async fn elicit(
        &mut self,
        session: &HubSession,
        turn: &mut Turn,
        elicitation: Elicitation,
        deadline: Option<Instant>,
        stopping: &mut Option<Exit>,
    ) -> Result<(), Failure> {
        self.catch_up(session, turn).await?;
        self.output.pause().map_err(|error| Failure::output(&error))?;
        let said = match elicitation {
            Elicitation::Form(request, answer) => {
                let asked = elicitation::fill(&request);
                let answered = self.unless_ended(turn, asked, answer, deadline, stopping).await?;
                answered.map(|elicited| match elicited {
                    FormReply::Accept(_) => "sent",
                    FormReply::Decline => "declined",
                    FormReply::Cancel => "not answered",
                })
            }
            Elicitation::Page(request, answer) => {
                let asked = elicitation::open(&request);
                let answered = self.unless_ended(turn, asked, answer, deadline, stopping).await?;
                answered.map(|elicited| match elicited {
                    UrlReply::Accept => "agreed: open the address above in your browser",
                    UrlReply::Decline => "declined",
                    UrlReply::Cancel => "not answered",
                })
            }
        };
        match said {
            Some(said) => self.remark(said),
            None if *stopping == Some(Exit::Cancelled) => self.remark(CANCELLING),
            None => self.remark("the question was withdrawn"),
        }
    }

    /// Waits for the person's answer and sends it; `None` if the turn was cancelled or the question
    /// withdrawn first.
    async fn unless_ended<T: Clone>(
        &mut self,
        turn: &Turn,
        asked: impl Future<Output = io::Result<T>>,
        mut answer: oneshot::Sender<T>,
        deadline: Option<Instant>,
        stopping: &mut Option<Exit>,
    ) -> Result<Option<T>, Failure> {
        let ended = tokio::select! {
            biased;
            // The turn is cancelled before the question is dropped, so that the agent sees a
            // cancellation and not an answer.
            () = self.interrupts.cancel() => Exit::Cancelled,
            () = reached(deadline) => Exit::Timeout,
            () = answer.closed() => {
                let _ = writeln!(io::stderr());
                return Ok(None);
            }
            answered = asked => {
                let answered = answered.map_err(|error| {
                    Failure::new(Exit::Internal, format!("the terminal cannot be read: {error}"))
                })?;
                // A withdrawn question needs no answer.
                let _ = answer.send(answered.clone());
                return Ok(Some(answered));
            }
        };
        turn.cancel();
        *stopping = Some(ended);
        // Ends the line of the question.
        let _ = writeln!(io::stderr());
        Ok(None)
    }
}
