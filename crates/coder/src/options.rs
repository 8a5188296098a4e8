//! What a person can choose for a session, and the slash commands.

use crate::policy::Mode;
use attache_protocol::v1::{
    AvailableCommand, AvailableCommandInput, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigSelectOption, UnstructuredCommandInput,
};

/// The switch that shows what the model thinks.
pub(crate) const SHOW_THOUGHTS: &str = "show_thoughts";

/// The options of a new session, the most important first (CONF-15).
pub(crate) fn options() -> Vec<SessionConfigOption> {
    let modes = Mode::ALL.map(|mode| {
        let (name, description) = mode.words();
        value(mode.id(), name, description)
    });
    let mut mode = SessionConfigOption::select("mode", "Mode", Mode::Ask.id(), modes.to_vec());
    mode.description = Some("What may happen without asking".to_owned());
    mode.category = Some(SessionConfigOptionCategory::Mode);
    let offline =
        value("offline", "Offline", "Understands a few forms of words; needs no key and no network");
    let mut model = SessionConfigOption::select("model", "Model", "offline", vec![offline]);
    model.description = Some("What answers prompts".to_owned());
    model.category = Some(SessionConfigOptionCategory::Model);
    let mut thoughts = SessionConfigOption::boolean(SHOW_THOUGHTS, "Show thoughts", true);
    thoughts.description = Some("Whether the model's reasoning is sent".to_owned());
    thoughts.category = Some(SessionConfigOptionCategory::ModelConfig);
    vec![mode, model, thoughts]
}

fn value(id: &str, name: &str, description: &str) -> SessionConfigSelectOption {
    let mut value = SessionConfigSelectOption::new(id, name);
    value.description = Some(description.to_owned());
    value
}

/// The verbs of the offline model as slash commands (CMD-01).
pub(crate) fn commands() -> Vec<AvailableCommand> {
    [
        ("summarize", "Say what this project is", None),
        ("show", "Show a file", Some("FILE, FILE:LINE or FILE:A-B")),
        ("where", "Where a word is used", Some("X")),
        ("find", "Find a file or a text", Some("X")),
        ("rename", "Rename a word in a file or folder", Some("A to B in PATH")),
        ("run", "Run a command", Some("CMD")),
        ("help", "What the offline model understands", None),
    ]
    .map(|(name, description, hint)| {
        let mut command = AvailableCommand::new(name, description);
        let input = |hint| AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint));
        command.input = hint.map(input);
        command
    })
    .to_vec()
}
