//! The screen with a scripted agent, without a terminal.

use super::scripted_agent;
use crate::app::options::{FirstSession, ScreenOptions};
use crate::app::state::App;
use crate::app::tests::options;
use crate::theme::Theme;
use attache_client::{Hub, HubOptions};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use regex::{Captures, Regex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::time::sleep;
use unicode_width::UnicodeWidthStr as _;

/// The sizes of pictures: the usual terminal, and the smallest one.
pub(super) const SIZES: [(u16, u16); 2] = [(80, 24), (40, 12)];

/// The time limit of a wait. It only prevents endless waiting.
const PATIENCE: Duration = Duration::from_secs(20);

/// The screen with a scripted agent.
pub(super) struct Stage {
    pub(super) app: App,
    size: (u16, u16),
    folder: TempDir,
}

/// The name of the folder of the session.
const FOLDER: &str = "project";

/// Makes a folder that contains the folder of the session, which has a few files.
fn folder() -> TempDir {
    let folder = tempfile::Builder::new().prefix("p").rand_bytes(6).tempdir_in("/tmp").unwrap();
    for name in ["main.rs", "größe.rs", "docs/日本語.md"] {
        let path = folder.path().join(FOLDER).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    folder
}

impl Stage {
    /// Opens a session of the agent.
    pub(super) async fn open(size: (u16, u16)) -> Self {
        Self::open_with(size, None).await
    }

    /// Opens a session of the agent, on a screen with this theme.
    pub(super) async fn open_with(size: (u16, u16), theme: Option<Theme>) -> Self {
        let base = options();
        let rules = base.rules.clone();
        let asking = HubOptions::default().elicitations();
        let hub = Hub::new(
            asking.decide_first(move |agent, cwd, person| rules.permissions(agent, cwd, person)),
        );
        hub.add("a", scripted_agent::source()).unwrap();
        let theme = theme.unwrap_or_else(|| base.theme.clone());
        let folder = folder();
        let first = FirstSession { cwd: folder.path().join(FOLDER), ..base.first.clone() };
        let options = ScreenOptions { hub, theme, first, ..base };
        let mut app = App::new(options, Rect::new(0, 0, size.0, size.1));
        app.open_first(None);
        let mut stage = Self { app, size, folder };
        stage.until_that("an open session", |stage, _| stage.app.session().is_some()).await;
        stage.until_that("options", |stage, _| has_commands(&stage.app)).await;
        stage.app.refresh_commands();
        stage
    }

    /// Takes what happened in the background, and draws.
    pub(super) fn draw(&mut self) -> Buffer {
        while let Some(done) = self.app.tasks.try_join_next() {
            self.app.done(done.unwrap());
        }
        self.app.composer.poll();
        self.app.is_question_stale = true;
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).unwrap();
        terminal.draw(|frame| self.app.draw(frame)).unwrap();
        self.app.question_drawn();
        terminal.backend().buffer().clone()
    }

    /// Draws until the screen shows this text.
    pub(super) async fn until(&mut self, text: &str) {
        self.until_that(text, |_, shown| shown.contains(text)).await;
    }

    async fn until_that(&mut self, what: &str, is_it: impl Fn(&Self, &str) -> bool) {
        let begun = Instant::now();
        loop {
            let shown = text(&self.draw());
            if is_it(self, &shown) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{what:?} never came:\n{shown}");
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Presses a key.
    pub(super) fn press(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.app.event(Event::Key(KeyEvent::new(code, modifiers)));
    }

    pub(super) fn key(&mut self, code: KeyCode) {
        self.press(code, KeyModifiers::NONE);
    }

    pub(super) fn ctrl(&mut self, letter: char) {
        self.press(KeyCode::Char(letter), KeyModifiers::CONTROL);
    }

    pub(super) fn alt(&mut self, letter: char) {
        self.press(KeyCode::Char(letter), KeyModifiers::ALT);
    }

    /// Types a text.
    pub(super) fn write(&mut self, text: &str) {
        text.chars().for_each(|letter| self.key(KeyCode::Char(letter)));
    }

    /// Sends a prompt, and waits until the screen shows this text.
    pub(super) async fn send(&mut self, prompt: &str, until: &str) {
        self.write(prompt);
        self.key(KeyCode::Enter);
        self.until(until).await;
    }

    /// Presses a key that answers a question, after the time in which keys are text.
    pub(super) async fn answer(&mut self, code: KeyCode) {
        sleep(Duration::from_millis(400)).await;
        self.draw();
        self.key(code);
    }

    /// Waits until the log of decisions has an entry, and returns who gave each answer.
    pub(super) async fn answered_by(&mut self) -> Vec<Option<String>> {
        let rules = self.app.rules.clone();
        self.until_that("a decision", |_, _| !rules.audit().is_empty()).await;
        rules.audit().into_iter().map(|audited| audited.answered_by).collect()
    }

    /// Compares the screen with the stored picture of this name and size.
    pub(super) fn compare(&mut self, name: &str) {
        let shown = text(&self.draw());
        // The name of the outer folder differs, and its length matters.
        let outer = self.folder.path().file_name().unwrap().to_str().unwrap();
        let shown = without_times(&shown.replace(outer, "example"));
        let (width, height) = self.size;
        compare(&format!("{name}-{width}x{height}"), &shown);
    }
}

fn has_commands(app: &App) -> bool {
    app.session().is_some_and(|session| !session.snapshot().commands().is_empty())
}

/// Compares a text with the stored one of this name.
pub(super) fn compare(name: &str, shown: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path("../../../tests/screens");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}

/// Returns the text of a buffer, without spaces at the ends of lines.
pub(super) fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let mut line = String::new();
        let mut x = buffer.area.left();
        while x < buffer.area.right() {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(symbol.width().max(1)).unwrap();
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Replaces times, which differ from run to run, by zeros of the same width.
fn without_times(shown: &str) -> String {
    let times = Regex::new(r"\b[0-9]+(\.[0-9])? (s|min)\b").unwrap();
    times
        .replace_all(shown, |found: &Captures<'_>| {
            "0 s".to_owned() + &" ".repeat(found[0].len() - 3)
        })
        .into_owned()
}
