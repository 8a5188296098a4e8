//! The slash commands of the screen.

/// The commands, their arguments and what they do.
pub(crate) const COMMANDS: &[(&str, &str, &str)] = &[
    ("help", "", "show the keys and commands"),
    ("new", "[AGENT]", "start a session"),
    ("sessions", "[WORDS]", "list the sessions, or continue one"),
    ("attention", "", "list the open sessions, those that wait for you first"),
    ("agents", "", "list, start, restart and log in to agents"),
    ("settings", "", "change model, mode and other options"),
    ("model", "", "choose the model"),
    ("queue", "", "edit the prompts that wait"),
    ("review", "", "show all changes of the turn"),
    ("rewind", "", "go back to before a prompt: files, conversation or both"),
    ("undo", "", "preview undoing the last turn or restore"),
    ("rename", "TITLE", "give this session a title"),
    ("budget", "[AMOUNT|none]", "show or set the budget of this session, such as 0.50USD"),
    ("restart", "", "restart the agent and continue"),
    ("continue", "", "continue in a new session, with a summary of this one"),
    ("close", "", "close this session; it stays in the list"),
    ("notices", "", "show all messages of the screen"),
    ("theme", "dark|light", "use the built-in theme for dark or light terminals"),
    ("vim", "on|off", "edit prompts with the keys of vim"),
    ("mouse", "on|off", "use the mouse, or leave it to the terminal"),
    ("notify", "on|bell|off", "notify you while the terminal is not focused"),
    ("thoughts", "folded|shown", "fold the reasoning of the agent, or show it"),
    ("quit", "", "end; the sessions stay in the list"),
];
