//! Runs one turn from its prompt to its end, and shows it.

mod elicit;

use crate::elicitation::Elicitation;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::permission::{self, Policy, Question, Verdict};
use crate::run::budget::Budget;
use crate::show::paint::{DIM, Paint};
use crate::show::{self, Item, Show, waiting};
use attache_client::{Change, HubError, HubSession, Prompt, Turn, TurnError};
use attache_protocol::ErrorCode;
use attache_protocol::v1::StopReason;
use attache_session::UsageState;
use attache_view::sanitize;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval};

/// The maximum number of changes shown before a question.
const BEFORE_A_QUESTION: usize = 1000;

/// The time that the agent has to end a turn that was cancelled at the deadline. Together with the
/// time to end the agent, this is within the 2 s that `--help` names.
const GRACE: Duration = Duration::from_millis(1500);

/// The message when the turn is cancelled.
const CANCELLING: &str = "cancelling the turn; press Ctrl-C again to end the program";

/// The state of the run that a turn uses.
pub(crate) struct Run<'r> {
    pub(crate) output: &'r mut dyn Show,
    pub(crate) policy: &'r Policy,
    pub(crate) questions: &'r mut mpsc::Receiver<Question>,
    pub(crate) elicitations: &'r mut mpsc::Receiver<Elicitation>,
    pub(crate) interrupts: &'r Interrupts,
    pub(crate) cwd: &'r Path,
    /// The time limit of a turn.
    pub(crate) timeout: Option<Duration>,
    /// The deadline of the next turn, if its time limit did not begin at its prompt.
    pub(crate) deadline: Option<Instant>,
    /// The budget of the session.
    pub(crate) budget: Option<&'r Budget>,
    /// Whether the person was told in this turn that the budget has no effect.
    pub(crate) is_unwatched: bool,
    /// The title that was shown last.
    pub(crate) title: Option<String>,
    /// The number of refused actions of the turn.
    pub(crate) refused: usize,
}

/// The next event of the run.
enum Next {
    End,
    Cancel,
    Timeout,
    /// The agent continued after the turn was cancelled.
    GiveUp,
    Question(Box<Question>),
    Elicitation(Elicitation),
    Change(Option<Box<Change>>),
    /// It is time to show what the session waits for.
    Tick,
}

impl Run<'_> {
    /// Sends a prompt, shows the turn, and returns the exit code of its stop reason.
    ///
    /// # Errors
    /// Returns an error if the turn ends without a stop reason, takes too long or costs too much,
    /// or if the person ends the run.
    pub(crate) async fn turn(
        &mut self,
        session: &HubSession,
        prompt: impl Into<Prompt>,
    ) -> Result<Exit, Failure> {
        if let Some(passed) = self.passed(session) {
            return Err(Failure::new(
                Exit::Limit,
                format!("{passed}: nothing was sent; allow more with --budget"),
            ));
        }
        self.refused = 0;
        let begun = session.prompt(prompt).await;
        let mut turn = begun.map_err(|error| not_sent(&error))?;
        let deadline = self.deadline.take().or_else(|| after(self.timeout));
        let (mut stopping, mut ticks) = (None, waiting::ticks());
        loop {
            match self.next(&mut turn, deadline, stopping, &mut ticks).await {
                Next::End => {
                    return Err(Failure::new(Exit::Cancelled, "ended together with the agent"));
                }
                Next::Cancel => {
                    turn.cancel();
                    stopping = Some(Exit::Cancelled);
                    self.remark(CANCELLING)?;
                }
                Next::Timeout => {
                    turn.cancel();
                    stopping = Some(Exit::Timeout);
                }
                Next::GiveUp => {
                    return Err(self.late(", but the agent did not end it and was stopped"));
                }
                Next::Question(question) => {
                    self.decide(session, &mut turn, *question, deadline, &mut stopping).await?
                }
                Next::Elicitation(elicitation) => {
                    self.elicit(session, &mut turn, elicitation, deadline, &mut stopping).await?
                }
                Next::Change(Some(change)) => self.show(session, *change)?,
                Next::Tick => {
                    if let Some(activity) = waiting::activity(session) {
                        self.output.waiting(&activity).map_err(|error| Failure::output(&error))?;
                    }
                }
                Next::Change(None) => break,
            }
            if stopping.is_none() && self.passed(session).is_some() {
                turn.cancel();
                stopping = Some(Exit::Limit);
            }
        }
        self.ended(session, &mut turn, stopping).await
    }

    /// Returns the message if the session costs more than its budget.
    fn passed(&self, session: &HubSession) -> Option<String> {
        self.budget.and_then(|budget| budget.passed(session.snapshot().usage()))
    }

    async fn next(
        &mut self,
        turn: &mut Turn,
        deadline: Option<Instant>,
        stopping: Option<Exit>,
        ticks: &mut Interval,
    ) -> Next {
        tokio::select! {
            biased;
            () = self.interrupts.end() => Next::End,
            () = self.interrupts.cancel(), if stopping.is_none() => Next::Cancel,
            () = reached(deadline), if stopping.is_none() => Next::Timeout,
            () = reached(deadline.and_then(forced_end)), if stopping == Some(Exit::Timeout) => {
                Next::GiveUp
            }
            Some(question) = self.questions.recv() => Next::Question(Box::new(question)),
            Some(elicitation) = self.elicitations.recv() => Next::Elicitation(elicitation),
            _ = ticks.tick() => Next::Tick,
            change = turn.next() => Next::Change(change.map(Box::new)),
        }
    }

    /// Answers the agent's question, from the policy or by asking the person. The decision is shown
    /// before the agent gets it.
    async fn decide(
        &mut self,
        session: &HubSession,
        turn: &mut Turn,
        question: Question,
        deadline: Option<Instant>,
        stopping: &mut Option<Exit>,
    ) -> Result<(), Failure> {
        self.catch_up(session, turn).await?;
        let before = *stopping;
        let Question { request, mut answer } = question;
        let verdict = match self.policy.verdict(&request) {
            _ if answer.is_closed() => Verdict::withdrawn(),
            Some(verdict) => verdict,
            None => {
                self.output.pause().map_err(|error| Failure::output(&error))?;
                let rules = self.policy.rules.as_ref();
                permission::ask(&request, self.cwd, rules)
                    .map_err(|error| Failure::output(&error))?;
                let verdict = tokio::select! {
                    biased;
                    // The turn is cancelled before the question is dropped, so that the agent sees
                    // a cancellation and not a rejection.
                    () = self.interrupts.cancel() => {
                        *stopping = Some(Exit::Cancelled);
                        turn.cancel();
                        Ok(Verdict::withdrawn())
                    }
                    () = reached(deadline) => {
                        *stopping = Some(Exit::Timeout);
                        turn.cancel();
                        Ok(Verdict::withdrawn())
                    }
                    () = answer.closed() => Ok(Verdict::withdrawn()),
                    verdict = permission::answer(&request, rules) => verdict,
                };
                // Ends the line of the question.
                let _ = writeln!(io::stderr());
                verdict.map_err(|error| {
                    let advice = "allow it with --allow or --yes";
                    Failure::new(
                        Exit::Internal,
                        format!("the terminal cannot be read: {error}; {advice}"),
                    )
                })?
            }
        };
        self.policy.record(&request, &verdict);
        self.refused += usize::from(verdict.refuses());
        self.item(Item::Permission { request: &request, verdict: &verdict })?;
        if *stopping != before && *stopping == Some(Exit::Cancelled) {
            self.remark(CANCELLING)?;
        }
        if let Some(decision) = verdict.decision {
            // A withdrawn question needs no answer.
            let _ = answer.send(decision);
        }
        Ok(())
    }

    /// Shows the changes so far, without waiting.
    async fn catch_up(&mut self, session: &HubSession, turn: &mut Turn) -> Result<(), Failure> {
        for _ in 0..BEFORE_A_QUESTION {
            match tokio::time::timeout(Duration::ZERO, turn.next()).await {
                Ok(Some(change)) => self.show(session, change)?,
                _ => break,
            }
        }
        Ok(())
    }

    fn show(&mut self, session: &HubSession, change: Change) -> Result<(), Failure> {
        let shown = show::change(
            self.output,
            &change,
            &mut self.title,
            || session.snapshot(),
            |id| session.terminal(id),
        );
        shown.map_err(|error| Failure::output(&error))?;
        match change {
            // A call of the model ended.
            Change::Usage(_) if !self.is_unwatched => self.watch(session.snapshot().usage()),
            _ => Ok(()),
        }
    }

    /// Tells the person if the cost so far cannot be compared with the budget.
    fn watch(&mut self, usage: &UsageState) -> Result<(), Failure> {
        let Some(unwatched) = self.budget.and_then(|budget| budget.unwatched(usage)) else {
            return Ok(());
        };
        self.is_unwatched = true;
        self.item(Item::Warning(&unwatched))
    }

    fn item(&mut self, item: Item<'_>) -> Result<(), Failure> {
        self.output.show(item).map_err(|error| Failure::output(&error))
    }

    fn remark(&mut self, text: &str) -> Result<(), Failure> {
        self.output.pause().map_err(|error| Failure::output(&error))?;
        let _ = writeln!(io::stderr(), "{}", Paint::of(&io::stderr()).paint(DIM, text));
        Ok(())
    }

    /// Returns the failure for a turn that took too long, with the effect of the cancellation.
    fn late(&self, but: &str) -> Failure {
        let after = self.timeout.unwrap_or_default().as_secs_f64();
        let message = format!(
            "the turn took longer than {after} s and was cancelled{but}; allow more time with --timeout"
        );
        Failure::new(Exit::Timeout, message)
    }

    async fn ended(
        &mut self,
        session: &HubSession,
        turn: &mut Turn,
        stopping: Option<Exit>,
    ) -> Result<Exit, Failure> {
        let outcome = turn.outcome().await;
        let passed = self.passed(session);
        if let Ok(outcome) = &outcome {
            let snapshot = session.snapshot();
            let state = snapshot.usage();
            if !self.is_unwatched {
                self.watch(state)?;
            }
            self.is_unwatched = false;
            let (reason, usage) = (&outcome.stop_reason, outcome.usage.as_ref());
            self.item(Item::Stop { reason, usage, state, refused: self.refused })?;
        }
        match (outcome, stopping) {
            (_, Some(Exit::Timeout)) => Err(self.late("")),
            (Ok(_), Some(Exit::Cancelled)) => Ok(Exit::Cancelled),
            (Ok(_), _) if passed.is_some() => {
                let message = format!("{}: allow more with --budget", passed.unwrap_or_default());
                Err(Failure::new(Exit::Limit, message))
            }
            (Ok(_), Some(exit)) => Ok(exit),
            (Err(error), Some(exit)) => Err(Failure::new(exit, error)),
            (Ok(outcome), None) => Ok(match exit_of(&outcome.stop_reason) {
                Exit::Done if self.refused > 0 => Exit::NotAllowed,
                exit => exit,
            }),
            (Err(error), None) => Err(failure_of(&error)),
        }
    }
}

/// Returns the time after this duration; `None` if it is out of range.
pub(crate) fn after(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|timeout| Instant::now().checked_add(timeout))
}

/// Returns the time to end an agent that continues after the deadline.
pub(crate) fn forced_end(deadline: Instant) -> Option<Instant> {
    deadline.checked_add(GRACE)
}

/// Waits until this time, or forever without one.
pub(crate) async fn reached(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Returns the exit code of a stop reason.
fn exit_of(reason: &StopReason) -> Exit {
    match reason {
        StopReason::EndTurn => Exit::Done,
        StopReason::MaxTokens | StopReason::MaxTurnRequests => Exit::Limit,
        StopReason::Refusal => Exit::Refused,
        StopReason::Cancelled => Exit::Cancelled,
        StopReason::Unknown(_) => Exit::AgentFailed,
    }
}

/// Returns the failure for a prompt that was not sent.
fn not_sent(error: &HubError) -> Failure {
    match error {
        HubError::AgentGone { why, .. } => {
            let message = format!("the prompt was not sent because the agent is gone: {why}");
            Failure::new(Exit::AgentFailed, message)
        }
        error => Failure::new(Exit::AgentFailed, error),
    }
}

fn failure_of(error: &TurnError) -> Failure {
    match error.error_response() {
        Some(refusal) if refusal.code == ErrorCode::AUTH_REQUIRED => Failure::new(
            Exit::LoginNeeded,
            format!("the agent needs a login first ({})", sanitize::line(&refusal.message)),
        ),
        _ => Failure::new(Exit::AgentFailed, error),
    }
}
