//! The language of prompts: one command per line, or several separated by `;`.

use std::path::PathBuf;

/// A command of the agent in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `say TEXT`: one message chunk.
    Say(String),
    /// `think TEXT`: one thought chunk.
    Think(String),
    /// `tool TITLE`: one tool call, pending, in progress, completed.
    Tool(String),
    /// `cancellable TITLE`: a tool call that lasts until it is cancelled. In version 1 only the
    /// turn can be cancelled.
    Cancellable(String),
    /// `ask`: a tool call that needs permission.
    Ask,
    /// `question TEXT`: a form for the person.
    Question(String),
    /// `read PATH`: a file read through the client.
    Read(PathBuf),
    /// `write PATH TEXT`: a file written through the client.
    Write(PathBuf, String),
    /// `plan`: a plan of three entries.
    Plan,
    /// `plans`: a plan with an id, if the client supports it.
    Plans,
    /// `subagent TITLE`: a child session that says one thing, if the client supports it.
    Subagent(String),
    /// `notice SEVERITY TEXT`: a notice, if the client supports it.
    Notice(String, String),
    /// `compact`: a compaction, if the client supports it.
    Compact,
    /// `usage USED SIZE`: a usage update, in tokens.
    Usage(u64, u64),
    /// `title TEXT`: a new session title.
    Title(String),
    /// `flood N SIZE`: N message chunks of SIZE bytes.
    Flood(u64, usize),
    /// `sleep MS`: a pause in milliseconds, which a cancellation ends early.
    Sleep(u64),
    /// `wait`: a pause until the turn is cancelled.
    Wait,
    /// `error`: a JSON-RPC error in response to the prompt.
    Error,
    /// `exit CODE`: the process ends immediately; queued messages are lost.
    Exit(i32),
    /// `stderr TEXT`: one line on stderr.
    Stderr(String),
}

impl Command {
    /// Parses all commands of a prompt; the error names the first invalid one.
    pub fn parse_all(prompt: &str) -> Result<Vec<Self>, String> {
        prompt
            .split(['\n', ';'])
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(Self::parse)
            .collect()
    }

    fn parse(line: &str) -> Result<Self, String> {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
        let command = match name {
            "say" => Some(Self::Say(rest.into())),
            "think" => Some(Self::Think(rest.into())),
            "tool" => Some(Self::Tool(rest.into())),
            "cancellable" => Some(Self::Cancellable(rest.into())),
            "ask" => Some(Self::Ask),
            "question" => Some(Self::Question(rest.into())),
            "read" => (!rest.is_empty()).then(|| Self::Read(rest.into())),
            "write" => (!first.is_empty()).then(|| Self::Write(first.into(), second.into())),
            "plan" => Some(Self::Plan),
            "plans" => Some(Self::Plans),
            "subagent" => Some(Self::Subagent(rest.into())),
            "notice" => (!second.is_empty()).then(|| Self::Notice(first.into(), second.into())),
            "compact" => Some(Self::Compact),
            "usage" => first
                .parse()
                .ok()
                .zip(second.parse().ok())
                .map(|(used, size)| Self::Usage(used, size)),
            "title" => Some(Self::Title(rest.into())),
            "flood" => first
                .parse()
                .ok()
                .zip(second.parse().ok())
                .map(|(count, size)| Self::Flood(count, size)),
            "sleep" => first.parse().ok().map(Self::Sleep),
            "wait" => Some(Self::Wait),
            "error" => Some(Self::Error),
            "exit" => first.parse().ok().map(Self::Exit),
            "stderr" => Some(Self::Stderr(rest.into())),
            _ => None,
        };
        command.ok_or_else(|| format!("`{line}` is not a command"))
    }
}

#[cfg(test)]
mod tests {
    use super::Command::{self, Plan, Say, Usage, Write};

    #[test]
    fn commands_are_separated_by_lines_and_semicolons() {
        let commands = Command::parse_all("say two words; plan\n\nusage 10 20;write a.txt one two");
        let write = Write("a.txt".into(), "one two".into());
        assert_eq!(commands, Ok(vec![Say("two words".into()), Plan, Usage(10, 20), write]));
    }

    #[test]
    fn an_invalid_command_is_named() {
        assert_eq!(
            Command::parse_all("plan; usage ten 20"),
            Err("`usage ten 20` is not a command".into())
        );
    }
}
