//! The rules of one session of the built-in agent, from its own choices and from files.

use crate::folders::Folders;
use crate::judge::Judge;
use crate::mode::Mode;
use crate::offer::Scope;
use crate::rule::{Agents, BUILT_IN, Effect, Rule, Subject};
use crate::rules::Rules;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many choices one session remembers; beyond that the oldest are asked again.
const REMEMBERED: usize = 256;

/// The rules of one session: its own, those of the person, and what the project forbids.
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
    /// The rules for a session in these folders. Blocks on the disk.
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

    /// The mistakes in the files, each in a sentence.
    pub fn faults(&self) -> Vec<String> {
        self.persons
            .faults()
            .iter()
            .chain(self.projects.faults())
            .map(ToString::to_string)
            .collect()
    }

    /// What decides about an action in a mode.
    pub fn judge<'j>(
        &'j self,
        mode: Mode,
        folders: &'j Folders,
        scratch: Option<&'j Path>,
    ) -> Judge<'j> {
        let broken = self.persons.broken || self.projects.broken;
        Judge { mode, rules: &self.in_force, broken, folders, scratch }
    }

    /// Whether choices can be kept beyond the session.
    pub fn keeps(&self) -> bool {
        self.file.is_some() && self.persons.faults().is_empty()
    }

    /// Keeps a choice for the rest of the session; it replaces an earlier one about the same.
    pub fn remember(&mut self, subject: Subject, effect: Effect) {
        self.chosen.retain(|earlier| earlier.subject != subject);
        self.chosen.push(Rule { agents: Agents::built_in(), ..Rule::new(effect, subject) });
        if self.chosen.len() > REMEMBERED {
            self.chosen.remove(0);
        }
        self.gather();
    }

    /// Where a choice beyond the session is kept, and for which project alone.
    pub fn place(&self, scope: Scope) -> Option<(PathBuf, Option<PathBuf>)> {
        let project = (scope == Scope::Project).then(|| self.cwd.clone());
        (scope != Scope::Session).then(|| self.file.clone()).flatten().map(|file| (file, project))
    }

    fn gather(&mut self) {
        let here = |rule: &&Rule| {
            // What the agent says about its calls is for clients to judge.
            let is_about_actions = !matches!(rule.subject, Subject::Call(_));
            is_about_actions && rule.agents.include(BUILT_IN) && rule.holds_in(&self.cwd)
        };
        let files = self.persons.rules.iter().chain(&self.projects.rules);
        self.in_force = Arc::new(self.chosen.iter().chain(files.filter(here)).cloned().collect());
    }
}
