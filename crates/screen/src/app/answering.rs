//! Questions of agents: which one is shown, and what the person's answer does.

use crate::app::state::{App, Done, ShownQuestion};
use crate::panel::form::FormPanel;
use crate::panel::page::PagePanel;
use crate::panel::permission::PermissionPanel;
use crate::panel::request::PanelAnswer;
use crate::panel::{Panel, QUIET};
use attache_client::{
    Answer, Decision, FormReply, HubSession, Question, QuestionAbout, SessionState,
};
use attache_protocol::v1::SessionId;
use attache_view::{PermissionView, rule_about, sanitize};
use std::time::Instant;

/// What the log of decisions calls the screen.
const NAME: &str = "screen";

/// The number of open questions of a session in this state.
pub(crate) fn open_questions(state: &SessionState) -> usize {
    match state {
        SessionState::WaitingForPerson { questions } => *questions,
        _ => 0,
    }
}

impl App {
    /// Shows the question that comes first: one of the session that the person chose to answer,
    /// else of the session that is shown, else of its agent.
    pub(crate) fn refresh_question(&mut self) {
        if !std::mem::take(&mut self.is_question_stale) {
            return;
        }
        let chosen = self.answering.as_ref().and_then(|(agent, id)| self.hub.session(agent, id));
        let chosen = chosen.filter(|session| session.first_question().is_some());
        if chosen.is_none() {
            self.answering = None;
        }
        let session = chosen.or_else(|| self.session().cloned());
        let first = session.as_ref().and_then(HubSession::first_question);
        let (agent, id, question) = match (session, first, self.slot()) {
            (Some(session), Some(question), _) => {
                (session.agent().name().to_owned(), Some(session.id().clone()), question)
            }
            (_, _, Some(slot)) => {
                let agent = slot.agent.clone();
                match self.hub.agent(&agent).and_then(|agent| agent.first_question()) {
                    Some(question) => (agent, None, question),
                    None => return self.leave_question(),
                }
            }
            _ => return self.leave_question(),
        };
        let is_shown = |shown: &ShownQuestion| {
            shown.agent == agent && shown.session == id && shown.id == question.id
        };
        if !self.question.as_ref().is_some_and(is_shown) {
            self.leave_question();
            let panel = self.question_panel(&agent, id.as_ref(), &question);
            self.question = Some(ShownQuestion {
                agent,
                session: id,
                id: question.id,
                about: question.about.clone(),
                panel,
                drawn: None,
                is_taken: None,
            });
            self.is_dirty = true;
        }
    }

    fn question_panel(
        &self,
        agent: &str,
        id: Option<&SessionId>,
        question: &Question,
    ) -> Box<dyn Panel> {
        let shown =
            self.session().is_some_and(|it| Some(it.id()) == id && it.agent().name() == agent);
        let session = id.and_then(|id| self.hub.session(agent, id));
        let title = session.as_ref().map(crate::panel::attention::title_of);
        let who = match title.filter(|_| !shown) {
            Some(title) => format!("{} in \"{title}\"", sanitize::line(agent)),
            None => sanitize::line(agent),
        };
        match &question.about {
            QuestionAbout::Permission(request) => {
                let cwd = session.map(|it| it.cwd().to_owned()).unwrap_or_default();
                let view = PermissionView::new(request, agent, &cwd);
                Box::new(PermissionPanel::new(
                    Box::new(view),
                    &request.options,
                    &who,
                    self.theme.clone(),
                ))
            }
            QuestionAbout::Form(request) => Box::new(FormPanel::new(request, &who)),
            QuestionAbout::Page(request) => Box::new(PagePanel::new(request, &who)),
            _ => Box::new(crate::panel::pager::PagerPanel::of_lines(who, Vec::new())),
        }
    }

    /// Whether the terminal has shown the question for a moment, and nothing covers it.
    pub(crate) fn question_is_visible(&self) -> bool {
        let drawn = self.question.as_ref().and_then(|question| question.drawn);
        let is_visible = drawn.is_some_and(|at| at.elapsed() >= QUIET);
        is_visible && self.panel.is_none() && !self.composer.has_popup()
    }

    /// Whether keys go to the question.
    pub(crate) fn question_has_keys(&self) -> bool {
        let Some(question) = self.question.as_ref().filter(|_| self.question_is_visible()) else {
            return false;
        };
        if let Some(taken) = question.is_taken {
            return taken;
        }
        let is_quiet = self.last_key.is_none_or(|at| at.elapsed() >= QUIET);
        let is_free = self.answering.is_some() || self.composer.is_empty();
        is_quiet && is_free && !self.is_reading
    }

    /// Notes whether the terminal shows the question, after each frame was written.
    pub(crate) fn question_drawn(&mut self) {
        let is_covered = self.panel.is_some() || self.composer.has_popup();
        let is_covered = is_covered || self.question_area.is_empty();
        let Some(question) = &mut self.question else { return };
        match !is_covered && question.panel.was_shown() {
            true => _ = question.drawn.get_or_insert_with(Instant::now),
            false => question.drawn = None,
        }
    }

    /// Notes that something else has the terminal.
    pub(crate) fn question_covered(&mut self) {
        if let Some(question) = &mut self.question {
            question.drawn = None;
        }
    }

    /// Takes up the question, or puts it aside so that the person can write.
    pub(crate) fn take_question(&mut self, taken: bool) {
        if let Some(question) = &mut self.question {
            question.is_taken = Some(taken);
            self.is_dirty = true;
        }
    }

    /// Gives the answer to the question that is shown.
    pub(crate) fn answer(&mut self, answer: PanelAnswer) {
        let Some(question) = self.question.take() else { return };
        self.drop_question();
        let typed = question.panel.typed_text();
        if matches!(answer, PanelAnswer::Form(FormReply::Decline | FormReply::Cancel)) {
            self.keep_typed(&typed);
        }
        let session =
            question.session.as_ref().and_then(|id| self.hub.session(&question.agent, id));
        let mut open = None;
        let mut why = None;
        let answer = match (answer, &question.about) {
            (PanelAnswer::Permission(decision), QuestionAbout::Permission(_)) => {
                Answer::Permission(decision)
            }
            (PanelAnswer::Remember { effect, reach }, QuestionAbout::Permission(request)) => {
                let cwd = session.as_ref().map(|it| it.cwd().to_owned()).unwrap_or_default();
                let rule = rule_about(request, &question.agent, &cwd, effect, reach);
                let Some(rule) = rule else {
                    return self
                        .notices
                        .error("no rule covers exactly this call: nothing was decided");
                };
                let decision = Decision::by_rule(&rule);
                match self.rules.remember(rule.clone()) {
                    Ok(()) => self.notices.info(&format!("remembered: {}", rule.to_line())),
                    Err(error) => self.notices.error(&format!(
                        "the rule was not remembered, so the decision applies only once: {error}"
                    )),
                }
                Answer::Permission(decision)
            }
            (PanelAnswer::RejectSaying(text), QuestionAbout::Permission(_)) => {
                why = Some(text);
                Answer::Permission(Decision::Reject)
            }
            (PanelAnswer::Form(reply), _) => Answer::Form(reply),
            (PanelAnswer::Page { reply, open: page }, _) => {
                open = page;
                Answer::Page(reply)
            }
            _ => return,
        };
        let answered = match &session {
            Some(session) => session.answer_as(question.id, answer, NAME),
            None => match self.hub.agent(&question.agent) {
                Some(agent) => agent.answer_as(question.id, answer, NAME),
                None => Ok(()),
            },
        };
        if let Err(error) = answered {
            self.keep_typed(&why.unwrap_or(typed));
            return self.notices.warning(&error.to_string());
        }
        if let Some(page) = open {
            self.open_page(page);
        }
        if let (Some(why), Some(session)) = (why, session) {
            self.send_why(&session, &why);
        }
    }

    /// Tells the agent why something was rejected: the turn ends, and the text is the next prompt.
    fn send_why(&mut self, session: &HubSession, why: &str) {
        match session.send(why) {
            Ok(id) => {
                session.send_now(id);
            }
            Err(error) => {
                self.keep_typed(why);
                self.notices.error(&error.to_string());
            }
        }
    }

    /// Opens a page with the person's browser.
    pub(crate) fn open_page(&mut self, page: String) {
        self.tasks.spawn(async move {
            let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
            let mut command = tokio::process::Command::new(opener);
            let null = std::process::Stdio::null;
            command.arg(&page).stdin(null()).stdout(null()).stderr(null());
            match command.status().await {
                Ok(status) if status.success() => {
                    Done::Say(attache_view::NoticeLevel::Info, format!("opened {page}"))
                }
                _ => Done::Say(
                    attache_view::NoticeLevel::Warning,
                    format!("no browser could be started: open {page} yourself"),
                ),
            }
        });
    }

    /// The number of questions of sessions that are not shown.
    pub(crate) fn questions_elsewhere(&self) -> usize {
        let shown = self.session();
        let sessions = self.hub.sessions();
        let others = sessions.iter().filter(|session| Some(*session) != shown);
        others.map(|session| open_questions(&session.state())).sum()
    }
}
