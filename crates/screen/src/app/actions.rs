//! Keys and pastes.

use crate::app::slot::Slot;
use crate::app::state::{App, Done};
use crate::app::terminal_job::TerminalJob;
use crate::composer::{ComposerEvent, EditorText};
use crate::keymap::{Action, Context};
use crate::panel::Outcome;
use crate::panel::request::Request;
use attache_client::SessionState;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind};
use ratatui::layout::Rect;
use std::time::{Duration, Instant};

/// The time in which a second key ends the screen.
const TWICE: Duration = Duration::from_secs(2);

/// The time in which Ctrl-D after a deletion counts as a key that is held.
const HELD: Duration = Duration::from_millis(600);

/// Whether an action works even while a question has the keys.
fn is_for_screen(action: Action) -> bool {
    matches!(
        action,
        Action::Quit
            | Action::Suspend
            | Action::Redraw
            | Action::Interrupt
            | Action::Sessions
            | Action::Attention
            | Action::Settings
            | Action::Agents
            | Action::Queue
            | Action::ResumeQueue
            | Action::NewSession
            | Action::NextSession
            | Action::PreviousSession
            | Action::FoldAll
    )
}

impl App {
    /// Handles an event of the terminal.
    pub(crate) fn event(&mut self, event: Event) {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key),
            Event::Paste(text) => self.paste(&text),
            Event::Mouse(mouse) => self.mouse_event(mouse),
            Event::Resize(width, height) => {
                self.area = Rect::new(0, 0, width, height);
                self.is_redrawn = true;
                self.is_dirty = true;
            }
            Event::FocusGained => {
                self.has_focus = true;
                self.notified = 0;
            }
            Event::FocusLost => self.has_focus = false,
            Event::Key(_) => {}
        }
    }

    /// The part of the keymap that applies now.
    pub(crate) fn context(&self) -> Context {
        match (&self.panel, &self.question) {
            (Some(panel), _) => panel.context(),
            (None, Some(question)) if self.question_has_keys() => question.panel.context(),
            _ if self.is_reading => Context::Conversation,
            _ => Context::Composer,
        }
    }

    fn key(&mut self, key: KeyEvent) {
        self.is_dirty = true;
        self.notices.dismiss_info();
        let context = self.context();
        let action = self.keymap.action(context, key);
        let question_has_keys = self.question_has_keys();
        self.last_key = Some(Instant::now());
        if self.panel.is_some() {
            return self.key_in_panel(action, key);
        }
        if question_has_keys {
            return self.key_in_question(action, key);
        }
        if action != Some(Action::Interrupt) {
            self.interrupted = None;
        }
        if action != Some(Action::Cancel) {
            self.escaped = None;
        }
        if self.is_reading {
            return self.key_in_conversation(action);
        }
        self.key_in_composer(action, key);
    }

    fn key_in_panel(&mut self, action: Option<Action>, key: KeyEvent) {
        match action {
            Some(Action::Quit) => return self.request(Request::Quit),
            Some(Action::Suspend) => return self.job = Some(TerminalJob::Suspend),
            Some(Action::Redraw) => return self.is_redrawn = true,
            _ => {}
        }
        // Esc and Ctrl-C close every panel that has no other use for them.
        let closes = matches!(action, Some(Action::Cancel | Action::Interrupt));
        if closes || action == Some(Action::Dismiss) {
            // A rejection in the review is a restore.
            if self.stop_restore() {
                return;
            }
            self.stop_planning();
        }
        let Some(panel) = &mut self.panel else { return };
        let action = if closes && panel.context() == Context::Picker {
            Some(Action::Dismiss)
        } else {
            action
        };
        let outcome = panel.key(action, key);
        self.outcome(outcome);
    }

    fn key_in_question(&mut self, action: Option<Action>, key: KeyEvent) {
        let Some(question) = &mut self.question else { return };
        match action {
            // The panel must not see the letter of Alt-A or Ctrl-E.
            Some(action) if is_for_screen(action) => {
                self.global(action);
                return;
            }
            Some(Action::SwitchFocus) => return self.take_question(false),
            Some(Action::Cancel) if question.panel.cancels_turn() => {
                return match self.answering.is_some() {
                    true => {
                        self.answering = None;
                        self.drop_question();
                    }
                    false => self.cancel_turn(),
                };
            }
            Some(Action::Help) => return self.show_help(),
            _ => {}
        }
        // A person who uses a question goes on to use it, however fast.
        question.is_taken = Some(true);
        let typed = question.panel.typed_text();
        let outcome = question.panel.key(action, key);
        let is_dropped = matches!(action, Some(Action::Cancel | Action::Interrupt))
            && question.panel.typed_text().is_empty();
        if is_dropped {
            self.keep_typed(&typed);
        }
        match outcome {
            Outcome::Close | Outcome::Stay => {}
            Outcome::Do(request) | Outcome::CloseAnd(request) => self.request(request),
        }
    }

    fn key_in_conversation(&mut self, action: Option<Action>) {
        let Some(action) = action else { return };
        match action {
            Action::SwitchFocus | Action::Cancel if self.stop_seeking() => {}
            Action::SwitchFocus | Action::Cancel => self.is_reading = false,
            _ if self.read(action) => {}
            _ => {
                self.global(action);
            }
        }
    }

    fn key_in_composer(&mut self, action: Option<Action>, key: KeyEvent) {
        let is_empty = self.composer.is_empty();
        let in_list = self.composer.popup().is_some();
        match action {
            // A list at the composer has its own use for the keys.
            _ if in_list => {}
            Some(Action::Interrupt) => return self.interrupt(),
            Some(Action::Help) if is_empty => return self.show_help(),
            Some(Action::SwitchFocus) if is_empty || self.question.is_some() => {
                return match self.question.is_some() {
                    true => self.take_question(true),
                    false => self.is_reading = true,
                };
            }
            Some(Action::DeleteForward) if is_empty && key.code == KeyCode::Char('d') => {
                return self.quit_by_deletion();
            }
            _ => {}
        }
        self.deleted = (action == Some(Action::DeleteForward)).then(Instant::now);
        if is_empty && key.code == KeyCode::Char('/') {
            self.refresh_commands();
        }
        let event = self.composer.handle(key);
        match (event, action) {
            (ComposerEvent::Ignored, Some(action)) => {
                self.global(action);
            }
            (event, _) => self.composed(event),
        }
    }

    pub(crate) fn composed(&mut self, event: ComposerEvent) {
        match event {
            ComposerEvent::Submit(prompt) => self.submit(&prompt, false),
            ComposerEvent::SendNow(prompt) => self.submit(&prompt, true),
            _ => {}
        }
    }

    /// Does an action that works everywhere. Returns whether the action is one.
    pub(crate) fn global(&mut self, action: Action) -> bool {
        match action {
            Action::Help => self.show_help(),
            Action::Quit => self.request(Request::Quit),
            Action::Interrupt => self.interrupt(),
            Action::Cancel => self.cancel(),
            Action::Suspend => self.job = Some(TerminalJob::Suspend),
            Action::Redraw => self.is_redrawn = true,
            Action::Sessions => self.show_sessions(""),
            Action::Attention => self.show_attention(),
            Action::Settings => self.show_settings(None),
            Action::Model => self.show_settings(Some("model")),
            Action::ThoughtLevel => self.show_settings(Some("thought_level")),
            Action::Agents => self.show_agents(),
            Action::Queue => self.show_queue(),
            Action::ResumeQueue => self.resume_queue(),
            Action::NewSession => {
                let agent = self.slot().map(|slot| slot.agent.clone()).unwrap_or_default();
                self.open_new(&agent);
            }
            Action::NextSession => self.step_session(1),
            Action::PreviousSession => self.step_session(-1),
            Action::NextMode => self.next_mode(),
            Action::ExternalEditor => self.edit_externally(),
            Action::PasteImage => self.paste_image(),
            Action::SwitchFocus => self.is_reading = !self.is_reading,
            _ => return self.read(action),
        }
        true
    }

    fn step_session(&mut self, by: isize) {
        let count = self.slots.len().max(1);
        self.show((self.focus + count).saturating_add_signed(by) % count);
    }

    fn next_mode(&mut self) {
        let Some(session) = self.session().cloned() else { return };
        let snapshot = session.snapshot();
        let Some(modes) = snapshot.config().modes() else {
            return self.notices.info("this agent has no modes");
        };
        let ids: Vec<_> = modes.available_modes.iter().map(|mode| mode.id.clone()).collect();
        let now = ids.iter().position(|id| *id == modes.current_mode_id).unwrap_or(0);
        let Some(next) = ids.get((now + 1) % ids.len().max(1)).cloned() else { return };
        self.tasks.spawn(async move {
            match session.set_mode(next.as_str()).await {
                Ok(()) => Done::Listed(Ok(())),
                Err(error) => Done::Say(attache_view::NoticeLevel::Error, error.to_string()),
            }
        });
    }

    fn edit_externally(&mut self) {
        if let Some(slot) = self.slot() {
            let text = EditorText::new(&self.composer.pieces());
            self.job = Some(TerminalJob::Edit { slot: slot.id, text });
        }
    }

    /// Ctrl-C: puts the text into the history, else cancels the turn, else ends the screen the
    /// second time.
    fn interrupt(&mut self) {
        if self.clear_text() {
            return self.notices.info("the text is in the history: the Up key brings it back");
        }
        if self.interrupted.is_some_and(|at| at.elapsed() < TWICE) {
            return self.request(Request::Quit);
        }
        self.interrupted = Some(Instant::now());
        if self.cancels() {
            self.cancel_turn();
        } else {
            self.notices.info("press Ctrl-C again to quit; the sessions stay in the list");
        }
    }

    /// Ctrl-D without text: ends the screen, the second time while a session works or prompts wait.
    /// A key that is held after it deleted text has no effect.
    fn quit_by_deletion(&mut self) {
        if self.deleted.is_some_and(|at| at.elapsed() < HELD) {
            self.deleted = Some(Instant::now());
            return;
        }
        let is_second = self.quitting.is_some_and(|at| at.elapsed() < TWICE);
        if is_second || !self.slots.iter().any(Slot::is_busy) {
            return self.request(Request::Quit);
        }
        self.quitting = Some(Instant::now());
        self.notices.info("work goes on: Ctrl-D again to quit");
    }

    fn cancels(&self) -> bool {
        use SessionState::{Running, WaitingForPerson};
        let state = self.session().map(|session| session.state());
        matches!(state, Some(Running { .. } | WaitingForPerson { .. }))
    }

    /// Esc: stops an opening, a restore, the turn or a shell command, else hides messages, else,
    /// twice, clears the text or shows the timeline.
    fn cancel(&mut self) {
        if self.stop_seeking() || self.cancel_opening() || self.stop_restore() {
        } else if self.cancels() {
            self.cancel_turn();
        } else if self.slot_mut().is_some_and(crate::app::slot::Slot::stop_shell) {
            self.notices.info("stopped the command");
        } else if self.notices.dismiss() {
        } else if self.is_reading {
            self.is_reading = false;
        } else if self.escaped.take().is_some_and(|at| at.elapsed() < TWICE) {
            match self.composer.is_empty() {
                true => self.show_timeline(false),
                false => self.interrupt(),
            }
        } else {
            self.escaped = Some(Instant::now());
            self.notices.info(match self.composer.is_empty() {
                true => "press Esc again to go back to before a prompt",
                false => "press Esc again to clear the text, which stays in the history",
            });
        }
    }

    pub(crate) fn cancel_turn(&mut self) {
        if let Some(session) = self.session() {
            session.cancel();
        }
        self.drop_question();
    }

    fn paste(&mut self, text: &str) {
        self.is_dirty = true;
        let question_has_keys = self.question_has_keys();
        self.last_key = Some(Instant::now());
        if let Some(panel) = &mut self.panel {
            panel.paste(text);
            return;
        }
        if question_has_keys
            && let Some(question) = &mut self.question
            && question.panel.paste(text)
        {
            return;
        }
        self.is_reading = false;
        if let Err(why) = self.composer.paste(text) {
            self.notices.warning(&why);
        }
    }
}
