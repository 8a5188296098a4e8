//! Changes a file of rules.

use super::old_file::{self, Line};
use super::parse::VERSION;
use super::replacement::{back_up, replace, set_aside, text_of};
use super::rule_fault::RuleFault;
use super::rule_set::Rules;
use super::toml_text;
use crate::rule::{Agents, Effect, Rule, RuleScope, Subject};
use attache_host::lock_folder_of;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, Item, RawString, Table, TableLike};

/// The first lines of a new file.
const BEGINS: &str = "# What agents may do: [[allow]] runs without a question, [[ask]] asks you, [[deny]] does not run.\n\
     # `attache permissions --help` describes the rules.\n";

/// The tables of a file.
const TABLES: [Effect; 3] = [Effect::Allow, Effect::Ask, Effect::Deny];

/// A person's file of rules, for changing it. Changes keep the comments and the order of the file.
/// Each change replaces the whole file while a lock on its folder prevents other programs from
/// changing it, so neither a crash nor two changes at once can lose a rule.
#[derive(Debug, Clone)]
pub struct RuleFile {
    path: PathBuf,
}

/// Why a file of rules cannot be changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum RuleFileError {
    /// The system cannot read or write the file.
    File {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file contains a mistake that the person must correct first.
    Rules(RuleFault),
}

impl fmt::Display for RuleFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, source } => {
                write!(
                    f,
                    "the rules in {} cannot be used: {source}; check the file",
                    file.display()
                )
            }
            Self::Rules(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for RuleFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } => Some(source),
            Self::Rules(_) => None,
        }
    }
}

impl From<RuleFault> for RuleFileError {
    fn from(fault: RuleFault) -> Self {
        Self::Rules(fault)
    }
}

impl Rules {
    /// Adds an allowing rule for the built-in agent and leaves the rest of the file unchanged.
    /// Blocks on the disk.
    pub fn add(path: &Path, subject: &Subject, project: Option<&Path>) -> io::Result<()> {
        let scope = project.map_or(RuleScope::Always, |folder| RuleScope::Project(folder.into()));
        let agents = Agents::built_in();
        let rule = Rule { agents, scope, ..Rule::new(Effect::Allow, subject.clone()) };
        RuleFile::new(path).add(&rule).map_err(|error| match error {
            RuleFileError::File { source, .. } => source,
            RuleFileError::Rules(fault) => io::Error::new(io::ErrorKind::InvalidData, fault.what),
        })
    }
}

impl RuleFile {
    /// Returns the file at this path, which does not have to exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Adds a rule, unless the file contains it. A file from an older version is converted to this
    /// version first, and a backup is kept. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or written, or has a mistake.
    pub fn add(&self, rule: &Rule) -> Result<(), RuleFileError> {
        self.change(|file| file.add(rule, ""))
    }

    /// Removes a rule. The rest of the file does not change. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or written, or has a mistake.
    pub fn remove(&self, rule: &Rule) -> Result<(), RuleFileError> {
        self.change(|file| file.remove(rule))
    }

    /// Reads the rules of `old`, a file in which older versions stored client rules, one per line.
    /// A file that does not exist has no rules. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or if one of its lines is not a rule.
    pub fn read_old(old: &Path) -> Result<Vec<Rule>, RuleFileError> {
        let text = text_of(old).map_err(|source| failed(old, source))?;
        Ok(old_file::lines(old, &text)?.into_iter().filter_map(|line| line.rule).collect())
    }

    /// Moves the rules of `old` to this file; see [`RuleFile::read_old`]. The old files are kept
    /// with `.v1` added to their names. Rules that this file already contains are not added again,
    /// so an interrupted migration can be repeated. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written, or has a mistake. The rules are then
    /// not moved.
    pub fn migrate(&self, old: &Path) -> Result<(), RuleFileError> {
        self.change(|file| {
            let text = text_of(old).map_err(|source| failed(old, source))?;
            let mut comment = String::new();
            for Line { comment: said, rule } in old_file::lines(old, &text)? {
                match rule {
                    Some(rule) => {
                        file.add(&rule, &comment)?;
                        comment.clear();
                    }
                    None => comment.push_str(&said),
                }
            }
            file.old = Some(old.to_owned());
            Ok(())
        })
    }

    /// Changes the text of the file under a lock, and replaces the file.
    fn change(
        &self,
        work: impl FnOnce(&mut Changed) -> Result<(), RuleFileError>,
    ) -> Result<(), RuleFileError> {
        let failed = |source| failed(&self.path, source);
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let _held = lock_folder_of(&self.path).map_err(failed)?;
        // If the path is a symbolic link, the file that it leads to is replaced, and the link
        // stays.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let text = text_of(&path).map_err(failed)?;
        let mut file = Changed { name: self.path.clone(), text, was_older: false, old: None };
        let before = file.text.clone();
        work(&mut file)?;
        let written = || {
            if file.text != before {
                if file.was_older {
                    back_up(&path, &before)?;
                }
                replace(&path, &file.text)?;
            }
            // Last: a crash before this line leaves rules in both files, but loses none.
            match &file.old {
                Some(old) => set_aside(old),
                None => Ok(()),
            }
        };
        written().map_err(failed)
    }
}

/// The text of a file that is being changed.
struct Changed {
    name: PathBuf,
    text: String,
    /// Whether an older version wrote the file.
    was_older: bool,
    /// The old file whose rules were moved to this one.
    old: Option<PathBuf>,
}

impl Changed {
    fn add(&mut self, rule: &Rule, comment: &str) -> Result<(), RuleFileError> {
        let rules = self.sound()?;
        if rules.rules.iter().any(|known| known.is_same(rule)) {
            return Ok(());
        }
        if self.text.trim().is_empty() {
            self.text = format!("{BEGINS}version = {VERSION}\n");
        } else if rules.version.is_none() {
            self.text = self.upgraded(&rules)?;
            self.was_older = true;
        }
        let end = if self.text.ends_with('\n') { "" } else { "\n" };
        let text = format!("{}{end}\n{comment}{}", self.text, toml_text::table(rule));
        let read = Rules::parse(&self.name.display().to_string(), &text);
        match read.faults.first() {
            None if read.rules.iter().any(|known| known.is_same(rule)) => {
                self.text = text;
                Ok(())
            }
            Some(fault) => Err(fault.clone().into()),
            None => Err(self.fault("the rule cannot be expressed: write it by hand")),
        }
    }

    fn remove(&mut self, rule: &Rule) -> Result<(), RuleFileError> {
        let rules = self.sound()?;
        let same = rules.rules.iter().filter(|known| known.effect == rule.effect);
        let Some(index) = same.into_iter().position(|known| known.is_same(rule)) else {
            return Ok(());
        };
        let mut document = self.document()?;
        let listed = document.get_mut(toml_text::table_name(rule.effect));
        let removed = match listed {
            Some(Item::ArrayOfTables(tables)) => {
                let table = tables.get(index).map(|table| (table.position(), comment_of(table)));
                tables.remove(index);
                if tables.is_empty() {
                    document.remove(toml_text::table_name(rule.effect));
                }
                table
            }
            Some(Item::Value(toml_edit::Value::Array(tables))) => {
                tables.remove(index);
                None
            }
            _ => return Err(self.fault("the rule was not found: remove it by hand")),
        };
        if let Some((Some(position), comment)) = removed {
            keep_comment(&mut document, position, &comment);
        }
        self.text = document.to_string();
        Ok(())
    }

    /// Returns the same rules in the format of this version, in which each of them names the
    /// built-in agent.
    fn upgraded(&self, rules: &Rules) -> Result<String, RuleFileError> {
        let mut document = self.document()?;
        for effect in TABLES {
            let listed = document.get_mut(toml_text::table_name(effect));
            let tables: Vec<&mut dyn TableLike> = match listed {
                Some(Item::ArrayOfTables(tables)) => {
                    tables.iter_mut().map(|table| table as &mut dyn TableLike).collect()
                }
                Some(Item::Value(toml_edit::Value::Array(tables))) => {
                    let tables = tables.iter_mut().filter_map(|value| value.as_inline_table_mut());
                    tables.map(|table| table as &mut dyn TableLike).collect()
                }
                _ => Vec::new(),
            };
            for table in tables.into_iter().filter(|table| !table.contains_key("agents")) {
                let agents = Agents::built_in();
                let Agents::Named(names) = agents else { continue };
                let names: toml_edit::Array = names.into_iter().collect();
                table.insert("agents", toml_edit::value(names));
            }
        }
        let text = format!("version = {VERSION}\n\n{document}");
        let now = Rules::parse(&self.name.display().to_string(), &text);
        match now.faults.is_empty() && now.rules == rules.rules {
            true => Ok(text),
            false => Err(self.fault(
                "the rules cannot be moved to the new form: write `version = 2` at its top, and \
                 `agents = [\"attache\"]` into every rule that names no agents",
            )),
        }
    }

    /// The rules of the file, if it has no mistake.
    fn sound(&self) -> Result<Rules, RuleFileError> {
        let rules = Rules::parse(&self.name.display().to_string(), &self.text);
        match rules.faults.first() {
            Some(fault) => Err(fault.clone().into()),
            None => Ok(rules),
        }
    }

    fn document(&self) -> Result<DocumentMut, RuleFileError> {
        self.text.parse().map_err(|_| self.fault("it is not TOML: correct the file"))
    }

    fn fault(&self, what: &str) -> RuleFileError {
        RuleFault::new(&self.name, what).into()
    }
}

/// The comment above a table, without the lines directly above the table, which describe it.
fn comment_of(table: &Table) -> String {
    let prefix = table.decor().prefix().and_then(RawString::as_str).unwrap_or_default();
    match prefix.rfind("\n\n") {
        Some(end) => prefix.get(..=end).unwrap_or_default().to_owned(),
        None => String::new(),
    }
}

/// Moves the comment above a removed table to the next table, or to the end.
fn keep_comment(document: &mut DocumentMut, position: isize, comment: &str) {
    if comment.trim().is_empty() {
        return;
    }
    let tables = document.iter_mut().filter_map(|(_, item)| item.as_array_of_tables_mut());
    let later = tables.flat_map(|tables| tables.iter_mut());
    let later = later.filter(|table| table.position().is_some_and(|at| at > position));
    match later.min_by_key(|table| table.position()) {
        Some(table) => {
            let prefix = table.decor().prefix().and_then(RawString::as_str).unwrap_or_default();
            let prefix = format!("{comment}{prefix}");
            table.decor_mut().set_prefix(prefix);
        }
        None => {
            let trailing = document.trailing().as_str().unwrap_or_default();
            let trailing = format!("{comment}{trailing}");
            document.set_trailing(trailing);
        }
    }
}

fn failed(file: &Path, source: io::Error) -> RuleFileError {
    RuleFileError::File { file: file.to_owned(), source }
}
