//! The tools as a provider's model is told of them, and its arguments as actions.

mod files;

use super::Action;
use super::ask::Ask;
use super::delete::Delete;
use super::edit::{Edit, Replacement};
use super::execute::Execute;
use super::execute::background::{Kill, Output};
use super::exit_plan::ExitPlan;
use super::fetch::Fetch;
use super::grep::Grep;
use super::list::List;
use super::move_file::Move;
use super::read::Read;
use super::repair;
use super::task::Task;
use super::write::Write;
use crate::conversation::Party;
use crate::models::ToolSpec;
use attache_protocol::v1::{PlanEntry, PlanEntryPriority, PlanEntryStatus};
use serde::Deserialize;
use serde_json::{Value, json};

/// How much of unreadable arguments is said back, in characters.
const SAID_BACK: usize = 200;

/// The tools that are not for subagents.
const NOT_FOR_SUBAGENTS: [&str; 2] = ["exit_plan", "task"];

/// The tools of the agent, or of a subagent.
pub(crate) fn specs_of(party: Party) -> Vec<ToolSpec> {
    let mut specs = specs();
    if let Party::Subagent { .. } = party {
        specs.retain(|spec| !NOT_FOR_SUBAGENTS.contains(&spec.name.as_str()));
    }
    specs
}

/// All tools.
pub(crate) fn specs() -> Vec<ToolSpec> {
    let path = |what: &str| json!({"type": "string", "description": what});
    let yes_no = |what: &str| json!({"type": "boolean", "description": what});
    let number = |what: &str| json!({"type": "integer", "minimum": 1, "description": what});
    let replacement = json!({
        "type": "object",
        "properties": {
            "old": path("The exact text to replace, with enough around it to stand once in the file."),
            "new": path("The text to put in its place."),
            "every": yes_no("Replace it wherever it stands. Default false."),
        },
        "required": ["old", "new"],
    });
    let entry = json!({
        "type": "object",
        "properties": {
            "content": path("One step, in a few words."),
            "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
        },
        "required": ["content", "status"],
    });
    let question = json!({
        "type": "object",
        "properties": {
            "question": path("The question."),
            "options": {"type": "array", "items": {"type": "string"}, "description": "What to choose from; free text without any."},
            "several": yes_no("Several options may be chosen. Default false."),
        },
        "required": ["question"],
    });
    vec![
        spec(
            "read",
            "Read a text file. The result says which lines it has; a long file is given in parts.",
            json!({"path": path("The file."), "line": number("The first line."), "limit": number("The most lines.")}),
            &["path"],
        ),
        spec(
            "grep",
            "Search the text of files for a regular expression (Rust syntax). Files that .gitignore names and hidden ones are left out.",
            json!({
                "pattern": path("The regular expression."),
                "path": path("A file or folder. Default: the working directory."),
                "literal": yes_no("The pattern is plain text. Default false."),
                "word": yes_no("Whole words only. Default false."),
            }),
            &["pattern"],
        ),
        spec(
            "list",
            "List the files at and below a folder, without those that .gitignore names and hidden ones.",
            json!({
                "path": path("A folder. Default: the working directory."),
            }),
            &[],
        ),
        files::glob(),
        spec(
            "edit",
            "Change a file by exact replacements, made one after the other, all or none. Read the file first.",
            json!({"path": path("The file."), "replacements": {"type": "array", "minItems": 1, "items": replacement}}),
            &["path", "replacements"],
        ),
        spec(
            "write",
            "Make a new file, with the folders it needs, or replace the whole text of one that was read. To change part of a file use edit.",
            json!({"path": path("The file."), "text": path("Its whole text.")}),
            &["path", "text"],
        ),
        files::apply_patch(),
        files::delete(),
        files::move_file(),
        spec(
            "execute",
            "Run a command line with the shell in the working directory. It gets no input and is killed after its time. It runs in a sandbox without \
             the network. Of a long output you get the beginning and the end; the result names a file with all of it.",
            json!({
                "command": path("The command line."),
                "seconds": number("Its time. Default 120, at most 600; in the background none."),
                "network": yes_no("It needs the network. The person may be asked. Default false."),
                "unsandboxed": path("Why it cannot do its work in the sandbox. The person is asked. Only after the sandbox held it."),
                "background": yes_no("Let it run on, such as a server. You get an id for `output` and `kill`. Default false."),
                "terminal": yes_no("It needs a terminal. Default false."),
            }),
            &["command"],
        ),
        spec(
            "output",
            "What a background command wrote since you last looked, and whether it still runs.",
            json!({"id": path("Its id."), "seconds": number("Wait so long for something new. Default not at all, at most 120.")}),
            &["id"],
        ),
        spec("kill", "End a background command.", json!({"id": path("Its id.")}), &["id"]),
        spec(
            "plan",
            "Show the person what you intend and how far you are, for work of several steps. Each time the whole list.",
            json!({"entries": {"type": "array", "items": entry}}),
            &["entries"],
        ),
        spec(
            "exit_plan",
            "In the mode plan, when you know what to do: show the person your plan and ask to begin. They say which mode follows.",
            json!({"plan": path("What you are going to do, whole, in Markdown.")}),
            &["plan"],
        ),
        spec(
            "ask",
            "Ask the person what you cannot find out and cannot choose yourself. Never for passwords or keys.",
            json!({"questions": {"type": "array", "minItems": 1, "items": question}}),
            &["questions"],
        ),
        spec(
            "fetch",
            "Read a page of the web as Markdown, text or JSON. The person is asked, unless a rule of theirs allows the host.",
            json!({"url": path("Its address, http or https.")}),
            &["url"],
        ),
        spec(
            "task",
            "Give a task to a subagent that has your tools and nothing of this conversation; you get its report. For work that reads much and \
             comes to little.",
            json!({
                "title": path("What it is about, in three to six words."),
                "prompt": path("All that the subagent must know, and what it is to report."),
                "read_only": yes_no("It changes nothing and runs no command. Default false."),
            }),
            &["title", "prompt"],
        ),
    ]
}

fn spec(name: &str, description: &str, properties: Value, required: &[&str]) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: json!({"type": "object", "properties": properties, "required": required}),
    }
}

#[derive(Deserialize)]
struct ReadArguments {
    path: String,
    line: Option<u32>,
    limit: Option<u32>,
}

#[derive(Deserialize)]
struct GrepArguments {
    pattern: String,
    path: Option<String>,
    #[serde(default)]
    literal: bool,
    #[serde(default)]
    word: bool,
    /// As the offline model asks; in place of `literal`.
    regex: Option<bool>,
    #[serde(default, rename = "smartCase", alias = "smart_case")]
    smart_case: bool,
}

#[derive(Deserialize)]
struct ListArguments {
    path: Option<String>,
    /// As the offline model asks.
    glob: Option<String>,
}

#[derive(Deserialize)]
struct EditArguments {
    path: String,
    replacements: Vec<ReplacementArguments>,
}

#[derive(Deserialize)]
struct ReplacementArguments {
    old: String,
    new: String,
    #[serde(default)]
    every: bool,
    /// As the offline model asks.
    #[serde(default)]
    word: bool,
}

#[derive(Deserialize)]
struct PlanArguments {
    entries: Vec<EntryArguments>,
}

#[derive(Deserialize)]
struct EntryArguments {
    content: String,
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
}

/// The action that a model asks for.
///
/// # Errors
/// One sentence for the model: there is no such tool, or its arguments are not those of the tool.
pub(crate) fn action(name: &str, arguments: &str) -> Result<Action, String> {
    let here = || ".".to_owned();
    Ok(match name {
        "read" => {
            let ReadArguments { path, line, limit } = read(name, arguments)?;
            Action::Read(Read { path, line, limit })
        }
        "grep" => {
            let GrepArguments { pattern, path, literal, word, regex, smart_case } =
                read(name, arguments)?;
            let path = path.unwrap_or_else(here);
            let regex = regex.unwrap_or(!literal);
            Action::Grep(Grep { pattern, path, regex, word, smart_case })
        }
        "list" => {
            let ListArguments { path, glob } = read(name, arguments)?;
            Action::List(List { path: path.unwrap_or_else(here), glob })
        }
        "edit" => {
            let EditArguments { path, replacements } = read(name, arguments)?;
            let replacement = |ReplacementArguments { old, new, every, word }| Replacement {
                old,
                new,
                every,
                word,
            };
            Action::Edit(Edit {
                path,
                replacements: replacements.into_iter().map(replacement).collect(),
            })
        }
        "write" => Action::Write(read::<Write>(name, arguments)?),
        "glob" => read::<files::GlobArguments>(name, arguments)?.action(),
        // Some models write the patch alone, as they were trained to.
        "apply_patch" if arguments.trim_start().starts_with("*** Begin Patch") => {
            files::PatchArguments { input: arguments.to_owned() }.action()?
        }
        "apply_patch" => read::<files::PatchArguments>(name, arguments)?.action()?,
        "delete" => Action::Delete(read::<Delete>(name, arguments)?),
        "move" => Action::Move(read::<Move>(name, arguments)?),
        "execute" => Action::Execute(read::<Execute>(name, arguments)?),
        "output" => Action::Output(read::<Output>(name, arguments)?),
        "kill" => Action::Kill(read::<Kill>(name, arguments)?),
        "plan" => {
            let PlanArguments { entries } = read(name, arguments)?;
            Action::Plan(entries.into_iter().map(entry).collect())
        }
        "exit_plan" => Action::ExitPlan(read::<ExitPlan>(name, arguments)?),
        "ask" => Action::Ask(read::<Ask>(name, arguments)?),
        "fetch" => Action::Fetch(read::<Fetch>(name, arguments)?),
        "task" => Action::Task(read::<Task>(name, arguments)?),
        other => {
            let names: Vec<String> = specs().into_iter().map(|spec| spec.name).collect();
            let other = super::fit::one_line(other, 60);
            return Err(format!("there is no tool {other:?}: use one of {}", names.join(", ")));
        }
    })
}

fn entry(EntryArguments { content, status }: EntryArguments) -> PlanEntry {
    let status = match status {
        Status::Pending => PlanEntryStatus::Pending,
        Status::InProgress => PlanEntryStatus::InProgress,
        Status::Completed => PlanEntryStatus::Completed,
    };
    PlanEntry::new(content, PlanEntryPriority::Medium, status)
}

/// The arguments of a tool, repaired where it is plain what was meant.
fn read<T: for<'de> Deserialize<'de>>(name: &str, arguments: &str) -> Result<T, String> {
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    let read = repair::value(arguments).and_then(|value| {
        let read = T::deserialize(&value);
        read.or_else(|error| T::deserialize(repair::with_fields_read(value)).map_err(|_| error))
    });
    read.map_err(|error| {
        let said = super::fit::one_line(arguments, SAID_BACK);
        match error.is_data() {
            true => format!(
                "the arguments of {name} are not those of this tool: {error}; call it again with its fields"
            ),
            false => format!(
                "the arguments of {name} are no JSON: {error} in {said}; call it again with one JSON object"
            ),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{action, specs};
    use crate::tools::Action;

    #[test]
    fn every_tool_that_is_offered_can_be_asked_for() {
        for (name, arguments) in [
            ("read", r#"{"path":"a","line":3}"#),
            ("grep", r#"{"pattern":"a.b"}"#),
            ("list", ""),
            ("edit", r#"{"path":"a","replacements":[{"old":"x","new":"y"}]}"#),
            ("write", r#"{"path":"a","text":""}"#),
            ("glob", r#"{"pattern":"src/**/*.rs"}"#),
            ("apply_patch", r#"{"input":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}"#),
            ("apply_patch", "*** Begin Patch\n*** Delete File: a\n*** End Patch"),
            ("delete", r#"{"path":"a"}"#),
            ("move", r#"{"path":"a","to":"b"}"#),
            ("execute", r#"{"command":"ls","seconds":5}"#),
            ("output", r#"{"id":"bg1","seconds":1}"#),
            ("kill", r#"{"id":"bg1"}"#),
            ("plan", r#"{"entries":[{"content":"a","status":"in_progress"}]}"#),
            ("exit_plan", r##"{"plan":"# First"}"##),
            ("ask", r#"{"questions":[{"question":"Which?","options":["a","b"]}]}"#),
            ("fetch", r#"{"url":"https://example.org"}"#),
            ("task", r#"{"title":"a","prompt":"b"}"#),
        ] {
            let action = action(name, arguments).unwrap();
            assert_eq!(action.name(), name);
        }
        assert_eq!(specs().len(), 17);
        for spec in specs() {
            assert!(
                !action(&spec.name, "{}").is_err_and(|why| why.contains("no tool")),
                "{}",
                spec.name
            );
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_in_a_sentence() {
        for (name, arguments, said) in [
            ("read", "{\"path\": \"a", "no JSON"),
            ("read", "{}", "missing field `path`"),
            ("read", "[]", "arguments of read"),
            ("read", "{\"path\":7}", "expected a string"),
            ("edit", "{\"path\":\"a\",\"replacements\":[{}]}", "missing field `old`"),
            ("plan", "{\"entries\":[{\"content\":\"a\",\"status\":\"done\"}]}", "unknown variant"),
            ("rm\n-rf", "{}", "there is no tool \"rm -rf\": use one of read, grep"),
        ] {
            let why = action(name, arguments).unwrap_err();
            assert!(why.contains(said) && why.len() < 600 && !why.contains('\n'), "{why}");
        }
        let edit =
            action("edit", r#"{"path":"a","replacements":"[{\"old\":\"[x\",\"new\":\"y\"},]"}"#);
        assert!(
            matches!(&edit, Ok(Action::Edit(edit)) if edit.replacements[0].old == "[x"),
            "{edit:?}"
        );
        let write = action("write", r#"{"path":"a","text":"{\"b\":1}"}"#);
        assert!(
            matches!(&write, Ok(Action::Write(write)) if write.text == "{\"b\":1}"),
            "JSON as text: {write:?}"
        );
        assert!(
            matches!(action("read", "{\"path\":\"a\",\"more\":1}"), Ok(Action::Read(_))),
            "more is no harm"
        );
    }
}
