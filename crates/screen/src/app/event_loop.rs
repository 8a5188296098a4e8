//! The loop: events in, frames out.

use crate::app::ending::Ending;
use crate::app::options::ScreenOptions;
use crate::app::slot::SlotId;
use crate::app::state::App;
use crate::app::terminal_job::{self, TerminalJob};
use crate::terminal::frame_writer::FrameWriter;
use crate::terminal::held_stderr;
use crate::terminal::input::{self, Input};
use crate::terminal::kitty_clipboard::{Taken, TerminalClipboard};
use crate::terminal::modes::{self, ShownScreen};
use crate::terminal::panic_hook::{self, BackgroundPanics};
use crate::terminal::signals::{self, Signalled, Signals};
use attache_client::{PermissionRequest, Rule, Watch};
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::Event;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use rustix::io::Errno;
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
    let entered = ShownScreen::enter(options.settings.mouse);
    let shown = entered.inspect_err(|_| show_held())?;
    let drawing = drawing(area).inspect_err(|_| show_held())?;
    let app = App::new(options, area);
    let watch = app.hub.watch();
    let mut running = Running {
        app,
        drawing,
        input: Input::new(),
        clipboard: TerminalClipboard::new(),
        clipboard_slot: None,
        signals,
        watch,
        by_rule,
        panics,
        next_frame: Instant::now(),
        resumed: false,
    };
    running.app.begin(prompt);
    let ended = match running.until_ended().await {
        // The terminal closed while a frame was written. The signal comes at the same time.
        Err(error) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => Ok(true),
        ended => ended,
    };
    if running.app.shared.is_none() {
        running.app.store_draft();
    }
    running.app.remember_unopened();
    let ending = ended.map(|by_signal| running.app.ending(by_signal));
    // The person gets the terminal back before the agents end, which can take seconds.
    drop(running.input);
    drop(shown);
    running.app.tasks.shutdown().await;
    let mut signals = running.signals;
    let closing = async {
        running.app.leave_to_shared_hub().await;
        running.app.hub.end().await;
    };
    tokio::select! {
        () = closing => {}
        // The person or the system does not wait for the agents.
        () = signals.ended() => {}
    }
    running.app.remember_unkept();
    let mut ending = ending.inspect_err(|_| show_held())?;
    ending.errors.extend(running.panics.take());
    ending.messages = held_stderr::take();
    Ok(ending)
}

/// Gives the terminal back, and shows what was held for stderr, because the screen failed.
fn show_held() {
    modes::leave();
    held_stderr::show();
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
    clipboard: TerminalClipboard,
    /// The slot that gets the image from the clipboard.
    clipboard_slot: Option<SlotId>,
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
                self.run_job(job).await?;
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
                    Signalled::Suspend => self.run_job(TerminalJob::Suspend).await?,
                    Signalled::Continue => self.continued()?,
                },
                event = self.input.next() => match event {
                    Some(Ok(event)) => self.event(event),
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
                () = sleep_until(self.clipboard.rest().unwrap_or(tick)),
                    if self.clipboard.rest().is_some() => input::read_rest(),
                () = sleep_until(self.clipboard.until().unwrap_or(tick)),
                    if self.clipboard.until().is_some() => self.clipboard_timed_out(),
                () = sleep_until(tick), if self.app.shows_time() => self.app.is_dirty = true,
            }
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let app = &mut self.app;
        if std::mem::take(&mut app.is_redrawn) {
            self.drawing = drawing(app.area)?;
        }
        app.background_panics(&self.panics);
        app.is_dirty = false;
        self.drawing.draw(|frame| app.draw(frame))?;
        app.question_drawn();
        app.notify();
        // A question that was just drawn takes keys a moment later, and shows that.
        self.next_frame = Instant::now() + FRAME;
        Ok(())
    }

    /// Takes an event of the terminal. Replies of its clipboard are no keys.
    fn event(&mut self, event: Event) {
        match self.clipboard.take(&event) {
            Taken::No => self.app.event(event),
            Taken::Part => {}
            Taken::Ended(image) => self.clipboard_read(image),
        }
    }

    /// Asks the terminal for the image on its clipboard. Work goes on until the reply comes.
    fn ask_clipboard(&mut self, slot: SlotId) {
        self.clipboard_slot = Some(slot);
        if let Err(error) = self.clipboard.ask() {
            self.clipboard.give_up();
            self.clipboard_read(Err(format!("the terminal cannot be used: {error}")));
        }
    }

    fn clipboard_timed_out(&mut self) {
        self.clipboard.give_up();
        self.clipboard_read(Err("the terminal did not send its clipboard".to_owned()));
    }

    fn clipboard_read(&mut self, image: Result<Vec<u8>, String>) {
        if let Some(slot) = self.clipboard_slot.take() {
            self.app.image_read(slot, image);
        }
    }

    /// Gives the terminal to another program.
    async fn run_job(&mut self, job: TerminalJob) -> io::Result<()> {
        if let TerminalJob::ReadClipboard { slot } = job {
            self.ask_clipboard(slot);
            return Ok(());
        }
        self.input.pause();
        modes::leave();
        let is_suspension = matches!(job, TerminalJob::Suspend);
        match job {
            TerminalJob::ReadClipboard { .. } => {}
            TerminalJob::Suspend => {
                self.resumed = true;
                signals::stop_this_process();
            }
            TerminalJob::Edit { slot, text } => {
                let edited = self.beside(move || terminal_job::edit(&text)).await;
                self.app.edited(slot, edited);
            }
            TerminalJob::Run { command, agent } => {
                let ran = self.beside(move || terminal_job::run(command)).await;
                if let Err(why) = ran {
                    self.app.notices.error(&why);
                } else if let Some(agent) = agent {
                    // An agent reads its login when it starts.
                    if let Some(known) = self.app.hub.agent(&agent) {
                        self.app.restart_agent(known);
                    }
                    self.app.reopen(&agent);
                }
            }
        }
        self.enter_again()?;
        if !is_suspension {
            self.signals.ignore_keyboard();
        }
        Ok(())
    }

    /// Runs a program that has the terminal, and notes meanwhile what rules decide: agents wait
    /// until their decisions are noted.
    async fn beside<T: Send + 'static>(
        &mut self,
        program: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let mut running = tokio::task::spawn_blocking(program);
        loop {
            tokio::select! {
                ended = &mut running => {
                    return ended.unwrap_or_else(|error| Err(error.to_string()));
                }
                Some((request, rule)) = self.by_rule.recv() => self.app.decided(&request, &rule),
            }
        }
    }

    /// Shows the screen again after another program had the terminal.
    fn enter_again(&mut self) -> io::Result<()> {
        modes::enter(self.app.settings.mouse)?;
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
