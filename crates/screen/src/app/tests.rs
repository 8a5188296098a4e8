//! Questions and keys: what a key must not answer.

use crate::app::options::{FirstSession, ScreenOptions};
use crate::app::screen_settings::ScreenSettings;
use crate::app::state::{App, ShownQuestion};
use crate::composer::Piece;
use crate::keymap::{Action, Context, Keymap};
use crate::panel::link::LinkPanel;
use crate::panel::permission::PermissionPanel;
use crate::panel::request::Request;
use crate::panel::{Outcome, Panel};
use crate::services::{AgentChoice, FoundText, PreparedPrompt, Served, Services, SessionChange};
use crate::terminal::notification::NotificationMethod;
use crate::theme::{ColorDepth, Glyphs, Theme};
use attache_client::{
    Hub, HubError, HubOptions, ListedSession, PermissionBroker, PermissionRequest, QuestionAbout,
    QuestionId,
};
use attache_protocol::v1::{
    PermissionOption, PermissionOptionKind, PromptCapabilities, SessionId, ToolKind,
};
use attache_protocol::{Patch, Raw};
use attache_session::{PermissionId, Session, ToolCallPatch};
use attache_view::PermissionView;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;
use tokio::sync::mpsc;

pub(crate) struct NoServices;

impl Services for NoServices {
    fn agents(&self) -> Vec<AgentChoice> {
        Vec::new()
    }

    fn add_agent(&self, _: &Hub, agent: &str) -> Result<String, String> {
        Ok(agent.to_owned())
    }

    fn prompt(&self, pieces: &[Piece], _: &Path, _: &PromptCapabilities) -> PreparedPrompt {
        let text: String = pieces.iter().map(Piece::text).collect();
        PreparedPrompt { blocks: vec![text.into()], ..PreparedPrompt::default() }
    }

    fn hints(&self, _: &str, _: &Session) -> Vec<String> {
        Vec::new()
    }

    fn not_opened(&self, _: &str, error: &HubError) -> String {
        error.to_string()
    }

    fn resume_command(&self, _: &str, _: &SessionId) -> String {
        String::new()
    }

    fn login(&self, _: &str) -> Command {
        Command::new("true")
    }

    fn change(&self, _: ListedSession, _: SessionChange) -> Served<Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn store_setting(&self, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn search(&self, _: String) -> Served<Result<Vec<FoundText>, String>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

fn theme() -> Theme {
    Theme::dark(ColorDepth::Rgb, Glyphs::UNICODE)
}

/// Returns what a screen without agents starts with.
pub(crate) fn options() -> ScreenOptions {
    let (_, by_rule) = mpsc::channel(1);
    ScreenOptions {
        hub: Hub::new(HubOptions::default()),
        services: Arc::new(NoServices),
        shared: None,
        rules: PermissionBroker::in_memory(),
        by_rule,
        first: FirstSession {
            agent: "a".to_owned(),
            cwd: "/p".into(),
            stored: None,
            pick: None,
            mode: None,
            set: Vec::new(),
        },
        prompt: None,
        mcp_servers: Vec::new(),
        budget: None,
        theme: theme(),
        keymap: Keymap::default(),
        notices: Vec::new(),
        history: None,
        images: None,
        settings: ScreenSettings {
            mouse: false,
            notifications: NotificationMethod::Off,
            ..ScreenSettings::default()
        },
    }
}

fn app() -> App {
    App::new(options(), Rect::new(0, 0, 80, 24))
}

fn request(title: &str, command: &str) -> PermissionRequest {
    let mut call = ToolCallPatch::new("c");
    call.title = Patch::Set(title.to_owned());
    call.kind = Patch::Set(ToolKind::Execute);
    let input = format!("{{\"command\":{command:?}}}");
    call.raw_input = Patch::Set(Raw::from_text(&input).unwrap());
    let options = vec![
        PermissionOption::new("once", "Allow", PermissionOptionKind::AllowOnce),
        PermissionOption::new("no", "Reject", PermissionOptionKind::RejectOnce),
    ];
    PermissionRequest::new(PermissionId(1), "s".into(), call, options)
}

fn panel(request: &PermissionRequest) -> PermissionPanel {
    let view = PermissionView::new(request, "a", Path::new("/p"));
    PermissionPanel::new(Box::new(view), &request.options, "a", theme())
}

/// Returns the panel after the person saw all of it.
fn seen(request: &PermissionRequest) -> PermissionPanel {
    let mut panel = panel(request);
    let area = Rect::new(0, 0, 80, 24);
    panel.render(area, &mut Buffer::empty(area), &theme());
    assert!(panel.was_shown());
    panel
}

/// Returns a screen that asks whether this command may run.
fn asking(title: &str, command: &str) -> App {
    let mut app = app();
    let request = request(title, command);
    app.is_question_stale = false;
    app.question = Some(ShownQuestion {
        agent: "a".to_owned(),
        session: None,
        id: QuestionId(1),
        panel: Box::new(panel(&request)),
        about: QuestionAbout::Permission(Box::new(request)),
        drawn: None,
        is_taken: None,
    });
    app
}

fn draw(app: &mut App, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    app.question_drawn();
    terminal.backend().to_string()
}

fn press(app: &mut App, code: KeyCode, modifiers: KeyModifiers) {
    app.event(Event::Key(KeyEvent::new(code, modifiers)));
}

fn letter(app: &mut App, letter: char) {
    press(app, KeyCode::Char(letter), KeyModifiers::NONE);
}

fn wait() {
    sleep(Duration::from_millis(350));
}

#[tokio::test]
async fn a_letter_answers_only_without_ctrl_and_alt() {
    let modifiers = [KeyModifiers::ALT, KeyModifiers::CONTROL];
    let events = ('a'..='z')
        .chain('A'..='Z')
        .chain('0'..='9')
        .flat_map(|key| modifiers.map(|with| KeyEvent::new(KeyCode::Char(key), with)));
    let keymap = Keymap::default();
    let global = Action::ALL.iter().flat_map(|action| keymap.keys(Context::Global, *action));
    let events = events.chain(global.map(|key| KeyEvent::new(key.code(), key.modifiers())));
    for event in events {
        let action = keymap.action(Context::Question, event);
        let outcome = seen(&request("Build", "make")).key(action, event);
        assert!(matches!(outcome, Outcome::Stay), "{event:?} does {outcome:?}");
        let mut app = asking("Build", "make");
        draw(&mut app, 80, 24);
        if let Some(question) = &mut app.question {
            question.drawn = question.drawn.and_then(|at| at.checked_sub(Duration::from_secs(1)));
        }
        assert!(app.question_has_keys());
        app.event(Event::Key(event));
        let ends = [Action::NewSession, Action::Interrupt, Action::Cancel];
        let is_other = action.is_some_and(|action| ends.contains(&action));
        assert!(app.question.is_some() || is_other || app.is_ended, "{event:?} answers");
    }
}

#[tokio::test]
async fn alt_a_lists_the_waiting_sessions_while_a_question_has_the_keys() {
    let mut app = asking("Build", "make");
    draw(&mut app, 80, 24);
    wait();
    press(&mut app, KeyCode::Char('a'), KeyModifiers::ALT);
    assert!(app.question.is_some() && app.panel.is_some());
}

#[tokio::test]
async fn a_key_that_is_no_longer_yes_does_not_allow() {
    let (keymap, errors) = Keymap::read("[question]\nallow = \"f12\"\nallow_always = \"f11\"\n");
    assert!(errors.is_empty(), "{errors:?}");
    for key in ['y', 'a'] {
        let event = KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE);
        let action = keymap.action(Context::Question, event);
        let outcome = seen(&request("Build", "make")).key(action, event);
        assert!(matches!(outcome, Outcome::Stay), "{key} does {outcome:?}");
    }
}

#[tokio::test]
async fn a_question_takes_keys_only_after_it_was_visible_and_no_key_came_for_a_while() {
    let mut app = asking("Build", "make");
    wait();
    assert!(!app.question_has_keys(), "nothing was drawn");
    draw(&mut app, 80, 24);
    assert!(!app.question_has_keys(), "the question is new");
    wait();
    assert!(app.question_has_keys());
    // The key that sends a prompt does not answer, and neither does the key after it.
    app.take_question(false);
    "x".chars().for_each(|key| letter(&mut app, key));
    press(&mut app, KeyCode::Enter, KeyModifiers::NONE);
    if let Some(question) = &mut app.question {
        question.is_taken = None;
    }
    app.composer.clear();
    letter(&mut app, 'y');
    assert!(app.question.is_some() && app.composer.text() == "y");
}

#[tokio::test]
async fn a_question_that_something_covers_takes_no_keys() {
    let mut app = asking("Build", "make");
    draw(&mut app, 80, 24);
    wait();
    app.show_attention();
    draw(&mut app, 80, 24);
    wait();
    app.panel = None;
    draw(&mut app, 80, 24);
    assert!(!app.question_has_keys(), "the panel closed just now");
    wait();
    assert!(app.question_has_keys());
    app.take_question(false);
    press(&mut app, KeyCode::Char('r'), KeyModifiers::CONTROL);
    if let Some(question) = &mut app.question {
        question.is_taken = None;
    }
    wait();
    assert!(app.composer.is_empty() && !app.question_has_keys(), "the search has the keys");
}

#[tokio::test]
async fn a_small_terminal_shows_the_command_and_an_answer() {
    let mut app = asking("Build", "rm -rf things");
    for number in 0..9 {
        app.notices.error(&format!("error {number}"));
    }
    let shown = draw(&mut app, 40, 12);
    assert!(shown.contains("$ rm -rf things") && shown.contains("y yes"), "{shown}");
    draw(&mut app, 39, 12);
    wait();
    letter(&mut app, 'y');
    assert!(app.question.is_some(), "the terminal did not show the question");
}

#[tokio::test]
async fn the_effect_is_above_the_words_of_the_agent() {
    let mut app = asking(&"harmless ".repeat(500), "rm -rf things");
    let shown = draw(&mut app, 80, 24);
    assert!(shown.contains("$ rm -rf things"), "{shown}");
    wait();
    letter(&mut app, 'y');
    assert!(app.question.is_none());
}

#[tokio::test]
async fn a_key_that_allows_scrolls_until_the_whole_command_was_visible() {
    let command = format!("{}rm -rf things", "echo x\n".repeat(30));
    let mut app = asking("Build", &command);
    let shown = draw(&mut app, 80, 24);
    assert!(!shown.contains("│   rm -rf things"), "{shown}");
    wait();
    let mut shown = String::new();
    for _ in 0..9 {
        if shown.contains("│   rm -rf things") {
            break;
        }
        letter(&mut app, 'y');
        assert!(app.question.is_some(), "the end of the command was not visible");
        shown = draw(&mut app, 80, 24);
    }
    assert!(shown.contains("│   rm -rf things"), "{shown}");
    letter(&mut app, 'y');
    assert!(app.question.is_some(), "the key was held down");
    wait();
    letter(&mut app, 'y');
    assert!(app.question.is_none());
}

#[tokio::test]
async fn a_key_that_refuses_does_not_scroll() {
    let mut app = asking("Build", &"echo x\n".repeat(90));
    draw(&mut app, 80, 24);
    wait();
    letter(&mut app, 'n');
    assert!(app.question.is_none());
}

#[test]
fn a_key_opens_a_link_of_the_web_and_no_key_opens_a_file() {
    let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
    let open = |address: &str| match LinkPanel::new(address).key(Some(Action::Accept), enter) {
        Outcome::CloseAnd(Request::OpenPage(page)) => Some(page),
        _ => None,
    };
    assert_eq!(open("https://a.example/").as_deref(), Some("https://a.example/"));
    assert_eq!(open("file:///p/run.desktop"), None);
    assert_eq!(open("FILE:/p/run.desktop"), None);
    assert_eq!(open("-x"), None);
}

/// A question that is no request for permission.
struct OtherQuestion;

impl Panel for OtherQuestion {
    fn title(&self) -> String {
        String::new()
    }

    fn context(&self) -> Context {
        Context::Question
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        Vec::new()
    }

    fn height(&self, _: u16) -> u16 {
        1
    }

    fn render(&mut self, _: Rect, _: &mut Buffer, _: &Theme) {}

    fn key(&mut self, action: Option<Action>, _: KeyEvent) -> Outcome {
        match action {
            Some(Action::Cancel) => Outcome::CloseAnd(Request::Quit),
            _ => Outcome::Stay,
        }
    }
}

#[tokio::test]
async fn esc_cancels_the_turn_only_from_a_request_for_permission() {
    for is_permission in [true, false] {
        let mut app = asking("Build", "make");
        if let Some(question) = app.question.as_mut().filter(|_| !is_permission) {
            question.panel = Box::new(OtherQuestion);
        }
        draw(&mut app, 80, 24);
        wait();
        press(&mut app, KeyCode::Esc, KeyModifiers::NONE);
        assert_eq!(app.question.is_none(), is_permission);
        assert_eq!(app.is_ended, !is_permission, "the panel did not get the key");
    }
}

#[tokio::test]
async fn a_key_that_is_held_down_answers_one_question() {
    let mut app = asking("Build", "make");
    draw(&mut app, 80, 24);
    wait();
    letter(&mut app, 'y');
    assert!(app.question.is_none());
    app.question = asking("Build", "make").question;
    app.is_question_stale = false;
    for _ in 0..8 {
        draw(&mut app, 80, 24);
        sleep(Duration::from_millis(60));
        letter(&mut app, 'y');
        app.composer.clear();
    }
    assert!(app.question.is_some(), "the held key answered the second question");
}
