//! What may run without asking: the session's mode, and what a person chose to be remembered.

use crate::tools::fit::{code, one_line};
use crate::tools::{Action, Touch};
use attache_protocol::v1::{PermissionOption, PermissionOptionKind};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a session treats what changes something. Reading and searching always run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Edits and commands ask.
    Ask,
    /// Edits run, commands ask.
    Edit,
    /// Everything runs.
    Auto,
    /// Nothing that changes anything runs.
    Plan,
}

impl Mode {
    /// All modes; the first is that of a new session.
    pub(crate) const ALL: [Self; 4] = [Self::Ask, Self::Edit, Self::Auto, Self::Plan];

    /// The mode with this id; an unknown one is taken as the most careful that can work.
    pub(crate) fn of(id: &str) -> Self {
        Self::ALL.into_iter().find(|mode| mode.id() == id).unwrap_or(Self::Ask)
    }

    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Edit => "edit",
            Self::Auto => "auto",
            Self::Plan => "plan",
        }
    }

    /// Name and description for people.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Ask => ("Ask", "Asks before every edit and command"),
            Self::Edit => ("Edit", "Edits without asking, asks before every command"),
            Self::Auto => ("Auto", "Edits and runs commands without asking"),
            Self::Plan => ("Plan", "Reads and searches only: no edit, no command"),
        }
    }
}

/// What a remembered choice is about. It is never wider than the option's name says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Rule {
    /// Edits of any file but those that programs obey.
    Edits,
    /// Edits of one file.
    File(String),
    /// Command lines that are one plain command of this program.
    Program(String),
    /// This command line, character by character.
    CommandLine(String),
    /// One tool of an MCP server.
    Mcp { server: String, tool: String },
    /// What is behind this URL.
    Url(String),
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edits => f.write_str("edits"),
            Self::File(path) => write!(f, "edits of {}", code(path)),
            Self::Program(program) => write!(f, "commands that start with {}", code(program)),
            Self::CommandLine(line) => write!(f, "exactly {}", code(&one_line(line, 80))),
            Self::Mcp { server, tool } => {
                write!(f, "the tool {} of {}", code(&one_line(tool, 80)), code(&one_line(server, 80)))
            }
            Self::Url(url) => write!(f, "fetching {}", code(&one_line(url, 80))),
        }
    }
}

/// What is to be done about an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It runs.
    Run,
    /// A person is asked, and may have the answer remembered for this rule.
    Ask(Rule),
    /// It does not run, for this reason.
    Refuse(String),
}

/// Programs that do what their arguments say: a choice about one of them would be a choice about everything.
const RUNNERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "fish", "ksh", "env", "sudo", "doas", "su", "xargs", "nohup", "nice",
    "time", "timeout", "exec", "eval", "command", "builtin", "source", ".", "python", "python3", "perl",
    "ruby", "node", "deno", "bun", "php", "lua", "ssh", "find", "awk", "sed", "setsid", "stdbuf", "watch",
    "parallel", "docker", "podman",
];

/// Folders whose files programs obey, so that an edit of them amounts to a command.
const OBEYED: &[&str] = &[".git", ".hg", ".svn", ".jj"];

/// How many choices one session remembers; beyond that the oldest are asked again.
const REMEMBERED: usize = 256;

/// What one session remembers.
#[derive(Debug, Default)]
pub(crate) struct Policy {
    chosen: Vec<(Rule, bool)>,
}

impl Policy {
    /// What is to be done about an action in a mode. A refusal that is remembered holds in every mode.
    pub(crate) fn decide(&self, mode: Mode, action: &Action) -> Decision {
        let Some(rule) = rule_of(action) else { return Decision::Run };
        if mode == Mode::Plan {
            return Decision::Refuse(
                "the session's mode is Plan, in which nothing is changed or run".to_owned(),
            );
        }
        if let Some((rule, _)) = self.chosen.iter().find(|(rule, allowed)| !allowed && concerns(rule, action))
        {
            return Decision::Refuse(format!("{rule} were refused for the rest of this session"));
        }
        let allowed = self.chosen.iter().any(|(chosen, allowed)| *allowed && *chosen == rule);
        match (mode, &rule) {
            _ if allowed => Decision::Run,
            (Mode::Auto, Rule::Edits | Rule::Program(_) | Rule::CommandLine(_)) => Decision::Run,
            (Mode::Edit, Rule::Edits) => Decision::Run,
            _ => Decision::Ask(rule),
        }
    }

    /// Keeps a choice for the rest of the session; it replaces an earlier one about the same.
    pub(crate) fn remember(&mut self, rule: Rule, allowed: bool) {
        self.chosen.retain(|(earlier, _)| *earlier != rule);
        self.chosen.push((rule, allowed));
        if self.chosen.len() > REMEMBERED {
            self.chosen.remove(0);
        }
    }
}

/// What a choice about this action is remembered for; nothing for actions that never ask.
fn rule_of(action: &Action) -> Option<Rule> {
    match action.touches() {
        Touch::Nothing | Touch::Reads(_) => None,
        Touch::Changes(paths) => {
            let obeyed =
                |path: &&str| path.split('/').any(|part| OBEYED.contains(&part.to_lowercase().as_str()));
            Some(paths.into_iter().find(obeyed).map_or(Rule::Edits, |path| Rule::File(path.to_owned())))
        }
        Touch::Mcp { server, tool } => Some(Rule::Mcp { server: server.to_owned(), tool: tool.to_owned() }),
        Touch::Fetches { url } => Some(Rule::Url(url.to_owned())),
        Touch::Runs { command, .. } => Some(match plain_program(command) {
            Some(program) => Rule::Program(program.to_owned()),
            None => Rule::CommandLine(command.to_owned()),
        }),
    }
}

/// Whether a refusal by this rule is about the action. A program is found in every part of a command line.
fn concerns(rule: &Rule, action: &Action) -> bool {
    match (rule, action.touches()) {
        (Rule::Edits, Touch::Changes(_)) => true,
        (Rule::Program(program), Touch::Runs { command, .. }) => command
            .split([';', '&', '|', '(', ')', '{', '}', '`', '\n'])
            .any(|part| part.split_whitespace().any(|word| word == program)),
        (rule, _) => rule_of(action).as_ref() == Some(rule),
    }
}

/// The program of a command line that runs just one, with nothing that the shell would make more of.
fn plain_program(line: &str) -> Option<&str> {
    let special = |each: char| ";&|<>()$`\\{}\n\r#!*?[~".contains(each) || each.is_control();
    let program = line.split_whitespace().next()?;
    let odd = program.contains(['=', '"', '\'']) || RUNNERS.contains(&program.rsplit('/').next()?);
    (!odd && !line.contains(special)).then_some(program)
}

/// The four choices of a permission request; those to be remembered say for what (PERM-07).
pub(crate) fn choices(rule: &Rule) -> Vec<PermissionOption> {
    use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    vec![
        PermissionOption::new("allow_once", "Allow once", AllowOnce),
        PermissionOption::new("allow_always", format!("Always allow {rule} in this session"), AllowAlways),
        PermissionOption::new("reject_once", "Reject", RejectOnce),
        PermissionOption::new(
            "reject_always",
            format!("Reject {rule} for the rest of this session"),
            RejectAlways,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::{Decision, Mode, Policy, Rule, plain_program};
    use crate::tools::Action;
    use crate::tools::edit::Edit;
    use crate::tools::execute::Execute;

    fn run(command: &str) -> Action {
        Action::Execute(Execute { command: command.into(), ..Execute::default() })
    }

    fn edit(path: &str) -> Action {
        Action::Edit(Edit { path: path.into(), replacements: Vec::new() })
    }

    #[test]
    fn a_program_allowed_always_allows_nothing_the_shell_adds() {
        let mut policy = Policy::default();
        policy.remember(Rule::Program("cargo".into()), true);
        assert_eq!(policy.decide(Mode::Ask, &run("cargo test \"a b\"")), Decision::Run);
        for line in [
            "cargo test; rm x",
            "cargo test && x",
            "cargo $(rm x)",
            "cargo `rm x`",
            "cargo > f",
            "X=1 cargo",
            "cargo\nrm x",
            "cargo test & x",
            "./cargo",
            "cargo \u{7}",
        ] {
            assert!(matches!(policy.decide(Mode::Ask, &run(line)), Decision::Ask(_)), "{line:?}");
        }
    }

    #[test]
    fn programs_that_run_others_are_remembered_by_their_whole_line_only() {
        for line in ["sh -c x", "/bin/bash x", "env rm", "sudo ls", "find . -delete", "", "'ls' x"] {
            assert_eq!(plain_program(line), None, "{line}");
        }
        assert_eq!(plain_program("  /usr/bin/ls -l"), Some("/usr/bin/ls"));
    }

    #[test]
    fn a_refusal_holds_in_every_mode_and_every_part_of_a_command() {
        let mut policy = Policy::default();
        policy.remember(Rule::Program("rm".into()), false);
        for line in ["rm x", "ls; rm x", "ls && sudo rm x", "echo $(rm x)"] {
            for mode in Mode::ALL {
                assert!(matches!(policy.decide(mode, &run(line)), Decision::Refuse(_)), "{line} {mode:?}");
            }
        }
        assert_eq!(policy.decide(Mode::Auto, &run("rmdir x")), Decision::Run);
    }

    #[test]
    fn edits_of_files_that_programs_obey_ask_in_every_mode_that_edits() {
        let mut policy = Policy::default();
        policy.remember(Rule::Edits, true);
        for mode in [Mode::Ask, Mode::Edit, Mode::Auto] {
            assert_eq!(policy.decide(mode, &edit("src/a.rs")), Decision::Run);
            assert!(matches!(policy.decide(mode, &edit("a/.git/hooks/x")), Decision::Ask(Rule::File(_))));
        }
        assert!(matches!(policy.decide(Mode::Plan, &edit("a")), Decision::Refuse(_)));
    }
}
