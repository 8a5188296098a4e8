//! Questions in the full screen: forms, pages, questions of another session, notifications.

use crate::project::Project;
use crate::screen::Screen;
use crate::screen_agent::{install, open};
use std::fs;

#[test]
fn a_form_is_filled_in_with_keys() {
    let project = Project::new();
    let mut screen = open(&project, &["--", "form"], (80, 24));
    let shown = screen.until("Who are you?");
    for text in ["Your name", "Colour", "send", "decline"] {
        assert!(shown.contains(text), "the form lacks {text:?}:\n{shown}");
    }
    // The name is required.
    screen.answer("\r");
    screen.until("required");
    screen.press("Ada\t\x1b[C\x1b[C");
    screen.until("green");
    screen.press("\r");
    screen.until("\"colour\": \"green\"");
    screen.until("\"name\": \"Ada\"");
    screen.quits_with("\x04");
}

#[test]
fn a_form_is_declined_with_a_key() {
    let project = Project::new();
    let mut screen = open(&project, &["--", "form"], (80, 24));
    screen.until("Who are you?");
    screen.answer("\x1bn");
    screen.until("\"action\": \"decline\"");
    screen.quits_with("\x04");
}

#[test]
fn a_page_is_opened_only_after_the_person_saw_its_host() {
    let project = Project::new();
    let browser = project.path().join("browser");
    crate::screen::write_editor(&project, "echo \"$1\" >opened");
    fs::rename(project.path().join("editor"), &browser).unwrap();
    let agent = install(&project);
    let mut command = project.attache(&["--agent", &agent, "--", "page"]);
    command
        .env("BROWSER", &browser)
        .env("ATTACHE_STORE", project.path().join("sessions.db"))
        .env("XDG_DATA_HOME", project.path().join(".data"));
    let mut screen = Screen::run(command, (80, 24));
    let shown = screen.until("Please pay the invoice");
    assert!(shown.contains("Host: pay.example.org"), "{shown}");
    assert!(shown.contains("https://pay.example.org/invoice/7"), "{shown}");
    assert!(!project.path().join("opened").exists(), "it was opened before the answer");
    screen.answer("n");
    screen.until("\"action\": \"decline\"");
    screen.press("page\r");
    screen.until("Please pay the invoice");
    screen.answer("y");
    screen.until("\"action\": \"accept\"");
    screen.quits_with("\x04");
}

#[test]
fn a_question_of_another_session_is_answered_from_here() {
    let project = Project::new();
    let mut screen = open(&project, &["--", "run elsewhere"], (100, 30));
    screen.until("make run elsewhere");
    // Alt-N starts another session with the same agent.
    screen.press("\x1bN");
    screen.until("1 question elsewhere");
    screen.press("here\r");
    screen.until("asked <here>");
    // The list of sessions says who waits for what.
    screen.press("/sessions\r");
    screen.until("asks to run make run elsewhere");
    screen.press("\x1b");
    screen.until_gone("asks to run");
    screen.press("\x1ba");
    let shown = screen.until("Open sessions");
    assert!(shown.contains("permission: Ship it"), "{shown}");
    screen.press("\r");
    screen.until("make run elsewhere");
    screen.answer("y");
    screen.until_gone("question elsewhere");
    assert!(screen.text().contains("asked <here>"), "{}", screen.text());
    screen.press("\x1bp");
    screen.until("\"optionId\": \"yes\"");
    screen.quits_with("\x11");
}

#[test]
fn a_terminal_without_focus_gets_a_message_and_a_bell() {
    for (variable, value, sequence) in [
        ("TERM_PROGRAM", "WezTerm", "\x1b]9;"),
        ("VTE_VERSION", "7600", "\x1b]777;notify;"),
        ("NONE", "", "\x07"),
    ] {
        let project = Project::new();
        let agent = install(&project);
        let mut command = project.attache(&["--agent", &agent]);
        for name in ["TERM_PROGRAM", "VTE_VERSION", "WT_SESSION"] {
            command.env_remove(name);
        }
        command.env(variable, value).env("XDG_DATA_HOME", project.path().join(".data"));
        let mut screen = Screen::run(command, (80, 24));
        screen.until("Write what to do");
        screen.press("wait\r");
        screen.until("waiting");
        let all = |screen: &Screen| String::from_utf8_lossy(&screen.bytes).into_owned();
        assert!(!all(&screen).contains(sequence), "{variable}: {:?}", all(&screen));
        // The terminal says that it has lost the focus.
        screen.press("\x1b[O");
        fs::write(project.path().join("go"), "").unwrap();
        screen.until("finished");
        screen.press("more");
        screen.until("› more");
        let all = all(&screen);
        assert!(all.contains(sequence), "{variable}: {all:?}");
        assert!(value.is_empty() || all.contains("the turn has ended"), "{variable}: {all:?}");
        screen.quits_with("\x11");
    }
}
