//! What an agent changed by its edit tool and by a command is brought back in the screen.

use super::home::Home;
use super::{GEMINI, NpmAgent, QWEN};
use crate::project::{Project, text};
use crate::screen_program::{Screen, wait_until};
use std::fs;
use tokio::runtime::Runtime;

/// What the agent's edit tool makes of `notes.txt`.
const SHOUTED: &str = "one\nTWO\nthree\n";

/// The files before and after the agent's work.
#[derive(Debug, PartialEq, Eq)]
struct Files {
    notes: String,
    kept: Option<String>,
    made: Option<String>,
}

impl Files {
    fn of(project: &Project) -> Self {
        let read = |name: &str| fs::read_to_string(project.file(name)).ok();
        let notes = project.text("notes.txt");
        Self { notes, kept: read("kept.txt"), made: read("by-command.txt") }
    }
}

/// The agent edits a file with this tool, and changes two by a command. The person goes back to
/// before both, and undoes that.
fn is_rewound(agent: NpmAgent, edit: &str, size: (u16, u16)) {
    let runtime = Runtime::new().unwrap();
    let project = Project::new();
    let home = runtime.block_on(Home::new(&project));
    fs::write(project.file("kept.txt"), "kept\n").unwrap();
    let before = Files::of(&project);
    let cwd = text(project.cwd());
    let mut command = home.screen(&["--agent", agent.name, "--mode", agent.asks]);
    command.current_dir(&cwd);
    let mut screen = Screen::run(command, size);
    screen.until("Default");
    screen.press("look at the notes\r");
    screen.until("That was it.");
    screen.until_gone(" s ──");

    screen.sends(&format!("shout in the notes by {edit}"));
    screen.sends("change by a command");
    let after = Files::of(&project);
    let made = Some("made".to_owned());
    assert_eq!(after, Files { notes: SHOUTED.to_owned(), kept: None, made });

    // The timeline has no counts of a turn whose checkpoint is still being taken.
    wait_until("the checkpoints are taken", || {
        let listed =
            runtime.block_on(home.attache_keeping(&["checkpoints", "--cwd", &cwd, "--json"]));
        listed.stdout.matches("\"after-turn\"").count() == 3
    });
    let shown = screen.opens_timeline();
    for text in ["change by a command", "2 files", "shout in the notes", "1 file"] {
        assert!(shown.contains(text), "the timeline lacks {text:?}:\n{shown}");
    }
    screen.press("\x1b[B\r");
    let shown = screen.until("Restore 3 files");
    for text in ["restore  notes.txt", "create   kept.txt", "remove   by-command.txt"] {
        assert!(shown.contains(text), "the preview lacks {text:?}:\n{shown}");
    }
    assert_eq!(Files::of(&project), after, "a preview changes nothing");
    screen.answer("\r");
    screen.until("restored 3 files");
    assert_eq!(Files::of(&project), before);

    screen.press("/undo\r");
    screen.until("Undo the restore: 3 files");
    screen.answer("\r");
    wait_until("the restore is undone", || Files::of(&project) == after);
    screen.until("restored 3 files");
    screen.quits_with("\x11");
    runtime.block_on(home.nothing_is_left());
}

#[test]
fn gemini_cli_is_rewound_in_the_screen() {
    is_rewound(GEMINI, "replace", (80, 24));
}

#[test]
fn qwen_code_is_rewound_in_the_screen() {
    is_rewound(QWEN, "edit", (120, 40));
}
