//! The rules of one session of the built-in agent, from the person's choices and from files.

use crate::folders::Folders;
use crate::judge::Judge;
use crate::mode::Mode;
use crate::offer::Scope;
use crate::rule::{Agents, BUILT_IN, Effect, Rule, Subject};
use crate::rules::Rules;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of choices that one session remembers. The oldest choices are dropped, and their
/// actions ask again.
const REMEMBERED: usize = 256;

/// The rules of one session: its own choices, the person's file, and the project's file, which can
/// only ask or deny.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The person's file of rules.
    file: Option<PathBuf>,
    chosen: Vec<Rule>,
    persons: Rules,
    projects: Rules,
    in_force: Arc<Vec<Rule>>,
    cwd: PathBuf,
}

impl Policy {
    /// Reads the rules for a session in these folders. Blocks on the disk.
    pub fn read(file: Option<&Path>, folders: &Folders) -> Self {
        let mut policy = Self {
            file: file.map(Path::to_owned),
            cwd: folders.roots().cwd().to_owned(),
            ..Self::default()
        };
        policy.projects = Rules::of_project_in(folders).unwrap_or_default();
        policy.read_again();
        policy
    }

    /// Reads the person's file again: another session may have added to it. Blocks on the disk.
    pub fn read_again(&mut self) {
        self.persons = self.file.as_deref().map(Rules::read).unwrap_or_default();
        self.gather();
    }

    /// Returns the mistakes in the files, one sentence each.
    pub fn faults(&self) -> Vec<String> {
        self.persons
            .faults()
            .iter()
            .chain(self.projects.faults())
            .map(ToString::to_string)
            .collect()
    }

    /// Returns the judge of actions in this mode.
    pub fn judge<'j>(
        &'j self,
        mode: Mode,
        folders: &'j Folders,
        scratch: Option<&'j Path>,
    ) -> Judge<'j> {
        let broken = self.persons.broken || self.projects.broken;
        Judge { mode, rules: &self.in_force, broken, folders, scratch }
    }

    /// Whether choices can be stored beyond the session.
    pub fn keeps(&self) -> bool {
        self.file.is_some() && self.persons.faults().is_empty()
    }

    /// Remembers a choice for the rest of the session. It replaces an earlier choice about the same
    /// subject.
    pub fn remember(&mut self, subject: Subject, effect: Effect) {
        self.chosen.retain(|earlier| earlier.subject != subject);
        self.chosen.push(Rule { agents: Agents::built_in(), ..Rule::new(effect, subject) });
        if self.chosen.len() > REMEMBERED {
            self.chosen.remove(0);
        }
        self.gather();
    }

    /// Returns the file that stores a choice with this scope, and the project that the choice is
    /// limited to.
    pub fn place(&self, scope: Scope) -> Option<(PathBuf, Option<PathBuf>)> {
        let project = (scope == Scope::Project).then(|| self.cwd.clone());
        (scope != Scope::Session).then(|| self.file.clone()).flatten().map(|file| (file, project))
    }

    fn gather(&mut self) {
        let here = |rule: &&Rule| {
            // Rules about described calls are for clients.
            let is_about_actions = !matches!(rule.subject, Subject::Call(_));
            is_about_actions && rule.agents.include(BUILT_IN) && rule.holds_in(&self.cwd)
        };
        let files = self.persons.rules.iter().chain(&self.projects.rules);
        self.in_force = Arc::new(self.chosen.iter().chain(files.filter(here)).cloned().collect());
    }
}
