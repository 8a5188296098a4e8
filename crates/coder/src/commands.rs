//! Slash commands: what the agent answers itself, whichever model is chosen (CMD-01, CMD-04).

mod choose;
mod init;
mod review;
mod usage;

use crate::context::{Compaction, Wanted, compact, saving, tell_fill, told_saving};
use crate::models::{Model, Models, OFFLINE_HELP};
use crate::session::changes::undo;
use crate::session::memory::{Memory, Record};
use crate::session::options::{MODE, MODEL};
use crate::tools::fit::code;
use attache_agent::{Result, Turn};
use attache_protocol::v1::{AvailableCommand, AvailableCommandInput, UnstructuredCommandInput};

/// How long the summary for another session may be, in bytes.
const HAND_OFF: usize = 12 * 1024;

/// The commands that the agent answers itself: name, what it does, and what follows it.
const OWN: [(&str, &str, Option<&str>); 11] = [
    ("help", "Say which commands there are", None),
    ("compact", "Make a summary of the older part of the conversation", Some("what must be kept")),
    ("clear", "Let the model forget the conversation; what was said stays readable", None),
    ("title", "Give the session a title", Some("TITLE")),
    ("model", "Choose the model", Some("MODEL, or nothing to see them")),
    ("mode", "Choose what may happen without asking", Some("MODE, or nothing to see them")),
    ("undo", "Put the files back to before the last turn", Some("force, if they changed since")),
    ("usage", "Say how full the window is, and what the session cost", None),
    ("handoff", "Write a summary to begin another session with", None),
    ("init", "Write AGENTS.md: what an agent must know of this project", None),
    ("review", "Review what is changed and not committed", Some("what to look at")),
];

/// The verbs of the offline model, which every other model understands too.
const VERBS: [(&str, &str, Option<&str>); 10] = [
    ("summarize", "Say what this project is", None),
    ("show", "Show a file", Some("FILE, FILE:LINE or FILE:A-B")),
    ("where", "Where a word is used", Some("X")),
    ("find", "Find a file or a text", Some("X")),
    ("rename", "Rename a word in a file or folder", Some("A to B in PATH")),
    ("run", "Run a command", Some("CMD")),
    ("plan", "Make a plan and show it", Some("what for, or its steps")),
    ("ask", "Put a question to you as a form", Some("QUESTION: A, B")),
    ("delegate", "Give a task to a subagent", Some("TASK")),
    ("fetch", "Read a page of the web", Some("URL")),
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

/// The outcome of a prompt that may be a command.
pub(crate) enum Commanded {
    /// It is a command, and it is done.
    Done,
    /// It is a command for the model, which is to be told this in its place.
    Asks(String),
    /// It is not a command of the agent.
    None,
}

/// Does what the prompt says if it is one of the agent's own commands.
pub(crate) async fn command(
    models: &Models,
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
) -> Result<Commanded> {
    let Some((name, rest)) = own(turn.text()) else {
        return match wished_title(turn.text()) {
            Some(title) => title_wished(turn, title).await.map(|()| Commanded::Done),
            None => Ok(Commanded::None),
        };
    };
    let said = match name {
        "compact" => compacted(memory, turn, model, rest).await?,
        "clear" => cleared(memory, turn, model).await?,
        "title" => titled(turn, rest).await?,
        "model" => choose::choose(models, turn, MODEL, rest).await?,
        "mode" => choose::choose(models, turn, MODE, rest).await?,
        "undo" => {
            undo(turn, &memory.folders, &mut memory.changes, rest == "force").await?.to_string()
        }
        "usage" => usage::usage(memory, turn, model),
        "handoff" => turn.hand_off(HAND_OFF),
        "init" if model.writes() => return Ok(Commanded::Asks(init::TASK.to_owned())),
        "init" => init::init(models, memory, turn).await?,
        "review" if model.writes() => return Ok(Commanded::Asks(review::task(rest))),
        "review" => review::review(models, memory, turn).await?,
        _ => help(turn, model),
    };
    turn.say(&said).await?;
    Ok(Commanded::Done)
}

/// The name of the agent's own command that the text begins with, and what follows it.
fn own(text: &str) -> Option<(&'static str, &str)> {
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
        "Commands that I answer myself:\n\n{}\nCommands for the model:\n\n{}\nEverything else is for the model, which is {} now; the mode is {}.\n",
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

async fn compacted(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
    wish: &str,
) -> Result<String> {
    let wish = Some(wish).filter(|wish| !wish.is_empty());
    Ok(match compact(memory, turn, model, Wanted::ByPerson(wish)).await? {
        Compaction::Done { before, after } => {
            let words = saving(before, after);
            match told_saving(turn, &words).await? {
                true => String::new(),
                false => format!("{words}. What was said stays readable here.\n"),
            }
        }
        Compaction::Nothing => "There is nothing to make a summary of yet.\n".to_owned(),
        Compaction::Failed(why) => {
            format!("The conversation is as it was: {}.\n", why.trim_end_matches('.'))
        }
    })
}

async fn cleared(memory: &mut Memory, turn: &Turn, model: &dyn Model) -> Result<String> {
    memory.conversation.clear();
    memory.seen.clear();
    turn.remember(&Record::Cleared).await?;
    tell_fill(memory, turn, model, 0).await?;
    Ok("The model knows nothing any more of what was said. It stays readable here, and the files are as they are.\n"
        .to_owned())
}

async fn titled(turn: &Turn, title: &str) -> Result<String> {
    if title.is_empty() {
        return Ok("Say the title too: `/title What this session is about`.\n".to_owned());
    }
    let Some(title) = attache_session::title(title) else {
        return Ok("Nothing of that title can be seen: use letters.\n".to_owned());
    };
    turn.title_by_person(&title).await?;
    Ok(format!("This session is called “{title}” now.\n"))
}

/// The title that a person asks for in words: `call this "X"`, `call this session X`,
/// `call this X`.
fn wished_title(text: &str) -> Option<&str> {
    const LONGEST: usize = 100;
    const BEGIN: &str = "call this ";
    const SESSION: [&str; 4] = ["session ", "conversation ", "chat ", "thread "];
    // What is called in programs.
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
    let (begin, rest) = text.split_at_checked(BEGIN.len())?;
    if !begin.eq_ignore_ascii_case(BEGIN)
        || text.len() > LONGEST
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

async fn title_wished(turn: &Turn, title: &str) -> Result<()> {
    let said = titled(turn, title).await?;
    turn.say(&said).await
}

#[cfg(test)]
mod tests {
    use super::{VERBS, commands, own, wished_title};
    use attache_protocol::v1::{AvailableCommandsUpdate, SessionUpdate};

    /// CMD-05: the list is small enough to be sent with every session, and the names have no slash.
    #[test]
    fn the_list_of_commands_is_shorter_than_4_kib() {
        let update = SessionUpdate::from(AvailableCommandsUpdate::new(commands()));
        let length = attache_protocol::encode(&update).len();
        assert!(length < 4096, "{length} bytes");
        assert!(commands().iter().all(|command| !command.name.starts_with('/')));
    }

    #[test]
    fn the_system_prompt_names_every_command() {
        let prompt = include_str!("session/system_prompt.md");
        for command in commands() {
            assert!(prompt.contains(&format!("`/{}", command.name)), "{}", command.name);
        }
    }

    #[test]
    fn a_command_is_a_word_behind_a_slash_at_the_start() {
        assert_eq!(own(" /compact  the names "), Some(("compact", "the names")));
        assert_eq!(own("/Help"), Some(("help", "")));
        for other in ["compact", "/compacted", "/usr/bin/help", "say /help", "/", ""] {
            assert_eq!(own(other), None, "{other}");
        }
        assert!(VERBS.iter().all(|(verb, ..)| own(&format!("/{verb} x")).is_none()));
    }

    #[test]
    fn a_title_can_be_asked_for_in_words() {
        for (text, title) in [
            ("call this The grid work", "The grid work"),
            ("Call this \"from here on\".", "from here on"),
            ("call this session function calls", "function calls"),
            ("call this chat “Größe”", "Größe"),
        ] {
            assert_eq!(wished_title(text), Some(title), "{text}");
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
            assert_eq!(wished_title(text), None, "{text}");
        }
    }
}
