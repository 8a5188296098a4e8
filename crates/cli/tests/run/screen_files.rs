//! Files of the person that the full screen uses: keys, theme, editor; and the first start.

use crate::project::Project;
use crate::screen::{Screen, write_editor};
use std::fs;

/// Starts the screen with these files in the folder of settings.
fn with_files(project: &Project, files: &[(&str, &str)]) -> Screen {
    let folder = project.path().join(".config/attache");
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    let mut command = project.attache(&[]);
    command
        .env("ATTACHE_STORE", project.path().join("sessions.db"))
        .env("XDG_DATA_HOME", project.path().join(".data"))
        .env("XDG_CONFIG_HOME", project.path().join(".config"));
    Screen::run(command, (100, 30))
}

#[test]
fn mistakes_in_the_key_file_are_named_and_the_other_lines_work() {
    let project = Project::new();
    let keys = "[composer]\nsubmit = [\"ctrl-x\"]\nsubmitt = \"enter\"\n";
    let mut screen = with_files(&project, &[("keymap.toml", keys)]);
    let shown = screen.until("keymap.toml");
    assert!(shown.contains("line 3") || shown.contains(":3:"), "{shown}");
    screen.until("Offline");
    screen.press("help\x18");
    screen.until("rename A to B");
    screen.quits_with("\x11");
}

#[test]
fn mistakes_in_the_theme_file_are_named_and_the_defaults_are_used() {
    let project = Project::new();
    let theme = "[styles]\nheading = \"no such colour\"\n";
    let mut screen = with_files(&project, &[("theme.toml", theme)]);
    let shown = screen.until("theme.toml");
    assert!(shown.contains("line ") || shown.contains(":2:"), "{shown}");
    screen.until("Offline");
    screen.press("help\r");
    screen.until("rename A to B");
    screen.quits_with("\x11");
}

#[test]
fn the_external_editor_changes_the_prompt() {
    let project = Project::new();
    write_editor(
        &project,
        "printf '%s and more' \"$(cat \"$1\")\" >\"$1.new\"; cat \"$1.new\" >\"$1\"; rm \"$1.new\"",
    );
    let mut screen = Screen::open(&project, &[], (80, 24));
    screen.press("help");
    screen.until("› help");
    screen.press("\x07");
    screen.until("› help and more");
    screen.quits_with("\x11");
}

#[test]
fn the_first_start_without_a_key_says_what_runs_and_how_to_add_a_key() {
    for size in [(80, 24), (120, 40)] {
        let project = Project::new();
        let mut command = project.attache(&[]);
        command.env_remove("ATTACHE_MODEL").env("XDG_DATA_HOME", project.path().join(".data"));
        for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"]
        {
            command.env_remove(name);
        }
        let mut screen = Screen::run(command, size);
        let shown = screen.until("costs nothing");
        let folder = project.path().file_name().unwrap().to_string_lossy().into_owned();
        for text in [
            "Agent: attache",
            "Folder: ",
            folder.as_str(),
            "Model: Offline",
            "attache config key",
            "press Enter",
        ] {
            assert!(shown.contains(text), "the first screen lacks {text:?}:\n{shown}");
        }
        screen.quits_with("\x11");
    }
}
