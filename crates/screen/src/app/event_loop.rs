//! The loop: events in, frames out.

use crate::app::answering::open_questions;
use crate::app::ending::Ending;
use crate::app::options::ScreenOptions;
use crate::app::slot::Slot;
use crate::app::state::{App, Done};
use crate::app::terminal_job::{self, TerminalJob};
use crate::panel::attention::{title_of, waits_for};
use crate::terminal::frame_writer::FrameWriter;
use crate::terminal::input::Input;
use crate::terminal::modes::{self, ShownScreen};
use crate::terminal::notification;
use crate::terminal::panic_hook::{self, BackgroundPanics};
use crate::terminal::signals::{self, Signalled, Signals};
use attache_client::{Change, PermissionRequest, Rule, Watch, WatchUpdate};
use attache_view::sanitize;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::io;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// The shortest time between two frames.
const FRAME: Duration = Duration::from_millis(16);

/// How often a time that passes is drawn.
const TICK: Duration = Duration::from_secs(1);

type Drawing = Terminal<CrosstermBackend<FrameWriter>>;

/// Shows the screen until the person or a signal ends it, and closes the hub.
///
/// # Errors
/// Returns an error if the terminal cannot be used.
pub async fn run(mut options: ScreenOptions) -> io::Result<Ending> {
    let (width, height) = ratatui::crossterm::terminal::size()?;
    let area = Rect::new(0, 0, width, height);
    let panics = panic_hook::install();
    let signals = Signals::listen()?;
    let prompt = options.prompt.take();
    let (_, never) = mpsc::channel(1);
    let by_rule = std::mem::replace(&mut options.by_rule, never);
    let shown = ShownScreen::enter(options.mouse)?;
    let drawing = drawing(area)?;
    let app = App::new(options, area);
    let watch = app.hub.watch();
    let mut running = Running {
        app,
        drawing,
        input: Input::new(),
        signals,
        watch,
        by_rule,
        panics,
        next_frame: Instant::now(),
        resumed: false,
    };
    running.app.begin(prompt);
    let ended = running.until_ended().await;
    running.app.store_draft();
    let ending = ended.map(|by_signal| running.app.ending(by_signal));
    // The person gets the terminal back before the agents end, which can take seconds.
    drop(running.input);
    drop(shown);
    running.app.tasks.shutdown().await;
    let mut signals = running.signals;
    tokio::select! {
        () = running.app.hub.close() => {}
        // The person or the system does not wait for the agents.
        () = signals.ended() => {}
    }
    ending
}

/// Returns an empty drawing of this size, whose first frame clears the terminal. A size that is
/// fixed is never queried, and neither is the cursor.
fn drawing(area: Rect) -> io::Result<Drawing> {
    let viewport = TerminalOptions { viewport: Viewport::Fixed(area) };
    Terminal::with_options(CrosstermBackend::new(FrameWriter::clearing()), viewport)
}

/// The screen while it runs.
struct Running {
    app: App,
    drawing: Drawing,
    input: Input,
    signals: Signals,
    watch: Watch,
    by_rule: mpsc::Receiver<(PermissionRequest, Rule)>,
    panics: BackgroundPanics,
    /// The time of the next frame, if something changes.
    next_frame: Instant,
    /// Whether the next SIGCONT follows a stop that the screen itself asked for.
    resumed: bool,
}

impl App {
    /// Opens the first session, or the picker from which the person chooses it.
    fn begin(&mut self, prompt: Option<String>) {
        let pick = self.first.pick.clone();
        self.open_first(prompt);
        if let Some(words) = pick {
            self.show_sessions(&words);
        }
    }
}

impl Running {
    /// Returns whether a signal ended the screen.
    async fn until_ended(&mut self) -> io::Result<bool> {
        loop {
            if let Some(job) = self.app.job.take() {
                self.run_job(job)?;
            }
            if self.app.is_ended {
                return Ok(false);
            }
            if self.app.is_dirty && Instant::now() >= self.next_frame {
                self.draw()?;
            }
            let tick = self.next_frame + TICK;
            tokio::select! {
                biased;
                signal = self.signals.next() => match signal {
                    Signalled::End | Signalled::HangUp => return Ok(true),
                    Signalled::Suspend => self.run_job(TerminalJob::Suspend)?,
                    Signalled::Continue => self.continued()?,
                },
                event = self.input.next() => match event {
                    Some(Ok(event)) => self.app.event(event),
                    Some(Err(error)) => return Err(error),
                    None => return Ok(true),
                },
                () = sleep_until(self.next_frame), if self.app.is_dirty => {}
                Some(done) = self.app.tasks.join_next() => {
                    self.app.background_panics(&self.panics);
                    if let Ok(done) = done {
                        self.app.done(done);
                    }
                }
                Some((request, rule)) = self.by_rule.recv() => self.app.decided(&request, &rule),
                update = self.watch.next_within(FRAME) => match update {
                    Some(update) => self.app.hub_changed(&update),
                    None => return Ok(false),
                },
                () = self.app.wake.notified() => self.app.woken(),
                () = sleep_until(tick), if self.app.shows_time() => self.app.is_dirty = true,
            }
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let app = &mut self.app;
        if std::mem::take(&mut app.is_redrawn) {
            self.drawing = drawing(app.area)?;
        }
        app.is_dirty = false;
        self.drawing.draw(|frame| app.draw(frame))?;
        app.question_drawn();
        app.notify();
        // A question that was just drawn takes keys a moment later, and shows that.
        self.next_frame = Instant::now() + FRAME;
        Ok(())
    }

    /// Gives the terminal to another program.
    fn run_job(&mut self, job: TerminalJob) -> io::Result<()> {
        self.input.pause();
        modes::leave();
        let is_suspension = matches!(job, TerminalJob::Suspend);
        match job {
            TerminalJob::Suspend => {
                self.resumed = true;
                signals::stop_this_process();
            }
            TerminalJob::Edit { slot, text } => {
                let edited = tokio::task::block_in_place(|| terminal_job::edit(&text));
                self.app.edited(slot, edited);
            }
            TerminalJob::Run { command, agent } => {
                let ran = tokio::task::block_in_place(|| terminal_job::run(command));
                if let Err(why) = ran {
                    self.app.notices.error(&why);
                } else if let Some(agent) = agent.and_then(|agent| self.app.hub.agent(&agent)) {
                    // An agent reads its login when it starts.
                    agent.restart();
                }
            }
        }
        self.enter_again()?;
        if !is_suspension {
            self.signals.ignore_keyboard();
        }
        Ok(())
    }

    /// Shows the screen again after another program had the terminal.
    fn enter_again(&mut self) -> io::Result<()> {
        modes::enter(self.app.mouse)?;
        // The terminal may have another size now.
        if let Ok((width, height)) = ratatui::crossterm::terminal::size() {
            self.app.area = Rect::new(0, 0, width, height);
        }
        self.input.resume();
        self.app.question_covered();
        self.app.is_redrawn = true;
        self.app.is_dirty = true;
        Ok(())
    }

    /// Continues after SIGCONT. The shell may have changed the terminal.
    fn continued(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.resumed) {
            return Ok(());
        }
        modes::leave();
        self.enter_again()
    }
}

impl App {
    fn edited(&mut self, slot: crate::app::slot::SlotId, edited: Result<String, String>) {
        match edited {
            Ok(text) => {
                if self.slot().is_some_and(|it| it.id == slot) {
                    self.composer.set_text(&text);
                }
            }
            Err(why) => self.notices.error(&why),
        }
    }

    fn background_panics(&mut self, panics: &BackgroundPanics) {
        for message in panics.take() {
            self.notices.error(&format!("a part of this program failed: {message}"));
        }
    }

    /// Takes the result of work in the background.
    fn done(&mut self, done: Done) {
        self.is_dirty = true;
        match done {
            Done::Opened { slot, result } => self.opened(slot, result),
            Done::Say(level, text) => self.notices.add(level, &text),
            Done::Listed(Ok(())) => self.hub.refresh_list(),
            Done::Listed(Err(why)) => self.notices.error(&why),
            Done::Found { text, found } => {
                if let Some(panel) = &mut self.panel {
                    panel.found(text, found);
                }
            }
            Done::Continued(result) => self.continued(result),
            Done::Nothing => {}
        }
    }

    /// Takes what other threads found or wrote.
    fn woken(&mut self) {
        self.is_dirty |= self.composer.poll();
        self.is_dirty |= self.slots.iter_mut().any(Slot::shell_grew);
    }

    /// Says that a rule decided.
    fn decided(&mut self, request: &PermissionRequest, rule: &Rule) {
        self.is_dirty = true;
        let allowed = match rule.effect {
            attache_client::Effect::Allow => "allowed",
            attache_client::Effect::Ask | attache_client::Effect::Deny => "rejected",
        };
        let title = sanitize::visible_line(request.title());
        self.notices.info(&format!("{allowed} by your rule \"{}\": {title}", rule.to_line()));
    }

    /// Takes changes of the hub. Only what is visible leads to a frame.
    fn hub_changed(&mut self, update: &WatchUpdate) {
        for change in &update.changes {
            match change {
                Change::Session { agent, id } => match self.slot_of(agent, id) {
                    Some(index) if index == self.focus => {
                        self.is_dirty = true;
                        self.is_question_stale = true;
                    }
                    Some(index) => {
                        self.is_question_stale |= self.answering.is_some();
                        self.refresh_badge(index);
                    }
                    None => {}
                },
                Change::Agent { .. } => {
                    self.is_dirty = true;
                    self.is_question_stale = true;
                }
                // The list is visible only in the picker.
                Change::SessionList => self.is_dirty |= self.panel.is_some(),
                _ => {}
            }
        }
        if self.panel.is_some() {
            self.is_dirty = true;
        }
        self.notify();
    }

    fn refresh_badge(&mut self, index: usize) {
        let Some(slot) = self.slots.get_mut(index) else { return };
        let badge = slot.read_badge(false);
        if badge != std::mem::replace(&mut slot.badge, badge) {
            self.is_dirty = true;
        }
    }

    /// Notifies the person of questions and ended turns while they look elsewhere.
    fn notify(&mut self) {
        if self.has_focus {
            return;
        }
        let open = self.slots.iter().filter_map(Slot::session);
        let waiting: Vec<_> = open.filter(|it| open_questions(&it.state()) > 0).collect();
        let count: usize = waiting.iter().map(|session| open_questions(&session.state())).sum();
        if count > self.notified
            && let Some(session) = waiting.last()
        {
            let text = waits_for(session).unwrap_or_default();
            notification::notify(self.notifications, &title_of(session), &text);
        }
        self.notified = count;
        let busy = self
            .slots
            .iter()
            .filter(|slot| matches!(slot.read_badge(true), crate::app::slot::Badge::Running));
        let busy = busy.count();
        if busy < self.busy && count == 0 {
            let title = self.session().map(title_of).unwrap_or_default();
            notification::notify(self.notifications, &title, "the turn has ended");
        }
        self.busy = busy;
    }
}
