//! `/stop` in a conversation with an agent that speaks version 2.

use crate::project::Project;
use crate::terminal::Terminal;
use std::fs;

/// Starts a conversation with the built-in agent over version 2, under a name of `agents.toml`.
fn chat_over_version_2(project: &Project) -> Terminal {
    let home = project.path().join("home");
    fs::create_dir_all(home.join("attache")).unwrap();
    let agent = env!("CARGO_BIN_EXE_attache");
    let entry = format!("[agents.second]\ncommand = \"'{agent}' agent\"\nprotocol = 2\n");
    fs::write(home.join("attache/agents.toml"), entry).unwrap();
    let environment = [("XDG_CONFIG_HOME", home.to_str().unwrap()), ("NO_COLOR", "1")];
    let mut terminal = Terminal::start(project, &["chat", "--agent", "second"], &environment);
    terminal.wait_for("› ");
    terminal
}

#[test]
fn one_tool_call_is_stopped_and_the_turn_ends_by_itself() {
    let project = Project::new();
    let mut terminal = chat_over_version_2(&project);
    terminal.press("/stop\r");
    terminal.wait_for("Nothing can be stopped alone");
    terminal.wait_for("› ");
    terminal.press("run touch begun && sleep 1000\r");
    terminal.wait_for("allow? [");
    terminal.press("y");
    terminal.wait_for("allowed by you");
    terminal.wait_for("◐");
    terminal.press("/stop\r");
    terminal.wait_for(" 1  ");
    terminal.wait_for("sleep 1000");
    terminal.wait_for("Stop one with /stop NUMBER.");
    terminal.press("/stop 7\r");
    terminal.wait_for("There is nothing to stop with the number 7");
    terminal.press("/stop 1\r");
    terminal.wait_for("The agent stops it.");
    terminal.wait_for("› ");
    terminal.press("help\r");
    terminal.wait_for("rename A to B");
    terminal.wait_for("› ");
    terminal.press("/quit\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    // The turn went on after the stop: the model answered.
    assert!(shown.contains("⊘ execute") && shown.contains("wrote nothing: killed"), "{shown}");
}
