//! Slash commands that the agent handles itself, with any model (CMD-01, CMD-04).

pub(crate) mod by_client;
mod choose;
mod init;
mod review;
mod usage;

use crate::context::{
    Compaction, CompactionReason, compact, report_fill, report_saving, report_window, saving,
};
use crate::models::{Model, Models, OFFLINE_HELP};
use crate::session::changes::undo;
use crate::session::memory::{Memory, Record};
use crate::session::options::{MODE, MODEL};
use crate::tools::fit::code;
use crate::turn::chosen_model::chosen;
use attache_agent::{Result, Turn};
use attache_protocol::v1::{AvailableCommand, AvailableCommandInput, UnstructuredCommandInput};

/// The maximum length of a handoff summary, in bytes.
const MAX_HANDOFF: usize = 12 * 1024;

/// The commands that the agent handles itself: name, description and input hint.
const OWN: [(&str, &str, Option<&str>); 11] = [
    ("help", "List the commands", None),
    ("compact", "Summarize the older part of the conversation", Some("what to keep")),
    ("clear", "Clear the conversation for the model; you can still read it", None),
    ("title", "Set the title of the session", Some("TITLE")),
    ("model", "Choose the model", Some("MODEL, or nothing to list the models")),
    ("mode", "Choose what runs without asking", Some("MODE, or nothing to list the modes")),
    (
        "undo",
        "Revert the file changes of the last turn",
        Some("force, to revert files that changed since"),
    ),
    ("usage", "Show how full the context window is and what the session cost", None),
    ("handoff", "Write a summary for starting another session", None),
    ("init", "Write AGENTS.md: what an agent must know about this project", None),
    ("review", "Review the uncommitted changes", Some("what to look at")),
];

/// The offline model's verbs. Every other model understands them too.
const VERBS: [(&str, &str, Option<&str>); 10] = [
    ("summarize", "Say what this project is", None),
    ("show", "Show a file", Some("FILE, FILE:LINE or FILE:A-B")),
    ("where", "Show where a word is used", Some("X")),
    ("find", "Find a file or a text", Some("X")),
    ("rename", "Rename a word in a file or folder", Some("A to B in PATH")),
    ("run", "Run a command", Some("CMD")),
    ("plan", "Make a plan and show it", Some("the goal, or the steps")),
    ("ask", "Ask you a question with a form", Some("QUESTION: A, B")),
    ("delegate", "Give a task to a subagent", Some("TASK")),
    ("fetch", "Read a web page", Some("URL")),
];

/// All slash commands.
pub(crate) fn commands() -> Vec<AvailableCommand> {
    let command = |(name, description, hint): &(&str, &str, Option<&str>)| {
        let mut command = AvailableCommand::new(*name, *description);
        let input =
            |hint: &str| AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint));
        command.input = hint.map(input);
        command
    };
    OWN.iter().chain(&VERBS).map(command).collect()
}

/// What to do with a prompt that may be a command.
pub(crate) enum CommandOutcome {
    /// The agent has handled the command.
    Done,
    /// A command for the model: this text replaces the prompt.
    Asks(String),
    /// The prompt is not a command of the agent.
    None,
}

/// Runs the command in the prompt, if it is one of the agent's own commands.
pub(crate) async fn command(
    models: &Models,
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
) -> Result<CommandOutcome> {
    let Some((name, rest)) = own_command(turn.text()) else {
        return match requested_title(turn.text()) {
            Some(title) => set_requested_title(turn, title).await.map(|()| CommandOutcome::Done),
            None => Ok(CommandOutcome::None),
        };
    };
    let said = match name {
        "compact" => run_compact(memory, turn, model, rest).await?,
        "clear" => run_clear(memory, turn, model).await?,
        "title" => run_title(turn, rest).await?,
        "model" => {
            let said = choose::choose(models, turn, MODEL, rest).await?;
            report_window(memory, turn, &*chosen(models, turn)).await?;
            said
        }
        "mode" => choose::choose(models, turn, MODE, rest).await?,
        "undo" if memory.changes.by_client => by_client::undo(turn, rest == "force").await?,
        "undo" => {
            undo(turn, &memory.folders, &mut memory.changes, rest == "force").await?.to_string()
        }
        "usage" => usage::usage(memory, model),
        "handoff" => turn.hand_off(MAX_HANDOFF),
        "init" if model.writes() => return Ok(CommandOutcome::Asks(init::TASK.to_owned())),
        "init" => init::init(models, memory, turn).await?,
        "review" if model.writes() => return Ok(CommandOutcome::Asks(review::task(rest))),
        "review" => review::review(models, memory, turn).await?,
        _ => help(turn, model),
    };
    turn.say(&said).await?;
    Ok(CommandOutcome::Done)
}

/// Returns the agent's own command at the start of the text, and the rest of the text.
fn own_command(text: &str) -> Option<(&'static str, &str)> {
    let text = text.trim().strip_prefix('/')?;
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let known = OWN.iter().find(|(known, ..)| name.eq_ignore_ascii_case(known));
    known.map(|(known, ..)| (*known, rest.trim()))
}

fn help(turn: &Turn, model: &dyn Model) -> String {
    let rows = |commands: &[(&str, &str, Option<&str>)]| {
        let row = |(name, description, hint): &(&str, &str, Option<&str>)| {
            let hint = hint.map(|hint| format!(" *{hint}*")).unwrap_or_default();
            format!("- `/{name}`{hint}: {description}\n")
        };
        commands.iter().map(row).collect::<String>()
    };
    let mode = turn.mode().map(|mode| mode.to_string()).unwrap_or_default();
    let mut text = format!(
        "Commands of the agent:\n\n{}\nCommands for the model:\n\n{}\nEverything else is for the model, which is {} now; the mode is {}.\n",
        rows(&OWN),
        rows(&VERBS),
        model.title(),
        code(&mode)
    );
    if !model.writes() {
        text.push_str(&format!("\n{OFFLINE_HELP}"));
    }
    text
}

async fn run_compact(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    wish: &str,
) -> Result<String> {
    let wish = Some(wish).filter(|wish| !wish.is_empty());
    Ok(match compact(memory, turn, model, CompactionReason::ByPerson(wish)).await? {
        Compaction::Done { before, after } => {
            let words = saving(before, after);
            match report_saving(turn, &words).await? {
                true => String::new(),
                false => format!("{words}. You can still read the whole conversation here.\n"),
            }
        }
        Compaction::Nothing => "There is nothing to summarize yet.\n".to_owned(),
        Compaction::Failed(why) => {
            format!("The conversation is unchanged: {}.\n", why.trim_end_matches('.'))
        }
    })
}

async fn run_clear(memory: &mut Memory, turn: &Turn, model: &dyn Model) -> Result<String> {
    memory.conversation.clear();
    memory.seen.clear();
    turn.remember(&Record::Cleared).await?;
    report_fill(memory, turn, model, 0).await?;
    Ok("The model has forgotten the conversation. You can still read it here, and the files are unchanged.\n"
        .to_owned())
}

async fn run_title(turn: &Turn, title: &str) -> Result<String> {
    if title.is_empty() {
        return Ok("Give the title as well: `/title What this session is about`.\n".to_owned());
    }
    let Some(title) = attache_session::title(title) else {
        return Ok("That title has no visible characters: use letters.\n".to_owned());
    };
    turn.title_by_person(&title).await?;
    Ok(format!("The title of this session is now “{title}”.\n"))
}

/// Returns the title that a prompt asks for in plain words: `call this "X"`, `call this session X`
/// or `call this X`.
fn requested_title(text: &str) -> Option<&str> {
    const MAX_TITLE: usize = 100;
    const PREFIX: &str = "call this ";
    const SESSION: [&str; 4] = ["session ", "conversation ", "chat ", "thread "];
    // A text that begins with one of these words is probably a statement about code and not a
    // title.
    const CODE: [&str; 30] = [
        "function",
        "method",
        "api",
        "endpoint",
        "command",
        "script",
        "macro",
        "class",
        "constructor",
        "hook",
        "callback",
        "procedure",
        "routine",
        "program",
        "tool",
        "service",
        "url",
        "server",
        "one",
        "from",
        "with",
        "in",
        "when",
        "after",
        "before",
        "if",
        "code",
        "test",
        "variable",
        "field",
    ];
    let text = text.trim();
    let (begin, rest) = text.split_at_checked(PREFIX.len())?;
    if !begin.eq_ignore_ascii_case(PREFIX)
        || text.len() > MAX_TITLE
        || text.contains(['\n', '`', '(', '?'])
    {
        return None;
    }
    let after = |word: &&str| {
        rest.split_at_checked(word.len()).filter(|(start, _)| start.eq_ignore_ascii_case(word))
    };
    let (named, title) = match SESSION.iter().find_map(after) {
        Some((_, title)) => (true, title),
        None => (false, rest),
    };
    let bare = title.trim_matches(['"', '\'', '“', '”', '.', '!', ' ']);
    let quoted = title.trim_start().starts_with(['"', '“']);
    let first = bare.split_whitespace().next()?.to_lowercase();
    (named || quoted || !CODE.contains(&first.as_str())).then_some(bare)
}

async fn set_requested_title(turn: &Turn, title: &str) -> Result<()> {
    let said = run_title(turn, title).await?;
    turn.say(&said).await
}

#[cfg(test)]
mod tests {
    use super::{VERBS, commands, own_command, requested_title};
    use attache_protocol::v1::{AvailableCommandsUpdate, SessionUpdate};

    /// CMD-05: the list is small enough to be sent with every session, and no name has a slash.
    #[test]
    fn command_list_is_shorter_than_4_kib() {
        let update = SessionUpdate::from(AvailableCommandsUpdate::new(commands()));
        let length = attache_protocol::encode(&update).len();
        assert!(length < 4096, "{length} bytes");
        assert!(commands().iter().all(|command| !command.name.starts_with('/')));
    }

    #[test]
    fn system_prompt_names_every_command() {
        let prompt = include_str!("session/system_prompt.md");
        for command in commands() {
            assert!(prompt.contains(&format!("`/{}", command.name)), "{}", command.name);
        }
    }

    #[test]
    fn command_is_a_word_after_a_slash_at_the_start() {
        assert_eq!(own_command(" /compact  the names "), Some(("compact", "the names")));
        assert_eq!(own_command("/Help"), Some(("help", "")));
        for other in ["compact", "/run_compact", "/usr/bin/help", "say /help", "/", ""] {
            assert_eq!(own_command(other), None, "{other}");
        }
        assert!(VERBS.iter().all(|(verb, ..)| own_command(&format!("/{verb} x")).is_none()));
    }

    #[test]
    fn prompt_can_ask_for_a_title_in_words() {
        for (text, title) in [
            ("call this The grid work", "The grid work"),
            ("Call this \"from here on\".", "from here on"),
            ("call this session function calls", "function calls"),
            ("call this chat “Größe”", "Größe"),
        ] {
            assert_eq!(requested_title(text), Some(title), "{text}");
        }
        for text in [
            "call this function twice",
            "call this API from main",
            "call this",
            "call this `x`",
            "call this thing()",
            "please call this x",
            "call this one\nand that",
        ] {
            assert_eq!(requested_title(text), None, "{text}");
        }
    }
}
