//! The tools of the agent, in the order in which models see them.

use super::dialog::ask::Ask;
use super::dialog::exit_plan::ExitPlan;
use super::dialog::plan::Plan;
use super::dialog::task::Task;
use super::execute::Execute;
use super::execute::kill::Kill;
use super::execute::output::Output;
use super::files::delete::Delete;
use super::files::edit::Edit;
use super::files::move_file::Move;
use super::files::patch::Patch;
use super::files::read::Read;
use super::files::write::Write;
use super::fit::one_line;
use super::mcp::Mcp;
use super::search::glob::Glob;
use super::search::grep::Grep;
use super::search::list::List;
use super::tool::Tool;
use super::web::fetch::Fetch;
use crate::conversation::conversation_kind::ConversationKind;
use crate::mcp::Servers;
use crate::models::ToolSpec;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// A list of tools, in which they are found by name.
#[derive(Debug, Clone)]
pub(crate) struct Registry {
    entries: Vec<Arc<Entry>>,
}

/// One tool: its description, and the parser of its arguments.
struct Entry {
    spec: ToolSpec,
    is_for_subagents: bool,
    parse: Parse,
}

type Parse = Box<dyn Fn(&str) -> Result<Box<dyn Tool>, String> + Send + Sync>;

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spec.name)
    }
}

impl Registry {
    /// The built-in tools.
    pub(crate) fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<Registry> = LazyLock::new(|| Registry {
            entries: vec![
                entry(Read::parse),
                entry(Grep::parse),
                entry(List::parse),
                entry(Glob::parse),
                entry(Edit::parse),
                entry(Write::parse),
                entry(Patch::parse_arguments),
                entry(Delete::parse),
                entry(Move::parse),
                entry(Execute::parse),
                entry(Output::parse),
                entry(Kill::parse),
                entry(Plan::parse),
                entry(ExitPlan::parse),
                entry(Ask::parse),
                entry(Fetch::parse),
                entry(Task::parse),
            ],
        });
        &BUILT_IN
    }

    /// Returns the built-in tools, followed by those of a session's MCP servers.
    pub(crate) fn with(servers: &Servers) -> Self {
        let mut entries = Self::built_in().entries.clone();
        for offered in servers.tools() {
            let tool = Mcp::new(&offered);
            let spec = tool.spec();
            let parse: Parse = Box::new(move |arguments| Ok(Box::new(tool.with(arguments)?)));
            let entry = Entry { spec, is_for_subagents: true, parse };
            entries.push(Arc::new(entry));
        }
        Self { entries }
    }

    /// The descriptions of the tools that a model gets in this kind of conversation.
    pub(crate) fn specs(&self, party: ConversationKind) -> Vec<ToolSpec> {
        let is_subagent = matches!(party, ConversationKind::Subagent { .. });
        let offered = self.entries.iter().filter(|entry| !is_subagent || entry.is_for_subagents);
        offered.map(|entry| entry.spec.clone()).collect()
    }

    /// Whether a tool with this name exists.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.spec.name == name)
    }

    /// Creates a call of the tool `name` with the arguments that a model wrote.
    ///
    /// # Errors
    /// Returns a sentence for the model if the tool does not exist, or if the arguments do not
    /// match it.
    pub(crate) fn call(&self, name: &str, arguments: &str) -> Result<Box<dyn Tool>, String> {
        match self.entries.iter().find(|entry| entry.spec.name == name) {
            Some(entry) => (entry.parse)(arguments),
            None => Err(self.unknown(name)),
        }
    }

    /// The error for a tool that does not exist. It lists the tools, those with a similar name
    /// first.
    fn unknown(&self, name: &str) -> String {
        let likeness =
            |known: &str| Some(strsim::jaro_winkler(name, known)).filter(|it| *it > SIMILAR);
        let mut names: Vec<_> = self.entries.iter().map(|entry| entry.spec.name.as_str()).collect();
        // The order of the others stays.
        names.sort_by(|one, other| {
            let (one, other) =
                (likeness(one).unwrap_or_default(), likeness(other).unwrap_or_default());
            other.total_cmp(&one)
        });
        let mut listed = String::new();
        let mut left = names.into_iter();
        while let Some(name) = left.next() {
            if listed.len() + name.len() > LISTED {
                listed.push_str(&format!(" and {} more", left.len() + 1));
                break;
            }
            listed.push_str(if listed.is_empty() { "" } else { ", " });
            listed.push_str(name);
        }
        format!("there is no tool {:?}: use one of {listed}", one_line(name, 60))
    }
}

/// How similar a name must be to be listed first in the error for an unknown tool.
const SIMILAR: f64 = 0.8;

/// The maximum length of the names in that error, in bytes.
const LISTED: usize = 400;

fn entry<T: Tool + Default + 'static>(parse: fn(&str) -> Result<T, String>) -> Arc<Entry> {
    let tool = T::default();
    Arc::new(Entry {
        spec: tool.spec(),
        is_for_subagents: tool.is_for_subagents(),
        parse: Box::new(move |arguments| Ok(Box::new(parse(arguments)?))),
    })
}

#[cfg(test)]
mod tests {
    use super::{Entry, Registry};
    use crate::conversation::conversation_kind::ConversationKind;
    use crate::mcp::RESERVED_FOR_BUILT_IN;

    #[test]
    fn every_tool_that_is_offered_can_be_called() {
        let registry = Registry::built_in();
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
            let tool = registry.call(name, arguments).unwrap();
            assert_eq!((tool.name(), tool.spec().name.as_str()), (name, name));
        }
        let specs = registry.specs(ConversationKind::Agent);
        assert!(specs.len() <= RESERVED_FOR_BUILT_IN);
        for spec in specs {
            assert!(
                !registry.call(&spec.name, "{}").is_err_and(|why| why.contains("no tool")),
                "{}",
                spec.name
            );
        }
    }

    #[test]
    fn subagents_have_all_tools_except_those_of_the_agent() {
        let names = |party| {
            let specs = Registry::built_in().specs(party).into_iter();
            specs.map(|spec| spec.name).collect::<Vec<_>>()
        };
        let (agent, subagent) = (
            names(ConversationKind::Agent),
            names(ConversationKind::Subagent { looks_only: false }),
        );
        let only_agent: Vec<_> = agent.iter().filter(|name| !subagent.contains(name)).collect();
        assert_eq!(only_agent, ["exit_plan", "task"]);
    }

    /// Models read these descriptions, so a changed description may change their behaviour.
    #[test]
    fn descriptions_match_the_snapshot() {
        let specs = Registry::built_in().specs(ConversationKind::Agent).into_iter().map(|spec| {
            serde_json::json!({
                "name": spec.name, "description": spec.description, "schema": spec.schema,
            })
        });
        let mut now = serde_json::to_string_pretty(&specs.collect::<Vec<_>>()).unwrap();
        now.push('\n');
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tools/registry/specs.json");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(path, &now).unwrap();
        }
        let saved = std::fs::read_to_string(path).unwrap_or_default();
        assert!(saved == now, "run again with UPDATE_DOCS=1 and look at the difference");
    }

    #[test]
    fn unreadable_arguments_fail_with_a_sentence() {
        for (name, arguments, said) in [
            ("read", "{\"path\": \"a", "not JSON"),
            ("read", "{}", "missing field `path`"),
            ("read", "[]", "do not match the tool read"),
            ("read", "{\"path\":7}", "expected a string"),
            ("edit", "{\"path\":\"a\",\"replacements\":[{}]}", "missing field `old`"),
            ("plan", "{\"entries\":[{\"content\":\"a\",\"status\":\"done\"}]}", "unknown variant"),
            ("rm\n-rf", "{}", "there is no tool \"rm -rf\": use one of read, "),
        ] {
            let why = Registry::built_in().call(name, arguments).unwrap_err();
            assert!(why.contains(said) && why.len() < 600 && !why.contains('\n'), "{why}");
        }
    }

    #[test]
    fn unknown_tool_error_lists_all_tools_the_nearest_first() {
        let mut registry = Registry::built_in().clone();
        let mut known = registry.entries[0].spec.clone();
        for server in ["git", "everything", "docs", "tracker"] {
            for tool in ["log", "echo", "a_tool_with_a_rather_long_name", "b_tool_with_a_long_name"]
            {
                known.name = format!("{server}__{tool}");
                let parse = Box::new(|_: &str| Err(String::new()));
                let entry = Entry { spec: known.clone(), is_for_subagents: true, parse };
                registry.entries.push(entry.into());
            }
        }
        let why = registry.call("everything__ecko", "{}").unwrap_err();
        let begin =
            r#"there is no tool "everything__ecko": use one of everything__echo, everything__"#;
        assert!(why.starts_with(begin) && why.contains("read, grep, "), "{why}");
        assert!(why.len() < 600 && why.ends_with(" more"), "{why}");
    }

    #[test]
    fn arguments_are_repaired_if_their_meaning_is_clear() {
        let input = |name, arguments| {
            Registry::built_in().call(name, arguments).unwrap().input().to_string()
        };
        let edit = r#"{"path":"a","replacements":"[{\"old\":\"[x\",\"new\":\"y\"},]"}"#;
        assert!(input("edit", edit).contains(r#""old":"[x""#));
        let write = r#"{"path":"a","text":"{\"b\":1}"}"#;
        assert!(input("write", write).contains(r#""text":"{\"b\":1}""#), "JSON as text");
        let more = r#"{"path":"a","more":1}"#;
        assert!(input("read", more).contains(r#""path":"a""#), "more fields do no harm");
    }
}
