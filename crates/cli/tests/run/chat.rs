//! `attache` alone, at a terminal.

use crate::project::{MAIN, Project};
use crate::terminal::Terminal;
use std::fs;
use std::path::Path;

const RENAME: &str = "rename total to sum in main.rs\r";

/// A conversation that keeps its sessions in the project.
fn chat(project: &Project) -> Terminal {
    let store = project.path().join("sessions.db");
    let data = project.path().join("data");
    let environment = [("ATTACHE_STORE", store.to_str().unwrap()), ("XDG_DATA_HOME", data.to_str().unwrap())];
    let mut terminal = Terminal::start(project, &[], &environment);
    terminal.wait_for("ask › ");
    terminal
}

#[test]
fn a_prompt_is_answered_a_key_allows_and_the_next_prompt_goes_on() {
    let project = Project::new();
    let mut terminal = chat(&project);
    terminal.press(RENAME);
    terminal.wait_for("allow? [y/a/");
    assert_eq!(project.main(), MAIN, "it was edited before the answer");
    terminal.press("y");
    terminal.wait_for("is now `sum`");
    terminal.wait_for("ask 0 % › ");
    assert_eq!(project.main(), MAIN.replace("total", "sum"));
    assert!(terminal.seen().contains("thinking … (/thoughts shows what)"), "{}", terminal.seen());
    terminal.press("/thoughts\r");
    terminal.wait_for("/thoughts");
    terminal.wait_for("otal");
    terminal.wait_for("› ");
    // Two lines are one prompt.
    terminal.press("run echo one \\\r&& echo two\r");
    terminal.wait_for("allow? [y/a/");
    terminal.press("n");
    terminal.wait_for("› ");
    terminal.press("\u{4}");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    let history = fs::read_to_string(project.path().join("data/attache/chat_history")).unwrap();
    assert!(history.contains("rename total to sum"), "{history}");
}

#[test]
fn ctrl_c_cancels_the_turn_and_the_conversation_goes_on() {
    let project = Project::new();
    let mut terminal = chat(&project);
    terminal.press("/options mode auto\r");
    terminal.wait_for("auto › ");
    terminal.press("run sleep 1000\r");
    // A command that no sandbox holds asks in every mode.
    terminal.wait_for_one(&["allow? [", "◐"]);
    terminal.press("\u{3}");
    terminal.wait_for("cancelled");
    terminal.wait_for("› ");
    terminal.press("help\r");
    terminal.wait_for("rename A to B");
    terminal.wait_for("› ");
    terminal.press("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
}

/// The first pain of every client's users.
#[test]
fn an_agent_that_is_killed_is_started_again_and_the_session_goes_on() {
    let project = Project::new();
    let mut terminal = chat(&project);
    terminal.press("help\r");
    terminal.wait_for("rename A to B");
    terminal.wait_for("› ");
    let agents = agents(project.path());
    assert_eq!(agents.len(), 1, "{agents:?}");
    // SAFETY: the process is a child of the program that this test started.
    unsafe { libc::kill(agents[0], libc::SIGKILL) };
    terminal.wait_for("was started again");
    terminal.press("help\r");
    terminal.wait_for("rename A to B");
    terminal.wait_for("› ");
    terminal.press("/switch\r");
    terminal.wait_for("* 1 help");
    terminal.wait_for("› ");
    terminal.press("\u{4}");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn sessions_of_yesterday_are_listed_and_gone_on_with() {
    let project = Project::new();
    let mut terminal = chat(&project);
    terminal.press("where is total used\r");
    terminal.wait_for("main.rs");
    terminal.wait_for("› ");
    terminal.press("\u{4}");
    assert_eq!(terminal.end().0, Some(0));
    let mut terminal = chat(&project);
    terminal.press("/switch\r");
    terminal.wait_for("where is total used");
    terminal.wait_for("› ");
    let number = if terminal.seen().contains(" 1 where is") { 1 } else { 2 };
    terminal.press(&format!("/switch {number}\r"));
    terminal.wait_for("› where is total used");
    terminal.wait_for("› ");
    terminal.press("/quit\r");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn without_a_terminal_it_says_what_to_do() {
    let ended = Project::empty().run(&[]);
    ended.failed(2, &["a conversation needs a terminal", "attache run"]);
}

/// The agents that work in this folder.
fn agents(folder: &Path) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        let command = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        let is_here = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder);
        if is_here && command.split('\0').nth(1) == Some("agent") {
            found.push(pid);
        }
    }
    found
}
