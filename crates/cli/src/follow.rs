//! Shows a hub's session in a terminal until the session is idle: its changes, and the agent's
//! questions to the person.

use crate::exit::{Exit, Failure};
use crate::front_end::ByRule;
use crate::key::type_ahead::TypeAhead;
use crate::permission::Verdict;
use crate::question;
use crate::run;
use crate::say::{println, say};
use crate::show::paint::{DIM, RED, YELLOW};
use crate::show::terminal::Terminal;
use crate::show::tool_call::Bound;
use crate::show::{self, Item, Show, waiting};
use crate::stop::{self, STOP, Stop};
use attache_client::{
    Change, HubSession, PermissionBroker, Prompt, Question, QuestionAbout, SessionState, Watch,
    WatchUpdate,
};
use attache_protocol::ErrorCode;
use attache_session::{Parts, Session, TurnOutcome};
use std::io::{self, Stdout};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// How long a turn can be silent before the person is informed.
const SILENCE: Duration = Duration::from_secs(15);

/// The current session.
pub(crate) struct Follow {
    pub(crate) session: HubSession,
    pub(crate) watch: Watch,
    /// The agent's reasoning in the last turn, which is shown on request.
    pub(crate) thoughts: String,
    /// The remembered rules of this client.
    rules: PermissionBroker,
    /// Decisions by rules, to be shown. The agent gets its answer once the decision is queued here.
    pub(crate) by_rule: mpsc::Receiver<ByRule>,
    /// SIGTERM.
    pub(crate) end: Signal,
    /// Ctrl-C.
    pub(crate) interrupt: Signal,
    /// What the person types while no line is being read.
    pub(crate) type_ahead: TypeAhead,
    /// Whether the person was told what this input is used for.
    is_said: bool,
    /// The command `/stop`.
    pub(crate) stop: Stop,
    output: Terminal<Stdout>,
    /// The title that was shown last.
    title: Option<String>,
}

impl Follow {
    /// Starts to follow a session and to handle Ctrl-C.
    pub(crate) fn new(
        session: HubSession,
        rules: PermissionBroker,
        by_rule: mpsc::Receiver<ByRule>,
        type_ahead: TypeAhead,
    ) -> io::Result<Self> {
        Ok(Self {
            type_ahead,
            is_said: false,
            stop: Stop::default(),
            rules,
            by_rule,
            watch: session.watch(),
            title: session.snapshot().info().title().map(str::to_owned),
            session,
            thoughts: String::new(),
            end: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            output: run::on_terminal(Bound::Conversation),
        })
    }

    /// Switches to another session.
    pub(crate) fn switch(&mut self, session: HubSession) {
        (self.watch, self.title) =
            (session.watch(), session.snapshot().info().title().map(str::to_owned));
        self.thoughts.clear();
        self.stop = Stop::default();
        self.session = session;
    }

    /// Sends a prompt, and shows its turn and the end of the turn.
    pub(crate) async fn send(&mut self, prompt: impl Into<Prompt>) -> Result<(), Failure> {
        self.thoughts.clear();
        self.stop.begin_turn();
        self.output = run::on_terminal(Bound::Conversation);
        // A short turn may be over before `send` returns.
        let before = self.session.snapshot().sequence();
        if let Err(error) = self.session.send(prompt) {
            say(RED, &error.to_string());
            return Ok(());
        }
        self.until_idle().await?;
        let session = self.session.snapshot();
        // If the session changed without a turn, the end of its last turn was already shown.
        if session.changed_at(Parts::TURN) <= before {
            return Ok(());
        }
        match session.last_outcome() {
            Some(TurnOutcome::Stopped(reason)) => {
                let (usage, state) = (session.usage().last_turn(), session.usage());
                self.item(Item::Stop { reason, usage, state, refused: 0 })?;
            }
            Some(TurnOutcome::Failed(error)) => {
                self.pause()?;
                say(RED, &error.message);
                if error.code == ErrorCode::AUTH_REQUIRED {
                    say(
                        DIM,
                        "The agent needs a login: run `attache login` in another terminal, then retry.",
                    );
                }
            }
            None => {}
        }
        if let Some(text) = in_background(&session) {
            say(DIM, &text);
        }
        Ok(())
    }

    /// Whether a turn runs, and no line says what it waits for.
    fn is_silent(&self) -> bool {
        let runs = matches!(self.session.state(), SessionState::Running { .. });
        runs && !self.output.shows_waiting()
    }

    /// Shows what the session waits for.
    fn wait(&mut self) -> Result<(), Failure> {
        let activity = waiting::activity(&self.session);
        let shown = activity.map_or(Ok(()), |activity| self.output.waiting(&activity));
        shown.map_err(|error| Failure::output(&error))
    }

    /// Shows changes, and asks the person the agent's questions, until nothing is running.
    pub(crate) async fn until_idle(&mut self) -> Result<(), Failure> {
        let mut state = self.session.state();
        let (mut interrupts, mut silence) = (0, SILENCE);
        let mut ticks = waiting::ticks();
        loop {
            if let Some(question) = self.session.questions().into_iter().next() {
                self.ask(question).await?;
            } else if !is_busy(&self.session.state())
                && (self.session.queue().is_empty() || self.session.held().is_some())
            {
                match self.show_pending().await? {
                    true => continue,
                    false => break,
                }
            }
            tokio::select! {
                biased;
                _ = self.end.recv() => return Err(Failure::new(Exit::Cancelled, "ended together with the agent")),
                _ = self.interrupt.recv() => {
                    interrupts += 1;
                    self.interrupted(interrupts)?;
                }
                _ = ticks.tick(), if self.output.shows_waiting() => self.wait()?,
                update = self.watch.next() => {
                    let Some(update) = update else { break };
                    silence = SILENCE;
                    self.show_all(&update)?;
                }
                () = self.type_ahead.typed() => self.typed()?,
                () = self.stop.done(), if self.stop.is_stopping() => {}
                Some((request, rule)) = self.by_rule.recv() => {
                    let verdict = Verdict::by_rule(&request, rule);
                    self.item(Item::Permission { request: &request, verdict: &verdict })?;
                }
                () = tokio::time::sleep(silence), if self.is_silent() => {
                    self.output.interrupt().map_err(|error| Failure::output(&error))?;
                    say(DIM, &format!("({}; Ctrl-C cancels)", self.session.state()));
                    silence *= 2;
                }
            }
            let now = self.session.state();
            if is_notable(&now) && std::mem::discriminant(&now) != std::mem::discriminant(&state) {
                self.pause()?;
                say(YELLOW, &now.to_string());
            }
            state = now;
        }
        self.output.finish().map_err(|error| Failure::output(&error))?;
        if let Some(held) = self.session.held() {
            say(YELLOW, &format!("the queue is paused: {held}"));
        }
        Ok(())
    }

    /// Shows the changes that have already happened, without waiting. Returns whether there were
    /// any.
    async fn show_pending(&mut self) -> Result<bool, Failure> {
        let update = tokio::select! {
            biased;
            update = self.watch.next() => update,
            () = std::future::ready(()) => None,
        };
        update.as_ref().map_or(Ok(()), |update| self.show_all(update))?;
        Ok(update.is_some())
    }

    fn show_all(&mut self, update: &WatchUpdate) -> Result<(), Failure> {
        // If the history was reloaded, the person has already seen it.
        if update.replaced {
            return Ok(());
        }
        update.changes.iter().try_for_each(|change| self.show(change))
    }

    /// Runs `/stop` if the person typed it, and tells them once what other input is used for.
    fn typed(&mut self) -> Result<(), Failure> {
        if let Some(wanted) = self.type_ahead.take_command(STOP) {
            self.interrupt()?;
            self.stop.run(&self.session, &wanted);
        } else if !self.is_said {
            self.is_said = true;
            self.interrupt()?;
            let stop = match stop::is_possible(&self.session.snapshot()) {
                true => "; /stop lists what can be stopped alone",
                false => "",
            };
            say(DIM, &format!("(your input becomes the start of your next line{stop})"));
        }
        Ok(())
    }

    fn interrupted(&mut self, times: usize) -> Result<(), Failure> {
        self.pause()?;
        match times {
            _ if matches!(self.session.state(), SessionState::Gone { .. }) => {
                say(DIM, "no longer waiting for the agent; /restart starts it again");
                self.session.agent().stop();
            }
            1 => {
                say(DIM, "cancelling; press Ctrl-C again to restart the agent");
                self.session.cancel();
            }
            _ => self.session.agent().restart(),
        }
        Ok(())
    }

    /// Asks the person one question. The person can cancel the turn instead, and the agent can
    /// withdraw the question.
    async fn ask(&mut self, question: Question) -> Result<(), Failure> {
        self.pause()?;
        self.type_ahead.stop();
        let answer = tokio::select! {
            biased;
            _ = self.interrupt.recv() => Ok(None),
            answer = question::put(&self.session, &question, &self.rules) => answer,
        };
        self.type_ahead.start();
        let answer = answer.map_err(|error| {
            Failure::new(Exit::Internal, format!("the terminal cannot be read: {error}"))
        })?;
        println("");
        match answer {
            // A withdrawn question needs no answer.
            Some((answer, verdict)) => {
                if let (QuestionAbout::Permission(request), Some(verdict)) =
                    (&question.about, &verdict)
                {
                    self.item(Item::Permission { request, verdict })?;
                }
                let _ = self.session.answer_as(question.id, answer, "chat");
            }
            None if self.session.questions().iter().any(|open| open.id == question.id) => {
                self.session.cancel()
            }
            None => say(DIM, "the question was withdrawn"),
        }
        Ok(())
    }

    fn show(&mut self, change: &Change) -> Result<(), Failure> {
        if let Change::Thought(text) = change {
            // The reasoning is collapsed: the person sees that the agent is thinking, and can ask
            // for the text.
            if self.thoughts.is_empty() {
                self.pause()?;
                say(DIM, "thinking … (/thoughts shows the reasoning)");
            }
            self.thoughts.push_str(text);
            return Ok(());
        }
        let session = self.session.clone();
        let shown = show::change(
            &mut self.output,
            change,
            &mut self.title,
            || session.snapshot(),
            |id| session.terminal(id),
        );
        shown.map_err(|error| Failure::output(&error))
    }

    fn item(&mut self, item: Item<'_>) -> Result<(), Failure> {
        self.output.show(item).map_err(|error| Failure::output(&error))
    }

    /// Prepares for a line of this program. The agent's message continues below it.
    fn interrupt(&mut self) -> Result<(), Failure> {
        self.output.interrupt().map_err(|error| Failure::output(&error))
    }

    fn pause(&mut self) -> Result<(), Failure> {
        self.output.pause().map_err(|error| Failure::output(&error))
    }
}

/// Returns how much work goes on after the turn; `None` if the agent reports none.
fn in_background(session: &Session) -> Option<String> {
    let count = session.background().map_or(0, <[_]>::len);
    let goes_on = match count {
        0 => return None,
        1 => "1 task goes on in the background".to_owned(),
        count => format!("{count} tasks go on in the background"),
    };
    let stop = if stop::is_possible(session) { "; /stop lists what can be stopped" } else { "" };
    Some(format!("{goes_on}{stop}"))
}

/// Returns whether the session is not idle.
fn is_busy(state: &SessionState) -> bool {
    use SessionState::{Cancelling, Gone, Running, Starting, WaitingForPerson};
    matches!(
        state,
        Starting
            | Running { .. }
            | Cancelling { .. }
            | WaitingForPerson { .. }
            | Gone { restarting: true, .. }
    )
}

/// Returns whether a change to this state is shown to the person.
pub(crate) fn is_notable(state: &SessionState) -> bool {
    matches!(
        state,
        SessionState::Gone { .. } | SessionState::ReadOnly { .. } | SessionState::Unresponsive
    )
}
