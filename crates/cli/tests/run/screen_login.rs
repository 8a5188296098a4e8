//! The login of an agent from the full screen.

use crate::project::Project;
use crate::screen::Screen;
use crate::screen_agent::install;
use std::fs;

#[test]
fn an_agent_that_needs_a_login_is_logged_in_from_the_screen() {
    let project = Project::new();
    fs::write(project.path().join("closed"), "").unwrap();
    let agent = install(&project);
    let mut screen = Screen::start(&project, &["--agent", &agent], (100, 30));
    let shown = screen.until("needs a login first");
    assert!(shown.contains("/agents"), "{shown}");
    screen.press("/agents\r");
    screen.until("log in");
    screen.press("python3");
    screen.until("Filter: python3");
    // Ctrl-T logs in.
    screen.press("\x14");
    screen.until("Press Enter to return");
    screen.press("\r");
    // The session that was refused opens by itself.
    screen.until("Write what to do");
    screen.press("hello\r");
    screen.until("asked <hello>");
    assert!(!project.path().join("closed").exists());
    screen.quits_with("\x04");
}
